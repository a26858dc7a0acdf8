//! What the table says an instruction does to memory is what its sites show: no way to read, write or reduce goes uncounted.
#![allow(clippy::unwrap_used)]

mod common;

use common::Gpu;
use cornerturn_emulator::advice::{AdviceKind, Explanation};
use cornerturn_emulator::{Module, Path, Report, Site, Space, supported_instructions};

/// An instruction, and its sites: memory, whether it writes or reduces (`r`, `w`, `+`), and requests of one warp.
const CASES: [(&str, &str); 22] = [
    ("ld.global.u32 %r1, [%g];", "global r 1"),
    ("ldu.global.u32 %r1, [%g];", "global r 1"),
    ("ld.shared.v2.u32 {%r1, %r2}, [%t];", "shared r 1"),
    ("st.global.u32 [%g], %r0;", "global w 1"),
    ("st.shared.u32 [%t], %r0;", "shared w 1"),
    (
        "atom.global.add.u32 %r1, [%g], %r0; st.global.u32 [%g+4], %r1;",
        "global + 1, global w 1",
    ),
    ("red.global.add.u32 [%g], %r0;", "global + 1"),
    ("red.shared.max.u32 [%t], %r0;", "shared + 1"),
    (
        "cp.async.ca.shared.global [%t], [%g], 4; cp.async.wait_all;",
        "global r 1, shared w 1",
    ),
    (
        "@%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%t], [%g], 48, [%b];",
        "global r 1, shared w 1",
    ),
    (
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%t], [%u], 48, [%b];",
        "shared r 32, shared w 32",
    ),
    (
        "@%first cp.async.bulk.global.shared::cta.bulk_group [%g], [%t], 48;",
        "shared r 1, global w 1",
    ),
    (
        "@%first cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%g], [%t], 48;",
        "shared r 1, global + 1",
    ),
    (
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%t], %r0, [%b];",
        "shared w 32",
    ),
    (
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%t], %r0, [%b];",
        "shared + 32",
    ),
    (
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%g], %r0;",
        "global r",
    ),
    (
        "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%t], {%r1, %r2, %r3, %r4}, %r0;",
        "shared w",
    ),
    (
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%t];",
        "shared r 1",
    ),
    (
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%t], {%r1};",
        "shared w 1",
    ),
    ("prefetch.global.L2 [%g];", ""),
    ("cp.async.bulk.prefetch.L2.global [%g], 48;", ""),
    ("discard.global.L2 [%g], 128;", ""),
];

fn run(body: &str) -> Report {
    let text = format!(
        ".version 8.1\n.target sm_90\n.address_size 64\n\
         .shared .align 128 .b8 tile[4096];\n.shared .align 8 .b64 barrier;\n\
         .visible .entry k(.param .u64 to) {{\n\
         .reg .pred %first; .reg .b32 %r<10>; .reg .b64 %g, %t, %u, %b;\n\
         ld.param.u64 %g, [to]; mov.u32 %r0, %tid.x; setp.eq.u32 %first, %r0, 0;\n\
         mov.u64 %t, tile; add.u64 %u, %t, 2048; mov.u64 %b, barrier; mov.u32 %r0, 16;\n\
         mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0;\n\
         @%first mbarrier.init.shared.b64 [%b], 1;\n bar.sync 0;\n{body}\nret; }}"
    );
    let module = Module::load(&text).unwrap_or_else(|error| panic!("{body}: {error}"));
    let mut gpu = Gpu::unchecked();
    let to = gpu.upload("to", &[3u32; 1024]);
    let report = gpu.launch(&module, "k", [1, 1, 1], [32, 1, 1], 0, &[to.into()]);
    assert!(
        report.findings.is_empty(),
        "{body}: {}",
        report.findings[0].message()
    );
    report
}

fn told(site: &Site) -> String {
    let deed = match (site.is_atomic, site.is_store) {
        (true, _) => "+",
        (_, true) => "w",
        _ => "r",
    };
    format!("{} {deed} {}", site.space.name(), site.requests)
}

#[test]
fn every_way_to_touch_memory_has_a_site_with_requests() {
    for (body, expected) in CASES {
        let report = run(body);
        let sites = report.sites.iter();
        let sites: Vec<String> = sites
            .filter(|site| site.space != Space::Param)
            .map(told)
            .collect();
        let expected: Vec<&str> = expected.split(", ").filter(|it| !it.is_empty()).collect();
        assert_eq!(sites.len(), expected.len(), "{body}: {sites:?}");
        for (site, expected) in sites.iter().zip(&expected) {
            // Where the count is left open, there is one at least.
            assert!(
                site.starts_with(expected) && !site.ends_with(" 0"),
                "{body}: {sites:?}"
            );
        }
    }
}

