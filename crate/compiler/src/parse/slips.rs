//! What is said where something stands that is nearly CUDA C++: words of other languages, brackets, commas and stars in
//! other places. Reads nothing that is right.

use super::Parser;
use super::types::SCALAR_WORDS;
use crate::diagnostics::{Reported, Res};
use crate::lex::{Kind, Token};
use crate::source::Span;
use crate::syntax::{Binary, Expr, ExprKind, Stmt, StmtKind};

/// How tightly `<` and its like bind.
const ORDER: u8 = 7;

/// The words of CUDA that stand before a type.
const ATTRIBUTES: [&str; 9] = [
    "__constant__",
    "__device__",
    "__forceinline__",
    "__global__",
    "__host__",
    "__launch_bounds__",
    "__managed__",
    "__restrict__",
    "__shared__",
];

/// Words that other languages have in the place of a type, each with what is written here.
const WORDS: [(&[&str], &str); 10] = [
    (
        &["concept", "requires", "consteval", "co_await"],
        "kernels are compiled as C++17, which does not have this",
    ),
    (
        &["thread_local"],
        "each variable in a function is a thread's own: leave the word out",
    ),
    (
        &["let", "var", "val"],
        "`auto name = value;` declares a variable of the value's type",
    ),
    (
        &["def", "fn", "func", "function"],
        "a function begins with the type of what it returns: `__device__ float name(float x)`",
    ),
    (
        &["string", "String", "str"],
        "kernels have no texts that change: take a `const char*`",
    ),
    (
        &["vector", "list", "map", "set"],
        "kernels have no standard library: take arrays, pointers and numbers",
    ),
    (&["f32"], "did you mean `float`?"),
    (&["f64"], "did you mean `double`?"),
    (&["i32", "i64"], "did you mean `int` or `long long`?"),
    (
        &["u8", "u16", "u32", "u64"],
        "did you mean `unsigned`, or a type such as `uint32_t`?",
    ),
];

/// Whether a word is one of CUDA's that say where something lies or runs, but for the host, or nearly is.
pub(super) fn is_near_attribute(word: &str) -> bool {
    const OF_ANY: [&str; 4] = [
        "__forceinline__",
        "__host__",
        "__launch_bounds__",
        "__restrict__",
    ];
    let is_own = |word: &str| ATTRIBUTES.contains(&word) && !OF_ANY.contains(&word);
    let is_slip = || {
        let near = crate::nearest::nearest(word, ATTRIBUTES.into_iter());
        word.starts_with('_') && near.is_some_and(|near| is_own(&near))
    };
    is_own(word) || !OF_ANY.contains(&word) && is_slip()
}

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

    /// Where a type should stand.
    pub(super) fn no_type(&mut self) -> Reported {
        if self.is_end() {
            return self.wanted("a type");
        }
        let help = self.help_for_type(&self.peek().text.clone());
        let message = format!("a type was expected here, found `{}`", self.peek().text);
        let reported = self.sink.error_help(self.span(), message, help);
        if self.is_foreign_margin() {
            // Every line has one.
            self.at = self.tokens.len() - 1;
            self.told_of_end = true;
        }
        reported
    }

    /// Whether a line begins here with what no line of a source begins with: its number, or the mark of a comparison.
    fn is_foreign_margin(&self) -> bool {
        let token = self.peek();
        let is_mark = token.kind == Kind::Number || token.is("+") || token.is("-");
        is_mark && token.starts_line
    }

    fn help_for_type(&self, text: &str) -> String {
        if let Some(header) = crate::headers::declaring(text) {
            return format!("`#include <{header}>` declares it");
        }
        if self.peek().kind != Kind::Name {
            return self.help_for_no_name().to_string();
        }
        if let Some((_, help)) = WORDS.iter().find(|(words, _)| words.contains(&text)) {
            return (*help).to_string();
        }
        if text == "std" {
            return "kernels have no standard library: take arrays, pointers and numbers"
                .to_string();
        }
        let is_of_host =
            ["thrust", "FILE"].contains(&text) || text.starts_with("cuda") && text.len() > 4;
        let fixed = match text {
            "texture" => {
                "CUDA 12 has no texture references any more: take a `cudaTextureObject_t` as a parameter"
            }
            _ if ATTRIBUTES.contains(&text) => {
                "it belongs before a function or a variable outside of functions"
            }
            _ if is_of_host => "it is for code of the host: leave that out here",
            "T" | "U" | "N" | "T1" | "T2" => {
                "for any type put `template <typename T>` before the function"
            }
            _ if self.is_behind("template", "<") => "write `typename` before it",
            _ => "",
        };
        match () {
            () if !fixed.is_empty() => fixed.to_string(),
            () if self.attribute_meant(text).is_some() => {
                format!(
                    "did you mean `{}`?",
                    self.attribute_meant(text).unwrap_or_default()
                )
            }
            () if self.ahead(1).is("(") => {
                "what a function returns stands before its name; a kernel returns `void`"
                    .to_string()
            }
            () => self.help_for_type_name(text),
        }
    }

    fn help_for_type_name(&self, text: &str) -> String {
        let whole = format!("{text}_t");
        let types = self.types.iter().flat_map(|scope| &scope.types);
        let known = types.map(|name| &**name).chain(SCALAR_WORDS);
        let near = match self.is_type_name(&whole) {
            true => Some(whole),
            false => crate::nearest::nearest(text, known),
        };
        let is_alone = self.ahead(1).is(",") || self.ahead(1).is(")");
        match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if is_alone => format!("write its type before it, such as `float {text}`"),
            None => "declare it before it is used".to_string(),
        }
    }

    fn help_for_no_name(&self) -> &'static str {
        let token = self.peek();
        match &*token.text {
            _ if token.kind == Kind::Number && token.starts_line => {
                "are these the numbers of lines? remove them all"
            }
            "+" | "-" if token.starts_line => {
                "are these the marks of a comparison of two files? remove them all"
            }
            _ => "a declaration begins with a type, such as `float`",
        }
    }

    /// Whether the two tokens before are these.
    fn is_behind(&self, first: &str, second: &str) -> bool {
        let before = |count| self.at.checked_sub(count).map(|at| &self.tokens[at]);
        before(2).is_some_and(|token| token.is(first))
            && before(1).is_some_and(|token| token.is(second))
    }

    /// The word of CUDA that was probably meant, where a type or another such word follows.
    fn attribute_meant(&self, text: &str) -> Option<String> {
        if self.ahead(1).kind != Kind::Name || ATTRIBUTES.contains(&text) {
            return None;
        }
        let bare = text.trim_matches('_');
        let is_opencl = bare == "kernel";
        let with_lines = format!("__{}__", if is_opencl { "global" } else { bare });
        if ATTRIBUTES.contains(&&*with_lines) {
            return Some(with_lines);
        }
        if !text.starts_with('_') {
            return None;
        }
        crate::nearest::nearest(text, ATTRIBUTES.into_iter())
    }

    /// Whether two words stand here of which the first is no type and the second begins one, as in `__shard__ float s[32];`.
    pub(super) fn is_word_before_type(&self) -> bool {
        let (first, second) = (self.peek(), self.ahead(1));
        let is_type = SCALAR_WORDS.contains(&&*second.text) || self.is_type_name(&second.text);
        first.kind == Kind::Name
            && !super::is_keyword(&first.text)
            && second.kind == Kind::Name
            && !second.starts_line
            && (is_type || second.is("const"))
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
