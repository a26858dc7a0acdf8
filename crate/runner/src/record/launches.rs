//! The experiment `launches`: what a launch takes by itself, in a stream, in a graph, as a programmatic dependent one, and what that makes of small kernels by their size. What follows from it is the library's.

use super::measured::{ROUNDS, rounded};
use crate::output::{self, Table};
use crate::turns;
use anyhow::ensure;
use cornerturn::timing::TimingOptions;
use cornerturn::{
    Buffer, Device, Kernel, LaunchClock, LaunchSequence, LaunchTime, LaunchWay, Launches, Result,
    TimingMode, args, works,
};
use std::path::Path;
use std::process::ExitCode;

/// Launches that follow one another, where one of them is asked for: fewer than a GPU keeps in its queue.
const MANY: usize = 500;
/// How often a chain or a pair follows itself in a sequence.
const TIMES: usize = 20;
/// Elements of the chain of small kernels: from what one block does to more than L2 holds.
const CHAIN_ITEMS: [usize; 10] = [
    1 << 8,
    1 << 10,
    1 << 12,
    1 << 14,
    1 << 16,
    1 << 18,
    1 << 20,
    1 << 22,
    1 << 24,
    1 << 26,
];
/// Elements of producer and consumer.
const PAIR_ITEMS: [usize; 4] = [1 << 10, 1 << 14, 1 << 18, 1 << 22];
/// Above so many, a sample takes so long that one in a turn will do.
const LARGE: usize = 1 << 20;
/// Samples of a turn.
const TURN: usize = 3;

/// Threads of a block of all kernels.
const THREADS: u32 = 256;
/// What the GPU does while launches are queued: some milliseconds of one thread.
const HOLD: &str = "chain_registers";
const HOLD_STEPS: u32 = 1 << 21;

/// The steps of the chain, and all in one.
const STEPS: [&str; 3] = ["scale", "offset", "clamp"];
const FUSED: &str = "scale_offset_clamp";

/// A sequence, and what it is in the record.
struct Sequence {
    name: &'static str,
    way: LaunchWay,
    items: usize,
    /// Its first kernel.
    kernel: Kernel,
    /// Kernels of one repetition.
    kernels: usize,
    /// Repetitions within the sequence.
    inside: usize,
    /// How often a sample queues it.
    queued: usize,
    launches: LaunchSequence,
}

/// Sequences of one size, with the arrays that all of them work on.
struct Bench {
    sequences: Vec<Sequence>,
    /// What the kernels write, each by name; the last one holds what is expected.
    written: Vec<Buffer<f32>>,
    expected: Vec<f32>,
}

/// The kernel as this way launches it.
fn kernel(id: &str, way: LaunchWay) -> Result<Kernel> {
    match way.is_programmatic() {
        // Producer and consumer are written for it; the others have a second form that is.
        true if matches!(id, "produce" | "consume") => Ok(Kernel::registered(id)?.programmatic()),
        true => Ok(Kernel::registered(&format!("{id}_dependent"))?.programmatic()),
        false => Kernel::registered(id),
    }
}

/// A step of the chain as a sequence of this name has it.
fn step(sequence: &str, id: &str, way: LaunchWay) -> Result<Kernel> {
    match sequence {
        "separate_waiting" => Kernel::registered(&format!("{id}_dependent")),
        _ => kernel(id, way),
    }
}

fn blocks(items: usize) -> u32 {
    items.div_ceil(THREADS as usize) as u32
}

/// No launches yet, behind one that holds the GPU.
fn held(device: &Device) -> Result<LaunchSequence> {
    let (from, to) = (
        device.upload("from", &[1_u32])?,
        device.poisoned::<u32>("to", 1)?,
    );
    let arguments = args![from, to, HOLD_STEPS, 739_982_445_u32];
    LaunchSequence::new(device)?.behind(&Kernel::registered(HOLD)?, 1, 32, arguments)
}

/// As the way has it: one by one, or as a graph.
fn as_way(launches: LaunchSequence, way: LaunchWay) -> Result<LaunchSequence> {
    match way.is_graph() {
        true => launches.captured(),
        false => Ok(launches),
    }
}

impl Bench {
    /// Kernels that do nothing: one, and many.
    fn empty(device: &Device, many: usize) -> Result<Self> {
        let x = device.upload("x", &[1_u32])?;
        let mut sequences = Vec::new();
        for way in LaunchWay::ALL {
            for (name, count) in [("empty", 1), ("empty_many", many)] {
                let kernel = kernel("empty", way)?;
                let mut launches = held(device)?;
                for _ in 0..count {
                    launches = launches.then(&kernel, 1, 32, args![x, 1])?;
                }
                sequences.push(Sequence {
                    name,
                    way,
                    items: 0,
                    kernel,
                    kernels: count,
                    inside: 1,
                    queued: 1,
                    launches: as_way(launches, way)?,
                });
            }
        }
        Ok(Self {
            sequences,
            written: Vec::new(),
            expected: Vec::new(),
        })
    }

