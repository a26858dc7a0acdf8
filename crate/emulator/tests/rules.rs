//! The counting rules against counting by brute force, and against what NVIDIA documents.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Gpu, module};
use cornerturn_emulator::counters::{
    bank_of, fewest_wavefronts, local_words, sectors, shared_wavefronts,
};
use cornerturn_emulator::{Arg, Counters, Module, Options, Space, TraceRequest};
use proptest::prelude::*;

type Addresses = [Option<u64>; 32];

fn lanes(f: impl Fn(u64) -> u64) -> Addresses {
    std::array::from_fn(|lane| Some(f(lane as u64)))
}

/// Every byte of every lane, by the sector it lies in.
fn brute_sectors(addresses: &Addresses, bytes: u32) -> u32 {
    let all: BTreeSet<u64> = addresses
        .iter()
        .flatten()
        .flat_map(|address| (0..u64::from(bytes)).map(move |byte| (address + byte) / 32))
        .collect();
    all.len() as u32
}

/// Lanes served together; twice as many where a wide load's neighbours agree.
fn brute_lanes(addresses: &Addresses, bytes: u32, is_store: bool) -> usize {
    let twins = |step: usize| {
        let pair = |lane: usize| [addresses[lane], addresses[lane ^ step]];
        (0..32).all(|lane| {
            pair(lane)
                .into_iter()
                .flatten()
                .collect::<BTreeSet<_>>()
                .len()
                < 2
        })
    };
    let merged = usize::from(!is_store && bytes > 4 && (twins(1) || twins(2)));
    match bytes {
        16 => 8 << merged,
        8 => 16 << merged,
        _ => 32,
    }
}

/// Every word of every lane of a phase, by the bank it lies in.
fn brute_wavefronts(addresses: &Addresses, bytes: u32, is_store: bool) -> u32 {
    addresses
        .chunks(brute_lanes(addresses, bytes, is_store))
        .map(|phase| {
            let mut banks: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
            for address in phase.iter().flatten() {
                for word in 0..u64::from(bytes.max(4) / 4) {
                    let word = address / 4 + word;
                    banks.entry(word % 32).or_default().insert(word);
                }
            }
            banks.values().map(BTreeSet::len).max().unwrap_or(0) as u32
        })
        .sum()
}

#[test]
fn sectors_of_known_accesses() {
    for (bytes, expected) in [(1, 1), (2, 2), (4, 4), (8, 8), (16, 16)] {
        assert_eq!(
            sectors(&lanes(|lane| 4096 + lane * u64::from(bytes)), bytes),
            expected,
            "coalesced, {bytes}"
        );
    }
    assert_eq!(
        sectors(&lanes(|lane| 4100 + 4 * lane), 4),
        5,
        "shifted by one element"
    );
    assert_eq!(sectors(&lanes(|lane| 16384 * lane), 4), 32, "a column");
    assert_eq!(sectors(&lanes(|_| 64), 4), 1, "a broadcast");
    assert_eq!(
        sectors(&lanes(|lane| 8 * lane), 4),
        8,
        "every second element"
    );
    assert_eq!(sectors(&[None; 32], 4), 0);
}

#[test]
fn wavefronts_of_known_accesses() {
    assert_eq!(
        shared_wavefronts(&lanes(|lane| 4 * lane), 4, false),
        1,
        "a row"
    );
    assert_eq!(
        shared_wavefronts(&lanes(|lane| 128 * lane), 4, false),
        32,
        "a column of a 32 x 32 tile"
    );
    assert_eq!(
        shared_wavefronts(&lanes(|lane| 132 * lane), 4, false),
        1,
        "a column of a 32 x 33 tile"
    );
    assert_eq!(
        shared_wavefronts(&lanes(|lane| 8 * lane), 4, false),
        2,
        "every second word"
    );
    assert_eq!(
        shared_wavefronts(&lanes(|_| 12), 4, false),
        1,
        "a broadcast"
    );
    assert_eq!(
        shared_wavefronts(&lanes(|lane| 8 * lane), 8, false),
        2,
        "a row of doubles"
    );
    assert_eq!(
        shared_wavefronts(&lanes(|lane| 16 * lane), 16, false),
        4,
        "a row of float4"
    );
    assert_eq!(
        shared_wavefronts(&lanes(|lane| lane), 1, false),
        1,
        "a row of bytes"
    );
    assert_eq!(shared_wavefronts(&[None; 32], 4, false), 0);
    assert_eq!(
        (bank_of(0), bank_of(4), bank_of(127), bank_of(128)),
        (0, 1, 31, 0)
    );
    let row = lanes(|lane| 16 * lane);
    let mut one = [None; 32];
    one[7] = Some(112);
    assert_eq!(
        (
            fewest_wavefronts(&row, 4, false),
            fewest_wavefronts(&row, 16, false),
            fewest_wavefronts(&one, 16, true)
        ),
        (1, 4, 1)
    );
}

