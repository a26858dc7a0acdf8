//! The words and signs of a line of a pipeline. What they mean is `script`'s.

use std::fmt;

/// The longest word.
const MOST_LETTERS: usize = 32;
/// The signs that there are; of two that begin alike, the longer one first.
const SIGNS: [&str; 13] = [
    ">=", "<=", "==", "<", ">", ".", ",", ":", ";", "(", ")", "[", "]",
];
/// What stands for a minus in texts that somebody has copied, too.
const MINUS: [char; 2] = ['-', '−'];

/// A word, a number included, or a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Word(&'t str),
    Sign(&'t str),
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Word(text) | Self::Sign(text)) = self;
        f.write_str(text)
    }
}

/// The tokens of a line up to its comment.
pub(super) fn tokens(line: &str) -> Result<Vec<Token<'_>>, String> {
    let mut rest = line.split("//").next().unwrap_or_default().trim();
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (token, length) = if first.is_ascii_alphanumeric() || first == '_' {
            let is_in = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = rest.find(|c| !is_in(c)).unwrap_or(rest.len());
            if length > MOST_LETTERS {
                return Err(format!(
                    "a word of {length} letters is too long; {MOST_LETTERS} are the most"
                ));
            }
            (Token::Word(&rest[..length]), length)
        } else if MINUS.contains(&first) {
            (Token::Sign("-"), first.len_utf8())
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (Token::Sign(sign), sign.len())
        } else {
            return Err(format!("`{}` has no meaning here", first.escape_default()));
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}
