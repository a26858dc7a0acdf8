//! From what each thread of a litmus test does to a kernel, and what it came to in every order of the threads.

use cornerturn_emulator::{Arg, Finding, FindingKind, Module};

use crate::common::Gpu;

/// How far apart the threads are, and where the places lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Apart {
    Blocks,
    /// Of one block, which look at places in this space.
    Warps(&'static str),
}

pub const BLOCKS: [Apart; 1] = [Apart::Blocks];
pub const WARPS: [Apart; 2] = [Apart::Warps("global"), Apart::Warps("shared")];
pub const ALL: [Apart; 3] = [BLOCKS[0], WARPS[0], WARPS[1]];

/// What a thread does, step after step.
pub type Steps = Vec<String>;

/// Registers of a thread that are kept.
const KEPT: usize = 4;

#[derive(Debug)]
pub struct Outcome {
    findings: Vec<Finding>,
    /// Of each thread.
    pub registers: Vec<[u32; KEPT]>,
    /// `x`, `y`, `z` and `w` at the end.
    pub memory: [u32; 4],
}

// ---- steps: `SCOPE`, `LEVEL`, `SPACE` and `LABEL` are put in later ----

pub fn st(sem: &str, place: &str, value: u32) -> String {
    format!("@%lead st{sem}.SPACE.u32 [%{place}], {value};")
}

pub fn ld(sem: &str, register: u32, place: &str) -> String {
    format!("@%lead ld{sem}.SPACE.u32 %r{register}, [%{place}];")
}

/// Stores one more than a register holds.
pub fn count_up(sem: &str, place: &str, register: u32) -> String {
    format!("add.u32 %r7, %r{register}, 1; @%lead st{sem}.SPACE.u32 [%{place}], %r7;")
}

pub fn add(sem: &str, register: u32, place: &str) -> String {
    format!("@%lead atom{sem}.SPACE.add.u32 %r{register}, [%{place}], 1;")
}

pub fn reduce(sem: &str, place: &str) -> String {
    format!("@%lead red{sem}.SPACE.add.u32 [%{place}], 1;")
}

/// Waits until a place holds at least a value.
pub fn until(sem: &str, place: &str, value: u32) -> String {
    format!(
        "LABEL: @%lead ld{sem}.SPACE.u32 %r6, [%{place}];
        setp.lt.and.u32 %p, %r6, {value}, %lead;
        @%p bra LABEL;"
    )
}

/// A step that is done if a register holds a value.
pub fn when(register: u32, value: u32, step: &str) -> String {
    let then = step.replace("@%lead", "@%q");
    format!("setp.eq.and.u32 %q, %r{register}, {value}, %lead; {then}")
}

pub fn fence(what: &str) -> String {
    format!("{what};")
}

// ---- kernels ----

