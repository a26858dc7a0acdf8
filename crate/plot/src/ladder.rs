//! Bars and tables drawn from a record. What a record holds and where it came from is `record`'s.

use super::bar::Bar;
use super::bars::measured;
use super::figure::Figure;
use super::style::{bandwidth_number, percent};
use cornerturn_base::element::ElementType;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html::escape;
use cornerturn_base::html::{CELL, NUMBER, Table, html};
use cornerturn_base::traffic::GbPerS;
use cornerturn_measure::Run;
use cornerturn_measure::record::{DRIVER_COPY, Measurement, Record};
use std::collections::BTreeSet;

/// One bar of a ladder.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let record = Record::load("h200", "transpose")?;
/// let mine = Run::registered(&Device::emulator(), "swizzled", 96, 160)?;
/// let rungs = [plot::Rung::recorded("padded", "padded"), plot::Rung::run(&mine, "mine")];
/// assert!(plot::ladder(&record, 4096, 4096, &rungs)?.svg.contains("mine"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Rung<'a> {
    of: Of<'a>,
    label: &'a str,
}

#[derive(Clone, Copy)]
enum Of<'a> {
    /// What was recorded of a kernel, by its id.
    Record(&'a str),
    /// What was timed just now.
    Run(&'a Run),
}

impl<'a> Rung<'a> {
    /// What was recorded of a registered kernel.
    pub fn recorded(id: &'a str, label: &'a str) -> Self {
        let of = Of::Record(id);
        Self { of, label }
    }

    /// A run of one's own kernel.
    pub fn run(run: &'a Run, label: &'a str) -> Self {
        let of = Of::Run(run);
        Self { of, label }
    }

    fn id(&self) -> Option<(&'a str, &'a str)> {
        match self.of {
            Of::Record(id) => Some((id, self.label)),
            Of::Run(_) => None,
        }
    }
}

impl<'a> From<(&'a str, &'a str)> for Rung<'a> {
    fn from((id, label): (&'a str, &'a str)) -> Self {
        Self::recorded(id, label)
    }
}

impl<'a> From<(&'a Run, &'a str)> for Rung<'a> {
    fn from((run, label): (&'a Run, &'a str)) -> Self {
        Self::run(run, label)
    }
}

/// The recorded bandwidths of kernels at one shape, cold cache, with the driver's copy as the limit and the datasheet
/// peak beside; the caption is the record's provenance.
///
/// `kernels` holds pairs of a kernel's id and its label, from top to bottom. All are of one element type, which
/// decides of which type the copy and a library's kernels are.
///
/// A run of one's own stands among them as `(&run, label)`; a list of both is one of [`Rung`]s. Without a GPU it has no time
/// and no bar, and the line below the title says so.
///
/// ```
/// # use cornerturn::prelude::*;
/// let task = Task::transpose(&Device::emulator(), 96, 160)?;
/// let mine = task.run(&Kernel::registered("padded")?, (5, 3), (32, 8))?;
/// let record = Record::load("h200", "transpose")?;
/// let rungs = [plot::Rung::recorded("naive_read", "naive"), plot::Rung::run(&mine, "mine")];
/// let figure = plot::ladder(&record, 4096, 4096, &rungs)?;
/// # drop(figure);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] where the record has no measurement of a kernel, or of the copy, at this shape; it names those
/// that it has.
pub fn ladder<'a, R: Copy + Into<Rung<'a>>>(
    record: &Record,
    rows: usize,
    columns: usize,
    kernels: &[R],
) -> Result<Figure> {
    let rungs: Vec<Rung> = kernels.iter().map(|rung| (*rung).into()).collect();
    let ids: Vec<(&str, &str)> = rungs.iter().filter_map(Rung::id).collect();
    let step = Step::new(record, &ids, rows, columns);
    let copy = step.copy()?;
    let mut bars = Vec::with_capacity(kernels.len());
    let mut untimed = Vec::new();
    for rung in &rungs {
        match rung.of {
            Of::Record(id) => bars.push(bar(step.measurement(id)?, rung.label)),
            Of::Run(run) => match bar_of(run, rung.label, record) {
                Some(bar) => bars.push(bar),
                None => untimed.push(rung.label),
            },
        }
    }
    let facts = &record.device.facts;
    let title = format!("{rows} × {columns} {} on {}", copy.element, facts.name);
    let mut summary = "median of launches with a cold cache; whiskers: quartiles".to_owned();
    if !untimed.is_empty() {
        summary.push_str(&format!(
            "; without a bar, as the emulator has no time: {}",
            untimed.join(", ")
        ));
    }
    let peak = GbPerS(facts.peak_gb_per_s);
    if peak.0 > 0.0 {
        summary.push_str(&format!("; peak: {peak:.0} ({})", facts.peak_source));
    }
    Ok(measured(
        &title,
        &summary,
        &bars,
        Some(copy.gb_per_s()),
        Some(peak),
        &record.provenance(),
    ))
}

/// The recorded bandwidths of kernels at several shapes, rows × columns: GB/s at the median with a cold cache, and
/// below it the share of the driver's copy of the same bytes and of the datasheet peak. The copy is the first row.
///
/// A kernel that was not measured at a shape has a dash there.
///
/// # Errors
/// [`Error::Usage`] where the record has no copy at a shape, or a kernel at none of them.
pub fn ladder_table(
    record: &Record,
    shapes: &[(usize, usize)],
    kernels: &[(&str, &str)],
) -> Result<Table> {
    let steps: Vec<Step<'_>> = shapes
        .iter()
        .map(|&(rows, columns)| Step::new(record, kernels, rows, columns))
        .collect();
    let mut copies = vec!["device copy".to_owned()];
    for step in &steps {
        copies.push(step.cell(step.copy()?)?);
    }
    let mut rows = vec![copies];
    for (id, label) in kernels {
        let mut row = vec![escape(label)];
        for step in &steps {
            let cell = step.find(id).map(|found| step.cell(found));
            row.push(cell.unwrap_or_else(|| Ok("–".to_owned()))?);
        }
        if let (Some(first), false) = (steps.first(), row.iter().skip(1).any(|cell| cell != "–"))
        {
            return Err(first.missing(&format!("`{id}`")));
        }
        rows.push(row);
    }
    let mut head = vec!["GB/s".to_owned()];
    head.extend(shapes.iter().map(|(r, c)| format!("{r} × {c}")));
    let mut css = vec![NUMBER; head.len()];
    css[0] = CELL;
    let caption = format!(
        "median with a cold cache; below: share of the device copy, share of the peak. {}",
        record.provenance()
    );
    Ok(Table {
        html: html(&caption, &head, &css, &rows),
    })
}

/// The measurements of one shape and element type.
struct Step<'a> {
    record: &'a Record,
    element: ElementType,
    rows: usize,
    columns: usize,
}

