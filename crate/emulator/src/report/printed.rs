//! What device code printed, and which thread printed what. Data only; the words that show it are in `diagnostics`.

use std::collections::HashMap;

/// What a launch printed, in the order of its blocks, then as each block executed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    text: String,
    /// Whose the text is, in its order.
    prints: Vec<Print>,
    is_cut: bool,
}

/// Where a thread's part of the text ends; it begins where the one before ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Print {
    block: [u32; 3],
    thread: [u32; 3],
    end: usize,
}

/// One line that one thread printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedLine {
    /// `blockIdx`.
    pub block: [u32; 3],
    /// `threadIdx`.
    pub thread: [u32; 3],
    /// The line without its end.
    pub text: String,
}

impl Printed {
    /// Whether nothing was printed.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text as a GPU would print it, each call of `printf` after the other.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the launch printed more than is kept: a launch may print 1 MiB.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The text as lines, each of one thread: what one thread prints without ending its line belongs to its next call,
    /// whatever others print between. In the order in which the lines begin.
    pub fn lines(&self) -> Vec<PrintedLine> {
        let mut lines: Vec<PrintedLine> = Vec::new();
        // The lines that have not ended yet, by thread.
        let mut open: HashMap<([u32; 3], [u32; 3]), usize> = HashMap::new();
        let mut start = 0;
        for &Print { block, thread, end } in &self.prints {
            for part in self.text[start..end].split_inclusive('\n') {
                let at = *open.entry((block, thread)).or_insert_with(|| {
                    lines.push(PrintedLine {
                        block,
                        thread,
                        text: String::new(),
                    });
                    lines.len() - 1
                });
                match part.strip_suffix('\n') {
                    Some(part) => {
                        lines[at].text.push_str(part);
                        open.remove(&(block, thread));
                    }
                    None => lines[at].text.push_str(part),
                }
            }
            start = end;
        }
        lines
    }

    /// Adds what a thread printed.
    pub(crate) fn push(&mut self, block: [u32; 3], thread: [u32; 3], text: &str) {
        self.text.push_str(text);
        self.prints.push(Print {
            block,
            thread,
            end: self.text.len(),
        });
    }

    /// Says in the text that the rest of it is left out.
    pub(crate) fn cut(&mut self) {
        self.is_cut = true;
        self.text
            .push_str("\n(output cut: a launch may print 1 MiB)\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_threads_whatever_others_print_between() {
        let mut printed = Printed::default();
        let (block, first, second) = ([2, 0, 0], [0, 0, 0], [1, 0, 0]);
        for (thread, text) in [
            (first, "a = "),
            (second, "a = "),
            (first, "1\nb\n"),
            (second, "2"),
        ] {
            printed.push(block, thread, text);
        }
        printed.push([3, 0, 0], first, "\n");
        let line = |block, thread, text: &str| PrintedLine {
            block,
            thread,
            text: text.to_string(),
        };
        let expected = [
            line(block, first, "a = 1"),
            line(block, second, "a = 2"),
            line(block, first, "b"),
            line([3, 0, 0], first, ""),
        ];
        assert_eq!(printed.lines(), expected);
        assert_eq!(printed.text(), "a = a = 1\nb\n2\n");
    }
}
