//! Searches: round trip, the best and what is not told apart from it, each factor alone, staleness, refusal of what is no search.

use crate::Folder;
use cornerturn::tuning::{
    Choice, End, Factor, Hints, Order, Ring, RingFactor, RingProduct, Search, SearchOf, Space,
    Subject, Transpose, Tried, TriedOf, Tuning, Variant,
};
use cornerturn::{Device, ElementType, Layout, ProductShape, ProductTuning, Registry};
use proptest::prelude::*;

const F32: ElementType = ElementType::F32;
const BEST: Variant = Variant {
    tile: [64, 64],
    loads: 4,
    order: Order::AlongOut,
    hints: Hints::StreamStores,
};

fn subject(rows: usize) -> Transpose {
    Transpose {
        element: F32,
        rows,
        columns: 500,
    }
}

fn search(rows: usize) -> Search {
    Search {
        subject: subject(rows),
        date: "2026-11-21".to_string(),
        commit: "0123456789abcdef".to_string(),
        tool: "cornerturn 0".to_string(),
        source_sha256: "0".repeat(64),
        compiler: "NVRTC 13.0".to_string(),
        end: End::Finished,
        library: String::new(),
        reference_us: vec![1.0, 1.0, 1.0],
    }
}

fn tried(variant: Variant, rounds: u32, samples_us: &[f64]) -> Tried {
    Tried {
        subject: subject(1000),
        variant,
        rounds,
        registers_per_thread: None,
        local_bytes_per_thread: None,
        verified_here: rounds > 1,
        refused: samples_us.is_empty().then(|| "too large".to_string()),
        samples_us: samples_us.to_vec(),
    }
}

/// A search as a GPU would leave it.
fn tuning() -> Tuning {
    let mut tuning = Tuning::new(&Device::emulator());
    tuning.device.facts.name = "NVIDIA \"Test\" GPU".to_string();
    tuning.device.facts.slug = "test".to_string();
    let order = |order| Variant { order, ..BEST };
    let hints = |hints| Variant { hints, ..BEST };
    let other = Variant {
        loads: 8,
        ..order(Order::Squares(8))
    };
    tuning.put(
        search(1000),
        vec![
            tried(order(Order::AlongIn), 1, &[1.6, 1.6, 1.6]),
            tried(BEST, 2, &[1.2, 1.25, 1.3]),
            // Fast, but dropped before the last round.
            tried(other, 1, &[1.1]),
            tried(order(Order::Squares(32)), 2, &[1.28, 1.32, 1.36]),
            tried(hints(Hints::None), 2, &[1.4, 1.5, 1.6]),
            tried(hints(Hints::Keep), 0, &[]),
        ],
    );
    tuning
}

#[test]
fn the_best_is_named_with_what_is_not_told_apart_from_it() {
    let tuning = tuning();
    let found = tuning.search(F32, 1000, 500).unwrap();
    let best = found.best().unwrap();
    assert_eq!(best.variant, BEST);
    // 4 MB in 1.25 µs against 1 µs.
    assert!((found.percent(best).unwrap() - 80.0).abs() < 1e-9);
    let ties: Vec<f64> = found.ties().iter().map(|tie| tie.samples_us[0]).collect();
    // One is faster in its few samples; the other's lower quartile, 1.30, is above the best's upper one, 1.275.
    assert_eq!(ties, [1.1]);
    assert_eq!(found.refused.len(), 1);
}

#[test]
fn each_factor_alone_is_in_the_order_of_the_space() {
    let tuning = tuning();
    let found = tuning.search(F32, 1000, 500).unwrap();
    let values = |factor| -> Vec<String> {
        let alone = found.alone(&BEST, factor);
        alone
            .iter()
            .map(|tried| tried.variant.value(factor))
            .collect()
    };
    assert_eq!(
        values(Factor::Order),
        ["rows of out", "rows of in", "squares of 32"]
    );
    assert_eq!(values(Factor::Hints), ["no hints", ".cs stores"]);
    assert_eq!(values(Factor::Tile), ["64×64"]);
}

