//! The bytes that a launch says it has touched, against what shows in memory: a byte is written if it is no poison afterwards, and read if another value of it changes the result.

mod common;

use common::{Gpu, Random};
use cornerturn_emulator::{Arg, Bytes, Module, Options, TouchedBuffer};

/// A kernel, its grid and block, rows and columns.
type Case = (&'static str, [u32; 3], [u32; 3], [u32; 2]);

/// Launches by name of a file of the repository; some cover the matrix, some a part.
const TRANSPOSES: [Case; 5] = [
    ("naive_read", [2, 1, 1], [32, 32, 1], [13, 35]),
    ("padded", [1, 1, 1], [32, 8, 1], [9, 35]),
    ("tiled", [2, 2, 1], [32, 8, 1], [33, 35]),
    ("copy", [2, 1, 1], [32, 8, 1], [3, 37]),
    ("float4_padded", [1, 1, 1], [8, 32, 1], [12, 36]),
];

/// Counts by bytes and by atomics: `counts[input[i]] += 1`, `marks[i] = 7` for every third i.
const COUNTS: &str = ".version 8.0\n.target sm_75\n.address_size 64\n\
    .visible .entry counts(.param .u64 input, .param .u64 counts, .param .u64 marks)\n{\n\
    .reg .pred %p<2>;\n.reg .b16 %h<2>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<9>;\n\
    ld.param.u64 %rd1, [input];\nld.param.u64 %rd2, [counts];\nld.param.u64 %rd3, [marks];\n\
    mov.u32 %r1, %tid.x;\ncvt.u64.u32 %rd4, %r1;\nadd.s64 %rd5, %rd1, %rd4;\n\
    ld.global.u8 %r2, [%rd5];\nmul.wide.u32 %rd6, %r2, 4;\nadd.s64 %rd7, %rd2, %rd6;\n\
    red.global.add.u32 [%rd7], 1;\nrem.u32 %r3, %r1, 3;\nsetp.ne.u32 %p1, %r3, 0;\n\
    add.s64 %rd8, %rd3, %rd4;\n@%p1 bra $done;\nmov.u16 %h1, 7;\nst.global.u8 [%rd8], %h1;\n$done: ret;\n}\n";

fn flags(bytes: &Bytes, length: usize) -> Vec<bool> {
    let mut flags = vec![false; length];
    for range in bytes.ranges() {
        flags[range.start as usize..range.end as usize].fill(true);
    }
    flags
}

fn gpu() -> Gpu {
    let mut gpu = Gpu::default();
    gpu.options = Options {
        touched: true,
        ..gpu.options
    };
    gpu
}

fn of<'t>(touched: &'t [TouchedBuffer], name: &str) -> &'t TouchedBuffer {
    touched
        .iter()
        .find(|touched| touched.name == name)
        .expect("a buffer that was touched")
}

#[test]
fn what_is_read_and_written_is_what_is_said() {
    for (name, grid, block, [rows, columns]) in TRANSPOSES {
        let file = format!(
            "{}/../../kernels/transpose/{name}.ptx",
            env!("CARGO_MANIFEST_DIR")
        );
        let module = Module::load(&std::fs::read_to_string(file).expect("a kernel")).expect("PTX");
        let length = 4 * (rows * columns) as usize;
        let mut random = Random(7);
        let input: Vec<u8> = (0..length).map(|_| random.next() as u8 | 1).collect();
        let run = |input: &[u8], poison: u8| {
            let mut gpu = gpu();
            let from = gpu.upload("input", input);
            let to = gpu.upload("output", &vec![poison; length]);
            let args = [from.into(), to.into(), rows.into(), columns.into()];
            let report = gpu.run(&module, name, grid, block, &args);
            (gpu.download::<u8>(to, length), report.touched)
        };
        let (one, touched) = run(&input, 0x5a);
        let (two, _) = run(&input, 0xa5);
        let written: Vec<bool> = one
            .iter()
            .zip(&two)
            .map(|(one, two)| (*one, *two) != (0x5a, 0xa5))
            .collect();
        let read = (0..length).map(|at| {
            let mut other = input.clone();
            other[at] ^= 0xff;
            run(&other, 0x5a).0 != one
        });
        let read: Vec<bool> = read.collect();
        let (input, output) = (of(&touched, "input"), of(&touched, "output"));
        assert_eq!(flags(&input.read, length), read, "{name}");
        assert_eq!(flags(&output.written, length), written, "{name}");
        assert!(input.written.is_empty() && output.read.is_empty(), "{name}");
        assert!(written.contains(&true), "{name}");
    }
}

