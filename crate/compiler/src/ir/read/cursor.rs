//! A line of the IR's text in pieces. What they mean stands in `read`.

use super::{Res, parsed};

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A word, a number, a value: what has no space in it.
    Word(String),
    Text(String),
    /// `,`, `=`, `[` and `]`.
    Sign(char),
}

/// The pieces of a line.
fn tokens(line: &str) -> Res<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => {}
            ',' | '=' | '[' | ']' => tokens.push(Token::Sign(c)),
            '"' => tokens.push(Token::Text(quoted(&mut chars)?)),
            '/' => break, // a comment
            _ => {
                let mut word = c.to_string();
                while let Some(next) = chars.next_if(|next| !" \t,=[]\"/".contains(*next)) {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
        }
    }
    Ok(tokens)
}

/// A text up to its quotation mark, as `char::escape_default` writes it.
fn quoted(chars: &mut impl Iterator<Item = char>) -> Res<String> {
    let mut text = String::new();
    while let Some(c) = chars.next() {
        let c = match c {
            '"' => return Ok(text),
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('u') => {
                    let digits: String = chars.by_ref().take_while(|c| *c != '}').collect();
                    let digits = digits.trim_start_matches('{').to_string();
                    let number = u32::from_str_radix(&digits, 16).ok();
                    let found = number.and_then(char::from_u32);
                    found.ok_or_else(|| format!("`\\u{{{digits}}}` is no character"))?
                }
                Some(c @ ('"' | '\'' | '\\')) => c,
                other => return Err(format!("`\\` before {other:?} means nothing")),
            },
            c => c,
        };
        text.push(c);
    }
    Err("a text has no end".to_string())
}

/// The rest of a line.
pub(crate) struct Cursor {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
}

impl Cursor {
    pub(crate) fn new(line: &str) -> Res<Self> {
        Ok(Self {
            tokens: tokens(line)?.into_iter().peekable(),
        })
    }

    pub(crate) fn is_end(&mut self) -> bool {
        self.tokens.peek().is_none()
    }

    /// Whether the arguments of an instruction end here: flags follow, its place in the source, or nothing.
    pub(super) fn is_flag(&mut self) -> bool {
        match self.tokens.peek() {
            Some(Token::Word(word)) => word.starts_with(['!', '@']),
            Some(_) => false,
            None => true,
        }
    }

    pub(crate) fn word(&mut self) -> Res<String> {
        match self.tokens.next() {
            Some(Token::Word(word)) => Ok(word),
            other => Err(format!("a word is missing where {other:?} stands")),
        }
    }

    /// The next word if it begins so, without that.
    pub(crate) fn word_after(&mut self, prefix: &str) -> Option<String> {
        let Some(Token::Word(word)) = self.tokens.peek() else {
            return None;
        };
        let rest = word.strip_prefix(prefix)?.to_string();
        self.tokens.next();
        Some(rest)
    }

    pub(super) fn is_text(&mut self) -> bool {
        matches!(self.tokens.peek(), Some(Token::Text(_)))
    }

    pub(crate) fn text(&mut self) -> Res<String> {
        match self.tokens.next() {
            Some(Token::Text(text)) => Ok(text),
            other => Err(format!("a text is missing where {other:?} stands")),
        }
    }

    pub(crate) fn number<T: std::str::FromStr>(&mut self) -> Res<T> {
        parsed(&self.word()?)
    }

    pub(super) fn sign(&mut self, sign: char) -> bool {
        self.tokens.next_if_eq(&Token::Sign(sign)).is_some()
    }

    pub(super) fn expect(&mut self, sign: char) -> Res<()> {
        match self.sign(sign) {
            true => Ok(()),
            false => Err(format!("`{sign}` is missing")),
        }
    }

    pub(super) fn end(&mut self) -> Res<()> {
        match self.tokens.next() {
            None => Ok(()),
            Some(other) => Err(format!("{other:?} is too much")),
        }
    }
}
