//! Who uses which product, in pieces of the program that the assembler takes for basic blocks.

use std::collections::HashMap;

use crate::decode::flow::{Block, End, Graph};
use crate::decode::fuse::At;
use crate::decode::fuse::role::{Format, Number, Role};
use crate::decode::ir::{Act, Body, Op, Reg, Value};
use crate::operations::basic::COUNT_LANES;
use crate::program::preset::Preset;

/// A product that sums may take.
pub(super) struct Product {
    pub(super) at: At,
    pub(super) number: Number,
    /// Sums of the same piece, and which operand of each.
    pub(super) uses: Vec<(usize, usize)>,
    /// Something else uses it.
    pub(super) escapes: bool,
    /// Where the register of each factor is written again.
    pub(super) lost: [Option<At>; 2],
    /// Registers that keep the factors.
    pub(super) copies: [Option<Reg>; 2],
    /// Copies of it, and its negations.
    pub(super) names: Vec<At>,
}

/// A sum that may take a product.
pub(super) struct Sum {
    pub(super) at: At,
    /// The product that each operand is, and whether its sign is turned.
    pub(super) products: [Option<(usize, bool)>; 2],
    /// Which operand is taken.
    pub(super) taken: Option<usize>,
}

impl Sum {
    pub(super) fn product(&self, term: usize) -> Option<usize> {
        self.products[term].map(|(product, _)| product)
    }
}

/// One piece.
#[derive(Default)]
pub(super) struct Stretch {
    pub(super) products: Vec<Product>,
    pub(super) sums: Vec<Sum>,
}

/// Reads of blocks beyond which what lives on is not looked for.
const MOST_WORK: usize = 1 << 22;

/// All pieces that have products.
pub(super) fn stretches(graph: &Graph, body: &Body) -> Vec<Stretch> {
    let mut finder = Finder {
        graph,
        body,
        pieces: Vec::new(),
        outside: Outside::new(graph, body.regs.len()),
        seen: HashMap::new(),
    };
    let mut sources = vec![0u32; graph.blocks.len()];
    for target in graph.blocks.iter().flat_map(|block| block.end.targets()) {
        sources[target] += 1;
    }
    // The block that goes on in this one alone.
    let follows = |block: &Block| match block.end {
        End::Jump(target) if target > 0 && sources[target] == 1 => Some(target),
        _ => None,
    };
    let mut is_later = vec![false; graph.blocks.len()];
    for (number, block) in graph.blocks.iter().enumerate() {
        if let Some(target) = follows(block).filter(|target| *target != number) {
            is_later[target] = true;
        }
    }
    for first in (0..graph.blocks.len()).filter(|number| !is_later[*number]) {
        let mut chain = vec![first];
        let mut last = first;
        while let Some(next) = follows(&graph.blocks[last]).filter(|next| *next != first) {
            chain.push(next);
            last = next;
        }
        finder.chain(&chain);
    }
    finder.pieces.retain(|piece| !piece.products.is_empty());
    finder.pieces
}

/// A register that is a product: piece, product, whether the sign is turned.
type Held = (usize, usize, bool);

struct Finder<'g> {
    graph: &'g Graph,
    body: &'g Body,
    pieces: Vec<Stretch>,
    outside: Outside<'g>,
    /// How often a register that is a product was read.
    seen: HashMap<Reg, u32>,
}

