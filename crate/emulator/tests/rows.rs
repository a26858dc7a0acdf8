//! Random kernels on registers whose lanes follow a rule and on such that follow none, against the host's arithmetic.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, Random};
use cornerturn_emulator::counters::{fewest_wavefronts, sectors, shared_wavefronts};
use cornerturn_emulator::{Arg, Module};

/// Odd widths, whole and partial warps, one and more groups of warps, rows of a tile in a warp.
const BLOCKS: [[u32; 3]; 16] = [
    [1, 1, 1],
    [7, 1, 1],
    [31, 1, 1],
    [33, 1, 1],
    [48, 1, 1],
    [100, 1, 1],
    [256, 1, 1],
    [300, 1, 1],
    [33, 2, 1],
    [5, 3, 2],
    [16, 16, 1],
    [8, 8, 4],
    [4, 4, 4],
    [2, 64, 1],
    [64, 4, 1],
    [32, 8, 2],
];

/// Where sums and products wrap.
const EDGES: [u64; 16] = [
    0,
    1,
    2,
    3,
    5,
    31,
    32,
    0x7fff_ffff,
    0x7fff_fff0,
    0x8000_0000,
    0xffff_ffff,
    0xffff_fff1,
    1 << 32,
    1 << 63,
    u64::MAX,
    u64::MAX - 40,
];

/// Registers of each width.
const REGISTERS: usize = 24;

