//! Litmus tests of the memory model, run as kernels: where threads are in order nothing is found and no forbidden outcome comes, where they are not the race is told. The rules are those of `src/check/model.rs`.
//!
//! A test is what each of some threads does to the places `x`, `y`, `z` and `w`. The threads are of different blocks or of
//! different warps of one, the places in global or in shared memory, and the threads come in every order: a kernel is
//! clean if it is in each of them, and told if it is in one.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "litmus/harness.rs"]
mod harness;

use harness::{
    ALL, BLOCKS, Outcome, WARPS, add, clean, count_up, fence, ld, reduce, st, told, until, when,
};

/// No outcome is forbidden.
fn any(_: &Outcome) -> bool {
    false
}

/// The reader has seen the flag, and not what was stored before it.
fn is_stale(outcome: &Outcome) -> bool {
    outcome.registers[1][0] != 42
}

// ---- message passing: "Release and Acquire Patterns", "Memory Synchronization" ----

#[test]
fn a_message_is_passed_by_every_release_and_acquire_pattern() {
    let data = st("", "x", 42);
    let releases = [
        vec![st(".release.SCOPE", "y", 1)],
        vec![fence("fence.acq_rel.SCOPE"), st(".relaxed.SCOPE", "y", 1)],
        vec![fence("fence.sc.SCOPE"), st(".relaxed.SCOPE", "y", 1)],
        vec![fence("membar.LEVEL"), st(".volatile", "y", 1)],
        vec![fence("fence.acq_rel.SCOPE"), reduce(".relaxed.SCOPE", "y")],
        vec![reduce(".release.SCOPE", "y")],
        vec![add(".acq_rel.SCOPE", 1, "y")],
    ];
    let acquires = [
        vec![until(".acquire.SCOPE", "y", 1)],
        vec![
            until(".relaxed.SCOPE", "y", 1),
            fence("fence.acq_rel.SCOPE"),
        ],
        vec![until(".volatile", "y", 1), fence("membar.LEVEL")],
        vec![until(".relaxed.SCOPE", "y", 1), fence("fence.sc.SCOPE")],
    ];
    for release in &releases {
        for acquire in &acquires {
            let producer = [vec![data.clone()], release.clone()].concat();
            let consumer = [acquire.clone(), vec![ld("", 0, "x")]].concat();
            clean(&ALL, &[producer, consumer], is_stale);
        }
    }
}

#[test]
fn a_flag_that_is_looked_at_once_passes_the_message_to_who_heeds_it() {
    let producer = vec![st("", "x", 42), st(".release.SCOPE", "y", 1)];
    let look = ld(".acquire.SCOPE", 1, "y");
    let heeds = vec![look.clone(), when(1, 1, &ld("", 0, "x"))];
    clean(&ALL, &[producer.clone(), heeds], |outcome| {
        outcome.registers[1][1] == 1 && outcome.registers[1][0] != 42
    });
    told(&ALL, &[producer, vec![look, ld("", 0, "x")]]);
}

#[test]
fn half_a_pattern_passes_no_message() {
    let data = st("", "x", 42);
    let (release, acquire) = (
        st(".release.SCOPE", "y", 1),
        until(".acquire.SCOPE", "y", 1),
    );
    let relaxed = st(".relaxed.SCOPE", "y", 1);
    let read = ld("", 0, "x");
    let unhurried = until(".relaxed.SCOPE", "y", 1);
    let barrier = || fence("fence.acq_rel.SCOPE");
    let wrong = [
        // Nothing releases.
        (
            vec![data.clone(), relaxed.clone()],
            vec![acquire.clone(), read.clone()],
        ),
        (
            vec![barrier(), data.clone(), relaxed.clone()],
            vec![acquire.clone(), read.clone()],
        ),
        (
            vec![release.clone(), data.clone()],
            vec![acquire.clone(), read.clone()],
        ),
        // Nothing acquires.
        (
            vec![data.clone(), release.clone()],
            vec![unhurried.clone(), read.clone()],
        ),
        (
            vec![data.clone(), release.clone()],
            vec![barrier(), unhurried.clone(), read.clone()],
        ),
        (
            vec![data.clone(), release.clone()],
            vec![read.clone(), acquire.clone()],
        ),
        // A fence without a strong access orders nothing.
        (vec![data.clone(), barrier()], vec![barrier(), read.clone()]),
        // The flag is weak.
        (
            vec![data.clone(), barrier(), st("", "y", 1)],
            vec![acquire.clone(), read.clone()],
        ),
        (
            vec![data.clone(), release.clone()],
            vec![ld("", 1, "y"), barrier(), read.clone()],
        ),
        // The reader asks by a reduction, which forms no acquire pattern.
        (
            vec![data.clone(), release.clone()],
            vec![reduce(".relaxed.SCOPE", "y"), barrier(), read.clone()],
        ),
    ];
    for (producer, consumer) in wrong {
        told(&ALL, &[producer, consumer]);
    }
}

