//! The parser's part for operands.

use crate::error::LoadError;
use crate::parse::ast::Operand;
use crate::parse::constant::Constant;
use crate::parse::lexer::{Token, TokenKind};
use crate::parse::parser::Parser;

impl<'a> Parser<'a> {
    /// One operand of an instruction.
    pub(super) fn operand(&mut self) -> Result<Operand<'a>, LoadError> {
        match self.token.kind {
            TokenKind::Word(name) if name != "WARP_SZ" => {
                self.advance()?;
                self.after_name(name)
            }
            TokenKind::Mark('!') => {
                self.advance()?;
                match self.token.kind {
                    TokenKind::Word(name) if name != "WARP_SZ" => {
                        self.advance()?;
                        Ok(Operand::Not(name))
                    }
                    _ => {
                        let first = self.not()?;
                        Ok(self.constant_from(first)?.into())
                    }
                }
            }
            TokenKind::Mark('{') => Ok(Operand::Vector(self.operands_between('{', '}')?)),
            TokenKind::Mark('(') => self.list(),
            TokenKind::Mark('[') => self.address(),
            _ => Ok(self.constant()?.into()),
        }
    }

    fn after_name(&mut self, name: &'a str) -> Result<Operand<'a>, LoadError> {
        if self.take_mark('|')? {
            return Ok(Operand::Pair(name, self.word("a second destination")?));
        }
        if self.at_mark('+') || self.at_mark('-') {
            return Ok(Operand::Sum(name, self.offset()?));
        }
        if self.at_mark('[') {
            return self.element(name);
        }
        Ok(Operand::Name(name))
    }

    /// `name[4]`, `name[%r1]`, `name[%r1+4]`: PTX ISA section "Arrays as Operands".
    fn element(&mut self, name: &'a str) -> Result<Operand<'a>, LoadError> {
        self.mark('[')?;
        let index = match self.token.kind {
            TokenKind::Word(index) if index != "WARP_SZ" => {
                self.advance()?;
                Some(index)
            }
            _ => None,
        };
        let offset = match index {
            Some(_) if self.at_mark(']') => 0,
            _ => self.offset()?,
        };
        self.mark(']')?;
        let element = Operand::Element {
            name,
            index,
            offset,
        };
        if !self.at_mark('+') && !self.at_mark('-') {
            return Ok(element);
        }
        self.wrong("the end of an operand: an element of an array has its offset in the brackets,")
    }

    /// `(param0, param1)` of a call, or the first part of a constant expression.
    fn list(&mut self) -> Result<Operand<'a>, LoadError> {
        self.deeper()?;
        self.mark('(')?;
        let is_constant = match self.token.kind {
            TokenKind::Word(word) => word == "WARP_SZ" || word.starts_with('.'),
            TokenKind::Mark(mark) => !matches!(mark, ')' | '{' | '['),
            _ => true,
        };
        if !is_constant {
            let operands = self.operands_until(')')?;
            self.shallower();
            return Ok(Operand::List(operands));
        }
        let first = self.parenthesised()?;
        self.shallower();
        Ok(self.constant_from(first)?.into())
    }

    fn operands_between(&mut self, open: char, close: char) -> Result<Vec<Operand<'a>>, LoadError> {
        self.deeper()?;
        self.mark(open)?;
        let operands = self.operands_until(close)?;
        self.shallower();
        Ok(operands)
    }

    fn operands_until(&mut self, close: char) -> Result<Vec<Operand<'a>>, LoadError> {
        let mut operands = Vec::new();
        while !self.at_mark(close) {
            if !operands.is_empty() {
                self.mark(',')?;
            }
            operands.push(self.operand()?);
        }
        self.mark(close)?;
        Ok(operands)
    }

    fn address(&mut self) -> Result<Operand<'a>, LoadError> {
        let mut parts = self.operands_between('[', ']')?;
        Ok(match (parts.len(), parts.pop()) {
            (1, Some(Operand::Name(name))) => Operand::Address {
                base: Some(name),
                offset: 0,
            },
            (1, Some(Operand::Sum(name, offset))) => Operand::Address {
                base: Some(name),
                offset,
            },
            (1, Some(Operand::Int(address))) => Operand::Address {
                base: None,
                offset: address as i64,
            },
            (0, _) => return self.wrong("an address before `]`"),
            (_, last) => {
                parts.extend(last);
                Operand::AddressList(parts)
            }
        })
    }

    /// `+4`, `-4`, nvcc's `+-4` or `+2*4`, after a name.
    pub(super) fn offset(&mut self) -> Result<i64, LoadError> {
        self.take_mark('+')?;
        let Token { line, column, .. } = self.token;
        match self.constant()? {
            Constant::Int(value, _) => Ok(value as i64),
            _ => Err(LoadError::Syntax {
                line,
                column,
                message: "expected an offset that is an integer".to_string(),
            }),
        }
    }
}

impl From<Constant> for Operand<'_> {
    fn from(constant: Constant) -> Self {
        match constant {
            Constant::Int(value, _) => Operand::Int(value),
            Constant::Single(bits) => Operand::Single(bits),
            Constant::Double(value) => Operand::Double(value.to_bits()),
        }
    }
}
