//! Registers of 16 bits: keeps 16 bits in such a register from where they are read or computed to where they are used,
//! where nobody wants them as a whole number between. The assembler then knows them for the same, and fuses products of
//! `half` with sums as it does in NVIDIA's PTX.

use super::analyses::Analyses;
use super::dce;
use super::rewrite::Replaced;
use crate::ir::build::Builder;
use crate::ir::{Body, Cvt, Def, Inst, MemTy, Op, Ty, Value};

pub(super) fn run(builder: &mut Builder, analyses: &mut Analyses) {
    if !builder.body.values.iter().any(|(ty, _)| *ty == Ty::B16) {
        return;
    }
    for inst in all_of(&builder.body) {
        store_as_it_is(&mut builder.body, inst);
    }
    // What nobody wants any more wants nothing itself.
    dce::run(&mut builder.body, analyses);
    let body = &builder.body;
    let insts = all_of(body);
    let mut narrow = Sixteen::candidates(body, &insts);
    while insts
        .iter()
        .fold(false, |lost, inst| narrow.refuse(body, *inst) | lost)
    {}
    narrow.rewrite(builder, &insts);
}

fn all_of(body: &Body) -> Vec<Inst> {
    let blocks = body.blocks.iter();
    blocks.flat_map(|block| &block.insts).copied().collect()
}

/// A store of 16 bits does not see what the others are.
fn store_as_it_is(body: &mut Body, inst: Inst) {
    if !matches!(&body.inst(inst).op, Op::Store(mem) if mem.ty == MemTy::U16) {
        return;
    }
    for at in 1..body.inst(inst).args.len() {
        let extended = body.def(body.inst(inst).args[at]);
        if let Some(data) = extended
            && data.op == Op::Cvt(Cvt::ZeroExtendFrom(16))
        {
            body.insts[inst.0 as usize].args[at] = data.args[0];
        }
    }
}

/// By value: whether it becomes one of 16 bits.
struct Sixteen(Vec<bool>);

impl Sixteen {
    /// What may become one: words of memory, and what comes together of such.
    fn candidates(body: &Body, insts: &[Inst]) -> Self {
        let mut is_narrow = vec![false; body.values.len()];
        for inst in insts {
            let data = body.inst(*inst);
            if is_word(&data.op)
                || matches!(data.op, Op::Phi(_)) && body.ty(data.results[0]) == Ty::B32
            {
                data.results
                    .iter()
                    .for_each(|value| is_narrow[value.0 as usize] = true);
            }
        }
        Self(is_narrow)
    }

    fn has(&self, value: Value) -> bool {
        self.0[value.0 as usize]
    }

    /// Whether a value is there as 16 bits, or will be.
    fn can_be(&self, body: &Body, value: Value) -> bool {
        self.has(value)
            || !matches!(body.values[value.0 as usize].1, Def::Inst(..))
            || widened(body, value).is_some()
    }

    /// Whether an instruction made some no candidates any more.
    fn refuse(&mut self, body: &Body, inst: Inst) -> bool {
        let data = body.inst(inst);
        let all = |values: &[Value]| values.iter().all(|value| self.can_be(body, *value));
        let lost: Vec<Value> = match &data.op {
            Op::Cvt(Cvt::Truncate) if body.ty(data.results[0]) == Ty::B16 => Vec::new(),
            Op::Phi(_) if self.has(data.results[0]) && all(&data.args) => Vec::new(),
            Op::Phi(_) => data.args.iter().chain(&data.results).copied().collect(),
            Op::Store(mem) if mem.ty == MemTy::U16 && all(&data.args[1..]) => vec![data.args[0]],
            Op::Load(_) if data.results.iter().all(|value| self.has(*value)) => data.args.to_vec(),
            Op::Load(_) => data.args.iter().chain(&data.results).copied().collect(),
            _ => data.args.to_vec(),
        };
        let mut has_lost = false;
        for value in lost {
            has_lost |= std::mem::take(&mut self.0[value.0 as usize]);
        }
        has_lost
    }

    fn rewrite(&self, builder: &mut Builder, insts: &[Inst]) {
        let mut replaced = Replaced::new(&builder.body);
        for inst in insts {
            let data = builder.body.inst(*inst).clone();
            match &data.op {
                Op::Cvt(Cvt::Truncate) if self.has(data.args[0]) => {
                    replaced.set(data.results[0], data.args[0])
                }
                Op::Phi(_) if self.has(data.results[0]) => self.take(builder, *inst, 0),
                Op::Store(mem) if mem.ty == MemTy::U16 => {
                    let values = &data.args[1..];
                    let is_worth = |value: &Value| {
                        self.has(*value) || widened(&builder.body, *value).is_some()
                    };
                    if values
                        .iter()
                        .all(|value| self.can_be(&builder.body, *value))
                        && values.iter().any(is_worth)
                    {
                        self.take(builder, *inst, 1);
                    }
                }
                _ => {}
            }
        }
        for (at, is_narrow) in self.0.iter().enumerate() {
            if *is_narrow {
                builder.body.values[at].0 = Ty::B16;
            }
        }
        replaced.apply(&mut builder.body);
    }

    /// Puts values of 16 bits in the place of an instruction's arguments from one on.
    fn take(&self, builder: &mut Builder, inst: Inst, from: usize) {
        for at in from..builder.body.inst(inst).args.len() {
            let arg = builder.body.inst(inst).args[at];
            let narrow = match builder.body.values[arg.0 as usize].1 {
                Def::Const(bits) => builder.constant(Ty::B16, bits & Ty::B16.mask()),
                Def::Undefined => builder.body.make_undefined(Ty::B16),
                Def::Inst(..) => widened(&builder.body, arg).unwrap_or(arg),
            };
            builder.body.insts[inst.0 as usize].args[at] = narrow;
        }
    }
}

fn is_word(op: &Op) -> bool {
    matches!(op, Op::Load(mem) if mem.ty == MemTy::U16)
}

/// The 16 bits that a whole number was made of.
fn widened(body: &Body, value: Value) -> Option<Value> {
    let data = body.def(value)?;
    let of = *data.args.first()?;
    (data.op == Op::Cvt(Cvt::ZeroExtend) && body.ty(of) == Ty::B16).then_some(of)
}
