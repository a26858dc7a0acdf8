//! The step `laboratory`: the pages' laboratory in browsers, from a plain folder and from a server below a path, clicked
//! as a reader does. What is done on a page is `laboratory.js`.

use super::browser::{self, Browser};
use super::firefox::{self, Firefox};
use super::pages::problem_of;
use super::places::{Places, Way};
use crate::exit;
use crate::page::{MOST_BYTES, MOST_SCRIPT_BYTES};
use anyhow::Context;
use cornerturn::exercise::Workshop;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Instant;

/// An expression that takes a part's name and what it is given.
const SCRIPT: &str = include_str!("laboratory.js");

/// The page with the kernel that is run, broken and mended.
const PAGE: &str = "padding.html";
const KERNEL: &str = "padded";

/// The page with an exercise that is passed, and one that asks for numbers.
const WORKSHOP_PAGE: &str = "workshop/reading-memory.html";
const EXERCISE: &str = "copy";
const PREDICTED: &str = "strided";
/// One whose answer is no kernel, and its page.
const PIPELINE: &str = "missing_event";
const PIPELINE_PAGE: &str = "workshop/streams.html";

/// One tab of a browser.
trait Tab {
    fn open(&mut self, url: &str) -> anyhow::Result<()>;
    fn evaluate(&mut self, expression: &str) -> anyhow::Result<Value>;
    /// What must not happen on the page that is open, and did.
    fn problems(&self) -> Vec<String>;
}

impl Tab for Browser {
    fn open(&mut self, url: &str) -> anyhow::Result<()> {
        Browser::open(self, url)
    }

    fn evaluate(&mut self, expression: &str) -> anyhow::Result<Value> {
        Browser::evaluate(self, expression)
    }

    fn problems(&self) -> Vec<String> {
        self.events().iter().filter_map(problem_of).collect()
    }
}

impl Tab for Firefox {
    fn open(&mut self, url: &str) -> anyhow::Result<()> {
        Firefox::open(self, url)
    }

    fn evaluate(&mut self, expression: &str) -> anyhow::Result<Value> {
        Firefox::evaluate(self, expression)
    }

    /// Its protocol tells none.
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What was seen in the browsers that are installed.
#[derive(Debug, Default)]
pub struct Tried {
    /// One sentence for each browser.
    pub told: Vec<String>,
    /// Browsers that are not installed, each with how to install it.
    pub missing: Vec<String>,
}

/// Tries the laboratory of the pages below `root` in every browser that is installed; `program` is this binary.
///
/// # Errors
/// At the first part that fails, with browser, page and what did not hold.
pub fn try_all(root: &Path, work: &Path, program: &Path) -> anyhow::Result<Tried> {
    if !root.join("lab").join("engine.js").is_file() {
        return Err(exit::wrong(
            "the pages have no lab/engine.js: the step `book` builds it",
        ));
    }
    let places = Places::of(root)?;
    // Beside each other: much of the time is waiting.
    let (chromium, firefox) = thread::scope(|scope| {
        let chromium = scope.spawn(|| in_chromium(&places, work, program));
        let firefox = scope.spawn(|| in_firefox(&places, work, program));
        (chromium.join(), firefox.join())
    });
    let mut tried = Tried::default();
    for ended in [chromium, firefox] {
        match ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))? {
            Ok(told) => tried.told.push(told),
            Err(missing) => tried.missing.push(missing),
        }
    }
    Ok(tried)
}

/// What was seen in a browser, or how it is installed where it is not.
type Seen = Result<String, String>;

