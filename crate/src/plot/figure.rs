//! A figure as a page shows it: the picture and its caption, alone or in a row. What is drawn in it is the other files'.

use super::canvas::{Anchor, Heading, drawing};
use super::style::{BARS_WIDTH, MESH, SOFT, TEXT, fit, one_line};

/// A picture with a caption. As the last expression of a cell it is displayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The picture: an inline `<svg>` without blank lines, so that it can stand in Markdown.
    pub svg: String,
    /// Text below the picture: where its numbers come from.
    pub caption: String,
    /// The narrowest that it is drawn in a row of several, in pixels.
    least_width: u32,
}

impl Figure {
    pub(super) fn new(svg: String, caption: &str) -> Self {
        Self {
            svg,
            caption: one_line(caption),
            least_width: 340,
        }
    }

    /// A figure with the 32 lanes of a warp side by side.
    pub(super) fn wide(svg: String, caption: &str) -> Self {
        Self {
            least_width: 540,
            ..Self::new(svg, caption)
        }
    }

    /// A figure without a picture, which says why.
    pub(super) fn nothing(title: &str, reason: &str, caption: &str) -> Self {
        let heading = Heading::new(title, "", BARS_WIDTH);
        let size = (BARS_WIDTH, heading.height() + 60.0);
        let svg = drawing(size, title, reason, &mut |canvas| {
            let top = canvas.heading(&heading) + 8.0;
            canvas.outline((0.0, top), (BARS_WIDTH, 48.0), MESH, 1.0);
            let text = fit(&one_line(reason), TEXT, BARS_WIDTH - 20.0);
            canvas.text(
                (BARS_WIDTH / 2.0, top + 29.0),
                &text,
                TEXT,
                Anchor::Middle,
                SOFT,
            );
        });
        Self::new(svg, caption)
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
            "<figure class=\"ct-figure\" style=\"{css}\">\n<div class=\"ct-scroll\" style=\"overflow-x:auto\">\n{}\n</div>\n",
            self.svg.trim_end()
        );
        if !self.caption.is_empty() {
            html.push_str(
                "<figcaption style=\"font-size:0.85em;line-height:1.4;opacity:0.85;margin-top:0.4em;text-align:center\">",
            );
            html.push_str(&crate::html::escape(&self.caption));
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
                figure.least_width
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
    crate::html::show(html);
}
