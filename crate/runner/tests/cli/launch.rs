//! `cornerturn launch` from outside: results, counters, findings, bad input, exit statuses.

use crate::support::{Outcome, Scratch};
use serde_json::Value;

/// out[i] = factor * in[i] for i < n.
const SCALE: &str = "\
.version 6.3
.target sm_75
.address_size 64

.visible .entry scale(
    .param .u64 scale_param_0,
    .param .u64 scale_param_1,
    .param .f32 scale_param_2,
    .param .u32 scale_param_3
)
{
    .reg .pred %p<2>;
    .reg .f32 %f<4>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [scale_param_0];
    ld.param.u64 %rd2, [scale_param_1];
    ld.param.f32 %f1, [scale_param_2];
    ld.param.u32 %r1, [scale_param_3];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd3, %rd1;
    mul.wide.u32 %rd4, %r5, 4;
    add.s64 %rd5, %rd3, %rd4;
    ld.global.f32 %f2, [%rd5];
    mul.f32 %f3, %f2, %f1;
    cvta.to.global.u64 %rd6, %rd2;
    add.s64 %rd7, %rd6, %rd4;
    st.global.f32 [%rd7], %f3;
DONE:
    ret;
}
";

/// The line of `ld.global` in SCALE.
const LOAD_LINE: u64 = 29;

const ENDLESS: &str = "\
.version 6.3
.target sm_75
.address_size 64
.visible .entry endless()
{
LOOP:
    bra LOOP;
}
";

fn scratch(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.write("scale.ptx", SCALE);
    scratch.write("endless.ptx", ENDLESS);
    scratch
}

/// A launch of `scale` that is right: 1000 elements, 4 blocks of 256 threads.
const RIGHT: [&str; 17] = [
    "launch",
    "scale.ptx",
    "--entry",
    "scale",
    "--grid",
    "4",
    "--block",
    "256",
    "--json",
    "--arg",
    "f32[1000]=iota",
    "--arg",
    "f32[1000]=poison",
    "--arg",
    "f32=2.5",
    "--arg",
    "u32=1000",
];

/// The right launch with some words replaced and some added.
fn launch(scratch: &Scratch, replaced: &[(&str, &str)], added: &[&str]) -> Outcome {
    let replace = |word| {
        let found = replaced.iter().find(|(from, _)| *from == word);
        found.map_or(word, |(_, to)| *to)
    };
    let mut words: Vec<&str> = RIGHT.into_iter().map(replace).collect();
    words.extend(added);
    scratch.run(&words)
}

fn counter(json: &Value, name: &str) -> u64 {
    json["counters"][name]
        .as_u64()
        .unwrap_or_else(|| panic!("no counter {name} in {json}"))
}

#[test]
fn a_right_launch_has_results_and_counters() {
    let scratch = scratch("right");
    let outcome = launch(
        &scratch,
        &[],
        &["--dump", "1:out.bin", "--dump", "0:in.bin"],
    );
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let floats = |name: &str| -> Vec<f32> { bytemuck::pod_collect_to_vec(&scratch.read(name)) };
    let expected: Vec<f32> = (0..1000_u16).map(|i| 2.5 * f32::from(i)).collect();
    assert_eq!(floats("out.bin"), expected);
    assert_eq!(floats("in.bin")[999], 999.0);

    let json = outcome.json();
    assert_eq!(json["device"], "emulator");
    assert_eq!(json["kernel"], "scale");
    assert_eq!(json["findings"], serde_json::json!([]));
    assert_eq!(json.get("ms"), None, "the emulator has no clock");
    // 32 warps; the last one has 8 active threads, which touch one sector.
    for direction in ["ld", "st"] {
        let name = |what| format!("l1tex__t_{what}_pipe_lsu_mem_global_op_{direction}.sum");
        assert_eq!(counter(&json, &name("requests")), 32);
        assert_eq!(counter(&json, &name("sectors")), 31 * 4 + 1);
    }
    for (name, _) in cornerturn::Counters::default().iter() {
        counter(&json, name);
    }
    // One product for each of the threads that are not past the end.
    let products = "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum";
    assert_eq!(counter(&json, products), 1000);
    assert_eq!(
        scratch.files(),
        ["endless.ptx", "in.bin", "out.bin", "scale.ptx"]
    );
}

