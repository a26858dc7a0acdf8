//! Templates of the host that launch kernels: for `run<float>(…)` in `main` a copy of `run` stands behind the source, with
//! `float` for its parameter, so that the launches in it say which instances of kernels they ask for.

mod deduced;
mod templates;
mod tokens;

use crate::hash::{HashMap, HashSet};
use crate::lex::{Kind, Token};
use crate::limits::TOKENS;
use std::rc::Rc;
use templates::OfHost;
use tokens::{Meaning, arguments, behind, has_launch, in_brackets, is, open_of, replaced, spelled};

/// How many copies are made at most.
const MOST: usize = 512;
/// The most tokens of a constant that is put where it is named.
const MOST_OF_CONSTANT: usize = 40;
/// The most tokens of an instance's arguments; templates that name themselves make more and more of them.
const MOST_OF_ARGUMENTS: usize = 200;

struct Instances<'a> {
    of_host: HashMap<Rc<str>, Vec<OfHost<'a>>>,
    /// All templates.
    templates: HashSet<Rc<str>>,
    /// Instances that were made, by their words.
    made: HashSet<String>,
    out: Vec<Token>,
    /// Tokens that were looked at for the types of variables.
    looked_at: usize,
}

/// The tokens, and behind them functions of the host as their callers ask for them.
pub(crate) fn with_instances(tokens: Vec<Token>) -> Vec<Token> {
    if !has_launch(&tokens) || !tokens.iter().any(|token| token.is("template")) {
        return tokens;
    }
    let added = added(&tokens);
    let mut all = tokens;
    if !added.is_empty() && all.len() + added.len() < TOKENS {
        let end = all.pop();
        all.extend(added);
        all.extend(end);
    }
    all
}

fn added(tokens: &[Token]) -> Vec<Token> {
    let mut instances = Instances {
        of_host: HashMap::default(),
        templates: HashSet::default(),
        made: HashSet::default(),
        out: Vec::new(),
        looked_at: 0,
    };
    let mut plain = Vec::new();
    let (mut at, mut from) = (0, 0);
    while at < tokens.len() {
        if tokens[at].is("template") && is(tokens, at + 1, "<") {
            plain.push(&tokens[from..at]);
            at = instances.template(tokens, at);
            from = at;
        } else {
            at += 1;
        }
    }
    plain.push(&tokens[from..]);
    instances.keep_what_launches();
    for part in plain {
        instances.mentions(part);
        instances.functions_with_constants(part);
    }
    // What is named in copies is copied too.
    let mut seen = 0;
    while seen < instances.out.len() && instances.made.len() < MOST && instances.out.len() < TOKENS
    {
        let new: Vec<Token> = instances.out[seen..].to_vec();
        seen = instances.out.len();
        instances.mentions(&new);
    }
    instances.out
}

impl<'a> Instances<'a> {
    /// Forgets the templates that launch nothing, nor name one that does.
    fn keep_what_launches(&mut self) {
        let mut launching: HashSet<Rc<str>> = HashSet::default();
        loop {
            let before = launching.len();
            for (name, all) in &self.of_host {
                let does = |one: &OfHost| {
                    has_launch(one.body)
                        || one.body.iter().any(|token| launching.contains(&token.text))
                };
                if !launching.contains(name) && all.iter().any(does) {
                    launching.insert(name.clone());
                    break;
                }
            }
            if launching.len() == before {
                break;
            }
        }
        self.of_host.retain(|name, _| launching.contains(name));
    }

    /// Makes the instances that these tokens name.
    fn mentions(&mut self, tokens: &[Token]) {
        for (at, token) in tokens.iter().enumerate() {
            if token.kind != Kind::Name || !self.of_host.contains_key(&token.text) {
                continue;
            }
            let written = match is(tokens, at + 1, "<") {
                true => arguments(tokens, at + 1),
                false => Some((Vec::new(), at + 1)),
            };
            let Some((written, open)) = written else {
                continue;
            };
            let is_call = is(tokens, open, "(");
            if open > at + 1 || is_call {
                let call = is_call.then_some((tokens, open));
                self.make(&token.text.clone(), &written, call);
            }
        }
    }

    /// Makes an instance of what has this name, of the arguments that are written and those that follow from a call.
    fn make(&mut self, name: &Rc<str>, written: &[Vec<Token>], call: Option<(&[Token], usize)>) {
        let Some(all) = self.of_host.get(name) else {
            return;
        };
        let mut looked_at = self.looked_at;
        let mut meanings = Vec::new();
        for (number, one) in all.iter().enumerate() {
            let given = deduced::arguments_of(one, written, call, &mut looked_at);
            if let Some(given) = given {
                meanings.push((number, given));
            }
        }
        self.looked_at = looked_at;
        let mut out = Vec::new();
        for (number, given) in meanings {
            if given.iter().map(Vec::len).sum::<usize>() > MOST_OF_ARGUMENTS {
                continue;
            }
            let words: Vec<String> = given.iter().map(|one| spelled(one)).collect();
            if self.made.len() >= MOST
                || self.out.len() > TOKENS
                || !self
                    .made
                    .insert(format!("{name} {number}<{}>", words.join(",")))
            {
                continue;
            }
            let Some(one) = self.of_host.get(name).and_then(|all| all.get(number)) else {
                continue;
            };
            let mut meaning = Meaning::default();
            for (parameter, value) in one.parameters.iter().zip(&given) {
                if !value.is_empty() {
                    let value = replaced(value, &meaning);
                    let value = if parameter.is_type {
                        value
                    } else {
                        in_brackets(value)
                    };
                    meaning.insert(parameter.name.clone(), value);
                }
            }
            self.copy(name, one.list, one.body, meaning, &mut out);
        }
        self.out.extend(out);
    }

