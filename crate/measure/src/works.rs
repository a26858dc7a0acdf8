//! The works of the book, by chapter: what each of its kernels on arrays is asked, written once for cells, tests and records.

mod atomics;
mod caches;
mod coalescing;
mod constant_texture;
mod divergence;
mod host_memory;
mod latency;
mod launches;
mod machine_code;
mod registers;
mod roofline;
mod shared;
mod size;
mod streams;
mod warps;

use crate::work::Work;
pub use atomics::{count, histogram, histogram_in_turn, histogram_sorted, sum, walk};
pub use caches::{lookup, read_once, ring, ring_own, turn_tiles};
pub use coalescing::{drift_aos, drift_soa, gather, permute, shift};
pub use constant_texture::{
    blur_array, blur_texture, look_up_array, look_up_parameter, rotate_array, rotate_texture,
    sample,
};
use cornerturn_base::element::Element;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory;
use cornerturn_base::pattern;
use cornerturn_base::place::Place;
use cornerturn_registry::registry::{Registry, WorkEntry, WorkKind};
use cornerturn_runtime::kernel::Kernel;
pub use divergence::{branch, light_branch, steps};
pub use host_memory::{copy_from, copy_to, increase, walk_in};
pub use latency::{chase, chase_lines, chase_pages, reread};
pub use launches::{
    all_steps, clamp, consume, factors, halves, offset, scale, scale_offset_clamp, untouched,
};
pub use machine_code::row_sums;
pub use registers::{chain, held, multiply_add, own, shared_sum, walk_far};
pub use roofline::{
    attention, batch_norm, fmas, fmas_f64, fmas_half, gemm, relu, tensor_bf16, tensor_f16,
    tensor_s8, tensor_tf32, vector_add,
};
pub use shared::{column_sums, reads_4, reads_8, reads_16, sums_of_rows, turn, window};
use std::ops::RangeInclusive;
pub use streams::{polish, polished};
pub use warps::{block_scans, block_sums, compact, softmax};

/// A kind of work as a work that can be run: its arrays, and how large they are.
pub trait KindOfWork: Sized {
    /// The work with so many items and this parameter, 0 for a work that has none.
    ///
    /// # Errors
    /// [`Error::Usage`] where the work has a parameter and this is none of its values, or has none, and where it does not
    /// take so many items; [`Error::Memory`] where this machine has not the memory for its arrays.
    fn work(self, items: usize, parameter: u32) -> Result<Work>;

    /// Items that tiles of 32 rows are made of, where a work has such: a kernel does as much for a tile that is not full.
    fn tile_items(self, parameter: u32) -> usize;

    /// The bytes that the host has in use at most while it makes the work; `usize::MAX` where they cannot be told in one.
    fn making_bytes(self, items: usize, parameter: u32) -> usize;
}

/// What the registry says of a work's kernel as a work and a kernel that can be run.
pub trait RegisteredWork {
    /// The work, with so many items. Where the entry's parameter is a setting, the work has the one that is kept.
    ///
    /// # Errors
    /// As [`KindOfWork::work`], and [`Error::Usage`] where the kernel does not take the parameter.
    fn work(&self, items: usize, parameter: u32) -> Result<Work>;

    /// The kernel, from its committed PTX, whose launches ask of the caches what the entry says; where the entry's
    /// parameter is a setting, with this value of it.
    ///
    /// # Errors
    /// As [`Kernel::committed`].
    fn kernel(&self, registry: &Registry, parameter: u32) -> Result<Kernel>;
}

