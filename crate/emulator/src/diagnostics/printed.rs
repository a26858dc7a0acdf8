//! How what threads printed is shown: which thread, which line, and no more than somebody reads.

use crate::diagnostics::words::triple;
use crate::report::{Detail, Finding, Printed};

impl Finding {
    /// A conversion that does not fit its argument.
    pub(super) fn printed(&self) -> String {
        match &self.detail {
            Detail::Printed {
                conversion,
                takes,
                passed,
            } => {
                format!("remark: `{conversion}` of `printf` takes {takes}, and is passed {passed}")
            }
            _ => "remark: a conversion of `printf` does not fit its argument".to_string(),
        }
    }
}

/// The most characters shown of one line.
const MOST_CHARACTERS: usize = 400;

impl Printed {
    /// The first `most` lines, each behind its block and thread; what is left out is counted in a last line. Empty if
    /// nothing was printed; lines end with a newline.
    pub fn shown(&self, most: usize) -> String {
        let lines = self.lines();
        let mut text = String::new();
        for line in lines.iter().take(most) {
            let (block, thread) = (triple(line.block), triple(line.thread));
            text.push_str(&format!("block ({block}), thread ({thread}): "));
            text.extend(line.text.chars().take(MOST_CHARACTERS));
            match line.text.chars().count().saturating_sub(MOST_CHARACTERS) {
                0 => {}
                left_out => text.push_str(&format!("… ({left_out} more characters)")),
            }
            text.push('\n');
        }
        let beyond = if self.is_cut() {
            ", and what is beyond 1 MiB"
        } else {
            ""
        };
        match lines.len().saturating_sub(most) {
            0 if self.is_cut() => text.push_str("… (what is beyond 1 MiB is left out)\n"),
            0 => {}
            1 => text.push_str(&format!("… (1 more line{beyond})\n")),
            left_out => text.push_str(&format!("… ({left_out} more lines{beyond})\n")),
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_and_long_lines_are_cut_with_a_word() {
        let mut printed = Printed::default();
        printed.push([0; 3], [1, 0, 0], "one\n");
        printed.push([0; 3], [2, 0, 0], &"é".repeat(402));
        printed.push([0, 7, 0], [0; 3], "three\nfour\n");
        let long = "é".repeat(400);
        let expected = format!(
            "block (0, 0, 0), thread (1, 0, 0): one\n\
             block (0, 0, 0), thread (2, 0, 0): {long}… (2 more characters)\n\
             … (2 more lines)\n"
        );
        assert_eq!(printed.shown(2), expected);
        assert!(printed.shown(3).ends_with("three\n… (1 more line)\n"));
        assert!(printed.shown(4).ends_with("thread (0, 0, 0): four\n"));
        printed.cut();
        assert!(
            printed
                .shown(3)
                .ends_with("(1 more line, and what is beyond 1 MiB)\n")
        );
        assert_eq!(Printed::default().shown(4), "");
    }
}
