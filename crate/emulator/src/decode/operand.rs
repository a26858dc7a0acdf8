//! Operands: registers, literals, addresses, checked against what the instruction takes.

use crate::decode::ir::{Reg, Value};
use crate::decode::lower::{Lowerer, Matched};
use crate::decode::names::{Location, Meaning};
use crate::decode::special::special;
use crate::error::LoadError;
use crate::operations::basic::{ADD_64, EQ_32, MAD_LO_64, NOT_PRED, S64_S32, U64_U32};
use crate::operations::frame::FRAME_ADDRESS;
use crate::parse::ast::{Instruction, Operand, Type};
use crate::program::kinds::{FileKind, Kind};
use crate::program::preset::{Preset, Special};
use crate::program::space::{FRAME, window};
use crate::report::Space;

impl<'a> Lowerer<'a> {
    /// Whether the operand is `_`, a result thrown away.
    pub(crate) fn is_sink(&self, operand: &Operand) -> bool {
        *operand == Operand::Name("_")
    }

    /// The guard of an instruction.
    pub(super) fn guard_reg(
        &mut self,
        instruction: &Instruction,
        name: &str,
    ) -> Result<Reg, LoadError> {
        match self.declared_reg(name) {
            Some(reg) if self.file(reg) == FileKind::Preds => Ok(reg),
            _ => Err(self.wrong_at(
                instruction,
                &format!("`{name}` is no predicate that is declared here"),
            )),
        }
    }

    fn reg(&mut self, matched: &Matched, name: &str) -> Result<Reg, LoadError> {
        self.declared_reg(name).ok_or_else(|| {
            self.wrong(
                matched,
                &format!("`{name}` is no register that is declared here"),
            )
        })
    }

    fn check_file(
        &self,
        matched: &Matched,
        name: &str,
        reg: Reg,
        kind: Kind,
    ) -> Result<(), LoadError> {
        if self.file(reg) == kind.file() {
            return Ok(());
        }
        let needed = match kind.file() {
            FileKind::Preds => "a predicate",
            FileKind::Words => "a register of at most 32 bits",
            FileKind::Longs => "a 64-bit register",
        };
        let found = match self.file(reg) {
            FileKind::Preds => "is a predicate".to_string(),
            _ => format!("has {} bits", self.declared_bits(reg)),
        };
        Err(self.wrong(matched, &format!("needs {needed}, but `{name}` {found}")))
    }

    /// A register that the instruction writes.
    pub(crate) fn result(
        &mut self,
        matched: &Matched,
        operand: &Operand,
        kind: Kind,
    ) -> Result<Reg, LoadError> {
        let Operand::Name(name) = operand else {
            return Err(self.wrong(matched, "expected a register as the destination"));
        };
        if *name == "_" {
            return Ok(self.fresh(kind.file()));
        }
        let reg = self.reg(matched, name)?;
        self.check_file(matched, name, reg, kind)?;
        Ok(reg)
    }

    /// `d` or `d|p`.
    pub(crate) fn result_and_pred(
        &mut self,
        matched: &Matched,
        operand: &Operand,
        kind: Kind,
    ) -> Result<(Reg, Option<Reg>), LoadError> {
        match operand {
            Operand::Pair(d, p) => {
                let d = self.result(matched, &Operand::Name(d), kind)?;
                Ok((
                    d,
                    Some(self.result(matched, &Operand::Name(p), Kind::Pred)?),
                ))
            }
            single => Ok((self.result(matched, single, kind)?, None)),
        }
    }

