//! The registry: what it refuses, and stamps that tie PTX to its source.

use crate::Folder;
use cornerturn::registry::{KernelEntry, Stamp, sha256};
use cornerturn::{Device, Dim3, Error, Kernel, RegisteredTask, Registry, Shape};

const ENTRY: &str = r#"
[[kernel]]
id = "one"
file = "step/one.cu"
entry = "one"
chapter = "test"
operation = "transpose"
element = "f32"
tile = [32, 16]
block = [32, 8]
arch = "compute_75"
"#;

const SOURCE: &str = "extern \"C\" __global__ void one() {}\n";

fn project(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("kernels.toml", ENTRY);
    folder.write("step/one.cu", SOURCE);
    let stamp = Stamp {
        source: sha256(SOURCE.as_bytes()),
        compiler: "nvrtc-13.0.88".to_string(),
        arch: "compute_75".to_string(),
    };
    let ptx =
        ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry one()\n{\n\tret;\n}\n";
    folder.write("step/one.ptx", format!("{stamp}\n{ptx}"));
    folder
}

#[test]
fn the_projects_registry_loads_and_all_its_kernels_are_fresh() {
    let registry = Registry::load().unwrap();
    assert!(!registry.kernels().is_empty());
    for entry in registry.kernels() {
        let kernel = Kernel::committed(&registry, entry).unwrap();
        assert_eq!(
            (kernel.name(), kernel.entry()),
            (entry.id.as_str(), entry.entry.as_str())
        );
    }
    let error = registry.get("paded").unwrap_err();
    assert!(error.to_string().contains("padded"), "{error}");
    assert_eq!(error.exit_code(), 2);
}

#[test]
fn the_grid_covers_the_input() {
    let folder = project("grid");
    let registry = Registry::load_from(&folder.0).unwrap();
    let one = registry.get("one").unwrap();
    // Tiles of 32 columns and 16 rows.
    assert_eq!(one.grid(Shape::new(1, 1)).unwrap().array(), [1, 1, 1]);
    assert_eq!(one.grid(Shape::new(17, 33)).unwrap().array(), [2, 2, 1]);
    assert_eq!(one.grid(Shape::new(4096, 64)).unwrap().array(), [2, 256, 1]);
    let too_tall = one.grid(Shape::new(65_536 * 16, 1)).unwrap_err();
    assert!(matches!(too_tall, Error::Shape { .. }), "{too_tall}");
}

/// The one kernel with lines added before `arch`.
fn with(folder: &Folder, lines: &str) -> KernelEntry {
    folder.write(
        "kernels.toml",
        ENTRY.replace("arch =", &format!("{lines}\narch =")),
    );
    let registry = Registry::load_from(&folder.0).unwrap();
    registry.get("one").unwrap().clone()
}

#[test]
fn a_grid_may_be_a_line_or_as_many_blocks_as_run_at_a_time() {
    let folder = project("grids");
    let linear = with(&folder, "grid = \"linear\"");
    assert_eq!(linear.grid(Shape::new(17, 33)).unwrap().array(), [4, 1, 1]);
    // Far more rows of tiles than a grid has in y, and indices beyond 32 bits.
    let tall = Shape::new(1 << 32, 2);
    assert_eq!(linear.grid(tall).unwrap().array(), [1 << 28, 1, 1]);
    let wide = Shape::new(1 << 17, 1 << 16);
    assert_eq!(linear.grid(wide).unwrap().array(), [1 << 24, 1, 1]);
    assert!(linear.grid(Shape::new(usize::MAX, usize::MAX)).is_err());
    let persistent = with(
        &folder,
        "grid = \"persistent\"\nblocks_per_multiprocessor = 2",
    );
    assert_eq!(
        persistent.grid(Shape::new(17, 33)).unwrap().array(),
        [4, 1, 1]
    );
    // The emulator's multiprocessors are an H200's.
    assert_eq!(persistent.grid(wide).unwrap().array(), [264, 1, 1]);
    assert_eq!(persistent.grid_on(wide, 1, 10).unwrap().array(), [20, 1, 1]);
}

#[test]
fn a_batch_is_a_grid_of_matrices() {
    let folder = project("batches");
    let shape = Shape::new(17, 33);
    let grid = |lines: &str, batches| {
        let entry = with(&folder, &format!("arguments = \"batch\"\n{lines}"));
        entry.grid_on(shape, batches, 132).map(Dim3::array)
    };
    assert_eq!(grid("", 5).unwrap(), [2, 2, 5]);
    assert_eq!(grid("grid = \"linear\"", 100_000).unwrap(), [400_000, 1, 1]);
    assert!(matches!(grid("", 65_536), Err(Error::Shape { .. })));
    let one = with(&folder, "");
    let error = one.grid_on(shape, 2, 132).unwrap_err();
    assert!(
        error.to_string().contains("`one` takes one matrix"),
        "{error}"
    );
}

