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
mod tests {
    use super::super::browser;
    use super::*;

    const HEAD: &str = "<!doctype html><html><head><meta charset=utf-8><link rel=icon href=data:,>";

    /// Pages with one mistake each, and what must be said of it.
    const MISTAKES: [(&str, &str, &str); 15] = [
        (
            "el",
            "<script>for (let i = 0; i < 6100; i++) document.currentScript.after(document.createElement('b'))</script>",
            "elements, more than 6000",
        ),
        (
            "a",
            "<svg width=0 height=10><rect width=5 height=5 /></svg>",
            "has no area",
        ),
        ("b", "<svg width=90 height=90></svg>", "is empty"),
        (
            "c",
            "<svg width=90 height=90><rect width=9 height=9 fill=none /></svg>",
            "none is painted",
        ),
        (
            "d",
            "<script>console.error('oh', 'no')</script>",
            "console error: oh no",
        ),
        (
            "e",
            "<script>undefined_thing()</script>",
            "exception: ReferenceError",
        ),
        (
            "f",
            "<img src=none.png alt=''>",
            "console error: Failed to load",
        ),
        (
            "g",
            "<figure><figcaption>Bandwidth</figcaption></figure>",
            "figure 1 (Bandwidth) shows nothing",
        ),
        ("h", "<p>&lt;rect x=1&gt;</p>", "shows markup as text"),
        (
            "j",
            "<svg width=99 height=30><text y=20 fill=#eee>pale</text></svg>",
            "first “pale”",
        ),
        (
            "k",
            "<style>.ct-outputs{display:none} input:checked+label+.ct-outputs{display:block}</style>\
             <div class=ct-runs><input type=radio name=r id=r0 checked><label for=r0>here</label>\
             <div class=ct-outputs>Words.</div><input type=radio name=r id=r1><label for=r1>there</label>\
             <div class=ct-outputs>Words.<svg width=90 height=90></svg></div></div>",
            "is empty",
        ),
        (
            "l",
            "<style>.ct-outputs{display:none}</style><div class=ct-runs>\
             <input type=radio name=r id=r0 checked><label for=r0>here</label>\
             <div class=ct-outputs>Words.</div></div>",
            "output 1 of a choice shows nothing",
        ),
        (
            "m",
            "<svg width=99 height=30><rect width=9 height=9 /><text x=60 y=20>A title that is cut</text></svg>",
            "has 1 cut words, first “A title that is cut”",
        ),
        (
            "n",
            "<svg width=300 height=30><rect width=9 height=9 /><text y=20>A title that was shor…</text></svg>",
            "has 1 cut words, first “A title that was shor…”",
        ),
        (
            "i",
            "<div style='width:3000px;height:9px'></div>",
            "px wider than the window",
        ),
    ];

    /// The same for what is a mistake in some views only, named by what their names end in.
    const IN_SOME: [(&str, &str, &str, &str); 12] = [
        (
            "ax",
            "<p class=bad>Words.</p>",
            "axe-core: bad in 1 places, first .bad: it is bad",
            "light-wide",
        ),
        (
            "q",
            "<div class=ct-question id=question-q><details class='ct-choice ct-wrong' name=q><summary>8</summary>Yes. \
             </details><details class='ct-choice ct-right' name=q><summary>9</summary>Yes. Nine.</details></div>",
            "question-q: “8” does not say No.",
            "wide",
        ),
        (
            "r",
            "<div class=ct-question id=question-r><details class='ct-choice ct-wrong' name=r><summary>8</summary>No. \
             </details><details class='ct-choice ct-wrong'><summary>9</summary>No. Ten.</details></div>",
            "question-r has 0 right answers",
            "wide",
        ),
        (
            "na",
            "<svg viewBox='0 0 340 40' width=150 height=40><rect width=9 height=9 /><text y=20 font-size=12>small</text></svg>",
            "words smaller than 11 px, the smallest 5.3 px, first “small”",
            "narrow",
        ),
        (
            "nb",
            "<div class=ct-scroll style='overflow-x:auto'><table><tr><td><div style='width:420px'>key</div><td>1</table></div>",
            "the first column of a table is cut: “key 1”",
            "narrow",
        ),
        (
            "nc",
            "<div class=ct-scroll style='overflow-x:auto'><table class=ct-table><tr><td>key             <td><div style='width:420px'>1</div></table></div>",
            "a table is cut: “key 1”",
            "narrow",
        ),
        (
            "nd",
            "<div style='overflow-x:auto'><svg width=600 height=90><rect width=9 height=9 /></svg></div>",
            "is cut off",
            "narrow",
        ),
        (
            "wa",
            "<pre style='width:300px;overflow:auto'>let a_long_line = of(code, that, is, longer, than, its, box);</pre>",
            "px wider than its box: “let a_long_line = of(code, that, is, lon”",
            "wide",
        ),
        (
            "wb",
            "<pre style='height:40px;overflow:auto'>one\ntwo\nthree\nfour\nfive\nsix</pre>",
            "px of its height: “one two three four five six”",
            "wide",
        ),
        (
            "pa",
            "<pre style='width:300px;overflow:auto'>let a_long_line = of(code, that, is, longer, than, its, box);</pre>",
            "px wider than its box",
            "paper",
        ),
        (
            "pb",
            "<details class=ct-fold><summary>folded</summary><pre>code</pre></details>",
            "“folded” stays folded on paper",
            "paper",
        ),
        (
            "wc",
            "<figure class=ct-figure><div class=ct-wide hidden><svg width=90 height=90><rect width=9 height=9 /></svg></div>             <div class=ct-narrow hidden><svg width=90 height=90><rect width=9 height=9 /></svg></div></figure>",
            "has no area",
            "wide",
        ),
    ];

