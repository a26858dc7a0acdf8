//! Headers that are built in: what CUDA's declare for kernels, written anew in CUDA C++.

use crate::diagnostics::Sink;
use crate::lex::{Kind, Token, lex};
use crate::source::Span;
use std::collections::HashSet;

/// What makes the names of CUDA's own standard library those of this compiler.
const STD: &str = "namespace cuda { namespace std { } }";

/// Each header's name, and the files here that it is.
const HEADERS: [(&str, &[&str]); 11] = [
    ("cuda_pipeline.h", &[include_str!("headers/pipeline.cuh")]),
    (
        "cuda_pipeline_primitives.h",
        &[include_str!("headers/pipeline.cuh")],
    ),
    ("cuda/std/cstdint", &[STD]),
    ("cuda/std/cstddef", &[STD]),
    ("cuda/std/cassert", &[STD]),
    ("cuda_fp16.h", &[include_str!("headers/fp16.cuh")]),
    ("cuda_fp16.hpp", &[include_str!("headers/fp16.cuh")]),
    ("cuda_bf16.h", &[include_str!("headers/bf16.cuh")]),
    (
        "cooperative_groups.h",
        &[include_str!("headers/cooperative_groups.cuh")],
    ),
    (
        "cooperative_groups/reduce.h",
        &[include_str!("headers/reduce.cuh")],
    ),
    (
        "mma.h",
        &[
            include_str!("headers/fp16.cuh"),
            include_str!("headers/mma.cuh"),
        ],
    ),
];

/// The tokens of a header, all at [`Span::HEADER`]; `None` where it is none of these.
pub(crate) fn tokens(name: &str) -> Option<Vec<Token>> {
    let (_, files) = HEADERS.iter().find(|(known, _)| *known == name)?;
    Some(files.iter().flat_map(|text| tokens_of(text)).collect())
}

/// Functions that CUDA has by itself in CUDA C++, in sections: of the mathematics library, and of words.
const MATH: [&str; 5] = [
    include_str!("headers/math.cuh"),
    include_str!("headers/double.cuh"),
    include_str!("headers/special.cuh"),
    include_str!("headers/special_double.cuh"),
    include_str!("headers/words.cuh"),
];

/// What stands before a call and is no type: behind a type a name is declared, by the source itself.
const STATEMENTS: [&str; 4] = ["return", "else", "do", "case"];

/// What stands before the name of a function where it is that of `double`.
pub(crate) const OF_DOUBLE: &str = "__double_";

/// One of them: its name, what it needs, its text.
struct Section {
    name: &'static str,
    needs: Vec<&'static str>,
    text: &'static str,
}

fn sections() -> impl Iterator<Item = Section> {
    let texts = MATH.iter().flat_map(|text| text.split("//@ ").skip(1));
    texts.map(|section| {
        let (head, text) = section.split_once('\n').unwrap_or((section, ""));
        let (name, needs) = head.split_once(':').unwrap_or((head, ""));
        Section {
            name,
            needs: needs.split_whitespace().collect(),
            text,
        }
    })
}

/// The functions of the mathematics library that a source names, and what they need, to stand before it.
pub(crate) fn math(source: &[Token]) -> Vec<Token> {
    let mut called: HashSet<&str> = HashSet::new();
    let mut own: HashSet<&str> = HashSet::new();
    for (at, token) in source.iter().enumerate() {
        let follows = |text: &str| source.get(at + 1).is_some_and(|next| next.is(text));
        let before = at.checked_sub(1).map(|before| &source[before]);
        let is_member = before.is_some_and(|before| before.is(".") || before.is("->"));
        if token.kind != Kind::Name || !follows("(") || is_member {
            continue;
        }
        let is_type = |token: &Token| token.kind == Kind::Name;
        match before {
            Some(before) if is_type(before) && !STATEMENTS.contains(&&*before.text) => {
                own.insert(&token.text);
            }
            _ => {
                called.insert(&token.text);
            }
        }
    }
    let all: Vec<Section> = sections().collect();
    let is_among = |section: &Section, names: &HashSet<&str>| {
        let name = section.name;
        let plain = name.strip_prefix(OF_DOUBLE);
        let both = name.strip_suffix('f');
        [Some(name), plain, both]
            .into_iter()
            .flatten()
            .any(|name| names.contains(name))
    };
    let named = |section: &&Section| is_among(section, &called) && !is_among(section, &own);
    let named = all.iter().filter(named);
    let mut wanted: Vec<&str> = named.map(|section| section.name).collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < wanted.len() {
        let section = all.iter().find(|section| section.name == wanted[at]);
        wanted.extend(section.into_iter().flat_map(|section| &section.needs));
        at += 1;
    }
    let wanted: HashSet<&str> = wanted.into_iter().collect();
    for section in all.iter().filter(|section| wanted.contains(section.name)) {
        tokens.extend(tokens_of(section.text));
    }
    tokens
}

/// The header that declares a name which kernels are written with.
pub(crate) fn declaring(name: &str) -> Option<&'static str> {
    Some(match name {
        "half" | "half2" | "__half" | "__half2" => "cuda_fp16.h",
        "__nv_bfloat16" | "__nv_bfloat162" | "nv_bfloat16" => "cuda_bf16.h",
        "wmma" | "nvcuda" => "mma.h",
        "cg" | "cooperative_groups" => "cooperative_groups.h",
        _ => return None,
    })
}

fn tokens_of(text: &str) -> Vec<Token> {
    let mut tokens = lex(text, &mut Sink::default());
    tokens.retain(|token| token.kind != Kind::End);
    for token in &mut tokens {
        token.span = Span::HEADER;
    }
    tokens
}
