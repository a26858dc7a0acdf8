//! Whole runs: every kernel of the registry on shapes of every kind, faults, wrong kernels, and what each leaves behind.

use crate::{FILL, SHAPES, devices, registered};
use cornerturn::raw::{self, RawLaunch};
use cornerturn::verify::{Mistake, Operation};
use cornerturn::{
    Argument, Device, Dim3, ElementType, Error, ErrorKind, FindingKind, Kernel, RegisteredTask,
    Registry, Run, Shape, Task, TimingMode, args, plot,
};

#[test]
fn every_registered_kernel_is_right_on_every_shape() {
    let registry = Registry::load().unwrap();
    for device in devices() {
        for entry in registry.kernels() {
            let kernel = Kernel::committed(&registry, entry).unwrap();
            for (rows, columns) in SHAPES {
                let shape = Shape::new(rows, columns);
                let task = match RegisteredTask::new(&device, entry, shape, 1) {
                    // The registry says why; the runner's tests say that it is right to.
                    Err(Error::Shape { .. }) => continue,
                    task => task.unwrap(),
                };
                let run = task.run(entry, &kernel);
                let run = run.unwrap_or_else(|error| panic!("{} at {shape}: {error}", entry.id));
                let bytes = 2 * rows * columns * entry.element.bytes();
                assert_eq!(run.bytes_moved, bytes as u64);
                // What the copy engine moves by tensor maps is in no counter of global loads.
                let loaded = run.counters.global_load_sectors * 32;
                assert!(entry.tensor_maps.is_some() || loaded >= run.bytes_moved / 2);
                assert_eq!(run.timing.is_some(), device.is_cuda());
                assert_eq!(run.copy.is_some(), device.is_cuda());
            }
        }
    }
}

#[test]
fn counters_say_what_padding_and_tiles_do() {
    let device = Device::emulator();
    let shape = Shape::new(256, 512);
    let count = |id: &str| {
        let (kernel, entry) = registered(id);
        let task = Task::<f32>::new(&device, entry.operation, shape).unwrap();
        task.run(&kernel, entry.grid(shape).unwrap(), entry.block())
            .unwrap()
    };
    let requests = 256 * 512 / 32;
    let (tiled, padded, naive) = (count("tiled"), count("padded"), count("naive_read"));
    assert_eq!(padded.counters.global_store_sectors, 4 * requests);
    assert_eq!(padded.counters.shared_load_bank_conflicts, 0);
    assert_eq!(tiled.counters.shared_load_bank_conflicts, 31 * requests);
    assert_eq!(naive.counters.global_store_sectors, 32 * requests);
    assert_eq!(padded.efficiency(), Some(1.0));
    assert!(naive.efficiency().unwrap() < 0.3);
}

#[test]
fn a_missing_part_of_the_output_is_seen_as_unwritten() {
    let (kernel, entry) = registered("padded");
    for device in devices() {
        let task = Task::transpose(&device, 100, 70).unwrap();
        let mut grid = entry.grid(Shape::new(100, 70)).unwrap();
        task.verify(&kernel, grid, entry.block()).unwrap();
        // One row of blocks too few: the rows from 96 on are missing, though the right result stood there before.
        grid.y -= 1;
        let error = task.verify(&kernel, grid, entry.block()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::KernelWrong);
        let Error::Mismatch { mismatch, .. } = error else {
            panic!("{error}")
        };
        assert_eq!((mismatch.row, mismatch.column), (0, 96));
        assert_eq!(mismatch.guess, Some(Mistake::Unwritten));
        assert_eq!(mismatch.wrong, 4 * 70);
    }
}

