//! Bars and lines of products.

use super::*;
use cornerturn_base::clocks::Clocks;
use cornerturn_base::number::NumberType;
use cornerturn_base::product_shape::{Layout, ProductShape};
use cornerturn_base::timing::TimingMode;
use cornerturn_measure::product_record::{CUBLAS_GEMM, ProductPoint, Products};
use cornerturn_runtime::device::Device;

/// A made-up record: each kernel at squares, so many microseconds for the smallest and eight times as many for the next.
fn record(kernels: &[(&str, f64)]) -> Products {
    let mut record = Products::new(Products::EXPERIMENT, &Device::emulator(), "0123456789");
    record.device.facts.name = "NVIDIA H200".to_string();
    record.device.clocks = Clocks::default();
    for (kernel, us) in kernels {
        for (i, side) in [512, 1024, 2048].into_iter().enumerate() {
            let us = us * 8_f64.powi(i as i32);
            record.measurements.push(ProductPoint {
                kernel: kernel.to_string(),
                shape: ProductShape::square(side),
                layout: Layout::Nn,
                input: NumberType::F32,
                output: NumberType::F32,
                accumulate: NumberType::F32,
                mode: TimingMode::Warm,
                run: 0,
                source_sha256: String::new(),
                ptx_sha256: String::new(),
                library: "cuBLAS 1.2.3".to_string(),
                grid: None,
                block: None,
                registers_per_thread: None,
                local_bytes_per_thread: None,
                shared_bytes: None,
                blocks_per_multiprocessor: None,
                worst_error: 0.0,
                samples_us: vec![us * 0.9, us, us * 1.1],
            });
        }
    }
    record
}

#[test]
fn a_ladder_of_products_tells_rates_and_shares_of_cublas() {
    let record = record(&[("a", 50.0), ("b", 10.0), (CUBLAS_GEMM, 8.0)]);
    let shape = ProductShape::square(1024);
    let kernels = [("a", "a thread an element"), ("b", "tiles")];
    let figure = product_ladder(&record, shape, &kernels).unwrap();
    // 2 · 1024³ operations in 400 and 80 µs.
    for words in [
        "a thread an element: 5.37 TFLOP/s",
        "tiles: 26.84 TFLOP/s",
        "cuBLAS: 33.55 TFLOP/s",
        ">80",
        "of cuBLAS",
        "1024 × 1024 f32",
        "cuBLAS 1.2.3",
    ] {
        assert!(figure.svg.contains(words), "{words}: {}", figure.svg);
    }
    assert!(!figure.svg.contains("GB/s"), "{}", figure.svg);
    let missing = product_ladder(&record, ProductShape::square(96), &kernels).unwrap_err();
    assert!(missing.to_string().contains("1024×1024×1024"), "{missing}");
    assert!(product_ladder(&record, shape, &[]).is_err());
}

#[test]
fn lines_of_products_have_cublas_and_the_roof_beside_them() {
    let record = record(&[("a", 50.0), (CUBLAS_GEMM, 8.0)]);
    let figure = product_curves(&record, &[("a", "a thread an element")]).unwrap();
    for words in ["cuBLAS: 33.55", "datasheet 67", "2048", "TFLOP/s"] {
        assert!(
            figure.svg.contains(words) || figure.svg.contains(&words.replace("33.55", "34")),
            "{words}: {}",
            figure.svg
        );
    }
    assert!(product_curves(&record, &[("c", "none")]).is_err());
}
