//! Lines of CUDA C++, as `.loc` gives them.

/// A line of CUDA C++, from `.loc`: of a header's inlined function the line at which it is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceLine {
    /// File name as the compiler wrote it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// The second line of an instruction that is of an inlined function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Inlining {
    /// The function is of a header of the toolkit: its line there. The first line is the call's.
    From(SourceLine),
    /// The function is the programmer's own: the line in the kernel at which it is called.
    Into(SourceLine),
}
