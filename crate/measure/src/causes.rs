//! What `book/results/causes.py` measured of the causes that chapters name: `book/results/<gpu>/causes.json`. Making it is that program's.

use crate::record::{SCHEMA, path_in};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::files::read_text;
use cornerturn_base::paths;
use cornerturn_registry::registry::sha256;
use serde::Deserialize;

/// The source of what is measured, below the folder of records.
const SOURCE: &str = "causes.cu";

/// Small measurements of one GPU, each made to decide why something is as it is.
///
/// ```
/// use cornerturn_measure::Causes;
///
/// let causes = Causes::load("h200")?;
/// // Clocks from one shuffle to the next that needs its result.
/// assert!(causes.median("shuffle_xor")? > 10.0);
/// # Ok::<(), cornerturn_base::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Causes {
    schema: u32,
    device: String,
    driver: String,
    date: String,
    commit: String,
    source_sha256: String,
    measurements: Vec<Measurement>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Measurement {
    name: String,
    samples: Vec<f64>,
}

impl Causes {
    /// The experiment's name, which is the file's.
    pub const EXPERIMENT: &'static str = "causes";

    /// The measurements of a GPU, by the GPU's folder, such as `h200`.
    ///
    /// # Errors
    /// [`Error::File`] where they are missing or cannot be read; [`Error::Usage`] for a name that is no file's name.
    pub fn load(gpu: &str) -> Result<Self> {
        let path = path_in(&paths::results()?, gpu, Self::EXPERIMENT)?;
        let text = read_text(&path)?;
        let causes: Self =
            serde_json::from_str(&text).map_err(|error| Error::file(&path, error))?;
        match causes.schema == SCHEMA {
            true => Ok(causes),
            false => {
                let schema = causes.schema;
                let reason = format!("is of schema {schema}, and this program reads {SCHEMA}");
                Err(Error::file(&path, reason))
            }
        }
    }

    /// The median of a measurement, in the unit that the record gives for it.
    ///
    /// # Errors
    /// [`Error::Usage`] where there is none of this name, with those that there are.
    pub fn median(&self, name: &str) -> Result<f64> {
        let found = self.measurements.iter().find(|m| m.name == name);
        let found = found.ok_or_else(|| {
            let known: Vec<&str> = self.measurements.iter().map(|m| m.name.as_str()).collect();
            Error::Usage(format!(
                "no cause `{name}` was measured; there are {}",
                known.join(", ")
            ))
        })?;
        let mut ordered = found.samples.clone();
        ordered.sort_by(f64::total_cmp);
        let middle = [ordered.len().saturating_sub(1) / 2, ordered.len() / 2];
        match middle.map(|at| ordered.get(at)) {
            [Some(below), Some(above)] => Ok((below + above) / 2.0),
            _ => Err(Error::Usage(format!("`{name}` has no sample"))),
        }
    }

    /// Where the numbers come from, in one line.
    pub fn provenance(&self) -> String {
        format!(
            "{}, driver {}, {}, commit {}",
            self.device, self.driver, self.date, self.commit
        )
    }

    /// Why the record is stale, if it is: the source of what was measured is another now.
    ///
    /// # Errors
    /// [`Error::File`] where that source cannot be read.
    pub fn stale(&self) -> Result<Option<String>> {
        let source = read_text(&paths::results()?.join(SOURCE))?;
        let is_same = sha256(source.as_bytes()) == self.source_sha256;
        Ok((!is_same).then(|| format!("{SOURCE} is another than what was measured")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_of_the_ordered_samples_and_an_unknown_name_is_told() {
        let text = r#"{"schema": 1, "device": "", "driver": "", "date": "", "commit": "", "source_sha256": "", "measurements": [
            {"name": "odd", "samples": [9, 1, 4]},
            {"name": "even", "samples": [8, 1, 2, 4]},
            {"name": "none", "samples": []}]}"#;
        let causes: Causes = serde_json::from_str(text).unwrap();
        assert_eq!(causes.median("odd").unwrap(), 4.0);
        assert_eq!(causes.median("even").unwrap(), 3.0);
        let none = causes.median("none").unwrap_err().to_string();
        assert_eq!(none, "`none` has no sample");
        let unknown = causes.median("even more").unwrap_err().to_string();
        assert_eq!(
            unknown,
            "no cause `even more` was measured; there are odd, even, none"
        );
    }
}