#[test]
fn a_pattern_reaches_as_far_as_its_scope() {
    let data = st("", "x", 42);
    let read = ld("", 0, "x");
    let right = (st(".release.gpu", "y", 1), until(".acquire.gpu", "y", 1));
    let narrow = [
        (
            vec![data.clone(), st(".release.cta", "y", 1)],
            vec![right.1.clone(), read.clone()],
        ),
        (
            vec![data.clone(), right.0.clone()],
            vec![until(".acquire.cta", "y", 1), read.clone()],
        ),
        (
            vec![
                data.clone(),
                fence("fence.acq_rel.cta"),
                st(".relaxed.gpu", "y", 1),
            ],
            vec![right.1.clone(), read.clone()],
        ),
        (
            vec![data.clone(), right.0.clone()],
            vec![
                until(".relaxed.gpu", "y", 1),
                fence("fence.acq_rel.cta"),
                read.clone(),
            ],
        ),
        (
            vec![data.clone(), fence("membar.cta"), st(".volatile", "y", 1)],
            vec![right.1, read],
        ),
    ];
    for (producer, consumer) in narrow {
        clean(&WARPS, &[producer.clone(), consumer.clone()], is_stale);
        told(&BLOCKS, &[producer, consumer]);
    }
}

#[test]
fn another_flag_tells_nothing() {
    let producer = vec![st("", "x", 42), st(".release.SCOPE", "y", 1)];
    let other = vec![st(".release.SCOPE", "z", 1)];
    let consumer = vec![until(".acquire.SCOPE", "z", 1), ld("", 0, "x")];
    told(&ALL, &[producer, other, consumer]);
}

// ---- "Causality Order": what is in order one after the other ----

#[test]
fn a_message_is_handed_on() {
    let first = vec![st("", "x", 42), st(".release.SCOPE", "y", 1)];
    let last = vec![until(".acquire.SCOPE", "z", 1), ld("", 0, "x")];
    let is_stale = |outcome: &Outcome| outcome.registers[2][0] != 42;
    let hands_on = vec![
        until(".acquire.SCOPE", "y", 1),
        st(".release.SCOPE", "z", 1),
    ];
    clean(&ALL, &[first.clone(), hands_on, last.clone()], is_stale);
    let keeps = vec![
        until(".acquire.SCOPE", "y", 1),
        st(".relaxed.SCOPE", "z", 1),
    ];
    told(&ALL, &[first.clone(), keeps, last.clone()]);
    let deaf = vec![
        until(".relaxed.SCOPE", "y", 1),
        st(".relaxed.SCOPE", "z", 1),
    ];
    told(&ALL, &[first, deaf, last]);
}

/// "Observation Order": through atomics, but not through a store.
#[test]
fn a_release_is_observed_through_atomics_behind_it() {
    let first = vec![st("", "x", 42), st(".release.SCOPE", "y", 1)];
    let last = vec![until(".acquire.SCOPE", "y", 2), ld("", 0, "x")];
    let is_stale = |outcome: &Outcome| outcome.registers[2][0] != 42;
    let links = vec![
        until(".relaxed.SCOPE", "y", 1),
        add(".relaxed.SCOPE", 1, "y"),
    ];
    clean(&ALL, &[first.clone(), links, last.clone()], is_stale);
    let links = vec![
        until(".relaxed.SCOPE", "y", 1),
        reduce(".relaxed.SCOPE", "y"),
    ];
    clean(&ALL, &[first.clone(), links, last.clone()], is_stale);
    let breaks = vec![
        until(".relaxed.SCOPE", "y", 1),
        st(".relaxed.SCOPE", "y", 2),
    ];
    told(&ALL, &[first, breaks, last]);
}

