//! Tables in HTML, of one look. The tables of counters are `counters`'s.

use super::text::{escape, one_line, show};
use std::fmt::Write as _;

/// A table. As the last expression of a cell it is displayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// One block of HTML without blank lines, `<table class="ct-table">` inside.
    pub html: String,
}

impl Table {
    /// The table as one block of HTML.
    pub fn to_html(&self) -> String {
        self.html.clone()
    }

    /// Displays the table in a notebook or page; called by evcxr.
    pub fn evcxr_display(&self) {
        show(&self.html);
    }
}

/// The style of a cell that holds words.
pub const CELL: &str =
    "padding:0.15em 0.9em 0.15em 0.2em;text-align:left;vertical-align:top;border:none";
/// The style of a cell that holds a number.
pub const NUMBER: &str = "padding:0.15em 0.9em 0.15em 0.2em;text-align:right;vertical-align:top;border:none;\
                      white-space:nowrap;font-variant-numeric:tabular-nums";
const RULE: &str = ";border-bottom:1px solid currentColor";

/// A table with a caption. A column whose cells all read as numbers is aligned to the right.
pub fn table(caption: &str, columns: &[&str], rows: &[Vec<String>]) -> Table {
    let is_number = |column: usize| {
        let cells = || {
            rows.iter()
                .filter_map(|row| row.get(column))
                .filter(|cell| !cell.trim().is_empty())
        };
        cells().count() > 0 && cells().all(|cell| reads_as_number(cell))
    };
    let css: Vec<&str> = (0..columns.len())
        .map(|i| if is_number(i) { NUMBER } else { CELL })
        .collect();
    let head: Vec<String> = columns.iter().map(|name| escape(&one_line(name))).collect();
    let body: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            row.iter()
                .take(columns.len())
                .map(|cell| escape(&one_line(cell)))
                .collect()
        })
        .collect();
    Table {
        html: html(caption, &head, &css, &body),
    }
}

/// Digits with the marks that numbers are written with, and a unit of a few characters at most.
fn reads_as_number(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['+', '-', '−', '–', '<', '>', '≤', '≥', '≈', ' ']);
    cell.trim() == "–"
        || (digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.chars().filter(|c| c.is_alphabetic()).count() <= 4)
}

/// A table of so many columns has no room on a telephone.
const MANY: usize = 4;

/// There each row is a card: its first cell above, below it the others, each after the name of its column.
const CARDS: &str = "<style>@container ct-table (max-width:480px){\
.ct-many,.ct-many caption,.ct-many tbody{display:block}\
.ct-many thead{display:none}\
.ct-many tr{display:flex;flex-wrap:wrap;gap:0 1.2em;padding:0.4em 0;border-bottom:1px solid color-mix(in srgb,currentColor 30%,transparent)}\
.ct-many td{padding:0!important;text-align:left!important;white-space:normal!important}\
.ct-many td:first-child{flex:1 0 100%}\
.ct-many td:empty{display:none}\
.ct-many td[data-column]::before{content:attr(data-column)\" \";opacity:0.75}}</style>\n";

/// Cells are HTML already; a row shorter than the head is filled up.
pub fn html(caption: &str, head: &[String], css: &[&str], rows: &[Vec<String>]) -> String {
    let is_many = head.len() >= MANY;
    let (style, class) = match is_many {
        true => (CARDS, "ct-table ct-many"),
        false => ("", "ct-table"),
    };
    let mut html = format!(
        "<div class=\"ct-scroll\" style=\"overflow-x:auto;container:ct-table/inline-size\">\n{style}<table class=\"{class}\" \
         style=\"border-collapse:collapse;margin:0.6em 0;color:inherit;font-size:0.9em;line-height:1.35\">\n"
    );
    let caption = one_line(caption);
    if !caption.is_empty() {
        let style = "caption-side:top;text-align:left;padding:0 0 0.3em;color:inherit";
        let _ = writeln!(
            html,
            "<caption style=\"{style}\">{}</caption>",
            escape(&caption)
        );
    }
    html.push_str("<thead><tr style=\"background:none\">");
    for (cell, css) in head.iter().zip(css) {
        let _ = write!(html, "<th style=\"{css}{RULE}\">{cell}</th>");
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        html.push_str("<tr style=\"background:none\">");
        for (column, css) in css.iter().enumerate() {
            let cell = row.get(column).map_or("", String::as_str);
            let name = match head.get(column) {
                Some(head) if is_many && column > 0 => format!(" data-column=\"{}\"", plain(head)),
                _ => String::new(),
            };
            let _ = write!(html, "<td style=\"{css}\"{name}>{cell}</td>");
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n</div>");
    html
}

/// The words of a column's head, still escaped: what its markup shows before it is opened.
fn plain(head: &str) -> String {
    let shown = head.split("</summary>").next().unwrap_or_default();
    let parts = shown.split('<').enumerate();
    let texts = parts.map(|(index, part)| match index {
        0 => part,
        _ => part.split_once('>').map_or("", |(_, text)| text),
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::super::counters::term;
    use super::*;

    #[test]
    fn a_table_of_many_columns_names_them_in_each_card() {
        let head = [
            "kernel".to_owned(),
            term("a < b", "An <explanation>."),
            "c".to_owned(),
            "d".to_owned(),
        ];
        let row = ["padded", "1", "", "3"].map(str::to_owned).to_vec();
        let many = html("", &head, &[CELL; 4], std::slice::from_ref(&row));
        assert!(many.contains("data-column=\"a &lt; b\">1</td>"), "{many}");
        assert!(!many.contains("data-column=\"kernel\""), "{many}");
        assert!(many.contains("ct-many") && many.contains("@container ct-table"));
        let few = html("", &head[..3], &[CELL; 3], &[row]);
        assert!(
            !few.contains("ct-many") && !few.contains("data-column"),
            "{few}"
        );
    }
}
