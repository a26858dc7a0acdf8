//! Launches in the host's functions, `scale<float><<<grid, block>>>(from, to)`: which instances of templates they ask for.

use super::Parser;
use super::types::syntax;
use crate::hash::HashMap;
use crate::lex::Kind;
use crate::syntax::{Arguments, Item, Name, Scalar, TypeKind, TypeSyntax};

/// The types of a function's variables, by name.
type Variables = HashMap<Name, TypeSyntax>;

impl Parser<'_> {
    /// Notes the instances of templates that are launched between two tokens, which are a function of the host. What a launch
    /// says by names of the host's cannot be read, and is no mistake.
    pub(super) fn note_launches(&mut self, start: usize, end: usize) {
        let (after, told, told_of_end) = (self.at, self.sink.told(), self.told_of_end);
        let mut variables = None;
        for at in start..end.saturating_sub(2) {
            let name = &self.tokens[at];
            let follows = &self.tokens[at + 1];
            if !(follows.is("<") || follows.is("<<")) || !self.templates.contains(&name.text) {
                continue;
            }
            let (name, span) = (name.text.clone(), name.span);
            self.at = at + 1;
            let explicit = match self.is("<") {
                true => self.template_arguments(),
                false => Ok(Vec::new()),
            };
            if let Ok(explicit) = explicit
                && self.is("<<")
                && self.ahead(1).is("<")
            {
                let launch = self.at;
                let known = variables.get_or_insert_with(|| self.variables_of_host(start, end));
                let given = self.launch_arguments(launch, end, known);
                self.launched
                    .push(Item::Launched(name, explicit, given, span));
            }
            (self.in_template, self.in_half) = (false, false);
        }
        self.sink.forget(told);
        self.told_of_end = told_of_end;
        self.at = after;
    }

    /// The variables and parameters of a function of the host whose types can be read.
    fn variables_of_host(&mut self, start: usize, end: usize) -> Variables {
        let mut found = Variables::default();
        let begins = [";", "{", "}", "(", ","];
        for at in start + 1..end {
            self.at = at;
            let is_begin = begins.iter().any(|mark| self.tokens[at - 1].is(mark));
            if !is_begin || !self.is_type() || self.is("struct") || self.is("class") {
                continue;
            }
            let Ok(specifiers) = self.specifiers() else {
                continue;
            };
            let Some(ty) = specifiers.ty else { continue };
            self.names_of_host(&ty, self.tokens[at - 1].is(","), end, &mut found);
        }
        found
    }

    /// The names in `float *a, *b = 0, c[4];`, whose type is read; one name where it is a parameter.
    fn names_of_host(
        &mut self,
        ty: &TypeSyntax,
        is_parameter: bool,
        end: usize,
        found: &mut Variables,
    ) {
        while let Ok(declarator) = self.declarator(ty.clone()) {
            let Some(name) = declarator.name else { return };
            found.insert(name, declarator.ty);
            let mut depth = 0_usize;
            while self.at < end && !(depth == 0 && (self.is(",") || self.is(";") || self.is(")"))) {
                depth += usize::from(self.is("(") || self.is("{"));
                depth = depth.saturating_sub(usize::from(self.is(")") || self.is("}")));
                self.at += 1;
            }
            if is_parameter || self.at >= end || !self.eat(",") {
                return;
            }
        }
    }

    /// The types of a launch's arguments, behind its `<<<…>>>`.
    fn launch_arguments(&mut self, launch: usize, end: usize, known: &Variables) -> Arguments {
        let is_end = |at: &usize| {
            self.tokens[*at].is(">>")
                && self.tokens[*at + 1].is(">")
                && self.tokens[*at + 2].is("(")
        };
        let Some(open) = (launch..end.saturating_sub(2))
            .find(is_end)
            .map(|at| at + 2)
        else {
            return Vec::new();
        };
        let Some(close) = self.behind_brackets(open, "(", ")") else {
            return Vec::new();
        };
        let mut given = Vec::new();
        let (mut first, mut depth) = (open + 1, 0_usize);
        for at in open + 1..close {
            let token = &self.tokens[at];
            if depth == 0 && (token.is(",") || at + 1 == close) {
                if at > first {
                    given.push(self.type_of_host(first, at, known));
                }
                first = at + 1;
            }
            let token = &self.tokens[at];
            depth += usize::from(["(", "[", "{"].iter().any(|mark| token.is(mark)));
            let closes = [")", "]", "}"].iter().any(|mark| token.is(mark));
            depth = depth.saturating_sub(usize::from(closes));
        }
        given
    }

    /// The type of an argument that is a variable, the address of one, a number or a cast.
    fn type_of_host(&mut self, first: usize, end: usize, known: &Variables) -> Option<TypeSyntax> {
        let token = &self.tokens[first];
        let span = token.span;
        let variable = |at: usize| known.get(&self.tokens[at].text).cloned();
        match end - first {
            1 if token.kind == Kind::Number => {
                Some(syntax(TypeKind::Scalar(scalar_of(&token.text)), span))
            }
            1 => variable(first),
            2 if token.is("&") => {
                let of = variable(first + 1)?;
                Some(syntax(TypeKind::Pointer(Box::new(of)), span))
            }
            _ if token.is("(") || token.text.ends_with("_cast") => {
                self.at = first + usize::from(!token.is("(")) + 1;
                match self.is_type() {
                    true => self.type_name().ok(),
                    false => None,
                }
            }
            _ => None,
        }
    }
}

/// What a number is by how it is written.
fn scalar_of(text: &str) -> Scalar {
    match crate::numbers::type_word(text) {
        "float" => Scalar::Float,
        "double" => Scalar::Double,
        "unsigned" => Scalar::UInt,
        "long" => Scalar::Long,
        _ => Scalar::Int,
    }
}
