//! One launch on the emulator: its limits, its report, and the error that it leaves.

use std::sync::{Arc, OnceLock};

use cornerturn_emulator::{Finding, FindingKind, Launch, LaunchError, Options, Report, launch};

use super::{FunctionAttribute, KernelLaunch};
use crate::context::Context;
use crate::driver::Driver;
use crate::module::load_error;
use crate::record::Trod;
use crate::status::{Error, Result, Status};

impl Driver {
    /// Runs a kernel to its end. What it does wrong is noted, and left as the context's error where a GPU would stop.
    ///
    /// # Errors
    /// What a launch is refused for, before anything runs.
    pub(crate) fn perform_launch(
        &self,
        context: &Arc<Context>,
        asked: &KernelLaunch,
        wants_touched: bool,
    ) -> Result<Trod> {
        let function = &asked.function;
        let dynamic = asked.shared_bytes;
        let most = function.attribute(FunctionAttribute::MaxDynamicSharedSizeBytes);
        if dynamic > 0 && i64::from(dynamic) > i64::from(most) {
            let message = format!(
                "`{}` is launched with {dynamic} bytes of dynamic shared memory, and may have {most}: set its attribute MAX_DYNAMIC_SHARED_SIZE_BYTES (cudaFuncSetAttribute) before",
                function.name
            );
            return Err(self.misuse("limit", Status::INVALID_VALUE, message));
        }
        let settings = self.settings();
        let options = Options {
            threads: cores(),
            check: settings.check,
            instruction_budget: settings.budget.unwrap_or(u64::MAX),
            cluster: asked.clusters(),
            cooperative: asked.is_cooperative,
            programmatic: asked.is_programmatic && wants_touched,
            touched: wants_touched,
            ..Options::default()
        };
        let job = Launch {
            entry: &function.name,
            grid: asked.grid,
            block: asked.block,
            dynamic_shared_bytes: dynamic,
            args: &asked.arguments,
        };
        self.refresh_textures()?;
        let mut report = {
            let memory = self.memory();
            let module = function.module.module();
            launch(&module, &memory, &job, &options).map_err(launch_error)?
        };
        self.arrays_changed();
        let ns = self.clock.launch_ns(&report);
        let status = left_by(&report);
        let is_refused = report.stopped && report.warp_instructions == 0;
        let trod = Trod {
            touched: std::mem::take(&mut report.touched),
            early: report.early.take(),
            ns,
        };
        self.record().launched(asked, report, ns);
        match status {
            Some(Status::INVALID_VALUE | Status::COOPERATIVE_LAUNCH_TOO_LARGE) if is_refused => {
                Err(status.unwrap_or(Status::INVALID_VALUE).into())
            }
            Some(status) => {
                context.fail(status);
                Ok(trod)
            }
            None => Ok(trod),
        }
    }
}

/// The cores of this machine, asked for once: the system reads files to tell.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, |cores| cores.get()))
}

/// What a GPU would leave after such a launch.
fn left_by(report: &Report) -> Option<Status> {
    if report.would_end() {
        return None;
    }
    let fatal = |finding: &&Finding| finding.kind.is_fatal();
    let found = report.findings.iter().find(fatal);
    let found = found.or(report.findings.first());
    Some(match found.map(|finding| finding.kind) {
        Some(FindingKind::OutOfBounds | FindingKind::InvalidAddress) => Status::ILLEGAL_ADDRESS,
        Some(FindingKind::Misaligned) => Status::MISALIGNED_ADDRESS,
        Some(FindingKind::Assert) => Status::ASSERT,
        Some(FindingKind::EndlessLoop | FindingKind::BarrierDivergence | FindingKind::Mbarrier) => {
            Status::LAUNCH_TIMEOUT
        }
        Some(FindingKind::Limit) => match found {
            Some(finding) if finding.message().contains("cooperative") => {
                Status::COOPERATIVE_LAUNCH_TOO_LARGE
            }
            _ => Status::INVALID_VALUE,
        },
        _ => Status::LAUNCH_FAILED,
    })
}

fn launch_error(error: LaunchError) -> Error {
    let message = error.to_string();
    let status = match error {
        LaunchError::Unsupported(error) => return load_error(error),
        LaunchError::UnknownEntry { .. } => Status::NOT_FOUND,
        LaunchError::HostMemory { .. } => Status::OUT_OF_MEMORY,
        _ => Status::INVALID_VALUE,
    };
    Error::new(status, message)
}
