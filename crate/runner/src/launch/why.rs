//! Why a launch is slow, for a terminal: the advice, and the accesses and branches by source line. What is worth saying, and its words, are the emulator's `advice`.

use crate::output::{Table, grouped};
use cornerturn::emulator::SourceLine;
use cornerturn::emulator::advice::{Explanation, LineAccess, LineBranch, NOT_COUNTED};

/// Rows of less than this share are left out of the tables.
const LEAST_SHARE: f64 = 0.005;

/// The advice as numbered sentences, and the tables; `shows_all` also the rows of which there is nothing to say.
pub fn text(why: &Explanation, shows_all: bool) -> String {
    let advice = why.advice.iter();
    let mut text =
        numbered(advice.map(|advice| (advice.message.as_str(), advice.kind.chapter().1)));
    text.push_str(&accesses(&why.accesses, shows_all));
    text.push_str(&branches(&why.branches, shows_all));
    text
}

/// Advice, each a sentence and the chapter on it, as numbered sentences.
pub fn numbered<'a>(advice: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = String::new();
    for (at, (message, chapter)) in advice.enumerate() {
        text.push_str(&format!("{}. {message} (chapter {chapter}).\n", at + 1));
    }
    if !text.is_empty() {
        text.push_str(&format!("   {NOT_COUNTED}\n"));
    }
    text
}

fn accesses(rows: &[LineAccess], shows_all: bool) -> String {
    let mut table = Table::new([
        "line",
        "access",
        "requests",
        "sectors each",
        "fewest",
        "wavefronts each",
        "fewest",
        "lanes an address",
        "share",
    ]);
    let is_shown = |row: &&LineAccess| {
        shows_all || row.is_counted() && (row.share >= LEAST_SHARE || row.excess() > 0)
    };
    let mut count = 0;
    for row in rows.iter().filter(is_shown) {
        let each = |number: u64| match (number, row.requests) {
            (0, _) | (_, 0) => String::new(),
            (number, requests) => format!("{:.1}", number as f64 / requests as f64),
        };
        let meeting = match (row.addresses, row.space) {
            (0, _) => String::new(),
            (addresses, _) => format!("{:.1}", row.lanes as f64 / addresses as f64),
        };
        let share = match row.share {
            0.0 => String::new(),
            share => format!("{:.1} %", 100.0 * share),
        };
        table.row([
            place(row.source.as_ref(), row.ptx_line),
            name(row),
            grouped(row.requests),
            each(row.sectors),
            each(row.fewest_sectors),
            each(row.wavefronts),
            each(row.fewest_wavefronts),
            meeting,
            share,
        ]);
        count += 1;
    }
    if count == 0 {
        return String::new();
    }
    table.without_empty_columns().render()
}

/// What accesses what: `global load`, `shared atomic`, `local load of window`.
fn name(row: &LineAccess) -> String {
    let array = row.array.as_ref();
    let of = array.map_or_else(String::new, |name| format!(" of {name}"));
    format!("{} {}{of}", row.space.name(), row.operation.name())
}

fn branches(rows: &[LineBranch], shows_all: bool) -> String {
    let mut table = Table::new([
        "line",
        "lanes active of 32",
        "share of instructions",
        "warps at its branches",
        "parted",
    ]);
    let mut count = 0;
    let is_shown = |row: &&LineBranch| shows_all || row.share >= LEAST_SHARE;
    for row in rows.iter().filter(is_shown) {
        let branches = match row.branches {
            0 => [String::new(), String::new()],
            branches => [
                grouped(branches),
                format!("{:.0} %", 100.0 * row.split as f64 / branches as f64),
            ],
        };
        let [taken, parted] = branches;
        table.row([
            place(row.source.as_ref(), row.ptx_line),
            format!("{:.1}", row.lanes_active),
            format!("{:.1} %", 100.0 * row.share),
            taken,
            parted,
        ]);
        count += 1;
    }
    if count == 0 {
        return String::new();
    }
    table.render()
}

fn place(source: Option<&SourceLine>, ptx_line: u32) -> String {
    match source {
        Some(line) => line.line.to_string(),
        None => format!("PTX {ptx_line}"),
    }
}
