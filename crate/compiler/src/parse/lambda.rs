//! Lambdas: what they capture, their parameters and body.

use super::types::syntax;
use super::{Names, Parser};
use crate::diagnostics::Res;
use crate::lex::Kind;
use crate::syntax::{Expr, ExprKind, Function, Lambda, Name, Runs, TypeKind};
use std::rc::Rc;

/// What a lambda captures, as [`Lambda`] has it.
#[derive(Default)]
struct Captured {
    by_copy: bool,
    by_reference: bool,
    names: Vec<(Name, bool)>,
    made: Vec<(Name, Expr, bool)>,
    copies_this: bool,
}

impl Parser<'_> {
    /// `[=](float x) { … }`.
    #[inline(never)]
    pub(super) fn lambda(&mut self) -> Res<Expr> {
        let start = self.expect("[")?;
        let captured = self.captures()?;
        self.expect("]")?;
        let before = self.changed.len();
        let labels = self.labels;
        self.types.push(Names::default());
        // NVIDIA's offline compiler takes these here.
        while self.eat("__device__") || self.eat("__host__") {}
        let mut parameters = match self.is("(") {
            true => self.parameters()?,
            false => Vec::new(),
        };
        let mut template = None;
        if parameters.iter().any(|parameter| parameter.packs.is_some()) {
            template = super::functions::with_types_of_auto(None, &mut parameters);
        }
        let mut is_mutable = false;
        while self.is("mutable")
            || self.eat("__device__")
            || self.eat("__host__")
            || self.eat("constexpr")
            || self.eat("noexcept")
        {
            is_mutable |= self.eat("mutable");
        }
        let mut returns = syntax(TypeKind::Auto, start);
        if self.eat("->") {
            returns = self.type_name()?;
        }
        let body = self.in_brackets(|parser| parser.deeper(Self::block))?;
        self.types.pop();
        let changed = self.changed[before..].to_vec().into();
        let function = Function {
            span: start,
            name: "operator()".into(),
            template,
            special: None,
            returns,
            parameters,
            body: Some(body),
            member_inits: Vec::new(),
            runs: Runs::Device,
            is_static: false,
            is_constexpr: true,
            is_extern_c: false,
            is_constructor: false,
            is_virtual: false,
            is_override: false,
            is_pure: false,
            is_const: true,
            launch_bounds: Vec::new(),
            cluster_dims: Vec::new(),
            max_registers: None,
            changed,
            end: self.last(),
            has_labels: self.labels > labels,
            outer: Vec::new(),
        };
        let span = start.to(self.last());
        let kind = ExprKind::Lambda(Rc::new(Lambda {
            by_copy: captured.by_copy,
            by_reference: captured.by_reference,
            is_mutable,
            captures: captured.names,
            made: captured.made,
            copies_this: captured.copies_this,
            function: Rc::new(function),
        }));
        self.made(kind, span, &[])
    }

    /// What stands in the brackets that a lambda begins with.
    fn captures(&mut self) -> Res<Captured> {
        let mut found = Captured::default();
        while !self.is("]") && !self.is_end() {
            let by_reference = self.eat("&");
            if self.eat("=") {
                found.by_copy = true;
            } else if by_reference && (self.is("]") || self.is(",")) {
                found.by_reference = true;
            } else if self.is("*") && self.ahead(1).is("this") {
                self.at += 2;
                found.copies_this = true;
            } else if self.eat("this") {
                // It is seen wherever a lambda stands in a member function.
            } else if self.peek().kind == Kind::Name {
                let name = self.name("a name")?;
                if self.eat("=") {
                    let value = self.in_brackets(Self::assignment)?;
                    match by_reference {
                        true => self.changes(&value),
                        false => self.binds(&value),
                    }
                    found.made.push((name, value, by_reference));
                } else {
                    found.names.push((name, by_reference));
                    self.eat("...");
                }
            }
            if !self.eat(",") {
                break;
            }
        }
        Ok(found)
    }
}
