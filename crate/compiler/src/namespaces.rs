//! Namespaces away: all names stand in one, so that what is in them is known with and without their name. Names that
//! several have keep their namespace, and so do those of CUDA's own.

mod several;

use crate::hash::HashSet;
use crate::lex::{Kind, Token};
use several::Several;
use std::rc::Rc;

/// The tokens without the names of namespaces before other names, and without what only renames or opens namespaces.
pub(crate) fn flatten(tokens: &[Token]) -> Vec<Token> {
    let names = names(tokens);
    if names.is_empty() {
        return tokens.to_vec();
    }
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.is(text));
    let is_known = |at: usize| {
        tokens
            .get(at)
            .is_some_and(|token| token.kind == Kind::Name && names.contains(&token.text))
    };
    let end_of_statement = |at: usize| {
        let length = tokens[at..].iter().position(|token| token.is(";"));
        length.map_or(tokens.len() - 1, |length| at + length + 1)
    };
    let mut several = Several::find(tokens);
    // `std` of a source is the host's, but for what a header here declares.
    let has_own_std = (1..tokens.len()).any(|at| {
        is(at, "std") && is(at - 1, "namespace") && !tokens[at].span.is_header() && is(at + 1, "{")
    });
    let is_of_host = |at: usize, several: &Several| {
        is(at, "std")
            && !has_own_std
            && !tokens[at].span.is_header()
            && !is(at.wrapping_sub(2), "cuda")
            && is(at + 1, "::")
            && !several.is_declared(&tokens[at + 2].text)
    };
    let mut flat = Vec::with_capacity(tokens.len());
    let mut qualifier = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        several.pass(tokens, at);
        let opens = is(at, "using") && is(at + 1, "namespace");
        let renames = is(at, "namespace") && is(at + 2, "=");
        let takes = is(at, "using")
            && is_known(at + 1)
            && is(at + 2, "::")
            && !is_of_host(at + 1, &several);
        if opens || renames || takes {
            if !renames {
                several.open(tokens, at + 1);
            }
            at = end_of_statement(at);
        } else if is(at, "inline") && is(at + 1, "namespace") {
            at += 1;
        } else if is_known(at)
            && is(at + 1, "::")
            && !is(at.wrapping_sub(1), "struct")
            && !is_of_host(at, &several)
        {
            qualifier.push(tokens[at].text.clone());
            at += 2;
        } else if is(at, "thread_group") && names.contains("cooperative_groups") {
            // A group of any kind: what it is follows from what is given.
            flat.push(Token {
                text: "auto".into(),
                ..tokens[at].clone()
            });
            at += 1;
        } else {
            let mut token = tokens[at].clone();
            if token.kind == Kind::Name
                && let Some(text) = several.meant(tokens, at, &qualifier)
            {
                token.text = text;
            }
            qualifier.clear();
            flat.push(token);
            at += 1;
        }
    }
    flat
}

/// The names of all namespaces: what follows `namespace`.
fn names(tokens: &[Token]) -> HashSet<Rc<str>> {
    let mut names = HashSet::default();
    for (at, token) in tokens.iter().enumerate() {
        if !token.is("namespace") {
            continue;
        }
        let mut parts = tokens[at + 1..].iter();
        while let Some(part) = parts.next().filter(|part| part.kind == Kind::Name) {
            names.insert(part.text.clone());
            if !parts.next().is_some_and(|next| next.is("::")) {
                break;
            }
        }
    }
    names
}
