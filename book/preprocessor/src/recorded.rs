//! Passages of a chapter that tell what a record holds, and what stands there as long as there is no such record. Takes place in the text, before it is taken apart.

use crate::error::{Error, Place, Result};
use crate::keys::RESULTS;
use serde_json::Value;
use std::path::Path;

/// Begins a passage, alone in its line, with a record's place in `book/results` and without `.json`.
const BEGIN: &str = "{{#recorded ";
/// Between the two passages.
const OTHERWISE: &str = "{{#otherwise}}";
/// Ends both.
const END: &str = "{{/recorded}}";

/// Where in a pair of passages a line stands.
#[derive(Clone, Copy)]
enum At {
    Outside,
    /// Between [`BEGIN`], in the line given, and [`OTHERWISE`].
    Told {
        begun: usize,
        is_there: bool,
    },
    /// Between [`OTHERWISE`] and [`END`].
    InsteadOf {
        begun: usize,
        is_there: bool,
    },
}

/// Whether the project below `root` has this record, `h200/shared` for instance, or, with a kernel named behind it,
/// `h200/warps softmax_block`, whether the record has a measurement of that kernel.
pub(crate) fn is_there(root: &Path, record: &str) -> bool {
    let (record, kernel) = record.split_once(' ').unwrap_or((record, ""));
    let path = root.join(RESULTS).join(format!("{record}.json"));
    kernel.is_empty() && path.is_file() || has_measured(&path, kernel.trim())
}

/// Whether a kernel is among the measurements of a record that can be read.
fn has_measured(path: &Path, kernel: &str) -> bool {
    let read = std::fs::read(path).ok();
    let record: Option<Value> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let measurements = record.as_ref().and_then(|r| r["measurements"].as_array());
    measurements.is_some_and(|all| all.iter().any(|one| one["kernel"] == kernel))
}

/// A chapter's text with one of each pair of passages: `{{#recorded h200/shared}}`, what the record tells,
/// `{{#otherwise}}`, what is said without it, `{{/recorded}}`, each of these three alone in its line. What is left out
/// leaves empty lines, so that every line keeps its number.
///
/// # Errors
///
/// Where a passage is not begun, not ended, or inside of another.
pub(crate) fn settle(text: &str, file: &Path, has: impl Fn(&str) -> bool) -> Result<String> {
    let refuse = |line: usize, problem: String| {
        let file = file.to_owned();
        Err(Error::chapter(Place { file, line }, problem))
    };
    let mut settled = String::with_capacity(text.len());
    let mut at = At::Outside;
    for (line, written) in (1..).zip(text.split_inclusive('\n')) {
        let word = written.trim_end();
        let record = word.strip_prefix(BEGIN).and_then(|r| r.strip_suffix("}}"));
        let shown = match (at, record, word) {
            (At::Outside, Some(record), _) => {
                let is_there = has(record.trim());
                at = At::Told {
                    begun: line,
                    is_there,
                };
                false
            }
            (At::Told { begun, is_there }, _, OTHERWISE) => {
                at = At::InsteadOf { begun, is_there };
                false
            }
            (At::Told { .. } | At::InsteadOf { .. }, _, END) => {
                at = At::Outside;
                false
            }
            (At::Told { begun, .. } | At::InsteadOf { begun, .. }, Some(_), _) => {
                return refuse(
                    line,
                    format!("the passage of line {begun} is not ended yet; write `{END}` first"),
                );
            }
            (_, _, OTHERWISE | END) => {
                return refuse(
                    line,
                    format!(
                        "no passage is open here that `{word}` could belong to; begin one by `{BEGIN}DEVICE/RECORD}}}}`"
                    ),
                );
            }
            (At::Outside, ..) => true,
            (At::Told { is_there, .. }, ..) => is_there,
            (At::InsteadOf { is_there, .. }, ..) => !is_there,
        };
        settled.push_str(if shown { written } else { "\n" });
    }
    match at {
        At::Outside => Ok(settled),
        At::Told { begun, .. } | At::InsteadOf { begun, .. } => refuse(
            begun,
            format!("this passage is never ended: write `{END}` alone in a line"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n{{#recorded h200/there}}\nb\n{{#otherwise}}\nc\n{{/recorded}}\nd\n{{#recorded h200/gone}}\ne\n\
                        {{#otherwise}}\nf\n{{/recorded}}\n{{#recorded h200/gone}}\ng\n{{/recorded}}\nh";

    fn settled(text: &str) -> std::result::Result<String, String> {
        settle(text, Path::new("a.md"), |name| name == "h200/there").map_err(|e| e.to_string())
    }

    #[test]
    fn a_record_decides_which_passage_stands() {
        let text = settled(TEXT).expect("a text");
        assert_eq!(
            text.split_whitespace().collect::<Vec<_>>(),
            ["a", "b", "d", "f", "h"]
        );
        for (number, line) in text.lines().enumerate() {
            let before = TEXT.lines().nth(number);
            assert!(
                line.is_empty() || before == Some(line),
                "line {number} moved"
            );
        }
        assert_eq!(text.lines().count(), TEXT.lines().count());
    }

    #[test]
    fn a_passage_may_ask_for_a_kernel_of_a_record() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (record, expected) in [
            ("h200/atomics", true),
            ("h200/atomics sum_atomic", true),
            ("h200/atomics softmax_warp", false),
            ("h200/none sum_atomic", false),
            ("h200/none", false),
        ] {
            assert_eq!(is_there(&root, record), expected, "{record}");
        }
    }

    #[test]
    fn markers_in_the_wrong_place_are_refused() {
        for (text, words) in [
            (
                "a\n{{#recorded h200/there}}\nb\n",
                "a.md:2: this passage is never ended",
            ),
            (
                "{{#recorded x}}\n{{#otherwise}}\n",
                "a.md:1: this passage is never ended",
            ),
            ("{{/recorded}}\n", "a.md:1: no passage is open"),
            ("a\n\n{{#otherwise}}\n", "a.md:3: no passage is open"),
            (
                "{{#recorded x}}\n{{#recorded y}}\n{{/recorded}}\n",
                "a.md:2: the passage of line 1 is not ended yet",
            ),
            (
                "{{#recorded x}}\n{{#otherwise}}\n{{#otherwise}}\n{{/recorded}}\n",
                "a.md:3: no passage is open",
            ),
        ] {
            let refused = settled(text).expect_err(text);
            assert!(refused.contains(words), "{refused}");
        }
    }

    #[test]
    fn a_marker_within_a_line_is_prose() {
        let text = "Write `{{#recorded h200/gone}}` and `{{/recorded}}`.\n";
        assert_eq!(settled(text).as_deref(), Ok(text));
    }
}
