//! Matrix instructions against what an H200 computed, how it laid fragments out and what Nsight Compute counted.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::HashMap;
use std::sync::LazyLock;

use common::{Gpu, Number, Random, fixture, fnv_1a, module};
use cornerturn_emulator::{Arg, FindingKind, Module};
use proptest::prelude::*;

/// Every product that was tried on the hardware, an entry each.
static PRODUCTS: LazyLock<Module> =
    LazyLock::new(|| Module::load(&fixture("h200/matrix/mma.ptx")).unwrap());

fn table(path: &str) -> Vec<Vec<String>> {
    let text = fixture(path);
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.split(',').map(str::to_string).collect())
        .collect()
}

#[test]
fn products_have_the_hardwares_bits() {
    let module = &*PRODUCTS;
    let path = format!("{}/tests/h200/matrix/mma.bin", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).unwrap();
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect();
    let mut rest = words.as_slice();
    let mut compared = 0;
    let mut failures = Vec::new();
    for fields in table("h200/matrix/mma.csv") {
        let numbers: Vec<usize> = fields[1..]
            .iter()
            .map(|field| field.parse().unwrap())
            .collect();
        let (name, warps) = (&fields[0], numbers[0]);
        let inputs = &rest[..warps * 32 * numbers[1]];
        let expected = &rest[inputs.len()..][..warps * 32 * numbers[2]];
        rest = &rest[inputs.len() + expected.len()..];
        let mut gpu = Gpu::default();
        let from = gpu.upload("inputs", inputs);
        let to = gpu.poisoned::<u32>("outputs", expected.len());
        let args = [Arg::from(from), Arg::from(to)];
        gpu.run(module, name, [warps as u32, 1, 1], [32, 1, 1], &args);
        let found = gpu.download::<u32>(to, expected.len());
        let wrong: Vec<usize> = (0..found.len())
            .filter(|at| found[*at] != expected[*at])
            .collect();
        if let Some(at) = wrong.first() {
            failures.push(format!(
                "{name}: {} of {} words, first {at}: {:08x}, not {:08x}",
                wrong.len(),
                found.len(),
                found[*at],
                expected[*at]
            ));
        }
        compared += found.len();
    }
    assert!(rest.is_empty());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(compared > 30_000, "only {compared} words");
}

fn words(text: &str) -> Vec<u32> {
    text.split(' ')
        .map(|word| u32::from_str_radix(word, 16).unwrap())
        .collect()
}

fn patterns() -> HashMap<String, Vec<u32>> {
    let rows = table("h200/matrix/patterns.csv");
    let offsets = |text: &str| {
        text.split(' ')
            .map(|offset| offset.parse().unwrap())
            .collect()
    };
    rows.iter()
        .map(|fields| (fields[0].clone(), offsets(&fields[1])))
        .collect()
}

#[test]
fn tiles_move_as_on_the_hardware() {
    let module = Module::load(&fixture("h200/matrix/loads.ptx")).unwrap();
    let patterns = patterns();
    let rows = table("h200/matrix/loads.csv");
    assert!(rows.len() > 40);
    for fields in rows {
        let (kernel, expected) = (&fields[0], words(&fields[2]));
        let offsets = patterns.get(&fields[1]).cloned().unwrap_or(vec![0; 32]);
        let mut gpu = Gpu::default();
        let (from, to) = (
            gpu.upload("offsets", &offsets),
            gpu.poisoned::<u32>("words", 128),
        );
        let args = [Arg::from(from), Arg::from(to)];
        gpu.run(&module, kernel, [1; 3], [32, 1, 1], &args);
        let count = expected.len() / 32;
        let found: Vec<u32> = gpu
            .download::<u32>(to, 128)
            .chunks(4)
            .flat_map(|lane| lane[..count].to_vec())
            .collect();
        assert_eq!(found, expected, "{kernel} {}", fields[1]);
    }
}

