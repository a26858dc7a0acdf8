//! Headers that are built in, and what of C++'s library is known without its headers. The source's own files have `files`.

use super::included::{self, Header};
use super::{Outcome, Preprocessor};
use crate::diagnostics::Res;
use crate::lex::{Kind, Token};
use crate::source::Span;

impl Preprocessor<'_> {
    pub(super) fn include(&mut self, rest: &[Token], span: Span) -> Res<()> {
        let (name, is_quoted) = self.file_named(rest)?;
        let name = name.as_str();
        if self.put_own(name, is_quoted, span)? {
            return Ok(());
        }
        self.met(span, Outcome::Header(name.to_string()));
        let kind = included::kind(name);
        if let Some(has_header) = self.has_header {
            let is_known = kind != Header::Unknown || crate::headers::files(name).is_some();
            return match is_known || has_header(name) {
                true => Ok(()),
                false => Err(self.not_found(name, is_quoted, span)),
            };
        }
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
                return Err(self.sink.gap(span, what));
            }
            Header::Unknown => {}
        }
        if name.starts_with("curand") {
            let help = "`#include <curand_kernel.h>` has the generators for kernels";
            let message = format!("`{name}` cannot be included");
            return Err(self.sink.error_help(span, message, help));
        }
        Err(self.not_found(name, is_quoted, span))
    }

    /// The file that a directive names, by a macro perhaps, and whether in quotation marks.
    fn file_named(&mut self, rest: &[Token]) -> Res<(String, bool)> {
        let is_macro = rest.first().is_some_and(|first| first.kind == Kind::Name);
        let mut expanded = Vec::new();
        if is_macro {
            self.macros.expand(rest, &mut expanded, self.sink)?;
        }
        let words = if is_macro { &expanded[..] } else { rest };
        let name: String = words.iter().map(|token| &*token.text).collect();
        let is_quoted = name.starts_with('"');
        Ok((name.trim_matches(['<', '>', '"']).to_string(), is_quoted))
    }

    /// Whether a file that a condition asks for could be included.
    pub(super) fn is_there(&self, name: &str, is_quoted: bool) -> bool {
        let is_known =
            || included::kind(name) != Header::Unknown && included::kind(name) != Header::Gap;
        self.has_file(name, is_quoted) || is_known() || crate::headers::files(name).is_some()
    }

    /// Whole numbers' types without `std::`, and what traits are named though no header of theirs is included: another
    /// header includes it.
    pub(super) fn names_of_std(&mut self) -> Res<()> {
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
}
