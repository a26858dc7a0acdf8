//! A launch's time from its parts, how sure it is, and what limits it. The parts are the other files'.

use crate::l1::requests;
use crate::machine::Machine;
use crate::observe::{Observation, SiteSum};
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
    let limit = limits.first().map_or("", |(name, _)| name.as_str());
    let uncertain = uncertain(observed, limit);
    let spread = spread(limit, uncertain.is_some());
    Prediction {
        gpu: machine.name.clone(),
        us,
        low_us: us * (1.0 - spread),
        high_us: us * (1.0 + spread),
        limits: Limits(limits),
        dram_bytes: traffic.read_bytes + traffic.written_bytes,
        uncertain,
        resident_blocks: held.blocks,
    }
}

/// Half of the interval in which nine of ten launches lie, as a share of the time, by what limits them: the errors that the
/// records of the book show, whose launches have no part in the prediction itself.
fn spread(limit: &str, is_uncertain: bool) -> f64 {
    match limit {
        "atomics" => 0.65,
        "latency" => 0.6,
        _ if is_uncertain => 0.5,
        "pipes" | "issue" => 0.3,
        "l1" | "l2" | "shared" | "launch" => 0.22,
        "dispatch" => 0.2,
        _ => 0.12,
    }
}

/// Lanes of a request to constant memory that name different addresses, above which nobody probed what that costs.
const FEW_ADDRESSES: f64 = 4.0;
/// How many times as much as the followed warp an average one may do, or the other way round.
const ALIKE: f64 = 3.0;

/// Why a prediction is not to be relied on.
fn uncertain(observed: &Observation, limit: &str) -> Option<String> {
    let named = |part: &str| observed.ops.iter().any(|op| op.name.contains(part));
    let starts = |part: &str| observed.ops.iter().any(|op| op.name.starts_with(part));
    let constants =
        |site: &SiteSum| site.space == 3 && site.addresses > FEW_ADDRESSES * site.requests;
    let reason = if limit == "atomics" {
        "how the addresses of its atomics fall on the parts of L2 is not known"
    } else if named("shared::cluster.u") || starts("mapa") || named("barrier.cluster") {
        "it uses the shared memory of other blocks, of which there is no probe"
    } else if observed.sites.iter().any(constants) {
        "it reads constant memory at different addresses in a warp, of which there is no probe"
    } else if starts("tex") || starts("tld4") || starts("suld") {
        "it reads textures, of which there is no probe"
    } else if starts("wgmma") || (starts("mbarrier.try_wait") && starts("mma")) {
        "its warps have different parts, and only one was followed"
    } else if is_unlike(observed) {
        "the warp that was followed does much more or less than others"
    } else if limit == "latency" {
        "it mostly waits, in an order that the assembler chooses"
    } else {
        return None;
    };
    Some(reason.to_string())
}

/// Whether the followed warp executed much more or less than the average one, where it was followed to its end.
fn is_unlike(observed: &Observation) -> bool {
    let warps = observed.shape.blocks() as f64 * f64::from(observed.shape.warps());
    let average = observed.warp_instructions / warps.max(1.0);
    let followed = observed.steps.len() as f64;
    !observed.is_cut && (average > ALIKE * followed || followed > ALIKE * average)
}
