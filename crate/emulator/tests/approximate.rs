//! The approximate instructions against an H200: hashes of what it gives, in `h200/approximations.txt`, by the same kernels.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, fixture};
use cornerturn_emulator::Module;

/// So many inputs of an instruction, a step apart, and the hash of what the H200 gives for them.
struct Piece<'a> {
    instruction: &'a str,
    first: u32,
    step: u32,
    count: u32,
    hash: u64,
}

fn pieces(record: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for line in record.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(' ').collect();
        let [instruction, first, step, count, hashes @ ..] = &fields[..] else {
            panic!("{line}")
        };
        let mut first = u32::from_str_radix(first.trim_start_matches("0x"), 16).unwrap();
        let (step, count): (u32, u32) = (step.parse().unwrap(), count.parse().unwrap());
        for hash in hashes {
            pieces.push(Piece {
                instruction,
                first,
                step,
                count,
                hash: u64::from_str_radix(hash, 16).unwrap(),
            });
            first = first.wrapping_add(step.wrapping_mul(count));
        }
    }
    pieces
}

/// Says which pieces differ.
fn expect_equal<'a>(pieces: impl Iterator<Item = Piece<'a>>) {
    let module = Module::load(&fixture("h200/approximations.ptx")).unwrap();
    let mut gpu = Gpu::default();
    let sum = gpu.upload("sum", &[0u64]);
    let mut differing = Vec::new();
    let mut compared = 0;
    for piece in pieces {
        gpu.memory.write(sum, &[0; 8]).unwrap();
        gpu.run(
            &module,
            &piece.instruction.replace('.', "_"),
            [64, 1, 1],
            [256, 1, 1],
            &[
                piece.first.into(),
                piece.step.into(),
                piece.count.into(),
                sum.into(),
            ],
        );
        compared += 1;
        if gpu.download::<u64>(sum, 1) != [piece.hash] {
            differing.push(format!("{} from {:#x}", piece.instruction, piece.first));
        }
    }
    assert!(compared > 0);
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn inputs_of_all_sizes_give_the_hardwares_bits() {
    let record = fixture("h200/approximations.txt");
    let all = pieces(&record);
    let instructions = all.iter().filter(|piece| piece.count <= 1 << 20).count();
    assert_eq!(instructions, 30);
    expect_equal(all.into_iter().filter(|piece| piece.count <= 1 << 20));
}

/// `cargo test --release -p cornerturn-emulator --test approximate -- --ignored`, some 20 minutes of one core; with an instruction in
/// `CORNERTURN_INSTRUCTION` only that one.
#[test]
#[ignore = "all 2^32 inputs of 17 instructions"]
fn every_input_gives_the_hardwares_bits() {
    let record = fixture("h200/approximations.txt");
    let only = std::env::var("CORNERTURN_INSTRUCTION").ok();
    let wanted = |piece: &Piece| only.as_deref().is_none_or(|only| only == piece.instruction);
    expect_equal(pieces(&record).into_iter().filter(wanted));
}
