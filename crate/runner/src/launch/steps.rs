//! The steps of one warp that `launch --steps` prints behind all else: which one, and where its text comes from.

use cornerturn::emulator::Steps;
use cornerturn::plot::WarpSteps;
use cornerturn::raw::RawReport;
use cornerturn::{Kernel, TraceRequest};

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
        TraceRequest::steps(self.block, self.warp, MOST_STEPS)
    }

    /// The warp's steps in words.
    pub fn text(&self, kernel: &Kernel, report: RawReport) -> String {
        let ([x, y, z], warp) = (self.block, self.warp);
        let steps = report.trace.and_then(|trace| trace.steps);
        let is_own = |steps: &Steps| steps.steps.iter().any(|step| step.warp == warp);
        let steps = steps.filter(is_own);
        let Some(steps) = steps else {
            return format!(
                "\nwarp {warp} of block ({x}, {y}, {z}) has no steps: the launch has no such warp, or ended before it began"
            );
        };
        let steps = WarpSteps::new(steps, kernel.ptx_text(), kernel.source());
        format!(
            "\nsteps of warp {warp} of block ({x}, {y}, {z})\n{}",
            steps.to_text()
        )
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
