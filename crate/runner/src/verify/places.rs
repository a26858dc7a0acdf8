//! Where the pages are opened from: a server that has them below a path, as they are published, and a plain folder.
//! Knows how a search is asked for, not what else makes a page right.

use super::browser::Browser;
use anyhow::Context;
use cornerturn_preprocessor::PageServer;
use std::path::{Path, PathBuf};

/// A server sends it instead of a page that is missing, at whatever address; so it names its own place, by default
/// the server's top, and cannot be read from a folder.
const FOR_MISSING: &str = "404.html";

/// The whole book, for printing: nobody reads it on a screen. What it is made of has pages of its own.
pub const FOR_PAPER: &str = "print.html";

/// A word that every book about memory has.
const WORD: &str = "memory";

/// Waits for the first of a search's results and gives its address; nothing if none comes.
const FIRST_RESULT: &str = r##"(async () => {
  for (let tries = 0; tries < 600; tries++) {
    const found = document.querySelector("#mdbook-searchresults a");
    if (found) return found.href;
    await new Promise((done) => setTimeout(done, 100));
  }
  return null;
})()"##;

/// A way of opening pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From a server, below a path of it.
    BelowPath,
    /// As files, without a server.
    Folder,
}

/// One folder of pages, open in all ways.
pub struct Places {
    root: PathBuf,
    /// Serves what is around the folder, so that its name is the path.
    around: PageServer,
    name: String,
    top: PageServer,
}

impl Places {
    /// The pages below `root`.
    pub fn of(root: &Path) -> anyhow::Result<Self> {
        let root = std::path::absolute(root)?;
        let around = root.parent().context("the pages have no folder")?;
        let name = root.file_name().context("the pages' folder has no name")?;
        Ok(Self {
            around: PageServer::start(around)?,
            name: name.to_string_lossy().into_owned(),
            top: PageServer::start(&root)?,
            root,
        })
    }

    /// Whether there is an index of words, and a first page to ask it on.
    fn has_index(&self) -> anyhow::Result<bool> {
        let mut found = false;
        for entry in std::fs::read_dir(&self.root)? {
            let name = entry?.file_name();
            found |= name.to_string_lossy().starts_with("searchindex");
        }
        Ok(found && self.root.join("index.html").is_file())
    }

    /// Whether a page is opened that way: the one for missing addresses is only ever sent by a server.
    pub fn has(&self, way: Way, page: &str) -> bool {
        way != Way::Folder || page != FOR_MISSING
    }

    /// The address of a page, given relative to the root.
    pub fn url(&self, way: Way, page: &str) -> String {
        match way {
            _ if page == FOR_MISSING => self.top.url(page),
            Way::BelowPath => self.around.url(&format!("{}/{page}", self.name)),
            Way::Folder => format!("file://{}/{page}", self.root.display()),
        }
    }
}

/// What is wrong with a search on the first page, if anything: its first result must be another page of the same place.
/// Pages that were made without an index are not searched.
pub fn search(browser: &mut Browser, places: &Places, way: Way) -> anyhow::Result<Option<String>> {
    if !places.has_index()? {
        return Ok(None);
    }
    browser.open(&places.url(way, &format!("index.html?search={WORD}")))?;
    let found = browser.evaluate(FIRST_RESULT)?;
    let Some(found) = found.as_str() else {
        return Ok(Some(format!("a search for “{WORD}” finds nothing")));
    };
    if !found.starts_with(&places.url(way, "")) {
        return Ok(Some(format!("a search for “{WORD}” leads to {found}")));
    }
    // An address that is not there is the server's or the browser's error.
    browser.open(found)?;
    let text = browser.evaluate("document.querySelector('main')?.innerText.length ?? 0")?;
    let empty = text.as_u64().unwrap_or_default() == 0;
    Ok(empty.then(|| format!("a search for “{WORD}” leads to {found}, which is empty")))
}
