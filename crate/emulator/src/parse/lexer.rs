//! PTX text to tokens. Knows characters, not grammar.

use crate::error::LoadError;

/// One token, with its place in the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind<'a>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TokenKind<'a> {
    /// Name, register, label, directive or opcode with its modifiers: `%r1`, `.reg`, `ld.global.f32`.
    Word(&'a str),
    /// Integer literal, as the 64 bits that the text gives.
    Int(u64),
    /// `0f3F800000`: the bits of a single.
    Single(u32),
    /// `0d3FF0000000000000` or a decimal such as `1.5`: the bits of a double.
    Double(u64),
    /// Quoted text, without the quotes.
    Text(&'a str),
    /// Punctuation.
    Mark(char),
    /// The end of the text.
    End,
}

impl TokenKind<'_> {
    /// The token as a message shows it.
    pub(crate) fn shown(&self) -> String {
        match self {
            TokenKind::Word(word) => format!("`{}`", shortened(word)),
            TokenKind::Int(value) => format!("`{value}`"),
            TokenKind::Single(bits) => format!("`0f{bits:08X}`"),
            TokenKind::Double(bits) => format!("`0d{bits:016X}`"),
            TokenKind::Text(text) => format!("\"{}\"", shortened(text)),
            TokenKind::Mark(mark) => format!("`{mark}`"),
            TokenKind::End => "the end of the text".to_string(),
        }
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// Cuts PTX text into tokens.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            line_start: 0,
        }
    }

    /// The next token; [`TokenKind::End`] again and again at the end.
    pub(crate) fn next(&mut self) -> Result<Token<'a>, LoadError> {
        self.skip_blank()?;
        let (line, column, start) = (self.line, self.column(), self.at);
        let Some(byte) = self.byte(0) else {
            return Ok(Token {
                kind: TokenKind::End,
                line,
                column,
            });
        };
        let fraction = byte == b'.' && self.byte(1).is_some_and(|byte| byte.is_ascii_digit());
        let kind = if fraction {
            self.decimal(start)?
        } else if byte.is_ascii_digit() {
            self.number()?
        } else if is_word(byte) {
            self.word();
            TokenKind::Word(&self.text[start..self.at])
        } else if byte == b'"' {
            self.quoted()?
        } else if byte.is_ascii_graphic() {
            self.at += 1;
            TokenKind::Mark(char::from(byte))
        } else {
            let found = self.text[self.at..].chars().next().unwrap_or('?');
            return Err(self.error(format!(
                "`{}` has no meaning in PTX",
                found.escape_default()
            )));
        };
        Ok(Token { kind, line, column })
    }

    /// The character behind the token that was given last.
    pub(crate) fn ahead(&self) -> Option<char> {
        self.byte(0).map(char::from)
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn column(&self) -> u32 {
        (self.at - self.line_start + 1) as u32
    }

    fn error(&self, message: String) -> LoadError {
        LoadError::Syntax {
            line: self.line,
            column: self.column(),
            message,
        }
    }

    fn skip_blank(&mut self) -> Result<(), LoadError> {
        while let Some(byte) = self.byte(0) {
            match (byte, self.byte(1)) {
                (b'\n', _) => self.new_line(),
                (b' ' | b'\t' | b'\r' | 0x0c, _) => self.at += 1,
                (b'/', Some(b'/')) => {
                    while self.byte(0).is_some_and(|byte| byte != b'\n') {
                        self.at += 1;
                    }
                }
                (b'/', Some(b'*')) => self.skip_comment()?,
                // A single null byte ends what a C string held.
                (0, None) => self.at += 1,
                _ => break,
            }
        }
        Ok(())
    }

    fn skip_comment(&mut self) -> Result<(), LoadError> {
        let open = self.error("a comment is opened here and never closed".to_string());
        self.at += 2;
        loop {
            match (self.byte(0), self.byte(1)) {
                (Some(b'*'), Some(b'/')) => {
                    self.at += 2;
                    return Ok(());
                }
                (Some(b'\n'), _) => self.new_line(),
                (Some(_), _) => self.at += 1,
                (None, _) => return Err(open),
            }
        }
    }

    fn new_line(&mut self) {
        self.at += 1;
        self.line += 1;
        self.line_start = self.at;
    }

    fn word(&mut self) {
        let directive = self.byte(0) == Some(b'.');
        let start = self.at;
        while let Some(byte) = self.byte(0) {
            if directive && byte == b'.' && self.at > start {
                // `.reg.b32` is two words, `ld.global` one.
                break;
            }
            if is_word(byte) || byte.is_ascii_digit() {
                self.at += 1;
            } else if byte == b':'
                && self.byte(1) == Some(b':')
                && self.byte(2).is_some_and(is_word_or_digit)
            {
                self.at += 2;
            } else {
                break;
            }
        }
    }

    fn quoted(&mut self) -> Result<TokenKind<'a>, LoadError> {
        let start = self.at + 1;
        let mut end = start;
        while let Some(byte) = self.text.as_bytes().get(end) {
            match byte {
                b'"' => {
                    self.at = end + 1;
                    return Ok(TokenKind::Text(&self.text[start..end]));
                }
                b'\n' => break,
                _ => end += 1,
            }
        }
        Err(self.error("a quotation mark is opened here and not closed on this line".to_string()))
    }

    /// PTX ISA section "Constants".
    fn number(&mut self) -> Result<TokenKind<'a>, LoadError> {
        let start = self.at;
        while self
            .byte(0)
            .is_some_and(|byte| byte.is_ascii_alphanumeric())
        {
            self.at += 1;
        }
        let digits = &self.text[start..self.at];
        let lower = digits.to_ascii_lowercase();
        let wrong = |lexer: &Self| lexer.error(format!("`{}` is not a number", shortened(digits)));
        if let Some(hex) = lower.strip_prefix("0f") {
            let bits = exactly(hex, 8).ok_or_else(|| wrong(self))?;
            return Ok(TokenKind::Single(bits as u32));
        }
        if let Some(hex) = lower.strip_prefix("0d") {
            return exactly(hex, 16)
                .map(TokenKind::Double)
                .ok_or_else(|| wrong(self));
        }
        let decimal_point =
            self.byte(0) == Some(b'.') && self.byte(1).is_some_and(|byte| byte.is_ascii_digit());
        let exponent = !lower.starts_with("0x") && lower.contains('e');
        if decimal_point || exponent {
            return self.decimal(start);
        }
        let lower = lower.trim_end_matches('u');
        let parsed = if let Some(hex) = lower.strip_prefix("0x") {
            u64::from_str_radix(hex, 16)
        } else if let Some(binary) = lower.strip_prefix("0b") {
            u64::from_str_radix(binary, 2)
        } else if lower.len() > 1 && lower.starts_with('0') {
            u64::from_str_radix(&lower[1..], 8)
        } else {
            lower.parse()
        };
        parsed.map(TokenKind::Int).map_err(|_| wrong(self))
    }

    fn decimal(&mut self, start: usize) -> Result<TokenKind<'a>, LoadError> {
        loop {
            match self.byte(0) {
                Some(b'.') => self.at += 1,
                Some(byte) if byte.is_ascii_alphanumeric() => self.at += 1,
                Some(b'+' | b'-') if matches!(self.text.as_bytes()[self.at - 1], b'e' | b'E') => {
                    self.at += 1
                }
                _ => break,
            }
        }
        let digits = &self.text[start..self.at];
        match digits.parse::<f64>() {
            Ok(value) => Ok(TokenKind::Double(value.to_bits())),
            Err(_) => Err(self.error(format!("`{}` is not a number", shortened(digits)))),
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

fn is_word_or_digit(byte: u8) -> bool {
    is_word(byte) || byte.is_ascii_digit()
}

fn exactly(hex: &str, digits: usize) -> Option<u64> {
    (hex.len() == digits)
        .then(|| u64::from_str_radix(hex, 16).ok())
        .flatten()
}
