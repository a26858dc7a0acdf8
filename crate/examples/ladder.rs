//! Writes the README's picture from the committed record: `cargo run -p cornerturn --example ladder -- book/src/images/ladder.svg`.

use cornerturn::prelude::*;

fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("give the SVG's path")?;
    let record = Record::load("h200", "transpose")?;
    let figure = plot::ladder(
        &record,
        4096,
        4096,
        &[
            ("naive_read", "naive, coalesced reads"),
            ("naive_write", "naive, coalesced writes"),
            ("tiled", "tile 32 × 32"),
            ("padded", "tile 32 × 33"),
            ("float4_padded", "float4, tile 32 × 33"),
            ("vectorized", "16 bytes on both sides of the tile"),
            ("cublas_geam", "cuBLAS geam"),
            ("limit", "the limit"),
        ],
    )?;
    // Alone in a file it has no page to take its colours from.
    let svg = figure.svg.replace("currentColor", "#6b7280");
    std::fs::write(&path, svg).with_context(|| format!("cannot write {path}"))
}
