//! What is said where a type should stand: words of other languages, attributes that are nearly right, names that are near.

use super::Parser;
use super::types::SCALAR_WORDS;
use crate::diagnostics::Reported;
use crate::lex::Kind;

/// The words of CUDA that stand before a type.
const ATTRIBUTES: [&str; 9] = [
    "__constant__",
    "__device__",
    "__forceinline__",
    "__global__",
    "__host__",
    "__launch_bounds__",
    "__managed__",
    "__restrict__",
    "__shared__",
];

/// Words that other languages have in the place of a type, each with what is written here.
const WORDS: [(&[&str], &str); 10] = [
    (
        &["concept", "requires", "consteval", "co_await"],
        "kernels are compiled as C++17, which does not have this",
    ),
    (
        &["thread_local"],
        "each variable in a function is a thread's own: leave the word out",
    ),
    (
        &["let", "var", "val"],
        "`auto name = value;` declares a variable of the value's type",
    ),
    (
        &["def", "fn", "func", "function"],
        "a function begins with the type of what it returns: `__device__ float name(float x)`",
    ),
    (
        &["string", "String", "str"],
        "kernels have no texts that change: take a `const char*`",
    ),
    (
        &["vector", "list", "map", "set"],
        "kernels have no standard library: take arrays, pointers and numbers",
    ),
    (&["f32"], "did you mean `float`?"),
    (&["f64"], "did you mean `double`?"),
    (&["i32", "i64"], "did you mean `int` or `long long`?"),
    (
        &["u8", "u16", "u32", "u64"],
        "did you mean `unsigned`, or a type such as `uint32_t`?",
    ),
];

/// How the types of curand_kernel.h begin that are not there yet.
const GAPS_OF_CURAND: [&str; 5] = [
    "curandStateS",
    "curandStateMtgp32",
    "curandDirectionVectors",
    "curandDiscreteDistribution",
    "curandDistribution",
];

impl Parser<'_> {
    /// Where a type should stand.
    pub(super) fn no_type(&mut self) -> Reported {
        if self.is_end() {
            return self.wanted("a type");
        }
        let text = self.peek().text.clone();
        if GAPS_OF_CURAND.iter().any(|begin| text.starts_with(begin)) {
            return self
                .sink
                .gap(self.span(), format!("`{text}` of curand_kernel.h"));
        }
        let help = self.help_for_type(&text);
        let message = format!("a type was expected here, found `{text}`");
        let reported = self.sink.error_help(self.span(), message, help);
        if self.is_foreign_margin() {
            // Every line has one.
            self.at = self.tokens.len() - 1;
            self.told_of_end = true;
        }
        reported
    }

    /// Whether a line begins here with what no line of a source begins with: its number, or the mark of a comparison.
    fn is_foreign_margin(&self) -> bool {
        let token = self.peek();
        let is_mark = token.kind == Kind::Number || token.is("+") || token.is("-");
        is_mark && token.starts_line
    }

    fn help_for_type(&self, text: &str) -> String {
        if let Some(header) = crate::headers::declaring(text) {
            return format!("`#include <{header}>` declares it");
        }
        if self.peek().kind != Kind::Name {
            return self.help_for_no_name().to_string();
        }
        if let Some((_, help)) = WORDS.iter().find(|(words, _)| words.contains(&text)) {
            return (*help).to_string();
        }
        if text == "std" {
            return "kernels have no standard library: take arrays, pointers and numbers"
                .to_string();
        }
        let is_of_host =
            ["thrust", "FILE"].contains(&text) || text.starts_with("cuda") && text.len() > 4;
        let fixed = match text {
            "texture" => {
                "CUDA 12 has no texture references any more: take a `cudaTextureObject_t` as a parameter"
            }
            _ if ATTRIBUTES.contains(&text) => {
                "it belongs before a function or a variable outside of functions"
            }
            _ if is_of_host => "it is for code of the host: leave that out here",
            "T" | "U" | "N" | "T1" | "T2" => {
                "for any type put `template <typename T>` before the function"
            }
            _ if self.is_behind("template", "<") => "write `typename` before it",
            _ => "",
        };
        match () {
            () if !fixed.is_empty() => fixed.to_string(),
            () if self.attribute_meant(text).is_some() => {
                format!(
                    "did you mean `{}`?",
                    self.attribute_meant(text).unwrap_or_default()
                )
            }
            () if self.ahead(1).is("(") => {
                "what a function returns stands before its name; a kernel returns `void`"
                    .to_string()
            }
            () => self.help_for_type_name(text),
        }
    }

    fn help_for_type_name(&self, text: &str) -> String {
        let whole = format!("{text}_t");
        let types = self.types.iter().flat_map(|scope| &scope.types);
        let known = types.map(|name| &**name).chain(SCALAR_WORDS);
        let near = match self.is_type_name(&whole) {
            true => Some(whole),
            false => crate::nearest::nearest(text, known),
        };
        let is_alone = self.ahead(1).is(",") || self.ahead(1).is(")");
        match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if is_alone => format!("write its type before it, such as `float {text}`"),
            None => "declare it before it is used".to_string(),
        }
    }

    fn help_for_no_name(&self) -> &'static str {
        let token = self.peek();
        match &*token.text {
            _ if token.kind == Kind::Number && token.starts_line => {
                "are these the numbers of lines? remove them all"
            }
            "+" | "-" if token.starts_line => {
                "are these the marks of a comparison of two files? remove them all"
            }
            _ => "a declaration begins with a type, such as `float`",
        }
    }

    /// Whether the two tokens before are these.
    fn is_behind(&self, first: &str, second: &str) -> bool {
        let before = |count| self.at.checked_sub(count).map(|at| &self.tokens[at]);
        before(2).is_some_and(|token| token.is(first))
            && before(1).is_some_and(|token| token.is(second))
    }

    /// The word of CUDA that was probably meant, where a type or another such word follows.
    fn attribute_meant(&self, text: &str) -> Option<String> {
        if self.ahead(1).kind != Kind::Name || ATTRIBUTES.contains(&text) {
            return None;
        }
        let bare = text.trim_matches('_');
        let is_opencl = bare == "kernel";
        let with_lines = format!("__{}__", if is_opencl { "global" } else { bare });
        if ATTRIBUTES.contains(&&*with_lines) {
            return Some(with_lines);
        }
        if !text.starts_with('_') {
            return None;
        }
        crate::nearest::nearest(text, ATTRIBUTES.into_iter())
    }

    /// Whether two words stand here of which the first is no type and the second begins one, as in `__shard__ float s[32];`.
    pub(super) fn is_word_before_type(&self) -> bool {
        let (first, second) = (self.peek(), self.ahead(1));
        let is_type = SCALAR_WORDS.contains(&&*second.text) || self.is_type_name(&second.text);
        first.kind == Kind::Name
            && !super::is_keyword(&first.text)
            && second.kind == Kind::Name
            && !second.starts_line
            && (is_type || second.is("const"))
    }
}

/// Whether a word is one of CUDA's that say where something lies or runs, but for the host, or nearly is.
pub(super) fn is_near_attribute(word: &str) -> bool {
    const OF_ANY: [&str; 4] = [
        "__forceinline__",
        "__host__",
        "__launch_bounds__",
        "__restrict__",
    ];
    let is_own = |word: &str| ATTRIBUTES.contains(&word) && !OF_ANY.contains(&word);
    let is_slip = || {
        let near = crate::nearest::nearest(word, ATTRIBUTES.into_iter());
        word.starts_with('_') && near.is_some_and(|near| is_own(&near))
    };
    is_own(word) || !OF_ANY.contains(&word) && is_slip()
}
