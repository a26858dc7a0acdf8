//! The files that a page gives its module, from this project's folder: what is in them is the project's, how they are sent the binary's.

use cornerturn::compile::{Compiler, CompilerKind};
use cornerturn::exercise::{Exercise, Workshop};
use cornerturn::registry::{Code, Registry};
use cornerturn::{Error, Result, paths};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

/// The record that an exercise's questions are about, below the project's root.
const PROFILES: &str = "book/results/h200/counters.json";

/// The registry of kernels, without their sources.
///
/// # Errors
/// [`Error::File`] where it cannot be read.
pub fn registry() -> Result<Value> {
    let listed = table(&paths::kernels()?.join("kernels.toml"))?;
    Ok(json!({ "kernels/kernels.json": listed.to_string() }))
}

/// A registered kernel: its source and what our own compiler makes of it, so that a page that runs it unedited needs no
/// compiler.
///
/// # Errors
/// [`Error::File`]; [`Error::CompilerGap`] where our compiler does not know what the source uses.
pub fn kernel(registry: &Registry, code: Code) -> Result<Value> {
    let source = registry.source(code)?;
    let name = code.file.file_name().unwrap_or_default().to_string_lossy();
    let compiler = Compiler::of(CompilerKind::CornerTurn)?;
    let ptx = compiler.compile_live(&source, &name)?.ptx;
    let below_root = |file: &Path| format!("kernels/{}", file.display()).replace('\\', "/");
    let mut files = Map::new();
    files.insert(below_root(code.file), json!(source));
    files.insert(below_root(&code.file.with_extension("ptx")), json!(ptx));
    Ok(Value::Object(files))
}

/// The list of exercises, their starters and solutions, and what their questions are about; no wrong answers, nor what
/// is said to teachers.
///
/// # Errors
/// As [`registry`].
pub fn exercises() -> Result<Value> {
    let workshop = Workshop::load()?;
    let folder = paths::kernels()?.join("exercises");
    let mut listed = table(&folder.join("exercises.toml"))?;
    for exercise in listed["exercise"].as_array_mut().into_iter().flatten() {
        if let Some(exercise) = exercise.as_object_mut() {
            for name in ["wrong", "also", "teacher"] {
                exercise.remove(name);
            }
        }
    }
    let mut files = Map::new();
    let mut add = |name: &str, text: String| {
        files.insert(format!("kernels/exercises/{name}"), json!(text));
    };
    add("exercises.json", listed.to_string());
    for exercise in workshop.exercises() {
        let (starter, solution) = (exercise.starter(), exercise.solution());
        let text = format!("//@ starter\n{starter}//@ solution\n{solution}//@ end\n");
        add(&exercise.file_name(), text);
        if let Ok(ptx) = fs::read_to_string(workshop.ptx_path(exercise)) {
            add(&format!("{}.ptx", exercise.id), ptx);
        }
    }
    files.insert(
        PROFILES.to_string(),
        json!(profiles(&workshop)?.to_string()),
    );
    Ok(Value::Object(files))
}

/// Of the recorded launches those that questions are about.
fn profiles(workshop: &Workshop) -> Result<Value> {
    let path = paths::root()?.join(PROFILES);
    let wrong = |reason: String| Error::File {
        file: path.clone(),
        reason,
    };
    let text = fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
    let mut record: Value =
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let asked = |launch: &Value| {
        let kernel = launch["kernel"].as_str().unwrap_or_default();
        let shape = [&launch["rows"], &launch["columns"]].map(Value::as_u64);
        let of = |exercise: &&Exercise| {
            let asked = exercise.answers.first().map(|answer| answer.of[0]);
            exercise.profiles.iter().any(|id| id == kernel)
                && asked.is_some_and(|asked| shape == asked.map(|side| Some(side as u64)))
        };
        workshop.exercises().iter().any(|exercise| of(&exercise))
    };
    if let Some(launches) = record["launches"].as_array_mut() {
        launches.retain(asked);
    }
    Ok(json!({ "device": record["device"], "launches": record["launches"] }))
}

/// A TOML file as JSON.
fn table(path: &Path) -> Result<Value> {
    let wrong = |reason: String| Error::File {
        file: path.to_path_buf(),
        reason,
    };
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    toml::from_str(&text).map_err(|error| wrong(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_the_page_hold_no_wrong_answers() {
        let registry = Registry::load().unwrap();
        let files = kernel(&registry, registry.code("padded").unwrap()).unwrap();
        assert_eq!(files.as_object().unwrap().len(), 2);
        assert!(files["kernels/transpose/padded.cu"].is_string());
        let ptx = files["kernels/transpose/padded.ptx"].as_str().unwrap();
        assert!(ptx.contains(".entry padded("));
        let all = exercises().unwrap();
        let text = all.to_string();
        assert!(!text.contains("\\\"teacher\\\"") && !text.contains("//@ no_barrier"));
        let padding = all["kernels/exercises/padding.cu"].as_str().unwrap();
        assert!(padding.starts_with("//@ starter\n") && padding.ends_with("//@ end\n"));
    }
}
