//! Text in HTML.

/// The text with the characters that HTML gives a meaning written as entities, and control characters, which it does not
/// allow, as U+FFFD.
pub fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() && !matches!(c, '\n' | '\t' | '\r') => escaped.push('\u{FFFD}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escape_html;

    #[test]
    fn nothing_that_html_reads_is_left() {
        let text = "<b title='x'>\"a\" & b</b>\u{1b}[0m\n";
        let expected = "&lt;b title=&#39;x&#39;&gt;&quot;a&quot; &amp; b&lt;/b&gt;\u{FFFD}[0m\n";
        assert_eq!(escape_html(text), expected);
    }
}
