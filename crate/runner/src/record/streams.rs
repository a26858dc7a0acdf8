//! The experiment `streams`: numbers that go up, through a kernel and down again, in parts on one stream and on several, by size. What streams are is the library's.

use super::measured::{chosen, in_turns, rounded, save_ways};
use crate::exit;
use crate::output::{self, Table};
use anyhow::Context;
use cornerturn::{
    Buffer, Device, Event, Kernel, Pinned, Stream, StreamCopy, Transfer, TransferClock, Transfers,
    args, works,
};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Bytes that go up, and down again.
const SIZES: [usize; 5] = [1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20];
/// Parts, and the streams that take turns.
const PARTS: usize = 4;
/// A kernel that is nothing beside the copies, and one that takes about as long as one of them on an H200.
const LIGHT: usize = 20;
const HEAVY: usize = 1000;
/// A way takes samples for so long in a turn.
const TURN: Duration = Duration::from_millis(5);
const KERNEL: &str = "polish";
const THREADS: u32 = 256;

/// One way: its name in the record, rounds of the kernel, and how the parts are queued.
struct Way {
    name: &'static str,
    rounds: usize,
    queue: Queue,
}

/// How the parts are queued.
#[derive(Clone, Copy)]
enum Queue {
    /// All on the first so many streams in turn, each with its own place in the buffer.
    InTurn(usize),
    /// All on the legacy default stream.
    Default,
    /// A stream for each kind of operation, and events between them; each part has its own place.
    ByKind,
    /// The same with one place for all parts.
    OnePlace,
    /// Only the copies up; only the kernels; only the copies down.
    Only(Kind),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Up,
    Kernel,
    Down,
}

const fn way(name: &'static str, rounds: usize, queue: Queue) -> Way {
    Way {
        name,
        rounds,
        queue,
    }
}

const WAYS: &[Way] = &[
    way("one_stream", LIGHT, Queue::InTurn(1)),
    way("two_streams", LIGHT, Queue::InTurn(2)),
    way("four_streams", LIGHT, Queue::InTurn(PARTS)),
    way("default_stream", LIGHT, Queue::Default),
    way("by_kind", LIGHT, Queue::ByKind),
    way("one_place", LIGHT, Queue::OnePlace),
    way("one_stream_heavy", HEAVY, Queue::InTurn(1)),
    way("two_streams_heavy", HEAVY, Queue::InTurn(2)),
    way("four_streams_heavy", HEAVY, Queue::InTurn(PARTS)),
    way("by_kind_heavy", HEAVY, Queue::ByKind),
    way("only_up", LIGHT, Queue::Only(Kind::Up)),
    way("only_kernel", LIGHT, Queue::Only(Kind::Kernel)),
    way("only_kernel_heavy", HEAVY, Queue::Only(Kind::Kernel)),
    way("only_down", LIGHT, Queue::Only(Kind::Down)),
];

/// A copy of a part, up or down.
type PartCopy = StreamCopy<u32>;

/// What all ways of one size use.
struct Stand {
    kernel: Kernel,
    numbers: Vec<u32>,
    data: Buffer<u32>,
    streams: Vec<Stream>,
    default: Stream,
    /// The copy up, the kernel and the copy down of a part are done.
    events: [Event; 3],
    /// Pinned memory of each part, there and back.
    from: Vec<Option<Pinned<u32>>>,
    to: Vec<Option<Pinned<u32>>>,
}

impl Stand {
    fn new(device: &Device, kernel: &Kernel, items: usize) -> anyhow::Result<Self> {
        let numbers: Vec<u32> = works::distinct(items);
        let parts = numbers.chunks(items.div_ceil(PARTS));
        let pin = |part: &[u32]| Ok(Some(device.pinned("part", part)?));
        let pinned = || parts.clone().map(pin).collect::<anyhow::Result<Vec<_>>>();
        let stream = |number| Ok(device.nonblocking_stream(&format!("stream {number}"))?);
        Ok(Self {
            from: pinned()?,
            to: pinned()?,
            kernel: kernel.clone(),
            data: device.poisoned("data", items)?,
            streams: (0..PARTS).map(stream).collect::<anyhow::Result<_>>()?,
            default: device.default_stream(),
            events: [
                device.event("there")?,
                device.event("done")?,
                device.event("away")?,
            ],
            numbers,
        })
    }

    /// The stream of a part's operation of this kind.
    fn stream(&self, queue: Queue, part: usize, kind: Kind) -> &Stream {
        match queue {
            Queue::InTurn(streams) => &self.streams[part % streams],
            Queue::Default => &self.default,
            Queue::ByKind | Queue::OnePlace => &self.streams[kind as usize],
            Queue::Only(_) => &self.streams[0],
        }
    }

    /// Queues all parts, waits for them, and tells how long that took, in microseconds.
    fn run(&mut self, way: &Way) -> anyhow::Result<f64> {
        let mut queued = Vec::new();
        let begun = Instant::now();
        for part in 0..self.from.len() {
            queued.push(self.queue(way, part)?);
        }
        for (part, (sent, got)) in queued.into_iter().enumerate() {
            if let Some(copy) = sent {
                self.from[part] = Some(copy.wait()?);
            }
            if let Some(copy) = got {
                self.to[part] = Some(copy.wait()?);
            }
        }
        for stream in &self.streams {
            stream.synchronize()?;
        }
        Ok(begun.elapsed().as_secs_f64() * 1e6)
    }

