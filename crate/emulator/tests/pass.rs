//! Kernels compiled by NVRTC, run and compared with the same computed here.
//!
//! Their CUDA C++ is beside their PTX in `pass/`, made by NVRTC 13.0.88 with
//! `--gpu-architecture=compute_75 -lineinfo --std=c++17 -default-device`.
#![allow(clippy::unwrap_used)]

pub(crate) mod common;

use common::{Gpu, Number, Random, bits, bits64, fixture, marked, module, options};
use cornerturn_emulator::{Arg, Module, Options};

fn transposed<T: Copy>(input: &[T], rows: usize, columns: usize) -> Vec<T> {
    (0..rows * columns)
        .map(|at| input[at % rows * columns + at / rows])
        .collect()
}

#[test]
fn the_books_transposes_work_on_any_shape() {
    let kernels = [
        ("copy", [32, 8, 1], 32, false),
        ("copy_shared", [32, 8, 1], 32, false),
        ("naive_read", [32, 32, 1], 32, true),
        ("naive_write", [16, 16, 1], 16, true),
        ("tiled", [32, 8, 1], 32, true),
        ("padded", [32, 8, 1], 32, true),
    ];
    for (name, block, tile) in
        kernels.map(|(name, block, tile, transposes)| ((name, transposes), block, tile))
    {
        let (name, transposes) = name;
        let source = std::fs::read_to_string(format!(
            "{}/../../kernels/transpose/{name}.ptx",
            env!("CARGO_MANIFEST_DIR")
        ));
        let module = Module::load(&source.unwrap()).unwrap();
        for (rows, columns) in [(37, 101), (64, 96), (1, 77), (130, 1), (33, 31)] {
            let mut gpu = Gpu::default();
            let input: Vec<f32> = (0..rows * columns).map(marked).collect();
            let (from, to) = (
                gpu.upload("in", &input),
                gpu.poisoned::<f32>("out", input.len()),
            );
            let grid = [
                (columns as u32).div_ceil(tile),
                (rows as u32).div_ceil(tile),
                1,
            ];
            let args = [
                Arg::from(from),
                Arg::from(to),
                Arg::from(rows as u32),
                Arg::from(columns as u32),
            ];
            gpu.run(&module, name, grid, block, &args);
            let expected = if transposes {
                transposed(&input, rows, columns)
            } else {
                input
            };
            let found = gpu.download::<f32>(to, expected.len());
            assert!(
                expected
                    .iter()
                    .zip(&found)
                    .all(|(a, b)| a.to_bits() == b.to_bits()),
                "{name} {rows} x {columns}"
            );
        }
    }
}

#[test]
fn other_transposes() {
    let module = module("transpose");
    let (rows, columns) = (64, 96);
    let input: Vec<f32> = (0..rows * columns).map(marked).collect();
    let mut gpu = Gpu::default();
    let (from, to) = (
        gpu.upload("in", &input),
        gpu.poisoned::<f32>("out", input.len()),
    );
    let args = [
        Arg::from(from),
        Arg::from(to),
        Arg::from(rows as u32),
        Arg::from(columns as u32),
    ];
    let expected: Vec<u32> = transposed(&input, rows, columns)
        .iter()
        .map(|value| value.to_bits())
        .collect();
    for (entry, block) in [("float4_padded", [8, 32, 1]), ("xor_swizzle", [32, 32, 1])] {
        gpu.memory.fill(to, 4 * input.len(), 0).unwrap();
        gpu.run(&module, entry, [3, 2, 1], block, &args);
        assert_eq!(gpu.download::<u32>(to, input.len()), expected, "{entry}");
    }
}

fn dynamic<T: Number>(entry: &str, make: impl Fn(u64) -> T) {
    let module = module("transpose");
    assert!(module.entry(entry).unwrap().uses_dynamic_shared());
    let (rows, columns) = (37, 53);
    let mut random = Random(3);
    let input: Vec<T> = (0..rows * columns).map(|_| make(random.next())).collect();
    let mut gpu = Gpu::default();
    let (from, to) = (
        gpu.upload("in", &input),
        gpu.poisoned::<T>("out", input.len()),
    );
    let args = [
        Arg::from(from),
        Arg::from(to),
        Arg::from(rows as i32),
        Arg::from(columns as i32),
    ];
    let shared = 16 * 17 * T::BYTES as u32;
    gpu.run_shared(&module, entry, [4, 3, 1], [16, 16, 1], shared, &args);
    assert_eq!(
        gpu.download::<T>(to, input.len()),
        transposed(&input, rows, columns)
    );
}

#[test]
fn transposes_in_dynamic_shared_memory() {
    dynamic("dynamic_f64", |bits| bits as f64 / 7.0);
    dynamic("dynamic_u8", |bits| bits as u8);
    dynamic("dynamic_u16", |bits| bits as u16);
}

