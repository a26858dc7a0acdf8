//! Why a launch is slow, as far as its counts say: a table of accesses and branches by source line, and what is worst of
//! it in a sentence each. What is counted is `report`'s; what lies behind L1 is not counted and not judged.

mod access_kind;
mod causes;
mod kind;
mod local_arrays;
mod pattern;
mod statements;
mod table;
mod words;

pub use kind::{Advice, AdviceKind};
pub use pattern::LanePattern;
pub use table::{LineAccess, LineBranch, Operation};

use crate::report::{LineCount, Site};
use table::{accesses, branches};

/// What is not judged, since the emulator does not count it.
pub const NOT_COUNTED: &str = "not counted: what lies behind L1, such as hits in L2, rows of DRAM and partitions of memory that many blocks want at once";

/// What the counts of a launch say about its speed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Explanation {
    /// Each kind of access of each line that was executed, in the order of the lines.
    pub accesses: Vec<LineAccess>,
    /// Each line with a conditional branch, or with instructions that only some lanes of a warp execute.
    pub branches: Vec<LineBranch>,
    /// What takes more than it has to, the worst first; empty if nothing does.
    pub advice: Vec<Advice>,
}

impl Explanation {
    /// Of a launch with these sites and lines; `source` is the text of the kernel's file in CUDA C++, which has the names of
    /// local arrays, and tells members of structures from elements of arrays.
    pub fn new(sites: &[Site], lines: &[LineCount], source: Option<&str>) -> Self {
        let accesses = accesses(sites, source);
        let branches = branches(lines);
        let advice = causes::found(&accesses, &branches, lines, source);
        Self {
            accesses,
            branches,
            advice,
        }
    }
}