impl<'a> Step<'a> {
    fn new(record: &'a Record, kernels: &[(&str, &str)], rows: usize, columns: usize) -> Self {
        // A kernel of ours has one element type; copies and libraries were measured with several.
        let ours = |m: &&Measurement| m.kernel != DRIVER_COPY && m.library.is_none();
        let first = kernels.iter().find_map(|(id, _)| {
            let mut measured = record.measurements.iter().filter(ours);
            measured.find(|m| m.kernel == *id)
        });
        Self {
            record,
            element: first.map_or(ElementType::F32, |m| m.element),
            rows,
            columns,
        }
    }

    fn find(&self, id: &str) -> Option<&'a Measurement> {
        self.record
            .measurement_of(id, self.element, self.rows, self.columns)
    }

    fn measurement(&self, id: &str) -> Result<&'a Measurement> {
        self.find(id)
            .ok_or_else(|| self.missing(&format!("`{id}`")))
    }

    fn copy(&self) -> Result<&'a Measurement> {
        self.find(DRIVER_COPY)
            .ok_or_else(|| self.missing("the device's copy"))
    }

    /// The bandwidth, and its shares below it.
    fn cell(&self, measurement: &Measurement) -> Result<String> {
        let rate = measurement.gb_per_s().0;
        let mut shares = percent(rate / self.copy()?.gb_per_s().0, 0);
        let peak = self.record.device.facts.peak_gb_per_s;
        if peak > 0.0 {
            shares.push_str(" · ");
            shares.push_str(&percent(rate / peak, 0));
        }
        let rate = bandwidth_number(rate, rate);
        Ok(format!("{rate}<br><small>{shares}</small>"))
    }

    fn missing(&self, what: &str) -> Error {
        let record = self.record;
        let each = |name: fn(&Measurement) -> String| {
            let names: BTreeSet<String> = record.measurements.iter().map(name).collect();
            names.into_iter().collect::<Vec<_>>().join(", ")
        };
        let known = match record.measurements.is_empty() {
            true => "it has nothing".to_owned(),
            false => format!(
                "it has {}; at {}",
                each(|m| m.kernel.clone()),
                each(|m| m.shape().to_string())
            ),
        };
        Error::Usage(format!(
            "the record `{}` of {} has no measurement of {what} at {}×{} of {} with a cold cache; {known}",
            record.experiment, record.device.facts.name, self.rows, self.columns, self.element
        ))
    }
}

fn bar(measurement: &Measurement, label: &str) -> Bar {
    let (fast, slow) = measurement.timing().quartiles_us();
    let rate = |us| GbPerS::from_bytes_and_us(measurement.bytes_moved, us);
    Bar::measured(label, measurement.gb_per_s()).quartiles(rate(slow), rate(fast))
}

/// The bar of a run, with the GPU's name where it is not the record's; `None` where it was not timed.
fn bar_of(run: &Run, label: &str, record: &Record) -> Option<Bar> {
    let (timing, rate) = (run.timing.as_ref()?, run.gb_per_s()?);
    let (fast, slow) = timing.quartiles_us();
    let of = |us| GbPerS::from_bytes_and_us(run.bytes_moved, us);
    let is_there = run.device == record.device.facts.name;
    let label = match is_there {
        true => label.to_owned(),
        false => format!("{label} ({})", run.device),
    };
    Some(Bar::measured(&label, rate).quartiles(of(slow), of(fast)))
}
