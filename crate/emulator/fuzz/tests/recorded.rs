//! The emulator gives what an H200 gave, for every form of every instruction whose result is fixed: the record of the
//! binary `oracle`, replayed without a GPU.

use std::collections::BTreeMap;

use cornerturn_emulator_fuzz::forms::{Form, alone, families};
use cornerturn_emulator_fuzz::unit::Input;
use serde::Deserialize;

#[derive(Deserialize)]
struct Oracle {
    seed: u64,
    digests: BTreeMap<String, String>,
}

#[test]
fn every_form_gives_what_the_gpu_gave() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../book/results/h200/oracle.json"
    );
    let text = std::fs::read_to_string(path).expect("the record");
    let oracle: Oracle = serde_json::from_str(&text).expect("a record");
    let input = Input::new(oracle.seed);
    let (mut compared, mut wrong) = (0, Vec::new());
    let forms: Vec<Form> = families().into_iter().flatten().chain(alone()).collect();
    for form in &forms {
        // Moves between several classes are written alike: there is one digest for all of them.
        let alike = |other: &&Form| other.opcode == form.opcode;
        if forms.iter().filter(alike).count() > 1 {
            continue;
        }
        let Some(recorded) = oracle.digests.get(&form.opcode) else {
            continue;
        };
        compared += 1;
        match input.digest_of(form) {
            Ok(digest) if digest == *recorded => {}
            Ok(_) => wrong.push(format!("{} gives something else", form.opcode)),
            Err(error) => wrong.push(format!("{}: {error}", form.opcode)),
        }
    }
    assert!(compared > 1500, "{compared} forms are recorded");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
