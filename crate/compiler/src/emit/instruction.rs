//! One instruction as text.

use super::depot::Depot;
use super::names::{
    Name, Operand, Plain, access_name, comparison, list, literal, mem_type, mov_name, space_name,
};
use super::registers::{Register, Registers};
use super::wide::{Factor, Wide};
use crate::ir::graph::Graph;
use crate::ir::intrinsics::{Call, with_operands};
use crate::ir::{
    Asm, Bin, Block, Body, Cvt, Def, Inst, Instruction, Mem, MemTy, Op, Space, Ty, Un, Value,
};
use crate::lower::{KernelParam, SymbolData};
use std::fmt::Write;

pub(super) struct Writer<'a> {
    pub(super) body: &'a Body,
    pub(super) symbols: &'a [SymbolData],
    pub(super) params: &'a [KernelParam],
    pub(super) name: &'a str,
    /// Which of the module's it is.
    pub(super) number: usize,
    pub(super) registers: Registers,
    pub(super) wanted: Vec<bool>,
    /// By instruction: its block.
    pub(super) homes: Vec<Option<Block>>,
    /// By value: how often it is read.
    pub(super) uses: Vec<u32>,
    /// By instruction: whether it is part of another.
    pub(super) inlined: Vec<bool>,
    pub(super) text: String,
    pub(super) depot: Depot,
}

/// An address as a register and a constant that the access adds.
pub(super) fn split(body: &Body, address: Value) -> (Value, i64) {
    if let Some(inst) = body.def(address)
        && let (Op::Bin(Bin::Add), [base, by]) = (&inst.op, &inst.args[..])
        && let Some(by) = body
            .constant(*by)
            .and_then(|by| i32::try_from(by as i64).ok())
    {
        return (*base, i64::from(by));
    }
    (address, 0)
}

