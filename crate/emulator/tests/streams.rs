//! The order of operations on streams, against CUDA's rules taken one by one on random programs.

use cornerturn_emulator::streams::{Deed, EventId, GraphNode, Order, StreamId, StreamKind};
use cornerturn_emulator::{Bytes, Early, Touched, TouchedBuffer};
use std::ops::Range;

/// What a program does, on streams 0 (default), 1 (blocking), 2 (non-blocking).
#[derive(Debug, Clone)]
enum Call {
    Queue(usize, Access),
    /// What it does, and early if it is a programmatic dependent launch.
    Kernel(usize, Access, Option<EarlyAccess>),
    Graph(usize, Vec<(Access, Vec<usize>)>),
    Record(u64, usize),
    Wait(usize, u64),
    SynchronizeEvent(u64),
    SynchronizeStream(usize),
    Synchronize,
    Touch(Access),
}

#[derive(Debug, Clone)]
struct Access {
    bytes: Range<u64>,
    is_store: bool,
}

/// What a programmatic dependent launch does early.
#[derive(Debug, Clone)]
struct EarlyAccess {
    /// A part of all that it does.
    access: Access,
    waits: bool,
    holds_next: bool,
}

impl Access {
    fn touched(&self) -> Touched {
        let bytes = Bytes::range(self.bytes.clone());
        let none = Bytes::default();
        let (read, written) = if self.is_store {
            (none, bytes)
        } else {
            (bytes, none)
        };
        let (name, base) = ("b".to_string(), 1 << 20);
        vec![TouchedBuffer {
            name,
            base,
            read,
            written,
        }]
    }

    fn meets(&self, other: &Self) -> bool {
        let (a, b) = (&self.bytes, &other.bytes);
        let is_empty = a.is_empty() || b.is_empty();
        (self.is_store || other.is_store) && !is_empty && a.start < b.end && b.start < a.end
    }
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % most
    }

    fn access(&mut self) -> Access {
        let start = self.below(24);
        let bytes = start..start + 1 + self.below(9);
        Access {
            bytes,
            is_store: self.below(2) == 0,
        }
    }

    fn early(&mut self, all: &Access) -> EarlyAccess {
        let waits = self.below(3) > 0;
        let most = all.bytes.end - all.bytes.start;
        let bytes = match waits {
            true => all.bytes.start..all.bytes.start + self.below(most + 1),
            false => all.bytes.clone(),
        };
        EarlyAccess {
            access: Access {
                bytes,
                is_store: all.is_store,
            },
            waits,
            holds_next: waits && self.below(2) == 0,
        }
    }

    fn call(&mut self) -> Call {
        let stream = self.below(3) as usize;
        match self.below(20) {
            0..=2 => Call::Queue(stream, self.access()),
            3..=7 => {
                let access = self.access();
                let early = (self.below(3) > 0).then(|| self.early(&access));
                Call::Kernel(stream, access, early)
            }
            8 => {
                let count = 1 + self.below(4) as usize;
                let node = |at: usize, random: &mut Self| {
                    let after = (0..at).filter(|_| random.below(2) == 0).collect();
                    (random.access(), after)
                };
                Call::Graph(stream, (0..count).map(|at| node(at, self)).collect())
            }
            9..=11 => Call::Record(self.below(3), stream),
            12..=15 => Call::Wait(stream, self.below(3)),
            16 => Call::SynchronizeEvent(self.below(3)),
            17 => Call::SynchronizeStream(stream),
            18 => Call::Touch(self.access()),
            _ if self.below(4) == 0 => Call::Synchronize,
            _ => Call::Record(self.below(3), stream),
        }
    }
}

const KINDS: [StreamKind; 3] = [
    StreamKind::Default,
    StreamKind::Blocking,
    StreamKind::NonBlocking,
];

/// Actions and waits of the host as nodes with arrows; what comes before what is found by following them.
#[derive(Default)]
struct Reference {
    /// Of each node, those that it comes right after.
    after: Vec<Vec<usize>>,
    /// Nodes at which operations end.
    operations: Vec<(usize, Access)>,
    /// Of each stream whose last operation is a kernel: where that one lets the next begin, where it ends, and the events
    /// that the stream has waited for since.
    last_kernel: [Option<(usize, usize, Vec<usize>)>; 3],
    on: [Vec<usize>; 3],
    /// The host's waits.
    host: Vec<usize>,
    recorded: [Option<usize>; 3],
    races: usize,
}

impl Reference {
    fn node(&mut self, after: Vec<usize>) -> usize {
        self.after.push(after);
        self.after.len() - 1
    }

