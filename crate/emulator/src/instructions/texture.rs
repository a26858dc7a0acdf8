//! PTX ISA: "Texture Instructions", in the unified mode, where a 64-bit handle names a texture and its sampler: `tex`, `tld4`, `txq`.

use crate::decode::ir::{Reg, Value};
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::operations::drive::one;
use crate::operations::texture::{fetch, query};
use crate::parse::ast::Operand;
use crate::program::access::{AccessShape, Assembled, Strength, Wanted};
use crate::program::kinds::Kind;
use crate::program::texture::{Fetch, QUERY_HEIGHT, QUERY_WIDTH};
use crate::report::Space;

const FETCH: Both<AccessFn> =
    one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) fetch(lanes, world, inst));
const QUERY: Both<AccessFn> =
    one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) query(lanes, world, inst));

/// `tex.geometry.v4.dtype.ctype {d, d, d, d}, [handle, {layer, x, y, y}];`, without layers `{x, y}` or `{x}`, and `tld4.comp.2d.v4.dtype.f32`, which takes one
/// channel of the four texels that a linear filter would mix.
pub(crate) fn lower_fetch(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let geometry = matched.element("geometry");
    let dimensions = match geometry {
        "1d" | "a1d" => 1,
        "cube" | "acube" => 3,
        _ => 2,
    };
    let channels = ["r", "g", "b", "a"];
    let how = Fetch {
        dimensions,
        is_layered: geometry.starts_with('a'),
        by_texels: matched.element("ctype") == "s32",
        gathers: channels
            .iter()
            .position(|name| matched.element("component") == *name),
    };
    let sources = place(lowerer, matched, &operands[1], how)?;
    let results = results(lowerer, matched, &operands[0])?;
    let site = lowerer.site(Some(Space::Texture), false, false, 0);
    lowerer.fetches(FETCH, &results, &sources, how.bits(), shape(site));
    Ok(())
}

/// `txq.{width|height}.b32 d, [handle];`
pub(crate) fn lower_query(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let handle = match &operands[1] {
        Operand::Address {
            base: Some(name),
            offset: 0,
        } => lowerer.source(matched, &Operand::Name(name), Kind::Bits64)?,
        _ => return Err(lowerer.wrong(matched, "expected `[handle]`")),
    };
    let d = lowerer.result(matched, &operands[0], Kind::Bits32)?;
    let what = match matched.has("width") {
        true => QUERY_WIDTH,
        false => QUERY_HEIGHT,
    };
    lowerer.effect(QUERY, &[Some(d)], &[handle], what, 0);
    Ok(())
}

/// `[handle, {x, y}]`, of one coordinate also `[handle, x]`.
fn place(
    lowerer: &mut Lowerer,
    matched: &Matched,
    operand: &Operand,
    how: Fetch,
) -> Result<Vec<Value>, LoadError> {
    let expected = "expected `[handle, {coordinates}]`, with a register that holds the handle";
    let Operand::AddressList(parts) = operand else {
        return Err(lowerer.wrong(matched, expected));
    };
    let [handle @ Operand::Name(_), coordinates] = parts.as_slice() else {
        return Err(lowerer.wrong(matched, expected));
    };
    let coordinates = match coordinates {
        Operand::Vector(coordinates) => coordinates.as_slice(),
        single => std::slice::from_ref(single),
    };
    // Three are written as four, of which the last counts for nothing.
    let needed = how.dimensions + usize::from(how.is_layered);
    let written = if needed == 3 { 4 } else { needed };
    if coordinates.len() != written {
        let message = format!("takes {written} coordinates, found {}", coordinates.len());
        return Err(lowerer.wrong(matched, &message));
    }
    let (layer, coordinates) = coordinates.split_at(usize::from(how.is_layered));
    let kind = match how.by_texels {
        true => Kind::Bits32,
        false => Kind::Single,
    };
    let mut sources = vec![lowerer.source(matched, handle, Kind::Bits64)?];
    for coordinate in &coordinates[..how.dimensions] {
        sources.push(lowerer.source(matched, coordinate, kind)?);
    }
    for layer in layer {
        sources.push(lowerer.source(matched, layer, Kind::Bits32)?);
    }
    Ok(sources)
}

fn results(
    lowerer: &mut Lowerer,
    matched: &Matched,
    operand: &Operand,
) -> Result<Vec<Option<Reg>>, LoadError> {
    let Operand::Vector(parts) = operand else {
        return Err(lowerer.wrong(matched, "expected four registers in braces"));
    };
    if parts.len() != 4 {
        return Err(lowerer.wrong(matched, "expected four registers in braces"));
    }
    let mut registers = Vec::new();
    for part in parts {
        registers.push(match lowerer.is_sink(part) {
            true => None,
            false => Some(lowerer.result(matched, part, Kind::Bits32)?),
        });
    }
    Ok(registers)
}

/// As far as the launch's checks go: single bytes, which nobody may write while the kernel runs.
fn shape(site: u32) -> AccessShape {
    AccessShape {
        wanted: Wanted::ALL,
        site,
        space: Some(Space::Texture),
        element: 1,
        count: 1,
        signed: false,
        long: false,
        uncounted: false,
        atomic: None,
        assembled: Assembled::default(),
        strength: Strength::Weak,
        is_narrow: false,
        is_constant: true,
        is_float: false,
    }
}