impl KindOfWork for WorkKind {
    fn work(self, items: usize, parameter: u32) -> Result<Work> {
        check_parameter(self.name(), &self.parameters(), parameter)?;
        let most = size::most_items(self);
        if items == 0 || items as u64 > u64::from(most) {
            return Err(Error::Usage(format!(
                "`{}` takes 1 to {most} items, and these are {items}",
                self.name()
            )));
        }
        let what = format!("the work `{}` on {items} items", self.name());
        memory::check(&what, self.making_bytes(items, parameter))?;
        let parameter = parameter as usize;
        Ok(match self {
            Self::Gather => gather(items, parameter),
            Self::Shift => shift(items, parameter),
            Self::Permute => permute(items),
            Self::DriftAos => drift_aos(items),
            Self::DriftSoa => drift_soa(items),
            Self::Branch => branch(items, parameter),
            Self::LightBranch => light_branch(items, parameter),
            Self::Steps => steps(items, parameter),
            Self::Count => count(items),
            Self::Histogram => histogram(items, parameter),
            Self::HistogramSorted => histogram_sorted(items, parameter),
            Self::HistogramInTurn => histogram_in_turn(items, parameter),
            Self::Walk => walk(items),
            Self::Sum => sum(items),
            Self::SumsOfRows => sums_of_rows(items),
            Self::RowSums => row_sums(items),
            Self::ColumnSums => column_sums(items),
            Self::Reads4 => reads_4(items, parameter),
            Self::Reads8 => reads_8(items, parameter),
            Self::Reads16 => reads_16(items, parameter),
            Self::Window => window(items, parameter),
            Self::Turn => turn(items),
            Self::BlockSums => block_sums(items),
            Self::BlockScans => block_scans(items),
            Self::Softmax => softmax(items, parameter),
            Self::Compact => compact(items),
            Self::Polish => polish(items, parameter),
            Self::Untouched => untouched(items),
            Self::Scale => scale(items),
            Self::Offset => offset(items),
            Self::Clamp => clamp(items),
            Self::ScaleOffsetClamp => scale_offset_clamp(items),
            Self::Consume => consume(items),
            Self::CopyFrom => copy_from(items, Place::ALL[parameter]),
            Self::CopyTo => copy_to(items, Place::ALL[parameter]),
            Self::Increase => increase(items, Place::ALL[parameter]),
            Self::WalkIn => walk_in(items, Place::ALL[parameter]),
            Self::Own8 => own(items, 8, parameter),
            Self::Own32 => own(items, 32, parameter),
            Self::Held => held(items),
            Self::MultiplyAdd => multiply_add(items),
            Self::SharedSum => shared_sum(items),
            Self::Chain => chain(items),
            Self::WalkFar => walk_far(items),
            Self::Chase => chase(items, parameter),
            Self::ChasePages => chase_pages(items, parameter),
            Self::ChaseLines => chase_lines(items, parameter),
            Self::Reread => reread(items, parameter),
            Self::Ring => ring(items, parameter),
            Self::RingOwn => ring_own(items, parameter),
            Self::ReadOnce => read_once(items, parameter),
            Self::Lookup => lookup(items, parameter),
            Self::TurnTiles => turn_tiles(items, parameter),
            Self::LookUpParameter => look_up_parameter(items, parameter),
            Self::LookUpArray => look_up_array(items, parameter),
            Self::RotateArray => rotate_array(items, parameter),
            Self::RotateTexture => rotate_texture(items, parameter),
            Self::BlurArray => blur_array(items),
            Self::BlurTexture => blur_texture(items),
            Self::Sample => sample(items),
            Self::Fmas => fmas(items, parameter),
            Self::FmasF64 => fmas_f64(items, parameter),
            Self::FmasHalf => fmas_half(items, parameter),
            Self::TensorF16 => tensor_f16(items, parameter),
            Self::TensorBf16 => tensor_bf16(items, parameter),
            Self::TensorTf32 => tensor_tf32(items, parameter),
            Self::TensorS8 => tensor_s8(items, parameter),
            Self::VectorAdd => vector_add(items),
            Self::Relu => relu(items),
            Self::BatchNorm => batch_norm(items),
            Self::Attention => attention(items, parameter),
            Self::Gemm => gemm(items, parameter),
        })
    }

    fn tile_items(self, parameter: u32) -> usize {
        size::tile_items(self, parameter)
    }

    fn making_bytes(self, items: usize, parameter: u32) -> usize {
        size::making_bytes(self, items, parameter)
    }
}

impl RegisteredWork for WorkEntry {
    fn work(&self, items: usize, parameter: u32) -> Result<Work> {
        check_parameter(&self.id, &self.parameters(), parameter)?;
        let parameter = match self.sweeps {
            Some(_) => self.kept_parameter(),
            None => parameter,
        };
        self.work.work(items, parameter)
    }

    fn kernel(&self, registry: &Registry, parameter: u32) -> Result<Kernel> {
        Ok(Kernel::committed(registry, self)?.with_caches(self.caches_at(parameter)))
    }
}

fn check_parameter(name: &str, known: &RangeInclusive<u32>, parameter: u32) -> Result<()> {
    match known.contains(&parameter) {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "`{name}` takes a parameter from {} to {}, and this is {parameter}",
            known.start(),
            known.end()
        ))),
    }
}

