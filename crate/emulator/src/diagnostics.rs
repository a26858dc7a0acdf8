//! The words of findings. What was found is data in `report`.

mod clusters;
mod printed;
mod threads;

use crate::report::{
    Detail, Finding, FindingKind, GridWait, HEAP_NAME, Inlining, SourceLine, Space,
};

/// An address this far from its buffer comes from an index that has wrapped round.
const WRAPPED_BYTES: u64 = 1 << 30;

impl Finding {
    /// The finding in words: what, where, which thread, and the usual cause.
    pub fn message(&self) -> String {
        let mut text = match self.kind {
            FindingKind::Limit => match &self.detail {
                Detail::Stack { depth, bytes, most } => format!(
                    "limit: {depth} nested calls take {bytes} bytes of a thread's local memory, the most is {most}"
                ),
                _ => return self.limit(),
            },
            FindingKind::OutOfBounds => self.out_of_bounds(),
            FindingKind::Misaligned => self.misaligned(),
            FindingKind::InvalidAddress => self.invalid_address(),
            FindingKind::Uninitialized => self.uninitialized(),
            FindingKind::Race => self.race(),
            FindingKind::BarrierDivergence => self.barrier(),
            FindingKind::Mask => self.mask(),
            FindingKind::Mbarrier => self.mbarrier(),
            FindingKind::Trap => "the kernel executed `trap`".to_string(),
            FindingKind::Assert => self.assertion(),
            FindingKind::EndlessLoop => self.endless_loop(),
        };
        text.push_str(&format!(
            ", in `{}` at {}{}, block ({}), thread ({})",
            self.entry,
            place(&self.source, self.ptx_line),
            self.inlined(),
            triple(self.block),
            triple(self.thread)
        ));
        match self.count {
            0 | 1 => {}
            2 => text.push_str(", and once more"),
            count => text.push_str(&format!(", and {} more times", count - 1)),
        }
        if let Some(cause) = self.cause_among_threads() {
            text.push_str(&format!(". {cause}"));
        } else if let Some(cause) = self.usual_cause() {
            text.push_str(&format!(". Usual cause: {cause}."));
        }
        text
    }

    /// ` (inlined from atomics.hpp:107)`, the other line of an inlined function, in a file without its folders.
    fn inlined(&self) -> String {
        let (word, line) = match &self.inlining {
            Some(Inlining::From(line)) => ("from", line),
            Some(Inlining::Into(line)) => ("into", line),
            None => return String::new(),
        };
        let file = line.file.rsplit('/').next().unwrap_or(&line.file);
        format!(" (inlined {word} {file}:{})", line.line)
    }

