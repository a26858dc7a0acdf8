//! One warp's access to shared memory: lanes above, the words that they ask of each of the 32 banks below, one row a wavefront. The rule is the emulator's; this only draws it.

use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::figure::Figure;
use super::lanes::Lanes;
use super::style::{
    BLUE, FULL, Form, Ink, MESH, SMALL, SOFT, VERMILLION, counted, text_on, text_width,
};
use cornerturn_emulator::Access;
use cornerturn_emulator::counters::{self, BANK_BYTES, BANKS};
use std::collections::BTreeSet;

/// Room after a phase for the degrees of its conflicts.
const DEGREES: [f64; 2] = [17.0, 24.0];
/// Room after a phase without conflicts.
const PHASE_GAP: f64 = 5.0;
/// What is said below the picture.
const LEGEND: &str = "each box: a word of 4 bytes, with the lane that asks for it; a bank serves one word a wavefront";

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

    /// How far it goes across, with wavefronts of so many pixels each.
    fn thick(&self, row: f64, form: Form) -> f64 {
        self.wavefronts() as f64 * row + self.after(form)
    }

    fn after(&self, form: Form) -> f64 {
        match self.wavefronts() {
            0 => 0.0,
            1 => PHASE_GAP,
            _ => DEGREES[usize::from(form.is_narrow())],
        }
    }
}

/// Which banks of shared memory one warp-level access asks for which words, and how many wavefronts that takes.
///
/// `access` is one element of [`cornerturn_emulator::Trace::accesses`]. Each column, or on a
/// telephone each row, is a bank, each box a word asked of it, with the lane that asks; banks asked for several words at
/// once are marked with their number.
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
    Figure::of_lanes("", |form| {
        let heading = Heading::new(title, &summary, form.lanes());
        let picture = Picture::new(&phases, heading.height(), form);
        let legend = small_lines(LEGEND, form.lanes());
        let bottom = picture.bottom();
        let height = bottom + legend.len() as f64 * LINE_HEIGHT + 4.0;
        drawing((form.lanes(), height), title, &summary, &mut |canvas| {
            canvas.heading(&heading);
            picture.draw(canvas, access);
            canvas.lines((0.0, bottom), &legend);
        })
    })
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

/// The lanes whose bank is asked for several words at once, one bit each.
pub(super) fn crowded(access: &Access) -> u32 {
    let banks = phases(access).into_iter().flat_map(|phase| phase.banks);
    let words = banks.filter(|words| words.len() > 1).flatten();
    let lanes = words.flat_map(|word| word.lanes);
    lanes.fold(0, |mask, lane| mask | 1 << lane)
}

pub(super) fn lanes_per_phase(access: &Access) -> usize {
    counters::lanes_per_phase(&access.addresses, access.access_bytes, access.is_store)
}

pub(super) fn words_per_lane(access: &Access) -> u64 {
    u64::from(access.access_bytes.max(1))
        .div_ceil(BANK_BYTES)
        .min(4)
}

pub(super) fn summary(access: &Access, phases: &[Phase]) -> String {
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

/// The lanes, the banks opposite to them, and the wavefronts behind these.
struct Picture<'a> {
    phases: &'a [Phase],
    lanes: Lanes,
    /// Where the banks' numbers begin across, and where the first wavefront does.
    header: f64,
    first: f64,
    /// How far a wavefront goes across.
    row: f64,
}

impl<'a> Picture<'a> {
    fn new(phases: &'a [Phase], top: f64, form: Form) -> Self {
        let wavefronts: usize = phases.iter().map(Phase::wavefronts).sum();
        let (lanes, fan, header) = match form {
            Form::Wide => {
                let names = 68.0;
                let lanes = Lanes {
                    form,
                    first: names,
                    pitch: (form.lanes() - names) / BANKS as f64,
                    across: top + 12.0,
                    thick: 20.0,
                };
                (lanes, 58.0, 20.0)
            }
            Form::Narrow => {
                let lanes = Lanes {
                    form,
                    first: top + 40.0,
                    pitch: 15.0,
                    across: 0.0,
                    thick: 24.0,
                };
                (lanes, 56.0, 24.0)
            }
        };
        let header_across = lanes.across + lanes.thick + fan;
        let first = header_across + header;
        let row = match (form, wavefronts) {
            (Form::Wide, 0..=6) => 18.0,
            (Form::Wide, 7..=12) => 15.0,
            (Form::Wide, _) => 11.5,
            (Form::Narrow, _) => {
                let after: f64 = phases.iter().map(|phase| phase.after(form)).sum();
                ((form.lanes() - first - after) / wavefronts.max(1) as f64).min(28.0)
            }
        };
        Self {
            phases,
            lanes,
            header: header_across,
            first,
            row,
        }
    }

    fn form(&self) -> Form {
        self.lanes.form
    }

    /// Where the last wavefront ends across.
    fn end(&self) -> f64 {
        let thick = |phase: &Phase| phase.thick(self.row, self.form());
        self.first + self.phases.iter().map(thick).sum::<f64>()
    }

    fn bottom(&self) -> f64 {
        match self.form() {
            Form::Wide => self.end() + 2.0,
            Form::Narrow => self.lanes.end() + 6.0,
        }
    }

    fn draw(&self, canvas: &mut Canvas<'_>, access: &Access) {
        self.draw_fan(canvas, access);
        self.lanes.draw(canvas, access);
        self.draw_header(canvas);
        let (mut across, mut wavefront) = (self.first, 0);
        for phase in self.phases {
            self.draw_phase(canvas, phase, across, wavefront);
            across += phase.thick(self.row, self.form());
            wavefront += phase.wavefronts();
        }
    }

