//! The host's templates, read as tokens: their parameters, their names, what stands in their brackets and braces.

use super::Instances;
use super::tokens::{arguments, behind, is};
use crate::lex::{Kind, Token};
use std::rc::Rc;

/// One parameter of a template.
pub(super) struct Parameter {
    pub(super) name: Rc<str>,
    pub(super) is_type: bool,
    pub(super) default: Vec<Token>,
}

/// A function or a class of the host that is a template: what stands from its parameters to its end.
pub(super) struct OfHost<'a> {
    pub(super) parameters: Vec<Parameter>,
    /// What a function's parentheses hold, with them; empty for a class.
    pub(super) list: &'a [Token],
    /// Its body, with its braces.
    pub(super) body: &'a [Token],
}

impl<'a> Instances<'a> {
    /// Takes note of a template, and gives its end.
    pub(super) fn template(&mut self, tokens: &'a [Token], from: usize) -> usize {
        let Some((list, mut at)) = arguments(tokens, from + 1) else {
            return from + 2;
        };
        while is(tokens, at, "template") && is(tokens, at + 1, "<") {
            at = arguments(tokens, at + 1).map_or(at + 2, |(_, end)| end);
        }
        let head = at;
        while !["(", "{", ";"].iter().any(|mark| is(tokens, at, mark)) {
            if tokens.get(at).is_none_or(|token| token.kind == Kind::End) {
                return tokens.len();
            }
            let is_attribute = ["__launch_bounds__", "alignas", "__attribute__", "__align__"]
                .iter()
                .any(|word| is(tokens, at, word));
            at = match is_attribute && is(tokens, at + 1, "(") {
                true => behind(tokens, at + 1, "(", ")"),
                false => at + 1,
            };
        }
        let words = &tokens[head..at];
        let is_class = words
            .iter()
            .any(|word| word.is("struct") || word.is("class"))
            && !is(tokens, at, "(");
        let name = match is_class {
            true => class_name(words),
            false => function_name(words),
        };
        let open = at;
        while !is(tokens, at, "{") && !is(tokens, at, ";") && at < tokens.len() {
            at = match is(tokens, at, "(") {
                true => behind(tokens, at, "(", ")"),
                false => at + 1,
            };
        }
        if !is(tokens, at, "{") {
            if let Some(name) = name {
                self.templates.insert(name);
            }
            return (at + 1).min(tokens.len());
        }
        let end = behind(tokens, at, "{", "}");
        let is_of_device = |word: &Token| word.is("__global__") || word.is("__device__");
        if let Some(name) = name {
            self.templates.insert(name.clone());
            if !words.iter().any(is_of_device)
                && let Some(parameters) = parameters(&list)
            {
                let list = match is_class {
                    true => &tokens[..0],
                    false => &tokens[open..behind(tokens, open, "(", ")")],
                };
                let body = &tokens[at..end];
                self.of_host.entry(name).or_default().push(OfHost {
                    parameters,
                    list,
                    body,
                });
            }
        }
        end
    }
}

/// A template's parameters; nothing where one is a pack or a template.
fn parameters(list: &[Vec<Token>]) -> Option<Vec<Parameter>> {
    let read = |one: &Vec<Token>| {
        if one
            .iter()
            .any(|token| token.is("...") || token.is("template"))
        {
            return None;
        }
        let equals = one.iter().position(|token| token.is("="));
        let head = &one[..equals.unwrap_or(one.len())];
        let default = equals.map_or(Vec::new(), |equals| one[equals + 1..].to_vec());
        let is_type = one
            .first()
            .is_some_and(|first| first.is("typename") || first.is("class"));
        let name = head
            .last()
            .filter(|name| name.kind == Kind::Name)?
            .text
            .clone();
        Some(Parameter {
            name,
            is_type,
            default,
        })
    };
    list.iter().map(read).collect()
}

/// The name of a function, or of the class whose member is defined here.
fn function_name(words: &[Token]) -> Option<Rc<str>> {
    let scope = words.iter().rposition(|word| word.is("::"));
    let of_class = scope.filter(|scope| is(words, scope.wrapping_sub(1), ">"));
    let last = match of_class {
        Some(scope) => {
            let open = words[..scope].iter().rposition(|word| word.is("<"))?;
            open.checked_sub(1)?
        }
        None => words.len().checked_sub(1)?,
    };
    words
        .get(last)
        .filter(|name| name.kind == Kind::Name)
        .map(|name| name.text.clone())
}

fn class_name(words: &[Token]) -> Option<Rc<str>> {
    let word = words
        .iter()
        .position(|word| word.is("struct") || word.is("class"))?;
    words
        .get(word + 1)
        .filter(|name| name.kind == Kind::Name)
        .map(|name| name.text.clone())
}
