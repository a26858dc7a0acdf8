//! A folder of pages as a web site on this machine's loopback address, with news for the pages that are open. It knows no book, and opens no browser.

mod news;
mod server;

pub use news::{Message, News};
pub use server::PageServer;

use std::io;

/// A result with this package's error.
pub type Result<T> = std::result::Result<T, Error>;

/// Why pages are not served.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No port that may be taken is free.
    #[error("127.0.0.1, {ports}: {source}; give another with --port")]
    NoPort {
        /// Which were tried, in words.
        ports: String,
        /// What the system said of the last.
        source: io::Error,
    },
    /// The server does not start on a port that is free.
    #[error("127.0.0.1: the pages cannot be served: {0}")]
    Start(io::Error),
}
