//! How a value is written in prose.

use super::problem::ValueError;

/// The numbers that prose writes in words.
const WORDS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// With so many decimals; of a hundred times the value, where it is a share.
    Decimals { decimals: usize, percent: bool },
    /// Small integers in words.
    Words,
}

impl Format {
    /// The format of what is written behind the bar.
    pub(crate) fn parse(text: &str) -> Result<Format, ValueError> {
        let unknown = || ValueError::Format(text.to_owned());
        if text == "words" {
            return Ok(Format::Words);
        }
        let (percent, rest) = text
            .strip_prefix('%')
            .map_or((false, text), |rest| (true, rest));
        let decimals = match rest.strip_prefix('.') {
            None if rest.is_empty() => 0,
            Some(digit) if digit.len() == 1 => digit.parse().map_err(|_| unknown())?,
            _ => return Err(unknown()),
        };
        Ok(Format::Decimals { decimals, percent })
    }

    /// The value as text, rounded half away from zero.
    pub(crate) fn write(self, value: f64) -> Result<String, ValueError> {
        match self {
            Format::Decimals { decimals, percent } => Ok(decimal(
                if percent { value * 100.0 } else { value },
                decimals,
            )),
            Format::Words => {
                let rounded = value.round();
                if rounded < 0.0 {
                    return Err(ValueError::NoWords(value));
                }
                let word = WORDS.get(rounded as usize);
                Ok(word.map_or_else(|| decimal(value, 0), |word| (*word).to_owned()))
            }
        }
    }
}

fn decimal(value: f64, decimals: usize) -> String {
    let unit = 10f64.powi(decimals as i32);
    // Adding zero makes a negative zero a plain one.
    let rounded = (value * unit).round() / unit + 0.0;
    format!("{rounded:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_rounded_half_away_from_zero() {
        for (format, value, expected) in [
            ("", 3872.5, "3873"),
            ("", -3872.5, "-3873"),
            ("", -0.2, "0"),
            (".1", 0.25, "0.3"),
            (".2", 2.0, "2.00"),
            ("%", 0.9351, "94"),
            ("%.1", 0.93456, "93.5"),
            ("words", 3.2, "three"),
            ("words", 12.0, "twelve"),
            ("words", 13.0, "13"),
            ("words", 0.0, "zero"),
        ] {
            let written = Format::parse(format).and_then(|format| format.write(value));
            assert_eq!(written, Ok(expected.to_owned()), "{format} of {value}");
        }
    }

    #[test]
    fn other_formats_are_refused() {
        for text in [".", ".10", "1", "%%", "%1", "word", ".x", "% .1"] {
            assert_eq!(
                Format::parse(text),
                Err(ValueError::Format(text.to_owned()))
            );
        }
        assert!(Format::Words.write(-3.0).is_err());
    }
}
