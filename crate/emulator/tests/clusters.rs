//! Clusters of blocks: ranks, shared memory of other blocks, barriers and mbarriers across the cluster, what a remote access counts, and launches that no GPU has. Planted mistakes are among the others' in `mistakes.rs`.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, module};
use cornerturn_emulator::{
    Arg, Cluster, HandoverKind, Launch, Memory, Module, Options, TraceRequest, launch,
};

fn numbers(count: usize) -> Vec<i32> {
    (0..count as i32).map(|i| 7 * i - 300).collect()
}

/// With checks and without.
fn gpus() -> [Gpu; 2] {
    let mut checked = Gpu::unchecked();
    checked.options.check = true;
    [Gpu::unchecked(), checked]
}

#[test]
fn a_block_reads_its_neighbours_row() {
    let n = 1100;
    for mut gpu in gpus() {
        let values = numbers(n);
        let from = gpu.upload("in", &values);
        let to = gpu.poisoned::<i32>("out", n);
        let args = [from.into(), to.into(), (n as i32).into()];
        let report = gpu.run(
            &module("clusters"),
            "handed_on",
            [12, 1, 1],
            [96, 1, 1],
            &args,
        );
        let other = |i: usize| {
            let (block, lane) = (i / 96, i % 96);
            let next = block / 4 * 4 + (block + 1) % 4;
            let value = values.get(next * 96 + lane).copied().unwrap_or(-1);
            value + 1000 * (next % 4) as i32
        };
        let expected: Vec<i32> = (0..n).map(other).collect();
        assert_eq!(gpu.download::<i32>(to, n), expected);
        // As measured on an H200: what is loaded from another block counts in no counter of shared or global memory.
        assert_eq!(report.counters.shared_load_wavefronts, 0);
        assert_eq!(report.counters.global_load_requests, 35);
        assert_eq!(report.counters.shared_store_wavefronts, 36);
    }
}

#[test]
fn atomics_reach_the_bins_of_all_blocks_and_registers_tell_the_place() {
    let (n, bins) = (1000_usize, 137_u32);
    for mut gpu in gpus() {
        gpu.options.cluster = Some(Cluster::of([2, 3, 1]));
        let keys: Vec<u32> = (0..n as u32).map(|i| i * 37 % bins).collect();
        let from = gpu.upload("keys", &keys);
        let counts = gpu.upload("counts", &vec![0_u32; bins as usize]);
        let special = gpu.upload("special", &[0_u32; 8 * 24]);
        let args = [
            from.into(),
            counts.into(),
            special.into(),
            (n as u32).into(),
            bins.into(),
        ];
        gpu.run(&module("clusters"), "counted", [4, 6, 1], [50, 1, 1], &args);
        let mut expected = vec![0_u32; bins as usize];
        keys.iter().for_each(|key| expected[*key as usize] += 1);
        assert_eq!(gpu.download::<u32>(counts, bins as usize), expected);
        let told = gpu.download::<u32>(special, 8 * 24);
        for (block, told) in told.chunks(8).enumerate() {
            let (x, y) = (block as u32 % 4, block as u32 / 4);
            let (in_x, in_y) = (x % 2, y % 3);
            let rank = in_x + 2 * in_y;
            let first = (x - in_x) + 4 * (y - in_y);
            let members = (0..6).map(|rank| first + rank % 2 + 4 * (rank / 2) + 1);
            let sum = if rank == 0 { members.sum() } else { 0 };
            assert_eq!(
                told,
                [rank, 6, in_x, in_y, 2, 3, sum, x / 2],
                "block {block}"
            );
        }
    }
}

#[test]
fn an_mbarrier_of_another_block_tells_what_was_stored() {
    for mut gpu in gpus() {
        let values = numbers(6 * 64);
        let from = gpu.upload("in", &values);
        let to = gpu.poisoned::<i32>("out", 6 * 64);
        let args = [from.into(), to.into()];
        gpu.run(
            &module("clusters"),
            "announced",
            [6, 1, 1],
            [64, 1, 1],
            &args,
        );
        let expected: Vec<i32> = (0..6 * 64).map(|i: usize| values[i ^ 64]).collect();
        assert_eq!(gpu.download::<i32>(to, 6 * 64), expected);
    }
}