#[test]
fn vectors_of_other_types() {
    let module = module("transpose");
    let mut random = Random(4);
    let mut gpu = Gpu::default();
    let n = 1000;
    let doubles: Vec<f64> = (0..2 * n).map(|_| random.next() as f64).collect();
    let (from, to) = (
        gpu.upload("in", &doubles),
        gpu.poisoned::<f64>("out", 2 * n),
    );
    gpu.run(
        &module,
        "double2_copy",
        [3, 1, 1],
        [96, 1, 1],
        &[from.into(), to.into(), (n as i32).into()],
    );
    assert_eq!(gpu.download::<f64>(to, 2 * n), doubles);

    let bytes: Vec<u8> = (0..4 * n).map(|_| random.next() as u8).collect();
    let (from, to) = (gpu.upload("in", &bytes), gpu.poisoned::<u8>("out", 4 * n));
    gpu.run(
        &module,
        "bytes4",
        [8, 1, 1],
        [128, 1, 1],
        &[from.into(), to.into(), (n as i32).into()],
    );
    let expected: Vec<u8> = bytes
        .chunks(4)
        .flat_map(|v| [v[3], v[2], v[1], v[0]])
        .collect();
    assert_eq!(gpu.download::<u8>(to, 4 * n), expected);

    let shorts: Vec<i16> = (0..2 * n).map(|_| random.next() as i16).collect();
    let (from, to) = (gpu.upload("in", &shorts), gpu.poisoned::<i16>("out", 2 * n));
    gpu.run(
        &module,
        "shorts2",
        [8, 1, 1],
        [128, 1, 1],
        &[from.into(), to.into(), (n as i32).into()],
    );
    let expected: Vec<i16> = shorts
        .chunks(2)
        .flat_map(|v| [v[1].wrapping_sub(v[0]), v[0] >> 1])
        .collect();
    assert_eq!(gpu.download::<i16>(to, 2 * n), expected);
}

#[test]
fn reductions() {
    let module = module("reduce");
    let mut random = Random(5);
    let mut gpu = Gpu::default();
    let n = 10_000;
    let ints: Vec<i32> = (0..n).map(|_| random.next() as i32).collect();
    let (from, to) = (gpu.upload("in", &ints), gpu.poisoned::<i32>("out", 7));
    let args = [from.into(), to.into(), n.into()];
    gpu.run_shared(&module, "sum_tree", [7, 1, 1], [256, 1, 1], 1024, &args);
    let sum = |values: &[i32]| {
        values
            .iter()
            .fold(0i32, |sum, value| sum.wrapping_add(*value))
    };
    assert_eq!(sum(&gpu.download::<i32>(to, 7)), sum(&ints));

    // Whole numbers, so that the order of the sums does not matter.
    let floats: Vec<f32> = (0..n).map(|_| random.below(64) as f32).collect();
    let (from, to) = (gpu.upload("in", &floats), gpu.upload("out", &[0f32]));
    gpu.run(
        &module,
        "sum_shuffle",
        [5, 1, 1],
        [224, 1, 1],
        &[from.into(), to.into(), n.into()],
    );
    assert_eq!(gpu.download::<f32>(to, 1)[0], floats.iter().sum::<f32>());
}

#[test]
fn scans() {
    let module = module("reduce");
    let mut random = Random(6);
    let mut gpu = Gpu::default();
    let n = 1000;
    let values: Vec<u32> = (0..n).map(|_| random.next() as u32).collect();
    let (from, to) = (gpu.upload("in", &values), gpu.poisoned::<u32>("out", n));
    gpu.run(
        &module,
        "scan_block",
        [4, 1, 1],
        [256, 1, 1],
        &[from.into(), to.into(), (n as i32).into()],
    );
    let expected: Vec<u32> = values
        .chunks(256)
        .flat_map(|block| {
            block.iter().scan(0u32, |sum, value| {
                *sum = sum.wrapping_add(*value);
                Some(*sum)
            })
        })
        .collect();
    assert_eq!(gpu.download::<u32>(to, n), expected);

    let values: Vec<i32> = (0..128).map(|_| random.below(1000) as i32).collect();
    let (from, to) = (gpu.upload("in", &values), gpu.poisoned::<i32>("out", 128));
    gpu.run(
        &module,
        "scan_warp",
        [2, 1, 1],
        [64, 1, 1],
        &[from.into(), to.into()],
    );
    let mut expected = Vec::new();
    for warp in values.chunks(32) {
        let sums: Vec<i32> = (0..32).map(|lane| warp[..=lane].iter().sum()).collect();
        expected.extend((0..32).map(|lane| sums[lane] + 1000 * sums[lane / 8 * 8 + 5]));
    }
    assert_eq!(gpu.download::<i32>(to, 128), expected);
}

#[test]
fn histograms_and_atomics() {
    let module = module("reduce");
    let mut random = Random(7);
    let mut gpu = Gpu::default();
    let n = 5000;
    let bytes: Vec<u8> = (0..n)
        .map(|_| (random.next() & random.next()) as u8)
        .collect();
    let (from, to) = (gpu.upload("in", &bytes), gpu.upload("bins", &[0u32; 256]));
    gpu.run(
        &module,
        "histogram",
        [6, 1, 1],
        [160, 1, 1],
        &[from.into(), to.into(), n.into()],
    );
    let mut bins = vec![0u32; 256];
    bytes.iter().for_each(|byte| bins[usize::from(*byte)] += 1);
    assert_eq!(gpu.download::<u32>(to, 256), bins);

    let n = 300;
    let values: Vec<i32> = (0..n).map(|_| random.next() as i32 >> 8).collect();
    let input = gpu.upload("in", &values);
    let mut a = vec![0i32; 8 + n];
    (a[0], a[1]) = (i32::MIN, i32::MAX);
    let a = gpu.upload("a", &a);
    let u = gpu.upload("u", &[0u32, !0, 0, 0, 0]);
    let l = gpu.upload("l", &[0u64, 0]);
    let args = [
        a.into(),
        u.into(),
        l.into(),
        input.into(),
        (n as i32).into(),
    ];
    gpu.run(&module, "atomics", [4, 1, 1], [96, 1, 1], &args);
    let found = gpu.download::<i32>(a, 8 + n);
    assert_eq!(found[0], *values.iter().max().unwrap());
    assert_eq!(found[1], *values.iter().min().unwrap());
    assert_eq!(found[2], n as i32);
    assert_eq!(found[3], values.iter().map(|value| value & 3).sum::<i32>());
    let (mut placed, mut sorted) = (found[8..].to_vec(), values.clone());
    placed.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(placed, sorted);
    let or = values
        .iter()
        .fold(0, |bits, value| bits | 1u32 << (value & 31));
    let and = values
        .iter()
        .fold(!0, |bits, value| bits & !(1u32 << (value & 15)));
    let xor = values.iter().fold(0, |bits, value| bits ^ *value as u32);
    let dec = (0..n).fold(
        0u32,
        |old, _| if old == 0 || old > 49 { 49 } else { old - 1 },
    );
    assert_eq!(
        gpu.download::<u32>(u, 5),
        [or, and, xor, n as u32 % 100, dec]
    );
    let squares = values.iter().fold(0u64, |sum, value| {
        let value = i64::from(*value) as u64;
        sum.wrapping_add(value.wrapping_mul(value))
    });
    let most = values
        .iter()
        .map(|value| (value & 0xffff) as u64)
        .max()
        .unwrap();
    assert_eq!(gpu.download::<u64>(l, 2), [squares, most]);
}