/// So many elements of the task's pattern: distinct where the type allows it, never zero, never poison.
pub fn distinct<T: Element>(length: usize) -> Vec<T> {
    let mut elements: Vec<T> = bytemuck::zeroed_vec(length);
    pattern::fill(T::TYPE, 0, 1, bytemuck::cast_slice_mut(&mut elements));
    elements
}

/// Where so many steps `x * factor + addend` lead from `start`, by their remainders. The modulus is 2³² at most.
fn after_steps(start: u64, steps: usize, (factor, addend): (u64, u64), modulus: u64) -> u64 {
    let (mut at, mut steps) = (start % modulus, steps);
    // Two such steps are one of the same kind, and so are four, eight and so on.
    let (mut factor, mut addend) = (factor % modulus, addend % modulus);
    while steps > 0 {
        if steps % 2 == 1 {
            at = (at * factor + addend) % modulus;
        }
        addend = (addend * factor + addend) % modulus;
        factor = factor * factor % modulus;
        steps /= 2;
    }
    at
}

/// Results of a smaller work, on which a large one is checked: some blocks, and a last one that is not full.
const FEW_ITEMS: usize = 5000;

/// The work, with a smaller one of its kind for the checks.
fn with_smaller(items: usize, make: impl Fn(usize) -> Work) -> Work {
    with_few(items, FEW_ITEMS, make)
}

/// The work, with one of `few` items for the checks where it is large.
fn with_few(items: usize, few: usize, make: impl Fn(usize) -> Work) -> Work {
    match items > 4 * few {
        true => make(items).checked_on(make(few)),
        false => make(items),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn_base::caches::{CacheSettings, L2Window};
    use cornerturn_base::error::ErrorKind;

    #[test]
    fn what_is_asked_of_the_caches_is_checked_and_changes_no_count() {
        let kernel = Kernel::registered("read_once").unwrap();
        let work = read_once(300, 1);
        let count = |caches: CacheSettings| {
            let report = work.count(&kernel.with_caches(caches), 2, 256)?;
            Ok::<_, Error>(report.counters.unwrap())
        };
        let nothing = count(CacheSettings::new()).unwrap();
        let window = L2Window::over("x").hit_ratio(0.5);
        let asked = CacheSettings::new().persisting(1 << 20).carveout(40);
        assert_eq!(count(asked.clone().window(window)).unwrap(), nothing);
        for (asked, words) in [
            (
                asked.clone().carveout(200),
                "read_once: a carve-out of 200 %",
            ),
            (
                asked.clone().persisting(1 << 40),
                "this device allows 39321600",
            ),
            (
                asked.clone().persisting(0).window(L2Window::over("x")),
                "the limit set aside is 0",
            ),
            (
                asked.clone().window(L2Window::over("x").bytes(1 << 19)),
                "524288 bytes, and the buffer has 307200",
            ),
            (
                asked.window(L2Window::over("table")),
                "over a buffer `table`, and those of the launch are: `x`, `y`",
            ),
        ] {
            let error = count(asked).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadUse, "{error}");
            assert!(error.to_string().contains(words), "{error}");
        }
    }

    #[test]
    fn a_swept_setting_takes_the_place_of_the_parameter() {
        let registry = Registry::load().unwrap();
        let entry = registry.work("lookup_ratio_8").unwrap();
        let caches = entry.kernel(&registry, 60).unwrap().caches().clone();
        assert_eq!(caches.window.unwrap().hit_ratio, 0.6);
        assert_eq!(caches.persisting_bytes, Some(23_592_960));
        let (swept, plain) = (entry.work(40_000, 60).unwrap(), lookup(40_000, 8));
        assert_eq!(swept.what(), plain.what());
        let turned = registry.work("turn_tiles").unwrap();
        let caches = turned.kernel(&registry, 72).unwrap().caches().clone();
        assert_eq!(caches, CacheSettings::new().carveout(72));
    }

    #[test]
    fn a_work_refuses_what_it_does_not_take() {
        for kind in WorkKind::ALL {
            let (first, last) = (*kind.parameters().start(), *kind.parameters().end());
            assert!(kind.work(33, first).is_ok() && kind.work(33, last).is_ok());
            assert!(kind.work(33, last + 1).is_err(), "{kind:?}");
            assert!(kind.work(0, first).is_err(), "{kind:?}");
        }
    }
}
