//! Runs instructions while compiling, where a constant is what a function with loops and variables gives.

use super::{Lower, SymbolData};
use crate::hash::HashMap;
use crate::ir::build::Builder;
use crate::ir::{Block, Body, Mem, MemTy, Op, Term, Ty, Value};
use crate::limits::EVALUATED;

/// Where the thread's own objects lie, and the module's: an object's number stands above the offset.
pub(super) const OBJECT: u32 = 40;
pub(super) const OF_MODULE: u64 = 1 << 63;

/// How far the address of an object may lie from the object.
const MOST_DEPTH: usize = 32;

/// Where a run begins: a block, and how many of its instructions were run before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    pub(super) block: Block,
    pub(super) inst: usize,
}

struct Machine<'a> {
    builder: &'a mut Builder,
    symbols: &'a [SymbolData],
    values: HashMap<Value, u64>,
    /// The bytes of objects; none where nothing was put yet.
    objects: HashMap<u64, Vec<Option<u8>>>,
    /// Steps that may still be made.
    steps: usize,
    /// Values that are looked for within each other.
    depth: usize,
}

impl Lower<'_> {
    pub(super) fn start(&self) -> Start {
        let block = self.builder.at;
        let inst = self.builder.body.block(block).insts.len();
        Start { block, inst }
    }

    /// What a value is when all from a start to here is run; none if that is not known while compiling.
    pub(super) fn evaluated(&mut self, start: Start, value: Value) -> Option<u64> {
        if let Some(bits) = self.builder.body.constant(value) {
            // What stands behind a loop is a constant only if the loop comes to its end.
            if start.block == self.builder.at {
                return Some(bits);
            }
            self.run(start, |_| ());
            return (!self.is_evaluated_out()).then_some(bits);
        }
        let mut found = None;
        self.run(start, |machine| found = machine.value(value));
        found
    }

    /// The bytes of an object at an address, in the same way.
    pub(super) fn evaluated_bytes(
        &mut self,
        start: Start,
        address: Value,
        size: u64,
    ) -> Option<Vec<Option<u8>>> {
        let mut found = None;
        self.run(start, |machine| {
            found = machine.value(address).and_then(|at| {
                let byte = |offset| Some(machine.byte(at.checked_add(offset)?));
                (0..size).map(byte).collect()
            });
        });
        found
    }

    /// Whether the constants of this source took all the steps that there are.
    pub(super) fn is_evaluated_out(&self) -> bool {
        self.evaluated >= EVALUATED
    }

    /// Runs all from a start to here, and then looks at what is left.
    fn run(&mut self, start: Start, look: impl FnOnce(&mut Machine<'_>)) {
        if self.builder.is_ended() {
            return;
        }
        let end = self.builder.at;
        let mut machine = Machine {
            builder: &mut self.builder,
            symbols: &self.module.symbols,
            values: HashMap::default(),
            objects: HashMap::default(),
            steps: EVALUATED.saturating_sub(self.evaluated),
            depth: 0,
        };
        let before = machine.steps;
        if machine.run(start, end).is_some() {
            look(&mut machine);
        }
        let made = before - machine.steps;
        self.evaluated += made;
    }
}

