//! PTX ISA: `cp.async.bulk`, `cp.reduce.async.bulk` and their tensor forms: decoding. What a thread that executes
//! them checks is in `start`, when the bytes move in `asynchronous`.

mod form;
mod note;
mod rules;
mod start;
mod target;

use form::{FROM_GLOBAL, FROM_SHARED, REDUCTIONS, SPREADS, TO_GLOBAL, reducing};
use start::{BULK, STORE_ASYNC, TILE};

use crate::decode::ir::Value;
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::operations::basic::{ADD_64, PACK_64};
use crate::parse::ast::Operand;
use crate::program::access::{AccessShape, Assembled, AtomicOp, Strength, Wanted};
use crate::program::kinds::{FileKind, Kind};
use crate::report::Space;

/// `cp.async.bulk.{shared::cluster|shared::cta}.{global|shared::cta}.mbarrier::…{…} [dst], [src], size, [mbar]{…};`
pub(crate) fn lower_load(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let extra =
        usize::from(matched.has("multicast::cluster")) + usize::from(matched.has("L2::cache_hint"));
    lowerer.expect_operands(matched, 4 + extra..=4 + extra)?;
    let operands = matched.operands();
    let from_global = matched.has("global");
    let from = if from_global {
        Space::Global
    } else {
        Space::Shared
    };
    let target = lowerer.whole_address(matched, &operands[0], Some(Space::Shared))?;
    let source = lowerer.whole_address(matched, &operands[1], Some(from))?;
    let size = lowerer.source(matched, &operands[2], Kind::Bits32)?;
    let barrier = lowerer.whole_address(matched, &operands[3], Some(Space::Shared))?;
    let (barrier, spreads) = spread(lowerer, matched, barrier, operands.get(4))?;
    let what = match from_global {
        true => FROM_GLOBAL | spreads,
        false => FROM_SHARED,
    };
    let site = lowerer.bulk_sites([from, Space::Shared], false);
    let sources = [target, source, size, barrier];
    lowerer.starts_copy(BULK, &sources, what, shape(site, None, 4));
    Ok(())
}

/// `cp.async.bulk.global.shared::cta.bulk_group{…} [dst], [src], size{, policy};` and the same of `cp.reduce`.
pub(crate) fn lower_store(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let extra = usize::from(matched.has("L2::cache_hint"));
    lowerer.expect_operands(matched, 3 + extra..=3 + extra)?;
    let operands = matched.operands();
    let target = lowerer.whole_address(matched, &operands[0], Some(Space::Global))?;
    let source = lowerer.whole_address(matched, &operands[1], Some(Space::Shared))?;
    let size = lowerer.source(matched, &operands[2], Kind::Bits32)?;
    let none = lowerer.bits(FileKind::Longs, 0);
    // Words, as far as the launch's checks go.
    let mut reduction = (None, 4);
    if matched.opcode() == "cp" && matched.has("reduce") {
        let ty = lowerer.element_type(matched, "type")?;
        let Some(op) = reducing(matched.element("op"), matched.element("type")) else {
            return Err(lowerer.unsupported(matched));
        };
        reduction = (Some(op), ty.bits() / 8);
        if op.depends_on_order() || ty.bits() == 64 {
            lowerer.order_matters();
        }
    }
    let site = lowerer.bulk_sites([Space::Shared, Space::Global], reduction.0.is_some());
    let sources = [source, target, size, none];
    lowerer.starts_copy(
        BULK,
        &sources,
        TO_GLOBAL,
        shape(site, reduction.0, reduction.1),
    );
    Ok(())
}

