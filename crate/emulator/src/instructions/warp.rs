//! PTX ISA: instructions by which the lanes of a warp exchange values: `shfl`, `vote`, `match`, `redux`, `activemask`.

use crate::check::Collective;
use crate::decode::ir::Carries;
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::machine::inst::{AccessFn, Both, ComputeFn, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::world::{RecordedShuffle, World};
use crate::operations::drive::one;
use crate::parse::ast::Operand;
use crate::program::kinds::{FileKind, Kind, NO_SLOT, Slot, WARP, for_lanes};
use crate::report::ShuffleMode;

/// Runs `f` for each warp with its active lanes and writes the destinations.
fn for_warps(lanes: &mut Lanes, mut f: impl FnMut(&mut Lanes, usize, u32)) {
    let active = lanes.active;
    for warp in active.first..active.last {
        if active.mask[warp] != 0 {
            f(lanes, warp, active.mask[warp]);
        }
    }
}

/// The same for each group of a warp's active lanes that name the same members: lanes of one warp may do the same
/// instruction at the same time in groups of their own. Members that are not active are left out.
fn for_members(lanes: &mut Lanes, members: Slot, mut f: impl FnMut(&mut Lanes, usize, u32, u32)) {
    for_warps(lanes, |lanes, warp, mask| {
        let named = warp_of(lanes, members, warp);
        let mut rest = mask;
        while rest != 0 {
            let members = named[rest.trailing_zeros() as usize];
            let mut group = 0;
            for_lanes(rest, |lane| {
                group |= u32::from(named[lane] == members) << lane
            });
            rest &= !group;
            f(lanes, warp, group, members & mask);
        }
    });
}

fn set_pred(lanes: &mut Lanes, slot: Slot, warp: usize, mask: u32, bits: u32) {
    if slot != NO_SLOT {
        let word = &mut lanes.preds[usize::from(slot)][warp];
        *word = (*word & !mask) | (bits & mask);
    }
}

pub(super) fn warp_of(lanes: &Lanes, slot: Slot, warp: usize) -> [u32; WARP] {
    let mut values = [0; WARP];
    values.copy_from_slice(&lanes.words.source(slot)[warp * WARP..][..WARP]);
    values
}

fn set_words(lanes: &mut Lanes, slot: Slot, warp: usize, mask: u32, value: impl Fn(usize) -> u32) {
    let out = &mut lanes.words.registers[usize::from(slot)][warp * WARP..][..WARP];
    for_lanes(mask, |lane| out[lane] = value(lane));
}

/// `shfl.sync.mode.b32 d|p, a, b, c, membermask;` PTX ISA gives the formula for each mode.
pub(crate) fn lower_shfl(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let sync = usize::from(matched.has("sync"));
    lowerer.expect_operands(matched, 4 + sync..=4 + sync)?;
    let operands = matched.operands();
    let (d, p) = lowerer.result_and_pred(matched, &operands[0], Kind::Bits32)?;
    let mut sources = Vec::new();
    for operand in &operands[1..4] {
        sources.push(lowerer.source(matched, operand, Kind::Bits32)?);
    }
    let mode = lowerer.choice(matched, &["up", "down", "bfly", "idx"])?;
    if matched.has("sync") {
        let members = lowerer.source(matched, &operands[4], Kind::Bits32)?;
        let (b, c) = (sources[1], sources[2]);
        lowerer.effect(MEMBERS, &[], &[members, b, c], SHUFFLES + mode, 0);
    }
    lowerer.exchange(SHFL, &[Some(d), p], &sources, mode);
    lowerer.carries(Carries::Exchanged);
    Ok(())
}

const SHFL: Both<ComputeFn> = one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) shfl(lanes, inst));

