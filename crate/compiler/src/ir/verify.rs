//! Whether a body is one: every name is there, every value is computed before it is used, phis are as the graph is, and
//! operations have the types that they take. What instructions mean is not asked.

use super::graph::{Graph, successors};
use super::intrinsics::Call;
use super::{Bin, Block, Body, Cmp, Cvt, Def, Effect, Inst, Instruction, Op, Term, Ty, Value};
use std::fmt::Write;

/// What is wrong with a body of a kernel with so many parameters in a module with so many variables; nothing if it is one.
pub(crate) fn verify(body: &Body, params: usize, symbols: usize) -> Vec<String> {
    let mut verifier = Verifier {
        body,
        params,
        symbols,
        wrong: Vec::new(),
    };
    verifier.names();
    // What follows looks up what is named.
    if verifier.wrong.is_empty() {
        let graph = Graph::new(body);
        verifier.order(&graph);
        for (_, inst) in graph.insts(body) {
            verifier.types(body.inst(inst));
        }
        for block in &graph.order {
            verifier.end(*block);
        }
    }
    verifier.wrong
}

struct Verifier<'a> {
    body: &'a Body,
    params: usize,
    symbols: usize,
    wrong: Vec<String>,
}

impl Verifier<'_> {
    fn tell(&mut self, data: &Instruction, what: &str) {
        let mut text = String::new();
        for result in &data.results {
            let _ = write!(text, "%{} ", result.0);
        }
        let _ = write!(text, "{:?} of", data.op);
        for arg in &data.args {
            let _ = match self.body.values.get(arg.0 as usize) {
                Some((ty, Def::Const(bits))) => write!(text, " {bits}:{ty:?}"),
                Some((ty, _)) => write!(text, " %{}:{ty:?}", arg.0),
                None => write!(text, " %{}", arg.0),
            };
        }
        self.wrong.push(format!("{text}: {what}"));
    }

    /// Every block, value and object that is named is there, and an instruction stands in one place.
    fn names(&mut self) {
        let body = self.body;
        if body.blocks.is_empty() {
            self.wrong.push("there is no block".to_string());
        }
        let mut is_placed = vec![false; body.insts.len()];
        for (number, block) in body.blocks.iter().enumerate() {
            for inst in &block.insts {
                match is_placed.get_mut(inst.0 as usize) {
                    None => self.wrong.push(format!("block{number} has no {inst:?}")),
                    Some(placed) => {
                        let data = &body.insts[inst.0 as usize];
                        if std::mem::replace(placed, true) {
                            self.tell(data, "it stands in two places");
                        }
                        self.names_of(*inst, data);
                    }
                }
            }
            if successors(block.term).any(|next| next.0 as usize >= body.blocks.len()) {
                self.wrong.push(format!("block{number} leads nowhere"));
            }
            if let Term::Branch(condition, ..) = block.term
                && condition.0 as usize >= body.values.len()
            {
                self.wrong.push(format!("block{number} asks for no value"));
            }
        }
    }

    fn names_of(&mut self, inst: Inst, data: &Instruction) {
        let body = self.body;
        let is_value = |value: &Value| (value.0 as usize) < body.values.len();
        if !data.args.iter().chain(&data.results).all(is_value) {
            self.tell(data, "it names a value that is not there");
            return;
        }
        for (at, result) in data.results.iter().enumerate() {
            if body.values[result.0 as usize].1 != Def::Inst(inst, at as u32) {
                self.tell(data, "its result is another's");
            }
        }
        let is_there = match &data.op {
            Op::Param(number) | Op::ParamAddress(number) => (*number as usize) < self.params,
            Op::Symbol(symbol) => (symbol.0 as usize) < self.symbols,
            Op::Slot(slot) => (slot.0 as usize) < body.slots.len(),
            Op::Phi(from) => {
                let is_block = |block: &Block| (block.0 as usize) < body.blocks.len();
                from.len() == data.args.len() && from.iter().all(is_block)
            }
            _ => true,
        };
        if !is_there {
            self.tell(data, "it names what is not there");
        }
    }

    /// Values are computed before they are used, on every way; phis stand first, with an argument for each way. Those of ways
    /// that a pass has closed may stay until `graph::prune_phis` takes them away.
    fn order(&mut self, graph: &Graph) {
        let body = self.body;
        let homes = graph.homes(body);
        // By instruction: its place in its block.
        let mut places = vec![0; body.insts.len()];
        for block in &graph.order {
            for (at, inst) in body.block(*block).insts.iter().enumerate() {
                places[inst.0 as usize] = at;
            }
        }
        let is_before =
            |value: Value, block: Block, at: usize| match body.values[value.0 as usize].1 {
                Def::Const(_) | Def::Undefined => true,
                Def::Inst(inst, _) => match homes[inst.0 as usize] {
                    Some(home) if home == block => places[inst.0 as usize] < at,
                    Some(home) => graph.dominates(home, block),
                    None => false,
                },
            };
        for block in &graph.order {
            let mut is_first = true;
            for (at, inst) in body.block(*block).insts.iter().enumerate() {
                let data = body.inst(*inst);
                if let Op::Phi(from) = &data.op {
                    let before = &graph.before[block.0 as usize];
                    if !before.iter().all(|way| from.contains(way)) {
                        self.tell(data, &format!("control comes from {before:?}"));
                    }
                    if !is_first {
                        self.tell(data, "it stands behind what is no phi");
                    }
                    let mut ways = from.iter().zip(&data.args);
                    let is_open = |from: &Block| before.contains(from);
                    if !ways.all(|(from, arg)| !is_open(from) || is_before(*arg, *from, usize::MAX))
                    {
                        self.tell(data, "an argument is not computed on its way");
                    }
                    continue;
                }
                is_first = false;
                if !data.args.iter().all(|arg| is_before(*arg, *block, at)) {
                    self.tell(data, "an argument is not computed before it");
                }
            }
            if let Term::Branch(condition, ..) = body.block(*block).term
                && !is_before(condition, *block, usize::MAX)
            {
                let what = format!("block{} asks for what is not computed before", block.0);
                self.wrong.push(what);
            }
        }
    }

    /// A block that is reached leads somewhere, and by a condition that is one.
    fn end(&mut self, block: Block) {
        match self.body.block(block).term {
            Term::None => self.wrong.push(format!("block{} has no end", block.0)),
            Term::Branch(condition, ..) if self.body.ty(condition) != Ty::Pred => {
                let what = format!("block{} asks for a value that is no condition", block.0);
                self.wrong.push(what);
            }
            _ => {}
        }
    }

    fn types(&mut self, data: &Instruction) {
        let body = self.body;
        let of =
            |values: &[Value]| -> Vec<Ty> { values.iter().map(|value| body.ty(*value)).collect() };
        let (args, results) = (of(&data.args), of(&data.results));
        if !is_typed(&data.op, &args, &results) {
            self.tell(
                data,
                &format!("it takes no {args:?}, or gives no {results:?}"),
            );
        }
    }
}

