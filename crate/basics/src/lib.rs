//! What the library and the preprocessor both need, each thing once: text escaped for pages and terminals, digests, names that differ between systems, files written whole and read in bounds, the marker lines of an exercise's file, what is said of a cell that fails, and when two answers are the same. It knows no kernels, no pages and no devices.

// A test may fail where it stands.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answers;
pub mod cell_error;
mod digest;
mod files;
mod html;
pub mod markers;
pub mod notebook;
pub mod system;
mod terminal;

pub use answers::same_answer;
pub use digest::{hex, sha256};
pub use files::{MOST_FILE_BYTES, read_limited, write_whole};
pub use html::escape_html;
pub use terminal::{shortened, shortened_message, visible};
