//! Findings as the page shows them.

use cornerturn::Finding;
use serde_json::{Value, json};

/// One finding; the words that follow its first sentence are its hint.
pub(crate) fn list(findings: &[Finding]) -> Value {
    findings.iter().map(one).collect()
}

fn one(finding: &Finding) -> Value {
    let whole = finding.message();
    let (message, hint) = whole.split_once('\n').unwrap_or((&whole, ""));
    let source = finding.source.as_ref();
    let has_place = source.is_some() || finding.ptx_line > 0;
    json!({
        "kind": finding.kind.name(),
        "message": message,
        "hint": hint,
        "file": source.map(|source| source.file.clone()),
        "line": source.map_or(finding.ptx_line, |source| source.line),
        "block": has_place.then_some(finding.block),
        "thread": has_place.then_some(finding.thread),
        "address": finding.address,
        "count": finding.count,
        "other_line": finding.other.as_ref().and_then(|other| other.source.as_ref()).map(|source| source.line),
    })
}