    /// What an action on a stream comes after.
    fn ready(&self, stream: usize) -> Vec<usize> {
        let mut after = self.host.clone();
        after.extend(&self.on[stream]);
        match stream {
            0 => after.extend(&self.on[1]),
            1 => after.extend(&self.on[0]),
            _ => {}
        }
        after
    }

    fn comes_before(&self, early: usize, late: usize) -> bool {
        let (mut open, mut seen) = (vec![late], vec![false; self.after.len()]);
        while let Some(node) = open.pop() {
            if node == early {
                return true;
            }
            if !std::mem::replace(&mut seen[node], true) {
                open.extend(&self.after[node]);
            }
        }
        false
    }

    fn operation(&mut self, node: usize, access: &Access) {
        let meets = |(early, earlier): &&(usize, Access)| {
            earlier.meets(access) && !self.comes_before(*early, node)
        };
        self.races += self.operations.iter().filter(meets).count();
        self.operations.push((node, access.clone()));
    }

    fn call(&mut self, call: &Call) {
        match call {
            Call::Queue(stream, access) => {
                let node = self.node(self.ready(*stream));
                self.operation(node, access);
                self.on[*stream].push(node);
                self.last_kernel[*stream] = None;
            }
            Call::Kernel(stream, access, early) => self.kernel(*stream, access, early.as_ref()),
            Call::Graph(stream, nodes) => {
                self.last_kernel[*stream] = None;
                let ready = self.ready(*stream);
                let mut made = Vec::new();
                for (access, after) in nodes {
                    let mut all = ready.clone();
                    all.extend(after.iter().map(|index| made[*index]));
                    let node = self.node(all);
                    self.operation(node, access);
                    made.push(node);
                }
                self.on[*stream].extend(made);
            }
            Call::Record(event, stream) => {
                let node = self.node(self.ready(*stream));
                self.on[*stream].push(node);
                self.recorded[*event as usize] = Some(node);
            }
            Call::Wait(stream, event) => {
                if let Some(position) = self.recorded[*event as usize] {
                    if let Some((_, _, events)) = &mut self.last_kernel[*stream] {
                        events.push(position);
                    }
                    let mut after = self.ready(*stream);
                    after.push(position);
                    let node = self.node(after);
                    self.on[*stream].push(node);
                }
            }
            Call::SynchronizeEvent(event) => {
                if let Some(position) = self.recorded[*event as usize] {
                    self.wait(vec![position]);
                }
            }
            Call::SynchronizeStream(stream) => self.wait(self.ready(*stream)),
            Call::Synchronize => self.wait(self.on.concat()),
            Call::Touch(access) => {
                let node = self.node(self.host.clone());
                self.operation(node, access);
                // What follows comes after it.
                self.host.push(node);
            }
        }
    }

    /// A kernel: where it begins, where its threads have waited, where it ends.
    fn kernel(&mut self, stream: usize, access: &Access, early: Option<&EarlyAccess>) {
        let last = self.last_kernel[stream].clone();
        let (Some(early), Some((gate, end_before, events))) = (early, last) else {
            let node = self.node(self.ready(stream));
            self.operation(node, access);
            let begin = self.node(self.after[node].clone());
            self.on[stream].push(node);
            self.last_kernel[stream] = Some((begin, node, Vec::new()));
            return;
        };
        let own = std::mem::take(&mut self.on[stream]);
        let mut after = self.ready(stream);
        self.on[stream] = own;
        after.extend(events.into_iter().chain([gate]));
        let begin = self.node(after);
        let waited = match early.waits {
            true => self.node(vec![begin, end_before]),
            false => begin,
        };
        let races = self.operations.iter().filter(|(other, theirs)| {
            let late = theirs.meets(access) && !self.comes_before(*other, waited);
            late || theirs.meets(&early.access) && !self.comes_before(*other, begin)
        });
        self.races += races.count();
        let end = self.node(vec![waited]);
        self.operations.push((end, access.clone()));
        self.on[stream].push(end);
        let gate = if early.holds_next { waited } else { begin };
        self.last_kernel[stream] = Some((gate, end, Vec::new()));
    }

    fn wait(&mut self, mut after: Vec<usize>) {
        after.extend(&self.host);
        let node = self.node(after);
        self.host.push(node);
    }
}

fn deed() -> Deed {
    Deed {
        what: "it".to_string(),
        place: None,
    }
}

