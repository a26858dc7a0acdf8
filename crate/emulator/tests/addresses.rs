//! Shared addresses have 32 bits: however the parts of a sum are given, it wraps round as on the machine, and what lies just below the first byte is told as that.
#![allow(clippy::unwrap_used)]

mod common;

use common::Gpu;
use cornerturn_emulator::{Arg, Finding, FindingKind, Module};
use proptest::prelude::*;

/// Words of the array.
const WORDS: usize = 256;

/// How a lane's base comes into its register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    /// Loaded, 32 bits.
    Word,
    /// Loaded, 64 bits, of which the upper half is cut off.
    Long,
    /// Computed from the lane's number, 32 bits.
    Row,
    /// The generic address, 64 bits.
    Generic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Load,
    LoadPair,
    Volatile,
    Store,
    Add,
    Reduce,
    Copy,
}

#[derive(Debug, Clone)]
struct Form {
    base: Base,
    act: Act,
    /// Added by the instruction, a multiple of 4.
    offset: i32,
    /// Of the array's words, where lane 0 is and how far the next one is.
    first: usize,
    stride: usize,
    /// Where the lanes are, if they are in no row.
    places: Vec<usize>,
    /// Of a long base.
    upper: u32,
}

impl Form {
    /// The word that a lane means, and how many follow.
    fn word(&self, lane: usize) -> usize {
        let at = match self.base {
            Base::Row => self.first + lane * self.stride,
            _ => self.places[lane],
        };
        if self.act == Act::LoadPair {
            at & !1
        } else {
            at
        }
    }

    fn kernel(&self) -> String {
        let register = match self.base {
            Base::Word | Base::Row => "%base",
            Base::Long | Base::Generic => "%wide",
        };
        let base = match self.base {
            Base::Word => "ld.global.u32 %base, [%in]; add.u32 %base, %base, %s;".to_string(),
            Base::Long => "ld.global.u64 %wide, [%in]; cvt.u64.u32 %more, %s; add.u64 %wide, %wide, %more;".to_string(),
            Base::Row => format!(
                "mad.lo.u32 %base, %lane, {}, {}; add.u32 %base, %base, %s;",
                4 * self.stride,
                (4 * self.word(0) as u32).wrapping_sub(self.offset as u32)
            ),
            Base::Generic => {
                "ld.global.u64 %wide, [%in]; mov.u64 %more, s; cvta.shared.u64 %more, %more; add.u64 %wide, %wide, %more;".to_string()
            }
        };
        let space = if self.base == Base::Generic {
            ""
        } else {
            ".shared"
        };
        let at = format!("[{register}+{}]", self.offset);
        let act = match self.act {
            Act::Load => format!("ld{space}.u32 %got, {at};"),
            Act::LoadPair => format!("ld{space}.v2.u32 {{%pad, %got}}, {at};"),
            Act::Volatile => format!("ld.volatile{space}.u32 %got, {at};"),
            Act::Store => format!("st{space}.u32 {at}, %lane;"),
            Act::Add => format!("atom{space}.add.u32 %got, {at}, 1000;"),
            Act::Reduce => format!("red{space}.add.u32 {at}, 1000;"),
            Act::Copy => format!("cp.async.ca.shared.global {at}, [%in], 4; cp.async.wait_all;"),
        };
        FRAME.replace("BASE", &base).replace("ACT", &act)
    }

    /// The lanes' bases as they lie in memory, 8 bytes each.
    fn bases(&self) -> Vec<u64> {
        let of = |lane: usize| {
            let base = (4 * self.word(lane) as u64).wrapping_sub(i64::from(self.offset) as u64);
            match self.base {
                Base::Generic => base,
                _ => base & 0xffff_ffff | u64::from(self.upper) << 32,
            }
        };
        (0..32).map(of).collect()
    }

    /// What each lane gets, and the array behind it.
    fn expected(&self) -> (Vec<u32>, Vec<u32>) {
        let mut array: Vec<u32> = (0..WORDS as u32).map(|at| 3 * at + 1).collect();
        let mut got = vec![0; 32];
        let bases = self.bases();
        for lane in 0..32 {
            let word = self.word(lane);
            match self.act {
                Act::Load | Act::Volatile => got[lane] = array[word],
                Act::LoadPair => got[lane] = array[word + 1],
                Act::Store => array[word] = lane as u32,
                Act::Add => {
                    got[lane] = array[word];
                    array[word] += 1000;
                }
                Act::Reduce => array[word] += 1000,
                Act::Copy => array[word] = bases[lane] as u32,
            }
        }
        (got, array)
    }
}

