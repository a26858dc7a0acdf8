//! Tensor copies against what an H200 did: `h200/tma.csv`, recorded by `h200/tma.cu`, whose kernels run here too.
#![allow(clippy::unwrap_used)]

mod common;

use common::Gpu;
use cornerturn_emulator::{
    Arg, Fill, FindingKind, Module, Report, Swizzle, TensorElement, TensorLayout, TensorMap,
    TensorMapError,
};

const RECORDED: &str = include_str!("h200/tma.csv");

/// Bytes of dynamic shared memory, of the tensor's buffer.
const SHARED: usize = 8192;
const TENSOR: usize = 1 << 20;
const POISON: u8 = 0xa5;

/// One line of the record.
struct Case<'a> {
    line: &'a str,
    operation: &'a str,
    element: TensorElement,
    lengths: Vec<u64>,
    strides: Vec<u64>,
    tile: Vec<u32>,
    element_strides: Vec<u32>,
    swizzle: Swizzle,
    fill: Fill,
    at: Vec<i32>,
    offset: u64,
    status: u32,
    bytes: Vec<u8>,
}

fn list<T: std::str::FromStr>(field: &str) -> Vec<T> {
    let numbers = field.split_whitespace().map(|number| number.parse().ok());
    numbers.map(Option::unwrap).collect()
}

fn cases() -> impl Iterator<Item = Case<'static>> {
    let lines = RECORDED.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let element = match fields[1] {
            "u8" => TensorElement::U8,
            "u16" => TensorElement::U16,
            "u32" => TensorElement::U32,
            "s32" => TensorElement::S32,
            "u64" => TensorElement::U64,
            "s64" => TensorElement::S64,
            "f16" => TensorElement::F16,
            "f32" => TensorElement::F32,
            "f64" => TensorElement::F64,
            "bf16" => TensorElement::Bf16,
            "f32_ftz" => TensorElement::F32Ftz,
            "tf32" => TensorElement::Tf32,
            "tf32_ftz" => TensorElement::Tf32Ftz,
            other => panic!("{other}"),
        };
        let hex = fields[11].as_bytes().chunks(2);
        Case {
            line: line.get(..120).unwrap_or(line),
            operation: fields[0],
            element,
            lengths: list(fields[2]),
            strides: list(fields[3]),
            tile: list(fields[4]),
            element_strides: list(fields[5]),
            swizzle: [
                Swizzle::None,
                Swizzle::Bytes32,
                Swizzle::Bytes64,
                Swizzle::Bytes128,
            ][fields[6].parse::<usize>().unwrap()],
            fill: [Fill::Zero, Fill::Nan][fields[7].parse::<usize>().unwrap()],
            at: list(fields[8]),
            offset: fields[9].parse().unwrap(),
            status: fields[10].parse().unwrap(),
            bytes: hex
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
                .collect(),
        }
    })
}

impl Case<'_> {
    fn map(&self, address: u64) -> Result<TensorMap, TensorMapError> {
        TensorMap::new(&TensorLayout {
            element: self.element,
            address,
            lengths: &self.lengths,
            strides: &self.strides,
            tile: &self.tile,
            element_strides: &self.element_strides,
            swizzle: self.swizzle,
            fill: self.fill,
        })
    }

    /// Coordinates as the kernels take them.
    fn coordinates(&self, count: usize) -> impl Iterator<Item = Arg> {
        let at = self.at.clone();
        (0..count).map(move |number| Arg::from(at.get(number).copied().unwrap_or(0)))
    }
}

/// The words that the recording program fills memory with.
fn word(at: u32) -> u32 {
    let mut hash = (at + 1).wrapping_mul(0x9e37_79b1);
    hash ^= hash >> 15;
    hash = hash.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    if at % 7 == 3 {
        hash &= 0x807f_ffff;
    }
    if at % 11 == 5 {
        hash |= 0x7f80_0000;
    }
    hash
}

fn words(from: u32, bytes: usize) -> Vec<u32> {
    (from..from + bytes as u32 / 4).map(word).collect()
}

fn module() -> Module {
    Module::load(&common::fixture("h200/tma.ptx")).unwrap()
}

fn entry<'m>(module: &'m Module, part: &str) -> &'m str {
    let mut entries = module.entries().iter().map(|entry| entry.name());
    entries.find(|name| name.contains(part)).unwrap()
}

