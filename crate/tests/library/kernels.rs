//! Kernels: how they are found, what is refused, which compiler is asked for.

use crate::{FILL, Folder, compiles, registered};
use cornerturn::{Cluster, Compiler, CompilerKind, Device, Error, ErrorKind, Kernel, Origin, args};

#[test]
fn unedited_source_runs_from_the_committed_ptx() {
    let (committed, _) = registered("padded");
    let source = committed.source().unwrap();
    // As a cell has it: a line break after r#", another at the end, line ends of another system.
    for text in [
        source.to_string(),
        format!("\n{source}\n\n"),
        source.replace('\n', "\r\n"),
    ] {
        let kernel = Kernel::cuda(&text).unwrap();
        assert_eq!(kernel.origin(), Origin::Committed);
        assert_eq!(kernel.name(), "padded");
        assert_eq!(kernel.ptx_sha256(), committed.ptx_sha256());
    }
}

#[test]
fn ptx_is_given_with_or_without_its_entry() {
    let folder = Folder::new("ptx-files");
    let path = folder.write("fill.ptx", FILL);
    let kernel = Kernel::ptx_file(&path, None).unwrap();
    assert_eq!((kernel.entry(), kernel.params().len()), ("fill", 2));
    assert_eq!(kernel.origin(), Origin::Given);
    let error = Kernel::ptx(FILL, "filll").unwrap_err();
    assert!(error.to_string().contains("`fill`"), "{error}");
    assert_eq!(error.kind(), ErrorKind::BadUse);

    let second = FILL
        .split_once(".visible")
        .unwrap()
        .1
        .replace("fill", "other");
    let path = folder.write("two.ptx", format!("{FILL}.visible{second}"));
    let error = Kernel::ptx_file(&path, None).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("two.ptx") && text.contains("`fill`, `other`"),
        "{text}"
    );
    assert_eq!(
        Kernel::ptx_file(&path, Some("other")).unwrap().entry(),
        "other"
    );

    let error = Kernel::ptx_file(&folder.0.join("none.ptx"), None).unwrap_err();
    assert!(error.to_string().contains("none.ptx"), "{error}");
    assert_eq!(error.exit_code(), 2);
    let path = folder.write("binary.ptx", [0x7F, b'E', b'L', b'F', 0xFF]);
    assert!(
        Kernel::ptx_file(&path, None)
            .unwrap_err()
            .to_string()
            .contains("UTF-8")
    );
    let path = folder.write("empty.ptx", "");
    assert_eq!(Kernel::ptx_file(&path, None).unwrap_err().exit_code(), 2);
}

#[test]
fn malformed_ptx_names_the_line_and_unknown_instructions_are_unsupported() {
    let broken = FILL.replace("mad.lo.s32 %r5,", "mad.lo.s32 %r5 %r9 ;;");
    let error = Kernel::ptx(&broken, "fill").unwrap_err();
    assert_eq!(error.exit_code(), 2, "{error}");
    let line = broken
        .lines()
        .position(|line| line.contains("mad.lo"))
        .unwrap()
        + 1;
    assert!(
        error.to_string().contains(&format!("line {line}")),
        "{error}"
    );

    // Another device may run what the emulator does not know: only running it here is refused.
    let sparse = "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16";
    let unknown = FILL.replace("mul.wide.u32 %rd3, %r5, 4;", &format!("{sparse};"));
    let kernel = Kernel::ptx(&unknown, "fill").unwrap();
    assert_eq!(kernel.params().len(), 2);
    let error = kernel.module().unwrap_err();
    assert_eq!(
        (error.kind(), error.exit_code()),
        (ErrorKind::Unsupported, 3),
        "{error}"
    );
    assert!(error.to_string().contains(sparse), "{error}");
}

/// Edited source, by either compiler; each that is here says that it was.
#[test]
fn edited_source_is_compiled_by_the_compiler_that_is_there() {
    let (committed, _) = registered("padded");
    let edited = committed.source().unwrap().replace("+ 1]", "+ 2]");
    assert_ne!(edited, committed.source().unwrap());
    let kernel = Kernel::cuda(&edited).unwrap();
    assert_eq!((kernel.origin(), kernel.entry()), (Origin::Live, "padded"));
    assert_eq!(kernel.source(), Some(edited.as_str()));
    let by = kernel.compiler().unwrap().to_string();
    let shown = format!("kernel padded (compiled just now by {by})");
    assert_eq!(kernel.to_string(), shown);
    for kind in [CompilerKind::Nvrtc, CompilerKind::CornerTurn] {
        let compiler = match Compiler::of(kind) {
            Ok(compiler) => compiler,
            Err(error) => {
                assert_eq!((kind, error.exit_code()), (CompilerKind::Nvrtc, 4));
                let fix = "cargo cornerturn kernels --install-compiler";
                assert!(error.to_string().contains(fix), "{error}");
                continue;
            }
        };
        let kernel = Kernel::cuda_by(&compiler, &edited, "kernel.cu", "padded").unwrap();
        assert_eq!(kernel.compiler().unwrap().kind, kind);
        assert!(cornerturn::ptx::version(kernel.ptx_text()).unwrap() <= (8, 0));
        let file = kernel.ptx_text().contains("\"kernel.cu\"");
        assert!(file, "the name of the folder is left in");
    }
}

