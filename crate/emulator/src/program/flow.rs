//! What an instruction makes of its sources, for checks that follow values from register to register.

use crate::program::kinds::FileKind;

/// Where the operands of an instruction are, and what it does with them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flow {
    /// Files of the destinations and sources that are registers.
    pub(crate) d: [Option<FileKind>; 4],
    pub(crate) s: [Option<FileKind>; 6],
    pub(crate) follow: Follow,
}

/// How the results depend on the sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Follow {
    /// Something else depends on the sources: memory, other lanes, where a lane goes on.
    #[default]
    Uses,
    /// As `Uses`; the results come from memory.
    Loads,
    /// As `Uses`: `s[0]` is an address, and the others go to memory there.
    Stores,
    /// As `Uses`; the results come from other lanes.
    Exchanges,
    /// Each lane's results from its sources.
    Computes,
    /// The same, and the values stay as they are.
    Moves,
    /// `s[0]` or `s[1]`, as the predicate `s[2]` says.
    Either,
    /// Predicates: both hold.
    Both,
    /// Predicates: one holds.
    Any,
}
