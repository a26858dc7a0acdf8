//! Text from elsewhere, made harmless for a terminal.

/// The most characters of a name that a message repeats.
const MOST_NAME_CHARACTERS: usize = 400;

/// The most characters of a message.
const MOST_MESSAGE_CHARACTERS: usize = 1 << 15;

/// The text with its control characters written as `\u{1b}`, but for line ends and tabs: what a file or a kernel holds
/// moves no cursor, sets no colour, and turns no text around.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            c if c.is_control() || turns_text(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// Whether the character reorders what stands beside it (Unicode Standard Annex 9), or separates lines.
fn turns_text(c: char) -> bool {
    matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// A name as a message repeats it: the beginning of a long one, and how long it is.
pub fn shortened(name: &str) -> String {
    cut(name, MOST_NAME_CHARACTERS)
}

/// A message that repeats names of any length, each of them and the whole shortened.
pub fn shortened_message(message: &str) -> String {
    let words = message.split_inclusive(char::is_whitespace);
    let message: String = words
        .map(|word| {
            let end = word.trim_end();
            format!("{}{}", shortened(end), &word[end.len()..])
        })
        .collect();
    cut(&message, MOST_MESSAGE_CHARACTERS)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_string(),
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], text.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let text = "a\u{1b}[2J\r\u{7}\u{9b}31m\u{202e}b\tc\nd é";
        let expected = "a\\u{1b}[2J\\u{d}\\u{7}\\u{9b}31m\\u{202e}b\tc\nd é";
        assert_eq!(visible(text), expected);
    }

    #[test]
    fn a_long_name_is_begun_and_measured() {
        assert_eq!(shortened("naive"), "naive");
        let long = "é".repeat(1000);
        let expected = format!("{}… (2000 bytes)", "é".repeat(400));
        assert_eq!(shortened(&long), expected);
        let message = format!("no entry `{}`; there is\n  one", "x".repeat(1 << 20));
        let short = shortened_message(&message);
        assert!(
            short.len() < 500 && short.ends_with(" there is\n  one"),
            "{short}"
        );
    }
}
