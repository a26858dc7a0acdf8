//! The CUDA backend against a stand-in for the driver library: what it does with an old driver, a missing call, refused PTX, a fault, a lost context. What a GPU computes and how fast is tried in `cuda`.

// A test may fail where it stands.
#![allow(clippy::unwrap_used)]

mod launches;

use cornerturn::raw::{self, RawLaunch};
use cornerturn::{
    Advice, Argument, CacheSettings, Device, Dim3, ElementType, Error, ErrorKind, Kernel, L2Window,
    NoCuda, Registry, Sampling, Shape, Side, Task, TimingMode, TimingOptions, args,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Set in the process that has the stand-in for its driver.
const INSIDE: &str = "CORNERTURN_TEST_INSIDE";

/// Builds the stand-in; `incomplete` lacks one call.
fn library(incomplete: bool) -> &'static Path {
    static FOLDERS: [OnceLock<PathBuf>; 2] = [OnceLock::new(), OnceLock::new()];
    FOLDERS[usize::from(incomplete)].get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("driver-{incomplete}"));
        std::fs::create_dir_all(&folder).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/driver/fake.rs");
        let mut rustc = Command::new("rustc");
        rustc.args([
            "--edition=2024",
            "--crate-type=cdylib",
            "-Cprefer-dynamic=no",
            "-Awarnings",
            "-O",
        ]);
        if incomplete {
            rustc.args(["--cfg", "incomplete"]);
        }
        let status = rustc
            .arg("-o")
            .arg(folder.join("libcuda.so"))
            .arg(source)
            .status();
        assert!(
            status.unwrap().success(),
            "the stand-in for the driver does not compile"
        );
        folder
    })
}

/// Runs the test of this name again in a process with the stand-in. Answers whether this is that process.
fn inside(test: &str, incomplete: bool, variables: &[(&str, &str)]) -> bool {
    if std::env::var(INSIDE).as_deref() == Ok(test) {
        return true;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(INSIDE, test)
        .env("LD_LIBRARY_PATH", library(incomplete))
        .env_remove("CORNERTURN_DEVICE")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stdout)
    );
    false
}

/// The file in which the stand-in writes down the calls that it gets.
struct Log(PathBuf);

impl Log {
    /// Runs the test of this name as [`inside`] does; in the process with the stand-in, its empty log.
    fn of(test: &str) -> Option<Self> {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}.log"));
        if !inside(test, false, &[("FAKE_LOG", path.to_str().unwrap())]) {
            return None;
        }
        std::fs::write(&path, "").unwrap();
        Some(Self(path))
    }

    /// The calls since the last time.
    fn taken(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.0).unwrap();
        std::fs::write(&self.0, "").unwrap();
        text.lines().map(str::to_string).collect()
    }
}

fn padded() -> Kernel {
    Kernel::registered("padded").unwrap()
}

/// Right on the emulator, so that the rehearsal lets it pass; on the stand-in its name makes it fault.
const FAULT: &str = ".version 7.0\n.target sm_75\n.address_size 64\n\
    .visible .entry fault(.param .u64 p0)\n{\n\
    .reg .b32 %r<2>;\n.reg .b64 %rd<4>;\n\
    ld.param.u64 %rd1, [p0];\ncvta.to.global.u64 %rd2, %rd1;\n\
    mov.u32 %r1, 1;\nst.global.u32 [%rd2], %r1;\nret;\n}\n";

#[test]
fn an_old_driver_gets_a_sentence_and_the_emulator_stands_in() {
    if !inside(
        "an_old_driver_gets_a_sentence_and_the_emulator_stands_in",
        false,
        &[("FAKE_VERSION", "11080")],
    ) {
        return;
    }
    let error = Device::cuda().unwrap_err();
    let old = NoCuda::OldDriver {
        version: "11.8".to_string(),
    };
    assert!(
        matches!(&error, Error::NoCuda(reason) if *reason == old),
        "{error}"
    );
    assert_eq!(
        (error.kind(), error.exit_code()),
        (ErrorKind::MachineLacks, 4)
    );
    assert!(
        error
            .to_string()
            .contains("CUDA 11.8, and CUDA 12.1 is the oldest"),
        "{error}"
    );
    let device = Device::open().unwrap();
    assert!(
        !device.is_cuda() && device.to_string().contains("CUDA 11.8"),
        "{device}"
    );
}

