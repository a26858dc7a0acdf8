//! Holds the routes through the book to the book: their clocks go on, a stop's minutes follow from its words, an exercise has the minutes of the list, and the table of contents marks the same stops. The sections themselves are read; links are checked elsewhere.

// A test may fail where it stands.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

/// Words that are read in a minute, code included.
const PACE: f64 = 200.0;
/// A stop's minutes by its words: from a quick reader who predicts nothing to a slow one who runs every cell.
const LEAST: f64 = 260.0;
const MOST: f64 = 120.0;
/// A stop is also begun and ended, and its question thought about.
const BESIDE: f64 = 3.0;

fn text(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap()
}

/// A row of a plan: when it begins, its cells, its minutes; the end has none.
struct Row {
    from: u32,
    cells: Vec<String>,
    minutes: Option<u32>,
}

fn rows(path: &str) -> Vec<Row> {
    let row = |line: &str| {
        let line = line.strip_prefix("| ")?.strip_suffix('|')?;
        let cells: Vec<String> = line.split('|').map(|cell| cell.trim().to_owned()).collect();
        let (hours, minutes) = cells[0].split_once(':')?;
        Some(Row {
            from: 60 * hours.parse::<u32>().ok()? + minutes.parse::<u32>().ok()?,
            minutes: cells.get(3).and_then(|cell| cell.parse().ok()),
            cells,
        })
    };
    text(path).lines().filter_map(row).collect()
}

/// The links of a cell: whether `to` stands before it, the page, the anchor.
fn links(cell: &str) -> Vec<(bool, String, String)> {
    let mut found = Vec::new();
    let mut rest = cell;
    while let Some((before, after)) = rest.split_once('[') {
        let (_, after) = after.split_once("](").unwrap();
        let (target, after) = after.split_once(')').unwrap();
        let (page, anchor) = target.split_once('#').unwrap_or((target, ""));
        let page = page.trim_start_matches("../").to_owned();
        found.push((before.trim_end().ends_with("to"), page, anchor.to_owned()));
        rest = after;
    }
    found
}

/// The ids of a list's entries, each with the value of another field, as numbers or in quotes.
fn fields(list: &str, field: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut id = String::new();
    for line in text(list).lines() {
        let Some((name, value)) = line.split_once(" = ") else {
            continue;
        };
        let value = value.trim_matches('"').to_owned();
        match name {
            "id" => id = value,
            name if name == field => drop(found.entry(id.clone()).or_insert(value)),
            _ => {}
        }
    }
    found
}

/// mdBook's id of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || matches!(c, '-' | '_') => Some(c),
        _ => None,
    });
    kept.collect::<String>().to_lowercase()
}

/// The sections of a page with the words that a reader meets in each: prose, open code, kernels; not what is folded.
fn sections(page: &str, kernels: &BTreeMap<String, String>) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    // Within a fence, whether it is folded.
    let mut fence: Option<bool> = None;
    for line in text(&format!("book/src/{page}")).lines() {
        let mut words = line.split_whitespace().count();
        if line.starts_with("```") {
            fence = match fence {
                None => Some(line.contains("folded")),
                Some(_) => None,
            };
            continue;
        }
        match fence {
            Some(true) => continue,
            Some(false) => {}
            None if line.starts_with('#') => {
                let heading = line.trim_start_matches('#').trim();
                found.push((anchor(heading), 0));
                continue;
            }
            None if line.starts_with("{{#holds") || line.starts_with("<!--") => continue,
            None => {
                if let Some(id) = line.strip_prefix("{{#kernel ") {
                    let file = &kernels[id.trim_end_matches('}')];
                    let source = text(&format!("kernels/{file}"));
                    let code = source.lines().filter_map(|line| line.split("//").next());
                    words = code.map(|line| line.split_whitespace().count()).sum();
                }
            }
        }
        if let Some((_, all)) = found.last_mut() {
            *all += words;
        }
    }
    found
}

