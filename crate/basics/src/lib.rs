//! What the library and the preprocessor both need, each thing once: escaped text, digests, files written whole, and the marker lines of an exercise's file. It knows no kernels, no pages and no devices.

// A test may fail where it stands.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod digest;
mod files;
mod html;
pub mod markers;

pub use digest::{hex, sha256};
pub use files::write_whole;
pub use html::escape_html;
