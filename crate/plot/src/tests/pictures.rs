//! What the pictures of accesses state.

use super::*;
use cornerturn_base::Shape;
use cornerturn_emulator::{AddressMode, Sampling, TraceRequest};
use cornerturn_runtime::{Device, Kernel, LaunchOptions, args};

#[test]
fn sectors_states_what_was_moved_for_what_was_wanted() {
    let column = lanes(Space::Global, 4, |lane| 0x1000 + lane * 16384);
    let shown = texts(&sectors("t", &column, 0x1000));
    let summary = "32 lanes load 4 bytes each: 32 sectors, 1\u{202F}024 bytes moved for 128 bytes wanted, 12.5\u{202F}%";
    assert_eq!(shown[1], summary);
    assert!(
        shown.iter().any(|t| t == "0") && shown.iter().any(|t| t == "507904"),
        "first and last offset"
    );
    let row = lanes(Space::Global, 4, |lane| 0x1000 + lane * 4);
    assert!(
        texts(&sectors("t", &row, 0x1000))[1]
            .contains("4 sectors, 128 bytes moved for 128 bytes wanted, 100")
    );
    let one = lanes(Space::Global, 4, |_| 0x1000);
    let shown = texts(&sectors("t", &one, 0x2000));
    assert!(
        shown[1].contains("1 sector, 32 bytes moved for 4 bytes wanted (lanes share them), 12.5")
    );
    assert!(
        shown.iter().any(|t| t == "-4096"),
        "an address before the buffer has a negative offset"
    );
}

#[test]
fn banks_draws_one_row_for_each_wavefront() {
    let shown = texts(&banks("t", &lanes(Space::Shared, 4, |lane| lane * 128)));
    assert!(
        shown[1].contains("32 wavefronts where 1 would do, a 32-way bank conflict"),
        "{}",
        shown[1]
    );
    assert!(shown.iter().any(|t| t == "32×"));
    let shown = texts(&banks("t", &lanes(Space::Shared, 4, |lane| lane * 132)));
    assert!(shown[1].contains("1 wavefront, no bank conflict"));
    assert!(!shown.iter().any(|t| t.ends_with('×')));
}

/// Where the words of a figure begin and end, by the estimate of their widths, in pixels.
fn extents(svg: &str) -> Vec<(f64, f64, String)> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let texts = document
        .descendants()
        .filter(|node| node.tag_name().name() == "text");
    let extent = |node: roxmltree::Node<'_, '_>| {
        let number = |name| coordinate(node.attribute(name).unwrap_or("0")) / style::UNITS_PER_PX;
        let text = node.text().unwrap_or_default().to_owned();
        let (x, width) = (number("x"), text_width(&text, number("font-size")));
        match node.attribute("text-anchor") {
            Some("middle") => (x - width / 2.0, x + width / 2.0, text),
            Some("end") => (x - width, x, text),
            _ => (x, x + width, text),
        }
    };
    texts.map(extent).collect()
}

#[test]
fn no_word_of_a_narrow_figure_is_cut() {
    let long =
        "A title that says what is shown in more words than a telephone has room for in a line";
    let bars = [
        Bar::measured("vectorized: 16 bytes on both sides of the tile", gb(3413.0))
            .note("a note on it"),
        Bar::measured("naive", gb(530.0)),
    ];
    let far = lanes(Space::Global, 4, |lane| 0x1000 + lane * 16_777_216);
    let wide = lanes(Space::Shared, 16, |lane| lane * 512);
    let figures = [
        bandwidth(long, &bars, Some(gb(3873.0)), ""),
        sectors(long, &far, 0x1000),
        sectors(long, &lanes(Space::Global, 16, |lane| lane * 48 + 8), 0),
        banks(long, &wide),
        banks(long, &lanes(Space::Shared, 4, |lane| lane * 128)),
        bank_map(long, &Tile::new(32, 32, 33), &wide),
        occupancy(
            long,
            &[Resident::new("16 × 16", 8, 48, 64, "shared memory")],
            "",
        ),
    ];
    let width = style::Form::Narrow.bars();
    for figure in &figures {
        for (from, to, text) in extents(&figure.narrow) {
            assert!(from > -3.0 && to < width + 3.0, "{text}: {from} to {to}");
            assert!(!text.ends_with('…') || text.len() < 6, "{text} is cut");
        }
    }
}

