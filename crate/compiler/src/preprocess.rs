//! Directives, and the stream of tokens that is left of them. Macros are expanded in `macros`, conditions decided in `condition`.

mod condition;
mod directives;
mod files;
mod included;
mod includes;
mod limits_of_types;
mod macros;
mod predefined;

use crate::diagnostics::{Res, Sink};
use crate::files::{File, Files};
use crate::hash::HashSet;
use crate::lex::{Kind, Token};
use crate::limits::{CONDITION_DEPTH, TOKENS};
use crate::source::Span;
pub(crate) use directives::{Directive, Outcome};
pub(crate) use included::{Header, MATHS, NUMBER_TYPES, TRAITS, kind as kind_of_header};
use macros::Macros;
use std::rc::Rc;
use std::sync::Arc;

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
    /// Those of the file at hand.
    tokens: Rc<[Token]>,
    at: usize,
    macros: Macros,
    conditions: Vec<Condition>,
    /// Files of headers that are in `out`.
    included: HashSet<&'static str>,
    out: Vec<Token>,
    files: &'a dyn Files,
    has_header: Option<HasHeader<'a>>,
    /// The files that the one at hand is in, itself at the end; not the source.
    open: Vec<Arc<File>>,
    /// The paths of files with `#pragma once`.
    once: HashSet<String>,
    directives: Vec<Directive>,
    /// Whether the numbers of C's headers are defined.
    has_numbers: bool,
    /// 800 for `compute_80`.
    cuda_arch: u32,
    sink: &'a mut Sink,
}

/// What a source becomes.
#[derive(Default)]
pub(crate) struct Preprocessed {
    /// What is left of its tokens and of those of the files in it, with macros expanded.
    pub(crate) tokens: Vec<Token>,
    /// The directives that name a file, as they were met.
    pub(crate) directives: Vec<Directive>,
}

/// What is known before the first line, besides the source.
pub(crate) struct Given<'a> {
    /// Macros, by name and value.
    pub(crate) defines: &'a [(String, String)],
    /// Such as 80 for `compute_80`.
    pub(crate) cuda_arch: u32,
    /// Where the source's own files come from.
    pub(crate) files: &'a dyn Files,
    /// Where the tokens are wanted for NVIDIA's compiler: whether that has a header of this name.
    pub(crate) has_header: Option<HasHeader<'a>>,
}

/// Whether there is a header of this name.
pub(crate) type HasHeader<'a> = &'a dyn Fn(&str) -> bool;

/// The value of a constant of C's headers.
pub(crate) fn constant_of_c(name: &str) -> Option<&'static str> {
    predefined::number(name).or_else(|| limits_of_types::value(name))
}

/// Obeys the directives of a source, whose tokens these are.
pub(crate) fn preprocess(
    tokens: Vec<Token>,
    given: &Given<'_>,
    sink: &mut Sink,
) -> Res<Preprocessed> {
    let (defines, cuda_arch) = (given.defines, given.cuda_arch);
    let mut macros = Macros::default();
    let is_flat = given.has_header.is_some();
    predefined::define(&mut macros, cuda_arch, is_flat, sink);
    if !is_flat {
        limits_of_types::define(&mut macros, &tokens, sink);
    }
    for (name, value) in defines {
        macros.define_text(name, value, sink);
    }
    let mut preprocessor = Preprocessor {
        tokens: tokens.into(),
        at: 0,
        macros,
        conditions: Vec::new(),
        included: HashSet::default(),
        out: Vec::new(),
        files: given.files,
        has_header: given.has_header,
        open: Vec::new(),
        once: HashSet::default(),
        directives: Vec::new(),
        has_numbers: false,
        cuda_arch: cuda_arch * 10,
        sink,
    };
    preprocessor.file()?;
    let end = preprocessor.tokens[preprocessor.at].clone();
    preprocessor.out.push(end);
    if !is_flat {
        preprocessor.names_of_std()?;
    }
    Ok(Preprocessed {
        tokens: preprocessor.out,
        directives: preprocessor.directives,
    })
}

impl Preprocessor<'_> {
    /// All of the file at hand, up to its end.
    fn file(&mut self) -> Res<()> {
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
        Ok(())
    }

    /// Keeps what became of a directive.
    fn met(&mut self, span: Span, outcome: Outcome) {
        self.directives.push(Directive { span, outcome });
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
            "include" if !self.is_active() => self.met(span, Outcome::PassedOver),
            _ if !self.is_active() => return Ok(()),
            "define" => self.macros.define(rest, span, self.sink)?,
            "undef" => match rest.first() {
                Some(name) => self.macros.undefine(&name.text),
                None => return Err(self.sink.error(span, "`#undef` needs a name")),
            },
            "include" => return self.include(rest, span),
            "pragma" => return self.pragma(rest, span),
            // The other compiler says it, if it comes there.
            "error" | "warning" if self.has_header.is_some() => {}
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
                "if" => self.decide(rest, span)?,
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

    fn decide(&mut self, line: &[Token], span: Span) -> Res<bool> {
        let line = condition::with_answers(line, &|name, is_quoted| self.is_there(name, is_quoted));
        condition::decide(&line, span, &mut self.macros, self.sink)
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
        let is_true = may_take && (name == "else" || self.decide(rest, span)?);
        let Some(condition) = self.conditions.last_mut() else {
            return Ok(());
        };
        condition.is_taken = is_true;
        condition.was_taken |= is_true;
        Ok(())
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
        if word.is("once") {
            self.only_once(span);
        }
        if !word.is("unroll") {
            return Ok(()); // others, such as `nv_diag_suppress`, change nothing here
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
