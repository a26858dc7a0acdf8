//! Directives, and the stream of tokens that is left of them. Macros are expanded in `macros`, conditions decided in `condition`.

mod condition;
mod included;
mod limits_of_types;
mod macros;
mod predefined;

use crate::diagnostics::{Res, Sink};
use crate::hash::HashSet;
use crate::lex::{Kind, Token};
use crate::limits::{CONDITION_DEPTH, TOKENS};
use crate::source::Span;
use included::Header;
use macros::Macros;
use std::rc::Rc;

/// The state of one `#if` … `#endif`.
struct Condition {
    span: Span,
    /// Whether tokens of the present part count.
    is_taken: bool,
    /// Whether a part was taken already.
    was_taken: bool,
    /// Whether what surrounds it counts.
    is_inside: bool,
}

pub(crate) struct Preprocessor<'a> {
    tokens: &'a [Token],
    at: usize,
    macros: Macros,
    conditions: Vec<Condition>,
    /// Files of headers that are in `out`.
    included: HashSet<&'static str>,
    out: Vec<Token>,
    /// Whether the numbers of C's headers are defined.
    has_numbers: bool,
    /// 800 for `compute_80`.
    cuda_arch: u32,
    sink: &'a mut Sink,
}

/// What is left of a source's tokens, with macros expanded. `defines` are names and values.
pub(crate) fn preprocess(
    tokens: &[Token],
    defines: &[(String, String)],
    cuda_arch: u32,
    sink: &mut Sink,
) -> Res<Vec<Token>> {
    let mut macros = Macros::default();
    predefined::define(&mut macros, cuda_arch, sink);
    limits_of_types::define(&mut macros, tokens, sink);
    for (name, value) in defines {
        macros.define_text(name, value, sink);
    }
    let mut preprocessor = Preprocessor {
        tokens,
        at: 0,
        macros,
        conditions: Vec::new(),
        included: HashSet::default(),
        out: Vec::new(),
        has_numbers: false,
        cuda_arch: cuda_arch * 10,
        sink,
    };
    preprocessor.run()?;
    preprocessor.names_of_std()?;
    Ok(preprocessor.out)
}

