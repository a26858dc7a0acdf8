//! What was compared and how it differed.

use std::collections::BTreeMap;
use std::fmt;

use cornerturn::{DeviceFacts, record};
use serde::{Deserialize, Serialize};

/// Examples kept of each difference.
const EXAMPLES: usize = 6;

/// The record.
#[derive(Debug, Serialize)]
pub(crate) struct Oracle {
    schema: u32,
    experiment: &'static str,
    device: DeviceFacts,
    date: String,
    commit: String,
    tool: String,
    /// The first seed; the kernels have this and the following.
    seed: u64,
    #[serde(flatten)]
    tally: Tally,
}

impl Oracle {
    pub(crate) fn new(device: &DeviceFacts, commit: &str, seed: u64, tally: Tally) -> Self {
        Self {
            schema: record::SCHEMA,
            experiment: "oracle",
            device: device.clone(),
            date: record::today(),
            commit: commit.to_string(),
            tool: concat!("oracle ", env!("CARGO_PKG_VERSION")).to_string(),
            seed,
            tally,
        }
    }
}

/// Sums over kernels.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) kernels: u64,
    pub(crate) lane_instructions: u64,
    /// Results compared, one for each lane and slot.
    pub(crate) results: u64,
    /// By form, the lanes of the launches whose kernels have it, as often as it is in the text.
    pub(crate) instructions: BTreeMap<String, u64>,
    /// By form, the digest of the GPU's results on the input of the first seed.
    pub(crate) digests: BTreeMap<String, String>,
    /// By form, how often it was the first of a lane to differ.
    pub(crate) mismatches: BTreeMap<String, Mismatch>,
    /// What the driver would not compile.
    pub(crate) refused: BTreeMap<String, String>,
}

/// Differences of one form.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Mismatch {
    pub(crate) lanes: u64,
    pub(crate) examples: Vec<Example>,
}

/// One lane's.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Example {
    pub(crate) kernel: String,
    pub(crate) slot: usize,
    pub(crate) lane: usize,
    pub(crate) emulator: String,
    pub(crate) gpu: String,
    pub(crate) inputs: String,
}

impl Tally {
    pub(crate) fn differs(&mut self, form: &str, example: Example) {
        let mismatch = self.mismatches.entry(form.to_string()).or_default();
        mismatch.lanes += 1;
        if mismatch.examples.len() < EXAMPLES {
            mismatch.examples.push(example);
        }
    }

    pub(crate) fn add(&mut self, other: Tally) {
        self.kernels += other.kernels;
        self.lane_instructions += other.lane_instructions;
        self.results += other.results;
        for (form, lanes) in other.instructions {
            *self.instructions.entry(form).or_default() += lanes;
        }
        self.digests.extend(other.digests);
        for (form, mismatch) in other.mismatches {
            let sum = self.mismatches.entry(form).or_default();
            sum.lanes += mismatch.lanes;
            sum.examples.extend(mismatch.examples);
            // Those that tell their inputs first.
            sum.examples
                .sort_by_key(|example| example.inputs.is_empty());
            sum.examples.truncate(EXAMPLES);
        }
        self.refused.extend(other.refused);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} kernels, {} forms, {} lane instructions, {} results",
            self.kernels,
            self.instructions.len(),
            self.lane_instructions,
            self.results
        )?;
        for (kernel, reason) in &self.refused {
            let reason: String = reason.chars().take(300).collect();
            writeln!(f, "refused: {kernel}: {reason}")?;
        }
        for (form, mismatch) in &self.mismatches {
            writeln!(f, "differs: {form}, {} lanes", mismatch.lanes)?;
            for example in &mismatch.examples {
                writeln!(
                    f,
                    "    {}, slot {}, lane {}: emulator {}, GPU {} {}",
                    example.kernel,
                    example.slot,
                    example.lane,
                    example.emulator,
                    example.gpu,
                    example.inputs
                )?;
            }
        }
        Ok(())
    }
}
