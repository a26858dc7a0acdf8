//! Rates of matrix products drawn from a record: bars of kernels beside cuBLAS at one shape, lines over the side of square matrices. What was measured is `product_record`'s.

use super::bar::Bar;
use super::chart::{Chart, Limit, Unit};
use super::curve::{Axes, Curve, curves};
use super::figure::Figure;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::facts::datasheet_tera_per_s;
use cornerturn_base::product_shape::ProductShape;
use cornerturn_base::traffic::GbPerS;
use cornerturn_measure::product_record::{ProductPoint, Products};

/// The recorded rates of kernels at one shape, warm cache, with cuBLAS at the same product as the limit and the datasheet's peak
/// beside; the caption is the record's provenance. `kernels` holds pairs of a kernel's id and its label, from top to bottom.
///
/// # Errors
/// [`Error::Usage`] where the record has no measurement of a kernel at this shape, or no cuBLAS beside the last one.
pub fn product_ladder(
    record: &Products,
    shape: ProductShape,
    kernels: &[(&str, &str)],
) -> Result<Figure> {
    let mut bars = Vec::with_capacity(kernels.len());
    let mut last = None;
    for (id, label) in kernels {
        let point = record.point(id, shape)?;
        bars.push(bar(point, label));
        last = Some(point);
    }
    let last = last.ok_or_else(none)?;
    let cublas = record.cublas_for(last)?;
    let facts = &record.device.facts;
    let peak = datasheet_tera_per_s(&facts.name, last.input);
    let mut summary = format!(
        "median of launches with a warm cache; whiskers: quartiles; limit: {}",
        cublas.library
    );
    if let Some(peak) = peak {
        summary.push_str(&format!("; peak: {peak:.0} TFLOP/s (datasheet)"));
    }
    let numbers = match shape == ProductShape::square(shape.m) {
        true => format!("{} × {}", shape.m, shape.n),
        false => format!("m {}, n {}, k {}", shape.m, shape.n, shape.k),
    };
    let chart = Chart {
        title: &format!("C = A · B, {numbers} {} on {}", last.input, facts.name),
        summary: &summary,
        bars: &bars,
        limit: Some(Limit {
            value: GbPerS(cublas.tera_per_s()),
            label: "cuBLAS",
            share: "of cuBLAS",
            above: "† Above cuBLAS at the same product in the same run.",
        }),
        peak: peak.map(GbPerS),
        unit: Unit::Products,
    };
    Ok(chart.draw(&record.provenance()))
}

/// The recorded rates of kernels over the side of square matrices, warm cache, with cuBLAS at the products of the last one and the
/// datasheet's peak as the roof. `kernels` holds pairs of a kernel's id and its label; three or fewer are told apart best.
///
/// # Errors
/// [`Error::Usage`] where no kernel is named or one was measured at no square.
pub fn product_curves(record: &Products, kernels: &[(&str, &str)]) -> Result<Figure> {
    let (last, _) = kernels.last().ok_or_else(none)?;
    let mut lines = Vec::new();
    for (id, label) in kernels {
        let line = record.line(id);
        if line.is_empty() {
            let facts = &record.device.facts;
            return Err(Error::Usage(format!(
                "the record `{}` of {} has no square of `{id}`",
                record.experiment, facts.name
            )));
        }
        lines.push(Curve::measured(label, line));
    }
    lines.push(Curve::measured("cuBLAS", record.cublas_line(last)));
    let facts = &record.device.facts;
    let input = record.squares(last).first().map(|point| point.input);
    let peak = input.and_then(|input| datasheet_tera_per_s(&facts.name, input));
    let axes = Axes {
        x: "side of the matrices",
        y: "TFLOP/s",
        is_log_x: true,
        limit: peak.map(|peak| ("datasheet", peak)),
    };
    let numbers = input.map_or(String::new(), |input| format!(" of {input}"));
    let title = format!("Square products{numbers} on {}", facts.name);
    Ok(curves(&title, &lines, &axes, &record.provenance()))
}

fn bar(point: &ProductPoint, label: &str) -> Bar {
    let (fast, slow) = point.timing().quartiles_us();
    let rate = |us| GbPerS(point.problem().tera_per_s(us));
    Bar::measured(label, GbPerS(point.tera_per_s())).quartiles(rate(slow), rate(fast))
}

fn none() -> Error {
    Error::Usage("a figure of products needs a kernel".to_string())
}
