//! The experiment `products`: the rate of every kernel that multiplies matrices at the shapes that the registry names, beside cuBLAS at the same products.

use super::measured::rounded;
use crate::output::{self, Table};
use crate::{exit, turns};
use cornerturn::product_record::CUBLAS_GEMM;
use cornerturn::registry::{ProductEntry, Registry};
use cornerturn::{
    Accuracy, CublasGemm, Device, Dim3, Error, Kernel, Product, ProductData, ProductPoint,
    ProductProblem, ProductShape, Products, TimingMode, TimingOptions,
};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// Whoever is measured takes turns so often: fewer than bandwidths have, since large products take long and vary little.
const ROUNDS: usize = 6;

/// So many samples in one turn, fewer of a product that takes long.
const TURN: usize = 8;

/// What is measured: the kernels, and at which shapes if not their own.
pub struct Chosen<'c> {
    pub ids: &'c [String],
    pub chapter: Option<&'c str>,
    pub shapes: &'c [ProductShape],
}

/// A product, and the kernels that are measured at it.
struct Set<'r> {
    problem: ProductProblem,
    entries: Vec<&'r ProductEntry>,
}

/// Whoever has a turn in each round, with its samples.
struct Candidate {
    point: ProductPoint,
    /// The launch; `None` for cuBLAS.
    launch: Option<(Kernel, Dim3, Dim3)>,
}

/// Measures and writes the record. Measurements of a part are a later run of the record that there is.
pub fn record(device: &Device, chosen: &Chosen, folder: &Path) -> anyhow::Result<ExitCode> {
    let registry = Registry::load()?;
    let sets = sets(&registry, chosen)?;
    let cublas = match CublasGemm::open(device) {
        Ok(cublas) => Some(cublas),
        Err(error @ Error::NoCublas(_)) => {
            output::step(format!("going on without cuBLAS: {error}"));
            None
        }
        Err(error) => return Err(error.into()),
    };
    let mut record = Products::new(Products::EXPERIMENT, device, &super::commit());
    let mut wrong = Vec::new();
    for set in &sets {
        output::step(format!("{} …", set.problem));
        measure(
            &registry,
            device,
            cublas.as_ref(),
            set,
            &mut record,
            &mut wrong,
        )?;
    }
    output::progress("");
    if record.measurements.is_empty() {
        wrong.push("nothing was measured".to_string());
        return Err(exit::wrong(wrong.join("\n")));
    }
    let is_part = !chosen.ids.is_empty() || chosen.chapter.is_some() || !chosen.shapes.is_empty();
    let path = folder.join(format!("{}.json", Products::EXPERIMENT));
    output::print(table(&record))?;
    if is_part && path.is_file() {
        record = Products::load_file(&path)?.with_later(record)?;
    }
    record.save_to(&path)?;
    output::line(record.provenance())?;
    output::line(format_args!("written to {}", path.display()))?;
    match wrong.is_empty() {
        true => Ok(ExitCode::SUCCESS),
        false => Err(exit::wrong(wrong.join("\n"))),
    }
}

/// The products of the chosen kernels, small ones first, each with all that do it.
fn sets<'r>(registry: &'r Registry, chosen: &Chosen) -> anyhow::Result<Vec<Set<'r>>> {
    let mut entries: Vec<&ProductEntry> = match chosen.ids.is_empty() {
        true => registry.products().iter().collect(),
        false => chosen
            .ids
            .iter()
            .map(|id| registry.product(id))
            .collect::<Result<_, _>>()?,
    };
    if let Some(chapter) = chosen.chapter {
        entries.retain(|entry| entry.chapter == chapter);
        if entries.is_empty() {
            return Err(exit::usage(format!(
                "no product is of the chapter `{chapter}`; `cornerturn list` prints them"
            )));
        }
    }
    let mut sets: Vec<Set> = Vec::new();
    for entry in entries {
        let shapes = match chosen.shapes {
            // Shapes that are given are those of all kernels; some may not take one of them.
            given @ [_, ..] => given.to_vec(),
            [] => entry.measured(),
        };
        for shape in shapes {
            let problem = match entry.problem(shape) {
                Ok(problem) => problem,
                Err(error) if chosen.shapes.is_empty() || chosen.ids.len() == 1 => {
                    return Err(error.into());
                }
                Err(_) => continue,
            };
            match sets.iter_mut().find(|set| set.problem == problem) {
                Some(set) => set.entries.push(entry),
                None => sets.push(Set {
                    problem,
                    entries: vec![entry],
                }),
            }
        }
    }
    sets.sort_by_key(|set| {
        let problem = set.problem;
        (problem.shape.multiply_adds(), problem.shape, problem.input)
    });
    Ok(sets)
}