const FRAME: &str = ".version 8.0
    .target sm_90
    .address_size 64
    .visible .entry kernel(.param .u64 in, .param .u64 out) {
        .reg .pred %p;
        .reg .b32 %lane, %s, %base, %got, %pad, %at, %value;
        .reg .b64 %in, %out, %wide, %more, %to;
        .shared .align 16 .b8 before[48];
        .shared .align 16 .b8 s[1024];
        .shared .align 16 .b8 behind[48];
        ld.param.u64 %in, [in];
        ld.param.u64 %out, [out];
        mov.u32 %lane, %tid.x;
        mov.u32 %s, s;
        mad.wide.u32 %in, %lane, 8, %in;
        mov.u32 %got, 0;
        mov.u32 %at, %lane;
        FILL:
        mad.lo.u32 %value, %at, 3, 1;
        shl.b32 %pad, %at, 2;
        add.u32 %pad, %pad, %s;
        st.shared.u32 [%pad], %value;
        add.u32 %at, %at, 32;
        setp.lt.u32 %p, %at, 256;
        @%p bra FILL;
        bar.sync 0;
        BASE
        ACT
        bar.sync 0;
        mad.wide.u32 %to, %lane, 4, %out;
        st.global.u32 [%to], %got;
        mov.u32 %at, %lane;
        DRAIN:
        shl.b32 %pad, %at, 2;
        add.u32 %pad, %pad, %s;
        ld.shared.u32 %value, [%pad];
        add.u64 %to, %to, 128;
        st.global.u32 [%to], %value;
        add.u32 %at, %at, 32;
        setp.lt.u32 %p, %at, 256;
        @%p bra DRAIN;
        ret;
    }";

fn run(form: &Form, check: bool) -> (Vec<Finding>, Vec<u32>, Vec<u32>) {
    let text = form.kernel();
    let module = Module::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut gpu = Gpu::default();
    gpu.options.check = check;
    let from = gpu.upload("in", &form.bases());
    let to = gpu.upload("out", &[0u32; 32 + WORDS]);
    let args: [Arg; 2] = [from.into(), to.into()];
    let report = gpu.launch(&module, "kernel", [1, 1, 1], [32, 1, 1], 0, &args);
    let words: Vec<u32> = gpu.download(to, 32 + WORDS);
    (report.findings, words[..32].to_vec(), words[32..].to_vec())
}

