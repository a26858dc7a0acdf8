//! The files that a page gives its module, from this project's folder: what is in them is the project's, how they are sent the binary's.

use cornerturn::compile::{Compiler, CompilerKind};
use cornerturn::exercise::{About, Exercise, Workshop};
use cornerturn::record::DRIVER_COPY;
use cornerturn::registry::{Code, Registry};
use cornerturn::{Error, Result, paths};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the records that exercises' questions are about, below the project's root.
const RECORDS: &str = "book/results/h200";

/// The registry of kernels, without their sources.
///
/// # Errors
/// [`Error::File`] where it cannot be read.
pub fn registry() -> Result<Value> {
    let listed = table(&paths::kernels()?.join("kernels.toml"))?;
    Ok(json!({ "kernels/kernels.json": listed.to_string() }))
}

/// Registered kernels. A source may hold several, and is compiled once.
#[derive(Debug, Default)]
pub struct Kernels(BTreeMap<PathBuf, String>);

impl Kernels {
    /// A kernel: its source and what our own compiler makes of it, so that a page that runs it unedited needs no compiler.
    ///
    /// # Errors
    /// [`Error::File`]; [`Error::CompilerGap`] where our compiler does not know what the source uses.
    pub fn pack(&mut self, registry: &Registry, code: Code) -> Result<Value> {
        let source = registry.source(code)?;
        if !self.0.contains_key(code.file) {
            let name = code.file.file_name().unwrap_or_default().to_string_lossy();
            let compiler = Compiler::of(CompilerKind::CornerTurn)?;
            let compiled = compiler.compile_live(&source, &name)?;
            self.0.insert(code.file.to_path_buf(), compiled.ptx);
        }
        let ptx = self.0.get(code.file).map(|ptx| alone(ptx, code.entry));
        let kernels = paths::kernels()?;
        let below_root = |path: PathBuf| {
            let path = path.strip_prefix(&kernels).unwrap_or(&path);
            format!("kernels/{}", path.display()).replace('\\', "/")
        };
        let mut files = Map::new();
        files.insert(below_root(registry.source_path(code)), json!(source));
        files.insert(below_root(registry.given_ptx_path(code)), json!(ptx));
        Ok(Value::Object(files))
    }
}

/// PTX as our compiler writes it, with one of its entries: a source with ten unrolled ones is half of what a page may
/// load. The others' lines stay, empty, so that every line keeps its number.
fn alone(ptx: &str, entry: &str) -> String {
    let mut kept = String::with_capacity(ptx.len());
    let mut is_other = false;
    let mut open = 0_i64;
    for line in ptx.lines() {
        if let Some(head) = line.strip_prefix(".visible .entry ") {
            is_other = head.split('(').next() != Some(entry);
        }
        if !is_other {
            kept.push_str(line);
        }
        kept.push('\n');
        // What `asm` brought may have braces on lines of their own.
        open += line.matches('{').count() as i64 - line.matches('}').count() as i64;
        is_other &= open > 0 || !line.ends_with('}');
    }
    kept
}

/// The list of exercises, their starters and solutions, what their questions are about, and the registered kernels that
/// they launch; no wrong answers, nor what is said to teachers.
///
/// # Errors
/// As [`Kernels::pack`].
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
    for (record, list, about) in [
        ("counters", "launches", &[About::Counters][..]),
        (
            "transpose",
            "measurements",
            &[About::Resources, About::Times],
        ),
        ("reports", "reports", &[About::Report]),
    ] {
        let name = format!("{RECORDS}/{record}.json");
        let kept = asked_of(&workshop, &name, list, about)?;
        files.insert(name, json!(kept.to_string()));
    }
    let registry = Registry::load()?;
    let mut kernels = Kernels::default();
    for id in workshop.exercises().iter().flat_map(launched) {
        if let Value::Object(kernel) = kernels.pack(&registry, registry.code(id)?)? {
            files.extend(kernel);
        }
    }
    Ok(Value::Object(files))
}

