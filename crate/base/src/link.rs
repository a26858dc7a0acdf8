//! What the host is, and by what link its GPU is attached, as Linux tells. Measuring the link is the binary's.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;

/// A machine and the link to its GPU; empty or `None` where the system does not tell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    /// The processor's name.
    pub cpu: String,
    /// How many processors the system sees.
    pub processors: usize,
    /// The link's rate for each lane, in gigatransfers a second: 32 for PCIe 5.
    pub link_gt_per_s: Option<f64>,
    /// The link's lanes.
    pub link_lanes: Option<u32>,
}

impl HostFacts {
    /// Of this machine and the GPU at a PCI bus id, such as `0000:00:06.0`.
    pub fn read(bus_id: &str) -> Self {
        let of_link = |name: &str| {
            let device = bus_id.to_ascii_lowercase();
            fs::read_to_string(format!("/sys/bus/pci/devices/{device}/{name}")).ok()
        };
        Self {
            cpu: fs::read_to_string("/proc/cpuinfo")
                .map(|text| model_name(&text))
                .unwrap_or_default(),
            processors: std::thread::available_parallelism().map_or(0, usize::from),
            link_gt_per_s: of_link("current_link_speed").and_then(|text| first_number(&text)),
            link_lanes: of_link("current_link_width").and_then(|text| text.trim().parse().ok()),
        }
    }

    /// What the link carries in one direction at the most, in GB/s of 1e9 bytes, before packets have headers: from PCIe 3
    /// on, 128 of 130 bits are data (PCI Express Base Specification, 128b/130b encoding).
    pub fn link_gb_per_s(&self) -> Option<f64> {
        let lanes = f64::from(self.link_lanes?);
        let per_lane = self.link_gt_per_s.filter(|rate| *rate >= 8.0)?;
        Some(per_lane * lanes / 8.0 * 128.0 / 130.0)
    }
}

impl fmt::Display for HostFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} processors", self.cpu, self.processors)?;
        match (self.link_gt_per_s, self.link_lanes) {
            (Some(rate), Some(lanes)) => write!(f, ", PCIe {rate} GT/s × {lanes}"),
            _ => Ok(()),
        }
    }
}

fn model_name(text: &str) -> String {
    let line = text.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(':'));
    name.map_or(String::new(), |(_, name)| name.trim().to_string())
}

/// `32.0 GT/s PCIe` → 32.
fn first_number(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_carries_what_its_lanes_do() {
        let host = HostFacts {
            cpu: model_name("processor\t: 0\nmodel name\t: A CPU @ 2 GHz\n"),
            processors: 16,
            link_gt_per_s: first_number("32.0 GT/s PCIe\n"),
            link_lanes: Some(16),
        };
        let rate = host.link_gb_per_s().unwrap();
        assert!((rate - 63.015).abs() < 0.001, "{rate}");
        assert_eq!(
            host.to_string(),
            "A CPU @ 2 GHz, 16 processors, PCIe 32 GT/s × 16"
        );
        // The older encoding is another one, and an unknown link has no limit.
        let old = HostFacts {
            link_gt_per_s: Some(5.0),
            ..host
        };
        assert_eq!(old.link_gb_per_s(), None);
        assert_eq!(HostFacts::read("no such device").link_gb_per_s(), None);
    }
}
