//! Values in the prose of the fixture book: what its pages and notebooks show, and how mistakes are told.

use super::Project;
use crate::error::Error;
use crate::notebook::{check_notebooks, write_notebooks};
use crate::prose_check::check_prose;
use crate::values::{Source, SourceError, ValueError};
use std::fs;
use std::sync::Arc;

/// `rate(KERNEL)`: what a record of one number says.
struct Rate(f64);

impl Source for Rate {
    fn signatures(&self) -> Vec<String> {
        vec!["rate(KERNEL)".to_owned()]
    }

    fn call(&self, function: &str, arguments: &[&str]) -> Option<Result<f64, SourceError>> {
        (function == "rate").then(|| match arguments {
            ["doubled"] => Ok(self.0),
            _ => Err(SourceError(
                "there is no such rate; there is `doubled`".to_owned(),
            )),
        })
    }
}

/// The fixture with this text in the place of a paragraph, and a record of 100.
fn project(text: &str) -> Project {
    let mut project = Project::new();
    project.edit(
        "book/src/first.md",
        "A run of it, with [a named link][name].",
        text,
    );
    project.options.values = Arc::new(Rate(100.0));
    project
}

#[test]
fn pages_show_values_wherever_prose_has_words() {
    let project = project(
        "## At {{#value rate(doubled)}}\n\n{{#holds 1 < rate(doubled)}}\n\nHalf is {{#value rate(doubled) / 2 | .1}} \
         of [{{#value 3 | words}}](x.md), `{{#value 4}}`.\n\n| a | b |\n| - | - |\n| {{#value 0.5 | %}} | 7 |\n\n\
         <details>\n<summary>{{#value 6}}</summary>\n\n{{#holds 2 > 1}} In {{#typed 9 % | a guess}}.\n\n</details>\n",
    );
    let (report, _) = project.build();
    report.expect("the book builds");
    let page = project.page("first.html");
    for wanted in [
        ">At 100<",
        "Half is 50.0 of <a href=\"x.html\">three</a>, <code>{{#value 4}}</code>.",
        "<td>50</td><td>7</td>",
        "<summary>6</summary>",
        "<p>In 9 %.</p>",
    ] {
        assert!(page.contains(wanted), "{wanted} in\n{page}");
    }
    assert!(
        !page.contains("<p></p>") && !page.contains("holds"),
        "{page}"
    );
}

#[test]
fn everything_wrong_in_all_chapters_is_told_at_once() {
    let project = project(
        "{{#holds rate(doubled) > 200 > 3}}\nIt is fast.\n\nAnd {{#value rate(halved)}}.\n",
    );
    project.edit(
        "book/src/preface.md",
        "Only prose",
        "Prose {{#value speed(doubled)}} {{#hold 1 < 2}} {{#value 1 +}}",
    );
    let (report, ran) = project.build();
    let error = report.expect_err("the build fails");
    assert_eq!(ran, [""; 0]);
    let told = error.to_string();
    let wanted = [
        "book/src/preface.md:3: `{{#value speed(doubled)}}`: there is no function `speed`; there are: rate(KERNEL), min(",
        "book/src/preface.md:3: `{{#hold 1 < 2}}`: there is no such directive in a paragraph; there are `{{#value ",
        "book/src/preface.md:3: `{{#value 1 +}}`: a number, a function or `(` is wanted where it goes on with `nothing`",
        "book/src/first.md:26: `{{#holds rate(doubled) > 200 > 3}}`: the sentence at this place no longer holds, as \
         100 > 200 > 3: rewrite it, or record again",
        "book/src/first.md:29: `{{#value rate(halved)}}`: there is no such rate; there is `doubled`",
    ];
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), wanted.len(), "{told}");
    for (line, wanted) in lines.iter().zip(wanted) {
        assert!(line.starts_with(wanted), "{line}\n{wanted}");
    }
    assert!(matches!(error, Error::Prose(problems) if problems.len() == 5));
}

#[test]
fn a_chapter_is_called_by_its_heading_with_its_values() {
    let project = project("x");
    project.edit(
        "book/src/first.md",
        "# First steps",
        "# First {{#value 2 | words}} steps",
    );
    let (report, ran) = project.build();
    report.expect("the book builds");
    assert!(ran[0].starts_with("First two steps: "), "{ran:?}");
}