#[test]
fn counters_are_those_of_the_machine_code() {
    let loads = Module::load(&fixture("h200/matrix/loads.ptx")).unwrap();
    let fragments = Module::load(&fixture("h200/matrix/fragments.ptx")).unwrap();
    let patterns = patterns();
    let rows = table("h200/matrix/counters.csv");
    let (names, rows) = rows.split_first().unwrap();
    assert!(rows.len() > 300);
    for fields in rows {
        let (kernel, pattern) = (&fields[0], &fields[1]);
        // Some patterns have lanes store different values to one place.
        let mut gpu = Gpu::unchecked();
        let to = gpu.poisoned::<u32>("words", 1 << 14);
        let report = if let Some(offsets) = patterns.get(pattern) {
            let from = gpu.upload("offsets", offsets);
            let args = [Arg::from(from), Arg::from(to)];
            gpu.run(&loads, kernel, [1; 3], [32, 1, 1], &args)
        } else {
            let from = gpu.upload("matrix", &vec![0u32; 1 << 14]);
            let from = if kernel.contains("_shared_") {
                1024
            } else {
                from
            };
            let stride: u32 = pattern.parse().unwrap();
            let args = [Arg::from(from), Arg::from(to), Arg::from(stride)];
            gpu.run_shared(&fragments, kernel, [1; 3], [32, 1, 1], 32 << 10, &args)
        };
        for (name, value) in names[2..].iter().zip(&fields[2..]) {
            let found = report.counters.get(name).unwrap();
            assert_eq!(found, value.parse().unwrap(), "{kernel} {pattern}: {name}");
        }
    }
}

/// A matrix whose elements are their own index; of bytes, byte `part` of it.
fn indices(bytes: usize, part: usize) -> Vec<u8> {
    let index = |at: usize| (at as u64).to_le_bytes();
    (0..(1 << 16) / bytes)
        .flat_map(|at| match bytes {
            1 => index(at)[part..part + 1].to_vec(),
            _ => index(at)[..bytes].to_vec(),
        })
        .collect()
}

#[test]
fn fragments_lie_as_on_the_hardware() {
    let module = Module::load(&fixture("h200/matrix/fragments.ptx")).unwrap();
    let rows = table("h200/matrix/layouts.csv");
    assert!(rows.len() > 100);
    for fields in rows {
        let kernel = fields[0].as_str();
        let (part, stride): (usize, u32) = (fields[1].parse().unwrap(), fields[2].parse().unwrap());
        let element_bytes = match kernel.rsplit('_').next().unwrap() {
            "s8" | "u8" => 1,
            "f16" | "bf16" => 2,
            "f64" => 8,
            _ => 4,
        };
        let mut gpu = Gpu::default();
        let expected: Vec<&str> = fields[3].split(' ').collect();
        if kernel.starts_with("ld_") {
            let from = gpu.upload("matrix", &indices(element_bytes, part));
            let to = gpu.poisoned::<u32>("registers", expected.len());
            let args = [Arg::from(from), Arg::from(to), Arg::from(stride)];
            gpu.run(&module, kernel, [1; 3], [32, 1, 1], &args);
            let found = gpu.download::<u32>(to, expected.len());
            let expected: Vec<u32> = expected.iter().map(|word| word.parse().unwrap()).collect();
            assert_eq!(found, expected, "{kernel}");
            continue;
        }
        let numbers: Vec<u8> = (1..=expected.len() as u64)
            .flat_map(|number| number.to_le_bytes()[..element_bytes].to_vec())
            .collect();
        let to = gpu.upload("matrix", &vec![0u8; 1 << 16]);
        let from = gpu.upload("registers", &numbers);
        let args = [Arg::from(to), Arg::from(from), Arg::from(stride)];
        gpu.run(&module, kernel, [1; 3], [32, 1, 1], &args);
        let stored: Vec<String> = gpu
            .download::<u8>(to, 1 << 16)
            .chunks(element_bytes)
            .map(|bytes| {
                bytes
                    .iter()
                    .rev()
                    .fold(0u64, |sum, byte| sum << 8 | u64::from(*byte))
            })
            .enumerate()
            .filter(|(_, value)| *value != 0)
            .map(|(at, value)| format!("{at}:{value}"))
            .collect();
        assert_eq!(stored, expected, "{kernel}");
    }
}

// ---- kernels of `pass/matrix.cu`, compiled by nvcc 13.0.88 with `-arch=compute_90 --std=c++17 -ptx` ----

/// A normal f16 between 2^-6 and 2^6, without a pattern.
fn half(random: &mut Random) -> u16 {
    let bits = random.next();
    (bits & 0x83ff) as u16 | ((9 + (bits >> 16) % 12) as u16) << 10
}

