//! Whether somebody has changed a notebook since it was written: by a digest of its cells that it carries.

use cornerturn_basics::sha256;
use serde_json::{Value, json};

/// The key of a notebook's metadata that says which chapter it was written from. A notebook without
/// it is a reader's own and is left alone.
pub(super) const MARK: &str = "cornerturn";

/// The key of the digest, within the mark.
pub(super) const DIGEST: &str = "sha256";

/// What a notebook holds, as JupyterLab leaves it when it saves what nobody has changed: the kinds and texts of its
/// cells, and their outputs.
pub(super) fn digest(notebook: &Value) -> String {
    let cells = notebook["cells"].as_array().into_iter().flatten();
    let held: Vec<Value> = cells
        .map(|cell| {
            let outputs = cell["outputs"]
                .as_array()
                .filter(|outputs| !outputs.is_empty());
            json!([cell["cell_type"], source_text(&cell["source"]), outputs])
        })
        .collect();
    sha256(Value::Array(held).to_string().as_bytes())
}

/// Whether a notebook of ours holds something else than when it was written. One without a digest may.
pub(super) fn is_edited(text: &str) -> bool {
    let Ok(notebook) = serde_json::from_str::<Value>(text) else {
        return true;
    };
    notebook["metadata"][MARK][DIGEST] != digest(&notebook).as_str()
}

/// A cell's source, which a notebook holds as one text or as lines.
pub fn source_text(source: &Value) -> String {
    match source {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        source => source.as_str().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_notebook_is_edited_only_where_it_says_something_else() {
        let mut notebook = json!({
            "cells": [{"cell_type": "code", "source": ["let a = 1;\n", "a"], "outputs": []}],
            "metadata": {},
        });
        notebook["metadata"][MARK] = json!({ DIGEST: digest(&notebook) });
        assert!(!is_edited(&notebook.to_string()));
        let mut saved = notebook.clone();
        saved["cells"][0]["source"] = json!("let a = 1;\na");
        saved["metadata"]["kernelspec"] = json!({"name": "rust"});
        assert!(
            !is_edited(&saved.to_string()),
            "JupyterLab only wrote it again"
        );
        let mut changed = notebook.clone();
        changed["cells"][0]["source"] = json!("let a = 2;\na");
        let mut run = notebook.clone();
        run["cells"][0]["outputs"] = json!([{"output_type": "stream", "text": "1"}]);
        let mut bare = notebook;
        bare["metadata"] = json!({});
        for edited in [
            changed.to_string(),
            run.to_string(),
            bare.to_string(),
            "{".to_owned(),
        ] {
            assert!(is_edited(&edited), "{edited}");
        }
    }
}
