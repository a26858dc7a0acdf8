//! Kernels as people write them give an H200's bits, fused and approximated as its assembler and its units do: hashes of
//! what it gave, in `h200/everyday.txt`.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, fixture, fnv_1a};
use cornerturn_emulator::Module;

const ELEMENTS: usize = 6011;
const THREADS: u32 = 256;

/// As `everyday.cu` makes them.
fn input() -> Vec<f32> {
    let mut state = 12345u32;
    let number = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 8) as i32 - (1 << 23)) as f32 / 5_592_405.0
    };
    (0..ELEMENTS).map(number).collect()
}

/// What a kernel gives, hashed; it has no finding.
fn hash_of(module: &Module, entry: &str) -> u64 {
    let mut gpu = Gpu::default();
    let from = gpu.upload("in", &input());
    let to = gpu.poisoned::<f32>("out", ELEMENTS);
    let grid = [(ELEMENTS as u32).div_ceil(THREADS), 1, 1];
    let args = [from.into(), to.into(), (ELEMENTS as u32).into()];
    gpu.run(module, entry, grid, [THREADS, 1, 1], &args);
    fnv_1a(&gpu.download::<u8>(to, ELEMENTS * size_of::<f32>()))
}

#[test]
fn everyday_kernels_give_the_bits_of_an_h200() {
    let module = Module::load(&fixture("h200/everyday.ptx")).unwrap();
    let record = fixture("h200/everyday.txt");
    let mut compared = 0;
    for line in record.lines().filter(|line| !line.starts_with('#')) {
        let (entry, hash) = line.split_once(' ').unwrap();
        let hash = u64::from_str_radix(hash, 16).unwrap();
        assert_eq!(hash_of(&module, entry), hash, "{entry}");
        compared += 1;
    }
    assert_eq!(compared, 29);
}
