//! The module of the pages' laboratory: built for WebAssembly, and written beside the pages with the files that it is given, each as a script, which browsers load from a folder too. What is in it is package `cornerturn-page`'s.

use crate::{exit, output};
use anyhow::Context as _;
use base64::Engine as _;
use cornerturn_page::pack;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What it is built for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The folder of the scripts, beside the pages.
pub const FOLDER: &str = "lab";

/// The module, built if its sources have changed; `None`, told on stderr, where this toolchain has not the target.
pub fn build(root: &Path) -> anyhow::Result<Option<PathBuf>> {
    if !has_target()? {
        output::step(format!(
            "the pages get no laboratory: this toolchain has no {TARGET}; `rustup target add {TARGET}` adds it"
        ));
        return Ok(None);
    }
    output::step("the pages' laboratory: building what runs in the browser");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo.args([
        "build",
        "--quiet",
        "--profile",
        "page",
        "-p",
        "cornerturn-page",
    ]);
    let target = root.join("target").join("page");
    cargo
        .args(["--target", TARGET, "--target-dir"])
        .arg(&target);
    // Lanes of a warp four at a time; every browser since 2023 has it. The compiler's stack is deeper than 1 MiB where a
    // source is nested as deep as it may be.
    cargo.env(
        "RUSTFLAGS",
        "-C target-feature=+simd128 -C link-arg=-zstack-size=4194304",
    );
    let built = cargo.output().context("cannot start cargo")?;
    if !built.status.success() {
        return Err(exit::wrong(format!(
            "the pages' module does not compile:\n{}",
            String::from_utf8_lossy(&built.stderr)
        )));
    }
    Ok(Some(
        target
            .join(TARGET)
            .join("page")
            .join("cornerturn_page.wasm"),
    ))
}

/// Whether the toolchain can build it.
pub fn has_target() -> anyhow::Result<bool> {
    let printed = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .context("cannot start rustc")?;
    Ok(Path::new(String::from_utf8_lossy(&printed.stdout).trim()).is_dir())
}

/// Bytes of the scripts, as they are sent.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// The module.
    pub engine_bytes: usize,
    /// The kernels.
    pub files_bytes: usize,
    /// The exercises.
    pub exercises_bytes: usize,
}

/// Writes the scripts into a folder of the pages.
pub fn write(module: &Path, pages: &Path) -> anyhow::Result<Sizes> {
    let folder = pages.join(FOLDER);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let module = fs::read(module).with_context(|| format!("cannot read {}", module.display()))?;
    Ok(Sizes {
        engine_bytes: script(&folder, "engine", &module)?,
        files_bytes: script(&folder, "files", pack::kernels()?.to_string().as_bytes())?,
        exercises_bytes: script(
            &folder,
            "exercises",
            pack::exercises()?.to_string().as_bytes(),
        )?,
    })
}

/// One script: bytes, compressed as gzip does and written in base 64. Gives how many bytes they are compressed.
fn script(folder: &Path, name: &str, bytes: &[u8]) -> anyhow::Result<usize> {
    let packed = gzip(bytes);
    let text = base64::engine::general_purpose::STANDARD.encode(&packed);
    let script = format!(
        "globalThis.cornerturn_lab = globalThis.cornerturn_lab || {{}};\ncornerturn_lab.{name} = \"{text}\";\n"
    );
    let path = folder.join(format!("{name}.js"));
    output::write_whole(&path, script.as_bytes())?;
    Ok(packed.len())
}

/// Bytes of DEFLATE (RFC 1951) in gzip's frame (RFC 1952), without a name and a time.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    const BEST: u8 = 10;
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
    packed.extend(miniz_oxide::deflate::compress_to_vec(bytes, BEST));
    packed.extend(crc32(bytes).to_le_bytes());
    packed.extend((bytes.len() as u32).to_le_bytes());
    packed
}

/// The check sum of gzip, RFC 1952, section 8.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, &byte: &u8| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| match sum & 1 {
            1 => 0xEDB8_8320 ^ (sum >> 1),
            _ => sum >> 1,
        })
    };
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_sum_is_that_of_its_definition() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }
}
