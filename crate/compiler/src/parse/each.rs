//! `for (T name : list)`: as a loop over the indices of an array, and as one from `begin()` to `end()`.

use super::Parser;
use crate::diagnostics::Res;
use crate::hash::HashSet;
use crate::lex::Kind;
use crate::source::Span;
use crate::syntax::{
    Binary, Each, Expr, ExprKind, Init, Loop, Name, Part, Scalar, Stmt, StmtKind, TypeKind, Unary,
    Unroll, Variable,
};
use std::rc::Rc;

/// What is declared for each element: a name, or several that it is taken apart into.
struct Element {
    variable: Variable,
    names: Option<Vec<Name>>,
}

fn statement(kind: StmtKind, span: Span) -> Stmt {
    Stmt { span, kind }
}

fn declare(variable: Variable) -> Stmt {
    let span = variable.span;
    statement(StmtKind::Declare(vec![variable]), span)
}

impl Element {
    /// Its declaration, as this value.
    fn declared(&self, value: Expr) -> Stmt {
        let mut variable = self.variable.clone();
        variable.init = Init::Value(value);
        let span = variable.span;
        match &self.names {
            Some(names) => statement(StmtKind::Unpack(names.clone(), variable), span),
            None => declare(variable),
        }
    }
}

impl Parser<'_> {
    /// Whether `for (T name : list)` stands here, behind `for`.
    pub(super) fn is_for_each(&self) -> bool {
        let mut open = 0_usize;
        for at in 0.. {
            let token = self.ahead(at);
            match &*token.text {
                "(" | "{" | "[" => open += 1,
                ")" | "}" | "]" => open = open.saturating_sub(1),
                ":" if open == 1 => return true,
                ";" | "?" => return false,
                _ => {}
            }
            if open == 0 || token.kind == Kind::End {
                return false;
            }
        }
        false
    }

    #[inline(never)]
    pub(super) fn for_each(&mut self, unroll: Unroll) -> Res<Stmt> {
        let start = self.expect("(")?;
        let element = self.element()?;
        self.expect(":")?;
        let (list, before) = self.list_of_loop()?;
        self.expect(")")?;
        if matches!(&element.variable.ty.kind, TypeKind::Reference(to) if !to.is_const) {
            self.changes(&list);
        }
        self.binds(&list);
        let changed_before = self.changed.len();
        let labels = (self.labels, self.cases);
        let body = Rc::new(self.deeper(Self::statement)?);
        let has_labels = labels != (self.labels, self.cases);
        let changed: HashSet<Name> = self.changed[changed_before..].iter().cloned().collect();
        let made = |init, condition, step, of| {
            let inner = vec![element.declared(of), shared(&body)];
            let made = Loop {
                init,
                condition: Some(condition),
                step: Some(step),
                body: statement(StmtKind::Block(inner), body.span),
                is_body_first: false,
                unroll: unroll.clone(),
                changed: changed.iter().cloned().collect(),
                has_labels,
            };
            statement(StmtKind::Loop(Rc::new(made)), start)
        };
        let (init, condition, step, of) = self.by_index(&list)?;
        let by_index = made(Some(init), condition, step, of);
        let (first, condition, step, of) = self.by_iterator(&list)?;
        let rest = made(None, condition, step, of);
        let by_iterator = first.into_iter().chain([rest]).collect();
        let (first, init, condition, step, of) = self.by_pointer(&list)?;
        let rest = made(Some(init), condition, step, of);
        let by_pointer = first.into_iter().chain([rest]).collect();
        let begin = self.member_call(&list, "begin")?;
        let each = Each {
            list,
            by_index,
            begin,
            by_pointer: statement(StmtKind::Block(by_pointer), start),
            by_iterator: statement(StmtKind::Block(by_iterator), start),
        };
        let each = statement(StmtKind::Each(Rc::new(each)), start);
        let all = before.into_iter().chain([each]).collect();
        Ok(statement(StmtKind::Block(all), start))
    }

    #[inline(never)]
    fn element(&mut self) -> Res<Element> {
        let specifiers = self.specifiers()?;
        let Some(mut ty) = specifiers.ty else {
            return Err(self.no_type());
        };
        let span = ty.span;
        if let Some(names) = self.unpacked_names(&mut ty)? {
            let name = format!("(unpacked {})", self.at).into();
            return Ok(Element {
                variable: Variable::plain(name, ty, Init::None, span),
                names: Some(names),
            });
        }
        let declarator = self.declarator(ty)?;
        let Some(name) = declarator.name else {
            return Err(self.sink.error(declarator.span, "a name was expected here"));
        };
        self.declare_variable(&name, declarator.span);
        let variable = Variable::plain(name, declarator.ty, Init::None, declarator.span);
        Ok(Element {
            variable,
            names: None,
        })
    }

    /// What stands behind `:`; values in braces are an array that is declared before.
    #[inline(never)]
    fn list_of_loop(&mut self) -> Res<(Expr, Option<Stmt>)> {
        if !self.is("{") {
            return Ok((self.expression()?, None));
        }
        let span = self.next().span;
        let values = self.expressions_up_to("}")?;
        let name: Name = format!("(list {})", self.at).into();
        let mut of = super::types::syntax(TypeKind::Auto, span);
        of.is_const = true;
        let ty = super::types::syntax(TypeKind::Array(Box::new(of), None), span);
        let declared = declare(Variable::plain(
            name.clone(),
            ty,
            Init::Braces(values),
            span,
        ));
        Ok((self.named_value(&name, span)?, Some(declared)))
    }

    /// The parts of a loop over indices: its variable, condition, step and element.
    #[inline(never)]
    fn by_index(&mut self, list: &Expr) -> Res<(Stmt, Expr, Expr, Expr)> {
        let span = list.span;
        let counter: Name = format!("(element {})", self.at).into();
        let zero = self.made(ExprKind::Integer(0, Scalar::UInt), span, &[])?;
        let at = self.named_value(&counter, span)?;
        self.changed.push(counter.clone());
        let count = self.named_value("(count)", span)?;
        let count = ExprKind::Call(Box::new(count), vec![list.clone()]);
        let count = self.made(count, span, &[list])?;
        let less = ExprKind::Binary(Binary::Less, Box::new(at.clone()), Box::new(count.clone()));
        let condition = self.made(less, span, &[&count])?;
        let step = ExprKind::Unary(Unary::Increment, Box::new(at.clone()));
        let step = self.made(step, span, &[&at])?;
        let of = ExprKind::Index(Box::new(list.clone()), Box::new(at));
        let of = self.made(of, span, &[list])?;
        let unsigned = super::types::syntax(TypeKind::Scalar(Scalar::UInt), span);
        let init = declare(Variable::plain(counter, unsigned, Init::Value(zero), span));
        Ok((init, condition, step, of))
    }

    /// `object.name()`.
    fn member_call(&mut self, object: &Expr, name: &str) -> Res<Expr> {
        let span = object.span;
        let part = Part::plain(name.into());
        let member = ExprKind::Member(Box::new(object.clone()), part, false);
        let member = self.made(member, span, &[object])?;
        let call = ExprKind::Call(Box::new(member.clone()), Vec::new());
        self.made(call, span, &[&member])
    }

    /// The same where `begin()` is a pointer: over the indices from there, which may be known in number.
    #[allow(clippy::type_complexity, reason = "the parts of a loop")]
    #[inline(never)]
    fn by_pointer(&mut self, list: &Expr) -> Res<(Vec<Stmt>, Stmt, Expr, Expr, Expr)> {
        let span = list.span;
        let names = ["first", "last", "number", "object"];
        let names = names.map(|what| Name::from(format!("({what} {})", self.at)));
        let [from, to, at] = [0, 1, 2].map(|number| self.named_value(&names[number], span));
        let (from, to, at) = (from?, to?, at?);
        let range = self.named_value(&names[3], span)?;
        let [from_name, to_name, at_name, range_name] = names;
        self.changed.push(at_name.clone());
        let auto = super::types::syntax(TypeKind::Auto, span);
        let kind = TypeKind::Reference(Box::new(auto.clone()));
        let mut reference = super::types::syntax(kind, span);
        reference.is_rvalue = true;
        let whole = Variable::plain(range_name, reference, Init::Value(list.clone()), span);
        let mut before = vec![declare(whole)];
        for (name, of) in [(from_name, "begin"), (to_name, "end")] {
            let call = self.member_call(&range, of)?;
            before.push(declare(Variable::plain(
                name,
                auto.clone(),
                Init::Value(call),
                span,
            )));
        }
        let zero = self.made(ExprKind::Integer(0, Scalar::Long), span, &[])?;
        let long = super::types::syntax(TypeKind::Scalar(Scalar::Long), span);
        let init = declare(Variable::plain(at_name, long, Init::Value(zero), span));
        let count = ExprKind::Binary(Binary::Sub, Box::new(to), Box::new(from.clone()));
        let count = self.made(count, span, &[&from])?;
        let less = ExprKind::Binary(Binary::Less, Box::new(at.clone()), Box::new(count.clone()));
        let condition = self.made(less, span, &[&count])?;
        let step = ExprKind::Unary(Unary::Increment, Box::new(at.clone()));
        let step = self.made(step, span, &[&at])?;
        let of = ExprKind::Index(Box::new(from.clone()), Box::new(at));
        let of = self.made(of, span, &[&from])?;
        Ok((before, init, condition, step, of))
    }

    /// The same from `begin()` to `end()`: what is declared before, condition, step and element.
    #[inline(never)]
    fn by_iterator(&mut self, list: &Expr) -> Res<(Vec<Stmt>, Expr, Expr, Expr)> {
        let span = list.span;
        let names = ["range", "from", "to"].map(|what| Name::from(format!("({what} {})", self.at)));
        let [range, from, to] = [0, 1, 2].map(|number| self.named_value(&names[number], span));
        let (range, from, to) = (range?, from?, to?);
        let auto = super::types::syntax(TypeKind::Auto, span);
        let kind = TypeKind::Reference(Box::new(auto.clone()));
        let mut reference = super::types::syntax(kind, span);
        reference.is_rvalue = true;
        let [range_name, from_name, to_name] = names;
        // Both change, or are given to functions that may change them.
        self.changed.extend([from_name.clone(), to_name.clone()]);
        let mut before = vec![declare(Variable::plain(
            range_name,
            reference,
            Init::Value(list.clone()),
            span,
        ))];
        for (name, of) in [(from_name, "begin"), (to_name, "end")] {
            let call = self.member_call(&range, of)?;
            before.push(declare(Variable::plain(
                name,
                auto.clone(),
                Init::Value(call),
                span,
            )));
        }
        let differs = ExprKind::Binary(Binary::NotEqual, Box::new(from.clone()), Box::new(to));
        let condition = self.made(differs, span, &[&from])?;
        let step = ExprKind::Unary(Unary::Increment, Box::new(from.clone()));
        let step = self.made(step, span, &[&from])?;
        let of = ExprKind::Unary(Unary::Deref, Box::new(from.clone()));
        let of = self.made(of, span, &[&from])?;
        Ok((before, condition, step, of))
    }
}

fn shared(body: &Rc<Stmt>) -> Stmt {
    statement(StmtKind::Shared(body.clone()), body.span)
}
