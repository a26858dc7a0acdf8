//! Loops, with what `#pragma unroll` says of them.

use super::{Names, Parser};
use crate::diagnostics::Res;
use crate::hash::HashSet;
use crate::lex::Kind;
use crate::syntax::{Expr, Loop, Name, Stmt, StmtKind, Unroll};
use std::rc::Rc;

impl Parser<'_> {
    /// `for`, `while` and `do`.
    pub(super) fn any_loop(&mut self, unroll: Unroll) -> Res<Stmt> {
        let word = self.next();
        self.types.push(Names::default());
        let (mut init, mut condition, mut step) = (None, None, None);
        let is_body_first = &*word.text == "do";
        let mut declared = None;
        if &*word.text == "for" && self.is_for_each() {
            let result = self.for_each(unroll);
            self.types.pop();
            return result;
        }
        if &*word.text == "for" {
            (init, condition, step) = self.parts_of_for()?;
        } else if !is_body_first {
            self.expect_bracket_of("while")?;
            if self.is_declaration() {
                declared = Some(self.declared_condition()?);
            } else {
                condition = Some(self.condition()?);
            }
            self.expect(")")?;
        }
        let before = self.changed.len();
        let labels = (self.labels, self.cases);
        let mut body = self.deeper(Self::statement)?;
        if !is_body_first {
            self.warn_of_empty_body(&word.text, &body);
        }
        if let Some((declaration, condition)) = declared {
            body = self.until(declaration, condition, body)?;
        }
        let has_labels = labels != (self.labels, self.cases);
        let changed: HashSet<Name> = self.changed[before..].iter().cloned().collect();
        if is_body_first {
            self.expect("while")?;
            self.expect("(")?;
            condition = Some(self.condition()?);
            self.expect(")")?;
            self.expect(";")?;
        }
        self.types.pop();
        let made = Loop {
            init,
            condition,
            step,
            body,
            is_body_first,
            unroll,
            changed: changed.into_iter().collect(),
            has_labels,
        };
        Ok(Stmt {
            span: word.span,
            kind: StmtKind::Loop(Rc::new(made)),
        })
    }

    /// What stands in the brackets of a `for`.
    fn parts_of_for(&mut self) -> Res<(Option<Stmt>, Option<Expr>, Option<Expr>)> {
        self.check_parts_of_for()?;
        self.expect_bracket_of("for")?;
        let init = match self.eat(";") {
            true => None,
            false => Some(self.statement()?),
        };
        let condition = match self.is(";") {
            true => None,
            false => Some(self.condition()?),
        };
        self.expect(";")?;
        let step = match self.is(")") {
            true => None,
            false => Some(self.expression()?),
        };
        self.expect(")")?;
        Ok((init, condition, step))
    }

    /// A loop behind `#pragma unroll`.
    pub(super) fn unrolled(&mut self) -> Res<Stmt> {
        let span = self.span();
        self.at += 1;
        let unroll = match self.peek().kind {
            Kind::PragmaEnd => Unroll::Full,
            _ => {
                let in_brackets = self.eat("(");
                let count = self.conditional()?;
                if in_brackets {
                    self.expect(")")?;
                }
                Unroll::Count(count)
            }
        };
        if self.next().kind != Kind::PragmaEnd {
            return Err(self.sink.error(span, "`#pragma unroll` takes one number"));
        }
        if !(self.is("for") || self.is("while") || self.is("do")) {
            let help = "it belongs right before `for`, `while` or `do`";
            self.sink
                .warn(span, "`#pragma unroll` does nothing here", help);
            return self.statement();
        }
        self.any_loop(unroll)
    }
}
