//! The landscape of a search; its samples are made up.

use super::*;
use cornerturn_base::ElementType;
use cornerturn_measure::tuning::{
    End, Hints, Order, Search, Space, Transpose, Tried, Tuning, Variant,
};
use cornerturn_runtime::Device;

const F32: ElementType = ElementType::F32;

fn subject(rows: usize) -> Transpose {
    Transpose {
        element: F32,
        rows,
        columns: 500,
    }
}

/// A search of the whole space; `micros` is the duration of each variant, in the space's order.
fn tuning(micros: impl Fn(usize, &Variant) -> Option<f64>) -> Tuning {
    let mut tuning = Tuning::new(&Device::emulator());
    tuning.device.facts.name = "Made-up <GPU>".to_owned();
    let search = Search {
        subject: subject(1000),
        date: "2026-11-21".to_owned(),
        commit: "0123456789abcdef".to_owned(),
        tool: String::new(),
        source_sha256: String::new(),
        compiler: String::new(),
        end: End::Finished,
        // 4 MB in 1 µs: 4000 GB/s.
        library: String::new(),
        reference_us: vec![1.0],
    };
    let variants = Space::of(F32).unwrap().variants();
    let tried = variants.iter().enumerate().map(|(index, variant)| Tried {
        subject: subject(1000),
        variant: *variant,
        rounds: 1,
        registers_per_thread: None,
        local_bytes_per_thread: None,
        verified_here: true,
        refused: None,
        samples_us: micros(index, variant).into_iter().collect(),
    });
    let tried = tried.collect();
    tuning.put(search, tried);
    tuning
}

#[test]
fn every_variant_has_its_cell_and_the_best_its_frame() {
    let best = Variant {
        tile: [64, 64],
        loads: 4,
        order: Order::AlongOut,
        hints: Hints::StreamStores,
    };
    let tuning = tuning(|index, variant| {
        // One is too slow for the scale, one was not timed.
        let slow = if index == 7 { 3.0 } else { 1.2 };
        (index != 9).then_some(if *variant == best { 1.01 } else { slow })
    });
    let figure = landscape(&tuning, F32, 1000, 500).unwrap();
    let texts = texts(&figure);
    let count = |text: &str| texts.iter().filter(|found| *found == text).count();
    assert_eq!((count("99.0"), count("33.3"), count("–")), (1, 1, 1));
    assert_eq!(count("83.3"), Space::of(F32).unwrap().variants().len() - 3);
    for text in [
        "64×64 · 4",
        "rows of out",
        "Cache hints: no hints",
        "device copy",
        "≤ 85",
    ] {
        assert!(count(text) > 0, "no `{text}` in {texts:?}");
    }
    assert!(
        figure.caption.contains("commit 0123456789"),
        "{}",
        figure.caption
    );
}

#[test]
fn ties_are_marked_and_nothing_is_drawn_where_nothing_was_timed() {
    let all_alike = tuning(|_, _| Some(1.1));
    let drawn = texts(&landscape(&all_alike, F32, 1000, 500).unwrap());
    assert_eq!(
        drawn.iter().filter(|text| *text == "≈").count(),
        Space::of(F32).unwrap().variants().len() - 1
    );
    let none = landscape(&tuning(|_, _| None), F32, 1000, 500).unwrap();
    assert!(
        texts(&none)
            .iter()
            .any(|text| text.contains("nothing to draw"))
    );
    // Absurd times draw no absurd picture.
    let absurd = tuning(|index, _| Some(if index == 0 { 1e-300 } else { 1e300 }));
    texts(&landscape(&absurd, F32, 1000, 500).unwrap());
    assert!(landscape(&absurd, F32, 1, 1).is_err());
}

#[test]
fn the_table_of_factors_has_every_value_once_and_the_start_in_bold() {
    let from = Variant {
        tile: [64, 64],
        loads: 4,
        order: Order::AlongOut,
        hints: Hints::None,
    };
    let tuning = tuning(|_, variant| Some(if *variant == from { 1.0 } else { 1.25 }));
    let table = factors(&tuning, F32, &from, &[(1000, 500)]).unwrap().html;
    let space = Space::of(F32).unwrap();
    let values = space.tiles.len() + space.loads.len() + space.orders.len() + space.hints.len();
    assert_eq!(table.matches("<tr").count(), values + 1);
    assert_eq!(table.matches("<strong>100.0</strong>").count(), 4);
    assert_eq!(table.matches(">80.0<").count(), values - 4);
    assert!(!table.contains("\n\n"));
    assert!(factors(&tuning, F32, &from, &[(1, 1)]).is_err());
}
