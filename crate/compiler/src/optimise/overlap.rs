//! Whether two accesses to memory may touch the same bytes.

use super::number::{Address, Root, address, may_alias, root};
use crate::ir::{Body, Mem, Space, Value};
use crate::lower::KernelParam;

/// An access, and what is known of where it goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access {
    pub(super) mem: Mem,
    pub(super) at: Address,
    root: Root,
}

impl Access {
    pub(super) fn new(body: &Body, mem: Mem, to: Value) -> Self {
        Self {
            mem,
            at: address(body, to),
            root: root(body, to),
        }
    }

    pub(super) fn shares_space(&self, other: &Mem) -> bool {
        self.shares(other.space)
    }

    pub(super) fn shares(&self, space: Space) -> bool {
        let is_generic = self.mem.space == Space::Generic || space == Space::Generic;
        self.mem.space == space || is_generic
    }

    pub(super) fn may_overlap(&self, other: &Access, params: &[KernelParam]) -> bool {
        if !self.shares_space(&other.mem) {
            return false;
        }
        if self.at.base() == other.at.base() {
            let (a, b) = (self.at.offset(), other.at.offset());
            return a < b + bytes(&other.mem) && b < a + bytes(&self.mem);
        }
        !self.mem.origin.is_apart(other.mem.origin) && may_alias(self.root, other.root, params)
    }
}

fn bytes(mem: &Mem) -> i64 {
    (mem.ty.bytes() * u64::from(mem.count)) as i64
}
