//! A kernel behind another one that may still be at work when its blocks begin: whether it waits before it touches what that one writes. The launch by itself is `trial`'s.

use super::grading::{Failure, Stop};
use super::sketch::Sketch;
use super::trial::Trial;
use cornerturn_base::error::Error;
use cornerturn_base::shape::Dim3;
use cornerturn_runtime::argument::Argument;
use cornerturn_runtime::kernel::Kernel;

/// Writes each word of an array anew, as it was, and lets the next kernel begin at once.
const BEFORE: &str = "
.version 7.8
.target sm_90
.address_size 64
.visible .entry before(.param .u64 x, .param .u32 words) {
  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<4>;
  griddepcontrol.launch_dependents;
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2; ld.param.u32 %r4, [words]; setp.ge.u32 %p, %r3, %r4; @%p bra END;
  ld.param.u64 %d0, [x]; cvta.to.global.u64 %d0, %d0; mul.wide.u32 %d1, %r3, 4; add.u64 %d2, %d0, %d1;
  ld.global.u32 %r5, [%d2]; st.global.u32 [%d2], %r5;
END: ret;
}";

/// Threads of a block of it.
const THREADS: usize = 256;

/// Launches the kernel on a stream, right behind one that writes its first array.
pub(super) fn check(trial: &Trial, kernel: &Kernel, claim: &str) -> Result<(), Stop> {
    let (exercise, device) = (trial.exercise, trial.device());
    trial.given.prepare()?;
    let buffers = trial.given.buffers();
    let Some(first) = buffers.first() else {
        return Ok(());
    };
    let words = first.bytes() / 4;
    let stream = device.nonblocking_stream("stream")?;
    let before = Kernel::ptx(BEFORE, "before")?;
    let arguments = [Argument::from(*first), Argument::from(&words)];
    let grid = Dim3::from(words.div_ceil(THREADS) as u32);
    stream.launch(&before, grid, Dim3::from(THREADS as u32), &arguments)?;
    let (grid, block) = (exercise.grid(trial.size), Dim3::from(exercise.block));
    let kernel = kernel.reset()?.programmatic();
    let launched = stream.launch(&kernel, grid, block, &trial.given.arguments());
    match launched {
        Err(Error::Unordered { races }) => {
            let told = races.first().map_or(String::new(), ToString::to_string);
            let reason = format!(
                "`{}` was launched right behind a kernel that writes the first array, as a programmatic dependent launch; {told}",
                exercise.entry
            );
            Failure::new(claim, reason).with(Sketch::default()).stop()
        }
        launched => {
            launched?;
            stream.synchronize()?;
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Terms, Workshop};

    #[test]
    fn a_wait_that_no_thread_comes_to_is_none() {
        let workshop = Workshop::load().unwrap();
        let exercise = workshop.get("early_start").unwrap();
        let of = |source: &str| exercise.check_under(&Terms::default(), source).unwrap();
        let solution = exercise.solution();
        assert!(of(&solution).passed);
        let wait = "    wait_for_previous();";
        assert_eq!(solution.matches(wait).count(), 1);
        let never = solution.replace(wait, "    if (items == 0) wait_for_previous();");
        let text = of(&never).failure_text();
        for words in [
            "it waits for the kernel before it",
            "programmatic dependent launch",
            "griddepcontrol.wait",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }
}
