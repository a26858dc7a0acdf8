//! The parser's part for operands.

use crate::error::LoadError;
use crate::parse::ast::Operand;
use crate::parse::grammar::Parser;
use crate::parse::lexer::TokenKind;

impl<'a> Parser<'a> {
    /// One operand of an instruction.
    pub(super) fn operand(&mut self) -> Result<Operand<'a>, LoadError> {
        match self.token.kind {
            TokenKind::Word(name) => {
                self.advance()?;
                self.after_name(name)
            }
            TokenKind::Mark('!') => {
                self.advance()?;
                Ok(Operand::Not(self.word("a predicate")?))
            }
            TokenKind::Mark('{') => Ok(Operand::Vector(self.operands_between('{', '}')?)),
            TokenKind::Mark('(') => Ok(Operand::List(self.operands_between('(', ')')?)),
            TokenKind::Mark('[') => self.address(),
            _ => self.number(),
        }
    }

    fn after_name(&mut self, name: &'a str) -> Result<Operand<'a>, LoadError> {
        if self.take_mark('|')? {
            return Ok(Operand::Pair(name, self.word("a second destination")?));
        }
        if self.at_mark('+') || self.at_mark('-') {
            return Ok(Operand::Sum(name, self.offset()?));
        }
        Ok(Operand::Name(name))
    }

    fn operands_between(&mut self, open: char, close: char) -> Result<Vec<Operand<'a>>, LoadError> {
        self.deeper()?;
        self.mark(open)?;
        let mut operands = Vec::new();
        while !self.at_mark(close) {
            if !operands.is_empty() {
                self.mark(',')?;
            }
            operands.push(self.operand()?);
        }
        self.mark(close)?;
        self.shallower();
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

    /// A literal, possibly with signs before it.
    fn number(&mut self) -> Result<Operand<'a>, LoadError> {
        let mut negative = false;
        let mut complement = false;
        loop {
            match self.token.kind {
                TokenKind::Mark('-') => negative = !negative,
                TokenKind::Mark('+') => {}
                TokenKind::Mark('~') => complement = !complement,
                _ => break,
            }
            self.advance()?;
        }
        let operand = match self.token.kind {
            TokenKind::Int(value) => {
                let value = if complement { !value } else { value };
                Operand::Int(if negative {
                    value.wrapping_neg()
                } else {
                    value
                })
            }
            TokenKind::Single(bits) if !complement => {
                Operand::Single(if negative { bits ^ (1 << 31) } else { bits })
            }
            TokenKind::Double(bits) if !complement => {
                Operand::Double(if negative { bits ^ (1 << 63) } else { bits })
            }
            _ => return self.wrong("an operand"),
        };
        self.advance()?;
        Ok(operand)
    }

    /// `+4`, `-4` or nvcc's `+-4`, after a name.
    pub(super) fn offset(&mut self) -> Result<i64, LoadError> {
        let mut negative = false;
        while self.at_mark('+') || self.at_mark('-') {
            negative ^= self.at_mark('-');
            self.advance()?;
        }
        let value = self.int("an offset in bytes")? as i64;
        Ok(if negative {
            value.wrapping_neg()
        } else {
            value
        })
    }
}
