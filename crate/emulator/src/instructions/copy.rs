//! PTX ISA: `cp.async` and the groups that wait for it. When the bytes move is decided in `asynchronous`.

use crate::counters::copy_counts;
use crate::decode::ir::Value;
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::pending::{LaneCopies, Origin};
use crate::machine::world::{Recorded, World};
use crate::machine::worst::needed_sectors;
use crate::operations::asynchronous::Broken;
use crate::operations::basic;
use crate::operations::drive::one;
use crate::parse::ast::Operand;
use crate::program::Path;
use crate::program::access::{AccessShape, Assembled, Strength, Wanted};
use crate::program::kinds::{FileKind, Kind, NO_SLOT, WARP, for_lanes};
use crate::program::space::address_bits;
use crate::report::{FindingKind, HandoverKind, Space};

/// `cp.async.{ca|cg}.shared{::cta}.global{…} [dst], [src], bytes{, src-bytes | ignore-src}{, policy};`
pub(crate) fn lower(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let policy = usize::from(matched.has("L2::cache_hint"));
    lowerer.expect_operands(matched, 3 + policy..=4 + policy)?;
    let operands = matched.operands();
    let bytes = match operands[2] {
        Operand::Int(bytes @ (4 | 8)) if matched.has("ca") => bytes as u32,
        Operand::Int(16) => 16,
        _ => {
            let sizes = if matched.has("ca") {
                "4, 8 or 16"
            } else {
                "16"
            };
            return Err(lowerer.wrong(matched, &format!("copies {sizes} bytes")));
        }
    };
    let target = lowerer.whole_address(matched, &operands[0], Some(Space::Shared))?;
    let source = lowerer.whole_address(matched, &operands[1], Some(Space::Global))?;
    let (mut read, mut ignore) = (Value::None, Value::None);
    if let Some(operand) = operands[3..operands.len() - policy].first() {
        match lowerer.is_predicate(operand) {
            true => ignore = lowerer.predicate(matched, operand)?,
            false => read = lowerer.source(matched, operand, Kind::Bits32)?,
        }
    }
    let shape = AccessShape {
        wanted: Wanted::ALL,
        site: lowerer.copy_sites(Path::Async, [Space::Global, Space::Shared], bytes),
        space: Some(Space::Global),
        element: bytes,
        count: 1,
        signed: false,
        long: false,
        uncounted: false,
        assembled: Assembled::default(),
        strength: Strength::Weak,
        is_narrow: false,
        is_constant: false,
        is_float: false,
        atomic: None,
    };
    let bypass = u64::from(matched.has("cg"));
    lowerer.starts_copy(COPY, &[target, source, read, ignore], bypass, shape);
    Ok(())
}

const COPY: Both<AccessFn> =
    one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) copy(lanes, world, inst));

fn copy(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let shape = world.program.accesses[inst.aux as usize];
    let active = lanes.active;
    for warp in active.first..active.last {
        let mask = active.mask[warp];
        if mask == 0 {
            continue;
        }
        let bits = address_bits(Some(Space::Shared));
        let targets: [u64; WARP] =
            std::array::from_fn(|lane| lanes.longs.source(inst.s[0])[warp * WARP + lane] & bits);
        let mut copies = LaneCopies {
            by: Origin {
                place: inst.place,
                thread: ((lanes.first_warp + warp) * WARP) as u32,
                early: world.early(lanes.first_warp + warp, mask),
            },
            site: shape.site,
            target: targets.map(|target| target as u32),
            source: std::array::from_fn(|lane| lanes.longs.source(inst.s[1])[warp * WARP + lane]),
            read: read_bytes(lanes, inst, warp, shape.element),
            bytes: shape.element as u8,
        };
        count(lanes, world, inst, warp, mask, &targets, &copies);
        let mut good = 0;
        for_lanes(mask, |lane| {
            match check(world, &shape, targets[lane], &copies, lane) {
                Ok(()) => good |= 1 << lane,
                Err(broken) => world.broken(lanes, inst, warp * WARP + lane, broken),
            }
            copies.read[lane] = copies.read[lane].min(copies.bytes);
        });
        if good != 0 {
            world.start_copies(lanes.first_warp + warp, good, copies);
        }
    }
}