#[test]
fn a_launch_in_clusters_that_no_gpu_has_is_refused_with_the_limit() {
    let clusters = module("clusters");
    let run = |entry: &str, grid: [u32; 3], cluster: Option<Cluster>| {
        let args: Vec<Arg> = match entry {
            "announced" => vec![0_u64.into(), 0_u64.into()],
            "handed_on" => vec![0_u64.into(), 0_u64.into(), 0_i32.into()],
            _ => vec![
                0_u64.into(),
                0_u64.into(),
                0_u64.into(),
                0_u32.into(),
                0_u32.into(),
            ],
        };
        let job = Launch {
            entry,
            grid,
            block: [32, 1, 1],
            dynamic_shared_bytes: 0,
            args: &args,
        };
        let options = Options {
            cluster,
            ..Options::default()
        };
        let report = launch(&clusters, &Memory::new(), &job, &options).unwrap();
        report
            .findings
            .first()
            .map_or_else(String::new, |finding| finding.message())
    };
    let sixteen = Cluster::of([16, 1, 1]);
    for (entry, grid, cluster, words) in [
        (
            "counted",
            [16, 1, 1],
            Some(sixteen),
            "at most 8 blocks, and this launch asks for 16",
        ),
        (
            "counted",
            [34, 1, 1],
            Some(Cluster::of([17, 1, 1]).non_portable()),
            "at most 16 blocks",
        ),
        (
            "counted",
            [9, 1, 1],
            Some(Cluster::of([2, 1, 1])),
            "9 blocks in x, which is no multiple of the cluster's 2",
        ),
        (
            "counted",
            [8, 3, 1],
            Some(Cluster::of([2, 2, 1])),
            "3 blocks in y",
        ),
        (
            "counted",
            [8, 3, 1],
            Some(Cluster::of([0, 1, 1])),
            "cluster's 0",
        ),
        (
            "handed_on",
            [6, 1, 1],
            None,
            "no multiple of the cluster's 4",
        ),
        (
            "handed_on",
            [8, 1, 1],
            Some(Cluster::of([2, 1, 1])),
            "compiled for clusters of 4 × 1 × 1",
        ),
    ] {
        let message = run(entry, grid, cluster);
        assert!(message.contains(words), "{words}: {message}");
    }
    // It runs, and stores to a null pointer.
    let message = run("counted", [16, 1, 1], Some(sixteen.non_portable()));
    assert!(message.starts_with("invalid address"), "{message}");
}

/// PTX of a kernel for clusters of two, whose second block does this to `[%r2]`, the first one's memory, or its own.
fn probe(body: &str, stride: u32, rank: u32) -> cornerturn_emulator::Counters {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k() .explicitcluster .reqnctapercluster 2, 1, 1 {{\n\
         .reg .pred %p; .reg .b32 %r<12>; .reg .b64 %d<4>; .shared .align 16 .b8 memory[16384];\n\
         mov.u32 %r0, %tid.x; mov.u32 %r1, memory; mad.lo.u32 %r1, %r0, {stride}, %r1; mov.u32 %r4, 5;\n\
         barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n\
         mapa.shared::cluster.u32 %r2, %r1, {rank};\n\
         mov.u32 %r3, %cluster_ctarank; setp.ne.u32 %p, %r3, 1; @%p bra END;\n{body}\n\
         END: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret;\n}}\n"
    );
    let module = Module::load(&text).unwrap();
    let job = Launch {
        entry: "k",
        grid: [2, 1, 1],
        block: [32, 1, 1],
        dynamic_shared_bytes: 0,
        args: &[],
    };
    let report = launch(&module, &Memory::new(), &job, &Options::default()).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    report.counters
}

