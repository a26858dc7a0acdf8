//! What differs from check to check: the seed that matrices are drawn from, and whose questions are asked. What is drawn is `shapes`', `input`'s and `data`'s.

use super::seed::Seed;

/// Whose answer is graded, and on what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// What the matrices and their elements are drawn from.
    pub seed: Seed,
    /// Whose questions are asked, in an exercise that asks for numbers: any text that is the participant's own.
    pub participant: String,
}

impl Default for Terms {
    /// A new seed, and the user of this process.
    fn default() -> Self {
        Self {
            seed: Seed::draw(),
            participant: user(),
        }
    }
}

/// The name under which somebody is signed in on this machine; empty where nothing tells.
fn user() -> String {
    let names = ["USER", "LOGNAME", "USERNAME"].into_iter();
    names
        .filter_map(|name| std::env::var(name).ok())
        .find(|name| !name.is_empty())
        .unwrap_or_default()
}
