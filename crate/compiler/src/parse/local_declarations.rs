//! Declarations within functions: whether one begins here, and what it declares.

use super::Parser;
use crate::diagnostics::Res;
use crate::lex::Kind;
use crate::syntax::{Init, StmtKind, TypeKind};

/// Types of the host's library that beginners try in kernels.
const HOST_TEMPLATES: [&str; 9] = [
    "vector",
    "basic_string",
    "map",
    "unordered_map",
    "set",
    "list",
    "unique_ptr",
    "shared_ptr",
    "function",
];

impl Parser<'_> {
    /// Whether a declaration begins here, not an expression such as `T(x)` or `T::f()`.
    pub(super) fn is_declaration(&self) -> bool {
        let token = self.peek();
        let starts = [
            "__managed__",
            "static",
            "extern",
            "__shared__",
            "__constant__",
            "__device__",
            "constexpr",
            "alignas",
            "__align__",
            "typedef",
            "register",
        ];
        if token.kind == Kind::Name
            && (starts.contains(&&*token.text) || is_attribute(token, self.ahead(1)))
        {
            return true;
        }
        if token.is("decltype") {
            return true;
        }
        if !self.is_type() {
            return false;
        }
        let behind = self.behind_type_name();
        match () {
            () if self.ahead(behind).is("(") => self.is_declarator_in_brackets(behind),
            () if self.ahead(behind).is("{") => {
                matches!(&*token.text, "struct" | "class" | "union" | "enum")
            }
            () => true,
        }
    }

    /// Whether the brackets of `T (*name)[4]` stand there, not those of `T(*value)`.
    fn is_declarator_in_brackets(&self, open: usize) -> bool {
        if !self.ahead(open + 1).is("*") && !self.ahead(open + 1).is("&") {
            return false;
        }
        let close = (open + 2..open + 7).find(|at| self.ahead(*at).is(")"));
        close.is_some_and(|close| self.ahead(close + 1).is("[") || self.ahead(close + 1).is("("))
    }

    /// Two names side by side are a declaration of an unknown type.
    pub(super) fn refuse_unknown_type(&mut self) -> Res<()> {
        if self.is("std") && self.ahead(1).is("::") {
            self.refuse_host_type()?;
        }
        let (first, second) = (self.peek(), self.ahead(1));
        let both = first.kind == Kind::Name && second.kind == Kind::Name;
        let are_names = !super::is_keyword(&first.text) && !super::is_keyword(&second.text);
        match both && are_names || self.is_word_before_type() {
            true => Err(self.no_type()),
            false => Ok(()),
        }
    }

    /// `std::string name` and `std::vector<…> name`.
    fn refuse_host_type(&mut self) -> Res<()> {
        let name = self.ahead(2).text.clone();
        let is_type = self.ahead(3).kind == Kind::Name
            || self.ahead(3).is("<") && HOST_TEMPLATES.contains(&&*name);
        if !is_type {
            return Ok(());
        }
        let help = "kernels have no standard library here: take arrays, pointers and numbers";
        let message = format!("`std::{name}` is not there in a kernel");
        Err(self.sink.error_help(self.span(), message, help))
    }

    pub(super) fn local_declaration(&mut self) -> Res<StmtKind> {
        let mut specifiers = self.specifiers()?;
        let Some(mut ty) = specifiers.ty.take() else {
            return Err(self.no_type());
        };
        if self.eat(";") {
            return Ok(StmtKind::Types(ty));
        }
        if let Some(names) = self.unpacked_names(&mut ty)? {
            return self.unpacked(specifiers, ty, names);
        }
        // `float alignas(16) x` and the like.
        let more = self.specifiers_behind_type()?;
        specifiers.align = specifiers.align.take().or(more.align);
        specifiers.is_shared |= more.is_shared;
        let declarator = self.declarator(ty.clone())?;
        if self.is_parameter_list() {
            return Err(self.sink.error_help(
                self.last(),
                "a function cannot be written inside a function",
                "write it before, with `__device__`, or as a lambda: `auto f = [&](…) { … };`",
            ));
        }
        if specifiers.is_typedef {
            let name = declarator.name.unwrap_or_else(|| "".into());
            self.expect(";")?;
            self.declare_type(&name);
            return Ok(StmtKind::Alias(name, declarator.ty));
        }
        let list = self.variables(&specifiers, &ty, declarator)?;
        for variable in &list {
            self.declare_variable(&variable.name, variable.span);
        }
        let is_reference =
            |ty: &crate::syntax::TypeSyntax| matches!(ty.kind, TypeKind::Reference(_));
        for variable in &list {
            if let (true, Init::Value(value)) = (is_reference(&variable.ty), &variable.init) {
                self.changes(value);
            }
        }
        Ok(StmtKind::Declare(list))
    }

    pub(super) fn local_alias(&mut self) -> Res<StmtKind> {
        self.at += 1;
        let name = self.name("the new name of a type")?;
        self.expect("=")?;
        let ty = self.type_name()?;
        self.expect(";")?;
        self.declare_type(&name);
        Ok(StmtKind::Alias(name, ty))
    }

    /// Whether `(float x` or `(float)` stands here, which is no first value.
    fn is_parameter_list(&self) -> bool {
        if !self.is("(") {
            return false;
        }
        let mut at = 1;
        while self.ahead(at).is("const") || self.ahead(at).is("unsigned") {
            at += 1;
        }
        let is_type = self.is_type_name(&self.ahead(at).text)
            || super::types::SCALAR_WORDS.contains(&&*self.ahead(at).text);
        let behind = self.ahead(at + 1);
        let is_name = behind.kind == Kind::Name && !super::is_keyword(&behind.text);
        is_type && (is_name || behind.is("*") || behind.is("&") || behind.is(",") || behind.is(")"))
    }
}

/// `[[likely]]` and the like.
fn is_attribute(first: &crate::lex::Token, second: &crate::lex::Token) -> bool {
    first.is("[") && second.is("[")
}