#[test]
fn accesses_of_the_cluster_count_as_on_the_h200() {
    // Wavefronts and conflicts, of the other block's memory and of the block's own by an address of the cluster; measured
    // with ncu on an H200, with lanes 4 and 128 bytes apart.
    let load = "ld.shared::cluster.u32 %r5, [%r2]; add.u32 %r6, %r5, 1;";
    let atom = "atom.shared::cluster.add.u32 %r5, [%r2], %r4;";
    let swap = "atom.shared::cluster.cas.b32 %r5, [%r2], %r4, %r0;";
    let red = "red.shared::cluster.add.u32 [%r2], 1;";
    for (body, stride, rank, loads, stores, atomics) in [
        (load, 4, 0, (0, 0), (0, 0), (0, 0)),
        (load, 128, 0, (0, 0), (0, 0), (0, 0)),
        (load, 4, 1, (1, 0), (0, 0), (0, 0)),
        (load, 128, 1, (32, 31), (0, 0), (0, 0)),
        (
            "st.shared::cluster.u32 [%r2], %r4;",
            128,
            0,
            (0, 0),
            (0, 0),
            (0, 0),
        ),
        (
            "st.shared::cluster.u32 [%r2], %r4;",
            128,
            1,
            (0, 0),
            (32, 31),
            (0, 0),
        ),
        (atom, 4, 0, (0, 0), (0, 0), (1, 0)),
        (atom, 128, 0, (0, 0), (0, 0), (1, 0)),
        (atom, 128, 1, (0, 0), (0, 0), (32, 31)),
        (swap, 128, 0, (0, 0), (0, 0), (2, 0)),
        (swap, 4, 1, (0, 0), (0, 0), (2, 0)),
        (swap, 128, 1, (0, 0), (0, 0), (64, 31)),
        (red, 128, 0, (0, 0), (0, 0), (1, 0)),
        (red, 128, 1, (0, 0), (0, 0), (32, 31)),
    ] {
        let counters = probe(body, stride, rank);
        let found = [
            (
                counters.shared_load_wavefronts,
                counters.shared_load_bank_conflicts,
            ),
            (
                counters.shared_store_wavefronts,
                counters.shared_store_bank_conflicts,
            ),
            (
                counters.shared_atom_wavefronts,
                counters.shared_atom_bank_conflicts,
            ),
        ];
        assert_eq!(found, [loads, stores, atomics], "{body} {stride} {rank}");
        assert_eq!(counters.shared_load_instructions, 0, "it is a generic load");
        assert_eq!(counters.global_load_requests, 0);
    }
}

// ---- kernels of `pass/spread.cu`, compiled by NVRTC 13.0.88 with `--gpu-architecture=compute_90 --std=c++17 --generate-line-info` ----

#[test]
fn a_copy_goes_to_all_blocks_of_the_cluster() {
    for mut gpu in gpus() {
        let values = numbers(2 * 512);
        let from = gpu.upload("in", &values);
        let to = gpu.poisoned::<i32>("out", 8 * 512);
        let args = [from.into(), to.into()];
        gpu.run(&module("spread"), "quarters", [8, 1, 1], [96, 1, 1], &args);
        let found = gpu.download::<i32>(to, 8 * 512);
        for (at, found) in found.into_iter().enumerate() {
            let (block, element) = (at / 512, at % 512);
            let expected = values[block / 4 * 512 + element] + (block % 4) as i32;
            assert_eq!(found, expected, "{at}");
        }
    }
}

