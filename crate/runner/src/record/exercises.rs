//! The experiment `exercises`: bandwidth of the workshop's solutions and of the driver's copy of the same element type, interleaved, cold cache.

use super::measured::{
    ROUNDS, merged, round_options, rounded, save, share_of_copy, with_resources,
};
use crate::output::{self, Table};
use crate::turns;
use cornerturn::exercise::{Bench, EXPERIMENT, Exercise, Workshop};
use cornerturn::record::{DRIVER_COPY, Measurement, Record};
use cornerturn::verify::Operation;
use cornerturn::{Device, ElementType, Shape, traffic};
use std::path::Path;
use std::process::ExitCode;

/// The matrix on which solutions are measured.
const SIDE: usize = 4096;

/// Measures the solutions of these exercises, of all that ask for a kernel if none is named, but for products, whose
/// measure is no bandwidth.
pub fn record(
    device: &Device,
    ids: &[String],
    shapes: &[Shape],
    folder: &Path,
) -> anyhow::Result<ExitCode> {
    let workshop = Workshop::load()?;
    let chosen = chosen(&workshop, ids)?;
    let is_part = !(ids.is_empty() && shapes.is_empty());
    let shapes = if shapes.is_empty() {
        &[Shape::new(SIDE, SIDE)]
    } else {
        shapes
    };
    let mut record = Record::new(EXPERIMENT, device, &super::commit());
    for &shape in shapes {
        let mut elements: Vec<ElementType> =
            chosen.iter().map(|exercise| exercise.element).collect();
        elements.sort_by_key(|element| element.name());
        elements.dedup();
        for element in elements {
            let exercises = chosen.iter().filter(|exercise| exercise.element == element);
            measure(device, exercises.copied(), element, shape, &mut record)?;
        }
    }
    let table = table(&record);
    save(&merged(record, folder, is_part)?, folder, &table)
}

fn chosen<'w>(workshop: &'w Workshop, ids: &[String]) -> cornerturn::Result<Vec<&'w Exercise>> {
    if ids.is_empty() {
        let exercises = workshop.exercises().iter();
        return Ok(exercises
            .filter(|exercise| exercise.kind.asks_for_kernel() && exercise.product.is_none())
            .collect());
    }
    ids.iter().map(|id| workshop.get(id)).collect()
}

/// Measures exercises of one element type beside one copy.
fn measure<'w>(
    device: &Device,
    exercises: impl Iterator<Item = &'w Exercise>,
    element: ElementType,
    shape: Shape,
    record: &mut Record,
) -> anyhow::Result<()> {
    output::step(format!("{shape} {element} …"));
    let mut benches = Vec::new();
    for exercise in exercises {
        output::progress(&format!("  {}: verifying", exercise.id));
        benches.push((
            exercise,
            Bench::new(exercise, device, nearest(exercise, shape))?,
            Vec::new(),
        ));
    }
    let mut copy_us = Vec::new();
    for round in 0..ROUNDS {
        output::progress(&format!("  round {} of {ROUNDS}", round + 1));
        for turn in turns::shuffled(benches.len() + 1, round) {
            let Some((_, bench, samples_us)) = benches.get_mut(turn) else {
                let bytes = traffic::bytes_moved(shape, element) / 2;
                copy_us.extend(device.time_copy(bytes, round_options())?.samples_us);
                continue;
            };
            let timing = bench.time(round_options())?;
            samples_us.extend(timing.samples_us);
            record.device.clocks = timing.clocks;
        }
    }
    let copy = Measurement::new(
        DRIVER_COPY,
        Operation::Copy,
        element,
        shape,
        rounded(&copy_us),
    );
    record.measurements.push(copy);
    for (exercise, bench, samples_us) in benches {
        let resources = device.resources(bench.kernel(), exercise.block)?;
        record.measurements.push(with_resources(
            bench.measurement(rounded(&samples_us)),
            resources,
        ));
    }
    Ok(())
}

/// The shape, or the next larger one that the exercise takes.
fn nearest(exercise: &Exercise, shape: Shape) -> Shape {
    let [columns, rows] = exercise.multiple_of;
    Shape::new(
        shape.rows.next_multiple_of(rows),
        shape.columns.next_multiple_of(columns),
    )
}

fn table(record: &Record) -> String {
    let mut table = Table::new(["exercise", "matrix", "median µs", "GB/s", "% of copy"]);
    for measurement in &record.measurements {
        table.row([
            measurement.kernel.clone(),
            format!("{} {}", measurement.matrices(), measurement.element),
            format!("{:.2}", measurement.median_us()),
            format!("{:.0}", measurement.gb_per_s().0),
            share_of_copy(record, measurement),
        ]);
    }
    table.render()
}
