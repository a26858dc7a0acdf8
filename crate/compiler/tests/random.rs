//! Random programs: compiled and run in the emulator, against an interpreter of their own.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod common;

use common::Random;
use common::program::{INPUTS, OUTPUTS, Program};
use cornerturn_compiler::{Options, compile};
use cornerturn_emulator::{Arg, Launch, Memory, Module, launch};

/// What the compiled program writes.
fn run(source: &str, inputs: &[u32]) -> Vec<u32> {
    let compiled = compile(source, "random.cu", &Options::default())
        .unwrap_or_else(|error| panic!("{error}\n{source}"));
    let module = Module::load(&compiled.ptx)
        .unwrap_or_else(|error| panic!("{error}\n{source}\n{}", compiled.ptx));
    let mut memory = Memory::new();
    let from = memory.allocate(inputs.len() * 4, "in").unwrap();
    let to = memory.allocate(32 * OUTPUTS * 4, "out").unwrap();
    let bytes: Vec<u8> = inputs
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    memory.write(from, &bytes).unwrap();
    let args = [Arg::from(from), Arg::from(to)];
    let job = Launch {
        entry: "test",
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared_bytes: 0,
        args: &args,
    };
    let report = launch(
        &module,
        &memory,
        &job,
        &cornerturn_emulator::Options::default(),
    )
    .unwrap();
    assert!(
        report.findings.is_empty(),
        "{:?}\n{source}",
        report.findings
    );
    let mut out = vec![0; 32 * OUTPUTS * 4];
    memory.read(to, &mut out).unwrap();
    out.chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

#[test]
fn random_programs_compute_what_they_say() {
    let count: u64 = std::env::var("CORNERTURN_PROGRAMS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(300);
    for seed in 0..count {
        let mut random = Random(seed.wrapping_mul(977) + 5);
        let program = Program::random(&mut random);
        let inputs: Vec<u32> = (0..32 * INPUTS)
            .map(|_| random.next() >> (random.next() % 32))
            .collect();
        let source = program.source();
        let found = run(&source, &inputs);
        for lane in 0..32 {
            let expected = program.run(lane as u32, &inputs[lane * INPUTS..][..INPUTS]);
            let found = &found[lane * OUTPUTS..][..OUTPUTS];
            assert_eq!(found, expected, "seed {seed}, lane {lane}\n{source}");
        }
    }
}
