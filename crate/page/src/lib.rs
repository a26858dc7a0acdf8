//! What runs in the browser: kernels compiled, run, verified, counted and drawn, and exercises graded. A request and its answer are JSON objects; how a page looks is its script's.
//!
//! ```
//! let answer = cornerturn_page::ask(br#"{"verb": "launch", "source": "nothing"}"#);
//! assert!(answer.starts_with("{\"error\""));
//! ```

// A test may fail where it stands.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod counters;
mod exercises;
mod findings;
mod first;
mod kernels;
mod launches;
#[cfg(not(target_arch = "wasm32"))]
pub mod pack;
mod pictures;
mod problem;
mod request;
mod room;
mod run;
mod state;
mod values;
mod work;

use cornerturn::compile::{self, CompilerKind};
use problem::Problem;
use request::Request;
use serde_json::{Value, json};

/// What a launch may execute, in warp instructions: some seconds.
const LAUNCH_BUDGET: u64 = 1 << 28;

/// Answers one request: bytes that should be a JSON object with a `verb`. The answer is one JSON value, an object with
/// `error` where the request cannot be met.
pub fn ask(request: &[u8]) -> String {
    let host = cornerturn::launch::Host {
        progress: room::progress(),
        launch_budget: Some(LAUNCH_BUDGET),
    };
    host.enter();
    // NVIDIA's is on no page.
    compile::choose(CompilerKind::CornerTurn);
    let answer = Request::read(request).and_then(|request| answer(&request));
    answer.unwrap_or_else(Problem::into_json).to_string()
}

fn answer(request: &Request) -> Result<Value, Problem> {
    match request.text("verb")? {
        "files" => state::give(request).map(|()| json!({})),
        "kernel" => kernels::describe(request),
        "run" => run::run(request),
        "launch" => launches::launch(request),
        "exercises" => exercises::list(),
        "exercise" => exercises::describe(request),
        "hint" => exercises::hint(request),
        "check" => exercises::check(request),
        "export" => exercises::export(request),
        "import" => exercises::import(request),
        other => Err(Problem::request(format!(
            "there is no verb `{other}`; there are files, kernel, run, launch, exercises, exercise, hint, check, export and import"
        ))),
    }
}