#[test]
fn the_compilers_errors_carry_the_cells_lines() {
    if !crate::compiles("what the compiler says") {
        return;
    }
    let source = "\nextern \"C\" __global__ void k(float* out)\n{\n    out[threadIdx.x] = undefined_name;\n}\n";
    let error = Kernel::cuda(source).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    let text = error.to_string();
    assert!(
        text.contains("(4)") && text.contains("undefined_name"),
        "{text}"
    );
    let error = Kernel::cuda("__device__ int f() { return 1; }").unwrap_err();
    assert!(
        error.to_string().contains("extern \"C\" __global__"),
        "{error}"
    );
    let two = "extern \"C\" __global__ void a() {}\nextern \"C\" __global__ void b() {}";
    let error = Kernel::cuda(two).unwrap_err();
    assert!(
        error.to_string().contains("`a`, `b`") || error.to_string().contains("`b`, `a`"),
        "{error}"
    );
    assert_eq!(Kernel::cuda_entry(two, "b").unwrap().entry(), "b");
    let error = Kernel::cuda("a\0b").unwrap_err();
    assert!(error.to_string().contains("NUL"), "{error}");
}

/// What cannot be included cannot be read by way of the compiler's messages either.
#[test]
fn a_source_reads_no_file_of_the_account() {
    if !compiles("what a source may include") {
        return;
    }
    let folder = Folder::new("secret");
    let secret = folder.0.join("secret.txt");
    std::fs::write(&secret, "TOPSECRET of this account\n").unwrap();
    let path = secret.display();
    let climb = "../".repeat(40);
    for include in [
        format!("#include \"{path}\""),
        format!("%:include <{path}>"),
        format!("#inc\\\nlude /* */ \"{path}\""),
        format!("#define FILE \"{path}\"\n#include FILE"),
        format!("#include_next <{path}>"),
        format!(
            "#include \"{climb}{}\"",
            path.to_string().trim_start_matches('/')
        ),
        format!("#if 0\n' /*\n#endif\n#include \"{path}\"\n//*/"),
        format!("#if __has_include(\"{path}\")\n#error TOPSECRET\n#endif"),
        format!("#define ASK __has_include\n#if ASK(\"{path}\")\n#error TOPSECRET\n#endif"),
        "#include \"Cargo.toml\"".to_string(),
    ] {
        let source =
            format!("{include}\nextern \"C\" __global__ void k(float* a) {{ a[0] = 1; }}\n");
        let error = Kernel::cuda(&source).unwrap_err();
        assert!(matches!(error, Error::Compile { .. }), "{include}: {error}");
        let text = error.to_string();
        assert!(
            !text.contains("TOPSECRET") && !text.contains("workspace"),
            "{text}"
        );
        assert!(text.contains("kernel.cu("), "{text}");
    }
}

/// Before any device is asked: the kernel is not made.
#[test]
fn constants_over_their_bank_are_refused_with_the_limit_and_their_names() {
    let text = |bytes: usize| {
        format!(
            ".version 6.4\n.target sm_75\n.address_size 64\n.const .align 4 .b8 primes[1000];\n\
             .const .align 4 .b8 table[{bytes}];\n.visible .entry k() {{ ret; }}\n"
        )
    };
    assert!(Kernel::ptx(&text(65_536 - 1000), "k").is_ok());
    let error = Kernel::ptx(&text(65_536 - 996), "k").unwrap_err();
    assert_eq!(error.exit_code(), 2, "{error}");
    let words =
        "the .const variables take 65540 bytes, the most is 65536: `table` 64540, `primes` 1000";
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn a_cluster_above_the_limit_is_refused_with_it() {
    let text = ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";
    let kernel = Kernel::ptx(text, "k").unwrap();
    let launch = |cluster: Cluster| {
        let kernel = kernel.with_cluster(cluster);
        Device::emulator().launch(&kernel, (36, 17), 64, args![])
    };
    assert!(launch(Cluster::of([4, 1, 1])).is_ok());
    assert!(launch(Cluster::of([12, 1, 1]).non_portable()).is_ok());
    for (cluster, words) in [
        (
            Cluster::of([9, 1, 1]),
            "at most 8 blocks, and this launch asks for 9; up to 16",
        ),
        (
            Cluster::of([1, 17, 1]).non_portable(),
            "at most 16 blocks, and this launch asks for 17",
        ),
        (Cluster::of([u32::MAX; 3]), "at most 8 blocks"),
        (Cluster::of([0, 1, 1]), "the cluster's 0"),
    ] {
        let error = launch(cluster).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}
