//! What only a GPU can show: times, faults and the context built anew, the driver's words. Without one, each test prints that it is skipped.

// A test may fail where it stands.
#![allow(clippy::unwrap_used)]

use cornerturn::registry::KernelEntry;
use cornerturn::{
    Counters, CublasGemm, Device, Error, Geam, Kernel, Layout, Limits, NumberType, Occupancy,
    Product, ProductProblem, RegisteredTask, Registry, Shape, Task, Timing, TimingMode, args,
    works,
};
use std::time::Instant;

/// The GPU, or a visible line and nothing.
fn gpu() -> Option<Device> {
    match Device::cuda() {
        Ok(device) => Some(device),
        // A GPU that is asked for has to be there: no test may pass for the lack of it.
        Err(error) if std::env::var("CORNERTURN_DEVICE").as_deref() == Ok("cuda") => {
            panic!("{error}")
        }
        Err(error) => {
            eprintln!("skipped, it needs a GPU: {error}");
            None
        }
    }
}

fn registered(id: &str) -> (Kernel, KernelEntry) {
    let registry = Registry::load().unwrap();
    let entry = registry.get(id).unwrap().clone();
    (Kernel::committed(&registry, &entry).unwrap(), entry)
}

/// PTX of a kernel `(u64 address, u32 count)` with this body.
fn ptx(body: &str) -> String {
    format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u32 p1)\n{{\n\
         .reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n\
         ld.param.u64 %rd1, [p0];\nld.param.u32 %r1, [p1];\ncvta.to.global.u64 %rd2, %rd1;\n{body}\nret;\n}}\n"
    )
}

fn report(what: &str, bytes: u64, timing: &Timing) {
    eprintln!(
        "{what}: {} — {timing}, {:?}",
        timing.gb_per_s(bytes),
        timing.clocks
    );
}

#[test]
fn the_devices_facts_are_plausible() {
    let Some(device) = gpu() else { return };
    let facts = device.facts();
    eprintln!("{device}\n{facts:?}");
    assert!(device.is_cuda());
    assert!(facts.multiprocessors > 0 && facts.memory_bytes > 1 << 30 && facts.l2_bytes > 1 << 18);
    assert!(
        (50.0..50_000.0).contains(&facts.peak_gb_per_s),
        "{}",
        facts.peak_gb_per_s
    );
    assert!(facts.compute_capability.parse::<f32>().unwrap() >= 7.5);
    assert!(facts.cuda_version.parse::<f32>().unwrap() >= 12.1);
    assert!(!facts.slug.is_empty() && !facts.peak_source.is_empty());
}

#[test]
fn every_kernel_is_right_and_timed_below_the_peak() {
    let Some(device) = gpu() else { return };
    let registry = Registry::load().unwrap();
    for (rows, columns) in [(4096, 4096), (4099, 2053)] {
        let shape = Shape::new(rows, columns);
        for entry in registry.kernels() {
            let kernel = Kernel::committed(&registry, entry).unwrap();
            let task = match RegisteredTask::new(&device, entry, shape, 1) {
                Err(Error::Shape { .. }) => continue,
                task => task.unwrap(),
            };
            let run = task.run(entry, &kernel).unwrap();
            let (timing, copy) = (run.timing.as_ref().unwrap(), run.copy.as_ref().unwrap());
            report(&format!("{} {shape}", entry.id), run.bytes_moved, timing);
            report("  device copy", run.bytes_moved, copy);
            assert!(timing.count() >= 10, "{timing}");
            assert!(run.gb_per_s().unwrap().0 <= device.facts().peak_gb_per_s);
            assert!(run.gb_per_s().unwrap().0 > 0.01 * device.facts().peak_gb_per_s);
            // A launch leaves the right result behind the timing too.
            task.verify(entry, &kernel).unwrap();
        }
    }
}

