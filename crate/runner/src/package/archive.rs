//! The archive: what the wheel has, for those who have no Python, and what a shell and `man` take beside it.

use crate::{exit, output, pack, wheels};
use flate2::{Compression, GzBuilder};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tar::Builder;

/// The shells for which it has completions, each with its file's name there.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "cornerturn.bash"),
    ("zsh", "_cornerturn"),
    ("fish", "cornerturn.fish"),
];

/// Writes it beside the wheel, named as the wheel is.
pub fn write(root: &Path, wheel: &Path, into: &Path) -> anyhow::Result<PathBuf> {
    let program = unpack_binary(root, wheel, &into.join("binary"))?;
    let name = name(wheel);
    let file_name = program.file_name().unwrap_or_default().to_string_lossy();
    let mut files = vec![(file_name.into_owned(), fs::read(&program)?, 0o755)];
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files.push((licence.to_string(), fs::read(root.join(licence))?, 0o644));
    }
    for (shell, file) in SHELLS {
        let script = printed(&program, &["completions", shell])?;
        files.push((format!("completions/{file}"), script, 0o644));
    }
    let manual = into.join("manual");
    let pages = manual.to_string_lossy().into_owned();
    printed(&program, &["man", "--into", &pages])?;
    for (page, path) in pack::files_below(&manual)? {
        files.push((format!("man/{page}"), fs::read(path)?, 0o644));
    }
    // No time, so that two archives of the same are the same.
    let gzip = GzBuilder::new()
        .mtime(0)
        .write(Vec::new(), Compression::best());
    let mut archive = Builder::new(gzip);
    for (file, bytes, mode) in files {
        pack::add(&mut archive, &format!("{name}/{file}"), &bytes, mode)?;
    }
    let bytes = archive.into_inner()?.finish()?;
    let path = into.join(format!("{name}.tar.gz"));
    output::write_whole(&path, &bytes)?;
    Ok(path)
}

/// `cornerturn-0.1.0-manylinux_2_34_x86_64`, of `cornerturn-0.1.0-py3-none-manylinux_2_34_x86_64.whl`.
fn name(wheel: &Path) -> String {
    let stem = wheel.file_stem().unwrap_or_default().to_string_lossy();
    let parts: Vec<&str> = stem.split('-').collect();
    match parts[..] {
        [name, version, _, _, system] => format!("{name}-{version}-{system}"),
        _ => stem.into_owned(),
    }
}

/// Takes the binary out of the wheel, which is a ZIP archive that Python can read.
fn unpack_binary(root: &Path, wheel: &Path, into: &Path) -> anyhow::Result<PathBuf> {
    if into.exists() {
        fs::remove_dir_all(into)?;
    }
    let python = wheels::python_with_pip(&root.join("target"))?;
    let mut command = Command::new(python);
    command.args(["-m", "zipfile", "-e"]).arg(wheel).arg(into);
    let status = command.stdin(Stdio::null()).status()?;
    let program = format!("cornerturn{}", std::env::consts::EXE_SUFFIX);
    let found = wheels::find(into, &program).filter(|_| status.success());
    let found =
        found.ok_or_else(|| exit::wrong(format!("{} has no {program}", wheel.display())))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&found, fs::Permissions::from_mode(0o755))?;
    }
    Ok(found)
}

/// What the binary prints.
fn printed(program: &Path, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
    let said = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()?;
    match said.status.success() {
        true => Ok(said.stdout),
        false => Err(exit::wrong(format!(
            "`cornerturn {}` of the wheel fails: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&said.stderr).trim()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_named_as_its_wheel() {
        let wheel = Path::new("a/cornerturn-0.1.0-py3-none-manylinux_2_34_x86_64.whl");
        assert_eq!(name(wheel), "cornerturn-0.1.0-manylinux_2_34_x86_64");
        assert_eq!(name(Path::new("other.whl")), "other");
    }
}
