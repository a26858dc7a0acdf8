//! What every figure must hold, whatever it is given: well-formed, no blank lines, every label escaped and present, no coordinate that is not a number. The looks are judged by eye: `examples/figures.rs`.

use super::*;
use cornerturn_base::traffic::GbPerS;
use cornerturn_emulator::{Access, Space};
mod ladders;
mod landscapes;
mod multiplied;
mod orders;
mod pictures;
mod products;
mod properties;
mod tables;
mod walks;

use style::{
    BLUE, GREEN, PURPLE, VERMILLION, luminance, number, percent, ramp, text_on, text_width, wrap,
};

fn gb(value: f64) -> GbPerS {
    GbPerS(value)
}

fn access(space: Space, access_bytes: u32, addresses: [Option<u64>; 32]) -> Access {
    Access {
        site: 0,
        block: [0; 3],
        warp: 0,
        order: 0,
        space,
        is_store: false,
        access_bytes,
        addresses,
    }
}

fn lanes(space: Space, access_bytes: u32, address: impl Fn(u64) -> u64) -> Access {
    access(
        space,
        access_bytes,
        std::array::from_fn(|lane| Some(address(lane as u64))),
    )
}

/// The texts of a figure's wide form, after everything that must hold for any figure was checked of both.
fn texts(figure: &Figure) -> Vec<String> {
    check_narrow(&figure.narrow);
    texts_of(&figure.svg)
}

/// On a telephone nothing is written small, and nothing is shrunk.
fn check_narrow(svg: &str) {
    texts_of(svg);
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
    let root = document.root_element();
    let view = root.attribute("viewBox").unwrap_or_default();
    let width = coordinate(view.split(' ').nth(2).unwrap_or_default());
    assert_eq!(width, style::Form::Narrow.bars() * style::UNITS_PER_PX);
    assert!(
        !root
            .attribute("style")
            .unwrap_or_default()
            .contains("min-width")
    );
    let sizes = document
        .descendants()
        .filter_map(|node| node.attribute("font-size"));
    for size in sizes {
        let px = coordinate(size) / style::UNITS_PER_PX;
        assert!(px >= 11.4, "text of {px} px in a narrow figure");
    }
}

fn texts_of(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
    assert!(
        svg.lines().all(|line| !line.trim().is_empty()),
        "a blank line ends HTML in Markdown"
    );
    assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
    let root = document.root_element();
    let size: Vec<f64> = root
        .attribute("viewBox")
        .unwrap_or_default()
        .split(' ')
        .map(coordinate)
        .collect();
    assert_eq!(size.len(), 4);
    for node in document.descendants().filter(|node| node.is_element()) {
        let name = node.tag_name().name();
        assert_eq!(
            name,
            name.to_lowercase(),
            "mdBook lower-cases element names"
        );
        // Only lines, boxes and texts with an anchor inside the picture are drawn.
        for (attributes, limit) in [(["x", "x1", "x2"], size[2]), (["y", "y1", "y2"], size[3])] {
            for value in attributes
                .iter()
                .filter_map(|&a| node.attribute(a))
                .map(coordinate)
            {
                assert!(
                    (0.0..=limit).contains(&value),
                    "{name} at {value} of {limit}"
                );
            }
        }
        for size in ["width", "height"]
            .iter()
            .filter_map(|&a| node.attribute(a))
            .map(coordinate)
        {
            assert!(size >= 0.0);
        }
    }
    let texts = document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")));
    texts
        .filter_map(|node| node.text().map(str::to_owned))
        .collect()
}

fn coordinate(text: &str) -> f64 {
    let value: f64 = text
        .parse()
        .unwrap_or_else(|_| panic!("not a number: {text}"));
    assert!(value.is_finite());
    value
}

