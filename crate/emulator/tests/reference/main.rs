//! What every computing row of the table must give, by the host's own arithmetic on values at the edges.
//! A row without a reference fails the test. How the operands of other instructions are read is tested elsewhere.

use std::cmp::Ordering;

use cornerturn_emulator::{
    Arg, Launch, Memory, Module, OperandKind as Kind, Operands, Options, Supported, launch,
    supported_instructions,
};

mod float;
mod integer;

/// What an instruction must give.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Want {
    Bits(u64),
    /// Any NaN of the width.
    Nan,
    /// A number within a relative error (and so far from zero at least).
    Near(f64, f64),
    /// The manual leaves it open.
    Any,
}

/// An opcode as written, taken apart.
struct Opcode<'o> {
    name: &'o str,
    modifiers: Vec<&'o str>,
}

impl<'o> Opcode<'o> {
    fn new(text: &'o str) -> Self {
        let mut parts = text.split('.');
        let name = parts.next().unwrap_or("");
        Self {
            name,
            modifiers: parts.collect(),
        }
    }

    fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// The last modifier, which is the type.
    fn ty(&self) -> &'o str {
        self.modifiers.last().copied().unwrap_or("")
    }
}

/// All ways to write an instruction that the assembler takes.
fn spellings(instruction: &Supported) -> Vec<String> {
    let mut texts = instruction.spellings();
    // `xorsign` goes with `abs`.
    texts.retain(|text| text.contains("xorsign") == text.contains("xorsign.abs"));
    texts.retain(|text| {
        text.starts_with("abs") || text.contains("xorsign") || !text.contains(".abs")
    });
    texts
}

const WORDS: [u64; 22] = [
    0,
    1,
    2,
    3,
    5,
    7,
    15,
    16,
    31,
    32,
    33,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1234_5678,
    0xdead_beef,
];
const LONGS: [u64; 14] = [
    0,
    1,
    2,
    31,
    63,
    64,
    65,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
    0x0123_4567_89ab_cdef,
    0xfedc_ba98_7654_3210,
];
const SINGLES: [f32; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.5,
    -2.5,
    0.1,
    3.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MIN_POSITIVE,
    1e-40,
    -1e-45,
    f32::MAX,
    f32::MIN,
    1e10,
    -1e-10,
    16777217.0,
    0.333_333_34,
    88.0,
    -126.5,
];
const DOUBLES: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    3.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MIN_POSITIVE,
    5e-324,
    f64::MAX,
    f64::MIN,
    1e100,
    -1e-100,
    0.333,
];
/// Halves of either format: zeros, ones, subnormals, the largest, infinities, NaN, others.
const HALVES: [u64; 20] = [
    0, 0x8000, 0x3c00, 0xbc00, 0x3f80, 0xbf80, 0x0001, 0x8001, 0x03ff, 0x007f, 0x7bff, 0x7f7f,
    0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7fff, 0x4248, 0xc0a1, 0x3555,
];

/// Values for an operand of a kind.
fn values(opcode: &Opcode, kind: Kind) -> Vec<u64> {
    let half = opcode.modifiers.iter().any(|ty| ty.contains("f16"));
    match kind {
        Kind::Pred => vec![0, 1],
        Kind::Bits16 if opcode.ty().ends_with("x2") && opcode.name == "cvt" => {
            (0..256).map(|x| x << 8 | (255 - x)).collect()
        }
        Kind::Bits16 if half => HALVES.to_vec(),
        Kind::Bits16 => WORDS.iter().map(|value| value & 0xffff).collect(),
        Kind::Bits32 if half => {
            let pairs = HALVES.iter().zip(HALVES.iter().rev().cycle().skip(3));
            pairs.map(|(low, high)| high << 16 | low).collect()
        }
        Kind::Bits32 => WORDS.to_vec(),
        Kind::Bits64 => LONGS.to_vec(),
        Kind::Single => SINGLES
            .iter()
            .map(|value| u64::from(value.to_bits()))
            .collect(),
        Kind::Double => DOUBLES.iter().map(|value| value.to_bits()).collect(),
    }
}

/// All combinations, thinned out where there are too many.
fn cases(opcode: &Opcode, kinds: &[Kind]) -> Vec<[u64; 4]> {
    let mut cases = vec![[0u64; 4]];
    for (at, kind) in kinds.iter().enumerate() {
        let values = values(opcode, *kind);
        let mut longer = Vec::new();
        for case in &cases {
            for value in &values {
                let mut case = *case;
                case[at] = *value;
                longer.push(case);
            }
        }
        // A step that no number of values divides keeps all of them in.
        let step = longer.len().div_ceil(4001);
        cases = longer
            .into_iter()
            .step_by(if step > 1 { step | 1 } else { 1 })
            .collect();
    }
    cases
}

fn register(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Pred => ("pred", "%p"),
        Kind::Bits16 => ("b16", "%h"),
        Kind::Bits32 | Kind::Single => ("b32", "%r"),
        Kind::Bits64 | Kind::Double => ("b64", "%d"),
    }
}

