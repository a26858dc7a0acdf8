//! A source as text after the first steps: its tokens, or its tree. A kernel between two passes stands in `snapshot`.

use crate::compile::{Diagnostics, Options, parsed, preprocessed, told};
use crate::diagnostics::Sink;
use crate::files::Files;
use crate::lex::{Kind, Token};
use crate::source::Sources;
use crate::syntax;
use std::fmt::Write;

/// How far a source has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Its tokens, with its directives obeyed.
    Tokens,
    /// What the parser makes of them.
    Tree,
}

/// A source as text after a step, and the warnings so far. What comes from built-in headers is left out.
///
/// ```
/// use cornerturn_compiler::{NoFiles, Options, Stage, stage};
///
/// let source = "__global__ void clear(int* x) { x[threadIdx.x] = 0; }";
/// let (tree, _) = stage(Stage::Tree, source, "clear.cu", &Options::default(), &NoFiles)?;
/// assert!(tree.contains("(= ([] x (. threadIdx x)) 0)"));
/// # Ok::<(), cornerturn_compiler::Diagnostics>(())
/// ```
///
/// # Errors
/// What is wrong with the source as far as it has come: the parser knows no types, and no names that are not declared.
pub fn stage(
    stage: Stage,
    source: &str,
    file: &str,
    options: &Options,
    files: &dyn Files,
) -> Result<(String, String), Diagnostics> {
    let mut sink = Sink::default();
    let preprocessed = preprocessed(source, file, options, files, None, &mut sink);
    let sources = std::mem::take(&mut sink.sources);
    let text = preprocessed.and_then(|preprocessed| match stage {
        Stage::Tokens => Ok(listed(&preprocessed.tokens, &sources)),
        Stage::Tree => {
            let items = parsed(preprocessed.tokens, options, &mut sink)?;
            Ok(syntax::tree(&items, &sources.lines()))
        }
    });
    let (text, warnings, _) = told(text, sink, &sources, source, file)?;
    Ok((text, warnings))
}

/// A line for each token: its place, its kind, and what it says. Where another file begins or goes on, its name stands before.
fn listed(tokens: &[Token], sources: &Sources) -> String {
    let lines = sources.lines();
    let mut text = String::new();
    let mut of_file = 0;
    let own = tokens.iter().filter(|token| !token.span.is_header());
    for token in own.filter(|token| token.kind != Kind::End) {
        let file = sources.file_at(token.span.start);
        if file != of_file {
            let _ = writeln!(text, "// {}", sources.name(file));
            of_file = file;
        }
        let (line, column) = lines.place(token.span.start);
        let place = format!("{line}:{column}");
        let said = token.text.escape_debug();
        let _ = writeln!(text, "{place:8}{:12}{said}", kind(token.kind));
    }
    text
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Name => "name",
        Kind::Number => "number",
        Kind::Character => "character",
        Kind::Text => "text",
        Kind::Punctuation => "punctuation",
        Kind::Pragma => "pragma",
        Kind::PragmaEnd => "end-pragma",
        Kind::End => "end",
    }
}