#[test]
fn both_forms_say_the_same() {
    let column = lanes(Space::Shared, 4, |lane| lane * 128);
    let figure = banks("t", &column);
    let title = |svg: &str| svg.split("</desc>").next().unwrap_or_default().to_owned();
    let said = |svg: &str| title(svg).split("<title>").nth(1).map(str::to_owned);
    assert_eq!(said(&figure.svg), said(&figure.narrow));
    assert!(texts_of(&figure.narrow).iter().any(|text| text == "32×"));
    let html = figure.to_html();
    assert_eq!(html.matches("<svg").count(), 2);
    assert!(
        html.contains("<div class=\"ct-narrow\" hidden>")
            && html.contains("container:ct-lanes/inline-size")
    );
}

#[test]
fn bank_map_numbers_the_words_asked_for() {
    let tile = Tile::new(32, 32, 33);
    let column = lanes(Space::Shared, 4, |lane| lane * 132);
    let figure = bank_map("t", &tile, &column);
    assert!(
        texts(&figure)[1].contains("the 32 words outlined, from 32 different banks: 1 wavefront")
    );
    let moved = bank_map("t", &Tile { start: 128, ..tile }, &column);
    assert_eq!(moved.caption, "1 word of the access lies outside the tile.");
}

#[test]
fn local_memory_is_shown_as_its_words_lie() {
    // All lanes the same word: a line. Each lane another one of eight: a word from every sector of eight lines.
    let same = texts(&local("t", &lanes(Space::Local, 4, |_| 12)));
    let told = "32 lanes load 4 bytes each: 4 sectors, 128 bytes moved for 128 bytes wanted, 100";
    assert!(same.iter().any(|text| text.contains(told)), "{same:?}");
    assert!(same.iter().any(|text| text == "384"), "{same:?}");
    let apart = texts(&local("t", &lanes(Space::Local, 4, |lane| 4 * (lane % 8))));
    let told = "32 sectors, 1\u{202F}024 bytes moved for 128 bytes wanted, 12.5";
    assert!(apart.iter().any(|text| text.contains(told)), "{apart:?}");
    // Sixteen bytes of each lane are four words, in four lines.
    let wide = texts(&local("t", &lanes(Space::Local, 16, |_| 16)));
    let told = "32 lanes load 16 bytes each: 16 sectors, 512 bytes moved for 512 bytes wanted, 100";
    assert!(wide.iter().any(|text| text.contains(told)), "{wide:?}");
    let none = texts(&local("t", &access(Space::Local, 4, [None; 32])));
    assert!(none.iter().any(|text| text.contains("nothing to draw")));
}

/// The picture of a warp whose lane fetches from a picture of 40 rows and 24 columns of floats at (x, y), and the requests
/// and sectors that the launch counts.
fn fetched(sampling: Sampling, place: fn(usize) -> (f32, f32)) -> (Figure, u64, u64) {
    let text = ".version 6.4\n.target sm_75\n.address_size 64\n\
        .visible .entry fetch(.param .u64 picture, .param .u64 places, .param .u64 out) {\n\
        .reg .b32 %r<5>; .reg .f32 %f<2>; .reg .b64 %rd<6>;\n\
        ld.param.u64 %rd1, [picture]; ld.param.u64 %rd2, [places]; ld.param.u64 %rd3, [out]; mov.u32 %r0, %tid.x;\n\
        mul.wide.u32 %rd4, %r0, 8; add.u64 %rd4, %rd4, %rd2; ld.global.v2.f32 {%f0, %f1}, [%rd4];\n\
        tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f0, %f1}];\n\
        mul.wide.u32 %rd5, %r0, 4; add.u64 %rd5, %rd5, %rd3; st.global.u32 [%rd5], %r1; ret;\n}\n";
    let (device, shape) = (Device::emulator(), Shape::new(40, 24));
    let kernel = Kernel::ptx(text, "fetch").unwrap();
    let picture = device.texture_2d("picture", &[1.5_f32; 40 * 24], shape, sampling);
    let places: Vec<f32> = (0..32).map(place).flat_map(|(x, y)| [x, y]).collect();
    let (picture, places) = (picture.unwrap(), device.upload("places", &places).unwrap());
    let out = device.poisoned::<u32>("out", 32).unwrap();
    let options = LaunchOptions::traced(TraceRequest {
        blocks: vec![[0; 3]],
        max_accesses: 100,
        ..TraceRequest::default()
    });
    let arguments = args![picture, places, out];
    let report = device
        .launch_with(&kernel, 1, 32, arguments, &options)
        .unwrap();
    let counters = report.counters.unwrap();
    let accesses = report.trace.unwrap().accesses;
    let figure = texels::texels("t", &accesses, shape);
    (figure, counters.texture_requests, counters.texture_sectors)
}

