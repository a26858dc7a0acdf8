//! The house style of every figure: sizes, palette, how text is fitted and numbers are written, and what is made of plotters' SVG. It draws nothing.

pub(super) use cornerturn_base::html::{counted, number, one_line};
use std::fmt::Write as _;

/// Units of the drawing in one pixel: plotters' coordinates are whole numbers, and a pixel is too coarse for a byte.
pub(super) const UNITS_PER_PX: f64 = 10.0;

/// Width of any figure on a telephone, in pixels.
const NARROW_WIDTH: f64 = 340.0;

/// The room that a figure is drawn for. Each is drawn for both, and a page shows what fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A page on a desk.
    Wide,
    /// A telephone, or one of several figures side by side.
    Narrow,
}

impl Form {
    /// Width of a figure of bars, in pixels.
    pub(super) const fn bars(self) -> f64 {
        match self {
            Self::Wide => 500.0,
            Self::Narrow => NARROW_WIDTH,
        }
    }

    /// Width of a figure with the 32 lanes of a warp, in pixels. They stand side by side where there is room for
    /// their numbers, and below each other on a telephone.
    pub(super) const fn lanes(self) -> f64 {
        match self {
            Self::Wide => 680.0,
            Self::Narrow => NARROW_WIDTH,
        }
    }

    /// Size of the smallest text, in pixels; a wide figure is shown larger than it is drawn.
    pub(super) const fn tiny(self) -> f64 {
        match self {
            Self::Wide => 10.0,
            Self::Narrow => 11.5,
        }
    }

    pub(super) fn is_narrow(self) -> bool {
        self == Self::Narrow
    }

    /// A point, or a size, so far along what runs from left to right in a wide figure and from top to bottom in a
    /// narrow one, and so far across it.
    pub(super) const fn at(self, along: f64, across: f64) -> (f64, f64) {
        match self {
            Self::Wide => (along, across),
            Self::Narrow => (across, along),
        }
    }
}

/// Text sizes, in pixels.
pub(super) const TITLE: f64 = 15.0;
pub(super) const TEXT: f64 = 13.5;
pub(super) const SMALL: f64 = 12.0;

/// Colour of something drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ink {
    /// The text colour of the page, at an opacity.
    Page(f64),
    /// A colour of the palette, at an opacity.
    Rgb([u8; 3], f64),
}

/// Text, axes.
pub(super) const FULL: Ink = Ink::Page(1.0);
/// Text of second rank.
pub(super) const SOFT: Ink = Ink::Page(0.75);
/// Outlines, ticks, connecting lines.
pub(super) const LINE: Ink = Ink::Page(0.5);
/// Meshes.
pub(super) const MESH: Ink = Ink::Page(0.14);

// The hues of Okabe and Ito (Color Universal Design, 2008), some darkened until each stands out by 3:1 or more from
// the backgrounds of mdBook's and JupyterLab's themes, light or dark.
pub(super) const BLUE: [u8; 3] = [0x00, 0x7A, 0xBD];
pub(super) const VERMILLION: [u8; 3] = [0xCC, 0x58, 0x00];
pub(super) const PURPLE: [u8; 3] = [0xB0, 0x5A, 0x8A];
pub(super) const GREEN: [u8; 3] = [0x00, 0x8A, 0x62];

/// A ramp of 32 steps from blue to orange, the lightness rising all the way, for bank numbers.
pub(super) fn ramp(step: u32) -> [u8; 3] {
    ramp_at(f64::from(step.min(31)) / 31.0)
}

/// The ramp's colour at a part of its length, 0 to 1.
pub(super) fn ramp_at(part: f64) -> [u8; 3] {
    const ENDS: [[f64; 3]; 3] = [
        [38.0, 96.0, 178.0],
        [150.0, 118.0, 136.0],
        [240.0, 158.0, 36.0],
    ];
    let at = part.clamp(0.0, 1.0) * 2.0;
    let (from, to, part) = if at < 1.0 {
        (0, 1, at)
    } else {
        (1, 2, at - 1.0)
    };
    std::array::from_fn(|i| (ENDS[from][i] + (ENDS[to][i] - ENDS[from][i]) * part) as u8)
}

/// The better of black and white for text on a colour.
pub(super) fn text_on(rgb: [u8; 3]) -> [u8; 3] {
    if luminance(rgb) > 0.2 {
        [0; 3]
    } else {
        [255; 3]
    }
}

