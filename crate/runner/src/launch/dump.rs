//! Which buffers of `cornerturn launch` are written to which files after the run.

use crate::exit;
use cornerturn::raw::{Position, Spec, TexelPlace, find};
use std::path::{Path, PathBuf};

/// The position and the file of `N:FILE`.
pub fn parse_dump(text: &str) -> Result<(Position, std::path::PathBuf), String> {
    let (index, file) = text
        .split_once(':')
        .ok_or("there is no `:`; write N:FILE, N counting the arguments from 0")?;
    let numbers: Result<Vec<usize>, _> = index.split('.').map(str::parse).collect();
    let numbers = numbers.map_err(|_| {
        format!("`{index}` is no argument's position; they count from 0, and N.M is field M of the structure N")
    })?;
    if file.is_empty() {
        return Err("the file's name is missing; write N:FILE".to_string());
    }
    Ok((Position(numbers), file.into()))
}

/// Whether each dump names a buffer and a place that a file can be written to.
pub fn check_dumps(arguments: &[Spec], dumps: &[(Position, PathBuf)]) -> anyhow::Result<()> {
    for (position, file) in dumps {
        match find(arguments, &position.0) {
            Some(Spec::Buffer { .. }) => {}
            // These lie in buffers.
            Some(Spec::Texture(texture)) if texture.place != TexelPlace::Array => {}
            Some(other) => {
                return Err(exit::usage(format!(
                    "--dump: argument {position} is {}; only buffers can be dumped",
                    other.describe()
                )));
            }
            None => {
                return Err(exit::usage(format!(
                    "--dump: there is no argument {position}; there are {}, counted from 0",
                    arguments.len()
                )));
            }
        }
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() || file.is_dir() {
            return Err(exit::usage(format!(
                "--dump: {} cannot be written: its folder must exist, and it must not be one itself",
                file.display()
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_names_argument_and_file() {
        let position = |numbers: &[usize]| Position(numbers.to_vec());
        assert_eq!(
            parse_dump("1:out.bin"),
            Ok((position(&[1]), "out.bin".into()))
        );
        assert_eq!(parse_dump("0:a:b"), Ok((position(&[0]), "a:b".into())));
        assert_eq!(parse_dump("2.0:c"), Ok((position(&[2, 0]), "c".into())));
        for wrong in ["", "1", "x:f", "-1:f", "1:", "1.:f", ".1:f"] {
            assert!(parse_dump(wrong).is_err(), "{wrong}");
        }
    }
}
