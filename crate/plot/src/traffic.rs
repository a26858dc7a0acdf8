//! What a whole launch moved: bytes of sectors and of wavefronts, beside what had to move. Counting is the emulator's, what must move the problem's.

use super::canvas::{Anchor, Canvas, Heading, LINE_HEIGHT, drawing, small_lines};
use super::figure::Figure;
use super::style::{
    BLUE, FULL, Form, Ink, LINE, SMALL, SOFT, VERMILLION, fit, number, percent, text_width,
};
use cornerturn_base::html::Wanted;
use cornerturn_emulator::counters::{BANK_BYTES, BANKS, SECTOR_BYTES};
use cornerturn_emulator::{Counters, Path, Site, Space};
use cornerturn_measure::product::ProductRun;
use cornerturn_measure::task::Run;

/// Bytes that one pass through all banks has room for.
const WAVEFRONT_BYTES: u64 = BANKS as u64 * BANK_BYTES;
/// Height of a bar with its gap, and of the words above a group of bars.
const BAR: f64 = 20.0;
const WORDS: f64 = 22.0;
const GAP: f64 = 4.0;
/// The most room for a launch's name, and the room for the number behind a bar.
const MOST_NAME: f64 = 96.0;
const NUMBER: f64 = 104.0;
/// Bytes of which nobody says how many had to move.
const GREY: Ink = Ink::Page(0.4);
const CAPTION: &str = "Counted over the whole launch: 32 bytes for a sector, 128 for a pass through the banks of \
                       shared memory. What DRAM gives lies between what must move and what sectors carry: caches \
                       decide, and the emulator models none.";

/// What one launch moved.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let run = Run::registered(&Device::emulator(), "tiled", 64, 96)?;
/// let figure = plot::traffic("A tile", &[plot::Traffic::from(&run).named("32 × 32")]);
/// assert!(figure.svg.starts_with("<svg"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    name: String,
    counters: Counters,
    /// By bulk copies, which no counter has: read from global memory, and written.
    bulk: [u64; 2],
    wanted: Option<Wanted>,
}

impl Traffic {
    /// A launch with its counters, its access sites and what must move, where that is known.
    pub fn new(name: &str, counters: Counters, sites: &[Site], wanted: Option<Wanted>) -> Self {
        let bulk = |is_store: bool| {
            let is_meant = |site: &&Site| {
                site.path == Path::Bulk && site.space == Space::Global && site.is_store == is_store
            };
            let bytes = sites.iter().filter(is_meant).map(|site| site.bytes);
            bytes.fold(0, u64::saturating_add)
        };
        Self {
            name: name.to_string(),
            counters,
            bulk: [bulk(false), bulk(true)],
            wanted,
        }
    }

    /// The same under another name.
    pub fn named(self, name: &str) -> Self {
        Self {
            name: name.to_string(),
            ..self
        }
    }

    /// Every way between two memories, in the order in which they are drawn.
    fn ways(&self) -> [Way; 7] {
        let c = &self.counters;
        let global = |sectors: u64| sectors.saturating_mul(SECTOR_BYTES);
        let shared = |words, passes: u64, conflicts: u64| Way {
            words,
            moved: passes.saturating_mul(WAVEFRONT_BYTES),
            least: Some(
                passes
                    .saturating_sub(conflicts)
                    .saturating_mul(WAVEFRONT_BYTES),
            ),
        };
        [
            Way {
                words: "read from global memory",
                moved: global(c.global_load_sectors + c.texture_sectors)
                    .saturating_add(self.bulk[0]),
                least: self.wanted.map(|wanted| wanted.load_bytes),
            },
            Way {
                words: "written to global memory",
                moved: global(c.global_store_sectors).saturating_add(self.bulk[1]),
                least: self.wanted.map(|wanted| wanted.store_bytes),
            },
            Way {
                words: "atomics on global memory",
                moved: global(c.global_atom_sectors + c.global_red_sectors),
                least: None,
            },
            Way {
                words: "local memory, read and written",
                moved: global(c.local_load_sectors + c.local_store_sectors),
                least: Some(0),
            },
            shared(
                "written to shared memory",
                c.shared_store_wavefronts + c.async_copy_wavefronts,
                c.shared_store_bank_conflicts + c.async_copy_bank_conflicts,
            ),
            shared(
                "read from shared memory",
                c.shared_load_wavefronts + c.shared_multiply_wavefronts,
                c.shared_load_bank_conflicts,
            ),
            shared(
                "atomics on shared memory",
                c.shared_atom_wavefronts,
                c.shared_atom_bank_conflicts,
            ),
        ]
    }

