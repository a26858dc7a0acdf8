//! What the host itself does to a device's memory, as part of the order of the program's streams. The order's rules are `cornerturn_emulator::streams`'.

use super::Device;
use cornerturn_base::error::{Error, Result};
use cornerturn_emulator::streams::{Deed, Placed, StreamId};
use cornerturn_emulator::{Bytes, Touched, TouchedBuffer};
use std::ops::Range;
use std::panic::Location;

/// How the host reaches memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostAccess {
    /// By something on the legacy default stream that has ended when the call returns.
    Waited,
    /// By a copy to the device on that stream, which goes on for a while: the bytes to be copied are taken before
    /// (CUDA Driver API, *API synchronization behavior*, transfers from pageable memory).
    Staged,
    /// By loads and stores of its own.
    Direct,
}

/// The bytes of one buffer, read or written.
pub(crate) fn touched(name: &str, base: u64, bytes: Range<u64>, is_store: bool) -> Touched {
    let bytes = Bytes::range(bytes);
    let (read, written) = match is_store {
        true => (Bytes::default(), bytes),
        false => (bytes, Bytes::default()),
    };
    vec![TouchedBuffer {
        name: name.to_string(),
        base,
        read,
        written,
    }]
}

/// The file that a notebook's cells and a page's are compiled as. Its lines are not those that a reader sees.
const CELL: &str = "cell/src/lib.rs";

/// What the host does, called from where the program does it.
#[track_caller]
pub(crate) fn deed(what: impl Into<String>) -> Deed {
    Deed {
        what: what.into(),
        place: Some(Location::caller()).filter(|place| place.file() != CELL),
    }
}

impl Device {
    /// Puts an access of the host into the order of the program's streams, if it has any.
    ///
    /// # Errors
    /// [`Error::Unordered`] where a stream may still be at work on the bytes.
    #[track_caller]
    pub(crate) fn take_turn(
        &self,
        what: &str,
        how: HostAccess,
        touched: impl FnOnce() -> Touched,
    ) -> Result<()> {
        let mut order = self.order();
        if !order.is_needed() {
            return Ok(());
        }
        let deed = deed(what);
        let races = match how {
            HostAccess::Direct => order.touch(deed, touched()),
            _ => order.queue(StreamId::DEFAULT, deed, touched()).races,
        };
        if how == HostAccess::Waited {
            order.synchronize_stream(StreamId::DEFAULT);
        }
        in_order(Placed { races, step: 0 }).map(drop)
    }
}

/// The step of an operation.
///
/// # Errors
/// [`Error::Unordered`] where it races.
pub(crate) fn in_order(placed: Placed) -> Result<u32> {
    match placed.races.is_empty() {
        true => Ok(placed.step),
        false => Err(Error::Unordered {
            races: placed.races,
        }),
    }
}
