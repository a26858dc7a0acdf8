//! Which values share a register: a phi and what is copied to it, and what a piece of PTX changes, before and after. They may
//! where none of them is wanted any more once another is there. How registers are called is no matter of this file.

use super::instruction::Writer;
use crate::hash::HashMap;
use crate::ir::graph::{Graph, successors};
use crate::ir::{Block, Body, Def, Op, Term, Value};

/// Pairs of members that are compared before two families are kept apart.
const MOST_COMPARED: usize = 1 << 12;

/// Where in a block something is read or made: phis are made at 0, the first instruction stands at 1.
type Place = u32;
/// The condition of a block's end, and the copies behind it for the phis of the next one.
const CONDITION: Place = u32::MAX - 1;
const COPIES: Place = u32::MAX;

/// Families of values with a register in common.
#[derive(Debug)]
pub(super) struct Families {
    /// By value: its family, if it is a phi's value or might have been of one with others.
    of: Vec<Option<u32>>,
    members: Vec<Vec<Value>>,
    lives: Lives,
}

/// Where the values that may share registers are made and wanted.
#[derive(Debug, Default)]
struct Lives {
    homes: HashMap<Value, (Block, Place)>,
    /// The last place in a block where a value is read.
    last: HashMap<(Value, Block), Place>,
    /// The blocks, in order, at whose beginning a value is wanted.
    wanted_in: HashMap<Value, Vec<Block>>,
}

impl Families {
    pub(super) fn new(writer: &Writer<'_>, graph: &Graph) -> Self {
        let body = writer.body;
        let mut found = Self {
            of: vec![None; body.values.len()],
            members: Vec::new(),
            lives: Lives::default(),
        };
        let pairs = pairs(writer, graph);
        for value in pairs.iter().flat_map(|(a, b)| [*a, *b]) {
            let family = &mut found.of[value.0 as usize];
            if family.is_none() {
                *family = Some(found.members.len() as u32);
                found.members.push(vec![value]);
            }
        }
        found.lives = Lives::new(writer, graph, &found.of);
        for (a, b) in pairs {
            found.join(body, graph, a, b);
        }
        found
    }

    /// The families of more than one.
    pub(super) fn shared(&self) -> impl Iterator<Item = &[Value]> {
        let shared = self.members.iter().filter(|members| members.len() > 1);
        shared.map(Vec::as_slice)
    }

    /// Whether a value's register holds something that is wanted at the beginning of a block, or is made there.
    pub(super) fn is_taken(&self, value: Value, block: Block) -> bool {
        let Some(family) = self.of[value.0 as usize] else {
            return false;
        };
        self.members[family as usize].iter().any(|member| {
            self.lives.is_wanted_in(*member, block)
                || self.lives.homes.get(member) == Some(&(block, 0))
        })
    }

    fn join(&mut self, body: &Body, graph: &Graph, a: Value, b: Value) {
        let family = |value: Value| self.of[value.0 as usize].unwrap_or_default() as usize;
        let (to, from) = (family(a), family(b));
        if to == from {
            return;
        }
        let (first, second) = (&self.members[to], &self.members[from]);
        let clash = |a: &Value| {
            let mut others = second.iter();
            others.any(|b| self.lives.clash(body, graph, *a, *b))
        };
        if first.len() * second.len() > MOST_COMPARED || first.iter().any(clash) {
            return;
        }
        let moved = std::mem::take(&mut self.members[from]);
        for value in &moved {
            self.of[value.0 as usize] = Some(to as u32);
        }
        self.members[to].extend(moved);
    }
}

/// The values of which one becomes the other: first those of loops and of pieces of PTX.
fn pairs(writer: &Writer<'_>, graph: &Graph) -> Vec<(Value, Value)> {
    let body = writer.body;
    let (mut first, mut then) = (Vec::new(), Vec::new());
    let is_made = |value: Value| matches!(body.values[value.0 as usize].1, Def::Inst(..));
    for block in &graph.order {
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            match &data.op {
                _ if !writer.wanted[inst.0 as usize] => {}
                Op::Phi(from) => {
                    for (arg, from) in data.args.iter().zip(from) {
                        let list = match graph.dominates(*block, *from) {
                            true => &mut first,
                            false => &mut then,
                        };
                        list.extend(is_made(*arg).then_some((data.results[0], *arg)));
                    }
                }
                Op::Ptx(ptx) => {
                    for (result, arg) in &ptx.begins {
                        let (result, arg) = (data.results[*result], data.args[*arg]);
                        first.extend(is_made(arg).then_some((result, arg)));
                    }
                }
                _ => {}
            }
        }
    }
    first.extend(then);
    first
}