#[test]
fn a_driver_without_a_gpu_is_no_gpu() {
    if !inside(
        "a_driver_without_a_gpu_is_no_gpu",
        false,
        &[("FAKE_DEVICES", "0")],
    ) {
        return;
    }
    assert!(matches!(
        Device::cuda().unwrap_err(),
        Error::NoCuda(NoCuda::NoGpu)
    ));
    assert!(
        Device::open()
            .unwrap()
            .to_string()
            .contains("no GPU on this machine")
    );
}

#[test]
fn a_missing_call_is_an_error_and_no_panic() {
    if !inside("a_missing_call_is_an_error_and_no_panic", true, &[]) {
        return;
    }
    let error = Device::cuda().unwrap_err();
    assert!(
        matches!(error, Error::NoCuda(NoCuda::Symbol("cuMemsetD8Async"))),
        "{error}"
    );
}

#[test]
fn a_task_is_verified_and_timed() {
    if !inside("a_task_is_verified_and_timed", false, &[]) {
        return;
    }
    let device = Device::open().unwrap();
    assert!(device.is_cuda());
    let facts = device.facts();
    assert_eq!(
        (facts.slug.as_str(), facts.multiprocessors),
        ("stand-in-for-a", 10)
    );
    assert_eq!(
        (facts.peak_gb_per_s, facts.cuda_version.as_str()),
        (1000.0, "12.4")
    );
    assert!(facts.peak_source.contains("bus width"));
    let registry = Registry::load().unwrap();
    let entry = registry.get("padded").unwrap();
    for (rows, columns) in [(97, 130), (1, 1000), (1000, 1), (700, 600)] {
        let task = Task::transpose(&device, rows, columns).unwrap();
        let grid = entry.grid(task.shape()).unwrap();
        let run = task.run(&padded(), grid, entry.block()).unwrap();
        // Each pair of events measures 1 ms.
        assert_eq!(run.timing.as_ref().unwrap().median_us(), 1000.0);
        assert!(run.timing.as_ref().unwrap().count() >= 30);
        assert_eq!(run.copy.as_ref().unwrap().median_us(), 1000.0);
        assert_eq!(run.gb_per_s().unwrap().0, run.bytes_moved as f64 / 1e6);
        assert!(
            run.bandwidth_line()
                .unwrap()
                .contains("100 % of the device copy")
        );
        // Counted by the emulator all the same.
        assert!(run.counters.global_load_requests > 0);
    }
    let resources = device.resources(&padded(), entry.block()).unwrap().unwrap();
    assert_eq!(
        (
            resources.registers_per_thread,
            resources.static_shared_bytes
        ),
        (32, 4224)
    );
    assert_eq!(resources.blocks_per_multiprocessor, 8);
    assert_eq!(Device::emulator().resources(&padded(), 256).unwrap(), None);
    let task = Task::transpose(&device, 33, 65).unwrap();
    let options = TimingOptions {
        most_samples: 5,
        ..TimingMode::Warm.into()
    };
    assert_eq!(
        task.time(&padded(), 1, (32, 8), options).unwrap().count(),
        5
    );
}

/// What precedes each timed launch, by mode.
#[test]
fn a_mode_does_to_the_cache_what_it_says() {
    let Some(log) = Log::of("a_mode_does_to_the_cache_what_it_says") else {
        return;
    };
    let device = Device::cuda().unwrap();
    let task = Task::transpose(&device, 97, 130).unwrap();
    for mode in TimingMode::ALL {
        log.taken();
        let options = TimingOptions {
            least_samples: 3,
            most_samples: 3,
            warm_up: 0,
            ..mode.into()
        };
        let timing = task.time(&padded(), (5, 4), (32, 8), options).unwrap();
        assert_eq!((timing.mode, timing.count()), (mode, 3));
        let lines = log.taken();
        let name = |line: &String| line.split(' ').next().unwrap().to_string();
        let calls: Vec<String> = lines.iter().map(name).collect();
        let before: &[&str] = match mode {
            TimingMode::Cold => &["reset", "flush"],
            TimingMode::Clean => &["reset", "flush", "read_back"],
            TimingMode::Unreset => &["flush"],
            TimingMode::Rotated | TimingMode::Warm => &["padded"],
        };
        let sample = [before, &["event", "padded", "event"]].concat();
        // What an earlier kernel left to stay is nobody's gain.
        let first: &[&str] = if mode == TimingMode::Unreset {
            &[]
        } else {
            &["reset"]
        };
        assert_eq!(calls, [first, &sample.repeat(3)].concat(), "{mode}");
        let launches = lines.iter().filter(|line| line.starts_with("padded"));
        let buffers: std::collections::BTreeSet<&String> = launches.collect();
        let wanted = if mode == TimingMode::Rotated { 6 } else { 1 };
        assert_eq!(buffers.len(), wanted, "{mode}: {buffers:?}");
    }
    // One set of buffers cannot take turns.
    let buffer = device.upload("numbers", &[1.0_f32; 16]).unwrap();
    let error = device
        .time(
            &padded(),
            1,
            (32, 8),
            args![buffer, buffer, 4, 4],
            TimingMode::Rotated,
        )
        .unwrap_err();
    assert!(
        error.to_string().contains("several sets of buffers"),
        "{error}"
    );
}