/// Verifies every kernel of a set, then times them all and cuBLAS in shuffled rounds.
fn measure(
    registry: &Registry,
    device: &Device,
    cublas: Option<&CublasGemm>,
    set: &Set,
    record: &mut Products,
    wrong: &mut Vec<String>,
) -> anyhow::Result<()> {
    let product = Product::new(device, set.problem)?;
    let mut candidates = Vec::new();
    for &entry in &set.entries {
        candidates.push(candidate(registry, &product, entry)?);
    }
    // All on the same factors before they change.
    for data in [ProductData::Exact, ProductData::Random] {
        let mut right = Vec::new();
        for mut candidate in candidates {
            output::progress(&format!("  verifying {}", candidate.point.kernel));
            match verify(&product, data, &candidate) {
                Ok(accuracy) => {
                    candidate.point.worst_error = accuracy.worst;
                    right.push(candidate);
                }
                Err(error) => {
                    output::step(format!("  left out: {error}"));
                    wrong.push(error.to_string());
                }
            }
        }
        candidates = right;
    }
    if let Some(cublas) = cublas.filter(|_| CublasGemm::takes(&set.problem)) {
        match product.verify_cublas(cublas) {
            Ok(accuracy) => candidates.push(Candidate {
                point: ProductPoint {
                    library: cublas.library().to_string(),
                    worst_error: accuracy.worst,
                    ..point(CUBLAS_GEMM, &set.problem)
                },
                launch: None,
            }),
            // It refuses some shapes of whole numbers and of 8-bit floats.
            Err(error @ (Error::Driver { .. } | Error::Usage(_))) => {
                output::step(format!("  without cuBLAS: {error}"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    let options = TimingOptions {
        least_samples: TURN,
        most_samples: TURN,
        longest: Duration::from_millis(60),
        warm_up: 1,
        ..TimingMode::Warm.into()
    };
    for round in 0..ROUNDS {
        output::progress(&format!("  round {} of {ROUNDS}", round + 1));
        for turn in turns::shuffled(candidates.len(), round) {
            let Candidate { point, launch } = &mut candidates[turn];
            let timing = match (launch, cublas) {
                (Some((kernel, grid, block)), _) => product.time(kernel, *grid, *block, options)?,
                (None, Some(cublas)) => product.time_cublas(cublas, options)?,
                (None, None) => continue,
            };
            point.samples_us.extend(rounded(&timing.samples_us));
            record.device.clocks = timing.clocks;
        }
    }
    record
        .measurements
        .extend(candidates.into_iter().map(|candidate| candidate.point));
    Ok(())
}

fn verify(
    product: &Product,
    data: ProductData,
    candidate: &Candidate,
) -> cornerturn::Result<Accuracy> {
    match &candidate.launch {
        Some((kernel, grid, block)) => product.verify_on(data, kernel, *grid, *block),
        None => Err(Error::Usage("cuBLAS is verified by itself".to_string())),
    }
}

/// A kernel at a product, not yet verified.
fn candidate(
    registry: &Registry,
    product: &Product,
    entry: &ProductEntry,
) -> anyhow::Result<Candidate> {
    let kernel = Kernel::committed(registry, entry)?;
    let (grid, block) = product.launch_shape(entry)?;
    let resources = product.device().resources(&kernel, block)?;
    let point = ProductPoint {
        source_sha256: kernel.source_sha256().unwrap_or_default().to_string(),
        ptx_sha256: kernel.ptx_sha256().to_string(),
        grid: Some(grid),
        block: Some(block),
        registers_per_thread: resources.map(|r| r.registers_per_thread),
        local_bytes_per_thread: resources.map(|r| r.local_bytes_per_thread),
        shared_bytes: resources.map(|r| r.static_shared_bytes + r.dynamic_shared_bytes),
        blocks_per_multiprocessor: resources.map(|r| r.blocks_per_multiprocessor),
        ..point(&entry.id, product.problem())
    };
    Ok(Candidate {
        point,
        launch: Some((kernel, grid, block)),
    })
}

/// A measurement without samples yet.
fn point(kernel: &str, problem: &ProductProblem) -> ProductPoint {
    ProductPoint {
        kernel: kernel.to_string(),
        shape: problem.shape,
        layout: problem.layout,
        input: problem.input,
        output: problem.output,
        accumulate: problem.accumulate,
        mode: TimingMode::Warm,
        run: 0,
        source_sha256: String::new(),
        ptx_sha256: String::new(),
        library: String::new(),
        grid: None,
        block: None,
        registers_per_thread: None,
        local_bytes_per_thread: None,
        shared_bytes: None,
        blocks_per_multiprocessor: None,
        worst_error: 0.0,
        samples_us: Vec::new(),
    }
}

fn table(record: &Products) -> String {
    let head = [
        "kernel",
        "m×n×k",
        "numbers",
        "layout",
        "samples",
        "median µs",
        "TFLOP/s",
        "% of cuBLAS",
        "error",
    ];
    let mut table = Table::new(head);
    for point in &record.measurements {
        let share = record.cublas_for(point).map_or(String::new(), |cublas| {
            format!("{:.1}", 100.0 * point.tera_per_s() / cublas.tera_per_s())
        });
        table.row([
            point.kernel.clone(),
            point.shape.to_string(),
            point.input.to_string(),
            point.layout.to_string(),
            point.samples_us.len().to_string(),
            format!("{:.2}", point.timing().median_us()),
            format!("{:.2}", point.tera_per_s()),
            share,
            format!("{:.1e}", point.worst_error),
        ]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_one_product_are_measured_together_and_small_products_first() {
        let registry = Registry::load().unwrap();
        let ids = ["sgemm_naive", "sgemm_tiled", "wmma_f16"].map(String::from);
        let chosen = Chosen {
            ids: &ids,
            chapter: None,
            shapes: &[],
        };
        let sets = sets(&registry, &chosen).unwrap();
        let first = &sets[0];
        assert_eq!(first.problem.shape, ProductShape::square(512));
        let floats = sets.iter().find(|set| set.problem.input.name() == "f32");
        assert_eq!(floats.unwrap().entries.len(), 2);
        let sizes: Vec<u64> = sets
            .iter()
            .map(|set| set.problem.shape.multiply_adds())
            .collect();
        assert!(sizes.is_sorted());
    }

    #[test]
    fn a_shape_that_is_given_is_measured_with_the_kernels_that_take_it() {
        let registry = Registry::load().unwrap();
        let shapes = [ProductShape::new(33, 17, 9)];
        let chosen = |ids: &'static [String]| Chosen {
            ids,
            chapter: None,
            shapes: &shapes,
        };
        let sets = sets(&registry, &chosen(&[])).unwrap();
        assert!(
            sets.iter()
                .flat_map(|set| &set.entries)
                .all(|entry| entry.id != "wmma_f16")
        );
        let unknown = Chosen {
            ids: &[],
            chapter: Some("no such chapter"),
            shapes: &[],
        };
        assert!(super::sets(&registry, &unknown).is_err());
    }
}
