//! Tables of what a launch did to memory: its counters, and its accesses line by line. Counting is the emulator's.

use super::table::{CELL, NUMBER, html};
use super::text::{escape, grouped, number, one_line};
use cornerturn_emulator::counters::SECTOR_BYTES;
use cornerturn_emulator::{Counters, Site, Space};

/// What the operation must move in global memory; 32 bytes to a sector make the ideal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Bytes that must be read.
    pub load_bytes: u64,
    /// Bytes that must be written.
    pub store_bytes: u64,
}

/// One line of the table of counters.
struct Line {
    name: &'static str,
    ncu: &'static str,
    /// What `per request` divides by; `None` leaves the column empty.
    requests: Option<u64>,
    /// The least that the operation needs, summed over the launch.
    ideal: Option<u64>,
}

impl Line {
    const fn new(name: &'static str, ncu: &'static str) -> Self {
        Self {
            name,
            ncu,
            requests: None,
            ideal: None,
        }
    }

    fn per(mut self, requests: u64, ideal: Option<u64>) -> Self {
        (self.requests, self.ideal) = (Some(requests), ideal);
        self
    }

    fn cells(&self, value: u64) -> Vec<String> {
        let (per, ideal) = per_request(value, self.requests.unwrap_or(0), self.ideal);
        vec![named(self.name, self.ncu), grouped(value), per, ideal]
    }
}

/// A counter's short name, which explains it, and its name in ncu.
pub(super) fn named(name: &str, ncu: &str) -> String {
    term(name, Counters::explanation(ncu).unwrap_or_default()) + &code(ncu)
}

/// A name that explains itself: on hover as its title, and opened by a click, a tap or the Enter key.
pub fn term(name: &str, explanation: &str) -> String {
    let (name, explanation) = (escape(name), escape(explanation));
    format!(
        "<details class=\"ct-term\" style=\"margin:0\"><summary title=\"{explanation}\" \
         style=\"cursor:help;list-style:none;text-decoration:underline dotted;text-underline-offset:0.2em\">{name}</summary>\
         <span style=\"display:block;max-width:26em;white-space:normal;text-align:left;font-weight:normal\">{explanation}</span></details>"
    )
}

/// A counter's name in ncu, in small type.
fn code(ncu: &str) -> String {
    format!(
        "<code class=\"ct-ncu\" style=\"font-size:0.75em;opacity:0.75;background:none;padding:0;color:inherit\">{}</code>",
        // A name may break after the parts that it is made of.
        ncu.replace("__", "__<wbr>")
            .replace("_op_", "_op_<wbr>")
            .replace("_pipe_", "_pipe_<wbr>"),
    )
}

/// "per request" and "ideal" for a sum over `requests`; the first is marked where it is over the second.
fn per_request(value: u64, requests: u64, ideal: Option<u64>) -> (String, String) {
    if requests == 0 {
        return (String::new(), String::new());
    }
    let per = |sum: u64| number(sum as f64 / requests as f64, 2);
    let Some(ideal) = ideal else {
        return (per(value), String::new());
    };
    // Half a per cent more is the edge of a matrix that is no multiple of the tile.
    let over = value as f64 > ideal as f64 * 1.005;
    let cell = match (over, ideal) {
        (true, 0) => format!("<strong>{}</strong>", per(value)),
        (true, _) => format!(
            "<strong>{}</strong> <small>({}× ideal)</small>",
            per(value),
            ratio(value as f64 / ideal as f64)
        ),
        (false, _) => per(value),
    };
    (cell, per(ideal))
}

/// A ratio above 1, with the digits that tell it apart from 1.
fn ratio(value: f64) -> String {
    let texts = (1..=4).map(|decimals| number(value, decimals));
    let mut told = texts.skip_while(|text| text == "1");
    told.next().unwrap_or_else(|| "1".to_owned())
}

