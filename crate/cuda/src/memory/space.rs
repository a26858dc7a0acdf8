//! Addresses that are handed out: two ranges of this process in which nothing lies, so that host code that follows a device pointer faults.

use crate::memory::Allocations;

/// Device memory: never mapped.
const DEVICE: (u64, u64) = (0x7000_0000_0000, 0x7800_0000_0000);
/// Managed and pinned memory: mapped where it lies.
const HOST: (u64, u64) = (0x7800_0000_0000, 0x7e00_0000_0000);
/// Small allocations begin at multiples of this, large ones at multiples of [`LARGE_BYTES`], as the driver's do.
const SMALL_BYTES: u64 = 64 << 10;
const LARGE_BYTES: u64 = 2 << 20;

/// Where the next allocations go. An address is handed out again only when all have been.
#[derive(Debug)]
pub(crate) struct AddressSpace {
    next: [u64; 2],
}

impl Default for AddressSpace {
    fn default() -> Self {
        Self {
            next: [DEVICE.0, HOST.0],
        }
    }
}

/// Whether an address is one of device memory, allocated or not.
pub(crate) fn is_device(address: u64) -> bool {
    (DEVICE.0..DEVICE.1).contains(&address)
}

impl AddressSpace {
    /// An address for so many bytes, with addresses behind it that nobody owns.
    pub(crate) fn place(&mut self, all: &Allocations, bytes: usize, of_host: bool) -> Option<u64> {
        let bytes = bytes as u64;
        let granule = match bytes >= LARGE_BYTES {
            true => LARGE_BYTES,
            false => SMALL_BYTES,
        };
        let span = bytes
            .checked_next_multiple_of(granule)?
            .checked_add(granule)?;
        let (first, end) = if of_host { HOST } else { DEVICE };
        let next = &mut self.next[usize::from(of_host)];
        let free = free_from(all, next.next_multiple_of(granule), (span, granule), end)
            .or_else(|| free_from(all, first, (span, granule), end))?;
        *next = free + span;
        Some(free)
    }
}

/// The first address from one on at which so many bytes are free.
fn free_from(
    all: &Allocations,
    mut from: u64,
    (span, granule): (u64, u64),
    end: u64,
) -> Option<u64> {
    loop {
        if from.checked_add(span)? > end {
            return None;
        }
        let Some((_, last)) = all.range(..from + span).next_back() else {
            return Some(from);
        };
        let behind = last.base + last.bytes as u64;
        if behind < from {
            return Some(from);
        }
        // One granule behind it is nobody's.
        from = behind.next_multiple_of(granule) + granule;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_apart_and_aligned() {
        let (mut space, all) = (AddressSpace::default(), Allocations::new());
        let mut place = |bytes, of_host| space.place(&all, bytes, of_host).unwrap();
        assert_eq!(place(1, false), 0x7000_0000_0000);
        assert_eq!(place(65_537, false), 0x7000_0002_0000);
        assert_eq!(place(3 << 20, false), 0x7000_0020_0000);
        assert_eq!(place(1, false), 0x7000_0080_0000);
        assert_eq!(place(1, true), 0x7800_0000_0000);
        assert_eq!(space.place(&all, usize::MAX, false), None);
        assert!(is_device(0x7000_0000_0000) && !is_device(0x7800_0000_0000));
    }
}
