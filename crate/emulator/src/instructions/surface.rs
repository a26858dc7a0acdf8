//! PTX ISA: "Surface Instructions", in the unified mode, where a 64-bit handle names a surface: `suld.b`, `sust.b`.

use crate::decode::ir::{Reg, Value};
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::instructions::moves::vector_parts;
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::operations::drive::one;
use crate::operations::surface;
use crate::parse::ast::Operand;
use crate::program::access::{AccessShape, Assembled, Strength, Wanted};
use crate::program::kinds::{FileKind, Kind};
use crate::program::surface::{Beyond, SurfaceAccess};
use crate::report::Space;

const PLACE: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) surface::place(lanes, world, inst));
const READ: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) surface::read(lanes, world, inst));
const WRITE: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) surface::write(lanes, world, inst));

/// `suld.b.geometry.vec.type.beyond {d, …}, [handle, {place}];`
pub(crate) fn lower_read(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let (parts, kind, shape) = texel(lowerer, matched, &operands[0], false)?;
    let address = address(lowerer, matched, &operands[1], &shape)?;
    let mut results = Vec::new();
    for part in parts {
        results.push(match lowerer.is_sink(part) {
            true => None,
            false => Some(lowerer.result(matched, part, kind)?),
        });
    }
    lowerer.fetches(READ, &results, &[address], 0, shape);
    Ok(())
}

/// `sust.b.geometry.vec.type.beyond [handle, {place}], {s, …};`
pub(crate) fn lower_write(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let (parts, kind, shape) = texel(lowerer, matched, &operands[1], true)?;
    let mut sources = vec![address(lowerer, matched, &operands[0], &shape)?];
    for part in parts {
        sources.push(lowerer.source(matched, part, kind)?);
    }
    lowerer.fetches(WRITE, &[], &sources, 0, shape);
    Ok(())
}

/// The registers of a texel, of which kind they are, and how it is accessed.
fn texel<'o, 'a>(
    lowerer: &mut Lowerer,
    matched: &Matched,
    operand: &'o Operand<'a>,
    is_store: bool,
) -> Result<(Vec<&'o Operand<'a>>, Kind, AccessShape), LoadError> {
    let parts = vector_parts(lowerer, matched, operand)?;
    let element = lowerer.element_type(matched, "type")?.bits() / 8;
    let kind = match element {
        8 => Kind::Bits64,
        4 => Kind::Bits32,
        _ => Kind::Bits16,
    };
    let kind = lowerer.width_of_parts(matched, &parts, kind)?;
    let count = parts.len() as u32;
    let shape = AccessShape {
        wanted: Wanted::ALL,
        site: lowerer.site(Some(Space::Surface), is_store, false, element * count),
        space: Some(Space::Surface),
        element,
        count,
        signed: false,
        long: kind.file() == FileKind::Longs,
        uncounted: false,
        atomic: None,
        assembled: Assembled::default(),
        strength: Strength::Weak,
        is_narrow: false,
        is_constant: false,
        is_float: false,
    };
    Ok((parts, kind, shape))
}

/// The address that `[handle, {place}]` means: bytes in x, then y; before them the layer, where there are layers.
fn address(
    lowerer: &mut Lowerer,
    matched: &Matched,
    operand: &Operand,
    shape: &AccessShape,
) -> Result<Value, LoadError> {
    let geometry = matched.element("geometry");
    let how = SurfaceAccess {
        is_2d: geometry.ends_with("2d"),
        is_layered: geometry.starts_with('a'),
        beyond: match matched.element("beyond") {
            "clamp" => Beyond::Clamp,
            "zero" => Beyond::Zero,
            _ => Beyond::Trap,
        },
        bytes: shape.element * shape.count,
    };
    let expected = "expected `[handle, {place}]`, with a register that holds the handle";
    let Operand::AddressList(parts) = operand else {
        return Err(lowerer.wrong(matched, expected));
    };
    let [handle @ Operand::Name(_), place] = parts.as_slice() else {
        return Err(lowerer.wrong(matched, expected));
    };
    let place = match place {
        Operand::Vector(place) => place.as_slice(),
        single => std::slice::from_ref(single),
    };
    // Those with layers and two dimensions have a fourth, which counts for nothing.
    let needed = 1 + usize::from(how.is_2d) + usize::from(how.is_layered);
    let written = if needed == 3 { 4 } else { needed };
    if place.len() != written {
        let message = format!("takes {written} coordinates, found {}", place.len());
        return Err(lowerer.wrong(matched, &message));
    }
    let mut sources = vec![lowerer.source(matched, handle, Kind::Bits64)?];
    let (layer, place) = place.split_at(usize::from(how.is_layered));
    for coordinate in place[..needed - layer.len()].iter().chain(layer) {
        sources.push(lowerer.source(matched, coordinate, Kind::Bits32)?);
    }
    let address: Reg = lowerer.fresh(FileKind::Longs);
    lowerer.effect(PLACE, &[Some(address)], &sources, how.bits(), 0);
    Ok(address.into())
}