#[test]
fn votes_and_matches() {
    let module = module("reduce");
    let mut random = Random(8);
    let mut gpu = Gpu::default();
    let values: Vec<i32> = (0..128)
        .map(|at| if at < 32 { 7 } else { random.below(40) as i32 })
        .collect();
    let (from, to) = (gpu.upload("in", &values), gpu.poisoned::<u32>("out", 512));
    gpu.run(
        &module,
        "votes",
        [2, 1, 1],
        [64, 1, 1],
        &[from.into(), to.into()],
    );
    let mut expected = Vec::new();
    for warp in values.chunks(32) {
        let mask = |test: &dyn Fn(i32) -> bool| {
            warp.iter().enumerate().fold(0u32, |mask, (lane, value)| {
                mask | u32::from(test(*value)) << lane
            })
        };
        let ballot = mask(&|value| value & 1 == 1);
        let any = u32::from(warp.contains(&7));
        let all = u32::from(warp.iter().all(|value| *value > 0));
        for (lane, value) in warp.iter().enumerate() {
            let same = mask(&|other| other % 5 == value % 5);
            // All values are below 1000: they match, in all lanes.
            expected.extend([
                ballot,
                any | all << 1 | 1 << 2 | 1 << 3,
                same,
                u32::MAX.wrapping_add((ballot & ((1 << lane) - 1)).count_ones()),
            ]);
        }
    }
    assert_eq!(gpu.download::<u32>(to, 512), expected);

    let values: Vec<i32> = (0..200)
        .map(|at| if at < 100 { 4 + at % 5 } else { at % 12 })
        .collect();
    let (from, to) = (gpu.upload("in", &values), gpu.poisoned::<i32>("out", 200));
    gpu.run(
        &module,
        "block_votes",
        [2, 1, 1],
        [100, 1, 1],
        &[from.into(), to.into()],
    );
    let expected: Vec<i32> = values
        .chunks(100)
        .flat_map(|block| {
            let all = i32::from(block.iter().all(|value| *value > 3));
            let any = i32::from(block.contains(&11));
            let count = block.iter().filter(|value| *value & 1 == 1).count() as i32;
            std::iter::repeat_n(all | any << 1 | count << 2, 100)
        })
        .collect();
    assert_eq!(gpu.download::<i32>(to, 200), expected);
}

#[test]
fn matrix_products() {
    let module = module("gemm");
    let mut random = Random(9);
    for (entry, m, n, k, grid, block) in [
        ("gemm_plain", 45, 70, 33, [5, 6, 1], [16, 8, 1]),
        ("gemm_tiled", 45, 70, 50, [3, 2, 1], [32, 32, 1]),
        ("gemm_registers", 128, 64, 24, [1, 2, 1], [256, 1, 1]),
    ] {
        let mut gpu = Gpu::default();
        let a: Vec<f32> = (0..m * k)
            .map(|_| random.below(1000) as f32 / 8.0 - 50.0)
            .collect();
        let b: Vec<f32> = (0..k * n)
            .map(|_| random.below(1000) as f32 / 16.0 - 20.0)
            .collect();
        let (pa, pb, pc) = (
            gpu.upload("a", &a),
            gpu.upload("b", &b),
            gpu.poisoned::<f32>("c", m * n),
        );
        let sizes = [m, n, k].map(|size| Arg::from(size as i32));
        let args = [vec![pa.into(), pb.into(), pc.into()], sizes.to_vec()].concat();
        gpu.run(&module, entry, grid, block, &args);
        // nvcc contracts a product and a sum to one fused operation, and keeps their order.
        let expected: Vec<f32> = (0..m * n)
            .map(|at| {
                (0..k).fold(0f32, |sum, i| {
                    a[at / n * k + i].mul_add(b[i * n + at % n], sum)
                })
            })
            .collect();
        assert_eq!(gpu.download::<f32>(pc, m * n), expected, "{entry}");
    }
}

fn control(entry: &str, values: &[i32], block: u32, expect: impl Fn(usize, i32) -> i32) {
    let module = module("control");
    // CUDA C++ asks for all threads at a barrier; what GPUs do without those that have returned is tested all the same.
    let mut gpu = if entry == "early_return" {
        Gpu::unchecked()
    } else {
        Gpu::default()
    };
    let n = values.len();
    let (from, to) = (gpu.upload("in", values), gpu.poisoned::<i32>("out", n));
    let args = [from.into(), to.into(), (n as i32).into()];
    gpu.run(
        &module,
        entry,
        [(n as u32).div_ceil(block), 1, 1],
        [block, 1, 1],
        &args,
    );
    let expected: Vec<i32> = values
        .iter()
        .enumerate()
        .map(|(at, value)| expect(at, *value))
        .collect();
    assert_eq!(gpu.download::<i32>(to, n), expected, "{entry}");
}

