//! What a warp's collective instructions (`bar.warp.sync`, `shfl.sync`, `vote.sync`, …) say of their members, and who comes.
//!
//! PTX ISA: the executing lane must be a member, and it waits for all members that have not exited; they must execute
//! the same instruction with the same members. They may do so elsewhere in the program, and later: so those that have
//! not come are kept until they do, or the block ends.

use crate::check::block::BlockShadow;
use crate::check::unmet::Unmet;
use crate::memory::faults::Fault;
use crate::program::kinds::{WARP, for_lanes};
use crate::report::{Detail, FindingKind, MaskFault};

/// Collectives of a block kept that wait for lanes; beyond, the oldest are forgotten.
const MOST: usize = 256;

/// A collective instruction as some lanes of a warp execute it together.
pub(crate) struct Collective<'c> {
    pub(crate) place: u32,
    /// Warp in the block.
    pub(crate) warp: usize,
    /// Instructions of one kind may meet.
    pub(crate) kind: u64,
    /// It is no mere barrier.
    pub(crate) moves_values: bool,
    pub(crate) active: u32,
    /// Lanes of the warp that have not exited.
    pub(crate) live: u32,
    /// Each lane's members.
    pub(crate) members: &'c [u32; WARP],
    /// The lane whose value each lane takes: its own, unless it is a shuffle.
    pub(crate) sources: &'c [u8; WARP],
    /// Of a shuffle, each lane's packed clamp and segment mask.
    pub(crate) segments: Option<&'c [u32; WARP]>,
}

impl BlockShadow<'_> {
    /// Lanes come to a collective; returns what is wrong, with the lane that did it, and if that is only what certain
    /// lanes get, these.
    pub(crate) fn collect(&mut self, collective: &Collective) -> Vec<(Fault, u32)> {
        let mut faults = Vec::new();
        faults.extend(self.odd_width(collective).map(|fault| (fault, 0)));
        let mut rest = collective.active;
        while rest != 0 {
            let members = collective.members[rest.trailing_zeros() as usize];
            let mut group = 0;
            for_lanes(rest, |lane| {
                group |= u32::from(collective.members[lane] == members) << lane;
            });
            rest &= !group;
            self.collect_group(collective, members, group, &mut faults);
        }
        faults
    }

    /// What is wrong with the width of a shuffle. CUDA C++ writes a width of `w` lanes as `32 - w` in bits 8 and up; which
    /// lanes exchange values is undefined unless it is a power of two up to 32.
    fn odd_width(&self, collective: &Collective) -> Option<Fault> {
        let segments = collective.segments?;
        let width = |lane: usize| 32 - (segments[lane] as i32 >> 8);
        let is_odd = |lane: usize| !matches!(width(lane), 1 | 2 | 4 | 8 | 16 | 32);
        let mut odd = 0;
        for_lanes(collective.active, |lane| {
            odd |= u32::from(is_odd(lane)) << lane;
        });
        let first = (odd != 0).then(|| odd.trailing_zeros() as usize)?;
        let detail = Detail::Mask {
            mask: collective.members[first],
            lanes: odd,
            fault: MaskFault::Width(width(first)),
        };
        let thread = collective.warp * WARP + first;
        Some(broken(self.block, collective.place, thread as u32, detail))
    }

    /// The same for the lanes that name the same members.
    fn collect_group(
        &mut self,
        collective: &Collective,
        members: u32,
        group: u32,
        faults: &mut Vec<(Fault, u32)>,
    ) {
        let block = self.block;
        let fault = |lanes: u32, others: u32, fault: MaskFault| {
            let thread = collective.warp * WARP + lanes.trailing_zeros() as usize % WARP;
            let detail = Detail::Mask {
                mask: members,
                lanes: others,
                fault,
            };
            broken(block, collective.place, thread as u32, detail)
        };
        let left_out = group & !members;
        if left_out != 0 {
            faults.push((fault(left_out, left_out, MaskFault::CallerLeftOut), 0));
        }
        // A value from a lane that is no member, or is there no more, is anyone's guess.
        let (mut readers, mut outside, mut gone) = (0u32, 0u32, 0u32);
        for_lanes(group, |lane| {
            let source = 1u32 << (collective.sources[lane] % WARP as u8);
            let is_outside = source & members == 0;
            let is_gone = source & !collective.live != 0;
            outside |= source * u32::from(is_outside);
            gone |= source * u32::from(is_gone);
            readers |= u32::from(is_outside || is_gone) << lane;
        });
        if left_out == 0 && outside != 0 {
            faults.push((fault(readers, outside, MaskFault::SourceOutside), readers));
        } else if left_out == 0 && gone != 0 {
            faults.push((fault(readers, gone, MaskFault::SourceGone), readers));
        }
        if let Some(elsewhere) = self.wait_for_members(collective, members, group)
            && collective.moves_values
        {
            faults.push((fault(group, elsewhere, MaskFault::Elsewhere), 0));
        }
    }

    /// Lanes have come that others waited for, or wait for others. Those that waited, if it was at another place.
    fn wait_for_members(
        &mut self,
        collective: &Collective,
        members: u32,
        group: u32,
    ) -> Option<u32> {
        let met = self.unmet.iter().position(|unmet| {
            (unmet.warp, unmet.kind, unmet.members) == (collective.warp, collective.kind, members)
                && unmet.missing & group == group
        });
        if let Some(met) = met {
            let unmet = &mut self.unmet[met];
            let elsewhere = (unmet.place != collective.place).then_some(unmet.came);
            unmet.missing &= !group;
            unmet.came |= group;
            if unmet.missing == 0 {
                self.unmet.remove(met);
            }
            return elsewhere;
        }
        let missing = members & collective.live & !group;
        if missing != 0 {
            if self.unmet.len() >= MOST {
                self.unmet.remove(0);
            }
            self.unmet.push(Unmet {
                place: collective.place,
                warp: collective.warp,
                kind: collective.kind,
                members,
                came: group,
                missing,
            });
        }
        None
    }

    /// The block has ended: the collectives to which not all members came.
    pub(crate) fn take_unmet(&mut self) -> Vec<Fault> {
        let fault = |unmet: Unmet| {
            let thread = unmet.warp * WARP + unmet.came.trailing_zeros() as usize % WARP;
            let detail = Detail::Mask {
                mask: unmet.members,
                lanes: unmet.missing,
                fault: MaskFault::NotComing,
            };
            broken(self.block, unmet.place, thread as u32, detail)
        };
        let faults = self.unmet.iter().copied().map(fault).collect();
        self.unmet.clear();
        faults
    }
}

/// Lanes that do not come together as they said: a barrier of the warp that diverges, whether it also moves values.
fn broken(block: u64, place: u32, thread: u32, detail: Detail) -> Fault {
    Fault {
        kind: FindingKind::Mask,
        block,
        place,
        space: None,
        thread,
        address: None,
        access_bytes: 0,
        is_store: false,
        count: 1,
        detail,
    }
}
