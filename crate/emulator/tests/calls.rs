//! Functions that are called, not inlined, and what CUDA's runtime gives to device code: text, assertions, a heap.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, Random, module};
use cornerturn_emulator::{Arg, Detail, Finding, FindingKind, Options, Report};

fn single(report: &Report) -> &Finding {
    assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
    &report.findings[0]
}

fn launch(gpu: &Gpu, entry: &str, grid: u32, block: u32, args: &[Arg]) -> Report {
    gpu.launch(
        &module("calls"),
        entry,
        [grid, 1, 1],
        [block, 1, 1],
        0,
        args,
    )
}

/// Runs an entry that takes an output and a number, and returns the output.
fn results(entry: &str, grid: u32, block: u32, count: usize, number: i32) -> Vec<i32> {
    let mut gpu = Gpu::default();
    let out = gpu.poisoned::<i32>("out", count);
    let args = [out.into(), number.into()];
    let report = launch(&gpu, entry, grid, block, &args);
    assert_eq!(report.findings, []);
    gpu.download(out, count)
}

#[test]
fn lanes_call_virtual_functions_of_objects_on_the_heap() {
    let n = 77;
    let mut gpu = Gpu::default();
    let out = gpu.poisoned::<f32>("out", n);
    let report = launch(
        &gpu,
        "virtual_functions",
        2,
        48,
        &[out.into(), (n as i32).into()],
    );
    assert_eq!(report.findings, []);
    let expected = |i: usize| (i * i * if i.is_multiple_of(3) { 3 } else { 1 }) as f32;
    let found = gpu.download::<f32>(out, n);
    assert_eq!(found, (0..n).map(expected).collect::<Vec<_>>());
}

fn ackermann(m: i32, n: i32) -> i32 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

#[test]
fn lanes_recurse_to_different_depths() {
    let n = 150;
    let expected: Vec<i32> = (0..n).map(|i| ackermann(i % 3, i % 5)).collect();
    assert_eq!(results("ackermanns", 3, 70, n as usize, n), expected);
    let expected: Vec<i32> = (0..n).map(|i| (i % 50 + 1) % 2).collect();
    assert_eq!(results("parity", 3, 70, n as usize, n), expected);
}

#[test]
fn each_thread_sorts_an_array_of_its_own_by_recursion() {
    let threads = 75;
    let mut random = Random(5);
    let values: Vec<i32> = (0..24 * threads)
        .map(|_| random.below(100) as i32 - 50)
        .collect();
    let mut gpu = Gpu::default();
    let rows = gpu.upload("rows", &values);
    let report = launch(
        &gpu,
        "sorts",
        2,
        40,
        &[rows.into(), (threads as i32).into()],
    );
    assert_eq!(report.findings, []);
    let mut expected = values;
    expected.chunks_mut(24).for_each(<[i32]>::sort_unstable);
    assert_eq!(gpu.download::<i32>(rows, 24 * threads), expected);
}

#[test]
fn a_barrier_below_a_recursion_is_one_for_the_block() {
    let (threads, depth) = (230, 3);
    let expected: Vec<i32> = (0..threads)
        .map(|thread| {
            (1..=depth).fold((thread + 1) % threads, |below, depth| {
                below + thread * depth + ((below + depth) & 3)
            })
        })
        .collect();
    let found = results("barrier_below", 1, threads as u32, threads as usize, depth);
    assert_eq!(found, expected);
}

#[test]
fn structures_go_by_value_through_pointers() {
    let n = 45usize;
    let mut gpu = Gpu::default();
    let out = gpu.poisoned::<i64>("out", n);
    let report = launch(&gpu, "pointers", 1, 64, &[out.into(), (n as i32).into()]);
    assert_eq!(report.findings, []);
    let expected: Vec<i64> = (0..n as i64)
        .map(|i| {
            if (i / 2) & 1 == 0 {
                (i + 7 + 2 * i + 8 + 3 * i + (1 << 40)) * 3 + i64::from(b's')
            } else {
                (7 + 2 * i + (1 << 40) - 3 * i) * 5 + i64::from(b't')
            }
        })
        .collect();
    assert_eq!(gpu.download::<i64>(out, n), expected);
}

#[test]
fn a_call_through_a_wild_pointer_is_found() {
    let expected: Vec<i32> = (0..40).map(|i| (i + 1) % 2).collect();
    assert_eq!(results("wild_call", 1, 40, 40, 0), expected);
    let mut gpu = Gpu::default();
    let out = gpu.poisoned::<i32>("out", 40);
    let report = launch(&gpu, "wild_call", 1, 40, &[out.into(), 1i32.into()]);
    let finding = single(&report);
    assert_eq!(finding.kind, FindingKind::InvalidAddress);
    assert_eq!(finding.detail, Detail::Call { is_function: false });
    assert_eq!((finding.address, finding.thread), (Some(0), [0, 0, 0]));
    assert!(
        finding
            .message()
            .contains("a call through a pointer that holds 0x0"),
        "{}",
        finding.message()
    );
}

