//! The words of findings. What was found is data in `report`.

mod threads;

use crate::report::{Detail, Finding, FindingKind, Space};

impl Finding {
    /// The finding in words: what, where, which thread, and the usual cause.
    pub fn message(&self) -> String {
        let mut text = match self.kind {
            FindingKind::Limit => return self.limit(),
            FindingKind::OutOfBounds => self.out_of_bounds(),
            FindingKind::Misaligned => self.misaligned(),
            FindingKind::InvalidAddress => self.invalid_address(),
            FindingKind::Uninitialized => self.uninitialized(),
            FindingKind::Race => self.race(),
            FindingKind::BarrierDivergence => self.barrier(),
            FindingKind::Trap => "the kernel executed `trap`".to_string(),
            FindingKind::Assert => "an assertion of the kernel failed".to_string(),
            FindingKind::EndlessLoop => self.endless_loop(),
        };
        text.push_str(&format!(
            ", in `{}` {}, block ({}), thread ({})",
            self.entry,
            self.place(),
            triple(self.block),
            triple(self.thread)
        ));
        if self.count > 1 {
            text.push_str(&format!(", and {} more times", self.count - 1));
        }
        let cause = self.cause_among_threads();
        if let Some(cause) = cause.as_deref().or(self.usual_cause()) {
            text.push_str(". ");
            text.push_str(cause);
        }
        text
    }

    fn place(&self) -> String {
        match &self.source {
            Some(source) => format!("at {}:{}", source.file, source.line),
            None => format!("at PTX line {}", self.ptx_line),
        }
    }

    fn access(&self) -> String {
        let space = self.space.map_or("", Space::name);
        let verb = if self.is_store { "store" } else { "load" };
        format!(
            "{space} {verb} of {} bytes at {:#x}",
            self.access_bytes,
            self.address.unwrap_or(0)
        )
    }

    fn out_of_bounds(&self) -> String {
        if let Some(rule) = self.rule() {
            return format!("out of bounds: {rule}");
        }
        let Some(buffer) = &self.buffer else {
            return format!("out of bounds: {} lies in no buffer", self.access());
        };
        let address = self.address.unwrap_or(0);
        let end = buffer.base.saturating_add(buffer.bytes as u64);
        let by = if address < buffer.base {
            format!("{} bytes before the start of", buffer.base - address)
        } else if address >= end {
            match address - end {
                0 => "just past the end of".to_string(),
                past => format!("{past} bytes past the end of"),
            }
        } else {
            format!(
                "across the end (by {} bytes) of",
                (address + u64::from(self.access_bytes)) - end
            )
        };
        format!(
            "out of bounds: {} is {by} `{}` ({} bytes)",
            self.access(),
            buffer.name,
            buffer.bytes
        )
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
        format!(
            "misaligned: {} is not at a multiple of its size",
            self.access()
        )
    }

    fn invalid_address(&self) -> String {
        if let Some(rule) = self.rule() {
            return format!("invalid address: {rule}");
        }
        if self.address.is_some_and(|address| address < 4096) {
            format!(
                "invalid address: {} goes through a null pointer",
                self.access()
            )
        } else {
            format!("invalid address: {} is near no buffer", self.access())
        }
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
        Some(match (self.kind, self.space) {
            (FindingKind::OutOfBounds, Some(Space::Shared)) => {
                "Usual cause: an index past the shared array, or too few bytes of dynamic shared memory in the launch."
            }
            (FindingKind::OutOfBounds, _) => {
                "Usual cause: no `row < rows && column < columns` test for the blocks at the edge, or rows and columns exchanged."
            }
            (FindingKind::Misaligned, _) => {
                "Usual cause: a vector access (float2, float4) at an index that is not a multiple of its length."
            }
            (FindingKind::InvalidAddress, _) => {
                "Usual cause: a pointer argument that is null, or an index that has overflowed 32 bits."
            }
            (FindingKind::Uninitialized, Some(Space::Shared)) => {
                "Usual cause: the load comes before the tile is filled, or the edge of the tile is never filled."
            }
            (FindingKind::Uninitialized, Some(Space::Local)) => {
                "Usual cause: an array of which some elements are set on some paths only."
            }
            (FindingKind::Uninitialized, _) if self.is_store => {
                "Usual cause: a counter or sum that nothing has set to zero."
            }
            (FindingKind::Uninitialized, _) => {
                "Usual cause: `+=` on an output that nothing has set to zero, or an index outside the part that the host or an earlier kernel has filled."
            }
            (FindingKind::BarrierDivergence, _) => {
                "Usual cause: `__syncthreads()` inside an `if` or a loop that not all threads of the block enter."
            }
            (FindingKind::EndlessLoop, _) => {
                "Usual cause: a loop whose condition never changes; if the kernel is only long, raise the instruction budget."
            }
            _ => return None,
        })
    }
}

fn triple([x, y, z]: [u32; 3]) -> String {
    format!("{x}, {y}, {z}")
}
