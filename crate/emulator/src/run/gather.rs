//! Findings that a reader takes for one become one: a loop that the compiler has unrolled makes many of one mistake.

use crate::report::{Detail, Finding, RaceScope, SourceLine};

/// Joins the findings of one kind at one line of CUDA C++ that concern one buffer. The first stands for all; their
/// counts are added.
pub(super) fn gather(findings: Vec<Finding>) -> Vec<Finding> {
    let mut gathered: Vec<Finding> = Vec::new();
    for finding in findings {
        match gathered.iter_mut().find(|first| alike(first, &finding)) {
            Some(first) => first.count += finding.count,
            None => gathered.push(finding),
        }
    }
    gathered
}

fn alike(a: &Finding, b: &Finding) -> bool {
    let name = |finding: &Finding| finding.buffer.as_ref().map(|buffer| buffer.name.clone());
    // The steps of a warp without `__syncwarp()` are one mistake, however many lines they take.
    let is_one_of_steps = detail(a) == Ok(RaceScope::Warp);
    a.kind == b.kind
        && a.source.is_some()
        && a.space == b.space
        && name(a) == name(b)
        && detail(a) == detail(b)
        && (is_one_of_steps || halves(a) == halves(b))
}

/// How far the two of a race are apart; other findings with something of their own to say stay apart.
fn detail(finding: &Finding) -> Result<RaceScope, &Detail> {
    match &finding.detail {
        Detail::Race { scope, .. } => Ok(*scope),
        other => Err(other),
    }
}

type Half<'f> = (Option<&'f SourceLine>, bool);

/// The line and direction of the access; of a race those of both, in an order that does not depend on which came first.
fn halves(finding: &Finding) -> [Option<Half<'_>>; 2] {
    let mut halves = [
        Some((finding.source.as_ref(), finding.is_store)),
        (finding.other.as_deref()).map(|other| (other.source.as_ref(), other.is_store)),
    ];
    halves.sort();
    halves
}