#[test]
fn a_time_above_the_peak_is_impossible() {
    if !inside(
        "a_time_above_the_peak_is_impossible",
        false,
        &[("FAKE_MS", "0.001")],
    ) {
        return;
    }
    let device = Device::cuda().unwrap();
    // 2 MB in 1 µs would be 2000 GB/s of 1000.
    let task = Task::transpose(&device, 500, 500).unwrap();
    let error = task.run(&padded(), (16, 16), (32, 8)).unwrap_err();
    assert!(matches!(error, Error::Impossible(_)), "{error}");
    assert!(
        error.to_string().contains("2000 GB/s is impossible"),
        "{error}"
    );
}

#[test]
fn after_a_fault_everything_is_built_anew() {
    if !inside("after_a_fault_everything_is_built_anew", false, &[]) {
        return;
    }
    let device = Device::cuda().unwrap();
    let bystander = Device::cuda().unwrap();
    let kept = bystander.upload("kept", &[1_u8, 2, 3]).unwrap();
    let task = Task::transpose(&device, 97, 130).unwrap();
    task.time(&padded(), (5, 4), (32, 8), TimingMode::Cold)
        .unwrap();
    let fault = Kernel::ptx(FAULT, "fault").unwrap();
    for round in 0..3 {
        let buffer = device.upload("numbers", &[1.0_f32; 16]).unwrap();
        let error = if round == 1 {
            device
                .time(&fault, 1, 1, args![buffer], TimingMode::Cold)
                .unwrap_err()
        } else {
            device.launch(&fault, 1, 1, args![buffer]).unwrap_err()
        };
        let Error::Fault { code, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(code, "CUDA_ERROR_ILLEGAL_ADDRESS");
        let lost = buffer.read().unwrap_err();
        assert!(lost.to_string().contains("`numbers`: was lost"), "{lost}");
        assert!(
            device
                .launch(&fault, 1, 1, args![buffer])
                .unwrap_err()
                .to_string()
                .contains("was lost")
        );
        // A task from before, with its module and its flush buffer, works on.
        task.verify(&padded(), (5, 4), (32, 8)).unwrap();
        task.time(&padded(), (5, 4), (32, 8), TimingMode::Cold)
            .unwrap();
    }
    assert_eq!(kept.read().unwrap(), [1, 2, 3]);
}

#[test]
fn what_the_rehearsal_finds_wrong_never_reaches_the_gpu() {
    let name = "what_the_rehearsal_finds_wrong_never_reaches_the_gpu";
    if !inside(name, false, &[("FAKE_REBUILD", "fails")]) {
        return;
    }
    let device = Device::cuda().unwrap();
    let buffer = device.upload("numbers", &[1.0_f32; 16]).unwrap();
    let outside = FAULT.replace("[%rd2], %r1", "[%rd2+4096], %r1");
    let fault = Kernel::ptx(&outside, "fault").unwrap();
    let launched = device.launch(&fault, 1, 1, args![buffer]).unwrap_err();
    let timed = device
        .time(&fault, 1, 1, args![buffer], TimingMode::Cold)
        .unwrap_err();
    for error in [launched, timed] {
        let Error::Kernel { findings, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(findings[0].kind.name(), "out_of_bounds", "{error}");
    }
    assert_eq!(buffer.read().unwrap(), [1.0; 16]);
}

#[test]
fn a_context_that_cannot_be_had_again_is_an_error() {
    let name = "a_context_that_cannot_be_had_again_is_an_error";
    if !inside(name, false, &[("FAKE_REBUILD", "fails")]) {
        return;
    }
    let device = Device::cuda().unwrap();
    let buffer = device.upload("numbers", &[1.0_f32; 16]).unwrap();
    let fault = Kernel::ptx(FAULT, "fault").unwrap();
    assert!(matches!(
        device.launch(&fault, 1, 1, args![buffer]),
        Err(Error::Fault { .. })
    ));
    for _ in 0..2 {
        let error = device.poisoned::<f32>("next", 16).unwrap_err();
        assert!(
            matches!(
                &error,
                Error::Driver {
                    call: "cuCtxCreate",
                    ..
                }
            ),
            "{error:?}"
        );
    }
}

#[test]
fn refused_ptx_shows_the_drivers_words() {
    if !inside("refused_ptx_shows_the_drivers_words", false, &[]) {
        return;
    }
    let device = Device::cuda().unwrap();
    let buffer = device.upload("numbers", &[1.0_f32; 16]).unwrap();
    let refused = FAULT.replace(".visible", "// refused by the driver\n.visible");
    let kernel = Kernel::ptx(&refused, "fault").unwrap();
    let error = device.launch(&kernel, 1, 1, args![buffer]).unwrap_err();
    assert!(error.to_string().contains("ptxas: line 7; oops"), "{error}");
    assert_eq!(error.exit_code(), 4);
    if let Ok(future) = Kernel::ptx(&FAULT.replace("7.0", "99.0"), "fault") {
        let error = device.launch(&future, 1, 1, args![buffer]).unwrap_err();
        assert!(
            error.to_string().contains("99.0") && error.to_string().contains("CUDA 12.4"),
            "{error}"
        );
    }
}

#[test]
fn memory_that_is_not_there_is_an_error() {
    if !inside("memory_that_is_not_there_is_an_error", false, &[]) {
        return;
    }
    let device = Device::cuda().unwrap();
    let error = device.poisoned::<u8>("too much", 1 << 30).unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
    // What is freed can be had again.
    for _ in 0..5 {
        device.poisoned::<u8>("half", 130 << 20).unwrap();
    }
    let copy = device.time_copy(200 << 20, TimingMode::Warm).unwrap_err();
    assert!(matches!(copy, Error::Memory { .. }), "{copy}");
    assert!(device.time_copy(0, TimingMode::Warm).is_err());
}

#[test]
fn a_gpu_before_hopper_has_no_tensor_maps() {
    if !inside("a_gpu_before_hopper_has_no_tensor_maps", false, &[]) {
        return;
    }
    let device = Device::cuda().unwrap();
    let task = Task::transpose(&device, 64, 96).unwrap();
    let kernel = Kernel::registered("tma").unwrap();
    let error = task.verify(&kernel, (3, 2), (32, 8)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MachineLacks);
    let text = error.to_string();
    assert!(text.contains("8.6") && text.contains("Hopper"), "{text}");
}

#[test]
fn a_launch_with_tensor_maps_is_rehearsed_with_maps_of_its_twins() {
    let hopper = [("FAKE_MAJOR", "9")];
    if !inside(
        "a_launch_with_tensor_maps_is_rehearsed_with_maps_of_its_twins",
        false,
        &hopper,
    ) {
        return;
    }
    let device = Device::cuda().unwrap();
    let task = Task::transpose(&device, 64, 96).unwrap();
    for id in ["tma", "tma_swizzled"] {
        task.verify(&Kernel::registered(id).unwrap(), (3, 2), (32, 8))
            .unwrap();
    }
}

/// Has an instruction that the emulator lacks; the stand-in transposes for it.
const UNSUPPORTED: &str = ".version 8.0\n.target sm_90a\n.address_size 64\n\
    .visible .entry unknown(.param .u64 p0, .param .u64 p1, .param .u32 p2, .param .u32 p3)\n{\n\
    wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16;\nret;\n}\n";

#[test]
fn what_the_emulator_lacks_runs_on_the_gpu_uncounted() {
    let name = "what_the_emulator_lacks_runs_on_the_gpu_uncounted";
    if !inside(name, false, &[]) {
        return;
    }
    let kernel = Kernel::ptx(UNSUPPORTED, "unknown").unwrap();
    assert!(!kernel.is_emulated());
    let device = Device::cuda().unwrap();
    let input = device
        .upload("input", &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])
        .unwrap();
    let output = device.raw_buffer("output", ElementType::F32, 6).unwrap();
    let launch = |check: bool| RawLaunch {
        observe: false,
        kernel: kernel.clone(),
        grid: Dim3::from(1),
        block: Dim3::from(32),
        arguments: vec![
            Argument::from(&input),
            Argument::from(&output),
            Argument::from(&2_u32),
            Argument::from(&3_u32),
        ],
        check,
        budget: None,
        headway: None,
        machine_code: None,
        time: true,
        trace: None,
    };
    let report = raw::run(&device, &launch(false)).unwrap();
    assert!(report.counters.is_none() && report.findings.is_empty());
    assert!(report.ms.is_some_and(|ms| ms > 0.0));
    let transposed: Vec<u8> = [1.0_f32, 4.0, 2.0, 5.0, 3.0, 6.0]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    assert_eq!(raw::contents(&output).unwrap(), transposed);
    // Only the emulator checks, so that checks cannot be had.
    let refused = raw::run(&device, &launch(true)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported, "{refused}");
    // Nor is there anything else to run it on.
    let emulated = raw::run(
        &Device::emulator(),
        &RawLaunch {
            arguments: Vec::new(),
            ..launch(false)
        },
    );
    assert!(emulated.is_err());
}

/// Which calls of the driver host memory makes, and that every one is undone once.
#[test]
fn host_memory_is_registered_used_and_given_back() {
    let Some(log) = Log::of("host_memory_is_registered_used_and_given_back") else {
        return;
    };
    let calls = |expected: &[&str]| assert_eq!(log.taken(), expected);
    let device = Device::cuda().unwrap();
    let x: Vec<u32> = (1..=301).collect();
    let mapped = device.mapped("mapped", &x).unwrap();
    assert_eq!(mapped.read().unwrap(), x);
    drop(mapped);
    calls(&["register 1204", "unregister 1204"]);
    let managed = device.managed("managed", &x).unwrap();
    managed.advise(Advice::UsedBy(Side::Device)).unwrap();
    managed.prefetch(Side::Device).unwrap();
    managed.prefetch(Side::Host).unwrap();
    device.synchronize().unwrap();
    assert_eq!(managed.read().unwrap(), x);
    drop(managed);
    calls(&[
        "managed 1204",
        "advise 5 for 0",
        "prefetch 1204 to 0",
        "prefetch 1204 to -1",
    ]);
    let far = device.poisoned::<u32>("far", 301).unwrap();
    let source = device.register("source", x.clone()).unwrap();
    let copying = far.start_write(source).unwrap();
    let refused = far.read().unwrap_err().to_string();
    assert!(refused.contains("`far`: an asynchronous copy"), "{refused}");
    let source = copying.wait().unwrap();
    assert_eq!((far.read().unwrap(), source.into_vec()), (x.clone(), x));
    calls(&["register 1204", "event", "copied", "unregister 1204"]);
}

/// What a launch asks of L2 is told before it and taken back after it, also where it faults.
#[test]
fn what_a_launch_asks_of_the_caches_is_taken_back() {
    let Some(log) = Log::of("what_a_launch_asks_of_the_caches_is_taken_back") else {
        return;
    };
    let device = Device::cuda().unwrap();
    // So that a new context can be had after the fault.
    let _bystander = Device::cuda().unwrap().upload("kept", &[1_u8]).unwrap();
    let input = device.upload("input", &[1.0_f32; 35]).unwrap();
    let output = device.upload("output", &[0.0_f32; 35]).unwrap();
    let window = L2Window::over("input").bytes(96).hit_ratio(0.5);
    let asked = CacheSettings::new()
        .carveout(64)
        .persisting(2 << 20)
        .window(window);
    let kernel = padded().with_caches(asked.clone());
    log.taken();
    let calls = || {
        let without_address = |line: &String| {
            let known = line.starts_with("padded") || line.starts_with("fault");
            line.split(' ')
                .take(if known { 1 } else { 9 })
                .collect::<Vec<_>>()
                .join(" ")
        };
        log.taken().iter().map(without_address).collect::<Vec<_>>()
    };
    let set = ["carve-out 64", "set aside 2097152", "window 96 0.5 2 1"];
    let taken_back = ["window 0 0 0 0", "reset", "set aside 0"];
    device
        .launch(&kernel, 1, (32, 8), args![input, output, 5, 7])
        .unwrap();
    assert_eq!(calls(), [&set[..], &["padded"], &taken_back].concat());
    // A kernel that asks for nothing finds the caches as they were.
    device
        .launch(&padded(), 1, (32, 8), args![input, output, 5, 7])
        .unwrap();
    assert_eq!(calls(), ["padded"]);
    let window = CacheSettings::new()
        .persisting(1 << 20)
        .window(L2Window::over("input"));
    let fault = Kernel::ptx(FAULT, "fault").unwrap().with_caches(window);
    assert!(matches!(
        device.launch(&fault, 1, 1, args![input]),
        Err(Error::Fault { .. })
    ));
    let more = CacheSettings::new().persisting(4 << 20);
    let refused = padded().with_caches(more);
    let input = device.upload("input", &[1.0_f32; 35]).unwrap();
    let output = device.upload("output", &[0.0_f32; 35]).unwrap();
    calls();
    let arguments = args![input, output, 5, 7];
    let error = device
        .launch(&refused, 1, (32, 8), arguments)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("4194304 bytes of L2") && error.contains("3145728"),
        "{error}"
    );
    device
        .launch(&kernel, 1, (32, 8), args![input, output, 5, 7])
        .unwrap();
    assert_eq!(calls(), [&set[..], &["padded"], &taken_back].concat());
}

