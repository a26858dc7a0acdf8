//! Who uses which product: in pieces of the program that the assembler takes for basic blocks, and beyond.

use std::collections::{HashMap, HashSet};

use crate::decode::flow::{Block, End, Graph};
use crate::decode::fuse::At;
use crate::decode::fuse::role::{Format, Number, Role};
use crate::decode::ir::{Act, Body, Op, Reg, Value};
use crate::decode::optimise::{Definitions, definitions};
use crate::operations::basic::COUNT_LANES;
use crate::program::preset::Preset;
use crate::report::Space;

/// A product that sums may take.
pub(super) struct Product {
    pub(super) at: At,
    pub(super) number: Number,
    piece: usize,
    /// It has a constant factor: other pieces may use it, too.
    is_wide: bool,
    /// Sums, and which operand of each.
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

/// What a function has of them, in order.
#[derive(Default)]
pub(super) struct Found {
    pub(super) products: Vec<Product>,
    pub(super) sums: Vec<Sum>,
}

/// Reads of blocks beyond which what lives on is not looked for.
const MOST_WORK: usize = 1 << 22;

/// The products and sums of a function.
pub(super) fn find(graph: &Graph, body: &Body) -> Found {
    let definitions = definitions(graph, body.regs.len());
    let mut finder = Finder {
        graph,
        body,
        found: Found::default(),
        piece: 0,
        constants: constants(graph, body, &definitions),
        definitions,
        wide: HashMap::new(),
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
    finder.found
}

/// The registers that the machine code takes from the memory for constants, as it does parameters.
fn constants(graph: &Graph, body: &Body, definitions: &[Definitions]) -> HashSet<Reg> {
    let mut found = HashSet::new();
    for op in graph.blocks.iter().flat_map(|block| &block.ops) {
        let is_load = op.is_memory
            && matches!(op.act, Act::Access(_))
            && body.accesses[op.aux as usize].space == Some(Space::Const);
        let turns = matches!(op.role, Role::Negation(_));
        let is_fixed = matches!(op.s[0], Value::Preset(_));
        let single = |reg: &Reg| definitions[reg.0 as usize].is_single();
        if (is_load || turns) && is_fixed && op.guard.is_none() {
            found.extend(op.results().filter(single));
        }
    }
    found
}

/// A register that is a product, and whether its sign is turned.
type Held = (usize, bool);

struct Finder<'g> {
    graph: &'g Graph,
    body: &'g Body,
    found: Found,
    /// The piece that is looked at.
    piece: usize,
    constants: HashSet<Reg>,
    definitions: Vec<Definitions>,
    /// Products with a constant factor, which hold wherever they are read.
    wide: HashMap<Reg, Held>,
    outside: Outside<'g>,
    /// How often a register that is a product was read.
    seen: HashMap<Reg, u32>,
}

impl Finder<'_> {
    /// Blocks of which each goes on in the next one.
    fn chain(&mut self, chain: &[usize]) {
        self.piece += 1;
        let mut held: HashMap<Reg, Held> = HashMap::new();
        // Products by the registers of their factors.
        let mut factors: HashMap<Reg, Vec<(usize, usize)>> = HashMap::new();
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
        for (reg, (product, _)) in &held {
            let seen = self.seen.get(reg).copied().unwrap_or_default();
            let is_once = self.definitions[reg.0 as usize].count == 1;
            if self.outside.uses(*reg, is_once, seen, last) {
                self.found.products[*product].escapes = true;
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
        factors: &mut HashMap<Reg, Vec<(usize, usize)>>,
    ) {
        if branches(op) {
            self.piece += 1;
        }
        let name = self.name(op).and_then(|(source, turns)| {
            let (product, turned) = self.held(held, source)?;
            let is_same = self.found.products[product].number.format;
            let fits = !matches!(op.role, Role::Negation(format) if format != is_same);
            fits.then_some((product, turned != turns))
        });
        match (name, op.role) {
            (Some((product, _)), _) => self.found.products[product].names.push(at),
            (None, Role::Sum { number, .. }) => self.sum(op, at, number, held),
            _ => op.uses().for_each(|reg| self.escape(held, reg)),
        }
        for d in op.results() {
            if op.guard.is_some() {
                // Some lanes keep what it was.
                self.escape(held, d);
            }
            for (product, which) in factors.remove(&d).unwrap_or_default() {
                self.found.products[product].lost[which].get_or_insert(at);
            }
            held.remove(&d);
        }
        let Some(d) = op.d[0].filter(|_| op.guard.is_none()) else {
            return;
        };
        let name = match (name, op.role) {
            (Some(name), _) => name,
            (None, Role::Product { number, .. }) if self.name(op).is_none() => {
                self.product(op, at, (number, d), factors);
                (self.found.products.len() - 1, false)
            }
            _ => return,
        };
        let is_wide = self.found.products[name.0].is_wide;
        if is_wide && self.definitions[d.0 as usize].is_single() {
            self.wide.insert(d, name);
        } else {
            held.insert(d, name);
        }
    }

    fn held(&self, held: &HashMap<Reg, Held>, reg: Reg) -> Option<Held> {
        held.get(&reg).or_else(|| self.wide.get(&reg)).copied()
    }

    /// Whether the product has a constant factor, and another that holds on.
    fn is_wide(&self, op: &Op, d: Reg) -> bool {
        let single = |reg: Reg| self.definitions[reg.0 as usize].is_single();
        let holds = |value: &Value| matches!(value, Value::Reg(reg) if single(*reg));
        let is_constant = |value: &Value| match value {
            Value::Preset(number) => matches!(
                self.body.presets[*number as usize].1,
                Preset::Bits(_) | Preset::Param { .. }
            ),
            Value::Reg(reg) => self.constants.contains(reg),
            Value::None => false,
        };
        let may =
            |one: &Value, other: &Value| is_constant(one) && (holds(other) || is_constant(other));
        let stays = matches!(op.role, Role::Product { stays: true, .. });
        !stays && single(d) && (may(&op.s[0], &op.s[1]) || may(&op.s[1], &op.s[0]))
    }

    fn product(
        &mut self,
        op: &Op,
        at: At,
        (number, d): (Number, Reg),
        factors: &mut HashMap<Reg, Vec<(usize, usize)>>,
    ) {
        let is_wide = self.is_wide(op, d);
        let products = &mut self.found.products;
        let mut product = Product {
            at,
            number,
            piece: self.piece,
            is_wide,
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
                known.push((products.len(), which));
            }
        }
        products.push(product);
    }

    fn sum(&mut self, op: &Op, at: At, number: Number, held: &HashMap<Reg, Held>) {
        let sum = self.found.sums.len();
        let mut products = [None; 2];
        for (term, value) in op.s[..2].iter().enumerate() {
            let Value::Reg(reg) = value else { continue };
            let Some((product, turned)) = self.held(held, *reg) else {
                continue;
            };
            let found = &mut self.found.products[product];
            if (found.piece == self.piece || found.is_wide) && found.number == number {
                found.uses.push((sum, term));
                products[term] = Some((product, turned));
            } else {
                found.escapes = true;
            }
        }
        if let Some((guard, _)) = op.guard {
            self.escape(held, guard);
        }
        self.found.sums.push(Sum {
            at,
            products,
            taken: None,
        });
    }

    fn escape(&mut self, held: &HashMap<Reg, Held>, reg: Reg) {
        if let Some((product, _)) = self.held(held, reg) {
            self.found.products[product].escapes = true;
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
    work: usize,
}

impl<'g> Outside<'g> {
    fn new(graph: &'g Graph, regs: usize) -> Self {
        let mut uses = vec![0u32; regs];
        for block in &graph.blocks {
            let read = block.ops.iter().flat_map(Op::uses).chain(block.end.uses());
            read.for_each(|reg| uses[reg.0 as usize] += 1);
        }
        Self {
            graph,
            uses,
            work: 0,
        }
    }

    /// Whether something behind the block may read what the register holds at its end; it is written once, or more often,
    /// and `seen` reads are in its chain.
    fn uses(&mut self, reg: Reg, is_once: bool, seen: u32, last: usize) -> bool {
        if is_once {
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