fn halves(seed: u64, count: usize) -> Vec<u16> {
    let mut random = Random(seed);
    (0..count).map(|_| half(&mut random)).collect()
}

/// What a normal f16 stands for.
fn value(bits: u16) -> f64 {
    let fraction = 1.0 + f64::from(bits & 0x3ff) / 1024.0;
    let magnitude = fraction * 2f64.powi(i32::from(bits >> 10 & 31) - 15);
    if bits >> 15 == 1 {
        -magnitude
    } else {
        magnitude
    }
}

fn exponent(value: f64) -> i32 {
    (value.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// f32, toward zero.
fn cut_off(sum: f64) -> f32 {
    let nearest = sum as f32;
    if f64::from(nearest).abs() > sum.abs() {
        f32::from_bits(nearest.to_bits() - 1)
    } else {
        nearest
    }
}

/// One multiplication of the hardware: terms are cut off 25 places below the largest exponent, the sum is exact, the
/// result toward zero. All that happens here is exact in f64.
fn fused(sum: f32, products: &[(f64, f64)]) -> f32 {
    let exponents = products.iter().map(|(a, b)| exponent(*a) + exponent(*b));
    let of_sum = if sum == 0.0 {
        i32::MIN
    } else {
        exponent(f64::from(sum))
    };
    let unit = 2f64.powi(exponents.chain([of_sum]).max().unwrap() - 25);
    let terms = products.iter().map(|(a, b)| a * b);
    let units: f64 = terms
        .chain([f64::from(sum)])
        .map(|term| (term / unit).trunc())
        .sum();
    cut_off(units * unit)
}

/// `a` × `b`, both row-major, as tensor cores sum it, 16 deep at a time.
fn product(a: &[u16], b: &[u16], [m, n, k]: [usize; 3]) -> Vec<f32> {
    let mut c = Vec::new();
    for (row, column) in (0..m * n).map(|at| (at / n, at % n)) {
        let term = |i: usize| (value(a[row * k + i]), value(b[i * n + column]));
        let mut sum = 0.0;
        for from in (0..k).step_by(16) {
            let terms: Vec<(f64, f64)> = (from..from + 16).map(term).collect();
            sum = fused(sum, &terms);
        }
        let exact: f64 = (0..k).map(term).map(|(a, b)| a * b).sum();
        let size: f64 = (0..k).map(term).map(|(a, b)| (a * b).abs()).sum();
        assert!((f64::from(sum) - exact).abs() < size * 1e-6);
        c.push(sum);
    }
    c
}

fn same_bits(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.to_bits(), expected.to_bits(), "element {at}");
    }
}

#[test]
fn products_through_wmma_are_those_of_tensor_cores() {
    let module = module("matrix");
    for [m, n, k] in [[48, 80, 112], [16, 16, 16], [112, 48, 48]] {
        let (a, b) = (halves(1, m * k), halves(2, k * n));
        let mut gpu = Gpu::default();
        let (da, db) = (gpu.upload("a", &a), gpu.upload("b", &b));
        let dc = gpu.poisoned::<f32>("c", m * n);
        let mut args = vec![Arg::from(da), Arg::from(db), Arg::from(dc)];
        args.extend([m, n, k].map(|size| Arg::from(size as u32)));
        let blocks = (m * n / 256).div_ceil(3) as u32;
        let report = gpu.run(&module, "wmma_global", [blocks, 1, 1], [96, 1, 1], &args);
        same_bits(&gpu.download(dc, m * n), &product(&a, &b, [m, n, k]));
        // Each load of a fragment is four requests for eight rows of 16 bytes, and so is each store, of 32 bytes.
        let tiles = (m * n / 256) as u64;
        let fragments = tiles * (k / 16) as u64 * 2;
        assert_eq!(report.counters.global_load_requests, 4 * fragments);
        assert_eq!(report.counters.global_load_sectors, 32 * fragments);
        assert_eq!(report.counters.global_store_requests, 4 * tiles);
        assert_eq!(report.counters.global_store_sectors, 32 * tiles);
    }
}

