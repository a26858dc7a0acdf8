//! Functions that device code calls and the CUDA runtime provides: `vprintf`, `__assertfail`, `malloc`, `free`.

use crate::decode::ir::{Act, Reg};
use crate::decode::lower::{Lowerer, Matched};
use crate::decode::names::Location;
use crate::error::LoadError;
use crate::operations::heap::{FREE, MALLOC};
use crate::operations::memory::{LOAD_LONGS, LOAD_WORDS, STORE_LONGS, STORE_WORDS};
use crate::operations::print::{NOTE_ASSERTION, PRINT};
use crate::program::access::{AccessShape, Assembled, Strength, Wanted};
use crate::program::kinds::FileKind;
use crate::report::Space;

/// `Trap`'s `aux` for a failed assertion.
pub(crate) const ASSERT: u32 = 1;

/// Decodes a call, given where its arguments and results lie in the frame.
type Build = for<'x, 'm, 'a> fn(
    &'x mut Lowerer<'a>,
    &'x Matched<'m, 'a>,
    &'x [Location],
    &'x [Location],
) -> Result<(), LoadError>;

/// The function of this name, if the runtime provides it.
pub(super) fn function(name: &str) -> Option<Build> {
    Some(match name {
        "vprintf" => print as Build,
        "__assertfail" => assert as Build,
        "malloc" => allocate as Build,
        "free" => free as Build,
        _ => return None,
    })
}

fn expect(
    lowerer: &Lowerer,
    matched: &Matched,
    (arguments, expected): (&[Location], usize),
) -> Result<(), LoadError> {
    if arguments.len() == expected {
        return Ok(());
    }
    let message = format!("expected {expected} arguments, found {}", arguments.len());
    Err(lowerer.wrong(matched, &message))
}

fn print(
    lowerer: &mut Lowerer<'_>,
    matched: &Matched,
    arguments: &[Location],
    results: &[Location],
) -> Result<(), LoadError> {
    expect(lowerer, matched, (arguments, 2))?;
    let format = lowerer.load_argument(&arguments[0], FileKind::Longs);
    let block = lowerer.load_argument(&arguments[1], FileKind::Longs);
    let taken = lowerer.fresh(FileKind::Words);
    lowerer.effect(PRINT, &[Some(taken)], &[format.into(), block.into()], 0, 0);
    if let [result] = results {
        lowerer.store_result(result, taken);
    }
    Ok(())
}

fn assert(
    lowerer: &mut Lowerer<'_>,
    matched: &Matched,
    arguments: &[Location],
    _results: &[Location],
) -> Result<(), LoadError> {
    expect(lowerer, matched, (arguments, 5))?;
    let files = [
        FileKind::Longs,
        FileKind::Longs,
        FileKind::Words,
        FileKind::Longs,
    ];
    let mut sources = Vec::new();
    for (argument, file) in arguments.iter().zip(files) {
        sources.push(lowerer.load_argument(argument, file).into());
    }
    lowerer.effect(NOTE_ASSERTION, &[], &sources, 0, 0);
    lowerer.push(Act::Trap, None).aux = ASSERT;
    Ok(())
}

fn allocate(
    lowerer: &mut Lowerer<'_>,
    matched: &Matched,
    arguments: &[Location],
    results: &[Location],
) -> Result<(), LoadError> {
    expect(lowerer, matched, (arguments, 1))?;
    lowerer.use_heap();
    let bytes = lowerer.load_argument(&arguments[0], FileKind::Longs);
    let address = lowerer.fresh(FileKind::Longs);
    lowerer.effect(MALLOC, &[Some(address)], &[bytes.into()], 0, 0);
    if let [result] = results {
        lowerer.store_result(result, address);
    }
    Ok(())
}

fn free(
    lowerer: &mut Lowerer<'_>,
    matched: &Matched,
    arguments: &[Location],
    _results: &[Location],
) -> Result<(), LoadError> {
    expect(lowerer, matched, (arguments, 1))?;
    lowerer.use_heap();
    let address = lowerer.load_argument(&arguments[0], FileKind::Longs);
    lowerer.effect(FREE, &[], &[address.into()], 0, 0);
    Ok(())
}

impl Lowerer<'_> {
    /// The heap is one for all blocks: which of them allocates first decides who gets what.
    fn use_heap(&mut self) {
        self.provided.heap = true;
        self.order_matters();
    }

    fn frame_access(&mut self, file: FileKind, is_store: bool) -> AccessShape {
        let long = file == FileKind::Longs;
        let element = if long { 8 } else { 4 };
        AccessShape {
            wanted: Wanted::ALL,
            site: self.site(Some(Space::Param), is_store, false, element),
            space: Some(Space::Param),
            element,
            count: 1,
            signed: false,
            long,
            uncounted: true,
            atomic: None,
            assembled: Assembled::EachLane,
            strength: Strength::Weak,
            is_narrow: false,
            is_constant: false,
            is_float: false,
        }
    }

    fn load_argument(&mut self, argument: &Location, file: FileKind) -> Reg {
        let (address, offset) = self.frame_address(argument, 0, false);
        let d = self.fresh(file);
        let shape = self.frame_access(file, false);
        let load = if shape.long { LOAD_LONGS } else { LOAD_WORDS };
        self.access(load, &[Some(d)], &[address], offset, shape);
        d
    }

    fn store_result(&mut self, result: &Location, value: Reg) {
        let (address, offset) = self.frame_address(result, 0, false);
        let shape = self.frame_access(self.file(value), true);
        let store = if shape.long { STORE_LONGS } else { STORE_WORDS };
        self.access(store, &[], &[address, value.into()], offset, shape);
    }
}
