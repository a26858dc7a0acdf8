//! How a cell ended, in words: what a reader is told below a cell that failed, and what to do next.

use crate::stop::Interrupted;
use serde_json::{Value, json};

/// What to do after all variables are gone.
const AGAIN: &str = "Every variable is gone. Run the cells above again (menu Run, Run All Above Selected Cell), then go on \
                     from here.";

/// How variables fare where nothing of the cell ran.
const UNTOUCHED: &str = "Nothing of it ran: every variable is as it was.";

/// How variables fare where the cell ended before its end.
fn kept(code: &str) -> String {
    let made = crate::made::names(code);
    if made.is_empty() {
        return "The variables of earlier cells are kept, but for those that this one had taken."
            .to_owned();
    }
    format!(
        "The variables of earlier cells are kept. What this cell was to make is not there, nor is what had these names \
         before: {}. Mend the cell and run it; if it needs one of them, run the cell that makes it first. (A value under a new name \
         leaves the old one alone.)",
        made.join(", ")
    )
}

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
    pub fn panicked(code: &str, interrupted: Option<Interrupted>) -> Self {
        let what = "the cell panicked, as it says above";
        Self::after_stderr("Panic", what, code, interrupted)
    }

    /// `?` met an error; what it said is on stderr.
    pub fn erred(code: &str, interrupted: Option<Interrupted>) -> Self {
        let what = "the cell ended with the error above";
        Self::after_stderr("Error", what, code, interrupted)
    }

    fn after_stderr(
        name: &'static str,
        what: &str,
        code: &str,
        interrupted: Option<Interrupted>,
    ) -> Self {
        match interrupted {
            Some(_) => Self::badly(
                "Interrupted",
                "the kernel was stopped in the emulator",
                kept(code),
            ),
            None => Self::badly(name, what, kept(code)),
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
            Ended::badly("CompileError", what, with_traps(errors, words))
        }
        (error, _) => Ended::badly("Error", error.to_string(), UNTOUCHED),
    }
}

/// What the compiler cannot know of cells: that a variable lives on between them, and may have been moved by an earlier one.
fn with_traps(errors: &[evcxr::CompilationError], words: String) -> String {
    let codes: Vec<&str> = errors
        .iter()
        .filter_map(evcxr::CompilationError::code)
        .collect();
    let mut words = words.trim_end().to_owned();
    for (code, trap) in TRAPS {
        if codes.contains(&code) {
            words.push_str("\nin a notebook: ");
            words.push_str(trap);
        }
    }
    words
}

/// By the compiler's code.
const TRAPS: [(&str, &str); 3] = [
    (
        "E0373",
        "a closure that is kept for later cells must own what it uses: write `move` before its bars, and clone beforehand \
         what you need again",
    ),
    (
        "E0425",
        "a variable is not there until the cell that makes it has run without an error, and `let b = task;` in an earlier cell \
         has moved `task` into `b`: write `let b = &task;` in one cell, or `let b = task.clone();`",
    ),
    (
        "E0382",
        "what was moved into another variable is gone for later cells too: lend it with `&`, or clone it",
    ),
];

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
        let erred = text(Ended::erred("let x = f()?;\n", None));
        assert!(erred.contains("before: x."), "{erred}");
        let stopped = text(Ended::erred("f()?;", Some(Interrupted::Asked)));
        assert!(
            stopped.contains("Interrupted") && stopped.contains("are kept"),
            "{stopped}"
        );
        assert_eq!(Ended::Well.error(), None);
    }
}
