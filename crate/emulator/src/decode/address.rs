//! Operands that are addresses: of variables, of elements of arrays, of parameters, in brackets or as a value. Registers and literals are in `operand`.

use crate::decode::ir::{Reg, Value};
use crate::decode::lower::{Lowerer, Matched};
use crate::decode::names::{Location, Meaning};
use crate::error::LoadError;
use crate::operations::basic::{ADD_32, ADD_64, MAD_LO_64, S64_S32, U64_U32};
use crate::operations::frame::FRAME_ADDRESS;
use crate::parse::ast::{Operand, Type};
use crate::program::kinds::{FileKind, Kind};
use crate::program::preset::Preset;
use crate::program::space::{FRAME, window};
use crate::report::Space;
use std::hash::{DefaultHasher, Hash, Hasher};

impl<'a> Lowerer<'a> {
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

    /// As [`Lowerer::address`]; but of shared memory the sum is to be cut to 32 bits by whoever adds.
    pub(crate) fn reach(
        &mut self,
        matched: &Matched,
        operand: &Operand,
        space: Option<Space>,
    ) -> Result<(Value, u64), LoadError> {
        if space == Some(Space::Shared)
            && let Operand::Address {
                base: Some(name),
                offset,
            } = operand
            && let Some(reg) = self.declared_reg(name)
            && self.file(reg) == FileKind::Words
        {
            return Ok((self.widened(reg).into(), *offset as u64));
        }
        self.address(matched, operand, space)
    }

    fn widened(&mut self, reg: Reg) -> Reg {
        let wide = self.fresh(FileKind::Longs);
        self.compute_parts(U64_U32.function, &[Some(wide)], &[reg.into()], 0);
        wide
    }

    /// The sum of a register of 32 bits and an offset, which wraps round.
    fn sum_of_words(&mut self, reg: Reg, offset: i64) -> Reg {
        if offset == 0 {
            return reg;
        }
        let (step, sum) = (
            self.bits(FileKind::Words, u64::from(offset as u32)),
            self.fresh(FileKind::Words),
        );
        self.compute_parts(ADD_32.function, &[Some(sum)], &[reg.into(), step], 0);
        sum
    }

    /// The address operand of a memory instruction: a 64-bit value and an offset to add.
    pub(crate) fn address(
        &mut self,
        matched: &Matched,
        operand: &Operand,
        space: Option<Space>,
    ) -> Result<(Value, u64), LoadError> {
        self.note_operand(operand);
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
                    let sum = self.sum_of_words(reg, offset);
                    Ok((self.widened(sum).into(), 0))
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

    /// Keeps a number that two instructions share which address memory by the same operand.
    fn note_operand(&mut self, operand: &Operand) {
        if let Operand::Address {
            base: Some(name),
            offset,
        } = operand
        {
            let mut hasher = DefaultHasher::new();
            (name, offset).hash(&mut hasher);
            self.body.operands.push((self.place, hasher.finish()));
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
}
