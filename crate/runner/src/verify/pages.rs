//! Opens every page in a browser as readers do, light and dark, wide and narrow, and tells what does
//! not show or what the console says. The browser's protocol lives in `browser`.

use super::browser::{Browser, exception_text};
use super::links::list_pages;
use super::places::{FOR_PAPER, Places, Way, search};
use anyhow::Context;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What is asked of each page; gives `{drawn, problems}`.
const PROBE: &str = include_str!("probe.js");

/// What is asked of it before anything in it is opened, and of axe-core with its options: each gives a list of problems.
const FIRST: &str = include_str!("first.js");
const ACCESS: &str = include_str!("access.js");

/// Options of axe-core: all that it knows, and what depends on colours.
const ALL_RULES: &str = "{}";
const COLOUR_RULES: &str =
    "{runOnly: {type: 'rule', values: ['color-contrast', 'link-in-text-block']}}";

/// The most bytes of a page.
const MOST_BYTES: u64 = 1_000_000;

/// Browsers that look at pages side by side.
const BROWSERS: usize = 2;

/// The height of one picture, in CSS pixels; a longer page is given in several.
const PICTURE_PX: f64 = 2400.0;

/// mdBook's list of chapters for browsers without scripts, which it puts into a frame: no page.
const NO_PAGE: &str = "toc.html";

/// The ways in which a page is looked at: wide as it is published, on paper, and narrow from a plain folder.
const VIEWS: [View; 5] = [
    View {
        name: "light-wide",
        scheme: "light",
        width_px: 1400,
        height_px: 900,
        way: Way::BelowPath,
        rules: Some(ALL_RULES),
        is_for_pictures: false,
    },
    View {
        name: "dark-wide",
        scheme: "dark",
        width_px: 1400,
        height_px: 900,
        way: Way::BelowPath,
        rules: Some(COLOUR_RULES),
        is_for_pictures: false,
    },
    // A4 without its margins.
    View {
        name: PAPER,
        scheme: "dark",
        width_px: 680,
        height_px: 1010,
        way: Way::BelowPath,
        rules: None,
        is_for_pictures: false,
    },
    View {
        name: "light-narrow",
        scheme: "light",
        width_px: 390,
        height_px: 844,
        way: Way::Folder,
        rules: None,
        is_for_pictures: false,
    },
    // Colours do not depend on the width, and where things stand not on the colours.
    View {
        name: "dark-narrow",
        scheme: "dark",
        width_px: 390,
        height_px: 844,
        way: Way::Folder,
        rules: None,
        is_for_pictures: true,
    },
];

/// The view of what is printed.
const PAPER: &str = "paper";

struct View {
    name: &'static str,
    scheme: &'static str,
    width_px: u32,
    height_px: u32,
    way: Way,
    /// What axe-core is asked.
    rules: Option<&'static str>,
    /// It finds nothing that the others do not, and is left out where nobody wants its picture.
    is_for_pictures: bool,
}

/// What a browser saw.
#[derive(Debug, Default)]
pub struct Seen {
    /// How many pages were opened.
    pub pages: usize,
    /// In how many ways each.
    pub views: usize,
    /// How many figures were drawn, each page counted once.
    pub figures: usize,
    /// One sentence for each mistake, with page and view.
    pub problems: Vec<String>,
}

/// What is looked at, and with what.
pub struct Look<'a> {
    /// The browser's program, and the folder of its profile.
    pub program: &'a Path,
    pub profile: &'a Path,
    /// The folder of the pages.
    pub root: &'a Path,
    /// A folder for a picture of each view.
    pub screenshots: Option<&'a Path>,
    /// axe-core, where it is asked too.
    pub axe: Option<&'a str>,
}

/// One page in one view; without a page, a search.
type Job<'a> = (&'a View, Option<&'a str>);

