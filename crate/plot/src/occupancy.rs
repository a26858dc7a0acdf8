//! Warps resident on one multiprocessor, beside the bandwidth measured with them. How many there are is `cornerturn_base::occupancy`'s.

use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::chart::{BAR_HEIGHT, ROW_GAP, is_drawable};
use super::figure::Figure;
use super::label::Label;
use super::style::{
    BLUE, FULL, Form, Ink, LINE, PURPLE, SOFT, TEXT, bandwidth_number, counted, percent,
};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::occupancy::{Limits, Occupancy};
use cornerturn_base::traffic::GbPerS;
use cornerturn_measure::record::Record;

/// How many warps of a kernel are resident on one multiprocessor, and why not more.
#[derive(Debug, Clone, PartialEq)]
pub struct Resident {
    /// The kernel or its block.
    pub label: String,
    /// Blocks on one multiprocessor.
    pub blocks: u32,
    /// Warps of these blocks.
    pub warps: u32,
    /// Warps that a multiprocessor has room for.
    pub most_warps: u32,
    /// What there is not enough of for one block more: `threads`, `registers`, `shared memory`, `blocks`.
    pub limit: String,
    /// The bandwidth measured with it.
    pub measured: Option<GbPerS>,
}

impl Resident {
    /// `warps` warps in `blocks` blocks, of `most_warps` that there is room for.
    pub fn new(label: &str, blocks: u32, warps: u32, most_warps: u32, limit: &str) -> Self {
        Self {
            label: label.to_owned(),
            blocks,
            warps,
            most_warps,
            limit: limit.to_owned(),
            measured: None,
        }
    }

    /// What was calculated from a kernel's threads, registers and shared memory.
    pub fn of(label: &str, occupancy: &Occupancy) -> Self {
        let limits: Vec<String> = occupancy
            .limited_by()
            .iter()
            .map(ToString::to_string)
            .collect();
        Self::new(
            label,
            occupancy.blocks(),
            occupancy.warps(),
            occupancy.most_warps,
            &limits.join(" and "),
        )
    }

    /// With the bandwidth measured.
    pub fn measured(mut self, value: GbPerS) -> Self {
        self.measured = Some(value);
        self
    }

    fn label(&self, form: Form) -> Label {
        let note = format!(
            "{} a multiprocessor, limited by {}",
            counted(self.blocks.into(), "block", "blocks"),
            self.limit
        );
        Label::new(&self.label, &note, form)
    }

    fn part(&self) -> f64 {
        f64::from(self.warps.min(self.most_warps)) / f64::from(self.most_warps.max(1))
    }

    fn rate(&self) -> Option<GbPerS> {
        self.measured.filter(|&rate| is_drawable(rate))
    }
}

/// Where the bars of warps end, and those of bandwidth begin and end.
const fn ends(form: Form) -> (f64, f64, f64) {
    match form {
        Form::Wide => (170.0, 290.0, 446.0),
        Form::Narrow => (90.0, 210.0, 290.0),
    }
}

/// Resident warps per multiprocessor as bars within all that it has room for, with the resource that limits them;
/// beside them the bandwidths, where measured.
///
/// ```
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let limits = Limits::of("12.0")?;
/// let rows = [
///     plot::Resident::of("16 × 16", &Occupancy::of(&limits, 256, 16, 0)).measured(GbPerS(264.8)),
///     plot::Resident::of("32 × 32", &Occupancy::of(&limits, 1024, 16, 0)),
/// ];
/// let figure = plot::occupancy("Blocks on an RTX 5060", &rows, "");
/// # drop(figure);
/// # Ok(())
/// # }
/// ```
pub fn occupancy(title: &str, rows: &[Resident], caption: &str) -> Figure {
    if rows.is_empty() {
        let reason = "There is nothing to draw: no kernel was given.";
        return Figure::nothing(title, reason, caption);
    }
    Figure::new(caption, |form| draw(title, rows, form))
}

