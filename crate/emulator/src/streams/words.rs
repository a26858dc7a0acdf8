//! The words of two operations that nothing orders: what they are, the bytes, the next step.

use std::fmt;

use crate::streams::{Lacks, Side, StreamKind, Unordered};

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.deed.what)?;
        match &self.stream {
            Some((_, StreamKind::Default)) => f.write_str(" on the default stream")?,
            Some((name, _)) => write!(f, " on stream `{name}`")?,
            None => {}
        }
        match self.deed.place {
            Some(place) => write!(f, " ({}:{})", place.file(), place.line()),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Unordered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            first,
            second,
            buffer,
            bytes,
            lacks,
        } = self;
        let does = |writes: bool| if writes { "writes" } else { "reads" };
        write!(
            f,
            "{first} {} bytes {}..{} of `{buffer}`, and {second} {} them; nothing says which comes first. {}",
            does(first.writes),
            bytes.start,
            bytes.end,
            does(second.writes),
            next_step(first, second, *lacks)
        )
    }
}

/// What to do about it.
fn next_step(first: &Side, second: &Side, lacks: Lacks) -> String {
    match lacks {
        Lacks::Event => of_streams(first, second),
        Lacks::EventInGraph => {
            "Both are in one graph: record an event after the first, and let the other's stream wait for it, while the \
             graph is captured"
                .to_string()
        }
        Lacks::Wait => format!(
            "{} is a programmatic dependent launch, and does so before it has waited for the first: call \
             cudaGridDependencySynchronize() (griddepcontrol.wait) before it touches these bytes",
            second.deed.what
        ),
        Lacks::WaitBetween => format!(
            "A kernel between them does not wait for the first, so that its end, for which {} waits, says nothing of the \
             first's: call cudaGridDependencySynchronize() (griddepcontrol.wait) in that one too",
            second.deed.what
        ),
    }
}

/// The event that is missing, or what the host has to do.
fn of_streams(first: &Side, second: &Side) -> String {
    let Some((earlier, kind)) = &first.stream else {
        return "Make the host's access later, or earlier".to_string();
    };
    let of_first = match kind {
        StreamKind::Default => "the default stream".to_string(),
        _ => format!("`{earlier}`"),
    };
    let Some((later, later_kind)) = &second.stream else {
        return format!(
            "Wait for {of_first} on the host before: synchronize it, or an event that it has recorded"
        );
    };
    let aside = match (kind, later_kind) {
        (StreamKind::NonBlocking, StreamKind::Default) => {
            format!(" (`{earlier}` is non-blocking: the default stream does not wait for it)")
        }
        (StreamKind::Default, StreamKind::NonBlocking) => {
            format!(" (`{later}` is non-blocking: it does not wait for the default stream)")
        }
        _ => String::new(),
    };
    match later_kind {
        StreamKind::Default => {
            format!(
                "Record an event on {of_first} after the first, and synchronize it before the second{aside}"
            )
        }
        _ => format!(
            "Record an event on {of_first} after the first, and let `{later}` wait for it before the second{aside}"
        ),
    }
}