/// The table's words for the instruction, against its sites.
#[test]
fn the_table_says_what_the_sites_show() {
    for (body, expected) in CASES {
        let opcode = body
            .split_whitespace()
            .find(|word| !word.starts_with('@'))
            .unwrap();
        let row = supported_instructions().find(|row| row.spells(opcode));
        let effect = row.unwrap_or_else(|| panic!("no row for {opcode}")).memory;
        let own = expected.split(", ").take(2).filter(|it| !it.is_empty());
        for site in own.filter(|_| !body.contains("; st.")) {
            let mut words = site.split(' ');
            let (space, deed) = (words.next().unwrap(), words.next().unwrap());
            let effect = effect.unwrap_or_else(|| panic!("{opcode} touches memory"));
            let said = match deed {
                "r" => effect.reads,
                "w" => effect.writes,
                _ => effect.reduces,
            };
            assert!(
                said == "any" || said.contains(space),
                "{opcode}: {site}, {effect:?}"
            );
        }
        if expected.is_empty() {
            let touches = effect.is_some_and(|it| !(it.reads.is_empty() && it.writes.is_empty()));
            assert!(!touches, "{opcode}");
        }
    }
}

#[test]
fn bulk_copies_and_what_is_sent_have_counters_of_their_own() {
    let count = |body| run(body).counters;
    let load = count(CASES[9].0);
    assert_eq!((load.bulk_load_bytes, load.global_load_requests), (48, 0));
    let store = count(CASES[11].0);
    assert_eq!(
        (store.bulk_store_bytes, store.global_store_requests),
        (48, 0)
    );
    let reduction = count(CASES[12].0);
    let counted = [
        reduction.bulk_reductions,
        reduction.bulk_reduction_sectors,
        reduction.bulk_store_bytes,
    ];
    assert_eq!(counted, [1, 2, 0]);
    assert_eq!(
        (
            reduction.global_red_requests,
            reduction.shared_load_wavefronts
        ),
        (0, 0)
    );
    for sent in [CASES[13].0, CASES[14].0] {
        let counters = count(sent);
        assert_eq!(
            (counters.async_stores, counters.shared_store_instructions),
            (32, 0)
        );
    }
}

#[test]
fn a_bulk_reduction_that_adds_zeros_has_fewer_sectors_that_would_do() {
    let zeros: String = (0..129)
        .map(|at| {
            format!(
                "st.shared.v4.u32 [%t+{}], {{%r1, %r1, %r1, %r1}};\n",
                16 * at
            )
        })
        .collect();
    let report = run(&format!(
        "{zeros}st.shared.u32 [%t+2048], %r0;\n\
         @%first cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%g+16], [%t], 2064;"
    ));
    let mut sites = report.sites.iter();
    let site = sites.find(|site| site.path == Path::Bulk && site.is_atomic);
    let site = site.unwrap();
    // 16 bytes of the first sector, which are not looked at, and 64 whole ones, of which the last has a number.
    let sectors = (site.sectors, site.demand.fewest_sectors);
    assert_eq!((sectors, site.bytes), ((65, 2), 2064));
}

#[test]
fn advice_names_a_bulk_reduction_that_adds_zeros_and_no_other() {
    let advice = |value: &str| {
        let stores: String = (0..128)
            .map(|at| {
                format!(
                    "@%first st.shared.v4.u32 [%t+{}], {{{value}, {value}, {value}, {value}}};\n",
                    16 * at
                )
            })
            .collect();
        let report = run(&format!(
            "{stores}@%first cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%g], [%t], 2048;"
        ));
        let advice = Explanation::new(&report.sites, &report.lines, None).advice;
        let mut found = advice.into_iter();
        found.find(|advice| advice.kind == AdviceKind::BulkReduction)
    };
    let zeros = advice("%r1").unwrap();
    assert_eq!((zeros.taken, zeros.fewest), (64, 0));
    assert!(
        zeros
            .message
            .contains("each bulk reduction changes 2048 bytes"),
        "{}",
        zeros.message
    );
    assert_eq!(advice("%r0"), None);
}
