//! The pictures of a run: what one warp does to memory, the order of blocks, and what the whole launch moved. Drawing them is the library's.

use crate::work::{Asked, Entry};
use cornerturn::emulator::Space;
use cornerturn::emulator::advice::{Explanation, LineAccess, Operation};
use cornerturn::launch::LaunchOptions;
use cornerturn::plot::{self, Figure, Traffic};
use cornerturn::registry::KernelEntry;
use cornerturn::task::Arguments;
use cornerturn::{Access, Device, Kernel, RegisteredTask, Shape, Trace, TraceRequest};
use serde_json::{Map, Value, json};

/// Tiles across and down the matrix whose blocks are drawn in their order.
const ORDER_TILES: [usize; 2] = [8, 6];

/// The pictures of a registered kernel, of those things that it does; none where it fails on so small a work.
///
/// `why` is of the run whose counters are shown.
pub(crate) fn of_kernel(
    entry: &Entry,
    kernel: &Kernel,
    sizes: &Map<String, Value>,
    why: &Explanation,
) -> Vec<Value> {
    let trace = trace(entry, kernel, sizes);
    let mut pictures = of_accesses(&why.accesses, trace.as_ref());
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

/// The most pictures of accesses that take more than they have to.
const MOST_WORST: usize = 6;

/// Of each line that takes more sectors or wavefronts than it has to, the access that takes the most; of other kinds of access,
/// all of which take the fewest, the first of the first warp.
pub(crate) fn of_accesses(rows: &[LineAccess], trace: Option<&Trace>) -> Vec<Value> {
    let mut worst: Vec<(&LineAccess, Access)> = rows
        .iter()
        .filter_map(|row| Some((row, access(row)?)))
        .collect();
    worst.sort_by_key(|(row, _)| std::cmp::Reverse(row.excess()));
    worst.truncate(MOST_WORST);
    let is_drawn = |space, is_store| {
        (rows.iter()).any(|row| row.worst.is_some() && of_kind(row, space, is_store))
    };
    let mut drawn: Vec<Value> = worst
        .iter()
        .map(|(row, access)| {
            let worst = row.worst.as_ref();
            let place = worst.map_or_else(String::new, |worst| {
                let [x, y, z] = worst.block;
                format!("block ({x}, {y}, {z}), warp {}", worst.warp)
            });
            let line = match &row.source {
                Some(line) => format!("line {}", line.line),
                None => format!("PTX line {}", row.ptx_line),
            };
            let title = format!(
                "{line}: the worst {}, {place}",
                words(access.space, access.is_store)
            );
            drawing(&title, access)
        })
        .collect();
    for (space, is_store) in KINDS {
        if !is_drawn(space, is_store)
            && let Some(access) = trace.and_then(|trace| first(trace, space, is_store))
        {
            let title = format!("a {} by the first warp", words(space, is_store));
            drawn.push(drawing(&title, access));
        }
    }
    drawn
}

/// What is drawn: the memory, and whether it is stored to.
const KINDS: [(Space, bool); 5] = [
    (Space::Global, false),
    (Space::Global, true),
    (Space::Shared, true),
    (Space::Shared, false),
    (Space::Local, true),
];

fn of_kind(row: &LineAccess, space: Space, is_store: bool) -> bool {
    row.space == space && is_store == stores(row.operation)
}

fn stores(operation: Operation) -> bool {
    !matches!(operation, Operation::Load | Operation::CopyFrom)
}

/// The worst access of a line, where it can be drawn.
fn access(row: &LineAccess) -> Option<Access> {
    let worst = row
        .worst
        .as_ref()
        .filter(|_| is_drawn(row.space) && row.operation != Operation::Atomic)?;
    Some(Access {
        site: 0,
        block: worst.block,
        warp: worst.warp,
        order: 0,
        space: row.space,
        is_store: stores(row.operation),
        access_bytes: worst.access_bytes,
        addresses: worst.addresses,
    })
}

/// `load from shared memory`
fn words(space: Space, is_store: bool) -> String {
    match is_store {
        true => format!("store to {} memory", space.name()),
        false => format!("load from {} memory", space.name()),
    }
}

/// Whether an access to this memory has a picture.
pub(crate) fn is_drawn(space: Space) -> bool {
    matches!(space, Space::Global | Space::Shared | Space::Local)
}

/// The banks or the sectors of an access.
pub(crate) fn drawing(title: &str, access: &Access) -> Value {
    let (name, figure) = match access.space {
        Space::Shared => ("banks", plot::banks(title, access)),
        Space::Local => ("local", plot::local(title, access)),
        _ => ("sectors", plot::sectors(title, access, start(access))),
    };
    picture(name, title, &figure)
}

/// The first access of this kind with an active lane.
fn first(trace: &Trace, space: Space, is_store: bool) -> Option<&Access> {
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
