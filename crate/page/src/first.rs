//! The sizes of a first run: the usual ones, or smaller where a kernel does so much for an element that a reader would wait. How much it does is counted, on a small work.

use crate::work::{Asked, Entry, Size};
use cornerturn::launch::LaunchOptions;
use cornerturn::{Counters, Kernel, LaunchReport};
use serde_json::{Map, Value, json};

/// What a first launch may cost, in instructions of a warp: a part of a second in a page, with the checks.
const MOST_COST: u64 = 1 << 18;
/// What takes as long as one of these: operations of tensor cores, a thread's operations in half precision, bytes of bulk
/// copies, whose checks go byte by byte.
const TENSOR_OPERATIONS: u64 = 512;
const HALF_OPERATIONS: u64 = 4;
const BULK_BYTES: u64 = 2;
/// And bytes of arrays, which are made and compared.
const ARRAY_BYTES: u64 = 64;
/// The part of the usual work on which the cost is counted first, and by how much less it is tried again.
const FIRST_PART: f64 = 1.0 / 64.0;
const TRIES: i32 = 3;
/// An estimate above this may be of a work that costs no more as a whole: it has the same few tiles.
const CLOSE: f64 = 1.0 / 8.0;

/// The sizes that a kernel is given where the reader chooses none.
pub(crate) fn sizes(entry: &Entry, kernel: &Kernel) -> Vec<Size> {
    entry.sizes(part(entry, kernel))
}

/// The same for `run`: those that the reader left out.
pub(crate) fn filled(
    entry: &Entry,
    kernel: &Kernel,
    mut given: Map<String, Value>,
) -> Map<String, Value> {
    let is_given = |size: &Size| given.get(size.name).is_some_and(|value| !value.is_null());
    if !entry.sizes(1.0).iter().all(is_given) {
        for size in sizes(entry, kernel) {
            let own = given.entry(size.name).or_insert(Value::Null);
            if own.is_null() {
                *own = json!(size.value);
            }
        }
    }
    given
}

/// The part of the usual work that costs no more than a first launch may.
fn part(entry: &Entry, kernel: &Kernel) -> f64 {
    let tries = (1..=TRIES).map(|number| FIRST_PART.powi(number));
    let counted = tries.filter_map(|part| Some((part, cost(entry, kernel, part)?)));
    // A single block may be more than a first launch should be: then it is one or a few.
    let Some(first) = counted.into_iter().next() else {
        return FIRST_PART;
    };
    let mut near = estimated(first);
    let is_close = near < 1.0 && near > CLOSE;
    if is_close && cost(entry, kernel, 1.0).is_some_and(|cost| cost <= MOST_COST) {
        return 1.0;
    }
    // A small work has more of what is done once, or for the edge of a tile: one that is nearly as large tells better.
    let mut is_refused = false;
    while near < 1.0 && near > first.0 {
        match cost(entry, kernel, near) {
            Some(_) if is_refused => return near,
            Some(cost) => return estimated((near, cost)),
            None => (near, is_refused) = (near / 4.0, true),
        }
    }
    near.max(first.0)
}

/// The part that costs the most that may be, if cost goes with size.
fn estimated((part, cost): (f64, u64)) -> f64 {
    (part * MOST_COST as f64 / cost.max(1) as f64).min(1.0)
}

/// What a launch on a part of the usual work costs; `None` where that is too much, or the launch fails.
fn cost(entry: &Entry, kernel: &Kernel, part: f64) -> Option<u64> {
    let sizes = entry.sizes(part);
    let sizes = sizes
        .iter()
        .map(|size| (size.name.to_string(), json!(size.value)))
        .collect();
    let asked = Asked::new(entry, &sizes).ok()?;
    let options = LaunchOptions {
        launch_budget: Some(3 * MOST_COST / 2),
        ..LaunchOptions::default()
    };
    let report = asked.emulate(&asked.fitted(kernel), &options).ok()?;
    let arrays = asked.array_bytes() / ARRAY_BYTES;
    let launched = report.warp_instructions.saturating_add(extra(&report));
    Some(launched.saturating_add(arrays))
}

/// What a launch cost beyond its instructions.
fn extra(report: &LaunchReport) -> u64 {
    let counters = report.counters.unwrap_or_default();
    let named = |prefix: &'static str| {
        let names = Counters::NAMES.iter().map(|(name, _)| *name);
        let counted = names.filter(move |name| name.starts_with(prefix));
        counted
            .filter_map(|name| counters.field(name))
            .fold(0, u64::saturating_add)
    };
    let half = [counters.hadd, counters.hmul, counters.hfma];
    let half = half.into_iter().fold(0, u64::saturating_add);
    let bulk = report.sites.iter().map(|site| site.bytes);
    let bulk = bulk.fold(0, u64::saturating_add);
    let parts = [
        named("tensor_") / TENSOR_OPERATIONS,
        half / HALF_OPERATIONS,
        bulk / BULK_BYTES,
    ];
    parts.into_iter().fold(0, u64::saturating_add)
}
