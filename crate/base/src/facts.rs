//! What is known of a device, and the datasheets' peak bandwidths. Asking the driver lives in `cuda`.

use crate::number::NumberType;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is known of a device. For the emulator all numbers are 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceFacts {
    /// The name, such as `NVIDIA H200`.
    pub name: String,
    /// The name as a folder: lower case, without the maker, such as `h200`.
    pub slug: String,
    /// Compute capability, such as `9.0`.
    pub compute_capability: String,
    /// Number of streaming multiprocessors.
    pub multiprocessors: u32,
    /// Size of the global memory.
    pub memory_bytes: u64,
    /// Size of the L2 cache.
    pub l2_bytes: u64,
    /// Peak bandwidth of the global memory, 1 GB = 10⁹ bytes.
    pub peak_gb_per_s: f64,
    /// Where the peak comes from: a datasheet, or computed.
    pub peak_source: String,
    /// Version of the NVIDIA driver, such as `570.86.15`; empty where NVML does not tell.
    pub driver: String,
    /// The newest CUDA version that the driver serves, such as `12.8`.
    pub cuda_version: String,
}

impl DeviceFacts {
    /// What stands for the emulator where facts of a GPU are asked for: names, and zero of everything.
    pub fn emulator() -> Self {
        Self {
            name: "emulator".to_string(),
            slug: "emulator".to_string(),
            compute_capability: String::new(),
            multiprocessors: 0,
            memory_bytes: 0,
            l2_bytes: 0,
            peak_gb_per_s: 0.0,
            peak_source: String::new(),
            driver: String::new(),
            cuda_version: String::new(),
        }
    }
}

impl fmt::Display for DeviceFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.multiprocessors == 0 {
            return f.write_str(&self.name);
        }
        write!(
            f,
            "{} (compute capability {}, {} multiprocessors, {:.0} GB, peak {:.0} GB/s from {}), CUDA {}",
            self.name,
            self.compute_capability,
            self.multiprocessors,
            self.memory_bytes as f64 / 1e9,
            self.peak_gb_per_s,
            self.peak_source,
            self.cuda_version,
        )?;
        if !self.driver.is_empty() {
            write!(f, ", driver {}", self.driver)?;
        }
        Ok(())
    }
}

/// Peak bandwidths in GB/s as NVIDIA's datasheets give them, by words that the device's name must all hold; the first
/// line that fits counts, so the more specific come first.
const PEAKS: &[(&[&str], f64, &str)] = &[
    (&["H200"], 4800.0, "NVIDIA H200 datasheet"),
    (&["H100", "NVL"], 3900.0, "NVIDIA H100 datasheet, NVL"),
    (&["H100", "PCIe"], 2000.0, "NVIDIA H100 PCIe product brief"),
    (&["H100", "HBM3"], 3350.0, "NVIDIA H100 datasheet, SXM"),
    (
        &["A100", "PCIE", "80GB"],
        1935.0,
        "NVIDIA A100 80GB datasheet, PCIe",
    ),
    (&["A100", "80GB"], 2039.0, "NVIDIA A100 80GB datasheet, SXM"),
    (&["A100", "40GB"], 1555.0, "NVIDIA A100 40GB datasheet"),
    (&["V100"], 900.0, "NVIDIA V100 datasheet"),
    (&["L40S"], 864.0, "NVIDIA L40S datasheet"),
    (&["L4"], 300.0, "NVIDIA L4 datasheet"),
    (&["A10"], 600.0, "NVIDIA A10 datasheet"),
    (&["RTX 4090"], 1008.0, "NVIDIA Ada architecture whitepaper"),
    (&["RTX 3090"], 936.0, "NVIDIA Ampere GA102 whitepaper"),
];

/// The datasheet's peak bandwidth in GB/s and its source, where the device is in the table.
pub fn datasheet_peak(name: &str) -> Option<(f64, &'static str)> {
    // Another product may share the number: a laptop's RTX 4090 is not the card, a 4090 D neither.
    let other = ["Laptop", "Max-Q", " Ti", " D", "SUPER"];
    if other.iter().any(|word| name.contains(word)) {
        return None;
    }
    let upper = name.to_ascii_uppercase();
    // `L4` must not take `L40`, `A10` not `A100` or `A10G`: the words have to stand by themselves.
    let holds = |word: &&str| {
        let word = word.to_ascii_uppercase();
        upper.match_indices(&word).any(|(at, _)| {
            let before = upper[..at].chars().next_back();
            let after = upper[at + word.len()..].chars().next();
            !before.is_some_and(|c| c.is_ascii_alphanumeric())
                && !after.is_some_and(|c| c.is_ascii_alphanumeric())
        })
    };
    PEAKS
        .iter()
        .find(|(words, ..)| words.iter().all(holds))
        .map(|&(_, peak, source)| (peak, source))
}