#[test]
fn branches_and_loops() {
    let mut random = Random(10);
    let values: Vec<i32> = (0..700).map(|_| random.next() as i32 >> 16).collect();
    control("switches", &values, 128, |_, v| match v & 15 {
        0 => v * 3,
        1 => v - 100,
        2 => v ^ 0x55,
        3 | 4 => v >> 2,
        5 => !v,
        6 => v % 7,
        7 => v / 9,
        8 => 88,
        9 => v.wrapping_mul(v),
        _ => -v,
    });
    let starts: Vec<i32> = (0..300).map(|_| 1 + random.below(5000) as i32).collect();
    control("collatz", &starts, 64, |_, v| {
        let (mut v, mut steps) = (v as u64, 0);
        while v != 1 {
            v = if v % 2 == 1 { 3 * v + 1 } else { v / 2 };
            steps += 1;
        }
        steps
    });
    let values: Vec<i32> = (0..500).map(|_| random.below(100) as i32).collect();
    control("nested", &values, 96, |_, v| {
        let mut sum = 0;
        for a in (0..v % 13).filter(|a| a % 3 != 1) {
            let mut b = a;
            while b <= 9 && (b ^ v) % 5 != 0 {
                sum += a * b;
                if sum > 500 {
                    return sum;
                }
                b += 1;
            }
        }
        sum
    });
    control("local_array", &values, 64, |at, v| {
        let mut a: Vec<i32> = (0..16).map(|k| values[(at + k) % values.len()]).collect();
        a.sort_unstable();
        a[(v & 15) as usize] * 31 + a[7]
    });
    control("early_return", &values[..490], 64, |at, _| {
        let tile = |thread: usize| {
            values[..490]
                .get(at / 64 * 64 + thread)
                .copied()
                .unwrap_or(0)
        };
        tile((at % 64) ^ 1) + tile(0)
    });
}

#[test]
fn calls_of_functions() {
    let module = module("control");
    let mut gpu = Gpu::default();
    let n = 200;
    let input: Vec<f32> = (0..n).map(|at| at as f32 * 0.5).collect();
    let (from, to) = (gpu.upload("in", &input), gpu.poisoned::<f32>("out", n));
    // struct Pair { float a; int b[3]; double d; }
    let mut pair = Vec::new();
    1.25f32.put(&mut pair);
    [7i32, 11, 13]
        .into_iter()
        .for_each(|value| value.put(&mut pair));
    2.5f64.put(&mut pair);
    let args = [from.into(), to.into(), Arg(pair), (n as i32).into()];
    gpu.run(&module, "calls", [2, 1, 1], [128, 1, 1], &args);
    let expected: Vec<f32> = (0..n)
        .map(|at| {
            let v = input[at];
            let v = if at % 3 != 0 {
                v.mul_add(1.25, [7.0, 11.0, 13.0][at % 3]) + 2.5
            } else {
                v
            };
            v + if at < 5 {
                -1.0
            } else {
                4.0 * (at as f32 - 5.0)
            }
        })
        .collect();
    assert_eq!(gpu.download::<f32>(to, n), expected);
}

#[test]
fn warps_wait_for_each_other() {
    let module = module("control");
    let mut random = Random(11);
    let mut gpu = Gpu::default();
    let values: Vec<i32> = (0..512).map(|_| random.next() as i32 >> 8).collect();
    let (from, to) = (gpu.upload("in", &values), gpu.poisoned::<i32>("out", 512));
    gpu.run(
        &module,
        "named_barriers",
        [2, 1, 1],
        [128, 1, 1],
        &[from.into(), to.into()],
    );
    let expected: Vec<i32> = values
        .chunks(64)
        .flat_map(|part| part.iter().rev().map(|value| value * 2))
        .collect();
    assert_eq!(gpu.download::<i32>(to, 512), expected);

    let to = gpu.poisoned::<i32>("out", 96);
    gpu.run(&module, "flag", [3, 1, 1], [64, 1, 1], &[to.into()]);
    let expected: Vec<i32> = (0..96).map(|at| 4950 * (at / 32) + at % 32).collect();
    assert_eq!(gpu.download::<i32>(to, 96), expected);
}

#[test]
fn locks_between_lanes_of_a_warp() {
    let module = module("control");
    let mut gpu = Gpu::default();
    let (lock, counter) = (gpu.upload("lock", &[0i32]), gpu.upload("counter", &[0i32]));
    let order = gpu.poisoned::<i32>("order", 192);
    gpu.run(
        &module,
        "spin_lock",
        [2, 1, 1],
        [96, 1, 1],
        &[lock.into(), counter.into(), order.into()],
    );
    assert_eq!(gpu.download::<i32>(counter, 1), [192]);
    let mut order = gpu.download::<i32>(order, 192);
    order.sort_unstable();
    assert_eq!(order, (0..192).collect::<Vec<_>>());

    gpu.run(
        &module,
        "spin_lock_outside",
        [1, 1, 1],
        [48, 1, 1],
        &[lock.into(), counter.into()],
    );
    assert_eq!(gpu.download::<i32>(counter, 1), [192 + 48]);
}

