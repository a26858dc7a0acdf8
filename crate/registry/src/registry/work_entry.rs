//! What the registry says of a kernel that does a work on arrays: where it lies, which work, how it is launched, what is measured. Reading the file is the registry's.

use super::{MachineDifference, Setting, WorkKind};
use cornerturn_base::caches::CacheSettings;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::shape::Dim3;
use cornerturn_base::timing::TimingMode;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// One kernel of the registry that does a work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkEntry {
    /// The name by which cells, records and commands know it; no other kernel has it.
    pub id: String,
    /// The CUDA C++, relative to the registry's folder; its PTX lies beside it. Kernels may share a file.
    pub file: PathBuf,
    /// The entry's name in the PTX.
    pub entry: String,
    /// The chapter that introduces it.
    pub chapter: String,
    /// What it does.
    pub work: WorkKind,
    /// The largest parameter that the kernel takes, where the work takes larger ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// Threads of a block.
    pub block: u32,
    /// Items of the work that a block does; as many as it has threads if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items_per_block: Option<u32>,
    /// Blocks of a cluster, if the kernel is compiled for clusters: the grid is a multiple of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_blocks: Option<u32>,
    /// The architecture that its PTX is for, such as `compute_75`.
    pub arch: String,
    /// Dynamic shared memory that a launch needs.
    #[serde(default)]
    pub dynamic_shared_bytes: u32,
    /// What its launches ask of the caches.
    #[serde(default, skip_serializing_if = "CacheSettings::is_default")]
    pub caches: CacheSettings,
    /// The setting that its parameter is, in the place of a parameter of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweeps: Option<Setting>,
    /// The work's parameter where the entry's is a setting; the least that it takes if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<u32>,
    /// What `cornerturn record works` measures, one group a size and mode.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<Measured>,
    /// What the kernel claims of its counters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<WorkClaims>,
    /// The memory instructions that ptxas makes otherwise than the PTX has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machine_code: Vec<MachineDifference>,
}

/// A size of a work that is measured, with some parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Items of the work.
    pub items: usize,
    /// Its parameters, each a measurement; 0 alone for a work that has none.
    #[serde(default = "no_parameter")]
    pub parameters: Vec<u32>,
    /// What the cache holds when a launch is timed; cold if left out.
    #[serde(default = "cold")]
    pub mode: TimingMode,
}

fn no_parameter() -> Vec<u32> {
    vec![0]
}

fn cold() -> TimingMode {
    TimingMode::Cold
}

/// What a kernel claims of its counters with one parameter, where every warp is full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkClaims {
    /// The work's parameter.
    #[serde(default)]
    pub parameter: u32,
    /// Each counter per request, by its name as in a `[[kernel]]`.
    #[serde(flatten)]
    pub counters: BTreeMap<String, f64>,
}

impl WorkEntry {
    /// The name of the record in which its measurements are: the chapter's without its folder.
    pub fn record_name(&self) -> &str {
        self.chapter.rsplit('/').next().unwrap_or(&self.chapter)
    }

    /// The values that its parameter may have: those of a setting or of the work; only 0 for a work without one.
    pub fn parameters(&self) -> RangeInclusive<u32> {
        match self.sweeps {
            Some(setting) => setting.values(),
            None => {
                let (least, most) = self.work.parameters().into_inner();
                least..=self.most.unwrap_or(most)
            }
        }
    }

    /// The work's parameter where the entry's is a setting.
    pub fn kept_parameter(&self) -> u32 {
        self.kept.unwrap_or(*self.work.parameters().start())
    }

    /// The grid for so many items, and the block.
    ///
    /// # Errors
    /// [`Error::Usage`] where they need more blocks than a grid may have.
    pub fn launch_shape(&self, items: usize) -> Result<(Dim3, Dim3)> {
        let per_block = self.items_per_block.unwrap_or(self.block) as usize;
        let cluster = self.cluster_blocks.unwrap_or(1).max(1) as usize;
        let blocks = items.div_ceil(per_block.max(1));
        let blocks = blocks
            .checked_next_multiple_of(cluster)
            .and_then(|blocks| u32::try_from(blocks).ok())
            .filter(|blocks| *blocks <= i32::MAX.cast_unsigned());
        let blocks = blocks.ok_or_else(|| {
            Error::Usage(format!(
                "`{}` would need a grid over CUDA's limit of 2147483647 blocks for {items} items",
                self.id
            ))
        })?;
        Ok((Dim3::from(blocks), Dim3::from(self.block)))
    }

    /// What is wrong with the entry by itself.
    pub(super) fn check(&self) -> std::result::Result<(), String> {
        if self.block == 0 || self.block > 1024 || self.items_per_block == Some(0) {
            return Err("a block has 1 to 1024 threads, and does at least one item".to_string());
        }
        if self.sweeps.is_none() && self.kept.is_some() {
            return Err("a parameter is `kept` only where it `sweeps` a setting".to_string());
        }
        if self.measured.iter().any(|m| m.mode == TimingMode::Rotated) {
            return Err("a work has one set of buffers, and none to rotate".to_string());
        }
        let known = self.parameters();
        let taken = self.work.parameters();
        if self.most.is_some_and(|most| !taken.contains(&most)) {
            return Err(format!(
                "`most` is none of the parameters of its work, which are {} to {}",
                taken.start(),
                taken.end()
            ));
        }
        let measured = self.measured.iter().flat_map(|group| &group.parameters);
        let claimed = self.claims.iter().map(|claims| &claims.parameter);
        match measured
            .chain(claimed)
            .find(|parameter| !known.contains(parameter))
        {
            None => Ok(()),
            Some(parameter) => Err(format!(
                "{parameter} is none of its parameters, which are {} to {}",
                known.start(),
                known.end()
            )),
        }
    }

    /// What its launches ask of the caches; where the entry's parameter is a setting, with this value of it.
    pub fn caches_at(&self, parameter: u32) -> CacheSettings {
        match self.sweeps {
            Some(setting) => setting.set(&self.caches, parameter),
            None => self.caches.clone(),
        }
    }
}
