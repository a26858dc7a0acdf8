//! NVRTC's log read as messages: `name(line): error: words`, the line of the source, and a caret below it. What it says is the compiler's.

use cornerturn_base::message::{Message, Spot};
use cornerturn_compiler::Severity;

/// How NVRTC begins a message, and what the message means. A number may stand behind the word, as in `warning #177-D: `.
const KINDS: [(&str, Severity); 4] = [
    ("catastrophic error", Severity::Error),
    ("error", Severity::Error),
    ("warning", Severity::Warning),
    ("remark", Severity::Warning),
];

/// How far it sets in the line of the source that it shows.
const MARGIN: usize = 2;

/// The messages of a log. What no message begins with, such as how many errors there were, is left out.
/// The first name is the source's, the others are of files in it.
pub(super) fn read(log: &str, names: &[String]) -> Vec<Message> {
    let mut found: Vec<Message> = Vec::new();
    // The line of the source that was shown last, which the caret stands below.
    let mut shown = None;
    let mut is_open = false;
    for line in log.lines() {
        if let Some(message) = begun(line, names) {
            found.push(message);
            (shown, is_open) = (None, true);
            continue;
        }
        let Some(message) = found.last_mut().filter(|_| is_open) else {
            continue;
        };
        let words = line.trim();
        match shown {
            _ if words.is_empty() => is_open = false,
            Some(source) if words == "^" => {
                place(message, line, source);
                shown = None;
            }
            None if line.starts_with("  ") && !has_column(message) => shown = Some(line),
            _ => {
                let separator = if message.help.is_empty() { "" } else { "\n" };
                message.help.push_str(separator);
                message.help.push_str(words);
            }
        }
    }
    found
}

/// The message that a line begins.
fn begun(line: &str, names: &[String]) -> Option<Message> {
    let mut of_files = names.iter().enumerate().filter_map(|(number, name)| {
        let rest = line.strip_prefix(name.as_str())?.strip_prefix('(')?;
        Some((number, rest))
    });
    let (file, number, rest) = match of_files.next() {
        Some((file, rest)) => {
            let (number, rest) = rest.split_once("): ")?;
            (
                names.get(file).filter(|_| file > 0),
                Some(number.parse().ok()?),
                rest,
            )
        }
        None => (None, None, line),
    };
    let (kind, text) = rest.split_once(": ")?;
    let (_, severity) = KINDS.iter().find(|(word, _)| {
        let number = kind.strip_prefix(word);
        number.is_some_and(|number| number.is_empty() || number.starts_with(" #"))
    })?;
    let spot = number.map(|line| Spot { line, column: None });
    Some(Message {
        severity: *severity,
        text: text.to_string(),
        file: file.cloned(),
        start: spot,
        end: spot,
        help: String::new(),
    })
}

fn has_column(message: &Message) -> bool {
    message.start.is_none_or(|spot| spot.column.is_some())
}

/// Gives a message the place of a caret below a shown line: as many characters from the margin.
fn place(message: &mut Message, caret: &str, shown: &str) {
    let characters = caret.chars().take_while(|c| *c != '^').count();
    let before = shown.chars().take(characters).map(char::len_utf8);
    let column = (before.sum::<usize>() + 1).saturating_sub(MARGIN).max(1);
    if let Some(spot) = &mut message.start {
        spot.column = u32::try_from(column).ok();
    }
    message.end = message.start;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> [String; 2] {
        ["k.cu", "my/part.h"].map(str::to_string)
    }

    const LOG: &str =
        "k.cu(4): warning #177-D: variable \"unused\" was declared but never referenced
      int unused = 3;
          ^

Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"

k.cu(10): error: expression must have class type but it has type \"float\"
  template<typename T> __device__ T g(T a) { return a.b; }
                                                    ^
          detected during instantiation of \"T g(T) [with T=float]\" at line 11

nvrtc: error: invalid value for --gpu-architecture (-arch)

1 error detected in the compilation of \"k.cu\".
";

    #[test]
    fn a_log_becomes_messages_with_their_places() {
        let found = read(LOG, &names());
        let kinds: Vec<Severity> = found.iter().map(|message| message.severity).collect();
        assert_eq!(kinds, [Severity::Warning, Severity::Error]);
        let spot = |line, column| {
            Some(Spot {
                line,
                column: Some(column),
            })
        };
        assert_eq!(found[0].start, spot(4, 9));
        assert!(found[0].text.starts_with("variable \"unused\""));
        assert_eq!(found[0].help, "");
        assert_eq!(found[1].start, spot(10, 51));
        assert!(found[1].help.starts_with("detected during"), "{found:?}");
        let found = read("my/part.h(2): error: expected a \";\"\n", &names());
        assert_eq!(found[0].file.as_deref(), Some("my/part.h"));
    }

    #[test]
    fn no_text_breaks_it() {
        let own = "k.cu(3): error: #include <x>: a kernel is one file";
        let found = read(own, &names());
        let line = Some(Spot {
            line: 3,
            column: None,
        });
        assert_eq!((found.len(), found[0].start), (1, line));
        for end in 0..LOG.len() {
            read(&LOG[..end], &names());
        }
        for odd in [
            "",
            "\n\n",
            "k.cu(x): error: y",
            "k.cu(1): error",
            "^",
            "  ^\n^",
        ] {
            assert!(read(odd, &names()).is_empty(), "{odd}");
        }
        assert_eq!(read("k.cu(1): error: y\n^\n  ä\n   ^", &names()).len(), 1);
    }
}
