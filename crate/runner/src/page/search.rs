//! The pages' index of words, which mdBook writes as some megabytes of text: packed as the laboratory's parts are, and unpacked by the same script.

use super::{packed, write_below};
use anyhow::Context as _;
use cornerturn::registry::sha256;
use std::fs;
use std::path::Path;

/// How mdBook begins and ends the script that holds the index as a text.
const HEAD: &str = "window.search = Object.assign(window.search, JSON.parse('";
const END: &str = "'));";
/// The same with the text packed. A page that is asked for a word by its address loads it before the script that unpacks:
/// then what mdBook does once it is there waits too.
const PACKED_HEAD: &str = "(() => {\nconst packed = \"";
const PACKED_END: &str = "\";
const script = document.currentScript, then = script.onload;
const unpack = () => Object.assign(window.search, JSON.parse(new TextDecoder().decode(cornerturn_lab.unpacked(packed))));
if (typeof cornerturn_lab !== 'undefined' && cornerturn_lab.unpacked) return unpack();
script.onload = null;
addEventListener('DOMContentLoaded', () => { unpack(); then.call(script); });
})();";

/// Packs the index beside the pages. What was packed before is found in the folder `kept`.
pub(super) fn pack(pages: &Path, kept: &Path) -> anyhow::Result<()> {
    let entries = fs::read_dir(pages).with_context(|| pages.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with("searchindex") || !name.ends_with(".js") {
            continue;
        }
        let script = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        if let Some(index) = index_of(&script) {
            let packed = packed_index(&index, &kept.join("searchindex.js"))?;
            write_below(&path, &packed)?;
        }
    }
    Ok(())
}

/// The index in mdBook's script; `None` in one that is packed already.
fn index_of(script: &str) -> Option<String> {
    let text = script.trim_end().strip_prefix(HEAD)?.strip_suffix(END)?;
    let mut index = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        // A backslash stands before a quotation mark and before another.
        index.push(match letter {
            '\\' => letters.next()?,
            letter => letter,
        });
    }
    Some(index)
}

fn packed_index(index: &str, kept: &Path) -> anyhow::Result<String> {
    let head = format!(
        "// The index of words by LZMA, {}\n",
        sha256(index.as_bytes())
    );
    if let Ok(script) = fs::read_to_string(kept)
        && script.starts_with(&head)
    {
        return Ok(script);
    }
    let text = packed(index.as_bytes())?;
    let script = format!("{head}{PACKED_HEAD}{text}{PACKED_END}\n");
    write_below(kept, &script)?;
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_taken_out_of_its_script_once() {
        let index = r#"{"a":"it's \"so\" \\ é"}"#;
        let text = index.replace('\\', "\\\\").replace('\'', "\\'");
        let script = format!("{HEAD}{text}{END}");
        assert_eq!(index_of(&script).unwrap(), index);
        let folder = std::env::temp_dir().join(format!("cornerturn-search-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("searchindex-1.js");
        fs::write(&file, script).unwrap();
        pack(&folder, &folder.join("kept")).unwrap();
        let once = fs::read_to_string(&file).unwrap();
        pack(&folder, &folder.join("kept")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), once);
        assert!(
            once.contains(PACKED_HEAD) && once.trim_end().ends_with(PACKED_END),
            "{once}"
        );
        fs::remove_dir_all(&folder).unwrap();
    }
}
