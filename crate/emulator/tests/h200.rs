//! The counting rules against what Nsight Compute counted on an H200: `h200/probes.csv`, one warp and one access a line.
#![allow(clippy::unwrap_used)]

use cornerturn_emulator::counters::{fewest_wavefronts, sectors, shared_wavefronts};

const PROBES: &str = include_str!("h200/probes.csv");

#[test]
fn the_rules_count_what_the_hardware_counts() {
    let mut compared = 0;
    for line in PROBES.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(',').collect();
        let [
            space,
            operation,
            bytes,
            _,
            requests,
            touched,
            wavefronts,
            conflicts,
            offsets,
        ] = fields[..]
        else {
            panic!("{line}")
        };
        // The rules for atomics are not written yet; their measurements are here already.
        if !matches!(operation, "ld" | "st") {
            continue;
        }
        let mut lanes = offsets.split(' ').map(|offset| offset.parse().ok());
        let addresses: [Option<u64>; 32] = std::array::from_fn(|_| lanes.next().unwrap());
        let (bytes, is_store): (u32, bool) = (bytes.parse().unwrap(), operation == "st");
        let counted = if space == "global" {
            let active = u32::from(addresses.iter().any(Option::is_some));
            (active, sectors(&addresses, bytes), 0, 0)
        } else {
            let taken = shared_wavefronts(&addresses, bytes, is_store);
            (
                0,
                0,
                taken,
                taken - fewest_wavefronts(&addresses, bytes, is_store),
            )
        };
        let measured =
            [requests, touched, wavefronts, conflicts].map(|field| field.parse().unwrap());
        assert_eq!(
            [counted.0, counted.1, counted.2, counted.3],
            measured,
            "{line}"
        );
        compared += 1;
    }
    assert!(compared > 900, "only {compared} probes");
}
