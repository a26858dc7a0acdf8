//! Bars drawn from a record; its samples are made up.

use super::*;
use cornerturn_base::facts::DeviceFacts;
use cornerturn_base::operation::Operation;
use cornerturn_base::{ElementType, ErrorKind, Shape};
use cornerturn_measure::record::{DRIVER_COPY, Measurement, Record, RecordedDevice, SCHEMA};

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
        host: None,
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

#[test]
fn shares_and_gains_have_a_dash_for_what_was_not_measured() {
    let mut record = record(vec![
        measurement(DRIVER_COPY, &[1.0]),
        measurement("fast", &[2.0]),
        measurement("slow", &[4.0]),
    ]);
    assert_eq!(record.rate("slow", 1000, 500).unwrap(), gb(1000.0));
    assert!((record.share("fast", 1000, 500).unwrap() - 0.5).abs() < 1e-12);
    let shapes = [(1000, 500), (7, 7)];
    let html = shares(&record, &shapes, &[("slow", "Naive")]).unwrap().html;
    for text in [">Naive<", ">25.0<", ">–<", ">7 × 7<"] {
        assert!(html.contains(text), "{text}: {html}");
    }
    let pairs = [("slow", "fast", "Padding"), ("slow", "none", "Nothing")];
    let html = gains(&record, &shapes[..1], &pairs).unwrap().html;
    assert!(html.contains("+100.0 %") && html.contains(">–<"), "{html}");
    let unknown = gains(&record, &shapes, &pairs).map_err(|error| error.to_string());
    assert!(unknown.is_err_and(|e| e.contains("at 7×7")));
    let unknown = shares(&record, &shapes, &[("none", "None")]);
    assert!(unknown.is_err_and(|e| e.to_string().contains("`none`")));
    record.measurements.remove(0);
    let no_copy = record
        .share("fast", 1000, 500)
        .map_err(|error| error.to_string());
    assert!(no_copy.is_err_and(|e| e.contains("the driver's copy")));
}

#[test]
fn residents_have_bandwidths_only_on_the_gpu_of_the_record() {
    let mut kernel = measurement("fast", &[2.0]);
    kernel.block = Some(cornerturn_base::Dim3::from((32, 32)));
    kernel.registers_per_thread = Some(16);
    kernel.static_shared_bytes = Some(0);
    kernel.dynamic_shared_bytes = Some(0);
    let mut record = record(vec![kernel, measurement("slow", &[4.0])]);
    record.device.facts.compute_capability = "9.0".to_owned();
    let drawn = |capability, id| {
        let kernels = [(id, "32 × 32")];
        residents("t", &record, capability, (1000, 500), &kernels)
    };
    let here = texts(&drawn("9.0", "fast").unwrap());
    assert!(
        here.iter().any(|t| t == "64 of 64, 100\u{202F}%"),
        "{here:?}"
    );
    assert!(here.iter().any(|t| t == "2000"), "{here:?}");
    let there = texts(&drawn("12.0", "fast").unwrap());
    assert!(
        there.iter().any(|t| t == "32 of 48, 67\u{202F}%"),
        "{there:?}"
    );
    assert!(!there.iter().any(|t| t == "2000"), "{there:?}");
    assert!(drawn("9.0", "slow").is_err_and(|e| e.to_string().contains("registers of `slow`")));
    assert!(drawn("0.0", "fast").is_err());
}
