//! Records: round trip, refusal of what is not one, staleness, whole files only.

use crate::{Folder, registered};
use cornerturn::record::{CUBLAS_GEAM, DRIVER_COPY, Measurement, Record};
use cornerturn::verify::Operation;
use cornerturn::{Device, Dim3, ElementType, Limits, Registry, Shape, TimingMode};
use proptest::prelude::*;

fn measurement(kernel: &str, rows: usize, samples_us: Vec<f64>) -> Measurement {
    Measurement {
        grid: Some(Dim3::new(128, 128, 1)),
        block: Some(Dim3::new(32, 8, 1)),
        ..Measurement::new(
            kernel,
            Operation::Transpose,
            ElementType::F32,
            Shape::new(rows, 4096),
            samples_us,
        )
    }
}

/// A record as a GPU would leave it.
fn record(measurements: Vec<Measurement>) -> Record {
    let mut record = Record::new("transpose", &Device::emulator(), "0123456789abcdef");
    record.device.facts.name = "NVIDIA \"Test\" GPU".to_string();
    record.device.facts.slug = "test".to_string();
    record.device.facts.cuda_version = "12.8".to_string();
    record.device.facts.driver = "570.1".to_string();
    record.device.clocks.sm_mhz = Some(1980);
    record.device.clocks.memory_mhz = Some(3201);
    record.measurements = measurements;
    record
}

#[test]
fn a_record_is_found_by_kernel_shape_and_mode() {
    let mut warm = measurement("padded", 4096, vec![30.0]);
    warm.mode = TimingMode::Warm;
    let record = record(vec![
        warm,
        measurement("padded", 4096, vec![41.0, 39.0, 40.0]),
        measurement(DRIVER_COPY, 4096, vec![35.0]),
    ]);
    let padded = record.measurement("padded", 4096, 4096).unwrap();
    assert_eq!(padded.median_us(), 40.0);
    assert!((padded.gb_per_s().0 - 134_217_728.0 / 40.0 / 1e3).abs() < 1e-9);
    assert_eq!(
        record
            .measurement_in(TimingMode::Warm, "padded", 4096, 4096)
            .unwrap()
            .median_us(),
        30.0
    );
    assert_eq!(record.copy(4096, 4096).unwrap().median_us(), 35.0);
    assert!(record.measurement("padded", 4096, 4095).is_none());
    let line = record.provenance();
    for part in [
        "NVIDIA \"Test\" GPU",
        "12.8",
        "570.1",
        "1980 MHz",
        "0123456789",
        &record.date,
    ] {
        assert!(line.contains(part), "{line}");
    }
    assert!(!line.contains('\n'));
}

#[test]
fn a_later_run_replaces_its_kernels_and_no_others() {
    let own = |us: f64| {
        vec![
            measurement(DRIVER_COPY, 4096, vec![us]),
            measurement("padded", 4096, vec![us + 1.0]),
        ]
    };
    let mut all = own(30.0);
    all.push(measurement("tiled", 4096, vec![90.0]));
    all.push(measurement("padded", 2048, vec![12.0]));
    let later = |us: f64, commit: &str| Record {
        commit: commit.to_string(),
        ..record(own(us))
    };
    let merged = record(all).with_later(later(40.0, "later")).unwrap();
    let median = |kernel: &str, rows: usize| {
        let measurement = merged.measurement(kernel, rows, 4096).unwrap();
        let copy = merged.copy_for(measurement).map(Measurement::median_us);
        (measurement.median_us(), copy)
    };
    assert_eq!(median("padded", 4096), (41.0, Some(40.0)));
    assert_eq!(median("tiled", 4096), (90.0, Some(30.0)));
    assert_eq!(median("padded", 2048), (12.0, None));
    assert_eq!(merged.copy(4096, 4096).unwrap().median_us(), 30.0);
    let line = merged.provenance();
    assert!(line.contains("; padded again "), "{line}");
    assert!(line.ends_with(", commit later"), "{line}");
    // A third run takes the place of the second, whose copy is of no use any more.
    let third = merged.with_later(later(50.0, "third")).unwrap();
    assert_eq!((third.runs.len(), third.measurements.len()), (1, 5));
    let padded = third.measurement("padded", 4096, 4096).unwrap();
    assert_eq!(third.copy_for(padded).unwrap().median_us(), 50.0);
    // It is read as it was written.
    let folder = Folder::new("later");
    let path = folder.0.join("transpose.json");
    third.save_to(&path).unwrap();
    assert_eq!(Record::load_file(&path).unwrap(), third);
}

