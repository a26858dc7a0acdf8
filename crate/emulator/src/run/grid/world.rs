//! What the blocks of a launch run in, one after the other: a world, and groups of lanes. How a block begins there is in `seat`.

use crate::check::{BlockShadow, Undefined};
use crate::counters::Counters;
use crate::error::LaunchError;
use crate::machine::lanes::{Active, File, Frame, Lanes};
use crate::machine::output::Output;
use crate::machine::world::{Executions, SiteCount, World};
use crate::program::access::SiteInfo;
use crate::program::kinds::{GROUP_WARPS, WARP};
use crate::program::{Path, Program};
use crate::report::{Detail, Space};
use crate::run::grid::state::Grid;
use crate::run::group::Group;
use crate::run::preset::fill_presets;
use crate::run::shared;

impl Grid<'_> {
    pub(super) fn world(&self) -> World<'_> {
        let program = &self.entry.program;
        let shared_bytes = shared::bytes(program, &self.shape);
        World {
            program,
            code: &self.entry.code,
            buffers: self.buffers,
            textures: self.textures,
            constants: self.constants,
            params: self.params,
            shared: vec![0; (shared_bytes as usize).div_ceil(4)],
            shared_bytes,
            shared_gaps: shared::gaps(program, &self.shape),
            shared_given: shared::given(program, &self.shape),
            sites: vec![SiteCount::default(); program.sites.len()],
            worst: program.sites.iter().map(|_| None).collect(),
            patterns: program.accesses.iter().map(|_| None).collect(),
            last_words: vec![0; program.accesses.len() * self.group_count()],
            beside: Counters::default(),
            faults: Default::default(),
            block: 0,
            block_id: [0; 3],
            warp_instructions: 0,
            block_runs: vec![Executions::default(); program.blocks.len()],
            guarded_lanes: vec![0; program.guarded.len()],
            splits: vec![0; program.places.len()],
            begun: 0,
            clock_start: 0,
            trace: None,
            touches: self.touches,
            dependence: self
                .touches
                .filter(|_| self.options.programmatic)
                .map(|_| Box::default()),
            stage: Default::default(),
            waits: 0,
            changes: 0,
            is_exact: false,
            spans: Default::default(),
            deciding: Default::default(),
            has_changed: false,
            pending: Default::default(),
            blocked: None,
            cluster: None,
            check: self.shadow.map(|grid| {
                let mut shadow = BlockShadow::new(grid, self.buffers, shared_bytes);
                if self.shape.threads() == 1 && self.shape.cluster_blocks() == 1 {
                    shadow.set_one_thread();
                }
                let reads_shared = |site: &SiteInfo| {
                    matches!(site.path, Path::Bulk | Path::Tensor)
                        && site.space == Space::Shared
                        && !site.is_store
                };
                if program.sites.iter().any(reads_shared) {
                    shadow.keep_stores();
                }
                Box::new(shadow)
            }),
            detail: Detail::None,
            output: Output::default(),
            heap: self.heap,
            headway: self.options.headway.as_deref(),
        }
    }

    fn group_count(&self) -> usize {
        (self.shape.threads() as usize).div_ceil(GROUP_WARPS * WARP)
    }

    pub(super) fn groups(&self) -> Result<Vec<Group>, LaunchError> {
        let program = &self.entry.program;
        let threads = self.shape.threads() as usize;
        (0..self.group_count())
            .map(|number| self.group(program, number * GROUP_WARPS, threads))
            .collect()
    }

    fn group(
        &self,
        program: &Program,
        first_warp: usize,
        threads: usize,
    ) -> Result<Group, LaunchError> {
        let lanes = GROUP_WARPS * WARP;
        let mut words = File::with_slots(program.word_slots, lanes);
        let mut longs = File::with_slots(program.long_slots, lanes);
        fill_presets(
            program,
            &self.shape,
            self.params,
            first_warp,
            &mut words,
            &mut longs,
        );
        let local_words = (program.local_bytes as usize).div_ceil(4) * lanes;
        let mut local = Vec::new();
        local
            .try_reserve_exact(local_words)
            .map_err(|_| LaunchError::HostMemory {
                entry: self.entry.name.clone(),
                bytes: local_words as u64 * 4,
            })?;
        local.resize(local_words, 0);
        let mut mask = [0u32; GROUP_WARPS];
        for (warp, lanes) in mask.iter_mut().enumerate() {
            let left = threads.saturating_sub((first_warp + warp) * WARP);
            *lanes = if left >= WARP {
                u32::MAX
            } else {
                (1 << left) - 1
            };
        }
        Ok(Group {
            lanes: Lanes {
                active: Active::new(mask),
                whole: true,
                live: mask,
                first_warp,
                words,
                longs,
                preds: vec![[0; GROUP_WARPS]; program.pred_slots],
                local,
                frame: Frame {
                    tops: vec![0; lanes],
                    ..Frame::default()
                },
                undefined: Undefined::default(),
            },
            strands: Vec::new(),
            threads: mask,
            spent: [0; GROUP_WARPS],
        })
    }
}