#[test]
fn fragments_can_be_changed_element_by_element() {
    let module = module("matrix");
    let [m, n, k] = [64, 96, 160];
    let (a, b) = (halves(3, m * k), halves(4, k * n));
    let old: Vec<f32> = (0..m * n).map(|at| at as f32 * 0.37 - 900.0).collect();
    let mut gpu = Gpu::default();
    let (da, db, dc) = (
        gpu.upload("a", &a),
        gpu.upload("b", &b),
        gpu.upload("c", &old),
    );
    let mut args = vec![Arg::from(da), Arg::from(db), Arg::from(dc)];
    args.extend([m, n, k].map(|size| Arg::from(size as u32)));
    args.extend([Arg::from(0.75f32), Arg::from(-1.5f32)]);
    let grid = [n as u32 / 32, m as u32 / 32, 1];
    let report = gpu.run(&module, "wmma_shared", grid, [128, 1, 1], &args);
    let expected: Vec<f32> = product(&a, &b, [m, n, k])
        .iter()
        .zip(&old)
        .map(|(sum, old)| 0.75f32.mul_add(*sum, -1.5 * old))
        .collect();
    same_bits(&gpu.download(dc, m * n), &expected);
    // A line of 80 bytes puts eight rows of 16 bytes into different banks.
    let fragments = (m * n * k / 4096 * 2) as u64;
    assert_eq!(report.counters.shared_matrix_load_instructions, fragments);
    assert_eq!(report.counters.shared_load_wavefronts, 4 * fragments);
    assert_eq!(report.counters.shared_load_bank_conflicts, 0);
    assert_eq!(report.counters.shared_load_instructions, 0);
}

#[test]
fn swizzled_tiles_have_the_same_product_without_conflicts() {
    let module = module("matrix");
    let [m, n, k] = [128, 192, 96];
    let (a, b) = (halves(5, m * k), halves(6, k * n));
    let expected = product(&a, &b, [m, n, k]);
    let mut conflicts = Vec::new();
    for kernel in ["mma_plain", "mma_swizzled"] {
        let mut gpu = Gpu::default();
        let (da, db) = (gpu.upload("a", &a), gpu.upload("b", &b));
        let dc = gpu.poisoned::<f32>("c", m * n);
        let mut args = vec![Arg::from(da), Arg::from(db), Arg::from(dc)];
        args.extend([m, n, k].map(|size| Arg::from(size as u32)));
        let grid = [n as u32 / 64, m as u32 / 64, 1];
        let report = gpu.run(&module, kernel, grid, [128, 1, 1], &args);
        same_bits(&gpu.download(dc, m * n), &expected);
        let counters = report.counters;
        // For each 16 of the 32 deep: two loads of four tiles for A, four of two for B, by each of four warps.
        let steps = (m / 64 * n / 64 * k / 16 * 4) as u64;
        assert_eq!(counters.shared_matrix_load_instructions, 6 * steps);
        let passes = counters.shared_load_wavefronts - counters.shared_load_bank_conflicts;
        assert_eq!(passes, 16 * steps);
        conflicts.push(counters.shared_load_bank_conflicts / steps);
    }
    // Rows of 64 bytes meet in fours, rows of 128 bytes all eight.
    assert_eq!(conflicts, [8 * 3 + 8 * 7, 0]);
}

/// Runs a kernel on column-major matrices, one warp a tile of C.
fn column_major<T: Number, S: Number>(
    kernel: &str,
    [m, n, k]: [usize; 3],
    tile: [usize; 2],
    a: &[T],
    b: &[T],
) -> Vec<S> {
    let mut gpu = Gpu::default();
    let (da, db) = (gpu.upload("a", a), gpu.upload("b", b));
    let dc = gpu.poisoned::<S>("c", m * n);
    let mut args = vec![Arg::from(da), Arg::from(db), Arg::from(dc)];
    args.extend([m, n, k].map(|size| Arg::from(size as u32)));
    let grid = [(n / tile[1]) as u32, (m / tile[0]) as u32, 1];
    gpu.run(&module("matrix"), kernel, grid, [32, 1, 1], &args);
    gpu.download(dc, m * n)
}

