//! What a kernel prints comes back with every result and every error of a run, each line with its thread.

use cornerturn::{Device, Error, Kernel, Printed, Task};

/// Copies element by element, without a guard; each thread prints "column N" in two calls.
const LOUD: &str = r"
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 taken) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 word[8] = {99, 111, 108, 117, 109, 110, 32, 0};
.global .align 1 .b8 number[4] = {37, 117, 10, 0};
.visible .entry loud(
    .param .u64 in, .param .u64 out, .param .u32 rows, .param .u32 columns
)
{
    .local .align 8 .b8 depot[8];
    .reg .b32 %r<5>;
    .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r1, %r1, %r2, %r3;
    mov.u64 %rd3, depot;
    st.local.u32 [%rd3], %r1;
    cvta.local.u64 %rd4, %rd3;
    mov.u64 %rd5, word;
    cvta.global.u64 %rd5, %rd5;
    mov.u64 %rd6, number;
    cvta.global.u64 %rd6, %rd6;
    {
    .param .b64 first;
    st.param.b64 [first], %rd5;
    .param .b64 second;
    st.param.b64 [second], %rd4;
    .param .b32 taken;
    call.uni (taken), vprintf, (first, second);
    }
    {
    .param .b64 first;
    st.param.b64 [first], %rd6;
    .param .b64 second;
    st.param.b64 [second], %rd4;
    .param .b32 taken;
    call.uni (taken), vprintf, (first, second);
    }
    mul.wide.u32 %rd7, %r1, 4;
    add.s64 %rd8, %rd1, %rd7;
    add.s64 %rd9, %rd2, %rd7;
    ld.global.u32 %r4, [%rd8];
    st.global.u32 [%rd9], %r4;
    ret;
}
";

/// What the lines say for blocks of 32 threads.
fn check(printed: &Printed, lines: usize) {
    let found = printed.lines();
    assert_eq!(found.len(), lines);
    for (column, line) in (0_u32..).zip(found) {
        assert_eq!(line.block, [column / 32, 0, 0]);
        assert_eq!(line.thread, [column % 32, 0, 0]);
        assert_eq!(line.text, format!("column {column}"));
    }
}

#[test]
fn what_a_kernel_prints_comes_with_its_results() {
    let kernel = Kernel::ptx(LOUD, "loud").unwrap();
    let task = Task::transpose(&Device::emulator(), 1, 64).unwrap();
    let run = task.run(&kernel, 2, 32).unwrap();
    check(&run.printed, 64);
    let text = run.to_string();
    let first = "\nthe kernel printed:\nblock (0, 0, 0), thread (0, 0, 0): column 0\n";
    assert!(text.contains(first), "{text}");
    assert!(text.ends_with("column 39\n… (24 more lines)"), "{text}");
    check(&task.check(&kernel, 2, 32).unwrap().printed, 64);
}

#[test]
fn what_a_kernel_prints_comes_with_its_errors() {
    let kernel = Kernel::ptx(LOUD, "loud").unwrap();
    let task = Task::transpose(&Device::emulator(), 1, 64).unwrap();
    let wrong = task.run(&kernel, 1, 32).unwrap_err();
    let Error::Mismatch { printed, .. } = &wrong else {
        panic!("{wrong}")
    };
    check(printed, 32);
    let text = wrong.to_string();
    assert!(text.ends_with("thread (31, 0, 0): column 31"), "{text}");
    let outside = task.run(&kernel, 3, 32).unwrap_err();
    let Error::Kernel { printed, .. } = &outside else {
        panic!("{outside}")
    };
    check(printed, 96);
    assert!(outside.to_string().contains("\nthe kernel printed:\n"));
}
