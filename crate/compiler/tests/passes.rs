//! The table of passes and their order.

use cornerturn_compiler::{pass_order, passes};

#[test]
fn each_pass_runs_behind_those_that_it_needs() {
    let order = pass_order();
    for pass in passes() {
        let place = |name: &str| order.iter().position(|other| *other == name);
        let own = place(pass.name);
        assert!(own.is_some(), "{} is in no order", pass.name);
        for needed in pass.needs {
            let before = place(needed);
            assert!(
                before.is_some() && before < own,
                "{} runs before {needed}",
                pass.name
            );
        }
    }
}

#[test]
fn each_pass_has_a_name_of_its_own() {
    let mut names: Vec<_> = passes().iter().map(|pass| pass.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(pass_order().iter().all(|name| names.contains(name)));
}
