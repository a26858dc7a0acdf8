//! Statements, with recovery: one that cannot be read is told and skipped.

use super::{Names, Parser};
use crate::diagnostics::Res;
use crate::lex::{Kind, Token};
use crate::source::Span;
use crate::syntax::{ExprKind, Init, Stmt, StmtKind, TypeKind, Unroll};

/// Types of the host's library that beginners try in kernels.
const HOST_TEMPLATES: [&str; 9] = [
    "vector",
    "basic_string",
    "map",
    "unordered_map",
    "set",
    "list",
    "unique_ptr",
    "shared_ptr",
    "function",
];

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

    /// Whether a declaration begins here, not an expression such as `T(x)` or `T::f()`.
    pub(super) fn is_declaration(&self) -> bool {
        let token = self.peek();
        let starts = [
            "__managed__",
            "static",
            "extern",
            "__shared__",
            "__constant__",
            "__device__",
            "constexpr",
            "alignas",
            "__align__",
            "typedef",
            "register",
        ];
        if token.kind == Kind::Name
            && (starts.contains(&&*token.text) || is_attribute(token, self.ahead(1)))
        {
            return true;
        }
        if token.is("decltype") {
            return true;
        }
        if !self.is_type() {
            return false;
        }
        let behind = self.behind_type_name();
        match () {
            () if self.ahead(behind).is("(") => self.is_declarator_in_brackets(behind),
            () if self.ahead(behind).is("{") => {
                matches!(&*token.text, "struct" | "class" | "union" | "enum")
            }
            () => true,
        }
    }

    /// Whether the brackets of `T (*name)[4]` stand there, not those of `T(*value)`.
    fn is_declarator_in_brackets(&self, open: usize) -> bool {
        if !self.ahead(open + 1).is("*") && !self.ahead(open + 1).is("&") {
            return false;
        }
        let close = (open + 2..open + 7).find(|at| self.ahead(*at).is(")"));
        close.is_some_and(|close| self.ahead(close + 1).is("[") || self.ahead(close + 1).is("("))
    }

    /// Two names side by side are a declaration of an unknown type.
    fn refuse_unknown_type(&mut self) -> Res<()> {
        if self.is("std") && self.ahead(1).is("::") {
            self.refuse_host_type()?;
        }
        let (first, second) = (self.peek(), self.ahead(1));
        let both = first.kind == Kind::Name && second.kind == Kind::Name;
        let are_names = !super::is_keyword(&first.text) && !super::is_keyword(&second.text);
        match both && are_names || self.is_word_before_type() {
            true => Err(self.no_type()),
            false => Ok(()),
        }
    }

    /// `std::string name` and `std::vector<…> name`.
    fn refuse_host_type(&mut self) -> Res<()> {
        let name = self.ahead(2).text.clone();
        let is_type = self.ahead(3).kind == Kind::Name
            || self.ahead(3).is("<") && HOST_TEMPLATES.contains(&&*name);
        if !is_type {
            return Ok(());
        }
        let help = "kernels have no standard library here: take arrays, pointers and numbers";
        let message = format!("`std::{name}` is not there in a kernel");
        Err(self.sink.error_help(self.span(), message, help))
    }

    fn local_alias(&mut self) -> Res<StmtKind> {
        self.at += 1;
        let name = self.name("the new name of a type")?;
        self.expect("=")?;
        let ty = self.type_name()?;
        self.expect(";")?;
        self.declare_type(&name);
        Ok(StmtKind::Alias(name, ty))
    }

    fn local_declaration(&mut self) -> Res<StmtKind> {
        let mut specifiers = self.specifiers()?;
        let Some(mut ty) = specifiers.ty.take() else {
            return Err(self.no_type());
        };
        if self.eat(";") {
            return Ok(StmtKind::Types(ty));
        }
        if let Some(names) = self.unpacked_names(&mut ty)? {
            return self.unpacked(specifiers, ty, names);
        }
        // `float alignas(16) x` and the like.
        let more = self.specifiers_behind_type()?;
        specifiers.align = specifiers.align.take().or(more.align);
        specifiers.is_shared |= more.is_shared;
        let declarator = self.declarator(ty.clone())?;
        if self.is_parameter_list() {
            return Err(self.sink.error_help(
                self.last(),
                "a function cannot be written inside a function",
                "write it before, with `__device__`, or as a lambda: `auto f = [&](…) { … };`",
            ));
        }
        if specifiers.is_typedef {
            let name = declarator.name.unwrap_or_else(|| "".into());
            self.expect(";")?;
            self.declare_type(&name);
            return Ok(StmtKind::Alias(name, declarator.ty));
        }
        let list = self.variables(&specifiers, &ty, declarator)?;
        for variable in &list {
            self.declare_variable(&variable.name, variable.span);
        }
        let is_reference =
            |ty: &crate::syntax::TypeSyntax| matches!(ty.kind, TypeKind::Reference(_));
        for variable in &list {
            if let (true, Init::Value(value)) = (is_reference(&variable.ty), &variable.init) {
                self.changes(value);
            }
        }
        Ok(StmtKind::Declare(list))
    }

    /// Whether `(float x` or `(float)` stands here, which is no first value.
    fn is_parameter_list(&self) -> bool {
        if !self.is("(") {
            return false;
        }
        let mut at = 1;
        while self.ahead(at).is("const") || self.ahead(at).is("unsigned") {
            at += 1;
        }
        let is_type = self.is_type_name(&self.ahead(at).text)
            || super::types::SCALAR_WORDS.contains(&&*self.ahead(at).text);
        let behind = self.ahead(at + 1);
        let is_name = behind.kind == Kind::Name && !super::is_keyword(&behind.text);
        is_type && (is_name || behind.is("*") || behind.is("&") || behind.is(",") || behind.is(")"))
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

/// `[[likely]]` and the like.
fn is_attribute(first: &crate::lex::Token, second: &crate::lex::Token) -> bool {
    first.is("[") && second.is("[")
}
