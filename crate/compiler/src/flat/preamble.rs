//! What stands before a source, and for the headers that it includes, where NVIDIA's compiler has not what nvcc takes from the host's.

use super::host::library::{header_of_std, is_global};
use crate::lex::{Kind, Token};
use crate::preprocess::{Header, Preprocessed, constant_of_c, kind_of_header};
use crate::source::Span;
use std::fmt::Write;

/// The parts of CUB that kernels call, for the header of all of it, most of which is the host's.
const CUB: [&str; 18] = [
    "block/block_adjacent_difference",
    "block/block_discontinuity",
    "block/block_exchange",
    "block/block_histogram",
    "block/block_load",
    "block/block_merge_sort",
    "block/block_radix_sort",
    "block/block_reduce",
    "block/block_run_length_decode",
    "block/block_scan",
    "block/block_shuffle",
    "block/block_store",
    "warp/warp_exchange",
    "warp/warp_load",
    "warp/warp_merge_sort",
    "warp/warp_reduce",
    "warp/warp_scan",
    "warp/warp_store",
];

/// Names of the host's system that stand for whole numbers.
const SHORT: [(&str, &str); 3] = [
    ("uint", "unsigned int"),
    ("ushort", "unsigned short"),
    ("ulong", "unsigned long"),
];

/// The lines that stand for a header: none where it stays as it is, and an empty text where nothing is needed of it.
pub(super) fn header(name: &str) -> Option<String> {
    if name == "cub/cub.cuh" {
        return Some(
            CUB.map(|part| format!("#include <cub/{part}.cuh>\n"))
                .concat(),
        );
    }
    if name == "cuda.h" {
        // It needs the host's headers, and kernels take one type from it.
        return Some(
            "struct alignas(64) CUtensorMap { unsigned long long opaque[16]; };\n".to_string(),
        );
    }
    let is_of_host = match kind_of_header(name) {
        Header::BuiltIn | Header::OfHost | Header::Std(_) => true,
        Header::Gap => name.starts_with("cub/device/"),
        Header::Unknown => false,
    };
    is_of_host.then(String::new)
}

/// What a source names and does not declare: constants of C's headers, types of whole numbers, and what of `std` CUDA has.
/// `spans` are those that were left out.
pub(super) fn preamble(of: &Preprocessed, spans: &[Span]) -> String {
    let mut text = String::new();
    let is_kept = |token: &&Token| {
        let holds = |span: &Span| span.start <= token.span.start && token.span.end <= span.end;
        !spans.iter().any(holds)
    };
    let kept: Vec<&Token> = of.tokens.iter().filter(is_kept).collect();
    let names = || kept.iter().filter(|token| token.kind == Kind::Name);
    if names().any(|token| is_fixed(token)) {
        text.push_str("#include <cuda/std/cstdint>\n");
    }
    text.push_str(&standard(&kept));
    for (name, ty) in SHORT {
        let is_used = names().any(|token| token.is(name));
        if is_used && !is_declared(&kept, name) {
            let _ = writeln!(text, "typedef {ty} {name};");
        }
    }
    let mut wanted: Vec<&str> = names().map(|token| &*token.text).collect();
    wanted.sort_unstable();
    wanted.dedup();
    for name in wanted {
        if let Some(value) = constant_of_c(name) {
            let _ = writeln!(text, "#define {name} {value}");
        }
    }
    text
}

/// `std` with what is asked of it.
fn standard(kept: &[&Token]) -> String {
    let std = kept.iter().enumerate().filter(|(_, token)| token.is("std"));
    let asked = std.map(|(at, _)| match (kept.get(at + 1), kept.get(at + 2)) {
        (Some(colons), Some(name)) if colons.is("::") => &*name.text,
        _ => "",
    });
    let mut asked: Vec<&str> = asked.collect();
    if asked.is_empty() {
        return String::new();
    }
    asked.sort_unstable();
    asked.dedup();
    let mut headers: Vec<&str> = asked
        .iter()
        .filter_map(|name| header_of_std(name))
        .collect();
    headers.sort_unstable();
    headers.dedup();
    let mut text = String::new();
    for header in &headers {
        let _ = writeln!(text, "#include <cuda/std/{header}>");
    }
    text.push_str("namespace std {");
    if !headers.is_empty() {
        text.push_str(" using namespace ::cuda::std;");
    }
    for name in asked.iter().filter(|name| is_global(name)) {
        let _ = write!(text, " using ::{name};");
    }
    text.push_str(" }\n");
    text
}

/// Whether it is a type such as `uint32_t`; `size_t` is known without a header.
fn is_fixed(token: &Token) -> bool {
    !token.is("size_t") && crate::preprocess::NUMBER_TYPES.contains(&&*token.text)
}

/// Whether a source declares a type of this name.
fn is_declared(tokens: &[&Token], name: &str) -> bool {
    tokens.windows(2).any(|two| {
        let is_using = two[0].is("using") && two[1].is(name);
        let is_typedef = two[0].is(name) && two[1].is(";");
        is_using || is_typedef
    })
}
