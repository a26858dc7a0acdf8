//! Tables of several runs: columns of atomics stand there where a run has atomics, and nowhere else.

use crate as plot;
use cornerturn_measure::{Run, Work, works};
use cornerturn_runtime::{Device, Kernel};

fn run(kernel: &str, work: &Work) -> Run {
    let kernel = Kernel::registered(kernel).unwrap();
    work.run(&Device::emulator(), &kernel, 1, 256).unwrap()
}

#[test]
fn columns_of_atomics_are_there_where_they_occur() {
    let plain = run("permuted", &works::permute(1000));
    let atomic = run("count_block", &works::count(1000));
    for html in [
        plot::compare(&[&plain]).to_html(),
        plot::per_request(&[&plain]).to_html(),
    ] {
        assert!(!html.contains("atomic"), "{html}");
    }
    let html = plot::compare(&[&plain, &atomic]).to_html();
    assert!(html.contains("atomic sectors") && html.contains("atomic wavefronts"));
    let html = plot::per_request(&[&plain, &atomic]).to_html();
    assert!(html.contains("reduction sectors") && html.contains("atomic wavefronts"));
    // No atomic of this kernel returns a value.
    assert!(!html.contains(">atomic sectors"), "{html}");
}