/// `cp.async.bulk.tensor.dim.{shared::cluster|shared::cta}.global{.tile}.mbarrier::…{…} [dst], [map, {c…}], [mbar]{…};`
pub(crate) fn lower_load_tile(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let extra =
        usize::from(matched.has("multicast::cluster")) + usize::from(matched.has("L2::cache_hint"));
    lowerer.expect_operands(matched, 3 + extra..=3 + extra)?;
    let operands = matched.operands();
    let target = lowerer.whole_address(matched, &operands[0], Some(Space::Shared))?;
    let barrier = lowerer.whole_address(matched, &operands[2], Some(Space::Shared))?;
    let (barrier, spreads) = spread(lowerer, matched, barrier, operands.get(3))?;
    let (map, at) = tensor(lowerer, matched, &operands[1])?;
    let site = lowerer.bulk_sites([Space::Global, Space::Shared], false);
    let sources = [target, map, at[0], at[1], at[2], barrier];
    let what = FROM_GLOBAL | rank(lowerer, matched)? << 8 | spreads;
    // Words, as far as the launch's checks go: rows begin at multiples of 16 bytes, and what lies behind the last element
    // of a word is padding.
    lowerer.starts_copy(TILE, &sources, what, shape(site, None, 4));
    Ok(())
}

/// `cp.async.bulk.tensor.dim.global.shared::cta{.tile}.bulk_group{…} [map, {c…}], [src]{, policy};` and `cp.reduce`.
pub(crate) fn lower_store_tile(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let extra = usize::from(matched.has("L2::cache_hint"));
    lowerer.expect_operands(matched, 2 + extra..=2 + extra)?;
    let operands = matched.operands();
    let source = lowerer.whole_address(matched, &operands[1], Some(Space::Shared))?;
    let (map, at) = tensor(lowerer, matched, &operands[0])?;
    let none = lowerer.bits(FileKind::Longs, 0);
    let op = REDUCTIONS
        .iter()
        .position(|name| *name == matched.element("op"));
    if op.is_some() {
        // The map says the type only when the kernel runs: it may be a floating-point or a 64-bit one.
        lowerer.order_matters();
    }
    let site = lowerer.bulk_sites([Space::Shared, Space::Global], op.is_some());
    let sources = [source, map, at[0], at[1], at[2], none];
    let what = TO_GLOBAL | rank(lowerer, matched)? << 8 | op.map_or(0, |op| op as u64 + 1) << 16;
    lowerer.starts_copy(TILE, &sources, what, shape(site, None, 4));
    Ok(())
}

/// With `.multicast::cluster`, the mbarrier's address with the blocks' bits from [`form::BLOCKS_SHIFT`] on, and [`SPREADS`].
fn spread(
    lowerer: &mut Lowerer,
    matched: &Matched,
    barrier: Value,
    blocks: Option<&Operand>,
) -> Result<(Value, u64), LoadError> {
    let Some(blocks) = blocks.filter(|_| matched.has("multicast::cluster")) else {
        return Ok((barrier, 0));
    };
    let blocks = lowerer.source(matched, blocks, Kind::Bits16)?;
    let [high, both] = [FileKind::Longs; 2].map(|file| lowerer.fresh(file));
    let zero = lowerer.bits(FileKind::Words, 0);
    lowerer.compute_parts(PACK_64.function, &[Some(high)], &[zero, blocks], 0);
    let sum = ADD_64.function;
    lowerer.compute_parts(sum, &[Some(both)], &[barrier, high.into()], 0);
    Ok((both.into(), SPREADS))
}

