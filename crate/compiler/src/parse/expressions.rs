//! Expressions, by precedence.

use super::Parser;
use crate::diagnostics::Res;
use crate::lex::Kind;
use crate::source::Span;
use crate::syntax::{Binary, Expr, ExprKind, Part, Unary};

/// Binary operators with how tightly they bind.
pub(super) const OPERATORS: [(&str, Binary, u8); 18] = [
    ("||", Binary::LogicalOr, 1),
    ("&&", Binary::LogicalAnd, 2),
    ("|", Binary::Or, 3),
    ("^", Binary::Xor, 4),
    ("&", Binary::And, 5),
    ("==", Binary::Equal, 6),
    ("!=", Binary::NotEqual, 6),
    ("<", Binary::Less, 7),
    (">", Binary::Greater, 7),
    ("<=", Binary::LessEqual, 7),
    (">=", Binary::GreaterEqual, 7),
    ("<<", Binary::Shl, 8),
    (">>", Binary::Shr, 8),
    ("+", Binary::Add, 9),
    ("-", Binary::Sub, 9),
    ("*", Binary::Mul, 10),
    ("/", Binary::Div, 10),
    ("%", Binary::Rem, 10),
];

const ASSIGNMENTS: [(&str, Option<Binary>); 11] = [
    ("=", None),
    ("+=", Some(Binary::Add)),
    ("-=", Some(Binary::Sub)),
    ("*=", Some(Binary::Mul)),
    ("/=", Some(Binary::Div)),
    ("%=", Some(Binary::Rem)),
    ("&=", Some(Binary::And)),
    ("|=", Some(Binary::Or)),
    ("^=", Some(Binary::Xor)),
    ("<<=", Some(Binary::Shl)),
    (">>=", Some(Binary::Shr)),
];

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Res<Expr> {
        let mut left = self.assignment()?;
        while self.is(",") && !self.ahead(1).is("...") {
            self.at += 1;
            let right = self.assignment()?;
            let span = left.span.to(right.span);
            let depth = left.depth.max(right.depth) + 1;
            self.check_depth(depth, span)?;
            let kind = ExprKind::Comma(Box::new(left), Box::new(right));
            left = Expr { span, kind, depth };
        }
        Ok(left)
    }

    pub(super) fn check_depth(&mut self, depth: u16, span: Span) -> Res<()> {
        match usize::from(depth) > 2 * super::SYNTAX_DEPTH {
            true => Err(self.too_deep(span)),
            false => Ok(()),
        }
    }

    pub(super) fn assignment(&mut self) -> Res<Expr> {
        self.deeper(|parser| {
            let left = parser.conditional_here()?;
            let token = parser.peek();
            let Some((_, operator)) = ASSIGNMENTS.iter().find(|(text, _)| token.is(text)) else {
                return Ok(left);
            };
            parser.at += 1;
            parser.changes(&left);
            let right = match parser.is("{") {
                true => {
                    let at = parser.next().span;
                    let list = parser.expressions_up_to("}")?;
                    parser.made(ExprKind::List(list), at, &[])?
                }
                false => parser.assignment()?,
            };
            let span = left.span.to(right.span);
            let depth = left.depth.max(right.depth) + 1;
            parser.check_depth(depth, span)?;
            let kind = ExprKind::Assign(*operator, Box::new(left), Box::new(right));
            Ok(Expr { span, kind, depth })
        })
    }

    pub(super) fn conditional(&mut self) -> Res<Expr> {
        self.deeper(Self::conditional_here)
    }

    fn conditional_here(&mut self) -> Res<Expr> {
        let condition = self.binary(1)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let yes = self.in_brackets(Self::expression)?;
        self.expect(":")?;
        let no = self.assignment()?;
        let span = condition.span.to(no.span);
        let depth = condition.depth.max(yes.depth).max(no.depth) + 1;
        self.check_depth(depth, span)?;
        let kind = ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
        Ok(Expr { span, kind, depth })
    }

    fn binary(&mut self, least: u8) -> Res<Expr> {
        let start = self.at;
        let mut left = self.unary()?;
        loop {
            let token = self.peek();
            if token.kind != Kind::Punctuation
                || (self.in_template && (token.is(">") || token.is(">>")))
            {
                return Ok(left);
            }
            let Some((_, operator, level)) = OPERATORS
                .iter()
                .find(|(text, _, level)| token.is(text) && *level >= least)
            else {
                return Ok(left);
            };
            if self.ahead(1).is("...") {
                return Ok(left);
            }
            self.at += 1;
            self.warn_of_chain(&left, *level, start);
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            let depth = left.depth.max(right.depth) + 1;
            self.check_depth(depth, span)?;
            let kind = ExprKind::Binary(*operator, Box::new(left), Box::new(right));
            left = Expr { span, kind, depth };
        }
    }

    pub(super) fn unary(&mut self) -> Res<Expr> {
        let token = self.peek().clone();
        let operator = match &*token.text {
            _ if token.kind != Kind::Punctuation && token.kind != Kind::Name => None,
            "+" => Some(Unary::Plus),
            "-" => Some(Unary::Minus),
            "!" => Some(Unary::Not),
            "~" => Some(Unary::Complement),
            "*" => Some(Unary::Deref),
            "&" => Some(Unary::Address),
            "++" => Some(Unary::Increment),
            "--" => Some(Unary::Decrement),
            "sizeof" | "alignof" => return self.size_of(),
            "new" => return self.new_object(),
            "delete" => return self.delete(),
            _ => None,
        };
        if let Some(operator) = operator {
            self.at += 1;
            let inner = self.deeper(Self::unary)?;
            if matches!(
                operator,
                Unary::Address | Unary::Increment | Unary::Decrement
            ) {
                self.changes(&inner);
            }
            let span = token.span.to(inner.span);
            let depth = inner.depth + 1;
            self.check_depth(depth, span)?;
            let kind = ExprKind::Unary(operator, Box::new(inner));
            return Ok(Expr { span, kind, depth });
        }
        if token.is("(") && self.is_cast() {
            self.at += 1;
            let ty = self.in_brackets(Self::type_name)?;
            self.expect(")")?;
            if self.is("{") {
                return self.compound_literal(ty, token.span);
            }
            let inner = self.deeper(Self::unary)?;
            let span = token.span.to(inner.span);
            let depth = inner.depth + 1;
            self.check_depth(depth, span)?;
            let kind = ExprKind::Cast("", Box::new(ty), Box::new(inner));
            return Ok(Expr { span, kind, depth });
        }
        let primary = self.primary()?;
        self.postfix(primary)
    }

    /// `(Type){ … }` of C: a value of the type, made of these.
    #[inline(never)]
    fn compound_literal(&mut self, ty: crate::syntax::TypeSyntax, span: Span) -> Res<Expr> {
        self.expect("{")?;
        let list = self.expressions_up_to("}")?;
        let depth = list.iter().map(|part| part.depth + 1).max().unwrap_or(1);
        let span = span.to(self.last());
        self.check_depth(depth, span)?;
        let kind = ExprKind::Construct(Box::new(ty), list, true);
        self.postfix(Expr { span, kind, depth })
    }

    fn is_cast(&mut self) -> bool {
        self.at += 1;
        let is_type = self.is_type();
        let follows = self.ahead(1).clone();
        self.at -= 1;
        // `(T(x) + 1)` is no cast.
        is_type && (!follows.is("(") || self.ahead(3).is("*"))
    }

    fn size_of(&mut self) -> Res<Expr> {
        let word = self.next();
        let is_align = &*word.text == "alignof";
        if self.eat("...") {
            self.expect("(")?;
            let name = self.name("the name of a pack")?;
            let span = word.span.to(self.expect(")")?);
            return self.made(ExprKind::PackSize(name), span, &[]);
        }
        if self.is("(") {
            self.at += 1;
            if self.is_type() {
                let ty = Box::new(self.in_brackets(Self::type_name)?);
                let span = word.span.to(self.expect(")")?);
                let kind = if is_align {
                    ExprKind::AlignOfType(ty)
                } else {
                    ExprKind::SizeOfType(ty)
                };
                return self.made(kind, span, &[]);
            }
            self.at -= 1;
        }
        let inner = self.deeper(Self::unary)?;
        let span = word.span.to(inner.span);
        let depth = inner.depth + 1;
        let kind = ExprKind::SizeOf(Box::new(inner));
        Ok(Expr { span, kind, depth })
    }

    fn postfix(&mut self, mut left: Expr) -> Res<Expr> {
        loop {
            let token = self.peek().clone();
            if token.kind != Kind::Punctuation {
                return Ok(left);
            }
            let mut depth = left.depth + 1;
            let kind = match &*token.text {
                "(" => {
                    self.at += 1;
                    let arguments = self.expressions_up_to(")")?;
                    for argument in &arguments {
                        self.binds(argument);
                    }
                    if let ExprKind::Member(object, _, false) = &left.kind {
                        let object = object.clone();
                        self.changes(&object);
                    } else {
                        let callee = left.clone();
                        self.binds(&callee);
                    }
                    depth = arguments
                        .iter()
                        .map(|argument| argument.depth + 1)
                        .max()
                        .unwrap_or(0)
                        .max(depth);
                    ExprKind::Call(Box::new(left), arguments)
                }
                "[" => {
                    self.at += 1;
                    let index = self.in_brackets(Self::expression)?;
                    self.expect("]")?;
                    depth = depth.max(index.depth + 1);
                    ExprKind::Index(Box::new(left), Box::new(index))
                }
                "." | "->" if self.ahead(1).is("*") => {
                    return Err(self.sink.gap(token.span, "a pointer to a member"));
                }
                "->*" => return Err(self.sink.gap(token.span, "a pointer to a member")),
                "." | "->" => {
                    self.at += 1;
                    self.eat("template");
                    let name = match self.is("operator") {
                        true => self.operator_name()?,
                        false => self.name("a member's name")?,
                    };
                    let is_template = self.is("<") && self.templates.contains(&name);
                    let arguments = if is_template {
                        Some(self.template_arguments()?)
                    } else {
                        None
                    };
                    let (part, is_arrow) = (Part { name, arguments }, &*token.text == "->");
                    match self.is("::") {
                        true => {
                            depth += 2;
                            self.member_of_base(left, part, is_arrow)?
                        }
                        false => ExprKind::Member(Box::new(left), part, is_arrow),
                    }
                }
                "++" | "--" => {
                    self.at += 1;
                    self.changes(&left);
                    let operator = if &*token.text == "++" {
                        Unary::IncrementAfter
                    } else {
                        Unary::DecrementAfter
                    };
                    ExprKind::Unary(operator, Box::new(left))
                }
                _ => return Ok(left),
            };
            let span = match &kind {
                ExprKind::Call(inner, _)
                | ExprKind::Index(inner, _)
                | ExprKind::Member(inner, _, _)
                | ExprKind::Unary(_, inner) => inner.span,
                _ => token.span,
            };
            let span = span.to(self.last());
            self.check_depth(depth, span)?;
            left = Expr { span, kind, depth };
        }
    }

    /// Remembers that a name is given to something that may take a reference to it.
    pub(super) fn binds(&mut self, argument: &Expr) {
        if let ExprKind::Expand(_, inner) = &argument.kind {
            return self.binds(inner);
        }
        if let ExprKind::Path(path) = &argument.kind
            && path.parts.len() == 1
        {
            self.changed.push(format!("&{}", path.parts[0].name).into());
        }
    }

    /// A list of expressions with what closes it.
    /// Tells of `{.rows = 3}` and `{[2] = 5}`, and goes on behind the `=`.
    fn refuse_names_in_list(&mut self) {
        let names_member = self.is(".") && self.ahead(1).kind == Kind::Name;
        let names_element = self.is("[") && self.ahead(2).is("]") && self.ahead(3).is("=");
        if !names_member && !names_element {
            return;
        }
        let help = "kernels are C++17: write the values alone, in the order of the declaration";
        let message = "names in a list of values are of C++20";
        self.sink.error_help(self.span(), message, help);
        self.at += if names_member { 2 } else { 3 };
        self.eat("=");
    }

    pub(super) fn expressions_up_to(&mut self, close: &str) -> Res<Vec<Expr>> {
        let outer = std::mem::replace(&mut self.in_template, false);
        let mut list = Vec::new();
        let result = self.deeper(|parser| {
            while !parser.is(close) && !parser.is_end() {
                let start = parser.at;
                parser.refuse_names_in_list();
                if parser.is("{") {
                    let at = parser.next().span;
                    let inner = parser.expressions_up_to("}")?;
                    let depth = inner.iter().map(|e| e.depth).max().unwrap_or(0) + 1;
                    parser.check_depth(depth, at)?;
                    list.push(Expr {
                        span: at.to(parser.last()),
                        kind: ExprKind::List(inner),
                        depth,
                    });
                } else {
                    let value = parser.assignment()?;
                    list.push(parser.expanded(value, start)?);
                }
                if !parser.eat(",") {
                    break;
                }
            }
            parser.expect_end_of_list(close)
        });
        self.in_template = outer;
        result?;
        Ok(list)
    }
}