/// The bytes that each lane reads, at most one more than can be.
fn read_bytes(lanes: &Lanes, inst: &Inst, warp: usize, bytes: u32) -> [u8; WARP] {
    let ignored = match inst.s[3] {
        NO_SLOT => 0,
        slot => lanes.preds[usize::from(slot)][warp],
    };
    std::array::from_fn(|lane| {
        let read = match inst.s[2] {
            NO_SLOT => bytes,
            slot => lanes.words.source(slot)[warp * WARP + lane].min(bytes + 1),
        };
        if ignored & (1 << lane) != 0 {
            0
        } else {
            read as u8
        }
    })
}

fn check(
    world: &mut World,
    shape: &AccessShape,
    target: u64,
    copies: &LaneCopies,
    lane: usize,
) -> Result<(), Broken> {
    let bytes = u64::from(shape.element);
    let (source, read) = (copies.source[lane], usize::from(copies.read[lane]));
    let broken = |kind, space, address, rule| Broken {
        kind,
        space,
        address,
        bytes: shape.element,
        is_store: space == Space::Shared,
        rule,
    };
    if !target.is_multiple_of(bytes) {
        return Err(broken(FindingKind::Misaligned, Space::Shared, target, None));
    }
    if !world.has_shared(target, bytes) {
        return Err(broken(
            FindingKind::OutOfBounds,
            Space::Shared,
            target,
            None,
        ));
    }
    if read == 0 {
        return Ok(());
    }
    if !source.is_multiple_of(bytes) {
        return Err(broken(FindingKind::Misaligned, Space::Global, source, None));
    }
    if read > bytes as usize {
        let rule = Some("the size of the source is larger than that of the copy");
        return Err(broken(
            FindingKind::OutOfBounds,
            Space::Global,
            source,
            rule,
        ));
    }
    match world.find(shape.site as usize, source, read) {
        Some(_) => Ok(()),
        None => Err(broken(
            FindingKind::OutOfBounds,
            Space::Global,
            source,
            None,
        )),
    }
}

/// One site for what is read and one for what is written.
fn count(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    warp: usize,
    mask: u32,
    targets: &[u64; WARP],
    copies: &LaneCopies,
) {
    let shape = world.program.accesses[inst.aux as usize];
    let mut reading = 0;
    for_lanes(mask, |lane| {
        reading |= u32::from(copies.read[lane] != 0) << lane
    });
    let active = |addresses: &[u64; WARP], mask: u32| {
        std::array::from_fn(|lane| (mask & (1 << lane) != 0).then(|| addresses[lane]))
    };
    let (sources, all) = (active(&copies.source, reading), active(targets, mask));
    let counts = copy_counts(&sources, &all, shape.element, inst.imm != 0);
    // The profiler counts what is read as a load as well, though not as a load instruction.
    world.beside.global_load_requests += u64::from(reading != 0);
    world.beside.global_load_sectors += u64::from(counts.load_sectors);
    let from = shape.site as usize;
    let excess =
        (counts.sectors).saturating_sub(needed_sectors(reading.count_ones(), shape.element));
    world.weigh((from, warp), (&copies.source, reading), excess);
    world.weigh((from + 1, warp), (targets, mask), counts.bank_conflicts);
    let site = &mut world.sites[from];
    site.executed += 1;
    site.excess_sectors += u64::from(excess);
    site.requests += u64::from(reading != 0);
    site.sectors += u64::from(counts.sectors);
    let site = &mut world.sites[from + 1];
    site.executed += 1;
    site.requests += 1;
    site.wavefronts += u64::from(counts.wavefronts);
    site.bank_conflicts += u64::from(counts.bank_conflicts);
    if world.trace.is_none() {
        return;
    }
    let halves = [
        (from, Space::Global, reading, &copies.source),
        (from + 1, Space::Shared, mask, targets),
    ];
    for (site, space, mask, addresses) in halves {
        world.record(&Recorded {
            site,
            space,
            is_store: space == Space::Shared,
            access_bytes: shape.element,
            warp: lanes.first_warp + warp,
            mask,
            addresses,
        });
    }
}