    /// A register, a special register or a literal that the instruction reads.
    pub(crate) fn source(
        &mut self,
        matched: &Matched,
        operand: &Operand,
        kind: Kind,
    ) -> Result<Value, LoadError> {
        match operand {
            Operand::Name(name) => {
                if let Some(reg) = self.declared_reg(name) {
                    self.check_file(matched, name, reg, kind)?;
                    return Ok(reg.into());
                }
                if let Some(word) = name.strip_prefix("%reserved_smem_offset_") {
                    let address = self.reserved_shared(word, matched.instruction.line)?;
                    return Ok(self.body.preset(kind.file(), address));
                }
                if matches!(*name, "%envreg1" | "%envreg2") {
                    self.provided.workspace = true;
                }
                match special(name) {
                    Some(Some(preset)) if kind.file() != FileKind::Preds => {
                        Ok(self.body.preset(kind.file(), preset))
                    }
                    Some(None) => Err(super::lower::unsupported(name, matched.instruction.line)),
                    _ => Err(self.wrong(
                        matched,
                        &format!("`{name}` is no register that is declared here"),
                    )),
                }
            }
            Operand::Int(_) | Operand::Single(_) | Operand::Double(_) => {
                self.literal(matched, operand, kind)
            }
            Operand::Not(_) => Err(self.wrong(matched, "only a predicate can be negated with `!`")),
            _ => Err(self.wrong(matched, "expected a register or a number")),
        }
    }

    fn literal(
        &mut self,
        matched: &Matched,
        operand: &Operand,
        kind: Kind,
    ) -> Result<Value, LoadError> {
        let bits = match (operand, kind) {
            (Operand::Int(value), Kind::Pred) => return Ok(self.constant_predicate(*value != 0)),
            (_, Kind::Pred) => {
                return Err(self.wrong(matched, "expected a predicate, found a number"));
            }
            (Operand::Int(value), Kind::Single) => u64::from((*value as i64 as f32).to_bits()),
            (Operand::Int(value), Kind::Double) => (*value as i64 as f64).to_bits(),
            (Operand::Int(value), Kind::Bits64) => *value,
            (Operand::Int(value), Kind::Bits16) => *value & 0xffff,
            (Operand::Int(value), Kind::Bits32) => *value & 0xffff_ffff,
            (_, Kind::Bits16) => {
                return Err(self.wrong(matched, "a floating-point number has more than 16 bits"));
            }
            (Operand::Single(bits), Kind::Double) => f64::from(f32::from_bits(*bits)).to_bits(),
            (Operand::Single(bits), _) => u64::from(*bits),
            (Operand::Double(bits), Kind::Single | Kind::Bits32) => {
                u64::from((f64::from_bits(*bits) as f32).to_bits())
            }
            (Operand::Double(bits), _) => *bits,
            _ => return Err(self.wrong(matched, "expected a number")),
        };
        Ok(self.bits(kind.file(), bits))
    }

    /// nvcc writes `mov.pred %p1, -1;`.
    fn constant_predicate(&mut self, holds: bool) -> Value {
        let d = self.fresh(FileKind::Preds);
        let zero = self.bits(FileKind::Words, 0);
        self.compute_parts(EQ_32, &[Some(d)], &[zero, zero], u64::from(!holds));
        d.into()
    }

    /// A special register.
    pub(crate) fn special(&mut self, special: Special) -> Value {
        self.body.preset(FileKind::Words, Preset::Special(special))
    }

    /// A constant.
    pub(crate) fn bits(&mut self, file: FileKind, bits: u64) -> Value {
        self.body.preset(file, Preset::Bits(bits))
    }

    /// As [`Lowerer::source`], or the address of a variable.
    pub(crate) fn source_or_address(
        &mut self,
        matched: &Matched,
        operand: &Operand,
        kind: Kind,
    ) -> Result<Value, LoadError> {
        let (name, offset) = match operand {
            Operand::Name(name) => (*name, 0),
            Operand::Sum(name, offset) => (*name, *offset),
            Operand::Element { .. } => return self.element_address(matched, operand, kind),
            _ => return self.source(matched, operand, kind),
        };
        if self.declared_reg(name).is_some() {
            return self.source(matched, operand, kind);
        }
        if let Some(Meaning::Variable(location)) = self.names.meaning(name)
            && self.moves(&location)
        {
            self.check_width(matched, kind)?;
            let (address, step) = self.frame_address(&location, offset, false);
            debug_assert_eq!(step, 0);
            return Ok(address);
        }
        if let Some(preset) = self.variable_address(matched, name, offset, false)? {
            return Ok(self.body.preset(kind.file(), preset));
        }
        if let (Some(address), 0) = (self.functions.address(name), offset) {
            self.check_width(matched, kind)?;
            return Ok(self.bits(FileKind::Longs, address));
        }
        self.source(matched, operand, kind)
    }

