//! The source's own files, put where they are included.

use super::{Outcome, Preprocessor, limits_of_types};
use crate::diagnostics::{Reported, Res};
use crate::files::{File, Found};
use crate::lex;
use crate::limits::{INCLUDE_DEPTH, INCLUDED_BYTES};
use crate::source::Span;
use std::sync::Arc;

impl Preprocessor<'_> {
    /// The path of the file at hand; nothing in the source itself.
    fn here(&self) -> Option<&str> {
        self.open.last().map(|file| file.path.as_str())
    }

    /// Whether the source has a file of this name.
    pub(super) fn has_file(&self, name: &str, is_quoted: bool) -> bool {
        let found = self.files.find(name, is_quoted, self.here());
        matches!(found, Found::File(_) | Found::Unreadable(_))
    }

    /// Puts a file of the source's own here, if it has one of this name.
    pub(super) fn put_own(&mut self, name: &str, is_quoted: bool, span: Span) -> Res<bool> {
        match self.files.find(name, is_quoted, self.here()) {
            Found::File(file) if is_of_host(&file) => {
                self.sink.is_program = true;
                self.met(span, Outcome::PassedOver);
                Ok(true)
            }
            Found::File(file) => self.put_file(file, span).map(|()| true),
            Found::Unreadable(why) => {
                self.sink.is_about_files = true;
                let message = format!("`{name}` cannot be read: {why}");
                Err(self.sink.error(span, message))
            }
            Found::Nowhere(_) | Found::Closed => Ok(false),
        }
    }

    /// Nothing is known of a header of this name.
    pub(super) fn not_found(&mut self, name: &str, is_quoted: bool, span: Span) -> Reported {
        let message = format!("`{name}` cannot be included");
        let help = match self.files.find(name, is_quoted, self.here()) {
            Found::Nowhere(folders) => {
                let message = format!(
                    "`{name}` is not there; it was looked for in {}",
                    listed(&folders)
                );
                self.sink.is_about_files = true;
                let help =
                    "write its path from the folder of this file, or name its folder with -I DIR";
                return self.sink.error_help(span, message, help);
            }
            _ => {
                "a kernel's source reads no files; what CUDA's headers declare for kernels is known without them"
            }
        };
        self.sink.error_help(span, message, help)
    }

    fn put_file(&mut self, file: File, span: Span) -> Res<()> {
        if self.once.contains(&file.path) {
            self.met(span, Outcome::Again);
            return Ok(());
        }
        if self.open.len() >= INCLUDE_DEPTH {
            let includes_itself = self.open.iter().any(|open| open.path == file.path);
            let message = match includes_itself {
                true => format!(
                    "`{}` includes itself, by itself or by others, without end",
                    file.name
                ),
                false => format!("more than {INCLUDE_DEPTH} files include each other"),
            };
            self.sink.is_about_files = true;
            let help = "begin it with `#pragma once`, or remove this line";
            return Err(self.sink.error_help(span, message, help));
        }
        if self.sink.sources.text().len() + file.text.len() > INCLUDED_BYTES {
            self.sink.is_about_files = true;
            let message = format!(
                "with `{}` the source has more than {INCLUDED_BYTES} bytes",
                file.name
            );
            return Err(self.sink.error(span, message));
        }
        let file = Arc::new(file);
        let start = self.sink.sources.include(file.clone(), span);
        let number = self.sink.sources.file_at(start);
        let (told, before, macros) = (self.sink.told(), self.out.len(), self.macros.changes());
        let directives = self.directives.len();
        self.met(span, Outcome::File(number));
        let tokens = lex::lex_at(&file.text, start, self.sink);
        if self.has_header.is_none() {
            limits_of_types::define(&mut self.macros, &tokens, self.sink);
        }
        let outer = std::mem::replace(&mut self.tokens, tokens.into());
        let at = std::mem::take(&mut self.at);
        let conditions = std::mem::take(&mut self.conditions);
        self.open.push(file);
        self.file()?;
        self.open.pop();
        (self.tokens, self.at, self.conditions) = (outer, at, conditions);
        // One whose guard is defined gives nothing, and needs no place.
        let is_nothing =
            (told, before, macros) == (self.sink.told(), self.out.len(), self.macros.changes());
        if is_nothing {
            self.sink.sources.forget(start);
            self.directives.truncate(directives);
            self.met(span, Outcome::Again);
        }
        Ok(())
    }

    /// `#pragma once` in the file at hand.
    pub(super) fn only_once(&mut self, span: Span) {
        if let Some(file) = self.open.last() {
            self.once.insert(file.path.clone());
        }
        self.met(span, Outcome::PassedOver);
    }
}

/// Whether a file is one of NVIDIA's samples' helpers for the host: known, and large.
fn is_of_host(file: &File) -> bool {
    let name = file.path.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_for_kernels = ["__device__", "__global__"];
    name.starts_with("helper_") && !is_for_kernels.iter().any(|word| file.text.contains(word))
}

/// `a`, `b` and `c`.
fn listed(folders: &[String]) -> String {
    let quoted: Vec<String> = folders.iter().map(|folder| format!("`{folder}`")).collect();
    match &quoted[..] {
        [] => "no folder".to_string(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
