//! Kernels that draw random numbers by `curand_kernel.h`, and what each leaves behind.

use super::Random;
use cornerturn_emulator::{Arg, Launch, Memory, Module, Options, launch};

/// The generators, and the types of their states.
pub const GENERATORS: [(&str, &str); 3] = [
    ("xorwow", "curandState"),
    ("philox", "curandStatePhilox4_32_10_t"),
    ("mrg32k3a", "curandStateMRG32k3a_t"),
];

/// What was recorded: `generator kernel digest`, a line each.
pub const RECORDED: &str = include_str!("../random_numbers/recorded.txt");

const THREADS: u32 = 64;
const WORDS: usize = 16;

/// The source with a generator's kernels.
pub fn source(generator: &str, state: &str) -> String {
    let mut source = include_str!("../random_numbers/kernels.cu").to_string();
    if generator == "philox" {
        source += include_str!("../random_numbers/philox.cu");
    }
    source.replace("STATE", state)
}

/// The names of a source's kernels.
pub fn kernels(source: &str) -> Vec<&str> {
    let lines = source.lines();
    let calls = lines.filter_map(|line| line.strip_prefix("KERNEL("));
    calls
        .filter_map(|call| Some(call.split_once(',')?.0))
        .collect()
}

/// Seeds, sequences and offsets: plain ones, the largest, and others of all sizes.
fn places() -> Vec<u64> {
    let mut random = Random(7);
    let mut places = vec![
        0,
        0,
        0,
        1234,
        0,
        0,
        1234,
        1,
        0,
        1234,
        0,
        1,
        1234,
        31,
        7,
        u64::MAX,
        5,
        4,
        1 << 32,
        1 << 32,
        1 << 32,
        9,
        (1 << 51) - 1,
        u64::MAX,
    ];
    while places.len() < 3 * THREADS as usize {
        let word = u64::from(random.next()) << 32 | u64::from(random.next());
        // A sequence of MRG32k3a is below 2^51.
        let least = if places.len() % 3 == 1 { 13 } else { 0 };
        places.push(word >> (least + random.next() % (64 - least)));
    }
    places
}

/// A digest (FNV-1a) of the words that a kernel writes.
pub fn digest(ptx: &str, kernel: &str) -> Result<u64, String> {
    let told = |error: &dyn std::fmt::Display| format!("{kernel}: {error}");
    let module = Module::load(ptx).map_err(|error| told(&error))?;
    let mut memory = Memory::new();
    let places: Vec<u8> = places().into_iter().flat_map(u64::to_le_bytes).collect();
    let from = memory
        .allocate(places.len(), "places")
        .map_err(|error| told(&error))?;
    memory.write(from, &places).map_err(|error| told(&error))?;
    let mut words = vec![0; 8 * WORDS * THREADS as usize];
    let to = memory
        .allocate(words.len(), "out")
        .map_err(|error| told(&error))?;
    let job = Launch {
        entry: kernel,
        grid: [1, 1, 1],
        block: [THREADS, 1, 1],
        dynamic_shared_bytes: 0,
        args: &[Arg::from(from), Arg::from(to)],
    };
    let options = Options {
        threads: 1,
        check: true,
        ..Options::default()
    };
    let report = launch(&module, &memory, &job, &options).map_err(|error| told(&error))?;
    if let Some(finding) = report.findings.first() {
        return Err(format!("{kernel}: {:?}", finding.kind));
    }
    memory.read(to, &mut words).map_err(|error| told(&error))?;
    let mixed = |digest: u64, byte: &u8| (digest ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    Ok(words.iter().fold(0xcbf2_9ce4_8422_2325, mixed))
}
