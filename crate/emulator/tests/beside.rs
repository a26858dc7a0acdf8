//! Blocks of which one both loads and writes atomically what another writes atomically: the plain load races, unless the other only compares and swaps.
#![allow(clippy::unwrap_used)]

mod common;

use common::Gpu;
use cornerturn_emulator::{FindingKind, Launch, Module, Options, Report, launch};

/// A kernel of two blocks of a thread each: block 0 does `first`, and block 1 `second`, both with the address in `%rd1`.
fn kernel(first: &str, second: &str) -> Module {
    let text = format!(
        ".version 8.0
        .target sm_75
        .address_size 64
        .visible .entry beside(.param .u64 values)
        {{
            .reg .pred %p<2>;
            .reg .b32 %r<5>;
            .reg .b64 %rd<2>;
            ld.param.u64 %rd1, [values];
            mov.u32 %r1, %ctaid.x;
            setp.ne.u32 %p1, %r1, 0;
            @%p1 bra SECOND;
            {first}
            ret;
        SECOND:
            {second}
            ret;
        }}"
    );
    Module::load(&text).unwrap()
}

fn checked(first: &str, second: &str, threads: usize) -> Report {
    let mut gpu = Gpu::default();
    let args = [gpu.upload("values", &[1u32, 2]).into()];
    let job = Launch {
        entry: "beside",
        grid: [2, 1, 1],
        block: [1, 1, 1],
        dynamic_shared_bytes: 0,
        args: &args,
    };
    let options = Options {
        check: true,
        threads,
        ..Options::default()
    };
    launch(&kernel(first, second), &gpu.memory, &job, &options).unwrap()
}

const LOAD: &str = "ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+4], %r2;";
const ADD: &str = "red.global.add.u32 [%rd1], 1;";
const SWAP: &str = "atom.global.cas.b32 %r3, [%rd1], 1, 7;";

#[test]
fn a_load_beside_an_atomic_of_its_own_block_races_with_those_of_others() {
    for (first, second) in [
        (format!("{LOAD} {ADD}"), ADD),
        (format!("{ADD} {LOAD}"), ADD),
        (format!("{LOAD} {SWAP}"), ADD),
        (format!("{LOAD} {SWAP} {ADD}"), ADD),
    ] {
        for threads in [1, 2] {
            let report = checked(&first, second, threads);
            assert_eq!(report.findings.len(), 1, "{first}, {threads} threads");
            assert_eq!(report.findings[0].kind, FindingKind::Race);
        }
    }
}

#[test]
fn it_does_not_race_with_their_compare_and_swaps_nor_with_those_elsewhere() {
    let elsewhere = "red.global.add.u32 [%rd1+4], 1;";
    for (first, second) in [
        (format!("{LOAD} {SWAP}"), SWAP),
        (format!("ld.global.u32 %r2, [%rd1]; {ADD}"), elsewhere),
        (format!("{ADD} ld.global.u32 %r2, [%rd1];"), elsewhere),
    ] {
        for threads in [1, 2] {
            let report = checked(&first, second, threads);
            assert!(report.findings.is_empty(), "{first}: {:?}", report.findings);
        }
    }
}