#[test]
fn texels_states_what_a_fetch_takes_and_what_is_counted_of_it() {
    let border = Sampling::point().beyond(AddressMode::Border);
    type Place = fn(usize) -> (f32, f32);
    let cases: [(Sampling, Place, &str); 7] = [
        (
            Sampling::point(),
            |lane| ((lane % 8) as f32 + 8.5, (lane / 8) as f32 + 4.5),
            "32 lanes take 32 texels in 4 sectors; quad by quad, 8 quads of four lanes touch 8 sectors",
        ),
        (
            Sampling::point(),
            |lane| (3.5, lane as f32 + 0.5),
            "32 lanes take 32 texels in 16 sectors; quad by quad, 8 quads of four lanes touch 16 sectors",
        ),
        (
            Sampling::point(),
            |lane| (lane as f32 + 0.5, 7.5),
            // Columns 24 to 31 are clamped to the last one.
            "32 lanes take 24 texels in 6 sectors; quad by quad, 8 quads of four lanes touch 8 sectors",
        ),
        (
            border,
            |lane| (lane as f32 + 0.5, 7.5),
            "24 lanes take 24 texels in 6 sectors; quad by quad, 6 quads of four lanes touch 6 sectors",
        ),
        (
            Sampling::linear(),
            |lane| ((lane % 8) as f32 + 9.0, (lane / 8) as f32 + 5.0),
            "32 lanes take 45 texels in 9 sectors; quad by quad, 8 quads of four lanes touch 24 sectors",
        ),
        (
            Sampling::linear(),
            |lane| ((lane % 8) as f32 + 8.75, (lane / 8) as f32 + 4.75),
            "32 lanes take 45 texels in 9 sectors; quad by quad, 8 quads of four lanes touch 24 sectors",
        ),
        (
            Sampling::point(),
            |_| (5.5, 5.5),
            "32 lanes take 1 texel in 1 sector; quad by quad, 8 quads of four lanes touch 8 sectors",
        ),
    ];
    for (number, (sampling, place, said)) in cases.into_iter().enumerate() {
        let (figure, requests, sectors) = fetched(sampling, place);
        let shown = texts(&figure);
        let summary = shown[1..].join(" ");
        assert!(summary.starts_with(said), "{number}: {summary}");
        assert!(figure.svg.contains(&format!("<desc>{said}")), "{number}");
        // Two quads lie beyond the border; the counters have a sector for each of them all the same.
        let beyond = if sampling == border { 2 } else { 0 };
        let counted = format!("touch {} sectors", sectors - beyond);
        assert!(said.ends_with(&counted), "{number}: {counted}");
        assert_eq!(requests, 8, "{number}");
    }
}

#[test]
fn texels_of_no_picture_or_too_far_apart_are_said() {
    let fetch = |step: u64| lanes(Space::Texture, 4, move |lane| lane * step);
    let shown = |access: &Access, rows, columns| {
        texts(&texels::texels(
            "t",
            std::slice::from_ref(access),
            Shape::new(rows, columns),
        ))
        .join(" ")
    };
    assert!(shown(&fetch(4), 1, 32).contains("32 texels in 8 sectors"));
    for (access, rows, columns, reason) in [
        (fetch(8192), 64, 1024, "too far apart"),
        (fetch(4), 3, 5, "beyond this picture"),
        (fetch(4), 0, 0, "beyond this picture"),
        (fetch(1 << 58), usize::MAX, 1, "too far apart"),
        (access(Space::Texture, 0, [None; 32]), 5, 7, "no lane takes"),
        (lanes(Space::Global, 4, |lane| 4 * lane), 5, 7, "no fetch"),
    ] {
        let shown = shown(&access, rows, columns);
        assert!(
            shown.contains("nothing to draw") && shown.contains(reason),
            "{shown}"
        );
    }
}
