//! The experiment `transfers`: every way by which bytes get from the host's memory to the GPU's and back, by size. What the ways are is the library's.

use super::measured::{chosen, in_turns, rounded, save_ways};
use crate::output::{self, Table};
use cornerturn::TransferClock::{self, Events, Wall};
use cornerturn::timing::TimingOptions;
use cornerturn::{
    Advice, Argument, Buffer, Device, Direction, Error, Kernel, LaunchOptions, Managed, Pinned,
    Place, Ready, Result, Side, TimingMode, Transfer, Transfers, Work, args, works,
};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// From a page to more than any cache holds. Managed memory is never larger.
const SIZES: [usize; 9] = [
    4 << 10,
    16 << 10,
    64 << 10,
    256 << 10,
    1 << 20,
    4 << 20,
    16 << 20,
    64 << 20,
    256 << 20,
];

/// A way takes samples for so long in a turn.
const TURN: Duration = Duration::from_millis(3);

/// The kernel of managed memory is verified on so many numbers, so that never more than one array is managed.
const FEW_ITEMS: usize = 100_000;

/// The kernels that take part.
const COPY: &str = "copy_from";
const INCREASE: &str = "increase";

/// One way: its name in the record, what measures its time, the kernel that takes part, one sample in microseconds.
struct Way {
    name: &'static str,
    clock: TransferClock,
    kernel: &'static str,
    once: fn(&mut Stand) -> Result<f64>,
}

const fn way(
    name: &'static str,
    clock: TransferClock,
    kernel: &'static str,
    once: fn(&mut Stand) -> Result<f64>,
) -> Way {
    Way {
        name,
        clock,
        kernel,
        once,
    }
}

const WAYS: &[Way] = &[
    way("pageable_to_device", Wall, "", |s| {
        wall(|| {
            s.far.write(&s.pageable)?;
            // The call returns when the last bytes are in the driver's own pages.
            s.device.synchronize()
        })
    }),
    way("pageable_to_host", Wall, "", |s| {
        wall(|| s.far.read_into(&mut s.pageable))
    }),
    way("pinned_to_device", Wall, "", |s| {
        wall(|| {
            s.far.write(s.pinned.slice()?)?;
            s.device.synchronize()
        })
    }),
    way("pinned_to_host", Wall, "", |s| {
        wall(|| s.far.read_into(s.pinned.slice()?))
    }),
    way("pinned_to_device_events", Events, "", |s| {
        s.by_events(Direction::ToDevice)
    }),
    way("pinned_to_host_events", Events, "", |s| {
        s.by_events(Direction::ToHost)
    }),
    way("pinned_start", Wall, "", |s| {
        let pinned = s.pinned.take()?;
        let begun = Instant::now();
        let copying = s.far.start_write(pinned)?;
        let us = microseconds(begun);
        s.pinned = Lent(Some(copying.wait()?));
        Ok(us)
    }),
    way("pin", Wall, "", |s| {
        let spare = std::mem::take(&mut s.spare);
        let begun = Instant::now();
        let pinned = s.device.register("spare", spare)?;
        let us = microseconds(begun);
        s.spare = pinned.into_vec();
        Ok(us)
    }),
    way("host_copy", Wall, "", |s| {
        wall(|| {
            s.spare.copy_from_slice(&s.pageable);
            Ok(())
        })
    }),
    way("mapped_read", Events, COPY, |s| once(&s.mapped_read)),
    way("mapped_write", Events, COPY, |s| once(&s.mapped_write)),
    way("managed_fault", Wall, INCREASE, |s| {
        s.managed.write(&s.pageable)?;
        wall(|| s.increase_managed())
    }),
    way("managed_resident", Wall, INCREASE, |s| {
        s.send(Side::Device)?;
        wall(|| s.increase_managed())
    }),
    way("managed_prefetched", Wall, INCREASE, |s| {
        s.managed.write(&s.pageable)?;
        wall(|| {
            s.managed.prefetch(Side::Device)?;
            s.increase_managed()
        })
    }),
    way("first_touch_device", Wall, INCREASE, |s| {
        s.renew()?;
        wall(|| s.increase_managed())
    }),
    way("first_touch_host", Wall, "", |s| {
        s.renew()?;
        wall(|| s.managed.write(&s.pageable))
    }),
    way("advised_to_stay_on_host", Wall, INCREASE, |s| {
        s.advised(&[Advice::Stay(Side::Host)])
    }),
    way("advised_to_stay_on_device", Wall, INCREASE, |s| {
        s.advised(&[Advice::Stay(Side::Device)])
    }),
    way("advised_of_both_sides", Wall, INCREASE, |s| {
        s.advised(&[Advice::Stay(Side::Host), Advice::UsedBy(Side::Device)])
    }),
    way("prefetch_to_device", Wall, "", |s| {
        s.managed.write(&s.pageable)?;
        wall(|| s.send(Side::Device))
    }),
    way("prefetch_to_host", Wall, "", |s| {
        s.send(Side::Device)?;
        wall(|| s.send(Side::Host))
    }),
    way("host_fault", Wall, "", |s| {
        s.send(Side::Device)?;
        wall(|| s.managed.read_into(&mut s.spare))
    }),
    way("host_resident", Wall, "", |s| {
        s.managed.write(&s.pageable)?;
        wall(|| s.managed.read_into(&mut s.spare))
    }),
    way("round_trip_pinned", Wall, INCREASE, |s| {
        wall(|| {
            s.far.write(s.pinned.slice()?)?;
            s.increase(args![s.far, s.items()])?;
            s.far.read_into(s.pinned.slice()?)
        })
    }),
    way("round_trip_managed", Wall, INCREASE, |s| {
        wall(|| {
            s.managed.write(&s.pageable)?;
            s.increase_managed()?;
            s.managed.read_into(&mut s.spare)
        })
    }),
    way("round_trip_one_word", Wall, INCREASE, |s| {
        let mut word = [0; 4];
        // Unmeasured: whoever had the turn before may have left all pages on the host.
        s.increase_managed()?;
        wall(|| {
            s.managed.raw().write_at(0, &word)?;
            s.increase_managed()?;
            s.managed.raw().read_at(0, &mut word)
        })
    }),
];

