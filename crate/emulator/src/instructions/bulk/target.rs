//! The mbarriers that a copy is tied to, in one block or in several of the cluster.

use crate::instructions::bulk::form::BLOCKS_SHIFT;
use crate::instructions::bulk::rules::NO_SUCH_BLOCK;
use crate::instructions::mbarrier;
use crate::machine::pending::{Bulk, Sent};
use crate::machine::world::World;
use crate::operations::asynchronous::Broken;
use crate::operations::remote::Owner;
use crate::program::space::{in_block, shared_owner};
use crate::report::{FindingKind, Space};

/// An mbarrier, at this address in each of some blocks of the cluster.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    pub(super) barrier: u32,
    /// The ranks, a bit each; none for the block that starts the copy.
    pub(super) blocks: u32,
}

/// Ties a copy to the mbarriers of all blocks that it goes to.
pub(super) fn tie(world: &mut World, target: Target, bulk: Bulk) -> Result<(), Broken> {
    let Target { barrier, blocks } = target;
    let (own, count) = match &world.cluster {
        Some(cluster) => (cluster.rank, cluster.count()),
        None => (0, 1),
    };
    if blocks == 0 {
        world.tie(barrier, bulk);
        return Ok(());
    }
    for rank in (0..u32::BITS).filter(|rank| blocks >> rank & 1 == 1) {
        let address = in_block(u64::from(barrier), rank);
        let known = |world: &World| mbarrier::known(world, barrier);
        if rank == own {
            known(world)?;
            world.tie(barrier, bulk.clone());
        } else if rank >= count || world.has_ended(Owner::Other(rank as usize)) {
            return Err(Broken {
                kind: FindingKind::InvalidAddress,
                space: Space::Shared,
                address,
                bytes: bulk.bytes,
                is_store: true,
                rule: Some(NO_SUCH_BLOCK),
            });
        } else {
            let sent = Sent {
                by: own,
                to: rank,
                barrier,
            };
            let sent = Bulk {
                sent: Some(sent),
                ..bulk.clone()
            };
            world.in_other(rank as usize, |world| known(world))?;
            world.send(&sent);
            world.in_other(rank as usize, |world| world.tie(barrier, sent));
        }
    }
    Ok(())
}

/// Where the copy is tied: to an mbarrier of the block whose memory it goes to, or at this address of all that it names.
pub(super) fn target(
    world: &World,
    barrier: u64,
    to: u64,
    spreads: bool,
) -> Result<Target, Broken> {
    let offset = shared_owner(barrier & u64::from(u32::MAX)).1;
    if spreads {
        let blocks = (barrier >> BLOCKS_SHIFT) as u32 & 0xffff;
        let barrier = offset as u32;
        return Ok(Target { barrier, blocks });
    }
    if let (Owner::Other(rank), _) = world.shared_place(to).unwrap_or((Owner::Own, 0)) {
        return Ok(Target {
            barrier: offset as u32,
            blocks: 1 << rank,
        });
    }
    Ok(Target {
        barrier: mbarrier::checked(world, barrier)?,
        blocks: 0,
    })
}
