//! Predictions of small launches that the emulator observes here.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use cornerturn_emulator::{Arg, Launch, Memory, Module, Options, launch};
use cornerturn_model::{Machine, Observation, Prediction, Shape, predict, request};

const COPY: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to, .param .u32 stride) {
    .reg .b32 %r<6>;
    .reg .b64 %rd<7>;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [to];
    ld.param.u32 %r5, [stride];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.s32 %r3, %r1, 256, %r2;
    mul.lo.s32 %r4, %r3, %r5;
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd1, %rd3;
    ld.global.nc.u32 %r4, [%rd4];
    mul.wide.u32 %rd5, %r3, 4;
    add.s64 %rd6, %rd2, %rd5;
    st.global.u32 [%rd6], %r4;
    ret;
}";

fn copied(blocks: u32, stride: u32) -> Observation {
    let module = Module::load(COPY).unwrap();
    let mut memory = Memory::new();
    let bytes = [blocks * 256 * stride * 4, blocks * 256 * 4].map(|bytes| bytes as usize);
    let from = memory.allocate(bytes[0], "from").unwrap();
    let to = memory.allocate(bytes[1], "to").unwrap();
    memory.fill(from, bytes[0], 1).unwrap();
    let args = [Arg::from(from), Arg::from(to), Arg::from(stride)];
    let shape = Shape {
        grid: [blocks, 1, 1],
        block: [256, 1, 1],
        ..Shape::default()
    };
    let job = Launch {
        entry: "copy",
        grid: shape.grid,
        block: shape.block,
        dynamic_shared_bytes: 0,
        args: &args,
    };
    let options = Options {
        trace: Some(request(&shape)),
        ..Options::default()
    };
    let report = launch(&module, &memory, &job, &options).unwrap();
    Observation::new(
        shape,
        COPY,
        &[(from, bytes[0] as u64), (to, bytes[1] as u64)],
        &report,
    )
}

fn on_h200(observed: &Observation) -> Prediction {
    predict(&Machine::named("h200").unwrap(), observed).unwrap()
}

#[test]
fn a_copy_takes_as_long_as_its_bytes() {
    let (small, large) = (on_h200(&copied(4096, 1)), on_h200(&copied(16_384, 1)));
    // What it must move at the bandwidth of DRAM is the least, and so is the start of its blocks.
    assert!(large.us > 16_384.0 * 2048.0 / 4800.0 / 1e3, "{large:?}");
    assert!(large.us > small.us * 1.5, "{small:?} {large:?}");
    assert!(
        (small.dram_bytes - 4096.0 * 2048.0).abs() < 1.0,
        "{small:?}"
    );
    let shares: f64 = large.limits.0.iter().map(|(_, share)| share).sum();
    assert!((shares - 1.0).abs() < 0.01, "{large:?}");
    assert!(large.low_us < large.us && large.us < large.high_us);
}

#[test]
fn strides_cost_what_dram_brings_for_them() {
    let (dense, strided) = (on_h200(&copied(4096, 1)), on_h200(&copied(4096, 16)));
    // A pair of sectors for each word.
    assert_eq!(strided.dram_bytes, 4096.0 * 256.0 * (64.0 + 4.0));
    assert!(strided.us > 2.0 * dense.us, "{dense:?} {strided:?}");
}

#[test]
fn the_same_is_predicted_again() {
    let observed = copied(300, 3);
    assert_eq!(on_h200(&observed), on_h200(&observed));
    assert_eq!(on_h200(&observed), on_h200(&copied(300, 3)));
}

#[test]
fn what_was_not_recorded_is_not_predicted() {
    let shape = Shape {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        ..Shape::default()
    };
    let nothing = Observation::new(shape, COPY, &[], &cornerturn_emulator::Report::default());
    let error = predict(&Machine::named("h200").unwrap(), &nothing).unwrap_err();
    assert_eq!(
        error.to_string(),
        "not predicted, because the launch was not recorded"
    );
}

#[test]
fn a_block_that_fits_nowhere_is_not_predicted() {
    let mut observed = copied(4, 1);
    observed.shape.shared_bytes = 300_000;
    let error = predict(&Machine::named("h200").unwrap(), &observed).unwrap_err();
    assert!(error.because.contains("holds no block"), "{error}");
}