#[test]
fn every_type_multiplies_every_shape() {
    let mut random = Random(7);
    let [m, n, k] = [96, 160, 48];
    let pairs = || (0..m * n).map(|at| (at % m, at / m));
    let bytes: Vec<u8> = (0..m * k + k * n).map(|_| random.next() as u8).collect();
    let (a, b) = bytes.split_at(m * k);
    let found: Vec<i32> = column_major("wmma_m16n16k16_s8", [m, n, k], [16, 16], a, b);
    for ((row, column), found) in pairs().zip(found) {
        let term = |i: usize| i32::from(a[i * m + row] as i8) * i32::from(b[column * k + i] as i8);
        assert_eq!(found, (0..k).map(term).sum::<i32>());
    }

    let mut doubles = |count: usize| -> Vec<f64> {
        (0..count)
            .map(|_| (random.next() as i64 as f64) / 2f64.powi(60))
            .collect()
    };
    let (a, b) = (doubles(m * k), doubles(k * n));
    let found: Vec<f64> = column_major("wmma_m8n8k4_f64", [m, n, k], [8, 8], &a, &b);
    for ((row, column), found) in pairs().zip(found) {
        let sum = (0..k).fold(0f64, |sum, i| {
            a[i * m + row].mul_add(b[column * k + i], sum)
        });
        assert_eq!(found.to_bits(), sum.to_bits());
    }

    // Small integers, whose sums are exact in any order and any type.
    let small: Vec<i32> = (0..m * k + k * n)
        .map(|at| (at * 7919 % 13) as i32 - 6)
        .collect();
    let (a, b) = small.split_at(m * k);
    let exact = |row: usize, column: usize| -> i32 {
        (0..k).map(|i| a[i * m + row] * b[column * k + i]).sum()
    };
    let singles = |values: &[i32]| values.iter().map(|v| *v as f32).collect::<Vec<f32>>();
    let upper = |values: &[i32]| -> Vec<u16> {
        values
            .iter()
            .map(|v| ((*v as f32).to_bits() >> 16) as u16)
            .collect()
    };
    let half = |value: i32| -> u16 {
        let (sign, size) = (u16::from(value < 0) << 15, value.unsigned_abs());
        if size == 0 {
            return 0;
        }
        let exponent = size.ilog2();
        sign | ((15 + exponent) << 10 | (size << (10 - exponent)) & 0x3ff) as u16
    };
    let halves = |values: &[i32]| values.iter().map(|v| half(*v)).collect::<Vec<u16>>();
    let sizes = [m, n, k];
    let tf32: Vec<f32> = column_major(
        "wmma_m16n16k8_tf32",
        sizes,
        [16, 16],
        &singles(a),
        &singles(b),
    );
    let bf16: Vec<f32> = column_major("wmma_m16n16k16_bf16", sizes, [16, 16], &upper(a), &upper(b));
    let tall: Vec<u16> = column_major("wmma_m32n8k16_f16", sizes, [32, 8], &halves(a), &halves(b));
    let wide: Vec<u16> = column_major("wmma_m8n32k16_f16", sizes, [8, 32], &halves(a), &halves(b));
    for (at, (row, column)) in pairs().enumerate() {
        let exact = exact(row, column);
        assert_eq!((tf32[at], bf16[at]), (exact as f32, exact as f32));
        assert_eq!((tall[at], wide[at]), (half(exact), half(exact)));
    }
}

#[test]
fn tiles_are_transposed_in_registers_and_by_stores() {
    let (rows, columns) = (40, 72);
    let input: Vec<u16> = (0..rows * columns).map(|at| (at * 40503) as u16).collect();
    for by_store in [0u32, 1] {
        let mut gpu = Gpu::default();
        let from = gpu.upload("in", &input);
        let to = gpu.poisoned::<u16>("out", input.len());
        let mut args = vec![Arg::from(from), Arg::from(to)];
        args.extend([rows as u32, columns as u32, by_store].map(Arg::from));
        let grid = [columns as u32 / 8, rows as u32 / 8, 1];
        gpu.run(
            &module("matrix"),
            "transpose_tiles",
            grid,
            [32, 1, 1],
            &args,
        );
        let found: Vec<u16> = gpu.download(to, input.len());
        for (at, found) in found.iter().enumerate() {
            assert_eq!(*found, input[at % rows * columns + at / rows]);
        }
    }
}