/// Arrays and textures are made once and given back once; a fault takes them along.
#[test]
fn textures_are_made_and_given_back() {
    let Some(log) = Log::of("textures_are_made_and_given_back") else {
        return;
    };
    let calls = |expected: &[&str]| assert_eq!(log.taken(), expected);
    let device = Device::cuda().unwrap();
    let _bystander = Device::cuda().unwrap().upload("kept", &[1_u8]).unwrap();
    let (shape, texels) = (
        Shape {
            rows: 3,
            columns: 8,
        },
        [1.5_f32; 24],
    );
    let drawn = device
        .texture_2d("drawn", &texels, shape, Sampling::point())
        .unwrap();
    calls(&["array 8 x 3", "fill 32 x 3", "texture"]);
    let twin = drawn.clone();
    drop(drawn);
    calls(&[]);
    drop(twin);
    calls(&["texture destroyed", "array destroyed"]);
    let buffer = device.upload("texels", &texels).unwrap();
    let over = device
        .texture_over_rows(&buffer, shape, Sampling::point())
        .unwrap();
    drop(buffer);
    drop(over);
    calls(&["texture", "texture destroyed"]);
    let row = device
        .texture_1d("row", &texels, Sampling::point())
        .unwrap();
    calls(&["array 24 x 0", "fill 96 x 1", "texture"]);
    let input = device.upload("numbers", &[1.0_f32; 16]).unwrap();
    let fault = Kernel::ptx(FAULT, "fault").unwrap();
    assert!(matches!(
        device.launch(&fault, 1, 1, args![input]),
        Err(Error::Fault { .. })
    ));
    // Its context is gone, and with it the texture: a launch says so, and nothing is destroyed a second time.
    let numbers = device.upload("numbers", &[1.0_f32; 16]).unwrap();
    let lost = device
        .launch(&fault, 1, 1, args![row])
        .unwrap_err()
        .to_string();
    assert!(lost.contains("`row`"), "{lost}");
    drop((row, numbers));
    let calls = log.taken();
    let is_destroyed = |line: &String| line.contains("texture destroyed");
    assert!(!calls.iter().any(is_destroyed), "{calls:?}");
}

