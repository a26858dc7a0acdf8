//! Roofs and what stands below them: what registered works compute for each item, counted by the emulator; with a record's times, their rates; with a GPU's records, its roofs. Drawing is `plot::roofline`'s.

use crate::machine_facts::MachineFacts;
use crate::record::DRIVER_COPY;
use crate::sweep::{Sweep, SweepPoint};
use crate::works::{KindOfWork, RegisteredWork};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::timing::TimingMode;
use cornerturn_emulator::Counters;
use cornerturn_registry::registry::Registry;

/// Operations of a launch: floating-point ones, and those of tensor cores on whole numbers, which are none by their name.
pub fn operations(counters: &Counters) -> u64 {
    counters.flops().total() + counters.tensor_int8
}

/// What a registered work's kernel does for each item, counted by the emulator on so many items that every block is full.
/// This is the one source of operations: records have times alone.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let counted = Counted::registered("strided", 1)?;
/// // A float read and one written for each item.
/// assert_eq!(counted.sector_bytes, 8.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    /// The registry's id.
    pub kernel: String,
    /// The work's parameter.
    pub parameter: u32,
    /// Operations for an item.
    pub operations: f64,
    /// Bytes of the sectors of global memory that accesses asked for, for an item.
    pub sector_bytes: f64,
}

/// Items on which is counted: few enough for a cell.
const ITEMS: usize = 1 << 13;

impl Counted {
    /// Of a registered work with a parameter, 0 for a work that has none.
    ///
    /// # Errors
    /// [`Error::Usage`] for a kernel that is not registered or a parameter that it does not take; else as
    /// [`Device::launch`](cornerturn_runtime::Device::launch).
    pub fn registered(kernel: &str, parameter: u32) -> Result<Self> {
        let registry = Registry::load()?;
        let entry = registry.work(kernel)?;
        let items = ITEMS.next_multiple_of(entry.work.tile_items(parameter));
        let (grid, block) = entry.launch_shape(items)?;
        let work = entry.work(items, parameter)?;
        let report = work.count(&entry.kernel(&registry, parameter)?, grid, block)?;
        let counters = report.counters.unwrap_or_default();
        let of_item = |count: u64| count as f64 / items as f64;
        Ok(Self {
            kernel: kernel.to_string(),
            parameter,
            operations: of_item(operations(&counters)),
            sector_bytes: of_item(counters.global_sector_bytes()),
        })
    }

    /// Operations for each byte of the sectors that were asked for: the intensity at L1's door. `None` where no byte was.
    pub fn intensity_at_l1(&self) -> Option<f64> {
        (self.sector_bytes > 0.0).then(|| self.operations / self.sector_bytes)
    }

    /// Where it stands by a measurement of it.
    pub fn placed(&self, point: &SweepPoint) -> Placed {
        let operations = self.operations * point.items as f64;
        Placed {
            label: self.kernel.clone(),
            intensity: operations / point.bytes_moved as f64,
            tera_per_s: Some(operations / point.timing().median_us() / 1e6),
        }
    }
}

/// A kernel's place under the roofs.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let mine = Placed::counted("mine", 0.25);
/// assert!(mine.tera_per_s.is_none());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// What is written beside it.
    pub label: String,
    /// Operations for each byte that must move.
    pub intensity: f64,
    /// 10¹² operations in a second, if it was measured.
    pub tera_per_s: Option<f64>,
}

impl Placed {
    /// A registered work, counted, and timed by the record of its chapter on a GPU, such as `h200`. Where the work was not
    /// measured with a cold cache, by the first mode in which it was.
    ///
    /// # Errors
    /// As [`Counted::registered`], and where there is no record or no measurement.
    pub fn recorded(gpu: &str, kernel: &str, parameter: u32) -> Result<Self> {
        let registry = Registry::load()?;
        let sweep = Sweep::load(gpu, registry.work(kernel)?.record_name())?;
        let point = point_of(&sweep, kernel, parameter)?;
        Ok(Counted::registered(kernel, parameter)?.placed(point))
    }

    /// One that was counted and not timed.
    pub fn counted(label: &str, intensity: f64) -> Self {
        Self {
            label: label.to_string(),
            intensity,
            tera_per_s: None,
        }
    }

    /// With another label.
    pub fn named(self, label: &str) -> Self {
        Self {
            label: label.to_string(),
            ..self
        }
    }
}

fn point_of<'s>(sweep: &'s Sweep, kernel: &str, parameter: u32) -> Result<&'s SweepPoint> {
    let found = |mode: &TimingMode| sweep.point_in(*mode, kernel, parameter).ok();
    match TimingMode::ALL.iter().find_map(found) {
        Some(point) => Ok(point),
        None => sweep.point(kernel, parameter),
    }
}

/// A bound that nothing passes.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let memory = Roof::memory("memory", 4000.0);
/// // A quarter of an operation for each byte, 4000 GB/s: 10¹² operations in a second.
/// assert_eq!(memory.tera_per_s(0.25), 1.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Roof {
    /// What is written beside it.
    pub label: String,
    /// What bounds.
    pub bound: Bound,
}

/// What bounds a kernel's rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// So many 10⁹ bytes in a second: a slope.
    Memory(f64),
    /// So many 10¹² operations in a second: a level.
    Arithmetic(f64),
}