    /// In the place of axe-core.
    const AXE: &str = "axe = {run: async (page, options) => ({violations: [...page.querySelectorAll('.bad')]\
        .filter(() => !options.runOnly).map(() => ({id: 'bad', impact: 'serious', nodes: \
        [{target: ['.bad'], failureSummary: 'Mend:\\n  it is bad'}]}))})}; 0";

    #[test]
    fn each_mistake_on_a_page_is_seen_and_a_right_page_is_left_alone() {
        let Some(program) = browser::find() else {
            eprintln!("skipped: no browser is installed");
            return;
        };
        let folder = std::env::temp_dir().join(format!("cornerturn-pages-{}", std::process::id()));
        let (root, profile) = (folder.join("pages"), folder.join("profile"));
        fs::create_dir_all(&root).expect("a temporary folder can be made");
        let right = "<svg width=190 height=90><rect width=190 height=90 />\
                     <text y=20 fill=#eee>pale on black</text></svg>\
                     <div class=ct-question id=question-z><details class='ct-choice ct-wrong' name=z><summary>8\
                     </summary>No. It is 9.</details><details class='ct-choice ct-right' name=z><summary>9</summary>Yes.\
                     </details></div>";
        let in_some = IN_SOME.iter().map(|m| (m.0, m.1));
        let mistakes = MISTAKES.iter().map(|m| (m.0, m.1)).chain(in_some);
        for (name, body) in mistakes.chain([("z", right)]) {
            let html = format!("{HEAD}<body><main><p>Words.</p>{body}</main>");
            fs::write(root.join(format!("{name}.html")), html).expect("it can be written");
        }
        let shots = folder.join("shots");
        let wanted = Look {
            program: &program,
            profile: &profile,
            root: &root,
            screenshots: Some(&shots),
            axe: Some(AXE),
        };
        let seen = look(&wanted, |_| ()).expect("the browser runs");
        let picture = fs::read(shots.join("z-dark-narrow-1.png")).expect("a picture was taken");
        fs::remove_dir_all(&folder).expect("the temporary folder is there");
        assert!(picture.starts_with(b"\x89PNG"), "the picture is a PNG");
        assert_eq!(
            (seen.pages, seen.figures),
            (MISTAKES.len() + IN_SOME.len() + 1, 6),
            "{seen:#?}"
        );
        for view in &VIEWS {
            for (name, _, expected) in MISTAKES {
                let page = format!("{name}.html, {}: ", view.name);
                let told = seen
                    .problems
                    .iter()
                    .any(|p| p.starts_with(&page) && p.contains(expected));
                assert!(told, "{page}{expected} in {:#?}", seen.problems);
            }
        }
        for view in &VIEWS {
            for (name, _, expected, only) in IN_SOME {
                let page = format!("{name}.html, {}: ", view.name);
                let told = seen.problems.iter().find(|p| p.starts_with(&page));
                if view.name.ends_with(only) {
                    assert!(
                        told.is_some_and(|told| told.contains(expected)),
                        "{page}{expected}, not {told:?}"
                    );
                } else if name.starts_with('n') {
                    assert!(told.is_none(), "{told:?}");
                }
            }
        }
        assert!(
            !seen.problems.iter().any(|p| p.starts_with("z.html")),
            "{:#?}",
            seen.problems
        );
    }
}
