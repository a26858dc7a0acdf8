//! Arguments of the host's templates that follow from a call: for `run(data, 4)` what `data` is declared as, as far as the
//! tokens say it.

use super::templates::OfHost;
use super::tokens::{arguments, behind, is};
use crate::hash::HashMap;
use crate::lex::{Kind, Token};
use std::rc::Rc;

/// How far before its use a variable's declaration is looked for.
const FAR: usize = 20_000;
/// The most tokens that are looked at for all declarations.
const MOST_LOOKED_AT: usize = 1 << 22;
/// Words that say nothing of which type it is.
const QUALIFIERS: [&str; 6] = [
    "const",
    "constexpr",
    "static",
    "volatile",
    "__restrict__",
    "__restrict",
];
/// Types of one word, as they stand before `(`.
const SCALARS: [&str; 9] = [
    "bool", "char", "double", "float", "half", "int", "long", "short", "unsigned",
];
/// Words before a name that is used there, not declared.
const NO_TYPES: [&str; 8] = [
    "return", "else", "case", "goto", "new", "delete", "auto", "using",
];

/// The arguments of a template: those that are written, those that a call's values say, and defaults. A call that leaves
/// one open asks for no instance.
pub(super) fn arguments_of(
    of: &OfHost,
    written: &[Vec<Token>],
    call: Option<(&[Token], usize)>,
    looked_at: &mut usize,
) -> Option<Vec<Vec<Token>>> {
    let mut found: HashMap<Rc<str>, Vec<Token>> = HashMap::default();
    let is_open = |at: usize| at >= written.len();
    let has_open = (0..of.parameters.len()).any(is_open);
    if let Some((tokens, open)) = call.filter(|_| has_open && !of.list.is_empty()) {
        let values = by_commas(&tokens[open..behind(tokens, open, "(", ")")]);
        for (parameter, value) in by_commas(of.list).into_iter().zip(values) {
            let Some(ty) = type_of(value, tokens, open, looked_at) else {
                continue;
            };
            for (at, own) in of.parameters.iter().enumerate() {
                if is_open(at)
                    && own.is_type
                    && !found.contains_key(&own.name)
                    && let Some(meaning) = matched(parameter, &own.name, &ty)
                {
                    found.insert(own.name.clone(), meaning);
                }
            }
        }
    }
    let mut all = written.to_vec();
    for own in of.parameters.iter().skip(written.len()) {
        let known = found.remove(&own.name);
        let value = known.unwrap_or_else(|| own.default.clone());
        if value.is_empty() && written.is_empty() {
            return None;
        }
        all.push(value);
    }
    Some(all)
}

/// What a template's parameter is where a function's parameter is to have this type.
fn matched(parameter: &[Token], name: &str, ty: &[Token]) -> Option<Vec<Token>> {
    let equals = parameter.iter().position(|token| token.is("="));
    let parameter = plain(&parameter[..equals.unwrap_or(parameter.len())]);
    let place = parameter.iter().position(|token| token.is(name))?;
    let (before, behind) = (&parameter[..place], &parameter[place + 1..]);
    // Its name stands last, but for an array's brackets.
    let array = behind.iter().position(|token| token.is("["));
    let behind = &behind[..array.unwrap_or(behind.len())];
    let has_name = behind.last().is_some_and(|last| last.kind == Kind::Name);
    let behind = &behind[..behind.len() - usize::from(has_name)];
    let stars = usize::from(array.is_some());
    let length = ty.len().checked_sub(before.len() + behind.len() + stars)?;
    let (first, rest) = ty.split_at(before.len());
    let (middle, last) = rest.split_at(length);
    let is_same = |a: &[Token], b: &[Token]| a.iter().zip(b).all(|(a, b)| a.text == b.text);
    let fits = is_same(first, before)
        && is_same(last, behind)
        && last[behind.len()..].iter().all(|token| token.is("*"));
    (fits && !middle.is_empty()).then(|| middle.to_vec())
}

/// The type of a value: of a variable, its address, a number or a cast.
fn type_of(
    value: &[Token],
    tokens: &[Token],
    before: usize,
    looked_at: &mut usize,
) -> Option<Vec<Token>> {
    let first = value.first()?;
    let word = |text: &str, kind: Kind| Token {
        kind,
        text: text.into(),
        ..first.clone()
    };
    if first.is("(") {
        let end = behind(value, 0, "(", ")");
        let is_cast = end < value.len() && is_type(&value[1..end - 1]);
        return is_cast.then(|| plain(&value[1..end - 1]));
    }
    if first.text.ends_with("_cast") {
        let (list, _) = arguments(value, 1)?;
        return list.first().map(|ty| plain(ty));
    }
    match value {
        [number] if number.kind == Kind::Number => Some(vec![word(
            crate::numbers::type_word(&number.text),
            Kind::Name,
        )]),
        [name] if name.is("true") || name.is("false") => Some(vec![word("bool", Kind::Name)]),
        [name] if name.kind == Kind::Name => declared(&name.text, tokens, before, looked_at),
        [and, name] if and.is("&") && name.kind == Kind::Name => {
            let mut ty = declared(&name.text, tokens, before, looked_at)?;
            ty.push(word("*", Kind::Punctuation));
            Some(ty)
        }
        [ty, open, ..] if open.is("(") && SCALARS.contains(&&*ty.text) => {
            (behind(value, 1, "(", ")") == value.len()).then(|| vec![ty.clone()])
        }
        _ => None,
    }
}

