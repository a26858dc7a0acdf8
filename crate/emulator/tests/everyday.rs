//! Kernels as people write them give an H200's bits, fused and approximated as its assembler and its units do: hashes of
//! what it gave, in `h200/everyday.txt`.
#![allow(clippy::unwrap_used)]

mod common;

use common::fixture;
use cornerturn_emulator::{Arg, Launch, Memory, Module, Options, launch};

const ELEMENTS: usize = 6011;
const THREADS: u32 = 256;

/// As `everyday.cu` makes them.
fn input() -> Vec<u8> {
    let mut state = 12345u32;
    let numbers = (0..ELEMENTS).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 8) as i32 - (1 << 23)) as f32 / 5_592_405.0
    });
    numbers.flat_map(f32::to_le_bytes).collect()
}

/// What a kernel gives, hashed (FNV-1a), and how many findings there are.
fn hash_of(module: &Module, entry: &str) -> (u64, usize) {
    let input = input();
    let mut memory = Memory::new();
    let [from, to] = ["in", "out"].map(|name| memory.allocate(input.len(), name).unwrap());
    memory.write(from, &input).unwrap();
    memory.write(to, &vec![0xee; input.len()]).unwrap();
    let job = Launch {
        entry,
        grid: [(ELEMENTS as u32).div_ceil(THREADS), 1, 1],
        block: [THREADS, 1, 1],
        dynamic_shared_bytes: 0,
        args: &[Arg::from(from), Arg::from(to), Arg::from(ELEMENTS as u32)],
    };
    let report = launch(module, &memory, &job, &Options::default()).unwrap();
    let mut output = vec![0; input.len()];
    memory.read(to, &mut output).unwrap();
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    let hash = output.iter().fold(0xcbf2_9ce4_8422_2325, step);
    (hash, report.findings.len())
}

#[test]
fn everyday_kernels_give_the_bits_of_an_h200() {
    let module = Module::load(&fixture("h200/everyday.ptx")).unwrap();
    let record = fixture("h200/everyday.txt");
    let mut compared = 0;
    for line in record.lines().filter(|line| !line.starts_with('#')) {
        let (entry, hash) = line.split_once(' ').unwrap();
        let hash = u64::from_str_radix(hash, 16).unwrap();
        assert_eq!(hash_of(&module, entry), (hash, 0), "{entry}");
        compared += 1;
    }
    assert_eq!(compared, 29);
}
