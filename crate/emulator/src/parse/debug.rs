//! What compilers tell besides the code: source files, the places of instructions in them, sections of debug information.

use crate::error::LoadError;
use crate::parse::ast::{Located, Position};
use crate::parse::lexer::TokenKind;
use crate::parse::parser::Parser;

impl<'a> Parser<'a> {
    pub(super) fn source_file(&mut self) -> Result<(u64, &'a str), LoadError> {
        self.advance()?;
        let number = self.int("the number of a source file")?;
        let name = match self.token.kind {
            TokenKind::Text(name) => name,
            _ => return self.wrong("the name of a source file"),
        };
        self.advance()?;
        while self.take_mark(',')? {
            self.int("a number")?;
        }
        Ok((number, name))
    }

    pub(super) fn section(&mut self) -> Result<(), LoadError> {
        self.advance()?;
        while !self.at_mark('{') {
            if self.token.kind == TokenKind::End {
                return self.wrong("the body of a `.section`");
            }
            self.advance()?;
        }
        let mut open = 0u32;
        loop {
            match self.token.kind {
                TokenKind::Mark('{') => open += 1,
                TokenKind::Mark('}') => open -= 1,
                TokenKind::End => return self.wrong("`}` at the end of a `.section`"),
                _ => {}
            }
            self.advance()?;
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// `.loc file line column [, function_name label, inlined_at file line column]`
    pub(super) fn location(&mut self) -> Result<Located, LoadError> {
        self.advance()?;
        let at = self.position()?;
        let mut inlined_at = None;
        while self.take_mark(',')? {
            match self.word("`function_name` or `inlined_at`")? {
                "function_name" => {
                    self.word("a label")?;
                    if self.take_mark('+')? {
                        self.int("an offset")?;
                    }
                }
                _ => inlined_at = Some(self.position()?),
            }
        }
        Ok(Located { at, inlined_at })
    }

    /// The number of a source file, a line and a column.
    fn position(&mut self) -> Result<Position, LoadError> {
        let file = self.int("the number of a source file")?;
        let line = self.int("a line")?;
        let column = self.int("a column")?;
        Ok(Position {
            file,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column,
        })
    }
}
