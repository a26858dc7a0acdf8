//! Functions between the braces of a struct that have a form of their own: conversions, destructors, friends.

use super::declarators::Declarator;
use super::types::{Specifiers, syntax};
use super::{Names, Parser};
use crate::diagnostics::Res;
use crate::syntax::{
    CONVERSION, DESTRUCTOR, Function, Scalar, Stmt, StmtKind, StructSyntax, TypeKind,
};
use std::rc::Rc;

impl Parser<'_> {
    /// `operator float() const { … }`.
    pub(super) fn conversion(&mut self, specifiers: Specifiers) -> Res<Rc<Function>> {
        let span = self.next().span;
        let inner = self.specifiers()?;
        let Some(mut ty) = inner.ty else {
            return Err(self.no_type());
        };
        while self.eat("*") {
            ty = syntax(TypeKind::Pointer(Box::new(ty)), span);
        }
        let declarator = Declarator::plain(CONVERSION.into(), ty, span);
        self.function(specifiers, declarator, None, false)
    }

    /// `~Name() { … }`; one that does nothing is as none.
    #[inline(never)]
    pub(super) fn destructor(
        &mut self,
        specifiers: Specifiers,
        into: &mut StructSyntax,
    ) -> Res<()> {
        let span = self.next().span;
        self.name("the name of the struct")?;
        let ty = syntax(TypeKind::Scalar(Scalar::Void), span);
        let declarator = Declarator::plain(DESTRUCTOR.into(), ty, span);
        let function = self.function(specifiers, declarator, None, false)?;
        let is_empty = |body: &Stmt| matches!(&body.kind, StmtKind::Block(list) if list.is_empty());
        // One without a body is defined outside of the struct.
        let does_something = function.body.as_ref().is_none_or(|body| !is_empty(body));
        into.has_destructor |= does_something;
        if does_something || function.is_virtual || function.is_override {
            into.functions.push(function);
        }
        Ok(())
    }

    /// Whether `friend` stands here, maybe behind words such as `__device__`.
    pub(super) fn is_friend(&self) -> bool {
        let words = [
            "__device__",
            "__host__",
            "__forceinline__",
            "inline",
            "constexpr",
        ];
        let is_before = |at: &usize| words.iter().any(|word| self.ahead(*at).is(word));
        let at = (0..words.len()).take_while(is_before).count();
        self.ahead(at).is("friend")
    }

    /// A function that is no member, though it is defined here; what is only named needs no leave in this compiler.
    #[inline(never)]
    pub(super) fn friend(&mut self, of: &mut StructSyntax) -> Res<()> {
        self.eat("friend");
        if self.is("struct") || self.is("class") || self.is("union") {
            self.skip_statement();
            return Ok(());
        }
        let mut template = None;
        if self.is("template") {
            self.types.push(Names::default());
            template = Some(self.template_parameters()?);
            if let Some(scope) = self.types.pop()
                && let Some(newest) = self.types.last_mut()
            {
                newest.types.extend(scope.types);
            }
            if self.is("struct") || self.is("class") {
                self.skip_statement();
                return Ok(());
            }
        }
        let mut specifiers = self.specifiers()?;
        let Some(ty) = specifiers.ty.take() else {
            return Err(self.no_type());
        };
        let declarator = self.declarator(ty)?;
        if !self.is("(") {
            self.skip_statement();
            return Ok(());
        }
        let mut function = self.function(specifiers, declarator, template, false)?;
        if function.body.is_some() && of.template.is_some() {
            // It sees what the struct's members see, but has no object.
            if let Some(function) = Rc::get_mut(&mut function) {
                function.is_static = true;
            }
            of.friends.push(function);
        } else if function.body.is_some() {
            self.friends.push(function);
        }
        Ok(())
    }

    /// Keeps a member function, but for copying as the compiler does it by itself, and what is deleted.
    pub(super) fn add_function(&self, function: Rc<Function>, into: &mut StructSyntax) {
        let word = &self.tokens[self.at.saturating_sub(2)];
        let is_of_compiler = word.is("default") || word.is("delete");
        if function.body.is_some() || !is_of_compiler {
            into.functions.push(function);
        }
    }
}
