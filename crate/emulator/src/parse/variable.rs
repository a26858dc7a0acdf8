//! The parser's part for variables and parameters: space, type, array bounds, initial values.

use crate::error::LoadError;
use crate::parse::ast::{Initial, Type, Variable};
use crate::parse::grammar::{Linking, Parser};
use crate::parse::lexer::TokenKind;
use crate::report::Space;

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
            let (ty, align) = (variables[0].ty, variables[0].align);
            variables.push(self.named(space, linking, ty, align)?);
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
        let ty = loop {
            let TokenKind::Word(word) = self.token.kind else {
                return self.wrong("a type such as `.b32`");
            };
            if word == ".v2" || word == ".v4" {
                return self.unsupported("variables of a vector type");
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
                    None if matches!(word, ".texref" | ".surfref" | ".samplerref") => {
                        return self.unsupported(word);
                    }
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
        self.named(space, linking, ty, align.unwrap_or(ty.bytes()))
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
        ty: Type,
        align: u64,
    ) -> Result<Variable<'a>, LoadError> {
        let line = self.token.line;
        let name = self.word("the name of a variable")?;
        let mut count = 1u64;
        let mut is_array = false;
        while self.take_mark('[')? {
            is_array = true;
            let length = if self.at_mark(']') {
                0
            } else {
                self.int("the length of an array")?
            };
            count = count.saturating_mul(length);
            self.mark(']')?;
        }
        let mut initial = Vec::new();
        if self.take_mark('=')? {
            self.initial(&mut initial)?;
            if is_array && count == 0 {
                count = initial.len() as u64;
            }
            if initial.len() as u64 > count {
                return self
                    .wrong("no more initial values than the array has elements, before this");
            }
        }
        let is_extern = linking.is_extern;
        Ok(Variable {
            name,
            space,
            ty,
            align,
            count,
            is_array,
            is_extern,
            initial,
            line,
        })
    }

    fn initial(&mut self, into: &mut Vec<Initial<'a>>) -> Result<(), LoadError> {
        if self.take_mark('{')? {
            self.deeper()?;
            let mut first = true;
            while !self.at_mark('}') {
                if !first {
                    self.mark(',')?;
                }
                first = false;
                self.initial(into)?;
            }
            self.shallower();
            return self.mark('}');
        }
        let negative = self.take_mark('-')?;
        let value = match self.token.kind {
            TokenKind::Int(value) => {
                self.advance()?;
                if self.at_mark('(') {
                    // `0xFF(name)`: bits of an address.
                    self.mark('(')?;
                    let generic = self.take_word("generic")?;
                    return self.initial_address(true, generic, value, into);
                }
                let value = if negative {
                    value.wrapping_neg()
                } else {
                    value
                };
                into.push(Initial::Int(value));
                return Ok(());
            }
            TokenKind::Single(bits) => {
                Initial::Single(if negative { bits ^ (1 << 31) } else { bits })
            }
            TokenKind::Double(bits) => {
                Initial::Double(if negative { bits ^ (1 << 63) } else { bits })
            }
            TokenKind::Word("generic") => {
                self.advance()?;
                return self.initial_address(false, true, u64::MAX, into);
            }
            TokenKind::Word(_) => return self.initial_address(false, false, u64::MAX, into),
            _ => return self.wrong("an initial value"),
        };
        self.advance()?;
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
