//! Findings that a reader takes for one become one: a loop that the compiler has unrolled makes many of one mistake.

use crate::report::{Detail, Finding, MaskFault, RaceScope, SourceLine};

/// Joins the findings of one kind at one line of CUDA C++ that concern one buffer. The first stands for all; their
/// counts are added.
pub(super) fn gather(findings: Vec<Finding>) -> Vec<Finding> {
    let mut gathered: Vec<Finding> = Vec::new();
    for finding in findings {
        match gathered.iter_mut().find(|first| alike(first, &finding)) {
            Some(first) => {
                first.count += finding.count;
                widen(first, &finding);
            }
            None => gathered.push(finding),
        }
    }
    gathered
}

/// A barrier that joins the block, and that another race needs at the same line, joins the lanes of a warp there too.
pub(super) fn joined_by_blocks(mut findings: Vec<Finding>) -> Vec<Finding> {
    let scope = |finding: &Finding| match finding.detail {
        Detail::Race { scope, .. } => Some(scope),
        _ => None,
    };
    let lines = |finding: &Finding| {
        let other = finding
            .other
            .as_ref()
            .and_then(|other| other.source.clone());
        [finding.source.clone(), other]
    };
    let across = findings
        .iter()
        .filter(|finding| scope(finding) == Some(RaceScope::Block));
    let across: Vec<SourceLine> = across.flat_map(lines).flatten().collect();
    for finding in &mut findings {
        let meets = lines(finding)
            .into_iter()
            .flatten()
            .any(|line| across.contains(&line));
        if let Detail::Race {
            scope: scope @ RaceScope::Lanes,
            ..
        } = &mut finding.detail
            && meets
        {
            *scope = RaceScope::Block;
        }
    }
    findings
}

/// Of one mistake that some steps of a loop make within a warp and others across warps, the latter counts.
fn widen(first: &mut Finding, finding: &Finding) {
    if let (
        Detail::Race {
            scope: scope @ RaceScope::Lanes,
            ..
        },
        Detail::Race {
            scope: RaceScope::Block,
            ..
        },
    ) = (&mut first.detail, &finding.detail)
    {
        *scope = RaceScope::Block;
    }
}

fn alike(a: &Finding, b: &Finding) -> bool {
    let name = |finding: &Finding| finding.buffer.as_ref().map(|buffer| buffer.name.clone());
    // The steps of a warp without `__syncwarp()` are one mistake, however many lines they take.
    let is_one_of_steps = detail(a) == Common::Scope(RaceScope::Warp);
    a.kind == b.kind
        && a.source.is_some()
        && a.space == b.space
        && name(a) == name(b)
        && detail(a) == detail(b)
        && (is_one_of_steps || halves(a) == halves(b))
}

/// What else two findings of a line must have in common.
#[derive(PartialEq, Eq)]
enum Common<'f> {
    /// How far the two of a race are apart.
    Scope(RaceScope),
    /// What is wrong with a mask: each pass of an unrolled loop has other lanes.
    Fault(MaskFault),
    /// All that it has of its own to say.
    Whole(&'f Detail),
}

fn detail(finding: &Finding) -> Common<'_> {
    match &finding.detail {
        Detail::Race {
            scope: RaceScope::Lanes,
            ..
        } => Common::Scope(RaceScope::Block),
        Detail::Race { scope, .. } => Common::Scope(*scope),
        Detail::Mask { fault, .. } => Common::Fault(*fault),
        other => Common::Whole(other),
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
