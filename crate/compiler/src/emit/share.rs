//! Which values share a register: a phi and what is copied to it, and what a piece of PTX changes, before and after. They may
//! where none of them is wanted any more once another is there. How registers are called is no matter of this file.

use super::instruction::Writer;
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
    /// By value: its number among those that are a phi's value or might have been of one family with others.
    numbers: Vec<Option<u32>>,
    /// By number: the family.
    of: Vec<u32>,
    members: Vec<Vec<Value>>,
    lives: Vec<Life>,
}

/// Where a value that may share a register is made and wanted.
#[derive(Clone, Debug, Default)]
struct Life {
    home: Option<(Block, Place)>,
    /// The blocks, in order, in which it is read, with the last place there.
    last: Vec<(Block, Place)>,
    /// The blocks, in order, at whose beginning it is wanted.
    wanted_in: Vec<Block>,
}

impl Families {
    pub(super) fn new(writer: &Writer<'_>, graph: &Graph) -> Self {
        let body = writer.body;
        let pairs = pairs(writer, graph);
        let mut numbers = vec![None; body.values.len()];
        let mut members = Vec::new();
        for value in pairs.iter().flat_map(|(a, b)| [*a, *b]) {
            let number = &mut numbers[value.0 as usize];
            if number.is_none() {
                *number = Some(members.len() as u32);
                members.push(vec![value]);
            }
        }
        let mut found = Self {
            of: (0..members.len() as u32).collect(),
            lives: lives(writer, graph, &numbers, members.len()),
            numbers,
            members,
        };
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
        let Some(family) = self.family(value) else {
            return false;
        };
        self.members[family].iter().any(|member| {
            let life = self.life(*member);
            life.is_some_and(|life| life.is_wanted_in(block) || life.home == Some((block, 0)))
        })
    }

    fn family(&self, value: Value) -> Option<usize> {
        let number = self.numbers[value.0 as usize]?;
        Some(self.of[number as usize] as usize)
    }

    fn life(&self, value: Value) -> Option<&Life> {
        let number = self.numbers[value.0 as usize]?;
        self.lives.get(number as usize)
    }

    fn join(&mut self, body: &Body, graph: &Graph, a: Value, b: Value) {
        let (Some(to), Some(from)) = (self.family(a), self.family(b)) else {
            return;
        };
        if to == from {
            return;
        }
        let (first, second) = (&self.members[to], &self.members[from]);
        let clash = |a: &Value| {
            let mut others = second.iter();
            others.any(|b| self.clash(body, graph, *a, *b))
        };
        if first.len() * second.len() > MOST_COMPARED || first.iter().any(clash) {
            return;
        }
        let moved = std::mem::take(&mut self.members[from]);
        for number in moved
            .iter()
            .filter_map(|value| self.numbers[value.0 as usize])
        {
            self.of[number as usize] = to as u32;
        }
        self.members[to].extend(moved);
    }

