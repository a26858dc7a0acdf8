//! The names that the library declares, public and private, read from its sources once: so that a list of names need not ask rust-analyzer for each. What a name means is `assist`'s.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// The library's names.
#[derive(Debug, Default)]
pub struct Names {
    public: HashSet<String>,
    private: HashSet<String>,
}

/// What a declaration begins with behind `pub`.
const KINDS: [&str; 9] = [
    "const fn ",
    "unsafe fn ",
    "fn ",
    "struct ",
    "enum ",
    "trait ",
    "mod ",
    "type ",
    "const ",
];

impl Names {
    /// Those of the library of the project at `root`; none where its sources do not lie there.
    pub fn read(root: &Path) -> Self {
        let mut names = Self::default();
        names.add_folder(&root.join("crate"));
        names
    }

    /// Whether something public is called so.
    pub fn is_public(&self, name: &str) -> bool {
        self.public.contains(name)
    }

    /// Whether all that is called so in the library is private.
    pub fn is_private(&self, name: &str) -> bool {
        self.private.contains(name) && !self.public.contains(name)
    }

    fn add_folder(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_source = path.extension().is_some_and(|extension| extension == "rs");
            let is_other = path.ends_with("tests") || path.ends_with("examples");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_other => self.add_folder(&path),
                Ok(kind) if kind.is_file() && is_source => {
                    self.add(&fs::read_to_string(&path).unwrap_or_default());
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, source: &str) {
        for line in source.lines() {
            let line = line.trim_start();
            let (is_public, declared) = match line.strip_prefix("pub ") {
                Some(rest) => (true, rest),
                None => (false, without_scope(line)),
            };
            let kind = KINDS.iter().find_map(|kind| declared.strip_prefix(kind));
            let name = word(kind.unwrap_or(declared));
            let is_field = kind.is_none() && declared[name.len()..].starts_with(": ");
            if name.is_empty() || kind.is_none() && !is_field {
                continue;
            }
            let names = if is_public {
                &mut self.public
            } else {
                &mut self.private
            };
            names.insert(name.to_owned());
        }
    }
}

/// What follows `pub(crate) ` and the like.
fn without_scope(line: &str) -> &str {
    let rest = line
        .strip_prefix("pub(")
        .and_then(|rest| rest.split_once(") "));
    rest.map_or(line, |(_, declared)| declared)
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_public_if_anything_public_has_it() {
        let mut names = Names::default();
        names.add(
            "pub struct Task<T> {\n    core: Core,\n    pub rows: usize,\n    device: Device,\n}\n\
             impl Task {\n    pub const fn shape(&self) {}\n    pub fn device(&self) {}\n    fn of(x: u32) {}\n    \
             pub(crate) fn inner() {}\n    return core;\n}\n",
        );
        for public in ["Task", "rows", "shape", "device"] {
            assert!(
                names.is_public(public) && !names.is_private(public),
                "{public}"
            );
        }
        for private in ["core", "of", "inner"] {
            assert!(names.is_private(private), "{private}");
        }
        assert!(!names.is_private("return") && !names.is_public("iter"));
    }
}
