//! Headers that are built in: what CUDA's declare for kernels, written anew in CUDA C++.

use crate::diagnostics::Sink;
use crate::hash::HashSet;
use crate::lex::{Kind, Token, lex};
use crate::source::Span;
use std::sync::LazyLock;

/// What makes the names of CUDA's own standard library those of this compiler.
const STD: &str = "namespace cuda { namespace std { } }";

/// Parts of `cuda/std/` that have one file.
const SMALL: [&str; 10] = [
    "array",
    "bit",
    "complex",
    "functional",
    "limits",
    "optional",
    "span",
    "tuple",
    "type_traits",
    "utility",
];

const STD_PARTS: [&str; 3] = [
    include_str!("headers/scopes.cuh"),
    include_str!("headers/std.cuh"),
    include_str!("headers/std_more.cuh"),
];

const ATOMIC: [&str; 2] = [
    include_str!("headers/scopes.cuh"),
    include_str!("headers/atomic.cuh"),
];

const BARRIER: [&str; 4] = [
    include_str!("headers/scopes.cuh"),
    include_str!("headers/copies.cuh"),
    include_str!("headers/barrier.cuh"),
    include_str!("headers/ptx.cuh"),
];

/// Each header's name, and the files here that it is.
const HEADERS: [(&str, &[&str]); 28] = [
    ("curand_kernel.h", &[include_str!("headers/random.cuh")]),
    ("cuComplex.h", &[include_str!("headers/cucomplex.cuh")]),
    ("math_constants.h", &[include_str!("headers/constants.cuh")]),
    ("cuda_pipeline.h", &[include_str!("headers/pipeline.cuh")]),
    (
        "cuda_pipeline_primitives.h",
        &[include_str!("headers/pipeline.cuh")],
    ),
    ("cuda/std/cstdint", &[STD]),
    ("cuda/std/cstddef", &[STD]),
    ("cuda/std/cassert", &[STD]),
    ("cuda/std/cmath", &[STD]),
    ("cuda/std/climits", &[STD]),
    ("cuda/std/cfloat", &[STD]),
    ("cuda/atomic", &ATOMIC),
    ("cuda/std/atomic", &ATOMIC),
    (
        "cuda/pipeline",
        &[
            include_str!("headers/scopes.cuh"),
            include_str!("headers/atomic.cuh"),
            include_str!("headers/copies.cuh"),
            include_str!("headers/barrier.cuh"),
            include_str!("headers/pipelines.cuh"),
        ],
    ),
    ("cuda/ptx", &BARRIER),
    (
        "cuda.h",
        &["struct alignas(64) CUtensorMap { unsigned long long __words[16]; };"],
    ),
    ("cuda/barrier", &BARRIER),
    ("cuda/std/barrier", &BARRIER),
    ("cuda_fp16.h", &[include_str!("headers/fp16.cuh")]),
    ("cuda_fp16.hpp", &[include_str!("headers/fp16.cuh")]),
    ("cuda_bf16.h", &[include_str!("headers/bf16.cuh")]),
    ("cuda_bf16.hpp", &[include_str!("headers/bf16.cuh")]),
    (
        "cooperative_groups.h",
        &[include_str!("headers/cooperative_groups.cuh")],
    ),
    (
        "cooperative_groups/reduce.h",
        &[
            include_str!("headers/cooperative_groups.cuh"),
            include_str!("headers/reduce.cuh"),
        ],
    ),
    (
        "cooperative_groups/scan.h",
        &[
            include_str!("headers/cooperative_groups.cuh"),
            include_str!("headers/reduce.cuh"),
            include_str!("headers/scan.cuh"),
        ],
    ),
    (
        "cooperative_groups/memcpy_async.h",
        &[
            include_str!("headers/cooperative_groups.cuh"),
            include_str!("headers/copies.cuh"),
            include_str!("headers/groups_copies.cuh"),
        ],
    ),
    (
        "cuda_fp8.h",
        &[
            include_str!("headers/fp16.cuh"),
            include_str!("headers/bf16.cuh"),
            include_str!("headers/fp8.cuh"),
        ],
    ),
    (
        "mma.h",
        &[
            include_str!("headers/fp16.cuh"),
            include_str!("headers/bf16.cuh"),
            include_str!("headers/mma.cuh"),
        ],
    ),
];

