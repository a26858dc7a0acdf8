//! Single launches: cooperative grids, and what a launch computed.

use cornerturn::{Device, Error, Kernel, args};

const WAITING: &str = include_str!("../../emulator/tests/pass/waiting.ptx");
const ARITHMETIC: &str = include_str!("../machine_code/arithmetic.ptx");

#[test]
fn a_cooperative_grid_runs_where_it_fits_and_is_refused_where_not() {
    let device = Device::emulator();
    let kernel = Kernel::ptx(WAITING, "grid_steps").unwrap();
    assert!(!kernel.is_cooperative() && kernel.cooperative().is_cooperative());
    let n = 24 * 64_i32;
    let data = device
        .upload("data", &(0..n).collect::<Vec<i32>>())
        .unwrap();
    let out = device.poisoned::<i32>("out", n as usize).unwrap();
    let launch = |kernel: &Kernel, blocks: u32, threads: u32| {
        device.launch(kernel, blocks, threads, args![data, out, n, 5_i32])
    };
    launch(&kernel.cooperative(), 24, 64).unwrap();
    let expected: Vec<i32> = (0..n).map(|at| (at + n - 5) % n + 5).collect();
    assert!(out.read().unwrap() == expected);

    let trapped = launch(&kernel, 24, 64).unwrap_err().to_string();
    assert!(trapped.contains("kernel.cooperative()"), "{trapped}");
    // 2048 threads of each of 132 multiprocessors.
    let refused = launch(&kernel.cooperative(), 265, 1024).unwrap_err();
    assert!(matches!(refused, Error::Limit { .. }), "{refused}");
    let told = refused.to_string();
    assert!(
        told.contains("265 blocks") && told.contains("264 such blocks"),
        "{told}"
    );
}

#[test]
fn a_launch_tells_what_it_computed() {
    let device = Device::emulator();
    let kernel = Kernel::ptx(ARITHMETIC, "axpy_unrolled").unwrap();
    let (rounds, threads) = (45_u32, 3 * 77_u64);
    let x: Vec<f32> = (1..=rounds).map(|i| i as f32 / 8.0).collect();
    let input = device.upload("in", &x).unwrap();
    let out = device.poisoned::<f32>("out", 3 * 77).unwrap();
    let report = device
        .launch(&kernel, 3, 77, args![input, out, rounds])
        .unwrap();
    let counters = report.counters.unwrap();
    let flops = counters.flops();
    assert_eq!(
        (flops.single, flops.total()),
        (2 * 45 * threads, 2 * 45 * threads)
    );
    // One sector for each of 45 loads of 9 warps; 77 floats that begin a sector, or 5 or 2 floats behind its begin.
    let stored = (4 + 4 + 2) + (5 + 5 + 3) + (5 + 5 + 2);
    assert_eq!(counters.global_sector_bytes(), 32 * (9 * 45 + stored));
    let html = report.arithmetic().to_html();
    assert!(html.contains("ffma") && !html.contains("dfma"), "{html}");
    assert!(html.contains("for each byte of global sectors"), "{html}");
}
