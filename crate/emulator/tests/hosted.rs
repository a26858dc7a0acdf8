//! Memory and variables that a host shares with kernels: words lent to buffers, variables of several modules, constants.

use cornerturn_emulator::{
    Arg, FindingKind, Launch, Memory, MemoryError, Module, Options, Report, Space, VARIABLES,
    VARIABLES_BYTES, launch,
};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Adds the constant `step` and what `from` points to, to the variable `sum`, and stores the sum at `out`.
const PTX: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 sum = 5;
.const .align 1 .b8 pad[3] = {1, 2, 3};
.const .align 4 .u32 step = 7;
.visible .entry add(.param .u64 from, .param .u64 out) {
    .reg .b32 %r<5>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [out];
    ld.global.u32 %r1, [%rd1];
    ld.const.u32 %r2, [step];
    add.u32 %r3, %r1, %r2;
    ld.global.u32 %r4, [sum];
    add.u32 %r3, %r3, %r4;
    st.global.u32 [sum], %r3;
    st.global.u32 [%rd2], %r3;
    ret;
}";

fn run(module: &Module, memory: &Memory, arguments: [u64; 2]) -> Report {
    let args = arguments.map(Arg::from);
    let job = Launch {
        entry: "add",
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared_bytes: 0,
        args: &args,
    };
    let options = Options {
        check: true,
        ..Options::default()
    };
    launch(module, memory, &job, &options).expect("a launch that fits")
}

fn words(count: u32) -> &'static [AtomicU32] {
    (0..count).map(AtomicU32::new).collect::<Vec<_>>().leak()
}

fn address(module: &Module, name: &str) -> (Space, u64) {
    let mut variables = module.variables().iter();
    let found = variables.find(|variable| variable.name == name);
    found
        .map(|found| (found.space, found.address))
        .expect("a variable")
}

#[test]
fn kernels_work_on_words_of_the_host() {
    let (words, mut memory) = (words(4), Memory::new());
    let base = 0x7200_0000_0000;
    memory
        .adopt(("lent", true), base, 16, words)
        .expect("a free address");
    let module = Module::load(PTX).expect("PTX");
    let report = run(&module, &memory, [base + 12, base]);
    assert_eq!(report.findings, []);
    assert_eq!(words[0].load(Relaxed), 3 + 7 + 5);
    words[3].store(100, Relaxed);
    run(&module, &memory, [base + 12, base + 4]);
    assert_eq!(words[1].load(Relaxed), 100 + 7 + 15);
    // One past its end is nobody's.
    let report = run(&module, &memory, [base + 16, base]);
    assert_eq!(report.findings[0].kind, FindingKind::OutOfBounds);
    // Buffers that are allocated come behind it; the words outlive the buffer.
    assert!(memory.allocate(4, "own").expect("room") > base);
    memory.free(base).expect("the buffer");
    assert_eq!(words[1].load(Relaxed), 100 + 7 + 15);
}

#[test]
fn what_the_host_has_not_written_is_found() {
    let mut memory = Memory::new();
    let base = 0x7200_0000_0000;
    memory
        .adopt(("lent", false), base, 16, words(4))
        .expect("a free address");
    let module = Module::load(PTX).expect("PTX");
    let kinds = |report: Report| report.findings.iter().map(|f| f.kind).collect::<Vec<_>>();
    let found = kinds(run(&module, &memory, [base + 12, base]));
    assert_eq!(found, [FindingKind::Uninitialized]);
    memory.note_written(base + 12, 3).expect("in range");
    let found = kinds(run(&module, &memory, [base + 12, base]));
    assert_eq!(found, [FindingKind::Uninitialized]);
    memory.note_written(base + 12, 4).expect("in range");
    assert_eq!(kinds(run(&module, &memory, [base + 12, base])), []);
}

#[test]
fn buffers_never_share_an_address() {
    let mut memory = Memory::new();
    let base = 0x7200_0000_0000;
    let mut adopt = |base, bytes| memory.adopt(("lent", true), base, bytes, words(4));
    assert_eq!(adopt(base, 16), Ok(()));
    let taken = |address| Err(MemoryError::Taken { address });
    assert_eq!(adopt(base, 16), taken(base));
    assert_eq!(adopt(base + 12, 8), taken(base + 12));
    assert_eq!(adopt(base - 4, 8), taken(base - 4));
    assert_eq!(adopt(base + 17, 8), taken(base + 17));
    assert_eq!(adopt(0x7f00_0000_0000, 8), taken(0x7f00_0000_0000));
    assert_eq!(adopt(base - 8, 8), Ok(()));
    assert_eq!(adopt(base + 16, 8), Ok(()));
    let address = base + 64;
    let short = MemoryError::OutOfRange { address, bytes: 17 };
    assert_eq!(adopt(address, 17), Err(short));
}

#[test]
fn variables_of_modules_lie_in_one_memory() {
    let mut memory = Memory::new();
    let mut first = Module::load(PTX).expect("PTX");
    let mut second = Module::load_at(PTX, VARIABLES + VARIABLES_BYTES).expect("PTX");
    let theirs = VARIABLES + VARIABLES_BYTES;
    let shared = words(1);
    let ours = (VARIABLES, shared);
    let outside = MemoryError::OutOfRange {
        address: theirs,
        bytes: 4,
    };
    assert_eq!(second.share_variables(&mut memory, ours), Err(outside));
    assert_eq!(first.share_variables(&mut memory, ours), Ok(()));
    let others = (theirs, words(1));
    assert_eq!(second.share_variables(&mut memory, others), Ok(()));
    assert_eq!(shared[0].load(Relaxed), 5);
    let mut third = Module::load(PTX).expect("PTX");
    let address = VARIABLES;
    let taken = MemoryError::Taken { address };
    assert_eq!(third.share_variables(&mut memory, ours), Err(taken));
    assert_eq!(self::address(&first, "sum"), (Space::Global, VARIABLES));
    let (_, theirs) = self::address(&second, "sum");
    // A kernel of the first module reads a variable of the second.
    memory.write(theirs, &[50, 0, 0, 0]).expect("in range");
    let report = run(&first, &memory, [theirs, theirs]);
    assert_eq!(report.findings, []);
    let mut sum = [0; 4];
    memory.read(theirs, &mut sum).expect("in range");
    assert_eq!(u32::from_le_bytes(sum), 50 + 7 + 5);
    assert_eq!(shared[0].load(Relaxed), 62);
}

#[test]
fn the_host_writes_constants() {
    let mut memory = Memory::new();
    let out = memory.allocate(4, "out").expect("room");
    memory.fill(out, 4, 0).expect("in range");
    let mut module = Module::load(PTX).expect("PTX");
    let (space, step) = address(&module, "step");
    assert_eq!((space, step), (Space::Const, 4));
    module.write_constants(step + 1, &[1]).expect("in range");
    let mut bytes = [0; 8];
    module.read_constants(0, &mut bytes).expect("in range");
    assert_eq!(bytes, [1, 2, 3, 0, 7, 1, 0, 0]);
    assert!(module.write_constants(5, &[0; 4]).is_err());
    assert!(module.read_constants(u64::MAX, &mut bytes).is_err());
    run(&module, &memory, [out, out]);
    let mut sum = [0; 4];
    memory.read(out, &mut sum).expect("in range");
    assert_eq!(u32::from_le_bytes(sum), 0x107 + 5);
}
