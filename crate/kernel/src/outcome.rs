//! How a cell ended, in words: what a reader is told below a cell that failed, and what to do next.

use crate::stop::Interrupted;
use serde_json::{Value, json};

/// What to do after all variables are gone.
const AGAIN: &str = "Every variable is gone. Run the cells above again (menu Run, Run All Above Selected Cell), then go on \
                     from here.";

/// How variables fare otherwise.
const KEPT: &str =
    "The variables of earlier cells are kept; what this cell was to make is not there.";

/// How a cell ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// As it should.
    Well,
    /// Otherwise.
    Badly {
        /// The name of the error, one word.
        name: &'static str,
        /// What it is, one line.
        what: String,
        /// The rest: the compiler's words, what to do next.
        more: String,
    },
}

impl Ended {
    fn badly(name: &'static str, what: impl Into<String>, more: impl Into<String>) -> Self {
        Self::Badly {
            name,
            what: what.into(),
            more: more.into(),
        }
    }

    /// evcxr did not start.
    pub fn no_session(why: &str) -> Self {
        Self::badly("NoSession", "Rust's cells cannot be run here", why)
    }

    /// The cell panicked; what it said is on stderr.
    pub fn panicked(interrupted: Option<Interrupted>) -> Self {
        Self::after_stderr("Panic", "the cell panicked, as it says above", interrupted)
    }

    /// `?` met an error; what it said is on stderr.
    pub fn erred(interrupted: Option<Interrupted>) -> Self {
        Self::after_stderr("Error", "the cell ended with the error above", interrupted)
    }

    fn after_stderr(name: &'static str, what: &str, interrupted: Option<Interrupted>) -> Self {
        match interrupted {
            Some(_) => Self::badly(
                "Interrupted",
                "the kernel was stopped in the emulator",
                KEPT,
            ),
            None => Self::badly(name, what, KEPT),
        }
    }

    /// It printed a line without its end.
    pub fn unfinished() -> Self {
        Self::badly(
            "Unfinished",
            "it printed text without a newline at its end, and what follows is missed then",
            "Use `println!` for the last line.",
        )
    }

    /// It as Jupyter has errors; `None` if there is none.
    pub fn error(&self) -> Option<Value> {
        let Self::Badly { name, what, more } = self else {
            return None;
        };
        let mut lines = vec![format!("\u{1b}[1;31m{name}\u{1b}[0m: {what}")];
        lines.extend(more.lines().map(coloured));
        Some(json!({"ename": name, "evalue": what, "traceback": lines}))
    }
}

/// The compiler's lines with its usual colours.
fn coloured(line: &str) -> String {
    let colour = match line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ') {
        text if text.starts_with("error") => "1;31",
        text if text.starts_with("help") => "36",
        text if text.starts_with("| ") && text.contains('^') => "31",
        _ => return line.to_owned(),
    };
    format!("\u{1b}[{colour}m{line}\u{1b}[0m")
}

/// How a cell ended that evcxr gives an error for.
pub fn of(error: &evcxr::Error, code: &str, interrupted: Option<Interrupted>) -> Ended {
    match (error, interrupted) {
        (evcxr::Error::SubprocessTerminated(_), Some(_)) => Ended::badly(
            "Interrupted",
            "the process that ran the cells was ended",
            AGAIN,
        ),
        (_, Some(Interrupted::Compiling)) => Ended::badly(
            "Interrupted",
            "the cell was still being compiled",
            "Nothing of it ran, and all variables are kept.",
        ),
        (evcxr::Error::SubprocessTerminated(why), None) => Ended::badly(
            "Ended",
            "the process that ran the cells has ended",
            format!("{}\n{AGAIN}", why.trim()),
        ),
        (evcxr::Error::CompilationErrors(errors), _) => {
            let words = crate::cell_error::message(errors, code);
            let what = match errors.len() {
                1 => "the cell does not compile".to_owned(),
                count => format!("the cell does not compile: {count} messages"),
            };
            Ended::badly("CompileError", what, words)
        }
        (error, _) => Ended::badly("Error", error.to_string(), KEPT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_says_whether_variables_are_kept() {
        let killed = evcxr::Error::SubprocessTerminated("signal: 9".to_owned());
        let text = |ended: Ended| ended.error().unwrap_or_default().to_string();
        let said = text(of(&killed, "", Some(Interrupted::Killed)));
        assert!(
            said.contains("Interrupted") && said.contains("Run All Above"),
            "{said}"
        );
        assert!(!said.contains("signal"), "{said}");
        let crashed = text(of(&killed, "", None));
        assert!(
            crashed.contains("signal: 9") && crashed.contains("Run All Above"),
            "{crashed}"
        );
        let stopped = text(Ended::erred(Some(Interrupted::Asked)));
        assert!(
            stopped.contains("Interrupted") && stopped.contains("are kept"),
            "{stopped}"
        );
        assert_eq!(Ended::Well.error(), None);
    }
}
