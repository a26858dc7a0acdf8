//! Where the state spaces lie among generic addresses. PTX ISA section "State Spaces".

use crate::report::{MOST_RANK, Space};

/// Generic addresses of the spaces that are not global memory: four windows of this size from here on.
pub(crate) const WINDOWS: u64 = 0x0100_0000_0000;
/// Size of one window.
pub(crate) const WINDOW_BYTES: u64 = 1 << 32;

/// The bits of an address in a space, in which sums of it wrap round. PTX ISA section "Addresses as Operands": an address is
/// cut to the width of its space. Shared memory has 32 bits; what the others have more than they use, nothing wraps in.
#[inline(always)]
pub(crate) fn address_bits(space: Option<Space>) -> u64 {
    match space {
        Some(Space::Shared) => u64::from(u32::MAX),
        _ => u64::MAX,
    }
}

/// First generic address of a space; 0 for global memory, whose addresses are generic ones, and for textures, which have
/// none.
pub(crate) fn window(space: Space) -> u64 {
    match space {
        Space::Global | Space::Texture | Space::Surface => 0,
        Space::Shared => WINDOWS,
        Space::Local => WINDOWS + WINDOW_BYTES,
        Space::Const => WINDOWS + 2 * WINDOW_BYTES,
        Space::Param => WINDOWS + 3 * WINDOW_BYTES,
    }
}

/// Bytes of the local window for each thread of the block. The first part means the memory of whoever accesses it; the
/// others, in the order of the threads, that thread's, so that a pointer to it tells whose it is.
pub(crate) const LOCAL_BYTES: u64 = 1 << 21;

/// Where in the local window the memory of a thread of the block begins.
pub(crate) fn local_part(thread: u32) -> u64 {
    (u64::from(thread) + 1) * LOCAL_BYTES
}

/// Whose local memory an address means, of those of a thread that uses so many bytes, and where in it.
pub(crate) fn local_owner(address: u64, thread: u32, bytes: u64) -> (u32, u64) {
    if address < LOCAL_BYTES {
        return (thread, address);
    }
    let own = address.wrapping_sub(local_part(thread));
    let (part, offset) = (address / LOCAL_BYTES, address % LOCAL_BYTES);
    if own >= LOCAL_BYTES && part <= MOST_THREADS && offset < bytes {
        return ((part - 1) as u32, offset);
    }
    // What misses the thread's own memory by a little; what misses everything says nothing.
    let is_near = own < LOCAL_BYTES || own.wrapping_neg() < LOCAL_BYTES / 2;
    (thread, if is_near { own } else { address })
}

/// Most threads of a block.
const MOST_THREADS: u64 = 1024;

/// Bits below the rank in an address of shared memory that says whose it is: a block's number in its cluster, plus 1.
/// Without one, an address means the memory of whoever uses it.
pub(crate) const RANK_SHIFT: u32 = 24;

/// The rank in an address of shared memory, if it says one, and where in the block's memory it lies: a little below 2^32, which
/// no rank has, that is before its start.
pub(crate) fn shared_owner(address: u64) -> (Option<u32>, u64) {
    let offset = address & ((1 << RANK_SHIFT) - 1);
    match address >> RANK_SHIFT {
        0 => (None, address),
        BELOW => (None, address | u64::MAX << 32),
        tag @ 1..BELOW => (Some(tag as u32 - 1), offset),
        _ => (None, address),
    }
}

/// In place of a rank: an address that has wrapped round.
const BELOW: u64 = 255;

/// An address of shared memory, generic or not, as the same place in the block of this rank.
pub(crate) fn in_block(address: u64, rank: u32) -> u64 {
    let tag = u64::from(rank.min(MOST_RANK)) + 1;
    address & !(0xff << RANK_SHIFT) | tag << RANK_SHIFT
}

/// Addresses that pointers to functions hold: they lie in no memory.
pub(crate) const FUNCTIONS: u64 = 0x0200_0000_0000;
/// Between two of them.
pub(crate) const FUNCTION_BYTES: u64 = 16;

/// Set in the parameter-space address of a called function's parameter, which lies in local memory.
pub(crate) const FRAME: u64 = 1 << 31;

/// Where the words lie by which the blocks of a cooperative launch wait for each other: before all variables.
pub(crate) const WORKSPACE: u64 = 0x5000_0000_0000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_just_below_the_first_says_no_rank() {
        assert_eq!(shared_owner(0xffff_fffc), (None, 4u64.wrapping_neg()));
        assert_eq!(shared_owner(in_block(64, 300)), (Some(MOST_RANK), 64));
        assert_eq!(shared_owner(in_block(64, 3)), (Some(3), 64));
        assert_eq!(shared_owner(64), (None, 64));
    }

    #[test]
    fn a_pointer_says_whose_memory_it_is() {
        assert_eq!(local_owner(40, 7, 64), (7, 40));
        assert_eq!(local_owner(local_part(7) + 40, 7, 64), (7, 40));
        assert_eq!(local_owner(local_part(1023) + 40, 7, 64), (1023, 40));
        // Just before and behind the thread's own.
        assert_eq!(
            local_owner(local_part(7) - 4, 7, 64),
            (7, 4u64.wrapping_neg())
        );
        assert_eq!(local_owner(local_part(7) + 64, 7, 64), (7, 64));
        assert_eq!(
            local_owner(4u64.wrapping_neg(), 7, 64),
            (7, 4u64.wrapping_neg())
        );
        assert_eq!(
            local_owner(5 * LOCAL_BYTES + 64, 20, 64),
            (20, 5 * LOCAL_BYTES + 64)
        );
    }
}
