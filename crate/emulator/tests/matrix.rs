//! Matrix instructions against what an H200 computed, how it laid fragments out and what Nsight Compute counted.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::HashMap;

use common::{Gpu, fixture};
use cornerturn_emulator::{Arg, Module};

fn table(path: &str) -> Vec<Vec<String>> {
    let text = fixture(path);
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.split(',').map(str::to_string).collect())
        .collect()
}

#[test]
fn products_have_the_hardwares_bits() {
    let module = Module::load(&fixture("h200/matrix/mma.ptx")).unwrap();
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
        gpu.run(&module, name, [warps as u32, 1, 1], [32, 1, 1], &args);
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
        let mut gpu = Gpu::default();
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
            if !value.is_empty() {
                let found = report.counters.get(name).unwrap();
                assert_eq!(found, value.parse().unwrap(), "{kernel} {pattern}: {name}");
            }
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
