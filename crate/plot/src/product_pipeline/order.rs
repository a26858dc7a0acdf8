//! The order that barriers and waits leave to the copies and multiplications of a cluster: each as early as what it waits for allows, and one step long. It is no time.

use cornerturn_emulator::{BulkCopy, Handover, HandoverKind};
use std::collections::BTreeMap;

/// Blocks of a cluster and warps of a block.
type Agent = (u32, u32);
/// A block of the cluster and an mbarrier there.
type Barrier = (u32, u32);

/// One copy, or one group of multiplications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Operation {
    /// Block and warp that started it.
    pub(super) by: Agent,
    /// Begins at this step, and ends at the next.
    pub(super) start: u32,
    pub(super) what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// A box into shared memory of these blocks of the cluster, a bit each.
    Load { copy: BulkCopy, blocks: u32 },
    /// Multiplications that were committed together: where the first of them reads A and B.
    Multiply { a: Option<u32>, b: Option<u32> },
    /// A box out of shared memory.
    Store { copy: BulkCopy },
}

/// The operations of the blocks in a trace, which are those of one cluster, by their first step. Empty where the waits of a
/// part that was not traced would be needed.
pub(super) fn operations(handovers: &[Handover]) -> Vec<Operation> {
    let mut order = Order::default();
    for handover in handovers {
        let agent = (handover.rank, handover.warp);
        order
            .agents
            .entry(agent)
            .or_default()
            .todo
            .push(&handover.what);
    }
    let agents: Vec<Agent> = order.agents.keys().copied().collect();
    // In turns, until nobody gets further.
    while agents
        .iter()
        .fold(false, |moved, agent| order.run(*agent) | moved)
    {}
    if order
        .agents
        .values()
        .any(|agent| agent.next < agent.todo.len())
    {
        return Vec::new();
    }
    order.done.sort_by_key(|operation| operation.start);
    order.done
}

#[derive(Default)]
struct Order<'t> {
    agents: BTreeMap<Agent, State<'t>>,
    barriers: BTreeMap<Barrier, Phases>,
    done: Vec<Operation>,
}

/// How far a warp is.
#[derive(Default)]
struct State<'t> {
    todo: Vec<&'t HandoverKind>,
    next: usize,
    /// What it has waited for has ended by this step.
    step: u32,
    /// Phases of each mbarrier that it knows to be over.
    known: BTreeMap<u32, usize>,
    /// What its multiplications since the last commit read.
    multiplies: Option<(Option<u32>, Option<u32>)>,
    /// Where its committed groups end.
    multiply_ends: Vec<u32>,
    store_ends: Vec<u32>,
    /// Stores since the last commit.
    stores: u32,
}

/// An mbarrier.
#[derive(Default)]
struct Phases {
    arrivals: i64,
    pending: i64,
    bytes: i64,
    /// The step by which all that has come to this phase has.
    step: u32,
    ends: Vec<u32>,
}

impl Phases {
    fn close(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.ends.push(self.step);
            self.pending = self.arrivals;
        }
    }
}

impl<'t> Order<'t> {
    /// Lets a warp do what it can; whether that was anything.
    fn run(&mut self, agent: Agent) -> bool {
        let Some(mut state) = self.agents.remove(&agent) else {
            return false;
        };
        let before = state.next;
        while let Some(what) = state.todo.get(state.next).copied() {
            if !self.step(agent, &mut state, what) {
                break;
            }
            state.next += 1;
        }
        let moved = state.next > before;
        self.agents.insert(agent, state);
        moved
    }

    /// `false` where the warp has to wait.
    fn step(&mut self, by: Agent, state: &mut State<'t>, what: &HandoverKind) -> bool {
        match *what {
            HandoverKind::Init { barrier, arrivals } => {
                let phases = Phases {
                    arrivals: i64::from(arrivals),
                    pending: i64::from(arrivals),
                    ..Phases::default()
                };
                self.barriers.insert((by.0, barrier), phases);
            }
            HandoverKind::Arrive {
                barrier,
                rank,
                arrivals,
                bytes,
            } => {
                let Some(phases) = self.barriers.get_mut(&(rank, barrier)) else {
                    return false;
                };
                phases.pending -= i64::from(arrivals);
                phases.bytes += i64::from(bytes);
                phases.step = phases.step.max(state.step);
                phases.close();
            }
            HandoverKind::Wait { barrier, parity } => {
                let Some(phases) = self.barriers.get(&(by.0, barrier)) else {
                    return false;
                };
                // The phase of this parity is over in every second state of the barrier.
                let known = state.known.entry(barrier).or_default();
                let needed = *known + usize::from((*known % 2 == 1) == parity);
                if phases.ends.len() < needed {
                    return false;
                }
                *known = needed;
                if needed > 0 {
                    state.step = state.step.max(phases.ends[needed - 1]);
                }
            }
            HandoverKind::Copy(copy) if copy.is_store => {
                self.push(by, state.step, What::Store { copy });
                state.stores = state.stores.max(state.step + 1);
            }
            HandoverKind::Copy(copy) => return self.load(by, state.step, copy),
            HandoverKind::CommitCopies => state.store_ends.push(std::mem::take(&mut state.stores)),
            HandoverKind::WaitCopies { left } => wait(&mut state.step, &state.store_ends, left),
            HandoverKind::Multiply {
                factors: [a, b], ..
            } => {
                state.multiplies.get_or_insert((a, b));
            }
            HandoverKind::CommitMultiplies => {
                let last = state.multiply_ends.last().copied().unwrap_or(0);
                let start = state.step.max(last);
                if let Some((a, b)) = state.multiplies.take() {
                    self.push(by, start, What::Multiply { a, b });
                    state.multiply_ends.push(start + 1);
                }
            }
            HandoverKind::WaitMultiplies { left } => {
                wait(&mut state.step, &state.multiply_ends, left);
            }
        }
        true
    }

    fn load(&mut self, by: Agent, step: u32, copy: BulkCopy) -> bool {
        let blocks = if copy.blocks == 0 {
            1 << by.0
        } else {
            copy.blocks
        };
        let ranks = || (0..u32::BITS).filter(move |rank| blocks >> rank & 1 == 1);
        let Some(barrier) = copy.barrier else {
            return true;
        };
        if ranks().any(|rank| !self.barriers.contains_key(&(rank, barrier))) {
            return false;
        }
        self.push(by, step, What::Load { copy, blocks });
        for rank in ranks() {
            if let Some(phases) = self.barriers.get_mut(&(rank, barrier)) {
                phases.bytes -= i64::from(copy.bytes);
                phases.step = phases.step.max(step + 1);
                phases.close();
            }
        }
        true
    }

    fn push(&mut self, by: Agent, start: u32, what: What) {
        self.done.push(Operation { by, start, what });
    }
}

/// Waits until at most so many groups are left.
fn wait(step: &mut u32, ends: &[u32], left: u32) {
    let awaited = ends.len().saturating_sub(left as usize);
    if let Some(end) = ends[..awaited].iter().max() {
        *step = (*step).max(*end);
    }
}
