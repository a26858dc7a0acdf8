//! Single launches: cooperative grids, and what a launch computed.

use cornerturn::{Buffer, Device, Error, Kernel, Stream, args, works};

const WAITING: &str = include_str!("../../emulator/tests/pass/waiting.ptx");
const ARITHMETIC: &str = include_str!("../../runtime/tests/machine_code/arithmetic.ptx");

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

/// Producer and consumer on a stream, of so many elements.
struct Pair {
    device: Device,
    stream: Stream,
    arrays: [Buffer<f32>; 4],
}

impl Pair {
    const ITEMS: u32 = 1061;

    fn new() -> Self {
        let device = Device::emulator();
        let stream = device.nonblocking_stream("s").unwrap();
        let x = works::halves(Self::ITEMS as usize);
        let poisoned = |name| device.poisoned::<f32>(name, Self::ITEMS as usize).unwrap();
        let arrays = [
            device.upload("x", &x).unwrap(),
            device.upload("table", &works::factors()).unwrap(),
            poisoned("y"),
            poisoned("z"),
        ];
        Self {
            device,
            stream,
            arrays,
        }
    }

    fn produce(&self) {
        let [x, _, y, _] = &self.arrays;
        let produce = Kernel::registered("produce").unwrap();
        let arguments = args![x, y, Self::ITEMS];
        self.stream.launch(&produce, 5, 256, arguments).unwrap();
    }

    fn consume(&self, kernel: &Kernel) -> cornerturn::Result<()> {
        let [_, table, y, z] = &self.arrays;
        let arguments = args![y, table, z, Self::ITEMS];
        self.stream.launch(kernel, 5, 256, arguments).map(drop)
    }

    fn is_right(&self) -> bool {
        self.stream.synchronize().unwrap();
        let (x, z) = (
            self.arrays[0].read().unwrap(),
            self.arrays[3].read().unwrap(),
        );
        let factors = works::factors();
        let wanted = |i: usize| x[i] * 0.5 * factors[i % factors.len()];
        (0..z.len()).all(|i| z[i].to_bits() == wanted(i).to_bits())
    }
}

/// The consumer, and the same without its wait.
fn consumers() -> [Kernel; 2] {
    let consume = Kernel::registered("consume").unwrap();
    let hasty = consume.ptx_text().replace("griddepcontrol.wait;", "");
    [consume, Kernel::ptx(&hasty, "consume").unwrap()]
}

#[test]
fn a_programmatic_launch_is_ordered_by_its_own_wait() {
    let [consume, hasty] = consumers();
    for kernel in [&consume, &hasty, &consume.programmatic()] {
        let pair = Pair::new();
        pair.produce();
        pair.consume(kernel).unwrap();
        assert!(pair.is_right());
    }
    let pair = Pair::new();
    pair.produce();
    let error = pair.consume(&hasty.programmatic()).unwrap_err();
    assert!(matches!(error, Error::Unordered { .. }), "{error}");
    let error = error.to_string();
    for words in [
        "kernel `produce` on stream `s`",
        "writes bytes 0..4244 of `y`, and kernel `consume` on stream `s` (",
        "reads them; nothing says which comes first. kernel `consume` is a programmatic dependent launch, and does so before",
        "call cudaGridDependencySynchronize() (griddepcontrol.wait) before it touches these bytes",
    ] {
        assert!(error.contains(words), "{error}");
    }
    // What it did is what a GPU does at best.
    assert!(pair.is_right());
    // After the host has waited, or after anything that is no kernel, it begins as any other.
    pair.produce();
    pair.stream.synchronize().unwrap();
    pair.consume(&hasty.programmatic()).unwrap();
    pair.produce();
    pair.stream.fill_byte(&pair.arrays[3], 7).unwrap();
    pair.consume(&hasty.programmatic()).unwrap();
}

#[test]
fn what_comes_before_the_wait_must_not_need_the_kernel_before() {
    let [consume, _] = consumers();
    let pair = Pair::new();
    let [x, table, ..] = &pair.arrays;
    let scale = Kernel::registered("scale").unwrap();
    let stream = &pair.stream;
    stream
        .launch(&scale, 4, 256, args![x, table, 1024])
        .unwrap();
    let error = pair
        .consume(&consume.programmatic())
        .unwrap_err()
        .to_string();
    assert!(error.contains("bytes 0..4096 of `table`"), "{error}");
    assert!(!error.contains("`y`"), "{error}");
}

#[test]
fn a_wait_covers_the_kernel_before_and_none_before_that() {
    let [consume, _] = consumers();
    let others = |pair: &Pair| pair.device.upload("others", &[1_u32]).unwrap();
    let pair = Pair::new();
    pair.produce();
    let between = Kernel::registered("empty_dependent")
        .unwrap()
        .programmatic();
    let arguments = args![others(&pair), 1];
    pair.stream.launch(&between, 1, 32, arguments).unwrap();
    pair.consume(&consume.programmatic()).unwrap();
    let pair = Pair::new();
    pair.produce();
    let between = Kernel::registered("empty").unwrap().programmatic();
    let arguments = args![others(&pair), 1];
    pair.stream.launch(&between, 1, 32, arguments).unwrap();
    let error = pair
        .consume(&consume.programmatic())
        .unwrap_err()
        .to_string();
    let words = "A kernel between them does not wait for the first";
    assert!(error.contains(words), "{error}");
    // Any other launch waits for all that is in the stream.
    let pair = Pair::new();
    pair.produce();
    let arguments = args![others(&pair), 1];
    pair.stream.launch(&between, 1, 32, arguments).unwrap();
    pair.consume(&consume).unwrap();
    assert!(pair.is_right());
}

#[test]
fn a_graph_keeps_programmatic_launches_and_their_races() {
    let [consume, hasty] = consumers();
    for (kernel, is_right) in [(consume, true), (hasty, false)] {
        let pair = Pair::new();
        let capture = pair.stream.capture("pair").unwrap();
        pair.produce();
        pair.consume(&kernel.programmatic()).unwrap();
        let graph = capture.end().unwrap();
        match graph.launch(&pair.stream) {
            Ok(()) => assert!(is_right && pair.is_right()),
            Err(error) => {
                let error = error.to_string();
                assert!(
                    !is_right && error.contains("griddepcontrol.wait"),
                    "{error}"
                );
                assert!(error.contains("of graph `pair`"), "{error}");
            }
        }
    }
}