#[test]
fn bytes_and_atomics_are_told_apart_from_their_words() {
    let module = Module::load(COUNTS).expect("PTX");
    let mut gpu = gpu();
    let values: Vec<u8> = (0..70).map(|i| [3, 5, 9][i % 3]).collect();
    let input = gpu.upload("input", &values);
    let counts = gpu.upload("counts", &[10_u32; 11]);
    let marks = gpu.upload("marks", &[1_u8; 70]);
    let args = [input, counts, marks].map(Arg::from);
    let touched = gpu
        .run(&module, "counts", [1, 1, 1], [67, 1, 1], &args)
        .touched;
    assert_eq!(of(&touched, "input").read, Bytes::range(0..67));
    let counts = of(&touched, "counts");
    assert_eq!(counts.read.ranges(), [12..16, 20..24, 36..40]);
    assert_eq!(counts.written, counts.read);
    let thirds: Vec<_> = (0..67).step_by(3).map(|at| at..at + 1).collect();
    assert_eq!(of(&touched, "marks").written.ranges(), thirds);
    // Nobody asked, nothing is told.
    let silent = Gpu::default();
    assert!(!silent.options.touched);
}

#[test]
fn what_is_outside_of_buffers_is_in_none() {
    let module = Module::load(COUNTS).expect("PTX");
    let mut gpu = gpu();
    let input = gpu.upload("input", &[1_u8; 40]);
    let counts = gpu.upload("counts", &[1_u32; 3]);
    let marks = gpu.upload("marks", &[1_u8; 70]);
    let args = [input, counts, marks].map(Arg::from);
    let report = gpu.launch(&module, "counts", [1, 1, 1], [64, 1, 1], 0, &args);
    assert!(!report.findings.is_empty());
    assert_eq!(of(&report.touched, "input").read, Bytes::range(0..40));
}

/// Thread 0 waits for the grid before; a barrier lets the others come after it too. `before[i]` is read before, `between[i]`
/// after the wait by thread 0 alone, `after[i]` behind the barrier.
const DEPENDENT: &str = ".version 8.0\n.target sm_90\n.address_size 64\n\
    .visible .entry dependent(.param .u64 before, .param .u64 between, .param .u64 after)\n{\n\
    .reg .pred %p<2>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<9>;\n\
    ld.param.u64 %rd1, [before];\nld.param.u64 %rd2, [between];\nld.param.u64 %rd3, [after];\n\
    mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd5, %rd1, %rd4;\nld.global.u32 %r2, [%rd5];\n\
    TRIGGER\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra $other;\ngriddepcontrol.wait;\n$other:\n\
    add.s64 %rd6, %rd2, %rd4;\nst.global.u32 [%rd6], %r2;\nbar.sync 0;\n\
    add.s64 %rd7, %rd3, %rd4;\nst.global.u32 [%rd7], %r2;\nret;\n}\n";

#[test]
fn what_comes_before_the_wait_is_told_thread_by_thread() {
    let threads = 70_u32;
    let run = |text: &str, programmatic: bool| {
        let module = Module::load(text).expect("PTX");
        let mut gpu = gpu();
        gpu.options.programmatic = programmatic;
        let buffers =
            ["before", "between", "after"].map(|name| gpu.upload(name, &[7_u32; 70]).into());
        let report = gpu.run(&module, "dependent", [1, 1, 1], [threads, 1, 1], &buffers);
        assert!(report.touched.len() == 3, "{:?}", report.touched);
        report.early
    };
    let late = DEPENDENT.replace("TRIGGER", "");
    assert_eq!(run(&late, false), None);
    let early = run(&late, true).expect("it is programmatic");
    assert_eq!(
        of(&early.touched, "before").read.ranges(),
        std::slice::from_ref(&(0..280))
    );
    // Thread 0 has waited, the others have not.
    assert_eq!(
        of(&early.touched, "between").written.ranges(),
        std::slice::from_ref(&(4..280))
    );
    assert!(early.touched.iter().all(|touched| touched.name != "after"));
    assert!(early.waits && early.holds_next);
    let triggers = DEPENDENT.replace("TRIGGER", "griddepcontrol.launch_dependents;");
    let early = run(&triggers, true).expect("it is programmatic");
    assert!(early.waits && !early.holds_next);
    let never = late.replace("griddepcontrol.wait;", "");
    let early = run(&never, true).expect("it is programmatic");
    assert!(!early.waits && !early.holds_next && early.touched.len() == 3);
}
