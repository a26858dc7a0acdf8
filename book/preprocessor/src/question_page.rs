//! How the choices of a question look on a page: each opens by itself, without scripts, and says whether it is right and
//! why. A number is typed into a form, which `book/theme/questions.js` shows where scripts run.

use crate::chapter::{Choice, QuestionItem};
use crate::markdown::{inline_html, push_fence};
use crate::question::ELSE;
use cornerturn_basics::escape_html as escape;
use std::fmt::Write as _;

/// The choices as Markdown for mdBook; `printed` is what decides, as its cell printed it.
pub(crate) fn choices(question: &QuestionItem, printed: &str) -> String {
    let right = question.decided(printed).map(|choice| choice.key.as_str());
    let id = &question.id;
    let kind = if question.computes {
        " data-computes"
    } else {
        ""
    };
    // An HTML block ends at a blank line, so the Markdown between the tags stays Markdown.
    let mut page = format!(
        "\n<div class=\"ct-question\" id=\"question-{id}\" role=\"group\" aria-label=\"Answers\"{kind}>\n\n"
    );
    match question.computes {
        true => push_numbers(&mut page, question, right),
        false => push_choices(&mut page, question, right),
    }
    page.push_str("</div>\n\n");
    page
}

/// One of them is open at a time: browsers see to that by the name.
fn push_choices(page: &mut String, question: &QuestionItem, right: Option<&str>) {
    for choice in &question.choices {
        let is_right = right == Some(choice.key.as_str());
        let _ = write!(
            page,
            "<details class=\"ct-choice{}\" name=\"question-{}\">\n<summary>{}</summary>\n\n{}\n\n</details>\n\n",
            class(is_right),
            question.id,
            inline_html(label(choice)),
            judged(choice, is_right)
        );
    }
}

/// The form, and below it the right number with the usual slips: all that there is where no scripts run.
fn push_numbers(page: &mut String, question: &QuestionItem, right: Option<&str>) {
    let id = &question.id;
    let _ = write!(
        page,
        "<form class=\"ct-compute\" hidden>\n<label for=\"number-{id}\">Your number</label>\n\
         <input id=\"number-{id}\" type=\"text\" inputmode=\"decimal\" autocomplete=\"off\">\n\
         <button type=\"submit\">Check</button>\n<div class=\"ct-said\" role=\"status\"></div>\n</form>\n\n\
         <details class=\"ct-answers\">\n<summary>The number, and how one misses it</summary>\n\n"
    );
    for choice in &question.choices {
        let is_right = right == Some(choice.key.as_str());
        let number = match choice.key == ELSE {
            true => "Any other number".to_owned(),
            false => inline_html(label(choice)),
        };
        let _ = write!(
            page,
            "<div class=\"ct-answer{}\" data-key=\"{}\">\n<p class=\"ct-number\">{number}</p>\n\n{}\n\n</div>\n\n",
            class(is_right),
            escape(&choice.key),
            judged(choice, is_right)
        );
    }
    page.push_str("</details>\n\n");
}

/// What decides, folded: the code and what it gave.
pub(crate) fn decides(question: &QuestionItem, printed: &str) -> String {
    let lines = match question.code.lines().count() {
        1 => "1 line".to_owned(),
        count => format!("{count} lines"),
    };
    let decided = escape(printed.trim());
    let mut page = format!(
        "<details class=\"ct-fold\">\n<summary>What decides <span>({lines})</span></summary>\n\n"
    );
    push_fence(&mut page, "rust,noplayground,ct-source", &question.code);
    let _ = write!(
        page,
        "<p class=\"ct-note\">It gives <code>{decided}</code>.</p>\n\n</details>\n\n"
    );
    page
}

fn class(is_right: bool) -> &'static str {
    if is_right { " ct-right" } else { " ct-wrong" }
}

/// What a reader sees of a choice before choosing it.
fn label(choice: &Choice) -> &str {
    match choice.label.text.trim() {
        "" => &choice.key,
        label => label,
    }
}

fn judged(choice: &Choice, is_right: bool) -> String {
    let word = if is_right { "Yes." } else { "No." };
    format!("**{word}** {}", choice.why.text.trim())
}
