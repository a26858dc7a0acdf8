//! How operations, types, spaces and constants are spelled in PTX.

use super::digits::push_number;
use super::registers::Register;
use crate::ir::{Cache, Cmp, Mem, MemTy, Space, Ty};
use std::fmt::Write;

/// What an instruction is called, with the bits of its type behind it where the text leaves them out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'a>(&'a str, Option<u32>);

impl<'a> From<&'a str> for Name<'a> {
    fn from(whole: &'a str) -> Self {
        Name(whole, None)
    }
}

impl<'a> From<(&'a str, u32)> for Name<'a> {
    fn from((text, bits): (&'a str, u32)) -> Self {
        Name(text, Some(bits))
    }
}

impl Name<'_> {
    pub(super) fn write(self, text: &mut String) {
        text.push_str(self.0);
        if let Some(bits) = self.1 {
            push_number(text, bits);
        }
    }
}

/// A register or a constant.
#[derive(Debug, Clone, Copy)]
pub(super) enum Plain {
    Register(Register),
    Constant(Ty, u64),
}

impl Plain {
    pub(super) fn write(self, text: &mut String) {
        match self {
            Plain::Register(register) => register.write(text),
            Plain::Constant(ty, bits) => push_literal(text, ty, bits),
        }
    }
}

impl From<Plain> for Operand {
    fn from(plain: Plain) -> Self {
        match plain {
            Plain::Register(register) => Operand::Register(register),
            Plain::Constant(ty, bits) => Operand::Constant(ty, bits),
        }
    }
}

/// What stands behind an instruction's name.
#[derive(Debug, Clone)]
pub(super) enum Operand {
    Register(Register),
    Constant(Ty, u64),
    Text(String),
}

impl From<Register> for Operand {
    fn from(register: Register) -> Self {
        Operand::Register(register)
    }
}

impl From<String> for Operand {
    fn from(text: String) -> Self {
        Operand::Text(text)
    }
}

impl Operand {
    /// Whether it is this register.
    pub(super) fn is(&self, register: Register) -> bool {
        matches!(self, Operand::Register(own) if *own == register)
    }

    pub(super) fn write(&self, text: &mut String) {
        match self {
            Operand::Register(register) => register.write(text),
            Operand::Constant(ty, bits) => push_literal(text, *ty, *bits),
            Operand::Text(other) => text.push_str(other),
        }
    }
}

/// One or several registers of an access.
pub(super) fn list(registers: &[Register]) -> Operand {
    match registers {
        [one] => Operand::Register(*one),
        all => {
            let mut text = String::from("{");
            for (number, register) in all.iter().enumerate() {
                text.push_str(if number == 0 { "" } else { ", " });
                register.write(&mut text);
            }
            text.push('}');
            Operand::Text(text)
        }
    }
}

/// As long as the name of an access is at most.
const LONGEST_NAME: usize = 32;

pub(super) fn access_name(verb: &str, mem: &Mem) -> String {
    let mut name = String::with_capacity(LONGEST_NAME);
    name.push_str(verb);
    if mem.is_volatile {
        name.push_str(".volatile");
    }
    if mem.space != Space::Generic {
        name.push('.');
        name.push_str(space_name(mem.space));
    }
    if mem.is_constant && mem.space == Space::Global && verb == "ld" {
        name.push_str(".nc");
    } else if !mem.is_volatile {
        name.push_str(cache_name(mem.cache));
    }
    if mem.count > 1 {
        name.push_str(".v");
        push_number(&mut name, mem.count.into());
    }
    name.push('.');
    name.push_str(mem_type(mem.ty));
    name
}

fn cache_name(cache: Cache) -> &'static str {
    match cache {
        Cache::Any => "",
        Cache::Ca => ".ca",
        Cache::Cg => ".cg",
        Cache::Cs => ".cs",
        Cache::Cv => ".cv",
        Cache::Lu => ".lu",
        Cache::Wb => ".wb",
        Cache::Wt => ".wt",
    }
}

pub(super) fn space_name(space: Space) -> &'static str {
    match space {
        Space::Generic => "",
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Constant => "const",
        Space::Param => "param",
    }
}

pub(super) fn mem_type(ty: MemTy) -> &'static str {
    match ty {
        MemTy::U8 => "u8",
        MemTy::S8 => "s8",
        MemTy::U16 => "u16",
        MemTy::S16 => "s16",
        MemTy::B32 => "u32",
        MemTy::B64 => "u64",
        MemTy::F32 => "f32",
        MemTy::F64 => "f64",
    }
}

pub(super) fn mov_name(ty: Ty) -> &'static str {
    match ty {
        Ty::Pred => "mov.pred",
        Ty::B16 => "mov.u16",
        Ty::B32 => "mov.u32",
        Ty::B64 => "mov.u64",
        Ty::F32 => "mov.f32",
        Ty::F64 => "mov.f64",
    }
}

pub(super) fn literal(ty: Ty, bits: u64) -> String {
    let mut text = String::new();
    push_literal(&mut text, ty, bits);
    text
}

fn push_literal(text: &mut String, ty: Ty, bits: u64) {
    let number = match ty {
        Ty::F32 | Ty::F64 => {
            let digits = ty.bits() as usize / 4;
            let _ = match ty {
                Ty::F32 => write!(text, "0f{bits:0digits$X}"),
                _ => write!(text, "0d{bits:0digits$X}"),
            };
            return;
        }
        _ => ty.signed(bits),
    };
    if number < 0 {
        text.push('-');
    }
    match u32::try_from(number.unsigned_abs()) {
        Ok(number) => push_number(text, number),
        Err(_) => {
            let _ = write!(text, "{}", number.unsigned_abs());
        }
    }
}

/// What a comparison is called, without the bits of what it compares.
pub(super) fn comparison(cmp: Cmp, is_float: bool) -> &'static str {
    match (cmp, is_float) {
        (Cmp::Eq, true) => "setp.eq.f",
        (Cmp::Ne, true) => "setp.neu.f",
        (Cmp::Lt | Cmp::LtS | Cmp::LtU, true) => "setp.lt.f",
        (Cmp::Le | Cmp::LeS | Cmp::LeU, true) => "setp.le.f",
        (Cmp::Gt | Cmp::GtS | Cmp::GtU, true) => "setp.gt.f",
        (Cmp::Ge | Cmp::GeS | Cmp::GeU, true) => "setp.ge.f",
        (Cmp::Eq, false) => "setp.eq.s",
        (Cmp::Ne, false) => "setp.ne.s",
        (Cmp::LtU, false) => "setp.lt.u",
        (Cmp::LeU, false) => "setp.le.u",
        (Cmp::GtU, false) => "setp.gt.u",
        (Cmp::GeU, false) => "setp.ge.u",
        (Cmp::LtS | Cmp::Lt, false) => "setp.lt.s",
        (Cmp::LeS | Cmp::Le, false) => "setp.le.s",
        (Cmp::GtS | Cmp::Gt, false) => "setp.gt.s",
        (Cmp::GeS | Cmp::Ge, false) => "setp.ge.s",
    }
}