#[test]
fn the_calculated_occupancy_is_the_drivers() {
    let Some(device) = gpu() else { return };
    let Ok(limits) = Limits::of(&device.facts().compute_capability) else {
        eprintln!("skipped, the table has no limits of this GPU");
        return;
    };
    let registry = Registry::load().unwrap();
    for entry in registry.kernels() {
        let kernel = Kernel::committed(&registry, entry).unwrap();
        for threads in [32, 64, 96, 160, 256, 512, 992, 1024] {
            for dynamic in [0, 1, 8 * 1024, 40 * 1024] {
                let kernel = kernel.with_dynamic_shared_bytes(dynamic);
                let Ok(Some(driver)) = device.resources(&kernel, threads) else {
                    // Too much shared memory for one block.
                    continue;
                };
                let shared = driver.static_shared_bytes + dynamic;
                let ours =
                    Occupancy::of(&limits, threads, driver.registers_per_thread, shared).blocks();
                assert_eq!(
                    ours, driver.blocks_per_multiprocessor,
                    "{} in blocks of {threads}: {driver:?}",
                    entry.id
                );
            }
        }
    }
}

/// Where cuBLAS is installed.
#[test]
fn cublas_transposes_as_the_kernels_do() {
    let Some(device) = gpu() else { return };
    let geam = match Geam::open(&device) {
        Ok(geam) => geam,
        Err(error) => return eprintln!("skipped: {error}"),
    };
    eprintln!("{}", geam.library());
    let (_, entry) = registered("padded");
    for (rows, columns) in [(1, 1), (97, 61), (1, 1000), (1000, 3), (4099, 2053)] {
        let task = RegisteredTask::new(&device, &entry, Shape::new(rows, columns), 1).unwrap();
        task.verify_geam(&geam).unwrap();
        let timing = task.time_geam(&geam, TimingMode::Cold).unwrap();
        report(
            &format!("geam {rows}×{columns}"),
            task.problem().bytes_moved(),
            &timing,
        );
    }
    let (_, copy) = registered("copy");
    let task = RegisteredTask::new(&device, &copy, Shape::new(8, 8), 1).unwrap();
    assert!(!geam.takes(task.problem()) && task.verify_geam(&geam).is_err());
}

/// Where cuBLAS is installed: every type and layout that it has, verified as a kernel is.
#[test]
fn cublas_multiplies_as_the_kernels_do() {
    let Some(device) = gpu() else { return };
    let cublas = match CublasGemm::open(&device) {
        Ok(cublas) => cublas,
        Err(error) => return eprintln!("skipped: {error}"),
    };
    use NumberType::{Bf16, F16, F32, S8, S32, Tf32};
    for (input, output) in [
        (F32, F32),
        (Tf32, F32),
        (Bf16, F32),
        (Bf16, Bf16),
        (F16, F32),
        (F16, F16),
        (S8, S32),
    ] {
        for layout in Layout::ALL {
            let problem = ProductProblem::new(192, 320, 256)
                .input(input)
                .output(output)
                .layout(layout);
            let product = Product::new(&device, problem).unwrap();
            match product.verify_cublas(&cublas) {
                // It has not every layout of whole numbers.
                Err(error @ Error::Driver { .. }) if input == S8 => eprintln!("{problem}: {error}"),
                other => {
                    let accuracy = other.unwrap();
                    let timing = product.time_cublas(&cublas, TimingMode::Warm).unwrap();
                    eprintln!("{problem}: {accuracy:?}, {timing}");
                }
            }
        }
    }
    let bytes = ProductProblem::new(192, 320, 256)
        .input(NumberType::E4m3)
        .layout(Layout::Nt);
    let product = Product::new(&device, bytes).unwrap();
    let accuracy = product.verify_cublas(&cublas).unwrap();
    let timing = product.time_cublas(&cublas, TimingMode::Warm).unwrap();
    eprintln!("{bytes}: {accuracy:?}, {timing}");
    let odd = Product::new(&device, ProductProblem::new(97, 61, 131)).unwrap();
    odd.verify_cublas(&cublas).unwrap();
    let large = Product::new(&device, ProductProblem::new(2048, 1024, 4096)).unwrap();
    large.verify_cublas(&cublas).unwrap();
}

