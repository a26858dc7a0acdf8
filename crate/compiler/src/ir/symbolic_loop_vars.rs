//! Symbolic variables of loops: which values follow from the variables of a loop of which one iteration is written as a
//! pattern for the others.

use super::Value;
use std::cell::Cell;

/// As many variables can be open, within each other's loops, as a mark has bits besides `FULLY_DEPENDENT`.
const MOST: u32 = 7;

/// Of a value that follows from open variables and constants alone, by what folds: it is a constant in each copy.
pub(crate) const FULLY_DEPENDENT: u8 = 1 << 7;

/// What is open, and what follows from it.
#[derive(Debug, Default)]
pub(crate) struct SymbolicLoopVars {
    count: u32,
    /// The first value that may follow from what is open.
    first: u32,
    /// By value, from the first on: a bit for each variable that it follows from, and `FULLY_DEPENDENT`.
    marks: Vec<u8>,
    /// The variables of which it mattered that they are no constants.
    asked: Cell<u8>,
}

impl SymbolicLoopVars {
    pub(crate) fn is_any(&self) -> bool {
        self.count > 0
    }

    /// Opens one more loop, whose values come from `next` on: its bit; none if that is too deep.
    pub(super) fn enter(&mut self, next: u32) -> Option<u8> {
        if self.count == MOST {
            return None;
        }
        if self.count == 0 {
            self.first = next;
            self.marks.clear();
            self.asked.set(0);
        }
        self.count += 1;
        Some(1 << (self.count - 1))
    }

    /// Closes the loop that was opened last: whether a constant was asked for that follows from it.
    pub(crate) fn leave(&mut self) -> bool {
        self.count -= 1;
        let bit = 1 << self.count;
        let asked = self.asked.get();
        self.asked.set(asked & !bit);
        asked & bit != 0
    }

    /// The mark of the value that comes next.
    pub(super) fn push(&mut self, mark: u8) {
        self.marks.push(mark);
    }

    pub(crate) fn mark(&self, value: Value) -> u8 {
        let at = value.0.checked_sub(self.first);
        let mark = at.and_then(|at| self.marks.get(at as usize));
        mark.copied().unwrap_or(0)
    }

    /// Notes that it matters whether a value is a constant.
    pub(super) fn asks(&self, value: Value) {
        let mark = self.mark(value);
        if mark & FULLY_DEPENDENT != 0 {
            self.asks_all(mark);
        }
    }

    /// Notes that it matters what the variables of a mark are.
    pub(crate) fn asks_all(&self, mark: u8) {
        self.asked.set(self.asked.get() | mark);
    }

    pub(super) fn asked(&self) -> u8 {
        self.asked.get()
    }

    pub(super) fn forget_since(&self, asked: u8) {
        self.asked.set(asked);
    }
}
