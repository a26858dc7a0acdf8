//! Tables of quotients from a record: of each kernel and the driver's copy, and of one kernel and another. What was measured is `record`'s.

use cornerturn_base::error::Result;
use cornerturn_base::html::{Table, table};
use cornerturn_measure::record::Record;

/// Per cent of the driver's copy of the same matrices, cold, for kernels at several shapes, rows × columns; the caption
/// is the record's provenance. `kernels` holds pairs of a kernel's id and its label; their element types may differ.
/// What was not measured has a dash.
///
/// ```no_run
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let record = Record::load("h200", "transpose")?;
/// let kernels = [("limit", "float"), ("limit_f64", "double")];
/// let table = plot::shares(&record, &[(4096, 4096), (4097, 4095)], &kernels)?;
/// # drop(table);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Usage`](cornerturn_base::Error::Usage) where a kernel was measured at none of the shapes.
pub fn shares(
    record: &Record,
    shapes: &[(usize, usize)],
    kernels: &[(&str, &str)],
) -> Result<Table> {
    let mut rows = Vec::with_capacity(kernels.len());
    for (id, label) in kernels {
        let mut row = vec![(*label).to_owned()];
        let cells = shapes
            .iter()
            .map(|&(rows, columns)| record.share(id, rows, columns));
        row.extend(cells_or_error(cells, |share| {
            format!("{:.1}", 100.0 * share)
        })?);
        rows.push(row);
    }
    let names: Vec<String> = shapes.iter().map(|(r, c)| format!("{r} × {c}")).collect();
    let head: Vec<&str> = std::iter::once("% of the copy")
        .chain(names.iter().map(String::as_str))
        .collect();
    Ok(table(&record.provenance(), &head, &rows))
}

/// How much faster one kernel is than another, cold, in per cent: a row for each shape, a column for each of `pairs`,
/// which are the ids of the one that is compared with and of the other, and a label. What was not measured has a dash.
///
/// ```no_run
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let record = Record::load("h200", "transpose")?;
/// let pairs = [("tiled", "float4_tiled", "tile 32 × 32"), ("padded", "float4_padded", "tile 32 × 33")];
/// let table = plot::gains(&record, &[(4096, 4096), (16384, 16384)], &pairs)?;
/// # drop(table);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Usage`](cornerturn_base::Error::Usage) where no pair was measured at a shape.
pub fn gains(
    record: &Record,
    shapes: &[(usize, usize)],
    pairs: &[(&str, &str, &str)],
) -> Result<Table> {
    let mut lines = Vec::with_capacity(shapes.len());
    for &(rows, columns) in shapes {
        let mut line = vec![format!("{rows} × {columns}")];
        let cells = pairs.iter().map(|(from, to, _)| {
            let rate = |id| record.rate(id, rows, columns);
            Ok(rate(to)?.0 / rate(from)?.0 - 1.0)
        });
        line.extend(cells_or_error(cells, |gain| {
            format!("{:+.1} %", 100.0 * gain)
        })?);
        lines.push(line);
    }
    let head: Vec<&str> = std::iter::once("matrix")
        .chain(pairs.iter().map(|(_, _, label)| *label))
        .collect();
    Ok(table(&record.provenance(), &head, &lines))
}

/// The cells of a row, a dash for what was not measured; the first error where nothing was.
fn cells_or_error(
    values: impl Iterator<Item = Result<f64>>,
    text: impl Fn(f64) -> String,
) -> Result<Vec<String>> {
    let values: Vec<Result<f64>> = values.collect();
    let is_measured = values.iter().any(Result::is_ok);
    let cells = values.into_iter().map(|value| match value {
        Ok(value) => Ok(text(value)),
        Err(_) if is_measured => Ok("–".to_owned()),
        Err(error) => Err(error),
    });
    cells.collect()
}