/// What the GPU calls an illegal instruction is a finding here.
fn agrees_on_faults(case: &Case, report: &Report) -> bool {
    let kinds: Vec<FindingKind> = report.findings.iter().map(|finding| finding.kind).collect();
    if case.status == 0 {
        assert_eq!(kinds, [], "{}: {:?}", case.line, report.findings);
        return true;
    }
    let expected = [FindingKind::Misaligned, FindingKind::OutOfBounds];
    assert!(
        kinds.first().is_some_and(|kind| expected.contains(kind)),
        "{}: {kinds:?}",
        case.line
    );
    false
}

#[test]
fn maps_are_taken_and_refused_as_the_driver_does() {
    let mut compared = 0;
    for case in cases().filter(|case| case.operation == "encode") {
        let map = case.map(0x7000_0000_0000 + case.offset);
        assert_eq!(map.is_ok(), case.status == 0, "{}: {map:?}", case.line);
        if let Ok(map) = map {
            assert_eq!(TensorMap::decode(&map.encode()), Some(map));
        }
        compared += 1;
    }
    assert!(compared > 55, "only {compared} maps");
}

#[test]
fn loads_bring_the_bytes_that_the_hardware_brings() {
    let module = module();
    let entry = entry(&module, "load");
    let source = words(0, TENSOR);
    let (mut gpu, mut compared) = (Gpu::default(), 0);
    gpu.options.check = true;
    let tensor = gpu.upload("tensor", &source);
    let out = gpu.poisoned::<u8>("out", SHARED);
    let result = gpu.poisoned::<u8>("result", 16);
    for case in cases().filter(|case| case.operation == "load") {
        let map = case.map(tensor).unwrap();
        let mut args = vec![Arg::from(map), Arg::from(map.rank() as i32)];
        args.extend(case.coordinates(5));
        args.push(Arg::from(case.offset as u32));
        args.push(Arg::from(map.tile_bytes() as u32));
        args.extend([Arg::from(out), Arg::from(result)]);
        let report = gpu.launch(&module, entry, [1, 1, 1], [128, 1, 1], SHARED as u32, &args);
        if agrees_on_faults(&case, &report) {
            assert_eq!(gpu.download::<u32>(result + 8, 1), [1], "{}", case.line);
            let mut expected = case.bytes.clone();
            expected.resize(SHARED, POISON);
            assert_eq!(gpu.download::<u8>(out, SHARED), expected, "{}", case.line);
        }
        compared += 1;
    }
    assert!(compared > 130, "only {compared} loads");
}

#[test]
fn stores_and_reductions_leave_the_bytes_that_the_hardware_leaves() {
    let module = module();
    let mut compared = 0;
    let operations = ["store", "add", "min", "max", "and", "inc"];
    for case in cases() {
        let Some(number) = operations.iter().position(|name| *name == case.operation) else {
            continue;
        };
        let mut gpu = Gpu::default();
        gpu.options.check = true;
        let input = gpu.upload("input", &words(0, SHARED));
        let tensor = gpu.upload("tensor", &words(100_000, TENSOR));
        if number == 0 {
            gpu.memory.fill(tensor, TENSOR, 0xa5a5_a5a5).unwrap();
        }
        let map = case.map(tensor).unwrap();
        let mut args = vec![Arg::from(map), Arg::from(map.rank() as i32)];
        args.extend(case.coordinates(3));
        args.extend([Arg::from(case.offset as u32), Arg::from(input)]);
        let entry = entry(&module, &format!("storeILi{number}E"));
        let report = gpu.launch(&module, entry, [1, 1, 1], [128, 1, 1], SHARED as u32, &args);
        if agrees_on_faults(&case, &report) {
            let found = gpu.download::<u8>(tensor, case.bytes.len());
            let differ = (0..found.len()).find(|at| found[*at] != case.bytes[*at]);
            if let Some(at) = differ {
                let at = at / 8 * 8;
                let (found, expected) = (&found[at..at + 8], &case.bytes[at..at + 8]);
                panic!(
                    "{}: from byte {at}: {found:x?}, not {expected:x?}",
                    case.line
                );
            }
        }
        compared += 1;
    }
    assert!(compared > 40, "only {compared} stores");
}
