//! What registered kernels claim of their counters, and whether it is so.

use crate::{compiler, exit};
use cornerturn::registry::{KernelEntry, ProductEntry, Registry, WorkEntry, per_request};
use cornerturn::task::Arguments;
use cornerturn::works::RegisteredWork;
use cornerturn::{
    Counters, Device, Kernel, LaunchOptions, LaunchReport, Product, ProductRun, ProductShape,
    RegisteredTask, Run, Shape,
};
use serde::Serialize;

/// The matrices on which claims are checked, every tile of them full: one, no square where the kernel takes another.
pub fn matrices(entry: &KernelEntry) -> (Shape, usize) {
    let [columns, rows] = entry.tile.map(|side| side as usize);
    let whole = Shape::new(
        256usize.next_multiple_of(rows),
        384usize.next_multiple_of(columns),
    );
    match entry.arguments {
        Arguments::InPlace => (Shape::new(384, 384), 1),
        Arguments::Batch => (whole, 3),
        _ => (whole, 1),
    }
}

/// A claim and what was counted.
#[derive(Debug, Clone, Serialize)]
pub struct Claim {
    /// The name in the registry.
    pub name: String,
    /// What the kernel claims.
    pub claimed: f64,
    /// What the emulator counted; `None` where there was no such request.
    pub counted: Option<f64>,
    /// Whether both are the same.
    pub holds: bool,
}

/// Runs a registered kernel on matrices of its operation and element type, and checks the result.
pub fn run(
    registry: &Registry,
    entry: &KernelEntry,
    device: &Device,
    shape: Shape,
    batches: usize,
) -> anyhow::Result<Run> {
    let task = RegisteredTask::new(device, entry, shape, batches)?;
    let kernel = compiler::by_choice(
        Kernel::committed(registry, entry)?,
        &entry.file,
        &entry.arch,
    )?;
    Ok(task.run(entry, &kernel)?)
}

/// Has the emulator observe a kernel on matrices of a shape, for the model of time.
pub fn observe(
    registry: &Registry,
    entry: &KernelEntry,
    shape: Shape,
    batches: usize,
) -> anyhow::Result<LaunchReport> {
    let task = RegisteredTask::new(&Device::emulator(), entry, shape, batches)?;
    let kernel = Kernel::committed(registry, entry)?;
    let kernel = compiler::by_choice(kernel, &entry.file, &entry.arch)?;
    Ok(task.emulate(entry, &kernel, &LaunchOptions::observed())?)
}

/// The same of a kernel that does a work.
pub fn observe_work(
    registry: &Registry,
    entry: &WorkEntry,
    items: usize,
    parameter: u32,
) -> anyhow::Result<LaunchReport> {
    let (grid, block) = entry.launch_shape(items)?;
    let kernel = entry.kernel(registry, parameter)?;
    let kernel = compiler::by_choice(kernel, &entry.file, &entry.arch)?;
    let work = entry.work(items, parameter)?;
    Ok(work.emulate(&kernel, grid, block, &LaunchOptions::observed())?)
}

/// The same of a kernel that multiplies matrices.
pub fn observe_product(
    registry: &Registry,
    entry: &ProductEntry,
    shape: ProductShape,
) -> anyhow::Result<LaunchReport> {
    let product = Product::registered(&Device::emulator(), entry, shape)?;
    let (grid, block) = product.launch_shape(entry)?;
    let kernel = Kernel::committed(registry, entry)?;
    let kernel = compiler::by_choice(kernel, &entry.file, &entry.arch)?;
    Ok(product.emulate(&kernel, grid, block, &LaunchOptions::observed())?)
}

/// Runs a kernel that does a work, and checks the result.
pub fn run_work(
    registry: &Registry,
    entry: &WorkEntry,
    device: &Device,
    items: usize,
    parameter: u32,
) -> anyhow::Result<Run> {
    let (grid, block) = entry.launch_shape(items)?;
    let kernel = entry.kernel(registry, parameter)?;
    let kernel = compiler::by_choice(kernel, &entry.file, &entry.arch)?;
    Ok(entry
        .work(items, parameter)?
        .run(device, &kernel, grid, block)?)
}

/// Counts a kernel on its [`matrices`] and compares it with its claims.
pub fn check(registry: &Registry, entry: &KernelEntry) -> anyhow::Result<Vec<Claim>> {
    let (shape, batches) = matrices(entry);
    let counters = run(registry, entry, &Device::emulator(), shape, batches)?.counters;
    let claims = entry.claims.iter();
    claims
        .map(|(name, &claimed)| compare(&entry.id, &counters, name, claimed))
        .collect()
}

/// Items on which the claims of works are checked: every warp is full.
const ITEMS: usize = 4096;

