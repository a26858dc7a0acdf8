//! Counters by the names that exercises.toml gives them, their quotients and the words for both. What is asked of them is in `bound`.

use super::data::Answer;
use super::product_shapes::Shares;
use super::product_trace::ProductTrace;
use super::size::Size;
use super::traced::Traced;
use cornerturn_base::html::Wanted;
use cornerturn_emulator::counters::SECTOR_BYTES;
use cornerturn_emulator::{Counters, Path, Site, Space};
use cornerturn_runtime::kernel::Kernel;

/// What is not a field of [`Counters`].
const OTHERS: [&str; 30] = [
    "static_shared_bytes",
    "dynamic_shared_bytes",
    "shared_wavefronts",
    "bank_conflicts",
    "global_sectors",
    "global_requests",
    "global_atomics",
    "global_atomic_requests",
    "global_atomic_sectors",
    "near_neighbours",
    "shared_atomics",
    "shared_accesses",
    "shared_load_wavefronts_without_conflicts",
    "blocks",
    "elements",
    "warps_of_elements",
    "sectors_needed",
    "warp_instructions",
    "loads_before_a_store",
    "constant_words",
    "local_requests",
    "multiply_adds",
    "warps_of_multiply_adds",
    "steps",
    "panel_sectors",
    "barriers",
    "shuffles",
    "steps_ahead",
    "multiplying_warps",
    "shared_load_bytes",
];

/// A counter, divided by another or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Amount<'a> {
    counter: &'a str,
    per: Option<&'a str>,
}

/// One launch, as far as amounts go.
pub(super) struct Counted<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) size: Size,
    pub(super) wanted: Wanted,
    pub(super) counters: Counters,
    /// The same by place in the kernel, in every way that memory can be accessed.
    pub(super) sites: &'a [Site],
    pub(super) blocks: u64,
    /// PTX instructions, executed by warps.
    pub(super) warp_instructions: u64,
    /// As `order` counts them; 0 where no bound asks.
    pub(super) near_neighbours: u64,
    /// As `traced` counts them; nothing where no bound asks.
    pub(super) traced: Traced,
    /// What the blocks of a product have to do; nothing of other works.
    pub(super) shares: Shares,
    /// As `product_trace` counts them; nothing where no bound asks.
    pub(super) product: ProductTrace,
}

impl Answer {
    /// What is asked for.
    pub(super) fn amount(&self) -> Amount<'_> {
        Amount::new(&self.counter, self.per.as_deref())
    }
}

impl<'a> Amount<'a> {
    pub(super) fn new(counter: &'a str, per: Option<&'a str>) -> Self {
        Self { counter, per }
    }

    pub(super) fn counter(&self) -> &'a str {
        self.counter
    }

    /// Whether both names are known.
    pub(super) fn check(&self) -> Result<(), String> {
        let fields: Vec<&str> = Counters::NAMES.iter().map(|(field, _)| *field).collect();
        let known = |name: &&str| fields.contains(name) || OTHERS.contains(name);
        match [Some(self.counter), self.per]
            .iter()
            .flatten()
            .find(|name| !known(name))
        {
            None => Ok(()),
            Some(name) => Err(format!(
                "nothing counts `{name}`; there are: {}, {}",
                OTHERS.join(", "),
                fields.join(", ")
            )),
        }
    }

    /// How much it is in a launch; `None` where the divisor is 0.
    pub(super) fn of(&self, counted: &Counted) -> Option<f64> {
        let value = |name: &str| counted.value(name, self.counter) as f64;
        match self.per {
            None => Some(value(self.counter)),
            Some(per) => Some(value(per))
                .filter(|&n| n > 0.0)
                .map(|n| value(self.counter) / n),
        }
    }

    /// What it is divided by, in words and in the plural.
    pub(super) fn divisor(&self) -> String {
        words(self.per.unwrap_or_default())
    }

    /// "shared load wavefronts per shared load instruction"
    pub(super) fn words(&self) -> String {
        match self.per {
            None => words(self.counter),
            Some("warps_of_elements") => format!("{} per 32 elements", words(self.counter)),
            Some("sectors_needed") => format!("{} per sector that must move", words(self.counter)),
            Some("warps_of_multiply_adds") => {
                format!("{} per 32 multiply-adds", words(self.counter))
            }
            Some("multiply_adds") => format!("{} per multiply-add", words(self.counter)),
            Some("steps") => format!("{} per step of a block", words(self.counter)),
            Some("panel_sectors") => format!(
                "{} per sector of a tile's rows of A and columns of B",
                words(self.counter)
            ),
            Some(per) => {
                let per = words(per);
                let one = per.strip_suffix('s').unwrap_or(&per);
                format!("{} per {one}", words(self.counter))
            }
        }
    }
}

impl<'a> Counted<'a> {
    /// A launch of this size of which nothing was counted yet.
    pub(super) fn new(kernel: &'a Kernel, size: Size, wanted: Wanted) -> Self {
        Self {
            kernel,
            size,
            wanted,
            counters: Counters::default(),
            sites: &[],
            blocks: 0,
            warp_instructions: 0,
            near_neighbours: 0,
            traced: Traced::default(),
            shares: Shares::default(),
            product: ProductTrace::default(),
        }
    }

