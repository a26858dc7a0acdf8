//! What a program's runtime reports when it ends, and how it is shown: each kernel with its launches, counters, findings and advice, then what the host did.

use crate::exit;
use crate::launch::{counter_table, numbered_advice};
use crate::output::{self, grouped};
use anyhow::Context;
use cornerturn::entry;
use cornerturn_basics::{shortened, shortened_message};
use serde_json::{Map, Value, json};
use std::path::Path;

/// What was reported, as it was written.
pub struct Report {
    device: String,
    is_checked: bool,
    kernels: Vec<Value>,
    /// Of the host.
    findings: Vec<Value>,
    remarks: Vec<Value>,
}

impl Report {
    /// Reads it; none if the program wrote none.
    pub fn read(file: &Path) -> anyhow::Result<Option<Self>> {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).context("the program's report"),
        };
        let mut value: Value = serde_json::from_str(&text).context("the program's report")?;
        let mut list = |name: &str| match value[name].take() {
            Value::Array(list) => list,
            _ => Vec::new(),
        };
        let [kernels, mut findings, remarks] = ["kernels", "findings", "remarks"].map(&mut list);
        findings.iter_mut().for_each(tell_readably);
        Ok(Some(Self {
            device: value["device"].as_str().unwrap_or_default().to_string(),
            is_checked: value["checked"].as_bool().unwrap_or_default(),
            kernels: kernels.into_iter().map(named).collect(),
            findings,
            remarks,
        }))
    }

    /// The report on these kernels alone; on all where none is named.
    ///
    /// # Errors
    /// If the program launched none of that name.
    pub fn of(mut self, names: &[String]) -> anyhow::Result<Self> {
        if names.is_empty() {
            return Ok(self);
        }
        for name in names {
            if !self.kernels.iter().any(|kernel| is_called(kernel, name)) {
                let launched: Vec<&str> = self.kernels.iter().map(called).collect();
                let launched = match launched.is_empty() {
                    true => "no kernel".to_string(),
                    false => format!("`{}`", launched.join("`, `")),
                };
                return Err(exit::usage(format!(
                    "the program launched no kernel `{name}`; it launched {launched}"
                )));
            }
        }
        let is_asked = |kernel: &Value| names.iter().any(|name| is_called(kernel, name));
        self.kernels.retain(is_asked);
        Ok(self)
    }

    /// How many things are wrong.
    pub fn findings(&self) -> usize {
        let of_kernels = self
            .kernels
            .iter()
            .map(|kernel| list(kernel, "findings").len());
        self.findings.len() + of_kernels.sum::<usize>()
    }

    /// As `--json` prints it.
    pub fn as_json(&self) -> Value {
        json!({
            "device": self.device,
            "checked": self.is_checked,
            "kernels": self.kernels,
            "findings": self.findings,
            "remarks": self.remarks,
        })
    }

    /// Says what is wrong, on the standard error.
    pub fn complain(&self) {
        let of_kernels = self
            .kernels
            .iter()
            .flat_map(|kernel| list(kernel, "findings"));
        self.findings
            .iter()
            .map(placed)
            .for_each(|told| output::complain(&told));
        of_kernels.map(message).for_each(output::complain);
    }

    /// Prints the rest.
    pub fn print(&self, shows_all: bool) -> anyhow::Result<()> {
        let mut text = format!("on the {}\n", self.device);
        if self.kernels.is_empty() {
            text.push_str("no kernel was launched\n");
        }
        for kernel in &self.kernels {
            text.push_str(&of_kernel(kernel, shows_all));
        }
        for remark in &self.remarks {
            text.push_str(&remarked(&placed(remark)));
        }
        text.push_str(self.verdict());
        output::print(text)
    }

    fn verdict(&self) -> &'static str {
        match (self.findings(), self.is_checked) {
            (0, true) => {
                "no findings: no race, no read of what was never written, no barrier that a thread misses, no wrong call\n"
            }
            (0, false) => {
                "no findings that stop a launch, no wrong call; races, reads of what was never written and barriers were not checked\n"
            }
            _ => "",
        }
    }
}

