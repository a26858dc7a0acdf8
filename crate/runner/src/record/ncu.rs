//! Runs NVIDIA's profiler `ncu` on this binary and reads its CSV. What its numbers are compared with lives in `counters`.

use crate::exit;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::process::{Command, Stdio};

/// What ncu says of one launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Name of the kernel.
    pub kernel: String,
    /// Metric name → value; a metric that ncu could not collect is absent.
    pub metrics: BTreeMap<String, f64>,
}

impl Profile {
    /// The metric of this name where it is a count.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.metrics.get(name).and_then(|value| whole(*value))
    }

    /// All metrics that are counts.
    pub fn counts(&self) -> impl Iterator<Item = (&str, u64)> {
        let metrics = self.metrics.iter();
        metrics.filter_map(|(name, value)| Some((name.as_str(), whole(*value)?)))
    }
}

/// A number that is a count, exactly.
fn whole(value: f64) -> Option<u64> {
    let is_exact = value.fract() == 0.0 && (0.0..9.0e15).contains(&value);
    is_exact.then_some(value as u64)
}

/// The program: `NCU` names it, else it is looked for in the PATH and where the CUDA toolkit puts it.
fn program() -> anyhow::Result<OsString> {
    let named = std::env::var_os("NCU").filter(|name| !name.is_empty());
    let candidates = [
        named,
        Some("ncu".into()),
        Some("/usr/local/cuda/bin/ncu".into()),
    ];
    let starts = |program: &OsString| {
        let quiet = Command::new(program)
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        quiet.is_ok_and(|status| status.success())
    };
    candidates.into_iter().flatten().find(starts).ok_or_else(|| {
        exit::lacks(
            "NVIDIA's profiler ncu is not found; install Nsight Compute (it comes with the CUDA toolkit) and put it \
             in the PATH, or name it with NCU=/path/to/ncu",
        )
    })
}

/// The last line of `ncu --version`, such as `Version 2025.3.1.0 (build …)`.
pub fn version() -> anyhow::Result<String> {
    let text = output(&["--version".into()])?;
    let line = text.lines().rev().find(|line| line.contains("ersion"));
    Ok(line.unwrap_or("ncu").trim().to_string())
}

/// The base names (without `.sum` and the like) of the metrics that this GPU has.
pub fn available() -> anyhow::Result<BTreeSet<String>> {
    let text = output(&["--query-metrics".into()])?;
    let names: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| word.contains("__"))
        .map(str::to_string)
        .collect();
    match names.is_empty() {
        false => Ok(names),
        true => Err(exit::lacks(
            "ncu --query-metrics lists no metrics for this GPU",
        )),
    }
}

/// Runs this binary with `arguments` under ncu and reads what ncu says of each launch, in order.
///
/// # Errors
/// Where ncu is not there, may not read the counters, or says nothing.
pub fn profile(metrics: &[String], arguments: &[OsString]) -> anyhow::Result<Vec<Profile>> {
    let mut all: Vec<OsString> = ["--csv", "--page", "details", "--print-units", "base"]
        .iter()
        .chain(&[
            "--clock-control",
            "none",
            "--target-processes",
            "all",
            "--metrics",
        ])
        .map(OsString::from)
        .collect();
    all.push(metrics.join(",").into());
    all.push(std::env::current_exe()?.into_os_string());
    all.extend_from_slice(arguments);
    parse(&output(&all)?)
}

/// What ncu prints on stdout.
fn output(arguments: &[OsString]) -> anyhow::Result<String> {
    let program = program()?;
    let result = Command::new(&program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| exit::lacks(format!("cannot start ncu: {error}")))?;
    let text = String::from_utf8_lossy(&result.stdout).into_owned();
    if text.contains("ERR_NVGPUCTRPERM") {
        return Err(exit::lacks(
            "ncu may not read the GPU's counters (ERR_NVGPUCTRPERM); run as root or allow it: \
             https://developer.nvidia.com/ERR_NVGPUCTRPERM",
        ));
    }
    if result.status.success() {
        return Ok(text);
    }
    let complaint = String::from_utf8_lossy(&result.stderr);
    let complaint = text
        .lines()
        .chain(complaint.lines())
        .find(|line| line.contains("==ERROR==") || line.starts_with("error:"));
    Err(exit::lacks(format!(
        "ncu failed ({}): {}",
        result.status,
        complaint
            .unwrap_or("it does not say why")
            .trim_start_matches("==ERROR==")
            .trim()
    )))
}

