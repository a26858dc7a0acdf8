//! Sources with files of their own: what includes what, where what is wrong is told, and the same source in one text for NVIDIA's compiler.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use cornerturn_compiler::{
    Compiled, Diagnostics, File, Files, Flat, Found, Options, compile_with, flat,
};
use std::path::{Path, PathBuf};

/// Files by name, as if they lay in one folder.
struct Given(Vec<(&'static str, String)>);

impl Given {
    fn of(files: &[(&'static str, &str)]) -> Self {
        Self(
            files
                .iter()
                .map(|(name, text)| (*name, text.to_string()))
                .collect(),
        )
    }
}

impl Files for Given {
    fn find(&self, name: &str, _: bool, from: Option<&str>) -> Found {
        let beside = from.and_then(|from| Path::new(from).parent());
        let path: PathBuf = beside.unwrap_or(Path::new("")).join(name);
        let path = path.to_string_lossy().into_owned();
        match self.0.iter().find(|(known, _)| *known == path) {
            Some((_, text)) if text == "unreadable" => {
                Found::Unreadable("it is locked".to_string())
            }
            Some((_, text)) => Found::File(File {
                path: path.clone(),
                name: path,
                text: text.clone(),
            }),
            None => Found::Nowhere(vec![".".to_string(), "include".to_string()]),
        }
    }
}

fn compiled(source: &str, files: &[(&'static str, &str)]) -> Result<Compiled, Diagnostics> {
    compile_with(source, "k.cu", &Options::default(), &Given::of(files))
}

fn words(source: &str, files: &[(&'static str, &str)]) -> String {
    compiled(source, files).unwrap_err().to_string()
}

fn flattened(source: &str, files: &[(&'static str, &str)]) -> Flat {
    let options = Options::default();
    let made = flat(source, "k.cu", &options, &Given::of(files), &|name| {
        name == "mma.h"
    });
    made.unwrap().unwrap()
}

const KERNEL: &str = "__global__ void k(float* x) { x[threadIdx.x] = scaled(x[threadIdx.x]); }\n";

#[test]
fn a_file_is_put_where_it_is_included() {
    let source = format!("#include \"parts/scale.h\"\n#include <parts/scale.h>\n{KERNEL}");
    let guarded = "#ifndef SCALE_H\n#define SCALE_H\n#include \"by.h\"\n__device__ float scaled(float x)\n{\n    return BY * x;\n}\n#endif\n";
    for by in ["#pragma once\n#define BY 3\n", "#define BY 3\n"] {
        let files = [("parts/scale.h", guarded), ("parts/by.h", by)];
        let ptx = compiled(&source, &files).unwrap().ptx;
        assert!(ptx.contains("0f40400000"), "{ptx}");
        assert!(ptx.contains("\t.loc\t2 6 "), "{ptx}");
        assert!(ptx.contains(".file\t1 \"k.cu\"") && ptx.contains(".file\t2 \"parts/scale.h\""));
    }
}

#[test]
fn a_file_without_a_guard_may_be_included_twice() {
    let source = "#define NAME one\n#define N 1\n#include \"body.inc\"\n#undef NAME\n#undef N\n#define NAME two\n#define N 2\n#include \"body.inc\"\n";
    let body = "__global__ void NAME(int* x)\n{\n    for (int i = 0; i < N; i++)\n        x[i] = N + 40;\n}\n";
    let ptx = compiled(source, &[("body.inc", body)]).unwrap().ptx;
    assert!(
        ptx.contains(".entry one(") && ptx.contains(".entry two("),
        "{ptx}"
    );
    assert!(ptx.contains("41") && ptx.contains("42"));
}

#[test]
fn what_is_wrong_in_a_file_is_told_of_its_line() {
    let source = format!("#include \"scale.h\"\n{KERNEL}");
    let files = [(
        "scale.h",
        "// scales\n__device__ float scaled(float x)\n{\n    return x * factr;\n}\n",
    )];
    let told = words(&source, &files);
    assert!(
        told.contains("error: `factr` is not declared\n --> scale.h:4:16\n"),
        "{told}"
    );
    assert!(told.contains("4 |     return x * factr;"), "{told}");
    let refused = compiled(&source, &files).unwrap_err();
    assert_eq!(refused.list[0].file.as_ref().unwrap().name, "scale.h");
    let told = words(&source, &[("scale.h", "\n\"open\n")]);
    assert!(told.contains("scale.h:2:1"), "{told}");
    let told = words(&source, &[("scale.h", "#if 1\n")]);
    assert!(
        told.contains("this condition has no end") && told.contains("scale.h:1:1"),
        "{told}"
    );
}

#[test]
fn a_file_that_is_not_there_is_told_with_the_folders() {
    let source = format!("\n#include \"scale.h\"\n{KERNEL}");
    let told = words(&source, &[]);
    assert!(
        told.contains("`scale.h` is not there; it was looked for in `.` and `include`"),
        "{told}"
    );
    assert!(
        told.contains("k.cu:2:1") && told.contains("-I DIR"),
        "{told}"
    );
    let told = words(&source, &[("scale.h", "\n\n#include \"by.h\"\n")]);
    assert!(
        told.contains("`by.h` is not there") && told.contains("scale.h:3:1"),
        "{told}"
    );
    let told = words(&source, &[("scale.h", "unreadable")]);
    assert!(
        told.contains("`scale.h` cannot be read: it is locked"),
        "{told}"
    );
    // The same is told where NVIDIA's compiler is meant.
    let refused = flat(
        &source,
        "k.cu",
        &Options::default(),
        &Given::of(&[]),
        &|_| false,
    );
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("`scale.h` is not there")
    );
}

#[test]
fn files_that_include_each_other_end() {
    let source = format!("#include \"a.h\"\n{KERNEL}");
    let told = words(
        &source,
        &[("a.h", "#include \"b.h\"\n"), ("b.h", "#include \"a.h\"\n")],
    );
    assert!(
        told.contains("includes itself, by itself or by others, without end"),
        "{told}"
    );
    let told = words(&source, &[("a.h", "#include \"a.h\"\n#include \"a.h\"\n")]);
    assert!(told.contains("`a.h` includes itself"), "{told}");
    let scaled = "#pragma once\n#include \"b.h\"\n__device__ float scaled(float x) { return x; }\n";
    compiled(
        &source,
        &[
            ("a.h", scaled),
            ("b.h", "#ifndef B\n#define B\n#include \"a.h\"\n#endif\n"),
        ],
    )
    .unwrap();
}

#[test]
fn a_condition_asks_for_files() {
    let source = "#if __has_include(\"scale.h\") && !__has_include(\"other.h\") && __has_include(<cuda_fp16.h>)\n#include \"scale.h\"\n#endif\n";
    let scale = "__device__ float scaled(float x) { return x; }\n";
    compiled(&format!("{source}{KERNEL}"), &[("scale.h", scale)]).unwrap();
}

#[test]
fn a_source_alone_includes_nothing() {
    let source = format!("#include \"scale.h\"\n{KERNEL}");
    let refused = cornerturn_compiler::compile(&source, "k.cu", &Options::default()).unwrap_err();
    assert!(
        refused.to_string().contains("`scale.h` cannot be included"),
        "{refused}"
    );
}

#[test]
fn what_is_the_hosts_is_left_out_for_nvidias_compiler() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flat");
    for name in ["program", "structs", "instances"] {
        let source = std::fs::read_to_string(folder.join(format!("{name}.cu"))).unwrap();
        let text = flattened(&source, &[]).text;
        let expected = folder.join(format!("{name}.txt"));
        if std::env::var_os("CORNERTURN_BLESS").is_some() {
            std::fs::write(&expected, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(expected).unwrap(), "{name}");
    }
}

#[test]
fn files_stand_in_the_one_text_with_their_lines() {
    let source =
        format!("#include <cstdio>\n#include \"scale.h\" // ours\n#include <mma.h>\n{KERNEL}");
    let scale = "#pragma once\n__device__ float scaled(float x) { return x; }\nvoid print();\n";
    let made = flattened(&source, &[("scale.h", scale)]);
    let lines: Vec<&str> = made.text.lines().map(str::trim_end).collect();
    assert_eq!(
        lines,
        [
            "",
            "",
            "#line 1 \"scale.h\"",
            "",
            "__device__ float scaled(float x) { return x; }",
            "",
            "",
            "#line 2 \"k.cu\"",
            " // ours",
            "#include <mma.h>",
            KERNEL.trim_end(),
        ]
    );
    assert_eq!(made.left_out, ["print"]);
    assert_eq!(made.names, ["k.cu", "scale.h"]);
    let marked = flattened("\u{feff}#include <cstdio>\n__global__ void k() {}", &[]);
    assert_eq!(marked.text.trim_start(), "__global__ void k() {}");
    let launches = "template <int n> __global__ void g() {}\nvoid f() { gpu::scale<float, 3><<<1, 2>>>(x); g<-1><<<1, 2>>>(); h<T><<<1, 2>>>(); g<-1><<<1, 3>>>(); }\n";
    let made = flattened(launches, &[]);
    assert_eq!(made.instances, ["gpu::scale<float , 3>", "g<- 1>"]);
    let plain = flat(
        "#include <mma.h>\n__global__ void k() {}",
        "k.cu",
        &Options::default(),
        &Given::of(&[]),
        &|_| true,
    );
    assert!(plain.unwrap().is_none());
}

#[test]
fn no_text_breaks_the_one_text() {
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        ";",
        "<",
        ">",
        "struct",
        "template",
        "operator",
        "=",
        ":",
        "namespace",
        "x",
        "#include \"a.h\"\n",
        "extern \"C\"",
        "é",
        "/*",
        "\"",
    ];
    let mut state = 7_u64;
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            text.push(' ');
        }
        let _ = flat(
            &text,
            "k.cu",
            &Options::default(),
            &Given::of(&[("a.h", "int a; }")]),
            &|_| true,
        );
        let _ = compiled(&text, &[("a.h", "int a; }")]);
    }
}
