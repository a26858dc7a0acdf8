//! The parts of the pages' laboratory: two modules, the engine and the compiler, built for WebAssembly, and the files that they are given, each written beside the pages as a script, which browsers load from a folder too. What is in them is package `cornerturn-page`'s; when which is loaded, its scripts'.

mod search;

use crate::toolchain::PAGE_TARGET;
use crate::{exit, output};
use anyhow::Context as _;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use cornerturn::registry::{Registry, sha256};
use cornerturn_page::pack;
use lzma_rust2::{LzmaOptions, LzmaWriter};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the scripts, beside the pages.
pub const FOLDER: &str = "lab";

/// The most bytes that the first click on *Run* may load, packed: the engine, the list of kernels, any one kernel, and the
/// page's own script and style.
pub const MOST_BYTES: usize = 900_000;

/// Of these the script and the style.
pub const MOST_SCRIPT_BYTES: usize = 27_000;

/// The packages of the modules, by the names of their scripts.
const MODULES: [(&str, &str); 2] = [
    ("engine", "cornerturn-page"),
    ("compiler", "cornerturn-page-compiler"),
];

/// A script and its style that the pages load only when they are needed.
const LATER: [(&str, &str); 2] = [
    ("steps.js", include_str!("../../page/script/steps.js")),
    ("steps.css", include_str!("../../page/script/steps.css")),
];

/// The folder of the modules, built if their sources have changed. The toolchain has what that needs:
/// [`prepare_page_target`](crate::toolchain::prepare_page_target).
pub fn build(root: &Path) -> anyhow::Result<PathBuf> {
    output::step("the pages' laboratory: building what runs in the browser");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo.args(["build", "--quiet", "--profile", "page"]);
    cargo.args(MODULES.iter().flat_map(|(_, package)| ["-p", package]));
    let target = root.join("target").join("page");
    cargo
        .args(["--target", PAGE_TARGET, "--target-dir"])
        .arg(&target);
    // Lanes of a warp four at a time; every browser since 2023 has it. The compiler's stack is deeper than 1 MiB where a
    // source is nested as deep as it may be. Numbers in code as short as they can be: the linker leaves room for five bytes.
    cargo.env(
        "RUSTFLAGS",
        "-C target-feature=+simd128 -C link-arg=-zstack-size=4194304 -C link-arg=--compress-relocations",
    );
    let built = cargo.output().context("cannot start cargo")?;
    if !built.status.success() {
        return Err(exit::wrong(format!(
            "the pages' modules do not compile:\n{}",
            String::from_utf8_lossy(&built.stderr)
        )));
    }
    Ok(target.join(PAGE_TARGET).join("page"))
}

/// Bytes of the scripts, packed, by their names: `engine`, `compiler`, `files`, `exercises`, `kernels/padded`.
#[derive(Debug, Default)]
pub struct Sizes(BTreeMap<String, usize>);

