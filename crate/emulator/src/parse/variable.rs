//! The parser's part for variables and parameters: space, type, array bounds, initial values.

use crate::error::LoadError;
use crate::parse::ast::{Initial, Type, Variable};
use crate::parse::constant::Constant;
use crate::parse::lexer::TokenKind;
use crate::parse::parser::Parser;
use crate::report::Space;

/// `.visible`, `.extern` and the like, before a declaration.
#[derive(Default, Clone, Copy)]
pub(super) struct Linking {
    pub(super) is_extern: bool,
}

/// Types of what only texture and surface instructions use.
pub(super) const OPAQUE: [&str; 3] = [".texref", ".surfref", ".samplerref"];

/// The values of a vector type.
fn vector(word: &str) -> Option<u64> {
    match word {
        ".v2" => Some(2),
        ".v4" => Some(4),
        ".v8" => Some(8),
        _ => None,
    }
}

/// What a declaration says of all its variables.
#[derive(Clone, Copy)]
struct Form {
    ty: Type,
    /// Values of a vector type, or 1.
    lanes: u64,
    align: u64,
}

impl<'a> Parser<'a> {
    /// The state space if one is next.
    pub(super) fn space(&mut self) -> Result<Option<Space>, LoadError> {
        let space = match self.token.kind {
            TokenKind::Word(".global") => Space::Global,
            TokenKind::Word(".const") => Space::Const,
            TokenKind::Word(".shared") => Space::Shared,
            TokenKind::Word(".local") => Space::Local,
            TokenKind::Word(".param") => Space::Param,
            _ => return Ok(None),
        };
        self.advance()?;
        Ok(Some(space))
    }