    /// What passed between L1 and the memory behind it, for what had to.
    fn sum(&self) -> String {
        let behind = self.ways().into_iter().take(4);
        let moved = behind.fold(0_u64, |sum, way| sum.saturating_add(way.moved));
        let text = format!("{} between L1 and the memory behind it", amount(moved));
        match self.wanted {
            Some(wanted) if moved > 0 => {
                let must = wanted.load_bytes.saturating_add(wanted.store_bytes);
                let share = percent(must as f64 / moved as f64, 1);
                format!("{text}, for {} that must move, {share}", amount(must))
            }
            _ => text,
        }
    }
}

impl From<&Run> for Traffic {
    fn from(run: &Run) -> Self {
        Self::new(&run.kernel, run.counters, &run.sites, Some(run.wanted()))
    }
}

impl From<&ProductRun> for Traffic {
    fn from(run: &ProductRun) -> Self {
        Self::new(&run.kernel, run.counters, &run.sites, run.wanted())
    }
}

/// Bytes on one way.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Way {
    words: &'static str,
    moved: u64,
    /// The fewest that would do; `None` where nobody says.
    least: Option<u64>,
}

impl Way {
    /// What stands behind its bar: "1.33 MB, 8×".
    fn told(self) -> String {
        match self.least {
            Some(least) if least > 0 && self.moved > 0 => {
                let times = self.moved as f64 / least as f64;
                let decimals = if times < 9.95 { 2 } else { 0 };
                format!("{}, {}×", amount(self.moved), number(times, decimals))
            }
            _ => amount(self.moved),
        }
    }
}

/// What launches moved, all on one scale: a group of bars for each way between two memories, a bar for each launch. Blue is what had to
/// move, or what passes through the banks without a conflict; orange is what moved beyond that.
///
/// ```
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let device = Device::emulator();
/// let runs = [Run::registered(&device, "naive_read", 70, 100)?, Run::registered(&device, "padded", 70, 100)?];
/// let figure = plot::traffic("Two transposes", &runs.each_ref().map(plot::Traffic::from));
/// # drop(figure);
/// # Ok(())
/// # }
/// ```
pub fn traffic(title: &str, launches: &[Traffic]) -> Figure {
    let groups = groups(launches);
    if groups.is_empty() {
        let reason = "There is nothing to draw: no memory was accessed.";
        return Figure::nothing(title, reason, "");
    }
    let summary = summary(launches);
    let described = format!("{summary}. {}", words(launches, &groups));
    Figure::new(CAPTION, |form| {
        let heading = Heading::new(title, &summary, form.bars());
        let picture = Picture::new(launches, &groups, form);
        let top = heading.height() + 6.0;
        let size = (form.bars(), top + picture.height());
        drawing(size, title, &described, &mut |canvas| {
            canvas.heading(&heading);
            picture.draw(canvas, top);
        })
    })
}

/// The sums of launches, said once where they are the same.
fn summary(launches: &[Traffic]) -> String {
    let sums: Vec<String> = launches.iter().map(Traffic::sum).collect();
    match sums.as_slice() {
        [first, rest @ ..] if rest.iter().all(|sum| sum == first) => first.clone(),
        _ => {
            let named = launches.iter().zip(&sums);
            let named = named.map(|(launch, sum)| format!("{}: {sum}", launch.name));
            named.collect::<Vec<_>>().join("; ")
        }
    }
}

/// The ways that any launch used, each with all launches.
fn groups(launches: &[Traffic]) -> Vec<Vec<Way>> {
    let all: Vec<[Way; 7]> = launches.iter().map(Traffic::ways).collect();
    let group = |at: usize| all.iter().map(|ways| ways[at]).collect::<Vec<Way>>();
    let is_used = |group: &Vec<Way>| group.iter().any(|way| way.moved > 0);
    (0..7).map(group).filter(is_used).collect()
}

