//! What can be refused: PTX at load, a launch before it runs, an access to memory by the host. What a kernel does wrong while it runs is a finding, not an error.

use thiserror::Error;

/// Why PTX text was not loaded. Nothing has run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The text is not PTX as the PTX ISA defines it.
    #[error("PTX line {line}, column {column}: {message}")]
    Syntax {
        /// Line in the PTX text, from 1.
        line: u32,
        /// Column in bytes, from 1.
        column: u32,
        /// What was expected and what was found.
        message: String,
    },
    /// Valid PTX that this emulator does not run yet.
    #[error(
        "PTX line {line}: the emulator does not support `{instruction}` yet; the kernel still runs on a CUDA device"
    )]
    Unsupported {
        /// The instruction or directive as written.
        instruction: String,
        /// Line in the PTX text, from 1.
        line: u32,
    },
    /// The text asks for more than the PTX ISA, or a GPU, allows.
    #[error("PTX line {line}: {what} is {value}, the most is {most}")]
    TooLarge {
        /// What is too large.
        what: String,
        /// The size asked for.
        value: u64,
        /// The largest size taken.
        most: u64,
        /// Line in the PTX text, from 1.
        line: u32,
    },
    /// The `.const` variables are larger together than the bank that they share.
    #[error(
        "PTX line {line}: the .const variables take {bytes} bytes, the most is {most}: {}",
        sizes(variables)
    )]
    Constants {
        /// What all of them take, with the gaps that their alignment leaves.
        bytes: u64,
        /// The bank's size in bytes.
        most: u64,
        /// Each with its bytes, the largest first.
        variables: Vec<(String, u64)>,
        /// Of the largest: its line in the PTX text, from 1.
        line: u32,
    },
    /// More than this emulator takes, though a GPU may.
    #[error(
        "PTX line {line}: {what} is {value}; the emulator takes {most} at most, a CUDA device may take more"
    )]
    OverOurLimit {
        /// What is too large.
        what: String,
        /// The size asked for.
        value: u64,
        /// The largest size taken.
        most: u64,
        /// Line in the PTX text, from 1.
        line: u32,
    },
    /// This machine has not the memory that a variable takes.
    #[error(
        "PTX line {line}: variable `{name}` takes {bytes} bytes, which this machine does not have"
    )]
    HostMemory {
        /// The variable.
        name: String,
        /// Its size.
        bytes: u64,
        /// Line in the PTX text, from 1.
        line: u32,
    },
    /// The bytes are not UTF-8 text.
    #[error("PTX is text, but byte {offset} is not UTF-8; was a cubin or another binary given?")]
    NotText {
        /// Offset of the first wrong byte.
        offset: usize,
    },
    /// The module has no such entry.
    #[error("the PTX has no entry `{name}`; it has {}", listed(available))]
    UnknownEntry {
        /// The name asked for.
        name: String,
        /// The names of the module's entries.
        available: Vec<String>,
    },
}

impl LoadError {
    /// Whether it is a gap of this emulator, and no mistake in the text: the kernel may still run on a CUDA device.
    pub fn is_gap(&self) -> bool {
        matches!(self, Self::Unsupported { .. } | Self::OverOurLimit { .. })
    }
}

/// Why a launch was refused before anything ran.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The module has no such entry.
    #[error("the PTX has no entry `{name}`; it has {}", listed(available))]
    UnknownEntry {
        /// The name asked for.
        name: String,
        /// The names of the module's entries.
        available: Vec<String>,
    },
    /// The emulator lacks something that the entry needs: a [`LoadError::Unsupported`].
    #[error(transparent)]
    Unsupported(#[from] LoadError),
    /// Too many or too few arguments.
    #[error("`{entry}` takes {expected} arguments, {found} were given")]
    ArgumentCount {
        /// The entry.
        entry: String,
        /// How many it takes.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// An argument of the wrong size.
    #[error("argument {index} of `{entry}` (`{name}`) has {expected} bytes, {found} were given")]
    ArgumentSize {
        /// The entry.
        entry: String,
        /// Position of the argument, from 0.
        index: usize,
        /// The parameter's name in the PTX.
        name: String,
        /// The parameter's size in bytes.
        expected: usize,
        /// The size given in bytes.
        found: usize,
    },
    /// A grid or block without threads.
    #[error(
        "`{entry}` cannot be launched with grid {grid:?} and block {block:?}: every size must be at least 1"
    )]
    Empty {
        /// The entry.
        entry: String,
        /// Blocks in x, y, z.
        grid: [u32; 3],
        /// Threads of a block in x, y, z.
        block: [u32; 3],
    },
    /// This machine has not the memory that blocks' registers, shared and local memory take, and with checks what is
    /// kept of the buffers.
    #[error(
        "`{entry}` needs {bytes} bytes on this machine beside its buffers, which cannot be had"
    )]
    HostMemory {
        /// The entry.
        entry: String,
        /// Bytes asked for.
        bytes: u64,
    },
}

/// Why the host's access to emulated global memory was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The host has not that much memory.
    #[error("buffer `{name}` of {bytes} bytes does not fit in this machine's memory")]
    TooLarge {
        /// The buffer's name.
        name: String,
        /// Bytes asked for.
        bytes: usize,
    },
    /// No buffer starts there.
    #[error("no buffer starts at address {address:#x}")]
    NotABuffer {
        /// The address given.
        address: u64,
    },
    /// A buffer cannot lie there.
    #[error(
        "no buffer can begin at address {address:#x}: another has it, or it is no device address"
    )]
    Taken {
        /// The address asked for.
        address: u64,
    },
    /// No texture has this handle.
    #[error("no texture has the handle {handle:#x}")]
    NotATexture {
        /// The handle given.
        handle: u64,
    },
    /// A part of the range belongs to no buffer.
    #[error("{bytes} bytes from address {address:#x} do not lie in one buffer")]
    OutOfRange {
        /// First address.
        address: u64,
        /// Length in bytes.
        bytes: usize,
    },
}

/// Names or sizes that a message lists at most.
const MOST_LISTED: usize = 8;

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_string();
    }
    some(names.iter().map(|name| format!("`{name}`")))
}

fn sizes(variables: &[(String, u64)]) -> String {
    let size = |(name, bytes): &(String, u64)| format!("`{name}` {bytes}");
    some(variables.iter().map(size))
}

/// The first of them, and whether there are more.
fn some(parts: impl ExactSizeIterator<Item = String>) -> String {
    let more = if parts.len() > MOST_LISTED {
        ", …"
    } else {
        ""
    };
    let shown: Vec<String> = parts.take(MOST_LISTED).collect();
    format!("{}{more}", shown.join(", "))
}
