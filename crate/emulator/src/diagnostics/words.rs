//! Words that several kinds of finding share: the access, its place in a buffer, lines, numbers.

use crate::report::{Detail, Finding, SourceLine, Space};

impl Finding {
    fn verb(&self) -> &'static str {
        match (self.is_atomic, self.is_store) {
            (true, _) => "atomic",
            (false, true) => "store",
            (false, false) => "load",
        }
    }

    pub(super) fn access(&self) -> String {
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

    pub(super) fn address(&self) -> u64 {
        self.address.unwrap_or(0)
    }

    /// Bytes from the start of the buffer meant, negative before it. An offset into shared or local memory of 64 bits
    /// is as negative as its address was.
    pub(super) fn offset(&self) -> i64 {
        let base = self.buffer.as_ref().map_or(0, |buffer| buffer.base);
        self.address().wrapping_sub(base) as i64
    }

    /// The element accessed, if the buffer is counted in accesses of this width.
    pub(super) fn index(&self) -> Option<i64> {
        let bytes = i64::from(self.access_bytes);
        (bytes > 0 && self.offset() % bytes == 0).then(|| self.offset() / bytes)
    }

    /// The rule that was broken, where the finding names one.
    pub(super) fn rule(&self) -> Option<String> {
        match self.detail {
            Detail::Rule { rule } => Some(format!("{}: {rule}", self.access())),
            _ => None,
        }
    }

    /// ` (byte 4 of `in`)`
    pub(super) fn inside(&self) -> String {
        match &self.buffer {
            Some(buffer) => format!(" (byte {} of `{}`)", self.offset(), buffer.name),
            None => String::new(),
        }
    }

    /// The element of a named buffer that is accessed.
    pub(super) fn element(&self) -> String {
        let (Some(buffer), Some(address)) = (&self.buffer, self.address) else {
            return String::new();
        };
        let element = address.saturating_sub(buffer.base) / u64::from(self.access_bytes.max(1));
        match self.space {
            Some(Space::Local) => String::new(),
            _ => format!(" (`{}`, element {element})", buffer.name),
        }
    }
}

/// `1 byte`, `8 bytes`
pub(super) fn bytes(count: i64) -> String {
    format!("{count} byte{}", if count == 1 { "" } else { "s" })
}

/// A line of CUDA C++, or of the PTX where that is not known.
pub(super) fn place(source: &Option<SourceLine>, ptx_line: u32) -> String {
    match source {
        Some(source) => format!("{}:{}", source.file, source.line),
        None => format!("PTX line {ptx_line}"),
    }
}

pub(super) fn triple([x, y, z]: [u32; 3]) -> String {
    format!("{x}, {y}, {z}")
}