#[test]
fn variables_of_the_module() {
    let module = module("control");
    // Other threads may read the number of launches while the first one adds to it.
    let mut gpu = Gpu::unchecked();
    let n = 100;
    let values: Vec<i32> = (0..n).collect();
    let (from, to) = (
        gpu.upload("in", &values),
        gpu.poisoned::<f32>("out", n as usize),
    );
    let args = [from.into(), to.into(), n.into()];
    // One block after the other, and one launch after the other, sees what was stored before.
    for launches in [5, 6] {
        gpu.run(&module, "variables", [1, 1, 1], [128, 1, 1], &args);
        let expected: Vec<f32> = (0..100usize)
            .map(|at| {
                let coefficient = [1.5f32, -2.0, 0.25, 8.0, 1e-3][at % 5];
                coefficient.mul_add(at as f32, (10 * (at % 7 + 1)) as f32) + launches as f32
            })
            .collect();
        assert_eq!(gpu.download::<f32>(to, 100), expected);
    }
}

#[test]
fn generic_addresses() {
    let module = module("control");
    let mut gpu = Gpu::default();
    let input: Vec<f32> = (0..32).map(|at| at as f32 + 0.25).collect();
    let (from, to) = (gpu.upload("in", &input), gpu.poisoned::<f32>("out", 32));
    let report = gpu.run(
        &module,
        "generic",
        [1, 1, 1],
        [32, 1, 1],
        &[from.into(), to.into(), 5i32.into()],
    );
    let expected: Vec<f32> = (0..32)
        .map(|at| match at % 3 {
            0 => input[31 - at] + 1.0,
            1 => input[at],
            _ => 3.0,
        })
        .collect();
    assert_eq!(gpu.download::<f32>(to, 32), expected);
    // To ncu a generic load is none of shared memory, but goes through its banks.
    assert_eq!(report.counters.shared_load_instructions, 0);
    assert_eq!(report.counters.shared_load_wavefronts, 1);
}

#[test]
fn integer_arithmetic() {
    let module = module("arithmetic");
    let mut random = Random(12);
    let mut gpu = Gpu::default();
    let n = 400;
    let special = [0, 1, -1, i32::MIN, i32::MAX, 31, 32, 33, 0x0f0f_0f0f];
    let mut pick = |_| {
        if random.below(4) == 0 {
            special[random.below(9) as usize]
        } else {
            random.next() as i32
        }
    };
    let x: Vec<i32> = (0..n).map(&mut pick).collect();
    let y: Vec<i32> = (0..n).map(&mut pick).collect();
    let (px, py, to) = (
        gpu.upload("x", &x),
        gpu.upload("y", &y),
        gpu.poisoned::<i32>("out", n * 20),
    );
    gpu.run(
        &module,
        "ints",
        [4, 1, 1],
        [128, 1, 1],
        &[px.into(), py.into(), to.into(), (n as i32).into()],
    );
    let found = gpu.download::<i32>(to, n * 20);
    for at in 0..n {
        let (a, b) = (x[at], y[at]);
        let (ua, ub) = (a as u32, b as u32);
        let pair = u64::from(ub) << 32 | u64::from(ua);
        let byte = |value: u32, at: u32| (value >> (8 * at)) as u8;
        let dots = |signed: bool| {
            (0..4).fold(9i32, |sum, at| {
                let (p, q) = (byte(ua, at), byte(ub, at));
                let product = if signed {
                    i32::from(p as i8) * i32::from(q as i8)
                } else {
                    i32::from(p) * i32::from(q)
                };
                sum.wrapping_add(product)
            })
        };
        let by = (b & 63) as u32;
        let bytes = [byte(ua, 1), byte(ua, 3), byte(ub, 1), byte(ub, 3)];
        let expected = [
            if b == 0 { 0 } else { a.wrapping_div(b) },
            if b == 0 { 0 } else { a.wrapping_rem(b) },
            ua.checked_div(ub).unwrap_or(0) as i32,
            ua.checked_rem(ub).unwrap_or(0) as i32,
            ((i64::from(a) * i64::from(b)) >> 32) as i32,
            ((u64::from(ua) * u64::from(ub)) >> 32) as i32,
            (ua.count_ones()
                + ua.leading_zeros() * 100
                + if a == 0 { 0 } else { ua.trailing_zeros() + 1 } * 10000) as i32,
            ua.reverse_bits() as i32,
            i32::from_le_bytes(bytes),
            ((pair << (by & 31)) >> 32) as i32,
            if by >= 32 {
                ub as i32
            } else {
                (pair >> by) as i32
            },
            ua.abs_diff(ub)
                .wrapping_add(7)
                .wrapping_add(a.abs_diff(b).wrapping_add(5)) as i32,
            a.min(b) ^ ua.max(ub) as i32,
            a.wrapping_abs()
                .wrapping_add(a >> (b & 31))
                .wrapping_add((ua >> (b & 31)) as i32)
                .wrapping_add((ua << (b & 31)) as i32),
            i32::from(a as i16)
                .wrapping_mul(i32::from(b as i16))
                .wrapping_add(i32::from(a as i8))
                .wrapping_add(i32::from(b as u8)),
            dots(true).wrapping_add(dots(false)),
            ((ub & !(0x1ff << 5)) | ((ua & 0x1ff) << 5)) as i32,
            (a << 14) >> 21,
            {
                let c = 0x0ff0u32;
                // 0xb8 is (a & b) | (!a & c)… by its truth table.
                let mut result = 0;
                for bit in 0..32 {
                    let index = (ua >> bit & 1) << 2 | (ub >> bit & 1) << 1 | (c >> bit & 1);
                    result |= (0xb8 >> index & 1) << bit;
                }
                result
            },
            if ua == 0 {
                -1
            } else {
                ua.leading_zeros() as i32
            },
        ];
        assert_eq!(found[at * 20..][..20], expected, "a = {a}, b = {b}");
    }
}