/// What a fault leaves of host memory: the elements, but no pages that the GPU knows.
#[test]
fn pinned_elements_outlive_a_fault() {
    if !inside("pinned_elements_outlive_a_fault", false, &[]) {
        return;
    }
    let device = Device::cuda().unwrap();
    let _bystander = Device::cuda().unwrap().upload("kept", &[1_u8]).unwrap();
    let x: Vec<u32> = (1..=301).collect();
    let pinned = device.pinned("pinned", &x).unwrap();
    let mapped = device.mapped("mapped", &x).unwrap();
    let managed = device.managed("managed", &x).unwrap();
    let fault = Kernel::ptx(FAULT, "fault").unwrap();
    let buffer = device.upload("numbers", &[1.0_f32; 16]).unwrap();
    device.launch(&fault, 1, 1, args![buffer]).unwrap_err();
    assert_eq!(pinned[..], x);
    for lost in [
        mapped.read(),
        managed.read(),
        managed.prefetch(Side::Host).map(|()| x.clone()),
    ] {
        let lost = lost.unwrap_err().to_string();
        assert!(lost.contains("was lost"), "{lost}");
    }
    let far = device.upload("far", &x).unwrap();
    let error = far.start_write(pinned).unwrap_err().to_string();
    assert!(
        error.contains("`pinned`: is not pinned any more"),
        "{error}"
    );
    let again = device.pinned("again", &x).unwrap();
    far.start_write(again).unwrap().wait().unwrap();
}

