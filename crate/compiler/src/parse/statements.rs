//! Statements, with recovery: one that cannot be read is told and skipped.

use super::{Names, Parser};
use crate::diagnostics::Res;
use crate::lex::{Kind, Token};
use crate::source::Span;
use crate::syntax::{ExprKind, Stmt, StmtKind, Unroll};

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Res<Stmt> {
        let start = self.expect("{")?;
        self.block_behind_brace(start)
    }

    /// The same, where the brace was read, or its lack told.
    pub(super) fn block_behind_brace(&mut self, start: Span) -> Res<Stmt> {
        self.types.push(Names::default());
        let depth = self.depth;
        let scopes = self.types.len();
        let mut list = Vec::new();
        while !self.is("}") && !self.is_end() && !self.begins_function_for_sure() {
            let before = self.at;
            match self.deeper(Self::statement) {
                Ok(statement) => list.push(statement),
                Err(reported) => {
                    if self.sink.is_full() || depth > super::SYNTAX_DEPTH - 2 {
                        return Err(reported);
                    }
                    self.depth = depth;
                    self.types.truncate(scopes);
                    self.in_template = false;
                    self.in_half = false;
                    self.note_mistaken(before);
                    self.skip_statement();
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
        self.types.pop();
        self.expect("}")?;
        Ok(Stmt {
            span: start,
            kind: StmtKind::Block(list),
        })
    }

    /// Notes the name of the declaration that begins here, if one does: nothing more is told of it.
    fn note_mistaken(&mut self, start: usize) {
        let tokens = self.tokens.get(start..).unwrap_or_default();
        let ends =
            |token: &&Token| !["=", "==", ";", "(", "[", "{", ",", "}"].contains(&&*token.text);
        let head: Vec<&Token> = tokens.iter().take_while(ends).take(8).collect();
        if let [first, .., name] = &head[..]
            && first.kind == Kind::Name
            && name.kind == Kind::Name
        {
            self.sink.is_mistaken(&name.text);
        }
    }

    pub(super) fn statement(&mut self) -> Res<Stmt> {
        let token = self.peek().clone();
        let span = token.span;
        if token.kind == Kind::Pragma {
            return self.unrolled();
        }
        let kind = match &*token.text {
            "{" => return self.deeper(Self::block),
            ";" => {
                self.at += 1;
                StmtKind::Empty
            }
            "if" => self.if_statement()?,
            "for" | "while" | "do" => return self.any_loop(Unroll::Free),
            "switch" => self.switch()?,
            "[" if self.ahead(1).is("[") => {
                self.skip_attribute();
                return match self.is("}") {
                    true => Ok(Stmt {
                        span,
                        kind: StmtKind::Empty,
                    }),
                    false => self.deeper(Self::statement),
                };
            }
            "case" => {
                self.at += 1;
                self.cases += 1;
                let value = self.conditional()?;
                self.expect(":")?;
                StmtKind::Case(value)
            }
            "default" => {
                self.at += 1;
                self.cases += 1;
                self.expect(":")?;
                StmtKind::Default
            }
            "break" | "continue" => {
                self.at += 1;
                self.expect(";")?;
                if &*token.text == "break" {
                    StmtKind::Break
                } else {
                    StmtKind::Continue
                }
            }
            "return" => {
                self.at += 1;
                let value = match () {
                    () if self.is(";") => None,
                    () if self.is("{") => {
                        let at = self.next().span;
                        let list = self.expressions_up_to("}")?;
                        Some(self.made(ExprKind::List(list), at, &[])?)
                    }
                    () => Some(self.expression()?),
                };
                self.expect(";")?;
                StmtKind::Return(value)
            }
            "asm" | "__asm__" | "__asm" => self.asm()?,
            "static_assert" => return self.static_assert(),
            "using" => self.local_alias()?,
            "goto" => {
                self.at += 1;
                let label = self.name("a label")?;
                self.expect(";")?;
                self.labels += 1;
                StmtKind::Goto(label)
            }
            "try" | "throw" => return Err(self.sink.error(span, "kernels have no exceptions")),
            "else" => {
                return Err(self.sink.error_help(
                    span,
                    "`else` without `if`",
                    "is a brace missing or too many above?",
                ));
            }
            _ if token.kind == Kind::Name && self.ahead(1).is(":") => {
                self.at += 2;
                self.labels += 1;
                StmtKind::Label(token.text)
            }
            "elseif" | "elif" | "elsif" if self.ahead(1).is("(") => {
                let message = format!("`{}` is no word of C++", token.text);
                return Err(self.sink.error_help(span, message, "write `else if`"));
            }
            _ if self.is_declaration() => self.local_declaration()?,
            _ => {
                self.refuse_unknown_type()?;
                let value = self.expression()?;
                self.expect(";")?;
                StmtKind::Expr(value)
            }
        };
        Ok(Stmt { span, kind })
    }

    fn if_statement(&mut self) -> Res<StmtKind> {
        self.at += 1;
        let is_constexpr = self.eat("constexpr");
        self.expect_bracket_of("if")?;
        self.types.push(Names::default());
        let (init, condition) = self.condition_with_init()?;
        self.expect(")")?;
        let then = Box::new(self.deeper(Self::statement)?);
        self.warn_of_empty_body("if", &then);
        let mut otherwise = None;
        if self.eat("else") {
            otherwise = Some(Box::new(self.deeper(Self::statement)?));
        }
        self.types.pop();
        Ok(StmtKind::If {
            is_constexpr,
            init,
            condition,
            then,
            otherwise,
        })
    }

    fn switch(&mut self) -> Res<StmtKind> {
        self.at += 1;
        self.expect("(")?;
        self.types.push(Names::default());
        let (init, value) = self.condition_with_init()?;
        self.expect(")")?;
        let cases = std::mem::take(&mut self.cases);
        let body = self.deeper(Self::statement);
        self.cases = cases;
        self.types.pop();
        Ok(StmtKind::Switch(init, value, Box::new(body?)))
    }
}