// ---- groups ----

/// What follows `imm` groups means all that was started, committed or not.
const ALL: u64 = u64::MAX;

/// `cp.async.commit_group;` and `cp.async.bulk.commit_group;`
pub(crate) fn lower_commit(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 0..=0)?;
    let function = if matched.has("bulk") {
        COMMIT_STORES
    } else {
        COMMIT_COPIES
    };
    lowerer.effect(function, &[], &[], 0, 0);
    Ok(())
}

/// `cp.async.wait_group n;`, `cp.async.wait_all;` and `cp.async.bulk.wait_group{.read} n;`
pub(crate) fn lower_wait(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let groups = match matched.operands() {
        [] if matched.has("wait_all") => ALL,
        [Operand::Int(groups)] if !matched.has("wait_all") => (*groups).min(u64::from(u32::MAX)),
        _ => return Err(lowerer.wrong(matched, "takes the number of groups that may be left")),
    };
    let function = if matched.has("bulk") {
        WAIT_STORES
    } else {
        WAIT_COPIES
    };
    lowerer.effect(function, &[], &[], groups, 0);
    Ok(())
}

fn for_warps(lanes: &Lanes, mut f: impl FnMut(usize, u32)) {
    let active = lanes.active;
    for warp in active.first..active.last {
        if active.mask[warp] != 0 {
            f(lanes.first_warp + warp, active.mask[warp]);
        }
    }
}

fn groups(inst: &Inst) -> Option<u32> {
    u32::try_from(inst.imm).ok()
}

const COMMIT_COPIES: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, _inst: &Inst) {
    for_warps(lanes, |warp, mask| world.commit_copies(warp, mask))
});

const COMMIT_STORES: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_warps(lanes, |warp, mask| {
        if world.trace.is_some() {
            world.record_handover(inst.place, warp, HandoverKind::CommitCopies);
        }
        world.commit_stores(warp, mask)
    })
});

const WAIT_COPIES: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_warps(lanes, |warp, mask| world.wait_for_copies(warp, mask, groups(inst)))
});

const WAIT_STORES: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_warps(lanes, |warp, mask| {
        if world.trace.is_some() {
            let left = groups(inst).unwrap_or(0);
            world.record_handover(inst.place, warp, HandoverKind::WaitCopies { left });
        }
        world.wait_for_stores(warp, mask, groups(inst))
    })
});

impl Lowerer<'_> {
    /// As [`Lowerer::address`], in one value.
    pub(crate) fn whole_address(
        &mut self,
        matched: &Matched,
        operand: &Operand,
        space: Option<Space>,
    ) -> Result<Value, LoadError> {
        let (address, offset) = self.address(matched, operand, space)?;
        if offset == 0 {
            return Ok(address);
        }
        let whole = self.fresh(FileKind::Longs);
        let offset = self.bits(FileKind::Longs, offset);
        let sum = basic::ADD_64.function;
        self.compute_parts(sum, &[Some(whole)], &[address, offset], 0);
        Ok(whole.into())
    }

    fn is_predicate(&mut self, operand: &Operand) -> bool {
        match operand {
            Operand::Not(_) => true,
            Operand::Name(name) => self
                .declared_reg(name)
                .is_some_and(|reg| self.file(reg) == FileKind::Preds),
            _ => false,
        }
    }
}