// ---- "Causality Order": what follows what it has observed ----

#[test]
fn who_gets_the_last_ticket_may_set_the_counter_back() {
    let takes = |last: u32, then: &str| vec![add(".relaxed.SCOPE", 0, "y"), when(0, last, then)];
    let again = |outcome: &Outcome| outcome.memory[1] != 0;
    for reset in [st("", "y", 0), st(".volatile", "y", 0)] {
        let threads = || [takes(2, &reset), takes(2, &reset), takes(2, &reset)];
        clean(&ALL, &threads(), again);
    }
    // The count may be read as plainly.
    let reads = takes(2, &ld("", 1, "y"));
    clean(&ALL, &[reads.clone(), reads.clone(), reads], any);
    // Who was not the last has not seen the last.
    for early in [0, 1] {
        let resets = takes(early, &st("", "y", 0));
        told(&ALL, &[resets.clone(), resets.clone(), resets]);
    }
}

#[test]
fn who_does_not_ask_for_the_ticket_has_observed_nothing() {
    let counts = vec![add(".relaxed.SCOPE", 0, "y")];
    for count in [add(".relaxed.SCOPE", 0, "y"), reduce(".relaxed.SCOPE", "y")] {
        for then in [st("", "y", 0), ld("", 1, "y")] {
            told(
                &ALL,
                &[counts.clone(), counts.clone(), vec![count.clone(), then]],
            );
        }
    }
}

#[test]
fn who_waits_for_the_count_may_set_it_back() {
    let counts = || vec![reduce(".relaxed.SCOPE", "y")];
    let waits = |count| vec![until(".relaxed.SCOPE", "y", count), st("", "y", 0)];
    clean(&ALL, &[counts(), counts(), waits(2)], |outcome| {
        outcome.memory[1] != 0
    });
    told(&ALL, &[counts(), counts(), waits(1)]);
    // A store breaks the chain: what came before it has not been observed behind it.
    let stores = vec![st(".relaxed.SCOPE", "y", 1)];
    clean(&ALL, &[stores, waits(1)], any);
}

/// Atomics that end no wait of the others, but are ordered with them by base causality.
#[test]
fn the_counter_may_be_used_again_behind_a_flag() {
    let round = |generation: u32| {
        vec![
            add(".relaxed.SCOPE", 0, "y"),
            when(0, 1, &st("", "y", 0)),
            fence("fence.acq_rel.SCOPE"),
            when(0, 1, &reduce(".relaxed.SCOPE", "z")),
            until(".relaxed.SCOPE", "z", generation),
            fence("fence.acq_rel.SCOPE"),
        ]
    };
    let thread = || [round(1), round(2), round(3)].concat();
    let again = |outcome: &Outcome| outcome.memory[1..3] != [0, 3];
    clean(&ALL, &[thread(), thread()], again);
    let mut hasty = thread();
    hasty.retain(|step| !step.contains("fence"));
    told(&ALL, &[hasty.clone(), hasty]);
}

// ---- store buffering, load buffering: "Fence-SC", "No Thin Air" ----

#[test]
fn stores_and_loads_pass_each_other_only_where_they_may() {
    let both = |sem: &str, between: &[String], own: &str, other: &str| {
        [
            vec![st(sem, own, 1)],
            between.to_vec(),
            vec![ld(sem, 0, other)],
        ]
        .concat()
    };
    let none_seen = |outcome: &Outcome| outcome.registers[0][0] + outcome.registers[1][0] == 0;
    for between in [vec![fence("fence.sc.SCOPE")], vec![]] {
        // Without the fence the manual allows it; no order of whole operations has it.
        let sem = ".relaxed.SCOPE";
        let threads = [both(sem, &between, "x", "y"), both(sem, &between, "y", "x")];
        clean(&ALL, &threads, none_seen);
    }
    let weak = [both("", &[], "x", "y"), both("", &[], "y", "x")];
    told(&ALL, &weak);
    let fenced = [fence("fence.sc.SCOPE")];
    told(
        &ALL,
        &[both("", &fenced, "x", "y"), both("", &fenced, "y", "x")],
    );
}

