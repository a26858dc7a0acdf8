//! The time that a launch would take on a GPU, as verbs show it: the option, the line, the JSON. The model itself is `cornerturn_model`'s.

use crate::exit;
use anyhow::Context;
use cornerturn_model::{Machine, NotPredicted, Observation, Prediction};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Of the limits, so many are named in a line, if they take at least this share.
const NAMED: usize = 3;
const LEAST_SHARE: f64 = 0.05;

/// The option of verbs that predict.
#[derive(Debug, Clone, clap::Args)]
pub struct Chosen {
    /// Predict the time on this GPU: h200, a100, h100, rtx5060, a file with a machine description, or off
    #[arg(long = "predict", value_name = "GPU", default_value = "h200")]
    gpu: String,
}

/// What was asked for and what came of it.
pub struct Predicted {
    gpu: String,
    found: Result<Prediction, NotPredicted>,
}

impl Chosen {
    /// The machine; none where nothing is to be predicted.
    pub fn machine(&self) -> anyhow::Result<Option<Machine>> {
        if self.gpu == "off" {
            return Ok(None);
        }
        let path = Path::new(&self.gpu);
        if path.is_file() {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("reading the machine description {}", path.display()))?;
            let machine = Machine::read(&text);
            let machine =
                machine.map_err(|error| exit::usage(format!("{}: {error}", path.display())))?;
            return Ok(Some(machine));
        }
        let machine = Machine::named(&self.gpu).map_err(|error| exit::usage(error.to_string()))?;
        Ok(Some(machine))
    }
}

impl Predicted {
    /// Of what was observed.
    pub fn new(machine: &Machine, observed: &Observation) -> Self {
        Self {
            gpu: machine.name.clone(),
            found: cornerturn_model::predict(machine, observed),
        }
    }

    /// One line; `bytes` is what the launch must move, where that is known.
    pub fn line(&self, bytes: Option<u64>) -> String {
        let found = match &self.found {
            Ok(found) => found,
            Err(reason) => return format!("on an {}: {reason}\n", self.gpu),
        };
        let rate = bytes.map_or(String::new(), |bytes| {
            format!(", {:.0} GB/s", bytes as f64 / found.us / 1e3)
        });
        let named = found.limits.0.iter().take(NAMED);
        let limits: Vec<String> = named
            .filter(|(_, share)| *share >= LEAST_SHARE)
            .map(|(name, share)| format!("{} {:.0} %", shown(name), share * 100.0))
            .collect();
        let mut line = format!(
            "predicted on an {}, cold cache: {} µs{rate} (90 %: {}–{}), limited by {}\n",
            found.gpu,
            digits(found.us),
            digits(found.low_us),
            digits(found.high_us),
            limits.join(", ")
        );
        if let Some(reason) = &found.uncertain {
            line.push_str(&format!("uncertain: {reason}\n"));
        }
        line
    }

    /// The members `predicted` and, where there is none, `not_predicted`.
    pub fn add_to(&self, object: &mut Value) {
        match &self.found {
            Ok(found) => {
                let limits = found.limits.0.iter();
                let limits: Map<String, Value> = limits
                    .map(|(name, share)| (name.clone(), json!(rounded(*share))))
                    .collect();
                object["predicted"] = json!({
                    "gpu": found.gpu,
                    "us": rounded(found.us),
                    "low_us": rounded(found.low_us),
                    "high_us": rounded(found.high_us),
                    "limits": limits,
                    "uncertain": found.uncertain,
                });
            }
            Err(reason) => {
                object["predicted"] = Value::Null;
                object["not_predicted"] = reason.because.clone().into();
            }
        }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// Three digits that count.
fn digits(us: f64) -> String {
    match us {
        _ if us < 10.0 => format!("{us:.2}"),
        _ if us < 100.0 => format!("{us:.1}"),
        _ => format!("{us:.0}"),
    }
}

/// A limit's name for people.
fn shown(name: &str) -> &str {
    match name {
        "dram" => "DRAM",
        "l1" => "L1",
        "l2" => "L2",
        "shared" => "shared memory",
        "dispatch" => "starting blocks",
        "launch" => "the launch itself",
        other => other,
    }
}
