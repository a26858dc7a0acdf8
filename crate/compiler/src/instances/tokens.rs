//! Tokens by their brackets: what stands between them, and what names in them stand for.

use crate::hash::HashMap;
use crate::lex::{Kind, Token};
use std::rc::Rc;

/// What names stand for.
pub(super) type Meaning = HashMap<Rc<str>, Vec<Token>>;

pub(super) fn is(tokens: &[Token], at: usize, text: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.is(text))
}

pub(super) fn has_launch(tokens: &[Token]) -> bool {
    let is_launch =
        |two: &[Token]| two[0].is("<<") && two[1].is("<") && two[0].span.end == two[1].span.start;
    tokens.windows(2).any(is_launch)
}

/// Behind the bracket that closes the one here, or the end.
pub(super) fn behind(tokens: &[Token], from: usize, open: &str, close: &str) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        if token.is(open) {
            depth += 1;
        } else if token.is(close) {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + 1;
            }
        }
    }
    tokens.len()
}

/// The bracket that opens what closes before a place.
pub(super) fn open_of(tokens: &[Token], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for before in (0..at).rev() {
        depth += usize::from(tokens[before].is(")"));
        if tokens[before].is("(") {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(before);
            }
        }
    }
    None
}

/// What stands between `<` here and its `>`, by commas, and where it ends.
pub(super) fn arguments(tokens: &[Token], open: usize) -> Option<(Vec<Vec<Token>>, usize)> {
    let mut list: Vec<Vec<Token>> = vec![Vec::new()];
    let (mut angles, mut brackets) = (1_usize, 0_usize);
    for (at, token) in tokens.iter().enumerate().skip(open + 1) {
        let mut closes = 0;
        match &*token.text {
            "(" | "[" | "{" => brackets += 1,
            ")" | "]" | "}" => brackets = brackets.checked_sub(1)?,
            ";" => return None,
            "<" if brackets == 0 => angles += 1,
            ">" if brackets == 0 => closes = 1,
            ">>" if brackets == 0 => closes = 2,
            "<<" if brackets == 0 && is(tokens, at + 1, "<") => return None,
            "," if brackets == 0 && angles == 1 => {
                list.push(Vec::new());
                continue;
            }
            _ if token.kind == Kind::End => return None,
            _ => {}
        }
        let last = list.last_mut()?;
        if closes < angles {
            angles -= closes;
            last.push(token.clone());
            continue;
        }
        if closes == 2 && angles == 2 {
            last.push(Token {
                text: ">".into(),
                ..token.clone()
            });
        }
        if list.len() == 1 && list[0].is_empty() {
            list.clear();
        }
        return Some((list, at + 1));
    }
    None
}

pub(super) fn spelled(tokens: &[Token]) -> String {
    tokens
        .iter()
        .map(|token| &*token.text)
        .collect::<Vec<_>>()
        .join(" ")
}

pub(super) fn in_brackets(value: Vec<Token>) -> Vec<Token> {
    let Some(first) = value.first().filter(|_| value.len() > 1) else {
        return value;
    };
    let bracket = |text: &str| Token {
        kind: Kind::Punctuation,
        text: text.into(),
        ..first.clone()
    };
    [vec![bracket("(")], value.clone(), vec![bracket(")")]].concat()
}

/// Tokens with what their names stand for in the names' place.
pub(super) fn replaced(tokens: &[Token], meaning: &Meaning) -> Vec<Token> {
    let mut out = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        let is_member = at > 0 && [".", "->", "::"].iter().any(|mark| tokens[at - 1].is(mark));
        match meaning
            .get(&token.text)
            .filter(|_| token.kind == Kind::Name && !is_member)
        {
            Some(value) => out.extend(value.iter().cloned()),
            None => out.push(token.clone()),
        }
    }
    out
}
