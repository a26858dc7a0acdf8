//! Files as text and written whole, with errors that name them. How they are read and written safely lives in the package of basics.

use crate::error::{Error, Result};
use std::path::Path;

/// The text of a file, with an error that names it.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let bytes = cornerturn_basics::read_limited(path).map_err(|error| Error::file(path, error))?;
    String::from_utf8(bytes).map_err(|error| {
        Error::file(
            path,
            format!(
                "is not UTF-8 text (byte {})",
                error.utf8_error().valid_up_to()
            ),
        )
    })
}

/// Replaces a file by a whole new one: it is either the old one or the new one, never half of one.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    cornerturn_basics::write_whole(path, bytes).map_err(|error| Error::Unwritable {
        file: path.to_path_buf(),
        reason: error.to_string(),
    })
}