/// `st.async{.weak}{.shared::cluster}{.mbarrier::…}{.vec}.type [a], b, [mbar];` and `red.async`, which adds up and the like.
pub(crate) fn lower_store_async(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 3..=3)?;
    let operands = matched.operands();
    let ty = lowerer.element_type(matched, "type")?;
    let kind = match (matched.element("type"), ty.bits()) {
        ("f32", _) => Kind::Single,
        ("f64", _) => Kind::Double,
        (_, 64) => Kind::Bits64,
        _ => Kind::Bits32,
    };
    let parts: Vec<&Operand> = match &operands[1] {
        Operand::Vector(parts) => parts.iter().collect(),
        single => vec![single],
    };
    let count = match matched.element("vec") {
        "v2" => 2,
        "v4" => 4,
        _ => 1,
    };
    let bytes = count * ty.bits() as usize / 8;
    if parts.len() != count || bytes > 16 {
        return Err(lowerer.wrong(
            matched,
            "expected one, two or four values of 16 bytes at most",
        ));
    }
    let target = lowerer.whole_address(matched, &operands[0], Some(Space::Shared))?;
    let barrier = lowerer.whole_address(matched, &operands[2], Some(Space::Shared))?;
    let mut sources = [
        target,
        barrier,
        Value::None,
        Value::None,
        Value::None,
        Value::None,
    ];
    for (source, part) in sources[2..].iter_mut().zip(parts) {
        *source = lowerer.source(matched, part, kind)?;
    }
    let mut atomic = None;
    if matched.opcode() == "red" {
        let op = AtomicOp::named(matched.element("op"), matched.element("type"));
        atomic = Some(op.ok_or_else(|| lowerer.unsupported(matched))?);
    }
    let site = lowerer.sent_site(atomic.is_some(), bytes as u32);
    let shape = shape(site, atomic, ty.bits() / 8);
    lowerer.starts_copy(STORE_ASYNC, &sources, bytes as u64, shape);
    Ok(())
}

fn shape(site: u32, atomic: Option<AtomicOp>, element: u32) -> AccessShape {
    AccessShape {
        wanted: Wanted::ALL,
        site,
        space: Some(Space::Global),
        element,
        count: 1,
        signed: false,
        long: true,
        uncounted: false,
        assembled: Assembled::default(),
        strength: Strength::Weak,
        is_narrow: false,
        is_constant: false,
        is_float: false,
        atomic,
    }
}

/// The tensor's dimensions.
fn rank(lowerer: &Lowerer, matched: &Matched) -> Result<u64, LoadError> {
    Ok(1 + lowerer.choice(matched, &["1d", "2d", "3d", "4d", "5d"])?)
}

/// `[map, {c0, c1, …}]`: the map's generic address, and the coordinates in pairs.
fn tensor(
    lowerer: &mut Lowerer,
    matched: &Matched,
    operand: &Operand,
) -> Result<(Value, [Value; 3]), LoadError> {
    let (map, coordinates) = match operand {
        Operand::AddressList(parts) => match parts.as_slice() {
            [map, Operand::Vector(coordinates)] => (map, coordinates),
            _ => return Err(lowerer.wrong(matched, "expected `[map, {coordinates}]`")),
        },
        _ => return Err(lowerer.wrong(matched, "expected `[map, {coordinates}]`")),
    };
    let rank = rank(lowerer, matched)?;
    if coordinates.len() as u64 != rank {
        let expected = format!("expected {rank} coordinates");
        return Err(lowerer.wrong(matched, &expected));
    }
    let map = match map {
        Operand::Name(name) => Operand::Address {
            base: Some(name),
            offset: 0,
        },
        Operand::Sum(name, offset) => Operand::Address {
            base: Some(name),
            offset: *offset,
        },
        _ => return Err(lowerer.wrong(matched, "expected the address of a tensor map")),
    };
    let map = lowerer.whole_address(matched, &map, None)?;
    let zero = lowerer.bits(FileKind::Words, 0);
    let mut at = [zero; 6];
    for (at, coordinate) in at.iter_mut().zip(coordinates) {
        *at = lowerer.source(matched, coordinate, Kind::Bits32)?;
    }
    let mut pairs = [Value::None; 3];
    for (pair, at) in pairs.iter_mut().zip(at.chunks(2)) {
        let both = lowerer.fresh(FileKind::Longs);
        lowerer.compute_parts(PACK_64.function, &[Some(both)], at, 0);
        *pair = both.into();
    }
    Ok((map, pairs))
}
