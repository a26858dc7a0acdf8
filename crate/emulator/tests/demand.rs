//! What requests ask for, beside the sectors and wavefronts that they take: the rules by the public functions on recorded
//! accesses, and the executions of lines by the counters of instructions.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::HashMap;

use common::{Gpu, Random, fixture};
use cornerturn_emulator::counters::{fewest_wavefronts, sectors, shared_wavefronts};
use cornerturn_emulator::{
    Access, Arg, Launch, Module, Options, Path, Report, Site, Space, TraceRequest, launch,
};

const COUNT: usize = 3000;
const GRID: [u32; 3] = [3, 2, 1];
/// Its last warp is not full.
const BLOCK: [u32; 3] = [25, 8, 1];

/// Launches an entry with a buffer of its own for each 64-bit parameter; traced, each access goes the slower way.
fn run(text: &str, entry: &str, is_traced: bool) -> Report {
    let module = Module::load(text).unwrap();
    let mut gpu = Gpu::default();
    let mut random = Random(11);
    let params = module.entry(entry).unwrap().params();
    let mut argument = |(index, bytes): (usize, usize)| match bytes {
        8 => {
            let values: Vec<u32> = (0..COUNT).map(|_| random.next() as u32 >> 20).collect();
            Arg::from(gpu.upload(&format!("buffer {index}"), &values))
        }
        bytes => Arg([37, 0, 0, 0].into_iter().cycle().take(bytes).collect()),
    };
    let sizes = params.iter().map(|param| param.bytes).enumerate();
    let args: Vec<Arg> = sizes.map(&mut argument).collect();
    let job = Launch {
        entry,
        grid: GRID,
        block: BLOCK,
        dynamic_shared_bytes: 9000,
        args: &args,
    };
    let blocks = (0..GRID[0] * GRID[1]).map(|at| [at % GRID[0], at / GRID[0], 0]);
    let options = Options {
        threads: 2,
        instruction_budget: 20_000,
        trace: is_traced.then(|| TraceRequest {
            blocks: blocks.collect(),
            max_accesses: 1 << 22,
            ..TraceRequest::default()
        }),
        ..Options::default()
    };
    launch(&module, &gpu.memory, &job, &options).unwrap()
}

/// What an access takes beyond the fewest, by the rules of `counters`.
fn excess(site: &Site, access: &Access) -> u32 {
    let (addresses, bytes) = (&access.addresses, access.access_bytes);
    match access.space {
        Space::Shared => {
            let is_strict = site.is_store || site.is_matrix;
            let taken = shared_wavefronts(addresses, bytes, is_strict);
            taken - fewest_wavefronts(addresses, bytes, is_strict)
        }
        _ => {
            let lanes = addresses.iter().flatten().count() as u32;
            let needed = (lanes * bytes).div_ceil(32);
            sectors(addresses, bytes).saturating_sub(needed)
        }
    }
}

/// Whether a site's accesses are plain loads and stores, of which the trace says all.
fn is_plain(site: &Site) -> bool {
    let is_meant = matches!(site.space, Space::Global | Space::Shared);
    is_meant && !site.is_atomic && !site.is_generic && site.path == Path::Registers
}

fn entries(file: &str) -> (String, Vec<String>) {
    let text = fixture(file);
    let module = Module::load(&text).unwrap();
    let names = module
        .entries()
        .iter()
        .map(|entry| entry.name().to_string());
    (text, names.collect())
}

const FILES: [&str; 5] = [
    "pass/arithmetic.ptx",
    "pass/control.ptx",
    "pass/gemm.ptx",
    "pass/reduce.ptx",
    "pass/transpose.ptx",
];

#[test]
fn sites_ask_for_what_their_accesses_do() {
    let mut compared = 0;
    for file in FILES {
        let (text, entries) = entries(file);
        for entry in entries {
            let (report, plain) = (run(&text, &entry, true), run(&text, &entry, false));
            if report.stopped {
                continue;
            }
            let told = format!("{file}, {entry}");
            assert_eq!(report.sites, plain.sites, "{told}: traced or not");
            assert_eq!(report.lines, plain.lines, "{told}: traced or not");
            compared += compare(&report, &told);
        }
    }
    assert!(compared > 40, "only {compared} sites");
}

/// Compares the sites with the accesses of the trace; how many there were.
fn compare(report: &Report, told: &str) -> usize {
    let trace = report.trace.as_ref().unwrap();
    assert!(!trace.truncated, "{told}");
    let mut by_site: HashMap<usize, Vec<&Access>> = HashMap::new();
    for access in &trace.accesses {
        by_site.entry(access.site).or_default().push(access);
    }
    let sites = report.sites.iter().enumerate();
    let sites = sites.filter(|(_, site)| is_plain(site) && site.requests > 0);
    let mut compared = 0;
    for (number, site) in sites {
        let accesses = &by_site[&number];
        let told = format!("{told}, PTX line {}", site.ptx_line);
        // A misaligned access is a finding, and counted as if it lay in one sector.
        let is_aligned = |address: &u64| address.is_multiple_of(u64::from(site.access_bytes));
        let mut all = accesses.iter().flat_map(|access| access.addresses);
        if !all.all(|address| address.as_ref().is_none_or(is_aligned)) {
            continue;
        }
        let lanes = accesses.iter().flat_map(|access| access.addresses);
        assert_eq!(lanes.flatten().count() as u64, site.demand.lanes, "{told}");
        let each: Vec<u32> = accesses.iter().map(|access| excess(site, access)).collect();
        let sum = each.iter().map(|excess| u64::from(*excess)).sum::<u64>();
        let found = match site.space {
            Space::Shared => site.bank_conflicts,
            _ => site.sectors - site.demand.fewest_sectors,
        };
        assert_eq!(found, sum, "{told}");
        let most = each.iter().copied().max().unwrap();
        match &site.demand.worst {
            None => assert_eq!(most, 0, "{told}"),
            Some(worst) => {
                assert_eq!(worst.excess, most, "{told}");
                let is_it = |access: &&&Access| {
                    (access.block, access.warp) == (worst.block, worst.warp)
                        && access.addresses == worst.addresses
                };
                assert!(accesses.iter().any(|access| is_it(&access)), "{told}");
            }
        }
        compared += 1;
    }
    compared
}

