//! Files as people have them, by both compilers: with headers of their own, code of the host, and kernels by any of their names.

use crate::support::Scratch;

const PROGRAM: &str = "#include <cstdio>
#include <vector>
#include \"parts/scale.h\"
#include <factor.h>
#define CHECK(call) if ((call) != cudaSuccess) exit(1)
static std::vector<float> results;
int runs = 3;
__global__ void scale(int n, const float* x, float* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = scaled(x, i) * FACTOR;
}
int main()
{
    float* x;
    CHECK(cudaMalloc(&x, 4 * runs));
    scale<<<1, 32>>>(3, x, x);
}
";

const SCALE: &str = "#pragma once
#include \"two.h\"
__device__ float scaled(const float* x, int i)
{
    return TWO * x[i];
}
void tell() { printf(\"host\"); }
";

/// Those that are on this machine.
fn compilers() -> Vec<&'static str> {
    let nvrtc = cornerturn::compile::Nvrtc::open().ok().map(|_| "nvrtc");
    ["cornerturn"].into_iter().chain(nvrtc).collect()
}

fn project(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    std::fs::create_dir_all(scratch.path().join("parts")).unwrap();
    std::fs::create_dir_all(scratch.path().join("inc")).unwrap();
    scratch.write("k.cu", PROGRAM);
    scratch.write("parts/scale.h", SCALE);
    scratch.write("parts/two.h", "#ifndef TWO\n#define TWO 2\n#endif\n");
    scratch.write("inc/factor.h", "#define FACTOR BY\n");
    scratch
}

const LAUNCH: [&str; 18] = [
    "launch",
    "k.cu",
    "-I",
    "inc",
    "-D",
    "BY=3",
    "--grid",
    "1",
    "--block",
    "32",
    "--device",
    "emulator",
    "--json",
    "--check",
    "--arg",
    "i32=32",
    "--arg",
    "f32[32]=iota",
];

#[test]
fn a_program_with_headers_of_its_own_runs_by_both() {
    let scratch = project("files");
    for compiler in compilers() {
        for entry in [
            &[][..],
            &["--entry", "scale"],
            &["--entry", "scale(int, const float*, float*)"],
            &["--entry", "_Z5scaleiPKfPf"],
        ] {
            let words = [
                &LAUNCH[..],
                &[
                    "--arg",
                    "f32[32]=zero",
                    "--dump",
                    "2:y",
                    "--compiler",
                    compiler,
                ],
                entry,
            ];
            let outcome = scratch.run(&words.concat());
            assert_eq!(outcome.status, 0, "{compiler} {entry:?} {outcome:?}");
            let bytes = scratch.read("y");
            let last = bytes.last_chunk().map(|bytes| f32::from_le_bytes(*bytes));
            assert_eq!(last, Some(31.0 * 6.0), "{compiler}");
        }
        let words = [
            &LAUNCH[..],
            &[
                "--arg",
                "f32[32]=zero",
                "--compiler",
                compiler,
                "--entry",
                "sale",
            ],
        ];
        let other = scratch.run(&words.concat());
        assert_eq!(other.status, 2, "{other:?}");
        let said = other.json()["error"]["message"]
            .as_str()
            .unwrap_or_default()
            .to_string();
        assert!(
            said.contains("no entry `sale`; there are: `scale"),
            "{said}"
        );
    }
}

#[test]
fn a_finding_in_a_header_names_it() {
    let scratch = project("files-finding");
    for compiler in compilers() {
        let mut words = LAUNCH;
        words[17] = "f32[20]=iota";
        let words = [
            &words[..],
            &["--arg", "f32[32]=zero", "--compiler", compiler],
        ]
        .concat();
        let found = scratch.run(&words);
        assert_eq!(found.status, 1, "{found:?}");
        let finding = &found.json()["findings"][0];
        // As of every inlined function, the line is that of the call.
        assert_eq!(finding["line"], 12, "{compiler} {finding}");
        let said = finding["message"].as_str().unwrap_or_default();
        assert!(said.contains("inlined from scale.h:5"), "{compiler} {said}");
    }
}

#[test]
fn what_is_wrong_in_a_header_is_told_of_its_place() {
    let scratch = project("files-wrong");
    scratch.write("parts/scale.h", SCALE.replace("TWO * x", "TREE * x"));
    for compiler in compilers() {
        let words = [
            "compile",
            "k.cu",
            "-I",
            "inc",
            "-D",
            "BY=3",
            "--json",
            "--compiler",
            compiler,
        ];
        let outcome = scratch.run(&words);
        assert_eq!(outcome.status, 1, "{outcome:?}");
        let json = outcome.json();
        let first = &json["diagnostics"][0];
        assert_eq!(first["file"], "parts/scale.h", "{json}");
        assert_eq!(
            (first["line"].as_u64(), first["column"].as_u64()),
            (Some(5), Some(12)),
            "{json}"
        );
    }
}

#[test]
fn a_header_that_is_not_there_and_one_in_a_ring_are_told() {
    let scratch = project("files-missing");
    for compiler in compilers() {
        let run = || scratch.run(&["compile", "k.cu", "--compiler", compiler]);
        run().fails(1, &["`factor.h` is not there", "k.cu:4:1", "-I DIR"]);
        scratch.write("parts/two.h", "#include \"two.h\"\n");
        run().fails(1, &["includes itself"]);
        scratch.write("parts/two.h", "#define TWO 2\n");
    }
}

#[test]
fn a_kernel_in_ptx_has_all_its_names() {
    let scratch = project("files-ptx");
    let ptx = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry _Z4fillIiLi3EEvPT_(.param .u64 p)\n{\n ret;\n}\n.visible .entry other()\n{\n ret;\n}\n";
    scratch.write("k.ptx", ptx);
    let run = |entry: &str| {
        let words = [
            "launch", "k.ptx", "--grid", "1", "--block", "1", "--device", "emulator", "--entry",
            entry,
        ];
        scratch.run(&[&words[..], &["--arg", "i32[1]=zero"]].concat())
    };
    for entry in [
        "fill",
        "fill<int, 3>",
        "fill<int,3>(int*)",
        "_Z4fillIiLi3EEvPT_",
    ] {
        assert_eq!(run(entry).status, 0, "{entry}: {:?}", run(entry));
    }
    run("full").fails(2, &["there are: `fill<int, 3>(int*)`, `other`"]);
    let words = [
        "launch", "k.ptx", "--grid", "1", "--block", "1", "--device", "emulator",
    ];
    scratch
        .run(&words)
        .fails(2, &["several entries", "`other`"]);
}