/// The counters of a launch, each with its ncu name, an explanation on hover, its value per request, and the ideal.
/// Atomics, shared and local memory appear where the kernel uses them. `wanted` gives the ideal of the global traffic.
///
/// Returns one block of HTML without blank lines.
pub fn counters_table(counters: &Counters, wanted: Option<Wanted>) -> String {
    let mut lines = global_lines(counters, wanted);
    lines.extend(global_atomic_lines(counters));
    lines.extend(shared_lines(counters));
    lines.extend(shared_atomic_lines(counters));
    lines.extend(local_lines(counters));
    lines.push(Line::new("instructions", "ptx__warp_instructions.sum"));
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|line| line.cells(counters.get(line.ncu).unwrap_or(0)))
        .collect();
    let head = ["counter", "value", "per request", "ideal"].map(str::to_owned);
    html("", &head, &[CELL, NUMBER, NUMBER, NUMBER], &rows)
}

fn global_lines(counters: &Counters, wanted: Option<Wanted>) -> Vec<Line> {
    let ideal =
        |bytes: fn(Wanted) -> u64| wanted.map(|wanted| bytes(wanted).div_ceil(SECTOR_BYTES));
    vec![
        Line::new(
            "global load requests",
            "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        ),
        Line::new(
            "global load sectors",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        )
        .per(counters.global_load_requests, ideal(|w| w.load_bytes)),
        Line::new(
            "global store requests",
            "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        ),
        Line::new(
            "global store sectors",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        )
        .per(counters.global_store_requests, ideal(|w| w.store_bytes)),
    ]
}

/// What the atomics of global memory asked for: those whose result is read, and the others, which are reductions.
fn global_atomic_lines(counters: &Counters) -> Vec<Line> {
    let c = counters;
    let mut lines = Vec::new();
    if c.global_atom_requests > 0 {
        lines.push(Line::new(
            "global atomic requests",
            "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
        ));
        lines.push(
            Line::new(
                "global atomic sectors",
                "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
            )
            .per(c.global_atom_requests, None),
        );
    }
    if c.global_red_requests > 0 {
        lines.push(Line::new(
            "global reduction requests",
            "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
        ));
        lines.push(
            Line::new(
                "global reduction sectors",
                "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
            )
            .per(c.global_red_requests, None),
        );
    }
    lines
}

fn shared_atomic_lines(counters: &Counters) -> Vec<Line> {
    let (requests, sum) = (
        counters.shared_atom_instructions,
        counters.shared_atom_wavefronts,
    );
    if requests == 0 {
        return Vec::new();
    }
    let fewest = sum.saturating_sub(counters.shared_atom_bank_conflicts);
    vec![
        Line::new(
            "shared atomic wavefronts",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
        )
        .per(requests, Some(fewest)),
        Line::new(
            "shared atomic bank conflicts",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
        )
        .per(requests, Some(0)),
    ]
}

fn shared_lines(counters: &Counters) -> Vec<Line> {
    let c = counters;
    let mut lines = Vec::new();
    let requests = c.shared_load_instructions + c.shared_matrix_load_instructions;
    if requests > 0 {
        let (sum, conflicts) = (c.shared_load_wavefronts, c.shared_load_bank_conflicts);
        let names = ["shared load wavefronts", "shared load bank conflicts"];
        let ncu = [
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        ];
        lines.push(Line::new(names[0], ncu[0]).per(requests, Some(sum.saturating_sub(conflicts))));
        lines.push(Line::new(names[1], ncu[1]).per(requests, Some(0)));
    }
    if c.shared_store_instructions > 0 {
        let (sum, conflicts) = (c.shared_store_wavefronts, c.shared_store_bank_conflicts);
        let names = ["shared store wavefronts", "shared store bank conflicts"];
        let ncu = [
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        ];
        let requests = c.shared_store_instructions;
        lines.push(Line::new(names[0], ncu[0]).per(requests, Some(sum.saturating_sub(conflicts))));
        lines.push(Line::new(names[1], ncu[1]).per(requests, Some(0)));
    }
    lines
}

fn local_lines(counters: &Counters) -> Vec<Line> {
    let mut lines = Vec::new();
    if counters.local_load_requests > 0 {
        lines.push(
            Line::new(
                "local load sectors",
                "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
            )
            .per(counters.local_load_requests, None),
        );
    }
    if counters.local_store_requests > 0 {
        lines.push(
            Line::new(
                "local store sectors",
                "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
            )
            .per(counters.local_store_requests, None),
        );
    }
    lines
}

/// The accesses of a launch line by line: what each asked of memory, and what a full warp with neighbouring lanes
/// side by side would have.
///
/// Returns one block of HTML without blank lines.
pub fn sites_table(sites: &[Site]) -> String {
    let uses_memory =
        |site: &&Site| matches!(site.space, Space::Global | Space::Shared | Space::Local);
    let rows: Vec<Vec<String>> = sites
        .iter()
        .filter(uses_memory)
        .filter(|site| site.executed > 0)
        .map(|site| {
            let place = match &site.source {
                Some(source) => format!("{}:{}", source.file, source.line),
                None => format!("PTX line {}", site.ptx_line),
            };
            let (unit, sum, ideal) = match site.space {
                Space::Shared => (
                    "wavefronts",
                    site.wavefronts,
                    site.wavefronts.saturating_sub(site.bank_conflicts),
                ),
                _ => (
                    "sectors",
                    site.sectors,
                    site.requests.saturating_mul(site.access_bytes.into()),
                ),
            };
            let (per, ideal) = per_request(sum, site.requests, Some(ideal));
            vec![
                escape(&one_line(&place)),
                access(site),
                grouped(site.requests),
                unit.to_owned(),
                per,
                ideal,
            ]
        })
        .collect();
    let head = [
        "line",
        "access",
        "requests",
        "counted",
        "per request",
        "ideal",
    ]
    .map(str::to_owned);
    html(
        "",
        &head,
        &[CELL, CELL, NUMBER, CELL, NUMBER, NUMBER],
        &rows,
    )
}

fn access(site: &Site) -> String {
    let verb = match (site.is_atomic, site.is_store) {
        (true, _) => "atomic",
        (false, true) => "store",
        (false, false) => "load",
    };
    format!(
        "{} {verb}, {} bytes a lane",
        site.space.name(),
        site.access_bytes
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_near_one_is_not_said_to_be_one() {
        let cell = |value, ideal| per_request(value, 100, Some(ideal)).0;
        let marked = "<strong>12.06</strong> <small>(1.02× ideal)</small>";
        assert_eq!(cell(1206, 1178), marked);
        assert!(cell(100_600, 100_000).contains("(1.01× ideal)"));
        assert!(cell(3200, 400).contains("(8× ideal)"));
        assert!(cell(1500, 1000).contains("(1.5× ideal)"));
        assert_eq!(cell(1178, 1178), "11.78");
    }

    #[test]
    fn counters_table_shows_what_the_kernel_used() {
        let counters = Counters {
            global_load_requests: 10,
            global_load_sectors: 40,
            global_store_requests: 10,
            global_store_sectors: 320,
            shared_load_instructions: 10,
            shared_load_wavefronts: 320,
            shared_load_bank_conflicts: 310,
            ..Counters::default()
        };
        let html = counters_table(
            &counters,
            Some(Wanted {
                load_bytes: 1280,
                store_bytes: 1280,
            }),
        );
        assert!(
            html.contains("<strong>32</strong> <small>(8× ideal)</small>"),
            "{html}"
        );
        assert!(html.contains("<strong>31</strong>"));
        let plain = html.replace("<wbr>", "");
        assert!(plain.contains("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"));
        assert!(!plain.contains("shared store") && !plain.contains("local"));
        assert!(!plain.contains("atomic") && !plain.contains("reduction"));
        assert!(html.lines().all(|line| !line.trim().is_empty()));
        // A name of the table that the emulator does not know would show a zero.
        let every = Counters {
            local_load_requests: 1,
            local_store_requests: 1,
            shared_store_instructions: 1,
            global_atom_requests: 1,
            global_red_requests: 1,
            shared_atom_instructions: 1,
            ..counters
        };
        assert!(counters_table(&every, None).contains("shared atomic bank conflicts"));
        for name in counters_table(&every, None)
            .replace("<wbr>", "")
            .split("opacity:0.75;")
            .skip(1)
        {
            let name = name
                .split_once('>')
                .and_then(|(_, rest)| rest.split_once('<'))
                .map(|(name, _)| name);
            assert!(
                name.is_some_and(|name| every.get(name).is_some()),
                "{name:?}"
            );
        }
    }
}