/// Counts a kernel that does a work, with every parameter for which it claims something, and compares.
pub fn check_work(registry: &Registry, entry: &WorkEntry) -> anyhow::Result<Vec<Claim>> {
    let (grid, block) = entry.launch_shape(ITEMS)?;
    let mut claims = Vec::new();
    for claimed in &entry.claims {
        let kernel = entry.kernel(registry, claimed.parameter)?;
        let kernel = compiler::by_choice(kernel, &entry.file, &entry.arch)?;
        let work = entry.work(ITEMS, claimed.parameter)?;
        let run = work.run(&Device::emulator(), &kernel, grid, block)?;
        let of_parameter = |name: &str| match entry.parameters().end() {
            0 => name.to_string(),
            _ => format!("{name} at {}", claimed.parameter),
        };
        for (name, &value) in &claimed.counters {
            let claim = match name.as_str() {
                "flops_per_item" => operations(&run.counters, name, value),
                _ => compare(&entry.id, &run.counters, name, value)?,
            };
            claims.push(Claim {
                name: of_parameter(name),
                ..claim
            });
        }
    }
    Ok(claims)
}

/// Runs a kernel for products on a shape, and checks the result.
pub fn run_product(
    registry: &Registry,
    entry: &ProductEntry,
    device: &Device,
    shape: ProductShape,
) -> anyhow::Result<ProductRun> {
    let product = Product::registered(device, entry, shape)?;
    let kernel = compiler::by_choice(
        Kernel::committed(registry, entry)?,
        &entry.file,
        &entry.arch,
    )?;
    Ok(product.run_registered(entry, &kernel)?)
}

/// Counts a kernel for products on its [`ProductEntry::claimed_shape`] and compares it with its claims.
pub fn check_product(registry: &Registry, entry: &ProductEntry) -> anyhow::Result<Vec<Claim>> {
    let shape = entry.claimed_shape();
    let device = Device::emulator();
    let product = Product::registered(&device, entry, shape)?;
    let (grid, block) = product.launch_shape(entry)?;
    let kernel = compiler::by_choice(
        Kernel::committed(registry, entry)?,
        &entry.file,
        &entry.arch,
    )?;
    let report = product.count(&kernel, grid, block)?;
    let counters = report.counters.unwrap_or_default();
    let operations = cornerturn::roofline::operations(&counters) as f64;
    let claims = entry.claims.iter();
    let of = |name: &str, amount: f64, by: f64, claimed: f64| Claim {
        name: name.to_string(),
        claimed,
        counted: Some(amount / by),
        holds: amount / by == claimed,
    };
    claims
        .map(|(name, &claimed)| match name.as_str() {
            "flops_per_multiply_add" => {
                Ok(of(name, operations, shape.multiply_adds() as f64, claimed))
            }
            "flops_per_global_byte" => {
                let bytes = counters.global_sector_bytes() as f64;
                Ok(of(name, operations, bytes, claimed))
            }
            _ => compare(&entry.id, &counters, name, claimed),
        })
        .collect()
}

/// What a kernel claims to compute for an item beside what was counted.
fn operations(counters: &Counters, name: &str, claimed: f64) -> Claim {
    let counted = cornerturn::roofline::operations(counters) as f64 / ITEMS as f64;
    Claim {
        name: name.to_string(),
        claimed,
        counted: Some(counted),
        holds: counted == claimed,
    }
}