/// The type that a name was last declared with before a place.
fn declared(
    name: &str,
    tokens: &[Token],
    before: usize,
    looked_at: &mut usize,
) -> Option<Vec<Token>> {
    for at in (before.saturating_sub(FAR)..before).rev() {
        *looked_at += 1;
        if *looked_at > MOST_LOOKED_AT {
            return None;
        }
        if !tokens[at].is(name) {
            continue;
        }
        let is_declared = ["=", ";", ",", ")", "[", "{", "("]
            .iter()
            .any(|mark| is(tokens, at + 1, mark));
        if !is_declared {
            continue;
        }
        if let Some(mut ty) = type_before(tokens, at) {
            if is(tokens, at + 1, "[") {
                ty.push(Token {
                    kind: Kind::Punctuation,
                    text: "*".into(),
                    ..tokens[at].clone()
                });
            }
            return Some(ty);
        }
    }
    None
}

/// The type that stands before a name: `const float *a`, or for `b` in `float *a, *b` what the statement begins with.
fn type_before(tokens: &[Token], at: usize) -> Option<Vec<Token>> {
    let begin = begin_of(tokens, at, true);
    let own = plain(&tokens[begin..at]);
    if is_type(&own) {
        return Some(own);
    }
    if !is(tokens, begin.checked_sub(1)?, ",") || !own.iter().all(|token| token.is("*")) {
        return None;
    }
    let first = begin_of(tokens, begin - 1, false);
    let statement = &tokens[first..begin - 1];
    let names = statement
        .iter()
        .position(|token| ["*", ",", "=", "["].iter().any(|mark| token.is(mark)))
        .unwrap_or(statement.len());
    // The last word before `,`, `=` or `[` is the first variable.
    let is_pointer = is(statement, names, "*");
    let base = statement[..names]
        .len()
        .checked_sub(usize::from(!is_pointer))?;
    let base = plain(&statement[..base]);
    is_type(&base).then(|| [base, own].concat())
}

/// Where the declaration begins in which a name stands; `,` begins one of a list, but for those in `<…>`.
fn begin_of(tokens: &[Token], at: usize, by_comma: bool) -> usize {
    let (mut begin, mut angles, mut brackets) = (at, 0_usize, 0_usize);
    while begin > 0 && at - begin < 200 {
        let token = &tokens[begin - 1];
        match &*token.text {
            ";" | "{" | "}" => break,
            "(" if brackets == 0 => break,
            "(" => brackets -= 1,
            ")" if by_comma => break,
            ")" => brackets += 1,
            "," if by_comma && angles == 0 => break,
            ">" => angles += 1,
            "<" => angles = angles.saturating_sub(1),
            _ => {}
        }
        begin -= 1;
    }
    begin
}

/// A type without the words that say nothing of which one it is.
fn plain(tokens: &[Token]) -> Vec<Token> {
    let says = |token: &&Token| !QUALIFIERS.contains(&&*token.text) && !token.is("&");
    tokens.iter().filter(says).cloned().collect()
}

/// Whether tokens may be a type: words, and behind them `*`.
fn is_type(tokens: &[Token]) -> bool {
    let marks = ["*", "&", "::", "<", ">", ","];
    let fits = |token: &Token| {
        token.kind == Kind::Name || token.kind == Kind::Number || marks.contains(&&*token.text)
    };
    let has_no_type = |token: &Token| NO_TYPES.contains(&&*token.text);
    tokens.first().is_some_and(|first| first.kind == Kind::Name)
        && tokens.iter().all(fits)
        && !tokens.iter().any(has_no_type)
}

/// What stands between brackets, by commas.
fn by_commas(tokens: &[Token]) -> Vec<&[Token]> {
    let Some(inside) = tokens.get(1..tokens.len().saturating_sub(1)) else {
        return Vec::new();
    };
    let (mut parts, mut first, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, token) in inside.iter().enumerate() {
        match &*token.text {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                parts.push(&inside[first..at]);
                first = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[first..]);
    parts
}