/// Opens every page.
pub fn look(wanted: &Look, progress: impl Fn(&str) + Sync) -> anyhow::Result<Seen> {
    let mut files = Vec::new();
    list_pages(wanted.root, &mut files)?;
    files.retain(|file| file.strip_prefix(wanted.root) != Ok(Path::new(NO_PAGE)));
    let pages: Vec<String> = files
        .iter()
        .map(|file| file.strip_prefix(wanted.root).unwrap_or(file))
        .map(|page| page.display().to_string())
        .collect();
    let places = Places::of(wanted.root)?;
    let is_wanted = |view: &&View| !view.is_for_pictures || wanted.screenshots.is_some();
    let views: Vec<&View> = VIEWS.iter().filter(is_wanted).collect();
    let jobs = jobs(&views, &pages, &places);
    let mut seen = Seen {
        pages: pages.len(),
        views: views.len(),
        problems: too_heavy(&files, &pages)?,
        ..Seen::default()
    };
    // Much of the time is waiting: whichever browser is done takes the next.
    let next = AtomicUsize::new(0);
    let found: Vec<_> = thread::scope(|scope| {
        let (jobs, places, next, progress) = (&jobs, &places, &next, &progress);
        let browsers = (0..BROWSERS).map(|number| {
            let profile = wanted.profile.join(number.to_string());
            scope.spawn(move || look_in(wanted, &profile, places, jobs, next, progress))
        });
        let browsers: Vec<_> = browsers.collect();
        browsers.into_iter().map(|browser| browser.join()).collect()
    });
    // Each browser has removed its own below it.
    let _ = fs::remove_dir(wanted.profile);
    let mut told = Vec::new();
    for part in found {
        let part = part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        seen.figures += part.figures;
        told.extend(part.problems);
    }
    told.sort();
    seen.problems
        .extend(told.into_iter().map(|(_, problem)| problem));
    Ok(seen)
}

/// All that there is to look at, view by view.
fn jobs<'a>(views: &[&'a View], pages: &'a [String], places: &Places) -> Vec<Job<'a>> {
    let mut jobs: Vec<Job> = Vec::new();
    for &view in views {
        jobs.push((view, None));
        let on_paper_only = |page: &str| page == FOR_PAPER && view.name != PAPER;
        let opened = |page: &&String| places.has(view.way, page) && !on_paper_only(page);
        let opened = pages.iter().filter(opened);
        jobs.extend(opened.map(|page| (view, Some(page.as_str()))));
    }
    // The longest first, or one browser waits for it in the end.
    jobs.sort_by_key(|(_, page)| *page != Some(FOR_PAPER));
    jobs
}

/// The pages that are too long to come quickly.
fn too_heavy(files: &[PathBuf], pages: &[String]) -> anyhow::Result<Vec<String>> {
    let mut problems = Vec::new();
    for (file, page) in files.iter().zip(pages) {
        let bytes = fs::metadata(file)
            .with_context(|| file.display().to_string())?
            .len();
        if bytes > MOST_BYTES && page != FOR_PAPER {
            problems.push(format!(
                "{page}: it has {bytes} bytes, more than {MOST_BYTES}"
            ));
        }
    }
    Ok(problems)
}

/// What one browser saw; each problem behind the number of its job.
#[derive(Default)]
struct Part {
    figures: usize,
    problems: Vec<(usize, String)>,
}

/// Does jobs until there are no more, in a browser of its own. Figures are counted in the first of all views.
fn look_in(
    wanted: &Look,
    profile: &Path,
    places: &Places,
    jobs: &[Job],
    next: &AtomicUsize,
    progress: &impl Fn(&str),
) -> anyhow::Result<Part> {
    let mut browser = Browser::start(wanted.program, profile)?;
    let mut part = Part::default();
    let mut now = "";
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(&(view, page)) = jobs.get(number) else {
            return Ok(part);
        };
        if view.name != std::mem::replace(&mut now, view.name) {
            set_view(&mut browser, view)?;
        }
        let Some(page) = page else {
            let problem = search(&mut browser, places, view.way)?;
            let told = problem.map(|problem| (number, format!("{}: {problem}", view.name)));
            part.problems.extend(told);
            continue;
        };
        progress(&format!("{page}, {}", view.name));
        let url = places.url(view.way, page);
        let rules = wanted.axe.filter(|_| page != FOR_PAPER).zip(view.rules);
        let (drawn, problems) =
            look_at(&mut browser, &url, rules).with_context(|| format!("{page}, {}", view.name))?;
        if view.name == VIEWS[0].name {
            part.figures += drawn;
        }
        let told = problems
            .into_iter()
            .map(|what| (number, format!("{page}, {}: {what}", view.name)));
        part.problems.extend(told);
        if let Some(folder) = wanted.screenshots.filter(|_| page != FOR_PAPER) {
            take_pictures(&mut browser, view, folder, page)?;
        }
    }
}

