//! Findings as the page shows them.

use cornerturn::Finding;
use cornerturn::emulator::{Detail, FindingKind};
use serde_json::{Value, json};

/// What a launch may execute, in warp instructions: some seconds. The page's script ends one after so many seconds too.
pub(crate) const LAUNCH_BUDGET: u64 = 1 << 28;
const MOST_SECONDS: u64 = 10;

/// How the words on a finding's cause begin.
const CAUSE: &str = "Usual cause:";

/// The findings; the words that follow its first sentence are its hint.
pub(crate) fn list(findings: &[Finding]) -> Value {
    findings.iter().map(one).collect()
}

fn one(finding: &Finding) -> Value {
    // A launch that used up its budget was at no line of its own.
    let whole = finding.message().replace(" at PTX line 0,", ",");
    let whole = match finding.detail {
        Detail::Budget {
            instructions,
            whole_launch: true,
        } => format!(
            "it had not come to its end after {:.1} million instructions of warps\nA page runs a launch for {MOST_SECONDS} seconds \
             at most, or {} million instructions. Does each loop end? A kernel that is only long needs less to do here: \
             a smaller grid, or a shorter loop.",
            instructions as f64 / 1e6,
            LAUNCH_BUDGET / 1_000_000
        ),
        _ => whole,
    };
    let (message, hint) = match (whole.split_once('\n'), whole.find(CAUSE)) {
        (Some((message, hint)), _) => (message, hint),
        (None, Some(at)) => (whole[..at].trim_end(), &whole[at..]),
        (None, None) => (whole.as_str(), ""),
    };
    let hint = match finding.kind {
        // What a terminal and a cell can give it, a page cannot.
        FindingKind::EndlessLoop if !matches!(finding.detail, Detail::Budget { whole_launch: true, .. }) => hint.split_once("; a kernel that is only long").map_or(hint.to_string(), |(cause, _)| {
            format!("{cause}; a kernel that is only long needs less to do here: a page ends a launch after {LAUNCH_BUDGET} instructions of warps")
        }),
        _ => hint.to_string(),
    };
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