fn in_chromium(places: &Places, work: &Path, program: &Path) -> anyhow::Result<Seen> {
    let Some(found) = browser::find() else {
        let missing = "Chromium is not installed: Debian's package chromium would do";
        return Ok(Err(missing.to_owned()));
    };
    let mut tab = Browser::start(&found, &profile(work, "chromium"))?;
    // As wide as a telephone; Firefox has the width of a desk.
    let size = json!({"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": false});
    tab.call("Emulation.setDeviceMetricsOverride", size)?;
    let mut trial = Trial::new("Chromium", &mut tab, places, program, work);
    trial.everything(Way::Folder)?;
    let below = trial.first_click(Way::BelowPath)?;
    let sizes = trial.sizes()?;
    let seconds = trial.start.elapsed().as_secs_f64();
    without_webassembly(&mut tab, places, program, work)?;
    Ok(Ok(format!(
        "Chromium: {seconds:.0} s, first result {below:.0} ms after the click; {sizes}"
    )))
}

fn in_firefox(places: &Places, work: &Path, program: &Path) -> anyhow::Result<Seen> {
    let Some(found) = firefox::find() else {
        let missing = "Firefox is not installed: Debian's package firefox-esr would do";
        return Ok(Err(missing.to_owned()));
    };
    let mut tab = Firefox::start(&found, &profile(work, "firefox"))?;
    let mut trial = Trial::new("Firefox", &mut tab, places, program, work);
    trial.everything(Way::Folder)?;
    let below = trial.first_click(Way::BelowPath)?;
    let seconds = trial.start.elapsed().as_secs_f64();
    Ok(Ok(format!(
        "Firefox: {seconds:.0} s, first result {below:.0} ms after the click"
    )))
}

fn profile(work: &Path, browser: &str) -> PathBuf {
    work.join(format!("laboratory-{browser}-{}", std::process::id()))
}

/// A page in a browser that has no WebAssembly.
fn without_webassembly(
    tab: &mut Browser,
    places: &Places,
    program: &Path,
    work: &Path,
) -> anyhow::Result<()> {
    let without = json!({ "source": "delete globalThis.WebAssembly" });
    tab.call("Page.addScriptToEvaluateOnNewDocument", without)?;
    let mut trial = Trial::new("Chromium without WebAssembly", tab, places, program, work);
    trial.open(Way::Folder, PAGE)?;
    trial.part("is_absent", &json!({ "id": KERNEL }))?;
    Ok(())
}

/// A browser in which the laboratory is tried.
struct Trial<'a> {
    browser: &'static str,
    tab: &'a mut dyn Tab,
    places: &'a Places,
    program: &'a Path,
    exported: PathBuf,
    start: Instant,
}

impl<'a> Trial<'a> {
    fn new(
        browser: &'static str,
        tab: &'a mut dyn Tab,
        places: &'a Places,
        program: &'a Path,
        work: &Path,
    ) -> Self {
        Self {
            browser,
            tab,
            places,
            program,
            exported: work.join(format!("exported-{browser}")),
            start: Instant::now(),
        }
    }

    /// Opens a page anew; a fragment alone would not load it again.
    fn open(&mut self, way: Way, page: &str) -> anyhow::Result<()> {
        self.tab.open("about:blank")?;
        self.tab.open(&self.places.url(way, page))
    }

    /// Does a part on the page that is open.
    fn part(&mut self, name: &str, given: &Value) -> anyhow::Result<Value> {
        let expression = format!("({})({}, {given})", SCRIPT.trim_end(), json!(name));
        let seen = self.tab.evaluate(&expression);
        let seen = seen.with_context(|| format!("{}, {name}", self.browser))?;
        match self.tab.problems().first() {
            Some(problem) => Err(exit::wrong(format!("{}, {name}: {problem}", self.browser))),
            None => Ok(seen),
        }
    }

