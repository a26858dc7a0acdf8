//! Pictures of matrix products: fragments, pieces in shared memory, walks over tiles, the stages of a pipeline.

use super::*;
use cornerturn_base::NumberType;
use cornerturn_emulator::Trace;
use cornerturn_emulator::TraceRequest;
use cornerturn_measure::{Product, TileWalk};
use cornerturn_registry::ProductProblem;
use cornerturn_runtime::{Device, Kernel};

fn bf16(shape: [usize; 3]) -> ProductProblem {
    let problem = ProductProblem::new(shape[0], shape[1], shape[2]);
    problem.input(NumberType::Bf16).output(NumberType::Bf16)
}

/// The trace of the blocks with these numbers.
fn traced(id: &str, shape: [usize; 3], launch: (u32, u32), blocks: &[u32]) -> Trace {
    let request = TraceRequest {
        blocks: blocks.iter().map(|x| [*x, 0, 0]).collect(),
        max_accesses: 1 << 16,
        ..TraceRequest::default()
    };
    let product = Product::new(&Device::emulator(), bf16(shape)).unwrap();
    let kernel = Kernel::registered(id).unwrap();
    product.trace(&kernel, launch.0, launch.1, request).unwrap()
}

#[test]
fn a_swizzled_tile_is_read_in_one_wavefront() {
    let trace = traced("mma_bf16", [128, 256, 72], (1, 256), &[0]);
    let layout = pieces::Pieces::loaded("mma_bf16", &trace, 72 * 2);
    assert_eq!(layout.wavefronts(), 1);
    let shown = texts(&pieces("t", &[layout]));
    assert!(shown.iter().any(|text| text == "1 wavefront"), "{shown:?}");
    assert_eq!(shown.iter().filter(|text| *text == "7·0").count(), 1);
}

#[test]
fn a_walk_says_what_the_first_wave_needs() {
    let kernel = Kernel::registered("persistent_bf16").unwrap();
    // Three rows of clusters and two columns; the last tiles are cut.
    let walk = TileWalk::of(&kernel, &bf16([700, 392, 64]), 4, 384, 4).unwrap();
    let shown = texts(&tile_walk("t", &[("name", &walk)])).join(" ");
    assert!(
        shown.contains("4 tiles of 3 waves: 512 rows of A and 256 columns of B"),
        "{shown}"
    );
    assert!(shown.contains("each is needed 2 times") && shown.contains("C: 700 × 392"));
    assert!(
        texts(&tile_walk("t", &[]))
            .join(" ")
            .contains("nothing to draw")
    );
}

#[test]
fn a_pipeline_fills_each_stage_before_it_is_read() {
    // Two tiles of three steps for the one cluster.
    let trace = traced("persistent_bf16", [256, 512, 136], (2, 384), &[0, 1]);
    let figure = product_pipeline("t", &trace);
    let shown = texts(&figure);
    for wanted in [
        "stage 0",
        "stage 3",
        "warpgroup 1, wgmma",
        "warpgroup 0, stores",
    ] {
        assert!(
            shown.iter().any(|text| text == wanted),
            "{wanted}: {shown:?}"
        );
    }
    // Filled, read by the stage's bar and by two warpgroups.
    assert_eq!(
        shown.iter().filter(|text| *text == "5").count(),
        4,
        "{shown:?}"
    );
    assert!(!shown.iter().any(|text| text == "6"));
    assert!(figure.svg.contains("by the other block’s copy"));
}

#[test]
fn a_block_alone_shares_nothing_and_stores_by_threads() {
    let trace = traced("wgmma_bf16", [128, 128, 200], (1, 256), &[0]);
    let figure = product_pipeline("t", &trace);
    let shown = texts(&figure);
    assert_eq!(
        shown.iter().filter(|text| *text == "3").count(),
        4,
        "{shown:?}"
    );
    assert!(!figure.svg.contains("other block") && !figure.svg.contains("stores"));
}

#[test]
fn half_a_cluster_or_no_copies_are_no_pipeline() {
    for trace in [
        traced("persistent_bf16", [256, 256, 64], (2, 384), &[0]),
        traced("mma_bf16", [128, 256, 64], (1, 256), &[0]),
        Trace::default(),
    ] {
        let shown = texts(&product_pipeline("t", &trace)).join(" ");
        assert!(shown.contains("nothing to draw"), "{shown}");
    }
}
