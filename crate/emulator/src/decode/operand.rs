//! Operands: registers and literals, checked against what the instruction takes. Addresses have a file of their own.

use crate::decode::ir::{Reg, Value};
use crate::decode::lower::{Lowerer, Matched};
use crate::decode::special::special;
use crate::error::LoadError;
use crate::operations::basic::{EQ_32, NOT_PRED};
use crate::parse::ast::{Instruction, Operand};
use crate::program::kinds::{FileKind, Kind};
use crate::program::preset::{Preset, Special};

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

    pub(super) fn reg(&mut self, matched: &Matched, name: &str) -> Result<Reg, LoadError> {
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
