//! What only the host's libraries have, as far as its words tell.

use crate::hash::HashSet;
use crate::lex::{Kind, Token};
use crate::preprocess::{MATHS, NUMBER_TYPES, TRAITS};

/// Headers of CUDA's own C++ library, and what is in them of `std`, besides traits.
const IN_CUDA: [(&str, &str); 12] = [
    ("__algorithm/clamp.h", "clamp"),
    ("__algorithm/max.h", "max"),
    ("__algorithm/min.h", "min"),
    ("array", "array"),
    ("bit", "bit_cast popcount countl_zero countr_zero"),
    ("complex", "complex"),
    ("functional", "greater less plus minus multiplies invoke"),
    ("limits", "numeric_limits"),
    ("numeric", "accumulate reduce"),
    ("optional", "optional nullopt"),
    ("tuple", "tuple make_tuple tie apply"),
    (
        "utility",
        "pair make_pair move forward swap exchange declval integer_sequence index_sequence make_index_sequence get",
    ),
];

/// Traits besides those that kernels are known to use, by how they begin.
const TRAITS_BEGIN: [&str; 9] = [
    "is_",
    "remove_",
    "add_",
    "make_signed",
    "make_unsigned",
    "common_type",
    "decay",
    "invoke_result",
    "underlying_type",
];

/// The header of CUDA's C++ library that has this name of `std`.
pub(in crate::flat) fn header_of_std(name: &str) -> Option<&'static str> {
    let has = |(_, names): &&(&str, &str)| names.split(' ').any(|known| known == name);
    let is_trait =
        || TRAITS.contains(&name) || TRAITS_BEGIN.iter().any(|begin| name.starts_with(begin));
    let found = IN_CUDA.iter().find(has).map(|(header, _)| *header);
    found.or_else(|| is_trait().then_some("type_traits"))
}

/// Whether it is a function or a type of numbers, which CUDA has without `std`.
pub(in crate::flat) fn is_global(name: &str) -> bool {
    MATHS.contains(&name) || NUMBER_TYPES.contains(&name)
}

/// Namespaces of what kernels use.
const OF_DEVICE: [&str; 8] = [
    "std",
    "cuda",
    "cub",
    "nvcuda",
    "wmma",
    "cooperative_groups",
    "cg",
    "nvstd",
];

/// Types of the host's libraries that stand without a namespace.
const TYPES: [&str; 8] = [
    "FILE",
    "cudaDeviceProp",
    "cudaEvent_t",
    "cudaGraphExec_t",
    "cudaGraph_t",
    "cublasHandle_t",
    "curandGenerator_t",
    "va_list",
];

/// The same where all of `std` is taken without its name.
const TYPES_OF_STD: [&str; 12] = [
    "deque",
    "function",
    "ifstream",
    "list",
    "map",
    "ofstream",
    "ostream",
    "set",
    "shared_ptr",
    "string",
    "unique_ptr",
    "vector",
];

/// Whether a word stands before the name of a type, or is of its template.
pub(super) fn is_word_of_types(word: &str) -> bool {
    let words = [
        "template", "typename", "class", "struct", "union", "enum", "typedef", "alignas", "static",
        "const",
    ];
    words.contains(&word) || word.starts_with("__")
}

pub(super) struct Library<'a> {
    /// Namespaces, types and parameters of templates that the source declares.
    declared: HashSet<&'a str>,
    /// Types that were left out.
    left_out: HashSet<&'a str>,
    has_all_of_std: bool,
}

impl<'a> Library<'a> {
    pub(super) fn new(tokens: &'a [Token]) -> Self {
        let before = [
            "namespace",
            "struct",
            "class",
            "union",
            "enum",
            "using",
            "typename",
        ];
        let mut declared: HashSet<&str> = HashSet::default();
        for two in tokens.windows(2) {
            let is_new = before.iter().any(|word| two[0].is(word)) && two[1].kind == Kind::Name;
            let is_typedef = two[0].kind == Kind::Name && two[1].is(";");
            if is_new {
                declared.insert(&two[1].text);
            }
            if is_typedef {
                declared.insert(&two[0].text);
            }
        }
        let is_std = |three: &[Token]| {
            three[0].is("using") && three[1].is("namespace") && three[2].is("std")
        };
        Self {
            declared,
            left_out: HashSet::default(),
            has_all_of_std: tokens.windows(3).any(is_std),
        }
    }

    /// From now on a type counts as the host's.
    pub(super) fn leave_out(&mut self, name: Option<&'a Token>) {
        self.left_out.extend(name.map(|token| &*token.text));
    }

    /// Whether something in these tokens is the host's.
    pub(super) fn is_in(&self, tokens: &[Token]) -> bool {
        let mut names = tokens.iter().enumerate();
        names.any(|(at, token)| {
            let is_behind = |mark: &str| at > 0 && tokens[at - 1].is(mark);
            if token.kind != Kind::Name || is_behind("::") || is_behind(".") || is_behind("->") {
                return false;
            }
            let opens = tokens.get(at + 1).is_some_and(|next| next.is("::"));
            let inner = tokens
                .get(at + 2)
                .filter(|_| opens)
                .map(|token| &*token.text);
            self.is_one(&token.text, inner)
        })
    }

    /// Whether a name, and what is asked of it behind `::`, is the host's.
    fn is_one(&self, name: &str, inner: Option<&str>) -> bool {
        let is_std_in_cuda = |inner: &str| header_of_std(inner).is_some() || is_global(inner);
        match inner {
            _ if TYPES.contains(&name)
                || name.starts_with("pthread_")
                || self.left_out.contains(name)
                || name == "thrust" =>
            {
                true
            }
            Some(inner) if name == "std" => !is_std_in_cuda(inner),
            Some(_) => !OF_DEVICE.contains(&name) && !self.declared.contains(name),
            None => {
                self.has_all_of_std && TYPES_OF_STD.contains(&name) && !self.declared.contains(name)
            }
        }
    }
}
