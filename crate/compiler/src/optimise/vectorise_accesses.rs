//! Vectorisation of accesses (LLVM's `LoadStoreVectorizer`): finds loads and stores of neighbouring places that become
//! one, where the address is known to be a multiple of their bytes. Arithmetic is not vectorised.

use super::access_groups::{Place, groups};
use super::alias::Access;
use super::join_accesses::{self, Edits, Single};
use crate::hash::HashSet;
use crate::ir::{Bin, Block, Body, Cache, Cvt, Inst, Mem, Op, Space, Value};
use crate::lower::{KernelParam, SymbolData};

/// Accesses that are kept in mind between those of one run.
const MOST_BETWEEN: usize = 256;

/// Accesses from one start, of elements of one size, that may all stand where the first that was found does.
struct Run {
    list: Vec<Single>,
    offsets: HashSet<i64>,
    /// What they would have to pass, by its number among all that any run would.
    between: Vec<u32>,
}

struct Pass<'a> {
    symbols: &'a [SymbolData],
    params: &'a [KernelParam],
    /// Whether it joins loads, going forward, or stores, going back.
    is_load: bool,
    runs: Vec<Run>,
    passed: Vec<Access>,
    edits: Edits,
}

pub(super) fn run(body: &mut Body, symbols: &[SymbolData], params: &[KernelParam]) {
    for number in 0..body.blocks.len() {
        for is_load in [true, false] {
            let pass = Pass {
                symbols,
                params,
                is_load,
                runs: Vec::new(),
                passed: Vec::new(),
                edits: Edits::default(),
            };
            pass.block(body, Block(number as u32));
        }
    }
}

impl Pass<'_> {
    fn block(mut self, body: &mut Body, block: Block) {
        let insts = body.block(block).insts.clone();
        for step in 0..insts.len() {
            let place = match self.is_load {
                true => step,
                false => insts.len() - 1 - step,
            };
            let data = body.inst(insts[place]);
            let (mem, is_load) = match &data.op {
                Op::Load(mem) if !mem.is_volatile => (*mem, true),
                Op::Store(mem) if !mem.is_volatile => (*mem, false),
                Op::Load(_) | Op::Store(_) => {
                    self.finish_all(body);
                    continue;
                }
                // Nothing passes what waits for others or tells them something.
                op if !op.is_pure() => {
                    self.finish_all(body);
                    continue;
                }
                _ => continue,
            };
            self.access(body, insts[place], place, mem, is_load);
        }
        self.finish_all(body);
        self.edits.apply(body, block);
    }

    fn access(&mut self, body: &mut Body, inst: Inst, place: usize, mem: Mem, is_load: bool) {
        let access = Access::new(body, mem, body.inst(inst).args[0]);
        let (base, offset) = (access.at.base, access.at.offset);
        // The run that it belongs to: those of one run do not touch each other.
        let mut own = None;
        if is_load == self.is_load && is_single(&mem) {
            let single = Single {
                inst,
                place,
                base,
                offset,
                mem,
            };
            let same = |run: &Run| {
                let first = &run.list[0];
                let kind = |mem: &Mem| (mem.space, mem.ty.bytes(), mem.is_constant);
                first.base == base && kind(&first.mem) == kind(&mem)
            };
            let found = self.runs.iter().position(same);
            let passes = |run: &Run| {
                let may_overlap =
                    |other: &u32| access.may_overlap(&self.passed[*other as usize], self.params);
                mem.is_constant || !run.between.iter().any(may_overlap)
            };
            match found {
                Some(at) if passes(&self.runs[at]) && self.runs[at].offsets.insert(offset) => {
                    self.runs[at].list.push(single);
                    own = Some(at);
                }
                _ => {
                    if let Some(at) = found {
                        let run = self.runs.remove(at);
                        self.finish(body, &run);
                    }
                    own = Some(self.runs.len());
                    self.runs.push(Run {
                        list: vec![single],
                        offsets: std::iter::once(offset).collect(),
                        between: Vec::new(),
                    });
                }
            }
        }
        // Loads may pass loads.
        if !(mem.is_constant || self.is_load && is_load) {
            let number = self.passed.len() as u32;
            self.passed.push(access);
            for (at, run) in self.runs.iter_mut().enumerate() {
                if own != Some(at) && access.shares_space(&run.list[0].mem) {
                    run.between.push(number);
                }
            }
            if let Some(at) = (self.runs.iter()).position(|run| run.between.len() > MOST_BETWEEN) {
                let run = self.runs.remove(at);
                self.finish(body, &run);
            }
        }
    }

    fn finish_all(&mut self, body: &mut Body) {
        for run in std::mem::take(&mut self.runs) {
            self.finish(body, &run);
        }
    }

    fn finish(&mut self, body: &mut Body, run: &Run) {
        if run.list.len() < 2 {
            return;
        }
        let by_base = alignment(body, run.list[0].base, self.symbols, 0);
        let place = |(of, single): (usize, &Single)| {
            let by_address = by_base.min(1 << single.offset.trailing_zeros().min(12));
            Place {
                offset: single.offset,
                align: i64::from(single.mem.origin.align).max(by_address as i64),
                of,
            }
        };
        let places = run.list.iter().enumerate().map(place).collect();
        let bytes = run.list[0].mem.ty.bytes() as i64;
        for group in groups(places, bytes, self.is_load) {
            match self.is_load {
                true => join_accesses::loads(body, &run.list, &group, &mut self.edits),
                false => join_accesses::stores(body, &run.list, &group, &mut self.edits),
            }
        }
    }
}

/// Whether an access may be joined with others: `__ldg` and its like stay what they are.
fn is_single(mem: &Mem) -> bool {
    let is_data = !matches!(mem.space, Space::Param | Space::Constant);
    let is_free = mem.cache == Cache::Any && (mem.origin.align > 0 || !mem.is_constant);
    mem.count == 1 && is_data && is_free
}

/// What an address is known to be a multiple of.
fn alignment(body: &Body, value: Value, symbols: &[SymbolData], depth: usize) -> u64 {
    if let Some(bits) = body.constant(value) {
        return 1 << bits.trailing_zeros().min(12);
    }
    let Some(inst) = body.def(value).filter(|_| depth < 20) else {
        return 1;
    };
    let of = |arg: &Value| alignment(body, *arg, symbols, depth + 1);
    match (&inst.op, &inst.args[..]) {
        (Op::Symbol(symbol), _) => symbols[symbol.0 as usize].align,
        (Op::Slot(slot), _) => body.slots[slot.0 as usize].best_align(),
        (Op::Bin(Bin::Add | Bin::Sub | Bin::Or), [a, b]) => of(a).min(of(b)),
        (Op::Bin(Bin::Mul), [a, b]) => (of(a) * of(b)).min(4096),
        (Op::Bin(Bin::And), [a, b]) => of(a).max(of(b)),
        (Op::Bin(Bin::Shl), [a, by]) => match body.constant(*by) {
            Some(by) if by < 12 => (of(a) << by).min(4096),
            _ => of(a),
        },
        (Op::Cvt(Cvt::ZeroExtend | Cvt::SignExtend), [a]) => of(a),
        (Op::ToGeneric(Space::Shared | Space::Local), [a]) => of(a),
        _ => 1,
    }
}
