//! Dead store elimination: drops stores to what is stored to again before anybody reads it, within a block. Stores that
//! change nothing are left to `noop_store_elimination`.

use super::address::{Root, address, may_alias, root};
use crate::hash::HashSet;
use crate::ir::{Block, Body, Inst, Mem, Op, Space, Value};

/// A store that nothing read up to the end of the part that was looked at.
struct Later {
    mem: Mem,
    base: Value,
    offset: i64,
    root: Root,
}

pub(super) fn run(body: &mut Body) {
    for number in 0..body.blocks.len() {
        drop_in(body, Block(number as u32));
    }
}

fn drop_in(body: &mut Body, block: Block) {
    let insts = body.block(block).insts.clone();
    let mut later: Vec<Later> = Vec::new();
    let mut gone: HashSet<Inst> = HashSet::default();
    for inst in insts.iter().rev() {
        let data = body.inst(*inst);
        match &data.op {
            Op::Store(mem) if !mem.is_volatile => {
                let to = address(body, data.args[0]);
                let same = |other: &Later| {
                    other.base == to.base
                        && other.offset == to.offset
                        && other.mem.space == mem.space
                        && bytes(&other.mem) >= bytes(mem)
                };
                if later.iter().any(same) {
                    gone.insert(*inst);
                } else if later.len() < 64 {
                    later.push(Later {
                        mem: *mem,
                        base: to.base,
                        offset: to.offset,
                        root: root(body, data.args[0]),
                    });
                }
            }
            Op::Load(mem) => {
                let from = address(body, data.args[0]);
                let origin = root(body, data.args[0]);
                later.retain(|other| {
                    let apart = mem.space != other.mem.space
                        && mem.space != Space::Generic
                        && other.mem.space != Space::Generic;
                    let beside = from.base == other.base
                        && (from.offset + bytes(mem) <= other.offset
                            || other.offset + bytes(&other.mem) <= from.offset);
                    apart
                        || beside
                        || (from.base != other.base && !may_alias(origin, other.root, &[]))
                });
                if mem.is_volatile {
                    later.clear();
                }
            }
            op if !op.is_pure() => later.clear(),
            _ => {}
        }
    }
    body.blocks[block.0 as usize]
        .insts
        .retain(|inst| !gone.contains(inst));
}

fn bytes(mem: &Mem) -> i64 {
    (mem.ty.bytes() * u64::from(mem.count)) as i64
}