#[test]
fn padding_is_faster_than_no_tile() {
    let Some(device) = gpu() else { return };
    let shape = Shape::new(4096, 4096);
    let time = |id: &str| {
        let (kernel, entry) = registered(id);
        let task = Task::<f32>::new(&device, entry.operation, shape).unwrap();
        let grid = entry.grid(shape).unwrap();
        task.time(&kernel, grid, entry.block(), TimingMode::Cold)
            .unwrap()
            .median_us()
    };
    let (naive, padded) = (time("naive_read"), time("padded"));
    assert!(padded < naive, "padded {padded} µs, naive {naive} µs");
}

#[test]
fn a_small_matrix_is_faster_with_a_warm_cache() {
    let Some(device) = gpu() else { return };
    let (kernel, entry) = registered("padded");
    // Input and output are a quarter of L2.
    let rows = (device.facts().l2_bytes / 4 / 8 / 1024) as usize;
    let task = Task::transpose(&device, rows, 1024).unwrap();
    let grid = entry.grid(task.shape()).unwrap();
    let time = |mode| task.time(&kernel, grid, entry.block(), mode).unwrap();
    let (cold, warm) = (time(TimingMode::Cold), time(TimingMode::Warm));
    report(
        &format!("padded {rows}×1024 cold"),
        task.bytes_moved(),
        &cold,
    );
    report(
        &format!("padded {rows}×1024 warm"),
        task.bytes_moved(),
        &warm,
    );
    assert!(warm.median_us() < cold.median_us());
}

/// The driver keeps lines that were loaded with `evict_last`; the flush must not leave them to the next kernel.
#[test]
fn a_kernel_after_one_with_hints_is_timed_as_alone() {
    let Some(device) = gpu() else { return };
    if device.check_tensor_maps().is_err() {
        return eprintln!("skipped: the kernel that leaves lines needs Hopper");
    }
    for side in [2048, 4096] {
        let (vectorized, entry) = registered("vectorized");
        let task = RegisteredTask::new(&device, &entry, Shape::new(side, side), 1).unwrap();
        let time = |id: &str, kernel: &Kernel, mode: TimingMode| {
            let (_, entry) = registered(id);
            task.time(&entry, kernel, mode).unwrap().median_us()
        };
        let alone = time("vectorized", &vectorized, TimingMode::Cold);
        let mut unreset = Vec::new();
        for id in ["tma_64x64", "limit"] {
            let (before, _) = registered(id);
            let leave_lines = || time(id, &before, TimingMode::Warm);
            leave_lines();
            let after = time("vectorized", &vectorized, TimingMode::Cold);
            leave_lines();
            unreset.push(time("vectorized", &vectorized, TimingMode::Unreset));
            eprintln!(
                "{side}: alone {alone:.2} µs, after {id} {after:.2} µs, unreset {unreset:.2?} µs"
            );
            assert!(
                (after / alone - 1.0).abs() < 0.01,
                "{side}: {alone} µs alone, {after} µs after {id}"
            );
        }
        // Without the reset there is something to see, or this test would prove nothing.
        assert!(
            unreset[0] < 0.97 * alone,
            "{side}: {unreset:?} µs, {alone} µs alone"
        );
    }
}

#[test]
fn a_kernel_that_moves_nothing_is_impossible() {
    let Some(device) = gpu() else { return };
    let (padded, entry) = registered("padded");
    let task = Task::transpose(&device, 8192, 8192).unwrap();
    // One block in place of the whole grid: it moves a tile and would be counted for the matrix.
    let error = task
        .time(&padded, 1, entry.block(), TimingMode::Cold)
        .unwrap_err();
    assert!(matches!(error, Error::Impossible(_)), "{error}");
    eprintln!("{error}");
}

