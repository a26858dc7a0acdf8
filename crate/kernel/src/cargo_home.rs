//! A home of cargo's for the notebooks of one project: what is in the user's, and locks of its own, so that a cell does not wait for whatever else cargo does on this machine. It holds links, and copies nothing.

use cornerturn_basics::system::cargo_home;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What makes a home of cargo's its own: its locks, and what it notes of its last use.
const OWN: [&str; 4] = [
    ".package-cache",
    ".package-cache-mutate",
    ".global-cache",
    ".rustup",
];

/// The home for the project at `root`; `None` where it cannot be made, and cargo's own serves.
pub fn prepare(root: &Path) -> Option<PathBuf> {
    let own = root.join("target").join("evcxr").join("cargo-home");
    let users = cargo_home()?;
    if users == own {
        return Some(own);
    }
    link_all(&users, &own).ok()?;
    // Without what was fetched, a cell would fetch it again.
    own.join("registry").exists().then_some(own)
}

/// Links everything in a folder but what the other is to have by itself.
fn link_all(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if OWN
            .iter()
            .any(|own| name.to_string_lossy().starts_with(own))
        {
            continue;
        }
        let (target, link) = (from.join(&name), to.join(&name));
        if fs::read_link(&link).is_ok_and(|old| old == target) {
            continue;
        }
        // One that leads elsewhere, or another kernel's that has just come.
        let _ = fs::remove_file(&link);
        match std::os::unix::fs::symlink(&target, &link) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => done?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_has_what_the_users_has_but_its_locks() {
        let name = format!("cornerturn-cargo-home-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let (users, own) = (folder.join("users"), folder.join("own"));
        fs::create_dir_all(users.join("registry")).unwrap();
        fs::write(users.join("config.toml"), "x").unwrap();
        fs::write(users.join(".package-cache"), "").unwrap();
        for _ in 0..2 {
            link_all(&users, &own).unwrap();
            assert!(own.join("registry").is_dir() && own.join("config.toml").is_file());
            assert!(!own.join(".package-cache").exists());
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
