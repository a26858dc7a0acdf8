//! Conditions with what they declare, and values that are taken apart into several names.

use super::Parser;
use crate::diagnostics::Res;
use crate::lex::Kind;
use crate::syntax::{
    Expr, ExprKind, Init, Name, Path, Stmt, StmtKind, Storage, TypeKind, Unary, Variable,
};

impl Parser<'_> {
    /// `init; condition`, or a condition alone, which may declare what it asks about.
    #[inline(never)]
    pub(super) fn condition_with_init(&mut self) -> Res<(Option<Box<Stmt>>, Expr)> {
        let span = self.span();
        if self.has_semicolon() {
            let first = self.statement()?;
            if !self.is_declaration() {
                return Ok((Some(Box::new(first)), self.condition()?));
            }
            let (second, condition) = self.declared_condition()?;
            let kind = match (first.kind, second.kind) {
                (StmtKind::Declare(mut list), StmtKind::Declare(more)) => {
                    list.extend(more);
                    StmtKind::Declare(list)
                }
                _ => {
                    let what = "a statement and a declaration in one condition";
                    return Err(self.sink.gap(span, what));
                }
            };
            return Ok((Some(Box::new(Stmt { span, kind })), condition));
        }
        if self.is_declaration() {
            let (declared, condition) = self.declared_condition()?;
            return Ok((Some(Box::new(declared)), condition));
        }
        Ok((None, self.condition()?))
    }

    /// Whether a `;` stands before the bracket that closes this one.
    fn has_semicolon(&self) -> bool {
        let mut open = 0_usize;
        for at in 0.. {
            let token = self.ahead(at);
            match &*token.text {
                "(" | "{" | "[" => open += 1,
                ")" if open == 0 => return false,
                ")" | "}" | "]" => open = open.saturating_sub(1),
                ";" if open == 0 => return self.closes_behind(at + 1),
                _ => {}
            }
            if token.kind == Kind::End {
                return false;
            }
        }
        false
    }

    /// Whether the bracket closes in the statement that begins there.
    fn closes_behind(&self, start: usize) -> bool {
        let mut open = 0_usize;
        for at in start.. {
            let token = self.ahead(at);
            match &*token.text {
                "(" | "{" | "[" => open += 1,
                ")" if open == 0 => return true,
                "}" | ";" if open == 0 => return false,
                ")" | "}" | "]" => open = open.saturating_sub(1),
                _ => {}
            }
            if token.kind == Kind::End {
                return false;
            }
        }
        false
    }

    /// `int left = f()` as a condition: its declaration, and its name.
    #[inline(never)]
    pub(super) fn declared_condition(&mut self) -> Res<(Stmt, Expr)> {
        let span = self.span();
        let specifiers = self.specifiers()?;
        let Some(ty) = specifiers.ty.clone() else {
            return Err(self.no_type());
        };
        let declarator = self.declarator(ty)?;
        let Some(name) = declarator.name else {
            return Err(self.sink.error(span, "a name was expected here"));
        };
        let init = self.initialiser()?;
        if matches!(init, Init::None) {
            let help = "give it a value: `if (int x = …)`";
            let message = "what a condition declares needs a value";
            return Err(self.sink.error_help(span, message, help));
        }
        self.declare_variable(&name, span);
        let variable = Variable {
            span: declarator.span,
            name: name.clone(),
            ty: declarator.ty,
            storage: Storage::Plain,
            is_static: false,
            is_constexpr: specifiers.is_constexpr,
            align: None,
            init,
        };
        let kind = StmtKind::Declare(vec![variable]);
        let condition = self.named_value(&name, span)?;
        Ok((Stmt { span, kind }, condition))
    }

    /// A name as an expression.
    pub(super) fn named_value(&mut self, name: &str, span: crate::source::Span) -> Res<Expr> {
        let path = Path::plain(name.into(), span);
        self.made(ExprKind::Path(path), span, &[])
    }

    /// The names of `auto [a, b]`, if they stand here.
    #[inline(never)]
    pub(super) fn unpacked_names(
        &mut self,
        ty: &mut crate::syntax::TypeSyntax,
    ) -> Res<Option<Vec<Name>>> {
        let is_reference = self.is("&") || self.is("&&");
        let bracket = self.ahead(usize::from(is_reference));
        if !matches!(ty.kind, TypeKind::Auto) || !bracket.is("[") {
            return Ok(None);
        }
        if is_reference {
            let is_rvalue = &*self.next().text == "&&";
            let to = Box::new(ty.clone());
            *ty = super::types::syntax(TypeKind::Reference(to), ty.span);
            ty.is_rvalue = is_rvalue;
        }
        self.expect("[")?;
        let mut names = Vec::new();
        while !self.is("]") {
            let span = self.span();
            let name = self.name("a name")?;
            self.declare_variable(&name, span);
            names.push(name);
            if !self.eat(",") {
                break;
            }
        }
        self.expect("]")?;
        Ok(Some(names))
    }

    /// `= value;` behind `auto [a, b]`.
    #[inline(never)]
    pub(super) fn unpacked(
        &mut self,
        specifiers: super::types::Specifiers,
        ty: crate::syntax::TypeSyntax,
        names: Vec<Name>,
    ) -> Res<StmtKind> {
        let span = ty.span;
        let init = self.initialiser()?;
        self.expect(";")?;
        if let (TypeKind::Reference(_), Init::Value(value)) = (&ty.kind, &init) {
            self.changes(value);
        }
        let variable = Variable {
            span,
            name: format!("(unpacked {})", self.at).into(),
            ty,
            storage: Storage::Plain,
            is_static: specifiers.is_static,
            is_constexpr: false,
            align: None,
            init,
        };
        Ok(StmtKind::Unpack(names, variable))
    }

    /// An expression that decides; one that assigns was probably meant to compare.
    pub(super) fn condition(&mut self) -> Res<Expr> {
        let value = self.expression()?;
        if let ExprKind::Assign(None, _, _) = value.kind {
            let help =
                "write `==` to compare; put the assignment in brackets of its own if it is meant";
            let is_in_brackets = self.tokens[self.at.saturating_sub(1)].is(")");
            if !is_in_brackets {
                self.sink
                    .warn(value.span, "`=` in a condition assigns", help);
            }
        }
        Ok(value)
    }

    /// `{ declaration; if (!condition) break; body }`: the body of `while (declaration)`.
    #[inline(never)]
    pub(super) fn until(&mut self, declaration: Stmt, condition: Expr, body: Stmt) -> Res<Stmt> {
        let span = declaration.span;
        let not = ExprKind::Unary(Unary::Not, Box::new(condition.clone()));
        let then = Stmt {
            span,
            kind: StmtKind::Break,
        };
        let kind = StmtKind::If {
            is_constexpr: false,
            init: None,
            condition: self.made(not, span, &[&condition])?,
            then: Box::new(then),
            otherwise: None,
        };
        let kind = StmtKind::Block(vec![declaration, Stmt { span, kind }, body]);
        Ok(Stmt { span, kind })
    }
}
