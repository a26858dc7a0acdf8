//! What expressions are made of: numbers, names, texts, casts by name, and what stands in brackets. Lambdas have their own file.

use super::Parser;
use super::types::syntax;
use crate::diagnostics::{Reported, Res};
use crate::lex::{Kind, Token};
use crate::numbers;
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Scalar, TypeKind};

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Res<Expr> {
        let token = self.peek().clone();
        let span = token.span;
        match token.kind {
            Kind::Number => {
                self.at += 1;
                let kind = self.number(&token.text, span)?;
                self.made(kind, span, &[])
            }
            Kind::Character => {
                self.at += 1;
                let bytes = numbers::unquote(&token.text);
                if bytes.is_empty() {
                    let help = "write the character, such as `' '`, or `0`";
                    self.sink.error_help(span, "there is no character in `''`", help);
                }
                let byte = bytes.first().copied().unwrap_or(0);
                self.made(ExprKind::Character(byte), span, &[])
            }
            Kind::Text => {
                let mut bytes = Vec::new();
                while self.peek().kind == Kind::Text {
                    bytes.extend(numbers::unquote(&self.next().text));
                }
                self.made(ExprKind::Text(bytes.into()), span, &[])
            }
            Kind::Name => self.named(span),
            Kind::Punctuation if token.is("(") => {
                self.at += 1;
                if self.is("...") {
                    return self.fold_from_left(span);
                }
                let start = self.at;
                let inner = self.in_brackets(|parser| parser.deeper(Self::expression))?;
                if self.ahead(1).is("...") && !self.is(")") {
                    return self.fold_from_right(inner, start, span);
                }
                let end = self.expect(")")?;
                let is_name = self.at == start + 2 && self.tokens[start].kind == Kind::Name;
                if is_name && self.begins_operand() {
                    self.at = start;
                    return Err(self.no_type());
                }
                Ok(Expr {
                    span: span.to(end),
                    ..inner
                })
            }
            Kind::Punctuation if token.is("::") => self.named(span),
            Kind::Punctuation if token.is("[") => self.lambda(),
            Kind::End if self.told_of_end => Err(Reported),
            Kind::End => {
                self.told_of_end = true;
                let message = "the source ends within an expression";
                Err(self.sink.error_help(self.last(), message, "is something cut off?"))
            }
            _ if self.is_launch(&token) => Err(self.sink.error_help(
                self.last().to(span),
                "a launch `<<<…>>>` inside a kernel: here the host alone launches",
                "run the other kernel by itself, or make what it does a `__device__` function, and call that",
            )),
            _ => Err(self.no_expression()),
        }
    }

    /// Whether a number or a name stands here, which can follow brackets only as what is cast.
    fn begins_operand(&self) -> bool {
        let token = self.peek();
        let is_name = token.kind == Kind::Name && !super::is_keyword(&token.text);
        token.kind == Kind::Number || is_name
    }

    /// Whether this is the end of `<<<`, of which the first two are a shift.
    fn is_launch(&self, token: &Token) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        token.is("<")
            && before.is_some_and(|before| before.is("<<") && before.span.end == token.span.start)
    }

    fn number(&mut self, text: &str, span: Span) -> Res<ExprKind> {
        if numbers::is_floating(text) {
            return match numbers::floating(text) {
                Ok(number) => {
                    let scalar = if number.is_single {
                        Scalar::Float
                    } else {
                        Scalar::Double
                    };
                    Ok(ExprKind::Floating(number.value, scalar))
                }
                Err(message) => Err(self.sink.error(span, message)),
            };
        }
        match numbers::integer(text) {
            Ok(number) => {
                let value = number.value;
                let may_be_unsigned = number.is_unsigned || !number.is_decimal;
                let scalar = match () {
                    () if !number.is_unsigned
                        && !number.is_long
                        && i32::try_from(value).is_ok() =>
                    {
                        Scalar::Int
                    }
                    () if may_be_unsigned && !number.is_long && u32::try_from(value).is_ok() => {
                        Scalar::UInt
                    }
                    () if !number.is_unsigned && i64::try_from(value).is_ok() => Scalar::Long,
                    () => Scalar::ULong,
                };
                let is_long_long = text.to_ascii_lowercase().contains("ll");
                let scalar = match scalar {
                    Scalar::Long if is_long_long => Scalar::LongLong,
                    Scalar::ULong if is_long_long => Scalar::ULongLong,
                    other => other,
                };
                Ok(ExprKind::Integer(value, scalar))
            }
            Err(message) => Err(match text.strip_suffix(['f', 'F']) {
                Some(whole) if whole.bytes().all(|byte| byte.is_ascii_digit()) => {
                    let help = format!("write `{whole}.0f`");
                    self.sink.error_help(span, message, help)
                }
                _ => self.sink.error(span, message),
            }),
        }
    }

    /// What begins with a word.
    fn named(&mut self, span: Span) -> Res<Expr> {
        let token = self.peek().clone();
        let plain = match &*token.text {
            "true" => Some(ExprKind::Bool(true)),
            "false" => Some(ExprKind::Bool(false)),
            "nullptr" | "NULL" => Some(ExprKind::Null),
            "this" => Some(ExprKind::This),
            "__func__" | "__FUNCTION__" if !self.in_function.is_empty() => {
                // Names are those of the whole source here.
                let name = self.in_function.rsplit("::").next().unwrap_or_default();
                Some(ExprKind::Text(name.as_bytes().into()))
            }
            _ => None,
        };
        if let Some(kind) = plain {
            self.at += 1;
            return self.made(kind, span, &[]);
        }
        for cast in [
            "static_cast",
            "reinterpret_cast",
            "const_cast",
            "dynamic_cast",
        ] {
            if token.is(cast) {
                self.at += 1;
                self.expect("<")?;
                let ty = self.type_name()?;
                self.close_template()?;
                self.expect("(")?;
                let inner = self.in_brackets(Self::expression)?;
                let end = self.expect(")")?;
                let depth = inner.depth + 1;
                let kind = ExprKind::Cast(cast, Box::new(ty), Box::new(inner));
                return Ok(Expr {
                    span: span.to(end),
                    kind,
                    depth,
                });
            }
        }
        if self.is_type() {
            let specifiers = self.specifiers()?;
            let Some(ty) = specifiers.ty else {
                return Err(self.no_type());
            };
            let is_braces = self.is("{");
            if !is_braces && !self.is("(") {
                return Err(self.sink.error(
                    span,
                    format!(
                        "an expression was expected here, found the type `{}`",
                        token.text
                    ),
                ));
            }
            self.at += 1;
            let list = self.expressions_up_to(if is_braces { "}" } else { ")" })?;
            let depth = list.iter().map(|e| e.depth).max().unwrap_or(0) + 1;
            self.check_depth(depth, span)?;
            let kind = ExprKind::Construct(Box::new(ty), list, is_braces);
            return Ok(Expr {
                span: span.to(self.last()),
                kind,
                depth,
            });
        }
        if super::is_keyword(&token.text) && !token.is("operator") && !token.is("decltype") {
            return Err(self.sink.error(
                span,
                format!("an expression was expected here, found `{}`", token.text),
            ));
        }
        let path = self.path()?;
        let span = path.span;
        if path.parts.len() > 1 && self.is("{") {
            // A type of another struct: `Shape::Size{…}`.
            let ty = Box::new(syntax(TypeKind::Path(path), span));
            self.at += 1;
            let list = self.expressions_up_to("}")?;
            let depth = list.iter().map(|e| e.depth).max().unwrap_or(0) + 1;
            self.check_depth(depth, span)?;
            let (span, kind) = (span.to(self.last()), ExprKind::Construct(ty, list, true));
            return Ok(Expr { span, kind, depth });
        }
        self.made(ExprKind::Path(path), span, &[])
    }
}
