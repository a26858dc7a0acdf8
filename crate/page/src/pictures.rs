//! The pictures of a run: what one warp does to memory, the order of blocks, and what the whole launch moved. Drawing them is the library's.

use crate::work::{Asked, Entry};
use cornerturn::emulator::Space;
use cornerturn::launch::LaunchOptions;
use cornerturn::plot::{self, Figure, Traffic};
use cornerturn::registry::KernelEntry;
use cornerturn::task::Arguments;
use cornerturn::{Access, Device, Kernel, RegisteredTask, Shape, Trace, TraceRequest};
use serde_json::{Map, Value, json};

/// Tiles across and down the matrix whose blocks are drawn in their order.
const ORDER_TILES: [usize; 2] = [8, 6];

/// The pictures of a registered kernel, of those things that it does; none where it fails on so small a work.
pub(crate) fn of_kernel(entry: &Entry, kernel: &Kernel, sizes: &Map<String, Value>) -> Vec<Value> {
    let mut pictures = Vec::new();
    if let Some(trace) = trace(entry, kernel, sizes) {
        pictures.extend(of_trace(&trace));
    }
    if let Entry::Matrix(entry) = entry
        && let Some(figure) = order(entry, kernel)
    {
        pictures.push(picture("order", "the order of blocks", &figure));
    }
    pictures
}

/// What the first warp does.
pub(crate) fn first_warp() -> TraceRequest {
    TraceRequest {
        blocks: vec![[0; 3]],
        warps: Some(vec![0]),
        max_accesses: 256,
        ..TraceRequest::default()
    }
}

/// What the first warp does in a small launch: no larger than the run, nor than a kernel is given where nobody chooses.
fn trace(entry: &Entry, kernel: &Kernel, sizes: &Map<String, Value>) -> Option<Trace> {
    let asked = match entry {
        Entry::Matrix(entry) => {
            let task = small(entry, [2, 3])?;
            return task
                .emulate(entry, kernel, &LaunchOptions::traced(first_warp()))
                .ok()?
                .trace;
        }
        other => Asked::new(other, &smaller(other, sizes)).ok()?,
    };
    asked
        .emulate(&asked.fitted(kernel), &LaunchOptions::traced(first_warp()))
        .ok()?
        .trace
}

fn smaller(entry: &Entry, sizes: &Map<String, Value>) -> Map<String, Value> {
    let mut smaller = sizes.clone();
    for usual in entry.sizes(1.0) {
        if let Some(own) = smaller.get_mut(usual.name)
            && own.as_u64() > Some(usual.value as u64)
        {
            *own = json!(usual.value);
        }
    }
    smaller
}

/// So many tiles across and down, as far as the kernel takes them.
fn small(entry: &KernelEntry, tiles: [usize; 2]) -> Option<RegisteredTask> {
    let side = |at: usize| {
        let tile = (entry.tile[at] as usize).min(256);
        (tiles[at] * tile).next_multiple_of(entry.multiple_of[at].max(1) as usize)
    };
    let (columns, rows) = (side(0), side(1));
    let shape = match entry.arguments {
        Arguments::InPlace => Shape::new(columns.max(rows), columns.max(rows)),
        _ => Shape::new(rows, columns),
    };
    RegisteredTask::new(&Device::emulator(), entry, shape, 1).ok()
}

fn order(entry: &KernelEntry, kernel: &Kernel) -> Option<Figure> {
    let order = small(entry, ORDER_TILES)?.block_order(entry, kernel).ok()?;
    let title = format!("{}: blocks in the order in which they start", entry.id);
    Some(plot::block_order(&title, &order))
}

/// What launches moved, side by side.
pub(crate) fn of_traffic(launches: &[Traffic]) -> Value {
    let title = "bytes that the whole launch moved";
    picture("traffic", title, &plot::traffic(title, launches))
}

/// The first access of each kind.
pub(crate) fn of_trace(trace: &Trace) -> Vec<Value> {
    let kinds = [
        (
            Space::Global,
            false,
            "sectors",
            "a load of the first warp from global memory",
        ),
        (
            Space::Global,
            true,
            "sectors",
            "a store of the first warp to global memory",
        ),
        (
            Space::Shared,
            true,
            "banks",
            "a store of the first warp to shared memory",
        ),
        (
            Space::Shared,
            false,
            "banks",
            "a load of the first warp from shared memory",
        ),
        (
            Space::Local,
            true,
            "local",
            "a store of the first warp to local memory",
        ),
    ];
    let drawn = kinds
        .into_iter()
        .filter_map(|(space, is_store, name, title)| {
            let access = worst(trace, space, is_store)?;
            let figure = match space {
                Space::Shared => plot::banks(title, access),
                Space::Local => plot::local(title, access),
                _ => plot::sectors(title, access, start(access)),
            };
            Some(picture(name, title, &figure))
        });
    drawn.collect()
}

/// The first access of this kind with an active lane.
fn worst(trace: &Trace, space: Space, is_store: bool) -> Option<&Access> {
    trace.accesses.iter().find(|access| {
        access.space == space
            && access.is_store == is_store
            && access.addresses.iter().any(Option::is_some)
    })
}

/// Where the picture begins to count: at the lowest address that is touched.
fn start(access: &Access) -> u64 {
    access
        .addresses
        .iter()
        .flatten()
        .copied()
        .min()
        .unwrap_or(0)
}

fn picture(name: &str, title: &str, figure: &Figure) -> Value {
    json!({
        "name": name,
        "title": title,
        "svg": figure.svg,
        "narrow": figure.narrow,
        "alt": figure.caption,
    })
}
