//! The words of accesses that cannot be: past a buffer, misaligned, through a wrong pointer, of what nobody has written. Those that other threads cross are in `race`.

use crate::diagnostics::words::{bytes, place};
use crate::report::{Detail, Finding, Form, HEAP_NAME, IndexFault, PointerFault, Space};

/// An address this far from its buffer comes from an index that has wrapped round.
const WRAPPED_BYTES: u64 = 1 << 30;

impl Finding {
    pub(super) fn out_of_bounds(&self) -> String {
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

    pub(super) fn misaligned(&self) -> String {
        if let Some(rule) = self.rule() {
            return format!("misaligned: {rule}");
        }
        if matches!(self.detail, Detail::Tile { .. }) && self.address.is_none() {
            return "misaligned: a tile of `wmma` does not lie as it must".to_string();
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

    pub(super) fn invalid_address(&self) -> String {
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

    pub(super) fn cause_out_of_bounds(&self) -> &'static str {
        if matches!(self.detail, Detail::Heap { .. }) {
            return "an index past what was asked of `malloc`, which counts bytes";
        }
        let past = self.offset() - self.buffer.as_ref().map_or(0, |buffer| buffer.bytes as i64);
        if past >= WRAPPED_BYTES as i64 {
            return "an unsigned index below 0 (0u - 1 is 4294967295)";
        }
        let fault = match self.detail {
            Detail::Index { fault } => fault,
            _ => IndexFault::Unknown,
        };
        match fault {
            IndexFault::NeighbourBefore => {
                "a neighbour before the first element, such as `i - 1` for an `i` of 0, which needs a case of its own"
            }
            IndexFault::NeighbourBehind => {
                "a neighbour behind the last element, such as `i + 1`, which the test lets through and which needs a case of its own"
            }
            IndexFault::Overflown => {
                "an index that has overflowed 32 bits, as a product of row and row length does; compute it in 64"
            }
            IndexFault::Negative => "an index below 0",
            IndexFault::Dynamic { bytes: 0 } => {
                "a launch that gives the kernel no dynamic shared memory"
            }
            IndexFault::Dynamic { .. } => {
                "fewer bytes of dynamic shared memory in the launch than the kernel uses"
            }
            IndexFault::Scaled => {
                "an index with a factor or an offset too many, as one that counts bytes has: there are no more threads than elements"
            }
            IndexFault::LastBlock => {
                "no test such as `i + blockDim.x < n`: a thread takes several elements, of which the last block has fewer left"
            }
            IndexFault::Across => {
                "a last vector of which only a part is in the array: its elements are no multiple of the vector's"
            }
            IndexFault::OneTooMany => {
                "a test that lets one thread too many through, as `i <= n` does"
            }
            IndexFault::TooManyRounds => "a loop that goes round too often, as `i <= n` does",
            IndexFault::OtherRow => {
                "a row length (leading dimension) or an order of row and column other than the array's, in the index or in its test"
            }
            IndexFault::OtherTest => "a test of another index than the one that is used",
            IndexFault::NoTest { is_flat: true } => "no `i < n` test for the threads past the edge",
            IndexFault::NoTest { is_flat: false } => {
                "no `row < rows && column < columns` test for the threads past the edge"
            }
            IndexFault::Unknown => match self.space {
                Some(Space::Shared) => "an index past the end of the shared array",
                Some(Space::Local) => "an index past the end of an array of the function",
                Some(Space::Const) => "an index past the end of a `__constant__` array",
                _ => "an index past the end",
            },
        }
    }

    pub(super) fn cause_uninitialized(&self) -> &'static str {
        match self.space {
            _ if self.detail == Detail::Unset => {
                "a local variable without a first value, such as a sum that does not begin at 0, or one that is set only in a branch or loop that this thread does not take"
            }
            _ if matches!(self.detail, Detail::Unwritten { .. }) => {
                "the padding of a structure, or a member that is not set, is computed with or compared"
            }
            _ if (self.buffer.as_ref()).is_some_and(|buffer| buffer.name == HEAP_NAME) => {
                "`malloc` does not clear the memory that it gives"
            }
            Some(Space::Local) => "an array of the function whose elements are not all set before",
            Some(Space::Shared) if self.is_atomic => "the sum or counter is not set to 0 first",
            Some(Space::Shared) => "a part of the array that no thread has filled before",
            _ if self.is_atomic || self.detail == Detail::Update => {
                "the output is added to without being set first"
            }
            _ => {
                "a buffer without values where the kernel reads: an output in the place of an input"
            }
        }
    }

    pub(super) fn uninitialized(&self) -> String {
        if self.detail == Detail::Unset {
            return "uninitialized: the value of a variable is used that was never set".to_string();
        }
        let whom = match self.space {
            Some(Space::Shared) => "no thread of the block",
            Some(Space::Local) => "its thread has not",
            _ => "nothing",
        };
        let verb = if self.space == Some(Space::Local) {
            "written"
        } else {
            "has written"
        };
        let access = if self.is_store {
            self.access().replacen("store", "atomic", 1)
        } else {
            self.access()
        };
        let Detail::Unwritten {
            bytes,
            used,
            used_ptx_line,
        } = &self.detail
        else {
            return format!(
                "uninitialized: {access}{} reads what {whom} {verb}",
                self.element()
            );
        };
        let noun = if *bytes == 1 { "byte" } else { "bytes" };
        let at = match (used, used_ptx_line) {
            (None, 0) => String::new(),
            _ => format!(", used at {}", place(used, *used_ptx_line)),
        };
        format!(
            "uninitialized: {access}{} reads {bytes} {noun} that {whom} {verb}{at}",
            self.element()
        )
    }

    pub(super) fn cause_misaligned(&self) -> String {
        let bytes = self.access_bytes;
        match (&self.detail, self.form) {
            (
                Detail::Tile {
                    base,
                    pitch,
                    element_bytes,
                },
                _,
            ) => self.cause_of_tile(*base, *pitch, *element_bytes),
            (_, Form::Tile) => {
                "a tile of `wmma` whose leading dimension is no multiple of 16 bytes, or that does not begin at a multiple of 32".to_string()
            }
            (_, Form::Row) => {
                "a tile for `ldmatrix` or `stmatrix` whose rows are no multiple of 16 bytes, which is 8 halves, or that does not begin at one".to_string()
            }
            (_, Form::Copy) => format!(
                "a `cp.async` of {bytes} bytes from or to a place that is no multiple of {bytes} bytes: a row of another length, or a first element that is not the row's"
            ),
            (_, Form::Vector { elements }) => format!(
                "a vector of {elements} elements ({}) at an index, or in a row of a length, that is no multiple of {elements}",
                vector_name(elements, bytes / elements.max(1))
            ),
            _ if self.is_atomic => "a pointer to 64-bit values that is made of one to narrower ones, at an odd element; an atomic's address must be a multiple of its size".to_string(),
            _ if self.space == Some(Space::Shared) => format!(
                "an array of elements of {bytes} bytes that is carved out of shared memory at an offset that is no multiple of {bytes}; carve the arrays of the widest elements first"
            ),
            _ if bytes > 4 => format!(
                "a pointer to elements of {bytes} bytes that is made of one to narrower ones, at an offset that is no multiple of {bytes} bytes"
            ),
            _ => format!("a pointer to elements of {bytes} bytes that is made of one to bytes, at an offset that is no multiple of {bytes}"),
        }
    }

    /// The leading dimension of a tile, or where it begins. `wmma` asks for leading dimensions that are multiples of 16 bytes
    /// and for tiles that begin at multiples of 32 (CUDA C++ Programming Guide, *Warp Matrix Functions*).
    fn cause_of_tile(&self, base: u64, pitch: u64, element_bytes: u32) -> String {
        let element = u64::from(element_bytes.max(1));
        if !base.is_multiple_of(32) {
            return format!(
                "a tile of `wmma` that begins at {base:#x}, which is no multiple of 32 bytes, {} elements",
                32 / element
            );
        }
        format!(
            "the leading dimension of the tile of `wmma`, {pitch} elements: it must be a multiple of {}, which are 16 bytes",
            16 / element.min(16)
        )
    }

    pub(super) fn cause_invalid_address(&self) -> Option<&'static str> {
        Some(match self.detail {
            Detail::Text => {
                "a number where the format has `%s`, or arguments in another order than the format"
            }
            Detail::Freed { .. } => {
                "a pointer that is used after `free`, perhaps by another thread"
            }
            Detail::FreedBuffer => {
                "an address that was kept, as a number or in another buffer, for longer than its buffer"
            }
            Detail::OtherLocal { .. } => {
                "the address of a variable of the function that is handed to other threads, through shared or global memory or a shuffle; local memory is each thread's own"
            }
            Detail::DeadFrame { .. } => {
                "a function that returns the address of a variable of its own"
            }
            Detail::OtherShared { .. } => {
                return self.cause_of_other_shared();
            }
            _ if self.space.is_none() => return None,
            Detail::Pointer {
                fault: PointerFault::Cut,
            } => "a pointer that was cut to 32 bits",
            _ if self.is_null() => "a pointer that is null",
            _ => "a pointer of the host, or to a buffer that is not the launch's",
        })
    }
}

/// What CUDA C++ calls such a vector, of numbers of the usual kind.
fn vector_name(elements: u32, element_bytes: u32) -> String {
    let element = match element_bytes {
        1 => "char",
        2 => "short",
        4 => "float",
        _ => "double",
    };
    format!("such as {element}{elements}")
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
