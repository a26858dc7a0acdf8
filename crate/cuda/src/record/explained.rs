//! Why a launch is slow, as JSON: the fields that `cornerturn launch --json` has for it.

use cornerturn_emulator::advice::{Advice, Explanation, LineAccess, LineBranch};
use cornerturn_emulator::{SourceLine, Space};
use serde_json::{Value, json};

/// The fields `sites`, `branches` and `advice`, as `cornerturn launch --help` describes them.
pub(super) fn explained(why: &Explanation) -> [(&'static str, Value); 3] {
    let is_memory = |row: &&LineAccess| row.space != Space::Param;
    let sites = why.accesses.iter().filter(is_memory);
    [
        ("sites", sites.map(site).collect()),
        ("branches", why.branches.iter().map(branch).collect()),
        ("advice", why.advice.iter().map(advice).collect()),
    ]
}

fn line(source: &Option<SourceLine>) -> Option<u32> {
    source.as_ref().map(|line| line.line)
}

fn file(source: &Option<SourceLine>) -> Option<&str> {
    source.as_ref().map(|line| line.file.as_str())
}

fn site(row: &LineAccess) -> Value {
    json!({
        "file": file(&row.source),
        "line": line(&row.source),
        "ptx_line": row.ptx_line,
        "space": row.space.name(),
        "operation": row.operation.name(),
        "access_bytes": row.access_bytes,
        "requests": row.requests,
        "lanes": row.lanes,
        "sectors": row.sectors,
        "fewest_sectors": row.fewest_sectors,
        "wavefronts": row.wavefronts,
        "fewest_wavefronts": row.fewest_wavefronts,
        "addresses": row.addresses,
        "bytes": row.bytes,
        "share": row.share,
        "array": row.array,
        "worst": row.worst.as_ref().map(|worst| json!({ "block": worst.block, "warp": worst.warp })),
    })
}

fn branch(row: &LineBranch) -> Value {
    json!({
        "file": file(&row.source),
        "line": line(&row.source),
        "ptx_line": row.ptx_line,
        "instructions": row.issued,
        "lanes_active": row.lanes_active,
        "share": row.share,
        "branches": row.branches,
        "split": row.split,
    })
}

fn advice(advice: &Advice) -> Value {
    let (page, chapter) = advice.kind.chapter();
    json!({
        "kind": advice.kind.name(),
        "file": file(&advice.source),
        "line": line(&advice.source),
        "ptx_line": advice.ptx_line,
        "unit": advice.unit,
        "taken": advice.taken,
        "fewest": advice.fewest,
        "whole": advice.whole,
        "at_most": advice.at_most(),
        "message": advice.message,
        "chapter": chapter,
        "page": page,
    })
}