/// Addresses in several shapes, aligned to the access.
fn addresses(bytes: u64, span: u64) -> impl Strategy<Value = Addresses> {
    let scattered = proptest::collection::vec(proptest::option::weighted(0.9, 0..span), 32);
    let strided = (0..span, 0u64..80, any::<u32>()).prop_map(|(first, stride, mask)| {
        (0..32u64)
            .map(|lane| (mask >> lane & 1 == 1).then_some(first + lane * stride))
            .collect::<Vec<_>>()
    });
    let full = (0..span, 0u64..300).prop_map(|(first, stride)| {
        (0..32u64)
            .map(|lane| Some(first + lane * stride))
            .collect::<Vec<_>>()
    });
    let halves =
        (0..span, 0..span, 0u64..80, any::<bool>()).prop_map(|(first, second, stride, near)| {
            let second = if near { first + second % 20 } else { second };
            let start = move |lane: u64| if lane < 16 { first } else { second };
            (0..32u64)
                .map(|lane| Some(start(lane) + lane % 16 * stride))
                .collect::<Vec<_>>()
        });
    prop_oneof![scattered, strided, full, halves]
        .prop_map(move |units| std::array::from_fn(|lane| units[lane].map(|unit| unit * bytes)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sectors_are_those_that_bytes_lie_in(width in 0u32..5, addresses in addresses(1, 3000)) {
        let bytes = 1 << width;
        let addresses = addresses.map(|address| address.map(|address| address << width));
        prop_assert_eq!(sectors(&addresses, bytes), brute_sectors(&addresses, bytes));
    }

    #[test]
    fn wavefronts_are_the_words_of_the_busiest_bank(width in 0u32..5, addresses in addresses(1, 900)) {
        let bytes = 1 << width;
        let addresses = addresses.map(|address| address.map(|address| address << width));
        for is_store in [false, true] {
            let expected = brute_wavefronts(&addresses, bytes, is_store);
            prop_assert_eq!(shared_wavefronts(&addresses, bytes, is_store), expected);
        }
    }
}

/// A kernel in which each thread loads from where a table says, to global or shared memory.
const PROBE: &str = r"
.version 8.0
.target sm_75
.address_size 64
.visible .entry global_W(.param .u64 offsets, .param .u64 from, .param .u64 to) {
    .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .TYPE %v<4>;
    ld.param.u64 %rd1, [offsets];
    ld.param.u64 %rd2, [from];
    ld.param.u64 %rd3, [to];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd5, %rd1, %rd4;
    ld.global.u32 %r2, [%rd5];
    setp.eq.u32 %p1, %r2, -1;
    @%p1 bra DONE;
    cvt.u64.u32 %rd6, %r2;
    add.s64 %rd7, %rd2, %rd6;
    LOAD [%rd7];
    add.s64 %rd8, %rd3, %rd6;
    STORE
DONE:
    ret;
}
";

fn probe(width: u32, space: &str) -> Module {
    let (ty, load, store) = match width {
        1 => ("b16", "ld.SPACE.u8 %v0,", "st.SPACE.u8 [%rd8], %v0;"),
        2 => ("b16", "ld.SPACE.u16 %v0,", "st.SPACE.u16 [%rd8], %v0;"),
        4 => ("b32", "ld.SPACE.u32 %v0,", "st.SPACE.u32 [%rd8], %v0;"),
        8 => ("b64", "ld.SPACE.u64 %v0,", "st.SPACE.u64 [%rd8], %v0;"),
        _ => (
            "b32",
            "ld.SPACE.v4.u32 {%v0, %v1, %v2, %v3},",
            "st.SPACE.v4.u32 [%rd8], {%v0, %v1, %v2, %v3};",
        ),
    };
    let text = PROBE
        .replace("TYPE", ty)
        .replace("LOAD", load)
        .replace("STORE", store)
        .replace("SPACE", space);
    // In shared memory the two buffers are one array at address 0.
    let text = match space {
        "shared" => text
            .replace(
                ".reg .pred %p<2>;",
                ".shared .align 16 .b8 tile[32768]; .reg .pred %p<2>;",
            )
            .replace("ld.param.u64 %rd2, [from];", "mov.u64 %rd2, tile;"),
        _ => text,
    };
    Module::load(&text).unwrap_or_else(|error| panic!("{error}"))
}

/// What the interpreter counts for one warp, and the data that it moved.
fn counted(width: u32, space: &str, addresses: &Addresses) -> (Counters, Vec<u8>) {
    let module = probe(width, space);
    let mut gpu = Gpu {
        options: Options {
            threads: 1,
            ..Options::default()
        },
        ..Gpu::default()
    };
    let table: Vec<u32> = addresses
        .iter()
        .map(|address| address.map_or(u32::MAX, |address| address as u32))
        .collect();
    let offsets = gpu.upload("offsets", &table);
    let bytes: Vec<u8> = (0..65536u32).map(|at| (at * 7 + at / 256) as u8).collect();
    let from = gpu.upload("from", &bytes);
    let to = gpu.upload("to", &vec![0u8; 65536]);
    let args: [Arg; 3] = match space {
        "shared" => [offsets.into(), 0u64.into(), 0u64.into()],
        _ => [offsets.into(), from.into(), to.into()],
    };
    let report = gpu.run(&module, "global_W", [1, 1, 1], [32, 1, 1], &args);
    (report.counters, gpu.download(to, 65536))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_interpreter_counts_by_the_rules(width in 0u32..5, addresses in addresses(1, 1000)) {
        let bytes = 1 << width;
        let addresses = addresses.map(|address| address.map(|address| (address << width) % 32768));
        let active = addresses.iter().flatten().count();
        let (counters, moved) = counted(bytes, "global", &addresses);
        // The table itself is loaded too: one request of four sectors.
        prop_assert_eq!(counters.global_load_sectors - 4, u64::from(brute_sectors(&addresses, bytes)));
        prop_assert_eq!(counters.global_store_sectors, u64::from(brute_sectors(&addresses, bytes)));
        prop_assert_eq!(counters.global_store_requests, u64::from(active > 0));
        for address in addresses.iter().flatten() {
            for at in *address..*address + u64::from(bytes) {
                prop_assert_eq!(moved[at as usize], (at * 7 + at / 256) as u8);
            }
        }
        let (counters, _) = counted(bytes, "shared", &addresses);
        let expected = |is_store| {
            let wavefronts = brute_wavefronts(&addresses, bytes, is_store);
            let fewest = fewest_wavefronts(&addresses, bytes, is_store);
            (u64::from(wavefronts), u64::from(wavefronts.saturating_sub(fewest)))
        };
        let loads = (counters.shared_load_wavefronts, counters.shared_load_bank_conflicts);
        let stores = (counters.shared_store_wavefronts, counters.shared_store_bank_conflicts);
        prop_assert_eq!(loads, expected(false));
        prop_assert_eq!(stores, expected(true));
    }
}

#[test]
fn counters_of_the_books_transposes() {
    // Per request, for a matrix whose sides are multiples of the tile.
    let expected = [
        ("copy", [32, 8], 32, 4, 4, None),
        ("copy_shared", [32, 8], 32, 4, 4, Some((1, 1))),
        ("naive_read", [32, 32], 32, 4, 32, None),
        ("naive_write", [16, 16], 16, 16, 4, None),
        ("tiled", [32, 8], 32, 4, 4, Some((32, 1))),
        ("padded", [32, 8], 32, 4, 4, Some((1, 1))),
    ];
    for (name, block, tile, load_sectors, store_sectors, shared) in expected {
        let path = format!(
            "{}/../../kernels/transpose/{name}.ptx",
            env!("CARGO_MANIFEST_DIR")
        );
        let module = Module::load(&std::fs::read_to_string(path).unwrap()).unwrap();
        let (rows, columns) = (192u32, 320u32);
        let warps = u64::from(rows * columns / 32);
        let mut gpu = Gpu::default();
        let input: Vec<f32> = (0..rows * columns)
            .map(|at| common::marked(at as usize))
            .collect();
        let (from, to) = (
            gpu.upload("in", &input),
            gpu.poisoned::<f32>("out", input.len()),
        );
        let args = [from.into(), to.into(), rows.into(), columns.into()];
        let grid = [columns / tile, rows / tile, 1];
        let counters = gpu
            .run(&module, name, grid, [block[0], block[1], 1], &args)
            .counters;
        assert_eq!(counters.global_load_requests, warps, "{name}");
        assert_eq!(counters.global_load_instructions, warps, "{name}");
        assert_eq!(counters.global_store_requests, warps, "{name}");
        assert_eq!(counters.global_load_sectors, warps * load_sectors, "{name}");
        assert_eq!(
            counters.global_store_sectors,
            warps * store_sectors,
            "{name}"
        );
        let (load, store) = shared.unwrap_or((0, 0));
        assert_eq!(counters.shared_load_wavefronts, warps * load, "{name}");
        assert_eq!(counters.shared_store_wavefronts, warps * store, "{name}");
        assert_eq!(
            counters.shared_load_bank_conflicts,
            warps * load.max(1) - warps,
            "{name}"
        );
        assert_eq!(counters.local_load_requests, 0);
        assert!(counters.ptx_warp_instructions > 10 * warps);
    }
}

#[test]
fn local_memory_is_interleaved() {
    // Each thread stores and loads its own array at the same index: a request of four sectors for each word.
    let module = Module::load(
        ".version 8.0\n.target sm_75\n.address_size 64\n.entry k() {\n.local .align 16 .b8 a[64];\n.reg .b64 %rd<3>;\n\
         .reg .b32 %r<5>;\nmov.u64 %rd1, a;\nmov.u32 %r1, %tid.x;\nst.local.u32 [%rd1+8], %r1;\n\
         ld.local.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\nret;\n}",
    );
    let gpu = Gpu::default();
    let counters = gpu
        .run(&module.unwrap(), "k", [1, 1, 1], [64, 1, 1], &[])
        .counters;
    assert_eq!(
        (counters.local_store_requests, counters.local_store_sectors),
        (2, 8)
    );
    assert_eq!(
        (counters.local_load_requests, counters.local_load_sectors),
        (8, 32)
    );
}

#[test]
fn the_words_of_a_local_access_lie_lane_beside_lane() {
    let sum = |addresses: &Addresses, bytes: u32| -> u32 {
        let words = local_words(addresses, bytes);
        words.iter().map(|word| sectors(word, 4)).sum()
    };
    // The same word of all lanes is a line; another word in each lane touches a sector for each.
    assert_eq!(sum(&lanes(|_| 20), 4), 4);
    assert_eq!(sum(&lanes(|lane| 4 * lane), 4), 32);
    assert_eq!(sum(&lanes(|lane| 4 * (lane / 8)), 4), 4);
    assert_eq!(sum(&lanes(|_| 48), 16), 16);
    let words = local_words(&lanes(|lane| 16 * (lane % 3)), 8);
    assert_eq!(words.len(), 2);
    assert_eq!(words[0][4], Some(128 * 4 + 4 * 4));
    assert_eq!(words[1][5], Some(128 * 9 + 4 * 5));
    // Bytes stay within their word.
    assert_eq!(
        local_words(&lanes(|lane| lane), 1)[0][6],
        Some(128 + 4 * 6 + 2)
    );
    assert_eq!(local_words(&[None; 32], 4), [[None; 32]]);
}

#[test]
fn counters_have_ncus_names() {
    let counters = Counters {
        global_load_sectors: 7,
        ..Counters::default()
    };
    assert_eq!(
        counters.get("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
        Some(7)
    );
    assert_eq!(counters.get("nonsense"), None);
    let names: std::collections::HashSet<_> = counters.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), counters.iter().count());
    assert!(
        names
            .iter()
            .all(|name| name.contains("__") && name.ends_with(".sum"))
    );
    assert_eq!((counters + counters).global_load_sectors, 14);
}

#[test]
fn a_trace_shows_each_lanes_address() {
    let module = module("transpose");
    let request = TraceRequest {
        blocks: vec![[1, 0, 0], [0, 0, 0]],
        warps: Some(vec![2]),
        max_accesses: 100,
        max_blocks: 0,
        ..TraceRequest::default()
    };
    let mut gpu = Gpu {
        options: Options {
            trace: Some(request),
            ..Options::default()
        },
        ..Gpu::default()
    };
    let input: Vec<f32> = (0..64 * 64).map(common::marked).collect();
    let (from, to) = (
        gpu.upload("in", &input),
        gpu.poisoned::<f32>("out", 64 * 64),
    );
    let args = [from.into(), to.into(), 64i32.into(), 50i32.into()];
    let report = gpu.run(&module, "xor_swizzle", [2, 2, 1], [32, 32, 1], &args);
    let trace = report.trace.unwrap();
    assert!(!trace.truncated);
    let kinds: Vec<_> = trace
        .accesses
        .iter()
        .map(|access| (access.block[0], access.order, access.space))
        .collect();
    let (global, shared) = (Space::Global, Space::Shared);
    // Block 1 holds columns 32 to 63, of which only 18 are; in `out` they are rows, of which warp 2 has one.
    assert_eq!(
        kinds,
        [
            (1, 0, global),
            (1, 1, shared),
            (1, 2, shared),
            (1, 3, global),
            (0, 0, global),
            (0, 1, shared),
            (0, 2, shared),
            (0, 3, global)
        ]
    );
    let load = &trace.accesses[0];
    assert_eq!((load.warp, load.access_bytes, load.is_store), (2, 4, false));
    assert_eq!(report.sites[load.site].space, Space::Global);
    for lane in 0..32u64 {
        let expected = (lane < 18).then_some(from + 4 * (2 * 50 + 32 + lane));
        assert_eq!(load.addresses[lane as usize], expected);
    }
    let untraced = Gpu {
        memory: gpu.memory,
        options: Options::default(),
    };
    let plain = untraced.run(&module, "xor_swizzle", [2, 2, 1], [32, 32, 1], &args);
    assert_eq!((plain.counters, plain.trace), (report.counters, None));
}

#[test]
fn a_trace_shows_where_blocks_reach_in_the_order_of_the_grid() {
    let module = module("transpose");
    let (rows, columns) = (50usize, 70usize);
    let reach = |threads: usize| {
        let request = TraceRequest {
            max_blocks: 4,
            ..TraceRequest::default()
        };
        let mut gpu = Gpu {
            options: Options {
                threads,
                trace: Some(request),
                ..Options::default()
            },
            ..Gpu::default()
        };
        let input: Vec<f32> = (0..rows * columns).map(common::marked).collect();
        let (from, to) = (
            gpu.upload("in", &input),
            gpu.poisoned::<f32>("out", rows * columns),
        );
        let sizes = [Arg::from(rows as i32), Arg::from(columns as i32)];
        let args = [from.into(), to.into(), sizes[0].clone(), sizes[1].clone()];
        let report = gpu.run(&module, "xor_swizzle", [3, 2, 1], [32, 32, 1], &args);
        (report.trace.unwrap(), report.sites, from, to)
    };
    let (trace, sites, from, to) = reach(1);
    assert_eq!(trace, reach(3).0);
    assert!(trace.accesses.is_empty());
    let order: Vec<_> = trace.blocks.iter().map(|reach| reach.block).collect();
    assert_eq!(order, [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]]);
    // The tile of block (2, 0): rows 0 to 31 and columns 64 to 69 of `in`, which are rows of `out`.
    let [load, store] = trace.blocks[2].sites[..] else {
        panic!("{:?}", trace.blocks[2])
    };
    assert!(!sites[load.site].is_store && sites[store.site].is_store);
    let place = |base: u64, row: usize, column: usize, width: usize| {
        base + 4 * (row * width + column) as u64
    };
    assert_eq!(load.first, place(from, 0, 64, columns));
    assert_eq!(load.end, place(from, 31, 69, columns) + 4);
    assert_eq!(store.first, place(to, 64, 0, rows));
    assert_eq!(store.end, place(to, 69, 31, rows) + 4);
}

#[test]
fn counters_are_found_by_either_name() {
    let counters = Counters {
        global_load_sectors: 7,
        ptx_thread_instructions: 9,
        ..Counters::default()
    };
    assert_eq!(counters.field("global_load_sectors"), Some(7));
    assert_eq!(counters.get("ptx__thread_instructions.sum"), Some(9));
    assert_eq!(counters.field("global_loads"), None);
    for (field, ncu) in Counters::NAMES {
        assert_eq!(counters.field(field), counters.get(ncu), "{field}");
    }
    let values = Counters::NAMES
        .iter()
        .filter_map(|(field, _)| counters.field(field));
    assert_eq!(values.sum::<u64>(), 16);
}