fn form() -> impl Strategy<Value = Form> {
    let base = prop_oneof![
        Just(Base::Word),
        Just(Base::Long),
        Just(Base::Row),
        Just(Base::Generic),
    ];
    let act = prop_oneof![
        Just(Act::Load),
        Just(Act::LoadPair),
        Just(Act::Volatile),
        Just(Act::Store),
        Just(Act::Add),
        Just(Act::Reduce),
        Just(Act::Copy),
    ];
    let offset = prop_oneof![
        Just(0i32),
        -300i32..300,
        Just(i32::MAX / 4),
        Just(i32::MIN / 4),
        any::<i32>().prop_map(|offset| offset / 4),
    ];
    let places = Just((0..WORDS / 2).map(|at| 2 * at).collect::<Vec<_>>()).prop_shuffle();
    (
        base,
        act,
        offset,
        0usize..64,
        1usize..4,
        places,
        any::<u32>(),
    )
        .prop_map(|(base, act, offset, first, stride, places, upper)| Form {
            base,
            // A copy goes to shared memory as such, and a pair is aligned.
            act: match (base, act) {
                (Base::Generic, Act::Copy) => Act::Load,
                (Base::Row, Act::LoadPair) => Act::Load,
                (_, act) => act,
            },
            offset: if act == Act::LoadPair {
                offset & !1
            } else {
                offset
            } * 4,
            first,
            stride,
            places,
            upper,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn an_address_of_shared_memory_is_a_sum_of_32_bits(form in form()) {
        for check in [false, true] {
            let (findings, got, array) = run(&form, check);
            let messages: Vec<String> = findings.iter().map(Finding::message).collect();
            prop_assert_eq!(messages, Vec::<String>::new());
            let (expected, behind) = form.expected();
            prop_assert_eq!(&got, &expected);
            prop_assert_eq!(&array, &behind);
        }
    }
}

/// A kernel that loads and stores below an array that lies at the start of shared memory.
fn below(act: &str) -> Finding {
    let text = format!(
        ".version 8.0
        .target sm_90
        .address_size 64
        .visible .entry kernel(.param .u64 out) {{
            .reg .b32 %r<4>;
            .reg .b64 %rd<3>;
            .shared .align 4 .b8 s[256];
            mov.u32 %r0, s;
            mov.u64 %rd0, s;
            mov.u32 %r1, %tid.x;
            shl.b32 %r1, %r1, 2;
            add.u32 %r2, %r0, %r1;
            st.shared.u32 [%r2], %r1;
            bar.sync 0;
            {act}
            ret;
        }}"
    );
    let module = Module::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut gpu = Gpu::default();
    let to = gpu.upload("out", &[0u32; 64]);
    let report = gpu.launch(&module, "kernel", [1, 1, 1], [64, 1, 1], 0, &[to.into()]);
    report.findings.first().unwrap().clone()
}

#[test]
fn an_address_below_the_first_is_before_the_array() {
    let acts = [
        "ld.shared.u32 %r3, [%r0+-4];",
        "ld.shared.u32 %r3, [%rd0+-4];",
        "ld.shared.u32 %r3, [s+-4];",
        "add.u32 %r0, %r0, -4; ld.shared.u32 %r3, [%r0];",
        "add.u32 %r0, %r0, -8; st.shared.u32 [%r0+4], %r1;",
        "add.u32 %r0, %r0, -4; atom.shared.add.u32 %r3, [%r0], 1;",
        "sub.u32 %r2, %r2, 4; ld.volatile.shared.u32 %r3, [%r2];",
    ];
    for act in acts {
        let finding = below(act);
        assert_eq!(finding.kind, FindingKind::OutOfBounds, "{act}");
        let message = finding.message();
        let says = ["4 bytes before the start of `s`", "element -1 of 4 bytes"];
        assert!(
            says.iter().all(|says| message.contains(says)),
            "{act}: {message}"
        );
    }
}

#[test]
fn a_row_further_up_is_so_many_bytes_before_the_array() {
    let message = below("add.u32 %r0, %r0, -1024; ld.shared.u32 %r3, [%r0];").message();
    assert!(
        message.contains("1024 bytes before the start of `s`"),
        "{message}"
    );
    // Far below it is no rank of a cluster either.
    let message = below("add.u32 %r0, %r0, -4000000; ld.shared.u32 %r3, [%r0];").message();
    assert!(
        message.contains("4000000 bytes before the start of `s`"),
        "{message}"
    );
}

// ---- kernels of `check/window.cu`, compiled by nvcc 13.0.88 with `-ptx -arch=sm_90 -lineinfo`, which has shared addresses in 32 bits ----

fn window(entry: &str, block: [u32; 3], first: &[u32], check: bool) -> (Vec<String>, Vec<f32>) {
    let module = Module::load(&common::fixture("check/window.ptx")).unwrap();
    let mut gpu = Gpu::default();
    gpu.options.check = check;
    let from = gpu.upload("x", first);
    let to = gpu.upload("y", &vec![0f32; first.len()]);
    let mut args: Vec<Arg> = vec![from.into(), to.into()];
    let is_sum = entry == "window_sums";
    let grid = if is_sum {
        first.len() as u32 / block[0]
    } else {
        1
    };
    if is_sum {
        args.extend([Arg::from(32i32), Arg::from(first.len() as i32)]);
    }
    let shared = if is_sum { 4 * block[0] } else { 0 };
    let report = gpu.launch(&module, entry, [grid, 1, 1], block, shared, &args);
    let messages = report.findings.iter().map(Finding::message).collect();
    (messages, gpu.download(to, first.len()))
}

#[test]
fn a_window_reaches_back_over_the_start_of_shared_memory_and_on() {
    let values: Vec<f32> = (0..256).map(|at| (at % 11) as f32).collect();
    let bits: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
    for check in [false, true] {
        let (messages, sums) = window("window_sums", [128, 1, 1], &bits, check);
        assert_eq!(messages, Vec::<String>::new());
        for (i, sum) in sums.iter().enumerate() {
            let window = i.saturating_sub(32)..(i + 32).min(256);
            assert_eq!(*sum, values[window].iter().sum::<f32>(), "{i}");
        }
    }
}

#[test]
fn an_index_below_0_is_told_as_one() {
    let says = |entry: &str, block: [u32; 3], first: &[u32], bytes: u32, element: i32| {
        for check in [false, true] {
            let (messages, _) = window(entry, block, first, check);
            let before = format!("{bytes} bytes before the start of `s`");
            let element = format!("element {element} of 4 bytes, the first is 0");
            assert!(
                messages[0].contains(&before) && messages[0].contains(&element),
                "{entry}: {messages:#?}"
            );
        }
    };
    says("before_start", [64, 1, 1], &[u32::MAX; 64], 4, -1);
    says("scan_guard", [64, 1, 1], &[0; 64], 4, -1);
    says("halo", [16, 16, 1], &[0; 256], 64, -16);
}
