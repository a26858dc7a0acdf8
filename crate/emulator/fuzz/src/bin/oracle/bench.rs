//! The same launch on the GPU and in the emulator, with the same bytes in and all bytes out compared.

use cornerturn::{Buffer, Device, Error, Kernel as GpuKernel, args};
use cornerturn_emulator::{Arg, Launch, Memory, Module, Options, launch};
use cornerturn_emulator_fuzz::choices::Random;
use cornerturn_emulator_fuzz::kernel::{BINS, HEADER, Kernel, STRIDE_BYTES, Shape, input};
use cornerturn_emulator_fuzz::unit;

use crate::tally::{Example, Tally};

/// Slots of the output that there is room for.
const SLOTS: usize = 400;

/// Both devices with an input.
pub(crate) struct Bench {
    gpu: Device,
    pub(crate) shape: Shape,
    input: Vec<u8>,
    /// Input, output, bins.
    buffers: [Buffer<u32>; 3],
    memory: Memory,
    addresses: [u64; 3],
}

/// What one launch left behind on each.
pub(crate) struct Results {
    pub(crate) emulator: Vec<u8>,
    pub(crate) gpu: Vec<u8>,
    lane_instructions: u64,
}

impl Bench {
    pub(crate) fn new(gpu: &Device, shape: Shape, seed: u64) -> anyhow::Result<Self> {
        let input = input(shape, &mut Random(seed));
        let slots = if shape.all() > 1024 { 1 } else { SLOTS };
        let bytes = [input.len(), slots * shape.all() * STRIDE_BYTES, BINS * 4];
        let mut memory = Memory::new();
        let mut addresses = [0; 3];
        for (address, bytes) in addresses.iter_mut().zip(bytes) {
            *address = memory.allocate(bytes, "buffer")?;
        }
        memory.write(addresses[0], &input)?;
        let poisoned = |index: usize| gpu.poisoned("buffer", bytes[index] / 4);
        let buffers = [poisoned(0)?, poisoned(1)?, poisoned(2)?];
        buffers[0].raw().write_at(0, &input)?;
        Ok(Self {
            gpu: gpu.clone(),
            shape,
            input,
            buffers,
            memory,
            addresses,
        })
    }

    /// Runs the kernel on both; `None` where the driver refuses it, which the tally notes.
    pub(crate) fn run(
        &mut self,
        kernel: &GpuKernel,
        module: &Module,
        slots: usize,
    ) -> anyhow::Result<Results> {
        let bytes = slots.min(SLOTS) * self.shape.all() * STRIDE_BYTES;
        let poison = [0xef, 0xbe, 0xad, 0xde].repeat(bytes / 4);
        let bins = [0u8; BINS * 4];
        for (index, with) in [(1, &poison[..]), (2, &bins[..])] {
            self.memory.write(self.addresses[index], with)?;
            self.buffers[index].raw().write_at(0, with)?;
        }
        let [a, b, c] = &self.buffers;
        let (grid, block) = ((self.shape.blocks, 1, 1), (self.shape.threads, 1, 1));
        self.gpu.launch(kernel, grid, block, args![a, b, c])?;
        let job = Launch {
            entry: kernel.entry(),
            grid: [self.shape.blocks, 1, 1],
            block: [self.shape.threads, 1, 1],
            dynamic_shared_bytes: 0,
            args: &self.addresses.map(Arg::from),
        };
        let options = Options {
            threads: 1,
            ..Options::default()
        };
        let report = launch(module, &self.memory, &job, &options)?;
        if let Some(finding) = report.findings.first() {
            anyhow::bail!(
                "the emulator finds in a kernel that is right: {}",
                finding.message()
            );
        }
        let mut results = Results {
            emulator: vec![0; bytes + bins.len()],
            gpu: vec![0; bytes + bins.len()],
            lane_instructions: report.counters.ptx_thread_instructions,
        };
        let (output, rest) = results.emulator.split_at_mut(bytes);
        self.memory.read(self.addresses[1], output)?;
        self.memory.read(self.addresses[2], rest)?;
        let (output, rest) = results.gpu.split_at_mut(bytes);
        self.buffers[1].raw().read_at(0, output)?;
        self.buffers[2].raw().read_at(0, rest)?;
        Ok(results)
    }