/// Whether an operation takes values of these types and gives such results.
fn is_typed(op: &Op, args: &[Ty], results: &[Ty]) -> bool {
    let is_address = |ty: &Ty| matches!(ty, Ty::B32 | Ty::B64);
    match (op, args, results) {
        (Op::Bin(bin), [a, b], [result]) => of_two(*bin, *a, *b, *result),
        (Op::Un(_), [a], [result]) => a == result,
        (Op::Cmp(cmp), [a, b], [Ty::Pred]) => {
            let is_of_floats = matches!(cmp, Cmp::Lt | Cmp::Le | Cmp::Gt | Cmp::Ge);
            a == b && (matches!(cmp, Cmp::Eq | Cmp::Ne) || a.is_float() == is_of_floats)
        }
        (Op::Cvt(cvt), [from], [to]) => converts(*cvt, *from, *to),
        (Op::Fma, [a, b, c], [result]) => a.is_float() && [b, c, result] == [a; 3],
        (Op::Select, [Ty::Pred, a, b], [result]) => a == b && a == result,
        (Op::Phi(_), args, [result]) => args.iter().all(|arg| arg == result),
        (Op::Param(_), [], [_]) => true,
        (Op::ParamAddress(_) | Op::Symbol(_) | Op::Slot(_), [], [result]) => is_address(result),
        (Op::ToGeneric(_) | Op::FromGeneric(_), [a], [result]) => {
            is_address(a) && is_address(result)
        }
        (Op::Load(mem), [address], results) => {
            let is_value = |result: &Ty| *result == mem.ty.ty() || *result == Ty::B16;
            is_address(address)
                && results.len() == usize::from(mem.count)
                && results.iter().all(is_value)
        }
        (Op::Store(mem), [address, values @ ..], []) => {
            let is_value = |value: &Ty| *value == mem.ty.ty() || *value == Ty::B16;
            is_address(address)
                && values.len() == usize::from(mem.count)
                && values.iter().all(is_value)
        }
        (Op::Intrinsic(call), args, results) => takes_of_row(call, args, results),
        // What neither changes anything nor gives anything is nothing.
        (Op::Asm(asm), args, results) => {
            let mut begins = asm.begins.iter();
            (asm.effect != Effect::Pure || !results.is_empty())
                && begins.all(|(result, arg)| *result < results.len() && *arg < args.len())
        }
        _ => false,
    }
}

