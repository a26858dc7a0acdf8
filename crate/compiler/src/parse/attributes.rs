//! Words of a declaration that are no type: `static`, `__shared__`, `alignas(16)`, attributes in brackets.

use super::Parser;
use super::types::Specifiers;
use crate::diagnostics::Res;
use crate::lex::Kind;
use crate::syntax::{Expr, Runs};

impl Parser<'_> {
    /// Attributes that may stand anywhere in a declaration; true if there was one.
    pub(super) fn attribute(&mut self, into: &mut Specifiers) -> Res<bool> {
        let token = self.peek().clone();
        match &*token.text {
            "inline" | "__inline__" | "__forceinline__" | "__noinline__" | "explicit"
            | "mutable" | "__grid_constant__" | "register" | "friend" | "noexcept" => {}
            "static" => into.is_static = true,
            "constexpr" => into.is_constexpr = true,
            "typedef" => into.is_typedef = true,
            "const" => into.is_const = true,
            "volatile" => into.is_volatile = true,
            "__global__" => into.runs = Runs::Kernel,
            "__host__" if into.runs == Runs::Anywhere && !into.is_device => into.runs = Runs::Host,
            "__host__" => {}
            "__device__" => {
                into.is_device = true;
                into.runs = Runs::Device;
            }
            "__shared__" => into.is_shared = true,
            "__constant__" => into.is_constant = true,
            "virtual" => into.is_virtual = true,
            "__managed__" => into.is_managed = true,
            "extern" => {
                self.at += 1;
                into.is_extern = true;
                if matches!(self.peek().kind, Kind::Text | Kind::Character) {
                    self.check_language();
                    into.is_extern_c = true;
                    into.is_extern = false;
                    self.at += 1;
                }
                return Ok(true);
            }
            "alignas" | "__align__" | "__launch_bounds__" | "__cluster_dims__" | "__maxnreg__" => {
                self.at += 1;
                let mut list = self.alignments()?;
                match &*token.text {
                    "__launch_bounds__" => into.launch_bounds = list,
                    "__cluster_dims__" => into.cluster_dims = list,
                    "__maxnreg__" => into.max_registers = list.pop(),
                    _ => into.align = list.pop(),
                }
                return Ok(true);
            }
            "[" if self.ahead(1).is("[") => {
                self.skip_attribute();
                return Ok(true);
            }
            "__attribute__" if self.ahead(1).is("(") => {
                self.skip_attribute_of_gnu();
                return Ok(true);
            }
            _ => return Ok(false),
        }
        self.at += 1;
        Ok(true)
    }

    /// `(16)` or `(float4)` behind `alignas`, and the numbers of other attributes.
    pub(super) fn alignments(&mut self) -> Res<Vec<Expr>> {
        self.expect("(")?;
        let mut list = Vec::new();
        while !self.is(")") && !self.is_end() {
            list.push(match self.is_type() {
                true => {
                    let ty = self.type_name()?;
                    let span = ty.span;
                    let kind = crate::syntax::ExprKind::AlignOfType(Box::new(ty));
                    self.made(kind, span, &[])?
                }
                false => self.assignment()?,
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(list)
    }

    /// `[[nodiscard]]` and the like, which change nothing here.
    pub(super) fn skip_attribute(&mut self) {
        while !(self.is_end() || self.is("]") && self.ahead(1).is("]")) {
            self.at += 1;
        }
        self.at = (self.at + 2).min(self.tokens.len() - 1);
    }

    /// `__attribute__((unused))` and the like.
    pub(super) fn skip_attribute_of_gnu(&mut self) {
        self.at += 1;
        let mut open = 0_usize;
        while !self.is_end() {
            open += usize::from(self.is("("));
            open = open.saturating_sub(usize::from(self.is(")")));
            self.at += 1;
            if open == 0 {
                return;
            }
        }
    }
}
