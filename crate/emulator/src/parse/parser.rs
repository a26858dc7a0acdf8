//! The parser's hold on the text: one token at a time, what is expected of it, and how deep it is nested. What the tokens form is in the files beside it.

use crate::error::LoadError;
use crate::parse::lexer::{Lexer, Token, TokenKind};

/// `WARP_SZ`, which is 32 on every GPU so far.
pub(super) const WARP_SIZE: u64 = 32;

/// The deepest nesting of braces taken.
const MOST_DEPTH: u32 = 128;

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    pub(super) token: Token<'a>,
    depth: u32,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Result<Self, LoadError> {
        let mut lexer = Lexer::new(text);
        let token = lexer.next()?;
        Ok(Self {
            lexer,
            token,
            depth: 0,
        })
    }

    pub(super) fn advance(&mut self) -> Result<Token<'a>, LoadError> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    pub(super) fn wrong<T>(&self, expected: &str) -> Result<T, LoadError> {
        let message = format!("expected {expected}, found {}", self.token.kind.shown());
        Err(LoadError::Syntax {
            line: self.token.line,
            column: self.token.column,
            message,
        })
    }

    pub(super) fn unsupported<T>(&self, instruction: &str) -> Result<T, LoadError> {
        Err(self.gap(instruction))
    }

    pub(super) fn gap(&self, instruction: &str) -> LoadError {
        LoadError::Unsupported {
            instruction: instruction.to_string(),
            line: self.token.line,
        }
    }

    pub(super) fn at_mark(&self, mark: char) -> bool {
        self.token.kind == TokenKind::Mark(mark)
    }

    /// The mark that follows the next one, which is `mark`, without a blank between them.
    pub(super) fn mark_behind(&self, mark: char) -> Option<char> {
        let next = self.lexer.ahead();
        (self.at_mark(mark) && next.is_some_and(|next| next.is_ascii_punctuation()))
            .then_some(next)
            .flatten()
    }

    pub(super) fn take_mark(&mut self, mark: char) -> Result<bool, LoadError> {
        let found = self.at_mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn mark(&mut self, mark: char) -> Result<(), LoadError> {
        if self.take_mark(mark)? {
            Ok(())
        } else {
            self.wrong(&format!("`{mark}`"))
        }
    }

    pub(super) fn word(&mut self, expected: &str) -> Result<&'a str, LoadError> {
        match self.token.kind {
            TokenKind::Word(word) => {
                self.advance()?;
                Ok(word)
            }
            _ => self.wrong(expected),
        }
    }

    pub(super) fn take_word(&mut self, word: &str) -> Result<bool, LoadError> {
        let found = self.token.kind == TokenKind::Word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn int(&mut self, expected: &str) -> Result<u64, LoadError> {
        let value = match self.token.kind {
            TokenKind::Int(value) => value,
            TokenKind::Word("WARP_SZ") => WARP_SIZE,
            _ => return self.wrong(expected),
        };
        self.advance()?;
        Ok(value)
    }

    /// Refuses nesting so deep that it would use up the stack.
    pub(super) fn deeper(&mut self) -> Result<(), LoadError> {
        self.depth += 1;
        if self.depth <= MOST_DEPTH {
            return Ok(());
        }
        Err(LoadError::OverOurLimit {
            what: "the nesting of brackets".to_string(),
            value: u64::from(self.depth),
            most: u64::from(MOST_DEPTH),
            line: self.token.line,
        })
    }

    pub(super) fn shallower(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn skip_to_semicolon(&mut self) -> Result<(), LoadError> {
        while !self.at_mark(';') {
            if self.token.kind == TokenKind::End {
                return self.wrong("`;`");
            }
            self.advance()?;
        }
        self.mark(';')
    }
}