#[test]
fn without_json_people_read_a_table() {
    let scratch = scratch("table");
    let words: Vec<&str> = RIGHT.into_iter().filter(|word| *word != "--json").collect();
    let outcome = scratch.run(&words);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    assert!(
        outcome
            .stdout
            .contains("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
    );
    assert!(outcome.stdout.contains("125"));
    assert!(outcome.stdout.contains("no findings"));
}

#[test]
fn an_access_past_the_end_is_found_and_nothing_is_dumped() {
    let scratch = scratch("past");
    let outcome = launch(
        &scratch,
        &[("u32=1000", "u32=1001")],
        &["--dump", "1:out.bin"],
    );
    outcome.fails(1, &["out of bounds", "argument 0"]);
    let json = outcome.json();
    let finding = &json["findings"][0];
    assert_eq!(finding["kind"], "out_of_bounds");
    assert_eq!(finding["buffer"], "argument 0");
    assert_eq!(finding["file"], "scale.ptx");
    assert_eq!(finding["line"], LOAD_LINE);
    assert_eq!(finding["block"], serde_json::json!([3, 0, 0]));
    assert_eq!(finding["thread"], serde_json::json!([232, 0, 0]));
    assert_eq!(finding["count"], 1);
    assert!(finding["address"].is_u64());
    assert!(
        finding["message"]
            .as_str()
            .unwrap()
            .contains("out of bounds")
    );
    assert_eq!(finding["other"], Value::Null);
    assert_eq!(scratch.files(), ["endless.ptx", "scale.ptx"]);
}

#[test]
fn an_endless_loop_ends() {
    let scratch = scratch("endless");
    let words = [
        "launch",
        "endless.ptx",
        "--entry",
        "endless",
        "--grid",
        "1",
        "--block",
        "32",
        // What one warp may without it takes a minute.
        "--budget",
        "100000000",
        "--no-check",
        "--json",
    ];
    let outcome = scratch.run(&words);
    outcome.fails(1, &["endless loop"]);
    assert_eq!(outcome.json()["findings"][0]["kind"], "endless_loop");
    // Nothing was counted: no zeros.
    assert_eq!(outcome.json()["counters"], Value::Null);
    let words = words.into_iter().filter(|word| *word != "--json");
    let text = scratch.run(&words.collect::<Vec<_>>()).stdout;
    assert!(
        text.contains("no counters: the launch did not come to its end"),
        "{text}"
    );
    assert!(!text.contains("l1tex"), "{text}");
}

/// `out[i] = in[i] * a + in[i]` in PTX without roundings, which the assembler makes one instruction.
const FUSED: &str = "
.version 7.8
.target sm_75
.address_size 64
.visible .entry fused(.param .u64 from, .param .u64 to, .param .f32 a)
{
    .reg .f32 %f<6>; .reg .b64 %rd<6>; .reg .b32 %r<4>;
    ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to]; ld.param.f32 %f1, [a];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    mul.f32 %f3, %f2, %f1;
    add.f32 %f4, %f3, %f2;
    st.global.f32 [%rd5], %f4;
    ret;
}
";

#[test]
fn as_written_rounds_each_product_and_each_sum() {
    let scratch = scratch("as_written");
    scratch.write("fused.ptx", FUSED);
    let run = |added: &[&str]| {
        let mut words = vec![
            "launch",
            "fused.ptx",
            "--grid",
            "1",
            "--block",
            "256",
            "--json",
        ];
        words.extend([
            "--arg",
            "f32[256]=random:1",
            "--arg",
            "f32[256]=poison",
            "--arg",
            "f32=0.7",
        ]);
        words.extend([
            "--dump",
            "0:in.bin",
            "--dump",
            "1:out.bin",
            "--device",
            "emulator",
        ]);
        words.extend(added);
        let outcome = scratch.run(&words);
        assert_eq!(outcome.status, 0, "{outcome:?}");
        let counts = ["ffma", "fmul", "fadd"].map(|name| {
            let name = format!("smsp__sass_thread_inst_executed_op_{name}_pred_on.sum");
            counter(&outcome.json(), &name)
        });
        let floats = |name: &str| -> Vec<f32> { bytemuck::pod_collect_to_vec(&scratch.read(name)) };
        (counts, floats("in.bin"), floats("out.bin"))
    };
    let (counts, from, fused) = run(&[]);
    assert_eq!(counts, [256, 0, 0]);
    let expected: Vec<f32> = from.iter().map(|x| x.mul_add(0.7, *x)).collect();
    assert_eq!(fused, expected);
    let (counts, _, written) = run(&["--as-written"]);
    assert_eq!(counts, [0, 256, 256]);
    let expected: Vec<f32> = from.iter().map(|x| x * 0.7 + x).collect();
    assert_eq!(written, expected);
    assert_ne!(fused, written);
}

