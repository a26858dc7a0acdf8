//! The levels of a GPU's memory: sizes from the device's facts, rates that were measured or are on a datasheet, and latencies as articles print them, each with its source.

use super::Figure;
use super::articles::LEVELS;
use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::style::{FULL, Form, Ink, LINE, SMALL, SOFT, TEXT, number, ramp_at, text_width};
use cornerturn_base::error::Result;
use cornerturn_base::occupancy::Limits;
use cornerturn_base::timing::TimingMode;
use cornerturn_base::traffic::GbPerS;
use cornerturn_measure::record::{DRIVER_COPY, Measurement, Record};

const MARGIN: f64 = 8.0;
/// Inside a level, left and right of its words.
const PADDING: f64 = 7.0;
const GAP: f64 = 14.0;
const HEADER: f64 = 20.0;

/// Width of the multiprocessor that is written on, and of each of two more beside it.
const fn widths(form: Form) -> (f64, f64) {
    match form {
        Form::Wide => (372.0, 50.0),
        Form::Narrow => (236.0, 38.0),
    }
}
const REGISTERS: usize = 0;
const SHARED: usize = 1;
const L2: usize = 2;
const DRAM: usize = 3;

/// Registers, shared memory and L1, L2 and DRAM of the GPU of a record: how large they are, how fast where that is
/// known, and what others print of their latencies, with the source of each number. The rate of DRAM is that of the
/// fastest copy in the record, beside the datasheet's.
///
/// ```no_run
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let figure = plot::memory_hierarchy(&Record::load("h200", "transpose")?)?;
/// # drop(figure);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Usage`](cornerturn_base::Error::Usage) for a GPU whose compute capability is not in the table of [`Limits`].
pub fn memory_hierarchy(record: &Record) -> Result<Figure> {
    let facts = &record.device.facts;
    let limits = Limits::of(&facts.compute_capability)?;
    let levels = levels(record, &limits);
    let title = format!("The levels of memory of the {}", facts.name);
    let summary = format!(
        "{} multiprocessors, each with its own registers and shared memory; L2 and DRAM belong to all",
        facts.multiprocessors
    );
    let sources = sources();
    let description = description(&summary, &levels, &sources);
    Ok(Figure::new(&record.provenance(), |form| {
        let heading = Heading::new(&title, &summary, form.bars());
        let drawn = Layout::new(&levels, heading.height() + 8.0, form);
        let lines = sources
            .iter()
            .flat_map(|source| small_lines(source, form.bars()));
        let lines: Vec<String> = lines.collect();
        let height = drawn.bottom + 16.0 + lines.len() as f64 * LINE_HEIGHT;
        drawing((form.bars(), height), &title, &description, &mut |canvas| {
            canvas.heading(&heading);
            drawn.draw(canvas, facts.multiprocessors);
            canvas.lines((0.0, drawn.bottom + 10.0), &lines);
        })
    }))
}

/// What is written on one level.
struct Level {
    name: &'static str,
    size: String,
    /// Rates and latencies, a line each.
    lines: Vec<String>,
}

fn levels(record: &Record, limits: &Limits) -> [Level; 4] {
    let facts = &record.device.facts;
    let mebi = |bytes: u64| format!("{} MiB", number(bytes as f64 / f64::from(1 << 20), 0));
    let each = |bytes: u32| {
        let all = u64::from(bytes) * u64::from(facts.multiprocessors);
        format!("{} KiB each, {} in all", bytes / 1024, mebi(all))
    };
    let level = |at: usize, name: &'static str, size: String, own: Vec<String>| Level {
        name,
        size,
        lines: own.into_iter().chain(published(at)).collect(),
    };
    let banks = "L1 is beside it; 128 bytes a clock, from 32 banks of 4".to_owned();
    let dram = format!("{} GB", number(facts.memory_bytes as f64 / 1e9, 0));
    [
        level(
            REGISTERS,
            "registers",
            each(limits.registers * 4),
            Vec::new(),
        ),
        level(
            SHARED,
            "shared memory",
            each(limits.shared_bytes),
            vec![banks],
        ),
        level(L2, "L2", mebi(facts.l2_bytes), Vec::new()),
        level(DRAM, "DRAM", dram, dram_rates(record)),
    ]
}

/// The datasheet's rate and the fastest copy's, as far as the record has them.
fn dram_rates(record: &Record) -> Vec<String> {
    let facts = &record.device.facts;
    let mut lines = Vec::new();
    if facts.peak_gb_per_s > 0.0 {
        let peak = GbPerS(facts.peak_gb_per_s);
        lines.push(format!("{peak:.0} at most ({})", facts.peak_source));
    }
    let copies = record
        .measurements
        .iter()
        .filter(|m| m.kernel == DRIVER_COPY);
    let rate = |m: &Measurement| m.gb_per_s().0;
    let cold = copies.filter(|m| m.mode == TimingMode::Cold);
    if let Some(copy) = cold.max_by(|a, b| rate(a).total_cmp(&rate(b))) {
        let (rate, shape) = (copy.gb_per_s(), copy.shape());
        lines.push(format!("{rate:.0} measured: the driver’s copy of {shape}"));
    }
    lines
}

/// The marks of the sources, in their order.
const MARKS: [char; 3] = ['¹', '²', '³'];

