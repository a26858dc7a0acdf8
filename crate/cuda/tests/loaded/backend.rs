//! The project's own CUDA backend on the stand-in: results and counters are those of its emulated backend.

use crate::{passes, report};
use cornerturn::registry::KernelEntry;
use cornerturn::{Device, Kernel, LaunchOptions, LaunchReport, Registry, args};
use serde_json::Value;

/// Kernels with a tile of 32 × 32 and blocks of 32 × 8, one with tensor maps left out: the launch shape is the same.
const KERNELS: [&str; 4] = ["naive_read", "naive_write", "tiled", "padded"];
const ROWS: u32 = 70;
const COLUMNS: u32 = 133;

fn kernel(id: &str) -> (Kernel, KernelEntry) {
    let registry = Registry::load().unwrap();
    let entry = registry.get(id).unwrap().clone();
    (Kernel::committed(&registry, &entry).unwrap(), entry)
}

/// Transposes on a device; the result's bits, and what the launch reports.
fn transpose(device: &Device, id: &str) -> (Vec<u32>, LaunchReport) {
    let (kernel, entry) = kernel(id);
    let count = ROWS * COLUMNS;
    let input: Vec<f32> = (0..count)
        .map(|at| f32::from_bits(0x3f00_0000 + at))
        .collect();
    let input = device.upload("input", &input).unwrap();
    let output = device.poisoned::<f32>("output", count as usize).unwrap();
    let [width, height] = entry.tile;
    let grid = [COLUMNS.div_ceil(width), ROWS.div_ceil(height)];
    let options = LaunchOptions::unrehearsed();
    let arguments = args![input, output, ROWS, COLUMNS];
    let report = device
        .launch_with(&kernel, grid, entry.block, arguments, &options)
        .unwrap();
    let bits = output
        .read()
        .unwrap()
        .into_iter()
        .map(f32::to_bits)
        .collect();
    (bits, report)
}

#[test]
#[ignore = "run by `the_cuda_backend_gives_what_the_emulator_gives`"]
fn transposes_on_cuda() {
    let device = Device::cuda().unwrap();
    assert!(device.is_cuda());
    assert_eq!(device.multiprocessors(), 132);
    for id in KERNELS {
        let (bits, report) = transpose(&device, id);
        assert!(report.counters.is_none(), "a GPU counts nothing");
        let expected: Vec<u32> = (0..COLUMNS)
            .flat_map(|x| (0..ROWS).map(move |y| 0x3f00_0000 + y * COLUMNS + x))
            .collect();
        assert!(bits == expected, "{id} is no transpose");
    }
}

#[test]
fn the_cuda_backend_gives_what_the_emulator_gives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    let variables = [("CORNERTURN_REPORT", path.to_str().unwrap())];
    passes("backend::transposes_on_cuda", &variables);
    let report = report(&path);
    let emulator = Device::emulator();
    for id in KERNELS {
        let (kernel, _) = kernel(id);
        let kernels = report["kernels"].as_array().unwrap();
        let found = kernels
            .iter()
            .find(|one| one["kernel"] == kernel.entry())
            .unwrap();
        assert_eq!(found["launches"], 1, "{id}");
        assert_eq!(found["findings"], Value::Array(Vec::new()), "{id}");
        let (_, expected) = transpose(&emulator, id);
        for (name, count) in expected.counters.unwrap().iter() {
            assert_eq!(found["counters"][name], count, "{id}: {name}");
        }
        let sectors = &found["counters"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"];
        assert!(sectors.as_u64().unwrap() > 0, "{id}: nothing was counted");
    }
    // The backend frees what it takes.
    let remarks = report["remarks"].as_array().unwrap();
    let leaks: Vec<&Value> = remarks.iter().filter(|one| one["kind"] == "leak").collect();
    assert_eq!(leaks, Vec::<&Value>::new());
}