#[test]
fn each_kind_of_fault_leaves_a_device_that_works() {
    let Some(device) = gpu() else { return };
    let bystander = Device::cuda().unwrap();
    let kept = bystander.upload("kept", &[1_u32, 2, 3]).unwrap();
    let cases = [
        (
            "out of bounds",
            "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd2, %rd3;\nst.global.u32 [%rd3], %r1;",
        ),
        (
            "misaligned",
            "add.s64 %rd3, %rd2, 2;\nst.global.u32 [%rd3], %r1;",
        ),
        ("trap", "trap;"),
        (
            "null",
            "mov.u64 %rd3, 0;\nld.global.u32 %r2, [%rd3];\nst.global.u32 [%rd2], %r2;",
        ),
    ];
    for (name, body) in cases {
        let kernel = Kernel::ptx(&ptx(body), "k").unwrap();
        let buffer = device.poisoned::<u32>("buffer", 32).unwrap();
        let started = Instant::now();
        let error = device
            .launch(&kernel, 1, 32, args![buffer, 1_u32 << 30])
            .unwrap_err();
        eprintln!("{name}, {:.0?}:\n{error}\n", started.elapsed());
        // The rehearsal finds it, and keeps it from the GPU: the buffer is as it was.
        assert!(matches!(error, Error::Kernel { .. }), "{name}: {error:?}");
        assert_eq!(error.exit_code(), 1);
        assert!(buffer.read().is_ok(), "{name}: a buffer was lost");
        // The same kernel handle has to be loaded again, and works where it may.
        let good = Kernel::ptx(&ptx("st.global.u32 [%rd2], %r1;"), "k").unwrap();
        let fresh = device.poisoned::<u32>("fresh", 1).unwrap();
        device.launch(&good, 1, 1, args![fresh, 42]).unwrap();
        assert_eq!(fresh.read().unwrap(), [42], "{name}");
    }
    // Another handle on the same GPU keeps its buffers.
    assert_eq!(kept.read().unwrap(), [1, 2, 3]);
}

#[test]
fn a_fault_while_timing_is_an_error_and_no_time() {
    let Some(device) = gpu() else { return };
    let kernel = Kernel::ptx(&ptx("trap;"), "k").unwrap();
    let buffer = device.poisoned::<u32>("buffer", 32).unwrap();
    let error = device
        .time(&kernel, 1, 32, args![buffer, 0], TimingMode::Warm)
        .unwrap_err();
    assert!(matches!(error, Error::Kernel { .. }), "{error:?}");
    let (padded, entry) = registered("padded");
    let task = Task::transpose(&device, 100, 70).unwrap();
    let grid = entry.grid(task.shape()).unwrap();
    assert!(
        task.time(&padded, grid, entry.block(), TimingMode::Cold)
            .unwrap()
            .count()
            > 0
    );
}

#[test]
fn ptx_that_the_driver_refuses_says_why() {
    let Some(device) = gpu() else { return };
    let buffer = device.poisoned::<u32>("buffer", 32).unwrap();
    let good = ptx("st.global.u32 [%rd2], %r1;");
    let future = Kernel::ptx(&good.replace(".version 7.0", ".version 99.0"), "k");
    let other = Kernel::ptx(&good.replace("sm_75", "sm_121"), "k");
    for kernel in [future, other].into_iter().flatten() {
        let error = device.launch(&kernel, 1, 1, args![buffer, 1]).unwrap_err();
        eprintln!("{error}\n");
        assert!(matches!(error, Error::PtxRefused { .. }), "{error:?}");
    }
    let kernel = Kernel::ptx(&good, "k").unwrap();
    device.launch(&kernel, 1, 1, args![buffer, 1]).unwrap();
}