#[test]
fn long_arithmetic() {
    let module = module("arithmetic");
    let mut random = Random(13);
    let mut gpu = Gpu::default();
    let n = 300;
    let special = [0, 1, -1, i64::MIN, i64::MAX, 63, 64, 1 << 32];
    let mut pick = |_| match random.below(4) {
        0 => special[random.below(8) as usize],
        1 => random.next() as i64 >> 40,
        _ => random.next() as i64,
    };
    let x: Vec<i64> = (0..n).map(&mut pick).collect();
    let y: Vec<i64> = (0..n).map(&mut pick).collect();
    let (px, py, to) = (
        gpu.upload("x", &x),
        gpu.upload("y", &y),
        gpu.poisoned::<i64>("out", n * 8),
    );
    gpu.run(
        &module,
        "longs",
        [3, 1, 1],
        [128, 1, 1],
        &[px.into(), py.into(), to.into(), (n as i32).into()],
    );
    let found = gpu.download::<i64>(to, n * 8);
    for at in 0..n {
        let (a, b) = (x[at], y[at]);
        let (ua, ub) = (a as u64, b as u64);
        let by = (b & 63) as u32;
        let expected = [
            if b == 0 { 0 } else { a.wrapping_div(b) },
            if b == 0 { 0 } else { a.wrapping_rem(b) },
            ua.checked_div(ub).unwrap_or(0) as i64,
            ua.checked_rem(ub).unwrap_or(0) as i64,
            ((i128::from(a) * i128::from(b)) >> 64)
                .wrapping_add(((u128::from(ua) * u128::from(ub)) >> 64) as i128) as i64,
            i64::from(ua.count_ones() + ua.leading_zeros()).wrapping_add(ua.reverse_bits() as i64),
            (a >> by) ^ (ua >> by) as i64 ^ (ua << by) as i64,
            a.wrapping_mul(b)
                .wrapping_add(a.min(b))
                .wrapping_sub(ua.max(ub) as i64),
        ];
        assert_eq!(found[at * 8..][..8], expected, "a = {a}, b = {b}");
    }
}

/// Rounds the exact value of `f` as asked: `f` gives it exactly in a wider format where that is possible.
fn directed(value: f64, up: bool) -> f32 {
    let nearest = value as f32;
    if value.is_nan() || f64::from(nearest) == value {
        return nearest;
    }
    match (up, f64::from(nearest) > value) {
        (true, false) => nearest.next_up(),
        (false, true) => nearest.next_down(),
        _ => nearest,
    }
}

#[test]
fn carries_go_from_one_instruction_to_the_next() {
    let module = module("arithmetic");
    let mut random = Random(18);
    let mut gpu = Gpu::default();
    let n = 200;
    let x: Vec<u64> = (0..4 * n)
        .map(|_| match random.below(3) {
            0 => [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, 0xffff_ffff][random.below(6) as usize],
            _ => random.next(),
        })
        .collect();
    let (px, to) = (gpu.upload("x", &x), gpu.poisoned::<u64>("out", n * 8));
    gpu.run(
        &module,
        "carries",
        [2, 1, 1],
        [128, 1, 1],
        &[px.into(), to.into(), (n as i32).into()],
    );
    let found = gpu.download::<u64>(to, n * 8);
    let wide = |low: u64, high: u64| u128::from(high) << 64 | u128::from(low);
    for (x, found) in x.chunks(4).zip(found.chunks(8)) {
        let (a, b) = (wide(x[0], x[1]), wide(x[2], x[3]));
        assert_eq!(wide(found[0], found[1]), a.wrapping_add(b), "{a:x} + {b:x}");
        assert_eq!(wide(found[2], found[3]), a.wrapping_sub(b), "{a:x} - {b:x}");
        assert_eq!(wide(found[4], found[5]), a.wrapping_mul(b), "{a:x} * {b:x}");
        let (a0, b0) = (x[0] as u32, x[2] as u32);
        let product = u128::from(x[0]) * u128::from(b0);
        assert_eq!(
            (found[6], found[7] >> 32),
            (product as u64, (product >> 64) as u64),
            "{:x} * {b0:x}",
            x[0]
        );
        let (_, first) = a0.overflowing_add(b0);
        let second = u64::from(a0) + u64::from(first) > u64::from(u32::MAX);
        assert_eq!(found[7] as u32, 7 + u32::from(second));
    }
}

