//! Numbers of `curand_kernel.h`: to the bit those that NVIDIA's headers give.
//!
//! `random_numbers/recorded.txt` has digests of what the headers of nvidia-curand 10.4.0.35 gave, compiled by NVRTC 13.0.88 and run
//! in the emulator. `library/random_numbers.rs` compares with them directly where they are installed.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod common;

use common::random_numbers::{GENERATORS, RECORDED, digest, kernels, source};
use cornerturn_compiler::{Options, compile};

#[test]
fn numbers_are_those_of_nvidias_headers() {
    let mut wrong = Vec::new();
    for (generator, state) in GENERATORS {
        let source = source(generator, state);
        let compiled = compile(&source, "kernels.cu", &Options::default());
        let ptx = compiled
            .unwrap_or_else(|error| panic!("{generator}: {error}"))
            .ptx;
        for kernel in kernels(&source) {
            let line = match digest(&ptx, kernel) {
                Ok(digest) => format!("{generator} {kernel} {digest:016x}"),
                Err(error) => error,
            };
            if !RECORDED.lines().any(|recorded| recorded == line) {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "not as recorded:\n{}", wrong.join("\n"));
}

const GENERATORS_TEXT: &str = include_str!("../src/headers/random_generators.cuh");

/// The numbers of a table of the generators' header.
fn table(name: &str) -> Vec<u32> {
    let from = GENERATORS_TEXT.find(&format!("unsigned {name}[")).unwrap();
    let text = &GENERATORS_TEXT[from..];
    let text = &text[text.find('=').unwrap()..text.find("};").unwrap()];
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let number = |word: &str| match word.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).unwrap(),
        None => word.parse().unwrap(),
    };
    words.filter(|word| !word.is_empty()).map(number).collect()
}

/// A step of XORWOW's shifts.
fn step(v: [u32; 5]) -> [u32; 5] {
    let t = v[0] ^ v[0] >> 2;
    [v[1], v[2], v[3], v[4], v[4] ^ v[4] << 4 ^ t ^ t << 1]
}

/// The sum of the states that a polynomial names.
fn jump(mut v: [u32; 5], polynomial: &[u32]) -> [u32; 5] {
    let mut sum = [0; 5];
    for word in polynomial {
        for bit in 0..32 {
            if word >> bit & 1 != 0 {
                (0..5).for_each(|at| sum[at] ^= v[at]);
            }
            v = step(v);
        }
    }
    sum
}

#[test]
fn jumps_follow_from_the_generator() {
    let jumps = table("__xorwow_jumps");
    let jumps: Vec<&[u32]> = jumps.chunks(5).collect();
    assert_eq!(jumps.len(), 131);
    for v in [[1, 0, 0, 0, 0], [0, 0, 0, 0, 1 << 31], [7, 11, 13, 17, 19]] {
        assert_eq!(jump(v, jumps[0]), step(v));
        for (power, pair) in jumps.windows(2).enumerate() {
            let twice = jump(jump(v, pair[0]), pair[0]);
            assert_eq!(jump(v, pair[1]), twice, "2^{power} steps, twice");
        }
    }
}

fn squared(matrix: &[u32], modulus: u64) -> Vec<u32> {
    let product = |row: usize, column: usize, k: usize| {
        u64::from(matrix[3 * row + k]) * u64::from(matrix[3 * k + column]) % modulus
    };
    let element = |at: usize| (0..3).map(|k| product(at / 3, at % 3, k)).sum::<u64>() % modulus;
    (0..9).map(|at| element(at) as u32).collect()
}

#[test]
fn matrices_of_mrg32k3a_are_powers_of_its_step() {
    for (power, name) in [(76, "__mrg_jumps"), (127, "__mrg_long_jumps")] {
        for (half, modulus) in [(0..9, (1 << 32) - 209), (9..18, (1 << 32) - 22853)] {
            let step = table("__mrg_steps")[half.clone()].to_vec();
            let found = (0..power).fold(step, |matrix, _| squared(&matrix, modulus));
            assert_eq!(found, table(name)[half], "{name}");
        }
    }
}