/// What a screen reader says.
fn words(launches: &[Traffic], groups: &[Vec<Way>]) -> String {
    let one = |group: &Vec<Way>| {
        let bars = group
            .iter()
            .zip(launches)
            .map(|(way, launch)| match launches.len() {
                1 => way.told(),
                _ => format!("{} {}", launch.name, way.told()),
            });
        let bars: Vec<String> = bars.collect();
        let what = group.first().map_or("", |way| way.words);
        format!("{what}: {}", bars.join(", "))
    };
    let groups: Vec<String> = groups.iter().map(one).collect();
    groups.join("; ")
}

/// The bars in their places.
struct Picture<'a> {
    launches: &'a [Traffic],
    groups: &'a [Vec<Way>],
    /// Where bars begin, and how long the longest is.
    left: f64,
    long: f64,
    most: u64,
    legend: Vec<(Ink, Vec<String>)>,
}

impl<'a> Picture<'a> {
    fn new(launches: &'a [Traffic], groups: &'a [Vec<Way>], form: Form) -> Self {
        let names = launches.iter().map(|one| text_width(&one.name, SMALL));
        let left = match launches.len() {
            1 => 0.0,
            _ => names.fold(0.0, f64::max).min(MOST_NAME) + 8.0,
        };
        let bars = || groups.iter().flatten();
        let has = |is_meant: fn(&Way) -> bool| bars().any(|way| way.moved > 0 && is_meant(way));
        let keys = [
            (
                Ink::Rgb(BLUE, 1.0),
                has(|way| way.least.is_some_and(|least| least > 0)),
                "must move; of shared memory: passes without a bank conflict",
            ),
            (
                Ink::Rgb(VERMILLION, 1.0),
                has(|way| way.least.is_some_and(|least| way.moved > least)),
                "beyond that: bytes that nobody wanted or that were fetched again, bank conflicts",
            ),
            (
                GREY,
                has(|way| way.least.is_none()),
                "how much of it must move is not known",
            ),
        ];
        let keys = keys.into_iter().filter(|(_, is_used, _)| *is_used);
        Self {
            launches,
            groups,
            left,
            long: form.bars() - left - NUMBER,
            most: bars().map(|way| way.moved).max().unwrap_or(1).max(1),
            legend: keys
                .map(|(ink, _, words)| (ink, small_lines(words, form.bars() - 20.0)))
                .collect(),
        }
    }

    fn height(&self) -> f64 {
        let group = WORDS + BAR * self.launches.len() as f64 + GAP;
        let lines: usize = self.legend.iter().map(|(_, lines)| lines.len()).sum();
        group * self.groups.len() as f64 + 8.0 + LINE_HEIGHT * lines as f64 + 4.0
    }

    fn draw(&self, canvas: &mut Canvas<'_>, top: f64) {
        let mut y = top;
        for group in self.groups {
            let words = group.first().map_or("", |way| way.words);
            canvas.text((0.0, y + 15.0), words, SMALL, Anchor::Start, FULL);
            y += WORDS;
            let from = y;
            for (way, launch) in group.iter().zip(self.launches) {
                self.bar(canvas, y, *way, &launch.name);
                y += BAR;
            }
            canvas.line((self.left, from - 1.0), (self.left, y - 1.0), LINE, 1.0);
            y += GAP;
        }
        y += 8.0;
        for (ink, lines) in &self.legend {
            canvas.fill((0.0, y + 5.0), (12.0, 10.0), *ink);
            y = canvas.lines((20.0, y), lines);
        }
    }

    fn bar(&self, canvas: &mut Canvas<'_>, y: f64, way: Way, name: &str) {
        if self.left > 0.0 {
            let name = fit(name, SMALL, self.left - 6.0);
            canvas.text((0.0, y + 13.0), &name, SMALL, Anchor::Start, SOFT);
        }
        let long = |bytes: u64| self.long * bytes as f64 / self.most as f64;
        let least = way.least.unwrap_or(way.moved).min(way.moved);
        let ink = match way.least {
            Some(_) => Ink::Rgb(BLUE, 1.0),
            None => GREY,
        };
        // What is there is seen, however little it is.
        let whole = if way.moved > 0 {
            long(way.moved).max(1.5)
        } else {
            0.0
        };
        let first = long(least).min(whole);
        let first = if least == way.moved { whole } else { first };
        canvas.fill((self.left, y + 1.0), (first, BAR - 6.0), ink);
        let rest = (self.left + first, y + 1.0);
        canvas.fill(rest, (whole - first, BAR - 6.0), Ink::Rgb(VERMILLION, 1.0));
        let end = (self.left + whole + 6.0, y + 13.0);
        canvas.text(end, &way.told(), SMALL, Anchor::Start, SOFT);
    }
}