/// Everything that a size needs.
struct Stand<'k> {
    device: Device,
    kernels: &'k [Kernel; 2],
    pageable: Vec<u32>,
    spare: Vec<u32>,
    pinned: Lent,
    far: Buffer<u32>,
    managed: Managed<u32>,
    mapped_read: Ready,
    mapped_write: Ready,
}

/// Pinned memory, which a copy that goes on by itself takes and gives back.
struct Lent(Option<Pinned<u32>>);

impl Lent {
    fn take(&mut self) -> Result<Pinned<u32>> {
        self.0.take().ok_or_else(lost)
    }

    fn get(&mut self) -> Result<&mut Pinned<u32>> {
        self.0.as_mut().ok_or_else(lost)
    }

    fn slice(&mut self) -> Result<&mut [u32]> {
        self.get().map(|pinned| &mut pinned[..])
    }
}

fn lost() -> Error {
    Error::Usage("a copy that failed took the pinned memory with it".to_string())
}

impl<'k> Stand<'k> {
    fn new(device: &Device, kernels: &'k [Kernel; 2], bytes: usize) -> Result<Self> {
        let items = bytes / 4;
        let numbers = works::distinct::<u32>(items);
        let few = items.min(FEW_ITEMS);
        works::increase(few, Place::Managed).verify(device, &kernels[1], blocks(few), THREADS)?;
        let ready = |work: Work| work.ready_verified(device, &kernels[0], blocks(items), THREADS);
        Ok(Self {
            device: device.clone(),
            kernels,
            spare: numbers.clone(),
            pinned: Lent(Some(device.pinned("pinned", &numbers)?)),
            far: device.upload("far", &numbers)?,
            managed: device.managed("managed", &numbers)?,
            mapped_read: ready(works::copy_from(items, Place::Mapped))?,
            mapped_write: ready(works::copy_to(items, Place::Mapped))?,
            pageable: numbers,
        })
    }

    /// Not above 2²⁶.
    fn items(&self) -> u32 {
        self.pageable.len() as u32
    }

    fn by_events(&mut self, direction: Direction) -> Result<f64> {
        let timing = self
            .far
            .time_copy(direction, self.pinned.get()?, single())?;
        Ok(timing.median_us())
    }

    /// Managed memory that nobody has touched, and of which the driver was told nothing, in the place of the one before.
    fn renew(&mut self) -> Result<()> {
        let length = self.pageable.len();
        self.managed = self.device.managed_untouched("managed", length)?;
        Ok(())
    }

