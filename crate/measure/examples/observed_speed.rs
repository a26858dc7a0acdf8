//! How long a launch takes on the emulator, plain and observed for the model of time: `observed_speed KERNEL SIDE`.

use cornerturn_base::shape::Shape;
use cornerturn_measure::task::RegisteredTask;
use cornerturn_registry::registry::Registry;
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::LaunchOptions;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let registry = Registry::load()?;
    let entry = registry.get(arguments.get(1).ok_or("KERNEL SIDE")?)?;
    let side: usize = arguments.get(2).ok_or("KERNEL SIDE")?.parse()?;
    let kernel = Kernel::committed(&registry, entry)?;
    let task = RegisteredTask::new(&Device::emulator(), entry, Shape::new(side, side), 1)?;
    for options in [
        LaunchOptions::default(),
        LaunchOptions::observed(),
        LaunchOptions::default(),
        LaunchOptions::observed(),
    ] {
        let begin = Instant::now();
        task.emulate(entry, &kernel, &options)?;
        println!(
            "observed {}: {:.0} ms with its buffers",
            options.observe,
            begin.elapsed().as_secs_f64() * 1e3
        );
    }
    Ok(())
}
