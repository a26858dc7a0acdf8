//! Text as a literal of Rust.

/// A Rust literal of any text, with as many `#` as it needs.
pub(crate) fn raw_string(text: &str) -> String {
    let mut hashes = String::from("#");
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}
