//! The words of findings: the message, and which cause goes with it. What was found is data in `report`; what each kind says is in the files here.

mod barrier;
mod clusters;
mod launch;
mod mask;
mod mbarrier;
mod memory;
mod multiply;
mod printed;
mod race;
mod words;

use crate::report::{Detail, Finding, FindingKind, Inlining};
use mask::cause_of_mask;
use multiply::cause_of_multiply;
use words::{place, triple};

/// PTX ISA, `div` and `rem`: of integers, a division by zero gives an unspecified value.
const CAUSE_OF_DIVISION: &str = "a size, a stride or a count that may be 0, whose quotient or remainder is undefined (an H200 \
     gives -1, all bits set); test the divisor before";

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
            FindingKind::Division => "division by zero: an integer is divided by 0".to_string(),
            FindingKind::Printf => self.printed(),
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

    /// The usual cause of what threads do to each other.
    fn cause_among_threads(&self) -> Option<String> {
        Some(match (&self.detail, &self.other) {
            (Detail::Race { .. }, Some(other)) => return self.cause_of_race(other),
            (Detail::Race { .. }, None) => return self.cause_without_other(),
            (Detail::Multiply { fault }, _) => cause_of_multiply(fault).to_string(),
            (Detail::LeftBehind, _) => {
                "The shared memory goes with its block. NVIDIA's examples let the thread that started the copy wait \
                 (`cp.async.bulk.wait_group.read 0`)."
                    .to_string()
            }
            (Detail::Mask { fault, .. }, _) => cause_of_mask(*fault).to_string(),
            (Detail::Mbarrier { .. }, _) => self.cause_of_mbarrier().to_string(),
            (Detail::TwoBarriers { .. }, _) => {
                "All threads of a block must come to the same `__syncthreads()`. Usual cause: one in a branch that not \
                 all of them take."
                    .to_string()
            }
            (
                Detail::Exited {
                    came_before: false, ..
                },
                _,
            ) => {
                "CUDA allows that since Volta, and the barrier does not wait for them. What they should have done \
                 before it, such as filling their part of a tile, is missing."
                    .to_string()
            }
            (Detail::Exited { .. }, _) => {
                "CUDA C++ asks for all threads of the block; GPUs since Volta go on without those that have ended, and \
                 what these should have done before the barrier is missing. Usual cause: an early `return` before \
                 `__syncthreads()`, or the barrier inside an `if`; guard the loads and stores instead."
                    .to_string()
            }
            _ => return None,
        })
    }

    fn usual_cause(&self) -> Option<String> {
        // The rule says it all.
        if matches!(self.detail, Detail::Rule { .. }) {
            return None;
        }
        if self.kind == FindingKind::Misaligned {
            return Some(self.cause_misaligned());
        }
        let cause = match self.kind {
            FindingKind::OutOfBounds => self.cause_out_of_bounds(),
            FindingKind::InvalidAddress => self.cause_invalid_address()?,
            FindingKind::Uninitialized => self.cause_uninitialized(),
            FindingKind::BarrierDivergence => self.cause_of_barrier(),
            FindingKind::Mask | FindingKind::Mbarrier => return None,
            FindingKind::EndlessLoop => self.cause_endless(),
            FindingKind::Division => CAUSE_OF_DIVISION,
            FindingKind::Limit if matches!(self.detail, Detail::Stack { .. }) => {
                "a recursion that never ends; on a GPU `cudaDeviceSetLimit(cudaLimitStackSize, …)` sets the limit, 1 KiB unless asked for more"
            }
            FindingKind::Trap if self.detail == Detail::NotCooperative => {
                "`grid.sync()` in a launch that is not cooperative (`cornerturn launch --cooperative`, in a cell `kernel.cooperative()`)"
            }
            FindingKind::Misaligned
            | FindingKind::Race
            | FindingKind::Trap
            | FindingKind::Assert
            | FindingKind::Printf
            | FindingKind::Limit => return None,
        };
        Some(cause.to_string())
    }
}
