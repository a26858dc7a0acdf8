//! The mbarrier object: what arriving, expecting and waiting do to it.
//!
//! The object is one 64-bit word in shared memory; its layout is not part of the PTX ISA, and this one is ours:
//!
//! | bits | |
//! | --- | --- |
//! | 0–19 | arrivals that the phase still waits for |
//! | 20–39 | arrivals that the next phase will wait for |
//! | 40–60 | transaction bytes that the phase still waits for, signed |
//! | 61 | parity of the phase |
//! | 62–63 | 2 |

use crate::machine::world::World;
use crate::program::kinds::WARP;
use crate::report::{Detail, FindingKind};

/// PTX ISA section "Size and alignment of mbarrier object"; the most arrivals and, plus or minus, transactions.
pub(crate) const BYTES: u32 = 8;
pub(crate) const MOST_COUNT: u32 = (1 << 20) - 1;

/// The contents of an mbarrier object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mbarrier {
    pub(crate) pending: u32,
    pub(crate) expected: u32,
    pub(crate) transactions: i64,
    pub(crate) parity: bool,
}

impl Mbarrier {
    fn from_word(word: u64) -> Option<Self> {
        (word >> 62 == 2).then_some(Self {
            pending: word as u32 & MOST_COUNT,
            expected: (word >> 20) as u32 & MOST_COUNT,
            transactions: ((word << 3) as i64) >> 43,
            parity: parity(word),
        })
    }

    pub(crate) fn word(self) -> u64 {
        let transactions = (self.transactions as u64) & ((1 << 21) - 1);
        u64::from(self.pending)
            | u64::from(self.expected) << 20
            | transactions << 40
            | u64::from(self.parity) << 61
            | 2 << 62
    }

    fn next_phase(self) -> Self {
        Self {
            pending: self.expected,
            transactions: 0,
            parity: !self.parity,
            ..self
        }
    }

    pub(crate) fn is_complete(self) -> bool {
        self.pending == 0 && self.transactions == 0
    }
}

pub(crate) fn parity(word: u64) -> bool {
    word >> 61 & 1 == 1
}

const UNINITIALISED: &str =
    "there is no mbarrier: `mbarrier.init` comes before any use, and a barrier between the two";
const TOO_MANY: &str = "more threads arrive at the mbarrier in one phase than `mbarrier.init` said";
const TOO_MANY_BYTES: &str =
    "the transaction count of the mbarrier leaves its range of ±(2^20 - 1)";
pub(crate) const COUNT: &str = "an mbarrier counts from 1 to 2^20 - 1";