    fn everything(&mut self, way: Way) -> anyhow::Result<()> {
        let kernel = json!({ "id": KERNEL });
        self.open(way, PAGE)?;
        self.part("breaks_and_mends", &kernel)?;
        self.open(way, PAGE)?;
        self.part("steps", &kernel)?;
        self.open(way, PAGE)?;
        self.part("stops", &kernel)?;
        self.open(way, PAGE)?;
        let link = self.part("links", &kernel)?;
        let fragment = link["fragment"].as_str().context("the link's fragment")?;
        self.open(way, &format!("{PAGE}{fragment}"))?;
        self.part("opens_link", &Value::Null)?;
        self.open(way, PAGE)?;
        self.part("refuses_links", &kernel)?;
        self.open(way, "playground.html")?;
        self.part("plays", &Value::Null)?;
        self.open(way, "playground.html")?;
        self.part("finds_again", &Value::Null)?;
        self.exercises(way)
    }

    fn exercises(&mut self, way: Way) -> anyhow::Result<()> {
        let workshop = Workshop::load()?;
        let solution = workshop.get(EXERCISE)?.solution();
        let exercise = json!({ "id": EXERCISE, "solution": solution });
        self.open(way, WORKSHOP_PAGE)?;
        self.part("passes", &exercise)?;
        self.open(way, WORKSHOP_PAGE)?;
        self.part("keeps", &exercise)?;
        self.open(way, WORKSHOP_PAGE)?;
        self.part("predicts", &json!({ "id": PREDICTED }))?;
        let pipeline = workshop.get(PIPELINE)?.solution();
        self.open(way, PIPELINE_PAGE)?;
        self.part("passes", &json!({ "id": PIPELINE, "solution": pipeline }))?;
        self.open(way, "workshop/index.html")?;
        let exported = self.part("exports", &Value::Null)?;
        let text = exported["file"].as_str().context("the exported file")?;
        self.report(text)?;
        self.part("forgets", &Value::Null)?;
        self.open(way, "workshop/index.html")?;
        self.part("imports", &json!({ "file": text }))?;
        self.open(way, WORKSHOP_PAGE)?;
        self.part("keeps", &exercise)?;
        Ok(())
    }

    /// The exported file must be one that `exercise report` reads, with those exercises passed, and whose answers pass again.
    fn report(&self, exported: &str) -> anyhow::Result<()> {
        std::fs::create_dir_all(&self.exported)?;
        let file = self.exported.join("progress.json");
        std::fs::write(&file, exported)?;
        let output = Command::new(self.program)
            .args(["exercise", "report", "--grade", "--json"])
            .arg(&file)
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let told: Value = serde_json::from_str(&said).unwrap_or_default();
        let graded = &told["participants"][0]["graded_again"];
        if output.status.success() && *graded == json!([EXERCISE, PIPELINE]) {
            return Ok(());
        }
        Err(exit::wrong(format!(
            "{}: `exercise report --grade` does not find the passed exercises in what the page exported: {said}{}",
            self.browser,
            String::from_utf8_lossy(&output.stderr)
        )))
    }

    /// The milliseconds from the first click to the first result.
    fn first_click(&mut self, way: Way) -> anyhow::Result<f64> {
        self.open(way, PAGE)?;
        let seen = self.part("breaks_and_mends", &json!({ "id": KERNEL }))?;
        seen["first_ms"].as_f64().context("no time was told")
    }

    /// A sentence on what the first click loads; a browser fetches files from a server alone.
    fn sizes(&mut self) -> anyhow::Result<String> {
        self.open(Way::BelowPath, PAGE)?;
        let seen = self.part("measures", &json!({ "id": KERNEL }))?;
        let bytes = |name: &str| {
            let bytes = seen[name].as_u64().context("no size was told")?;
            anyhow::Ok(usize::try_from(bytes)?)
        };
        let (script, run) = (bytes("script_bytes")?, bytes("run_bytes")?);
        let all = script + run;
        let told = format!(
            "the first click loads {all} bytes packed, {script} of them script and style, and the first edit {} more",
            bytes("edit_bytes")?
        );
        match script <= MOST_SCRIPT_BYTES && all <= MOST_BYTES {
            true => Ok(told),
            false => Err(exit::wrong(format!(
                "{told}; {MOST_BYTES} and {MOST_SCRIPT_BYTES} are the most"
            ))),
        }
    }
}
