//! The steps of one warp that `launch --steps` prints behind all else: which one, and where its text comes from.

use cornerturn::emulator::StepsRequest;
use cornerturn::plot::WarpSteps;
use cornerturn::raw::{RawLaunch, RawReport};
use cornerturn::TraceRequest;
use std::path::Path;

/// The most steps that are printed.
const MOST_STEPS: usize = 2000;

/// A warp to follow.
#[derive(Debug, Clone)]
pub struct Followed {
    block: [u32; 3],
    warp: u32,
}

/// Reads `X[,Y[,Z]][:WARP]`.
pub fn parse(text: &str) -> Result<Followed, String> {
    let (block, warp) = text.split_once(':').unwrap_or((text, "0"));
    let numbers: Result<Vec<u32>, _> = block.split(',').map(str::parse).collect();
    let warp = warp.parse();
    match (numbers.as_deref(), warp) {
        (Ok(numbers @ ([_] | [_, _] | [_, _, _])), Ok(warp)) => {
            let mut block = [0; 3];
            block[..numbers.len()].copy_from_slice(numbers);
            Ok(Followed { block, warp })
        }
        _ => Err(format!(
            "`{text}` names no warp: one to three numbers of a block, and a warp behind a colon, such as 1,0:3"
        )),
    }
}

impl Followed {
    /// What the emulator is asked to record.
    pub fn request(&self) -> TraceRequest {
        TraceRequest {
            steps: Some(StepsRequest {
                block: self.block,
                warp: self.warp,
                skipped: 0,
                most: MOST_STEPS,
            }),
            ..TraceRequest::default()
        }
    }

    /// The warp's steps in words.
    pub fn text(&self, launch: &RawLaunch, file: &Path, report: RawReport) -> String {
        let ([x, y, z], warp) = (self.block, self.warp);
        let steps = report.trace.and_then(|trace| trace.steps);
        let steps = steps.filter(|steps| !steps.steps.is_empty());
        let Some(steps) = steps else {
            return format!(
                "\nwarp {warp} of block ({x}, {y}, {z}) has no steps: the launch has no such warp, or ended before it began"
            );
        };
        let kernel = &launch.kernel;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let source = kernel.source().map(|source| (source, name.as_ref()));
        let threads = launch.block.count() as u32;
        let steps = WarpSteps::new(steps, threads, kernel.ptx_text(), source);
        format!("\nsteps of warp {warp} of block ({x}, {y}, {z})\n{}", steps.to_text())
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_warp_is_named_by_its_block() {
        let followed = parse("1,0:3").unwrap();
        assert_eq!((followed.block, followed.warp), ([1, 0, 0], 3));
        assert_eq!(parse("2").unwrap().warp, 0);
        for wrong in ["", "1,2,3,4", "1:", ":1", "a", "1:-1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