pub(crate) type Rule = (FindingKind, Option<&'static str>);

impl World<'_> {
    /// The word of the mbarrier at an address in shared memory.
    pub(crate) fn mbarrier(&self, address: u32) -> Option<Mbarrier> {
        let at = address as usize / 4;
        let word = u64::from(*self.shared.get(at)?) | u64::from(*self.shared.get(at + 1)?) << 32;
        Mbarrier::from_word(word).filter(|_| self.pending.barriers.contains_key(&address))
    }

    /// Whether a warp's use of an mbarrier is to be looked at: waiting is where it is the warp's first.
    pub(crate) fn meets(&mut self, address: u32, warp: usize, waits: bool) -> bool {
        if self.mbarrier(address).is_none() {
            return false;
        }
        let Some(ties) = self.pending.barriers.get_mut(&address) else {
            return false;
        };
        let bit = 1 << (warp % WARP);
        let is_first = ties.met & bit == 0;
        ties.met |= bit;
        is_first || !waits
    }

    pub(crate) fn initialised(&self, address: u32) -> Result<Mbarrier, Rule> {
        self.mbarrier(address)
            .ok_or((FindingKind::InvalidAddress, Some(UNINITIALISED)))
    }

    pub(crate) fn set_mbarrier(&mut self, address: u32, mbarrier: Mbarrier) {
        let word = if mbarrier.is_complete() {
            if let Some(ties) = self.pending.barriers.get_mut(&address) {
                ties.phases += 1;
            }
            mbarrier.next_phase()
        } else {
            mbarrier
        }
        .word();
        let at = address as usize / 4;
        (self.shared[at], self.shared[at + 1]) = (word as u32, (word >> 32) as u32);
        self.pending.changes += 1;
    }

    /// Completes the phase if only asynchronous work is missing, which is then done.
    pub(crate) fn settle(&mut self, address: u32) {
        let (Some(mbarrier), Some(ties)) =
            (self.mbarrier(address), self.pending.barriers.get(&address))
        else {
            return;
        };
        if mbarrier.pending == ties.arriving() && mbarrier.transactions == ties.bytes {
            self.untie(address);
            let complete = Mbarrier {
                pending: 0,
                transactions: 0,
                ..mbarrier
            };
            self.set_mbarrier(address, complete);
        }
    }

    /// As [`World::settle`], where the phase can take no more arrivals.
    pub(crate) fn settle_for(&mut self, address: u32, count: u32) -> Result<Mbarrier, Rule> {
        let mbarrier = self.initialised(address)?;
        let ties = self.pending.barriers.get(&address);
        let arriving = ties.map_or(0, |ties| ties.arriving());
        if mbarrier.pending.saturating_sub(arriving) < count {
            self.settle(address);
        }
        self.initialised(address)
    }

    pub(crate) fn expect(&mut self, address: u32, bytes: i64) -> Result<(), Rule> {
        let mut mbarrier = self.settle_for(address, 1)?;
        mbarrier.transactions += bytes;
        if mbarrier.transactions.unsigned_abs() > u64::from(MOST_COUNT) {
            return Err((FindingKind::Mbarrier, Some(TOO_MANY_BYTES)));
        }
        self.set_mbarrier(address, mbarrier);
        Ok(())
    }

    /// Arrives and returns the word before.
    pub(crate) fn arrive(&mut self, address: u32, count: u32, drop: bool) -> Result<u64, Rule> {
        if !(1..=MOST_COUNT).contains(&count) {
            return Err((FindingKind::Mbarrier, Some(COUNT)));
        }
        let before = self.settle_for(address, count)?;
        let mut mbarrier = before;
        let left = mbarrier.pending.checked_sub(count);
        mbarrier.pending = left.ok_or((FindingKind::Mbarrier, Some(TOO_MANY)))?;
        if drop {
            mbarrier.expected = mbarrier.expected.saturating_sub(count);
        }
        self.set_mbarrier(address, mbarrier);
        Ok(before.word())
    }

    /// Whether the phase of this parity is complete.
    pub(crate) fn test(&mut self, address: u32, phase: bool) -> Result<bool, Rule> {
        if self.initialised(address)?.parity == phase {
            self.settle(address);
        }
        Ok(self.initialised(address)?.parity != phase)
    }
}

impl World<'_> {
    /// What the phase of an mbarrier still waits for that nobody will bring.
    pub(crate) fn incomplete(&self, address: u32) -> Detail {
        let (Some(mbarrier), Some(ties)) =
            (self.mbarrier(address), self.pending.barriers.get(&address))
        else {
            return Detail::None;
        };
        Detail::Mbarrier {
            address,
            missing: mbarrier.pending.saturating_sub(ties.arriving()),
            expected: mbarrier.expected,
            missing_bytes: mbarrier.transactions - ties.bytes,
            phases: ties.phases,
            inits: ties.inits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_holds_every_field_to_its_limits() {
        for transactions in [
            0,
            1,
            -1,
            1 << 19,
            i64::from(MOST_COUNT),
            -i64::from(MOST_COUNT),
        ] {
            for (pending, expected, parity) in
                [(1, 2, false), (MOST_COUNT, 7, true), (0, MOST_COUNT, true)]
            {
                let mbarrier = Mbarrier {
                    pending,
                    expected,
                    transactions,
                    parity,
                };
                assert_eq!(Mbarrier::from_word(mbarrier.word()), Some(mbarrier));
            }
        }
        assert_eq!(Mbarrier::from_word(0), None);
        assert_eq!(Mbarrier::from_word(0x7fba_dbad_7fba_dbad), None);
    }
}