    /// The banks' numbers, what the rows are, and a mesh behind the wavefronts.
    fn draw_header(&self, canvas: &mut Canvas<'_>) {
        let (form, lanes) = (self.form(), &self.lanes);
        let tiny = form.tiny();
        let names = [
            ("lane", lanes.across + lanes.thick / 2.0),
            ("bank", self.header + 8.5),
        ];
        for (name, across) in names {
            match form {
                Form::Wide => canvas.text((0.0, across + 4.0), name, SMALL, Anchor::Start, SOFT),
                Form::Narrow => {
                    let x = across.max(text_width(name, SMALL) / 2.0);
                    canvas.text((x, lanes.first - 6.0), name, SMALL, Anchor::Middle, SOFT);
                }
            }
        }
        for bank in 0..BANKS as usize {
            let (x, y) = form.at(lanes.middle(bank), self.header + 8.5);
            canvas.text((x, y + 4.0), &bank.to_string(), tiny, Anchor::Middle, SOFT);
            let line = lanes.first + bank as f64 * lanes.pitch;
            self.draw_across(canvas, line);
        }
        self.draw_across(canvas, lanes.end());
        let ends = [lanes.first, lanes.end()].map(|along| form.at(along, self.first - 3.0));
        canvas.line(ends[0], ends[1], Ink::Page(0.5), 1.0);
    }

    fn draw_across(&self, canvas: &mut Canvas<'_>, along: f64) {
        let ends = [self.first - 3.0, self.end()].map(|across| self.form().at(along, across));
        canvas.line(ends[0], ends[1], MESH, 0.8);
    }

    /// A line from each active lane to each bank that it asks.
    fn draw_fan(&self, canvas: &mut Canvas<'_>, access: &Access) {
        let (form, lanes) = (self.form(), &self.lanes);
        let words = words_per_lane(access);
        for (lane, address) in access.addresses.iter().enumerate() {
            let Some(address) = address else { continue };
            for index in 0..words {
                let word = (address / BANK_BYTES).saturating_add(index);
                let bank = (word % u64::from(BANKS)) as usize;
                let phase = &self.phases[lane / lanes_per_phase(access)];
                let ink = match phase.banks[bank].len() {
                    0..=1 => Ink::Page(0.45),
                    _ => Ink::Rgb(VERMILLION, 0.8),
                };
                let from = form.at(lanes.middle(lane), lanes.across + lanes.thick);
                let to = form.at(lanes.middle(bank), self.header);
                canvas.line(from, to, ink, 0.9);
            }
        }
    }

    fn draw_phase(&self, canvas: &mut Canvas<'_>, phase: &Phase, from: f64, before: usize) {
        let (form, lanes, row) = (self.form(), &self.lanes, self.row);
        let active = phase.active_lanes();
        self.draw_wavefronts(canvas, phase, from, before);
        for (bank, words) in phase.banks.iter().enumerate() {
            let rgb = if words.len() > 1 { VERMILLION } else { BLUE };
            let start = lanes.first + bank as f64 * lanes.pitch + 1.0;
            for (index, word) in words.iter().enumerate() {
                let across = from + index as f64 * row;
                // Neighbours stay apart, however thin they are.
                let gap = if row < 10.0 { 0.4 } else { 0.75 };
                let (at, size) = (
                    form.at(start, across + gap),
                    form.at(lanes.pitch - 2.0, row - 2.0 * gap),
                );
                canvas.fill(at, size, Ink::Rgb(rgb, 1.0));
                let middle = (at.0 + size.0 / 2.0, at.1 + size.1 / 2.0 + 3.8);
                let text = Ink::Rgb(text_on(rgb), 1.0);
                let label = lanes_label(&word.lanes, active);
                if self.has_numbers() {
                    canvas.text(middle, &label, form.tiny(), Anchor::Middle, text);
                }
            }
            if words.len() > 1 {
                let across = from + words.len() as f64 * row + self.degree_middle();
                let (x, y) = form.at(lanes.middle(bank), across);
                let degree = format!("{}×", words.len());
                canvas.bold((x, y + 4.0), &degree, form.tiny(), Anchor::Middle, FULL);
            }
        }
    }

    /// Whether the words of a wavefront have room for the numbers of lanes: all of them, or none.
    fn has_numbers(&self) -> bool {
        self.form() == Form::Wide || text_width("31", self.form().tiny()) < self.row
    }

    fn degree_middle(&self) -> f64 {
        if self.form().is_narrow() { 12.5 } else { 8.0 }
    }

    /// The numbers of the wavefronts of a phase.
    fn draw_wavefronts(&self, canvas: &mut Canvas<'_>, phase: &Phase, from: f64, before: usize) {
        let tiny = self.form().tiny();
        for index in 0..phase.wavefronts() {
            let number = before + index + 1;
            let middle = from + (index as f64 + 0.5) * self.row;
            let is_first = index == 0;
            if self.form() == Form::Wide {
                let label = match is_first {
                    true => format!("wavefront {number}"),
                    false => number.to_string(),
                };
                let at = (self.lanes.first - 6.0, middle + 3.6);
                canvas.text(at, &label, tiny, Anchor::End, SOFT);
                continue;
            }
            let y = self.lanes.first - 6.0;
            if self.has_numbers() || is_first || index + 1 == phase.wavefronts() {
                // The first of thin ones stays clear of the word before it.
                let x = middle.max(from + 8.0);
                canvas.text((x, y), &number.to_string(), tiny, Anchor::Middle, SOFT);
            }
            if number == 1 {
                let at = (self.first, y - 16.0);
                canvas.text(at, "wavefronts", SMALL, Anchor::Start, SOFT);
            }
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
