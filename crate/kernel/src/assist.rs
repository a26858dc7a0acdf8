//! What a reader is offered while typing: names that fit, and what a name means. rust-analyzer's answers come through evcxr.

use crate::names::Names;
use crate::wire::Message;
use evcxr::CommandContext;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// What evcxr says of a name that it does not know.
const UNKNOWN: &str = "No documentation found";

/// A reader does not wait longer for a list; what is not looked up by then is offered, and comes last.
const PATIENCE: Duration = Duration::from_millis(300);

/// The most names that are kept in mind.
const MOST_KNOWN: usize = 10_000;

/// What is known of names without asking rust-analyzer: each look-up of its takes as long as several keys.
#[derive(Default)]
pub struct Known {
    names: Names,
    /// What was looked up, by the name and how it is declared.
    looked_up: HashMap<(String, String), Reach>,
}

impl Known {
    /// The names of the library of the project at `root`.
    pub fn of(root: &Path) -> Self {
        Self {
            names: Names::read(root),
            looked_up: HashMap::new(),
        }
    }
}

/// The library whose private names a cell is offered too, since its sources lie here.
const LIBRARY: &str = "cornerturn";

/// Whether a cell can use a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// It can, and there is documentation.
    Documented,
    /// It can.
    Public,
    /// Nobody knows: a keyword, a snippet.
    Unknown,
    /// It cannot.
    Private,
}

impl Reach {
    /// By what rust-analyzer shows of a name: where it is, how it is declared, its documentation.
    fn of(shown: &str) -> Self {
        let (place, rest) = shown.split_once("\n\n").unwrap_or(("", shown));
        // A method's declaration comes after the line of the `impl` that it stands in.
        let declared = rest
            .lines()
            .find(|line| {
                let around = ["```", "impl ", "impl<"];
                !line.trim().is_empty() && !around.iter().any(|start| line.starts_with(start))
            })
            .unwrap_or_default();
        let ours = place.lines().any(|line| line.starts_with(LIBRARY));
        if declared.contains("pub(") || ours && is_bare_field_or_function(declared) {
            return Self::Private;
        }
        match rest.lines().filter(|line| !line.trim().is_empty()).count() {
            0 | 1 => Self::Public,
            _ => Self::Documented,
        }
    }
}

/// A field or a function of a type that is declared without `pub`.
fn is_bare_field_or_function(declared: &str) -> bool {
    let words = [
        "pub ",
        "pub(",
        "let ",
        "mod ",
        "trait ",
        "enum ",
        "macro_rules!",
    ];
    !words.iter().any(|word| declared.contains(word))
}

/// The names that fit at the cursor: public ones first, those that a cell cannot use left out.
pub fn complete(context: &mut CommandContext, known: &mut Known, request: &Message) -> Value {
    let code = request.text("code");
    let cursor = cursor_of(request);
    let reply = |matches: Vec<&str>, types: Vec<Value>, from: usize, to: usize| {
        json!({
            "status": "ok",
            "matches": matches,
            "cursor_start": chars_before(code, from),
            "cursor_end": chars_before(code, to),
            "metadata": {"_jupyter_types_experimental": types},
        })
    };
    let Ok(found) = context.completions(code, cursor) else {
        return reply(Vec::new(), Vec::new(), cursor, cursor);
    };
    let (from, to) = (found.start_offset, found.end_offset);
    let before = code.get(..from).unwrap_or_default();
    let begun = Instant::now();
    let mut names: Vec<_> = found
        .completions
        .iter()
        .map(|name| {
            let word = name.code.split(['(', '!', '<', ' ', '{', ';']).next();
            let word = word.unwrap_or_default();
            if known.names.is_public(word) {
                return (Reach::Documented, name);
            }
            // The library keeps such a name to itself, but a type of another's may have it too.
            if !known.names.is_private(word) {
                return (Reach::Unknown, name);
            }
            let key = (name.code.clone(), name.label.clone());
            if let Some(reach) = known.looked_up.get(&key) {
                return (*reach, name);
            }
            let in_time = begun.elapsed() < PATIENCE;
            let shown = in_time
                .then(|| look_up(context, before, &name.code))
                .flatten();
            let reach = shown.map_or(Reach::Unknown, |(plain, _)| Reach::of(&plain));
            if in_time && known.looked_up.len() < MOST_KNOWN {
                known.looked_up.insert(key, reach);
            }
            (reach, name)
        })
        .filter(|(reach, _)| *reach != Reach::Private)
        .collect();
    // Stable: rust-analyzer's own order holds among equals.
    names.sort_by_key(|(reach, _)| *reach);
    let types = names.iter().map(|(_, name)| {
        let (from, to) = (chars_before(code, from), chars_before(code, to));
        json!({"text": name.code, "type": name.kind, "signature": name.label, "start": from, "end": to})
    });
    reply(
        names.iter().map(|(_, name)| name.code.as_str()).collect(),
        types.collect(),
        from,
        to,
    )
}