    /// A counter by its name. The sectors that are needed depend on what they are compared with.
    fn value(&self, name: &str, counter: &str) -> u64 {
        let c = &self.counters;
        let elements = self.size.items() as u64;
        let module = self.kernel.module().ok();
        let entry = module.and_then(|module| module.entry(self.kernel.entry()).ok());
        match name {
            "static_shared_bytes" => entry.map_or(0, |entry| entry.static_shared_bytes().into()),
            "dynamic_shared_bytes" => self.kernel.dynamic_shared_bytes().into(),
            // By place, so that no way of access is left out: loads, stores, atomics, asynchronous copies, matrices.
            "shared_wavefronts" => self.sum(|site| site.wavefronts),
            "bank_conflicts" => self.sum(|site| site.bank_conflicts),
            "shared_accesses" => self.sum(|site| match site.space {
                Space::Shared => site.requests,
                _ => 0,
            }),
            // Of one lane of each warp: a wide load has as many as the narrow ones that it stands for.
            "shared_load_bytes" => self.sum(|site| match (site.space, site.is_store) {
                (Space::Shared, false) => site.requests * u64::from(site.access_bytes),
                _ => 0,
            }),
            "local_requests" => self.sum(|site| match site.space {
                Space::Local => site.requests,
                _ => 0,
            }),
            "shared_load_wavefronts_without_conflicts" => c
                .shared_load_wavefronts
                .saturating_sub(c.shared_load_bank_conflicts),
            "global_sectors" => {
                c.global_load_sectors
                    + c.global_store_sectors
                    + c.global_atom_sectors
                    + c.global_red_sectors
                    + self.bulk(|site| site.sectors)
            }
            "global_requests" => {
                let plain = c.global_load_requests + c.global_store_requests;
                plain + self.bulk(|site| site.requests)
            }
            // A bulk reduction is as many atomics as it has elements, and at least one.
            "global_atomics" => {
                c.global_atom_instructions + c.global_red_instructions + c.bulk_reductions
            }
            "global_atomic_requests" => {
                c.global_atom_requests + c.global_red_requests + c.bulk_reductions
            }
            "global_atomic_sectors" => {
                c.global_atom_sectors + c.global_red_sectors + c.bulk_reduction_sectors
            }
            "near_neighbours" => self.near_neighbours,
            "warp_instructions" => self.warp_instructions,
            "loads_before_a_store" => self.traced.loads_before_a_store,
            "constant_words" => self.traced.constant_words,
            "blocks" => self.blocks,
            "shared_atomics" => {
                let sent = self.sum(|site| match (site.path, site.is_atomic) {
                    (Path::Sent, true) => site.requests,
                    _ => 0,
                });
                c.shared_atom_instructions + sent
            }
            "elements" => elements,
            "warps_of_elements" => elements.div_ceil(32),
            "sectors_needed" => self.sectors_needed(counter),
            "multiply_adds" => self.shares.multiply_adds,
            "warps_of_multiply_adds" => self.shares.multiply_adds.div_ceil(32),
            "steps" => self.shares.steps,
            "panel_sectors" => self.shares.panel_sectors,
            "barriers" => self.product.barriers,
            "shuffles" => self.product.shuffles,
            "steps_ahead" => self.product.steps_ahead,
            "multiplying_warps" => self.product.multiplying_warps,
            name => c.field(name).unwrap_or(0),
        }
    }

    /// Of global memory, by the copy engine.
    fn bulk(&self, number: impl Fn(&Site) -> u64) -> u64 {
        self.sum(|site| match (site.path, site.space) {
            (Path::Bulk, Space::Global) => number(site),
            _ => 0,
        })
    }

    fn sum(&self, number: impl Fn(&Site) -> u64) -> u64 {
        self.sites.iter().map(number).sum()
    }

    fn sectors_needed(&self, counter: &str) -> u64 {
        let input = self.wanted.load_bytes.div_ceil(SECTOR_BYTES);
        let output = self.wanted.store_bytes.div_ceil(SECTOR_BYTES);
        match (counter.contains("load"), counter.contains("store")) {
            (true, _) => input,
            (_, true) => output,
            _ => input + output,
        }
    }
}

/// A name with spaces.
fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// A count as short as it can be said, with three digits after the point.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_said_in_words() {
        let said = |counter, per| Amount::new(counter, per).words();
        assert_eq!(
            said("shared_load_wavefronts", Some("shared_load_instructions")),
            "shared load wavefronts per shared load instruction"
        );
        assert_eq!(
            said("global_load_sectors", Some("warps_of_elements")),
            "global load sectors per 32 elements"
        );
        assert!(Amount::new("elements", Some("element")).check().is_err());
        assert_eq!(number(4.0), "4");
        assert_eq!(number(4.125), "4.125");
        assert_eq!(number(1.0 / 3.0), "0.333");
    }
}