/// What a stream is given goes to the driver's stream, in the order of the calls; what the host does waits where it must.
#[test]
fn streams_and_events_reach_the_driver_in_order() {
    let Some(log) = Log::of("streams_and_events_reach_the_driver_in_order") else {
        return;
    };
    let calls = |expected: &[&str]| assert_eq!(log.taken(), expected);
    let device = Device::cuda().unwrap();
    let elements: Vec<f32> = (1..=35).map(|i| i as f32).collect();
    let input = device.poisoned::<f32>("input", 35).unwrap();
    let output = device.poisoned::<f32>("output", 35).unwrap();
    let idle = device.poisoned::<f32>("idle", 3).unwrap();
    let a = device.stream("a").unwrap();
    let b = device.nonblocking_stream("b").unwrap();
    // What the host wrote before is there: the legacy default stream is waited for.
    calls(&[
        "record 1 on 0",
        "host waits for 1",
        "stream 100, flags 0",
        "record 2 on 0",
        "host waits for 2",
        "stream 101, flags 1",
    ]);
    let source = device.register("source", elements.clone()).unwrap();
    let target = device.register("target", vec![0.5_f32; 35]).unwrap();
    let (there, done) = (
        device.event("there").unwrap(),
        device.event("done").unwrap(),
    );
    let sent = a.start_write(&input, source).unwrap();
    a.record(&there).unwrap();
    b.wait(&there).unwrap();
    let arguments = args![input, output, 5, 7];
    b.launch(&padded(), (1, 1), (32, 8), arguments).unwrap();
    b.fill_byte(&input, 9).unwrap();
    b.record(&done).unwrap();
    calls(&[
        "register 140",
        "register 140",
        "140 bytes up on 100",
        "record 5 on 100",
        "record 3 on 100",
        "101 waits for 3",
        "padded on 101",
        "fill 9 on 101",
        "record 4 on 101",
    ]);
    // Nothing orders the default stream's copy after `b`.
    let error = output.read().unwrap_err();
    assert!(matches!(error, Error::Unordered { .. }), "{error}");
    assert!(error.to_string().contains("`b` is non-blocking"), "{error}");
    done.synchronize().unwrap();
    calls(&["host waits for 4"]);
    assert_eq!(output.read().unwrap()[1], elements[7]);
    let result = a.start_read(&output, target).unwrap().wait().unwrap();
    assert_eq!((result[1], result[5]), (elements[7], elements[1]));
    assert_eq!(done.elapsed_ms_since(&there).unwrap(), 1.0);
    calls(&[
        "140 bytes down on 100",
        "record 6 on 100",
        "host waits for 6",
        "host waits for 3",
        "host waits for 4",
    ]);
    drop((sent, result));
    // A launch of the library's own comes after the blocking streams, and memory goes when no stream is at work.
    device
        .launch_with(
            &padded(),
            (1, 1),
            (32, 8),
            arguments,
            &cornerturn::LaunchOptions::unrehearsed(),
        )
        .unwrap();
    let lines = log.taken();
    let kept = [
        "host waits for 5",
        "unregister 140",
        "unregister 140",
        "record 7 on 0",
        "host waits for 7",
    ];
    assert_eq!(lines[..5], kept);
    assert!(
        lines[5].starts_with("padded ") && lines.len() == 6,
        "{lines:?}"
    );
    drop(idle);
    calls(&[
        "record 8 on 0",
        "host waits for 8",
        "record 9 on 100",
        "host waits for 9",
        "record 10 on 101",
        "host waits for 10",
    ]);
    drop((a, b));
    calls(&[
        "record 11 on 100",
        "host waits for 11",
        "stream 100 destroyed",
        "record 12 on 101",
        "host waits for 12",
        "stream 101 destroyed",
    ]);
}