/// A kernel of these threads, whose branches stand in an order: warps of one block run in that of their instructions.
fn kernel(apart: Apart, threads: &[Steps], order: &[usize]) -> String {
    let (space, scope, level) = match apart {
        Apart::Blocks => ("global", "gpu", "gl"),
        Apart::Warps(space) => (space, "cta", "cta"),
    };
    let mut text = String::new();
    for (number, steps) in order.iter().map(|number| (*number, &threads[*number])) {
        text += &format!("setp.eq.u32 %p, %t, {number};\n@!%p bra NOT{number};\n");
        for (at, step) in steps.iter().enumerate() {
            text += &step.replace("LABEL", &format!("WAIT{number}_{at}"));
            text.push('\n');
        }
        text += &format!("bra END;\nNOT{number}:\n");
    }
    let text = text
        .replace("SPACE", space)
        .replace("SCOPE", scope)
        .replace("LEVEL", level);
    let position = match apart {
        Apart::Blocks => "mov.u32 %t, %ctaid.x;",
        Apart::Warps(_) => "mov.u32 %t, %tid.x; shr.u32 %t, %t, 5;",
    };
    let places = match space {
        "shared" => "mov.u64 %x, memory;",
        _ => "mov.u64 %x, %place;",
    };
    format!(
        ".version 8.6
        .target sm_90
        .address_size 64
        .visible .entry litmus(.param .u64 places, .param .u64 out, .param .u64 order) {{
            .reg .pred %lead, %p, %q;
            .reg .b32 %t, %n, %r<8>;
            .reg .b64 %x, %y, %z, %w, %m, %tile, %place, %out, %order, %state;
            .shared .align 16 .b32 memory[4];
            .shared .align 16 .b32 bytes[4];
            .shared .align 8 .b64 barrier;
            ld.param.u64 %place, [places];
            ld.param.u64 %out, [out];
            ld.param.u64 %order, [order];
            mov.u64 %tile, bytes;
            mov.u64 %m, barrier;
            {places}
            add.u64 %y, %x, 4;
            add.u64 %z, %x, 8;
            add.u64 %w, %x, 12;
            mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r6, 0;
            mov.u32 %n, %tid.x;
            setp.ne.u32 %p, %n, 0;
            @%p bra READY;
            st.shared.v4.u32 [memory], {{%r0, %r0, %r0, %r0}};
            mbarrier.init.shared::cta.b64 [%m], 1;
            READY:
            bar.sync 0;
            and.b32 %n, %n, 31;
            setp.eq.u32 %lead, %n, 0;
            {position}
            shl.b32 %t, %t, 2;
            shr.u64 %order, %order, %t;
            cvt.u32.u64 %t, %order;
            and.b32 %t, %t, 15;
            {text}
            END:
            mad.wide.u32 %out, %t, {bytes}, %out;
            @%lead st.global.v4.u32 [%out], {{%r0, %r1, %r2, %r3}};
            {last}
            ret;
        }}",
        bytes = 4 * KEPT,
        last = if space == "shared" {
            "bar.sync 0;
            ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [memory];
            setp.eq.and.u32 %q, %t, 0, %lead;
            @%q st.global.v4.u32 [%place], {%r0, %r1, %r2, %r3};"
        } else {
            ""
        },
    )
}

fn run(apart: Apart, threads: &[Steps], order: &[usize]) -> Outcome {
    let text = kernel(apart, threads, order);
    let module = Module::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut gpu = Gpu::default();
    gpu.options.check = true;
    gpu.options.threads = 1;
    let count = threads.len();
    let places = gpu.upload("places", &[0u32; 4]);
    let out = gpu.upload("out", &vec![0u32; KEPT * count]);
    let packed =
        (order.iter().enumerate()).fold(0, |all, (at, thread)| all | (*thread as u64) << (4 * at));
    let args: [Arg; 3] = [places.into(), out.into(), packed.into()];
    let (grid, block) = match apart {
        Apart::Blocks => (count as u32, 1),
        Apart::Warps(_) => (1, 32 * count as u32),
    };
    let report = gpu.launch(&module, "litmus", [grid, 1, 1], [block, 1, 1], 0, &args);
    let words: Vec<u32> = gpu.download(out, KEPT * count);
    Outcome {
        findings: report.findings,
        registers: words.as_chunks::<KEPT>().0.to_vec(),
        memory: gpu.download(places, 4).try_into().unwrap(),
    }
}

/// All orders of so many threads.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for order in orders(count - 1) {
        for at in 0..count {
            let mut longer = order.clone();
            longer.insert(at, count - 1);
            all.push(longer);
        }
    }
    all
}

/// Expects that nothing is found, and that no outcome is forbidden.
pub fn clean(ways: &[Apart], threads: &[Steps], is_forbidden: impl Fn(&Outcome) -> bool) {
    for apart in ways {
        for order in orders(threads.len()) {
            let outcome = run(*apart, threads, &order);
            let messages: Vec<String> = outcome.findings.iter().map(Finding::message).collect();
            let what = format!("{apart:?} in the order {order:?}: {threads:#?}");
            assert_eq!(messages, Vec::<String>::new(), "{what}");
            assert!(!is_forbidden(&outcome), "{what}: {outcome:?}");
        }
    }
}

/// Expects that in some order a race is found, and in none anything else.
pub fn told(ways: &[Apart], threads: &[Steps]) {
    for apart in ways {
        let found = orders(threads.len())
            .into_iter()
            .flat_map(|order| run(*apart, threads, &order).findings)
            .collect::<Vec<Finding>>();
        let is_race = |finding: &Finding| finding.kind == FindingKind::Race;
        let messages: Vec<String> = found.iter().map(Finding::message).collect();
        assert!(
            !found.is_empty() && found.iter().all(is_race),
            "{apart:?}: {threads:#?}\n{messages:#?}"
        );
    }
}
