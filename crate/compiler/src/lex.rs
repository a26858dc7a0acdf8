//! Characters to tokens. Knows no keyword; numbers and strings keep their spelling.

use crate::diagnostics::Sink;
use crate::source::Span;
use std::rc::Rc;

/// What kind of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Name,
    Number,
    Character,
    Text,
    Punctuation,
    /// `#pragma`'s first word; what it says follows up to a [`Kind::PragmaEnd`].
    Pragma,
    PragmaEnd,
    End,
}

/// A token.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) text: Rc<str>,
    pub(crate) span: Span,
    /// Whether it is the first of its line.
    pub(crate) starts_line: bool,
    /// Whether a blank stands before it.
    pub(crate) after_space: bool,
}

impl Token {
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Punctuation | Kind::Name) && &*self.text == text
    }
}

/// Longest first.
const PUNCTUATION: [&str; 49] = [
    "<<=", ">>=", "...", "->*", "<=>", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
    "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", "{", "}", "[", "]", "(", ")",
    ";", ":", "?", ".", "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=", "<", ">",
];

struct Lexer<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    starts_line: bool,
    after_space: bool,
}

/// The tokens of a source, with one of kind `End` at last.
pub(crate) fn lex(text: &str, sink: &mut Sink) -> Vec<Token> {
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        text,
        at: 0,
        starts_line: true,
        after_space: false,
    };
    let mut tokens = Vec::new();
    while lexer.skip_blanks(sink) {
        let start = lexer.at;
        let kind = lexer.token(sink);
        let Some(kind) = kind else { continue };
        tokens.push(lexer.made(kind, start));
        lexer.starts_line = false;
        lexer.after_space = false;
    }
    let end = lexer.made(Kind::End, text.len());
    tokens.push(Token {
        starts_line: true,
        ..end
    });
    tokens
}

