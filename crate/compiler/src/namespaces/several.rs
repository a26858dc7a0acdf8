//! Names that several namespaces declare: which one a name means where it stands.

use crate::hash::HashMap;
use crate::lex::{Kind, Token};
use std::rc::Rc;

/// Namespaces of headers whose names a source may well have itself.
const APART: &str = "cuda";

/// What stands before the parentheses of a declaration and is not its name.
const ATTRIBUTES: [&str; 6] = [
    "__launch_bounds__",
    "__cluster_dims__",
    "__attribute__",
    "alignas",
    "__align__",
    "decltype",
];

/// Words before a name that say nothing of whether it is declared there.
const BEFORE_NAMES: [&str; 14] = [
    "__device__",
    "__host__",
    "__forceinline__",
    "__shared__",
    "inline",
    "explicit",
    "constexpr",
    "const",
    "static",
    "typename",
    "return",
    "struct",
    "class",
    "new",
];

/// The namespaces around, from the outside.
type Path = Vec<Rc<str>>;

#[derive(Default)]
pub(super) struct Several {
    /// The namespaces that declare a name.
    declared: HashMap<Rc<str>, Vec<Path>>,
    /// From which token on which namespaces are around.
    around: Vec<(usize, Path)>,
    /// `namespace cg = cooperative_groups`.
    renamed: HashMap<Rc<str>, Path>,
    /// Namespaces that were opened by `using`, and names that were taken from one.
    opened: Vec<(Path, Option<Rc<str>>)>,
    /// Of each brace that is open the struct that it is of.
    braces: Vec<Option<Rc<str>>>,
    /// The struct whose brace may come.
    head: Option<Rc<str>>,
}

impl Several {
    pub(super) fn find(tokens: &[Token]) -> Self {
        let mut several = Self::default();
        let mut paths: Vec<Path> = vec![Vec::new()];
        let mut at = 0;
        while at < tokens.len() {
            let path = paths.last().cloned().unwrap_or_default();
            let token = &tokens[at];
            if token.is("}") {
                at += 1;
                if paths.len() > 1 {
                    paths.pop();
                }
                let outer = paths.last().cloned().unwrap_or_default();
                several.around.push((at, outer));
            } else if token.is("inline") && is(tokens, at + 1, "namespace") {
                at += 1;
            } else if token.is("namespace") {
                let (names, end) = qualified(tokens, at + 1);
                at = end;
                if is(tokens, at, "=") {
                    at = several.rename(&names, tokens, at + 1);
                } else {
                    at += 1;
                    let inner: Path = path.iter().cloned().chain(names).collect();
                    several.around.push((at, inner.clone()));
                    paths.push(inner);
                }
            } else if token.is("extern") && is(tokens, at + 2, "{") {
                at += 3;
                paths.push(path);
            } else {
                let end = end_of_declaration(tokens, at);
                if let Some(name) = declared(&tokens[at..end]) {
                    let all = several.declared.entry(name).or_default();
                    if !all.contains(&path) {
                        all.push(path);
                    }
                }
                at = end;
            }
        }
        let is_apart = |all: &Vec<Path>| {
            all.len() > 1
                || all
                    .iter()
                    .flatten()
                    .next()
                    .is_some_and(|first| &**first == APART)
        };
        several.declared.retain(|_, all| is_apart(all));
        several
    }

    /// Whether a namespace that is kept apart declares this name.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.declared.contains_key(name)
    }

    fn rename(&mut self, names: &[Rc<str>], tokens: &[Token], at: usize) -> usize {
        let (path, end) = qualified(tokens, at);
        if let Some(name) = names.first() {
            self.renamed.insert(name.clone(), path);
        }
        end + 1
    }

    /// Takes note of `using namespace a::b;` or `using a::b;`, whose names begin here.
    pub(super) fn open(&mut self, tokens: &[Token], at: usize) {
        let is_whole = is(tokens, at, "namespace");
        let (mut path, _) = qualified(tokens, at + usize::from(is_whole));
        let name = if is_whole { None } else { path.pop() };
        self.opened.push((path, name));
    }

    /// Follows the braces of structs.
    pub(super) fn pass(&mut self, tokens: &[Token], at: usize) {
        let token = &tokens[at];
        if token.kind == Kind::Name {
            let is_head = ["struct", "class", "union"].contains(&&*token.text);
            if let (true, Some(next)) = (is_head, tokens.get(at + 1)) {
                self.head = Some(next.text.clone());
            }
        } else if token.is("{") {
            self.braces.push(self.head.take());
        } else if token.is("}") {
            self.braces.pop();
        } else if token.is(";") || token.is("(") || token.is(">") {
            self.head = None;
        }
    }

    /// What to write for a name that stands behind a qualifier, or none where it stays as it is.
    pub(super) fn meant(
        &self,
        tokens: &[Token],
        at: usize,
        qualifier: &[Rc<str>],
    ) -> Option<Rc<str>> {
        let name = &tokens[at].text;
        let all = self.declared.get(name)?;
        let path = match qualifier {
            [] => self.unqualified(tokens, at, all)?,
            _ => self.behind(qualifier, all)?,
        };
        match &path[..] {
            [] => None,
            path => Some(format!("{}::{name}", path.join("::")).into()),
        }
    }

    fn unqualified<'p>(&self, tokens: &[Token], at: usize, all: &'p [Path]) -> Option<&'p Path> {
        let name = &tokens[at].text;
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        if before.is_some_and(|token| [".", "->", "::"].iter().any(|text| token.is(text))) {
            return None;
        }
        let declares = before.is_some_and(|token| match token.kind {
            Kind::Name => !BEFORE_NAMES.contains(&&*token.text),
            _ => ["*", "&", ">"].iter().any(|text| token.is(text)),
        });
        let inside = self.braces.last().and_then(|of| of.as_ref());
        if declares && inside.is_some_and(|of| of != name) {
            return None;
        }
        let around = self.around.partition_point(|(from, _)| *from <= at);
        let around = around.checked_sub(1).map(|last| &self.around[last].1[..]);
        let around = around.unwrap_or(&[]);
        let outwards = (0..=around.len()).rev().map(|length| &around[..length]);
        let of_scope = |path: &[Rc<str>]| all.iter().find(|known| known[..] == *path);
        let mut scopes = outwards.clone().filter_map(of_scope);
        scopes.next().or_else(|| {
            let taken = self.opened.iter().rev();
            let taken = taken.filter(|(_, only)| only.as_ref().is_none_or(|only| only == name));
            taken.filter_map(|(path, _)| self.behind(path, all)).next()
        })
    }

    /// The one that a path leads to, which may begin at any namespace.
    fn behind<'p>(&self, path: &[Rc<str>], all: &'p [Path]) -> Option<&'p Path> {
        let (first, rest) = path.split_first()?;
        let full: Path = match self.renamed.get(first) {
            Some(other) => other.iter().chain(rest).cloned().collect(),
            None => path.to_vec(),
        };
        let first = full.first();
        let mut ends = all.iter().filter(|known| known.ends_with(&full));
        let same_first = || all.iter().find(|known| known.first() == first);
        ends.next().or_else(same_first)
    }
}

