//! A report of the profiler that a participant reads: one of the recorded launches, as counters and as text. What is asked about it is `data`'s.

use super::asked::About;
use super::data::Exercise;
use super::seed::Seed;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::files::{read_json, read_text};
use cornerturn_base::paths;
use cornerturn_emulator::Counters;
use serde::Deserialize;
use std::path::PathBuf;

/// The record that the reports are from, below the records' folder.
const RECORD: &str = "h200/counters.json";

/// The lines of a report, by the fields of [`Counters`]; those of which nothing was counted are left out.
const LINES: [&str; 10] = [
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
    "shared_load_instructions",
    "shared_load_wavefronts",
    "shared_load_bank_conflicts",
    "shared_store_instructions",
    "shared_store_wavefronts",
    "shared_store_bank_conflicts",
];

/// One recorded launch.
pub(super) struct Profile {
    launch: Launch,
    device: String,
}

#[derive(Deserialize)]
struct File {
    device: Device,
    launches: Vec<Launch>,
}

#[derive(Deserialize)]
struct Device {
    name: String,
}

#[derive(Deserialize)]
struct Launch {
    kernel: String,
    rows: usize,
    columns: usize,
    grid: [u32; 3],
    block: [u32; 3],
    counters: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    name: String,
    ncu: u64,
}

impl Exercise {
    /// The recorded launch that this participant is asked about, by its kernel's id; `None` where it is about no record.
    pub(super) fn profiled(&self, participant: &str) -> Option<&str> {
        let mut numbers = Seed(0).numbers(&format!("{participant}, {}", self.id));
        let choices: Vec<&str> = self.profiles.iter().map(String::as_str).collect();
        numbers.one_of(&choices)
    }
}

impl Profile {
    /// The report that this participant reads; `None` where the exercise is of no report.
    ///
    /// # Errors
    /// [`Error::File`] where the record cannot be read or lacks the launch.
    pub(super) fn of(exercise: &Exercise, participant: &str) -> Result<Option<Self>> {
        let asked = exercise.profiled(participant);
        let Some(kernel) = asked.filter(|_| exercise.about == About::Counters) else {
            return Ok(None);
        };
        let path = path()?;
        let file: File =
            read_json(&read_text(&path)?).map_err(|error| Error::file(&path, error))?;
        let [rows, columns] = exercise
            .answers
            .first()
            .map_or([0, 0], |answer| answer.of[0]);
        let is_asked = |launch: &Launch| {
            launch.kernel == kernel && [launch.rows, launch.columns] == [rows, columns]
        };
        let launch = file.launches.into_iter().find(is_asked).ok_or_else(|| {
            Error::file(
                &path,
                format!("`{kernel}` was not counted on {rows}×{columns}"),
            )
        })?;
        let device = file.device.name;
        Ok(Some(Self { launch, device }))
    }

    /// The registry's id of the kernel that was launched.
    pub(super) fn kernel(&self) -> &str {
        &self.launch.kernel
    }

    /// What was counted.
    pub(super) fn counters(&self) -> Counters {
        let mut counters = Counters::default();
        for line in &self.launch.counters {
            counters.set(&line.name, line.ncu);
        }
        counters
    }

    /// The report, with the profiler's names.
    pub(super) fn text(&self) -> String {
        let Launch {
            rows,
            columns,
            grid,
            block,
            ..
        } = &self.launch;
        let mut text = format!(
            "the report, {}: {rows}×{columns} floats, grid {}×{}, block {}×{}",
            self.device, grid[0], grid[1], block[0], block[1]
        );
        let counters = self.counters();
        for (field, name) in Counters::NAMES
            .iter()
            .filter(|(field, _)| LINES.contains(field))
        {
            let value = counters.field(field).unwrap_or(0);
            if value > 0 {
                text.push_str(&format!("\n  {name:<66} {value:>9}"));
            }
        }
        text
    }
}

fn path() -> Result<PathBuf> {
    Ok(paths::results()?.join(RECORD))
}