impl Lexer<'_> {
    fn made(&self, kind: Kind, start: usize) -> Token {
        let text = &self.text[start..self.at.max(start)];
        // What was told to stand for another mark is read as that, so that no more is told of it.
        let mark = text
            .chars()
            .next()
            .and_then(meant)
            .filter(|_| kind == Kind::Punctuation);
        if let Some(mark) = mark {
            return Token {
                text: mark.to_string().into(),
                ..self.spanned(kind, start, "")
            };
        }
        self.spanned(kind, start, text)
    }

    fn spanned(&self, kind: Kind, start: usize, text: &str) -> Token {
        let text: Rc<str> = match text.contains('\\') {
            true => text.replace("\\\r\n", "").replace("\\\n", "").into(),
            false => text.into(),
        };
        Token {
            kind,
            text,
            span: Span {
                start: start as u32,
                end: self.at as u32,
            },
            starts_line: self.starts_line,
            after_space: self.after_space,
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// To the next token; false at the end.
    fn skip_blanks(&mut self, sink: &mut Sink) -> bool {
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\n' => {
                    self.starts_line = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => self.at += 2,
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => self.at += 3,
                b'/' if self.peek(1) == b'/' => {
                    while self.at < self.bytes.len() && self.peek(0) != b'\n' {
                        self.at += if self.peek(0) == b'\\' && self.peek(1) == b'\n' {
                            2
                        } else {
                            1
                        };
                    }
                }
                b'/' if self.peek(1) == b'*' => self.skip_comment(sink),
                0xef if self.at == 0 && self.bytes.starts_with(&[0xef, 0xbb, 0xbf]) => self.at += 3,
                _ => return true,
            }
            self.after_space = true;
        }
        false
    }

    fn skip_comment(&mut self, sink: &mut Sink) {
        let start = self.at;
        match self.text[start + 2..].find("*/") {
            Some(length) => {
                if self.text[start..start + 2 + length].contains('\n') {
                    self.starts_line |= false;
                }
                self.at = start + length + 4;
            }
            None => {
                self.at = self.bytes.len();
                let span = Span {
                    start: start as u32,
                    end: start as u32 + 2,
                };
                sink.error_help(span, "this comment does not end", "close it with `*/`");
            }
        }
    }

    /// Takes one token; none where a character means nothing.
    fn token(&mut self, sink: &mut Sink) -> Option<Kind> {
        let first = self.peek(0);
        if first == b'R' && self.peek(1) == b'"' {
            return Some(self.raw(sink));
        }
        if first.is_ascii_alphabetic() || first == b'_' || first == b'$' {
            let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
            while word(self.peek(0)) {
                self.at += 1;
            }
            return Some(Kind::Name);
        }
        if first.is_ascii_digit() || (first == b'.' && self.peek(1).is_ascii_digit()) {
            self.number();
            return Some(Kind::Number);
        }
        if first == b'"' || first == b'\'' {
            return Some(self.quoted(first, sink));
        }
        let rest = &self.bytes[self.at..];
        let is_next = |p: &&&str| p.as_bytes()[0] == first && rest.starts_with(p.as_bytes());
        if let Some(found) = PUNCTUATION.iter().find(is_next) {
            self.at += found.len();
            return Some(Kind::Punctuation);
        }
        if first == b',' || first == b'#' {
            self.at += 1;
            return Some(Kind::Punctuation);
        }
        let length = self.text[self.at..]
            .chars()
            .next()
            .map_or(1, char::len_utf8);
        let span = Span {
            start: self.at as u32,
            end: (self.at + length) as u32,
        };
        let shown = &self.text[self.at..self.at + length];
        let meant = shown.chars().next().and_then(meant);
        let help = match meant {
            Some(meant) => format!("write `{meant}`, which looks much the same"),
            None => "remove it; names are of ASCII letters, digits and `_`".to_string(),
        };
        sink.error_help(
            span,
            format!("`{}` has no meaning in CUDA C++", shown.escape_debug()),
            help,
        );
        self.at += length;
        let is_mark = meant.is_some_and(|it| it.is_ascii_punctuation() && it != '"' && it != '\'');
        is_mark.then_some(Kind::Punctuation)
    }

    fn number(&mut self) {
        let is_hex = self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X');
        loop {
            match self.peek(0) {
                b'e' | b'E' if !is_hex && matches!(self.peek(1), b'+' | b'-') => self.at += 2,
                b'p' | b'P' if is_hex && matches!(self.peek(1), b'+' | b'-') => self.at += 2,
                b'\'' if self.peek(1).is_ascii_alphanumeric() => self.at += 2,
                b'.' => self.at += 1,
                byte if byte.is_ascii_alphanumeric() || byte == b'_' => self.at += 1,
                _ => return,
            }
        }
    }

    /// `R"name(…)name"`.
    fn raw(&mut self, sink: &mut Sink) -> Kind {
        let start = self.at;
        let rest = &self.text[start + 2..];
        let end = rest
            .find('(')
            .filter(|length| *length <= 16)
            .and_then(|length| {
                let close = format!("){}\"", &rest[..length]);
                Some(length + rest[length..].find(&close)? + close.len())
            });
        match end {
            Some(end) => self.at = start + 2 + end,
            None => {
                let span = Span {
                    start: start as u32,
                    end: start as u32 + 2,
                };
                let help = "write `R\"(…)\"`";
                sink.error_help(span, "this raw text does not end", help);
                self.at = self.bytes.len();
            }
        }
        Kind::Text
    }

    fn quoted(&mut self, quote: u8, sink: &mut Sink) -> Kind {
        let start = self.at;
        self.at += 1;
        while self.at < self.bytes.len() && self.peek(0) != quote && self.peek(0) != b'\n' {
            let escaped = self.peek(0) == b'\\' && self.at + 1 < self.bytes.len();
            self.at += if escaped { 2 } else { 1 };
            while !self.text.is_char_boundary(self.at) {
                self.at += 1;
            }
        }
        if self.peek(0) == quote && self.at < self.bytes.len() {
            self.at += 1;
        } else {
            let span = Span {
                start: start as u32,
                end: start as u32 + 1,
            };
            let quote = char::from(quote);
            sink.error_help(
                span,
                "this text does not end on its line",
                format!("close it with `{quote}`"),
            );
        }
        match quote {
            b'"' => Kind::Text,
            _ => Kind::Character,
        }
    }
}

/// The ASCII character that an input method or a text processor has put this one in the place of.
fn meant(shown: char) -> Option<char> {
    match shown {
        // The full-width forms stand in ASCII's order.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(shown) - 0xfee0),
        '\u{3000}' | '\u{a0}' => Some(' '),
        '\u{201c}' | '\u{201d}' => Some('"'),
        '\u{2018}' | '\u{2019}' => Some('\''),
        '\u{2212}' | '\u{2013}' => Some('-'),
        '\u{d7}' => Some('*'),
        '\u{3002}' => Some('.'),
        _ => None,
    }
}
