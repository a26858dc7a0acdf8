//! Random programs of warps against the definition of a race: two accesses of different warps, one of them a store that
//! is not of the same manner, with no path of program order and synchronisation from the earlier to the later.

use proptest::prelude::*;

use crate::check::cells::{Actor, Cells, Manner, View};
use crate::check::clocks::Clocks;
use crate::program::observation::Observation;

const WARPS: usize = 4;
const CELLS: usize = 3;

#[derive(Debug, Clone, Copy)]
enum Step {
    Load(usize),
    Store(usize),
    /// The warps of the set leave a barrier.
    Barrier(u32),
    Arrive,
    Fence,
    /// A strong store to an object.
    Tell(u64),
    Release(u64),
    Acquire(u64),
}

fn step() -> impl Strategy<Value = (usize, Step)> {
    let step = prop_oneof![
        4 => (0..CELLS).prop_map(Step::Load),
        4 => (0..CELLS).prop_map(Step::Store),
        1 => (1u32..1 << WARPS).prop_map(Step::Barrier),
        1 => Just(Step::Arrive),
        1 => Just(Step::Fence),
        1 => (0u64..2).prop_map(Step::Tell),
        1 => (0u64..2).prop_map(Step::Release),
        1 => (0u64..2).prop_map(Step::Acquire),
    ];
    (0..WARPS, step)
}

/// What happened before each event, by its number, from the definition alone.
#[derive(Default)]
struct History {
    /// For each event, those before it.
    before: Vec<Vec<bool>>,
    warp: Vec<usize>,
    last: [Option<usize>; WARPS],
    arrived: Vec<usize>,
    fence: [Option<usize>; WARPS],
    told: [Vec<usize>; 2],
}

impl History {
    /// An event of a warp that follows its last one and these others.
    fn event(&mut self, warp: usize, others: &[usize]) -> usize {
        let number = self.before.len();
        let mut before = vec![false; number];
        for other in self.last[warp].iter().chain(others) {
            before[*other] = true;
            for (at, held) in self.before[*other].iter().enumerate() {
                before[at] |= held;
            }
        }
        self.before.push(before);
        self.warp.push(warp);
        self.last[warp] = Some(number);
        number
    }
}

fn follow(steps: &[(usize, Step)]) -> Result<(), TestCaseError> {
    let mut clocks = Clocks::new();
    clocks.start(WARPS);
    let mut cells = Cells::default();
    cells.grow(CELLS);
    let observation = Observation::default();
    let mut history = History::default();
    let mut stores: [Vec<usize>; CELLS] = Default::default();
    let mut loads: [Vec<usize>; CELLS] = Default::default();
    for (warp, step) in steps.iter().copied() {
        let event = history.event(warp, &[]);
        let unordered = |history: &History, other: usize| {
            history.warp[other] != warp && !history.before[event][other]
        };
        match step {
            Step::Load(at) => {
                let expected = stores[at]
                    .last()
                    .is_some_and(|store| unordered(&history, *store));
                let found = cells.load(
                    at,
                    View {
                        clocks: &clocks,
                        warp,
                    },
                    Actor::new(1, 32 * warp as u32, Manner::Weak),
                    &observation,
                );
                prop_assert_eq!(found.is_some(), expected, "{:?}", steps);
                loads[at].push(event);
            }
            Step::Store(at) => {
                let by_store = stores[at]
                    .last()
                    .is_some_and(|store| unordered(&history, *store));
                let by_load = loads[at].iter().any(|load| unordered(&history, *load));
                let found = cells.store(
                    at,
                    View {
                        clocks: &clocks,
                        warp,
                    },
                    Actor::new(2, 32 * warp as u32, Manner::Weak),
                    (false, &observation),
                );
                // Of several readers a part may be forgotten, which never makes a race of none.
                prop_assert!(found.is_none() || by_store || by_load, "{:?}", steps);
                if by_store || loads[at].len() == 1 && by_load {
                    prop_assert!(found.is_some(), "{:?}", steps);
                }
                stores[at].push(event);
            }
            Step::Barrier(warps) => {
                let warps: Vec<usize> = (0..WARPS)
                    .filter(|other| warps & (1 << other) != 0)
                    .collect();
                let mut joined: Vec<usize> = warps
                    .iter()
                    .filter_map(|other| history.last[*other])
                    .collect();
                joined.append(&mut history.arrived);
                for other in &warps {
                    history.event(*other, &joined);
                }
                clocks.barrier(0, warps.iter().fold(0, |set, other| set | 1 << other));
            }
            Step::Arrive => {
                history.arrived.push(event);
                clocks.arrive(0, 1 << warp);
            }
            Step::Fence => {
                history.fence[warp] = Some(event);
                clocks.fence(warp, false);
            }
            Step::Tell(object) => {
                history.told[object as usize].extend(history.fence[warp]);
                clocks.tell(warp, object, true);
            }
            Step::Release(object) => {
                history.told[object as usize].push(event);
                clocks.release(warp, object);
            }
            Step::Acquire(object) => {
                let told = history.told[object as usize].clone();
                history.event(warp, &told);
                clocks.acquire(warp, object);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]
    #[test]
    fn races_are_those_of_the_definition(steps in proptest::collection::vec(step(), 1..40)) {
        follow(&steps)?;
    }
}