    /// Copies of the plain functions that launch with constants of their own.
    fn functions_with_constants(&mut self, tokens: &[Token]) {
        let mut at = 0;
        while at < tokens.len() {
            if !tokens[at].is("{") {
                at += 1;
                continue;
            }
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            let end = behind(tokens, at, "{", "}");
            let body = &tokens[at..end];
            if !before.is_some_and(|before| before.is(")")) {
                at += 1; // a namespace, or something with members
                continue;
            }
            let has_constant = |token: &Token| {
                ["constexpr", "const", "using", "typedef"]
                    .iter()
                    .any(|word| token.is(word))
            };
            if has_launch(body) && body.iter().any(has_constant) && self.made.len() < MOST {
                let list = open_of(tokens, at).map_or(&tokens[..0], |open| &tokens[open..at]);
                let mut out = Vec::new();
                self.copy(&"plain".into(), list, body, Meaning::default(), &mut out);
                self.out.extend(out);
            }
            at = end;
        }
    }

    /// Puts a function here whose names stand for what they mean.
    fn copy(
        &self,
        name: &Rc<str>,
        list: &[Token],
        body: &[Token],
        mut meaning: Meaning,
        out: &mut Vec<Token>,
    ) {
        let Some(first) = body.first() else { return };
        let word = |text: &str, kind: Kind| Token {
            kind,
            text: text.into(),
            ..first.clone()
        };
        out.push(word("void", Kind::Name));
        let number = self.made.len();
        out.push(word(
            &format!("{name} ({number} {})", out.len() + self.out.len()),
            Kind::Name,
        ));
        match list.is_empty() {
            true => out.extend([word("(", Kind::Punctuation), word(")", Kind::Punctuation)]),
            false => out.extend(replaced(list, &meaning)),
        }
        let mut constants = Meaning::default();
        let mut at = 0;
        while at < body.len() {
            if let Some((name, value, end, is_type)) = local_meaning(body, at) {
                let value = replaced(&replaced(&value, &meaning), &constants);
                if value.len() <= MOST_OF_CONSTANT {
                    match is_type {
                        true => meaning.insert(name, value),
                        false => constants.insert(name, in_brackets(value)),
                    };
                }
                if is_type {
                    at = end;
                    continue;
                }
            }
            let is_template = is(body, at + 1, "<") && self.templates.contains(&body[at].text);
            if is_template && let Some((_, end)) = arguments(body, at + 1) {
                let inside = replaced(&body[at..end], &meaning);
                out.extend(replaced(&inside, &constants));
                at = end;
                continue;
            }
            let end = at + 1;
            let is_member = at > 0 && [".", "->", "::"].iter().any(|mark| body[at - 1].is(mark));
            match meaning
                .get(&body[at].text)
                .filter(|_| body[at].kind == Kind::Name && !is_member)
            {
                Some(value) => out.extend(value.iter().cloned()),
                None => out.push(body[at].clone()),
            }
            at = end;
        }
    }
}

/// What `constexpr int N = 4;`, `using T = float;` or `typedef float T;` makes a name mean, where it ends, and whether it is a type.
fn local_meaning(body: &[Token], at: usize) -> Option<(Rc<str>, Vec<Token>, usize, bool)> {
    let begins = at.checked_sub(1).is_some_and(|before| {
        ["{", "}", ";", ")"]
            .iter()
            .any(|mark| body[before].is(mark))
    });
    if !begins {
        return None;
    }
    let length = body[at..]
        .iter()
        .take(2 * MOST_OF_CONSTANT)
        .position(|token| token.is(";"))?;
    let statement = &body[at..at + length];
    let end = at + length + 1;
    let first = statement.first()?;
    let last = statement.last()?;
    if first.is("typedef") && last.kind == Kind::Name {
        let ty = &statement[1..statement.len() - 1];
        return Some((last.text.clone(), ty.to_vec(), end, true));
    }
    let equals = statement.iter().position(|token| token.is("="))?;
    let name = &statement[equals.checked_sub(1)?];
    let value = statement[equals + 1..].to_vec();
    if first.is("using") {
        return Some((name.text.clone(), value, end, true));
    }
    let words = &statement[..equals];
    let is_constant = words
        .iter()
        .any(|word| word.is("constexpr") || word.is("const"));
    let is_plain = words
        .iter()
        .all(|word| word.kind == Kind::Name || word.is("::"))
        && !value
            .iter()
            .any(|token| token.is(",") || token.is("{") || token.kind == Kind::Text);
    (is_constant && is_plain).then(|| (name.text.clone(), value, end, false))
}
