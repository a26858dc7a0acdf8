//! The time that events tell. The emulator has no clock: this one adds up what each operation would take at least, by rates that were measured on an H200, or what somebody who knows better says.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use cornerturn_emulator::{Counters, Report};

/// What a kernel takes at least from its start to the next one's, in nanoseconds.
const LAUNCH_NS: u64 = 2_000;
/// Of a copy or fill.
const COPY_NS: u64 = 1_000;
/// A copy on an H200 reads and writes so many bytes in a nanosecond (`book/results/h200/transpose.json`, 32768²).
const DEVICE_BYTES_PER_NS: u64 = 4_297;
/// A copy between pinned memory and an H200 (`book/results/h200/transfers.json`).
const HOST_BYTES_PER_NS: u64 = 55;
/// Bytes of a sector.
const SECTOR_BYTES: u64 = 32;

/// Says what a launch would take, in nanoseconds; nothing where it cannot tell.
pub type Predictor = fn(&Report) -> Option<u64>;

/// How far a stream is, in nanoseconds from the start.
#[derive(Debug, Default)]
pub(crate) struct Hand(AtomicU64);

impl Hand {
    pub(crate) fn ns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Moves it on, never back.
    pub(crate) fn reach(&self, ns: u64) {
        self.0.fetch_max(ns, Ordering::Relaxed);
    }
}

/// What operations take, and how far the host and the legacy default stream are.
#[derive(Debug, Default)]
pub struct Clock {
    pub(crate) host: Hand,
    pub(crate) legacy: Hand,
    predictor: OnceLock<Predictor>,
}

impl Clock {
    /// Lets somebody else say what launches take; the first who comes.
    pub(crate) fn predict_by(&self, predictor: Predictor) {
        // A second one would make times before and after it incomparable.
        let _ = self.predictor.set(predictor);
    }

    /// What a launch takes, in nanoseconds.
    pub(crate) fn launch_ns(&self, report: &Report) -> u64 {
        let predicted = self.predictor.get().and_then(|by| by(report));
        predicted.unwrap_or_else(|| floor_ns(&report.counters))
    }
}

/// What a copy or fill of so many bytes takes, in nanoseconds.
pub(crate) fn copy_ns(bytes: u64, crosses_to_host: bool) -> u64 {
    COPY_NS
        + match crosses_to_host {
            true => bytes / HOST_BYTES_PER_NS,
            false => 2 * bytes / DEVICE_BYTES_PER_NS,
        }
}

/// The bytes that a kernel asks global memory for, at the rate of a copy: most kernels take longer, and one whose bytes come
/// from a cache may take less.
fn floor_ns(counters: &Counters) -> u64 {
    let sectors = counters.global_load_sectors + counters.global_store_sectors;
    LAUNCH_NS + sectors * SECTOR_BYTES / DEVICE_BYTES_PER_NS
}