impl Preprocessor<'_> {
    fn run(&mut self) -> Res<()> {
        loop {
            let token = &self.tokens[self.at];
            if token.kind == Kind::End {
                break;
            }
            if token.starts_line && token.is("#") {
                self.directive()?;
            } else {
                self.text()?;
            }
        }
        if let Some(open) = self.conditions.first() {
            return Err(self.sink.error_help(
                open.span,
                "this condition has no end",
                "close it with `#endif`",
            ));
        }
        self.out.push(self.tokens[self.at].clone());
        Ok(())
    }

    fn is_active(&self) -> bool {
        self.conditions
            .last()
            .is_none_or(|condition| condition.is_taken)
    }

    /// Everything up to the next directive.
    fn text(&mut self) -> Res<()> {
        let from = self.at;
        let ends = |token: &Token| token.kind == Kind::End || (token.starts_line && token.is("#"));
        while !ends(&self.tokens[self.at]) {
            self.at += 1;
        }
        if self.is_active() {
            let tokens = &self.tokens[from..self.at];
            let before = self.out.len();
            self.macros.expand(tokens, &mut self.out, self.sink)?;
            self.pragma_operators(before)?;
            self.check_size()?;
        }
        Ok(())
    }

    fn check_size(&mut self) -> Res<()> {
        if self.out.len() <= TOKENS {
            return Ok(());
        }
        let span = self.out[TOKENS].span;
        Err(self.sink.error(
            span,
            format!("with its macros expanded the source has more than {TOKENS} tokens"),
        ))
    }

    /// The tokens of a directive behind `#`.
    fn rest_of_line(&mut self) -> Rc<[Token]> {
        let from = self.at;
        while self.tokens[self.at].kind != Kind::End
            && (self.at == from || !self.tokens[self.at].starts_line)
        {
            if self.at == from && self.tokens[self.at].starts_line {
                break;
            }
            self.at += 1;
        }
        self.tokens[from..self.at].into()
    }

    fn directive(&mut self) -> Res<()> {
        let hash = self.tokens[self.at].span;
        self.at += 1;
        let line = self.rest_of_line();
        let Some(name) = line.first() else {
            return Ok(());
        };
        let span = hash.to(line[line.len() - 1].span);
        let rest = &line[1..];
        match &*name.text {
            "if" | "ifdef" | "ifndef" => return self.open(&name.text, rest, span),
            "elif" | "else" | "endif" => return self.turn(&name.text, rest, span),
            _ if !self.is_active() => return Ok(()),
            "define" => self.macros.define(rest, span, self.sink)?,
            "undef" => match rest.first() {
                Some(name) => self.macros.undefine(&name.text),
                None => return Err(self.sink.error(span, "`#undef` needs a name")),
            },
            "include" => return self.include(rest, span),
            "pragma" => return self.pragma(rest, span),
            "error" => {
                let said: Vec<&str> = rest.iter().map(|token| &*token.text).collect();
                return Err(self.sink.error(span, format!("#error: {}", said.join(" "))));
            }
            "warning" => self
                .sink
                .warn(span, "#warning stands here", "it is the source's own"),
            "line" => {}
            other => {
                let message = format!("`#{other}` is no directive");
                let help = "there are #define, #undef, #include, #if, #ifdef, #ifndef, #elif, #else, #endif, #pragma and #error";
                return Err(self.sink.error_help(name.span, message, help));
            }
        }
        Ok(())
    }

    fn open(&mut self, name: &str, rest: &[Token], span: Span) -> Res<()> {
        if self.conditions.len() >= CONDITION_DEPTH {
            return Err(self.sink.error(
                span,
                format!("more than {CONDITION_DEPTH} conditions inside each other"),
            ));
        }
        let is_inside = self.is_active();
        let is_true = is_inside
            && match name {
                "if" => condition::decide(rest, span, &mut self.macros, self.sink)?,
                _ => match rest.first() {
                    Some(word) => self.macros.is_defined(&word.text) == (name == "ifdef"),
                    None => return Err(self.sink.error(span, format!("`#{name}` needs a name"))),
                },
            };
        self.conditions.push(Condition {
            span,
            is_taken: is_true,
            was_taken: is_true,
            is_inside,
        });
        Ok(())
    }

    fn turn(&mut self, name: &str, rest: &[Token], span: Span) -> Res<()> {
        let Some(condition) = self.conditions.last_mut() else {
            return Err(self.sink.error_help(
                span,
                format!("`#{name}` without `#if`"),
                "remove it, or open a condition",
            ));
        };
        if name == "endif" {
            self.conditions.pop();
            return Ok(());
        }
        let may_take = condition.is_inside && !condition.was_taken;
        let is_true = may_take
            && (name == "else" || condition::decide(rest, span, &mut self.macros, self.sink)?);
        condition.is_taken = is_true;
        condition.was_taken |= is_true;
        Ok(())
    }

    fn include(&mut self, rest: &[Token], span: Span) -> Res<()> {
        let name: String = rest.iter().map(|token| &*token.text).collect();
        let name = name.trim_matches(['<', '>', '"']);
        let kind = included::kind(name);
        match kind {
            Header::BuiltIn | Header::OfHost => {
                self.sink.is_program |= kind == Header::OfHost;
                self.define_numbers();
                return Ok(());
            }
            Header::Std(part) => {
                self.sink.is_program = true;
                self.define_numbers();
                return self.put_header(&format!("cuda/std/{part}"), span).map(drop);
            }
            _ if self.put_header(name, span)? => return Ok(()),
            Header::Gap => {
                let what = format!("the header `{name}`");
                return Err(match name.starts_with("cub/") {
                    true => self.sink.gap_of_both(span, what),
                    false => self.sink.gap(span, what),
                });
            }
            Header::Unknown => {}
        }
        let help = match name.starts_with("curand") {
            true => "`#include <curand_kernel.h>` has the generators for kernels",
            false => {
                "a kernel's source reads no files; what CUDA's headers declare for kernels is known without them"
            }
        };
        Err(self
            .sink
            .error_help(span, format!("`{name}` cannot be included"), help))
    }

    /// Whole numbers' types without `std::`, and what traits are named though no header of theirs is included: another
    /// header includes it.
    fn names_of_std(&mut self) -> Res<()> {
        let is_of_source = |token: &Token| token.is("std") && !token.span.is_header();
        if !self.out.iter().any(is_of_source) {
            return Ok(());
        }
        let (mut from, mut wants) = (0, false);
        let tokens = std::mem::take(&mut self.out);
        let mut kept = Vec::with_capacity(tokens.len());
        while let Some(token) = tokens.get(from) {
            let name = tokens.get(from + 2);
            let is_std = token.is("std")
                && tokens[from + 1].is("::")
                && !(from > 0 && tokens[from - 1].is("::"))
                && !token.span.is_header();
            let is_named = |list: &[&str]| name.is_some_and(|name| list.contains(&&*name.text));
            let is_number = self.sink.is_program && is_named(&included::MATHS);
            if is_std && (is_number || is_named(&included::NUMBER_TYPES)) {
                from += 2;
                continue;
            }
            wants |= is_std && is_named(&included::TRAITS);
            kept.push(token.clone());
            from += 1;
        }
        if wants && self.sink.is_program {
            self.put_header("cuda/std/type_traits", Span::default())?;
        }
        self.out.append(&mut kept);
        Ok(())
    }

    /// Puts the text of a header that is built in here; false where there is none of this name.
    fn put_header(&mut self, name: &str, span: Span) -> Res<bool> {
        let Some(files) = crate::headers::files(name) else {
            return Ok(false);
        };
        for file in files {
            if self.included.insert(file) {
                self.sink.near = span;
                let tokens = crate::headers::tokens_of(file);
                let from = self.out.len();
                self.out.extend(tokens);
                self.name_architecture(from);
            }
        }
        self.check_size()?;
        Ok(true)
    }

    /// Defines what C's headers define, but for what the source defines by itself.
    fn define_numbers(&mut self) {
        if std::mem::replace(&mut self.has_numbers, true) {
            return;
        }
        for (name, value) in included::NUMBERS {
            if !self.macros.is_defined(name) {
                self.macros.define_text(name, value, self.sink);
            }
        }
        for (name, behind) in included::TYPED {
            if !self.macros.is_defined(name) {
                self.macros.define_typed(name, behind, self.sink);
            }
        }
    }

    /// Puts the architecture's number where a header asks for it.
    fn name_architecture(&mut self, from: usize) {
        let tokens = self.out[from..].iter_mut();
        for token in tokens.filter(|token| token.is("__CUDA_ARCH__")) {
            token.kind = Kind::Number;
            token.text = self.cuda_arch.to_string().into();
        }
    }

    /// `_Pragma("unroll")` as the directive that it is.
    fn pragma_operators(&mut self, from: usize) -> Res<()> {
        if !self.out[from..].iter().any(|token| token.is("_Pragma")) {
            return Ok(());
        }
        let tokens = self.out.split_off(from);
        let mut at = 0;
        while at < tokens.len() {
            let is_operator = tokens[at].is("_Pragma")
                && tokens.get(at + 1).is_some_and(|token| token.is("("))
                && tokens
                    .get(at + 2)
                    .is_some_and(|token| token.kind == Kind::Text)
                && tokens.get(at + 3).is_some_and(|token| token.is(")"));
            if !is_operator {
                self.out.push(tokens[at].clone());
                at += 1;
                continue;
            }
            let span = tokens[at].span;
            let said = crate::numbers::unquote(&tokens[at + 2].text);
            let mut words = crate::lex::lex(&String::from_utf8_lossy(&said), self.sink);
            words.retain(|token| token.kind != Kind::End);
            for word in &mut words {
                word.span = span;
            }
            self.pragma(&words, span)?;
            at += 4;
        }
        Ok(())
    }

    fn pragma(&mut self, rest: &[Token], span: Span) -> Res<()> {
        let Some(word) = rest.first() else {
            return Ok(());
        };
        if &*word.text != "unroll" {
            return Ok(()); // others, such as `once` and `nv_diag_suppress`, change nothing here
        }
        let mark = |kind| Token {
            kind,
            span,
            ..word.clone()
        };
        self.out.push(mark(Kind::Pragma));
        self.macros.expand(&rest[1..], &mut self.out, self.sink)?;
        self.out.push(mark(Kind::PragmaEnd));
        Ok(())
    }
}