#[test]
fn a_kernel_of_a_later_run_is_named_once_whatever_it_was_measured_at() {
    let sides = [2048, 4096];
    let of = |side| ["padded", "tiled"].map(|kernel| measurement(kernel, side, vec![9.0]));
    let later = record(sides.into_iter().flat_map(of).collect());
    let merged = record(vec![measurement("limit", 4096, vec![7.0])]);
    let line = merged.with_later(later).unwrap().provenance();
    assert!(line.contains("; padded, tiled again "), "{line}");
}

#[test]
fn runs_of_two_drivers_do_not_mix() {
    let one = record(vec![measurement("padded", 4096, vec![40.0])]);
    let mut other = one.clone();
    other.device.facts.driver = "580.2".to_string();
    let error = one.with_later(other).unwrap_err().to_string();
    for part in ["570.1", "580.2", "--out"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_copy_is_that_of_the_element_type() {
    let double = |kernel: &str, us: f64| Measurement {
        element: ElementType::F64,
        bytes_moved: 16 * 4096 * 4096,
        ..measurement(kernel, 4096, vec![us])
    };
    let batch = |kernel: &str, us: f64| Measurement {
        batches: 7,
        ..measurement(kernel, 64, vec![us])
    };
    let record = record(vec![
        double(DRIVER_COPY, 70.0),
        double("f64_padded", 80.0),
        measurement(DRIVER_COPY, 4096, vec![35.0]),
        batch(DRIVER_COPY, 9.0),
        batch("batched", 10.0),
    ]);
    assert_eq!(record.copy(4096, 4096).unwrap().median_us(), 35.0);
    let f64_padded = record.measurement("f64_padded", 4096, 4096).unwrap();
    assert_eq!(record.copy_for(f64_padded).unwrap().median_us(), 70.0);
    let copy = record.measurement_of(DRIVER_COPY, ElementType::F64, 4096, 4096);
    assert_eq!(copy, record.copy_for(f64_padded));
    assert!(
        record
            .measurement_of("f64_padded", ElementType::F32, 4096, 4096)
            .is_none()
    );
    let batched = record.measurement("batched", 64, 4096).unwrap();
    assert_eq!(batched.matrices(), "7 × 64×4096");
    assert_eq!(record.copy_for(batched).unwrap().median_us(), 9.0);
    assert!(
        record
            .copy_for(&measurement("padded", 64, vec![1.0]))
            .is_none()
    );
}

#[test]
fn a_record_from_before_registers_and_batches_still_loads() {
    let record = Record::load("h200", "transpose").unwrap();
    let padded = record.measurement("padded", 4096, 4096).unwrap();
    assert_eq!(padded.batches, 1);
    // What is not known is not written either.
    let text = serde_json::to_string(&measurement("padded", 64, vec![1.0])).unwrap();
    for field in ["batches", "registers", "shared", "blocks_per", "library"] {
        assert!(!text.contains(field), "{text}");
    }
}

/// What the driver answered when the record was made, against our calculation.
#[test]
fn the_recorded_occupancy_is_the_calculated_one() {
    let record = Record::load("h200", "transpose").unwrap();
    let limits = Limits::of(&record.device.facts.compute_capability).unwrap();
    for m in &record.measurements {
        let Some(recorded) = m.blocks_per_multiprocessor else {
            continue;
        };
        let calculated = m.occupancy(&limits).unwrap();
        assert_eq!(
            calculated.blocks(),
            recorded,
            "{} at {}",
            m.kernel,
            m.matrices()
        );
    }
}

#[test]
fn what_is_no_record_is_refused_with_its_place() {
    let folder = Folder::new("bad-records");
    let good = serde_json::to_string(&record(vec![measurement("padded", 64, vec![1.0])])).unwrap();
    let cases = [
        ("not JSON", "{".to_string(), "line 1"),
        (
            "future",
            good.replace("\"schema\":1", "\"schema\":9"),
            "schema 9",
        ),
        ("no samples", good.replace("[1.0]", "[]"), "no samples"),
        ("negative", good.replace("[1.0]", "[-1.0]"), "no samples"),
        (
            "no device",
            good.replace("\"device\"", "\"devise\""),
            "device",
        ),
    ];
    for (name, text, part) in cases {
        let path = folder.write("case.json", text);
        let error = Record::load_file(&path).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{name}");
        let message = error.to_string();
        assert!(
            message.contains("case.json") && message.contains(part),
            "{name}: {message}"
        );
    }
    let path = folder.write("case.json", [0xFF, 0xFE]);
    assert!(
        Record::load_file(&path)
            .unwrap_err()
            .to_string()
            .contains("UTF-8")
    );
    assert!(
        Record::load("../../etc", "passwd")
            .unwrap_err()
            .to_string()
            .contains("no name")
    );
    assert!(Record::load("h200", "no-such-experiment").is_err());
}

#[test]
fn a_record_whose_kernel_changed_is_stale() {
    let registry = Registry::load().unwrap();
    let (kernel, _) = registered("padded");
    let mut fresh = measurement("padded", 64, vec![1.0]);
    fresh.source_sha256 = kernel.source_sha256().unwrap().to_string();
    fresh.ptx_sha256 = kernel.ptx_sha256().to_string();
    let copy = measurement(DRIVER_COPY, 64, vec![1.0]);
    let mut geam = measurement(CUBLAS_GEAM, 64, vec![1.0]);
    geam.library = Some("cuBLAS 13.1.0".to_string());
    assert_eq!(
        record(vec![fresh.clone(), copy, geam]).stale(&registry),
        Vec::<String>::new()
    );

    let mut other_source = fresh.clone();
    other_source.source_sha256 = "0".repeat(64);
    let mut other_ptx = fresh.clone();
    other_ptx.ptx_sha256 = "0".repeat(64);
    let gone = measurement("gone", 64, vec![1.0]);
    let stale = record(vec![
        fresh,
        other_source.clone(),
        other_source,
        other_ptx,
        gone,
    ])
    .stale(&registry);
    assert_eq!(stale.len(), 3, "{stale:?}");
    assert!(stale[0].contains("another source") && stale[1].contains("other PTX"));
    assert!(stale[2].contains("`gone` is not in the registry"));
}

#[test]
fn saving_replaces_the_file_and_leaves_nothing_beside_it() {
    let folder = Folder::new("save-record");
    let path = folder.write("deep/transpose.json", "old");
    let record = record(vec![
        measurement("padded", 64, vec![1.0]),
        measurement("tiled", 64, vec![2.0]),
    ]);
    record.save_to(&path).unwrap();
    assert_eq!(Record::load_file(&path).unwrap(), record);
    let names: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 1);
    // A measurement a line keeps a change of one small.
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        text.lines()
            .filter(|line| line.contains("\"samples_us\""))
            .count(),
        2
    );
    // A folder where the file should be: nothing is left behind.
    let blocked = folder.0.join("blocked");
    std::fs::create_dir_all(blocked.join("inside")).unwrap();
    assert!(record.save_to(&blocked).is_err());
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 2);
}

proptest! {
    #[test]
    fn any_record_survives_the_round_trip(
        kernel in "\\PC{1,12}", commit in "\\PC{0,12}",
        samples in prop::collection::vec(1e-3_f64..1e9, 1..20), rows in 1_usize..1_000_000,
    ) {
        let folder = Folder::new("round-trip");
        let mut record = record(vec![measurement(&kernel, rows, samples)]);
        record.commit = commit;
        record.measurements[0].grid = None;
        let path = folder.0.join("record.json");
        record.save_to(&path).unwrap();
        prop_assert_eq!(Record::load_file(&path).unwrap(), record);
    }
}
