//! axe-core, which looks at a page as those need it who do not see it or use no pointer: fetched from the npm registry, pinned and checked. What is made of what it finds is in `pages`.

use crate::exit;
use crate::partial::Partial;
use anyhow::Context;
use cornerturn_basics::system::PYTHON;
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use tar::Archive;

const ADDRESS: &str = "https://registry.npmjs.org/axe-core/-/axe-core-4.10.3.tgz";
/// Of the package as it comes, SHA-256.
const SHA256: &str = "0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292";
/// The script in it.
const MEMBER: &str = "package/axe.min.js";
/// The folder below `target/`, and the package in it.
const FOLDER: &str = "axe-core";
const PACKAGE: &str = "axe-core-4.10.3.tgz";

/// Fetches the first address to the second.
const FETCH: &str = "import sys, urllib.request\n\
    with urllib.request.urlopen(sys.argv[1], timeout=60) as answer, open(sys.argv[2], 'wb') as file:\n    \
    file.write(answer.read())\n";

/// The script, which defines `axe` in a page; fetched where it is not there yet.
///
/// # Errors
/// The network cannot be reached, or what came is not what was pinned.
pub fn script(root: &Path) -> anyhow::Result<String> {
    let folder = root.join("target").join(FOLDER);
    let is_there = || read(&folder).is_ok();
    if !is_there() {
        let partial = Partial::new(&root.join("target"), FOLDER)?;
        fetch(&partial.path().join(PACKAGE))?;
        read(partial.path())?;
        partial.put_at(&folder, is_there)?;
    }
    let bytes = read(&folder)?;
    let mut archive = Archive::new(GzDecoder::new(&bytes[..]));
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.path()?.as_ref() == Path::new(MEMBER) {
            let mut script = String::new();
            entry.read_to_string(&mut script)?;
            return Ok(script);
        }
    }
    Err(exit::wrong(format!("axe-core's package has no {MEMBER}")))
}

/// The package in this folder, if it is the pinned one.
fn read(folder: &Path) -> anyhow::Result<Vec<u8>> {
    let path = folder.join(PACKAGE);
    let mut bytes = Vec::new();
    File::open(&path)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .with_context(|| path.display().to_string())?;
    let found = format!("{:x}", Sha256::digest(&bytes));
    match found == SHA256 {
        true => Ok(bytes),
        false => Err(exit::wrong(format!(
            "{ADDRESS} has the SHA-256 {found}, and {SHA256} was pinned: it is not used"
        ))),
    }
}

fn fetch(into: &Path) -> anyhow::Result<()> {
    let result = Command::new(PYTHON)
        .args(["-c", FETCH, ADDRESS])
        .arg(into)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| exit::lacks(format!("cannot start {PYTHON}: {error}")))?;
    if result.status.success() && fs::metadata(into).is_ok() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&result.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    Err(exit::lacks(format!(
        "axe-core cannot be fetched from {ADDRESS}: {}; connect this machine to the network and run it again",
        last.unwrap_or("it did not come")
    )))
}