#[test]
fn single_precision() {
    let module = module("arithmetic");
    let mut random = Random(14);
    let mut gpu = Gpu::default();
    let n = 1000;
    let x: Vec<f32> = (0..n).map(|_| random.float()).collect();
    let y: Vec<f32> = (0..n).map(|_| random.float()).collect();
    let (px, py, to) = (
        gpu.upload("x", &x),
        gpu.upload("y", &y),
        gpu.poisoned::<f32>("out", n * 16),
    );
    gpu.run(
        &module,
        "floats",
        [8, 1, 1],
        [128, 1, 1],
        &[px.into(), py.into(), to.into(), (n as i32).into()],
    );
    let found = gpu.download::<f32>(to, n * 16);
    for at in 0..n {
        let (a, b) = (x[at], y[at]);
        let (wa, wb) = (f64::from(a), f64::from(b));
        let min = |a: f32, b: f32| {
            if a == b {
                f32::from_bits(a.to_bits() | b.to_bits())
            } else {
                a.min(b)
            }
        };
        let max = |a: f32, b: f32| {
            if a == b {
                f32::from_bits(a.to_bits() & b.to_bits())
            } else {
                a.max(b)
            }
        };
        let fma_zero = found[at * 16 + 7];
        let expected = [
            a + b,
            a * b,
            a / b,
            a.sqrt(),
            a.mul_add(b, 1.0),
            // Doubles hold the sum exactly unless the exponents are far apart; those are tested elsewhere.
            if (wa + wb) - wa == wb && (wa + wb) - wb == wa && wa + wb != 0.0 {
                directed(wa + wb, false)
            } else {
                found[at * 16 + 5]
            },
            directed(wa * wb, true),
            fma_zero,
            min(a, b),
            max(a, b),
            a.floor() + b.trunc(),
            a.round_ties_even() - b.ceil(),
            a.abs() + 1f32.copysign(b),
            if a > 0.0 { a.min(1.0) } else { 0.0 },
            if a < b {
                1.0
            } else if a == b {
                2.0
            } else if a > b {
                3.0
            } else {
                4.0
            },
            1.0 / a,
        ];
        for (index, (found, expected)) in found[at * 16..].iter().zip(expected).enumerate() {
            assert_eq!(
                bits(*found),
                bits(expected),
                "{index}: a = {a:e}, b = {b:e}, {found:e} for {expected:e}"
            );
        }
        // Towards zero never gives the larger magnitude, and at most one step less than to nearest.
        let nearest = a.mul_add(b, -1.0);
        if nearest.is_finite() {
            let below = if nearest > 0.0 {
                nearest.next_down()
            } else {
                nearest.next_up()
            };
            assert!(
                fma_zero == nearest || fma_zero == below,
                "a = {a:e}, b = {b:e}"
            );
        }
    }
}

#[test]
fn double_precision() {
    let module = module("arithmetic");
    let mut random = Random(15);
    let mut gpu = Gpu::default();
    let n = 500;
    let mut pick = |_| match random.below(6) {
        0 => {
            [0.0, -0.0, f64::INFINITY, f64::NAN, f64::MAX, 5e-324, 1e-310][random.below(7) as usize]
        }
        1 => f64::from_bits(random.next()),
        _ => random.next() as i64 as f64 / 1e9,
    };
    let x: Vec<f64> = (0..n).map(&mut pick).collect();
    let y: Vec<f64> = (0..n).map(&mut pick).collect();
    let (px, py, to) = (
        gpu.upload("x", &x),
        gpu.upload("y", &y),
        gpu.poisoned::<f64>("out", n * 8),
    );
    gpu.run(
        &module,
        "doubles",
        [4, 1, 1],
        [128, 1, 1],
        &[px.into(), py.into(), to.into(), (n as i32).into()],
    );
    let found = gpu.download::<f64>(to, n * 8);
    for at in 0..n {
        let (a, b) = (x[at], y[at]);
        let found = &found[at * 8..][..8];
        let min = if a == b {
            f64::from_bits(a.to_bits() | b.to_bits())
        } else {
            a.min(b)
        };
        let max = if a == b {
            f64::from_bits(a.to_bits() & b.to_bits())
        } else {
            a.max(b)
        };
        let expected = [a + b, a * b, a / b, a.sqrt(), a.mul_add(b, 1.0)];
        for (index, expected) in expected.iter().enumerate() {
            assert_eq!(
                bits64(found[index]),
                bits64(*expected),
                "{index}: a = {a:e}, b = {b:e}"
            );
        }
        if (a + b).is_finite() {
            assert!(
                found[5] == a + b || found[5] == (a + b).next_up(),
                "a = {a:e}, b = {b:e}"
            );
        }
        if (a * b).is_finite() {
            assert!(
                found[6] == a * b || found[6] == (a * b).next_down(),
                "a = {a:e}, b = {b:e}"
            );
        }
        assert_eq!(
            bits64(found[7]),
            bits64(max.mul_add(0.5, min)),
            "a = {a:e}, b = {b:e}"
        );
    }
}

#[test]
fn conversions_between_types() {
    let module = module("arithmetic");
    let mut random = Random(16);
    let mut gpu = Gpu::default();
    let n = 500;
    let x: Vec<f32> = (0..n).map(|_| random.float()).collect();
    let y: Vec<i32> = (0..n)
        .map(|_| random.next() as i32 >> random.below(24))
        .collect();
    let (px, py, to) = (
        gpu.upload("x", &x),
        gpu.upload("y", &y),
        gpu.poisoned::<f64>("out", n * 14),
    );
    gpu.run(
        &module,
        "conversions",
        [4, 1, 1],
        [128, 1, 1],
        &[px.into(), py.into(), to.into(), (n as i32).into()],
    );
    let found = gpu.download::<f64>(to, n * 14);
    for at in 0..n {
        let (f, v) = (x[at], y[at]);
        let clamped = |value: f64| value.clamp(-2147483648.0, 2147483647.0);
        let or_nan = |value: f64, other: f64| if f.is_nan() { other } else { value };
        // PTX ISA, `cvt`: NaN becomes 2^63 where 64 bits are involved.
        let long = or_nan(f as i64 as f64, i64::MIN as f64);
        let expected = [
            f64::from(f as i32),
            f64::from(f as u32),
            long,
            f64::from(v as f32),
            f64::from(v as u32 as f32),
            f64::from(v) * 1e10,
            f64::from(i64::from(v).wrapping_mul(12_345_678_901) as f32),
            or_nan(
                clamped(f64::from(f.ceil())).mul_add(2.0, clamped(f64::from(f.floor()))),
                0.0,
            ),
            f64::from(v as i8).mul_add(2.0, f64::from(v as i16)),
            // nvcc converts to 32 bits and keeps the low eight.
            f64::from(f as u32 as u8),
            or_nan(f.mul_add(f, 0.0) as u64 as f64, (1u64 << 63) as f64),
            f64::from((f64::from(v) / 3.0) as f32),
            f64::from(f32::from_bits(v as u32 & 0x7f7f_ffff)),
            if f.is_nan() {
                -2147483648.0
            } else {
                clamped((f64::from(f) * 1.5).round_ties_even())
            },
        ];
        for (index, (found, expected)) in found[at * 14..].iter().zip(expected).enumerate() {
            assert_eq!(
                bits64(*found + 0.0),
                bits64(expected + 0.0),
                "{index}: f = {f:e}, v = {v}, {found} for {expected}"
            );
        }
    }
}

