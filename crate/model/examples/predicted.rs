//! Predicts what `observe` of `cornerturn-measure` observed, and compares: `predicted FOLDER [--machine FILE] [--only WORD] [--all]`.

use cornerturn_model::{Machine, Observation, predict};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::error::Error;

#[derive(Deserialize)]
struct Observed {
    record: String,
    what: String,
    facts: Facts,
    observation: Observation,
}

#[derive(Deserialize)]
struct Facts {
    us: f64,
    registers: Option<u32>,
    resident: Option<u32>,
}

struct Row {
    record: String,
    what: String,
    us: f64,
    predicted: f64,
    inside: bool,
    limits: String,
}

impl Row {
    fn error(&self) -> f64 {
        self.predicted / self.us - 1.0
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let value = |name: &str| {
        arguments
            .iter()
            .position(|word| word == name)
            .and_then(|at| arguments.get(at + 1))
    };
    let machine = match value("--machine") {
        Some(path) => Machine::read(&std::fs::read_to_string(path)?)?,
        None => Machine::named("h200")?,
    };
    let mut paths: Vec<_> = std::fs::read_dir(arguments.get(1).ok_or("FOLDER")?)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    let mut rows = Vec::new();
    for path in paths {
        if value("--only").is_some_and(|only| !path.display().to_string().contains(only.as_str())) {
            continue;
        }
        let Ok(mut seen) = serde_json::from_str::<Observed>(&std::fs::read_to_string(&path)?)
        else {
            continue;
        };
        seen.observation.shape.registers = seen.facts.registers;
        match predict(&machine, &seen.observation) {
            Ok(found) => {
                let limits: Vec<String> = found
                    .limits
                    .0
                    .iter()
                    .take(3)
                    .map(|(name, share)| format!("{name} {:.0}", share * 100.0))
                    .collect();
                let resident = seen
                    .facts
                    .resident
                    .filter(|resident| *resident != found.resident_blocks)
                    .map_or(String::new(), |resident| {
                        format!(" resident {} not {resident}", found.resident_blocks)
                    });
                rows.push(Row {
                    inside: (found.low_us..=found.high_us).contains(&seen.facts.us),
                    record: seen.record,
                    what: seen.what,
                    us: seen.facts.us,
                    predicted: found.us,
                    limits: limits.join(", ") + &resident,
                });
            }
            Err(error) => println!("{}: {error}", seen.what),
        }
    }
    rows.retain(|row| row.us > 5.0);
    if arguments.iter().any(|word| word == "--all") {
        for row in &rows {
            println!(
                "{:>7.1}% {:10.2} {:10.2} {} {} [{}]",
                row.error() * 100.0,
                row.us,
                row.predicted,
                row.record,
                row.what,
                row.limits
            );
        }
    }
    let mut kinds: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in &rows {
        kinds.entry(&row.record).or_default().push(row);
        kinds.entry("~ all").or_default().push(row);
    }
    for (kind, rows) in kinds {
        let mut errors: Vec<f64> = rows.iter().map(|row| row.error().abs()).collect();
        errors.sort_by(f64::total_cmp);
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let bias = rows.iter().map(|row| row.error()).sum::<f64>() / errors.len() as f64;
        let within =
            errors.iter().filter(|error| **error <= 0.15).count() as f64 / errors.len() as f64;
        let inside = rows.iter().filter(|row| row.inside).count() as f64 / rows.len() as f64;
        println!(
            "{kind:18} {:4} mean {:5.1}% median {:5.1}% p90 {:5.1}% max {:5.1}% bias {:5.1}% within15 {:3.0}% inside {:3.0}%",
            errors.len(),
            mean * 100.0,
            errors[errors.len() / 2] * 100.0,
            errors[(errors.len() * 9 / 10).min(errors.len() - 1)] * 100.0,
            errors[errors.len() - 1] * 100.0,
            bias * 100.0,
            within * 100.0,
            inside * 100.0
        );
    }
    Ok(())
}