    /// Runs the kernel on both and notes how they differ: for each lane the first result that does.
    pub(crate) fn compare(
        &mut self,
        kernel: &Kernel,
        what: &str,
        tally: &mut Tally,
    ) -> anyhow::Result<()> {
        let text = format!("{HEADER}{}", kernel.text);
        let loaded = GpuKernel::ptx(&text, &kernel.name)?;
        let results = match self.run(&loaded, loaded.module()?, kernel.slots.len()) {
            Ok(results) => results,
            Err(error) if matches!(error.downcast_ref(), Some(Error::PtxRefused { .. })) => {
                let opcodes = kernel.uses.keys().cloned().collect::<Vec<_>>().join(" ");
                tally
                    .refused
                    .insert(format!("{what}: {opcodes}"), error.to_string());
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let lanes = self.shape.all();
        tally.kernels += 1;
        tally.lane_instructions += results.lane_instructions;
        tally.results += (kernel.slots.len() * lanes) as u64;
        for (form, uses) in &kernel.uses {
            *tally.instructions.entry(form.clone()).or_default() += uses * lanes as u64;
        }
        if what == "unit" {
            let output = &results.gpu[..lanes * STRIDE_BYTES];
            let digests = &mut tally.digests;
            let form = kernel.slots[0].0.clone();
            digests.entry(form).or_insert_with(|| unit::digest(output));
        }
        if results.emulator == results.gpu {
            return Ok(());
        }
        let at = |bytes: &[u8], slot: usize, lane: usize| {
            let at = (slot * lanes + lane) * STRIDE_BYTES;
            u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
        };
        let mut blamed = false;
        for lane in 0..lanes {
            let slots = 0..kernel.slots.len().min(SLOTS);
            let differs = |slot: &usize| {
                let (mine, its) = (
                    at(&results.emulator, *slot, lane),
                    at(&results.gpu, *slot, lane),
                );
                // Which NaN it is changes where ptxas simplifies: it is compared for single instructions only.
                let class = kernel.slots[*slot].1;
                mine != its && (what == "unit" || class.usual(mine) != class.usual(its))
            };
            let Some(slot) = slots.into_iter().find(differs) else {
                continue;
            };
            blamed = true;
            tally.differs(
                &kernel.slots[slot].0,
                Example {
                    kernel: what.to_string(),
                    slot,
                    lane,
                    emulator: format!("{:#x}", at(&results.emulator, slot, lane)),
                    gpu: format!("{:#x}", at(&results.gpu, slot, lane)),
                    inputs: self.inputs_of(kernel, lane),
                },
            );
        }
        let bins = kernel.slots.len().min(SLOTS) * lanes * STRIDE_BYTES;
        if !blamed && results.emulator[bins..] != results.gpu[bins..] {
            let example = Example {
                kernel: what.to_string(),
                ..Example::default()
            };
            tally.differs("red", example);
        }
        Ok(())
    }

    /// What a lane of a kernel of one form computes with.
    fn inputs_of(&self, kernel: &Kernel, lane: usize) -> String {
        if kernel.slots.len() != 1 {
            return String::new();
        }
        let line = kernel
            .text
            .lines()
            .find(|line| line.contains(&format!("\t{} ", kernel.slots[0].0)));
        let Some(line) = line else {
            return String::new();
        };
        let mut told = line.trim().to_string();
        // The registers are loaded from `[%in+offset]`.
        for operand in line
            .split([' ', ',', ';'])
            .filter(|word| word.starts_with('%'))
        {
            let load = format!(" {operand}, [%in+");
            if let Some(at) = kernel.text.find(&load) {
                let rest = &kernel.text[at + load.len()..];
                let offset: usize = rest
                    .split(']')
                    .next()
                    .and_then(|n| n.parse().ok())
                    .unwrap_or(0);
                let at = offset + lane * STRIDE_BYTES;
                let value = u64::from_le_bytes(self.input[at..at + 8].try_into().expect("8 bytes"));
                told += &format!(" {operand}={value:#x}");
            }
        }
        told
    }
}