fn shfl(lanes: &mut Lanes, inst: &Inst) {
    for_warps(lanes, |lanes, warp, mask| {
        let (a, b) = (
            warp_of(lanes, inst.s[0], warp),
            warp_of(lanes, inst.s[1], warp),
        );
        let c = warp_of(lanes, inst.s[2], warp);
        let (from, inside) = sources(&b, &c, inst.imm);
        set_words(lanes, inst.d[0], warp, mask, |lane| {
            a[usize::from(from[lane])]
        });
        set_pred(lanes, inst.d[1], warp, mask, inside);
    });
}

/// The lane whose value each lane takes, its own if there is none, and the lanes for which there is one.
fn sources(b: &[u32; WARP], c: &[u32; WARP], mode: u64) -> ([u8; WARP], u32) {
    let mut inside = 0;
    let mut from = [0; WARP];
    for (lane, from) in from.iter_mut().enumerate() {
        let (at, by) = (lane as i32, (b[lane] & 31) as i32);
        let (clamp, segment) = ((c[lane] & 31) as i32, ((c[lane] >> 8) & 31) as i32);
        let most = (at & segment) | (clamp & !segment);
        let (source, valid) = match mode {
            0 => (at - by, at - by >= most),
            1 => (at + by, at + by <= most),
            2 => (at ^ by, (at ^ by) <= most),
            _ => {
                let source = (at & segment) | (by & !segment);
                (source, source <= most)
            }
        };
        inside |= u32::from(valid) << lane;
        *from = if valid {
            (source & 31) as u8
        } else {
            lane as u8
        };
    }
    (from, inside)
}

// ---- the members that collectives name, for a launch's checks ----

/// Kinds of collectives: those of one kind may meet. Of shuffles, the mode is added.
pub(super) const SYNC: u64 = 0;
const VOTES: u64 = 1;
const MATCHES: u64 = 2;
const REDUCTIONS: u64 = 3;
const ELECTIONS: u64 = 4;
const SHUFFLES: u64 = 8;

/// Shows the members `s[0]` of a collective of kind `imm` to the launch's checks; `s[1]` and `s[2]` are a shuffle's.
pub(super) const MEMBERS: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) members(lanes, world, inst));

fn members(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    if world.trace.is_some()
        && let Some(mode) = inst.imm.checked_sub(SHUFFLES)
    {
        trace_shuffle(lanes, world, inst, mode);
    }
    if world.check.is_some() {
        show_members(lanes, world, inst);
    }
}

#[cold]
fn trace_shuffle(lanes: &Lanes, world: &mut World, inst: &Inst, mode: u64) {
    let active = lanes.active;
    for warp in active.first..active.last {
        if active.mask[warp] == 0 {
            continue;
        }
        let b = warp_of(lanes, inst.s[1], warp);
        let (from, inside) = sources(&b, &warp_of(lanes, inst.s[2], warp), mode);
        world.record_shuffle(&RecordedShuffle {
            place: inst.place,
            warp: lanes.first_warp + warp,
            active: active.mask[warp],
            mode: match mode {
                0 => ShuffleMode::Up,
                1 => ShuffleMode::Down,
                2 => ShuffleMode::Butterfly,
                _ => ShuffleMode::Index,
            },
            from: &from,
            inside,
        });
    }
}

#[cold]
fn show_members(lanes: &Lanes, world: &mut World, inst: &Inst) {
    let active = lanes.active;
    for warp in active.first..active.last {
        if active.mask[warp] == 0 {
            continue;
        }
        let members = warp_of(lanes, inst.s[0], warp);
        let own = std::array::from_fn(|lane| lane as u8);
        let (taken, segments) = match inst.imm.checked_sub(SHUFFLES) {
            Some(mode) => {
                let b = warp_of(lanes, inst.s[1], warp);
                let c = warp_of(lanes, inst.s[2], warp);
                (sources(&b, &c, mode).0, Some(c))
            }
            None => (own, None),
        };
        let collective = Collective {
            place: inst.place,
            warp: lanes.first_warp + warp,
            kind: inst.imm,
            moves_values: !matches!(inst.imm, SYNC | ELECTIONS),
            active: active.mask[warp],
            live: lanes.live[warp],
            members: &members,
            sources: &taken,
            segments: segments.as_ref(),
        };
        let faults = match &mut world.check {
            Some(shadow) => shadow.collect(&collective),
            None => Vec::new(),
        };
        for (fault, readers) in faults {
            match readers {
                0 => world.fault(fault),
                _ => world.faults.doubt(fault, readers),
            }
        }
    }
}