/// What a kernel claims of one counter beside what was counted.
fn compare(id: &str, counters: &Counters, name: &str, claimed: f64) -> anyhow::Result<Claim> {
    let counted = per_request(counters, name).ok_or_else(|| {
        exit::usage(format!(
            "kernels.toml: `{id}` claims `{name}`, which nothing counts"
        ))
    })?;
    Ok(Claim {
        name: name.to_string(),
        claimed,
        counted,
        holds: counted == Some(claimed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn::{Asked, Error};

    /// Whether the registry lets the kernel have such matrices, read without the library's own check.
    fn takes(entry: &KernelEntry, shape: Shape, batches: usize) -> bool {
        let [columns, rows] = entry.multiple_of.map(|n| n as usize);
        shape.columns.is_multiple_of(columns)
            && shape.rows.is_multiple_of(rows)
            && (entry.arguments != Arguments::InPlace || shape.rows == shape.columns)
            && (entry.arguments == Arguments::Batch || batches == 1)
    }

    #[test]
    fn every_registered_kernel_is_right_on_every_kind_of_shape() {
        let registry = Registry::load().unwrap();
        let device = Device::emulator();
        let shapes = [
            (1, 1),
            (1, 97),
            (97, 1),
            (2, 3),
            (31, 33),
            (36, 52),
            (33, 31),
            (32, 64),
            (61, 97),
            (97, 97),
            (127, 8),
            (96, 160),
            (128, 128),
            (257, 129),
            (64, 4160),
            (4160, 64),
            (1, 4099),
            (4099, 2),
        ];
        for entry in registry.kernels() {
            let mut right = 0;
            for (rows, columns) in shapes {
                for batches in [1, 3] {
                    let shape = Shape::new(rows, columns);
                    let result = run(&registry, entry, &device, shape, batches);
                    if takes(entry, shape, batches) {
                        let run = result
                            .unwrap_or_else(|error| panic!("{} {shape}: {error:#}", entry.id));
                        assert!(
                            matches!(&run.asked, Asked::Matrices(problem) if problem.batches == batches)
                        );
                        right += 1;
                        continue;
                    }
                    let error = result.expect_err(&entry.id);
                    let refused = matches!(error.downcast_ref(), Some(Error::Shape { .. }));
                    assert!(refused, "{} {shape}: {error:#}", entry.id);
                }
            }
            assert!(right >= 3, "{} takes {right} shapes of all", entry.id);
        }
    }

    #[test]
    fn every_registered_kernel_keeps_its_claims() {
        let registry = Registry::load().unwrap();
        for entry in registry.kernels() {
            assert!(!entry.claims.is_empty(), "{} claims nothing", entry.id);
            for claim in check(&registry, entry).unwrap() {
                assert!(claim.holds, "{}: {claim:?}", entry.id);
            }
        }
    }

    /// What a work that is tried moves at most.
    const MOST_BYTES: u64 = 1 << 30;

    #[test]
    fn every_work_keeps_its_claims_and_is_right_with_every_measured_parameter() {
        let registry = Registry::load().unwrap();
        for entry in registry.works() {
            assert!(!entry.claims.is_empty(), "{} claims nothing", entry.id);
            for claim in check_work(&registry, entry).unwrap() {
                assert!(claim.holds, "{}: {claim:?}", entry.id);
            }
            for parameter in entry.measured.iter().flat_map(|group| &group.parameters) {
                let kernel = entry.kernel(&registry, *parameter).unwrap();
                let work = entry.work(33, *parameter).unwrap();
                let bytes_of_item = work.bytes_moved() / 33;
                // The last is only for the kernels that have no second block before, or no second cluster: all together
                // they take minutes to run.
                let blocks = |items| entry.launch_shape(items).unwrap().0.x;
                let is_one = blocks(20_011) == blocks(1);
                let most = if is_one { 70_001 } else { 20_011 };
                let sizes = [1, 31, 33, 257, 1000, 20_011, 70_001].into_iter();
                let sizes = sizes.filter(|items| *items <= most);
                for items in sizes.filter(|items| *items as u64 * bytes_of_item <= MOST_BYTES) {
                    let work = entry.work(items, *parameter).unwrap();
                    let (grid, block) = entry.launch_shape(items).unwrap();
                    let run = work.run(&Device::emulator(), &kernel, grid, block);
                    run.unwrap_or_else(|error| panic!("{} {items}: {error}", entry.id));
                }
            }
        }
    }

    #[test]
    fn every_product_keeps_its_claims_and_is_right_on_every_kind_of_shape() {
        let registry = Registry::load().unwrap();
        let device = Device::emulator();
        let shapes = [
            [1, 1, 1],
            [1, 97, 33],
            [97, 1, 61],
            [33, 31, 1],
            [61, 67, 71],
            [129, 95, 127],
            [64, 48, 80],
            [128, 384, 64],
            [256, 128, 160],
        ];
        for entry in registry.products() {
            assert!(!entry.claims.is_empty(), "{} claims nothing", entry.id);
            for claim in check_product(&registry, entry).unwrap() {
                assert!(claim.holds, "{}: {claim:?}", entry.id);
            }
            let mut right = 0;
            for shape in shapes
                .map(ProductShape::from)
                .into_iter()
                .chain(entry.small_shapes())
            {
                let sides = shape.array().into_iter().zip(entry.multiple_of);
                let takes = sides
                    .into_iter()
                    .all(|(side, of)| side.is_multiple_of(of as usize));
                let result = run_product(&registry, entry, &device, shape);
                if !takes {
                    let error = result.expect_err(&entry.id);
                    let refused = matches!(error.downcast_ref(), Some(Error::ProductShape { .. }));
                    assert!(refused, "{} {shape}: {error:#}", entry.id);
                    continue;
                }
                let run = result.unwrap_or_else(|error| panic!("{} {shape}: {error:#}", entry.id));
                let checked = !matches!(run.checked, cornerturn::Checked::Not(_));
                assert!(checked, "{} {shape}: {}", entry.id, run.checked);
                right += 1;
            }
            assert!(right >= 2, "{} takes {right} shapes of all", entry.id);
        }
    }

    #[test]
    fn a_claim_that_nothing_counts_is_refused() {
        let registry = Registry::load().unwrap();
        let mut entry = registry.kernels()[0].clone();
        entry.claims.insert("speed".to_string(), 1.0);
        let error = check(&registry, &entry).unwrap_err();
        assert!(error.to_string().contains("`speed`"), "{error}");
    }

    #[test]
    fn a_wrong_claim_is_noticed() {
        let registry = Registry::load().unwrap();
        let mut entry = registry.get("naive_read").unwrap().clone();
        entry
            .claims
            .insert("global_store_sectors_per_request".to_string(), 4.0);
        entry
            .claims
            .insert("shared_load_wavefronts_per_request".to_string(), 1.0);
        let claims = check(&registry, &entry).unwrap();
        let wrong: Vec<(&str, Option<f64>)> = claims
            .iter()
            .filter(|claim| !claim.holds)
            .map(|claim| (claim.name.as_str(), claim.counted))
            .collect();
        assert_eq!(
            wrong,
            [
                ("global_store_sectors_per_request", Some(32.0)),
                ("shared_load_wavefronts_per_request", None)
            ]
        );
    }
}
