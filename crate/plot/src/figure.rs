//! A figure as a page shows it: the picture and its caption, alone or in a row. What is drawn in it is the other files'.

use super::canvas::{Heading, LINE_HEIGHT, drawing, small_lines};
use super::style::{Form, MESH, one_line};

/// A picture with a caption. As the last expression of a cell it is displayed.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let record = Record::load("h200", "transpose")?;
/// let figure = plot::ladder(&record, 4096, 4096, &[("naive_read", "naive"), ("padded", "padded")])?;
/// // For a wide page and for a narrow one.
/// assert!(figure.svg.starts_with("<svg") && figure.narrow.starts_with("<svg"));
/// let figure = figure.with_caption("Two steps of the first part");
/// assert!(figure.to_html().contains("Two steps of the first part"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The picture: an inline `<svg>` without blank lines, so that it can stand in Markdown.
    pub svg: String,
    /// The same picture for a narrow screen.
    pub narrow: String,
    /// Text below the picture: where its numbers come from.
    pub caption: String,
    room: Room,
}

/// How much room a figure's wide form needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Room {
    /// The narrowest that the figure is in a row of several, in pixels.
    least_width: u32,
    /// The name under which `FORMS` asks how wide the figure is.
    name: &'static str,
}

const BARS: Room = Room {
    least_width: 340,
    name: "ct-bars",
};
const LANES: Room = Room {
    least_width: 540,
    name: "ct-lanes",
};

/// Shows the form that fits. Where no style sheet is obeyed, the narrow one stays hidden.
const FORMS: &str = "<style>@container ct-bars (max-width:480px){.ct-figure>.ct-wide{display:none}\
.ct-figure>.ct-narrow{display:block}}\
@container ct-lanes (max-width:620px){.ct-figure>.ct-wide{display:none}.ct-figure>.ct-narrow{display:block}}</style>";

impl Figure {
    /// Draws a figure for both rooms.
    pub(super) fn new(caption: &str, draw: impl Fn(Form) -> String) -> Self {
        Self {
            svg: draw(Form::Wide),
            narrow: draw(Form::Narrow),
            caption: one_line(caption),
            room: BARS,
        }
    }

    /// A figure with the 32 lanes of a warp.
    pub(super) fn of_lanes(caption: &str, draw: impl Fn(Form) -> String) -> Self {
        Self {
            room: LANES,
            ..Self::new(caption, draw)
        }
    }

    /// A figure without a picture, which says why.
    pub(super) fn nothing(title: &str, reason: &str, caption: &str) -> Self {
        Self::new(caption, |form| {
            let width = form.bars();
            let heading = Heading::new(title, "", width);
            let reason_lines = small_lines(reason, width - 24.0);
            let tall = reason_lines.len() as f64 * LINE_HEIGHT + 24.0;
            let size = (width, heading.height() + tall + 12.0);
            drawing(size, title, reason, &mut |canvas| {
                let top = canvas.heading(&heading) + 8.0;
                canvas.outline((0.0, top), (width, tall), MESH, 1.0);
                canvas.lines((12.0, top + 10.0), &reason_lines);
            })
        })
    }

    /// The same picture with another caption.
    pub fn with_caption(mut self, caption: &str) -> Self {
        self.caption = one_line(caption);
        self
    }

    /// The figure as one block of HTML, `<figure class="ct-figure">`.
    pub fn to_html(&self) -> String {
        self.html("margin:1em 0")
    }

    fn html(&self, css: &str) -> String {
        let mut html = format!(
            "<figure class=\"ct-figure\" style=\"{css};container:{}/inline-size\">\n{FORMS}\n\
             <div class=\"ct-wide\">\n{}\n</div>\n<div class=\"ct-narrow\" hidden>\n{}\n</div>\n",
            self.room.name,
            self.svg.trim_end(),
            self.narrow.trim_end()
        );
        if !self.caption.is_empty() {
            html.push_str(
                "<figcaption style=\"font-size:0.85em;line-height:1.4;opacity:0.85;margin-top:0.4em;text-align:center\">",
            );
            html.push_str(&cornerturn_base::html::escape(&self.caption));
            html.push_str("</figcaption>\n");
        }
        html.push_str("</figure>\n");
        html
    }

    /// Displays the figure in a notebook or page; called by evcxr.
    pub fn evcxr_display(&self) {
        display(&self.to_html());
    }
}

/// Figures side by side, below each other where there is no room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The figures, from left to right.
    pub figures: Vec<Figure>,
}

/// Places figures side by side; on a narrow screen they wrap.
pub fn row(figures: &[Figure]) -> Row {
    Row {
        figures: figures.to_vec(),
    }
}

impl Row {
    /// The figures as one block of HTML, `<div class="ct-row">`.
    pub fn to_html(&self) -> String {
        let mut html = String::from(
            "<div class=\"ct-row\" style=\"display:flex;flex-wrap:wrap;gap:0.5em 2em;align-items:flex-start\">\n",
        );
        for figure in &self.figures {
            html.push_str(&figure.html(&format!(
                "flex:1 1 {}px;min-width:0;margin:1em 0",
                figure.room.least_width
            )));
        }
        html.push_str("</div>\n");
        html
    }

    /// Displays the figures in a notebook or page; called by evcxr.
    pub fn evcxr_display(&self) {
        display(&self.to_html());
    }
}

/// Displays HTML in a notebook or page. A cell keeps one block of HTML, the last: join what belongs together.
pub fn display(html: &str) {
    cornerturn_base::html::show(html);
}