#[test]
fn notebooks_show_values_and_are_stale_when_they_change() {
    let project = project("It has {{#value rate(doubled)}}.\n{{#holds rate(doubled) > 50}}\n");
    let root = &project.options.root;
    write_notebooks(root, &Rate(100.0)).expect("notebooks");
    let text = fs::read_to_string(root.join("notebooks/01-first.ipynb")).expect("a notebook");
    assert!(
        text.contains("It has 100.") && !text.contains("{{#"),
        "{text}"
    );
    assert_eq!(check_notebooks(root, &Rate(100.0)).expect("a check"), []);
    assert_eq!(
        check_notebooks(root, &Rate(101.0)).expect("a check").len(),
        1
    );
    assert!(matches!(
        check_notebooks(root, &Rate(49.0)),
        Err(Error::Prose(_))
    ));
}

#[test]
fn the_check_tells_values_numbers_typed_by_hand_and_long_cells() {
    let long = "let a = 1;\n".repeat(13);
    let project = project(&format!(
        "Of {{{{#value rate(doubled)}}}} GB/s {{{{#holds 1 < 2}}}} or 99 GB/s.\n\n```rust cell\n{long}```\n\n\
         ```rust cell folded\n// Long.\n{long}```\n\n```rust cell\n{}# {long}```\n\n\
         ```rust cell\nlet kernel = Kernel::cuda(r#\"\n{long}\"#)?;\n{}```\n",
        long.replace("let a", "# let b"),
        "let a = 1;\n".repeat(11)
    ));
    let report = check_prose(&project.options.root, &Rate(100.0)).expect("a check");
    let values: Vec<_> = report
        .values
        .iter()
        .map(|value| (value.place.line, value.text.as_str()))
        .collect();
    assert_eq!(values, [(26, "100"), (26, "1 < 2")]);
    let problems: Vec<_> = report
        .problems
        .iter()
        .map(|problem| (problem.place.line, &problem.error))
        .collect();
    assert_eq!(
        problems,
        [
            (26, &ValueError::TypedByHand),
            (
                29,
                &ValueError::LongCell {
                    shown: 13,
                    most: 12
                }
            )
        ]
    );
}

#[test]
fn a_folded_cell_is_folded_on_its_page_and_in_its_notebook() {
    let project =
        project("```rust cell folded\n// Draws <both>.\nlet a = 1;\n# let b = 2;\na\n```\n");
    let (report, _) = project.build();
    report.expect("the book builds");
    let page = project.page("first.html");
    let summary = "<details class=\"ct-fold\">\n<summary>Draws &lt;both&gt;. <span>(3 lines)</span></summary>";
    let start = page
        .find(summary)
        .unwrap_or_else(|| panic!("no summary in\n{page}"));
    let (code, end) = (
        page[start..].find("let a = 1;"),
        page[start..].find("</details>"),
    );
    let output = page[start..].find("ran // Draws");
    assert!(
        code < end && end < output && code.is_some(),
        "the output stands outside the fold:\n{page}"
    );
    write_notebooks(&project.options.root, &Rate(100.0)).expect("notebooks");
    let text = fs::read_to_string(project.path("notebooks/01-first.ipynb")).expect("a notebook");
    let notebook: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let cells = notebook["cells"].as_array().expect("cells");
    let folded: Vec<_> = cells
        .iter()
        .filter(|cell| cell["metadata"]["jupyter"]["source_hidden"] == true)
        .collect();
    assert_eq!(folded.len(), 1);
    assert_eq!(folded[0]["source"][0], "// Draws <both>.\n");
    project.edit("book/src/first.md", "// Draws <both>.\n", "");
    let error = project.build().0.expect_err("no summary").to_string();
    assert!(
        error.contains("first.md:26: a folded cell begins with a line that says what it does"),
        "{error}"
    );
}

#[test]
fn terms_of_the_glossary_are_linked_on_pages_and_in_notebooks() {
    let project = project("A picture is a *wave*, and a wave.\n");
    fs::write(
        project.path("book/src/glossary.md"),
        "# Glossary\n\n## Wave {#wave}\n\nA pass. Of lanes.\n",
    )
    .expect("a page");
    project.edit(
        "book/src/SUMMARY.md",
        "- [Reference]",
        "- [Glossary](glossary.md)\n- [Reference]",
    );
    let (report, _) = project.build();
    report.expect("the book builds");
    let page = project.page("first.html");
    let link = "<em><a href=\"glossary.html#wave\" title=\"A pass.\">wave</a></em>, and a wave.";
    assert!(page.contains(link), "{page}");
    write_notebooks(&project.options.root, &Rate(100.0)).expect("notebooks");
    let text = fs::read_to_string(project.path("notebooks/01-first.ipynb")).expect("a notebook");
    assert!(
        text.contains("*[wave](02-glossary.ipynb#Wave)*, and a wave."),
        "{text}"
    );
}