#[test]
fn a_copy_in_place_of_a_transpose_is_recognised() {
    let (kernel, entry) = registered("copy");
    for device in devices() {
        let shape = Shape::new(100, 70);
        let task = Task::transpose(&device, shape.rows, shape.columns).unwrap();
        let error = task
            .run(&kernel, entry.grid(shape).unwrap(), entry.block())
            .unwrap_err();
        let Error::Mismatch { mismatch, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(mismatch.guess, Some(Mistake::Untransposed), "{error}");
        assert!(error.to_string().contains("100×70"), "{error}");
    }
}

/// The kernel has no guard, and the grid is far larger than the buffer.
#[test]
fn a_fault_names_the_place_and_the_device_works_on() {
    let kernel = Kernel::ptx(FILL, "fill").unwrap();
    let (padded, entry) = registered("padded");
    for device in devices() {
        let task = Task::transpose(&device, 100, 70).unwrap();
        let out = device.poisoned::<u32>("numbers", 40).unwrap();
        // A GPU finds out only at the end of the memory that it has mapped.
        let blocks = if device.is_cuda() { 1 << 20 } else { 1 << 12 };
        let error = device
            .launch(&kernel, blocks, 64, args![out, 7])
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::KernelWrong, "{error}");
        let text = error.to_string();
        assert!(text.contains("fill") && text.contains("numbers"), "{text}");
        let Error::Kernel { findings, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(findings[0].kind, FindingKind::OutOfBounds, "{text}");
        assert_eq!(findings[0].entry, "fill");
        // The next launches work, on new buffers and in a task from before.
        let shape = task.shape();
        task.verify(&padded, entry.grid(shape).unwrap(), entry.block())
            .unwrap();
        let again = device.poisoned::<u32>("again", 64).unwrap();
        device.launch(&kernel, 1, 64, args![again, 9]).unwrap();
        assert_eq!(again.read().unwrap(), [9; 64]);
    }
}

#[test]
fn the_emulator_has_no_clock() {
    let device = Device::emulator();
    let (kernel, entry) = registered("padded");
    let task = Task::transpose(&device, 33, 65).unwrap();
    let grid = entry.grid(task.shape()).unwrap();
    for error in [
        task.time(&kernel, grid, entry.block(), TimingMode::Cold)
            .unwrap_err(),
        device.time_copy(1 << 20, TimingMode::Warm).unwrap_err(),
    ] {
        assert!(matches!(error, Error::NoClock));
        assert_eq!(error.exit_code(), 4);
    }
}

#[test]
fn a_machine_without_a_gpu_says_what_is_missing() {
    match Device::cuda() {
        Ok(device) => assert!(device.facts().multiprocessors > 0),
        Err(error) => {
            assert_eq!(
                (error.kind(), error.exit_code()),
                (ErrorKind::MachineLacks, 4),
                "{error}"
            );
            assert!(matches!(error, Error::NoCuda(_)));
            let text = error.to_string();
            assert!(text.contains("driver"), "{text}");
        }
    }
}

#[test]
fn impossible_shapes_are_refused() {
    let device = Device::emulator();
    for (rows, columns) in [(0, 5), (5, 0), (1 << 33, 1), (usize::MAX, usize::MAX)] {
        let error = Task::transpose(&device, rows, columns).unwrap_err();
        assert!(matches!(error, Error::Shape { .. }), "{error}");
        assert_eq!(error.exit_code(), 2);
    }
}

#[test]
fn a_trace_holds_one_warps_accesses() {
    let (kernel, entry) = registered("padded");
    for device in devices() {
        let task = Task::transpose(&device, 64, 96).unwrap();
        let grid = entry.grid(task.shape()).unwrap();
        let trace = task
            .trace(&kernel, grid, entry.block(), ([2, 1, 0], 3))
            .unwrap();
        // Four loads and four stores, each once in global and once in shared memory.
        assert_eq!(trace.accesses.len(), 16);
        assert!(
            trace
                .accesses
                .iter()
                .all(|access| access.block == [2, 1, 0] && access.warp == 3)
        );
        assert!(!trace.truncated);
        // What is not given is 0: an index, not a size.
        let plane = task
            .trace(&kernel, grid, entry.block(), ((2, 1), 3))
            .unwrap();
        assert_eq!(plane, trace);
        let row = task.trace(&kernel, grid, entry.block(), (2, 3)).unwrap();
        assert!(row.accesses.iter().all(|access| access.block == [2, 0, 0]));
        for place in [([3, 0, 0], 0), ([0, 2, 0], 0), ([0, 0, 0], 8)] {
            let error = task.trace(&kernel, grid, entry.block(), place).unwrap_err();
            assert!(matches!(error, Error::Limit { .. }), "{error}");
        }
    }
}

#[test]
fn other_elements_are_verified_too() {
    // A kernel for float copies bits; a task of 32-bit integers has them checked as well.
    let (kernel, entry) = registered("padded");
    let kernel = Kernel::ptx(kernel.ptx_text(), "padded").unwrap();
    for device in devices() {
        let shape = Shape::new(65, 33);
        let task = Task::<i32>::new(&device, Operation::Transpose, shape).unwrap();
        task.verify(&kernel, entry.grid(shape).unwrap(), entry.block())
            .unwrap();
        let (input, output) = (task.input(), task.output().unwrap());
        assert_eq!(output[2 * 65 + 3], input[3 * 33 + 2]);
    }
}

#[test]
fn a_raw_launch_gives_counters_findings_and_bytes() {
    let kernel = Kernel::ptx(FILL, "fill").unwrap();
    for device in devices() {
        let out = device
            .raw_buffer("argument 0", ElementType::U32, 64)
            .unwrap();
        let launch = |blocks: u32| RawLaunch {
            observe: false,
            kernel: kernel.clone(),
            grid: Dim3::from(blocks),
            block: Dim3::from(32),
            arguments: vec![Argument::from(&out), Argument::from(&0x0102_0304_u32)],
            check: false,
            budget: None,
            headway: None,
            machine_code: None,
            time: device.is_cuda(),
            trace: None,
        };
        let report = raw::run(&device, &launch(1)).unwrap();
        let counters = report.counters.unwrap();
        assert!(report.findings.is_empty() && report.would_end);
        assert_eq!(counters.global_store_requests, 1);
        assert_eq!(counters.global_store_sectors, 4);
        assert_eq!(report.ms.is_some(), device.is_cuda());
        let bytes = raw::contents(&out).unwrap();
        assert_eq!(bytes[..8], [4, 3, 2, 1, 4, 3, 2, 1]);
        assert_eq!(bytes[128..], [raw::POISON_BYTE; 128]);
        // One block too many: found, and on a GPU not even tried.
        let report = raw::run(&device, &launch(3)).unwrap();
        assert_eq!(report.findings[0].kind, FindingKind::OutOfBounds);
        assert!(!out.is_lost());
    }
}

/// Waits for more threads than a block has.
const STUCK: &str =
    ".version 7.0 .target sm_75 .address_size 64 .visible .entry stuck() { bar.sync 0, 64; ret; }";

#[test]
fn what_only_a_barrier_ended_is_not_taken_as_finished() {
    for device in devices() {
        let launch = RawLaunch {
            observe: false,
            kernel: Kernel::ptx(STUCK, "stuck").unwrap(),
            grid: Dim3::from(1),
            block: Dim3::from(32),
            arguments: Vec::new(),
            check: false,
            budget: None,
            headway: None,
            machine_code: None,
            time: true,
            trace: None,
        };
        // On a GPU it would hang: it is not tried there.
        let report = raw::run(&device, &launch).unwrap();
        assert_eq!(report.findings[0].kind, FindingKind::BarrierDivergence);
        assert!(!report.would_end);
        assert_eq!(report.ms, None);
    }
}

/// Copies the `rows × columns × batches` elements of a batch, one a thread.
const COPY_BATCH: &str = r"
.version 7.0
.target sm_75
.address_size 64
.visible .entry copy_batch(
    .param .u64 p0, .param .u64 p1, .param .u32 p2, .param .u32 p3, .param .u32 p4
)
{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<7>;
    ld.param.u64 %rd1, [p0];
    ld.param.u64 %rd2, [p1];
    ld.param.u32 %r1, [p2];
    ld.param.u32 %r2, [p3];
    ld.param.u32 %r3, [p4];
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %ntid.x;
    mov.u32 %r6, %tid.x;
    mad.lo.s32 %r7, %r4, %r5, %r6;
    mul.lo.s32 %r8, %r1, %r2;
    mul.lo.s32 %r8, %r8, %r3;
    setp.ge.u32 %p1, %r7, %r8;
    @%p1 bra END;
    mul.wide.u32 %rd5, %r7, 4;
    add.s64 %rd6, %rd3, %rd5;
    ld.global.u32 %r6, [%rd6];
    add.s64 %rd6, %rd4, %rd5;
    st.global.u32 [%rd6], %r6;
END:
    ret;
}
";

/// A registered kernel of one entry in blocks of 32 threads, each for 32 elements.
fn entry_of(arguments: &str, operation: &str) -> cornerturn::registry::KernelEntry {
    let folder = crate::Folder::new(&format!("entry-{arguments}"));
    folder.write(
        "kernels.toml",
        format!(
            "[[kernel]]\nid = \"k\"\nfile = \"k.cu\"\nentry = \"k\"\nchapter = \"test\"\n\
             operation = \"{operation}\"\nelement = \"f32\"\narguments = \"{arguments}\"\n\
             tile = [32, 1]\nblock = [32, 1]\ngrid = \"linear\"\narch = \"compute_75\"\n"
        ),
    );
    let registry = Registry::load_from(&folder.0).unwrap();
    registry.get("k").unwrap().clone()
}

#[test]
fn a_batch_is_verified_to_its_last_matrix() {
    let entry = entry_of("batch", "copy");
    let kernel = Kernel::ptx(COPY_BATCH, "copy_batch").unwrap();
    for device in devices() {
        let task = RegisteredTask::new(&device, &entry, Shape::new(3, 32), 5).unwrap();
        let run = task.run(&entry, &kernel).unwrap();
        assert_eq!(run.grid, Dim3::from(15));
        assert!(matches!(&run.asked, cornerturn::Asked::Matrices(problem) if problem.batches == 5));
        assert_eq!(run.bytes_moved, 8 * 3 * 32 * 5);
        assert!(
            run.to_string().contains("copy of 5 times 3×32 f32"),
            "{run}"
        );
        // A kernel that forgets the rest of the fourth matrix and what follows it.
        let short = COPY_BATCH.replace("mul.lo.s32 %r8, %r8, %r3;", "mov.u32 %r8, 300;");
        let short = Kernel::ptx(&short, "copy_batch").unwrap();
        let error = task.run(&entry, &short).unwrap_err();
        let Error::Mismatch { mismatch, .. } = &error else {
            panic!("{error}")
        };
        // 300 = 3 × 96 + 12: row 0, column 12 of matrix 3.
        assert_eq!(
            (mismatch.matrix, mismatch.row, mismatch.column),
            (Some(3), 0, 12)
        );
        assert_eq!(mismatch.guess, Some(Mistake::Unwritten));
        assert!(
            error.to_string().contains("matrix 3 of the batch"),
            "{error}"
        );
    }
}

/// Swaps the elements 1 and 2 of a matrix: the transpose of one of 2×2.
const SWAP: &str = r"
.version 7.0
.target sm_75
.address_size 64
.visible .entry swap(.param .u64 p0, .param .u32 p1)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [p0];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [%rd2+4];
    ld.global.u32 %r2, [%rd2+8];
    st.global.u32 [%rd2+4], %r2;
    st.global.u32 [%rd2+8], %r1;
    ret;
}
";

