//! A whole PTX file: its header, and the directives outside of functions. What stands in a function is in `function` and `statement`.

use crate::error::LoadError;
use crate::parse::ast::{File, Variable};
use crate::parse::lexer::TokenKind;
use crate::parse::parser::Parser;
use crate::parse::variable::{Linking, OPAQUE};
use crate::report::Space;

/// The longest text taken, in bytes.
const MOST_TEXT_BYTES: usize = 16 << 20;

/// Parses a whole PTX file.
pub(crate) fn parse(text: &str) -> Result<File<'_>, LoadError> {
    if text.len() > MOST_TEXT_BYTES {
        let (value, most) = (text.len() as u64, MOST_TEXT_BYTES as u64);
        return Err(LoadError::OverOurLimit {
            what: "the PTX text, in bytes,".to_string(),
            value,
            most,
            line: 1,
        });
    }
    let mut parser = Parser::new(text)?;
    parser.file()
}

impl<'a> Parser<'a> {
    fn file(&mut self) -> Result<File<'a>, LoadError> {
        let mut file = File::default();
        self.header()?;
        let mut linking = Linking::default();
        loop {
            let directive = match self.token.kind {
                TokenKind::Word(word) if word.starts_with('.') => word,
                TokenKind::Mark(';') => {
                    self.advance()?;
                    continue;
                }
                TokenKind::End => return Ok(file),
                _ => return self.wrong("a directive such as `.entry`"),
            };
            match directive {
                ".visible" | ".weak" | ".extern" | ".common" => {
                    self.advance()?;
                    linking.is_extern |= directive == ".extern";
                    continue;
                }
                ".entry" | ".func" => {
                    self.advance()?;
                    file.functions.push(self.function(directive == ".entry")?);
                }
                ".global" | ".const" | ".shared" | ".local" | ".param" => {
                    let mut variables = self.variables(linking)?;
                    file.variables.append(&mut variables);
                }
                ".file" => file.files.push(self.source_file()?),
                ".target" | ".version" | ".address_size" => {
                    return self.wrong("each header directive once, in order");
                }
                ".pragma" => self.skip_to_semicolon()?,
                ".alias" => {
                    self.advance()?;
                    let alias = self.word("the name of a function")?;
                    self.mark(',')?;
                    file.aliases
                        .push((alias, self.word("the name of a function")?));
                    self.mark(';')?;
                }
                ".section" => self.section()?,
                ".loc" => {
                    self.location()?;
                }
                ".tex" => {
                    let gap = self.gap(directive);
                    self.advance()?;
                    let variable = self.declared(Space::Global, linking)?;
                    self.mark(';')?;
                    file.variables.push(Variable {
                        gap: Some(gap),
                        ..variable
                    });
                }
                _ if OPAQUE.contains(&directive) => {
                    let variable = self.opaque(Space::Global)?;
                    self.mark(';')?;
                    file.variables.push(variable);
                }
                _ => return self.wrong("a directive such as `.entry`"),
            }
            linking = Linking::default();
        }
    }

    /// `.version`, `.target`, `.address_size`: PTX ISA section "PTX Module Directives".
    fn header(&mut self) -> Result<(), LoadError> {
        if !self.take_word(".version")? {
            return self.wrong("`.version`, with which PTX begins");
        }
        match self.token.kind {
            TokenKind::Double(_) => self.advance()?,
            _ => return self.wrong("a version such as 8.0"),
        };
        if !self.take_word(".target")? {
            return self.wrong("`.target`");
        }
        loop {
            self.word("an architecture such as sm_75")?;
            if !self.take_mark(',')? {
                break;
            }
        }
        if self.take_word(".address_size")? && self.int("64")? != 64 {
            return self.unsupported(".address_size other than 64");
        }
        Ok(())
    }
}
