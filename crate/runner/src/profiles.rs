//! What NVIDIA's profiler counted of works on arrays, `book/results/<gpu>/works.csv`: reading it, and comparing it with the emulator. Who asks is the verbs' affair.

use crate::exit;
use anyhow::Context;
use cornerturn::registry::MachineDifference;
use cornerturn::works::RegisteredWork;
use cornerturn::{Counters, Kernel, Registry, paths};
use std::collections::BTreeMap;
use std::fs;

/// The file below a GPU's folder.
pub const FILE: &str = "works.csv";

/// One launch.
pub struct Profile {
    /// The registry's id.
    pub kernel: String,
    /// The work's parameter.
    pub parameter: u32,
    /// Items of the work.
    pub items: usize,
    /// What was counted, by the column's name.
    pub counted: BTreeMap<String, u64>,
    /// The profiler's name of each column.
    names: BTreeMap<String, String>,
}

/// The profiles of a GPU.
///
/// # Errors
/// A file that is missing or is not as it should be, with the line.
pub fn load(gpu: &str) -> anyhow::Result<Vec<Profile>> {
    let path = paths::results()?.join(gpu).join(FILE);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    parse(&text).map_err(|reason| exit::usage(format!("{}: {reason}", path.display())))
}

/// Comments `# column: name in ncu`, a head, and a line for each launch; another head begins another table. An empty cell is
/// a counter that was not asked for.
fn parse(text: &str) -> Result<Vec<Profile>, String> {
    let comments = text.lines().filter_map(|line| line.strip_prefix("# "));
    let names: BTreeMap<String, String> = comments
        .filter_map(|line| line.split_once(": "))
        .filter(|(_, name)| name.contains("__"))
        .map(|(column, name)| (column.to_string(), name.to_string()))
        .collect();
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#'));
    let (_, head) = lines.next().ok_or("it has no head")?;
    let Some(mut counters) = columns(head) else {
        return Err("its head must begin with kernel,parameter,items".to_string());
    };
    let mut profiles = Vec::new();
    for (number, line) in lines {
        if let Some(others) = columns(line) {
            counters = others;
            continue;
        }
        let wrong = || format!("line {} is not as its head", number + 1);
        let cells: Vec<&str> = line.split(',').collect();
        let [kernel, parameter, items, values @ ..] = &cells[..] else {
            return Err(wrong());
        };
        if values.len() != counters.len() {
            return Err(wrong());
        }
        let mut counted = BTreeMap::new();
        for (column, value) in counters.iter().zip(values).filter(|(_, v)| !v.is_empty()) {
            counted.insert(column.to_string(), value.parse().map_err(|_| wrong())?);
        }
        profiles.push(Profile {
            kernel: kernel.to_string(),
            parameter: parameter.parse().map_err(|_| wrong())?,
            items: items.parse().map_err(|_| wrong())?,
            counted,
            names: names.clone(),
        });
    }
    Ok(profiles)
}

/// The counters of a head; `None` for what is none.
fn columns(line: &str) -> Option<Vec<&str>> {
    let columns: Vec<&str> = line.split(',').collect();
    match &columns[..] {
        ["kernel", "parameter", "items", counters @ ..] => Some(counters.to_vec()),
        _ => None,
    }
}

/// How many times smaller the work is on which the emulator counts.
const SCALE: usize = 64;

impl Profile {
    /// Counts the same launch on the emulator and compares what both count. Returns how many counters were compared, and
    /// a sentence for each that differs. The emulator counts a small work and one of twice the items, from which the large
    /// one follows: every warp is full, so that counts grow with the items, apart from what a launch does once.
    ///
    /// # Errors
    /// A kernel that is not registered, or does not run.
    pub fn compare(&self, registry: &Registry) -> anyhow::Result<(usize, Vec<String>)> {
        let entry = registry.work(&self.kernel)?;
        let kernel = Kernel::committed(registry, entry)?;
        let count = |items: usize| -> anyhow::Result<Counters> {
            let (grid, block) = entry.launch_shape(items)?;
            let work = entry.work(items, self.parameter)?;
            let report = work.count(&kernel, grid, block)?;
            report.counters.context("the emulator counts")
        };
        let small = count(self.items / SCALE)?;
        let twice = count(self.items / SCALE * 2)?;
        // What the assembler makes otherwise than the PTX has it, such as spills, the emulator cannot count.
        let is_another = |column: &str| {
            let mut kinds = entry.machine_code.iter().map(kind);
            kinds.any(|kind| column.starts_with(&kind))
        };
        let mut compared = 0;
        let mut differing = Vec::new();
        for (column, &ncu) in &self.counted {
            if is_another(column) {
                continue;
            }
            let both = |name: &String| Some((small.get(name)?, twice.get(name)?));
            let Some((small, twice)) = self.names.get(column).and_then(both) else {
                continue;
            };
            if entry.machine_code.iter().any(|known| known.is_of(column)) {
                continue;
            }
            compared += 1;
            let emulator = small + twice.saturating_sub(small) * (SCALE as u64 - 1);
            if emulator != ncu && !Self::is_known(column, ncu, emulator) {
                differing.push(format!(
                    "`{}` with {}: ncu counted {ncu} as {column}, and the emulator {emulator}",
                    self.kernel, self.parameter
                ));
            }
        }
        Ok((compared, differing))
    }

    /// The wavefronts of shared memory's data pipe also hold accesses that had to wait for it: on a GPU they may be more,
    /// up to a quarter.
    fn is_known(column: &str, ncu: u64, emulator: u64) -> bool {
        column.starts_with("shared_") && ncu > emulator && ncu - emulator <= emulator / 4
    }
}

/// The begin of a difference's columns: `local_store` for `local store 4`.
fn kind(known: &MachineDifference) -> String {
    let words: Vec<&str> = known.access.split(' ').take(2).collect();
    words.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_as_the_head_is_refused() {
        let head = "# loads: l1tex__t_requests.sum\nkernel,parameter,items,loads\n";
        let profiles = parse(&format!("{head}strided,2,64,7\n")).unwrap();
        assert_eq!(profiles[0].counted["loads"], 7);
        assert_eq!(profiles[0].names["loads"], "l1tex__t_requests.sum");
        let empty = parse(&format!("{head}strided,2,64,\n")).unwrap();
        assert!(empty[0].counted.is_empty());
        for wrong in [
            "strided,2,64",
            "strided,2,64,7,8",
            "strided,x,64,7",
            "strided,2,64,-1",
        ] {
            let error = parse(&format!("{head}{wrong}\n")).err().unwrap();
            assert!(error.contains("line 3"), "{error}");
        }
        assert!(parse("").is_err() && parse("a,b\n").is_err());
        let two = format!(
            "{head}strided,2,64,7\nkernel,parameter,items,stores,loads\nshifted,0,32,1,2\n"
        );
        let profiles = parse(&two).unwrap();
        assert_eq!(profiles.len(), 2);
        assert_eq!(
            (profiles[1].counted["stores"], profiles[1].counted["loads"]),
            (1, 2)
        );
    }

    #[test]
    fn a_counter_that_differs_is_told() {
        let registry = Registry::load().unwrap();
        let mut profiles = load("h200").unwrap();
        let profile = &mut profiles[0];
        assert_eq!(profile.compare(&registry).unwrap().1, Vec::<String>::new());
        *profile.counted.get_mut("load_sectors").unwrap() += 1;
        assert_eq!(profile.compare(&registry).unwrap().1.len(), 1);
    }
}
