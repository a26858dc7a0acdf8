//! Checks the links of rendered pages without a network: what they point at must be there, and a
//! page may load nothing from elsewhere. Reads HTML files, opens no browser.

use anyhow::Context;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use percent_encoding::percent_decode_str;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What the pages of a book point at.
pub struct Checked {
    /// How many pages were read.
    pub pages: usize,
    /// How many links and loaded files they have.
    pub links: usize,
    /// One sentence for each that is wrong, with page and line.
    pub problems: Vec<String>,
}

/// A page: its links and the places in it that a link can name.
#[derive(Default)]
struct Page {
    links: Vec<Link>,
    anchors: HashSet<String>,
    /// The path that relative links start from, where the page sets one.
    base: Option<String>,
}

struct Link {
    target: String,
    line: u64,
    /// The browser fetches it to show the page, as it does an image or a script.
    loaded: bool,
}

/// Checks every page below `root`.
pub fn check(root: &Path) -> anyhow::Result<Checked> {
    let mut files = Vec::new();
    list_pages(root, &mut files)?;
    let mut pages = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        pages.insert(file, read_page(&text));
    }
    let mut problems = Vec::new();
    for (file, page) in &pages {
        let shown = file.strip_prefix(root).unwrap_or(file).display();
        for link in &page.links {
            if let Err(problem) = check_link(root, &pages, file, page, link) {
                problems.push(format!(
                    "{shown}:{}: `{}` {problem}",
                    link.line, link.target
                ));
            }
        }
    }
    let links = pages.values().map(|page| page.links.len()).sum();
    Ok(Checked {
        pages: pages.len(),
        links,
        problems,
    })
}

/// All the HTML files below `folder`, in order.
pub fn list_pages(folder: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            list_pages(&path, found)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            found.push(path);
        }
    }
    Ok(())
}

fn check_link(
    root: &Path,
    pages: &BTreeMap<PathBuf, Page>,
    file: &Path,
    page: &Page,
    link: &Link,
) -> Result<(), String> {
    let target = link.target.trim();
    if let Some((scheme, rest)) = scheme_of(target) {
        return check_external(scheme, rest, link.loaded);
    }
    if target.starts_with("//") {
        return Err("leaves out its scheme: write https".into());
    }
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    let path = percent_decoded(path.split('?').next().unwrap_or_default());
    let destination = match path.as_str() {
        "" => file.to_path_buf(),
        path => resolve(root, file, page.base.as_deref(), path)?,
    };
    let destination = if destination.is_dir() {
        destination.join("index.html")
    } else {
        destination
    };
    if !destination.is_file() {
        return Err("points at a file that is not there".into());
    }
    let anchor = percent_decoded(fragment);
    match pages.get(&destination) {
        Some(page) if !anchor.is_empty() && !page.anchors.contains(&anchor) => Err(format!(
            "points at a page that has no place named `{anchor}`"
        )),
        _ => Ok(()),
    }
}

/// The file that a path in a page means. It must be below the root.
fn resolve(root: &Path, file: &Path, base: Option<&str>, path: &str) -> Result<PathBuf, String> {
    let folder = match (path.strip_prefix('/'), base) {
        (Some(_), _) | (None, Some("/")) => root,
        (None, None) => file.parent().unwrap_or(root),
        (None, Some(base)) => return Err(format!("starts from the unexpected base `{base}`")),
    };
    let mut parts: Vec<&str> = Vec::new();
    let inside = folder.strip_prefix(root).unwrap_or(Path::new(""));
    parts.extend(inside.iter().filter_map(|part| part.to_str()));
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or("points outside the book")?;
            }
            part => parts.push(part),
        }
    }
    Ok(root.join(parts.iter().collect::<PathBuf>()))
}

fn scheme_of(target: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = target.split_once(':')?;
    let letters = scheme
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    (letters && !scheme.is_empty()).then_some((scheme, rest))
}

fn check_external(scheme: &str, rest: &str, loaded: bool) -> Result<(), String> {
    match scheme {
        "data" if loaded => Ok(()),
        _ if loaded => {
            Err("is loaded from elsewhere: a page must be whole without a network".into())
        }
        "http" | "https" => {
            let address = rest
                .strip_prefix("//")
                .ok_or("is no address: `//` is missing")?;
            let host = address.split(['/', '?', '#']).next().unwrap_or_default();
            let name = host.split(':').next().unwrap_or_default();
            let known = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
            if name.is_empty() || !name.chars().all(known) || address.contains(char::is_whitespace)
            {
                return Err("is no address".into());
            }
            Ok(())
        }
        "mailto" if rest.contains('@') => Ok(()),
        _ => Err(format!("has the unexpected scheme `{scheme}`")),
    }
}