    /// The address of an element of an array.
    fn element_address(
        &mut self,
        matched: &Matched,
        operand: &Operand,
        kind: Kind,
    ) -> Result<Value, LoadError> {
        if let Some((name, offset)) = self.element(matched, operand)? {
            return self.source_or_address(matched, &Operand::Sum(name, offset), kind);
        }
        self.check_width(matched, kind)?;
        let (base, step) = self.indexed(matched, operand, None)?;
        let (step, d) = (
            self.bits(FileKind::Longs, step),
            self.fresh(FileKind::Longs),
        );
        self.compute_parts(ADD_64.function, &[Some(d)], &[base, step], 0);
        Ok(d.into())
    }

    /// The variable and the offset in bytes of an element whose index the text gives.
    fn element<'o>(
        &self,
        matched: &Matched,
        operand: &Operand<'o>,
    ) -> Result<Option<(&'o str, i64)>, LoadError> {
        let Operand::Element {
            name,
            index,
            offset,
        } = operand
        else {
            return Ok(None);
        };
        let offset = offset.wrapping_mul(self.stride(matched, name)? as i64);
        Ok(index.is_none().then_some((*name, offset)))
    }

    /// Bytes from one element of a variable to the next.
    fn stride(&self, matched: &Matched, name: &str) -> Result<u64, LoadError> {
        match self.names.meaning(name) {
            Some(Meaning::Variable(location)) => Ok(location.stride),
            Some(Meaning::Shared(number)) => Ok(self.shared[number].stride),
            _ => Err(self.wrong(
                matched,
                &format!("`{name}` is no variable that is declared here"),
            )),
        }
    }

    /// The address of `array[%r1+4]`: a value and an offset to add.
    fn indexed(
        &mut self,
        matched: &Matched,
        operand: &Operand,
        space: Option<Space>,
    ) -> Result<(Value, u64), LoadError> {
        let Operand::Element {
            name,
            index: Some(index),
            offset,
        } = operand
        else {
            return Err(self.wrong(matched, "expected an element of an array"));
        };
        let stride = self.stride(matched, name)?;
        let whole = Operand::Address {
            base: Some(name),
            offset: offset.wrapping_mul(stride as i64),
        };
        let (base, step) = self.address(matched, &whole, space)?;
        let reg = self.reg(matched, index)?;
        let is_signed = self
            .names
            .register(index)
            .is_some_and(|(declared, _)| matches!(declared.ty, Type::Signed(_)));
        let index = match self.file(reg) {
            FileKind::Longs => reg,
            FileKind::Words => {
                let wide = self.fresh(FileKind::Longs);
                let widen = if is_signed { S64_S32 } else { U64_U32 };
                self.compute_parts(widen.function, &[Some(wide)], &[reg.into()], 0);
                wide
            }
            FileKind::Preds => {
                return Err(self.wrong(matched, &format!("`{index}` is a predicate, no index")));
            }
        };
        let (stride, d) = (
            self.bits(FileKind::Longs, stride),
            self.fresh(FileKind::Longs),
        );
        let sources = [index.into(), stride, base];
        self.compute_parts(MAD_LO_64.function, &[Some(d)], &sources, 0);
        Ok((d.into(), step))
    }

    /// Whether a variable lies in a frame whose address is not always the same.
    fn moves(&self, location: &Location) -> bool {
        let in_frame = match location.space {
            Space::Local => true,
            Space::Param => location.address & FRAME != 0,
            _ => false,
        };
        self.frame_moves && in_frame
    }

    /// The address of a variable of the frame and an offset to add.
    pub(crate) fn frame_address(
        &mut self,
        location: &Location,
        offset: i64,
        generic: bool,
    ) -> (Value, u64) {
        let base = if generic { window(location.space) } else { 0 };
        let address = base
            .wrapping_add(location.address)
            .wrapping_add(offset as u64);
        if !self.moves(location) {
            return (self.bits(FileKind::Longs, address), 0);
        }
        let d = self.fresh(FileKind::Longs);
        self.compute_parts(FRAME_ADDRESS, &[Some(d)], &[], address);
        (d.into(), 0)
    }

    fn check_width(&self, matched: &Matched, kind: Kind) -> Result<(), LoadError> {
        match kind.file() {
            FileKind::Longs => Ok(()),
            _ => Err(self.wrong(matched, "an address needs a 64-bit register")),
        }
    }

    /// The address of a variable plus an offset, in the variable's own space or as a generic address.
    fn variable_address(
        &mut self,
        matched: &Matched,
        name: &str,
        offset: i64,
        generic: bool,
    ) -> Result<Option<Preset>, LoadError> {
        let offset = offset as u64;
        Ok(match self.names.meaning(name) {
            Some(Meaning::Variable(Location { space, address, .. })) => {
                let base = if generic { window(space) } else { 0 };
                Some(Preset::Bits(
                    base.wrapping_add(address).wrapping_add(offset),
                ))
            }
            Some(Meaning::Shared(number)) => {
                let line = matched.instruction.line;
                Some(self.shared_address(number, offset, generic, line)?)
            }
            _ => None,
        })
    }

    /// The address operand of a memory instruction: a 64-bit value and an offset to add.
    pub(crate) fn address(
        &mut self,
        matched: &Matched,
        operand: &Operand,
        space: Option<Space>,
    ) -> Result<(Value, u64), LoadError> {
        let (name, offset) = match operand {
            Operand::Address {
                base: Some(name),
                offset,
            } => (*name, *offset),
            Operand::Address { base: None, offset } => {
                return Ok((self.bits(FileKind::Longs, *offset as u64), 0));
            }
            Operand::AddressList(_) => return Err(self.unsupported(matched)),
            Operand::Element { index: Some(_), .. } => {
                return self.indexed(matched, operand, space);
            }
            Operand::Element { .. } => match self.element(matched, operand)? {
                Some(place) => place,
                None => return Err(self.wrong(matched, "expected an element of an array")),
            },
            _ => return Err(self.wrong(matched, "expected an address in brackets")),
        };
        if let Some(reg) = self.declared_reg(name) {
            return match self.file(reg) {
                FileKind::Longs => Ok((reg.into(), offset as u64)),
                FileKind::Words => {
                    let wide = self.fresh(FileKind::Longs);
                    self.compute_parts(U64_U32.function, &[Some(wide)], &[reg.into()], 0);
                    Ok((wide.into(), offset as u64))
                }
                FileKind::Preds => {
                    Err(self.wrong(matched, &format!("`{name}` is a predicate, not an address")))
                }
            };
        }
        let held_in = match self.names.meaning(name) {
            Some(Meaning::Variable(location)) => Some(location.space),
            Some(Meaning::Shared(_)) => Some(Space::Shared),
            _ => None,
        };
        if space.is_some() && held_in.is_some() && space != held_in {
            let held_in = held_in.map_or("", Space::name);
            return Err(self.wrong(matched, &format!("`{name}` lies in .{held_in} memory")));
        }
        if let Some(Meaning::Variable(location)) = self.names.meaning(name)
            && self.moves(&location)
        {
            return Ok(self.frame_address(&location, offset, space.is_none()));
        }
        match self.variable_address(matched, name, offset, space.is_none())? {
            Some(preset) => Ok((self.body.preset(FileKind::Longs, preset), 0)),
            None => Err(self.wrong(
                matched,
                &format!("`{name}` is no register or variable that is declared here"),
            )),
        }
    }

    /// The value of a kernel parameter that `[name+offset]` reads, if that is what it is.
    pub(crate) fn constant_parameter(
        &mut self,
        operand: &Operand,
        ty: Type,
        file: FileKind,
    ) -> Option<Value> {
        let (name, offset) = match operand {
            Operand::Address {
                base: Some(name),
                offset,
            } => (name, *offset),
            Operand::Element {
                name,
                index: None,
                offset,
            } => match self.names.meaning(name) {
                Some(Meaning::Variable(location)) => {
                    (name, offset.wrapping_mul(location.stride as i64))
                }
                _ => return None,
            },
            _ => return None,
        };
        if self.declared_reg(name).is_some() {
            return None;
        }
        let Some(Meaning::Variable(Location {
            space: Space::Param,
            address,
            ..
        })) = self.names.meaning(name)
        else {
            return None;
        };
        if address & FRAME != 0 {
            return None;
        }
        let offset = address.checked_add_signed(offset)?;
        let end = offset.checked_add(ty.bytes())?;
        if !offset.is_multiple_of(ty.bytes()) || end > self.param_bytes {
            return None;
        }
        let signed = matches!(ty, Type::Signed(_));
        Some(self.body.preset(
            file,
            Preset::Param {
                offset: offset as u32,
                bytes: ty.bytes() as u32,
                signed,
            },
        ))
    }

    /// A predicate operand, possibly negated.
    pub(crate) fn predicate(
        &mut self,
        matched: &Matched,
        operand: &Operand,
    ) -> Result<Value, LoadError> {
        let Operand::Not(name) = operand else {
            return self.source(matched, operand, Kind::Pred);
        };
        let value = self.source(matched, &Operand::Name(name), Kind::Pred)?;
        let negated = self.fresh(FileKind::Preds);
        self.compute_parts(NOT_PRED.function, &[Some(negated)], &[value, value], 0);
        Ok(negated.into())
    }

    /// `kind`, but of the width of the operand's register where the instruction lets it be wider.
    pub(crate) fn width_of(
        &mut self,
        matched: &Matched,
        operand: &Operand,
        kind: Kind,
    ) -> Result<Kind, LoadError> {
        let Operand::Name(name) = operand else {
            return Ok(kind);
        };
        let Some(reg) = self.declared_reg(name) else {
            return Ok(kind);
        };
        let (bits, needed) = (self.declared_bits(reg), kind_bits(kind));
        match self.file(reg) {
            FileKind::Longs if kind.file() == FileKind::Words => Ok(Kind::Bits64),
            FileKind::Words if bits < needed => Err(self.wrong(
                matched,
                &format!("needs {needed} bits, but `{name}` has {bits}"),
            )),
            _ => Ok(kind),
        }
    }

    /// The same for all parts of a vector, which must agree.
    pub(crate) fn width_of_parts(
        &mut self,
        matched: &Matched,
        parts: &[&Operand],
        kind: Kind,
    ) -> Result<Kind, LoadError> {
        let mut width = None;
        for part in parts
            .iter()
            .filter(|part| !self.is_sink(part))
            .copied()
            .collect::<Vec<_>>()
        {
            let this = self.width_of(matched, part, kind)?;
            if width.is_some_and(|width: Kind| width.file() != this.file()) {
                return Err(self.wrong(matched, "the registers of the vector differ in width"));
            }
            width = Some(this);
        }
        Ok(width.unwrap_or(kind))
    }
}

fn kind_bits(kind: Kind) -> u32 {
    match kind {
        Kind::Pred => 1,
        Kind::Bits16 => 16,
        Kind::Bits32 | Kind::Single => 32,
        Kind::Bits64 | Kind::Double => 64,
    }
}
