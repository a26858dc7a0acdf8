//! One warp's access to shared memory: lanes above, the words that they ask of each of the 32 banks below, one row a wavefront. The rule is the emulator's; this only draws it.

use super::canvas::{Anchor, Canvas, Heading, drawing};
use super::figure::Figure;
use super::sectors::{LANE_HEIGHT, draw_lane};
use super::style::{
    BLUE, FULL, Ink, LANES_WIDTH, MESH, SMALL, SOFT, TINY, VERMILLION, counted, text_on,
};
use cornerturn_emulator::Access;
use cornerturn_emulator::counters::{self, BANK_BYTES, BANKS};
use std::collections::BTreeSet;

/// Room for the labels of the rows.
const MARGIN: f64 = 68.0;
/// Pixels of one lane and of one bank.
const PITCH: f64 = (LANES_WIDTH - MARGIN) / BANKS as f64;
const FAN_HEIGHT: f64 = 58.0;
const HEADER_HEIGHT: f64 = 17.0;
/// Room below a phase for the degrees of its conflicts.
const DEGREES_HEIGHT: f64 = 17.0;
/// Room below a phase without conflicts.
const PHASE_GAP: f64 = 5.0;

/// A word that one phase asks of a bank, and the lanes that ask for it.
struct Word {
    word: u64,
    lanes: Vec<usize>,
}

/// Lanes that pass through the banks together: what they ask of each bank.
pub(super) struct Phase {
    banks: Vec<Vec<Word>>,
}

impl Phase {
    pub(super) fn wavefronts(&self) -> usize {
        self.banks.iter().map(Vec::len).max().unwrap_or(0)
    }

    fn active_lanes(&self) -> usize {
        let lanes: BTreeSet<usize> = self
            .banks
            .iter()
            .flatten()
            .flat_map(|word| word.lanes.iter().copied())
            .collect();
        lanes.len()
    }

    fn height(&self, row: f64) -> f64 {
        let below = match self.wavefronts() {
            0 => 0.0,
            1 => PHASE_GAP,
            _ => DEGREES_HEIGHT,
        };
        self.wavefronts() as f64 * row + below
    }
}

/// Which banks of shared memory one warp-level access asks for which words, and how many wavefronts that takes.
///
/// `access` is one element of [`cornerturn_emulator::Trace::accesses`]. Each column is a bank, each box a word asked of
/// it, with the lane that asks; banks asked for several words at once are marked with their number.
pub fn banks(title: &str, access: &Access) -> Figure {
    let phases = phases(access);
    if phases.iter().all(|phase| phase.wavefronts() == 0) {
        return Figure::nothing(
            title,
            "There is nothing to draw: no lane of this access is active.",
            "",
        );
    }
    let summary = summary(access, &phases);
    let heading = Heading::new(title, &summary, LANES_WIDTH);
    let lanes = heading.height() + 12.0;
    let header = lanes + LANE_HEIGHT + FAN_HEIGHT;
    let first = header + HEADER_HEIGHT + 3.0;
    let row = match phases.iter().map(Phase::wavefronts).sum::<usize>() {
        0..=6 => 18.0,
        7..=12 => 15.0,
        _ => 11.5,
    };
    let height = first + phases.iter().map(|phase| phase.height(row)).sum::<f64>() + 18.0;
    let svg = drawing((LANES_WIDTH, height), title, &summary, &mut |canvas| {
        canvas.heading(&heading);
        draw_fan(canvas, access, &phases, lanes + LANE_HEIGHT, header);
        draw_lanes_and_header(canvas, access, lanes, header);
        draw_mesh(canvas, first, height - 20.0);
        let (mut y, mut wavefront) = (first, 0);
        for phase in &phases {
            draw_phase(canvas, phase, (y, row), wavefront);
            y += phase.height(row);
            wavefront += phase.wavefronts();
        }
        let legend = "each box: a word of 4 bytes, with the lane that asks for it; a bank serves one word a wavefront";
        canvas.text((0.0, height - 5.0), legend, SMALL, Anchor::Start, SOFT);
    });
    Figure::wide(svg, "")
}

pub(super) fn phases(access: &Access) -> Vec<Phase> {
    let at_once = lanes_per_phase(access);
    let words = words_per_lane(access);
    let lanes: Vec<usize> = (0..access.addresses.len()).collect();
    lanes
        .chunks(at_once)
        .map(|lanes| {
            let mut banks: Vec<Vec<Word>> = (0..BANKS).map(|_| Vec::new()).collect();
            for &lane in lanes {
                let Some(address) = access.addresses[lane] else {
                    continue;
                };
                for index in 0..words {
                    let word = (address / BANK_BYTES).saturating_add(index);
                    let bank = &mut banks[(word % u64::from(BANKS)) as usize];
                    match bank.iter_mut().find(|asked| asked.word == word) {
                        Some(asked) => asked.lanes.push(lane),
                        None => bank.push(Word {
                            word,
                            lanes: vec![lane],
                        }),
                    }
                }
            }
            Phase { banks }
        })
        .collect()
}

pub(super) fn lanes_per_phase(access: &Access) -> usize {
    counters::lanes_per_phase(&access.addresses, access.access_bytes, access.is_store)
}

pub(super) fn words_per_lane(access: &Access) -> u64 {
    u64::from(access.access_bytes.max(1))
        .div_ceil(BANK_BYTES)
        .min(4)
}