#[test]
fn a_matrix_in_place_is_the_input_again_before_each_look_at_it() {
    let entry = entry_of("in_place", "transpose");
    let kernel = Kernel::ptx(SWAP, "swap").unwrap();
    for device in devices() {
        let task = Task::transpose_in_place(&device, 2).unwrap();
        // An even number of transposes would be none.
        for _ in 0..2 {
            task.verify(&kernel, 1, 1).unwrap();
            let (input, output) = (task.input(), task.output().unwrap());
            assert_eq!(output, [input[0], input[2], input[1], input[3]]);
        }
        assert!(task.check(&kernel, 1, 1).is_ok());
        let registered = RegisteredTask::new(&device, &entry, Shape::new(2, 2), 1).unwrap();
        // It has a block for each row, of 32 threads that all do the same.
        registered.launch(&entry, &kernel).unwrap();
        let other = entry_of("batch", "copy");
        let refused = registered.verify(&other, &kernel).unwrap_err();
        assert!(
            refused.to_string().contains("transpose in place of a 2×2"),
            "{refused}"
        );
        let batch = Task::transpose_batch(&device, 4, 1, 3).unwrap();
        assert_eq!((batch.bytes_moved(), batch.input().len()), (96, 12));
    }
}

#[test]
fn a_registered_kernel_runs_as_the_registry_launches_it() {
    let device = Device::emulator();
    let ids = ["f64_tiled", "copy"];
    let runs = ids.map(|id| Run::registered(&device, id, 64, 96).unwrap());
    assert_eq!(runs[0].grid, Dim3::from((3, 2)));
    assert_eq!(Run::count("copy", 64, 96).unwrap(), runs[1].counters);
    let html = plot::per_request(&runs).html;
    // Doubles in rows of 32: 8 sectors each way, a store of 2 wavefronts, a load of 32.
    let cells: Vec<&str> = html.split("<td").skip(2).take(5).collect();
    for (cell, number) in cells.iter().zip(["8", "8", "2", "0", "32"]) {
        assert!(cell.contains(&format!(">{number}<")), "{number}: {cells:?}");
    }
    assert!(html.contains(">–<"), "copy has no shared memory: {html}");
    assert_eq!(plot::compare(&runs), plot::compare(&[&runs[0], &runs[1]]));
    assert!(Run::count("no such kernel", 64, 96).is_err());
}
