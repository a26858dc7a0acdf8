//! The statements of a body: instructions, labels, declarations, scopes. Operands and variables have files of their own.

use crate::error::LoadError;
use crate::parse::ast::{Guard, Instruction, Operand, Registers, Statement, Type};
use crate::parse::lexer::{Token, TokenKind};
use crate::parse::parser::Parser;
use crate::parse::variable::Linking;

impl<'a> Parser<'a> {
    pub(super) fn body(&mut self) -> Result<Vec<Statement<'a>>, LoadError> {
        self.deeper()?;
        self.mark('{')?;
        let mut statements = Vec::new();
        while !self.at_mark('}') {
            match self.statement(&mut statements) {
                Err(gap @ LoadError::Unsupported { .. }) => {
                    statements.push(Statement::Unsupported(gap));
                    self.skip_to_semicolon()?;
                }
                other => other?,
            }
        }
        self.mark('}')?;
        self.shallower();
        Ok(statements)
    }

    fn statement(&mut self, into: &mut Vec<Statement<'a>>) -> Result<(), LoadError> {
        match self.token.kind {
            TokenKind::Mark('{') => into.push(Statement::Scope(self.body()?)),
            TokenKind::Mark(';') => {
                self.advance()?;
            }
            TokenKind::Mark('@') => into.push(Statement::Instruction(self.guarded()?)),
            TokenKind::Word(word) if word.starts_with('.') => self.directive(word, into)?,
            TokenKind::Word(word) => {
                let Token { line, column, .. } = self.advance()?;
                if self.take_mark(':')? {
                    self.label(word, line, into)?;
                } else {
                    into.push(Statement::Instruction(
                        self.instruction(None, word, line, column)?,
                    ));
                }
            }
            TokenKind::End => return self.wrong("`}` at the end of the function"),
            _ => return self.wrong("an instruction"),
        }
        Ok(())
    }

    fn label(
        &mut self,
        label: &'a str,
        line: u32,
        into: &mut Vec<Statement<'a>>,
    ) -> Result<(), LoadError> {
        if self.take_word(".branchtargets")? {
            let mut targets = vec![self.word("a label")?];
            while self.take_mark(',')? {
                targets.push(self.word("a label")?);
            }
            self.mark(';')?;
            into.push(Statement::Targets {
                label,
                targets,
                line,
            });
        } else if self.take_word(".calltargets")? {
            let mut functions = vec![self.word("a function")?];
            while self.take_mark(',')? {
                functions.push(self.word("a function")?);
            }
            self.mark(';')?;
            into.push(Statement::Callees {
                label,
                functions,
                line,
            });
        } else if self.take_word(".callprototype")? {
            let prototype = self.function(false)?;
            into.extend(prototype.unsupported.map(Statement::Unsupported));
            into.push(Statement::Prototype {
                label,
                returns: prototype.returns,
                params: prototype.params,
                line,
            });
        } else {
            into.push(Statement::Label(label, line));
        }
        Ok(())
    }

    fn directive(
        &mut self,
        directive: &'a str,
        into: &mut Vec<Statement<'a>>,
    ) -> Result<(), LoadError> {
        match directive {
            ".reg" => self.registers(into)?,
            ".loc" => {
                let located = self.location()?;
                into.push(Statement::Location(located));
            }
            ".pragma" => self.skip_to_semicolon()?,
            ".section" => self.section()?,
            ".file" => {
                self.source_file()?;
            }
            ".extern" | ".visible" | ".weak" => {
                self.advance()?;
                let linking = Linking {
                    is_extern: directive == ".extern",
                };
                into.extend(
                    self.variables(linking)?
                        .into_iter()
                        .map(Statement::Variable),
                );
            }
            ".local" | ".shared" | ".global" | ".const" | ".param" => {
                into.extend(
                    self.variables(Linking::default())?
                        .into_iter()
                        .map(Statement::Variable),
                );
            }
            _ => return self.wrong("an instruction or a declaration"),
        }
        Ok(())
    }

    fn registers(&mut self, into: &mut Vec<Statement<'a>>) -> Result<(), LoadError> {
        self.advance()?;
        let word = self.word("a register type")?;
        if matches!(word, ".v2" | ".v4") {
            return self.unsupported("vector registers");
        }
        let Some(ty) = word.strip_prefix('.').and_then(Type::named) else {
            return self.unsupported(&format!(".reg {word}"));
        };
        loop {
            let line = self.token.line;
            let name = self.word("the name of a register")?;
            let count = if self.take_mark('<')? {
                let count = self.int("a number of registers")?;
                self.mark('>')?;
                Some(count)
            } else {
                None
            };
            into.push(Statement::Registers(Registers {
                ty,
                name,
                count,
                line,
            }));
            if !self.take_mark(',')? {
                break;
            }
        }
        self.mark(';')
    }

    fn guarded(&mut self) -> Result<Instruction<'a>, LoadError> {
        self.mark('@')?;
        let negated = self.take_mark('!')?;
        let name = self.word("a predicate")?;
        let Token { line, column, .. } = self.token;
        let opcode = self.word("an instruction")?;
        self.instruction(Some(Guard { name, negated }), opcode, line, column)
    }

    fn instruction(
        &mut self,
        guard: Option<Guard<'a>>,
        opcode: &'a str,
        line: u32,
        column: u32,
    ) -> Result<Instruction<'a>, LoadError> {
        let mut operands = Vec::new();
        while !self.at_mark(';') {
            if !operands.is_empty() {
                self.mark(',')?;
            }
            let operand = self.operand()?;
            let is_literal = matches!(
                operand,
                Operand::Int(_) | Operand::Single(_) | Operand::Double(_)
            );
            operands.push(if is_literal && opcode.starts_with("call") {
                Operand::List(vec![operand])
            } else {
                operand
            });
        }
        self.mark(';')?;
        Ok(Instruction {
            guard,
            opcode,
            operands,
            line,
            column,
        })
    }
}