impl Machine<'_> {
    fn body(&self) -> &Body {
        &self.builder.body
    }

    /// Runs up to the end of the last block, which is still being written.
    fn run(&mut self, start: Start, end: Block) -> Option<()> {
        let (mut block, mut from, mut came) = (start.block, start.inst, start.block);
        loop {
            let insts = self.body().block(block).insts.clone();
            for inst in insts.get(from..)? {
                self.steps = self.steps.checked_sub(1)?;
                self.instruction(*inst, came)?;
            }
            let next = match self.body().block(block).term {
                Term::None if block == end => return Some(()),
                Term::Jump(next) => next,
                Term::Branch(condition, yes, no) => match self.value(condition)? {
                    0 => no,
                    _ => yes,
                },
                Term::None | Term::Return => return None,
            };
            self.steps = self.steps.checked_sub(1)?;
            (came, block, from) = (block, next, 0);
        }
    }

    fn instruction(&mut self, inst: crate::ir::Inst, came: Block) -> Option<()> {
        let inst = self.body().inst(inst).clone();
        let bits = match &inst.op {
            Op::Phi(blocks) => {
                let number = blocks.iter().position(|block| *block == came)?;
                self.value(*inst.args.get(number)?)?
            }
            Op::Load(mem) => {
                let address = self.value(inst.args[0])?;
                for (number, result) in inst.results.iter().enumerate() {
                    let at = address.checked_add(number as u64 * mem.ty.bytes())?;
                    let bits = self.load(mem, at)?;
                    self.values.insert(*result, bits);
                }
                return Some(());
            }
            Op::Store(mem) => {
                let address = self.value(inst.args[0])?;
                for (number, value) in inst.args[1..].iter().enumerate() {
                    let at = address.checked_add(number as u64 * mem.ty.bytes())?;
                    let bits = self.value(*value)?;
                    self.store(mem, at, bits)?;
                }
                return Some(());
            }
            op => self.pure(op, &inst.args, *inst.results.first()?)?,
        };
        self.values.insert(*inst.results.first()?, bits);
        Some(())
    }

    /// What an instruction gives that does nothing but that.
    fn pure(&mut self, op: &Op, args: &[Value], result: Value) -> Option<u64> {
        match op {
            Op::Slot(slot) => {
                let size = usize::try_from(self.body().slots[slot.0 as usize].size).ok()?;
                let number = u64::from(slot.0) + 1;
                if size > 16 * crate::limits::PARTS {
                    return None;
                }
                self.objects
                    .entry(number)
                    .or_insert_with(|| vec![None; size]);
                Some(number << OBJECT)
            }
            Op::Symbol(symbol) => Some(OF_MODULE | u64::from(symbol.0) << OBJECT),
            Op::ToGeneric(_) | Op::FromGeneric(_) => self.value(*args.first()?),
            Op::Param(_) | Op::ParamAddress(_) => None,
            Op::Intrinsic(_) | Op::Asm(_) => None,
            _ => {
                let ty = self.body().ty(result);
                let mut known = Vec::with_capacity(args.len());
                for arg in args {
                    let (bits, ty) = (self.value(*arg)?, self.body().ty(*arg));
                    known.push(self.builder.constant(ty, bits));
                }
                let found = self.builder.fold(op, ty, &known)?;
                self.body().constant(found)
            }
        }
    }

    fn value(&mut self, value: Value) -> Option<u64> {
        if let Some(bits) = self.values.get(&value) {
            return Some(*bits);
        }
        if let Some(bits) = self.body().constant(value) {
            return Some(bits);
        }
        // What was found before the start, such as the address of an object.
        let inst = self.body().def(value)?.clone();
        self.steps = self.steps.checked_sub(1)?;
        if !matches!(
            inst.op,
            Op::Slot(_) | Op::Symbol(_) | Op::ToGeneric(_) | Op::Bin(_)
        ) {
            return None;
        }
        if self.depth > MOST_DEPTH {
            return None;
        }
        self.depth += 1;
        let bits = self.pure(&inst.op, &inst.args, value);
        self.depth -= 1;
        self.values.insert(value, bits?);
        bits
    }

    fn byte(&self, address: u64) -> Option<u8> {
        let offset = usize::try_from(address & ((1 << OBJECT) - 1)).ok()?;
        if address & OF_MODULE != 0 {
            let number = (address & !OF_MODULE) >> OBJECT;
            let symbol = self.symbols.get(usize::try_from(number).ok()?)?;
            let init = symbol.init.as_ref().filter(|_| symbol.is_constexpr)?;
            return init.get(offset).copied();
        }
        *self.objects.get(&(address >> OBJECT))?.get(offset)?
    }

    fn load(&self, mem: &Mem, address: u64) -> Option<u64> {
        let mut bits = [0; 8];
        for (number, byte) in bits.iter_mut().enumerate().take(mem.ty.bytes() as usize) {
            *byte = self.byte(address.checked_add(number as u64)?)?;
        }
        let bits = u64::from_le_bytes(bits);
        Some(match mem.ty {
            MemTy::S8 => bits as u8 as i8 as u64 & Ty::B32.mask(),
            MemTy::S16 => bits as u16 as i16 as u64 & Ty::B32.mask(),
            _ => bits,
        })
    }

    fn store(&mut self, mem: &Mem, address: u64, bits: u64) -> Option<()> {
        let object = self.objects.get_mut(&(address >> OBJECT))?;
        let offset = usize::try_from(address & ((1 << OBJECT) - 1)).ok()?;
        let bytes = mem.ty.bytes() as usize;
        let place = object.get_mut(offset..offset.checked_add(bytes)?)?;
        for (place, byte) in place.iter_mut().zip(bits.to_le_bytes()) {
            *place = Some(byte);
        }
        Some(())
    }
}