/// Whether a finding is a limit's, which has no place in the kernel.
fn is_of_the_launch(finding: &Value) {
    assert_eq!(finding["kind"], "limit", "{finding}");
    for key in ["file", "line", "block", "thread"] {
        assert_eq!(finding[key], Value::Null, "{finding}");
    }
}

#[test]
fn a_launch_over_the_limits_is_a_finding() {
    let scratch = scratch("limits");
    for (from, to, words) in [
        ("256", "1025", ["1025", "1024"]),
        ("256", "1,1,65", ["65", "64"]),
        ("256", "32,33", ["1056", "1024"]),
        ("4", "1,65536", ["65536", "65535"]),
        ("4", "2147483648", ["2147483648", "2147483647"]),
    ] {
        let outcome = launch(&scratch, &[(from, to)], &[]);
        outcome.fails(1, &words);
        is_of_the_launch(&outcome.json()["findings"][0]);
    }
    let outcome = launch(&scratch, &[], &["--shared", "1000000"]);
    outcome.fails(1, &["shared"]);
    is_of_the_launch(&outcome.json()["findings"][0]);
    assert_eq!(outcome.json()["counters"], Value::Null);
}

#[test]
fn bad_files_are_named() {
    let scratch = scratch("files");
    scratch.write("binary.ptx", [0x7f, b'E', b'L', b'F', 0xff, 0xfe]);
    scratch.write("truncated.ptx", &SCALE[..SCALE.len() / 2]);
    scratch.write("empty.ptx", "");
    scratch.write("strange.ptx", SCALE.replace("mul.f32", "mul.f32x2"));
    launch(&scratch, &[("scale.ptx", "missing.ptx")], &[]).fails(2, &["missing.ptx"]);
    launch(&scratch, &[("scale.ptx", ".")], &[]).fails(2, &[]);
    launch(&scratch, &[("scale.ptx", "binary.ptx")], &[]).fails(2, &["binary.ptx", "UTF-8"]);
    launch(&scratch, &[("scale.ptx", "truncated.ptx")], &[]).fails(2, &["truncated.ptx", "line"]);
    launch(&scratch, &[("scale.ptx", "empty.ptx")], &[]).fails(2, &["empty.ptx"]);
    let strange = launch(&scratch, &[("scale.ptx", "strange.ptx")], &[]);
    strange.fails(3, &["strange.ptx", "mul.f32x2", "line 30"]);
}

#[test]
fn a_wrong_entry_lists_those_there_are() {
    let scratch = scratch("entry");
    launch(&scratch, &[("scale", "skale")], &[]).fails(2, &["`skale`", "`scale`"]);
}

#[test]
fn arguments_must_fit_the_parameters() {
    let scratch = scratch("arguments");
    launch(&scratch, &[], &["--arg", "u32=1"]).fails(2, &["4 arguments", "5"]);
    let none = [
        "launch",
        "scale.ptx",
        "--entry",
        "scale",
        "--grid",
        "1",
        "--block",
        "32",
    ];
    scratch.run(&none).fails(2, &["4 arguments", "0"]);
    // What to write instead has the value that was written.
    let wrong = launch(&scratch, &[("f32=2.5", "f64=2.5")], &[]);
    wrong.fails(2, &["argument 2", "scale_param_2", "write f32=2.5"]);
    launch(&scratch, &[("f32=2.5", "i32=2")], &[])
        .fails(2, &["argument 2", "float", "write f32=2"]);
    launch(&scratch, &[("u32=1000", "f32=1000")], &[]).fails(2, &["argument 3", "i32=1000"]);
    let missing = launch(
        &scratch,
        &[("f32=2.5", "f32[70]=iota")],
        &["--arg", "u32=1"],
    );
    missing.fails(
        2,
        &["4 arguments", "f32[1000]=iota f32[1000]=poison", "u32=1000"],
    );
    launch(&scratch, &[("f32=2.5", "f32[70]")], &[]).fails(2, &["f32[70]=zero"]);
    launch(&scratch, &[("u32=1000", "f32=1000")], &[]).fails(2, &["argument 3", "integer"]);
    launch(&scratch, &[("u32=1000", "u32[4]=zero")], &[])
        .fails(2, &["argument 3", "a buffer", "32-bit integer"]);
    launch(&scratch, &[("u32=1000", "u64=1000")], &[]).fails(2, &["argument 3"]);
    launch(&scratch, &[("f32[1000]=iota", "f32=1")], &[]).fails(2, &["argument 0"]);
}