/// `vote.sync.{all|any|uni}.pred d, {!}a, membermask;` and `vote.sync.ballot.b32 d, {!}a, membermask;`
pub(crate) fn lower_vote(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let sync = usize::from(matched.has("sync"));
    lowerer.expect_operands(matched, 2 + sync..=2 + sync)?;
    let operands = matched.operands();
    let a = lowerer.predicate(matched, &operands[1])?;
    let members = match operands.get(2) {
        Some(members) => lowerer.source(matched, members, Kind::Bits32)?,
        None => lowerer.bits(FileKind::Words, u64::from(u32::MAX)),
    };
    let mode = lowerer.choice(matched, &["all", "any", "uni", "ballot"])?;
    if operands.len() > 2 {
        lowerer.effect(MEMBERS, &[], &[members], VOTES, 0);
    }
    let kind = if mode == 3 { Kind::Bits32 } else { Kind::Pred };
    let d = lowerer.result(matched, &operands[0], kind)?;
    lowerer.exchange(VOTE, &[Some(d)], &[a, members], mode);
    Ok(())
}

const VOTE: Both<ComputeFn> = one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) vote(lanes, inst));

fn vote(lanes: &mut Lanes, inst: &Inst) {
    for_members(lanes, inst.s[1], |lanes, warp, mask, members| {
        let a = lanes.preds[usize::from(inst.s[0])][warp];
        let holds = match inst.imm {
            0 => a & members == members,
            1 => a & members != 0,
            2 => a & members == members || a & members == 0,
            _ => return set_words(lanes, inst.d[0], warp, mask, |_| a & members),
        };
        set_pred(
            lanes,
            inst.d[0],
            warp,
            mask,
            if holds { u32::MAX } else { 0 },
        );
    });
}

/// `match.{any|all}.sync.type d{|p}, a, membermask;`
pub(crate) fn lower_match(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 3..=3)?;
    let operands = matched.operands();
    let kind = if matched.has("b64") {
        Kind::Bits64
    } else {
        Kind::Bits32
    };
    let (d, p) = lowerer.result_and_pred(matched, &operands[0], Kind::Bits32)?;
    let a = lowerer.source(matched, &operands[1], kind)?;
    let members = lowerer.source(matched, &operands[2], Kind::Bits32)?;
    let mode = u64::from(matched.has("all")) | u64::from(kind == Kind::Bits64) << 1;
    lowerer.effect(MEMBERS, &[], &[members], MATCHES, 0);
    lowerer.exchange(MATCH, &[Some(d), p], &[a, members], mode);
    Ok(())
}

const MATCH: Both<ComputeFn> =
    one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) matching(lanes, inst));

fn matching(lanes: &mut Lanes, inst: &Inst) {
    for_members(lanes, inst.s[1], |lanes, warp, mask, members| {
        let mut values = [0u64; WARP];
        for (lane, value) in values.iter_mut().enumerate() {
            *value = if inst.imm & 2 != 0 {
                lanes.longs.source(inst.s[0])[warp * WARP + lane]
            } else {
                u64::from(lanes.words.source(inst.s[0])[warp * WARP + lane])
            };
        }
        let mut same = [0u32; WARP];
        for_lanes(members, |lane| {
            for_lanes(members, |other| {
                same[lane] |= u32::from(values[lane] == values[other]) << other
            });
        });
        if inst.imm & 1 == 0 {
            return set_words(lanes, inst.d[0], warp, mask, |lane| same[lane]);
        }
        let all = members != 0 && same[members.trailing_zeros() as usize] == members;
        set_words(
            lanes,
            inst.d[0],
            warp,
            mask,
            |_| if all { members } else { 0 },
        );
        set_pred(lanes, inst.d[1], warp, mask, if all { u32::MAX } else { 0 });
    });
}