    /// What the kernel takes for numbers that the host has written, after the driver was told how they will be used.
    fn advised(&mut self, advice: &[Advice]) -> Result<f64> {
        self.renew()?;
        for advice in advice {
            self.managed.advise(*advice)?;
        }
        self.managed.write(&self.pageable)?;
        let us = wall(|| self.increase_managed())?;
        // The other ways are to know nothing of it.
        self.renew()?;
        self.managed.write(&self.pageable)?;
        Ok(us)
    }

    /// Moves the managed floats to a side, and waits.
    fn send(&self, side: Side) -> Result<()> {
        self.managed.prefetch(side)?;
        self.device.synchronize()
    }

    fn increase_managed(&self) -> Result<()> {
        self.increase(args![self.managed, self.items()])
    }

    fn increase(&self, arguments: &[Argument]) -> Result<()> {
        let (grid, options) = (blocks(self.pageable.len()), LaunchOptions::unrehearsed());
        self.device
            .launch_with(&self.kernels[1], grid, THREADS, arguments, &options)
            .map(drop)
    }
}

/// Threads of a block of both kernels.
const THREADS: u32 = 256;

fn blocks(items: usize) -> u32 {
    items.div_ceil(THREADS as usize) as u32
}

/// One sample by events.
fn single() -> TimingOptions {
    TimingOptions {
        least_samples: 1,
        most_samples: 1,
        warm_up: 0,
        ..TimingMode::Warm.into()
    }
}

fn once(ready: &Ready) -> Result<f64> {
    Ok(ready.time(single())?.median_us())
}

fn wall(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let begun = Instant::now();
    work()?;
    Ok(microseconds(begun))
}

fn microseconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e6
}

/// Measures these ways, all if none is named.
pub fn record(device: &Device, names: &[String], folder: &Path) -> anyhow::Result<ExitCode> {
    let ways = chosen(WAYS, |way| way.name, "transfer", names)?;
    let kernels = [Kernel::registered(COPY)?, Kernel::registered(INCREASE)?];
    let mut transfers = Transfers::new(Transfers::EXPERIMENT, device, &super::commit());
    transfers.host = device.host();
    for bytes in SIZES {
        output::progress(&format!("  {bytes} bytes"));
        let sampled = measure(device, &kernels, &ways, bytes)?;
        transfers.measurements.extend(sampled);
    }
    save_ways(transfers, folder, !names.is_empty(), table)
}

/// The samples of all ways with one size, in shuffled rounds.
fn measure(
    device: &Device,
    kernels: &[Kernel; 2],
    ways: &[&Way],
    bytes: usize,
) -> anyhow::Result<Vec<Transfer>> {
    let mut stand = Stand::new(device, kernels, bytes)?;
    for way in ways {
        // Unmeasured: modules are loaded, the driver's own pages made.
        (way.once)(&mut stand)?;
    }
    let samples = in_turns(ways.len(), TURN, |turn| Ok((ways[turn].once)(&mut stand)?))?;
    let of_way = |(way, samples_us): (&&Way, Vec<f64>)| {
        let kernel = kernels
            .iter()
            .zip([COPY, INCREASE])
            .find(|(_, id)| *id == way.kernel);
        let (source, ptx) = kernel.map_or(("", ""), |(kernel, _)| {
            (
                kernel.source_sha256().unwrap_or_default(),
                kernel.ptx_sha256(),
            )
        });
        Transfer {
            way: way.name.to_string(),
            bytes: bytes as u64,
            clock: way.clock,
            run: 0,
            source_sha256: source.to_string(),
            ptx_sha256: ptx.to_string(),
            kernel: way.kernel.to_string(),
            samples_us: rounded(&samples_us),
        }
    };
    Ok(ways.iter().zip(samples).map(of_way).collect())
}

fn table(transfers: &Transfers) -> String {
    let head = ["way", "bytes", "clock", "median µs", "quartiles", "GB/s"];
    let mut table = Table::new(head);
    for transfer in &transfers.measurements {
        let (lower, upper) = transfer.timing().quartiles_us();
        table.row([
            transfer.way.clone(),
            transfer.bytes.to_string(),
            format!("{:?}", transfer.clock).to_lowercase(),
            format!("{:.2}", transfer.timing().median_us()),
            format!("{lower:.2} to {upper:.2}"),
            format!("{:.2}", transfer.gb_per_s().0),
        ]);
    }
    table.render()
}