#[test]
fn nothing_is_read_before_it_is_stored() {
    let both = |sem: &str, own: &str, other: &str| vec![ld(sem, 0, other), st(sem, own, 1)];
    let both_seen = |outcome: &Outcome| outcome.registers[0][0] + outcome.registers[1][0] == 2;
    let sem = ".relaxed.SCOPE";
    clean(&ALL, &[both(sem, "x", "y"), both(sem, "y", "x")], both_seen);
    told(&ALL, &[both("", "x", "y"), both("", "y", "x")]);
    // What each stores is what it has read.
    let copies = |own: &str, other: &str| vec![ld(sem, 0, other), count_up(sem, own, 0)];
    clean(&ALL, &[copies("x", "y"), copies("y", "x")], |outcome| {
        outcome.memory[0] > 1 && outcome.memory[1] > 1
    });
}

// ---- "Coherence", "Sequential Consistency Per Location", "Atomicity" ----

#[test]
fn each_place_has_one_order_of_stores() {
    for sem in [".relaxed.SCOPE", ".volatile"] {
        let stores = vec![st(sem, "x", 1), st(sem, "x", 2)];
        let loads = vec![ld(sem, 0, "x"), ld(sem, 1, "x")];
        clean(&ALL, &[stores, loads.clone()], |outcome| {
            outcome.registers[1][1] < outcome.registers[1][0]
        });
        // Two readers see two stores in one order.
        let one = |value: u32| vec![st(sem, "x", value)];
        let threads = [one(1), one(2), loads.clone(), loads];
        clean(&ALL, &threads, |outcome| {
            let [.., a, b] = outcome.registers.as_slice() else {
                return true;
            };
            a[..2] == [1, 2] && b[..2] == [2, 1] || a[..2] == [2, 1] && b[..2] == [1, 2]
        });
    }
    told(&ALL, &[vec![st("", "x", 1)], vec![st("", "x", 2)]]);
    told(&ALL, &[vec![st("", "x", 1)], vec![ld("", 0, "x")]]);
    told(
        &ALL,
        &[vec![st(".relaxed.SCOPE", "x", 1)], vec![st("", "x", 2)]],
    );
    told(
        &ALL,
        &[vec![st("", "x", 1)], vec![ld(".relaxed.SCOPE", 0, "x")]],
    );
}

#[test]
fn stores_to_two_places_are_seen_in_one_order() {
    let sem = ".acquire.SCOPE";
    let reads = |first: &str, second: &str| vec![ld(sem, 0, first), ld(sem, 1, second)];
    let writes = |place: &str| vec![st(".release.SCOPE", place, 1)];
    let threads = [writes("x"), writes("y"), reads("x", "y"), reads("y", "x")];
    clean(&ALL, &threads, |outcome| {
        outcome.registers[2][..2] == [1, 0] && outcome.registers[3][..2] == [1, 0]
    });
}

#[test]
fn an_atomic_lets_nothing_between_its_load_and_its_store() {
    let counts = || vec![add(".relaxed.SCOPE", 0, "x")];
    clean(&ALL, &[counts(), counts(), counts()], |outcome| {
        let mut seen: Vec<u32> = outcome.registers.iter().map(|each| each[0]).collect();
        seen.sort_unstable();
        seen != [0, 1, 2] || outcome.memory[0] != 3
    });
    let plainly = || vec![ld("", 0, "x"), count_up("", "x", 0)];
    told(&ALL, &[plainly(), plainly()]);
    told(&ALL, &[counts(), vec![st("", "x", 7)]]);
    // Of two blocks, the one does not see the other's.
    let narrow = || vec![add(".relaxed.cta", 0, "x")];
    clean(&WARPS, &[narrow(), narrow()], any);
    told(&BLOCKS, &[narrow(), narrow()]);
    told(&BLOCKS, &[narrow(), counts()]);
}

/// "Morally Strong Operations": strong stores race with nothing strong, whatever they store.
#[test]
fn strong_stores_to_one_place_do_not_race() {
    for sem in [".relaxed.SCOPE", ".volatile", ".release.SCOPE"] {
        let store = |value: u32| vec![st(sem, "x", value)];
        clean(&ALL, &[store(1), store(2), store(3)], any);
    }
    let store = |value: u32| vec![st(".mmio.relaxed.sys", "x", value)];
    clean(&BLOCKS, &[store(1), store(2), store(3)], any);
    let store = |value: u32| vec![st(".relaxed.cta", "x", value)];
    told(&BLOCKS, &[store(1), store(2)]);
}