/// Factors as the hardware was given them: halves, words whose upper half is one, bytes, doubles.
fn factors(kind: char, seed: u64, count: usize) -> Vec<u8> {
    let mut random = Random(seed);
    let mut bytes = Vec::new();
    for _ in 0..count {
        match kind {
            'h' => half(&mut random).put(&mut bytes),
            's' => {
                let upper = u32::from(half(&mut random)) << 16;
                (upper | (random.next() as u32 & 0xffff)).put(&mut bytes);
            }
            'b' => (random.next() as u8).put(&mut bytes),
            _ => ((random.next() as i64 as f64) / 2f64.powi(60)).put(&mut bytes),
        }
    }
    bytes
}

/// One line of `kernels.csv`: the kernel, sizes, kind of factors, bytes of a result, tile, threads.
type Case = (&'static str, [usize; 3], char, usize, [usize; 2], u32);

const CASES: [Case; 10] = [
    ("wmma_global", [48, 80, 112], 'h', 4, [16, 16], 96),
    ("wmma_shared", [64, 96, 160], 'h', 4, [32, 32], 128),
    ("wmma_m32n8k16_f16", [96, 160, 48], 'h', 2, [32, 8], 32),
    ("wmma_m8n32k16_f16", [96, 160, 48], 'h', 2, [8, 32], 32),
    ("wmma_m16n16k16_bf16", [96, 160, 48], 'h', 4, [16, 16], 32),
    ("wmma_m16n16k8_tf32", [96, 160, 48], 's', 4, [16, 16], 32),
    ("wmma_m8n8k4_f64", [96, 160, 48], 'd', 8, [8, 8], 32),
    ("wmma_m16n16k16_s8", [96, 160, 48], 'b', 4, [16, 16], 32),
    ("mma_plain", [128, 192, 96], 'h', 4, [64, 64], 128),
    ("mma_swizzled", [128, 192, 96], 'h', 4, [64, 64], 128),
];

#[test]
fn whole_kernels_have_the_hardwares_results_and_counters() {
    let module = module("matrix");
    let rows = table("h200/matrix/kernels.csv");
    let (names, rows) = rows.split_first().unwrap();
    let mut failures = Vec::new();
    for ((kernel, [m, n, k], kind, bytes, tile, threads), fields) in CASES.iter().zip(rows) {
        assert_eq!(kernel, &fields[0]);
        let mut gpu = Gpu::default();
        let a = gpu.upload("a", &factors(*kind, 1, m * k));
        let b = gpu.upload("b", &factors(*kind, 2, k * n));
        let old: Vec<f32> = (0..m * n * bytes / 4)
            .map(|at| at as f32 * 0.37 - 900.0)
            .collect();
        let c = gpu.upload("c", &old);
        let mut args = vec![Arg::from(a), Arg::from(b), Arg::from(c)];
        args.extend([m, n, k].map(|size| Arg::from(*size as u32)));
        if *kernel == "wmma_shared" {
            args.extend([Arg::from(0.75f32), Arg::from(-1.5f32)]);
        }
        let grid = match *kernel {
            "wmma_global" => [(m * n / 256).div_ceil(3) as u32, 1, 1],
            _ => [(n / tile[1]) as u32, (m / tile[0]) as u32, 1],
        };
        let report = gpu.run(&module, kernel, grid, [*threads, 1, 1], &args);
        let found = fnv_1a(&gpu.download::<u8>(c, m * n * bytes));
        if format!("{found:016x}") != fields[1] {
            failures.push(format!("{kernel}: other results"));
        }
        for (name, value) in names[2..].iter().zip(&fields[2..]) {
            let found = report.counters.get(name).unwrap();
            if !value.is_empty() && found.to_string() != *value {
                failures.push(format!("{kernel}: {name} is {found}, not {value}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_warp_that_is_not_whole_is_reported() {
    let gpu = &mut Gpu::default();
    let a = gpu.upload("a", &halves(8, 256));
    let c = gpu.poisoned::<f32>("c", 256);
    let mut args = vec![Arg::from(a), Arg::from(a), Arg::from(c)];
    args.extend([16u32; 3].map(Arg::from));
    let report = gpu.launch(
        &module("matrix"),
        "wmma_global",
        [1; 3],
        [20, 1, 1],
        0,
        &args,
    );
    let finding = &report.findings[0];
    assert_eq!(finding.kind, FindingKind::BarrierDivergence);
    assert!(finding.message().contains("only 20 of a warp's 32 threads"));
}

#[test]
fn a_tile_past_the_end_is_reported() {
    let gpu = &mut Gpu::default();
    let a = gpu.upload("a", &halves(9, 16 * 15));
    let b = gpu.upload("b", &halves(9, 256));
    let c = gpu.poisoned::<f32>("c", 256);
    let mut args = vec![Arg::from(a), Arg::from(b), Arg::from(c)];
    args.extend([16u32; 3].map(Arg::from));
    let report = gpu.launch(
        &module("matrix"),
        "wmma_global",
        [1; 3],
        [32, 1, 1],
        0,
        &args,
    );
    let finding = &report.findings[0];
    assert_eq!(finding.kind, FindingKind::OutOfBounds);
    // The last line, of which four lanes hold two elements each, and two more to the right.
    assert_eq!((finding.thread, finding.count), ([28, 0, 0], 8));
}

// ---- properties ----

/// A fragment's type, the shapes that have it, and the registers of C or D in PTX.
const SUMS: [(&str, &[&str], &str, usize); 4] = [
    ("f16", &["m16n16k16", "m32n8k16", "m8n32k16"], ".b32", 4),
    (
        "f32",
        &["m16n16k16", "m32n8k16", "m8n32k16", "m16n16k8"],
        ".f32",
        8,
    ),
    ("s32", &["m16n16k16", "m32n8k16", "m8n32k16"], ".b32", 8),
    ("f64", &["m8n8k4"], ".f64", 2),
];

fn list(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|number| format!("%x{number}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// Rows and columns of a shape's C.
fn extents(shape: &str) -> (usize, usize) {
    let number = |letter: char| {
        let rest = shape.split(letter).nth(1).unwrap();
        rest.split(|mark: char| !mark.is_ascii_digit())
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    (number('m'), number('n'))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// A fragment that is loaded one way and stored another is the matrix laid out anew, in any space, by any stride.
    #[test]
    fn loading_and_storing_lays_a_matrix_out_anew(
        ty in 0..4usize, shape in 0..4usize, from_rows: bool, to_rows: bool, through_shared: bool,
        gaps in [0..5usize, 0..5usize],
    ) {
        let (ty, shapes, register, count) = SUMS[ty];
        let shape = shapes[shape % shapes.len()];
        let (m, n) = extents(shape);
        let bytes = match ty { "f16" => 2, "f64" => 8, _ => 4 };
        let layout = |rows: bool| if rows { "row" } else { "col" };
        // Lines start at multiples of 16 bytes.
        let stride = |rows: bool, gap: usize| (if rows { n } else { m }) + gap * 16 / bytes;
        let (s, t) = (stride(from_rows, gaps[0]), stride(to_rows, gaps[1]));
        let (l, k, fragment) = (layout(from_rows), layout(to_rows), list(count));
        let store = if through_shared {
            format!(
                "mov.u32 %r2, buffer;
                wmma.store.d.sync.aligned.{l}.{shape}.shared.{ty} [%r2], {fragment}, {s};
                wmma.load.c.sync.aligned.{l}.{shape}.shared.{ty} {fragment}, [%r2], {s};"
            )
        } else {
            String::new()
        };
        let ptx = format!(
            ".version 8.0 .target sm_90 .address_size 64
            .visible .entry relay(.param .u64 p, .param .u64 q) {{
                .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg {register} %x<8>;
                .shared .align 32 .b8 buffer[16384];
                ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];
                wmma.load.c.sync.aligned.{l}.{shape}.global.{ty} {fragment}, [%rd1], {s};
                {store}
                wmma.store.d.sync.aligned.{k}.{shape}.{ty} [%rd2], {fragment}, {t};
                ret;
            }}"
        );
        let place = |rows: bool, stride: usize, i: usize, j: usize| {
            bytes * if rows { i * stride + j } else { j * stride + i }
        };
        let mut random = Random(9);
        let input: Vec<u8> = (0..16384).map(|_| random.next() as u8).collect();
        let mut expected = vec![0xee; 16384];
        for (i, j) in (0..m * n).map(|at| (at / n, at % n)) {
            let (a, b) = (place(from_rows, s, i, j), place(to_rows, t, i, j));
            expected[b..b + bytes].copy_from_slice(&input[a..a + bytes]);
        }
        let mut gpu = Gpu::default();
        let (from, to) = (gpu.upload("in", &input), gpu.upload("out", &[0xeeu8; 16384]));
        let module = Module::load(&ptx).unwrap();
        gpu.run(&module, "relay", [1; 3], [32, 1, 1], &[Arg::from(from), Arg::from(to)]);
        prop_assert!(gpu.download::<u8>(to, 16384) == expected, "{ptx}");
    }

    /// Products of factors of any size, against the model on the host.
    #[test]
    fn products_of_wide_exponents_follow_the_model(seed: u64, low in 1..15u64, width in 1..16u64) {
        let mut random = Random(seed);
        let mut number = || {
            let bits = random.next();
            (bits & 0x83ff) as u16 | ((low + (bits >> 16) % width) as u16) << 10
        };
        let a: Vec<u16> = (0..16 * 16).map(|_| number()).collect();
        let b: Vec<u16> = (0..16 * 8).map(|_| number()).collect();
        let c: Vec<f32> = (0..16 * 8).map(|_| (value(number()) * value(number())) as f32).collect();
        // The layouts of the PTX ISA: row `lane / 4` and that 8 below, elements `lane % 4 * 2` and 8 further on.
        let mut inputs = Vec::new();
        for (g, t) in (0..32).map(|lane| (lane / 4, lane % 4 * 2)) {
            let pair = |x: u16, y: u16| u32::from(x) | u32::from(y) << 16;
            for (row, k) in [(g, t), (g + 8, t), (g, t + 8), (g + 8, t + 8)] {
                inputs.push(pair(a[row * 16 + k], a[row * 16 + k + 1]));
            }
            for k in [t, t + 8] {
                inputs.push(pair(b[k * 8 + g], b[(k + 1) * 8 + g]));
            }
            for row in [g, g + 8] {
                inputs.extend([c[row * 8 + t], c[row * 8 + t + 1]].map(f32::to_bits));
            }
        }
        let mut gpu = Gpu::default();
        let (from, to) = (gpu.upload("in", &inputs), gpu.poisoned::<f32>("out", 128));
        let args = [Arg::from(from), Arg::from(to)];
        gpu.run(&PRODUCTS, "mma_m16n8k16_f16_f32", [1; 3], [32, 1, 1], &args);
        let found: Vec<f32> = gpu.download(to, 128);
        for (lane, found) in found.chunks(4).enumerate() {
            for (at, found) in found.iter().enumerate() {
                let (row, column) = (lane / 4 + at / 2 * 8, lane % 4 * 2 + at % 2);
                let terms: Vec<(f64, f64)> = (0..16)
                    .map(|k| (value(a[row * 16 + k]), value(b[k * 8 + column])))
                    .collect();
                let expected = fused(c[row * 8 + column], &terms);
                prop_assert_eq!(found.to_bits(), expected.to_bits());
            }
        }
    }
}

#[test]
fn what_is_wrong_or_not_supported_is_said_at_load() {
    let error = |instruction: &str| {
        let ptx = format!(
            ".version 8.4 .target sm_90 .address_size 64
            .visible .entry k() {{ .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %rd<2>;
            {instruction}
            ret; }}"
        );
        let loaded = Module::load(&ptx).and_then(|module| module.entry("k").map(drop));
        loaded.unwrap_err().to_string()
    };
    let short = error(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2}, {%r4, %r5}, {%f0, %f1, %f2, %f3};",
    );
    assert!(
        short.contains("expected a fragment of 4 registers, found 3"),
        "{short}"
    );
    let wide = error("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%rd0}, [%r0];");
    assert!(wide.contains("`%rd0` has 64 bits"), "{wide}");
    for name in [
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32",
        "mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16",
        "wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32",
        "wmma.load.a.sync.aligned.row.m16n16k8.global.f16",
    ] {
        let operands = if name.contains("load") {
            "{%r0}, [%rd0]"
        } else {
            "%r0, %r1, %r2, %r3"
        };
        let said = error(&format!("{name} {operands};"));
        assert!(said.contains(name) && said.contains("support"), "{said}");
    }
}