    /// Whether one of two values is still wanted where the other is made.
    fn clash(&self, body: &Body, graph: &Graph, a: Value, b: Value) -> bool {
        let (Some(life_a), Some(life_b)) = (self.life(a), self.life(b)) else {
            return true;
        };
        let (Some(home_a), Some(home_b)) = (life_a.home, life_b.home) else {
            return true;
        };
        if home_a == home_b {
            return true;
        }
        let is_first = match home_a.0 == home_b.0 {
            true => home_a.1 < home_b.1,
            false => graph.dominates(home_a.0, home_b.0),
        };
        let (first, life, (block, place), second) = match is_first {
            true => (a, life_a, home_b, b),
            false => (b, life_b, home_a, a),
        };
        if !is_first && home_a.0 != home_b.0 && !graph.dominates(home_b.0, home_a.0) {
            return false;
        }
        let goes_on = successors(body.block(block).term).any(|next| life.is_wanted_in(next));
        let last = life.last_in(block);
        goes_on || last > place || last == place && place > 0 && is_read_late(body, first, second)
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
                Op::Asm(asm) => {
                    for (result, arg) in &asm.begins {
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

impl Life {
    fn is_wanted_in(&self, block: Block) -> bool {
        self.wanted_in.binary_search(&block).is_ok()
    }

    /// The last place in a block where it is read, 0 if there is none.
    fn last_in(&self, block: Block) -> Place {
        let found = self.last.binary_search_by_key(&block, |(block, _)| *block);
        found.map_or(0, |at| self.last[at].1)
    }
}

/// How the numbered values live, so many.
fn lives(writer: &Writer<'_>, graph: &Graph, numbers: &[Option<u32>], count: usize) -> Vec<Life> {
    let body = writer.body;
    let mut lives = vec![Life::default(); count];
    let mut uses: Vec<Vec<(Block, Place)>> = vec![Vec::new(); count];
    let mut read = |value: Value, block: Block, place: Place| {
        let Some(number) = numbers[value.0 as usize] else {
            return;
        };
        let uses = &mut uses[number as usize];
        match uses.last_mut() {
            // Of each block the last place.
            Some((last, so_far)) if *last == block => *so_far = place.max(*so_far),
            _ => uses.push((block, place)),
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
            for number in results.filter_map(|result| numbers[result.0 as usize]) {
                lives[number as usize].home = Some(home);
            }
        }
        if let Term::Branch(condition, ..) = data.term {
            read(condition, *block, CONDITION);
        }
    }
    // By block: the last value that was found to be wanted there.
    let mut seen: Vec<Option<usize>> = vec![None; body.blocks.len()];
    let (mut open, mut wanted) = (Vec::new(), Vec::new());
    for (number, (life, mut uses)) in lives.iter_mut().zip(uses).enumerate() {
        uses.sort_unstable();
        let home = life.home.map(|(block, _)| block);
        // From each use backwards to where the value is made.
        open.extend(uses.iter().map(|(block, _)| *block));
        while let Some(block) = open.pop() {
            let is_home = home == Some(block);
            if is_home || seen[block.0 as usize].replace(number) == Some(number) {
                continue;
            }
            wanted.push(block);
            open.extend(&graph.before[block.0 as usize]);
        }
        life.wanted_in = in_order(&mut wanted, |block| seen[block.0 as usize] == Some(number));
        let of_blocks = uses.chunk_by(|a, b| a.0 == b.0);
        life.last = of_blocks.filter_map(|uses| uses.last().copied()).collect();
    }
    lives
}

/// The blocks of a list in their order; the list is empty then. Mostly they lie side by side: they are looked for there.
fn in_order(list: &mut Vec<Block>, is_in_it: impl Fn(Block) -> bool) -> Vec<Block> {
    let (first, last) = (list.iter().min(), list.iter().max());
    let (Some(Block(first)), Some(Block(last))) = (first.copied(), last.copied()) else {
        return Vec::new();
    };
    let mut found = Vec::with_capacity(list.len());
    if (last - first) as usize / 4 < list.len() {
        found.extend((first..=last).map(Block).filter(|block| is_in_it(*block)));
    } else {
        list.sort_unstable();
        found.extend_from_slice(list);
    }
    list.clear();
    found
}

/// Whether what gives the second value may still read the first one then: several instructions of PTX may, unless they only
/// begin with it.
fn is_read_late(body: &Body, first: Value, second: Value) -> bool {
    let Def::Inst(inst, number) = body.values[second.0 as usize].1 else {
        return true;
    };
    let data = body.inst(inst);
    let (text, begins) = match &data.op {
        Op::Intrinsic(call) => (call.row().ptx, &[][..]),
        Op::Asm(asm) => (&*asm.text, &asm.begins[..]),
        _ => return false,
    };
    // What a row leaves open has no instructions, but for a call of one of the module's functions.
    let is_one = text.matches(';').count() <= 1 && !data.op.calls();
    if is_one {
        return false;
    }
    let begin = begins.iter().find(|(result, _)| *result == number as usize);
    let times = data.args.iter().filter(|arg| **arg == first).count();
    !(times == 1 && begin.is_some_and(|(_, arg)| data.args[*arg] == first))
}