/// Bytes with three digits; 1 kB is 1000 bytes.
fn amount(bytes: u64) -> String {
    let units = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let fits = |(unit, _): &&(f64, &str)| bytes as f64 >= *unit;
    let Some((unit, name)) = units.iter().find(fits) else {
        return super::style::counted(bytes, "byte", "bytes");
    };
    let value = bytes as f64 / unit;
    let decimals = match value {
        large if large >= 100.0 => 0,
        middle if middle >= 10.0 => 1,
        _ => 2,
    };
    format!("{}\u{202F}{name}", number(value, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(name: &str, store_sectors: u64) -> Traffic {
        let counters = Counters {
            global_load_sectors: 1000,
            global_store_sectors: store_sectors,
            shared_store_wavefronts: 500,
            shared_store_bank_conflicts: 250,
            ..Counters::default()
        };
        let wanted = Wanted {
            load_bytes: 32_000,
            store_bytes: 32_000,
        };
        Traffic::new(name, counters, &[], Some(wanted))
    }

    #[test]
    fn bars_tell_what_moved_for_what_must() {
        let figure = traffic("t", &[launch("a", 8000)]);
        for words in [
            "288\u{202F}kB between L1 and the memory behind it, for 64\u{202F}kB that must move, 22.2\u{202F}%",
            "read from global memory: 32\u{202F}kB, 1×",
            "written to global memory: 256\u{202F}kB, 8×",
            "written to shared memory: 64\u{202F}kB, 2×",
        ] {
            assert!(figure.svg.contains(words), "{words}: {}", figure.svg);
        }
        assert!(!figure.svg.contains("atomics") && !figure.svg.contains("read from shared"));
        assert!(!figure.svg.contains("is not known"));
    }

    #[test]
    fn launches_stand_below_each_other_on_one_scale() {
        let figure = traffic("t", &[launch("before", 1000), launch("after", 4000)]);
        assert!(figure.svg.contains("before 32\u{202F}kB, 1×, after 128"));
        // Without a word of what must move, nothing is said to be too much.
        let unknown = Traffic {
            wanted: None,
            ..launch("x", 1000)
        };
        let figure = traffic("t", &[unknown]);
        assert!(figure.svg.contains("is not known") && !figure.svg.contains("32\u{202F}kB, 1×"));
    }

    #[test]
    fn bulk_copies_are_traffic_though_no_counter_has_them() {
        let site = |space, is_store, bytes| Site {
            ptx_line: 1,
            source: None,
            space,
            is_store,
            is_atomic: false,
            is_matrix: false,
            is_generic: false,
            access_bytes: 16,
            executed: 1,
            requests: 1,
            sectors: 0,
            wavefronts: 0,
            bank_conflicts: 0,
            path: Path::Bulk,
            bytes,
            demand: cornerturn_emulator::Demand::default(),
        };
        let sites = [
            site(Space::Global, false, 4096),
            site(Space::Shared, true, 4096),
        ];
        let figure = traffic("t", &[Traffic::new("x", Counters::default(), &sites, None)]);
        assert!(
            figure
                .svg
                .contains("read from global memory: 4.1\u{202F}kB")
        );
        assert!(!figure.svg.contains("written to"));
    }

    #[test]
    fn a_launch_without_memory_is_no_picture() {
        let nothing = Traffic::new("x", Counters::default(), &[], None);
        assert!(traffic("t", &[nothing]).svg.contains("nothing to draw"));
        assert!(traffic("t", &[]).svg.contains("nothing to draw"));
        let most = Counters {
            global_load_sectors: u64::MAX / 2,
            shared_load_wavefronts: u64::MAX,
            ..Counters::default()
        };
        assert!(
            traffic("t", &[Traffic::new("x", most, &[], None)])
                .svg
                .contains("GB")
        );
    }
}
