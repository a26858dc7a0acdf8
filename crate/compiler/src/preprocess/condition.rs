//! The conditions of `#if` and `#elif`: whole numbers of 64 bits, and `defined`.

use super::macros::Macros;
use crate::diagnostics::{Res, Sink};
use crate::lex::{Kind, Token};
use crate::limits::SYNTAX_DEPTH;
use crate::numbers;
use crate::source::Span;

/// A condition in which each `__has_include(…)` is its answer.
pub(super) fn with_answers(line: &[Token], is_there: &dyn Fn(&str, bool) -> bool) -> Vec<Token> {
    let mut kept = Vec::with_capacity(line.len());
    let mut at = 0;
    while let Some(token) = line.get(at) {
        at += 1;
        let operand = line.get(at..).unwrap_or_default();
        let close = operand.iter().position(|token| token.is(")"));
        let close = close.filter(|_| operand.first().is_some_and(|token| token.is("(")));
        let (true, Some(close)) = (token.is("__has_include"), close) else {
            kept.push(token.clone());
            continue;
        };
        let name: String = operand[1..close].iter().map(|token| &*token.text).collect();
        let answer = is_there(name.trim_matches(['<', '>', '"']), name.starts_with('"'));
        kept.push(Token {
            kind: Kind::Number,
            text: if answer { "1" } else { "0" }.into(),
            ..token.clone()
        });
        at += close + 1;
    }
    kept
}

/// Whether the condition holds.
pub(super) fn decide(
    line: &[Token],
    span: Span,
    macros: &mut Macros,
    sink: &mut Sink,
) -> Res<bool> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < line.len() {
        if !line[at].is("defined") {
            tokens.push(line[at].clone());
            at += 1;
            continue;
        }
        let in_brackets = line.get(at + 1).is_some_and(|token| token.is("("));
        let Some(name) = line.get(at + 1 + usize::from(in_brackets)) else {
            return Err(sink.error(span, "`defined` needs a name"));
        };
        let text = if macros.is_defined(&name.text) {
            "1"
        } else {
            "0"
        };
        tokens.push(Token {
            kind: Kind::Number,
            text: text.into(),
            ..name.clone()
        });
        at += if in_brackets { 4 } else { 2 };
    }
    let mut expanded = Vec::new();
    macros.expand(&tokens, &mut expanded, sink)?;
    let mut reader = Reader {
        tokens: &expanded,
        at: 0,
        span,
        sink,
        depth: 0,
    };
    let value = reader.binary(0)?;
    if reader.at < expanded.len() {
        return Err(reader.refuse());
    }
    Ok(value != 0)
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    span: Span,
    sink: &'a mut Sink,
    depth: usize,
}

/// Operators from the loosest to the tightest.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Reader<'_> {
    fn refuse(&mut self) -> crate::diagnostics::Reported {
        let help = "a condition has whole numbers, names of macros, `defined` and operators";
        self.sink
            .error_help(self.span, "this condition cannot be read", help)
    }

    fn binary(&mut self, level: usize) -> Res<i64> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self
            .tokens
            .get(self.at)
            .filter(|token| LEVELS[level].contains(&&*token.text))
        {
            let operator = operator.text.clone();
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = match self.apply(&operator, left, right) {
                Some(value) => value,
                None => return Err(self.sink.error(self.span, "this condition divides by zero")),
            };
        }
        if level == 0 && self.tokens.get(self.at).is_some_and(|token| token.is("?")) {
            self.at += 1;
            let yes = self.binary(0)?;
            if !self.tokens.get(self.at).is_some_and(|token| token.is(":")) {
                return Err(self.refuse());
            }
            self.at += 1;
            let no = self.binary(0)?;
            left = if left != 0 { yes } else { no };
        }
        Ok(left)
    }

    fn apply(&self, operator: &str, a: i64, b: i64) -> Option<i64> {
        Some(match operator {
            "||" => i64::from(a != 0 || b != 0),
            "&&" => i64::from(a != 0 && b != 0),
            "|" => a | b,
            "^" => a ^ b,
            "&" => a & b,
            "==" => i64::from(a == b),
            "!=" => i64::from(a != b),
            "<" => i64::from(a < b),
            ">" => i64::from(a > b),
            "<=" => i64::from(a <= b),
            ">=" => i64::from(a >= b),
            "<<" => a.wrapping_shl(b as u32),
            ">>" => a.wrapping_shr(b as u32),
            "+" => a.wrapping_add(b),
            "-" => a.wrapping_sub(b),
            "*" => a.wrapping_mul(b),
            "/" if b != 0 => a.wrapping_div(b),
            "%" if b != 0 => a.wrapping_rem(b),
            _ => return None,
        })
    }

    fn unary(&mut self) -> Res<i64> {
        self.depth += 1;
        if self.depth > SYNTAX_DEPTH {
            return Err(self.refuse());
        }
        let Some(token) = self.tokens.get(self.at).cloned() else {
            return Err(self.refuse());
        };
        self.at += 1;
        let value = match (token.kind, &*token.text) {
            (_, "!") => i64::from(self.unary()? == 0),
            (_, "-") => self.unary()?.wrapping_neg(),
            (_, "+") => self.unary()?,
            (_, "~") => !self.unary()?,
            (_, "(") => {
                let value = self.binary(0)?;
                if !self.tokens.get(self.at).is_some_and(|token| token.is(")")) {
                    return Err(self.refuse());
                }
                self.at += 1;
                value
            }
            (Kind::Number, text) => match numbers::integer(text) {
                Ok(number) => number.value as i64,
                Err(_) => return Err(self.refuse()),
            },
            (Kind::Character, text) => match numbers::unquote(text)[..] {
                [letter] => i64::from(letter as i8),
                _ => return Err(self.refuse()),
            },
            (Kind::Name, "true") => 1,
            (Kind::Name, _) => 0,
            _ => return Err(self.refuse()),
        };
        self.depth -= 1;
        Ok(value)
    }
}
