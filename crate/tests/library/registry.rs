//! The registry: what it refuses, and stamps that tie PTX to its source.

use crate::Folder;
use cornerturn::registry::{Stamp, sha256};
use cornerturn::{Error, Kernel, Registry, Shape};

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