/// The files that a header is; `None` where it is none of these.
pub(crate) fn files(name: &str) -> Option<&'static [&'static str]> {
    if name
        .strip_prefix("cuda/std/")
        .is_some_and(|part| SMALL.contains(&part))
    {
        return Some(&STD_PARTS);
    }
    let (_, files) = HEADERS.iter().find(|(known, _)| *known == name)?;
    Some(files)
}

/// Functions in CUDA C++, in sections, and the type of a header without which they are not there: of the mathematics
/// library, of words, of the small numbers.
const LIBRARY: [(&str, &str); 13] = [
    ("", include_str!("headers/math.cuh")),
    ("", include_str!("headers/double.cuh")),
    ("", include_str!("headers/special.cuh")),
    ("", include_str!("headers/special_double.cuh")),
    ("", include_str!("headers/words.cuh")),
    ("", include_str!("headers/atomics.cuh")),
    ("", include_str!("headers/clusters.cuh")),
    ("", include_str!("headers/values.cuh")),
    ("complex", include_str!("headers/complex_more.cuh")),
    ("__half2", include_str!("headers/fp16_more.cuh")),
    ("__nv_bfloat162", include_str!("headers/bf16_more.cuh")),
    (
        "curandStateXORWOW",
        include_str!("headers/random_generators.cuh"),
    ),
    (
        "curandStateXORWOW",
        include_str!("headers/random_distributions.cuh"),
    ),
];

/// What stands before a call and is no type: behind a type a name is declared, by the source itself.
const STATEMENTS: [&str; 4] = ["return", "else", "do", "case"];

/// What stands before a function that is handed over or kept, and what behind it.
const AROUND_VALUES: [&[&str]; 2] = [
    &["=", "{", ",", "(", "?", ":", "<", "&", "return"],
    &[",", ")", "}", ";", ":", ">"],
];

/// What stands before the name of a function of CUDA's, in that of the function for those who hand it over or keep it.
pub(crate) const AS_VALUE: &str = "__value_";

/// What stands before the name of a function where it is that of `double`.
pub(crate) const OF_DOUBLE: &str = "__double_";

/// One of them: its name, the header's type and the architectures it is of, what it needs, its text. A head is `name`,
/// `name from 90` or `name below 90`, and behind a colon what is needed.
struct Section {
    name: &'static str,
    ty: &'static str,
    architectures: std::ops::Range<u32>,
    needs: Vec<&'static str>,
    text: &'static str,
}

/// All of them, found once.
static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| {
    let of_file = |(ty, text): &(&'static str, &'static str)| {
        let (ty, text) = (*ty, *text);
        // By a single character, which is found much faster than a word.
        let is_head = |at: &usize| text[..*at].ends_with("//") && text[*at..].starts_with("@ ");
        let heads = text.match_indices('@').map(|(at, _)| at).filter(is_head);
        let heads: Vec<usize> = heads.collect();
        let ends = heads.iter().skip(1).map(|head| head - "//".len());
        let ends: Vec<usize> = ends.chain([text.len()]).collect();
        let sections = heads.into_iter().zip(ends);
        sections.filter_map(move |(head, end)| section_of(ty, &text[head + "@ ".len()..end]))
    };
    LIBRARY.iter().flat_map(of_file).collect()
});

fn section_of(ty: &'static str, section: &'static str) -> Option<Section> {
    let (head, text) = section.split_once('\n')?;
    let (name, needs) = head.split_once(':').unwrap_or((head, ""));
    let mut words = name.split_whitespace();
    let name = words.next()?;
    let word = words.next();
    let number = words.next().and_then(|word| word.parse().ok());
    let architectures = match (word, number) {
        (Some("from"), Some(least)) => least..u32::MAX,
        (Some("below"), Some(above)) => 0..above,
        _ => 0..u32::MAX,
    };
    let needs = needs.split_whitespace().collect();
    Some(Section {
        name,
        ty,
        architectures,
        needs,
        text,
    })
}

/// A source with the functions of the library that it names, and what they need, behind its headers.
pub(crate) fn with_library(tokens: Vec<Token>, arch: u32) -> Vec<Token> {
    let is_header = |token: &&Token| token.span.is_header();
    let last = tokens.iter().rposition(|token| token.span.is_header());
    let (headers, source) = tokens.split_at(last.map_or(0, |last| last + 1));
    let is_declared = |ty: &str| {
        let mut headers = headers.iter().filter(is_header);
        ty.is_empty() || headers.any(|token| &*token.text == ty)
    };
    let is_there =
        |section: &&Section| section.architectures.contains(&arch) && is_declared(section.ty);
    let library = library(&tokens, is_there);
    if library.is_empty() {
        return tokens;
    }
    headers
        .iter()
        .chain(&library)
        .chain(source)
        .cloned()
        .collect()
}

