//! The reader's own copies of the notebooks: made when they are missing, and a later version of a notebook laid beside
//! what a reader has changed, never over it.

use anyhow::Context;
use cornerturn_basics::{sha256, write_whole};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// In the folder of copies: the digest of each file as it was last written there.
const GIVEN: &str = ".given.json";

/// What was done with one notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// The notebook that a reader has changed, relative to the folder of copies.
    pub changed: PathBuf,
    /// Where the later version lies.
    pub later: PathBuf,
}

/// Brings the notebooks below `source` to `folder`. Gives those whose later version was laid beside a changed one.
///
/// # Errors
/// If a file cannot be read or written.
pub fn lay_out(source: &Path, folder: &Path) -> anyhow::Result<Vec<Beside>> {
    super::create_folder(folder)?;
    let register = folder.join(GIVEN);
    let text = fs::read_to_string(&register).unwrap_or_default();
    // A damaged register only costs that unchanged copies count as changed.
    let mut copies = Copies {
        folder,
        given: serde_json::from_str(&text).unwrap_or_default(),
    };
    let mut beside = Vec::new();
    for name in notebooks_below(source, Path::new(""))? {
        let text = fs::read(source.join(&name)).with_context(|| name.display().to_string())?;
        if let Some(later) = copies.bring(&name, &text)? {
            beside.push(Beside {
                changed: name,
                later,
            });
        }
    }
    let text = serde_json::to_string_pretty(&copies.given)? + "\n";
    write_whole(&register, text.as_bytes()).with_context(|| register.display().to_string())?;
    Ok(beside)
}

struct Copies<'a> {
    folder: &'a Path,
    given: BTreeMap<PathBuf, String>,
}

impl Copies<'_> {
    /// Brings one notebook; where it went if a reader has changed the one of its name.
    fn bring(&mut self, name: &Path, text: &[u8]) -> anyhow::Result<Option<PathBuf>> {
        let wanted = sha256(text);
        if self.may_write(name, &wanted) {
            self.write(name, text, wanted)?;
            return Ok(None);
        }
        let later = |number: u32| {
            let stem = name.file_stem().unwrap_or_default().to_string_lossy();
            let number = if number == 1 {
                String::new()
            } else {
                format!("-{number}")
            };
            name.with_file_name(format!("{stem}.later{number}.ipynb"))
        };
        let mut number = 1;
        // Each may have been changed by the reader as well.
        while self.folder.join(later(number)).exists() || self.given.contains_key(&later(number)) {
            if self.given.get(&later(number)) == Some(&wanted) {
                return Ok(None);
            }
            if self.may_write(&later(number), &wanted) {
                break;
            }
            number += 1;
        }
        if self.given.get(name) == Some(&wanted) {
            return Ok(None);
        }
        self.write(&later(number), text, wanted)?;
        Ok(Some(later(number)))
    }

    /// Whether nothing of a reader's is lost where a file is written.
    fn may_write(&self, name: &Path, wanted: &str) -> bool {
        let Ok(found) = fs::read(self.folder.join(name)) else {
            return !self.folder.join(name).exists();
        };
        let found = sha256(&found);
        found == wanted || self.given.get(name) == Some(&found)
    }

    fn write(&mut self, name: &Path, text: &[u8], digest: String) -> anyhow::Result<()> {
        let path = self.folder.join(name);
        if let Some(folder) = path.parent() {
            super::create_folder(folder)?;
        }
        if fs::read(&path).ok().as_deref() != Some(text) {
            write_whole(&path, text).with_context(|| path.display().to_string())?;
        }
        self.given.insert(name.to_path_buf(), digest);
        Ok(())
    }
}

/// The notebooks of a folder and those below it, relative to it, in order.
fn notebooks_below(source: &Path, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let place = source.join(folder);
    let mut found = Vec::new();
    let entries = fs::read_dir(&place).with_context(|| place.display().to_string())?;
    for entry in entries {
        let entry = entry?;
        let name = folder.join(entry.file_name());
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if entry.file_type()?.is_dir() && !is_hidden {
            found.extend(notebooks_below(source, &name)?);
        } else if name
            .extension()
            .is_some_and(|extension| extension == "ipynb")
        {
            found.push(name);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_version_never_takes_the_place_of_what_a_reader_changed() {
        let folder = std::env::temp_dir().join(format!("cornerturn-copies-{}", std::process::id()));
        let (source, copies) = (folder.join("notebooks"), folder.join("copies"));
        fs::create_dir_all(source.join("exercises")).unwrap();
        let publish = |name: &str, text: &str| fs::write(source.join(name), text).unwrap();
        let read = |name: &str| fs::read_to_string(copies.join(name)).unwrap();
        let lay_out = || lay_out(&source, &copies).unwrap();
        publish("a.ipynb", "one");
        publish("exercises/b.ipynb", "one");
        assert_eq!(lay_out(), []);
        assert_eq!(
            (read("a.ipynb"), read("exercises/b.ipynb")),
            ("one".into(), "one".into())
        );

        // What nobody changed becomes the later version itself.
        publish("a.ipynb", "two");
        assert_eq!(lay_out(), []);
        assert_eq!(read("a.ipynb"), "two");

        // What a reader changed stays, and the later version comes once.
        fs::write(copies.join("a.ipynb"), "mine").unwrap();
        assert_eq!(lay_out(), [], "there is no later version");
        publish("a.ipynb", "three");
        let later = |name: &str| {
            vec![Beside {
                changed: "a.ipynb".into(),
                later: name.into(),
            }]
        };
        assert_eq!(lay_out(), later("a.later.ipynb"));
        assert_eq!(
            (read("a.ipynb"), read("a.later.ipynb")),
            ("mine".into(), "three".into())
        );
        assert_eq!(lay_out(), []);
        publish("a.ipynb", "four");
        assert_eq!(
            lay_out(),
            later("a.later.ipynb"),
            "nobody has changed that one"
        );
        fs::write(copies.join("a.later.ipynb"), "mine too").unwrap();
        publish("a.ipynb", "five");
        assert_eq!(lay_out(), later("a.later-2.ipynb"));
        let kept = (
            read("a.ipynb"),
            read("a.later.ipynb"),
            read("a.later-2.ipynb"),
        );
        assert_eq!(kept, ("mine".into(), "mine too".into(), "five".into()));

        // What was deleted comes again.
        fs::remove_file(copies.join("a.ipynb")).unwrap();
        assert_eq!(lay_out(), []);
        assert_eq!(read("a.ipynb"), "five");
        fs::remove_dir_all(&folder).unwrap();
    }
}