/// A kernel that runs the instruction on a row of four longs per thread and stores the result in the first.
fn kernel(opcode: &str, result: Kind, sources: &[Kind]) -> String {
    let mut body = String::new();
    let mut operands = String::new();
    for (at, kind) in sources.iter().enumerate() {
        let (ty, name) = register(*kind);
        let offset = 8 * at;
        if *kind == Kind::Pred {
            body += &format!("ld.global.b64 %d9, [%d8+{offset}];\nsetp.ne.u64 %p{at}, %d9, 0;\n");
        } else {
            body += &format!("ld.global.{ty} {name}{at}, [%d8+{offset}];\n");
        }
        operands += &format!(", {name}{at}");
    }
    let (_, name) = register(result);
    body += &format!("{opcode} {name}7{operands};\n");
    body += match result {
        Kind::Pred => "selp.b64 %d7, 1, 0, %p7;\n",
        Kind::Bits16 => "cvt.u64.u16 %d7, %h7;\n",
        Kind::Bits32 | Kind::Single => "cvt.u64.u32 %d7, %r7;\n",
        Kind::Bits64 | Kind::Double => "",
    };
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 rows, .param .u32 n) {{\n\
         .reg .pred %p<10>;\n.reg .b16 %h<10>;\n.reg .b32 %r<12>;\n.reg .b64 %d<10>;\n\
         mov.u32 %r8, %ctaid.x;\nmov.u32 %r9, %tid.x;\nmad.lo.u32 %r8, %r8, 128, %r9;\n\
         ld.param.u32 %r9, [n];\nsetp.ge.u32 %p9, %r8, %r9;\n@%p9 exit;\n\
         ld.param.u64 %d8, [rows];\nmad.wide.u32 %d8, %r8, 32, %d8;\n\
         {body}st.global.b64 [%d8], %d7;\nret;\n}}\n"
    )
}

fn run(opcode: &str, result: Kind, sources: &[Kind], cases: &[[u64; 4]]) -> Vec<u64> {
    let text = kernel(opcode, result, sources);
    let module = Module::load(&text).unwrap_or_else(|error| panic!("{opcode}: {error}"));
    let mut memory = Memory::new();
    let rows = memory.allocate(32 * cases.len(), "rows").expect("memory");
    let bytes: Vec<u8> = cases
        .iter()
        .flatten()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    memory.write(rows, &bytes).expect("in bounds");
    let args = [Arg::from(rows), Arg::from(cases.len() as u32)];
    let job = Launch {
        entry: "k",
        grid: [(cases.len() as u32).div_ceil(128), 1, 1],
        block: [128, 1, 1],
        dynamic_shared_bytes: 0,
        args: &args,
    };
    let report = launch(&module, &memory, &job, &Options::default()).expect("a launch");
    assert!(
        report.findings.is_empty(),
        "{opcode}: {:?}",
        report.findings
    );
    let mut found = vec![0; bytes.len()];
    memory.read(rows, &mut found).expect("in bounds");
    let long = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u64::from(*byte))
    };
    found.chunks(32).map(|row| long(&row[..8])).collect()
}

/// Whether the bits found are what is wanted.
fn holds(want: Want, found: u64, opcode: &Opcode, result: Kind) -> bool {
    let number = |bits: u64| match result {
        Kind::Double => f64::from_bits(bits),
        Kind::Bits16 => float::half_of(opcode.ty()).widen(bits),
        _ => f64::from(f32::from_bits(bits as u32)),
    };
    match want {
        Want::Bits(bits) => found == bits,
        Want::Nan => number(found).is_nan(),
        Want::Any => true,
        Want::Near(expected, error) => {
            let found = number(found);
            found == expected || (found - expected).abs() <= error * expected.abs().max(1e-30)
        }
    }
}

#[test]
fn every_computing_row_is_what_the_host_computes() {
    let mut without = Vec::new();
    let mut compared = 0usize;
    for instruction in supported_instructions() {
        // What it takes is opaque: `tests/asynchronous.rs` asks barriers for their counts.
        if instruction.pattern.starts_with("mbarrier.") {
            continue;
        }
        let Some(Operands { result, sources }) = instruction.operands else {
            continue;
        };
        for text in spellings(&instruction) {
            let opcode = Opcode::new(&text);
            let cases = cases(&opcode, sources);
            let expected: Option<Vec<Want>> =
                cases.iter().map(|case| reference(&opcode, case)).collect();
            let Some(expected) = expected else {
                without.push(text);
                continue;
            };
            let found = run(&text, result, sources, &cases);
            for ((case, want), found) in cases.iter().zip(expected).zip(found) {
                let operands = &case[..sources.len()];
                assert!(
                    holds(want, found, &opcode, result),
                    "{text} of {operands:x?} gives {found:#x}, not {want:x?}"
                );
                compared += usize::from(want != Want::Any);
            }
        }
    }
    assert!(without.is_empty(), "no reference for {without:?}");
    assert!(compared > 100_000, "{compared}");
}

fn reference(opcode: &Opcode, case: &[u64; 4]) -> Option<Want> {
    integer::reference(opcode, case).or_else(|| float::reference(opcode, case))
}

/// The order of an exact value and a candidate.
type Compare<'c> = &'c dyn Fn(f64) -> Ordering;
