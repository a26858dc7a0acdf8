//! What device code has printed, as it is noted while the run goes on.

use crate::report::Printed;
use crate::sorted::sort_by_key;

/// The most text kept of a launch, in bytes: what a GPU's own buffer holds.
const MOST_OUTPUT_BYTES: usize = 1 << 20;

/// What one worker's blocks have printed.
#[derive(Debug, Default)]
pub(crate) struct Output {
    text: Vec<u8>,
    /// Whose the text is, in the order in which this worker ran its blocks.
    prints: Vec<Print>,
}

/// Where the text of one thread ends; it begins where the one before ends.
#[derive(Debug)]
struct Print {
    block: u64,
    thread: u32,
    end: usize,
}

impl Output {
    pub(crate) fn push(&mut self, block: u64, thread: u32, text: &[u8]) {
        // A worker's blocks come in order: what is beyond the limit here is beyond it in the launch.
        if text.is_empty() || self.text.len() > MOST_OUTPUT_BYTES {
            return;
        }
        self.text.extend_from_slice(text);
        let end = self.text.len();
        match self.prints.last_mut() {
            Some(last) if (last.block, last.thread) == (block, thread) => last.end = end,
            _ => self.prints.push(Print { block, thread, end }),
        }
    }
}

/// The text of a launch: by block, then as each block executed. `place` gives a block's and a thread's coordinates.
pub(crate) fn joined(
    outputs: &[Output],
    last_block: Option<u64>,
    place: impl Fn(u64, u32) -> ([u32; 3], [u32; 3]),
) -> Printed {
    let mut parts: Vec<(u64, u32, &[u8])> = Vec::new();
    for output in outputs {
        let mut start = 0;
        for print in &output.prints {
            parts.push((print.block, print.thread, &output.text[start..print.end]));
            start = print.end;
        }
    }
    parts.retain(|(block, ..)| last_block.is_none_or(|last| *block <= last));
    sort_by_key(&mut parts, |(block, ..)| *block);
    let mut printed = Printed::default();
    let mut left = MOST_OUTPUT_BYTES;
    for (block, thread, text) in parts {
        let kept = &text[..text.len().min(left)];
        let (block, thread) = place(block, thread);
        printed.push(block, thread, &String::from_utf8_lossy(kept));
        left -= kept.len();
        if kept.len() < text.len() {
            printed.cut();
            break;
        }
    }
    printed
}
