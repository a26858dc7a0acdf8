//! The form of the record `compilers`: every registered kernel by NVRTC's PTX and by our own compiler's. Measuring is `record`'s.

#[cfg(feature = "book")]
use anyhow::Context;
use cornerturn::TimingMode;
use cornerturn::device::DeviceFacts;
#[cfg(feature = "book")]
use cornerturn::registry::Registry;
#[cfg(feature = "book")]
use cornerturn::{Kernel, paths};
use serde::{Deserialize, Serialize};
#[cfg(feature = "book")]
use std::fs;

/// The name of the experiment, and of its file.
pub const EXPERIMENT: &str = "compilers";

/// The file that the experiment writes.
#[derive(Debug, Serialize, Deserialize)]
pub struct Compared {
    pub schema: u32,
    pub experiment: String,
    pub device: DeviceFacts,
    pub date: String,
    pub commit: String,
    pub tool: String,
    /// One for each kernel.
    pub kernels: Vec<Both>,
}

/// One kernel by both compilers.
#[derive(Debug, Serialize, Deserialize)]
pub struct Both {
    /// The registry's name.
    pub kernel: String,
    /// On what it was run.
    pub on: String,
    /// What the cache held.
    pub mode: TimingMode,
    /// The PTX that the project keeps, which NVRTC made.
    pub nvrtc: Side,
    /// Our own compiler's.
    pub cornerturn: Side,
}

/// What one compiler's PTX did.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Side {
    pub ptx_sha256: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registers_per_thread: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_bytes_per_thread: Option<u32>,
    /// Why it was not timed: it was refused, or its result was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
    /// Each launch's duration in microseconds.
    pub samples_us: Vec<f64>,
}

#[cfg(feature = "book")]
impl Compared {
    /// The committed record of a device.
    pub fn load(device: &str) -> anyhow::Result<Self> {
        let path = paths::results()?
            .join(device)
            .join(format!("{EXPERIMENT}.json"));
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }

    /// The kernels whose kept PTX is another now, or which are registered no more.
    pub fn stale(&self, registry: &Registry) -> Vec<String> {
        let problem = |both: &Both| {
            let code = registry.code(&both.kernel);
            let kept = code.and_then(|code| Kernel::committed(registry, code));
            match kept {
                Ok(kernel) if kernel.ptx_sha256() == both.nvrtc.ptx_sha256 => None,
                Ok(_) => Some(format!("`{}` was measured with other PTX", both.kernel)),
                Err(error) => Some(error.to_string()),
            }
        };
        self.kernels.iter().filter_map(problem).collect()
    }
}

impl Side {
    /// The median duration in microseconds; `None` where nothing was timed.
    pub fn median_us(&self) -> Option<f64> {
        let mut samples = self.samples_us.clone();
        samples.sort_by(f64::total_cmp);
        let upper = samples.get(samples.len() / 2)?;
        let lower = samples.get(samples.len().saturating_sub(1) / 2)?;
        Some(f64::midpoint(*lower, *upper))
    }
}

impl Both {
    /// Our duration over NVRTC's; `None` where one of them was not timed.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.cornerturn.median_us()? / self.nvrtc.median_us()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_is_its_median_and_one_that_was_not_timed_has_no_ratio() {
        let side = |samples: &[f64]| Side {
            samples_us: samples.to_vec(),
            ..Side::default()
        };
        let both = |nvrtc, cornerturn| Both {
            kernel: "padded".to_string(),
            on: String::new(),
            mode: TimingMode::Cold,
            nvrtc,
            cornerturn,
        };
        assert_eq!(side(&[3.0, 1.0, 2.0]).median_us(), Some(2.0));
        assert_eq!(side(&[4.0, 1.0, 2.0, 3.0]).median_us(), Some(2.5));
        assert_eq!(both(side(&[2.0]), side(&[3.0])).ratio(), Some(1.5));
        assert_eq!(both(side(&[2.0]), side(&[])).ratio(), None);
    }
}