/// Peak rates of products in 10¹² operations a second, dense, as NVIDIA's datasheets give them (half of what they give for
/// sparse matrices): float32 without tensor cores, tf32, f16 and bf16, 8 bits.
const TERA_PEAKS: &[(&[&str], [f64; 4])] = &[
    (&["H200"], [67.0, 494.7, 989.5, 1979.0]),
    (&["H100", "HBM3"], [67.0, 494.7, 989.5, 1979.0]),
    (&["H100", "PCIe"], [51.0, 378.0, 756.5, 1513.0]),
    (&["A100"], [19.5, 156.0, 312.0, 624.0]),
];

/// The datasheet's peak rate of products of these numbers in 10¹² operations a second, where the device is in the table.
pub fn datasheet_tera_per_s(name: &str, input: NumberType) -> Option<f64> {
    let upper = name.to_ascii_uppercase();
    let holds = |word: &&str| upper.contains(&word.to_ascii_uppercase());
    let (_, [float, tf32, half, byte]) = TERA_PEAKS
        .iter()
        .find(|(words, _)| words.iter().all(holds))?;
    Some(match input {
        NumberType::F32 => *float,
        NumberType::Tf32 => *tf32,
        NumberType::Bf16 | NumberType::F16 => *half,
        NumberType::E4m3 | NumberType::E5m2 | NumberType::S8 => *byte,
        NumberType::S32 => return None,
    })
}

/// The name as a folder's name.
pub fn slug(name: &str) -> String {
    let words = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .filter(|word| !matches!(word.as_str(), "nvidia" | "geforce" | "tesla" | "gpu"));
    let slug = words.collect::<Vec<_>>().join("-");
    if slug.is_empty() {
        "gpu".to_string()
    } else {
        slug
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_of_products_are_found_by_name_and_numbers() {
        let peak = |ty| datasheet_tera_per_s("NVIDIA H200", ty);
        assert_eq!(peak(NumberType::F32), Some(67.0));
        assert_eq!(peak(NumberType::Bf16), Some(989.5));
        assert_eq!(peak(NumberType::S32), None);
        assert_eq!(datasheet_tera_per_s("emulator", NumberType::F32), None);
    }

    #[test]
    fn peaks_are_found_by_the_drivers_names() {
        let peak = |name| datasheet_peak(name).map(|(peak, _)| peak);
        assert_eq!(peak("NVIDIA H200"), Some(4800.0));
        assert_eq!(peak("NVIDIA H100 80GB HBM3"), Some(3350.0));
        assert_eq!(peak("NVIDIA H100 PCIe"), Some(2000.0));
        assert_eq!(peak("NVIDIA A100-SXM4-80GB"), Some(2039.0));
        assert_eq!(peak("NVIDIA A100 80GB PCIe"), Some(1935.0));
        assert_eq!(peak("NVIDIA A100-PCIE-40GB"), Some(1555.0));
        assert_eq!(peak("NVIDIA GeForce RTX 4090"), Some(1008.0));
        assert_eq!(peak("NVIDIA GeForce RTX 4090 D"), None);
        assert_eq!(peak("NVIDIA GeForce RTX 4090 Laptop GPU"), None);
        assert_eq!(peak("NVIDIA L40"), None);
        assert_eq!(peak("NVIDIA L4"), Some(300.0));
        assert_eq!(peak("NVIDIA A10G"), None);
        assert_eq!(peak("NVIDIA A100X"), None);
    }

    #[test]
    fn slugs_are_folder_names() {
        assert_eq!(slug("NVIDIA H200"), "h200");
        assert_eq!(
            slug("NVIDIA GeForce RTX 5060 Laptop GPU"),
            "rtx-5060-laptop"
        );
        assert_eq!(slug("../../etc"), "etc");
        assert_eq!(slug("GPU"), "gpu");
    }
}
