//! Helpers of the tests: a device with typed buffers, fixtures by name, numbers from a seed.
#![allow(dead_code, clippy::unwrap_used)]

use cornerturn_emulator::{Arg, Launch, Memory, Module, Options, Report, launch};

/// A number that buffers hold.
pub trait Number: Copy + PartialEq + std::fmt::Debug {
    const BYTES: usize;
    fn put(self, out: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($($ty:ty)*) => {$(
        impl Number for $ty {
            const BYTES: usize = size_of::<$ty>();
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Self {
                <$ty>::from_le_bytes(bytes.try_into().unwrap())
            }
        }
    )*};
}
number!(u8 u16 u32 u64 i16 i32 i64 f32 f64);

/// An emulated device.
pub struct Gpu {
    pub memory: Memory,
    pub options: Options,
}

impl Default for Gpu {
    fn default() -> Self {
        Self {
            memory: Memory::new(),
            options: options(),
        }
    }
}

/// The options of a test's launches: in the target `checked`, which repeats the tests of others, with all checks.
pub fn options() -> Options {
    Options {
        check: env!("CARGO_CRATE_NAME") == "checked",
        ..Options::default()
    }
}

/// With checks and without, on one host thread and on two.
pub const WAYS: [(bool, usize); 4] = [(false, 1), (false, 2), (true, 1), (true, 2)];

/// A device with checks or without, on so many host threads.
pub fn gpu(check: bool, threads: usize) -> Gpu {
    Gpu {
        options: Options {
            check,
            threads,
            ..Options::default()
        },
        ..Gpu::default()
    }
}

impl Gpu {
    /// A device that never checks, for a kernel that does on purpose what the checks find.
    pub fn unchecked() -> Self {
        Self {
            memory: Memory::new(),
            options: Options::default(),
        }
    }

    pub fn upload<T: Number>(&mut self, name: &str, values: &[T]) -> u64 {
        let mut bytes = Vec::new();
        values.iter().for_each(|value| value.put(&mut bytes));
        let address = self.memory.allocate(bytes.len(), name).unwrap();
        self.memory.write(address, &bytes).unwrap();
        address
    }

    /// A buffer of poison, which counts as unwritten.
    pub fn poisoned<T: Number>(&mut self, name: &str, count: usize) -> u64 {
        let address = self.memory.allocate(count * T::BYTES, name).unwrap();
        self.memory
            .poison(address, count * T::BYTES, 0xdead_beef)
            .unwrap();
        address
    }

    pub fn download<T: Number>(&self, address: u64, count: usize) -> Vec<T> {
        let mut bytes = vec![0; count * T::BYTES];
        self.memory.read(address, &mut bytes).unwrap();
        bytes.chunks_exact(T::BYTES).map(T::get).collect()
    }

    /// Launches and expects no finding.
    pub fn run(
        &self,
        module: &Module,
        entry: &str,
        grid: [u32; 3],
        block: [u32; 3],
        args: &[Arg],
    ) -> Report {
        self.run_shared(module, entry, grid, block, 0, args)
    }

    pub fn run_shared(
        &self,
        module: &Module,
        entry: &str,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared_bytes: u32,
        args: &[Arg],
    ) -> Report {
        let report = self.launch(module, entry, grid, block, dynamic_shared_bytes, args);
        if let Some(finding) = report.findings.first() {
            panic!("{}", finding.message());
        }
        report
    }

    pub fn launch(
        &self,
        module: &Module,
        entry: &str,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared_bytes: u32,
        args: &[Arg],
    ) -> Report {
        let job = Launch {
            entry,
            grid,
            block,
            dynamic_shared_bytes,
            args,
        };
        launch(module, &self.memory, &job, &self.options).unwrap()
    }
}

/// FNV-1a with 64 bits, as the programs hash with which results were recorded on a GPU.
pub fn fnv_1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// `tests/<path>`
pub fn fixture(path: &str) -> String {
    std::fs::read_to_string(format!("{}/tests/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

pub fn module(name: &str) -> Module {
    match Module::load(&fixture(&format!("pass/{name}.ptx"))) {
        Ok(module) => module,
        Err(error) => panic!("{name}: {error}"),
    }
}

/// SplitMix64: numbers without a pattern, the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Small, large and special floats.
    pub fn float(&mut self) -> f32 {
        match self.below(8) {
            0 => f32::from_bits(self.next() as u32),
            1 => [
                0.0,
                -0.0,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::NAN,
                f32::MIN_POSITIVE,
                1e-40,
                f32::MAX,
            ][self.below(8) as usize],
            _ => (self.next() as i32 as f32) / 65536.0,
        }
    }
}

/// A float whose bits tell where it came from.
pub fn marked(at: usize) -> f32 {
    f32::from_bits(0x3f80_0000 ^ (at as u32).wrapping_mul(0x9e37_79b1) & 0xbfff_ffff)
}

/// Bits, with all NaNs alike.
pub fn bits(value: f32) -> u32 {
    if value.is_nan() {
        0x7fff_ffff
    } else {
        value.to_bits()
    }
}

pub fn bits64(value: f64) -> u64 {
    if value.is_nan() {
        u64::MAX
    } else {
        value.to_bits()
    }
}
