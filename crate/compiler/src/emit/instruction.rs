//! One instruction as text.

use super::depot::Depot;
use super::names::{
    Operand, Plain, access_name, comparison, list, literal, mem_type, mov_type, space_name,
};
use super::registers::{Register, Registers};
use crate::hash::HashSet;
use crate::ir::graph::Graph;
use crate::ir::{
    Bin, Body, Cvt, Def, Inst, Instruction, Mem, MemTy, Op, Ptx, Space, Ty, Un, Value,
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
    /// By value: how often it is read.
    pub(super) uses: Vec<u32>,
    /// Instructions that are part of another.
    pub(super) inlined: HashSet<Inst>,
    pub(super) text: String,
    pub(super) depot: Depot,
}

/// Of a product of 64 bits that `mul.wide` gives: how the number of 32 bits is widened, the number, and the constant.
pub(super) fn wide_factors(body: &Body, data: &Instruction) -> Option<(&'static str, Value, u64)> {
    let Op::Bin(bin @ (Bin::Mul | Bin::Shl)) = data.op else {
        return None;
    };
    if body.ty(data.results[0]) != Ty::B64 {
        return None;
    }
    let by = body.constant(data.args[1])?;
    let inner = body.def(data.args[0])?;
    let (sign, most) = match inner.op {
        Op::Cvt(Cvt::ZeroExtend) => ("u32", u64::from(u32::MAX)),
        Op::Cvt(Cvt::SignExtend) => ("s32", i32::MAX as u64),
        _ => return None,
    };
    let factor = match bin {
        Bin::Shl => 1_u64.checked_shl(by as u32).unwrap_or(0),
        _ => by,
    };
    let is_small = (1..=most).contains(&factor);
    let from = inner.args[0];
    (is_small && body.ty(from) == Ty::B32).then_some((sign, from, factor))
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
                let _ = writeln!(self.text, "\tmov.{} \t{register}, {literal};", mov_type(ty));
                register
            }
        }
    }

    /// The bits of a constant; zero where any value will do.
    fn known(&self, value: Value) -> Option<u64> {
        match self.body.is_undefined(value) {
            true => Some(0),
            false => self.body.constant(value),
        }
    }

    /// A register, or a constant where PTX takes one.
    fn operand(&mut self, value: Value) -> Plain {
        match self.known(value) {
            Some(bits) if self.body.ty(value) != Ty::Pred => {
                Plain::Constant(self.body.ty(value), bits)
            }
            _ => Plain::Register(self.register(value)),
        }
    }

    fn line(&mut self, what: &str, operands: &[Operand]) {
        let text = &mut self.text;
        text.push('\t');
        text.push_str(what);
        for (number, operand) in operands.iter().enumerate() {
            text.push_str(if number == 0 { " \t" } else { ", " });
            operand.write(text);
        }
        text.push_str(";\n");
    }

    /// Marks products that become part of a sum, and extensions that become part of a product.
    pub(super) fn find_inlined(&mut self, graph: &Graph) {
        let mut home = vec![None; self.body.insts.len()];
        for block in &graph.order {
            for inst in &self.body.block(*block).insts {
                home[inst.0 as usize] = Some(*block);
            }
        }
        for block in &graph.order {
            for inst in &self.body.block(*block).insts {
                if let Some(product) = self.product_of_sum(*inst)
                    && home[product.0 as usize] == Some(*block)
                {
                    self.inlined.insert(product);
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
        self.wanted[inst.0 as usize] && !self.inlined.contains(&inst)
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
                _ => self.inlined.contains(&inner),
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
                let what = match (un, ty) {
                    (Un::Not, Ty::Pred) => "not.pred".to_string(),
                    (Un::Not, _) => format!("not.b{}", ty.bits()),
                    (Un::Neg, Ty::F32 | Ty::F64) => format!("neg.f{}", ty.bits()),
                    (Un::Neg, _) => format!("neg.s{}", ty.bits()),
                    (Un::Abs, Ty::F32 | Ty::F64) => format!("abs.f{}", ty.bits()),
                    (Un::Abs, _) => format!("abs.s{}", ty.bits()),
                    (Un::Sqrt, _) => format!("sqrt.rn.f{}", ty.bits()),
                };
                self.simple(&what, result, &data.args);
            }
            (Op::Cmp(cmp), Some(result)) => {
                let what = format!("setp.{}", comparison(*cmp, self.body.ty(data.args[0])));
                self.simple(&what, result, &data.args);
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
                let what = if ty.is_float() {
                    format!("selp.f{}", ty.bits())
                } else {
                    format!("selp.b{}", ty.bits())
                };
                let operands = [data.args[1], data.args[2], data.args[0]];
                self.simple(&what, result, &operands);
            }
            (Op::Param(number), Some(result)) => {
                let mem = self.params[*number as usize].mem.unwrap_or(MemTy::B32);
                let to = self.registers.of(self.body, result);
                let place = format!("[{}_param_{number}]", self.name);
                self.line(
                    &format!("ld.param.{}", mem_type(mem)),
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
                self.simple(&what, result, &data.args);
            }
            (Op::Load(mem), _) => self.load(mem, data),
            (Op::Store(mem), _) => self.store(mem, data),
            (Op::Ptx(ptx), _) => self.ptx(ptx, data),
            _ => {}
        }
    }

    fn simple(&mut self, what: &str, result: Value, args: &[Value]) {
        // No operation takes more than three. The registers of constants are set before the line begins.
        let mut operands = [Plain::Register(self.registers.of(self.body, result)); 4];
        let operands = &mut operands[..=args.len().min(3)];
        for (operand, arg) in operands[1..].iter_mut().zip(args) {
            *operand = self.operand(*arg);
        }
        let text = &mut self.text;
        text.push('\t');
        text.push_str(what);
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
            .filter(|product| self.inlined.contains(product))
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
                self.simple(&format!("rcp.rn.f{bits}"), result, &data.args[1..]);
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
            (Bin::Add, true) => format!("add.f{bits}"),
            (Bin::Sub, true) => format!("sub.f{bits}"),
            (Bin::Mul, true) => format!("mul.f{bits}"),
            (Bin::Div, _) => format!("div.rn.f{bits}"),
            (Bin::Min, _) => format!("min.f{bits}"),
            (Bin::Max, _) => format!("max.f{bits}"),
            (Bin::Add, _) => format!("add.s{bits}"),
            (Bin::Sub, _) => format!("sub.s{bits}"),
            (Bin::Mul, _) => format!("mul.lo.s{bits}"),
            (Bin::DivU, _) => format!("div.u{bits}"),
            (Bin::DivS, _) => format!("div.s{bits}"),
            (Bin::RemU, _) => format!("rem.u{bits}"),
            (Bin::RemS, _) => format!("rem.s{bits}"),
            (Bin::And, _) => format!("and.b{bits}"),
            (Bin::Or, _) => format!("or.b{bits}"),
            (Bin::Xor, _) => format!("xor.b{bits}"),
            (Bin::Shl, _) => format!("shl.b{bits}"),
            (Bin::ShrU, _) => format!("shr.u{bits}"),
            (Bin::ShrS, _) => format!("shr.s{bits}"),
            (Bin::MinU, _) => format!("min.u{bits}"),
            (Bin::MinS, _) => format!("min.s{bits}"),
            (Bin::MaxU, _) => format!("max.u{bits}"),
            (Bin::MaxS, _) => format!("max.s{bits}"),
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
            self.line(&what, &[to.into(), from.into(), count]);
            return;
        }
        if self.body.constant(args[0]).is_some()
            && self.body.constant(args[1]).is_none()
            && matches!(bin, Bin::Add | Bin::Mul)
        {
            args.swap(0, 1);
        }
        self.simple(&what, result, &args);
    }

    /// A product of 64 bits of a number of 32 and a constant is one instruction.
    fn wide_product(&mut self, data: &Instruction, result: Value) -> bool {
        let Some((sign, from, factor)) = wide_factors(self.body, data) else {
            return false;
        };
        let to = self.registers.of(self.body, result);
        let from = self.operand(from);
        self.line(
            &format!("mul.wide.{sign}"),
            &[to.into(), from.into(), factor.to_string().into()],
        );
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
        self.line(&what, &[to.into(), from.into()]);
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
        self.simple(&what, result, &[from]);
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
        self.line(&what, &[list(&to), from.into()]);
    }

    fn store(&mut self, mem: &Mem, data: &Instruction) {
        let to = self.address(data.args[0]);
        let mut values = Vec::new();
        for value in &data.args[1..] {
            values.push(self.register(*value));
        }
        let what = access_name("st", mem);
        self.line(&what, &[to.into(), list(&values)]);
    }

    fn ptx(&mut self, ptx: &Ptx, data: &Instruction) {
        let mut operands: Vec<Operand> = data
            .results
            .iter()
            .map(|result| self.registers.of(self.body, *result).into())
            .collect();
        for arg in &data.args {
            let operand = if ptx.is_asm {
                self.register(*arg).into()
            } else {
                self.operand(*arg).into()
            };
            operands.push(operand);
        }
        let mut written = String::new();
        let mut rest = &*ptx.text;
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
        match ptx.is_asm {
            true => {
                for (result, arg) in &ptx.begins {
                    let (result, arg) = (data.results[*result], data.args[*arg]);
                    self.copies(&[(result, arg)]);
                }
                let _ = writeln!(
                    self.text,
                    "\t// begin inline asm\n\t{written}\n\t// end inline asm"
                );
            }
            false => {
                let _ = writeln!(self.text, "\t{written}");
            }
        }
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
                        self.line(&format!("mov.{}", mov_type(ty)), &[to.into(), from]);
                    }
                }
                None => {
                    // A circle: one of them waits in a register of its own.
                    let (to, ty) = (open[0].0, open[0].1);
                    let kept = self.registers.fresh(ty);
                    self.line(&format!("mov.{}", mov_type(ty)), &[kept.into(), to.into()]);
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