#[test]
fn approximate_functions_are_within_their_bounds() {
    let module = module("arithmetic");
    let mut gpu = Gpu::default();
    let n = 400;
    let x: Vec<f32> = (0..n).map(|at| (at as f32 - 200.0) / 32.0).collect();
    let (px, to) = (gpu.upload("x", &x), gpu.poisoned::<f32>("out", n * 8));
    gpu.run(
        &module,
        "approximate",
        [4, 1, 1],
        [128, 1, 1],
        &[px.into(), to.into(), (n as i32).into()],
    );
    let found = gpu.download::<f32>(to, n * 8);
    for at in 0..n {
        let a = f64::from(x[at]);
        // CUDA C++ Programming Guide, "Mathematical Functions": __sinf and __cosf are bounded absolutely.
        let expected = [
            (a.exp(), 1e-6 * a.exp()),
            ((a.abs() + 0.5).ln(), 1e-6),
            (a.sin(), 1e-5),
            (a.cos(), 1e-5),
            (1.0 / (a.abs() + 0.5).sqrt(), 1e-6),
            (a / 3.0, 1e-6),
            (a.exp() + a.sin(), 1e-6 * (1.0 + a.exp())),
            (
                (a.abs() + 0.1).powf(1.5) + a.tanh() + (a.abs() + 1.0).ln(),
                2e-5,
            ),
        ];
        for (index, (found, (expected, bound))) in found[at * 8..].iter().zip(expected).enumerate()
        {
            assert!(
                (f64::from(*found) - expected).abs() <= bound + 1e-7,
                "{index}: {a}: {found} for {expected}"
            );
        }
    }
}

/// An independent rounding to half precision: the nearest of all halves, ties to even.
fn nearest_half(value: f64) -> f64 {
    if value.is_nan() || value.is_infinite() || value == 0.0 {
        return value;
    }
    let exponent = value.abs().log2().floor().max(-14.0) as i32;
    let unit = 2f64.powi(exponent - 10);
    let rounded = (value / unit).round_ties_even() * unit;
    if rounded.abs() >= 65520.0 {
        f64::INFINITY.copysign(value)
    } else {
        rounded
    }
}

#[test]
fn half_precision() {
    let module = module("arithmetic");
    let mut random = Random(17);
    let mut gpu = Gpu::default();
    let n = 600;
    let mut pick = |_| match random.below(4) {
        0 => random.float(),
        _ => (random.next() as i16 as f32) / 2f32.powi(random.below(24) as i32),
    };
    let x: Vec<f32> = (0..n).map(&mut pick).collect();
    let y: Vec<f32> = (0..n).map(&mut pick).collect();
    let (px, py, to) = (
        gpu.upload("x", &x),
        gpu.upload("y", &y),
        gpu.poisoned::<f32>("out", n * 4),
    );
    gpu.run(
        &module,
        "halves",
        [5, 1, 1],
        [128, 1, 1],
        &[px.into(), py.into(), to.into(), (n as i32).into()],
    );
    let found = gpu.download::<f32>(to, n * 4);
    for at in 0..n {
        let (a, b) = (
            nearest_half(f64::from(x[at])),
            nearest_half(f64::from(y[at])),
        );
        let expected =
            [a + b, a * b, a.mul_add(b, a), b - 1.0].map(|value| nearest_half(value) as f32);
        for (index, (found, expected)) in found[at * 4..].iter().zip(expected).enumerate() {
            assert_eq!(
                bits(*found),
                bits(expected),
                "{index}: {a:e}, {b:e}: {found:e} for {expected:e}"
            );
        }
    }
}

#[test]
fn the_number_of_host_threads_changes_nothing() {
    let module = module("reduce");
    let values: Vec<u8> = (0..9000).map(|at| (at * at % 251) as u8).collect();
    let run = |threads| {
        let mut gpu = Gpu {
            options: Options {
                threads,
                ..options()
            },
            ..Gpu::default()
        };
        let (from, to) = (gpu.upload("in", &values), gpu.upload("bins", &[0u32; 256]));
        let report = gpu.run(
            &module,
            "histogram",
            [40, 1, 1],
            [160, 1, 1],
            &[from.into(), to.into(), 9000i32.into()],
        );
        (gpu.download::<u32>(to, 256), report.counters, report.sites)
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(5));
}

#[test]
fn source_lines_come_from_the_ptx() {
    let source = fixture("pass/transpose.ptx");
    assert!(source.contains(".loc"));
    let module = module("transpose");
    let mut gpu = Gpu::default();
    let (from, to) = (gpu.upload("in", &[1u8; 64]), gpu.poisoned::<u8>("out", 64));
    let report = gpu.run(
        &module,
        "bytes4",
        [1, 1, 1],
        [32, 1, 1],
        &[from.into(), to.into(), 16i32.into()],
    );
    let lines: Vec<_> = report
        .sites
        .iter()
        .map(|site| site.source.clone().unwrap())
        .collect();
    assert_eq!(lines[0].file, "transpose.cu");
    let text = fixture("pass/transpose.cu");
    let line = text.lines().nth(lines[0].line as usize - 1).unwrap();
    assert!(line.contains("uchar4 v = in[i]"), "{line}");
}
