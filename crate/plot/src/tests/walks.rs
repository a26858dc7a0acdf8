//! What the pictures of blocks state, drawn from traces of registered kernels.

use super::*;
use cornerturn_measure::task::Walk;
use cornerturn_measure::{Record, Task};
use cornerturn_runtime::{Device, Kernel};
use serde_json::json;

fn walk(id: &str, shape: (usize, usize), grid: (u32, u32), block: (u32, u32)) -> Walk {
    let task = Task::transpose(&Device::emulator(), shape.0, shape.1).unwrap();
    let kernel = Kernel::registered(id).unwrap();
    task.walk(&kernel, grid, block, (grid.0 - 1, grid.1 - 1))
        .unwrap()
}

fn holds(shown: &[String], text: &str) -> bool {
    shown.iter().any(|shown| shown.contains(text))
}

#[test]
fn tile_turn_names_the_tile_on_both_sides() {
    let shown = texts(&tile_turn("t", &walk("tiled", (96, 128), (4, 3), (32, 8))));
    for text in [
        "in: 96 × 128, tile (3, 2)",
        "out: 128 × 96, tile (2, 3)",
        "tile (3, 2) of in",
        "rows 96–127",
    ] {
        assert!(shown.iter().any(|t| t == text), "{text}: {shown:?}");
    }
    let said = "block (3, 2) reads rows 64–95 and columns 96–127 of in and writes rows 96–127 and columns 64–95 of out";
    let summary = shown.join(" ");
    assert!(summary.contains(said), "{summary}");
}

#[test]
fn tile_turn_outlines_what_one_instruction_touches() {
    // A warp's 32 outlines are lines around elements: as many for a column as for a row.
    let outlines = |id, block| {
        let figure = tile_turn("t", &walk(id, (64, 64), (2, 2), block));
        figure.svg.matches("stroke-width=\"13\"").count()
    };
    assert_eq!(outlines("padded", (32, 8)), 64);
    assert_eq!(outlines("naive_read", (32, 32)), 64);
    // 16 bytes a lane: four elements each, on either side.
    assert_eq!(outlines("vectorized", (8, 8)), 256);
}

#[test]
fn register_patch_follows_each_store_to_the_output() {
    let walk = walk("vectorized", (64, 64), (2, 2), (8, 8));
    let shown = texts(&register_patch("t", &walk, 9));
    // Block (1, 1); thread 9 is x = 1, y = 1: its patch begins at (36, 36).
    let cells: Vec<&str> = shown
        .iter()
        .filter(|text| text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(", "))
        .map(String::as_str)
        .collect();
    let cell = |row: usize, column: usize| format!("{}, {}", 36 + row, 36 + column);
    let loads = (0..16).map(|i| cell(i / 4, i % 4));
    let stores = (0..16).map(|i| cell(i % 4, i / 4));
    assert_eq!(cells, loads.chain(stores).collect::<Vec<_>>());
    assert!(
        holds(&shown, "4 loads, a turn in registers, 4 stores"),
        "{shown:?}"
    );
    assert!(shown.iter().any(|t| t == "in, row 39") && holds(&shown, "shared, byte"));
}

#[test]
fn what_is_no_patch_or_pipeline_is_said() {
    let narrow = walk("padded", (64, 64), (2, 2), (32, 8));
    let figures = [
        register_patch("t", &narrow, 9),
        register_patch("t", &narrow, u32::MAX),
        tma_pipeline("t", &narrow),
        tile_turn("t", &walk("tma_swizzled", (64, 64), (2, 2), (32, 8))),
        dram_rows("t", &narrow, &DramModel::new(0, 0, 0)),
        dram_rows("t", &narrow, &DramModel::new(8, 100, u64::MAX)),
    ];
    for figure in &figures {
        assert!(
            holds(&texts(figure), "There is nothing to draw"),
            "{}",
            figure.svg
        );
    }
}

#[test]
fn tma_pipeline_has_the_events_of_a_block_in_order() {
    let events = |id| {
        let shown = texts(&tma_pipeline("t", &walk(id, (128, 192), (1, 1), (256, 1))));
        let is_event =
            |text: &&String| text.starts_with(['L', 'T', 'S']) && text[1..].parse::<u32>().is_ok();
        assert!(
            holds(&shown, "no scale of time") && holds(&shown, "stage 2"),
            "{shown:?}"
        );
        shown
            .iter()
            .filter(is_event)
            .cloned()
            .collect::<Vec<_>>()
            .join(" ")
    };
    // Three loads ahead; from the second tile on, each store makes room for one more load.
    let expected = "L0 L1 L2 T0 S0 T1 S1 L3 T2 S2 L4 T3 S3 L5 T4 S4 T5 S5";
    assert_eq!(events("tma_pipelined"), expected);
    assert_eq!(events("tma_queued"), expected);
}

#[test]
fn dram_rows_counts_rows_of_a_stated_model() {
    let task = Task::transpose(&Device::emulator(), 128, 512).unwrap();
    let kernel = Kernel::registered("padded").unwrap();
    let walk = task.walk(&kernel, (16, 4), (32, 8), 0..16).unwrap();
    // The blocks read 32 whole rows of 2 KiB; they write 128 of the 512 bytes of each of 512 rows.
    let figure = dram_rows("t", &walk, &DramModel::new(8, 256, 1024));
    let shown = texts(&figure).join(" ");
    assert!(
        shown.contains("a model, as no GPU’s mapping is documented"),
        "{shown}"
    );
    assert!(
        shown.contains("16 blocks: reads touch 64 rows in 8 channels, 100\u{202F}% of their"),
        "{shown}"
    );
    assert!(
        shown.contains("writes touch 128 rows in 4 channels, 50\u{202F}% of their"),
        "{shown}"
    );
}

#[test]
fn memory_hierarchy_has_a_source_for_each_number() {
    let record = |capability: &str| -> Record {
        let measurement = json!({"kernel": "driver_copy", "operation": "copy", "element": "f32", "rows": 4096,
            "columns": 4096, "mode": "cold", "bytes_moved": 4_000_000_000u64, "source_sha256": "", "ptx_sha256": "",
            "grid": null, "block": null, "samples_us": [1000.0]});
        serde_json::from_value(json!({
            "schema": 1, "experiment": "made_up", "date": "2026-01-01", "commit": "0", "tool": "made up",
            "device": {"name": "Made-up GPU", "slug": "none", "compute_capability": capability,
                "multiprocessors": 132, "memory_bytes": 150_000_000_000u64, "l2_bytes": 62_914_560,
                "peak_gb_per_s": 4800.0, "peak_source": "made-up datasheet", "driver": "0", "cuda_version": "0",
                "clocks": {"sm_mhz": null, "memory_mhz": null, "throttle_reasons": []}},
            "measurements": [measurement],
        }))
        .unwrap()
    };
    let shown = texts(&memory_hierarchy(&record("9.0")).unwrap());
    for text in [
        "256 KiB each, 33 MiB in all",
        "228 KiB each, 29 MiB in all",
        "60 MiB",
        "150 GB",
        "4800 GB/s at most (made-up datasheet)",
        "4000 GB/s measured: the driver’s copy of 4096×4096",
        "published latency: ~200² · 190³ cycles",
        "Not measured here, and of other GPUs:",
        "multiprocessor 0",
        "131",
    ] {
        assert!(shown.iter().any(|t| t == text), "{text}: {shown:?}");
    }
    let unknown = memory_hierarchy(&record("0.1"));
    assert!(unknown.is_err_and(|e| e.to_string().contains("0.1")));
}
