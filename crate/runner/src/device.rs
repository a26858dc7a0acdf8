//! The option `--device`.

use cornerturn::Device;

/// What a kernel runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Choice {
    /// This project's emulator: results, counters, checks, no time
    Emulator,
    /// The first NVIDIA GPU
    Cuda,
}

/// The device chosen; without a choice what `CORNERTURN_DEVICE` says, else a GPU if there is one, else the emulator.
pub fn open(choice: Option<Choice>) -> cornerturn::Result<Device> {
    match choice {
        None => Device::open(),
        Some(Choice::Emulator) => Ok(Device::emulator()),
        Some(Choice::Cuda) => Device::cuda(),
    }
}
