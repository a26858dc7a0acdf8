//! Predicts what the example `observe` of `cornerturn-measure` observed, and compares: `predicted FOLDER [--machine FILE]
//! [--only WORD] [--all] [--csv FILE] [--page FILE]`. `--page` writes the tables into a page, between its two marks.

#![allow(clippy::unwrap_used, reason = "a tool for who works on the model")]

use cornerturn_model::compare::{self, Compared};
use cornerturn_model::{Machine, Observation, predict};
use serde::Deserialize;
use std::error::Error;

/// What stands before and behind the tables in a page.
const MARKS: [&str; 2] = ["<!-- compared -->\n", "<!-- end -->"];
/// Shorter launches are not compared: what they take is the launch itself.
const LEAST_US: f64 = 5.0;

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
    let folder = std::fs::read_dir(arguments.get(1).ok_or("FOLDER")?)?;
    let mut paths: Vec<_> = folder
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    let mut rows = Vec::new();
    for path in paths {
        let is_left_out =
            value("--only").is_some_and(|only| !path.display().to_string().contains(only.as_str()));
        let text = std::fs::read_to_string(&path)?;
        let (false, Ok(mut seen)) = (is_left_out, serde_json::from_str::<Observed>(&text)) else {
            continue;
        };
        // As the assembler gives them.
        seen.observation.shape.registers = seen.facts.registers;
        if seen.facts.us <= LEAST_US {
            continue;
        }
        match predict(&machine, &seen.observation) {
            Ok(found) => rows.push(Compared {
                record: seen.record,
                launch: seen.what,
                measured_us: seen.facts.us,
                predicted_us: found.us,
                low_us: found.low_us,
                high_us: found.high_us,
                is_uncertain: found.uncertain.is_some(),
                limit: found
                    .limits
                    .0
                    .first()
                    .map_or(String::new(), |(name, _)| name.clone()),
            }),
            Err(error) => println!("{}: {error}", seen.what),
        }
    }
    if arguments.iter().any(|word| word == "--all") {
        rows.iter()
            .for_each(|row| println!("{:>7.1}% {}", row.error() * 100.0, row.line().trim_end()));
    }
    if let Some(path) = value("--csv") {
        let head = format!(
            "# Launches of the records in this folder as the model predicts them for an {}; written by the example `predicted` of cornerturn-model\nrecord,launch,measured_us,predicted_us,low_us,high_us,uncertain,limit\n",
            machine.name
        );
        std::fs::write(
            path,
            head + &rows.iter().map(Compared::line).collect::<String>(),
        )?;
        rows = Compared::read(&std::fs::read_to_string(path)?);
    }
    let tables = compare::page(&rows);
    println!("{tables}");
    if let Some(path) = value("--page") {
        let text = std::fs::read_to_string(path)?;
        let (before, rest) = text.split_once(MARKS[0]).ok_or("the page has no mark")?;
        let (_, behind) = rest
            .split_once(MARKS[1])
            .ok_or("the page has no end mark")?;
        std::fs::write(
            path,
            format!("{before}{}{tables}{}{behind}", MARKS[0], MARKS[1]),
        )?;
    }
    Ok(())
}