    /// `.shared .align 4 .b8 tile[4224], other[4];`
    pub(super) fn variables(&mut self, linking: Linking) -> Result<Vec<Variable<'a>>, LoadError> {
        let Some(space) = self.space()? else {
            return self.wrong("a state space such as `.global`");
        };
        let first = self.declared(space, linking)?;
        let mut variables = vec![first];
        while self.take_mark(',')? {
            let first = &variables[0];
            if let Some(gap) = first.gap.clone() {
                let other = Variable {
                    name: self.word("the name of a variable")?,
                    gap: Some(gap),
                    ..first.clone()
                };
                variables.push(other);
                continue;
            }
            let form = Form {
                ty: first.ty,
                lanes: first.lanes,
                align: first.align,
            };
            variables.push(self.named(space, linking, form)?);
        }
        self.mark(';')?;
        Ok(variables)
    }

    /// What follows the state space: alignment, type, name, bounds, initial value.
    pub(super) fn declared(
        &mut self,
        space: Space,
        linking: Linking,
    ) -> Result<Variable<'a>, LoadError> {
        let mut align = None;
        let mut lanes = 1;
        let ty = loop {
            let TokenKind::Word(word) = self.token.kind else {
                return self.wrong("a type such as `.b32`");
            };
            if let Some(count) = vector(word) {
                self.advance()?;
                lanes = count;
                continue;
            }
            let ty = word.strip_prefix('.').and_then(Type::named);
            match word {
                ".align" => {
                    self.advance()?;
                    align = Some(self.alignment()?);
                }
                ".attribute" => {
                    self.advance()?;
                    self.mark('(')?;
                    while !self.take_mark(')')? {
                        if matches!(self.token.kind, TokenKind::End | TokenKind::Mark(';')) {
                            return self.wrong("`)`");
                        }
                        self.advance()?;
                    }
                }
                _ => match ty {
                    Some(ty) => {
                        self.advance()?;
                        break ty;
                    }
                    None if OPAQUE.contains(&word) => return self.opaque(space),
                    None => return self.wrong("a type such as `.b32`"),
                },
            }
        };
        // A pointer parameter may say what it points to: `.ptr .global .align 4`.
        if self.take_word(".ptr")? {
            self.space()?;
            if self.take_word(".align")? {
                self.alignment()?;
            }
        }
        if ty == Type::Predicate {
            return self.wrong("a type that memory can hold");
        }
        let form = Form {
            ty,
            lanes,
            align: align.unwrap_or(ty.bytes() * lanes),
        };
        self.named(space, linking, form)
    }

    /// `.texref name`, and the fields that it may be given: a handle that nothing here can use.
    pub(super) fn opaque(&mut self, space: Space) -> Result<Variable<'a>, LoadError> {
        let what = self.word("a type such as `.b32`")?;
        let gap = self.gap(what);
        let line = self.token.line;
        let name = self.word("the name of a variable")?;
        let mut open = 0u32;
        loop {
            match self.token.kind {
                TokenKind::Mark('{' | '[') => open += 1,
                TokenKind::Mark('}' | ']') if open > 0 => open -= 1,
                TokenKind::Mark(',' | ';' | ')') if open == 0 => break,
                TokenKind::End => return self.wrong("`;`"),
                _ => {}
            }
            self.advance()?;
        }
        Ok(Variable {
            name,
            space,
            ty: Type::Bits(64),
            align: 8,
            lanes: 1,
            count: 1,
            stride: 8,
            is_array: false,
            is_extern: false,
            initial: Vec::new(),
            line,
            gap: Some(gap),
        })
    }

    fn alignment(&mut self) -> Result<u64, LoadError> {
        let align = self.int("an alignment in bytes")?;
        if align.is_power_of_two() && align <= 1 << 20 {
            Ok(align)
        } else {
            self.wrong("an alignment of 1, 2, 4, … bytes before this")
        }
    }

    fn named(
        &mut self,
        space: Space,
        linking: Linking,
        form: Form,
    ) -> Result<Variable<'a>, LoadError> {
        let Form { ty, lanes, align } = form;
        let line = self.token.line;
        let name = self.word("the name of a variable")?;
        let mut lengths = Vec::new();
        while self.take_mark('[')? {
            let length = if self.at_mark(']') {
                0
            } else {
                self.int("the length of an array")?
            };
            lengths.push(length);
            self.mark(']')?;
        }
        let is_array = !lengths.is_empty();
        if lanes > 1 {
            lengths.push(lanes);
        }
        let values = |lengths: &[u64]| {
            lengths
                .iter()
                .fold(1u64, |all, one| all.saturating_mul(*one))
        };
        let mut count = values(&lengths);
        let inner = values(lengths.get(1..).unwrap_or_default());
        let mut initial = Vec::new();
        if self.take_mark('=')? {
            let given = self.initial(&mut initial, &lengths)?;
            if is_array && count == 0 && inner > 0 {
                count = given.div_ceil(inner).saturating_mul(inner);
            }
            if given > count {
                return self
                    .wrong("no more initial values than the array has elements, before this");
            }
        }
        let stride = if is_array { inner } else { lanes };
        Ok(Variable {
            name,
            space,
            ty,
            lanes,
            align,
            count,
            stride: stride.saturating_mul(ty.bytes()),
            is_array,
            is_extern: linking.is_extern,
            initial,
            line,
            gap: None,
        })
    }

    /// The initial values of an array of these lengths, or of a scalar; returns how many there are.
    fn initial(&mut self, into: &mut Vec<Initial<'a>>, lengths: &[u64]) -> Result<u64, LoadError> {
        if !self.take_mark('{')? {
            self.initial_value(into)?;
            return Ok(1);
        }
        self.deeper()?;
        let inner = lengths.get(1..).unwrap_or_default();
        let part = inner.iter().fold(1u64, |all, one| all.saturating_mul(*one));
        let (mut given, mut is_first) = (0u64, true);
        while !self.at_mark('}') {
            if !std::mem::take(&mut is_first) {
                self.mark(',')?;
            }
            if !self.at_mark('{') {
                self.initial_value(into)?;
                given += 1;
                continue;
            }
            // What an inner list leaves out is zero.
            let here = self.initial(into, inner)?;
            if here > part {
                return self.wrong("no more initial values than the part has, before this");
            }
            if here < part {
                into.push(Initial::Zeros(part - here));
            }
            given = given.saturating_add(part);
        }
        self.shallower();
        self.mark('}')?;
        Ok(given)
    }

    fn initial_value(&mut self, into: &mut Vec<Initial<'a>>) -> Result<(), LoadError> {
        match self.token.kind {
            TokenKind::Word("generic") => {
                self.advance()?;
                return self.initial_address(false, true, u64::MAX, into);
            }
            TokenKind::Word(word) if word != "WARP_SZ" => {
                return self.initial_address(false, false, u64::MAX, into);
            }
            _ => {}
        }
        let value = match self.constant()? {
            Constant::Int(value, _) if self.take_mark('(')? => {
                // `0xFF(name)`: bits of an address.
                let generic = self.take_word("generic")?;
                return self.initial_address(true, generic, value, into);
            }
            Constant::Int(value, _) => Initial::Int(value),
            Constant::Single(bits) => Initial::Single(bits),
            Constant::Double(value) => Initial::Double(value.to_bits()),
        };
        into.push(value);
        Ok(())
    }

    /// `name`, `(name)` after `generic`, each with an offset; all of it in brackets after a mask.
    fn initial_address(
        &mut self,
        masked: bool,
        generic: bool,
        mask: u64,
        into: &mut Vec<Initial<'a>>,
    ) -> Result<(), LoadError> {
        if generic {
            self.mark('(')?;
        }
        let name = self.word("the name of a variable")?;
        let mut element = 0;
        if self.take_mark('[')? {
            element = self.offset()?;
            self.mark(']')?;
        }
        let mut offset = self.initial_offset()?;
        if generic {
            self.mark(')')?;
            offset = offset.wrapping_add(self.initial_offset()?);
        }
        if masked {
            self.mark(')')?;
        }
        into.push(Initial::Address {
            name,
            element,
            offset,
            generic,
            mask,
        });
        Ok(())
    }

    fn initial_offset(&mut self) -> Result<i64, LoadError> {
        if self.at_mark('+') || self.at_mark('-') {
            self.offset()
        } else {
            Ok(0)
        }
    }
}
