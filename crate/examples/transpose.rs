//! Transposes a 4096×4096 matrix with the registry's padded kernel and prints what came of it.

use cornerturn::prelude::*;

fn main() -> Result<()> {
    let device = Device::open()?;
    println!("{device}");
    let (rows, columns) = (4096, 4096);
    let kernel = Kernel::registered("padded")?;
    let task = Task::transpose(&device, rows, columns)?;
    let grid = (columns.div_ceil(32), rows.div_ceil(32));
    let run = task.run(&kernel, grid, (32, 8))?;
    println!("{run}");
    for (name, value) in run.counters.iter() {
        println!("{value:>12}  {name}");
    }
    if let Some(efficiency) = run.efficiency() {
        println!(
            "{:>11.1}%  of the sectors' bytes were asked for",
            100.0 * efficiency
        );
    }
    Ok(())
}