#[test]
fn a_trace_says_what_is_handed_over_and_waited_for() {
    let mut gpu = Gpu::unchecked();
    gpu.options.trace = Some(TraceRequest {
        blocks: vec![[5, 0, 0]],
        max_accesses: 1000,
        ..TraceRequest::default()
    });
    let from = gpu.upload("in", &numbers(2 * 512));
    let args = [from.into(), gpu.poisoned::<i32>("out", 8 * 512).into()];
    let report = gpu.run(&module("spread"), "quarters", [8, 1, 1], [96, 1, 1], &args);
    let handovers = report.trace.unwrap().handovers;
    assert!(
        handovers
            .iter()
            .all(|h| h.block == [5, 0, 0] && h.rank == 1 && h.ptx_line > 0)
    );
    let of = |warp| {
        handovers
            .iter()
            .filter(move |h| h.warp == warp)
            .map(|h| &h.what)
    };
    let [init, arrive, copy, wait] = of(0).collect::<Vec<_>>()[..] else {
        panic!("{handovers:?}");
    };
    let HandoverKind::Init {
        barrier,
        arrivals: 1,
    } = *init
    else {
        panic!("{init:?}");
    };
    let expected = HandoverKind::Arrive {
        barrier,
        rank: 1,
        arrivals: 1,
        bytes: 2048,
    };
    assert_eq!(*arrive, expected);
    let HandoverKind::Copy(copy) = copy else {
        panic!("{copy:?}");
    };
    // The second quarter of the tile, to all four blocks, from the sixth 128 numbers of `in`. The tile lies 128 bytes
    // behind the mbarrier, which the kernel uses first.
    let second_quarter = barrier + 128 + 512;
    assert_eq!(
        (copy.shared, copy.bytes, copy.blocks),
        (second_quarter, 512, 15)
    );
    assert_eq!((copy.barrier, copy.is_store), (Some(barrier), false));
    assert_eq!(copy.global, from + 5 * 512);
    let ended = HandoverKind::Wait {
        barrier,
        parity: false,
    };
    assert_eq!(*wait, ended);
    for warp in 1..3 {
        assert_eq!(of(warp).collect::<Vec<_>>(), [&ended], "{warp}");
    }
}

#[test]
fn stores_and_sums_arrive_at_the_next_blocks_mbarrier() {
    for mut gpu in gpus() {
        let to = gpu.poisoned::<i32>("out", 6 * 96 * 8);
        let args = [to.into()];
        gpu.run(&module("spread"), "ring", [6, 1, 1], [96, 1, 1], &args);
        let found = gpu.download::<i32>(to, 6 * 96 * 8);
        for (at, found) in found.chunks(8).enumerate() {
            let (block, thread) = (at as i32 / 96, at as i32 % 96);
            let (own, before) = (block % 3, (block + 2) % 3);
            let from = block - own + before;
            // Of two threads that give the upper half of a sum, the larger.
            let upper = if thread < 48 { 2 * thread + 1 } else { 0 };
            let lower = 1000 * own + thread;
            assert_eq!(
                found,
                [thread, before, 7, from, before, 2 * thread, lower, upper],
                "{at}"
            );
        }
    }
}

#[test]
fn a_tile_is_handed_over_to_another_block() {
    for mut gpu in gpus() {
        let to = gpu.poisoned::<i32>("out", 4 * 128);
        let args = [to.into()];
        gpu.run(
            &module("spread"),
            "handed_over",
            [4, 1, 1],
            [128, 1, 1],
            &args,
        );
        let found = gpu.download::<i32>(to, 4 * 128);
        for (at, found) in found.into_iter().enumerate() {
            let (block, thread) = (at as i32 / 128, at as i32 % 128);
            assert_eq!(found, 1000 * (block ^ 1) + thread, "{at}");
        }
    }
}

#[test]
fn a_copy_to_a_block_that_the_cluster_has_not_is_found() {
    let text =
        common::fixture("pass/spread.ptx").replace(".reqnctapercluster 4", ".reqnctapercluster 2");
    let module = Module::load(&text).unwrap();
    let mut gpu = Gpu::unchecked();
    let from = gpu.upload("in", &numbers(2 * 512));
    let to = gpu.poisoned::<i32>("out", 8 * 512);
    let args = [from.into(), to.into()];
    let report = gpu.launch(&module, "quarters", [2, 1, 1], [96, 1, 1], 0, &args);
    let found = |finding: &cornerturn_emulator::Finding| {
        finding.message().contains("the cluster has no such block")
    };
    assert!(report.findings.iter().any(found));
}