    /// Queues what the way does with a part; its copies up and down.
    fn queue(
        &mut self,
        way: &Way,
        part: usize,
    ) -> anyhow::Result<(Option<PartCopy>, Option<PartCopy>)> {
        const LENT: &str = "each run gives its pinned memory back";
        let length = self.numbers.len().div_ceil(PARTS);
        let count = self.numbers.len().min((part + 1) * length) - part * length;
        let one_place = matches!(way.queue, Queue::OnePlace);
        let first = if one_place { 0 } else { part * length };
        let is_asked = |kind| !matches!(way.queue, Queue::Only(only) if only != kind);
        let by_kind = one_place || matches!(way.queue, Queue::ByKind);
        let [up, compute, down] = [Kind::Up, Kind::Kernel, Kind::Down]
            .map(|kind| self.stream(way.queue, part, kind).clone());
        let [there, done, away] = &self.events;
        let (mut sent, mut got) = (None, None);
        if is_asked(Kind::Up) {
            if one_place && part > 0 {
                up.wait(away)?;
            }
            let pinned = self.from[part].take().context(LENT)?;
            sent = Some(up.start_write_at(&self.data, first, pinned)?);
        }
        if by_kind {
            up.record(there)?;
            compute.wait(there)?;
        }
        if is_asked(Kind::Kernel) {
            let arguments = args![self.data, first as u32, count as u32, way.rounds as u32];
            let blocks = count.div_ceil(THREADS as usize) as u32;
            compute.launch(&self.kernel, blocks, THREADS, arguments)?;
        }
        if by_kind {
            compute.record(done)?;
            down.wait(done)?;
        }
        if is_asked(Kind::Down) {
            let pinned = self.to[part].take().context(LENT)?;
            got = Some(down.start_read_at(&self.data, first, pinned)?);
        }
        if by_kind {
            down.record(away)?;
        }
        Ok((sent, got))
    }

    /// Runs it once on poisoned memory and looks at what came back.
    fn verify(&mut self, way: &Way) -> anyhow::Result<()> {
        self.data.poison()?;
        for part in self.to.iter_mut().flatten() {
            part.fill(u32::MAX);
        }
        self.run(way)?;
        if matches!(way.queue, Queue::Only(_)) {
            return Ok(());
        }
        let expected = works::polished(&self.numbers, way.rounds);
        let found = self.to.iter().flatten();
        let mut all = Vec::new();
        for part in found {
            all.extend_from_slice(part);
        }
        match all == expected {
            true => Ok(()),
            false => Err(exit::wrong(format!(
                "`{}` brought back other numbers",
                way.name
            ))),
        }
    }
}

/// Measures these ways, all if none is named.
pub fn record(device: &Device, names: &[String], folder: &Path) -> anyhow::Result<ExitCode> {
    let ways = chosen(WAYS, |way| way.name, "a pipeline", names)?;
    let kernel = Kernel::registered(KERNEL)?;
    let mut record = Transfers::new(Transfers::STREAMS, device, &super::commit());
    record.host = device.host();
    for bytes in SIZES {
        output::progress(&format!("  {bytes} bytes"));
        record
            .measurements
            .extend(measure(device, &kernel, &ways, bytes)?);
    }
    save_ways(record, folder, !names.is_empty(), table)
}

/// The samples of all ways with one size, verified once and then in shuffled rounds.
fn measure(
    device: &Device,
    kernel: &Kernel,
    ways: &[&Way],
    bytes: usize,
) -> anyhow::Result<Vec<Transfer>> {
    let mut stand = Stand::new(device, kernel, bytes / 4)?;
    for way in ways {
        stand.verify(way)?;
    }
    let samples = in_turns(ways.len(), TURN, |turn| stand.run(ways[turn]))?;
    let of_way = |(way, samples_us): (&&Way, Vec<f64>)| Transfer {
        way: way.name.to_string(),
        bytes: bytes as u64,
        clock: TransferClock::Wall,
        run: 0,
        source_sha256: kernel.source_sha256().unwrap_or_default().to_string(),
        ptx_sha256: kernel.ptx_sha256().to_string(),
        kernel: KERNEL.to_string(),
        samples_us: rounded(&samples_us),
    };
    Ok(ways.iter().zip(samples).map(of_way).collect())
}

fn table(record: &Transfers) -> String {
    let mut table = Table::new(["way", "bytes", "median µs", "quartiles", "of one stream"]);
    for of_way in &record.measurements {
        let (lower, upper) = of_way.timing().quartiles_us();
        let one = match of_way.way.ends_with("_heavy") {
            true => "one_stream_heavy",
            false => "one_stream",
        };
        let one = record.transfer(one, of_way.bytes);
        let median = of_way.timing().median_us();
        table.row([
            of_way.way.clone(),
            of_way.bytes.to_string(),
            format!("{median:.1}"),
            format!("{lower:.1} to {upper:.1}"),
            one.map_or(String::new(), |one| {
                format!("{:.2}", one.timing().median_us() / median)
            }),
        ]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The emulator says whether every way is ordered, and whether the numbers that come back are right.
    #[test]
    fn every_way_is_ordered_and_right() {
        let device = Device::emulator();
        let kernel = Kernel::registered(KERNEL).unwrap();
        for items in [4001, 7, 64] {
            let mut stand = Stand::new(&device, &kernel, items).unwrap();
            for way in WAYS {
                let light = Way { rounds: 3, ..*way };
                for _ in 0..2 {
                    stand
                        .verify(&light)
                        .unwrap_or_else(|error| panic!("{} of {items}: {error:#}", way.name));
                }
            }
        }
    }

    #[test]
    fn a_wrong_number_is_noticed() {
        let device = Device::emulator();
        let kernel = Kernel::registered(KERNEL).unwrap();
        let mut stand = Stand::new(&device, &kernel, 101).unwrap();
        stand.numbers[77] += 1;
        let error = stand.verify(&WAYS[0]).unwrap_err().to_string();
        assert!(error.contains("`one_stream` brought back"), "{error}");
    }
}
