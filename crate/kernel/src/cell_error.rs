//! evcxr's errors of a cell's compilation, as those are told on pages.

use cornerturn_basics::cell_error::{CellError, CellSpan, told};
use evcxr::CompilationError;

/// The compiler's errors on a cell, as rustc tells them, with the cell's own lines.
pub fn message(errors: &[CompilationError], source: &str) -> String {
    let errors: Vec<CellError> = errors.iter().map(of).collect();
    told(&errors, source).1
}

fn of(error: &CompilationError) -> CellError {
    let primary = error.primary_spanned_message().and_then(|primary| {
        let span = primary.span?;
        Some(CellSpan {
            label: primary.label.clone(),
            start_line: span.start_line,
            start_column: span.start_column,
            end_line: span.end_line,
            end_column: span.end_column,
        })
    });
    CellError {
        level: error.level().to_owned(),
        code: error.code().map(str::to_owned),
        message: error.message(),
        primary,
        help: error.help(),
        rendered: error.rendered(),
    }
}