    /// The three small kernels over and over, and the one that does what they do.
    fn chain(device: &Device, items: usize) -> Result<Self> {
        let x = works::halves(items);
        let expected: Vec<f32> = x.iter().map(|&x| works::all_steps(x)).collect();
        let poisoned = |name| device.poisoned::<f32>(name, items);
        let (x, a, b, y) = (
            device.upload("x", &x)?,
            poisoned("a")?,
            poisoned("b")?,
            poisoned("y")?,
        );
        let arrays = [(&x, &a), (&a, &b), (&b, &y)];
        let mut sequences = Vec::new();
        let mut add = |name, way: LaunchWay, fused: bool, (inside, queued): (usize, usize)| {
            let mut launches = held(device)?;
            for _ in 0..inside {
                if fused {
                    let arguments = args![x, y, items as u32];
                    let kernel = kernel(FUSED, way)?;
                    launches = launches.then(&kernel, blocks(items), THREADS, arguments)?;
                    continue;
                }
                for (id, (from, to)) in STEPS.into_iter().zip(arrays) {
                    let kernel = step(name, id, way)?;
                    let arguments = args![from, to, items as u32];
                    launches = launches.then(&kernel, blocks(items), THREADS, arguments)?;
                }
            }
            sequences.push(Sequence {
                name,
                way,
                items,
                kernel: match fused {
                    true => kernel(FUSED, way)?,
                    false => step(name, STEPS[0], way)?,
                },
                kernels: if fused { 1 } else { STEPS.len() },
                inside,
                queued,
                launches: as_way(launches, way)?,
            });
            Ok::<(), cornerturn::Error>(())
        };
        for way in LaunchWay::ALL {
            add("separate", way, false, (TIMES, 1))?;
        }
        // What the instructions of programmatic launches cost by themselves: the same kernels, launched as any others.
        for way in [LaunchWay::Stream, LaunchWay::Graph] {
            add("separate_waiting", way, false, (TIMES, 1))?;
        }
        // A graph of the three alone, launched as often.
        add("separate_each", LaunchWay::Graph, false, (1, TIMES))?;
        add("fused", LaunchWay::Stream, true, (TIMES, 1))?;
        add("fused", LaunchWay::Graph, true, (TIMES, 1))?;
        Ok(Self {
            sequences,
            written: vec![a, b, y],
            expected,
        })
    }

    /// A producer and its consumer over and over.
    fn pair(device: &Device, items: usize) -> Result<Self> {
        let (x, table) = (works::halves(items), works::factors());
        let of_table = (0..items).map(|i| table[i % table.len()]);
        let expected: Vec<f32> = x.iter().zip(of_table).map(|(x, f)| x * 0.5 * f).collect();
        let (x, table) = (device.upload("x", &x)?, device.upload("table", &table)?);
        let (y, z) = (
            device.poisoned::<f32>("y", items)?,
            device.poisoned::<f32>("z", items)?,
        );
        let (grid, count) = (blocks(items), items as u32);
        let mut sequences = Vec::new();
        for way in LaunchWay::ALL {
            let (produce, consume) = (kernel("produce", way)?, kernel("consume", way)?);
            let mut launches = held(device)?;
            for _ in 0..TIMES {
                launches = launches
                    .then(&produce, grid, THREADS, args![x, y, count])?
                    .then(&consume, grid, THREADS, args![y, table, z, count])?;
            }
            sequences.push(Sequence {
                name: "pair",
                way,
                items,
                kernel: produce,
                kernels: 2,
                inside: TIMES,
                queued: 1,
                launches: as_way(launches, way)?,
            });
        }
        Ok(Self {
            sequences,
            written: vec![y, z],
            expected,
        })
    }

    /// Does each sequence once, on poisoned arrays, and compares what it leaves.
    fn verify(&self) -> anyhow::Result<()> {
        for sequence in &self.sequences {
            self.poison()?;
            sequence.launches.run()?;
            self.compare(sequence)?;
        }
        Ok(())
    }

    fn poison(&self) -> Result<()> {
        self.written.iter().try_for_each(Buffer::poison)
    }

    fn compare(&self, sequence: &Sequence) -> anyhow::Result<()> {
        let Some(last) = self.written.last() else {
            return Ok(());
        };
        let found = last.read()?;
        let pairs = found.iter().zip(&self.expected);
        let wrong = pairs
            .enumerate()
            .find(|(_, (found, expected))| found.to_bits() != expected.to_bits());
        ensure!(
            wrong.is_none(),
            "`{}` of {} elements by `{}` is wrong: element {:?}",
            sequence.name,
            sequence.items,
            sequence.way.name(),
            wrong
        );
        Ok(())
    }