#[test]
fn bandwidth_labels_each_bar_with_value_and_share_and_draws_the_copy() {
    let bars = [
        Bar::measured("naive", gb(530.04)),
        Bar::measured("padded", gb(3413.0)).quartiles(gb(3400.0), gb(3420.0)),
        Bar::published("theirs", gb(218.67), "Article, 2026"),
    ];
    let figure = bandwidth("Transpose", &bars, Some(gb(3873.0)), "H200, driver 580");
    let texts = texts(&figure);
    for text in [
        "Transpose",
        "naive",
        "530",
        "14\u{202F}%",
        "padded",
        "3413",
        "88\u{202F}%",
        "219",
        "Article, 2026",
    ] {
        assert!(
            texts.iter().any(|t| t == text),
            "{text} is missing: {texts:?}"
        );
    }
    assert!(texts.iter().any(|t| t == "device copy 3873"));
    let copy_line = "stroke=\"currentColor\" stroke-width=\"16\"";
    assert_eq!(figure.svg.matches(copy_line).count(), 1, "{}", figure.svg);
    assert!(!bandwidth("t", &bars, None, "").svg.contains(copy_line));
    assert!(!figure.svg.contains("#010203") && figure.svg.contains("fill=\"currentColor\""));
    assert!(!figure.svg.contains("font-family"), "the page's face");
    assert!(
        texts.iter().any(|t| t.contains("GB/s (1 GB = 10⁹ bytes")),
        "an axis has a unit"
    );
    assert_eq!(figure.caption, "H200, driver 580");
    let html = figure.to_html();
    assert!(
        html.starts_with("<figure class=\"ct-figure\"")
            && html.contains("H200, driver 580</figcaption>")
    );
}

#[test]
fn a_bar_above_the_copy_is_marked_and_explained() {
    let bars = [Bar::measured("small matrix", gb(3436.0))];
    let figure = bandwidth("t", &bars, Some(gb(3224.0)), "c");
    assert!(texts(&figure).iter().any(|t| t == "†"));
    assert!(figure.caption.starts_with("c † Above the driver's copy"));
    let below = bandwidth("t", &bars, Some(gb(3500.0)), "c");
    assert!(!texts(&below).iter().any(|t| t == "†"));
    assert_eq!(below.caption, "c");
}

#[test]
fn bars_are_as_long_as_their_values() {
    let bars = [Bar::measured("a", gb(100.0)), Bar::measured("b", gb(400.0))];
    let figure = bandwidth("t", &bars, None, "");
    let document = roxmltree::Document::parse(&figure.svg).unwrap_or_else(|e| panic!("{e}"));
    let widths: Vec<f64> = document
        .descendants()
        .filter(|node| node.tag_name().name() == "rect")
        .filter_map(|node| node.attribute("width"))
        .map(coordinate)
        .collect();
    assert_eq!(widths.len(), 2);
    assert!((widths[1] / widths[0] - 4.0).abs() < 0.01, "{widths:?}");
}

#[test]
fn measured_and_published_bars_look_different() {
    let marks = |bar: Bar| {
        bandwidth("t", &[bar], None, "")
            .svg
            .matches("<line")
            .count()
    };
    let solid = marks(Bar::measured("x", gb(100.0)));
    assert!(
        marks(Bar::published("x", gb(100.0), "")) > solid + 10,
        "hatched"
    );
}

#[test]
fn an_article_keeps_its_own_device_and_peak() {
    let bars = [
        Published::new("naive", gb(218.67)),
        Published::new("padded", gb(1178.81)),
    ];
    let figure = published(
        "Article",
        "A100",
        &bars,
        Some(gb(1555.0)),
        "CUDA学习, 2026-02-07",
    );
    let texts = texts(&figure);
    for text in [
        "A100 · published, not measured here",
        "datasheet peak 1555",
        "of peak",
        "219",
        "76\u{202F}%",
    ] {
        assert!(
            texts.iter().any(|t| t == text),
            "{text} is missing: {texts:?}"
        );
    }
    assert_eq!(figure.caption, "CUDA学习, 2026-02-07");
}