/// The functions that a source names, and what they need.
fn library(source: &[Token], is_there: impl Fn(&&Section) -> bool) -> Vec<Token> {
    let mut called: HashSet<&str> = HashSet::default();
    // Not called, but handed over or kept; and what the source declares.
    let (mut values, mut own): (HashSet<&str>, HashSet<&str>) = Default::default();
    for (at, token) in source.iter().enumerate() {
        if token.is("/") || token.is("/=") {
            called.insert("operator/");
        }
        let follows = |text: &str| source.get(at + 1).is_some_and(|next| next.is(text));
        let before = at.checked_sub(1).map(|before| &source[before]);
        let is_member = before.is_some_and(|before| before.is(".") || before.is("->"));
        if token.kind != Kind::Name || token.span.is_header() || is_member {
            continue;
        }
        let is_type =
            |token: &Token| token.kind == Kind::Name && !STATEMENTS.contains(&&*token.text);
        let is_new = before.is_some_and(is_type);
        if follows("(") && !is_new {
            called.insert(&token.text);
        } else if is_spelled_as_cudas(&token.text) {
            if is_new {
                own.insert(&token.text);
            } else if is_value(before, source.get(at + 1)) {
                values.insert(&token.text);
            }
        }
    }
    values.retain(|name| !own.contains(name));
    let is_called = |section: &Section| {
        let name = section.name;
        let plain = name.strip_prefix(OF_DOUBLE);
        let both = name.strip_suffix('f');
        [Some(name), plain, both]
            .into_iter()
            .flatten()
            .any(|name| called.contains(name))
            || values.contains(name.strip_prefix(AS_VALUE).unwrap_or(name))
    };
    let named = SECTIONS.iter().filter(|section| is_called(section));
    let named = named.filter(&is_there);
    let mut wanted: Vec<&str> = named.map(|section| section.name).collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < wanted.len() {
        let sections = SECTIONS.iter().filter(|section| section.name == wanted[at]);
        let sections = sections.filter(&is_there);
        let needs: Vec<&str> = sections.flat_map(|section| section.needs.clone()).collect();
        let new = needs.into_iter().filter(|need| !wanted.contains(need));
        let new: Vec<&str> = new.collect();
        wanted.extend(new);
        at += 1;
    }
    let wanted: HashSet<&str> = wanted.into_iter().collect();
    let sections = SECTIONS
        .iter()
        .filter(|section| wanted.contains(section.name));
    for section in sections.filter(&is_there) {
        tokens.extend(tokens_of(section.text));
    }
    tokens
}

/// Whether a name may be that of a function of CUDA's that takes one type.
fn is_spelled_as_cudas(name: &str) -> bool {
    name.ends_with('f') || name.starts_with("__")
}

/// Whether what stands between these is handed over or kept.
fn is_value(before: Option<&Token>, next: Option<&Token>) -> bool {
    let [fronts, ends] = AROUND_VALUES;
    let is_one =
        |token: Option<&Token>, of: &[&str]| token.is_some_and(|token| of.contains(&&*token.text));
    is_one(before, fronts) && is_one(next, ends)
}

/// The header that declares a name which kernels are written with.
pub(crate) fn declaring(name: &str) -> Option<&'static str> {
    Some(match name {
        "half" | "half2" | "__half" | "__half2" => "cuda_fp16.h",
        "__nv_bfloat16" | "__nv_bfloat162" | "nv_bfloat16" => "cuda_bf16.h",
        "wmma" | "nvcuda" => "mma.h",
        "curandState" | "curandState_t" | "curandStatePhilox4_32_10_t" | "curand_init" => {
            "curand_kernel.h"
        }
        "cg" | "cooperative_groups" => "cooperative_groups.h",
        _ => return None,
    })
}

/// The tokens of one of them, all at [`Span::HEADER`].
pub(crate) fn tokens_of(text: &str) -> Vec<Token> {
    let mut tokens = lex(text, &mut Sink::default());
    tokens.retain(|token| token.kind != Kind::End);
    for token in &mut tokens {
        token.span = Span::HEADER;
    }
    tokens
}
