//! The report as JSON: for each kernel what `launch --json` prints of one launch, and what there is to say of the program.

use cornerturn_emulator::{Counters, Finding, SourceLine};
use serde_json::{Map, Value, json};

use super::explained::explained;
use super::{KernelRecord, Note};
use crate::driver::Driver;

impl Driver {
    /// The report: `device`, `checked`, `kernels`, `findings`, `remarks`, and `missing`, the calls that a program asked for
    /// and that there are not.
    pub fn report(&self) -> Value {
        let record = self.record();
        let notes = |notes: &[Note]| notes.iter().map(note).collect::<Vec<_>>();
        json!({
            "device": "emulator",
            "devices": self.devices(),
            "checked": self.settings().check,
            "kernels": record.kernels.iter().map(kernel).collect::<Vec<_>>(),
            "findings": notes(&record.findings),
            "remarks": notes(&record.remarks),
            "missing": record.missing,
        })
    }
}

/// What the launches of a kernel did. `counters` are sums; `sites`, `branches` and `advice` are of the launch with the most
/// instructions, whose shape is `grid`, `block` and `shared_bytes`.
pub(crate) fn kernel(record: &KernelRecord) -> Value {
    let findings = |all: &[Finding]| all.iter().map(finding).collect::<Vec<_>>();
    let (grid, block, shared_bytes) = record.largest;
    let mut object = json!({
        "kernel": record.name,
        "launches": record.launches,
        "grid": grid,
        "block": block,
        "shared_bytes": shared_bytes,
        "warp_instructions": record.warp_instructions,
        "counters": counters(&record.counters),
        "findings": findings(&record.findings),
        "remarks": findings(&record.remarks),
        "file": record.place.as_ref().map(|place| place.file.clone()),
        "line": record.place.as_ref().map(|place| place.line),
    });
    for (name, value) in explained(&record.why(None)) {
        object[name] = value;
    }
    object
}

/// Every counter under ncu's name, zeros too.
fn counters(counters: &Counters) -> Value {
    let map: Map<String, Value> = counters
        .iter()
        .map(|(name, value)| (name.to_string(), value.into()))
        .collect();
    Value::Object(map)
}

fn note(note: &Note) -> Value {
    json!({
        "kind": note.kind,
        "message": note.message,
        "file": note.place.as_ref().map(|place| place.file.clone()),
        "line": note.place.as_ref().map(|place| place.line),
        "count": note.count,
    })
}

/// A finding of a kernel; without line information `file` is null and `line` that of the PTX in `ptx_line`.
fn finding(finding: &Finding) -> Value {
    let file = |source: &Option<SourceLine>| source.as_ref().map(|line| line.file.clone());
    let line = |source: &Option<SourceLine>| source.as_ref().map(|line| line.line);
    let access = |is_store: bool| if is_store { "store" } else { "load" };
    let other = finding.other.as_ref().map(|other| {
        json!({
            "file": file(&other.source),
            "line": line(&other.source),
            "ptx_line": other.ptx_line,
            "block": other.block,
            "thread": other.thread,
            "access": access(other.is_store),
        })
    });
    json!({
        "kind": finding.kind.name(),
        "message": finding.message(),
        "file": file(&finding.source),
        "line": line(&finding.source),
        "ptx_line": finding.ptx_line,
        "block": finding.block,
        "thread": finding.thread,
        "space": finding.space.map(|space| space.name()),
        "access": finding.address.map(|_| access(finding.is_store)),
        "access_bytes": finding.access_bytes,
        "address": finding.address,
        "buffer": finding.buffer.as_ref().map(|buffer| buffer.name.clone()),
        "count": finding.count,
        "other": other,
    })
}