#[test]
fn hostile_text_is_shown_and_not_obeyed() {
    let hostile = "</svg><script>alert(\"1\")</script> & 'x' \n\n\u{0}\u{202E}#010203 \" opacity=\"1\" 转置 🚀";
    let bars = [Bar::measured(hostile, gb(1.0)).note(hostile)];
    let shared = lanes(Space::Shared, 4, |lane| lane * 4);
    let figures = [
        bandwidth(hostile, &bars, Some(gb(2.0)), hostile),
        published(
            hostile,
            hostile,
            &[Published::new(hostile, gb(1.0))],
            None,
            hostile,
        ),
        bandwidth(hostile, &[], None, hostile),
        sectors(hostile, &lanes(Space::Global, 4, |lane| lane * 4), 0),
        banks(hostile, &shared),
        bank_map(hostile, &Tile::new(1, 32, 32), &shared),
    ];
    for figure in &figures {
        let shown = texts(figure).join(" ");
        assert!(
            shown.contains("</svg><script>alert(\"1\")</script> & 'x' #010203"),
            "{shown}"
        );
        let html = figure.to_html();
        assert!(!html.contains("<script") && html.lines().all(|line| !line.trim().is_empty()));
    }
    let html = table(
        hostile,
        &[hostile],
        &[vec![hostile.to_owned(), "too many".to_owned()], vec![]],
    )
    .html;
    assert!(!html.contains("<script") && html.lines().all(|line| !line.trim().is_empty()));
}

#[test]
fn very_long_labels_end_in_an_ellipsis() {
    let long = "word ".repeat(400) + &"x".repeat(5000);
    let figure = bandwidth(
        &long,
        &[Bar::measured(&long, gb(5.0)).note(&long)],
        Some(gb(9.0)),
        "",
    );
    let texts = texts(&figure);
    assert!(texts.iter().any(|t| t.ends_with('…')));
    assert!(
        texts
            .iter()
            .all(|t| text_width(t, style::TEXT) < style::Form::Wide.bars() * 1.2),
        "{texts:?}"
    );
    assert!(wrap(&long, 12.0, 200.0, 3).len() == 3);
}

#[test]
fn nothing_to_draw_is_said() {
    let none = access(Space::Global, 4, [None; 32]);
    let figures = [
        bandwidth("t", &[], Some(gb(1.0)), ""),
        bandwidth(
            "t",
            &[
                Bar::measured("x", gb(f64::NAN)),
                Bar::measured("y", gb(0.0)),
            ],
            None,
            "",
        ),
        published("t", "d", &[], None, ""),
        sectors("t", &none, 0),
        banks("t", &none),
        bank_map("t", &Tile::new(0, 0, 0), &none),
        bank_map("t", &Tile::new(u32::MAX, u32::MAX, u32::MAX), &none),
    ];
    for figure in &figures {
        assert!(
            texts(figure)
                .iter()
                .any(|t| t.starts_with("There is nothing to draw")),
            "{}",
            figure.svg
        );
    }
}

#[test]
fn colours_stand_out_on_every_theme() {
    // mdBook's light, rust, coal, navy, ayu; JupyterLab's light and dark.
    let backgrounds = [
        "ffffff", "e1e1db", "141617", "161923", "0f1419", "ffffff", "111111",
    ];
    let contrast = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
    for background in backgrounds {
        let byte = |i: usize| u8::from_str_radix(&background[i..i + 2], 16).unwrap_or_default();
        let page = luminance([byte(0), byte(2), byte(4)]);
        for rgb in [BLUE, VERMILLION, PURPLE, GREEN] {
            let got = contrast(luminance(rgb), page);
            assert!(got >= 3.0, "{rgb:x?} on {background}: {got:.2}");
        }
    }
    for rgb in (0..32).map(ramp).chain([BLUE, VERMILLION]) {
        assert!(
            contrast(luminance(rgb), luminance(text_on(rgb))) >= 4.0,
            "{rgb:?}"
        );
    }
    assert!(
        (1..32).all(|step| luminance(ramp(step)) > luminance(ramp(step - 1))),
        "read without colour too"
    );
}

#[test]
fn numbers_have_no_more_digits_than_they_need() {
    assert_eq!(number(3413.0, 2), "3413");
    assert_eq!(number(0.5, 2), "0.5");
    assert_eq!(number(-0.001, 1), "0");
    assert_eq!(number(f64::INFINITY, 1), "–");
    assert_eq!(style::bandwidth_number(218.67, 1178.81), "219");
    assert_eq!(style::bandwidth_number(301.1, 301.1), "301.1");
    assert_eq!(style::bandwidth_number(0.52, 5000.0), "0.52");
    assert_eq!(percent(0.125, 1), "12.5\u{202F}%");
    assert_eq!(percent(0.0001, 0), "<0.1\u{202F}%");
}
