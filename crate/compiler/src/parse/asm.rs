//! `asm`: its template, operands, and what it clobbers.

use super::Parser;
use crate::diagnostics::Res;
use crate::lex::Kind;
use crate::numbers;
use crate::syntax::{Asm, Expr, StmtKind};
use std::rc::Rc;

impl Parser<'_> {
    pub(super) fn asm(&mut self) -> Res<StmtKind> {
        self.at += 1;
        let mut is_volatile = false;
        while self.is("volatile") || self.is("__volatile__") {
            is_volatile = true;
            self.at += 1;
        }
        self.expect("(")?;
        let template = self.text()?;
        let mut lists: [Vec<(String, Expr)>; 2] = [Vec::new(), Vec::new()];
        let mut clobbers_memory = false;
        let mut section = 0;
        while !self.is(")") && !self.is_end() {
            if self.eat("::") {
                section += 2;
            } else if self.eat(":") {
                section += 1;
            } else {
                self.expect(":")?;
            }
            while self.peek().kind == Kind::Text || self.is("[") {
                if self.is("[") {
                    let what = "a named operand of `asm`";
                    return Err(self.sink.gap_of_both(self.span(), what));
                }
                let constraint = self.text()?;
                if section >= 3 {
                    clobbers_memory |= constraint == "memory";
                } else {
                    self.expect("(")?;
                    let operand = self.expression()?;
                    self.expect(")")?;
                    if section == 1 {
                        self.changes(&operand);
                    }
                    lists[section.clamp(1, 2) - 1].push((constraint, operand));
                }
                // NVIDIA's compiler takes operands without a comma between them.
                self.eat(",");
            }
        }
        let end = self.expect(")")?;
        self.expect(";")?;
        let [outputs, inputs] = lists;
        let is_volatile = is_volatile || outputs.is_empty();
        Ok(StmtKind::Asm(Rc::new(Asm {
            is_volatile,
            template,
            outputs,
            inputs,
            clobbers_memory,
            end,
        })))
    }

    /// Texts side by side, joined.
    fn text(&mut self) -> Res<String> {
        if self.peek().kind != Kind::Text {
            return Err(self.sink.error(
                self.span(),
                format!(
                    "a text in quotes was expected here, found `{}`",
                    self.peek().text
                ),
            ));
        }
        let mut bytes = Vec::new();
        while self.peek().kind == Kind::Text {
            bytes.extend(numbers::unquote(&self.next().text));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