/// Runs the call; returns how many races it has.
fn run(order: &mut Order, (streams, events): ([StreamId; 3], [EventId; 3]), call: &Call) -> usize {
    match call {
        Call::Queue(stream, access) => {
            let placed = order.queue(streams[*stream], deed(), access.touched());
            placed.races.len()
        }
        Call::Kernel(stream, access, early) => {
            let early = early.as_ref().map(|early| Early {
                touched: early.access.touched(),
                waits: early.waits,
                holds_next: early.holds_next,
            });
            let stream = streams[*stream];
            let placed = order.queue_kernel(stream, deed(), access.touched(), early);
            placed.races.len()
        }
        Call::Graph(stream, nodes) => {
            let node = |(access, after): &(Access, Vec<usize>)| GraphNode {
                deed: deed(),
                touched: access.touched(),
                after: after.clone(),
                early: None,
            };
            let placed = order.queue_all(streams[*stream], nodes.iter().map(node));
            placed.iter().map(|placed| placed.races.len()).sum()
        }
        Call::Record(event, stream) => {
            order.record(events[*event as usize], streams[*stream]);
            0
        }
        Call::Wait(stream, event) => {
            assert_eq!(
                order.wait(streams[*stream], events[*event as usize]),
                order.is_recorded(events[*event as usize])
            );
            0
        }
        Call::SynchronizeEvent(event) => {
            order.synchronize_event(events[*event as usize]);
            0
        }
        Call::SynchronizeStream(stream) => {
            order.synchronize_stream(streams[*stream]);
            0
        }
        Call::Synchronize => {
            order.synchronize();
            0
        }
        Call::Touch(access) => order.touch(deed(), access.touched()).len(),
    }
}

#[test]
fn random_programs_have_the_races_that_the_rules_leave() {
    let (mut racy, mut clean) = (0, 0);
    for seed in 0..4000 {
        let mut random = Random(seed);
        let calls: Vec<Call> = (0..6 + random.below(30)).map(|_| random.call()).collect();
        let mut order = Order::new();
        let streams = [0, 1, 2].map(|at| match at {
            0 => StreamId::DEFAULT,
            _ => order.add_stream("s", KINDS[at]),
        });
        let events = [(); 3].map(|()| order.add_event());
        let mut reference = Reference::default();
        for (at, call) in calls.iter().enumerate() {
            let before = reference.races;
            reference.call(call);
            let expected = reference.races - before;
            let found = run(&mut order, (streams, events), call);
            assert_eq!(found, expected, "seed {seed}, call {at} of {calls:#?}");
            if expected > 0 { racy += 1 } else { clean += 1 }
        }
    }
    assert!(
        racy > 1000 && clean > 1000,
        "{racy} calls race, {clean} do not"
    );
}

#[test]
fn the_words_name_both_the_bytes_and_the_next_step() {
    let mut order = Order::new();
    let a = order.add_stream("a", StreamKind::NonBlocking);
    let store = Access {
        bytes: 4..12,
        is_store: true,
    };
    let load = Access {
        bytes: 8..20,
        is_store: false,
    };
    let named = |what: &str| Deed {
        what: what.to_string(),
        place: None,
    };
    assert!(
        order
            .queue(a, named("kernel `k`"), store.touched())
            .races
            .is_empty()
    );
    let races = order
        .queue(StreamId::DEFAULT, named("the host's read"), load.touched())
        .races;
    assert_eq!(
        races[0].to_string(),
        "kernel `k` on stream `a` writes bytes 8..12 of `b`, and the host's read on the default stream reads them; \
         nothing says which comes first. Record an event on `a` after the first, and synchronize it before the second \
         (`a` is non-blocking: the default stream does not wait for it)"
    );
    let races = order.touch(named("the host's load"), load.touched());
    assert!(
        races[0]
            .to_string()
            .contains("Wait for `a` on the host before"),
        "{}",
        races[0]
    );
}

#[test]
fn steps_are_the_longest_path() {
    let mut order = Order::new();
    let a = order.add_stream("a", StreamKind::NonBlocking);
    let b = order.add_stream("b", StreamKind::NonBlocking);
    let step = |order: &mut Order, stream| order.queue(stream, deed(), Touched::new()).step;
    assert_eq!(
        [
            step(&mut order, a),
            step(&mut order, a),
            step(&mut order, b)
        ],
        [1, 2, 1]
    );
    let event = order.add_event();
    order.record(event, a);
    assert!(order.wait(b, event));
    assert_eq!(step(&mut order, b), 3);
    order.synchronize_event(event);
    assert_eq!(step(&mut order, StreamId::DEFAULT), 3);
    let nodes = [vec![], vec![0], vec![], vec![1, 2]];
    let placed = order.queue_all(
        a,
        nodes.map(|after| GraphNode {
            deed: deed(),
            touched: Touched::new(),
            after,
            early: None,
        }),
    );
    assert_eq!(
        placed.iter().map(|placed| placed.step).collect::<Vec<_>>(),
        [3, 4, 3, 5]
    );
}