    /// The samples of all sequences by each clock, in shuffled rounds; what the timed launches leave is compared too.
    fn measure(&self) -> anyhow::Result<Vec<LaunchTime>> {
        self.verify()?;
        let turns: Vec<(&Sequence, LaunchClock)> = self
            .sequences
            .iter()
            .flat_map(|sequence| LaunchClock::ALL.map(|clock| (sequence, clock)))
            .collect();
        let mut samples = vec![Vec::new(); turns.len()];
        for round in 0..=ROUNDS {
            for turn in turns::shuffled(turns.len(), round) {
                let (sequence, clock) = turns[turn];
                let count = if sequence.items > LARGE { 1 } else { TURN };
                let taken = sequence.launches.time(clock, sequence.queued, count)?;
                // Of the first round none counts: the driver makes its queues longer, graphs are sent up.
                if round > 0 {
                    samples[turn].extend(rounded(&taken));
                }
            }
        }
        for sequence in &self.sequences {
            self.poison()?;
            sequence
                .launches
                .time(LaunchClock::Done, sequence.queued, 1)?;
            self.compare(sequence)?;
        }
        let of = |((sequence, clock), samples): (&(&Sequence, LaunchClock), _)| {
            sequence.time(*clock, samples)
        };
        Ok(turns.iter().zip(samples).map(of).collect())
    }
}

impl Sequence {
    fn time(&self, clock: LaunchClock, samples_us: Vec<f64>) -> LaunchTime {
        LaunchTime {
            sequence: self.name.to_string(),
            way: self.way,
            clock,
            items: self.items as u64,
            kernels: self.kernels as u32,
            repetitions: (self.inside * self.queued) as u32,
            run: 0,
            kernel: self.kernel.name().to_string(),
            source_sha256: self.kernel.source_sha256().unwrap_or_default().to_string(),
            ptx_sha256: self.kernel.ptx_sha256().to_string(),
            samples_us,
        }
    }
}

/// Measures all of it, and writes the record.
pub fn record(device: &Device, folder: &Path) -> anyhow::Result<ExitCode> {
    let mut launches = Launches::new(Launches::EXPERIMENT, device, &super::commit());
    launches.host = device.host();
    output::progress("  kernels that do nothing");
    let mut measure = |bench: Bench| {
        launches.measurements.extend(bench.measure()?);
        anyhow::Ok(())
    };
    measure(Bench::empty(device, MANY)?)?;
    for items in CHAIN_ITEMS {
        output::progress(&format!("  chains of {items} elements"));
        measure(Bench::chain(device, items)?)?;
    }
    for items in PAIR_ITEMS {
        output::progress(&format!("  producer and consumer, {items} elements"));
        measure(Bench::pair(device, items)?)?;
    }
    let (scale, x) = (Kernel::registered("scale")?, works::scale(LARGE));
    let ready = x.ready_verified(device, &scale, blocks(LARGE), THREADS)?;
    launches.device.clocks = ready.time(TimingOptions::from(TimingMode::Warm))?.clocks;
    output::progress("");
    let path = folder.join(format!("{}.json", Launches::EXPERIMENT));
    launches.save_to(&path)?;
    output::print(table(&launches))?;
    output::line(launches.provenance())?;
    output::line(format_args!("written to {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn table(launches: &Launches) -> String {
    let head = [
        "sequence",
        "way",
        "clock",
        "elements",
        "median µs",
        "quartiles",
        "µs a kernel",
    ];
    let mut table = Table::new(head);
    for time in &launches.measurements {
        let (lower, upper) = time.quartiles_us();
        table.row([
            time.sequence.clone(),
            time.way.name().to_string(),
            time.clock.name().to_string(),
            time.items.to_string(),
            format!("{:.2}", time.sequence_us()),
            format!("{lower:.2} to {upper:.2}"),
            format!("{:.3}", time.launch_us()),
        ]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sequence_does_what_it_must_on_the_emulator() {
        let device = Device::emulator();
        let benches = [
            Bench::empty(&device, 7).unwrap(),
            Bench::chain(&device, 1001).unwrap(),
            Bench::pair(&device, 2050).unwrap(),
        ];
        for bench in benches {
            bench.verify().unwrap();
            let error = bench.measure().unwrap_err();
            let error = error.downcast::<cornerturn::Error>().unwrap();
            assert!(matches!(error, cornerturn::Error::NoClock), "{error}");
        }
    }
}