/// `redux.sync.op.type d, a, membermask;`
pub(crate) fn lower_redux(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 3..=3)?;
    let operands = matched.operands();
    let d = lowerer.result(matched, &operands[0], Kind::Bits32)?;
    let a = lowerer.source(matched, &operands[1], Kind::Bits32)?;
    let members = lowerer.source(matched, &operands[2], Kind::Bits32)?;
    let op = lowerer.choice(matched, &["add", "min", "max", "and", "or", "xor"])?;
    let mode = op | u64::from(matched.has("s32")) << 4;
    lowerer.effect(MEMBERS, &[], &[members], REDUCTIONS, 0);
    lowerer.exchange(REDUX, &[Some(d)], &[a, members], mode);
    Ok(())
}

const REDUX: Both<ComputeFn> =
    one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) redux(lanes, inst));

fn redux(lanes: &mut Lanes, inst: &Inst) {
    let signed = inst.imm >> 4 == 1;
    let combine = |x: u32, y: u32| match (inst.imm & 15, signed) {
        (0, _) => x.wrapping_add(y),
        (1, false) => x.min(y),
        (1, true) => (x as i32).min(y as i32) as u32,
        (2, false) => x.max(y),
        (2, true) => (x as i32).max(y as i32) as u32,
        (3, _) => x & y,
        (4, _) => x | y,
        _ => x ^ y,
    };
    for_members(lanes, inst.s[1], |lanes, warp, mask, members| {
        let a = warp_of(lanes, inst.s[0], warp);
        let mut result = None;
        for_lanes(members, |lane| {
            result = Some(result.map_or(a[lane], |sum| combine(sum, a[lane])))
        });
        set_words(lanes, inst.d[0], warp, mask, |_| result.unwrap_or(0));
    });
}

/// `activemask.b32 d;`
pub(crate) fn lower_activemask(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 1..=1)?;
    let d = lowerer.result(matched, &matched.operands()[0], Kind::Bits32)?;
    lowerer.exchange(ACTIVEMASK, &[Some(d)], &[], 0);
    Ok(())
}

const ACTIVEMASK: Both<ComputeFn> =
    one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) activemask(lanes, inst));

fn activemask(lanes: &mut Lanes, inst: &Inst) {
    for_warps(lanes, |lanes, warp, mask| {
        set_words(lanes, inst.d[0], warp, mask, |_| mask)
    });
}

/// `elect.sync d|p, membermask;`
pub(crate) fn lower_elect(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    if !matches!(operands[0], Operand::Pair(..)) {
        return Err(lowerer.wrong(matched, "expected `d|p` as the destination"));
    }
    let (d, p) = lowerer.result_and_pred(matched, &operands[0], Kind::Bits32)?;
    let members = lowerer.source(matched, &operands[1], Kind::Bits32)?;
    lowerer.effect(MEMBERS, &[], &[members], ELECTIONS, 0);
    lowerer.exchange(ELECT, &[Some(d), p], &[members], 0);
    Ok(())
}

const ELECT: Both<ComputeFn> =
    one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) elect(lanes, inst));

fn elect(lanes: &mut Lanes, inst: &Inst) {
    for_members(lanes, inst.s[0], |lanes, warp, mask, members| {
        let leader = members & members.wrapping_neg();
        set_words(lanes, inst.d[0], warp, mask, |_| leader.trailing_zeros());
        set_pred(lanes, inst.d[1], warp, mask, leader);
    });
}