/// Operations on words, by their PTX and what they give.
type Word = (&'static str, fn(u32, u32, u32) -> u32);
const WORDS: [Word; 22] = [
    ("add.u32 D, A, B", |a, b, _| a.wrapping_add(b)),
    ("sub.u32 D, A, B", |a, b, _| a.wrapping_sub(b)),
    ("mul.lo.u32 D, A, B", |a, b, _| a.wrapping_mul(b)),
    ("mad.lo.u32 D, A, B, C", |a, b, c| {
        a.wrapping_mul(b).wrapping_add(c)
    }),
    ("neg.s32 D, A", |a, _, _| a.wrapping_neg()),
    ("not.b32 D, A", |a, _, _| !a),
    ("mov.u32 D, A", |a, _, _| a),
    ("and.b32 D, A, B", |a, b, _| a & b),
    ("or.b32 D, A, B", |a, b, _| a | b),
    ("xor.b32 D, A, B", |a, b, _| a ^ b),
    ("and.b32 D, A, 7", |a, _, _| a & 7),
    ("and.b32 D, A, 15", |a, _, _| a & 15),
    ("xor.b32 D, A, 85", |a, _, _| a ^ 85),
    ("or.b32 D, A, 4096", |a, _, _| a | 4096),
    ("shl.b32 D, A, 3", |a, _, _| a << 3),
    ("shl.b32 D, A, B", |a, b, _| a.checked_shl(b).unwrap_or(0)),
    ("shr.u32 D, A, 4", |a, _, _| a >> 4),
    ("shr.s32 D, A, 3", |a, _, _| (a as i32 >> 3) as u32),
    ("bfe.u32 D, A, 2, 3", |a, _, _| (a >> 2) & 7),
    ("min.s32 D, A, B", |a, b, _| (a as i32).min(b as i32) as u32),
    ("max.u32 D, A, B", |a, b, _| a.max(b)),
    ("popc.b32 D, A", |a, _, _| a.count_ones()),
];

/// Operations on longs.
type Long = (&'static str, fn(u64, u64, u64) -> u64);
const LONGS: [Long; 13] = [
    ("add.u64 D, A, B", |a, b, _| a.wrapping_add(b)),
    ("sub.u64 D, A, B", |a, b, _| a.wrapping_sub(b)),
    ("mul.lo.u64 D, A, B", |a, b, _| a.wrapping_mul(b)),
    ("mad.lo.u64 D, A, B, C", |a, b, c| {
        a.wrapping_mul(b).wrapping_add(c)
    }),
    ("neg.s64 D, A", |a, _, _| a.wrapping_neg()),
    ("and.b64 D, A, B", |a, b, _| a & b),
    ("or.b64 D, A, B", |a, b, _| a | b),
    ("xor.b64 D, A, 12", |a, _, _| a ^ 12),
    ("and.b64 D, A, 24", |a, _, _| a & 24),
    ("shl.b64 D, A, 2", |a, _, _| a << 2),
    ("shr.u64 D, A, 1", |a, _, _| a >> 1),
    ("shr.s64 D, A, 33", |a, _, _| (a as i64 >> 33) as u64),
    ("mov.u64 D, A", |a, _, _| a),
];

/// Operations from words to longs: `A`, `B` are words, `C` is a long.
type Widening = (&'static str, fn(u32, u32, u64) -> u64);
const WIDENINGS: [Widening; 6] = [
    ("cvt.u64.u32 D, A", |a, _, _| u64::from(a)),
    ("cvt.s64.s32 D, A", |a, _, _| i64::from(a as i32) as u64),
    ("mul.wide.u32 D, A, B", |a, b, _| {
        u64::from(a) * u64::from(b)
    }),
    ("mul.wide.s32 D, A, B", |a, b, _| {
        (i64::from(a as i32) * i64::from(b as i32)) as u64
    }),
    ("mad.wide.u32 D, A, B, C", |a, b, c| {
        (u64::from(a) * u64::from(b)).wrapping_add(c)
    }),
    ("mad.wide.s32 D, A, 12, C", |a, _, c| {
        (i64::from(a as i32) * 12).wrapping_add(c as i64) as u64
    }),
];

/// Comparisons, of words and of longs.
type Comparison = (&'static str, fn(u64, u64) -> bool);
const COMPARISONS: [Comparison; 10] = [
    ("setp.lt.u32 %p1, A, B", |a, b| (a as u32) < b as u32),
    ("setp.ge.u32 %p1, A, B", |a, b| a as u32 >= b as u32),
    ("setp.lt.s32 %p1, A, B", |a, b| (a as i32) < b as i32),
    ("setp.gt.s32 %p1, A, B", |a, b| a as i32 > b as i32),
    ("setp.eq.u32 %p1, A, B", |a, b| a as u32 == b as u32),
    ("setp.ne.s32 %p1, A, B", |a, b| a as u32 != b as u32),
    ("setp.lt.u64 %p1, A, B", |a, b| a < b),
    ("setp.ge.u64 %p1, A, B", |a, b| a >= b),
    ("setp.le.s64 %p1, A, B", |a, b| a as i64 <= b as i64),
    ("setp.eq.s64 %p1, A, B", |a, b| a == b),
];

/// What a thread holds.
#[derive(Clone)]
struct Thread {
    words: [u32; REGISTERS],
    longs: [u64; REGISTERS],
    holds: bool,
}

/// One instruction of a random kernel.
#[derive(Debug, Clone, Copy)]
enum Step {
    Word(usize),
    Long(usize),
    Widen(usize),
    /// `cvt.u32.u64`
    Narrow,
    Compare(usize),
    SelectWord,
    SelectLong,
}

/// An instruction, its registers, and whether the predicate guards it (`Some(negated)`).
#[derive(Debug, Clone, Copy)]
struct Line {
    step: Step,
    d: usize,
    s: [usize; 3],
    guard: Option<bool>,
}

impl Line {
    fn random(random: &mut Random) -> Self {
        let mut below = |limit: usize| random.below(limit as u64) as usize;
        let step = match below(16) {
            0..=5 => Step::Word(below(WORDS.len())),
            6..=8 => Step::Long(below(LONGS.len())),
            9..=11 => Step::Widen(below(WIDENINGS.len())),
            12 => Step::Narrow,
            13 => Step::Compare(below(COMPARISONS.len())),
            14 => Step::SelectWord,
            _ => Step::SelectLong,
        };
        let registers = [(); 4].map(|()| below(REGISTERS));
        let guard = match below(6) {
            0 => Some(below(2) == 0),
            _ => None,
        };
        Self {
            step,
            d: registers[0],
            s: [registers[1], registers[2], registers[3]],
            guard: guard.filter(|_| !matches!(step, Step::Compare(_))),
        }
    }

    fn text(&self) -> String {
        let (pattern, d, ab, c) = match self.step {
            Step::Word(op) => (WORDS[op].0, "%r", "%r", "%r"),
            Step::Long(op) => (LONGS[op].0, "%rd", "%rd", "%rd"),
            Step::Widen(op) => (WIDENINGS[op].0, "%rd", "%r", "%rd"),
            Step::Narrow => ("cvt.u32.u64 D, A", "%r", "%rd", "%rd"),
            Step::Compare(op) if COMPARISONS[op].0.contains("64") => {
                (COMPARISONS[op].0, "%rd", "%rd", "%rd")
            }
            Step::Compare(op) => (COMPARISONS[op].0, "%r", "%r", "%r"),
            Step::SelectWord => ("selp.b32 D, A, B, %p1", "%r", "%r", "%r"),
            Step::SelectLong => ("selp.b64 D, A, B, %p1", "%rd", "%rd", "%rd"),
        };
        let guard = match self.guard {
            Some(true) => "@!%p1 ",
            Some(false) => "@%p1 ",
            None => "",
        };
        let (opcode, operands) = pattern.split_once(' ').unwrap();
        let operands = operands
            .replace('D', &format!("{d}{}", self.d))
            .replace('A', &format!("{ab}{}", self.s[0]))
            .replace('B', &format!("{ab}{}", self.s[1]))
            .replace('C', &format!("{c}{}", self.s[2]));
        format!("{guard}{opcode} {operands};\n")
    }

    fn run(&self, thread: &mut Thread) {
        if self.guard.is_some_and(|negated| thread.holds == negated) {
            return;
        }
        let [a, b, c] = self.s.map(|register| thread.words[register]);
        let [x, y, z] = self.s.map(|register| thread.longs[register]);
        match self.step {
            Step::Word(op) => thread.words[self.d] = WORDS[op].1(a, b, c),
            Step::Long(op) => thread.longs[self.d] = LONGS[op].1(x, y, z),
            Step::Widen(op) => thread.longs[self.d] = WIDENINGS[op].1(a, b, z),
            Step::Narrow => thread.words[self.d] = x as u32,
            Step::Compare(op) if COMPARISONS[op].0.contains("64") => {
                thread.holds = COMPARISONS[op].1(x, y);
            }
            Step::Compare(op) => thread.holds = COMPARISONS[op].1(a.into(), b.into()),
            Step::SelectWord => thread.words[self.d] = if thread.holds { a } else { b },
            Step::SelectLong => thread.longs[self.d] = if thread.holds { x } else { y },
        }
    }
}

/// The special registers that the kernels start from.
const STARTS: [&str; 8] = [
    "%tid.x", "%tid.y", "%tid.z", "%ctaid.x", "%ntid.x", "%laneid", "%warpid", "%ctaid.y",
];

fn starts(block: [u32; 3], place: [u32; 2], thread: u32) -> [u32; 8] {
    let [x, y, _] = block;
    [
        thread % x,
        thread / x % y,
        thread / x / y,
        place[0],
        x,
        thread % 32,
        thread / 32,
        place[1],
    ]
}

/// A kernel that starts from special registers, constants and a word of its own, and stores all its registers.
fn kernel(lines: &[Line], constants: &[u64]) -> String {
    let mut text = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {{\n\
         .reg .pred %p<4>;\n.reg .b32 %r<{REGISTERS}>;\n.reg .b32 %t<9>;\n.reg .b64 %rd<{REGISTERS}>;\n\
         .reg .b64 %a<9>;\n\
         mov.u32 %t1, %tid.x; mov.u32 %t2, %tid.y; mov.u32 %t3, %tid.z; mov.u32 %t4, %ntid.x; mov.u32 %t5, %ntid.y;\n\
         mad.lo.u32 %t2, %t3, %t5, %t2; mad.lo.u32 %t1, %t2, %t4, %t1;\n\
         mov.u32 %t2, %ntid.z; mul.lo.u32 %t2, %t2, %t5; mul.lo.u32 %t2, %t2, %t4; mov.u32 %t3, %ctaid.y;\n\
         mov.u32 %t4, %nctaid.x; mov.u32 %t5, %ctaid.x; mad.lo.u32 %t3, %t3, %t4, %t5;\n\
         mad.lo.u32 %t1, %t3, %t2, %t1;\n\
         ld.param.u64 %a1, [in]; mad.wide.u32 %a1, %t1, 4, %a1; ld.param.u64 %a2, [out];\n\
         mad.wide.u32 %a2, %t1, {}, %a2;\n",
        12 * REGISTERS
    );
    for (register, start) in STARTS.iter().enumerate() {
        text += &format!("mov.u32 %r{register}, {start};\n");
    }
    text += "ld.global.u32 %r8, [%a1];\n";
    for (register, constant) in constants.iter().enumerate().skip(9) {
        text += &format!("mov.u32 %r{register}, {};\n", *constant as u32);
    }
    for (register, constant) in constants.iter().enumerate() {
        text += &match register {
            0..=8 => format!("cvt.u64.u32 %rd{register}, %r{register};\n"),
            _ => format!("mov.u64 %rd{register}, {constant:#x};\n"),
        };
    }
    text += "setp.eq.u32 %p1, %r0, %r0;\n";
    lines.iter().for_each(|line| text += &line.text());
    for register in 0..REGISTERS {
        text += &format!("st.global.u64 [%a2+{}], %rd{register};\n", 8 * register);
        text += &format!(
            "st.global.u32 [%a2+{}], %r{register};\n",
            8 * REGISTERS + 4 * register
        );
    }
    text + "ret;\n}\n"
}

#[test]
fn random_kernels_compute_what_the_host_does() {
    let mut random = Random(2026);
    for case in 0..208usize {
        let block = BLOCKS[case % BLOCKS.len()];
        let grid = [2, 2, 1];
        let lines: Vec<Line> = (0..1 + random.below(60))
            .map(|_| Line::random(&mut random))
            .collect();
        let constants: Vec<u64> = (0..REGISTERS)
            .map(|_| match random.below(3) {
                0 => random.next(),
                _ => EDGES[random.below(16) as usize],
            })
            .collect();
        let text = kernel(&lines, &constants);
        let module = Module::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let threads: u32 = block.iter().product();
        let own: Vec<u32> = (0..4 * threads).map(|_| random.next() as u32).collect();
        let mut gpu = Gpu::default();
        let input = gpu.upload("in", &own);
        let output = gpu.poisoned::<u32>("out", own.len() * 3 * REGISTERS);
        gpu.run(
            &module,
            "k",
            grid,
            block,
            &[Arg::from(input), Arg::from(output)],
        );
        let found: Vec<u32> = gpu.download(output, own.len() * 3 * REGISTERS);
        for (number, found) in found.chunks_exact(3 * REGISTERS).enumerate() {
            let (place, thread) = (number as u32 / threads, number as u32 % threads);
            let mut expected = Thread {
                words: std::array::from_fn(|register| constants[register] as u32),
                longs: std::array::from_fn(|register| constants[register]),
                holds: true,
            };
            expected.words[..8].copy_from_slice(&starts(block, [place % 2, place / 2], thread));
            expected.words[8] = own[number];
            for register in 0..9 {
                expected.longs[register] = expected.words[register].into();
            }
            lines.iter().for_each(|line| line.run(&mut expected));
            let longs = expected
                .longs
                .iter()
                .flat_map(|long| [*long as u32, (*long >> 32) as u32]);
            let expected: Vec<u32> = longs.chain(expected.words).collect();
            assert_eq!(
                found, expected,
                "case {case}, block {block:?}, thread {thread}\n{text}"
            );
        }
    }
}

/// Loads and stores at `base + (t & 31 >> SHIFT) * far + (t & ((1 << SHIFT) - 1)) * near + (t >> 5) * warp`.
const ACCESS: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to, .param .u64 out, .param .u64 base, .param .s64 far, .param .s64 near,
    .param .s64 warp) {
    .shared .align 16 .b8 tile[32768];
    .reg .b32 %r<9>; .reg .b64 %rd<19>; .reg .TYPE %v<4>;
    ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to]; ld.param.u64 %rd3, [out]; ld.param.u64 %rd4, [base];
    ld.param.u64 %rd5, [far]; ld.param.u64 %rd6, [near]; ld.param.u64 %rd7, [warp];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31; shr.u32 %r2, %r2, SHIFT; cvt.u64.u32 %rd8, %r2;
    and.b32 %r3, %r1, NEAR; cvt.u64.u32 %rd9, %r3;
    shr.u32 %r4, %r1, 5; cvt.u64.u32 %rd10, %r4;
    mad.lo.s64 %rd11, %rd8, %rd5, %rd4; mad.lo.s64 %rd11, %rd9, %rd6, %rd11; mad.lo.s64 %rd11, %rd10, %rd7, %rd11;
    FILL
    add.s64 %rd12, %rd1, %rd11; add.s64 %rd13, %rd2, %rd11;
    mad.wide.u32 %rd14, %r1, 16, %rd3;
    ld.SPACE.VALUE, [%rd12];
    st.SPACE.VALUE2;
    st.global.VALUE3;
    ret;
}
";

fn access(bytes: u32, shared: bool, shift: u32) -> Module {
    let (ty, values, parts) = match bytes {
        4 => ("b32", "u32", "%v0"),
        8 => ("b64", "u64", "%v0"),
        9 => ("b32", "v2.u32", "{%v0, %v1}"),
        17 => ("b64", "v2.u64", "{%v0, %v1}"),
        _ => ("b32", "v4.u32", "{%v0, %v1, %v2, %v3}"),
    };
    let fill = "mov.u64 %rd1, tile; mov.u64 %rd2, tile;";
    let text = ACCESS
        .replace("TYPE", ty)
        .replace("SHIFT", &shift.to_string())
        .replace("NEAR", &((1 << shift) - 1).to_string())
        .replace("FILL", if shared { fill } else { "" })
        .replace("SPACE", if shared { "shared" } else { "global" })
        .replace("VALUE2", &format!("{values} [%rd13], {parts}"))
        .replace("VALUE3", &format!("{values} [%rd14], {parts}"))
        .replace("VALUE", &format!("{values} {parts}"));
    Module::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn accesses_in_a_pattern_count_by_the_rules_and_move_the_right_words() {
    let mut random = Random(77);
    for case in 0..1500 {
        let width = [4u64, 8, 9, 16, 17][case % 5];
        let bytes = width & !1;
        let shared = random.below(2) == 0;
        let shift = 1 + random.below(5) as u32;
        let steps = [0, 0, 1, 1, 2, 3, 4, 5, 8, 16, 17, 32, 33, 64];
        let mut step = |limit: u64| {
            let step = (steps[random.below(14) as usize] * bytes).min(limit / bytes * bytes) as i64;
            if random.below(4) == 0 { -step } else { step }
        };
        let (far, near, warp) = (step(900), step(500), step(200));
        let base = 16 * 800 + bytes * random.below(16);
        let threads = [32u32, 256, 100, 512][random.below(4) as usize];
        let offset = |thread: u32| {
            let lane = i64::from(thread % 32);
            let near_lane = lane & ((1 << shift) - 1);
            let offset = (lane >> shift) * far + near_lane * near + i64::from(thread / 32) * warp;
            base.wrapping_add(offset as u64)
        };
        // All of it within 32 KiB.
        if (0..threads).any(|thread| offset(thread) > 32768 - 16) {
            continue;
        }
        let mut gpu = Gpu::default();
        // It reads shared memory that nobody has written to: only where, not what, is of interest.
        gpu.options.check = false;
        let input: Vec<u32> = (0..8192u32)
            .map(|at| at.wrapping_mul(0x9e37_79b9))
            .collect();
        let from = gpu.upload("from", &input);
        let to = gpu.poisoned::<u32>("to", 8192);
        let out = gpu.poisoned::<u32>("out", 4 * threads as usize);
        let args = [from, to, out, base, far as u64, near as u64, warp as u64].map(Arg::from);
        let module = access(width as u32, shared, shift);
        let report = gpu.run(&module, "k", [1, 1, 1], [threads, 1, 1], &args);
        let (stored, outs): (Vec<u32>, Vec<u32>) = (
            gpu.download(to, 8192),
            gpu.download(out, 4 * threads as usize),
        );
        let mut expected = vec![0xdead_beef; 8192];
        for thread in 0..threads {
            let first = offset(thread) as usize / 4;
            let words = first..first + bytes as usize / 4;
            if !shared {
                expected[words.clone()].copy_from_slice(&input[words.clone()]);
                let at = 4 * thread as usize;
                assert_eq!(
                    &outs[at..at + words.len()],
                    &input[words],
                    "case {case}, thread {thread}"
                );
            }
        }
        assert_eq!(
            stored, expected,
            "case {case}: width {width}, {far} {near} {warp}"
        );
        let (mut requests, mut touched, mut loads, mut stores, mut conflicts) = (0, 0, 0, 0, 0);
        for warp in 0..threads.div_ceil(32) {
            let addresses: [Option<u64>; 32] = std::array::from_fn(|lane| {
                let thread = 32 * warp + lane as u32;
                (thread < threads).then(|| offset(thread))
            });
            requests += 1;
            touched += u64::from(sectors(&addresses, bytes as u32));
            let wavefronts =
                |is_store| u64::from(shared_wavefronts(&addresses, bytes as u32, is_store));
            loads += wavefronts(false);
            stores += wavefronts(true);
            conflicts +=
                wavefronts(true) - u64::from(fewest_wavefronts(&addresses, bytes as u32, true));
        }
        let counters = report.counters;
        let what =
            format!("case {case}: width {width}, {far} {near} {warp}, shift {shift}, {threads}");
        if shared {
            assert_eq!(counters.shared_load_wavefronts, loads, "{what}");
            assert_eq!(counters.shared_store_wavefronts, stores, "{what}");
            assert_eq!(counters.shared_store_bank_conflicts, conflicts, "{what}");
        } else {
            assert_eq!(counters.global_load_requests, requests, "{what}");
            assert_eq!(counters.global_load_sectors, touched, "{what}");
        }
    }
}

/// A loop that never ends is found out though it never runs long without a barrier.
#[test]
fn an_endless_loop_around_a_barrier_is_found() {
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\nL:\nbar.sync 0;\nbra L;\n}\n";
    let mut gpu = Gpu::default();
    gpu.options.instruction_budget = 3000;
    let report = gpu.launch(
        &Module::load(text).unwrap(),
        "k",
        [2, 1, 1],
        [80, 1, 1],
        0,
        &[],
    );
    let kinds: Vec<_> = report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [cornerturn_emulator::FindingKind::EndlessLoop]);
}