#[test]
fn matrices_that_a_kernel_does_not_take_are_refused_with_the_reason() {
    let folder = project("multiples");
    let entry = with(
        &folder,
        "multiple_of = [4, 1]\nbecause = \"it loads four at a time\"",
    );
    assert!(entry.grid(Shape::new(3, 8)).is_ok());
    let error = entry.grid(Shape::new(8, 3)).unwrap_err();
    assert!(matches!(error, Error::Shape { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.ends_with("`one` takes only matrices whose columns are a multiple of 4, because it loads four at a time"),
        "{text}"
    );
    let task = RegisteredTask::new(&Device::emulator(), &entry, Shape::new(8, 3), 1);
    assert!(matches!(task.err(), Some(Error::Shape { .. })));
    let square = with(&folder, "arguments = \"in_place\"");
    assert!(square.grid(Shape::new(8, 8)).is_ok());
    let error = square.grid(Shape::new(8, 3)).unwrap_err();
    assert!(error.to_string().contains("square"), "{error}");
}

#[test]
fn kernels_may_share_a_file_of_one_architecture() {
    let folder = project("sharing");
    let two = ENTRY.replace("id = \"one\"", "id = \"two\"");
    folder.write("kernels.toml", format!("{ENTRY}{two}"));
    let registry = Registry::load_from(&folder.0).unwrap();
    assert_eq!(registry.find_source(SOURCE).len(), 2);
    let newer = two.replace("compute_75", "compute_90a");
    folder.write("kernels.toml", format!("{ENTRY}{newer}"));
    let error = Registry::load_from(&folder.0).unwrap_err();
    assert!(
        error.to_string().contains("shares a file with `one`"),
        "{error}"
    );
}

#[test]
fn ptx_that_does_not_belong_to_its_source_names_the_command() {
    let folder = project("stale");
    let registry = Registry::load_from(&folder.0).unwrap();
    let one = registry.get("one").unwrap();
    let ptx = registry.ptx(one).unwrap();
    let stale = |part: &str| {
        let error = registry.ptx(one).unwrap_err();
        assert!(matches!(error, Error::Stale { .. }), "{error}");
        let text = error.to_string();
        assert!(
            text.contains("one.ptx") && text.contains("cargo cornerturn kernels"),
            "{text}"
        );
        assert!(text.contains(part), "{text}");
        assert_eq!(error.exit_code(), 2);
    };
    folder.write("step/one.cu", format!("{SOURCE}// edited\n"));
    stale("as it is now");
    folder.write("step/one.cu", SOURCE);
    folder.write("step/one.ptx", ptx.replace("compute_75", "compute_90a"));
    stale("compute_90a");
    folder.write("step/one.ptx", ptx.split_once('\n').unwrap().1);
    stale("no stamp");
    std::fs::remove_file(folder.0.join("step/one.ptx")).unwrap();
    stale("missing");
    folder.write("step/one.ptx", [0x7F, 0x45, 0xFF]);
    assert!(registry.ptx(one).unwrap_err().to_string().contains("UTF-8"));
}

#[test]
fn a_wrong_registry_is_refused_with_the_place() {
    let folder = project("wrong-registry");
    let cases = [
        (
            "file = \"step/one.cu\"",
            "file = \"../one.cu\"",
            "below the registry",
        ),
        (
            "file = \"step/one.cu\"",
            "file = \"/one.cu\"",
            "below the registry",
        ),
        ("id = \"one\"", "id = \"o ne\"", "letters"),
        ("tile = [32, 16]", "tile = [0, 16]", "must not be 0"),
        ("block = [32, 8]", "block = [64, 32]", "1024"),
        ("element = \"f32\"", "element = \"f33\"", "f33"),
        ("arch =", "multiple_of = [4, 4]\narch =", "because"),
        ("arch =", "because = \"it is\"\narch =", "multiple_of"),
        (
            "arch =",
            "multiple_of = [4, 0]\nbecause = \"x\"\narch =",
            "must not be 0",
        ),
        (
            "arch =",
            "grid = \"persistent\"\narch =",
            "blocks_per_multiprocessor",
        ),
        (
            "arch =",
            "blocks_per_multiprocessor = 2\narch =",
            "only a persistent grid",
        ),
        ("arch =", "grid = \"spiral\"\narch =", "spiral"),
        ("chapter =", "chapters =", "chapters"),
    ];
    for (from, to, part) in cases {
        folder.write("kernels.toml", ENTRY.replace(from, to));
        let error = Registry::load_from(&folder.0).unwrap_err().to_string();
        assert!(
            error.contains("kernels.toml") && error.contains(part),
            "{to}: {error}"
        );
    }
    folder.write("kernels.toml", format!("{ENTRY}{ENTRY}"));
    assert!(
        Registry::load_from(&folder.0)
            .unwrap_err()
            .to_string()
            .contains("twice")
    );
    assert!(Registry::load_from(&folder.0.join("step")).is_err());
}

#[test]
fn a_stamp_reads_back_what_it_writes() {
    let stamp = Stamp {
        source: "ab12".into(),
        compiler: "nvrtc-13.0.88".into(),
        arch: "compute_90a".into(),
    };
    assert_eq!(Stamp::of(&format!("{stamp}\n.version 8.0\n")), Some(stamp));
    assert_eq!(
        Stamp::of(".version 8.0\n// cornerturn-stamp source=a compiler=b arch=c"),
        None
    );
    assert_eq!(Stamp::of("// cornerturn-stamp source=a arch=c"), None);
    assert_eq!(Stamp::of(""), None);
}
