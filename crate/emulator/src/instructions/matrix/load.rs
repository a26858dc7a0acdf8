//! PTX ISA: `ldmatrix`, `stmatrix`, `movmatrix`: 8×8 matrices of 16-bit elements between registers and shared memory.
//!
//! Each lane gives the address of a row of 16 bytes, lanes 0 to 7 for the first matrix, 8 to 15 for the second and so
//! on, so that to shared memory they are accesses of 16 bytes by the first 8, 16 or 32 lanes, and counted as such. Each
//! matrix takes a pass through the banks and those beyond are bank conflicts; lanes that agree save nothing, unlike
//! those of `ld.shared.v4`. ncu counts them in neither `smsp__inst_executed_op_shared_ld.sum` nor `…_st.sum`, but
//! loads in `smsp__inst_executed_op_ldsm.sum`. All as measured on an H200: `tests/h200/matrix/counters.csv`.

use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::instructions::matrix::{fetch_results, results, stage_sources};
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::stage::Row;
use crate::machine::world::World;
use crate::operations::drive::one;
use crate::operations::matrix::for_whole_warps;
use crate::operations::matrix::fragment::transposed;
use crate::operations::memory::{Data, Request};
use crate::program::access::{AccessShape, Assembled, Strength, Wanted};
use crate::program::kinds::{Kind, WARP};
use crate::program::matrix::Tiles;
use crate::report::Space;

/// Bytes of a row of an 8×8 matrix of 16-bit elements.
const ROW_BYTES: u32 = 16;

/// How a lane accesses a row.
pub(crate) fn row_shape(site: u32, space: Option<Space>) -> AccessShape {
    plain_shape(site, space, ROW_BYTES)
}

/// How a lane accesses so many bytes.
pub(crate) fn plain_shape(site: u32, space: Option<Space>, bytes: u32) -> AccessShape {
    AccessShape {
        wanted: Wanted::ALL,
        site,
        space,
        element: bytes,
        count: 1,
        signed: false,
        long: false,
        uncounted: false,
        atomic: None,
        assembled: Assembled::EachLane,
        strength: Strength::Weak,
        is_narrow: false,
        is_constant: false,
        is_float: false,
    }
}

/// `ldmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 r, [p];`
pub(crate) fn lower_ldmatrix(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let count = count(lowerer, matched)?;
    let registers = results(lowerer, matched, &operands[0], Kind::Bits32, count)?;
    let (address, offset) = lowerer.reach(matched, &operands[1], lowerer.space(matched)?)?;
    let number = add_tiles(lowerer, matched, false)?;
    lowerer.effect(LOAD, &[], &[address], offset, number);
    fetch_results(lowerer, &registers, Kind::Bits32, 0);
    Ok(())
}

/// `stmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 [p], r;`
pub(crate) fn lower_stmatrix(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let (address, offset) = lowerer.reach(matched, &operands[0], lowerer.space(matched)?)?;
    let count = count(lowerer, matched)?;
    stage_sources(lowerer, matched, &operands[1], Kind::Bits32, count, 0)?;
    let number = add_tiles(lowerer, matched, true)?;
    lowerer.effect(STORE, &[], &[address], offset, number);
    Ok(())
}

/// `movmatrix.sync.aligned.m8n8.trans.b16 d, a;`
pub(crate) fn lower_movmatrix(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let registers = results(lowerer, matched, &operands[0], Kind::Bits32, 1)?;
    stage_sources(lowerer, matched, &operands[1], Kind::Bits32, 1, 0)?;
    lowerer.effect(MOVE, &[], &[], 0, 0);
    fetch_results(lowerer, &registers, Kind::Bits32, 0);
    Ok(())
}

/// How many matrices the instruction moves.
fn count(lowerer: &Lowerer, matched: &Matched) -> Result<usize, LoadError> {
    Ok(1 << lowerer.choice(matched, &["x1", "x2", "x4"])?)
}

fn add_tiles(lowerer: &mut Lowerer, matched: &Matched, is_store: bool) -> Result<u32, LoadError> {
    let space = lowerer.space(matched)?;
    let count = count(lowerer, matched)?;
    let site = lowerer.matrix_site(space, is_store, ROW_BYTES);
    let tiles = &mut lowerer.matrix_tables().tiles;
    tiles.push(Tiles {
        shape: row_shape(site, space),
        count,
        transposed: matched.has("trans"),
    });
    Ok(tiles.len() as u32 - 1)
}

pub(crate) const LOAD: Both<AccessFn> =
    one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) load(lanes, world, inst));
pub(crate) const STORE: Both<AccessFn> =
    one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) store(lanes, world, inst));
const MOVE: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) transpose(lanes, world, inst));

pub(crate) fn load(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let tiles = world.program.matrix.tiles[inst.aux as usize];
    for_whole_warps(lanes, world, inst, |lanes, world, warp, mask| {
        let request = Request::new(lanes, inst, &tiles.shape, warp, mask, false);
        let rows = load_rows(request, lanes, world, tiles.count, tiles.transposed);
        world.stage.warp(warp)[..tiles.count].copy_from_slice(&rows[..tiles.count]);
    });
}

pub(crate) fn store(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let tiles = world.program.matrix.tiles[inst.aux as usize];
    for_whole_warps(lanes, world, inst, |lanes, world, warp, mask| {
        let mut data: Data = [[0; WARP]; 4];
        for (tile, row) in world.stage.warp(warp)[..tiles.count].iter().enumerate() {
            let row = if tiles.transposed {
                transposed(row)
            } else {
                *row
            };
            for lane in 0..WARP {
                data[lane % 4][8 * tile + lane / 4] = row[lane];
            }
        }
        let mut request = Request::new(lanes, inst, &tiles.shape, warp, mask, true);
        request.mask &= first_lanes(tiles.count);
        request.run(lanes, world, &mut data);
    });
}

pub(crate) fn transpose(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_whole_warps(lanes, world, inst, |_, world, warp, _| {
        let row = &mut world.stage.warp(warp)[0];
        *row = transposed(row);
    });
}

/// The lanes that give the addresses of so many matrices' rows.
fn first_lanes(count: usize) -> u32 {
    u32::MAX >> (32 - 8 * count.clamp(1, 4))
}

/// Loads so many matrices, a register of each lane for each.
pub(crate) fn load_rows(
    mut request: Request,
    lanes: &mut Lanes,
    world: &mut World,
    count: usize,
    transposes: bool,
) -> [Row; 4] {
    let mut data: Data = [[0; WARP]; 4];
    request.mask &= first_lanes(count);
    request.run(lanes, world, &mut data);
    std::array::from_fn(|tile| {
        let row = std::array::from_fn(|lane| data[lane % 4][(8 * tile + lane / 4) % WARP]);
        if transposes { transposed(&row) } else { row }
    })
}
