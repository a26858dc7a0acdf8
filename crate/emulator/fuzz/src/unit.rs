//! One form of an instruction on many inputs: its launch, and a digest of what it gives.

use cornerturn_emulator::{Arg, Launch, Memory, Module, Options, launch};

use crate::choices::Random;
use crate::forms::Form;
use crate::kernel::{self, BINS, HEADER, STRIDE_BYTES, Shape};

/// Of the launches that try one form.
pub const SHAPE: Shape = Shape {
    blocks: 256,
    threads: 128,
};

/// The input of a seed, in memory.
#[derive(Debug)]
pub struct Input {
    memory: Memory,
    /// Input, output, bins.
    addresses: [u64; 3],
}

impl Input {
    /// All planes, for [`SHAPE`].
    ///
    /// # Panics
    /// If this machine has not a few megabytes.
    pub fn new(seed: u64) -> Self {
        let input = kernel::input(SHAPE, &mut Random(seed));
        let mut memory = Memory::new();
        let bytes = [input.len(), SHAPE.all() * STRIDE_BYTES, BINS * 4];
        let addresses = bytes.map(|bytes| memory.allocate(bytes, "buffer").expect("megabytes"));
        memory.write(addresses[0], &input).expect("just allocated");
        Self { memory, addresses }
    }

    /// The emulator's results of a form as a digest, or why there is none.
    ///
    /// # Errors
    /// What the emulator says if it refuses the form or finds something.
    pub fn digest_of(&self, form: &Form) -> Result<String, String> {
        let unit = kernel::unit("unit", form, SHAPE);
        let text = format!("{HEADER}{}", unit.text);
        let module = Module::load(&text).map_err(|error| error.to_string())?;
        let bytes = SHAPE.all() * STRIDE_BYTES;
        let [_, output, _] = self.addresses;
        self.memory
            .fill(output, bytes, 0xdead_beef)
            .map_err(|error| error.to_string())?;
        let job = Launch {
            entry: "unit",
            grid: [SHAPE.blocks, 1, 1],
            block: [SHAPE.threads, 1, 1],
            dynamic_shared_bytes: 0,
            args: &self.addresses.map(Arg::from),
        };
        let report = launch(&module, &self.memory, &job, &Options::default())
            .map_err(|error| error.to_string())?;
        if let Some(finding) = report.findings.first() {
            return Err(finding.message());
        }
        let mut results = vec![0; bytes];
        self.memory
            .read(output, &mut results)
            .map_err(|error| error.to_string())?;
        Ok(digest(&results))
    }
}

/// FNV-1a with 64 bits.
pub fn digest(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}
