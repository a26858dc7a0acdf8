//! From a fault to the finding of it: lines, the memory meant, the thread. Races are in `race`.

use crate::decode::DecodedEntry;
use crate::memory::Buffer;
use crate::memory::faults::Fault;
use crate::program::access::AccessShape;
use crate::program::space::shared_owner;
use crate::report::{Detail, Finding, FindingKind, Form, Path, PointerFault, Space};
use crate::run::outcome::index::index_fault;
use crate::run::outcome::meant::{bank, meant, shared_variable};
use crate::run::preset::LaunchShape;

/// Addresses below this come from a null pointer.
const NULL_BYTES: u64 = 1 << 16;

pub(super) fn bare_finding(entry: &DecodedEntry, kind: FindingKind, detail: Detail) -> Finding {
    Finding {
        kind,
        entry: entry.name.clone(),
        source: None,
        inlining: None,
        ptx_line: 0,
        block: [0; 3],
        thread: [0; 3],
        space: None,
        address: None,
        owner: None,
        access_bytes: 0,
        is_store: false,
        is_atomic: false,
        form: Form::Element,
        buffer: None,
        count: 1,
        other: None,
        detail,
    }
}

pub(super) fn finding(
    entry: &DecodedEntry,
    shape: &LaunchShape,
    buffers: &[&Buffer],
    fault: &Fault,
) -> Finding {
    let program = &entry.program;
    let mut finding = Finding {
        kind: fault.kind,
        entry: entry.name.clone(),
        source: program.source(fault.place),
        inlining: program.inlining(fault.place),
        ptx_line: program.ptx_line(fault.place),
        block: shape.block_id(fault.block),
        thread: shape.thread_id(fault.thread),
        space: fault.space,
        address: fault.address,
        owner: None,
        access_bytes: fault.access_bytes,
        is_store: fault.is_store,
        is_atomic: (program.sites.iter()).any(|site| {
            let is_there = site.path != Path::Bulk || Some(site.space) == fault.space;
            site.place == fault.place && site.is_atomic && is_there
        }),
        form: form(entry, fault.place),
        buffer: None,
        count: fault.count,
        other: None,
        detail: fault.detail.clone(),
    };
    if fault.kind == FindingKind::Trap && program.awaits_grid && !shape.is_cooperative {
        finding.detail = Detail::NotCooperative;
    }
    let Some(mut address) = fault.address else {
        return finding;
    };
    if fault.space == Some(Space::Shared) {
        (finding.owner, address) = shared_owner(address);
        finding.address = Some(address);
    }
    finding.buffer = match fault.space {
        Some(Space::Global) => meant(buffers, address, u64::from(fault.access_bytes)),
        Some(Space::Shared) => Some(shared_variable(entry, shape, address)),
        Some(Space::Local) => Some(bank(
            "local memory of the thread",
            program.local_bytes as usize,
        )),
        _ => None,
    };
    let lost =
        fault.space == Some(Space::Global) && (address < NULL_BYTES || finding.buffer.is_none());
    if lost && fault.kind != FindingKind::InvalidAddress {
        finding.kind = FindingKind::InvalidAddress;
        finding.buffer = None;
    }
    if finding.detail == Detail::None {
        finding.detail = match finding.kind {
            FindingKind::OutOfBounds => Detail::Index {
                fault: index_fault(entry, shape, (fault, address), finding.buffer.as_ref()),
            },
            FindingKind::InvalidAddress => Detail::Pointer {
                fault: pointer_fault(buffers, address),
            },
            FindingKind::Uninitialized if updates(entry, fault.place) => Detail::Update,
            _ => Detail::None,
        };
    }
    finding
}

/// What a thread accesses at once at a place.
fn form(entry: &DecodedEntry, place: u32) -> Form {
    let program = &entry.program;
    let is_here = |site: u32| {
        let site = program.sites.get(site as usize);
        site.is_some_and(|site| site.place == place)
    };
    let Some(site) = program.sites.iter().find(|site| site.place == place) else {
        return Form::Element;
    };
    let mut fragments = program.matrix.fragments.iter();
    if fragments.any(|fragment| is_here(fragment.site)) {
        return Form::Tile;
    }
    if site.is_matrix {
        return Form::Row;
    }
    if site.path == Path::Async {
        return Form::Copy;
    }
    let is_vector = |shape: &&AccessShape| shape.count > 1 && is_here(shape.site);
    match program.accesses.iter().find(is_vector) {
        Some(shape) => Form::Vector {
            elements: shape.count,
        },
        None => Form::Element,
    }
}

/// What is likely wrong with a pointer that is near no buffer.
fn pointer_fault(buffers: &[&Buffer], address: u64) -> PointerFault {
    let is_cut = |buffer: &&&Buffer| {
        let info = buffer.info();
        let start = info.base & u64::from(u32::MAX);
        info.base != start && (start..start + info.bytes as u64).contains(&address)
    };
    match address {
        0..NULL_BYTES => PointerFault::Null,
        _ if buffers.iter().any(|buffer| is_cut(&buffer)) => PointerFault::Cut,
        _ => PointerFault::Foreign,
    }
}

/// Whether the program stores to where a load at this place reads: by the text of their addresses.
fn updates(entry: &DecodedEntry, place: u32) -> bool {
    let program = &entry.program;
    let operands = || program.operands.iter();
    let Some((_, operand)) = operands().find(|(at, _)| *at == place) else {
        return false;
    };
    let mut others = operands().filter(|(at, other)| *at != place && other == operand);
    others.any(|(at, _)| {
        let mut sites = program.sites.iter();
        sites.any(|site| site.place == *at && site.is_store)
    })
}
