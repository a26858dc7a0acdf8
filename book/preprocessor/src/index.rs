//! The index of the book: its kernels, the profiler's counters and the glossary's terms, each with the pages that treat
//! it, found in the chapters themselves. The overviews of exercises are `exercise_page`'s.

use crate::chapter::{Chapter, GLOSSARY, Item, Overview};
use crate::error::Result;
use crate::glossary::Terms;
use crate::kernels::Registry;
use crate::links::relative;
use crate::markdown::markdown_options;
use mdbook_markdown::pulldown_cmark::{Event, Parser};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// As many pages stand behind a term as a reader may look up.
const MOST_PAGES: usize = 3;

/// A counter as the profiler names it, in full.
static COUNTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[a-z0-9]+__[a-z0-9_]+(?:\.[a-z0-9_]+)+$").expect("a pattern of our own")
});

/// Writes the index's lists into the chapters that ask for them, once all are read.
///
/// # Errors
///
/// If a word of the glossary stands for two entries.
pub(crate) fn write(chapters: &mut [Chapter], registry: &Registry) -> Result<()> {
    let asks = |chapter: &Chapter| {
        let mut items = chapter.items.iter();
        items.any(|item| matches!(item, Item::Overview(item) if item.overview.is_of_book()))
    };
    if !chapters.iter().any(asks) {
        return Ok(());
    }
    let index = Index {
        pages: chapters.iter().map(Page::of).collect(),
        terms: terms(chapters)?,
    };
    for chapter in chapters {
        let folder = chapter.path.parent().unwrap_or(Path::new("")).to_owned();
        for item in &mut chapter.items {
            if let Item::Overview(item) = item {
                match item.overview {
                    Overview::Kernels => item.text = index.kernels(registry, &folder),
                    Overview::Counters => item.text = index.counters(&folder),
                    Overview::Terms => item.text = index.terms(&folder),
                    Overview::Schedule | Overview::Notes => {}
                }
            }
        }
    }
    Ok(())
}

/// What the index takes from a chapter.
struct Page {
    title: String,
    path: PathBuf,
    /// The kernels whose source stands there.
    shown: BTreeSet<String>,
    /// What its prose sets as code.
    code: BTreeSet<String>,
}

impl Page {
    fn of(chapter: &Chapter) -> Page {
        let mut page = Page {
            title: chapter.title.clone(),
            path: chapter.path.clone(),
            shown: BTreeSet::new(),
            code: BTreeSet::new(),
        };
        for item in &chapter.items {
            if let Item::Kernel(item) = item {
                page.shown.insert(item.kernel.id.clone());
            }
            for prose in item.prose() {
                for event in Parser::new_ext(&prose.text, markdown_options()) {
                    if let Event::Code(code) = event {
                        page.code.insert(code.to_string());
                    }
                }
            }
        }
        page
    }
}

/// A term of the glossary, and the pages that use it most, as positions in the book.
struct Term {
    id: String,
    name: String,
    pages: Vec<usize>,
}

/// The terms in the order of the alphabet.
fn terms(chapters: &[Chapter]) -> Result<Vec<Term>> {
    let Some(glossary) = chapters.iter().find(|c| c.path == Path::new(GLOSSARY)) else {
        return Ok(Vec::new());
    };
    let Some(terms) = Terms::of(glossary)? else {
        return Ok(Vec::new());
    };
    // Term → page → how often.
    let mut uses: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    for (page, chapter) in chapters.iter().enumerate() {
        // A page without a number leads to others: the preface, a route, the sheet.
        if chapter.path == Path::new(GLOSSARY) || chapter.number.is_empty() {
            continue;
        }
        let prose = chapter.items.iter().flat_map(Item::prose);
        for term in prose.flat_map(|prose| terms.used_in(&prose.text)) {
            *uses.entry(term).or_default().entry(page).or_default() += 1;
        }
    }
    let all = terms.entries.iter().enumerate();
    let mut found: Vec<Term> = all
        .filter_map(|(number, entry)| {
            let pages = uses.remove(&number).unwrap_or_default();
            Some(Term {
                id: entry.id.clone(),
                name: entry.forms.first()?.clone(),
                pages: most_used(pages),
            })
        })
        .collect();
    found.sort_by_key(|term| term.name.to_lowercase());
    Ok(found)
}

/// The pages with the most uses, in the order of the book.
fn most_used(pages: BTreeMap<usize, usize>) -> Vec<usize> {
    let mut pages: Vec<(usize, usize)> = pages.into_iter().collect();
    pages.sort_by_key(|&(page, uses)| (std::cmp::Reverse(uses), page));
    pages.truncate(MOST_PAGES);
    let mut pages: Vec<usize> = pages.into_iter().map(|(page, _)| page).collect();
    pages.sort_unstable();
    pages
}

/// What all lists are made of.
struct Index {
    pages: Vec<Page>,
    terms: Vec<Term>,
}

impl Index {
    /// Links to pages, as one in `folder` sees them.
    fn links<'a>(&self, pages: impl Iterator<Item = &'a Page>, folder: &Path) -> String {
        let links: Vec<String> = pages
            .map(|page| format!("[{}]({})", page.title, relative(folder, &page.path)))
            .collect();
        links.join(", ")
    }

    /// The page that the registry calls by its path without `.md`, or by the end of it.
    fn page(&self, name: &str) -> Option<&Page> {
        let path = |page: &&Page| page.path.with_extension("");
        let is_it = |page: &&Page| path(page) == Path::new(name);
        let ends_so = |page: &&Page| path(page).ends_with(name);
        let mut pages = self.pages.iter();
        pages.clone().find(is_it).or_else(|| pages.find(ends_so))
    }

    fn kernels(&self, registry: &Registry, folder: &Path) -> String {
        let mut text =
            String::from("\n| kernel | chapter | also shown or named in |\n| --- | --- | --- |\n");
        let ids: BTreeSet<&str> = registry.ids().collect();
        for id in ids {
            let home = registry.chapter_of(id).and_then(|name| self.page(name));
            let is_home = |page: &&Page| home.is_some_and(|home| home.path == page.path);
            let has = |page: &&Page| page.shown.contains(id) || page.code.contains(id);
            let others = self.pages.iter().filter(|page| has(page) && !is_home(page));
            let _ = writeln!(
                text,
                "| `{id}` | {} | {} |",
                self.links(self.pages.iter().filter(is_home), folder),
                self.links(others, folder)
            );
        }
        text.push('\n');
        text
    }

    fn counters(&self, folder: &Path) -> String {
        let mut text = String::from("\n| counter | named in |\n| --- | --- |\n");
        let code = self.pages.iter().flat_map(|page| &page.code);
        let names: BTreeSet<&String> = code.filter(|code| COUNTER.is_match(code)).collect();
        for name in names {
            let pages = self.pages.iter().filter(|page| page.code.contains(name));
            let _ = writeln!(text, "| `{name}` | {} |", self.links(pages, folder));
        }
        text.push('\n');
        text
    }

    fn terms(&self, folder: &Path) -> String {
        let glossary = relative(folder, Path::new(GLOSSARY));
        let mut text = String::from("\n| term | used most in |\n| --- | --- |\n");
        for Term { id, name, pages } in &self.terms {
            let pages = pages.iter().map(|&page| &self.pages[page]);
            let pages = self.links(pages, folder);
            let _ = writeln!(text, "| [{name}]({glossary}#{id}) | {pages} |");
        }
        text.push('\n');
        text
    }
}
