//! Prints the machine description that records of probes give: `describe FOLDER`.

#![allow(clippy::unwrap_used, reason = "a tool for who works on the model")]

use cornerturn_model::{Probes, describe};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_default());
    let read = |name: &str| std::fs::read_to_string(folder.join(name));
    let (machine, pipes, memory) = (
        read("machine.json")?,
        read("probes-pipes.csv")?,
        read("probes-memory.csv")?,
    );
    let machine = describe(Probes {
        machine: &machine,
        pipes: &pipes,
        memory: &memory,
    })?;
    println!("{}", serde_json::to_string_pretty(&machine)?);
    Ok(())
}