fn is(tokens: &[Token], at: usize, text: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.is(text))
}

/// `a::b`, and where it ends.
fn qualified(tokens: &[Token], mut at: usize) -> (Path, usize) {
    let mut path = Vec::new();
    while let Some(token) = tokens.get(at).filter(|token| token.kind == Kind::Name) {
        path.push(token.text.clone());
        at += 1;
        if !is(tokens, at, "::") {
            break;
        }
        at += 1;
    }
    (path, at)
}

/// Behind the `;` of a declaration, or the `}` of a function's body.
fn end_of_declaration(tokens: &[Token], from: usize) -> usize {
    let (mut depth, mut has_list, mut has_value) = (0_usize, false, false);
    for (at, token) in tokens.iter().enumerate().skip(from) {
        if token.kind == Kind::PragmaEnd && depth == 0 {
            return at + 1;
        }
        if ["(", "[", "{"].iter().any(|text| token.is(text)) {
            has_list |= depth == 0 && token.is("(") && !is_attribute(tokens, at);
            depth += 1;
        } else if [")", "]", "}"].iter().any(|text| token.is(text)) {
            depth = depth.saturating_sub(1);
            let goes_on = is(tokens, at + 1, ",") || is(tokens, at + 1, "{");
            if depth == 0 && token.is("}") && has_list && !has_value && !goes_on {
                return at + 1;
            }
        } else if depth == 0 && token.is(";") {
            return at + 1;
        } else if depth == 0 && token.is("=") {
            has_value = true;
        }
    }
    tokens.len()
}

fn is_attribute(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    before.is_some_and(|before| ATTRIBUTES.contains(&&*before.text))
}

/// The name that a declaration gives a meaning.
fn declared(tokens: &[Token]) -> Option<Rc<str>> {
    let name_at = |at: usize| {
        let token = tokens.get(at).filter(|token| token.kind == Kind::Name)?;
        let is_member = at > 0 && is(tokens, at - 1, "::");
        (!is_member && &*token.text != "operator").then(|| token.text.clone())
    };
    let mut at = 0;
    if is(tokens, at, "template") {
        at = behind_angles(tokens, 1);
    }
    if is(tokens, at, "using") {
        return name_at(at + 1).filter(|_| is(tokens, at + 2, "="));
    }
    if is(tokens, at, "typedef") {
        return name_at(tokens.len().checked_sub(2)?);
    }
    let kinds = ["struct", "class", "union", "enum"];
    if kinds.iter().any(|kind| is(tokens, at, kind)) {
        at += 1 + usize::from(is(tokens, at + 1, "class") || is(tokens, at + 1, "struct"));
        while is(tokens, at, "alignas") || is(tokens, at, "__align__") {
            at += 4;
        }
        let ends = ["{", ":", ";", "<", "final"];
        if ends.iter().any(|end| is(tokens, at + 1, end)) {
            return name_at(at);
        }
    }
    while let Some(token) = tokens.get(at) {
        if is_attribute(tokens, at + 1) {
            at = behind_group(tokens, at + 1);
            continue;
        }
        let is_pointer = token.is("(") && is(tokens, at + 1, "*");
        if is_pointer || token.is("static_assert") {
            return None;
        }
        if ["(", "=", "[", ";", "{"].iter().any(|end| token.is(end)) {
            return name_at(at.checked_sub(1)?);
        }
        at += 1;
    }
    None
}

/// Behind the bracket that belongs to the one here.
fn behind_group(tokens: &[Token], from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// Behind the `>` that belongs to a `<`.
fn behind_angles(tokens: &[Token], from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match &*token.text {
            "<" => depth += 1,
            ">" => depth = depth.saturating_sub(1),
            ">>" => depth = depth.saturating_sub(2),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}