// ---- barriers: "Memory Synchronization" ----

#[test]
fn barriers_put_what_stands_before_them_before_what_stands_behind() {
    let (data, read) = (st("", "x", 42), ld("", 0, "x"));
    let right = [
        ("bar.sync 2, 64", "bar.sync 2, 64"),
        ("bar.arrive 1, 64", "bar.sync 1, 64"),
        ("barrier.sync 3, 64", "barrier.sync 3, 64"),
    ];
    for (before, behind) in right {
        let producer = vec![data.clone(), fence(before)];
        let consumer = vec![fence(behind), read.clone()];
        clean(&WARPS, &[producer, consumer], is_stale);
    }
    // Who only arrives learns nothing.
    let producer = vec![data.clone(), fence("bar.sync 1, 64")];
    told(
        &WARPS,
        &[producer, vec![fence("bar.arrive 1, 64"), read.clone()]],
    );
    // The barrier stands on the wrong side.
    let producer = vec![fence("bar.sync 2, 64"), data.clone()];
    told(
        &WARPS,
        &[producer, vec![fence("bar.sync 2, 64"), read.clone()]],
    );
    told(&WARPS, &[vec![data], vec![read]]);
}

#[test]
fn an_mbarrier_tells_who_waits_for_it() {
    let (data, read) = (st("", "x", 42), ld("", 0, "x"));
    let arrive = |sem: &str| format!("@%lead mbarrier.arrive{sem}.shared::cta.b64 %state, [%m];");
    let wait = "LABEL: mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], 0; @!%p bra LABEL;";
    for sem in ["", ".release.cta"] {
        let producer = vec![data.clone(), arrive(sem)];
        clean(
            &WARPS,
            &[producer, vec![wait.to_string(), read.clone()]],
            is_stale,
        );
    }
    let late = vec![arrive(""), data.clone()];
    told(&WARPS, &[late, vec![wait.to_string(), read.clone()]]);
    told(
        &WARPS,
        &[vec![data, arrive("")], vec![read, wait.to_string()]],
    );
}

/// "Proxies": what the asynchronous proxy reads was stored through the generic one.
#[test]
fn a_bulk_copy_needs_a_fence_of_its_proxy() {
    let stores = "@%lead st.shared.v4.u32 [%tile], {7, 7, 7, 7};".to_string();
    let fence = || fence("fence.proxy.async.shared::cta");
    let copies = "@%lead cp.async.bulk.global.shared::cta.bulk_group [%place], [%tile], 16;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
        .to_string();
    let sync = || "bar.sync 2, 64;".to_string();
    clean(
        &WARPS[..1],
        &[vec![stores.clone(), fence(), copies.clone()]],
        any,
    );
    let handed = [
        vec![stores.clone(), fence(), sync()],
        vec![sync(), copies.clone()],
    ];
    clean(&WARPS[..1], &handed, any);
    told(&WARPS[..1], &[vec![stores.clone(), copies.clone()]]);
    told(
        &WARPS[..1],
        &[vec![stores.clone(), sync()], vec![sync(), copies.clone()]],
    );
    told(&WARPS[..1], &[vec![fence(), stores, copies]]);
}

#[test]
fn an_asynchronous_copy_has_come_when_it_has_been_waited_for() {
    let starts = "@%lead cp.async.ca.shared.global [%tile], [%place], 4;".to_string();
    let waits = "cp.async.wait_all;".to_string();
    let reads = "@%lead ld.shared.u32 %r0, [%tile];".to_string();
    let sync = || "bar.sync 2, 64;".to_string();
    clean(
        &WARPS[..1],
        &[vec![starts.clone(), waits.clone(), reads.clone()]],
        any,
    );
    let own = vec![starts.clone(), waits.clone(), sync()];
    clean(&WARPS[..1], &[own, vec![sync(), reads.clone()]], any);
    told(
        &WARPS[..1],
        &[vec![starts.clone(), reads.clone(), waits.clone()]],
    );
    // The other warp's wait is not for this one's copies.
    let own = vec![starts, sync(), waits];
    told(&WARPS[..1], &[own, vec![sync(), reads]]);
}
