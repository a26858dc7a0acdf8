//! The hidden verb `__once`: one launch each of registered kernels, for a profiler that watches. What the profiler says is read elsewhere.

use crate::exit;
use cornerturn::registry::Registry;
use cornerturn::works::RegisteredWork;
use cornerturn::{Device, Kernel, RegisteredTask, Shape};
use std::fmt;
use std::str::FromStr;

/// Launches registered kernels once each on the GPU, for a profiler.
#[derive(Debug, clap::Args)]
pub struct OnceArgs {
    /// `KERNEL:ROWSxCOLUMNS` of a kernel of matrices, `KERNEL:ITEMS[:PARAMETER]` of a work on arrays
    launches: Vec<String>,
}

/// Runs the verb.
pub fn once(args: OnceArgs) -> anyhow::Result<std::process::ExitCode> {
    let registry = Registry::load()?;
    let device = Device::cuda()?;
    for text in &args.launches {
        let launch: Launch = text.parse().map_err(exit::usage)?;
        launch.run(&registry, &device)?;
    }
    Ok(std::process::ExitCode::SUCCESS)
}

/// A launch of a registered kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The registry's id.
    pub id: String,
    /// What it is given.
    pub given: Given,
}

/// What a registered kernel is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// A matrix.
    Matrix(Shape),
    /// Items of a work, and the work's parameter.
    Items(usize, u32),
}

impl Launch {
    /// The name in the PTX, by which a profiler calls it.
    pub fn entry<'r>(&self, registry: &'r Registry) -> cornerturn::Result<&'r str> {
        Ok(match self.given {
            Given::Matrix(_) => &registry.get(&self.id)?.entry,
            Given::Items(..) => &registry.work(&self.id)?.entry,
        })
    }

    fn run(&self, registry: &Registry, device: &Device) -> anyhow::Result<()> {
        match self.given {
            Given::Matrix(shape) => {
                let entry = registry.get(&self.id)?;
                let kernel = Kernel::committed(registry, entry)?;
                RegisteredTask::new(device, entry, shape, 1)?.launch(entry, &kernel)?;
            }
            Given::Items(items, parameter) => {
                let entry = registry.work(&self.id)?;
                let kernel = entry.kernel(registry, parameter)?;
                let (grid, block) = entry.launch_shape(items)?;
                let work = entry.work(items, parameter)?;
                work.ready_verified(device, &kernel, grid, block)?;
            }
        }
        Ok(())
    }
}

impl FromStr for Launch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let given = |text: &str| match text.contains('x') {
            true => Some(Given::Matrix(super::parse_shape(text).ok()?)),
            false => {
                let (items, parameter) = text.split_once(':').unwrap_or((text, "0"));
                let items = items.parse().ok().filter(|items: &usize| *items > 0)?;
                Some(Given::Items(items, parameter.parse().ok()?))
            }
        };
        let parts = text.split_once(':');
        let launch = parts.and_then(|(id, text)| {
            Some(Self {
                id: id.to_string(),
                given: given(text)?,
            })
        });
        launch.ok_or_else(|| {
            format!("`{text}`: write KERNEL:ROWSxCOLUMNS, or KERNEL:ITEMS:PARAMETER of a work")
        })
    }
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matrix(shape) => write!(f, "{}x{}", shape.rows, shape.columns),
            Self::Items(items, 0) => write!(f, "{items}"),
            Self::Items(items, parameter) => write!(f, "{items}:{parameter}"),
        }
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.id, self.given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_written_as_they_are_read() {
        for text in ["padded:97x61", "relu:33", "softmax_warp:33:75"] {
            assert_eq!(text.parse::<Launch>().unwrap().to_string(), text);
        }
        for wrong in [
            "",
            "padded",
            "padded:",
            "relu:0",
            "relu:-1",
            "relu:3:",
            "padded:4x",
            ":",
        ] {
            let error = wrong.parse::<Launch>().unwrap_err();
            assert!(error.contains("KERNEL:"), "{error}");
        }
    }
}