/// The words of the sections that a row names: `to [X]` is all from the section named before, or from the top.
fn words(row: &Row, page: &str, kernels: &BTreeMap<String, String>) -> usize {
    let sections = sections(page, kernels);
    let at = |id: &str| {
        let found = sections.iter().position(|(anchor, _)| anchor == id);
        found.unwrap_or_else(|| panic!("{page} has no section #{id}"))
    };
    let cell = &row.cells[2];
    let mut read: BTreeSet<usize> = BTreeSet::new();
    let mut last = 0;
    for (is_range, _, id) in links(cell) {
        let section = at(&id);
        let range: RangeInclusive<usize> = match is_range {
            true => last..=section,
            false => section..=section,
        };
        read.extend(range);
        last = section;
    }
    if cell.contains("the top") {
        read.insert(0);
    }
    if cell.contains("the five steps") {
        let steps = sections.iter().enumerate();
        read.extend(
            steps
                .filter(|(_, (id, _))| id.starts_with("step-"))
                .map(|(at, _)| at),
        );
    }
    match read.is_empty() {
        true => sections.iter().map(|(_, words)| words).sum(),
        false => read.into_iter().map(|at| sections[at].1).sum(),
    }
}

#[test]
fn the_clocks_of_routes_and_plans_go_on() {
    for path in [
        "book/src/routes/hour.md",
        "book/src/routes/day.md",
        "book/src/workshop/schedule.md",
    ] {
        let rows = rows(path);
        assert!(rows.len() > 8, "{path}");
        let mut now = 0;
        for row in rows {
            if row.from == 0 {
                now = 0;
            }
            assert_eq!(row.from, now, "{path}: {:?}", row.cells);
            now += row.minutes.unwrap_or(0);
        }
    }
}

#[test]
fn a_stops_minutes_follow_from_its_words_and_the_hour_takes_an_hour() {
    let kernels = fields("kernels/kernels.toml", "file");
    let minutes = fields("kernels/exercises/exercises.toml", "minutes");
    let (mut stops, mut hour) = (0, 0.0);
    for path in ["book/src/routes/hour.md", "book/src/routes/day.md"] {
        for row in rows(path) {
            let (Some(given), link) = (row.minutes, links(&row.cells[1])) else {
                continue;
            };
            let told = f64::from(given);
            if row.cells[1] == "Exercise" {
                let (_, _, id) = &links(&row.cells[2])[0];
                assert_eq!(minutes[id], given.to_string(), "{id} in {path}");
                hour += if path.contains("hour") { told } else { 0.0 };
            } else if let [(_, page, _)] = &link[..]
                && !matches!(page.as_str(), "hour.md" | "sheet.md")
            {
                let words = words(&row, page, &kernels) as f64;
                let fits = words / LEAST..=words / MOST + BESIDE;
                assert!(
                    fits.contains(&told),
                    "{page} in {path}: {told} minutes for {words} words"
                );
                stops += 1;
                hour += if path.contains("hour") {
                    words / PACE + 2.0
                } else {
                    0.0
                };
            }
        }
    }
    assert!(stops > 20, "{stops}");
    assert!(
        (45.0..=65.0).contains(&hour),
        "the hour takes {hour} minutes"
    );
}

#[test]
fn the_table_of_contents_marks_the_stops_of_both_routes() {
    let stops = |path: &str| -> BTreeSet<String> {
        let pages = rows(path).into_iter().flat_map(|row| links(&row.cells[1]));
        let chapters = pages.map(|(_, page, _)| page.replace(".md", ".html"));
        chapters
            .filter(|page| !matches!(page.as_str(), "hour.html" | "sheet.html" | "preface.html"))
            .collect()
    };
    let hour = stops("book/src/routes/hour.md");
    let day: BTreeSet<String> = &stops("book/src/routes/day.md") - &hour;
    let style = text("book/theme/routes.css");
    for (mark, stops) in [("hour", hour), ("day", day)] {
        let rule = style
            .split('}')
            .find(|rule| rule.contains(&format!("content: \"{mark}\"")));
        let marked: Vec<&str> = rule
            .unwrap()
            .split("href=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap())
            .collect();
        let from_folders = marked.iter().filter(|page| page.starts_with("../")).count();
        assert_eq!(
            2 * from_folders,
            marked.len(),
            "each page from both kinds of place"
        );
        let marked: BTreeSet<String> = marked
            .iter()
            .map(|page| page.trim_start_matches("../").to_owned())
            .collect();
        assert_eq!(marked, stops, "{mark}");
    }
}

#[test]
fn the_citation_names_this_version() {
    let version = format!("\nversion: {}\n", env!("CARGO_PKG_VERSION"));
    assert!(text("CITATION.cff").contains(&version), "{version}");
}