#[test]
fn too_much_memory_is_an_error_with_the_size() {
    let Some(device) = gpu() else { return };
    let length = device.facts().memory_bytes as usize;
    let error = device.poisoned::<u64>("too much", length).unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error:?}");
    assert!(error.to_string().contains("too much"), "{error}");
    assert!(device.poisoned::<u8>("little", 1).is_ok());
}

#[test]
fn more_than_two_gib_are_right_too() {
    let Some(device) = gpu() else { return };
    // More than 2^31 bytes in one buffer, and neither side a multiple of the tile.
    let shape = Shape::new(23_171, 23_173);
    if device.facts().memory_bytes < 12 << 30 {
        eprintln!("skipped: the GPU has less than 12 GiB");
        return;
    }
    let (kernel, entry) = registered("padded");
    let task = Task::transpose(&device, shape.rows, shape.columns).unwrap();
    let started = Instant::now();
    task.verify(&kernel, entry.grid(shape).unwrap(), entry.block())
        .unwrap();
    eprintln!("{shape} verified in {:.1?}", started.elapsed());
}

#[test]
fn counters_do_not_depend_on_the_device() {
    let Some(device) = gpu() else { return };
    let shape = Shape::new(97, 130);
    let count = |device: &Device| -> Counters {
        let (kernel, entry) = registered("tiled");
        let task = Task::<f32>::new(device, entry.operation, shape).unwrap();
        task.run(&kernel, entry.grid(shape).unwrap(), entry.block())
            .unwrap()
            .counters
    };
    let (here, there) = (count(&device), count(&Device::emulator()));
    assert_eq!(
        here.iter().collect::<Vec<_>>(),
        there.iter().collect::<Vec<_>>()
    );
}

/// The GPU cannot stop a kernel that never ends. Run by itself: the process is of no use afterwards.
#[test]
fn a_kernel_without_end_never_starts() {
    let Some(device) = gpu() else { return };
    let kernel = Kernel::ptx(
        &ptx("loop:\nst.volatile.global.u32 [%rd2], %r1;\nbra loop;"),
        "k",
    )
    .unwrap();
    let buffer = device.poisoned::<u32>("buffer", 32).unwrap();
    let error = device.launch(&kernel, 1, 1, args![buffer, 1]).unwrap_err();
    eprintln!("{error}");
    assert!(matches!(error, Error::Kernel { .. }), "{error:?}");
    assert!(device.poisoned::<u32>("next", 1).is_ok());
}

#[test]
fn the_proposed_block_is_one_that_the_capacity_holds() {
    let Some(device) = gpu() else { return };
    let capacity = device.capacity().unwrap().unwrap();
    let limits = Limits::of(&device.facts().compute_capability);
    if let Ok(limits) = limits {
        assert_eq!(capacity.warps, limits.warps);
        assert_eq!(capacity.registers, limits.registers);
        assert_eq!(capacity.shared_bytes, limits.shared_bytes);
    }
    let kernel = Kernel::registered("one_each").unwrap();
    let block = device.proposed_block(&kernel).unwrap().unwrap();
    assert!(
        block.threads.is_multiple_of(32) && block.threads <= 1024,
        "{block:?}"
    );
    let resident = device.resources(&kernel, block.threads).unwrap().unwrap();
    let blocks = resident.blocks_per_multiprocessor * device.multiprocessors();
    assert_eq!(blocks, block.blocks);
}

#[test]
fn a_chase_takes_longer_in_memory_than_in_l2() {
    let Some(device) = gpu() else { return };
    let kernel = Kernel::registered("chase_l2").unwrap();
    let clocks = |lines: usize| {
        let work = works::chase(1 << 14, lines);
        let ready = work.ready_verified(&device, &kernel, 1, 1024).unwrap();
        ready.left::<u64>("ticks").unwrap()[0] as f64 / f64::from(1 << 14)
    };
    let (near, far) = (clocks(1 << 12), clocks(1 << 23));
    assert!(near > 50.0 && far > 1.3 * near, "{near} {far}");
}