/// struct { u8 tag; float* in; float* out; struct { f32 factor; u32 count; } scale; } by value: out[i] = factor * in[i].
const STRUCTURE: &str = "\
.version 6.3
.target sm_75
.address_size 64
.visible .entry scale(.param .align 8 .b8 all[32])
{
    .reg .pred %p<2>;
    .reg .f32 %f<3>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [all+8];
    ld.param.u64 %rd2, [all+16];
    ld.param.f32 %f1, [all+24];
    ld.param.u32 %r1, [all+28];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 ret;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    mul.f32 %f2, %f2, %f1;
    st.global.f32 [%rd5], %f2;
    ret;
}
";

#[test]
fn a_structure_is_passed_by_value_with_what_it_points_to() {
    let scratch = Scratch::new("structure");
    scratch.write("scale.ptx", STRUCTURE);
    let launch = |spec: &str, added: &[&str]| {
        let mut words = vec!["launch", "scale.ptx", "--entry", "scale", "--grid", "1"];
        words.extend(["--block", "128", "--check", "--json", "--arg", spec]);
        words.extend(added);
        scratch.run(&words)
    };
    let all = "struct{u8=1,f32[100]=iota,f32[100]=poison,struct{f32=2.5,u32=100}}";
    let outcome = launch(all, &["--dump", "0.2:out.bin"]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let floats: Vec<f32> = bytemuck::pod_collect_to_vec(&scratch.read("out.bin"));
    let expected: Vec<f32> = (0..100_u8).map(|i| 2.5 * f32::from(i)).collect();
    assert_eq!(floats, expected);
    // Findings name the field.
    let outcome = launch(&all.replace("f32[100]=iota", "f32[99]=iota"), &[]);
    outcome.fails(1, &["argument 0.1", "99"]);
    // Bytes as they are: no elements.
    let outcome = launch(&format!("bytes={}", "00".repeat(32)), &[]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    for (wrong, words) in [
        (
            "struct{f32=2.5,u32=100}",
            ["a structure of 8 bytes", "a structure of 32 bytes"],
        ),
        ("bytes=0102", ["2 bytes", "a structure of 32 bytes"]),
        ("u64=1", ["a scalar of u64", "a structure of 32 bytes"]),
        (
            "f32[8]=zero",
            ["a buffer of 8 f32", "a structure of 32 bytes"],
        ),
    ] {
        launch(wrong, &[]).fails(2, &words);
    }
    for (place, words) in [
        ("0", "argument 0 is a structure"),
        ("0.0", "argument 0.0 is a scalar"),
        ("0.4", "no argument 0.4"),
        ("0.1.0", "no argument 0.1.0"),
        ("1", "no argument 1"),
    ] {
        let dump = format!("{place}:out.bin");
        launch(all, &["--dump", &dump]).fails(2, &["--dump", words]);
    }
}

#[test]
fn a_null_pointer_is_found() {
    let scratch = scratch("null");
    let outcome = launch(&scratch, &[("f32[1000]=iota", "u64=0")], &[]);
    outcome.fails(1, &["null"]);
    assert_eq!(outcome.json()["findings"][0]["kind"], "invalid_address");
}

#[test]
fn malformed_words_name_the_place() {
    let scratch = scratch("words");
    for (from, to, words) in [
        ("4", "0", ["--grid", "at least 1"]),
        ("4", "1,2,3,4", ["--grid", "three"]),
        ("4", "x", ["--grid", "no number"]),
        ("256", "-1", ["--block", ""]),
        ("f32[1000]=iota", "f33[1000]=iota", ["--arg", "f33"]),
        ("f32[1000]=iota", "f32[0]=iota", ["--arg", "at least one"]),
        ("f32[1000]=iota", "f32[1000]", ["--arg", "no `=`"]),
        (
            "f32[1000]=iota",
            "f64[2305843009213693952]=iota",
            ["--arg", "more bytes"],
        ),
        ("f32[1000]=iota", "f32[1000]=ones", ["--arg", "no fill"]),
        ("u32=1000", "u32=4294967296", ["--arg", "does not fit"]),
    ] {
        let outcome = launch(&scratch, &[(from, to)], &[]);
        outcome.fails(2, &words);
        let error = outcome.json()["error"]["message"].clone();
        assert!(
            error.as_str().is_some_and(|error| error.contains(words[1])),
            "{to}: {outcome:?}"
        );
    }
    let outcome = scratch.run(&["launch", "scale.ptx", "--json"]);
    outcome.fails(2, &["--grid"]);
    assert_eq!(outcome.json()["error"]["exit_status"], 2);
}

#[test]
fn more_memory_than_there_is_is_refused() {
    let scratch = scratch("memory");
    // 2^60 bytes: an address space holds them, no machine does. The checks keep as much again.
    let outcome = launch(
        &scratch,
        &[("f32[1000]=iota", "f32[288230376151711744]=zero")],
        &[],
    );
    outcome.fails(4, &["the launch needs 23058430092137", " bytes of memory"]);
}

#[test]
fn files_fill_buffers_of_their_size() {
    let scratch = scratch("fill");
    let floats: Vec<f32> = (0..1000_u16).map(|i| 1.0 - f32::from(i)).collect();
    scratch.write("in.bin", bytemuck::cast_slice(&floats));
    let replaced = [
        ("f32[1000]=iota", "f32[1000]=file:in.bin"),
        ("f32=2.5", "f32=1"),
    ];
    let outcome = launch(&scratch, &replaced, &["--dump", "1:out.bin"]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    assert_eq!(scratch.read("out.bin"), scratch.read("in.bin"));

    launch(&scratch, &[("f32[1000]=iota", "f32[999]=file:in.bin")], &[])
        .fails(2, &["in.bin", "4000", "3996"]);
    launch(
        &scratch,
        &[("f32[1000]=iota", "f32[1001]=file:in.bin")],
        &[],
    )
    .fails(2, &["in.bin", "4000", "4004"]);
    launch(
        &scratch,
        &[("f32[1000]=iota", "f32[1000]=file:no.bin")],
        &[],
    )
    .fails(2, &["no.bin"]);
    launch(&scratch, &[("f32[1000]=iota", "f32[1000]=file:.")], &[]).fails(2, &[]);
}

#[test]
fn dumps_name_a_buffer_and_a_place() {
    let scratch = scratch("dump");
    let before = scratch.files();
    launch(&scratch, &[], &["--dump", "2:x.bin"]).fails(2, &["argument 2", "scalar"]);
    launch(&scratch, &[], &["--dump", "4:x.bin"]).fails(2, &["argument 4"]);
    launch(&scratch, &[], &["--dump", "1:no/x.bin"]).fails(2, &["no/x.bin"]);
    launch(&scratch, &[], &["--dump", "1"]).fails(2, &["--dump"]);
    assert_eq!(scratch.files(), before);
}

#[test]
fn random_fills_are_reproducible() {
    let scratch = scratch("random");
    let dump = |name: &str, seed: &str| {
        let fill = format!("f32[1000]=random:{seed}");
        let replaced = [("f32[1000]=iota", fill.as_str()), ("f32=2.5", "f32=1")];
        let outcome = launch(&scratch, &replaced, &["--dump", &format!("1:{name}")]);
        assert_eq!(outcome.status, 0, "{outcome:?}");
        scratch.read(name)
    };
    let first = dump("a", "7");
    assert_eq!(dump("b", "7"), first);
    assert_ne!(dump("c", "8"), first);
    // SplitMix64 with the state 7 starts with 0x63cbe1e459320dd7; the top 24 bits make the first float.
    let expected = 0x63cbe1_u32 as f32 * 2_f32.powi(-24);
    assert_eq!(first[..4], expected.to_le_bytes());
}

#[test]
fn a_cooperative_grid_that_does_not_fit_is_refused_with_how_many_blocks_do() {
    let scratch = scratch("cooperative");
    let outcome = launch(&scratch, &[], &["--cooperative"]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    // 132 multiprocessors, each with room for 32 blocks.
    let larger = [("4", "4225"), ("256", "64")];
    assert_eq!(launch(&scratch, &larger, &[]).status, 0);
    let outcome = launch(&scratch, &larger, &["--cooperative"]);
    outcome.fails(1, &["4225 blocks", "4224 such blocks fit"]);
    assert_eq!(outcome.json()["findings"][0]["kind"], "limit");
}

#[test]
fn cuda_runs_or_says_what_is_missing() {
    let scratch = scratch("cuda");
    let outcome = launch(&scratch, &[], &["--device", "cuda"]);
    match outcome.status {
        0 => assert!(
            outcome.json()["ms"].as_f64().is_some_and(|ms| ms > 0.0),
            "{outcome:?}"
        ),
        _ => outcome.fails(4, &["NVIDIA"]),
    }
}

/// out[i] is the first channel at (i % across + shift, i / across + shift) of a 2D texture.
const FETCH: &str = "\
.version 6.4
.target sm_75
.address_size 64
.visible .entry fetch(.param .u64 picture, .param .u64 out, .param .u32 across, .param .f32 shift)
{
    .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [picture]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [across]; ld.param.f32 %f1, [shift];
    mov.u32 %r2, %tid.x; rem.u32 %r3, %r2, %r1; div.u32 %r4, %r2, %r1;
    cvt.rn.f32.u32 %f2, %r3; cvt.rn.f32.u32 %f3, %r4; add.f32 %f2, %f2, %f1; add.f32 %f3, %f3, %f1;
    tex.2d.v4.u32.f32 {%r5, %r6, %r7, %r8}, [%rd1, {%f2, %f3}];
    mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd3, %rd2; st.global.u32 [%rd4], %r5;
    ret;
}
";

/// What `fetch` gives of a texture of three rows and five columns.
fn fetched(scratch: &Scratch, texture: &str, shift: &str) -> Vec<u8> {
    let shift = format!("f32={shift}");
    let words = [
        "launch",
        "fetch.ptx",
        "--entry",
        "fetch",
        "--grid",
        "1",
        "--block",
        "15",
        "--check",
        "--arg",
        texture,
        "--arg",
        "u32[15]=poison",
        "--arg",
        "u32=5",
        "--arg",
        &shift,
        "--dump",
        "1:out.bin",
    ];
    let outcome = scratch.run(&words);
    assert_eq!(outcome.status, 0, "{texture}: {outcome:?}");
    scratch.read("out.bin")
}

#[test]
fn a_texture_is_an_argument_with_its_options() {
    let scratch = Scratch::new("textures");
    scratch.write("fetch.ptx", FETCH);
    let floats = |texture: &str, shift: &str| -> Vec<f32> {
        bytemuck::pod_collect_to_vec(&fetched(&scratch, texture, shift))
    };
    let all =
        |of: fn(usize, usize) -> f32| -> Vec<f32> { (0..15).map(|i| of(i / 5, i % 5)).collect() };
    let iota = |row: usize, column: usize| (5 * row + column) as f32;
    // Texel (row, column) holds 5 row + column.
    let plain = "tex2d:f32[3,5]=iota";
    assert_eq!(
        floats(plain, "0.5"),
        all(|row, column| (5 * row + column) as f32)
    );
    // One further in both directions: what is beyond is the last one, or black.
    let clamped: Vec<f32> = (0..15)
        .map(|i| iota((i / 5 + 1).min(2), (i % 5 + 1).min(4)))
        .collect();
    assert_eq!(floats(plain, "1.5"), clamped);
    assert_eq!(floats("tex2d:f32[3,5],clamp,point=iota", "1.5"), clamped);
    let black = all(|row, column| match (row, column) {
        (2, _) | (_, 4) => 0.0,
        _ => (5 * row + column + 6) as f32,
    });
    assert_eq!(floats("tex2d:f32[3,5],border=iota", "1.5"), black);
    assert_eq!(floats("tex2d:f16[3,5],border=iota", "1.5"), black);
    // Half way between four texels, clamped: a quarter of the sum of their numbers.
    let mixed: Vec<f32> = (0..15)
        .map(|i| {
            let (row, column) = (i / 5, i % 5);
            let (below, right) = ((row + 1).min(2), (column + 1).min(4));
            let corners = [(row, column), (row, right), (below, column), (below, right)];
            corners
                .iter()
                .map(|(row, column)| iota(*row, *column))
                .sum::<f32>()
                / 4.0
        })
        .collect();
    assert_eq!(floats("tex2d:f32[3,5],linear=iota", "1.0"), mixed);
    // Bytes as they are, and as shares of 255; the first of two channels.
    let bytes: Vec<u32> =
        bytemuck::pod_collect_to_vec(&fetched(&scratch, "tex2d:u8[3,5]=iota", "0.5"));
    assert_eq!(bytes, (0..15).collect::<Vec<u32>>());
    assert_eq!(
        floats("tex2d:u8[3,5],floats=iota", "0.5"),
        all(|row, column| (5 * row + column) as f32 / 255.0)
    );
    assert_eq!(
        floats("tex2d:f32x2[3,5]=iota", "0.5"),
        all(|row, column| (10 * row + 2 * column) as f32)
    );
    // By coordinates from 0 to 1 every whole one is the first texel again.
    assert_eq!(
        floats("tex2d:f32[3,5],wrap,normalized=iota", "0.125"),
        [0.0; 15]
    );
}

/// Adds a row of texels to those of memory, and leaves the sums in the surface's second row.
const SUMS: &str = r#"
extern "C" __global__ void sums(cudaSurfaceObject_t s, cudaTextureObject_t t)
{
    const int x = threadIdx.x;
    surf2Dwrite(surf2Dread<float>(s, 4 * x, 0) + tex1Dfetch<float>(t, x), s, 4 * x, 1);
}"#;

#[test]
fn a_surface_and_a_texture_over_memory_are_arguments_and_can_be_dumped() {
    let scratch = Scratch::new("surfaces");
    scratch.write("sums.cu", SUMS);
    let launched = |surface: &str| {
        scratch.run(&[
            "launch",
            "sums.cu",
            "--entry",
            "sums",
            "--grid",
            "1",
            "--block",
            "8",
            "--compiler",
            "cornerturn",
            "--arg",
            surface,
            "--arg",
            "tex1dfetch:f32[8]=iota",
            "--dump",
            "0:texels.bin",
        ])
    };
    let outcome = launched("surf2d:f32[2,8]=iota");
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let texels: Vec<f32> = bytemuck::pod_collect_to_vec(&scratch.read("texels.bin"));
    let first = (0..8).map(|x| x as f32);
    let second = (0..8).map(|x| 2.0 * x as f32);
    assert_eq!(texels, first.chain(second).collect::<Vec<f32>>());
    for (surface, words) in [
        ("surf2d:f32[2,4]=iota", "beyond the surface"),
        ("surf1d:f32[16]=iota", "another number of dimensions"),
    ] {
        let outcome = launched(surface);
        assert_eq!(outcome.status, 1, "{outcome:?}");
        assert!(outcome.stderr.contains(words), "{outcome:?}");
    }
    launched("surf2d:f32[2,8],linear=iota").fails(2, &["a surface has no options"]);
}

#[test]
fn a_texture_that_is_not_allowed_names_what_is() {
    let scratch = Scratch::new("wrong-textures");
    scratch.write("fetch.ptx", FETCH);
    for (texture, status, words) in [
        (
            "tex2d:f32[65537,1]=iota",
            2,
            "65537 texels in y: a 2D texture has 1 to 65536",
        ),
        (
            "tex1d:u8[131073]=iota",
            2,
            "131073 texels in x: a 1D texture has 1 to 131072",
        ),
        ("tex2d:f32[3,5],wrap=iota", 2, "need normalised coordinates"),
        (
            "tex2d:u32[3,5],linear=iota",
            2,
            "a linear filter gives floats",
        ),
        ("tex2d:f64[3,5]=iota", 2, "texels have no channels of f64"),
        ("tex2d:f32[3,5],cubic=iota", 2, "`cubic` is no option"),
        ("tex2d:f32[15]=iota", 2, "write tex2d:TYPE[ROWS,COLUMNS]"),
        ("tex2d:f32[0,5]=iota", 2, "at least one"),
        ("tex2d:f32[4294967295,65536]=iota", 4, "the launch needs"),
        (
            "tex2d:f32[18446744073709551615,5]=iota",
            2,
            "more bytes than memory has addresses",
        ),
        // A texture of one dimension, where the kernel fetches from two.
        ("tex1d:f32[15]=iota", 1, "another number of dimensions"),
    ] {
        let outcome = scratch.run(&[
            "launch",
            "fetch.ptx",
            "--entry",
            "fetch",
            "--grid",
            "1",
            "--block",
            "15",
            "--arg",
            texture,
            "--arg",
            "u32[15]=poison",
            "--arg",
            "u32=5",
            "--arg",
            "f32=0.5",
        ]);
        outcome.fails(status, &[words]);
    }
}