fn summary(access: &Access, phases: &[Phase]) -> String {
    let active = (0..32)
        .filter(|&lane| access.addresses[lane].is_some())
        .fold(0u32, |mask, lane| mask | 1 << lane);
    let (bytes, is_store) = (access.access_bytes, access.is_store);
    let wavefronts = counters::shared_wavefronts(&access.addresses, bytes, is_store);
    let fewest = counters::fewest_wavefronts(&access.addresses, bytes, is_store);
    let lanes = u64::from(active.count_ones());
    let verb = match (access.is_store, lanes) {
        (true, 1) => "stores",
        (true, _) => "store",
        (false, 1) => "loads",
        (false, _) => "load",
    };
    let mut text = format!(
        "{} {verb} {} each: {}",
        counted(lanes, "lane", "lanes"),
        counted(access.access_bytes.into(), "byte", "bytes"),
        counted(wavefronts.into(), "wavefront", "wavefronts"),
    );
    if wavefronts > fewest {
        let degree = phases.iter().map(Phase::wavefronts).max().unwrap_or(0);
        let article = if matches!(degree, 8 | 11 | 18) {
            "an"
        } else {
            "a"
        };
        text.push_str(&format!(
            " where {fewest} would do, {article} {degree}-way bank conflict"
        ));
    } else {
        text.push_str(", no bank conflict");
    }
    let words = phases.iter().flat_map(|phase| phase.banks.iter().flatten());
    if words.into_iter().any(|word| word.lanes.len() > 1) {
        text.push_str("; lanes that ask for the same word share it");
    }
    let at_once = lanes_per_phase(access);
    if at_once < 32 {
        text.push_str(&format!("; the banks serve {at_once} lanes at a time"));
    }
    text
}

fn column(bank: usize) -> f64 {
    MARGIN + bank as f64 * PITCH
}

fn draw_lanes_and_header(canvas: &mut Canvas<'_>, access: &Access, lanes: f64, header: f64) {
    canvas.text((0.0, lanes + 14.0), "lane", SMALL, Anchor::Start, SOFT);
    canvas.text((0.0, header + 12.5), "bank", SMALL, Anchor::Start, SOFT);
    for (index, address) in access.addresses.iter().enumerate() {
        draw_lane(
            canvas,
            index,
            address.is_some(),
            column(index),
            PITCH,
            lanes,
        );
        let at = (column(index) + PITCH / 2.0, header + 12.5);
        canvas.text(at, &index.to_string(), TINY, Anchor::Middle, SOFT);
    }
    canvas.line(
        (MARGIN, header + HEADER_HEIGHT),
        (LANES_WIDTH, header + HEADER_HEIGHT),
        Ink::Page(0.5),
        1.0,
    );
}

fn draw_mesh(canvas: &mut Canvas<'_>, top: f64, bottom: f64) {
    for bank in 0..=BANKS as usize {
        canvas.line((column(bank), top - 3.0), (column(bank), bottom), MESH, 0.8);
    }
}

/// A line from each active lane to each bank that it asks.
fn draw_fan(canvas: &mut Canvas<'_>, access: &Access, phases: &[Phase], top: f64, bottom: f64) {
    let words = words_per_lane(access);
    for (lane, address) in access.addresses.iter().enumerate() {
        let Some(address) = address else { continue };
        for index in 0..words {
            let word = (address / BANK_BYTES).saturating_add(index);
            let bank = (word % u64::from(BANKS)) as usize;
            let phase = &phases[lane / lanes_per_phase(access)];
            let ink = match phase.banks[bank].len() {
                0..=1 => Ink::Page(0.45),
                _ => Ink::Rgb(VERMILLION, 0.8),
            };
            let from = (column(lane) + PITCH / 2.0, top);
            canvas.line(from, (column(bank) + PITCH / 2.0, bottom), ink, 0.9);
        }
    }
}

fn draw_phase(canvas: &mut Canvas<'_>, phase: &Phase, (top, row): (f64, f64), before: usize) {
    for index in 0..phase.wavefronts() {
        let number = before + index + 1;
        let label = if index == 0 {
            format!("wavefront {number}")
        } else {
            number.to_string()
        };
        let baseline = top + index as f64 * row + row / 2.0 + 3.6;
        canvas.text((MARGIN - 6.0, baseline), &label, TINY, Anchor::End, SOFT);
    }
    let lanes = phase.active_lanes();
    for (bank, words) in phase.banks.iter().enumerate() {
        let rgb = if words.len() > 1 { VERMILLION } else { BLUE };
        for (index, word) in words.iter().enumerate() {
            let at = (column(bank) + 1.0, top + index as f64 * row + 0.75);
            canvas.fill(at, (PITCH - 2.0, row - 1.5), Ink::Rgb(rgb, 1.0));
            let middle = (column(bank) + PITCH / 2.0, at.1 + (row - 1.5) / 2.0 + 3.6);
            let text = Ink::Rgb(text_on(rgb), 1.0);
            canvas.text(
                middle,
                &lanes_label(&word.lanes, lanes),
                TINY,
                Anchor::Middle,
                text,
            );
        }
        if words.len() > 1 {
            let at = (
                column(bank) + PITCH / 2.0,
                top + words.len() as f64 * row + 12.0,
            );
            canvas.bold(at, &format!("{}×", words.len()), TINY, Anchor::Middle, FULL);
        }
    }
}

/// The lane that asks for a word, or that there are several.
fn lanes_label(lanes: &[usize], all: usize) -> String {
    match lanes {
        [lane] => lane.to_string(),
        several if several.len() == all => "all".to_owned(),
        [first, ..] => format!("{first}…"),
        [] => String::new(),
    }
}