#[test]
fn a_search_takes_the_place_of_its_predecessor_alone() {
    let mut tuning = tuning();
    tuning.put(search(7), Vec::new());
    tuning.put(search(1000), vec![tried(BEST, 1, &[2.0])]);
    assert_eq!(tuning.searches.len(), 2);
    assert_eq!(tuning.search(F32, 1000, 500).unwrap().timed.len(), 1);
    let error = tuning.search(F32, 8, 500).unwrap_err().to_string();
    for part in ["8×500 f32", "7×500 f32", "cornerturn tune --rows 8"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn what_is_written_is_read_back_whole() {
    let folder = Folder::new("tuning");
    let path = tuning().path_below(&folder.0);
    assert!(path.ends_with("test/tune.json"));
    tuning().save_to(&path).unwrap();
    assert_eq!(Tuning::load_file(&path).unwrap(), tuning());
    // One variant a line.
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.lines()
            .filter(|line| line.contains("\"tile\""))
            .all(|line| line.matches("tile").count() == 1)
    );
    let stale = tuning().stale(&Registry::load().unwrap());
    assert_eq!(stale.len(), 1);
    assert!(stale[0].contains("1000×500 f32"), "{stale:?}");
}

#[test]
fn a_file_that_is_no_search_is_refused_with_the_next_step() {
    let folder = Folder::new("tuning-bad");
    let path = folder.0.join("tune.json");
    tuning().save_to(&path).unwrap();
    let good = std::fs::read_to_string(&path).unwrap();
    let changes = [
        ("\"schema\":1", "\"schema\":7", "schema 7"),
        ("1.25", "-1.25", "no times"),
        ("\"rows\":1000", "\"rows\":0", "no shape"),
        ("\"rows\":1000", "\"rows\":18446744073709551615", "no shape"),
        ("along_in", "sideways", "sideways"),
        ("\"searches\"", "\"searched\"", "searche"),
    ];
    for (from, to, words) in changes {
        std::fs::write(&path, good.replace(from, to)).unwrap();
        let error = Tuning::load_file(&path).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        let text = error.to_string();
        assert!(
            text.contains(words) && text.contains("tune.json") && text.contains("search again"),
            "{text}"
        );
    }
    assert!(Tuning::load("../h200").is_err());
    assert!(
        Tuning::load("no-such-gpu")
            .unwrap_err()
            .to_string()
            .contains("cornerturn tune")
    );
}

#[test]
fn every_variant_of_every_space_is_written_and_read_back() {
    for element in [F32, ElementType::F64, ElementType::U16, ElementType::U8] {
        for variant in Space::of(element).unwrap().variants() {
            let text = serde_json::to_string(&variant).unwrap();
            assert_eq!(serde_json::from_str::<Variant>(&text).unwrap(), variant);
        }
    }
}

proptest! {
    #[test]
    fn no_text_panics(cut in 0_usize..4000, byte in any::<u8>()) {
        let folder = Folder::new("tuning-any");
        let path = folder.0.join("tune.json");
        tuning().save_to(&path).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let at = cut % bytes.len();
        bytes[at] = byte;
        std::fs::write(&path, &bytes).unwrap();
        if let Ok(read) = Tuning::load_file(&path) {
            for search in &read.searches {
                if let Ok(found) = read.of(&search.subject) {
                    let _ = (found.best(), found.ties());
                    let _ = cornerturn::plot::landscape_of(&read, &search.subject);
                }
            }
        }
    }
}

/// A search for a product, as a GPU would leave it.
fn product_tuning() -> ProductTuning {
    let mut tuning = ProductTuning::new(&Device::emulator());
    tuning.device.facts.name = "NVIDIA \"Test\" GPU".to_string();
    tuning.device.facts.slug = "test".to_string();
    let subject = RingProduct {
        shape: ProductShape::new(1000, 1002, 1003),
        layout: Layout::Nt,
    };
    let search = SearchOf {
        subject,
        date: "2026-11-21".to_string(),
        commit: "0123456789abcdef".to_string(),
        tool: "cornerturn 0".to_string(),
        source_sha256: "0".repeat(64),
        compiler: "NVRTC 13.0".to_string(),
        end: End::TimeUp,
        library: "cuBLAS 13.1.0".to_string(),
        reference_us: vec![100.0, 101.0, 102.0],
    };
    let tried = |(index, variant): (usize, Ring)| TriedOf {
        subject,
        variant,
        rounds: u32::from(index != 3),
        verified_here: false,
        registers_per_thread: Some(128),
        local_bytes_per_thread: Some(if index == 2 { 16 } else { 0 }),
        refused: (index == 3).then(|| "too large".to_string()),
        samples_us: if index == 3 {
            vec![]
        } else {
            vec![110.0 + index as f64]
        },
    };
    let variants = subject.variants().into_iter().enumerate();
    tuning.put(search, variants.map(tried).collect());
    tuning
}

#[test]
fn a_search_for_a_product_is_kept_beside_that_for_the_transpose() {
    let folder = Folder::new("tuning-gemm");
    let tuning = product_tuning();
    let path = tuning.path_below(&folder.0);
    assert!(path.ends_with("test/tune-gemm.json"));
    tuning.save_to(&path).unwrap();
    assert_eq!(ProductTuning::load_file(&path).unwrap(), tuning);
    let subject = tuning.searches[0].subject;
    let found = tuning.of(&subject).unwrap();
    let best = found.best().unwrap();
    assert_eq!(best.variant, subject.variants()[0]);
    // 101 µs of cuBLAS against 110.
    assert!((found.percent(best).unwrap() - 100.0 * 101.0 / 110.0).abs() < 1e-9);
    assert_eq!(found.timed.iter().filter(|tried| tried.spills()).count(), 1);
    let alone = found.alone(&best.variant, RingFactor::Split);
    assert_eq!(alone.len(), 5, "{alone:?}");
    let other = RingProduct {
        layout: Layout::Nn,
        ..subject
    };
    let error = tuning.of(&other).unwrap_err().to_string();
    for part in [
        "1000×1002×1003 nt",
        "cornerturn tune gemm --shape 1000x1002x1003 --layout nn",
    ] {
        assert!(error.contains(part), "{error}");
    }
    let figure = cornerturn::plot::landscape_of(&tuning, &subject).unwrap();
    assert!(figure.to_html().contains("Split of k: 2"));
    let bad = std::fs::read_to_string(&path).unwrap().replace("1002", "0");
    std::fs::write(&path, bad).unwrap();
    let error = ProductTuning::load_file(&path).unwrap_err().to_string();
    assert!(error.contains("no shape of a product"), "{error}");
}
