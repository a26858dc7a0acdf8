//! Measurements of a few kernels put into the record of all: what they replace, and how the reader can tell them apart. Files are `record`'s.

use super::{RecordOf, Timed};
use cornerturn_base::clocks::Clocks;
use cornerturn_base::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// As many kernels as one line names.
const MOST_NAMED: usize = 4;

/// A later run that measured a part of a record anew, with a copy of its own to compare with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaterRun {
    /// The day, as `2026-11-21`, in UTC.
    pub date: String,
    /// The project's commit.
    pub commit: String,
    /// What measured: the program and its version.
    pub tool: String,
    /// The GPU's clocks at its end.
    pub clocks: Clocks,
}

impl<M: Timed> RecordOf<M> {
    /// This record with the measurements of a later run of the same experiment: they replace those of the same kernel with
    /// the same task in the same mode, and every other stays. The copies of the later run stand beside those of the
    /// earlier, so that each kernel is compared with the copy that was measured with it.
    ///
    /// # Errors
    /// [`Error::Usage`] where the two were not made by the same GPU with the same driver.
    pub fn with_later(mut self, later: Self) -> Result<Self> {
        let made_by = |record: &Self| {
            let facts = &record.device.facts;
            format!(
                "{}, driver {}, CUDA {}",
                facts.name, facts.driver, facts.cuda_version
            )
        };
        let (ours, theirs) = (made_by(&self), made_by(&later));
        if ours != theirs || self.experiment != later.experiment {
            return Err(Error::Usage(format!(
                "the record of `{}` was made with {ours}, and this run of `{}` with {theirs}: record all of it again, \
                 or name another folder with --out",
                self.experiment, later.experiment
            )));
        }
        self.runs.push(LaterRun {
            date: later.date,
            commit: later.commit,
            tool: later.tool,
            clocks: later.device.clocks,
        });
        let run = self.runs.len();
        for mut measurement in later.measurements {
            if !measurement.is_reference() {
                self.measurements
                    .retain(|old| old.is_reference() || !old.is_of_the_same(&measurement));
            }
            measurement.set_run(run);
            self.measurements.push(measurement);
        }
        self.drop_empty_runs();
        Ok(self)
    }

    /// Leaves out runs of which no kernel's measurement is left, and numbers the others anew.
    fn drop_empty_runs(&mut self) {
        let mut number = 0;
        for run in 1..=self.runs.len() {
            let ours = |m: &&mut M| m.run() == run;
            let is_needed = self
                .measurements
                .iter()
                .any(|m| m.run() == run && !m.is_reference());
            if !is_needed {
                self.measurements.retain(|m| m.run() != run);
                continue;
            }
            number += 1;
            self.runs.swap(number - 1, run - 1);
            self.measurements
                .iter_mut()
                .filter(ours)
                .for_each(|m| m.set_run(number));
        }
        self.runs.truncate(number);
    }

    /// Which kernels were measured later than the rest (how many, where a line has no room for their names), when, and at which commit; empty where none was.
    pub(super) fn later_runs(&self) -> String {
        let mut text = String::new();
        for (index, run) in self.runs.iter().enumerate() {
            let mut kernels: Vec<&str> = Vec::new();
            let its = self.measurements.iter().filter(|m| m.run() == index + 1);
            for m in its.filter(|m| !m.is_reference()) {
                if !kernels.contains(&m.kernel()) {
                    kernels.push(m.kernel());
                }
            }
            let kernels = match kernels.as_slice() {
                few if few.len() <= MOST_NAMED => few.join(", "),
                many => format!("{} kernels", many.len()),
            };
            text.push_str(&format!(
                "; {} again {}, commit {:.10}",
                kernels, run.date, run.commit
            ));
        }
        text
    }
}
