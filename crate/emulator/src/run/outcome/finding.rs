//! From a fault to the finding of it: lines, the memory meant, the thread. Races are in `race`.

use crate::decode::DecodedEntry;
use crate::memory::Buffer;
use crate::memory::faults::Fault;
use crate::program::access::AccessShape;
use crate::program::space::shared_owner;
use crate::report::{Detail, Finding, FindingKind, Form, Path, Space};
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
        is_atomic: (program.sites.iter()).any(|site| site.place == fault.place && site.is_atomic),
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