    fn verb(&self) -> &'static str {
        match (self.is_atomic, self.is_store) {
            (true, _) => "atomic",
            (false, true) => "store",
            (false, false) => "load",
        }
    }

    fn access(&self) -> String {
        let owner = self.owner.map_or_else(String::new, |rank| {
            format!(" of block {rank} of the cluster")
        });
        format!(
            "{} {} of {} at {:#x}{owner}",
            self.space.map_or("", Space::name),
            self.verb(),
            bytes(i64::from(self.access_bytes)),
            self.address()
        )
    }

    fn address(&self) -> u64 {
        self.address.unwrap_or(0)
    }

    /// Bytes from the start of the buffer meant, negative before it. An offset into shared or local memory of 64 bits
    /// is as negative as its address was.
    fn offset(&self) -> i64 {
        let base = self.buffer.as_ref().map_or(0, |buffer| buffer.base);
        self.address().wrapping_sub(base) as i64
    }

    /// The element accessed, if the buffer is counted in accesses of this width.
    fn index(&self) -> Option<i64> {
        let bytes = i64::from(self.access_bytes);
        (bytes > 0 && self.offset() % bytes == 0).then(|| self.offset() / bytes)
    }

    fn out_of_bounds(&self) -> String {
        if let Some(rule) = self.rule() {
            return format!("out of bounds: {rule}");
        }
        if let Detail::Heap { before } = self.detail {
            let access = self.access();
            return match before {
                Some((start, bytes)) => format!(
                    "out of bounds: {access} is at byte {} of the {bytes} that `malloc` gave at {start:#x}",
                    self.address() - start
                ),
                None => format!(
                    "out of bounds: {access} is on the heap, where `malloc` has given nothing"
                ),
            };
        }
        let Some(buffer) = &self.buffer else {
            return format!("out of bounds: {} lies in no variable", self.access());
        };
        let (offset, size) = (self.offset(), buffer.bytes as i64);
        let by = if offset < 0 {
            format!("{} before the start of", bytes(-offset))
        } else if offset == size {
            "just past the end of".to_string()
        } else if offset > size {
            format!("{} past the end of", bytes(offset - size))
        } else {
            let over = offset + i64::from(self.access_bytes) - size;
            format!("across the end (by {}) of", bytes(over))
        };
        let mut text = format!(
            "out of bounds: {} is {by} `{}` ({}",
            self.access(),
            buffer.name,
            bytes(size)
        );
        let width = i64::from(self.access_bytes);
        if let Some(element) = self.index().filter(|_| size >= width) {
            let bound = match element {
                ..0 => "the first is 0".to_string(),
                _ => format!("the last is {}", size / width - 1),
            };
            text.push_str(&format!(": element {element} of {}, {bound}", bytes(width)));
        }
        text.push(')');
        text
    }

    /// The rule that was broken, where the finding names one.
    fn rule(&self) -> Option<String> {
        match self.detail {
            Detail::Rule { rule } => Some(format!("{}: {rule}", self.access())),
            _ => None,
        }
    }

    fn misaligned(&self) -> String {
        if let Some(rule) = self.rule() {
            return format!("misaligned: {rule}");
        }
        let width = u64::from(self.access_bytes.max(1));
        let off = self.address() % width;
        format!(
            "misaligned: {}{} is {} past a multiple of {width}, its size",
            self.access(),
            self.inside(),
            bytes(off as i64)
        )
    }

    fn assertion(&self) -> String {
        match &self.detail {
            Detail::Assertion {
                expression,
                file,
                line,
                function,
            } => format!("assertion `{expression}` failed in {function} ({file}:{line})"),
            _ => "an assertion of the kernel failed".to_string(),
        }
    }

    /// ` (byte 4 of `in`)`
    fn inside(&self) -> String {
        match &self.buffer {
            Some(buffer) => format!(" (byte {} of `{}`)", self.offset(), buffer.name),
            None => String::new(),
        }
    }

    fn invalid_address(&self) -> String {
        if let Some(rule) = self.rule() {
            return format!("invalid address: {rule}");
        }
        let address = self.address.unwrap_or(0);
        match self.detail {
            Detail::Free => {
                return format!(
                    "invalid address: `free` of {address:#x}, which `malloc` did not give or which is freed already"
                );
            }
            Detail::Freed { start } => {
                return format!(
                    "invalid address: {} lies in memory that `free` has been given, at {start:#x}",
                    self.access()
                );
            }
            Detail::FreedBuffer => {
                return format!(
                    "invalid address: {}{} lies in a buffer that the host had freed before the launch",
                    self.access(),
                    self.inside()
                );
            }
            Detail::OtherLocal { thread } => {
                return format!(
                    "invalid address: {} goes through a pointer to the local memory of thread {thread} of the block, counted x first",
                    self.access()
                );
            }
            Detail::DeadFrame { ref function } => {
                let whose = match function {
                    Some(name) => format!("`{}`, which has returned", plain_function(name)),
                    None => "a function that has returned".to_string(),
                };
                return format!(
                    "invalid address: {} goes through a pointer into the frame of {whose}",
                    self.access()
                );
            }
            Detail::OtherShared { rank, fault } => return self.other_shared(rank, fault),
            Detail::Text => {
                return format!(
                    "invalid address: `printf` looks for the text of a `%s` at {address:#x}, where no memory is"
                );
            }
            Detail::Call { is_function: true } => {
                return "invalid address: a call through a pointer to a function of other parameters or results".to_string();
            }
            Detail::Call { .. } => {
                return format!(
                    "invalid address: a call through a pointer that holds {address:#x}, where no function is"
                );
            }
            _ => {}
        }
        if self.is_null() {
            format!(
                "invalid address: {} goes through a null pointer",
                self.access()
            )
        } else {
            format!("invalid address: {} is near no buffer", self.access())
        }
    }

    fn is_null(&self) -> bool {
        self.address() < 4096
    }

    fn endless_loop(&self) -> String {
        match self.detail {
            Detail::Budget {
                instructions,
                whole_launch: true,
            } => {
                format!(
                    "endless loop: the launch used up its budget of {instructions} warp instructions"
                )
            }
            Detail::Budget { instructions, .. } => {
                format!("endless loop: a warp used up its budget of {instructions} instructions")
            }
            Detail::Waiting {
                resident: Some((resident, blocks)),
                ..
            } => {
                format!(
                    "endless loop: {resident} of the launch's {blocks} blocks fit on a GPU together, and they wait for blocks that cannot begin"
                )
            }
            Detail::Waiting {
                grid:
                    Some(GridWait {
                        waiting,
                        ended,
                        first_ended: Some(first),
                    }),
                ..
            } => {
                format!(
                    "endless loop: {waiting} of the grid's blocks wait, for what the others do not do: {ended} have ended, the first of them block ({})",
                    triple(first)
                )
            }
            Detail::Waiting { .. } => {
                "endless loop: all threads that have not ended wait for what none of them does"
                    .to_string()
            }
            _ => "endless loop".to_string(),
        }
    }

    fn limit(&self) -> String {
        match &self.detail {
            Detail::Limit { what, value, most } => {
                format!(
                    "limit: {what} is {value}, the most is {most}; `{}` was not run",
                    self.entry
                )
            }
            Detail::OtherBlock { required, found } => {
                format!(
                    "limit: `{}` is compiled for blocks of ({}) threads (`.reqntid`), the launch has ({}); it was not run",
                    self.entry,
                    triple(*required),
                    triple(*found)
                )
            }
            Detail::Cluster { what } => {
                format!("limit: {what}; `{}` was not run", self.entry)
            }
            _ => format!(
                "limit: the launch of `{}` is over a limit of the device",
                self.entry
            ),
        }
    }

    fn usual_cause(&self) -> Option<&'static str> {
        // The rule says it all.
        if matches!(self.detail, Detail::Rule { .. }) {
            return None;
        }
        Some(match self.kind {
            FindingKind::OutOfBounds => self.cause_out_of_bounds(),
            FindingKind::Misaligned if self.is_atomic => {
                "a pointer to 64-bit values that is made of one to narrower ones, at an odd element; an atomic's address must be a multiple of its size"
            }
            FindingKind::Misaligned if self.access_bytes > 4 => {
                "a vector (float2, float4, double2) at an index or in a row that is no multiple of its length"
            }
            FindingKind::Misaligned => {
                "a pointer cast from bytes at an odd offset, or a number of elements added to it as bytes"
            }
            FindingKind::InvalidAddress if self.detail == Detail::Text => {
                "a number where the format has `%s`, or arguments in another order than the format"
            }
            FindingKind::InvalidAddress if matches!(self.detail, Detail::Freed { .. }) => {
                "a pointer that is used after `free`, perhaps by another thread"
            }
            FindingKind::InvalidAddress if self.detail == Detail::FreedBuffer => {
                "an address that was kept, as a number or in another buffer, for longer than its buffer"
            }
            FindingKind::InvalidAddress if matches!(self.detail, Detail::OtherLocal { .. }) => {
                "the address of a variable of the function that is handed to other threads, through shared or global memory or a shuffle; local memory is each thread's own"
            }
            FindingKind::InvalidAddress if matches!(self.detail, Detail::DeadFrame { .. }) => {
                "a function that returns the address of a variable of its own"
            }
            FindingKind::InvalidAddress if matches!(self.detail, Detail::OtherShared { .. }) => {
                return self.cause_of_other_shared();
            }
            FindingKind::InvalidAddress if self.space.is_none() => return None,
            FindingKind::InvalidAddress if self.is_null() => {
                "a pointer that is null or was cut to 32 bits"
            }
            FindingKind::InvalidAddress => {
                "a pointer of the host or to freed memory, or an index that has overflowed 32 bits"
            }
            FindingKind::Uninitialized => self.cause_uninitialized(),
            FindingKind::BarrierDivergence if matches!(self.detail, Detail::Warp { .. }) => {
                "a matrix instruction (`wmma`, `mma`, `ldmatrix`) inside an `if` or a loop that not all threads of the warp enter, or a block whose threads are no multiple of 32"
            }
            FindingKind::BarrierDivergence if matches!(self.detail, Detail::NoBarrier { .. }) => {
                "a barrier's number or count that is computed, or written by hand in `asm`"
            }
            FindingKind::BarrierDivergence
                if matches!(
                    self.detail,
                    Detail::Barrier {
                        is_counted: true,
                        ..
                    }
                ) =>
            {
                "the number of threads in `bar.sync` or `barrier.sync`, which must be that of the threads that come, in whole warps; or some of them come to another barrier"
            }
            FindingKind::Mask | FindingKind::Mbarrier => return None,
            FindingKind::BarrierDivergence if self.is_of_cluster() => {
                "`cluster.sync()` or `barrier.cluster` inside an `if` or a loop that not all threads of the cluster enter, or one half of it alone"
            }
            FindingKind::BarrierDivergence => {
                "`__syncthreads()` inside an `if` or a loop that not all threads of the block enter"
            }
            FindingKind::EndlessLoop
                if matches!(
                    self.detail,
                    Detail::Waiting {
                        resident: Some(_),
                        ..
                    }
                ) =>
            {
                "a barrier of the whole grid in a launch of more blocks than can run together"
            }
            FindingKind::EndlessLoop
                if matches!(
                    self.detail,
                    Detail::Waiting {
                        grid: Some(GridWait {
                            first_ended: Some(_),
                            ..
                        }),
                        ..
                    }
                ) =>
            {
                "a block that returns before a `grid.sync()` to which the others come"
            }
            FindingKind::EndlessLoop if matches!(self.detail, Detail::Waiting { .. }) => {
                "a lock that nobody gives back, or a flag or counter that nobody sets to what is waited for"
            }
            FindingKind::EndlessLoop => {
                "a loop whose condition never changes; a kernel that is only long needs a larger budget (`cornerturn launch --budget N`, in a cell LaunchOptions::budgeted)"
            }
            FindingKind::Limit if matches!(self.detail, Detail::Stack { .. }) => {
                "a recursion that never ends; on a GPU `cudaDeviceSetLimit(cudaLimitStackSize, …)` sets the limit, 1 KiB unless asked for more"
            }
            FindingKind::Trap if self.detail == Detail::NotCooperative => {
                "`grid.sync()` in a launch that is not cooperative (`cornerturn launch --cooperative`, in a cell `kernel.cooperative()`)"
            }
            FindingKind::Race | FindingKind::Trap | FindingKind::Assert | FindingKind::Limit => {
                return None;
            }
        })
    }

    fn cause_out_of_bounds(&self) -> &'static str {
        if matches!(self.detail, Detail::Heap { .. }) {
            return "an index past what was asked of `malloc`, which counts bytes";
        }
        let past = self.offset() - self.buffer.as_ref().map_or(0, |buffer| buffer.bytes as i64);
        match self.space {
            Some(Space::Shared) if self.offset() >= 0 => {
                "an index past the shared array, or too few bytes of dynamic shared memory in the launch"
            }
            Some(Space::Local) => "an index past the end of an array of the function",
            Some(Space::Const) => "an index past the end of a `__constant__` array",
            _ if past >= WRAPPED_BYTES as i64 => "an unsigned index below 0 (0u - 1 is 4294967295)",
            _ if self.offset() < 0 => {
                "an index below 0: `i - 1` at the first element, `%` of a negative number, or a product over 32 bits"
            }
            _ => {
                "no `i < n` or `row < rows && column < columns` test for the threads past the edge, or rows and columns exchanged"
            }
        }
    }

    fn cause_uninitialized(&self) -> &'static str {
        match self.space {
            _ if matches!(self.detail, Detail::Unwritten { .. }) => {
                "the padding of a structure, or a member that is not set, is computed with or compared"
            }
            _ if (self.buffer.as_ref()).is_some_and(|buffer| buffer.name == HEAP_NAME) => {
                "`malloc` does not clear the memory that it gives"
            }
            Some(Space::Local) => "an array of the function whose elements are not all set before",
            Some(Space::Shared) if self.is_atomic => "the sum or counter is not set to 0 first",
            Some(Space::Shared) => {
                "the load comes before the tile is filled, or the tile's edge is never filled"
            }
            _ => {
                "the output is read or added to without being set first, or two arguments are exchanged"
            }
        }
    }
}

/// `1 byte`, `8 bytes`
fn bytes(count: i64) -> String {
    format!("{count} byte{}", if count == 1 { "" } else { "s" })
}

/// A line of CUDA C++, or of the PTX where that is not known.
fn place(source: &Option<SourceLine>, ptx_line: u32) -> String {
    match source {
        Some(source) => format!("{}:{}", source.file, source.line),
        None => format!("PTX line {ptx_line}"),
    }
}

/// The name that a function has in CUDA C++, without its parameters: `step` of `_Z4stepPi`.
fn plain_function(name: &str) -> &str {
    let plain = name.strip_prefix("_Z").and_then(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (length, rest) = rest.split_at(digits);
        rest.get(..length.parse().ok()?)
    });
    plain.unwrap_or(name)
}

fn triple([x, y, z]: [u32; 3]) -> String {
    format!("{x}, {y}, {z}")
}