#[test]
fn lines_add_up_to_the_instructions_of_the_launch() {
    let mut compared = 0;
    for file in FILES {
        let (text, entries) = entries(file);
        for entry in entries {
            let report = run(&text, &entry, false);
            if report.stopped {
                continue;
            }
            let issued = report.lines.iter().map(|line| line.issued).sum::<u64>();
            let lanes = report.lines.iter().map(|line| line.lanes).sum::<u64>();
            let counters = report.counters;
            assert_eq!(
                [issued, lanes],
                [
                    counters.ptx_warp_instructions,
                    counters.ptx_thread_instructions
                ],
                "{file}, {entry}"
            );
            compared += 1;
        }
    }
    assert!(compared > 20, "only {compared} kernels");
}

/// A kernel of one warp; `%r1` is the lane, `%rd2` the address of its own number.
fn of_one_warp(body: &str) -> Report {
    let text = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n\
         .visible .entry k(.param .u64 out) {{ .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<6>;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;\n\
         {body}\nret; }}\n"
    );
    let module = Module::load(&text).unwrap();
    let mut gpu = Gpu::default();
    let out = gpu.upload("out", &[0u32; 64]);
    gpu.launch(&module, "k", [1, 1, 1], [32, 1, 1], 0, &[out.into()])
}

#[test]
fn a_branch_is_counted_by_warps_and_by_those_that_it_parts() {
    let of = |first: u32| {
        let report = of_one_warp(&format!(
            "setp.lt.u32 %p1, %r1, {first};\n@%p1 bra END;\nst.global.u32 [%rd2], %r1;\nEND:"
        ));
        let mut branches = report.lines.iter().filter(|line| line.branch.executed > 0);
        let branch = branches.next().unwrap().branch;
        let store = report.lines.iter().find(|line| line.ptx_line == 8).unwrap();
        (branch.executed, branch.split, store.issued, store.lanes)
    };
    assert_eq!(of(5), (1, 1, 1, 27));
    assert_eq!(of(0), (1, 0, 1, 32));
}

#[test]
fn atomics_say_how_many_lanes_meet_and_how_far_they_reach() {
    let report = of_one_warp(
        "and.b32 %r2, %r1, 7; mul.wide.u32 %rd3, %r2, 8; add.u64 %rd3, %rd1, %rd3;\nred.global.add.u32 [%rd3], %r1;",
    );
    let demand = &report.sites.last().unwrap().demand;
    assert_eq!((demand.lanes, demand.addresses), (32, 8));
    let (first, end) = demand.reach.unwrap();
    assert_eq!(end - first, 7 * 8 + 4);
    assert_eq!(demand.worst.as_ref().unwrap().excess, 32 - 8);
}

/// What the profiler counts as requests of constant memory is the different addresses, whatever lies between them.
#[test]
fn a_load_of_constants_asks_for_each_different_address() {
    // As the file says: loads of the table in a launch, and requests of its parameters.
    const LOADS: u64 = 67_584;
    const PARAMETERS: u64 = 5280;
    let mut compared = 0;
    let lines = fixture("h200/constants.csv");
    for line in lines
        .lines()
        .filter(|line| line.starts_with(char::is_numeric))
    {
        let fields: Vec<&str> = line.split(',').collect();
        let [stride, addresses, requests] = [0, 1, 2].map(|at| fields[at].parse::<u64>().unwrap());
        let text = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.const .align 4 .b8 table[32768];\n\
             .visible .entry k(.param .u64 out) {{ .reg .b32 %r<8>; .reg .b64 %rd<6>;\n\
             mov.u32 %r1, %tid.x; rem.u32 %r2, %r1, {addresses}; mul.lo.u32 %r2, %r2, {}; mov.u64 %rd1, table;\n\
             cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd1, %rd2; ld.const.b32 %r3, [%rd2];\n\
             ld.param.u64 %rd3, [out]; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd3, %rd4; st.global.b32 [%rd4], %r3;\nret; }}\n",
            4 * stride
        );
        let module = Module::load(&text).unwrap();
        let mut gpu = Gpu::default();
        let out = gpu.upload("out", &[7u32; 32]);
        let report = gpu.launch(&module, "k", [1, 1, 1], [32, 1, 1], 0, &[out.into()]);
        let constants = report.sites.iter().find(|site| site.space == Space::Const);
        let counted = constants.unwrap().demand.addresses;
        assert_eq!(PARAMETERS + LOADS * counted, requests, "{line}");
        compared += 1;
    }
    assert_eq!(compared, 24);
}