/// Reads ncu's CSV of the page "details": one line for each launch and metric, after other lines of ncu and the
/// program.
fn parse(text: &str) -> anyhow::Result<Vec<Profile>> {
    let mut lines = text
        .lines()
        .map(fields)
        .skip_while(|fields| !is_header(fields));
    let header = lines
        .next()
        .ok_or_else(|| exit::lacks("ncu printed no table; it profiled no kernel"))?;
    let column = |name: &str| header.iter().position(|title| title == name);
    // The header was recognised by these names.
    let (Some(id), Some(kernel), Some(metric), Some(value)) = (
        column("ID"),
        column("Kernel Name"),
        column("Metric Name"),
        column("Metric Value"),
    ) else {
        return Err(exit::lacks("ncu's table has other columns than expected"));
    };
    let mut launches: BTreeMap<u64, Profile> = BTreeMap::new();
    for fields in lines {
        let field = |column: usize| fields.get(column).map_or("", String::as_str);
        let Ok(id) = field(id).parse() else {
            continue;
        };
        let profile = launches.entry(id).or_insert_with(|| Profile {
            kernel: field(kernel).to_string(),
            metrics: BTreeMap::new(),
        });
        if let Some(number) = number(field(value)) {
            profile.metrics.insert(field(metric).to_string(), number);
        }
    }
    Ok(launches.into_values().collect())
}

fn is_header(fields: &[String]) -> bool {
    ["ID", "Kernel Name", "Metric Name", "Metric Value"]
        .iter()
        .all(|name| fields.iter().any(|field| field == name))
}

/// A number as ncu prints it: `4,194,304`, `524288.00`, or `71.25`; `None` for `n/a` and what else is none.
fn number(text: &str) -> Option<f64> {
    let digits: String = text.chars().filter(|&c| c != ',').collect();
    let is_plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    let number: f64 = digits
        .chars()
        .all(is_plain)
        .then(|| digits.parse().ok())??;
    number.is_finite().then_some(number)
}

/// The fields of a line of CSV; quotes are doubled inside quotes.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                push(&mut fields, '"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => push(&mut fields, c),
        }
    }
    fields
}

fn push(fields: &mut [String], c: char) {
    if let Some(last) = fields.last_mut() {
        last.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The form of ncu 2025: other lines first, then a header and a line for each launch and metric.
    const CSV: &str = r#"==PROF== Connected to process 1 (/x/cornerturn)
==PROF== Profiling "padded" - 0: 0%....50%....100% - 1 pass
==PROF== Disconnected from process 1
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","1","cornerturn","127.0.0.1","padded","1","7","(32, 8, 1)","(128, 128, 1)","0","9.0","Command line profiler metrics","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","2,097,152"
"0","1","cornerturn","127.0.0.1","padded","1","7","(32, 8, 1)","(128, 128, 1)","0","9.0","Command line profiler metrics","smsp__sass_x.sum","","n/a"
"0","1","cornerturn","127.0.0.1","padded","1","7","(32, 8, 1)","(128, 128, 1)","0","9.0","Command line profiler metrics","dram__throughput.avg.pct_of_peak_sustained_elapsed","%","71.25"
"1","1","cornerturn","127.0.0.1","na""ive","1","7","(32, 32, 1)","(128, 128, 1)","0","9.0","Command line profiler metrics","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","17"
"#;

    #[test]
    fn the_table_is_read_by_launch() {
        let profiles = parse(CSV).unwrap();
        assert_eq!(profiles.len(), 2);
        assert_eq!(profiles[0].kernel, "padded");
        let sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
        assert_eq!(profiles[0].count(sectors), Some(2_097_152));
        assert_eq!(profiles[0].metrics.get("smsp__sass_x.sum"), None);
        let share = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
        assert_eq!(profiles[0].metrics.get(share), Some(&71.25));
        assert_eq!(profiles[0].count(share), None);
        assert_eq!(
            profiles[0].counts().collect::<Vec<_>>(),
            [(sectors, 2_097_152)]
        );
        assert_eq!(profiles[1].kernel, "na\"ive");
        assert_eq!(profiles[1].count(sectors), Some(17));
    }

    #[test]
    fn other_output_is_no_table() {
        assert!(parse("").is_err());
        assert!(parse("==WARNING== No kernels were profiled.\n").is_err());
    }

    #[test]
    fn numbers_have_separators_and_fractions() {
        assert_eq!(number("4,194,304"), Some(4_194_304.0));
        assert_eq!(number("12.00"), Some(12.0));
        assert_eq!(number("1,234.5"), Some(1234.5));
        assert_eq!(number("1.5e-05"), Some(1.5e-5));
        for none in ["n/a", "", "inf", "nan", "1e999", "(1; 2)"] {
            assert_eq!(number(none), None, "{none}");
        }
    }

    #[test]
    fn a_count_is_whole_and_not_too_large_to_be_exact() {
        assert_eq!(whole(12.0), Some(12));
        for none in [12.5, -1.0, 1e17] {
            assert_eq!(whole(none), None, "{none}");
        }
    }
}