impl Writer<'_> {
    pub(super) fn register(&mut self, value: Value) -> Register {
        match self.known(value) {
            None => self.registers.of(self.body, value),
            Some(bits) => {
                let ty = self.body.ty(value);
                let register = self.registers.fresh(ty);
                let literal = literal(ty, bits);
                let _ = writeln!(self.text, "\t{} \t{register}, {literal};", mov_name(ty));
                register
            }
        }
    }

    /// The bits of a constant.
    fn known(&self, value: Value) -> Option<u64> {
        match self.body.values[value.0 as usize].1 {
            Def::Inst(..) | Def::Undefined => None,
            Def::Const(bits) => Some(bits),
        }
    }

    /// A register, or a constant where PTX takes one.
    fn operand(&mut self, value: Value) -> Plain {
        let (ty, def) = self.body.values[value.0 as usize];
        match def {
            // What was never set is a register that nothing writes: who executes the PTX can tell.
            Def::Inst(..) | Def::Undefined => Plain::Register(self.registers.of(self.body, value)),
            Def::Const(_) if ty == Ty::Pred => Plain::Register(self.register(value)),
            Def::Const(bits) => Plain::Constant(ty, bits),
        }
    }

    fn line<'n>(&mut self, what: impl Into<Name<'n>>, operands: &[Operand]) {
        let text = &mut self.text;
        text.push('\t');
        what.into().write(text);
        for (number, operand) in operands.iter().enumerate() {
            text.push_str(if number == 0 { " \t" } else { ", " });
            operand.write(text);
        }
        text.push_str(";\n");
    }

    /// Marks products that become part of a sum, and extensions that become part of a product.
    pub(super) fn find_inlined(&mut self, graph: &Graph) {
        for block in &graph.order {
            for inst in &self.body.block(*block).insts {
                if let Some(product) = self.product_of_sum(*inst)
                    && self.homes[product.0 as usize] == Some(*block)
                {
                    self.inlined[product.0 as usize] = true;
                }
            }
        }
    }

    /// The product in a sum of 32 bits that nothing else needs.
    fn product_of_sum(&self, inst: Inst) -> Option<Inst> {
        let data = self.body.inst(inst);
        if !data.op.is_bin(Bin::Add) || self.body.ty(data.results[0]) != Ty::B32 {
            return None;
        }
        data.args.iter().find_map(|arg| {
            let product = self
                .body
                .def(*arg)
                .filter(|inst| inst.op.is_bin(Bin::Mul))?;
            let Def::Inst(number, _) = self.body.values[product.results[0].0 as usize].1 else {
                return None;
            };
            (self.uses[arg.0 as usize] == 1).then_some(number)
        })
    }

    /// Whether an instruction is written by itself.
    pub(super) fn is_written(&self, inst: Inst) -> bool {
        self.wanted[inst.0 as usize] && !self.inlined[inst.0 as usize]
    }

    /// Calls with each value whose register an instruction reads, and perhaps with others.
    pub(super) fn reads(&self, inst: Inst, mut read: impl FnMut(Value)) {
        let body = self.body;
        let data = body.inst(inst);
        if matches!(data.op, Op::Load(_) | Op::Store(_)) {
            read(split(body, data.args[0]).0);
            data.args[1..].iter().for_each(|arg| read(*arg));
            return;
        }
        for arg in data.args.iter() {
            read(*arg);
            let Def::Inst(inner, _) = body.values[arg.0 as usize].1 else {
                continue;
            };
            // It may be written as a part of this one.
            let is_part = match body.inst(inner).op {
                Op::Cvt(Cvt::ZeroExtend | Cvt::SignExtend) => matches!(data.op, Op::Bin(_)),
                Op::FromGeneric(_) => matches!(data.op, Op::ToGeneric(_)),
                _ => self.inlined[inner.0 as usize],
            };
            if is_part {
                body.inst(inner).args.iter().for_each(|arg| read(*arg));
            }
        }
    }

    pub(super) fn instruction(&mut self, inst: Inst) {
        let body = self.body;
        let data = body.inst(inst);
        let result = data.results.first().copied();
        match (&data.op, result) {
            (Op::Bin(bin), Some(result)) => self.bin(*bin, inst, data, result),
            (Op::Un(un), Some(result)) => {
                let ty = self.body.ty(result);
                let what = match (un, ty.is_float()) {
                    (Un::Not, _) if ty == Ty::Pred => {
                        self.simple("not.pred", result, &data.args);
                        return;
                    }
                    (Un::Not, _) => "not.b",
                    (Un::Neg, true) => "neg.f",
                    (Un::Neg, false) => "neg.s",
                    (Un::Abs, true) => "abs.f",
                    (Un::Abs, false) => "abs.s",
                    (Un::Sqrt, _) => "sqrt.rn.f",
                };
                self.simple((what, ty.bits()), result, &data.args);
            }
            (Op::Cmp(cmp), Some(result)) => {
                let ty = self.body.ty(data.args[0]);
                let what = comparison(*cmp, ty.is_float());
                self.simple((what, ty.bits()), result, &data.args);
            }
            (Op::Cvt(cvt), Some(result)) => self.conversion(*cvt, data.args[0], result),
            (Op::Fma, Some(result)) => {
                let what = match self.body.ty(result) {
                    Ty::F32 => "fma.rn.f32",
                    _ => "fma.rn.f64",
                };
                self.simple(what, result, &data.args);
            }
            (Op::Select, Some(result)) => {
                let ty = self.body.ty(result);
                let what = if ty.is_float() { "selp.f" } else { "selp.b" };
                let operands = [data.args[1], data.args[2], data.args[0]];
                self.simple((what, ty.bits()), result, &operands);
            }
            (Op::Param(number), Some(result)) => {
                let mem = self.params[*number as usize].mem.unwrap_or(MemTy::B32);
                let to = self.registers.of(self.body, result);
                let place = format!("[{}_param_{number}]", self.name);
                self.line(
                    &*format!("ld.param.{}", mem_type(mem)),
                    &[to.into(), place.into()],
                );
            }
            (Op::ParamAddress(number), Some(result)) => {
                let place = format!("{}_param_{number}", self.name);
                let to = self.registers.of(self.body, result);
                self.line("mov.b64", &[to.into(), place.into()]);
            }
            (Op::Symbol(symbol), Some(result)) => {
                let to = self.registers.of(self.body, result);
                let name = self.symbols[symbol.0 as usize].name.clone();
                self.line("mov.u64", &[to.into(), name.into()]);
            }
            (Op::Slot(slot), Some(result)) => {
                let to = self.registers.of(self.body, result);
                let offset = self.depot.offsets.get(&slot.0).copied().unwrap_or(0);
                let number = self.number;
                let _ = writeln!(self.text, "\tmov.u64 \t{to}, __local_depot{number};");
                if offset > 0 {
                    self.line(
                        "add.s64",
                        &[to.into(), to.into(), offset.to_string().into()],
                    );
                }
            }
            (Op::ToGeneric(space), Some(result)) => self.generic(*space, data.args[0], result),
            (Op::FromGeneric(space), Some(result)) => {
                let what = format!("cvta.to.{}.u64", space_name(*space));
                self.simple(&*what, result, &data.args);
            }
            (Op::Load(mem), _) => self.load(mem, data),
            (Op::Store(mem), _) => self.store(mem, data),
            (Op::Intrinsic(call), _) => self.intrinsic(call, data),
            (Op::Asm(asm), _) => self.asm(asm, data),
            _ => {}
        }
    }

    fn simple<'n>(&mut self, what: impl Into<Name<'n>>, result: Value, args: &[Value]) {
        // No operation takes more than three. The registers of constants are set before the line begins.
        let mut operands = [Plain::Register(self.registers.of(self.body, result)); 4];
        let operands = &mut operands[..=args.len().min(3)];
        for (operand, arg) in operands[1..].iter_mut().zip(args) {
            *operand = self.operand(*arg);
        }
        let text = &mut self.text;
        text.push('\t');
        what.into().write(text);
        for (number, operand) in operands.iter().enumerate() {
            text.push_str(if number == 0 { " \t" } else { ", " });
            operand.write(text);
        }
        text.push_str(";\n");
    }

    fn bin(&mut self, bin: Bin, inst: Inst, data: &Instruction, result: Value) {
        let ty = self.body.ty(result);
        let bits = ty.bits();
        if let Some(product) = self
            .product_of_sum(inst)
            .filter(|product| self.inlined[product.0 as usize])
        {
            let product = self.body.inst(product).clone();
            let rest = if data.args[0] == product.results[0] {
                data.args[1]
            } else {
                data.args[0]
            };
            self.simple(
                "mad.lo.s32",
                result,
                &[product.args[0], product.args[1], rest],
            );
            return;
        }
        if self.wide_product(data, result) {
            return;
        }
        if let (Bin::Div, Some(one)) = (bin, self.body.constant(data.args[0])) {
            let is_one = one
                == if ty == Ty::F32 {
                    u64::from(1f32.to_bits())
                } else {
                    1f64.to_bits()
                };
            if is_one {
                self.simple(("rcp.rn.f", bits), result, &data.args[1..]);
                return;
            }
        }
        if ty == Ty::Pred {
            let what = match bin {
                Bin::And => "and.pred",
                Bin::Or => "or.pred",
                _ => "xor.pred",
            };
            self.simple(what, result, &data.args);
            return;
        }
        let what = match (bin, ty.is_float()) {
            (Bin::Add, true) => "add.f",
            (Bin::Sub, true) => "sub.f",
            (Bin::Mul, true) => "mul.f",
            (Bin::Div, _) => "div.rn.f",
            (Bin::Min, _) => "min.f",
            (Bin::Max, _) => "max.f",
            (Bin::Add, _) => "add.s",
            (Bin::Sub, _) => "sub.s",
            (Bin::Mul, _) => "mul.lo.s",
            (Bin::DivU, _) => "div.u",
            (Bin::DivS, _) => "div.s",
            (Bin::RemU, _) => "rem.u",
            (Bin::RemS, _) => "rem.s",
            (Bin::And, _) => "and.b",
            (Bin::Or, _) => "or.b",
            (Bin::Xor, _) => "xor.b",
            (Bin::Shl, _) => "shl.b",
            (Bin::ShrU, _) => "shr.u",
            (Bin::ShrS, _) => "shr.s",
            (Bin::MinU, _) => "min.u",
            (Bin::MinS, _) => "min.s",
            (Bin::MaxU, _) => "max.u",
            (Bin::MaxS, _) => "max.s",
        };
        let mut args = data.args.clone();
        if let (Bin::Shl | Bin::ShrU | Bin::ShrS, Ty::B64) = (bin, ty) {
            // A shift's count has 32 bits.
            let count = match self.body.constant(args[1]) {
                Some(count) => Operand::Text(count.to_string()),
                None => {
                    let narrow = self.registers.fresh(Ty::B32);
                    let wide = self.registers.of(self.body, args[1]);
                    self.line("cvt.u32.u64", &[narrow.into(), wide.into()]);
                    narrow.into()
                }
            };
            let (to, from) = (self.registers.of(self.body, result), self.operand(args[0]));
            self.line((what, bits), &[to.into(), from.into(), count]);
            return;
        }
        if self.body.constant(args[0]).is_some()
            && self.body.constant(args[1]).is_none()
            && matches!(bin, Bin::Add | Bin::Mul)
        {
            args.swap(0, 1);
        }
        self.simple((what, bits), result, &args);
    }

    /// A product of 64 bits of a number of 32 and another or a constant is one instruction.
    fn wide_product(&mut self, data: &Instruction, result: Value) -> bool {
        let Some(Wide { sign, from, by }) = Wide::new(self.body, &self.homes, data) else {
            return false;
        };
        let to = self.registers.of(self.body, result);
        let from = self.operand(from);
        let by = match by {
            Factor::Number(by) => self.operand(by).into(),
            Factor::Constant(by) => by.to_string().into(),
        };
        self.line(&*format!("mul.wide.{sign}"), &[to.into(), from.into(), by]);
        true
    }

    fn conversion(&mut self, cvt: Cvt, from: Value, result: Value) {
        let (a, b) = (self.body.ty(from), self.body.ty(result));
        let what = match (cvt, a, b) {
            (Cvt::ZeroExtend, Ty::B16, _) => "cvt.u32.u16".to_string(),
            (Cvt::ZeroExtend, ..) => "cvt.u64.u32".to_string(),
            (Cvt::SignExtend, ..) => "cvt.s64.s32".to_string(),
            (Cvt::Truncate, _, Ty::B16) => "cvt.u16.u32".to_string(),
            (Cvt::Truncate, ..) => "cvt.u32.u64".to_string(),
            (Cvt::ZeroExtendFrom(bits), ..) => {
                let (to, from) = (self.registers.of(self.body, result), self.operand(from));
                let mask = (1_u32 << bits) - 1;
                self.line(
                    "and.b32",
                    &[to.into(), from.into(), mask.to_string().into()],
                );
                return;
            }
            (Cvt::SignExtendFrom(bits), ..) => format!("cvt.s32.s{bits}"),
            (Cvt::Bits, ..) => format!("mov.b{}", b.bits()),
            (Cvt::UnsignedToFloat, ..) => format!("cvt.rn.f{}.u{}", b.bits(), a.bits()),
            (Cvt::SignedToFloat, ..) => format!("cvt.rn.f{}.s{}", b.bits(), a.bits()),
            (Cvt::FloatToUnsigned, ..) => format!("cvt.rzi.u{}.f{}", b.bits(), a.bits()),
            (Cvt::FloatToSigned, ..) => format!("cvt.rzi.s{}.f{}", b.bits(), a.bits()),
            (Cvt::Float, Ty::F32, _) => "cvt.f64.f32".to_string(),
            (Cvt::Float, ..) => "cvt.rn.f32.f64".to_string(),
        };
        let from = self.register(from);
        let to = self.registers.of(self.body, result);
        self.line(&*what, &[to.into(), from.into()]);
    }

    fn generic(&mut self, space: Space, from: Value, result: Value) {
        if let (Space::Global, Some(inner)) = (space, self.body.def(from))
            && inner.op == Op::FromGeneric(Space::Global)
        {
            // It came from there.
            let (to, inner) = (self.registers.of(self.body, result), inner.args[0]);
            let inner = self.register(inner);
            self.line("mov.u64", &[to.into(), inner.into()]);
            return;
        }
        let what = format!("cvta.{}.u64", space_name(space));
        self.simple(&*what, result, &[from]);
    }

    fn address(&mut self, address: Value) -> String {
        let (base, offset) = split(self.body, address);
        let base = self.register(base);
        match offset {
            0 => format!("[{base}]"),
            _ => format!("[{base}+{offset}]"),
        }
    }

    fn load(&mut self, mem: &Mem, data: &Instruction) {
        let from = self.address(data.args[0]);
        let to: Vec<Register> = data
            .results
            .iter()
            .map(|result| self.registers.of(self.body, *result))
            .collect();
        let what = access_name("ld", mem);
        self.line(&*what, &[list(&to), from.into()]);
    }

    fn store(&mut self, mem: &Mem, data: &Instruction) {
        let to = self.address(data.args[0]);
        let mut values = Vec::new();
        for value in &data.args[1..] {
            values.push(self.register(*value));
        }
        let what = access_name("st", mem);
        self.line(&*what, &[to.into(), list(&values)]);
    }

    fn intrinsic(&mut self, call: &Call, data: &Instruction) {
        let results = data.results.iter();
        let mut operands: Vec<Operand> = results
            .map(|result| self.registers.of(self.body, *result).into())
            .collect();
        operands.extend(
            data.args
                .iter()
                .map(|arg| Operand::from(self.operand(*arg))),
        );
        let written = with_operands(&call.ptx(), |number, text| {
            if let Some(operand) = operands.get(number) {
                operand.write(text);
            }
        });
        let _ = writeln!(self.text, "\t{written}");
    }

    fn asm(&mut self, asm: &Asm, data: &Instruction) {
        let mut operands: Vec<Operand> = data
            .results
            .iter()
            .map(|result| self.registers.of(self.body, *result).into())
            .collect();
        for arg in &data.args {
            operands.push(self.register(*arg).into());
        }
        let text = asm.text();
        let mut written = String::new();
        let mut rest = &*text;
        while let Some(start) = rest.find('\u{1}') {
            written.push_str(&rest[..start]);
            let end = rest[start..]
                .find('\u{2}')
                .map_or(rest.len(), |end| start + end);
            let number: usize = rest[start + 1..end].parse().unwrap_or(0);
            if let Some(operand) = operands.get(number) {
                operand.write(&mut written);
            }
            rest = rest.get(end + 1..).unwrap_or("");
        }
        written.push_str(rest);
        for (result, arg) in &asm.begins {
            let (result, arg) = (data.results[*result], data.args[*arg]);
            self.copies(&[(result, arg)]);
        }
        let _ = writeln!(
            self.text,
            "\t// begin inline asm\n\t{written}\n\t// end inline asm"
        );
    }

    /// Copies that all take place at once.
    pub(super) fn copies(&mut self, copies: &[(Value, Value)]) {
        let mut open: Vec<(Register, Ty, Operand)> = Vec::new();
        for (to, from) in copies {
            let ty = self.body.ty(*to);
            let to = self.registers.of(self.body, *to);
            let from = match self.known(*from) {
                Some(bits) => Operand::Constant(ty, bits),
                None => self.registers.of(self.body, *from).into(),
            };
            open.push((to, ty, from));
        }
        while !open.is_empty() {
            let is_free = |at: usize| {
                !open
                    .iter()
                    .enumerate()
                    .any(|(other, (_, _, from))| other != at && from.is(open[at].0))
            };
            match (0..open.len()).find(|at| is_free(*at)) {
                Some(at) => {
                    let (to, ty, from) = open.remove(at);
                    if !from.is(to) {
                        self.line(mov_name(ty), &[to.into(), from]);
                    }
                }
                None => {
                    // A circle: one of them waits in a register of its own.
                    let (to, ty) = (open[0].0, open[0].1);
                    let kept = self.registers.fresh(ty);
                    self.line(mov_name(ty), &[kept.into(), to.into()]);
                    for (_, _, from) in &mut open {
                        if from.is(to) {
                            *from = kept.into();
                        }
                    }
                }
            }
        }
    }
}
