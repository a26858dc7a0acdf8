//! The descriptions that come with the package: the H200's is what probes give, and none has impossible figures.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use cornerturn_model::{Machine, MachineError, Probes, describe};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn record(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../book/results/h200");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn the_h200_is_described_as_the_probes_say() {
    let (machine, pipes, memory) = (
        record("machine.json"),
        record("probes-pipes.csv"),
        record("probes-memory.csv"),
    );
    let made = describe(Probes {
        machine: &machine,
        pipes: &pipes,
        memory: &memory,
    })
    .unwrap();
    // Written anew by `cargo run -p cornerturn-model --example describe -- book/results/h200`.
    assert_eq!(Machine::named("h200").unwrap(), made);
}

/// The kernels that a record measured, the driver's and other libraries' aside.
fn kernels(name: &str) -> BTreeSet<String> {
    let value: serde_json::Value = serde_json::from_str(&record(name)).unwrap();
    let lists = ["measurements", "rates", "chases"]
        .into_iter()
        .filter_map(|list| value[list].as_array());
    let names = lists.flatten().filter_map(|entry| entry["kernel"].as_str());
    names
        .filter(|name| *name != "driver_copy")
        .map(str::to_string)
        .collect()
}

#[test]
fn no_kernel_that_is_predicted_has_a_part_in_the_description() {
    let probes = kernels("machine.json");
    assert!(probes.contains("in_flight_8"));
    let predicted = [
        "transpose.json",
        "products.json",
        "coalescing.json",
        "shared.json",
        "divergence.json",
        "roofline.json",
        "warps.json",
        "registers.json",
        "constant-texture.json",
        "caches.json",
        "atomics.json",
    ];
    for name in predicted {
        let both: Vec<String> = kernels(name).intersection(&probes).cloned().collect();
        assert_eq!(both, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn every_description_can_be_used() {
    for name in Machine::names() {
        let machine = Machine::named(name).unwrap();
        assert!(
            machine.made.starts_with("from "),
            "{name}: {}",
            machine.made
        );
        // What is published names where.
        assert_eq!(
            machine.made.contains("published"),
            !machine.sources.is_empty(),
            "{name}"
        );
    }
}

#[test]
fn impossible_figures_are_refused_with_the_figure() {
    let text = serde_json::to_string(&Machine::named("h200").unwrap()).unwrap();
    let wrong = text.replace("\"clock_mhz\":1980.0", "\"clock_mhz\":-5");
    assert_ne!(text, wrong);
    let message = Machine::read(&wrong).unwrap_err().to_string();
    assert!(message.contains("`clock_mhz` = -5"), "{message}");
    let wrong = text.replace("\"multiprocessors\"", "\"multiprozessors\"");
    assert!(matches!(Machine::read(&wrong), Err(MachineError::Text(_))));
    let message = Machine::named("h300").unwrap_err().to_string();
    assert!(
        message.contains("h300") && message.contains("h200, h100, a100, rtx5060"),
        "{message}"
    );
}
