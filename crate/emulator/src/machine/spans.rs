//! What the loads and stores of a block have accessed in a round of a loop, by instruction. What follows from it is told in `run`.

use std::collections::HashMap;

use crate::program::kinds::{WARP, for_lanes};

/// From the first byte to behind the last one, in addresses that tell state spaces apart.
type Span = (u64, u64);

/// Spans by instruction: the index of its access.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    loads: HashMap<u32, Span>,
    stores: HashMap<u32, Span>,
    /// Stores that have left another value.
    pub(crate) changes: u64,
}

impl Spans {
    /// Notes so many bytes from the address of each lane of a mask on.
    pub(crate) fn note(
        &mut self,
        access: u32,
        is_store: bool,
        (addresses, mask): (&[u64; WARP], u32),
        bytes: u32,
    ) {
        let all = if is_store {
            &mut self.stores
        } else {
            &mut self.loads
        };
        let span = all.entry(access).or_insert((u64::MAX, 0));
        for_lanes(mask, |lane| {
            let address = addresses[lane];
            span.0 = span.0.min(address);
            span.1 = span.1.max(address.saturating_add(u64::from(bytes)));
        });
    }

    /// Whether a store may have gone to where one of these loads has looked.
    pub(crate) fn meets(&self, loads: &[u32]) -> bool {
        let looked = loads.iter().filter_map(|load| self.loads.get(load));
        let mut pairs =
            looked.flat_map(|load| self.stores.values().map(move |store| (load, store)));
        pairs.any(|(load, store)| load.0 < store.1 && store.0 < load.1)
    }
}
