//! Bars drawn from a record; its samples are made up.

use super::*;
use crate::facts::DeviceFacts;
use crate::operation::Operation;
use crate::record::{DRIVER_COPY, Measurement, Record, RecordedDevice, SCHEMA};
use crate::{ElementType, ErrorKind, Shape};

fn measurement(kernel: &str, samples_us: &[f64]) -> Measurement {
    Measurement::new(
        kernel,
        Operation::Transpose,
        ElementType::F32,
        Shape::new(1000, 500),
        samples_us.to_vec(),
    )
}

fn record(measurements: Vec<Measurement>) -> Record {
    let facts = DeviceFacts {
        name: "Made-up GPU".to_owned(),
        peak_gb_per_s: 5000.0,
        peak_source: "made up".to_owned(),
        ..DeviceFacts::emulator()
    };
    Record {
        schema: SCHEMA,
        experiment: "test".to_owned(),
        device: RecordedDevice {
            facts,
            clocks: Default::default(),
        },
        date: "2026-11-21".to_owned(),
        commit: "0123456789abcdef".to_owned(),
        tool: String::new(),
        runs: Vec::new(),
        measurements,
    }
}

#[test]
fn a_ladder_shows_medians_against_copy_and_peak_with_provenance() {
    // 4 MB in 1, 2 and 4 µs: 4000, 2000 and 1000 GB/s.
    let record = record(vec![
        measurement(DRIVER_COPY, &[1.0]),
        measurement("fast", &[1.6, 2.0, 2.4]),
        measurement("slow", &[4.0]),
    ]);
    let drawn = ladder(&record, 1000, 500, &[("slow", "Naive"), ("fast", "Padded")]);
    let figure = drawn.unwrap_or_else(|error| panic!("{error}"));
    let texts = texts(&figure);
    for text in [
        "1000 × 500 f32 on Made-up GPU",
        "Naive",
        "1000",
        "25\u{202F}%",
        "20\u{202F}%",
        "Padded",
        "2000",
    ] {
        assert!(
            texts.iter().any(|t| t == text),
            "{text} is missing: {texts:?}"
        );
    }
    assert!(texts.iter().any(|t| t == "device copy 4000") && texts.iter().any(|t| t == "of peak"));
    assert_eq!(figure.caption, record.provenance());
}

#[test]
fn a_ladder_without_its_numbers_is_an_error_that_names_what_there_is() {
    let record = record(vec![measurement("padded", &[1.0])]);
    for (rows, expected) in [
        (1000, "no measurement of the device's copy at 1000×500"),
        (7, "at 7×500 of f32"),
    ] {
        let error = ladder(&record, rows, 500, &[("padded", "Padded")]).err();
        let text = error.as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(
            text.contains(expected) && text.contains("it has padded; at 1000×500"),
            "{text}"
        );
        assert_eq!(error.map(|e| e.kind()), Some(ErrorKind::BadUse));
    }
}

#[test]
fn a_ladder_of_doubles_is_measured_against_the_copy_of_doubles() {
    let double = |mut m: Measurement| {
        m.element = ElementType::F64;
        m
    };
    let record = record(vec![
        measurement(DRIVER_COPY, &[1.0]),
        double(measurement(DRIVER_COPY, &[2.0])),
        double(measurement("f64_padded", &[4.0])),
    ]);
    let drawn = ladder(&record, 1000, 500, &[("f64_padded", "Padded")]);
    let shown = texts(&drawn.unwrap_or_else(|error| panic!("{error}")));
    assert!(
        shown.iter().any(|t| t == "50\u{202F}%") && shown[0].contains("f64"),
        "{shown:?}"
    );
}

#[test]
fn a_table_of_a_record_has_shares_of_copy_and_peak_and_dashes() {
    let record = record(vec![
        measurement(DRIVER_COPY, &[1.0]),
        measurement("fast", &[2.0]),
    ]);
    let rows = [("fast", "Padded <1>")];
    let table = ladder_table(&record, &[(1000, 500)], &rows).unwrap_or_else(|e| panic!("{e}"));
    for part in [
        "device copy",
        "Padded &lt;1&gt;",
        "2000<br><small>50\u{202F}% · 40\u{202F}%</small>",
        "1000 × 500",
    ] {
        assert!(
            table.html.contains(part),
            "{part} is missing: {}",
            table.html
        );
    }
    assert!(ladder_table(&record, &[(7, 7)], &rows).is_err(), "no copy");
    let unknown = ladder_table(&record, &[(1000, 500)], &[("slow", "Naive")]);
    assert!(unknown.is_err_and(|e| e.to_string().contains("`slow`")));
}