/// What others print of a level, each number with the mark of its source.
fn published(level: usize) -> Vec<String> {
    let marked = |of: fn(&super::articles::Levels) -> &[&'static str; 4]| -> Vec<String> {
        let texts = LEVELS.iter().map(|levels| of(levels)[level]).zip(MARKS);
        let given = texts.filter(|(text, _)| !text.is_empty());
        given.map(|(text, mark)| format!("{text}{mark}")).collect()
    };
    let (rates, cycles) = (marked(|l| &l.rates), marked(|l| &l.cycles));
    let mut lines = Vec::new();
    if !rates.is_empty() {
        lines.push(format!("published rate: {}", rates.join(" · ")));
    }
    if !cycles.is_empty() {
        lines.push(format!("published latency: {} cycles", cycles.join(" · ")));
    }
    lines
}

fn sources() -> Vec<String> {
    let printed = "Not measured here, and of other GPUs:".to_owned();
    let each = LEVELS.iter().zip(MARKS);
    let each = each.map(|(levels, mark)| format!("{mark} {}", levels.source));
    std::iter::once(printed).chain(each).collect()
}

/// What a screen reader says.
fn description(summary: &str, levels: &[Level], sources: &[String]) -> String {
    let level =
        |level: &Level| format!("{}: {}; {}", level.name, level.size, level.lines.join("; "));
    let levels: Vec<String> = levels.iter().map(level).collect();
    format!("{summary}. {}. {}", levels.join(". "), sources.join(" "))
}

/// What is written on a level, in lines of its width.
struct Written {
    name: &'static str,
    /// Beside the name, where there is room.
    beside: String,
    lines: Vec<String>,
}

impl Written {
    fn new(level: &Level, width: f64) -> Self {
        let room = width - 2.0 * PADDING;
        let name = text_width(level.name, SMALL * 1.08);
        let is_beside = name + 10.0 + text_width(&level.size, SMALL) <= room;
        let (beside, below) = match is_beside {
            true => (level.size.clone(), None),
            false => (String::new(), Some(&level.size)),
        };
        let lines = below.into_iter().chain(&level.lines);
        Self {
            name: level.name,
            beside,
            lines: lines.flat_map(|line| small_lines(line, room)).collect(),
        }
    }
}

/// Where the levels lie.
struct Layout {
    form: Form,
    top: f64,
    /// Top and height of each level.
    levels: [(f64, f64); 4],
    written: [Written; 4],
    bottom: f64,
}

impl Layout {
    fn new(levels: &[Level; 4], top: f64, form: Form) -> Self {
        let written: [Written; 4] = std::array::from_fn(|index| {
            let width = match index {
                REGISTERS | SHARED => widths(form).0 - 2.0 * MARGIN,
                _ => form.bars(),
            };
            Written::new(&levels[index], width)
        });
        let mut y = top + HEADER;
        let mut places = [(0.0, 0.0); 4];
        for (index, (place, written)) in places.iter_mut().zip(&written).enumerate() {
            let height = (written.lines.len() + 1) as f64 * LINE_HEIGHT + 9.0;
            *place = (y, height);
            // What is inside a multiprocessor stands closer together.
            y += height + if index == REGISTERS { 5.0 } else { GAP };
            if index == SHARED {
                y += MARGIN;
            }
        }
        Self {
            form,
            top,
            levels: places,
            written,
            bottom: places[DRAM].0 + places[DRAM].1,
        }
    }

    fn draw(&self, canvas: &mut Canvas<'_>, multiprocessors: u32) {
        let last = multiprocessors.saturating_sub(1);
        let (width, (wide, beside)) = (self.form.bars(), widths(self.form));
        let boxes = [
            (0.0, wide, "multiprocessor 0".to_owned()),
            (wide + GAP, beside, "1".to_owned()),
            (width - beside, beside, last.to_string()),
        ];
        let inner_bottom = self.levels[SHARED].0 + self.levels[SHARED].1;
        for (index, (left, width, name)) in boxes.iter().enumerate() {
            let size = (*width, inner_bottom + MARGIN - self.top);
            canvas.outline((*left, self.top), size, LINE, 1.0);
            let at = (left + MARGIN, self.top + 14.0);
            canvas.text(at, name, SMALL, Anchor::Start, SOFT);
            for level in [REGISTERS, SHARED] {
                let inside = (left + MARGIN, width - 2.0 * MARGIN);
                self.draw_level(canvas, inside, level, index == 0);
            }
        }
        let middle = (wide + GAP + beside + width - beside) / 2.0;
        canvas.text((middle, self.top + 40.0), "…", TEXT, Anchor::Middle, FULL);
        for level in [L2, DRAM] {
            self.draw_level(canvas, (0.0, width), level, true);
        }
        // The ways between the levels.
        let (l2, dram) = (self.levels[L2], self.levels[DRAM]);
        for (left, width, _) in &boxes {
            let x = left + width / 2.0;
            canvas.line((x, inner_bottom + MARGIN), (x, l2.0), LINE, 1.4);
        }
        let x = width / 2.0;
        canvas.line((x, l2.0 + l2.1), (x, dram.0), LINE, 1.4);
    }

    /// The box of a level, and what is written on it.
    fn draw_level(
        &self,
        canvas: &mut Canvas<'_>,
        (left, width): (f64, f64),
        index: usize,
        is_written: bool,
    ) {
        let (top, height) = self.levels[index];
        let rgb = ramp_at(index as f64 / DRAM as f64);
        canvas.fill((left, top), (width, height), Ink::Rgb(rgb, 0.22));
        canvas.outline((left, top), (width, height), Ink::Rgb(rgb, 1.0), 1.2);
        if !is_written {
            return;
        }
        let written = &self.written[index];
        let (x, y) = (left + PADDING, top + 15.0);
        canvas.bold((x, y), written.name, SMALL, Anchor::Start, FULL);
        let end = (left + width - PADDING, y);
        canvas.text(end, &written.beside, SMALL, Anchor::End, FULL);
        canvas.lines((x, y + 3.0), &written.lines);
    }
}