impl Lives {
    fn new(writer: &Writer<'_>, graph: &Graph, of: &[Option<u32>]) -> Self {
        let body = writer.body;
        let mut lives = Self::default();
        let mut uses: Vec<(Value, Block, Place)> = Vec::new();
        let mut read = |value: Value, block: Block, place: Place| {
            if of[value.0 as usize].is_some() {
                uses.push((value, block, place));
            }
        };
        for block in &graph.order {
            let data = body.block(*block);
            for (place, inst) in (1..).zip(&data.insts) {
                if !writer.is_written(*inst) {
                    continue;
                }
                let inst_data = body.inst(*inst);
                let mut home = (*block, place);
                match &inst_data.op {
                    Op::Phi(from) => {
                        home.1 = 0;
                        let ways = inst_data.args.iter().zip(from);
                        ways.for_each(|(arg, from)| read(*arg, *from, COPIES));
                    }
                    _ => writer.reads(*inst, |value| read(value, *block, place)),
                }
                let results = inst_data.results.iter();
                for result in results.filter(|result| of[result.0 as usize].is_some()) {
                    lives.homes.insert(*result, home);
                }
            }
            if let Term::Branch(condition, ..) = data.term {
                read(condition, *block, CONDITION);
            }
        }
        uses.sort_unstable();
        // By block: the last value that was found to be wanted there.
        let mut seen: Vec<Option<Value>> = vec![None; body.blocks.len()];
        for all in uses.chunk_by(|a, b| a.0 == b.0) {
            let value = all[0].0;
            let home = lives.homes.get(&value).copied();
            let mut open = Vec::new();
            for (_, block, place) in all {
                lives.last.insert((value, *block), *place);
                open.push(*block);
            }
            let mut wanted = Vec::new();
            // From each use backwards to where the value is made.
            while let Some(block) = open.pop() {
                let is_home = home.is_some_and(|home| home.0 == block);
                if is_home || seen[block.0 as usize].replace(value) == Some(value) {
                    continue;
                }
                wanted.push(block);
                open.extend(&graph.before[block.0 as usize]);
            }
            wanted.sort_unstable();
            lives.wanted_in.insert(value, wanted);
        }
        lives
    }

    fn is_wanted_in(&self, value: Value, block: Block) -> bool {
        let blocks = self.wanted_in.get(&value);
        blocks.is_some_and(|blocks| blocks.binary_search(&block).is_ok())
    }

    /// Whether one of two values is still wanted where the other is made.
    fn clash(&self, body: &Body, graph: &Graph, a: Value, b: Value) -> bool {
        let (Some(home_a), Some(home_b)) = (self.homes.get(&a), self.homes.get(&b)) else {
            return true;
        };
        if home_a == home_b {
            return true;
        }
        let is_first = match home_a.0 == home_b.0 {
            true => home_a.1 < home_b.1,
            false => graph.dominates(home_a.0, home_b.0),
        };
        let (first, (block, place), second) = match is_first {
            true => (a, *home_b, b),
            false => (b, *home_a, a),
        };
        if !is_first && home_a.0 != home_b.0 && !graph.dominates(home_b.0, home_a.0) {
            return false;
        }
        let goes_on = successors(body.block(block).term).any(|next| self.is_wanted_in(first, next));
        let last = self.last.get(&(first, block)).copied().unwrap_or(0);
        goes_on || last > place || last == place && place > 0 && is_read_late(body, first, second)
    }
}

/// Whether what gives the second value may still read the first one then: a piece of PTX may, unless it only begins with it.
fn is_read_late(body: &Body, first: Value, second: Value) -> bool {
    let Def::Inst(inst, number) = body.values[second.0 as usize].1 else {
        return true;
    };
    let data = body.inst(inst);
    let Op::Ptx(ptx) = &data.op else { return false };
    let begin = ptx
        .begins
        .iter()
        .find(|(result, _)| *result == number as usize);
    let times = data.args.iter().filter(|arg| **arg == first).count();
    !(times == 1 && begin.is_some_and(|(_, arg)| data.args[*arg] == first))
}