/// What was captured goes to the driver when the capture ends, at once, and becomes a graph.
#[test]
fn a_graph_is_captured_instantiated_and_launched() {
    let Some(log) = Log::of("a_graph_is_captured_instantiated_and_launched") else {
        return;
    };
    let device = Device::cuda().unwrap();
    let input = device.poisoned::<f32>("input", 35).unwrap();
    let output = device.poisoned::<f32>("output", 35).unwrap();
    let a = device.stream("a").unwrap();
    let b = device.stream("b").unwrap();
    let (fork, join) = (device.event("fork").unwrap(), device.event("join").unwrap());
    let source = device.register("source", vec![1.5_f32; 35]).unwrap();
    log.taken();
    let calls = |expected: &[&str]| assert_eq!(log.taken(), expected);
    let capture = a.capture("step").unwrap();
    let mut sent = a.start_write(&input, source).unwrap();
    a.record(&fork).unwrap();
    b.wait(&fork).unwrap();
    b.launch(&padded(), (1, 1), (32, 8), args![input, output, 5, 7])
        .unwrap();
    b.record(&join).unwrap();
    a.wait(&join).unwrap();
    a.copy(&output, &input).unwrap();
    calls(&[]);
    let graph = capture.end().unwrap();
    calls(&[
        "begin capture on 100",
        "140 bytes up on 100",
        "record 3 on 100",
        "101 waits for 3",
        "padded on 101",
        "record 4 on 101",
        "100 waits for 4",
        "140 bytes across on 100",
        "end capture on 100",
        "instantiate",
    ]);
    graph.launch(&b).unwrap();
    sent.with(|elements| elements.fill(2.5)).unwrap();
    calls(&["graph on 101", "record 5 on 101", "host waits for 5"]);
    let error = sent.wait().unwrap_err().to_string();
    assert!(error.contains("pinned `source`: graph `step`"), "{error}");
    log.taken();
    drop(graph);
    let calls = log.taken();
    let destroyed = calls
        .iter()
        .filter(|line| *line == "graph destroyed")
        .count();
    assert_eq!(
        (destroyed, calls.last().map(String::as_str)),
        (2, Some("unregister 140")),
        "{calls:?}"
    );
}