/// The registered kernels of an exercise: what a pipeline launches, and those whose counters it asks about.
fn launched(exercise: &Exercise) -> Vec<&str> {
    let pipeline = exercise.pipeline.as_ref().map(|_| exercise.entry.as_str());
    let is_counted = exercise.about == About::Counters;
    let profiled = exercise.profiles.iter().filter(|_| is_counted);
    let profiled = profiled.map(String::as_str);
    pipeline.into_iter().chain(profiled).collect()
}

/// A record with those entries of its list that questions about such things are about.
fn asked_of(workshop: &Workshop, name: &str, list: &str, about: &[About]) -> Result<Value> {
    let path = paths::root()?.join(name);
    let wrong = |reason: String| Error::File {
        file: path.clone(),
        reason,
    };
    let text = fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
    let mut record: Value =
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let asked = |entry: &Value| {
        let kernel = entry["kernel"].as_str().unwrap_or_default();
        // A report tells what it was given in another way, and is not asked for by a shape.
        let shape = [&entry["rows"], &entry["columns"]].map(Value::as_u64);
        let of = |exercise: &&Exercise| {
            let asked = exercise.answers.first().map(|answer| answer.of[0]);
            let asked = asked.map(|asked| asked.map(|side| Some(side as u64)));
            let copy = exercise.about == About::Times && kernel == DRIVER_COPY;
            about.contains(&exercise.about)
                && (copy || exercise.profiles.iter().any(|id| id == kernel))
                && (shape == [None; 2] || asked == Some(shape))
        };
        workshop.exercises().iter().any(|exercise| of(&exercise))
    };
    if let Some(entries) = record[list].as_array_mut() {
        entries.retain(asked);
    }
    Ok(record)
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
    use cornerturn::ptx;

    #[test]
    fn of_several_entries_one_is_packed_in_its_place() {
        let registry = Registry::load().unwrap();
        let code = registry.code("float4_tiled").unwrap();
        let compiler = Compiler::of(CompilerKind::CornerTurn).unwrap();
        let entry = r#"extern "C" __global__ void NAME(float* x) { asm volatile("{\n.reg .pred done;\n}\n"); x[threadIdx.x] = 1; }
"#;
        let names = ["first", "second", "third"];
        let source: String = names.map(|name| entry.replace("NAME", name)).concat();
        let all = compiler.compile_live(&source, "k.cu").unwrap().ptx;
        for name in names {
            let one = alone(&all, name);
            assert_eq!(ptx::entries(&one), [name]);
            assert_eq!(ptx::body(&one, name), ptx::body(&all, name));
            let line = |ptx: &str| {
                ptx.lines()
                    .position(|line| line.contains(&format!("entry {name}(")))
            };
            assert_eq!(line(&one), line(&all));
        }
        let packed = Kernels::default()
            .pack(&registry, code)
            .unwrap()
            .to_string();
        assert!(packed.contains(&format!(".entry {}(", code.entry)));
    }

    #[test]
    fn the_files_of_the_page_hold_no_wrong_answers() {
        let registry = Registry::load().unwrap();
        let files = Kernels::default()
            .pack(&registry, registry.code("padded").unwrap())
            .unwrap();
        assert_eq!(files.as_object().unwrap().len(), 2);
        assert!(files["kernels/transpose/padded.cu"].is_string());
        let ptx = files["kernels/transpose/padded.given.ptx"]
            .as_str()
            .unwrap();
        assert!(ptx.contains(".entry padded("));
        let all = exercises().unwrap();
        let text = all.to_string();
        assert!(!text.contains("\\\"teacher\\\"") && !text.contains("//@ no_barrier"));
        let padding = all["kernels/exercises/padding.cu"].as_str().unwrap();
        assert!(padding.starts_with("//@ starter\n") && padding.ends_with("//@ end\n"));
        for (record, words) in [
            ("counters", "tiled_16x16"),
            ("transpose", "driver_copy"),
            ("reports", "sum_shuffle"),
        ] {
            let kept = all[format!("book/results/h200/{record}.json")]
                .as_str()
                .unwrap();
            assert!(
                kept.contains(words) && kept.len() < 64 << 10,
                "{record}: {}",
                kept.len()
            );
        }
    }
}