fn draw(title: &str, rows: &[Resident], form: Form) -> String {
    let heading = Heading::new(title, "", form.bars());
    let labels: Vec<Label> = rows.iter().map(|row| row.label(form)).collect();
    let (_, rates_start, _) = ends(form);
    let heads = [
        small_lines("resident warps per multiprocessor", rates_start - 10.0),
        small_lines(
            "effective bandwidth, GB/s",
            form.bars() - rates_start + 10.0,
        ),
    ];
    let most = heads.iter().map(Vec::len).max().unwrap_or(1) as f64;
    let top = heading.height() + most * LINE_HEIGHT + 6.0;
    let height = |label: &Label| label.height() + BAR_HEIGHT + ROW_GAP;
    let size = (form.bars(), top + labels.iter().map(height).sum::<f64>());
    let rates = rows.iter().filter_map(Resident::rate);
    let largest = rates.map(|rate| rate.0).fold(0.0, f64::max);
    drawing(size, title, &description(rows, largest), &mut |canvas| {
        canvas.heading(&heading);
        let has_rates = largest > 0.0;
        let shown = if has_rates { &heads[..] } else { &heads[..1] };
        for (lines, x) in shown.iter().zip([0.0, rates_start]) {
            canvas.lines((x, heading.height()), lines);
        }
        let mut y = top;
        for (row, label) in rows.iter().zip(&labels) {
            label.draw(canvas, y);
            y += label.height();
            draw_warps(canvas, row, y, form);
            draw_rate(canvas, row, largest, y, form);
            y += BAR_HEIGHT + ROW_GAP;
        }
    })
}

/// [`occupancy`] of recorded kernels at a shape, rows and columns, on a GPU of a compute capability, by the registers
/// and the shared memory in the record; with the bandwidths where the record's GPU has that capability. `kernels`
/// holds pairs of a kernel's id and its label.
///
/// ```no_run
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let record = Record::load("h200", "transpose")?;
/// let kernels = [("naive_read_16x16", "16 × 16"), ("naive_read", "32 × 32")];
/// let figure = plot::residents("On an RTX 5060", &record, "12.0", (4096, 4096), &kernels)?;
/// # drop(figure);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Usage`] for a compute capability that is not known, and where the record does not tell a kernel's registers
/// at the shape.
pub fn residents(
    title: &str,
    record: &Record,
    compute_capability: &str,
    (rows, columns): (usize, usize),
    kernels: &[(&str, &str)],
) -> Result<Figure> {
    let limits = Limits::of(compute_capability)?;
    let facts = &record.device.facts;
    let is_measured = facts.compute_capability == compute_capability;
    let resident = |(id, label): &(&str, &str)| {
        let measured = record.measurement(id, rows, columns);
        let found = measured.and_then(|m| Some((m.gb_per_s(), m.occupancy(&limits)?)));
        let Some((rate, occupancy)) = found else {
            return Err(Error::Usage(format!(
                "the record `{}` of {} does not tell the registers of `{id}` at {rows}×{columns}",
                record.experiment, facts.name
            )));
        };
        let resident = Resident::of(label, &occupancy);
        Ok(match is_measured {
            true => resident.measured(rate),
            false => resident,
        })
    };
    let rows: Vec<Resident> = kernels.iter().map(resident).collect::<Result<_>>()?;
    let caption = if is_measured {
        record.provenance()
    } else {
        String::new()
    };
    Ok(occupancy(title, &rows, &caption))
}

fn warps_text(row: &Resident) -> String {
    let share = percent(row.part(), 0);
    format!("{} of {}, {share}", row.warps, row.most_warps)
}

/// What a screen reader says.
fn description(rows: &[Resident], largest: f64) -> String {
    let row = |row: &Resident| {
        let rate = row.rate().map_or(String::new(), |rate| {
            format!(", {} GB/s", bandwidth_number(rate.0, largest))
        });
        format!("{}: {} warps{rate}", row.label, warps_text(row))
    };
    rows.iter().map(row).collect::<Vec<_>>().join("; ")
}

fn draw_warps(canvas: &mut Canvas<'_>, row: &Resident, top: f64, form: Form) {
    let (end, ..) = ends(form);
    let size = (end * row.part(), BAR_HEIGHT);
    canvas.fill((0.0, top), size, Ink::Rgb(PURPLE, 1.0));
    canvas.outline((0.0, top), (end, BAR_HEIGHT), LINE, 1.0);
    let at = (end + 8.0, top + BAR_HEIGHT - 3.0);
    canvas.text(at, &warps_text(row), TEXT, Anchor::Start, SOFT);
}

fn draw_rate(canvas: &mut Canvas<'_>, row: &Resident, largest: f64, top: f64, form: Form) {
    let Some(rate) = row.rate() else { return };
    let (_, start, end) = ends(form);
    let width = (end - start) * rate.0 / largest;
    let size = (width.max(1.5), BAR_HEIGHT);
    canvas.fill((start, top), size, Ink::Rgb(BLUE, 1.0));
    let at = (form.bars(), top + BAR_HEIGHT - 3.0);
    let text = bandwidth_number(rate.0, largest);
    canvas.bold(at, &text, TEXT, Anchor::End, FULL);
}
