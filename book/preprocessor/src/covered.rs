//! Tells which notebooks hold nothing but cells that a build of the book has run on this machine. Runs nothing.

use crate::book::load;
use crate::cache::Cache;
use crate::chapter::Chapter;
use crate::error::{Error, Result};
use crate::kernels::Registry;
use crate::keys::Keys;
use crate::notebook::{EXERCISES, FOLDER, opening_cells};
use crate::preprocess::chapters;
use crate::prose::fill;
use crate::values::Source;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A notebook, and whether the book has run its cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The notebook, relative to the project's root.
    pub notebook: PathBuf,
    /// Whether a build of the book ran cells of just this text, in this order, with the kernels and the library as
    /// they are now, and all ended as they must.
    pub covered: bool,
}

/// The chapters' notebooks and the exercises', each with whether the book has run what is in it on the device of
/// `device_key`. The values of their words come from `values`, as they do where notebooks are written.
///
/// # Errors
///
/// A malformed chapter, a value that does not hold, or a notebook that cannot be read.
pub fn coverage(root: &Path, device_key: &str, values: &dyn Source) -> Result<Vec<Coverage>> {
    let book = load(root)?;
    let registry = Registry::load(root)?;
    let keys = Keys::of_project(root, &registry)?;
    let cache = Cache::of(root, device_key);
    let mut chapters = chapters(&book.config.book.src.clone(), &book.book, &registry)?;
    // Of what is written in the chapters; their notebooks hold the values.
    let keys = keys.of_all(&chapters)?;
    fill(&mut chapters, values)?;
    let mut all = Vec::new();
    for (chapter, keys) in chapters.iter().zip(&keys) {
        let ran = !keys.is_empty() && cache.load(keys).is_some();
        for (notebook, expected) in notebooks_of(chapter) {
            let covered = ran && code_of(&root.join(&notebook))? == expected;
            all.push(Coverage { notebook, covered });
        }
    }
    Ok(all)
}

/// The notebooks of a chapter with their code as the book runs it: one text, since the book runs the two
/// cells of an exercise or a question as one.
fn notebooks_of(chapter: &Chapter) -> Vec<(PathBuf, String)> {
    if chapter.is_notebook() {
        let code = chapter.notebook_code();
        let sources = code.iter().map(String::as_str);
        let name = Path::new(FOLDER).join(chapter.notebook_name());
        return vec![(name, joined(sources))];
    }
    let opening: Vec<String> = opening_cells(chapter).collect();
    let exercises = chapter.exercises().map(|item| {
        let own = [item.starter_source(), item.check_source()];
        let sources = opening.iter().chain(&own).map(String::as_str);
        let name = format!("{}.ipynb", item.exercise.id);
        (
            Path::new(FOLDER).join(EXERCISES).join(name),
            joined(sources),
        )
    });
    exercises.collect()
}

/// The code of a notebook, with paths as seen from the folder of the chapters' notebooks.
fn code_of(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).map_err(Error::io(path))?;
    let notebook: Value =
        serde_json::from_str(&text).map_err(|error| Error::io(path)(error.into()))?;
    let cells = notebook["cells"].as_array().into_iter().flatten();
    let code = cells.filter(|cell| cell["cell_type"] == "code");
    let sources: Vec<String> = code
        .map(|cell| match &cell["source"] {
            Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
            source => source.as_str().unwrap_or_default().to_owned(),
        })
        .collect();
    let code = joined(sources.iter().map(String::as_str));
    let deeper = path
        .parent()
        .is_some_and(|folder| folder.ends_with(EXERCISES));
    Ok(match deeper {
        true => code.replace("path = \"../../", "path = \"../"),
        false => code,
    })
}

fn joined<'a>(sources: impl Iterator<Item = &'a str>) -> String {
    sources
        .map(|source| source.trim_end().to_owned() + "\n")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::NoSource;

    #[test]
    fn a_notebook_is_covered_until_its_code_or_its_chapter_differs() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
            fs::write(path, text).expect("it can be written");
        };
        write(
            "book.toml",
            "[book]\ntitle = \"A book\"\nsrc = \"book/src\"\n",
        );
        write("book/src/SUMMARY.md", "# Summary\n\n- [One](one.md)\n");
        write(
            "book/src/one.md",
            "# One\n\n```rust cell\nlet x = 1;\n```\n\n```rust question one\nx\n```\n\n- `1`\n  > Yes, {{#value 1}}.\n- `2`\n  > No.\n",
        );
        let told = || {
            let coverage = coverage(root, "device", &NoSource).expect("it can be told");
            assert_eq!(coverage.len(), 1);
            coverage[0].covered
        };
        crate::write_notebooks(root, &NoSource).expect("it is written");
        assert!(!told(), "nothing has run");
        let registry = Registry::load(root).expect("a registry");
        let keys = Keys::of_project(root, &registry).expect("keys");
        let book = load(root).expect("a book");
        let chapters = chapters(Path::new("book/src"), &book.book, &registry).expect("chapters");
        let output = crate::CellOutput {
            status: crate::CellStatus::Ok,
            stdout: String::new(),
            stderr: String::new(),
            display: Default::default(),
            seconds: 0.1,
        };
        for key in keys.of_chapter(&chapters[0]).expect("keys") {
            Cache::of(root, "device")
                .store(&key, &output)
                .expect("it is stored");
        }
        assert!(told());
        let notebook = root.join("notebooks/01-one.ipynb");
        let text = fs::read_to_string(&notebook).expect("it is there");
        fs::write(&notebook, text.replace("x = 1", "x = 2")).expect("it can be written");
        assert!(!told(), "the notebook differs");
        fs::write(&notebook, &text).expect("it can be written");
        assert!(told());
        write(
            "book/src/one.md",
            "# One\n\n```rust cell\nlet x = 3;\n```\n",
        );
        crate::write_notebooks(root, &NoSource).expect("it is written");
        assert!(!told(), "this text has not run");
    }
}