fn set_view(browser: &mut Browser, view: &View) -> anyhow::Result<()> {
    set_size(browser, view.width_px, view.height_px)?;
    let scheme = json!([{"name": "prefers-color-scheme", "value": view.scheme}]);
    let media = if view.name == PAPER { "print" } else { "" };
    browser.call(
        "Emulation.setEmulatedMedia",
        json!({"media": media, "features": scheme}),
    )?;
    Ok(())
}

fn set_size(browser: &mut Browser, width_px: u32, height_px: u32) -> anyhow::Result<()> {
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        json!({"width": width_px, "height": height_px, "deviceScaleFactor": 1, "mobile": false}),
    )?;
    Ok(())
}

/// `rules` are axe-core and the options that it is asked with.
fn look_at(
    browser: &mut Browser,
    url: &str,
    rules: Option<(&str, &str)>,
) -> anyhow::Result<(usize, Vec<String>)> {
    browser.open(url)?;
    let mut told = strings(&browser.evaluate(FIRST)?);
    if !told.is_empty() {
        // Where others keep the machine busy a page comes in pieces that it does not come in otherwise.
        browser.open(url)?;
        told = strings(&browser.evaluate(FIRST)?);
    }
    if let Some((axe, options)) = rules {
        browser.evaluate(axe)?;
        told.extend(strings(
            &browser.evaluate(&format!("({ACCESS})({options})"))?,
        ));
    }
    let found = browser.evaluate(PROBE)?;
    let drawn = found["drawn"]
        .as_u64()
        .context("the page gave no count of its figures")?;
    told.extend(strings(&found["problems"]));
    let mut problems: Vec<String> = browser.events().iter().filter_map(problem_of).collect();
    problems.extend(told);
    problems.dedup();
    Ok((usize::try_from(drawn)?, problems))
}

fn strings(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// What an event tells that must not happen on a page.
pub(super) fn problem_of(event: &Value) -> Option<String> {
    let params = &event["params"];
    match event["method"].as_str()? {
        "Runtime.exceptionThrown" => {
            let text = exception_text(&params["exceptionDetails"]);
            Some(format!(
                "exception: {}",
                text.lines().next().unwrap_or_default()
            ))
        }
        "Runtime.consoleAPICalled"
            if matches!(params["type"].as_str(), Some("error" | "assert")) =>
        {
            let words = params["args"].as_array().into_iter().flatten();
            let words: Vec<&str> = words
                .filter_map(|word| word["value"].as_str().or(word["description"].as_str()))
                .collect();
            Some(format!("console error: {}", words.join(" ")))
        }
        "Log.entryAdded" if params["entry"]["level"] == "error" => {
            let entry = &params["entry"];
            let text = entry["text"].as_str().unwrap_or_default();
            Some(format!(
                "console error: {text} {}",
                entry["url"].as_str().unwrap_or_default()
            ))
        }
        "Network.requestWillBeSent" => {
            let url = params["request"]["url"].as_str()?;
            let own = ["http://127.0.0.1:", "file://", "data:", "blob:"]
                .iter()
                .any(|s| url.starts_with(s));
            (!own).then(|| format!("asks the network for {url}"))
        }
        _ => None,
    }
}

/// Writes the page that is open into `folder`, in pieces from top to bottom.
fn take_pictures(
    browser: &mut Browser,
    view: &View,
    folder: &Path,
    page: &str,
) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let layout = browser.call("Page.getLayoutMetrics", json!({}))?;
    let height = layout["cssContentSize"]["height"].as_f64().unwrap_or(0.0);
    let height = height.max(f64::from(view.height_px));
    let (mut top, mut piece) = (0.0, 1);
    while top < height {
        let clip = json!({
            "x": 0, "y": top, "width": view.width_px, "height": PICTURE_PX.min(height - top), "scale": 1
        });
        let picture = browser.call(
            "Page.captureScreenshot",
            json!({"format": "png", "captureBeyondViewport": true, "clip": clip}),
        )?;
        let text = picture["data"]
            .as_str()
            .context("the browser gave no picture")?;
        let bytes = BASE64_STANDARD
            .decode(text)
            .context("the browser's picture is not in base64")?;
        let name = page.trim_end_matches(".html").replace('/', "-");
        let file = folder.join(format!("{name}-{}-{piece}.png", view.name));
        fs::write(&file, bytes).with_context(|| file.display().to_string())?;
        top += PICTURE_PX;
        piece += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