/// A kernel's lines.
fn of_kernel(kernel: &Value, shows_all: bool) -> String {
    let launches = kernel["launches"].as_u64().unwrap_or_default();
    let times = match launches {
        1 => "1 launch".to_string(),
        launches => format!("{} launches", grouped(launches)),
    };
    let shape = |name: &str| {
        let sizes = list(kernel, name).iter().filter_map(Value::as_u64);
        sizes
            .map(|size| size.to_string())
            .collect::<Vec<_>>()
            .join("×")
    };
    let mut text = format!(
        "{}: {times}, grid {}, block {}{}\n",
        shortened(called(kernel)),
        shape("grid"),
        shape("block"),
        if launches > 1 { " in the largest" } else { "" },
    );
    let advice = list(kernel, "advice").iter();
    text.push_str(&numbered_advice(advice.map(|advice| {
        (
            message(advice),
            advice["chapter"].as_str().unwrap_or_default(),
        )
    })));
    if let Some(counters) = kernel["counters"].as_object() {
        text.push_str(&counter_table(counted(counters), shows_all));
    }
    for remark in list(kernel, "remarks") {
        text.push_str(&remarked(message(remark)));
    }
    text
}

/// A remark's line.
fn remarked(message: &str) -> String {
    let message = message.trim_start_matches("remark: ");
    format!("remark: {}\n", shortened_message(message))
}

/// What is said of the host, with the line that it is said of.
fn placed(note: &Value) -> String {
    let place = note["file"].as_str().zip(note["line"].as_u64());
    let (message, times) = (message(note), note["count"].as_u64().unwrap_or(1));
    let again = match times {
        0 | 1 => String::new(),
        times => format!(", {times} times"),
    };
    match place {
        Some((file, line)) => format!("{message}, at {file}:{line}{again}"),
        None => format!("{message}{again}"),
    }
}

fn counted(counters: &Map<String, Value>) -> impl Iterator<Item = (&str, u64)> {
    counters
        .iter()
        .map(|(name, count)| (name.as_str(), count.as_u64().unwrap_or_default()))
}

/// With its name in PTX as `name`, and as C++ has it as `kernel`.
fn named(mut kernel: Value) -> Value {
    let name = kernel["kernel"].take();
    kernel["kernel"] = entry::readable(name.as_str().unwrap_or_default()).into();
    kernel["name"] = name;
    for list in ["findings", "remarks"] {
        kernel[list]
            .as_array_mut()
            .into_iter()
            .flatten()
            .for_each(tell_readably);
    }
    kernel
}

/// Puts names of kernels into the message as C++ has them.
fn tell_readably(told: &mut Value) {
    let message = message(told);
    if !message.contains("`_Z") {
        return;
    }
    let parts = message.split('`').map(|part| match part.starts_with("_Z") {
        true => entry::readable(part),
        false => part.to_string(),
    });
    told["message"] = parts.collect::<Vec<_>>().join("`").into();
}

fn called(kernel: &Value) -> &str {
    kernel["kernel"].as_str().unwrap_or_default()
}

/// Whether somebody who says this means the kernel: its name in PTX, in C++, or that without its parameters.
fn is_called(kernel: &Value, name: &str) -> bool {
    let whole = called(kernel);
    let bare = whole.split(['(', '<']).next().unwrap_or(whole);
    let bare = bare.rsplit([' ', ':']).next().unwrap_or(bare);
    [whole, bare, kernel["name"].as_str().unwrap_or_default()].contains(&name)
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn message(value: &Value) -> &str {
    value["message"].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_meant_by_each_of_its_names() {
        let kernel =
            named(json!({"kernel": "_Z3addPfi", "findings": [{"message": "in `_Z3addPfi` at a"}]}));
        assert_eq!(
            kernel["findings"][0]["message"],
            "in `add(float*, int)` at a"
        );
        for name in ["_Z3addPfi", "add", "add(float*, int)"] {
            assert!(is_called(&kernel, name), "{name}: {kernel}");
        }
        assert!(!is_called(&kernel, "ad"));
    }
}
