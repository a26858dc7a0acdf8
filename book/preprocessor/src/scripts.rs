//! Makes one script of the laboratory's small ones, so that a page asks for one file and not for a dozen. Which there are,
//! and in what order, is book.toml's.

use crate::error::{Error, Result};
use mdbook_core::config::Config;
use std::fs;
use std::path::Path;

/// Where book.toml names scripts.
const KEY: &str = "output.html.additional-js";

/// Those in this folder are joined.
const FOLDER: &str = "crate/page/script/";

/// All of them, below the project's root; mdBook gives the page's file the same path.
const JOINED: &str = "target/laboratory.js";

/// Puts the joined script in the place of the small ones.
pub(crate) fn join(config: &mut Config, root: &Path) -> Result<()> {
    let named: Option<Vec<String>> = config.get(KEY).map_err(Error::from_mdbook)?;
    let (own, mut scripts): (Vec<String>, Vec<String>) = named
        .unwrap_or_default()
        .into_iter()
        .partition(|script| script.starts_with(FOLDER));
    if own.is_empty() {
        return Ok(());
    }
    let mut text = String::new();
    for script in own {
        let path = root.join(script);
        push_code(
            &mut text,
            &fs::read_to_string(&path).map_err(Error::io(&path))?,
        );
    }
    let joined = root.join(JOINED);
    if let Some(folder) = joined.parent() {
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
    }
    fs::write(&joined, text).map_err(Error::io(&joined))?;
    scripts.push(JOINED.to_owned());
    config.set(KEY, scripts).map_err(Error::from_mdbook)
}

/// The lines of a script without those that are comments, and without indentation: a page loads neither. No text of the
/// laboratory goes over several lines.
fn push_code(text: &mut String, script: &str) {
    let lines = script.lines().map(str::trim);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with("//")) {
        text.push_str(line);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_laboratorys_scripts_become_one_in_their_order() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path();
        fs::create_dir_all(root.join(FOLDER)).expect("a folder");
        for (name, text) in [
            (
                "a",
                "// What it does.\n\nif (x) {\n  first(\"// this\"); // now\n}",
            ),
            ("b", "second();\n"),
        ] {
            fs::write(root.join(format!("{FOLDER}{name}.js")), text).expect("a file");
        }
        let mut config = Config::default();
        let named = ["x.js", "crate/page/script/b.js", "crate/page/script/a.js"];
        config.set(KEY, named).expect("it can be set");
        join(&mut config, root).expect("they are joined");
        let scripts: Option<Vec<String>> = config.get(KEY).expect("it can be read");
        assert_eq!(
            scripts.as_deref(),
            Some(&["x.js".to_owned(), JOINED.to_owned()][..])
        );
        let text = fs::read_to_string(root.join(JOINED)).expect("it is there");
        assert_eq!(text, "second();\nif (x) {\nfirst(\"// this\"); // now\n}\n");
    }

    #[test]
    fn a_book_without_a_laboratory_is_left_alone() {
        let mut config = Config::default();
        join(&mut config, Path::new("/nowhere")).expect("there is nothing to do");
        let scripts: Option<Vec<String>> = config.get(KEY).expect("it can be read");
        assert_eq!(scripts, None);
    }
}
