//! Which sectors of a reduction by a bulk copy change nothing, whatever memory holds: the elements are neutral. What they are added to is `transfer`'s.

use crate::counters::SECTOR_BYTES;
use crate::machine::pending::Reduction;
use crate::program::access::AtomicOp;

/// The byte of which an operation's neutral element consists, if it has one of equal bytes.
fn neutral(op: AtomicOp) -> Option<u8> {
    match op {
        AtomicOp::Add
        | AtomicOp::AddSingle
        | AtomicOp::AddDouble
        | AtomicOp::AddHalf(_)
        | AtomicOp::MaxUnsigned
        | AtomicOp::Or
        | AtomicOp::Xor => Some(0),
        AtomicOp::MinUnsigned | AtomicOp::And => Some(u8::MAX),
        AtomicOp::MinHalf(_)
        | AtomicOp::MaxHalf(_)
        | AtomicOp::MinSigned
        | AtomicOp::MaxSigned
        | AtomicOp::Exchange
        | AtomicOp::CompareAndSwap
        | AtomicOp::Increment
        | AtomicOp::Decrement => None,
    }
}

/// Whole sectors, of a range from an address on, in which every element is neutral.
pub(super) fn idle_sectors(address: u64, bytes: &[u8], reduction: Reduction) -> u64 {
    let Some(neutral) = neutral(reduction.op) else {
        return 0;
    };
    let skipped = address.next_multiple_of(SECTOR_BYTES) - address;
    let whole = bytes.get(skipped as usize..).unwrap_or_default();
    let sectors = whole.chunks_exact(SECTOR_BYTES as usize);
    let is_idle = |sector: &&[u8]| sector.iter().all(|byte| *byte == neutral);
    sectors.filter(is_idle).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_sectors_of_neutral_elements_are_idle() {
        let add = Reduction {
            op: AtomicOp::Add,
            bytes: 4,
        };
        let mut bytes = vec![0; 112];
        assert_eq!(idle_sectors(16, &bytes, add), 3);
        bytes[16] = 1;
        assert_eq!(idle_sectors(16, &bytes, add), 2);
        let and = Reduction {
            op: AtomicOp::And,
            ..add
        };
        assert_eq!(idle_sectors(0, &bytes, and), 0);
        assert_eq!(idle_sectors(0, &[u8::MAX; 70], and), 2);
        let least = Reduction {
            op: AtomicOp::MinSigned,
            ..add
        };
        assert_eq!(idle_sectors(0, &[0; 64], least), 0);
    }
}
