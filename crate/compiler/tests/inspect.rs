//! Over all kernels of the book and the tests: the kernel is well formed after each pass, passes keep what the table says, and
//! its text is read back as it was.

// A test may fail where it stands.
#![allow(clippy::unwrap_used)]

mod common;

use cornerturn_compiler::{
    Inspect, Ir, LOWERED, NoFiles, Options, Snapshot, compile_watched, passes,
};
use std::collections::BTreeSet;
use std::path::Path;

/// Behind these the text is read back: as it is lowered, where values have names and objects are gone, and at the end.
const READ_BACK: [&str; 5] = [
    LOWERED,
    "compact",
    "gvn_first",
    "vectorise_accesses",
    "simplify_cfg_all",
];

struct Checks {
    source: String,
    keeping: Vec<&'static str>,
    graph: Vec<Vec<u32>>,
    problems: BTreeSet<String>,
}

impl Checks {
    fn note(&mut self, pass: &str, kernel: &Snapshot<'_>, problem: &str) {
        let place = format!("{} {}", self.source, kernel.kernel());
        self.problems.insert(format!("{pass}: {problem} ({place})"));
    }
}

impl Inspect for Checks {
    fn before(&mut self, pass: &'static str, kernel: &Snapshot<'_>) {
        if self.keeping.contains(&pass) {
            self.graph = kernel.graph();
        }
    }

    fn after(&mut self, pass: &'static str, kernel: &Snapshot<'_>) {
        for problem in kernel.problems() {
            self.note(pass, kernel, &problem);
        }
        if self.keeping.contains(&pass) && self.graph != kernel.graph() {
            self.note(pass, kernel, "the graph is another");
        }
        if READ_BACK.contains(&pass) {
            let text = kernel.text();
            match Ir::parse(&text) {
                Ok(read) if read.text() == text => {}
                Ok(_) => self.note(pass, kernel, "the text is another when it is read back"),
                Err(error) => self.note(pass, kernel, &format!("cannot be read back: {error}")),
            }
        }
    }
}

/// All sources, each with its name and architecture.
fn sources() -> Vec<(String, String, String)> {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let registered = common::registered()
        .into_iter()
        .map(|case| (case.file, case.arch));
    let products = common::products().into_iter();
    let files: BTreeSet<_> = registered
        .chain(products.map(|(file, arch, _)| (file, arch)))
        .collect();
    let mut sources: Vec<_> = files
        .into_iter()
        .map(|(file, arch)| (read(&common::kernels().join(&file)), file, arch))
        .map(|(text, file, arch)| (file, arch, text))
        .collect();
    for (name, text) in common::parts::all() {
        sources.push((name, "compute_90a".to_string(), text));
    }
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pass");
    for entry in std::fs::read_dir(fixtures).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "cu") {
            let name = path.file_name().unwrap().to_string_lossy().to_string();
            sources.push((name, "compute_90a".to_string(), read(&path)));
        }
    }
    sources
}

#[test]
fn kernels_are_well_formed_after_each_pass() {
    let keeping = passes().into_iter().filter(|pass| pass.keeps_graph);
    let mut checks = Checks {
        source: String::new(),
        keeping: keeping.map(|pass| pass.name).collect(),
        graph: Vec::new(),
        problems: BTreeSet::new(),
    };
    let sources = sources();
    assert!(sources.len() > 600, "{}", sources.len());
    for (name, arch, text) in sources {
        let options = Options {
            arch,
            ..Options::default()
        };
        checks.source = name;
        // What does not compile is told elsewhere.
        let _ = compile_watched(&text, "kernel.cu", &options, &NoFiles, Some(&mut checks));
    }
    let problems: Vec<&str> = checks.problems.iter().map(String::as_str).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