/// Relative luminance (WCAG 2.2).
pub(super) fn luminance(rgb: [u8; 3]) -> f64 {
    let [r, g, b] = rgb.map(|byte| {
        let part = f64::from(byte) / 255.0;
        if part <= 0.04045 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// The width of a line of text in pixels, estimated on the wide side of common sans-serif faces.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let em: f64 = text
        .chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '\u{2009}'
            | '\u{202F}' => 0.31,
            'f' | 't' | 'r' | ' ' | '(' | ')' | '[' | ']' | '/' | '-' | '\u{A0}' | '·' => 0.39,
            'm' | 'w' | 'M' | 'W' | '%' | '@' | '—' | '…' => 0.92,
            'A'..='Z' => 0.70,
            c if (c as u32) < 0x1100 => 0.57,
            '\u{2010}'..='\u{205E}' => 0.57,
            _ => 1.05,
        })
        .sum();
    em * size
}

/// Cuts text to a width, with an ellipsis where something is missing.
pub(super) fn fit(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut cut = String::new();
    for c in text.chars() {
        cut.push(c);
        if text_width(&cut, size) + text_width("…", size) > width {
            cut.pop();
            break;
        }
    }
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// Breaks text into lines of a width, at most `most` of them; what does not fit ends in an ellipsis.
pub(super) fn wrap(text: &str, size: f64, width: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let longer = if lines[last].is_empty() {
            word.to_owned()
        } else {
            format!("{} {word}", lines[last])
        };
        if lines[last].is_empty() || text_width(&longer, size) <= width || lines.len() == most {
            lines[last] = longer;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.iter().map(|line| fit(line, size, width)).collect()
}

/// A bandwidth, beside others of which the largest is `largest`: as many decimals as tell that one apart from its
/// neighbours (3413, 301.1, 27.93), and two digits at least.
pub(super) fn bandwidth_number(value: f64, largest: f64) -> String {
    let decimals = |v: f64| match v {
        v if v >= 1000.0 => 0,
        v if v >= 100.0 => 1,
        _ => 2,
    };
    let least = if value < 1.0 {
        2
    } else {
        usize::from(value < 10.0)
    };
    number(value, decimals(largest).max(least))
}

/// A share in per cent, with at most so many digits after the point, and one below 10 %.
pub(super) fn percent(part: f64, decimals: usize) -> String {
    match part * 100.0 {
        value if value > 0.0 && value < 0.05 => "<0.1\u{202F}%".to_owned(),
        value if value < 9.95 => number(value, decimals.max(1)) + "\u{202F}%",
        value => number(value, decimals) + "\u{202F}%",
    }
}

/// Colour that stands for the page's text colour in what plotters writes.
pub(super) const PAGE: [u8; 3] = [1, 2, 3];

/// Turns a drawing of plotters into a figure of this book: sizes to the page, text in the page's colour and face,
/// with title and description, and nothing that says what goes without saying.
pub(super) fn house(
    drawn: &str,
    width: f64,
    height: f64,
    title: &str,
    description: &str,
) -> String {
    let (title, description) = (
        cornerturn_base::html::escape(title),
        cornerturn_base::html::escape(description),
    );
    let widest = (width * if width > NARROW_WIDTH { 1.12 } else { 1.3 }).round();
    let mut svg = String::with_capacity(drawn.len());
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{title}\" \
         style=\"display:block;width:100%;max-width:{widest}px;height:auto;margin:0 auto;\
         background:none;color:inherit\">\n<title>{title}</title>\n<desc>{description}</desc>\n",
        (width * UNITS_PER_PX).round(),
        (height * UNITS_PER_PX).round(),
    );
    // The first line opens plotters' own <svg> and the last closes it.
    for line in drawn.lines().skip(1) {
        // Labels are escaped, so that a quoted attribute is never part of one.
        let line = line
            .replace("\"#010203\"", "\"currentColor\"")
            .replace(" opacity=\"1\"", "")
            .replace(" stroke=\"none\"", "")
            .replace(" dy=\"0.76em\"", "")
            .replace(" text-anchor=\"start\"", "")
            .replace(" font-family=\"sans-serif\"", "")
            .replace(" \"", "\"");
        svg.push_str(&line);
        // An opening tag of a text is followed by its label and its closing tag, all of one line.
        if line.ends_with("/>") || line.starts_with("</text") {
            svg.push('\n');
        }
    }
    svg
}
