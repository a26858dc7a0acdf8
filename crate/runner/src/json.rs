//! Counters and findings as JSON, as `--json` prints them.

use cornerturn::machine_code::{Compiled, Fate};
use cornerturn::{
    Counters, Finding, FindingKind, MOST_PRINTED_LINES, MachineCode, Printed, PrintedLine,
};
use serde_json::{Map, Value, json};

/// Every counter under ncu's name, zeros too.
pub fn counters(counters: &Counters) -> Value {
    let map: Map<String, Value> = counters
        .iter()
        .map(|(name, value)| (name.to_string(), value.into()))
        .collect();
    Value::Object(map)
}

/// A kernel's machine code: what became of each memory instruction of the PTX, and the counters as compiled, null where
/// they cannot be told.
pub fn machine_code(code: &MachineCode, compiled: Option<&Compiled>) -> Value {
    let fate = |fate: &Fate| match fate {
        Fate::Kept => json!("kept"),
        Fate::Repeated => json!("repeated"),
        Fate::Leads { bytes, ptx_lines } => json!({"merged": ptx_lines, "bytes": bytes}),
        Fate::Merged { ptx_line } => json!({"merged_into": ptx_line}),
        Fate::Dropped => json!("dropped"),
        Fate::Unknown(reason) => json!({"unknown": reason}),
    };
    let text = |at: &usize| code.instructions[*at].text.clone();
    let site = |site: &cornerturn::machine_code::Aligned| {
        json!({
            "ptx_line": site.ptx_line,
            "ptx": site.text,
            "fate": fate(&site.fate),
            "predicated": site.is_predicated,
            "machine_code": site.instructions.iter().map(text).collect::<Vec<_>>(),
        })
    };
    let counters = compiled.map(|compiled| {
        let named = compiled.counters.iter();
        let named = named.map(|(name, _, count)| (name.to_string(), json!(count)));
        Value::Object(named.collect())
    });
    json!({
        "target": code.target,
        "assembler": code.assembler,
        "counters": counters,
        "sites": code.sites.iter().map(site).collect::<Vec<_>>(),
        "spills": code.strays.iter().map(text).collect::<Vec<_>>(),
        "differences": code.differences(),
        "unknown": compiled.map_or(&[][..], |compiled| &compiled.unknown),
    })
}

/// A finding. Where the PTX has no line information, `file` and `line` are those of the PTX in `ptx_file`; a finding of
/// the whole launch has no place.
pub fn finding(finding: &Finding, ptx_file: &str) -> Value {
    if finding.source.is_none() && finding.ptx_line == 0 {
        return of_launch(finding.kind, &finding.message(), finding.count);
    }
    let place = |source: &Option<cornerturn::emulator::SourceLine>, ptx_line: u32| match source {
        Some(source) => (source.file.clone(), source.line),
        None => (ptx_file.to_string(), ptx_line),
    };
    let (file, line) = place(&finding.source, finding.ptx_line);
    let other = finding.other.as_ref().map(|other| {
        let (file, line) = place(&other.source, other.ptx_line);
        json!({
            "file": file,
            "line": line,
            "block": other.block,
            "thread": other.thread,
            "access": access(other.is_store),
        })
    });
    json!({
        "kind": finding.kind.name(),
        "message": finding.message(),
        "file": file,
        "line": line,
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

/// The first lines that a kernel printed, each with its block and thread; `output` holds them all.
pub fn printed(printed: &Printed) -> Value {
    let lines = printed.lines().into_iter().take(MOST_PRINTED_LINES);
    let line = |line: PrintedLine| json!({ "block": line.block, "thread": line.thread, "text": line.text });
    lines.map(line).collect()
}

/// A launch that the device cannot have: the finding `limit`.
pub fn limit(message: &str) -> Value {
    of_launch(FindingKind::Limit, message, 1)
}

/// A remark on elements that nobody wrote.
pub fn unwritten(message: &str, elements: u64) -> Value {
    of_launch(FindingKind::Uninitialized, message, elements)
}

/// A finding that has no place in the kernel.
fn of_launch(kind: FindingKind, message: &str, count: u64) -> Value {
    json!({
        "kind": kind.name(),
        "message": message,
        "file": null,
        "line": null,
        "block": null,
        "thread": null,
        "space": null,
        "access": null,
        "access_bytes": 0,
        "address": null,
        "buffer": null,
        "count": count,
        "other": null,
    })
}

fn access(is_store: bool) -> &'static str {
    if is_store { "store" } else { "load" }
}