#[test]
fn a_recursion_too_deep_is_over_the_limit() {
    let mut gpu = Gpu::default();
    let out = gpu.poisoned::<i32>("out", 64);
    let report = launch(
        &gpu,
        "barrier_below",
        1,
        64,
        &[out.into(), 1_000_000i32.into()],
    );
    let finding = single(&report);
    assert_eq!(finding.kind, FindingKind::Limit);
    assert!(
        matches!(finding.detail, Detail::Stack { depth, bytes, most } if depth > 100 && bytes > most)
    );
    assert!(
        finding.message().contains("cudaLimitStackSize"),
        "{}",
        finding.message()
    );
    assert_eq!(finding.source.as_ref().unwrap().file, "calls.cu");
}

fn printed(threads: usize, grid: u32, n: i32) -> String {
    let gpu = Gpu {
        options: Options {
            threads,
            ..Options::default()
        },
        ..Gpu::default()
    };
    let report = launch(&gpu, "prints", grid, 40, &[n.into()]);
    assert_eq!(report.findings, []);
    report.printed.text().to_string()
}

#[test]
fn printf_is_in_the_order_of_blocks_for_any_number_of_host_threads() {
    let n = 500;
    let expected: String = (0..n)
        .map(|i| {
            format!(
                "{i} {:5.2}|tile|{:<6}|1099511627776|{}\n",
                f64::from(i) * 0.5,
                format!("{:x}", i * 16),
                char::from(b'a' + (i % 26) as u8)
            )
        })
        .collect();
    assert_eq!(printed(1, 13, n), expected);
    assert_eq!(printed(2, 13, n), expected);
    assert_eq!(printed(5, 13, n), expected);
}

#[test]
fn output_is_bounded() {
    let n = 60_000;
    let text = printed(1, 1500, n);
    assert!(text.len() < (1 << 20) + 100);
    assert!(text.ends_with("(output cut: a launch may print 1 MiB)\n"));
    assert_eq!(text, printed(3, 1500, n));
}

/// What glibc's `printf` gives for the same calls.
const FORMATS: &str = "\
+42| 42|-0042|42   |007|44|4464|-5|-6|7
4000000000|10|010|ff|0XFF|0
1.500000|2|2.|     3.142|2.2       |+1.000000|-000003.50
1.234568e+04|2e+01|0.000000E+00|100000|1e+06|0.0001|1E-10|1.50000|1.23e+03
0x1p+0|0X1.5P+3|0x2.00p+0|0x0.0000000000001p-1022|inf|-INF|-nan
abc|       abc|abc       |ab|x|    y|(nil)|%|    42|42    |1.00
";

#[test]
fn printf_formats_as_c_does() {
    let report = launch(&Gpu::default(), "formats", 1, 1, &[]);
    assert_eq!(report.printed.text(), FORMATS);
}

#[test]
fn a_failed_assertion_says_what_where_and_who() {
    let mut values = vec![1.0f32; 100];
    values[67] = -0.5;
    let mut gpu = Gpu::default();
    let buffer = gpu.upload("values", &values);
    let report = launch(&gpu, "asserts", 2, 64, &[buffer.into(), 100i32.into()]);
    let finding = single(&report);
    assert_eq!(finding.kind, FindingKind::Assert);
    assert_eq!((finding.block, finding.thread), ([1, 0, 0], [3, 0, 0]));
    let Detail::Assertion {
        expression,
        file,
        line,
        function,
    } = &finding.detail
    else {
        panic!("{:?}", finding.detail);
    };
    assert_eq!(expression, "values[i] >= 0.0f && \"a square root\"");
    assert_eq!(file, "calls.cu");
    assert_eq!(function, "void asserts(const float *, int)");
    assert_eq!(*line, finding.source.as_ref().unwrap().line);
}

#[test]
fn memory_on_the_stack_and_on_the_heap() {
    let n = 7;
    let threads = 40;
    let expected: Vec<i32> = (0..threads).map(|i| 21 * i + (i + 1) % 2).collect();
    assert_eq!(results("stack_memory", 1, 40, 40, n), expected);
    let mut gpu = Gpu::default();
    let out = gpu.poisoned::<i32>("out", 40);
    let report = launch(&gpu, "heap", 1, 40, &[out.into(), n.into(), 0i32.into()]);
    assert_eq!(report.findings, []);
    let expected: Vec<i32> = (0..threads).map(|i| 21 + 7 * i).collect();
    assert_eq!(gpu.download::<i32>(out, 40), expected);
    // More than there is.
    let report = launch(
        &gpu,
        "heap",
        1,
        40,
        &[out.into(), (8i32 << 20).into(), 0i32.into()],
    );
    assert_eq!(report.findings, []);
    assert_eq!(gpu.download::<i32>(out, 40), [-1; 40]);
    let report = launch(&gpu, "heap", 1, 40, &[out.into(), n.into(), 1i32.into()]);
    let finding = single(&report);
    assert_eq!(
        (finding.kind, finding.count),
        (FindingKind::InvalidAddress, 40)
    );
    assert_eq!(finding.detail, Detail::Free);
}