/// A path with its `%20` and the like replaced by what they stand for.
fn percent_decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn read_page(html: &str) -> Page {
    let sink = Reader(RefCell::default());
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from(html));
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

struct Reader(RefCell<Page>);

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = token else {
            return TokenSinkResult::Continue;
        };
        if tag.kind == TagKind::StartTag {
            self.0.borrow_mut().add(&tag, line);
        }
        match (&*tag.name, tag.kind) {
            ("script", TagKind::StartTag) => TokenSinkResult::RawData(RawKind::ScriptData),
            ("style", TagKind::StartTag) => TokenSinkResult::RawData(RawKind::Rawtext),
            _ => TokenSinkResult::Continue,
        }
    }
}

impl Page {
    fn add(&mut self, tag: &Tag, line: u64) {
        let element = &*tag.name;
        let value = |name: &str| {
            tag.attrs
                .iter()
                .find(|a| &*a.name.local == name)
                .map(|a| a.value.to_string())
        };
        if element == "base" {
            self.base = value("href");
            return;
        }
        self.anchors.extend(value("id"));
        if element == "a" {
            self.anchors.extend(value("name"));
        }
        // A canonical or alternate address names a page; only these are fetched.
        let fetched = value("rel").is_some_and(|rel| {
            rel.split(' ')
                .any(|rel| ["stylesheet", "icon", "preload", "manifest"].contains(&rel))
        });
        for (attribute, loaded) in [
            (
                "href",
                element == "link" && fetched || element == "image" || element == "use",
            ),
            ("src", true),
            ("poster", true),
            ("data", element == "object"),
        ] {
            if attribute == "data" && element != "object" {
                continue;
            }
            if let Some(target) = value(attribute) {
                self.links.push(Link {
                    target,
                    line,
                    loaded,
                });
            }
        }
        if let Some(set) = value("srcset") {
            let targets = set
                .split(',')
                .filter_map(|one| one.split_whitespace().next());
            self.links.extend(targets.map(|target| Link {
                target: target.to_owned(),
                line,
                loaded: true,
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small book with one mistake of each kind, and right links of each kind between them.
    fn checked() -> Vec<String> {
        let root = std::env::temp_dir().join(format!("cornerturn-links-{}", std::process::id()));
        fs::create_dir_all(root.join("part")).expect("a temporary folder can be made");
        let write = |name: &str, text: &str| {
            fs::write(root.join(name), text).expect("a temporary file can be written");
        };
        write("style.css", "");
        write("a picture.svg", "<svg/>");
        write(
            "404.html",
            r#"<base href="/"><a href="part/b.html#here">right</a>"#,
        );
        write(
            "a.html",
            r##"<link rel="stylesheet" href="style.css"><link rel="canonical" href="https://a.b/">
<a href="part/b.html#here">right</a><a href="#top">right</a><h1 id="top">A</h1>
<img src="a%20picture.svg"><a href="https://docs.nvidia.com/cuda/#x">right</a>
<a href="part/c.html">no file</a>
<a href="part/b.html#there">no place</a>
<img src="none.png">
<script src="https://cdn.example/x.js"></script>
<a href="../a.html">outside</a>
<a href="https:/one-slash">no address</a>
<a href="javascript:alert(1)">scheme</a>
<script>let no_link = '<a href="nowhere.html">';</script><!-- <a href="nowhere.html"> -->"##,
        );
        write(
            "part/b.html",
            r#"<p id="here"><a href="../a.html#top">right</a></p>"#,
        );
        let checked = check(&root).expect("the pages can be read");
        fs::remove_dir_all(&root).expect("the temporary folder is there");
        assert_eq!((checked.pages, checked.links), (3, 15));
        checked.problems
    }

    #[test]
    fn each_wrong_link_is_named_with_page_and_line_and_no_right_one() {
        let found = checked();
        let expected = [
            "a.html:4: `part/c.html` points at a file that is not there",
            "a.html:5: `part/b.html#there` points at a page that has no place named `there`",
            "a.html:6: `none.png` points at a file that is not there",
            "a.html:7: `https://cdn.example/x.js` is loaded from elsewhere",
            "a.html:8: `../a.html` points outside the book",
            "a.html:9: `https:/one-slash` is no address",
            "a.html:10: `javascript:alert(1)` has the unexpected scheme `javascript`",
        ];
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
    }

    #[test]
    fn percent_codes_are_decoded_and_other_percents_kept() {
        assert_eq!(percent_decoded("a%20b%C3%A9"), "a bé");
        assert_eq!(percent_decoded("100%"), "100%");
        assert_eq!(percent_decoded("%zz%+1"), "%zz%+1");
    }
}
