//! A launch's time from its parts, how sure it is, and what limits it. The parts are the other files'.

use crate::l1::requests;
use crate::machine::Machine;
use crate::observe::Observation;
use crate::program::program;
use crate::residence::{Residence, residence};
use crate::simulate::{Costs, Simulated, costs, simulate};
use crate::traffic::{Traffic, traffic};
use serde::{Deserialize, Serialize};

/// The share of a launch's time that each limit takes; together 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits(pub Vec<(String, f64)>);

/// How long a launch would take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The GPU's name.
    pub gpu: String,
    /// Microseconds, with a cold cache.
    pub us: f64,
    /// The lower end of the interval that holds in nine of ten launches.
    pub low_us: f64,
    /// Its upper end.
    pub high_us: f64,
    /// What it is limited by, the largest share first.
    pub limits: Limits,
    /// Bytes that DRAM reads and is written for it.
    pub dram_bytes: f64,
    /// Why it is not to be relied on, if it is not.
    pub uncertain: Option<String>,
    /// Blocks that a multiprocessor holds at a time.
    pub resident_blocks: u32,
}

/// Why there is no prediction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not predicted, because {because}")]
pub struct NotPredicted {
    /// The reason, as a clause.
    pub because: String,
}

impl NotPredicted {
    fn new(because: impl Into<String>) -> Self {
        Self {
            because: because.into(),
        }
    }
}

/// How long what was observed would take on a machine.
///
/// # Errors
/// [`NotPredicted`] with the reason.
pub fn predict(machine: &Machine, observed: &Observation) -> Result<Prediction, NotPredicted> {
    if let Some(refusal) = &observed.refusal {
        return Err(NotPredicted::new(refusal.clone()));
    }
    if observed.steps.is_empty() {
        return Err(NotPredicted::new("no instruction of it was recorded"));
    }
    let held = residence(machine, observed);
    if held.blocks == 0 {
        return Err(NotPredicted::new(format!(
            "a multiprocessor of the {} holds no block of it",
            machine.name
        )));
    }
    let requests = requests(observed, held.l1_bytes, held.blocks);
    let traffic = traffic(machine, observed, &requests);
    let program = program(machine, observed);
    let costs = costs(machine, observed, &requests, &traffic);
    let simulated = simulate(machine, &program, &costs, held, observed.shape.warps());
    Ok(put_together(
        machine,
        observed,
        (held, &traffic, &costs, &simulated),
    ))
}

fn put_together(
    machine: &Machine,
    observed: &Observation,
    (held, traffic, costs, simulated): (Residence, &Traffic, &Costs, &Simulated),
) -> Prediction {
    let per_us = machine.cycles_per_us();
    let loads = traffic.read_bytes > 0.0;
    let launch = machine.launch_us + if loads { machine.cold_start_us } else { 0.0 };
    let dispatch = costs.dispatch * costs.blocks as f64 / per_us;
    let run = simulated.cycles / per_us;
    // What the whole launch moves takes its time whatever the recorded blocks did.
    let dram = (traffic.read_bytes + traffic.written_bytes) * traffic.cycles_per_byte
        / machine.multiprocessors
        / per_us;
    let us = launch + run.max(dispatch).max(dram);
    let spread = spread(observed);
    let mut busy: Vec<(&str, f64)> = [
        ("issue", 0),
        ("pipes", 1),
        ("shared", 2),
        ("l1", 3),
        ("l2", 4),
        ("dram", 5),
        ("atomics", 6),
    ]
    .map(|(name, at)| (name, simulated.busy[at] / per_us))
    .to_vec();
    busy.push(("dispatch", dispatch));
    busy.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (most, value) = busy[0];
    let value = value.min(us - launch);
    let mut limits = vec![
        (most.to_string(), value / us),
        ("launch".to_string(), launch / us),
        ("latency".to_string(), ((us - launch - value) / us).max(0.0)),
    ];
    limits.sort_by(|a, b| b.1.total_cmp(&a.1));
    Prediction {
        gpu: machine.name.clone(),
        us,
        low_us: us * (1.0 - spread),
        high_us: us * (1.0 + spread),
        limits: Limits(limits),
        dram_bytes: traffic.read_bytes + traffic.written_bytes,
        uncertain: None,
        resident_blocks: held.blocks,
    }
}

fn spread(_observed: &Observation) -> f64 {
    0.15
}
