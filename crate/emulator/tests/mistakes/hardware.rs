//! What an H200 and compute-sanitizer made of the mistakes, as `sanitizer/sanitizer.py` recorded it, beside what the emulator finds.

use super::catalogue::{Mistake, Outcome};
use super::common::fnv_1a;
use std::fmt::Write;

/// Mistakes, and the tools that report something else there: racecheck takes the initialisation of an mbarrier and the
/// arrival at it by the same thread for a race.
const STRAY: [(&str, &str); 1] = [("sent_store_not_waited_for", "racecheck")];

/// The recorded table.
pub struct Record {
    /// Device, driver, versions and date.
    pub provenance: String,
    rows: Vec<Row>,
}

/// One kernel, or all corrected twins of a theme, under one tool or none.
struct Row {
    theme: String,
    kernel: String,
    corrected: bool,
    tool: String,
    /// What the program said in the end: `ok` and a hash of each buffer, or the driver's error.
    outcome: String,
    /// Kinds of report.
    reports: String,
    /// Lines of CUDA C++ that the reports name.
    lines: Vec<u32>,
}

pub fn path(name: &str) -> String {
    format!(
        "{}/../../book/results/h200/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

pub fn read() -> Record {
    let text = std::fs::read_to_string(path("sanitizer.csv")).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    Record {
        provenance: first.strip_prefix("# ").unwrap().to_string(),
        rows: rest.lines().skip(1).map(row).collect(),
    }
}

fn row(line: &str) -> Row {
    let fields: Vec<&str> = line.split(',').collect();
    let [theme, kernel, corrected, tool, outcome, reports, lines] = fields[..] else {
        panic!("{line}");
    };
    Row {
        theme: theme.to_string(),
        kernel: kernel.to_string(),
        corrected: corrected == "1",
        tool: tool.to_string(),
        outcome: outcome.to_string(),
        reports: reports.to_string(),
        lines: lines
            .split_whitespace()
            .map(|line| line.parse().unwrap())
            .collect(),
    }
}

impl Record {
    fn of<'r>(&'r self, mistake: &'r Mistake, corrected: bool) -> impl Iterator<Item = &'r Row> {
        self.rows.iter().filter(move |row| {
            row.theme == mistake.theme && row.kernel == mistake.name && row.corrected == corrected
        })
    }

    /// Whether the GPU computed what the emulator did in the argument that holds the twin's result; `None` if the
    /// twin was not run.
    pub fn agrees(&self, mistake: &Mistake, twin: &Outcome) -> Option<bool> {
        let row = self.of(mistake, true).next()?;
        Some(same_result(row.outcome.strip_prefix("ok ")?, mistake, twin))
    }

    /// Reports of compute-sanitizer that point at no line marked as the mistake, but for those that are known to, and what
    /// is known and does not; of a trap it names the line after.
    pub fn stray(&self, mistake: &Mistake) -> Vec<String> {
        let strays = self.of(mistake, false).filter(|row| {
            !row.lines.is_empty()
                && row.reports != "trap"
                && !row.lines.iter().any(|line| mistake.marked.contains(line))
        });
        let (known, unknown): (Vec<&Row>, Vec<&Row>) =
            strays.partition(|row| STRAY.contains(&(mistake.name.as_str(), row.tool.as_str())));
        let listed = STRAY.iter().filter(|(name, _)| *name == mistake.name);
        let unneeded = listed.count() - known.len();
        let unknown = unknown
            .iter()
            .map(|row| format!("{} {}: {:?}", mistake.name, row.tool, row.lines));
        unknown
            .chain((unneeded > 0).then(|| format!("{}: listed as stray, and is not", mistake.name)))
            .collect()
    }

    /// Tools and what they reported, in a phrase; empty if none reported anything.
    pub fn reported(&self, mistake: &Mistake) -> String {
        let reports = self
            .of(mistake, false)
            .filter(|row| !row.reports.is_empty());
        let phrases: Vec<String> = reports
            .map(|row| format!("{}: {}", row.tool, row.reports))
            .collect();
        phrases.join(", ")
    }

    /// What the GPU did by itself.
    fn alone(&self, mistake: &Mistake, twin: &Outcome) -> String {
        let Some(row) = self.of(mistake, false).find(|row| row.tool == "none") else {
            return "not run".to_string();
        };
        match row.outcome.split_once(" ok ") {
            None => row.outcome.clone(),
            Some((_, hashes)) if same_result(hashes, mistake, twin) => {
                "ran, right result".to_string()
            }
            Some(_) => "ran, wrong result".to_string(),
        }
    }

    /// The comparison as a page: every mistake, what the emulator and what compute-sanitizer say of it. `seen` holds
    /// each mistake with its corrected twin's outcome and the kinds that the emulator found; `uncompared` names those
    /// that the GPU has not run.
    pub fn comparison(&self, seen: &[(Mistake, Outcome, String)], uncompared: &[String]) -> String {
        let mut table = String::new();
        let (mut ours, mut theirs, mut right) = (0, 0, 0);
        let mut only_theirs = Vec::new();
        for (mistake, twin, found) in seen {
            let (reported, alone) = (self.reported(mistake), self.alone(mistake, twin));
            ours += u32::from(!found.is_empty());
            theirs += u32::from(!reported.is_empty());
            right += u32::from(alone == "ran, right result");
            if found.is_empty() && !reported.is_empty() {
                only_theirs.push(format!("`{}`", mistake.name));
            }
            let or = |text: &str| {
                if text.is_empty() {
                    "nothing".to_string()
                } else {
                    text.to_string()
                }
            };
            writeln!(
                table,
                "| {} | `{}` | {} | {} | {alone} |",
                mistake.theme,
                mistake.name,
                or(found),
                or(&reported)
            )
            .unwrap();
        }
        let only = match only_theirs.as_slice() {
            [] => "Nothing that compute-sanitizer reports is missed by the emulator.".to_string(),
            names => format!(
                "compute-sanitizer reports, and the emulator misses: {}.",
                names.join(", ")
            ),
        };
        let twins: Vec<String> = (self
            .rows
            .iter()
            .filter(|row| row.corrected && !row.reports.is_empty()))
        .map(|row| format!("{} in `{}` ({})", row.tool, row.theme, row.reports))
        .collect();
        let twins = match twins.as_slice() {
            [] => "none".to_string(),
            some => some.join(", "),
        };
        let uncompared: Vec<String> = (uncompared.iter())
            .map(|name| format!("`{name}`"))
            .collect();
        let uncompared = match uncompared.as_slice() {
            [] => String::new(),
            names => format!(
                "The emulator's tests hold {} more, which neither the GPU nor compute-sanitizer has run yet: {}.\n\n",
                names.len(),
                names.join(", ")
            ),
        };
        format!(
            "# The planted mistakes: the emulator beside compute-sanitizer\n\n\
             Of {} mistakes (`crate/emulator/tests/fail`) the emulator finds {ours}, and compute-sanitizer {theirs} with \
             the best of memcheck, racecheck, initcheck and synccheck. {only} Run without any tool, {right} of the \
             mistakes gave the right result on the GPU: tests of results alone do not see these.\n\n\
             The corrected twins have no finding in the emulator. Reports of compute-sanitizer on them: {twins}; initcheck \
             says `unwritten output` of a buffer that is copied to the host with parts that the kernel never stores to, \
             which these twins do on purpose.\n\n\
             {uncompared}The kernels are the same PTX for both. The last column is the GPU without a tool; what had to be stopped \
             was given 10 s. This page is written by `CORNERTURN_BLESS=1 cargo test -p cornerturn-emulator --test \
             mistakes` from `sanitizer.csv`, which `crate/emulator/tests/sanitizer/sanitizer.py` measured: {}.\n\n\
             | theme | mistake | emulator | compute-sanitizer | GPU alone |\n| --- | --- | --- | --- | --- |\n{table}",
            seen.len(),
            self.provenance,
        )
    }
}

/// Whether the result is the twin's, by the hashes of a launch's buffers in the order of its arguments.
fn same_result(hashes: &str, mistake: &Mistake, twin: &Outcome) -> bool {
    let position = mistake.gives.0;
    let before = twin.results[..position]
        .iter()
        .filter(|bytes| !bytes.is_empty());
    let found = hashes.split(' ').nth(before.count());
    found == Some(format!("{:016x}", fnv_1a(&twin.results[position])).as_str())
}
