//! Functions that compilers have by themselves: hints, which say something and do nothing, and blocks of bytes.

use super::Lower;
use super::overloads::Given;
use super::values::{Typed, access};
use crate::diagnostics::{Res, an};
use crate::ir::{Bin, Cvt, MemTy, Op, Term, Ty, Value};
use crate::limits::PARTS;
use crate::source::Span;
use crate::syntax::{Expr, Scalar};
use crate::types::{Kind, Type};

pub(super) const NAMES: [&str; 10] = [
    "__builtin_assume",
    "__assume",
    "__builtin_expect",
    "__builtin_unreachable",
    "__builtin_assume_aligned",
    "__builtin_constant_p",
    "memcpy",
    "memset",
    "__builtin_memcpy",
    "__builtin_memset",
];

impl Lower<'_> {
    #[inline(never)]
    pub(super) fn hint(&mut self, name: &str, arguments: &[Expr], span: Span) -> Res<Typed> {
        match (name, arguments) {
            ("__builtin_assume" | "__assume", [condition]) => {
                self.type_of_expr(condition)?;
                Ok(Typed::void())
            }
            ("__builtin_expect", [value, _]) => {
                let typed = self.expr(value)?;
                let long = Type::scalar(Scalar::Long);
                let value = self.convert(&typed, &long, value.span)?;
                Ok(Typed::value(long, value))
            }
            ("__builtin_unreachable", []) => {
                self.builder.end(Term::Return);
                Ok(Typed::void())
            }
            ("__builtin_assume_aligned", [pointer, ..]) => {
                let typed = self.expr(pointer)?;
                let mut void = Type::scalar(Scalar::Void);
                void.is_const = true;
                let value = self.convert(&typed, &Type::pointer(void), pointer.span)?;
                Ok(Typed::value(
                    Type::pointer(Type::scalar(Scalar::Void)),
                    value,
                ))
            }
            ("__builtin_constant_p", [value]) => {
                let known = self.aside_known(value, None)?.1.is_some();
                Ok(Typed::scalar(
                    Scalar::Int,
                    self.builder.u32(u32::from(known)),
                ))
            }
            ("memcpy" | "__builtin_memcpy", [to, from, count]) => {
                let given = self.given(arguments)?;
                let count = self.bytes_of_block(name, count)?;
                let (to, from) = (
                    self.block(&given[0], to.span)?,
                    self.block(&given[1], from.span)?,
                );
                self.copy_block(&to, &from, count);
                Ok(Typed::value(
                    Type::pointer(Type::scalar(Scalar::Void)),
                    to.address,
                ))
            }
            ("memset" | "__builtin_memset", [to, value, count]) => {
                let given = self.given(arguments)?;
                let count = self.bytes_of_block(name, count)?;
                let to = self.block(&given[0], to.span)?;
                let byte = match &given[1].typed {
                    Some(typed) => {
                        let byte = Type::scalar(Scalar::UChar);
                        self.convert(&typed.clone(), &byte, value.span)?
                    }
                    None => self.builder.u32(0),
                };
                self.set_block(&to, byte, count);
                Ok(Typed::value(
                    Type::pointer(Type::scalar(Scalar::Void)),
                    to.address,
                ))
            }
            _ => Err(self
                .sink
                .error(span, format!("`{name}` takes other arguments than these"))),
        }
    }

    fn bytes_of_block(&mut self, name: &str, count: &Expr) -> Res<u64> {
        match self.aside_known(count, None)?.1 {
            Some((count, _)) if count <= PARTS as u64 => Ok(count),
            Some(_) => Err(self
                .sink
                .gap(count.span, format!("`{name}` of so many bytes"))),
            None => {
                let what =
                    format!("`{name}` of a number of bytes that is not known while compiling");
                Err(self.sink.gap(count.span, what))
            }
        }
    }

    /// Where a block of bytes begins, and of what numbers it is if it is an object of the thread's own.
    fn block(&mut self, given: &Given, span: Span) -> Res<Bytes> {
        let Some(typed) = &given.typed else {
            return Err(self.sink.error(span, "a pointer is needed here"));
        };
        let typed = self.decayed(typed.clone());
        let Kind::Pointer(of) = typed.ty.kind.clone() else {
            let name = self.spelled(&typed.ty);
            let message = format!("a pointer is needed here, this is {}", an(&name));
            return Err(self.sink.error(span, message));
        };
        let address = self.rvalue(&typed, span)?;
        let unit = match self.is_own(address) {
            true => self
                .structs
                .parts(&of)
                .and_then(|parts| Some(parts.first()?.ty)),
            false => None,
        };
        Ok(Bytes {
            address,
            unit,
            is_volatile: of.is_volatile,
        })
    }

    /// Whether an address lies in an object of the thread's own.
    pub(super) fn is_own(&self, address: Value) -> bool {
        let mut at = address;
        while let Some(inst) = self.builder.body.def(at) {
            match (&inst.op, inst.args.first()) {
                (Op::Slot(_), _) => return true,
                (Op::Bin(Bin::Add) | Op::ToGeneric(_), Some(base)) => at = *base,
                _ => return false,
            }
        }
        false
    }

    /// Numbers as the object is made of that is the thread's own; else bytes, since nothing is known of where they lie.
    fn copy_block(&mut self, to: &Bytes, from: &Bytes, count: u64) {
        let wanted = to.unit.or(from.unit).unwrap_or(MemTy::U8);
        let mut done = 0;
        let mut found = Vec::new();
        while done < count {
            let unit = if done + wanted.bytes() <= count {
                wanted
            } else {
                MemTy::U8
            };
            let value = match from.unit {
                Some(_) => self.load_at(from, unit, done),
                None => self.gathered(from, unit, done),
            };
            found.push((done, unit, value));
            done += unit.bytes();
        }
        for (offset, unit, value) in found {
            match to.unit {
                Some(_) => self.store_unit(to, unit, offset, value),
                None => self.scattered(to, unit, offset, value),
            }
        }
    }

    fn set_block(&mut self, to: &Bytes, byte: Value, count: u64) {
        let wanted = to.unit.unwrap_or(MemTy::U8);
        let mut done = 0;
        while done < count {
            let unit = if done + wanted.bytes() <= count {
                wanted
            } else {
                MemTy::U8
            };
            let value = match unit.bytes() {
                1 => byte,
                bytes => {
                    let ty = if bytes == 8 { Ty::B64 } else { Ty::B32 };
                    let wide = self.widened(byte, ty);
                    let ones = u64::from_le_bytes([1; 8]) & (u64::MAX >> (64 - 8 * bytes));
                    let ones = self.builder.constant(ty, ones);
                    let all = self.builder.bin(Bin::Mul, wide, ones);
                    self.in_register_of(all, unit.ty())
                }
            };
            self.store_unit(to, unit, done, value);
            done += unit.bytes();
        }
    }

    fn load_at(&mut self, of: &Bytes, unit: MemTy, offset: u64) -> Value {
        let at = self.builder.offset(of.address, offset);
        self.builder.load(access(unit, 1, of.is_volatile), at)[0]
    }

    fn store_unit(&mut self, of: &Bytes, unit: MemTy, offset: u64, value: Value) {
        let at = self.builder.offset(of.address, offset);
        self.builder
            .store(access(unit, 1, of.is_volatile), at, &[value]);
    }

    fn widened(&mut self, byte: Value, ty: Ty) -> Value {
        match ty {
            Ty::B64 => self.builder.cvt(Cvt::ZeroExtend, Ty::B64, byte),
            _ => byte,
        }
    }

    fn in_register_of(&mut self, value: Value, ty: Ty) -> Value {
        match self.builder.body.ty(value) == ty {
            true => value,
            false => self.builder.cvt(Cvt::Bits, ty, value),
        }
    }

    /// A number of bytes that are loaded one by one.
    fn gathered(&mut self, of: &Bytes, unit: MemTy, offset: u64) -> Value {
        let ty = if unit.bytes() == 8 { Ty::B64 } else { Ty::B32 };
        let mut all = self.builder.constant(ty, 0);
        for number in 0..unit.bytes() {
            let byte = self.load_at(of, MemTy::U8, offset + number);
            let byte = self.widened(byte, ty);
            let count = self.builder.constant(ty, 8 * number);
            let placed = self.builder.bin(Bin::Shl, byte, count);
            all = self.builder.bin(Bin::Or, all, placed);
        }
        self.in_register_of(all, unit.ty())
    }

    /// Stores a number's bytes one by one.
    fn scattered(&mut self, of: &Bytes, unit: MemTy, offset: u64, value: Value) {
        let ty = if unit.bytes() == 8 { Ty::B64 } else { Ty::B32 };
        let value = self.in_register_of(value, ty);
        for number in 0..unit.bytes() {
            let count = self.builder.constant(ty, 8 * number);
            let shifted = self.builder.bin(Bin::ShrU, value, count);
            let byte = match ty {
                Ty::B64 => self.builder.cvt(Cvt::Truncate, Ty::B32, shifted),
                _ => shifted,
            };
            self.store_unit(of, MemTy::U8, offset + number, byte);
        }
    }
}

/// A block of bytes.
struct Bytes {
    address: Value,
    unit: Option<MemTy>,
    is_volatile: bool,
}
