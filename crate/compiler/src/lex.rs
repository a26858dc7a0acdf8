//! Characters to tokens. Knows no keyword; numbers and strings keep their spelling.

mod strangers;

use crate::diagnostics::Sink;
use crate::hash::HashMap;
use crate::source::Span;
use std::rc::Rc;
use strangers::{is_quote, meant, operator_meant};

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

/// Operators that C++ has as words, too.
const WORDS: [(&str, &str); 11] = [
    ("and", "&&"),
    ("and_eq", "&="),
    ("bitand", "&"),
    ("bitor", "|"),
    ("compl", "~"),
    ("not", "!"),
    ("not_eq", "!="),
    ("or", "||"),
    ("or_eq", "|="),
    ("xor", "^"),
    ("xor_eq", "^="),
];

/// The tokens of a file that begins at this byte of a source with all that it includes.
pub(crate) fn lex_at(text: &str, start: u32, sink: &mut Sink) -> Vec<Token> {
    let told = sink.list.len();
    let mut tokens = lex(text, sink);
    let moved = |span: Span| Span {
        start: span.start + start,
        end: span.end + start,
    };
    for token in &mut tokens {
        token.span = moved(token.span);
    }
    for message in &mut sink.list[told..] {
        message.span = moved(message.span);
    }
    tokens
}

struct Lexer<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    starts_line: bool,
    after_space: bool,
    /// Whether it was told that spaces stand here which are none of C++.
    has_told_of_unseen: bool,
    /// What tokens say: those that say the same share it.
    texts: HashMap<&'a str, Rc<str>>,
}

/// The tokens of a source, with one of kind `End` at last.
pub(crate) fn lex(text: &str, sink: &mut Sink) -> Vec<Token> {
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        text,
        at: 0,
        starts_line: true,
        after_space: false,
        has_told_of_unseen: false,
        texts: HashMap::default(),
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

impl<'a> Lexer<'a> {
    fn made(&mut self, kind: Kind, start: usize) -> Token {
        let whole = self.text;
        let text = &whole[start..self.at.max(start)];
        let first = text.chars().next();
        // What was told to stand for another mark is read as that, so that no more is told of it.
        let read = match (kind, first.and_then(meant)) {
            (Kind::Punctuation, Some(mark)) => mark.to_string(),
            (Kind::Text, Some(_)) => format!("\"{}\"", text.trim_matches(is_quote)),
            _ => match (kind, first.and_then(operator_meant)) {
                (Kind::Punctuation, Some(operator)) => operator.to_string(),
                _ => return self.word_or_mark(kind, start, text),
            },
        };
        Token {
            text: read.into(),
            ..self.spanned(kind, start, "")
        }
    }

    fn word_or_mark(&mut self, kind: Kind, start: usize, text: &'a str) -> Token {
        let is_short = kind == Kind::Name && text.len() <= 6;
        match WORDS.iter().find(|(word, _)| is_short && *word == text) {
            Some((_, operator)) => Token {
                text: (*operator).into(),
                ..self.spanned(Kind::Punctuation, start, "")
            },
            None => self.spanned(kind, start, text),
        }
    }

    fn spanned(&mut self, kind: Kind, start: usize, text: &'a str) -> Token {
        let text = match self.texts.get(text) {
            Some(known) => known.clone(),
            None => {
                let made: Rc<str> = match text.contains('\\') {
                    true => text.replace("\\\r\n", "").replace("\\\n", "").into(),
                    false => text.into(),
                };
                self.texts.insert(text, made.clone());
                made
            }
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

    /// The bytes from a `\` to the end of its line, where nothing but blanks stands between; else 0.
    fn continued(&self) -> usize {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let is_blank = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'\r');
        let blanks = rest.iter().take_while(is_blank).count();
        match rest.get(blanks) {
            Some(b'\n') => blanks + 2,
            _ => 0,
        }
    }

    /// Tells of blanks between a `\` and the end of its line: we join the lines, NVRTC does not.
    fn check_splice(&self, start: usize, sink: &mut Sink) {
        let splice = &self.text[start..self.at];
        if splice.len() > 2 && splice != "\\\r\n" {
            let span = Span {
                start: start as u32,
                end: start as u32 + 1,
            };
            let message = "blanks follow this `\\`: other compilers end the line here";
            sink.warn(span, message, "remove the blanks");
        }
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
                b'\\' if self.continued() > 0 => {
                    let start = self.at;
                    self.at += self.continued();
                    self.check_splice(start, sink);
                }
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
                self.at = start + length + 4;
            }
            None => {
                self.at = self.bytes.len();
                let span = Span {
                    start: start as u32,
                    end: start as u32 + 2,
                };
                sink.error_help(span, "this comment does not end", "close it with `*/`");
                sink.is_cut_off = true;
            }
        }
    }

    /// Takes one token; none where a character means nothing.
    fn token(&mut self, sink: &mut Sink) -> Option<Kind> {
        let first = self.peek(0);
        if first == b'R' && self.peek(1) == b'"' {
            return Some(self.raw(sink));
        }
        if self.rest().starts_with(begins_word) {
            self.word(sink);
            return Some(Kind::Name);
        }
        if first.is_ascii_digit() || (first == b'.' && self.peek(1).is_ascii_digit()) {
            self.number();
            return Some(Kind::Number);
        }
        if first == b'"' || first == b'\'' {
            return Some(self.quoted(first, sink));
        }
        if first == b',' {
            self.at += 1;
            return Some(Kind::Punctuation);
        }
        let rest = &self.bytes[self.at..];
        let is_next = |p: &&&str| p.as_bytes()[0] == first && rest.starts_with(p.as_bytes());
        if let Some(found) = PUNCTUATION.iter().find(is_next) {
            self.at += found.len();
            return Some(Kind::Punctuation);
        }
        if first == b'#' {
            self.at += 1;
            return Some(Kind::Punctuation);
        }
        self.stranger(sink)
    }

    /// A name; letters that none may have are told of.
    fn word(&mut self, sink: &mut Sink) {
        let start = self.at;
        let goes_on = |c: char| begins_word(c) || c.is_alphanumeric();
        let rest = self.rest();
        self.at += rest.find(|c| !goes_on(c)).unwrap_or(rest.len());
        let word = &self.text[start..self.at];
        if !word.is_ascii() {
            let message = format!("`{word}` cannot be a name");
            let help = "names are of ASCII letters, digits and `_`; in comments and texts all letters may stand";
            sink.error_help(self.span_from(start), message, help);
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn span_from(&self, start: usize) -> Span {
        Span {
            start: start as u32,
            end: self.at as u32,
        }
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
                sink.is_cut_off = true;
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
            self.at = self.likely_end_of_text(start);
            sink.is_cut_off |= self.at == self.bytes.len();
        }
        match quote {
            b'"' => Kind::Text,
            _ => Kind::Character,
        }
    }

    /// Where a text most likely ends that was not closed: before the brackets and the `;` at the end of its line.
    fn likely_end_of_text(&self, start: usize) -> usize {
        let text = &self.text[start + 1..self.at];
        let kept = text.trim_end_matches([')', ';', ' ', '\r']);
        match text.trim_end().ends_with(';') && !kept.is_empty() && !kept.ends_with('\\') {
            true => start + 1 + kept.len(),
            false => self.at,
        }
    }
}

fn begins_word(c: char) -> bool {
    c.is_alphabetic() && meant(c).is_none() || c == '_' || c == '$'
}
