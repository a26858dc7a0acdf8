//! Surfaces: what kernels read from them and write to them, what happens beyond, and what is found.

#![allow(clippy::unwrap_used)]

use cornerturn_emulator::{
    Arg, FindingKind, Launch, Memory, Module, Options, Report, Surface, SurfaceLayout, launch,
};

const WIDTH: u64 = 8;
const HEIGHT: u64 = 4;
const LAYERS: u64 = 3;

/// A kernel `(surface, out)` of one warp: `%r1` is the thread, `%rd2` its 16 bytes of `out`, `%rd1` the handle.
fn kernel(body: &str) -> Module {
    let text = format!(
        ".version 6.4\n.target sm_75\n.address_size 64\n
        .visible .entry k(.param .u64 surface, .param .u64 out) {{
            .reg .b16 %h<5>; .reg .b32 %r<9>; .reg .b64 %rd<7>;
            ld.param.u64 %rd1, [surface]; ld.param.u64 %rd2, [out];
            mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 16; add.u64 %rd2, %rd2, %rd3;
            {body}
            ret; }}"
    );
    Module::load(&text).unwrap()
}

/// What a launch leaves in the surface, whose bytes count from 0, and in the buffer.
struct Run {
    texels: Vec<u8>,
    out: Vec<u8>,
    report: Report,
}

fn run(
    body: &str,
    texel_bytes: u32,
    height: Option<u64>,
    layers: Option<u64>,
    threads: u32,
) -> Run {
    let bytes = WIDTH * u64::from(texel_bytes) * height.unwrap_or(1) * layers.unwrap_or(1);
    let mut memory = Memory::new();
    let address = memory.allocate(bytes as usize, "texels").unwrap();
    let counting: Vec<u8> = (0..bytes).map(|at| at as u8).collect();
    memory.write(address, &counting).unwrap();
    let layout = SurfaceLayout {
        name: "image",
        address,
        texel_bytes,
        width: WIDTH,
        height,
        layers,
    };
    let handle = memory.bind_surface(Surface::new(&layout).unwrap());
    let mut out = vec![0; 16 * threads as usize];
    let to = memory.allocate(out.len(), "out").unwrap();
    memory.write(to, &out).unwrap();
    let job = Launch {
        entry: "k",
        grid: [1, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared_bytes: 0,
        args: &[Arg::from(handle), Arg::from(to)],
    };
    let options = Options {
        check: true,
        ..Options::default()
    };
    let report = launch(&kernel(body), &memory, &job, &options).unwrap();
    memory.read(to, &mut out).unwrap();
    let mut texels = vec![0; bytes as usize];
    memory.read(address, &mut texels).unwrap();
    Run {
        texels,
        out,
        report,
    }
}

#[test]
fn a_texel_is_read_by_bytes_row_and_layer() {
    let body = "mul.lo.u32 %r2, %r1, 4; suld.b.1d.b32.trap {%r3}, [%rd1, {%r2}]; st.global.u32 [%rd2], %r3;";
    let of_one = run(body, 4, None, None, 8);
    assert!(of_one.report.findings.is_empty());
    for thread in 0..8 {
        let expected: Vec<u8> = (4 * thread..4 * thread + 4).map(|at| at as u8).collect();
        assert_eq!(of_one.out[16 * thread..16 * thread + 4], expected);
    }
    let body = "mul.lo.u32 %r2, %r1, 2; suld.b.2d.v2.b8.trap {%h1, %h2}, [%rd1, {%r2, 3}];
        cvt.u32.u16 %r3, %h1; cvt.u32.u16 %r4, %h2; st.global.v2.u32 [%rd2], {%r3, %r4};";
    let of_two = run(body, 2, Some(HEIGHT), None, 8);
    for thread in 0..8 {
        let at = 3 * 16 + 2 * thread as u8;
        assert_eq!(
            of_two.out[16 * thread..16 * thread + 8],
            [at, 0, 0, 0, at + 1, 0, 0, 0]
        );
    }
    let body = "suld.b.a2d.b64.trap {%rd4}, [%rd1, {2, 8, 1, 1}]; st.global.u64 [%rd2], %rd4;";
    let of_layers = run(body, 8, Some(HEIGHT), Some(LAYERS), 1);
    let at = 2 * 4 * 64 + 64 + 8_u64;
    assert_eq!(
        of_layers.out[..8],
        [0, 1, 2, 3, 4, 5, 6, 7].map(|byte| (at + byte) as u8)
    );
}

#[test]
fn a_texel_is_written_and_nothing_beside_it() {
    let body = "mul.lo.u32 %r2, %r1, 4; cvt.u16.u32 %h1, %r1; sust.b.2d.v4.b8.trap [%rd1, {%r2, 1}], {%h1, %h1, %h1, 9};";
    let written = run(body, 4, Some(HEIGHT), None, 8);
    assert!(written.report.findings.is_empty());
    for (at, byte) in written.texels.iter().enumerate() {
        let expected = match (at / 32, at % 32) {
            (1, x) if x % 4 == 3 => 9,
            (1, x) => x as u8 / 4,
            _ => at as u8,
        };
        assert_eq!(*byte, expected, "byte {at}");
    }
}

#[test]
fn beyond_is_zero_or_the_nearest_place_or_the_end() {
    let read = |mode: &str| {
        format!("suld.b.2d.b32.{mode} {{%r3}}, [%rd1, {{64, -2}}]; st.global.u32 [%rd2], %r3;")
    };
    let zero = run(&read("zero"), 4, Some(HEIGHT), None, 1);
    assert_eq!(zero.out[..4], [0; 4]);
    let clamped = run(&read("clamp"), 4, Some(HEIGHT), None, 1);
    assert_eq!(clamped.out[..4], [28, 29, 30, 31]);
    let ended = run(&read("trap"), 4, Some(HEIGHT), None, 1);
    let finding = &ended.report.findings[0];
    assert_eq!(finding.kind, FindingKind::InvalidAddress);
    assert!(
        finding.message().contains("beyond the surface"),
        "{}",
        finding.message()
    );
    let dropped = run("sust.b.1d.b32.zero [%rd1, {32}], {%r1};", 4, None, None, 8);
    assert!(dropped.report.findings.is_empty());
    assert_eq!(dropped.texels, (0..32).collect::<Vec<u8>>());
}

#[test]
fn what_is_wrong_with_a_place_is_told() {
    let rules = [
        (
            "suld.b.1d.b32.trap {%r3}, [%rd1, {0}];",
            "another number of dimensions",
        ),
        (
            "suld.b.2d.b32.trap {%r3}, [%rd1, {2, 0}];",
            "no multiple of the texel's bytes",
        ),
        (
            "suld.b.2d.b32.trap {%r3}, [%rd2, {0, 0}];",
            "no surface has this handle",
        ),
    ];
    for (body, words) in rules {
        let found = run(body, 4, Some(HEIGHT), None, 1);
        assert!(found.report.findings[0].message().contains(words), "{body}");
    }
}

#[test]
fn two_threads_at_one_texel_race() {
    let found = run("sust.b.1d.b32.trap [%rd1, {0}], {%r1};", 4, None, None, 64);
    assert_eq!(found.report.findings[0].kind, FindingKind::Race);
}
