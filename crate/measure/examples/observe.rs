//! Has the emulator observe the launches that records of a folder time, for the model of time: `observe RECORDS OUT [PART/PARTS [RECORD,…]]`
//! writes a file for each, with its time. Predicting is the example `predicted`'s of `cornerturn-model`.

use cornerturn_base::error::Result;
use cornerturn_base::shape::Shape;
use cornerturn_measure::product::Product;
use cornerturn_measure::product_record::Products;
use cornerturn_measure::record::Record;
use cornerturn_measure::sweep::Sweep;
use cornerturn_measure::task::RegisteredTask;
use cornerturn_measure::works::RegisteredWork;
use cornerturn_registry::registry::Registry;
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::{LaunchOptions, LaunchReport};
use std::path::{Path, PathBuf};
use std::time::Instant;

const SWEEPS: [&str; 9] = [
    "coalescing",
    "shared",
    "divergence",
    "roofline",
    "warps",
    "registers",
    "constant-texture",
    "caches",
    "atomics",
];
/// Launches on more bytes, and products of more multiplications, are left out: they take the emulator minutes.
const MOST_BYTES: u64 = 2_200_000_000;
const MOST_PRODUCTS: u64 = 1 << 33;

struct Out {
    folder: PathBuf,
    part: usize,
    parts: usize,
    number: usize,
}

impl Out {
    fn keep(
        &mut self,
        record: &str,
        what: &str,
        facts: serde_json::Value,
        run: impl FnOnce() -> Result<LaunchReport>,
    ) {
        self.number += 1;
        let of_name = |letter: char| {
            if letter.is_alphanumeric() {
                letter
            } else {
                '_'
            }
        };
        let name: String = format!("{record}-{what}").chars().map(of_name).collect();
        let path = self.folder.join(format!("{name}.json"));
        if self.number % self.parts != self.part || path.exists() {
            return;
        }
        let begin = Instant::now();
        match run() {
            Ok(report) => {
                let value = serde_json::json!({
                    "record": record, "what": what, "facts": facts, "observation": report.observation.as_deref(),
                });
                if let Err(error) = std::fs::write(&path, value.to_string()) {
                    eprintln!("{}: {error}", path.display());
                }
                eprintln!("{name}: {:.1} s", begin.elapsed().as_secs_f64());
            }
            Err(error) => {
                eprintln!(
                    "{name}: {}",
                    error.to_string().lines().next().unwrap_or_default()
                );
            }
        }
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let usage = "observe RECORDS OUT [PART/PARTS]";
    let folder = PathBuf::from(arguments.get(1).ok_or(usage)?);
    let mut out = Out {
        folder: PathBuf::from(arguments.get(2).ok_or(usage)?),
        part: 0,
        parts: 1,
        number: 0,
    };
    if let Some((part, parts)) = arguments.get(3).and_then(|text| text.split_once('/')) {
        (out.part, out.parts) = (part.parse()?, parts.parse()?);
    }
    std::fs::create_dir_all(&out.folder)?;
    let registry = Registry::load()?;
    let only = arguments.get(4).map(String::as_str);
    let is_wanted =
        |name: &str| only.is_none_or(|only| only.split(',').any(|wanted| wanted == name));
    for sweep in SWEEPS.iter().filter(|name| is_wanted(name)) {
        works(&registry, &folder, sweep, &mut out)?;
    }
    if is_wanted("products") {
        products(&registry, &folder, &mut out)?;
    }
    if is_wanted("transpose") {
        transposes(&registry, &folder, &mut out)?;
    }
    Ok(())
}

fn facts(us: f64, mode: &str, bytes: u64, held: (Option<u32>, Option<u32>)) -> serde_json::Value {
    serde_json::json!({"us": us, "mode": mode, "bytes": bytes, "registers": held.0, "resident": held.1})
}

fn transposes(registry: &Registry, folder: &Path, out: &mut Out) -> Result<()> {
    let record = Record::load_file(&folder.join("transpose.json"))?;
    for point in &record.measurements {
        let Ok(entry) = registry.get(&point.kernel) else {
            continue;
        };
        if point.bytes_moved > MOST_BYTES {
            continue;
        }
        let what = format!(
            "{} {} {}x{} {}",
            point.kernel, point.element, point.rows, point.columns, point.batches
        );
        let held = (point.registers_per_thread, point.blocks_per_multiprocessor);
        let facts = facts(point.timing().median_us(), "cold", point.bytes_moved, held);
        out.keep("transpose", &what, facts, || {
            let shape = Shape::new(point.rows, point.columns);
            let task = RegisteredTask::new(&Device::emulator(), entry, shape, point.batches)?;
            let kernel = Kernel::committed(registry, entry)?;
            task.emulate(entry, &kernel, &LaunchOptions::observed())
        });
    }
    Ok(())
}

fn works(registry: &Registry, folder: &Path, name: &str, out: &mut Out) -> Result<()> {
    for point in &Sweep::load_file(&folder.join(format!("{name}.json")))?.measurements {
        let Ok(entry) = registry.work(&point.kernel) else {
            continue;
        };
        let is_cold = point.mode.to_string().starts_with("cold");
        let (Some(grid), Some(block), true) = (point.grid, point.block, is_cold) else {
            continue;
        };
        if point.bytes_moved > MOST_BYTES {
            continue;
        }
        let what = format!("{} {} {}", point.kernel, point.parameter, point.items);
        let held = (point.registers_per_thread, point.blocks_per_multiprocessor);
        let facts = facts(point.timing().median_us(), "cold", point.bytes_moved, held);
        out.keep(name, &what, facts, || {
            let work = entry.work(point.items, point.parameter)?;
            let kernel = entry.kernel(registry, point.parameter)?;
            work.emulate(&kernel, grid, block, &LaunchOptions::observed())
        });
    }
    Ok(())
}

fn products(registry: &Registry, folder: &Path, out: &mut Out) -> Result<()> {
    let record = Products::load_file(&folder.join("products.json"))?;
    for point in &record.measurements {
        let Ok(entry) = registry.product(&point.kernel) else {
            continue;
        };
        let (Some(grid), Some(block)) = (point.grid, point.block) else {
            continue;
        };
        let products = [point.shape.m, point.shape.n, point.shape.k].map(|size| size as u64);
        if products.iter().product::<u64>() > MOST_PRODUCTS {
            continue;
        }
        let what = format!("{} {}", point.kernel, point.shape);
        let held = (point.registers_per_thread, point.blocks_per_multiprocessor);
        let facts = facts(point.timing().median_us(), "warm", 0, held);
        out.keep("products", &what, facts, || {
            let product = Product::registered(&Device::emulator(), entry, point.shape)?;
            let kernel = Kernel::committed(registry, entry)?;
            product.emulate(&kernel, grid, block, &LaunchOptions::observed())
        });
    }
    Ok(())
}
