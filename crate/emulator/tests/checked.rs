//! Correct kernels have no finding: the book's kernels and the others of `pass.rs`, those of asynchronous copies, of matrices and of calls, all their tests once more with all checks on.
#![allow(clippy::unwrap_used)]
// Each of the files is a target of its own as well.
#![allow(clippy::duplicate_mod)]

#[path = "asynchronous.rs"]
mod asynchronous;
#[path = "calls.rs"]
mod calls;
#[path = "matrix.rs"]
mod matrix;
#[path = "pass.rs"]
mod pass;
#[path = "tensor.rs"]
mod tensor;

use pass::common::{self, Gpu};

#[test]
fn the_devices_of_this_target_check() {
    let mut gpu = Gpu::default();
    assert!(gpu.options.check);
    // Checks that look at nothing would find nothing either.
    let module = cornerturn_emulator::Module::load(&common::fixture("fail/races_shared.ptx"));
    let (from, to) = (
        gpu.upload("in", &[1i32; 384]),
        gpu.poisoned::<i32>("out", 384),
    );
    let args = [from.into(), to.into()];
    let report = gpu.launch(
        &module.unwrap(),
        "no_barrier_after_write",
        [3, 1, 1],
        [128, 1, 1],
        0,
        &args,
    );
    assert_eq!(report.findings.len(), 1);
}