/// What the name at the cursor means, or the function whose arguments stand there.
pub fn inspect(context: &mut CommandContext, request: &Message) -> Value {
    let code = request.text("code");
    let shown = targets(code, cursor_of(request))
        .into_iter()
        .find_map(|end| {
            let start = start_of_name(code, end);
            look_up(context, code.get(..start)?, code.get(start..end)?)
        });
    match shown {
        Some((plain, html)) => json!({
            "status": "ok", "found": true, "metadata": {},
            "data": {"text/plain": plain, "text/html": html},
        }),
        None => json!({"status": "ok", "found": false, "data": {}, "metadata": {}}),
    }
}

/// What rust-analyzer shows of a name after some code, as plain text and as HTML.
fn look_up(context: &mut CommandContext, before: &str, name: &str) -> Option<(String, String)> {
    let word = name.split(['(', '!', '<', ' ', '{', ';']).next()?;
    let plain = format!("{before}{word}");
    // A method is known by its call alone.
    [format!("{plain}("), plain].into_iter().find_map(|code| {
        let shown = context.hover_at(&code, code.len()).ok()?;
        (shown.0.trim() != UNKNOWN && !shown.0.trim().is_empty()).then_some(shown)
    })
}

/// Where the names end that may be meant by a cursor: the one that it touches, then the function in whose
/// parentheses it stands.
fn targets(code: &str, cursor: usize) -> Vec<usize> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let rest = &code[cursor..];
    let end = cursor + rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let mut targets = Vec::new();
    if code[..end].ends_with(is_name) {
        targets.push(end);
    }
    let mut open = 0;
    for (at, c) in code[..cursor].char_indices().rev() {
        match c {
            ')' | ']' | '}' => open += 1,
            '(' | '[' | '{' if open > 0 => open -= 1,
            '(' if code[..at].ends_with(is_name) => targets.push(at),
            ';' if open == 0 => break,
            _ => {}
        }
    }
    targets
}

fn start_of_name(code: &str, end: usize) -> usize {
    let name = code[..end].trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    name.len()
}

/// The cursor in bytes; Jupyter counts characters.
fn cursor_of(request: &Message) -> usize {
    let (code, characters) = (
        request.text("code"),
        request.content["cursor_pos"].as_u64().unwrap_or_default(),
    );
    let characters = usize::try_from(characters).unwrap_or(usize::MAX);
    code.char_indices()
        .nth(characters)
        .map_or(code.len(), |(at, _)| at)
}

fn chars_before(code: &str, at: usize) -> usize {
    code.get(..at).map_or(0, |before| before.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_at_the_cursor_comes_before_the_call_around_it() {
        let code = "let run = task.run(&padded, grid, (32, 8))?;";
        let names = |cursor: usize| -> Vec<&str> {
            let ends = targets(code, cursor);
            ends.into_iter()
                .map(|end| &code[start_of_name(code, end)..end])
                .collect()
        };
        assert_eq!(names(code.find("un(").unwrap()), ["run"]);
        assert_eq!(names(code.find("padded").unwrap() + 2), ["padded", "run"]);
        assert_eq!(names(code.find("32,").unwrap()), ["32", "run"]);
        assert_eq!(names(code.find(", grid").unwrap() + 1), ["run"]);
        assert_eq!(names(code.len()), Vec::<&str>::new());
    }

    #[test]
    fn what_a_cell_cannot_use_is_private() {
        let shown = |text: &str| Reach::of(text);
        let public = "cornerturn::task::Task\n\nimpl<T> Task<T>\npub fn run(&self) -> Result<Run>\n\nRuns it.";
        assert_eq!(shown(public), Reach::Documented);
        assert_eq!(
            shown("cornerturn::task::Task\n\nimpl<T> Task<T>\nfn core(&self) -> Core"),
            Reach::Private
        );
        assert_eq!(
            shown("cornerturn::task::Task\n\ncore: Core"),
            Reach::Private
        );
        assert_eq!(
            shown("cornerturn::task::Task\n\nfn of(problem: Problem)\n\nWords."),
            Reach::Private
        );
        assert_eq!(
            shown("cornerturn::launch\n\npub(crate) fn time()"),
            Reach::Private
        );
        assert_eq!(shown("let task: Task<f32>"), Reach::Public);
    }
}