impl Roof {
    /// Memory that gives so many GB/s.
    pub fn memory(label: &str, gb_per_s: f64) -> Self {
        Self {
            label: label.to_string(),
            bound: Bound::Memory(gb_per_s),
        }
    }

    /// Pipes that do so many 10¹² operations in a second.
    pub fn arithmetic(label: &str, tera_per_s: f64) -> Self {
        Self {
            label: label.to_string(),
            bound: Bound::Arithmetic(tera_per_s),
        }
    }

    /// 10¹² operations in a second that it allows at an intensity.
    pub fn tera_per_s(&self, intensity: f64) -> f64 {
        match self.bound {
            Bound::Memory(gb_per_s) => gb_per_s * intensity / 1e3,
            Bound::Arithmetic(tera_per_s) => tera_per_s,
        }
    }
}

/// The kernels that measure a roof of arithmetic, what multiplies and adds in each, and the parameter.
const ROOF_KERNELS: [(&str, &str, u32); 7] = [
    ("fma_f32", "float32", 1024),
    ("fma_f64", "float64", 1024),
    ("fma_half2", "half2", 256),
    ("tensor_f16", "tensor, f16", 128),
    ("tensor_bf16", "tensor, bf16", 128),
    ("tensor_tf32", "tensor, tf32", 128),
    ("tensor_s8", "tensor, s8", 128),
];

/// The roofs of a GPU by its records, such as `h200`: the driver's copy and the pipes, by the record `roofline`; L2 and shared
/// memory, by the record `machine`, if there is one.
///
/// # Errors
/// [`Error::File`] where there is no record `roofline`; [`Error::Usage`] where it lacks a measurement.
pub fn roofs(gpu: &str) -> Result<Vec<Roof>> {
    let sweep = Sweep::load(gpu, "roofline")?;
    let copies = sweep
        .measurements
        .iter()
        .filter(|p| p.kernel == DRIVER_COPY);
    let copy = copies.map(|point| point.gb_per_s().0).fold(0.0, f64::max);
    if copy == 0.0 {
        let reason = format!("the record `roofline` of {gpu} has no copy");
        return Err(Error::Usage(reason));
    }
    let mut roofs = vec![Roof::memory("copy", copy)];
    if let Ok(machine) = MachineFacts::load(gpu) {
        let multiprocessors = f64::from(machine.device.facts.multiprocessors);
        let of_clock = |name: &str| -> Result<f64> {
            let rate = machine.fact(name)? * machine.fact("clock_mhz")?;
            Ok(rate * multiprocessors / 1e3)
        };
        roofs.push(Roof::memory("L2", machine.fact("l2_gb_per_s")?));
        roofs.push(Roof::memory("shared", of_clock("shared_bytes_per_cycle")?));
    }
    for (kernel, label, parameter) in ROOF_KERNELS {
        let point = sweep.point(kernel, parameter)?;
        let placed = Counted::registered(kernel, parameter)?.placed(point);
        roofs.extend(placed.tera_per_s.map(|tera| Roof::arithmetic(label, tera)));
    }
    Ok(roofs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn_base::caches::CacheSettings;

    #[test]
    fn what_is_counted_of_an_item_is_what_its_formula_says() {
        for (kernel, parameter, operations, sector_bytes) in [
            ("vector_add", 0, 1.0, 12.0),
            ("relu", 0, 0.0, 8.0),
            ("fmas", 24, 48.0, 8.0),
            ("fma_half2", 10, 40.0, 8.0),
        ] {
            let counted = Counted::registered(kernel, parameter).unwrap();
            assert_eq!(counted.operations, operations, "{kernel}");
            assert_eq!(counted.sector_bytes, sector_bytes, "{kernel}");
        }
        let tensor = Counted::registered("tensor_s8", 3).unwrap();
        assert_eq!(tensor.operations, 2.0 * 32.0 * 3.0);
        assert!(Counted::registered("vector_add", 1).is_err());
        assert!(Counted::registered("padded", 0).is_err());
    }

    #[test]
    fn a_rate_is_operations_by_time_and_an_intensity_by_bytes_that_must_move() {
        let point = SweepPoint {
            kernel: "fmas".to_string(),
            parameter: 16,
            items: 1_000_003,
            mode: TimingMode::Cold,
            run: 0,
            bytes_moved: 8_000_024,
            source_sha256: String::new(),
            ptx_sha256: String::new(),
            grid: None,
            block: None,
            registers_per_thread: None,
            local_bytes_per_thread: None,
            blocks_per_multiprocessor: None,
            caches: CacheSettings::new(),
            samples_us: vec![16.0],
        };
        let counted = Counted {
            kernel: "fmas".to_string(),
            parameter: 16,
            operations: 32.0,
            sector_bytes: 16.0,
        };
        let placed = counted.placed(&point);
        assert_eq!(placed.intensity, 4.0);
        assert_eq!(placed.tera_per_s, Some(2.000_006));
        assert_eq!(counted.intensity_at_l1(), Some(2.0));
    }

    #[test]
    fn a_memorys_roof_is_a_slope_and_a_pipes_a_level() {
        assert_eq!(Roof::memory("copy", 4000.0).tera_per_s(0.25), 1.0);
        assert_eq!(Roof::arithmetic("float32", 60.0).tera_per_s(0.25), 60.0);
    }
}
