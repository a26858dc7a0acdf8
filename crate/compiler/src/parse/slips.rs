//! What is said where something stands that is nearly CUDA C++: brackets, commas, semicolons and stars in other places.
//! Reads nothing that is right. Types have their own file.

use super::Parser;
use crate::diagnostics::{Reported, Res};
use crate::lex::{Kind, Token};
use crate::source::Span;
use crate::syntax::{Binary, Expr, ExprKind, Stmt, StmtKind};

/// How tightly `<` and its like bind.
const ORDER: u8 = 7;

impl Parser<'_> {
    /// Something was wanted, and something else stands here.
    pub(super) fn wanted(&mut self, what: &str) -> Reported {
        self.told_of_end |= self.is_end();
        let token = self.peek().clone();
        let found = match token.kind {
            Kind::End => "; the source ends".to_string(),
            _ => format!(", found `{}`", token.text),
        };
        let message = format!("{what} was expected here{found}");
        let help = match what.contains("name") {
            true if token.kind == Kind::Number => "a name begins with a letter or `_`",
            true if super::is_keyword(&token.text) => "that is a word of C++ and cannot be a name",
            _ => return self.sink.error(token.span, message),
        };
        self.sink.error_help(token.span, message, help)
    }

    /// The end of a statement is missing.
    pub(super) fn no_semicolon(&mut self, place: Span, found: &str) -> Reported {
        let token = self.peek().clone();
        if token.is(")") || token.is("]") {
            let (close, open) = (&token.text, if token.is(")") { "(" } else { "[" });
            let message = format!("this `{close}` closes nothing");
            let help = format!("remove it, or look for a `{open}` that is missing before it");
            return self.sink.error_help(token.span, message, help);
        }
        let (what, help) = match is_value(&token) && !token.starts_line {
            true => (
                "`;` or an operator",
                "end the statement with `;`, or say what is done with both",
            ),
            false => ("`;`", "end the statement with `;`"),
        };
        let message = format!("{what} is missing behind this; {found}");
        self.sink.error_help(place, message, help)
    }

    /// The closing bracket of a list of values, of which the last was read.
    pub(super) fn expect_end_of_list(&mut self, close: &str) -> Res<Span> {
        let token = self.peek();
        if self.is(close) || !is_value(token) || token.starts_line {
            return self.expect(close);
        }
        let message = format!("`,` is missing behind this; found `{}`", token.text);
        let help = format!("values are kept apart by `,`, and end with `{close}`");
        Err(self.sink.error_help(self.last(), message, help))
    }

    /// What is told where no expression begins.
    pub(super) fn no_expression(&mut self) -> Reported {
        let token = self.peek().clone();
        if token.is("#") {
            let message = "a line that begins with `#` stands alone";
            return self
                .sink
                .error_help(token.span, message, "put it on a line of its own");
        }
        let before = self.tokens[self.at.saturating_sub(1)].clone();
        let both = format!("{}{}", before.text, token.text);
        let meant = match &*both {
            "=<" => "<=",
            "=>" => ">=",
            "<>" => "!=",
            ">>>" => ">>",
            _ => "",
        };
        let span = before.span.to(token.span);
        if !meant.is_empty() && before.span.end == token.span.start {
            let message = format!("`{both}` is no operator of C++");
            return self
                .sink
                .error_help(span, message, format!("did you mean `{meant}`?"));
        }
        self.wanted("an expression")
    }

    /// `int[3] a`, whose declarator was read up to the name.
    pub(super) fn refuse_brackets_before_name(&mut self, brackets: usize) -> Res<()> {
        let name = self.peek();
        let is_name = name.kind == Kind::Name && !super::is_keyword(&name.text);
        if self.at == brackets || !is_name || name.starts_line {
            return Ok(());
        }
        let size: Vec<&str> = self.tokens[brackets..self.at]
            .iter()
            .map(|token| &*token.text)
            .collect();
        let help = format!("write `{}{}`", name.text, size.concat());
        let span = self.tokens[brackets].span.to(self.last());
        let message = "an array's brackets stand behind its name";
        Err(self.sink.error_help(span, message, help))
    }

    /// What stands behind a parameter that is neither the next nor the end; true where it reads on.
    pub(super) fn slip_behind_parameter(&mut self) -> Res<bool> {
        let token = self.peek().clone();
        if token.is(";") {
            let help = "write `,` in its place";
            self.sink
                .error_help(token.span, "parameters are kept apart by `,`", help);
            self.at += 1;
            return Ok(true);
        }
        if super::is_keyword(&token.text) {
            return Err(self.wanted("a name"));
        }
        if token.is("*") || token.is("&") {
            let message = format!("`{}` stands before the name that it belongs to", token.text);
            let help = format!("write `{}{}`", token.text, self.tokens[self.at - 1].text);
            return Err(self.sink.error_help(token.span, message, help));
        }
        Ok(false)
    }

    /// The text behind `extern`.
    pub(super) fn check_language(&mut self) {
        let token = self.peek();
        if !["\"C\"", "\"C++\""].contains(&&*token.text) {
            let message = format!("{} is no language that `extern` knows", token.text);
            let help = "write `extern \"C\"`";
            self.sink.error_help(self.span(), message, help);
        }
    }

    /// Whether the parts of the `for` whose bracket stands here are kept apart as they must be.
    pub(super) fn check_parts_of_for(&mut self) -> Res<()> {
        let (mut depth, mut parts) = (0_usize, 0);
        for at in 0.. {
            let token = self.ahead(at);
            match &*token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                ";" if depth == 1 => parts += 1,
                _ => {}
            }
            // What is wrong with the brackets is told where they are read.
            if token.kind == Kind::End || parts > 2 || at > 0 && token.starts_line && token.is("{")
            {
                return Ok(());
            }
            if depth == 0 {
                break;
            }
        }
        if parts == 2 || !self.is("(") {
            return Ok(());
        }
        let message = "a `for` has three parts, kept apart by two `;`";
        let help = "write `for (int i = 0; i < count; i++)`; a part may be empty, its `;` stays";
        Err(self.sink.error_help(self.last(), message, help))
    }

    /// Tells of `a < b < c`, of which the left side began at a token; in brackets it is meant.
    pub(super) fn warn_of_chain(&mut self, left: &Expr, level: u8, start: usize) {
        let is_order = |operator: &Binary| {
            matches!(
                operator,
                Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual
            )
        };
        let is_chain = level == ORDER
            && matches!(&left.kind, ExprKind::Binary(operator, ..) if is_order(operator));
        if is_chain && !self.tokens[start].is("(") {
            let message = "this compares the answer of the first comparison, which is 0 or 1";
            let help = "write `a < b && b < c`; put the first in brackets if that is meant";
            self.sink.warn(left.span, message, help);
        }
    }

    /// Tells of a `;` right behind the brackets of `if`, `for` or `while`, of which a body follows.
    pub(super) fn warn_of_empty_body(&mut self, word: &str, body: &Stmt) {
        let is_empty = matches!(body.kind, StmtKind::Empty);
        if is_empty && (word == "if" && !self.is("else") || self.is("{")) {
            let message = format!("this `;` is all that the `{word}` decides about");
            let help = "remove it; write `{}` if nothing is to be done";
            self.sink.warn(body.span, message, help);
        }
    }

    /// Whether a function begins here that cannot stand within another: a brace is missing above.
    pub(super) fn begins_function_for_sure(&self) -> bool {
        let is_main = (self.is("int") || self.is("void"))
            && self.ahead(1).is("main")
            && self.ahead(2).is("(");
        self.is("__global__") && self.ahead(1).is("void") || is_main
    }

    /// A kernel's name is read, and no parameters follow.
    pub(super) fn no_parameters(&mut self, name: &str) -> Reported {
        let message = format!(
            "the parameters of `{name}` were expected here, found `{}`",
            self.peek().text
        );
        let help = match self.is("-") {
            true => format!("names are of letters, digits and `_`: write `{name}_…`"),
            false => format!("write them in brackets: `{name}(…)`"),
        };
        self.sink.error_help(self.span(), message, help)
    }

    /// What is asked behind `if`, `for`, `while` or `switch` stands in brackets.
    pub(super) fn expect_bracket_of(&mut self, word: &str) -> Res<Span> {
        if self.is("(") || self.is_end() {
            return self.expect("(");
        }
        let message = format!("`(` was expected here, found `{}`", self.peek().text);
        let help = match word {
            "for" => "write `for (int i = 0; i < count; i++) {`".to_string(),
            _ => format!(
                "what `{word}` asks stands in brackets, and no `:` behind them: `{word} (a < b) {{`"
            ),
        };
        Err(self.sink.error_help(self.span(), message, help))
    }

    /// Whether a struct's `}` ends its line, and the next line begins another declaration: the `;` was forgotten.
    pub(super) fn lacks_semicolon_behind_struct(&self) -> bool {
        let token = self.peek();
        let is_word = token.kind == Kind::Name && token.starts_line;
        is_word
            && (super::is_keyword(&token.text)
                || token.text.starts_with("__")
                || self.ahead(1).kind == Kind::Name)
    }
}

/// Whether a value begins with this token, and nothing else does.
fn is_value(token: &Token) -> bool {
    let is_name = token.kind == Kind::Name && !super::is_keyword(&token.text);
    is_name || matches!(token.kind, Kind::Number | Kind::Text | Kind::Character)
}
