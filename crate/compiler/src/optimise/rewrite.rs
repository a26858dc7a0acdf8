//! Replacement of values: which value stands for which, while a pass goes over a body.

use crate::ir::{Body, Term, Value};

#[derive(Debug)]
pub(super) struct Replaced {
    by: Vec<Option<Value>>,
    is_empty: bool,
}

impl Replaced {
    pub(super) fn new(body: &Body) -> Self {
        Self {
            by: vec![None; body.values.len()],
            is_empty: true,
        }
    }

    pub(super) fn set(&mut self, value: Value, by: Value) {
        let by = self.get(by);
        if by == value {
            return;
        }
        let at = value.0 as usize;
        if self.by.len() <= at {
            self.by.resize(at + 1, None);
        }
        self.by[at] = Some(by);
        self.is_empty = false;
    }

    /// What stands for a value now.
    pub(super) fn get(&self, value: Value) -> Value {
        let mut value = value;
        while let Some(Some(by)) = self.by.get(value.0 as usize) {
            value = *by;
        }
        value
    }

    pub(super) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Puts what stands for values in their place everywhere.
    pub(super) fn apply(&self, body: &mut Body) {
        if self.is_empty() {
            return;
        }
        let Body { blocks, insts, .. } = body;
        for block in blocks {
            for inst in &block.insts {
                for arg in &mut insts[inst.0 as usize].args {
                    *arg = self.get(*arg);
                }
            }
            if let Term::Branch(condition, ..) = &mut block.term {
                *condition = self.get(*condition);
            }
        }
    }
}
