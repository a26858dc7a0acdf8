//! Shared memory of a cluster: whose it is that an address means, and accesses to another block's.

use crate::check::{Remote, Sending, Touch, TouchAct};
use crate::machine::pending::{Bulk, Sent, What};
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::program::access::Strength;
use crate::program::kinds::{WARP, for_lanes};
use crate::program::space::{in_block, shared_owner};
use crate::report::{ClusterFault, Detail, FindingKind, Space};

/// Where in shared memory an address lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// In that of the block itself.
    Own,
    /// In that of another block of the cluster, by its rank.
    Other(usize),
}

impl World<'_> {
    /// Whose shared memory an address means, and where in it; the rank if the cluster has no such block.
    #[inline(always)]
    pub(crate) fn shared_place(&self, address: u64) -> Result<(Owner, u64), u32> {
        let (rank, offset) = shared_owner(address);
        let Some(rank) = rank else {
            return Ok((Owner::Own, offset));
        };
        let (own, blocks) = match &self.cluster {
            Some(cluster) => (cluster.rank, cluster.count()),
            None => (0, 1),
        };
        match rank {
            rank if rank == own => Ok((Owner::Own, offset)),
            rank if rank < blocks => Ok((Owner::Other(rank as usize), offset)),
            rank => Err(rank),
        }
    }

    /// The words of shared memory from a byte offset on that so many bytes lie in, and whose they are; or what is wrong.
    pub(crate) fn shared_words(
        &mut self,
        address: u64,
        bytes: u64,
    ) -> Result<&mut [u32], (FindingKind, Detail)> {
        let wrong = |rank, fault| {
            let detail = Detail::OtherShared { rank, fault };
            Err((FindingKind::InvalidAddress, detail))
        };
        let (owner, offset) = match self.shared_place(address) {
            Ok(place) => place,
            Err(rank) => {
                let blocks = self.cluster.as_ref().map_or(1, |cluster| cluster.count());
                return wrong(rank, ClusterFault::NoSuchRank { blocks });
            }
        };
        if !self.has_shared(offset, bytes) {
            return Err((FindingKind::OutOfBounds, Detail::None));
        }
        let words = match (owner, &mut self.cluster) {
            (Owner::Other(rank), Some(cluster)) => {
                if cluster.blocks[rank].has_ended {
                    return wrong(rank as u32, ClusterFault::Ended);
                }
                &mut cluster.blocks[rank].shared
            }
            _ => &mut self.shared,
        };
        Ok(&mut words[offset as usize / 4..])
    }

    /// Whether the block whose memory it is has ended.
    pub(crate) fn has_ended(&self, owner: Owner) -> bool {
        match (owner, &self.cluster) {
            (Owner::Other(rank), Some(cluster)) => cluster.blocks[rank].has_ended,
            _ => false,
        }
    }

    /// Does something as if another block of the cluster did it, which has not ended.
    pub(crate) fn in_other<T>(&mut self, rank: usize, act: impl FnOnce(&mut Self) -> T) -> T {
        let exchange = |world: &mut Self| {
            if let Some(cluster) = &mut world.cluster {
                let other = &mut cluster.blocks[rank];
                std::mem::swap(&mut world.shared, &mut other.shared);
                std::mem::swap(&mut world.pending, &mut other.pending);
            }
        };
        exchange(self);
        // What is told to the checks is another affair.
        let check = self.check.take();
        let result = act(self);
        self.check = check;
        exchange(self);
        self.changes += 1;
        result
    }

    /// Shows the launch's checks an access to shared memory at addresses that may say whose it is.
    pub(crate) fn touch_shared(&mut self, touch: &Touch, strength: Strength) {
        let mut own = (0, [0; WARP]);
        let mut others = 0;
        for_lanes(touch.mask, |lane| {
            match self.shared_place(touch.addresses[lane]) {
                Ok((Owner::Own, offset)) => {
                    own.0 |= 1 << lane;
                    own.1[lane] = offset;
                }
                Ok((Owner::Other(_), _)) => others |= 1 << lane,
                Err(_) => {}
            }
        });
        if own.0 != 0 {
            let touch = Touch {
                mask: own.0,
                addresses: &own.1,
                ..*touch
            };
            self.touch(&touch, strength);
        }
        for_lanes(others, |lane| self.touch_other(touch, lane, strength));
    }

    /// The same of one lane's access to another block's.
    fn touch_other(&mut self, touch: &Touch, lane: usize, strength: Strength) {
        let Ok((Owner::Other(rank), offset)) = self.shared_place(touch.addresses[lane]) else {
            return;
        };
        let bytes = u64::from(touch.bytes);
        if !offset.is_multiple_of(bytes) || !self.has_shared(offset, bytes) {
            return;
        }
        let (Some(check), Some(cluster)) = (&mut self.check, &mut self.cluster) else {
            return;
        };
        let cluster = cluster.as_mut();
        let by = cluster.rank as usize;
        let other = &mut cluster.blocks[rank];
        let (Some(shadow), Some(owner)) = (&mut cluster.shadow, &mut other.check) else {
            return;
        };
        if other.has_ended {
            return;
        }
        let remote = Remote {
            by,
            owner: rank,
            lane,
            offset,
        };
        let found = shadow.other(&remote, touch, strength, (check, owner), self.program);
        for (kind, detail) in found {
            self.faults.note(Fault {
                kind,
                block: self.block,
                place: touch.place,
                space: Some(Space::Shared),
                thread: (touch.warp * WARP + lane) as u32,
                address: Some(touch.addresses[lane]),
                access_bytes: touch.bytes,
                is_store: !matches!(touch.act, TouchAct::Load),
                count: 1,
                detail,
            });
        }
    }

    /// Compares an access to the block's own shared memory with what others of the cluster did there.
    #[cold]
    pub(crate) fn touch_own_of_cluster(&mut self, touch: &Touch, strength: Strength) {
        let (Some(check), Some(cluster)) = (&mut self.check, &mut self.cluster) else {
            return;
        };
        let rank = cluster.rank as usize;
        if let Some(shadow) = &mut cluster.shadow {
            shadow.own(rank, (touch, strength), check);
        }
    }

    /// A warp has arrived at an mbarrier of the cluster, or learned that a phase is complete: of this block, or another.
    pub(crate) fn tell_cluster(&mut self, warp: usize, owner: u32, barrier: u32) {
        if let (Some(check), Some(cluster)) = (&mut self.check, &mut self.cluster) {
            let rank = cluster.rank as usize;
            if let Some(shadow) = &mut cluster.shadow {
                shadow.release((rank, warp), (owner, barrier), check);
            }
        }
    }

    /// A warp has waited at an mbarrier of its block.
    pub(crate) fn learn_from_cluster(&mut self, warp: usize, barrier: u32) {
        if let (Some(check), Some(cluster)) = (&self.check, &mut self.cluster) {
            let rank = cluster.rank;
            if let Some(shadow) = &mut cluster.shadow {
                shadow.acquire((rank as usize, warp), (rank, barrier), check);
            }
        }
    }

    // ---- asynchronous copies into other blocks ----

    /// Shows the launch's checks a copy into another block's memory that starts.
    pub(crate) fn send(&mut self, bulk: &Bulk) {
        let Some(sending) = sending(bulk) else {
            return;
        };
        let (Some(check), Some(cluster)) = (&mut self.check, &mut self.cluster) else {
            return;
        };
        let cluster = cluster.as_mut();
        let owner = &mut cluster.blocks[sending.owner].check;
        let (Some(shadow), Some(owner)) = (&mut cluster.shadow, owner) else {
            return;
        };
        for (kind, detail) in shadow.send(&sending, (check, owner)) {
            self.faults.note(Fault {
                kind,
                block: self.block,
                place: sending.place,
                space: Some(Space::Shared),
                thread: sending.thread,
                address: Some(in_block(u64::from(sending.start), sending.owner as u32)),
                access_bytes: sending.bytes,
                is_store: true,
                count: 1,
                detail,
            });
        }
    }

    /// The same of one that has come.
    pub(crate) fn land(&mut self, bulk: &Bulk, sent: Sent) {
        let Some(sending) = sending(bulk) else {
            return;
        };
        let start = sending.start as usize;
        let bytes = start..start + sending.bytes as usize;
        let Some(cluster) = &mut self.cluster else {
            if let Some(check) = &mut self.check {
                check.give_shared(bytes);
            }
            return;
        };
        let check = match cluster.rank == sent.to {
            true => &mut self.check,
            false => &mut cluster.blocks[sending.owner].check,
        };
        if let Some(check) = check {
            check.give_shared(bytes);
        }
        if let Some(shadow) = &mut cluster.shadow {
            shadow.land(&sending);
        }
    }
}

/// What the checks are told of a copy that one block sends another.
fn sending(bulk: &Bulk) -> Option<Sending> {
    let sent = bulk.sent?;
    let bytes = match &bulk.what {
        What::Nothing => return None,
        What::LoadTile { map, .. } => map.extent_bytes() as u32,
        _ => bulk.bytes,
    };
    Some(Sending {
        by: sent.by as usize,
        owner: sent.to as usize,
        place: bulk.by.place,
        thread: bulk.by.thread,
        start: bulk.shared,
        bytes,
        barrier: sent.barrier,
        adds: matches!(
            bulk.what,
            What::Bytes {
                reduction: Some(_),
                ..
            }
        ),
    })
}
