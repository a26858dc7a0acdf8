//! Tests of the binary from outside. They need neither a GPU, nor Python, nor a network.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used)]

#[cfg(feature = "book")]
mod book;
mod checks;
mod compilers;
mod exercises;
mod files;
mod hostile;
mod launch;
mod open;
mod program;
mod resources;
mod steps;
mod strangers;
mod support;
mod tune;
mod verbs;
mod why;
