//! What device code has printed.

/// The most text kept of a launch, in bytes: what a GPU's own buffer holds.
const MOST_OUTPUT_BYTES: usize = 1 << 20;

/// What one worker's blocks have printed.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// By block, in the order in which this worker ran them.
    pub(crate) blocks: Vec<(u64, Vec<u8>)>,
    pub(crate) bytes: usize,
}

impl Output {
    pub(crate) fn push(&mut self, block: u64, text: &[u8]) {
        // A worker's blocks come in order: what is beyond the limit here is beyond it in the launch.
        if self.bytes > MOST_OUTPUT_BYTES {
            return;
        }
        self.bytes += text.len();
        match self.blocks.last_mut() {
            Some((last, so_far)) if *last == block => so_far.extend_from_slice(text),
            _ => self.blocks.push((block, text.to_vec())),
        }
    }
}

/// The text of a launch: by block, then as each block executed.
pub(crate) fn joined(outputs: Vec<Output>, last_block: Option<u64>) -> String {
    let mut blocks: Vec<_> = outputs
        .into_iter()
        .flat_map(|output| output.blocks)
        .collect();
    blocks.retain(|(block, _)| last_block.is_none_or(|last| *block <= last));
    blocks.sort_by_key(|(block, _)| *block);
    let mut bytes: Vec<u8> = blocks.into_iter().flat_map(|(_, text)| text).collect();
    let cut = bytes.len() > MOST_OUTPUT_BYTES;
    bytes.truncate(MOST_OUTPUT_BYTES);
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if cut {
        text.push_str("\n(output cut: a launch may print 1 MiB)\n");
    }
    text
}
