//! What the environment asks of the stand-in. Other variables, and other values of these, are none of its business or refused.

use std::path::PathBuf;

use crate::status::{Error, Result, Status};

/// The most devices.
const MOST_DEVICES: u32 = 16;

/// The settings of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `CORNERTURN_REPORT`: where the report goes at exit, as JSON.
    pub report: Option<PathBuf>,
    /// `CORNERTURN_CHECK`: launches are checked for races, uninitialised reads and barriers that threads miss.
    pub check: bool,
    /// `CORNERTURN_DEVICES`: how many devices there are.
    pub devices: u32,
    /// `CORNERTURN_BUDGET`: instructions that a warp may execute before it counts as an endless loop.
    pub budget: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            report: None,
            check: false,
            devices: 1,
            budget: None,
        }
    }
}

impl Settings {
    /// Those of this process's environment.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`] with a sentence that names the variable, its value and what it may be.
    pub fn from_environment() -> Result<Self> {
        Self::from_variables(|name| std::env::var_os(name))
    }

    fn from_variables(get: impl Fn(&str) -> Option<std::ffi::OsString>) -> Result<Self> {
        let text = |name: &str| -> Result<Option<String>> {
            let Some(value) = get(name) else {
                return Ok(None);
            };
            let value = value.into_string().map_err(|value| {
                let value = value.to_string_lossy().into_owned();
                refused(name, &value, "text in UTF-8")
            })?;
            Ok(Some(value).filter(|value| !value.is_empty()))
        };
        let check = match text("CORNERTURN_CHECK")?.as_deref() {
            None | Some("0") => false,
            Some("1") => true,
            Some(other) => return Err(refused("CORNERTURN_CHECK", other, "1, 0 or unset")),
        };
        let number = |name: &str, most: u64, what: &str| -> Result<Option<u64>> {
            let Some(value) = text(name)? else {
                return Ok(None);
            };
            match value.parse() {
                Ok(number) if (1..=most).contains(&number) => Ok(Some(number)),
                _ => Err(refused(name, &value, what)),
            }
        };
        let devices = number(
            "CORNERTURN_DEVICES",
            u64::from(MOST_DEVICES),
            "a number from 1 to 16 or unset",
        )?;
        Ok(Self {
            report: get("CORNERTURN_REPORT")
                .filter(|path| !path.is_empty())
                .map(PathBuf::from),
            check,
            devices: devices.map_or(1, |devices| devices as u32),
            budget: number(
                "CORNERTURN_BUDGET",
                u64::MAX,
                "a number of instructions from 1 on or unset",
            )?,
        })
    }
}

fn refused(name: &str, value: &str, what: &str) -> Error {
    let message = format!("{name}={value}: it is {what}");
    Error::new(Status::INVALID_VALUE, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Settings> {
        Settings::from_variables(|name| {
            let found = variables.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| value.into())
        })
    }

    #[test]
    fn variables_are_read_or_refused() {
        assert_eq!(of(&[]), Ok(Settings::default()));
        let settings = of(&[
            ("CORNERTURN_CHECK", "1"),
            ("CORNERTURN_DEVICES", "2"),
            ("CORNERTURN_REPORT", "a.json"),
            ("CORNERTURN_BUDGET", "1000"),
        ])
        .unwrap();
        assert_eq!((settings.check, settings.devices), (true, 2));
        assert_eq!(settings.report, Some(PathBuf::from("a.json")));
        assert_eq!(settings.budget, Some(1000));
        for (name, value) in [
            ("CORNERTURN_CHECK", "yes"),
            ("CORNERTURN_DEVICES", "0"),
            ("CORNERTURN_DEVICES", "17"),
            ("CORNERTURN_DEVICES", "two"),
            ("CORNERTURN_BUDGET", "-1"),
        ] {
            let error = of(&[(name, value)]).unwrap_err();
            assert!(error.message.starts_with(&format!("{name}={value}: ")));
        }
    }
}
