//! Occupancy: how many blocks a multiprocessor of an H200 runs together, by threads and shared memory. Registers are not known.

use std::ffi::{c_int, c_uint};

use super::structs::LaunchConfig;
use super::{Handle, In, Out, driver, exports};
use crate::launch::Function;
use crate::status::{Result, Status};

/// Says how much dynamic shared memory a block of so many threads takes.
type SharedOf = Option<extern "C" fn(c_int) -> usize>;

exports! {
    /// Blocks of a size that a multiprocessor runs together.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: Out<c_int>, function: Handle, threads: c_int, shared_bytes: usize) {
        blocks.set(resident(function, threads, shared_bytes)?)
    }

    /// The same.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks: Out<c_int>, function: Handle, threads: c_int, shared_bytes: usize, flags: c_uint) {
        match flags {
            0 | 1 => blocks.set(resident(function, threads, shared_bytes)?),
            _ => Err(Status::INVALID_VALUE.into()),
        }
    }

    /// The size of block with which most threads run together.
    fn cuOccupancyMaxPotentialBlockSize(grid: Out<c_int>, block: Out<c_int>, function: Handle, shared_of: SharedOf, shared_bytes: usize, limit: c_int) {
        best(grid, block, function, (shared_of, shared_bytes), limit)
    }

    /// The same.
    fn cuOccupancyMaxPotentialBlockSizeWithFlags(grid: Out<c_int>, block: Out<c_int>, function: Handle, shared_of: SharedOf, shared_bytes: usize, limit: c_int, flags: c_uint) {
        match flags {
            0 | 1 => best(grid, block, function, (shared_of, shared_bytes), limit),
            _ => Err(Status::INVALID_VALUE.into()),
        }
    }

    /// Dynamic shared memory that so many blocks may each have.
    fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: Out<usize>, function: Handle, blocks: c_int, threads: c_int) {
        let function = driver()?.function_of(function)?;
        let (blocks, threads) = (positive(blocks)?, positive(threads)?);
        let fits = |kib: &u32| function.blocks_per_multiprocessor(threads, kib << 10) >= blocks;
        let most = (0..=227).rev().find(fits);
        bytes.set((most.ok_or(Status::INVALID_VALUE)? as usize) << 10)
    }

    /// Clusters that the device runs together.
    fn cuOccupancyMaxActiveClusters(clusters: Out<c_int>, function: Handle, config: In<LaunchConfig>) {
        let config = config.get()?;
        let threads: u32 = config.block.iter().product();
        let attributes = In(config.attributes).list(config.attribute_count as usize)?;
        let cluster = attributes.iter().find(|attribute| attribute.id == 4);
        let size = cluster.map_or(1, |attribute| attribute.value[..3].iter().product::<u32>());
        let function = driver()?.function_of(function)?;
        let blocks = function.blocks_per_multiprocessor(threads, config.shared_bytes);
        clusters.set((blocks * cornerturn_emulator::MULTIPROCESSORS / size.max(1)) as c_int)
    }

    /// The largest cluster.
    fn cuOccupancyMaxPotentialClusterSize(blocks: Out<c_int>, function: Handle, _config: In<LaunchConfig>) {
        let function = driver()?.function_of(function)?;
        let wide = function.attribute(crate::launch::FunctionAttribute::NonPortableClusterSizeAllowed);
        blocks.set(if wide != 0 { 16 } else { 8 })
    }
}

fn positive(number: c_int) -> Result<u32> {
    let number = u32::try_from(number).ok().filter(|number| *number > 0);
    number.ok_or_else(|| Status::INVALID_VALUE.into())
}

fn resident(function: Handle, threads: c_int, shared_bytes: usize) -> Result<c_int> {
    let function = driver()?.function_of(function)?;
    let shared_bytes = u32::try_from(shared_bytes).unwrap_or(u32::MAX >> 1);
    Ok(function.blocks_per_multiprocessor(positive(threads)?, shared_bytes) as c_int)
}

fn best(
    grid: Out<c_int>,
    block: Out<c_int>,
    function: Handle,
    (shared_of, shared_bytes): (SharedOf, usize),
    limit: c_int,
) -> Result<()> {
    let function = driver()?.function_of(function)?;
    let most = match limit {
        limit if limit > 0 => function.max_threads.min(limit as u32),
        _ => function.max_threads,
    };
    let (threads, blocks) = best_block(&function, most, |threads| {
        let bytes = shared_of.map_or(shared_bytes, |bytes| bytes(threads as c_int));
        u32::try_from(bytes).unwrap_or(u32::MAX >> 1)
    });
    block.set(threads as c_int)?;
    grid.set((blocks * cornerturn_emulator::MULTIPROCESSORS) as c_int)
}

/// Threads of the block with which most threads of a multiprocessor are used, the largest of those, and how many such blocks
/// there are.
fn best_block(function: &Function, most: u32, shared: impl Fn(u32) -> u32) -> (u32, u32) {
    let sizes = (1..=most.div_ceil(32))
        .rev()
        .map(|warps| (32 * warps).min(most));
    let mut best = (0, 0);
    for threads in sizes {
        let blocks = function.blocks_per_multiprocessor(threads, shared(threads));
        if threads * blocks > best.0 * best.1 {
            best = (threads, blocks);
        }
    }
    best
}