/// A fault on a stream is told by the next call that waits; what belonged to the lost context says so.
#[test]
fn a_fault_on_a_stream_is_told_where_the_host_waits() {
    if !inside(
        "a_fault_on_a_stream_is_told_where_the_host_waits",
        false,
        &[],
    ) {
        return;
    }
    let device = Device::cuda().unwrap();
    let _bystander = Device::cuda().unwrap().upload("kept", &[1_u8]).unwrap();
    let buffer = device.upload("buffer", &[1.0_f32; 4]).unwrap();
    let (stream, event) = (device.stream("a").unwrap(), device.event("e").unwrap());
    stream.record(&event).unwrap();
    let fault = Kernel::ptx(FAULT, "fault").unwrap();
    stream.launch(&fault, 1, 32, args![buffer]).unwrap();
    let error = stream.synchronize().unwrap_err();
    assert!(
        error.to_string().contains("CUDA_ERROR_ILLEGAL_ADDRESS"),
        "{error}"
    );
    for error in [
        stream.synchronize(),
        event.synchronize(),
        stream.record(&event),
    ] {
        let text = error.unwrap_err().to_string();
        assert!(text.contains("was lost when a kernel's fault"), "{text}");
    }
    assert!(buffer.raw().is_lost());
    // A new one works.
    let stream = device.stream("b").unwrap();
    stream
        .fill_byte(&device.poisoned::<f32>("new", 4).unwrap(), 7)
        .unwrap();
    stream.synchronize().unwrap();
}

/// The stand-in has 10 multiprocessors, and says that 2048 threads fit on each.
#[test]
fn a_cooperative_launch_is_asked_for_where_its_grid_fits() {
    let Some(log) = Log::of("a_cooperative_launch_is_asked_for_where_its_grid_fits") else {
        return;
    };
    let device = Device::cuda().unwrap();
    let task = Task::transpose(&device, 97, 130).unwrap();
    let launch = |kernel: &Kernel| {
        log.taken();
        let verified = task.verify(kernel, (5, 4), (32, 8));
        let mut calls = log.taken();
        calls.retain(|line| line.starts_with("attribute"));
        (verified, calls)
    };
    // CU_LAUNCH_ATTRIBUTE_COOPERATIVE is 2.
    let (verified, attributes) = launch(&padded().cooperative());
    verified.unwrap();
    assert_eq!(attributes, ["attribute 2 1"]);
    let (verified, attributes) = launch(&padded());
    verified.unwrap();
    assert!(attributes.is_empty());

    let large = Task::transpose(&device, 81 * 32, 32).unwrap();
    let error = large
        .verify(&padded().cooperative(), (1, 81), (32, 8))
        .unwrap_err();
    assert!(matches!(error, Error::Limit { .. }), "{error}");
    let told = error.to_string();
    assert!(
        told.contains("81 blocks") && told.contains("80 such blocks fit on 10"),
        "{told}"
    );
    large.verify(&padded(), (1, 81), (32, 8)).unwrap();
}

#[test]
fn a_device_without_cooperative_launches_says_so() {
    let name = "a_device_without_cooperative_launches_says_so";
    if !inside(name, false, &[("FAKE_COOPERATIVE", "0")]) {
        return;
    }
    let device = Device::cuda().unwrap();
    let task = Task::transpose(&device, 97, 130).unwrap();
    let error = task
        .verify(&padded().cooperative(), (5, 4), (32, 8))
        .unwrap_err();
    assert!(
        error.to_string().contains("no cooperative launches"),
        "{error}"
    );
}