impl Sizes {
    /// Of one script; 0 where there is none.
    pub fn of(&self, name: &str) -> usize {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// Of all that a click on *Run* at a kernel loads, but for the page's own script and style.
    pub fn of_run(&self, id: &str) -> usize {
        self.of("engine") + self.of("files") + self.of(&kernel_part(id))
    }

    /// Of the kernels the one that loads most, with its bytes.
    pub fn largest_kernel(&self) -> Option<(&str, usize)> {
        let kernels = self.0.iter().filter_map(|(name, bytes)| {
            let id = name.strip_prefix(KERNELS)?.strip_prefix('/')?;
            Some((id, *bytes))
        });
        kernels.max_by_key(|(_, bytes)| *bytes)
    }
}

/// The folder of the kernels' scripts, below that of all.
const KERNELS: &str = "kernels";

fn kernel_part(id: &str) -> String {
    format!("{KERNELS}/{id}")
}

/// Writes the scripts into a folder of the pages, of the modules in another, beside which they are kept: packing takes
/// longer than all else.
pub fn write(modules: &Path, pages: &Path) -> anyhow::Result<Sizes> {
    let mut parts = Parts {
        kept: modules.join(FOLDER),
        folder: pages.join(FOLDER),
        sizes: Sizes::default(),
    };
    for (name, package) in MODULES {
        let path = modules.join(format!("{}.wasm", package.replace('-', "_")));
        let module = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        parts.add(name, &module)?;
    }
    parts.add("files", pack::registry()?.to_string().as_bytes())?;
    parts.add("exercises", pack::exercises()?.to_string().as_bytes())?;
    let registry = Registry::load()?;
    let mut kernels = pack::Kernels::default();
    for code in registry.codes() {
        let files = kernels.pack(&registry, code)?.to_string();
        parts.add(&kernel_part(code.id), files.as_bytes())?;
    }
    for (name, text) in LATER {
        write_below(&parts.folder.join(name), text)?;
    }
    search::pack(pages, &parts.kept)?;
    Ok(parts.sizes)
}

/// Scripts as they are written.
struct Parts {
    kept: PathBuf,
    folder: PathBuf,
    sizes: Sizes,
}

impl Parts {
    /// Writes one script, and keeps it.
    fn add(&mut self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let head = format!("// LZMA of {}\n", sha256(bytes));
        let file = format!("{name}.js");
        let kept = self.kept.join(&file);
        let script = match fs::read_to_string(&kept) {
            Ok(script) if script.starts_with(&head) => script,
            _ => {
                let script = head + &script(name, bytes)?;
                write_below(&kept, &script)?;
                script
            }
        };
        write_below(&self.folder.join(&file), &script)?;
        self.sizes.0.insert(name.to_string(), packed_bytes(&script));
        Ok(())
    }
}

fn write_below(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    output::write_whole(path, text.as_bytes())
}

/// A script that holds bytes, packed: `crate/page/script/unpack.js` unpacks it. Packed by gzip the engine has a third more
/// bytes.
fn script(name: &str, bytes: &[u8]) -> anyhow::Result<String> {
    let text = packed(bytes)?;
    Ok(format!(
        "globalThis.cornerturn_lab = globalThis.cornerturn_lab || {{}};\ncornerturn_lab[\"{name}\"] = \"{text}\";\n"
    ))
}

/// Bytes packed by LZMA with their sum behind, in base 64.
fn packed(bytes: &[u8]) -> anyhow::Result<String> {
    let options = LzmaOptions {
        lc: CONTEXT,
        lp: 0,
        pb: 0,
        nice_len: LzmaOptions::NICE_LEN_MAX,
        ..LzmaOptions::with_preset(9)
    };
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(bytes.len() as u64))?;
    writer.write_all(bytes)?;
    let mut packed = writer.finish()?;
    packed.extend(sum(bytes).to_le_bytes());
    Ok(BASE64_STANDARD.encode(&packed))
}

/// Bits of the byte before by which a byte is expected, in LZMA's words; `unpack.js` knows no other.
const CONTEXT: u32 = 4;

/// The sum of Fowler, Noll and Vo, by which damage is noticed.
fn sum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, byte| {
        (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

/// How many bytes a script holds in base 64.
fn packed_bytes(script: &str) -> usize {
    let text = script.rsplit('"').nth(1).unwrap_or_default();
    text.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use lzma_rust2::LzmaReader;
    use std::io::Read as _;

    #[test]
    fn a_script_holds_what_it_was_given() {
        for bytes in [&b""[..], b"1", b"12", b"123", &[7; 100_003]] {
            let script = script("kernels/k", bytes).unwrap();
            assert!(script.contains("cornerturn_lab[\"kernels/k\"] = \""));
            let text = script.rsplit('"').nth(1).unwrap();
            let packed = BASE64_STANDARD.decode(text).unwrap();
            assert_eq!(packed.len(), packed_bytes(&script));
            let (lzma, own) = packed.split_at(packed.len() - 4);
            assert_eq!(own, sum(bytes).to_le_bytes());
            let mut found = Vec::new();
            let mut reader = LzmaReader::new_mem_limit(lzma, u32::MAX, None).unwrap();
            reader.read_to_end(&mut found).unwrap();
            assert_eq!(found, bytes);
        }
    }
}
