//! Text as HTML: shown in lines, grouped and shortened.

pub use cornerturn_basics::escape_html as escape;
use cornerturn_basics::shortened_message;
use cornerturn_emulator::advice::Advice;
use cornerturn_emulator::{Finding, Printed};

/// The most lines shown of what a kernel printed.
pub const MOST_PRINTED_LINES: usize = 40;

/// Prints one block in the form that evcxr takes for HTML. Blank lines would end an HTML block in Markdown.
pub fn show(html: &str) {
    println!("{}", block(html));
}

fn block(html: &str) -> String {
    let lines: Vec<&str> = html
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    format!(
        "EVCXR_BEGIN_CONTENT text/html\n{}\nEVCXR_END_CONTENT",
        lines.join("\n")
    )
}

/// Names in a row: `a, b and c`; empty where there is none.
pub fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_string(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A paragraph of escaped text.
pub fn paragraph(class: &str, text: &str) -> String {
    format!("<p class=\"{class}\">{}</p>", escape(text))
}

/// Escaped text in which what stands between backticks is code.
pub fn marked(text: &str) -> String {
    let mut parts: Vec<&str> = text.split('`').collect();
    // A backtick without its partner is one.
    let lone = parts.len().is_multiple_of(2).then(|| parts.pop()).flatten();
    let mut html = String::with_capacity(text.len());
    for (number, part) in parts.into_iter().enumerate() {
        match number % 2 {
            0 => html.push_str(&escape(part)),
            _ => html.push_str(&format!("<code>{}</code>", escape(part))),
        }
    }
    if let Some(rest) = lone {
        html.push('`');
        html.push_str(&escape(rest));
    }
    html
}

/// A paragraph for each line of text, with code between backticks.
pub fn paragraphs(class: &str, text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<String> = lines
        .map(|line| format!("<p class=\"{class}\">{}</p>", marked(line.trim())))
        .collect();
    lines.join("\n")
}

/// A paragraph on what was timed. The attributes `data-…` say it to programs.
pub fn measured(facts: &[(&str, String)], text: &str) -> String {
    let mut attributes = String::new();
    for (name, value) in facts {
        attributes.push_str(&format!(" data-{name}=\"{}\"", escape(value)));
    }
    format!("<p class=\"ct-bandwidth\"{attributes}>{}</p>", escape(text))
}

/// Escaped text whose lines stay lines; blank ones hold a space, as they would end the block.
pub fn lines(class: &str, text: &str) -> String {
    let text = escape(text.trim_end()).replace("\n\n", "\n&nbsp;\n");
    // A notebook would break the lines anywhere, in the midst of words too.
    let style = "word-break:normal;overflow-wrap:break-word";
    format!("<pre class=\"{class}\" style=\"{style}\">{text}</pre>")
}

/// What a kernel printed, on a line of its own, each line behind its block and thread; empty where it printed nothing.
pub fn printed(printed: &Printed) -> String {
    if printed.is_empty() {
        return String::new();
    }
    let text = printed.shown(MOST_PRINTED_LINES);
    format!("\n{}", lines("ct-output", &text))
}

/// What of a launch takes more than it has to, each on a line of its own, the worst first; empty where nothing does.
pub fn advice(advice: &[Advice]) -> String {
    let lines = advice.iter().map(|advice| {
        let (_, chapter) = advice.kind.chapter();
        let text = marked(&format!("{} (chapter {chapter}).", advice.message));
        format!("\n<p class=\"ct-advice\">{text}</p>")
    });
    lines.collect()
}

/// Remarks on a launch, each on a line of its own; empty where there are none.
pub fn remarks(remarks: &[Finding]) -> String {
    let lines = remarks.iter().map(|remark| {
        let text = marked(&shortened_message(&remark.message()));
        format!("\n<p class=\"ct-remark\">{text}</p>")
    });
    lines.collect()
}

/// `1234567` → `1 234 567`, with narrow spaces that do not break.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202F}');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// One line of text that any XML parser takes: control characters and runs of white space become one space, and
/// characters that reorder their neighbours go.
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FFFE}' | '\u{FFFF}' => {}
            c if c.is_whitespace() || c.is_control() => {
                if !out.ends_with(' ') && !out.is_empty() {
                    // A thin or no-break space is meant; the rest is white space.
                    out.push(if matches!(c, '\u{A0}' | '\u{2009}' | '\u{202F}') {
                        c
                    } else {
                        ' '
                    });
                }
            }
            c => out.push(c),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// A number with no more digits than it needs, at most `decimals` of them after the point.
pub fn number(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let text = format!("{value:.decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_is_shown_and_not_obeyed() {
        let html = paragraph("ct-device", "<script>alert('&\"')</script>");
        let text = "&lt;script&gt;alert(&#39;&amp;&quot;&#39;)&lt;/script&gt;";
        assert_eq!(html, format!("<p class=\"ct-device\">{text}</p>"));
    }

    #[test]
    fn code_stands_between_pairs_of_backticks() {
        assert_eq!(marked("`a<b` is < c"), "<code>a&lt;b</code> is &lt; c");
        assert_eq!(marked("one ` alone"), "one ` alone");
        assert_eq!(marked("`x` and `y"), "<code>x</code> and `y");
        assert_eq!(
            paragraphs("ct-reason", "a `b`\n\nc"),
            "<p class=\"ct-reason\">a <code>b</code></p>\n<p class=\"ct-reason\">c</p>"
        );
    }

    #[test]
    fn a_block_holds_no_blank_line() {
        let text = block("<p>a\n\n  \nb</p>");
        assert_eq!(
            text,
            "EVCXR_BEGIN_CONTENT text/html\n<p>a\nb</p>\nEVCXR_END_CONTENT"
        );
    }

    #[test]
    fn one_of_a_thing_is_not_said_in_the_plural() {
        let others = |count| counted(count, "other finding is", "other findings are");
        assert_eq!(others(1), "1 other finding is");
        assert_eq!(others(2), "2 other findings are");
        assert_eq!(others(0), "0 other findings are");
    }

    #[test]
    fn numbers_are_grouped_by_three() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1\u{202F}000");
        assert_eq!(grouped(16_777_216), "16\u{202F}777\u{202F}216");
    }
}