impl Finder<'_> {
    /// Blocks of which each goes on in the next one.
    fn chain(&mut self, chain: &[usize]) {
        self.pieces.push(Stretch::default());
        let mut held: HashMap<Reg, Held> = HashMap::new();
        // Products by the registers of their factors.
        let mut factors: HashMap<Reg, Vec<(usize, usize, usize)>> = HashMap::new();
        self.seen.clear();
        let graph = self.graph;
        for number in chain {
            let block = &graph.blocks[*number];
            for (at, op) in block.ops.iter().enumerate() {
                op.uses().for_each(|reg| self.see(&held, reg));
                self.operation(op, (*number, at), &mut held, &mut factors);
            }
            if let Some(reg) = block.end.uses() {
                self.see(&held, reg);
                self.escape(&held, reg);
            }
        }
        let last = chain.last().copied().unwrap_or_default();
        for (reg, (piece, product, _)) in &held {
            let seen = self.seen.get(reg).copied().unwrap_or_default();
            if self.outside.uses(*reg, seen, last) {
                self.pieces[*piece].products[*product].escapes = true;
            }
        }
    }

    fn see(&mut self, held: &HashMap<Reg, Held>, reg: Reg) {
        if held.contains_key(&reg) {
            *self.seen.entry(reg).or_default() += 1;
        }
    }

    fn operation(
        &mut self,
        op: &Op,
        at: At,
        held: &mut HashMap<Reg, Held>,
        factors: &mut HashMap<Reg, Vec<(usize, usize, usize)>>,
    ) {
        if branches(op) {
            self.pieces.push(Stretch::default());
        }
        let current = self.pieces.len() - 1;
        let name = self.name(op).and_then(|(source, turns)| {
            let (piece, product, turned) = *held.get(&source)?;
            let is_same = self.pieces[piece].products[product].number.format;
            let fits = !matches!(op.role, Role::Negation(format) if format != is_same);
            fits.then_some((piece, product, turned != turns))
        });
        match (name, op.role) {
            (Some((piece, product, _)), _) => {
                self.pieces[piece].products[product].names.push(at);
            }
            (None, Role::Sum { number, .. }) => self.sum(op, at, number, held),
            _ => op.uses().for_each(|reg| self.escape(held, reg)),
        }
        for d in op.results() {
            if op.guard.is_some() {
                // Some lanes keep what it was.
                self.escape(held, d);
            }
            for (piece, product, which) in factors.remove(&d).unwrap_or_default() {
                self.pieces[piece].products[product].lost[which].get_or_insert(at);
            }
            held.remove(&d);
        }
        let Some(d) = op.d[0].filter(|_| op.guard.is_none()) else {
            return;
        };
        if let Some(name) = name {
            held.insert(d, name);
        } else if let (Role::Product { number, .. }, None) = (op.role, self.name(op)) {
            self.product(op, at, (number, d), factors);
            let product = self.pieces[current].products.len() - 1;
            held.insert(d, (current, product, false));
        }
    }

    fn product(
        &mut self,
        op: &Op,
        at: At,
        (number, d): (Number, Reg),
        factors: &mut HashMap<Reg, Vec<(usize, usize, usize)>>,
    ) {
        let Some(piece) = self.pieces.len().checked_sub(1) else {
            return;
        };
        let products = &mut self.pieces[piece].products;
        let mut product = Product {
            at,
            number,
            uses: Vec::new(),
            escapes: false,
            lost: [None; 2],
            copies: [None; 2],
            names: Vec::new(),
        };
        for (which, factor) in op.s[..2].iter().enumerate() {
            let Value::Reg(reg) = *factor else { continue };
            if reg == d {
                product.lost[which] = Some(at);
            } else {
                let known = factors.entry(reg).or_default();
                known.push((piece, products.len(), which));
            }
        }
        products.push(product);
    }

    fn sum(&mut self, op: &Op, at: At, number: Number, held: &HashMap<Reg, Held>) {
        let current = self.pieces.len() - 1;
        let sum = self.pieces[current].sums.len();
        let mut products = [None; 2];
        for (term, value) in op.s[..2].iter().enumerate() {
            let Value::Reg(reg) = value else { continue };
            let Some((piece, product, turned)) = held.get(reg).copied() else {
                continue;
            };
            let found = &mut self.pieces[piece].products[product];
            if piece == current && found.number == number {
                found.uses.push((sum, term));
                products[term] = Some((product, turned));
            } else {
                found.escapes = true;
            }
        }
        if let Some((guard, _)) = op.guard {
            self.escape(held, guard);
        }
        self.pieces[current].sums.push(Sum {
            at,
            products,
            taken: None,
        });
    }

    fn escape(&mut self, held: &HashMap<Reg, Held>, reg: Reg) {
        if let Some((piece, product, _)) = held.get(&reg) {
            self.pieces[*piece].products[*product].escapes = true;
        }
    }

    /// The register that the operation gives again, and whether it turns its sign.
    fn name(&self, op: &Op) -> Option<(Reg, bool)> {
        let reg = |value: Value| match value {
            Value::Reg(reg) => Some(reg),
            _ => None,
        };
        match (op.act, op.role) {
            _ if op.guard.is_some() => None,
            (Act::Copy, _) => Some((reg(op.s[0])?, false)),
            (_, Role::Negation(_)) => Some((reg(op.s[0])?, true)),
            (_, Role::Product { number, stays }) if !stays && !number.flushes => {
                let turns = |value: Value| self.unit(value, number.format);
                match (turns(op.s[0]), turns(op.s[1])) {
                    (Some(turns), None) => Some((reg(op.s[1])?, turns)),
                    (None, Some(turns)) => Some((reg(op.s[0])?, turns)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether a constant is -1, if it is 1 or -1.
    fn unit(&self, value: Value, format: Format) -> Option<bool> {
        let Value::Preset(number) = value else {
            return None;
        };
        let Preset::Bits(bits) = self.body.presets[number as usize].1 else {
            return None;
        };
        let (one, sign) = match format {
            Format::F32 => (u64::from(1f32.to_bits()), 1 << 31),
            Format::F64 => (1f64.to_bits(), 1 << 63),
            _ => return None,
        };
        (bits & !sign == one).then_some(bits != one)
    }
}

/// Where the machine code has a branch that the PTX has not.
fn branches(op: &Op) -> bool {
    let counts = |function| std::ptr::fn_addr_eq(function, COUNT_LANES.chosen());
    match op.act {
        Act::Copy => false,
        Act::Access(function) if counts(function) => false,
        _ => op.role == Role::Branches || op.guard.is_some() && !op.is_pure,
    }
}

/// What of a register is used behind a chain.
struct Outside<'g> {
    graph: &'g Graph,
    uses: Vec<u32>,
    definitions: Vec<u32>,
    work: usize,
}

impl<'g> Outside<'g> {
    fn new(graph: &'g Graph, regs: usize) -> Self {
        let (mut uses, mut definitions) = (vec![0u32; regs], vec![0u32; regs]);
        for block in &graph.blocks {
            let read = block.ops.iter().flat_map(Op::uses).chain(block.end.uses());
            read.for_each(|reg| uses[reg.0 as usize] += 1);
            let written = block.ops.iter().flat_map(Op::results);
            written.for_each(|reg| definitions[reg.0 as usize] += 1);
        }
        Self {
            graph,
            uses,
            definitions,
            work: 0,
        }
    }

    /// Whether something behind the block may read what the register holds at its end; `seen` reads are in its chain.
    fn uses(&mut self, reg: Reg, seen: u32, last: usize) -> bool {
        if self.definitions[reg.0 as usize] == 1 {
            return self.uses[reg.0 as usize] > seen;
        }
        let mut visited = vec![false; self.graph.blocks.len()];
        self.work += visited.len();
        let mut open = self.graph.blocks[last].end.targets();
        while let Some(number) = open.pop() {
            if std::mem::replace(&mut visited[number], true) {
                continue;
            }
            let block = &self.graph.blocks[number];
            self.work += block.ops.len() + 1;
            if self.work > MOST_WORK {
                return true;
            }
            match first_touch(block, reg) {
                Some(is_read) if is_read => return true,
                Some(_) => {}
                None => open.extend(block.end.targets()),
            }
        }
        false
    }
}

/// Whether the block reads the register before it writes it, if it does either.
fn first_touch(block: &Block, reg: Reg) -> Option<bool> {
    for op in &block.ops {
        let writes = op.results().any(|d| d == reg);
        if op.uses().any(|used| used == reg) || writes && op.guard.is_some() {
            return Some(true);
        }
        if writes {
            return Some(false);
        }
    }
    (block.end.uses() == Some(reg)).then_some(true)
}
