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
mod host;
mod kernels;
mod launches;
#[cfg(not(target_arch = "wasm32"))]
pub mod pack;
mod pasted;
mod pictures;
mod problem;
mod request;
mod room;
mod run;
mod state;
mod steps;
mod suggestions;
mod values;
mod work;

use cornerturn::compile::{self, CompilerKind};
use findings::LAUNCH_BUDGET;
use problem::Problem;
use request::Request;
use serde_json::{Value, json};

/// Answers one request: bytes that should be a JSON object with a `verb`. The answer is one JSON value, an object with
/// `error` where the request cannot be met, and with `needs` where a part of the page has to be loaded before it is asked
/// again.
pub fn ask(request: &[u8]) -> String {
    let host = cornerturn::launch::Host {
        progress: host::progress(),
        launch_budget: Some(LAUNCH_BUDGET),
    };
    host.enter();
    compile::ask_elsewhere(host::compiler());
    // NVIDIA's is on no page.
    compile::choose(CompilerKind::CornerTurn);
    let answer = Request::read(request).and_then(|request| meet(&request));
    let answer = answer.unwrap_or_else(Problem::into_json);
    // Whatever became of it without the compiler is no answer.
    match host::misses_compiler() {
        true => json!({ "needs": "compiler" }).to_string(),
        false => answer.to_string(),
    }
}

/// The same, as what the script calls gives it.
fn answered(request: &[u8]) -> Vec<u8> {
    ask(request).into_bytes()
}

fn meet(request: &Request) -> Result<Value, Problem> {
    match request.text("verb")? {
        "files" => state::give(request).map(|()| json!({})),
        "kernel" => kernels::describe(request),
        "run" => run::run(request),
        "launch" => launches::launch(request),
        "suggest" => suggestions::suggest(request),
        "steps" => steps::open(request),
        "step" => steps::step(request),
        "exercises" => exercises::list(),
        "exercise" => exercises::describe(request),
        "hint" => exercises::hint(request),
        "check" => exercises::check(request),
        "export" => exercises::export(request),
        "import" => exercises::import(request),
        other => Err(Problem::request(format!(
            "there is no verb `{other}`; there are files, kernel, run, launch, suggest, steps, step, exercises, exercise, hint, check, export and import"
        ))),
    }
}