/// As the row's types say, where it has some: the result first. Half a register holds what a whole one does.
fn takes_of_row(call: &Call, args: &[Ty], results: &[Ty]) -> bool {
    let row = call.row();
    let mut letters = row.types.chars();
    let Some(result) = letters.next() else {
        return row.effect != Effect::Pure || !results.is_empty();
    };
    let is = |ty: &Ty, letter: char| match letter {
        'i' | 'u' => matches!(ty, Ty::B32 | Ty::B16),
        'f' => *ty == Ty::F32,
        'd' => *ty == Ty::F64,
        _ => *ty == Ty::B64,
    };
    let gives = match (result, results) {
        ('v', []) => true,
        (letter, [ty]) => is(ty, letter),
        _ => false,
    };
    let count = letters.clone().count();
    gives && args.len() == count && args.iter().zip(letters).all(|(ty, letter)| is(ty, letter))
}

fn of_two(bin: Bin, a: Ty, b: Ty, result: Ty) -> bool {
    match bin {
        Bin::Shl | Bin::ShrU | Bin::ShrS => a == result && !a.is_float() && !b.is_float(),
        Bin::Div | Bin::Min | Bin::Max => a.is_float() && a == b && a == result,
        Bin::Add | Bin::Sub | Bin::Mul => a == b && a == result,
        _ => a == b && a == result && !a.is_float(),
    }
}

fn converts(cvt: Cvt, from: Ty, to: Ty) -> bool {
    match cvt {
        Cvt::ZeroExtend | Cvt::SignExtend => {
            !from.is_float() && !to.is_float() && from.bits() <= to.bits()
        }
        Cvt::Truncate => !from.is_float() && !to.is_float() && from.bits() >= to.bits(),
        Cvt::ZeroExtendFrom(_) | Cvt::SignExtendFrom(_) => !from.is_float() && !to.is_float(),
        Cvt::Bits => from.bits() == to.bits(),
        Cvt::UnsignedToFloat | Cvt::SignedToFloat => !from.is_float() && to.is_float(),
        Cvt::FloatToUnsigned | Cvt::FloatToSigned => from.is_float() && !to.is_float(),
        Cvt::Float => from.is_float() && to.is_float(),
    }
}
