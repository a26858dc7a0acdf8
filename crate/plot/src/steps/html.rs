//! Steps side by side in one block of HTML, for a notebook: no script, so that it is the same wherever it is shown.

use super::text::write_step;
use super::{LaneRow, StepView, WarpSteps};
use cornerturn_base::html::escape;
use std::fmt::Write as _;

/// The most steps of a figure: some hundred kilobytes.
const MOST_STEPS: usize = 200;
/// Lanes side by side: as many as a telephone has room for.
const LANES_IN_ROW: usize = 8;

impl WarpSteps {
    /// The steps as one block of HTML, the first 200: each as wide as the block, which scrolls from one to the next.
    pub fn to_html(&self) -> String {
        let all = self.count();
        let [x, y, z] = self.steps.block;
        let title = format!("Steps of warp {} of block ({x}, {y}, {z})", self.steps.warp);
        let mut html = format!(
            "<figure class=\"ct-figure\" style=\"margin:1em 0\">\n<div role=\"region\" aria-label=\"{title}\" tabindex=\"0\" \
             style=\"display:flex;overflow-x:auto;scroll-snap-type:x mandatory\">\n"
        );
        for at in 0..all.min(MOST_STEPS) {
            let Some(view) = self.view(at) else { break };
            let _ = writeln!(
                html,
                "<pre style=\"flex:0 0 100%;box-sizing:border-box;margin:0;padding:0.4em;scroll-snap-align:start;white-space:pre-wrap\">{}</pre>",
                escape(self.card(&view).trim_end())
            );
        }
        let more = match all > MOST_STEPS || self.steps.is_cut {
            true => format!(", the first {}", all.min(MOST_STEPS)),
            false => String::new(),
        };
        let _ = write!(
            html,
            "</div>\n<figcaption style=\"font-size:0.85em;text-align:center\">{title}{more}: scroll sideways, or press the arrow keys</figcaption>\n</figure>\n"
        );
        html
    }

    /// Displays the steps in a notebook or page; called by evcxr.
    pub fn evcxr_display(&self) {
        cornerturn_base::html::show(&self.to_html());
    }

    /// A step with its line, and lane by lane what it writes and which banks or sectors it meets. No line is empty: that would
    /// end the block in Markdown.
    fn card(&self, view: &StepView) -> String {
        let code = view
            .line
            .map(|line| (line, self.code().get((line as usize).saturating_sub(1))));
        let mut text = match code {
            Some((line, code)) => format!("line {line}: {}\n", code.map_or("", |code| code.trim())),
            None => String::new(),
        };
        write_step(&mut text, view);
        let is_shown = |row: &&LaneRow| {
            row.what == "written" || ["bank", "sector"].contains(&row.name.as_str())
        };
        for row in view.rows.iter().filter(is_shown) {
            write_lanes(&mut text, row);
        }
        text
    }
}

fn write_lanes(text: &mut String, row: &LaneRow) {
    let _ = writeln!(text, "{} by lane:", row.name);
    let cell = |lane: usize| {
        let value = row.cells[lane].as_deref().unwrap_or("·");
        let sign = if row.crowded >> lane & 1 != 0 {
            "×"
        } else {
            ""
        };
        format!("{value}{sign}")
    };
    let width = (0..32)
        .map(|lane| cell(lane).chars().count())
        .max()
        .unwrap_or(1);
    for first in (0..32).step_by(LANES_IN_ROW) {
        let cells: Vec<String> = (first..first + LANES_IN_ROW)
            .map(|lane| format!("{:>width$}", cell(lane)))
            .collect();
        let _ = writeln!(text, "{first:>4}: {}", cells.join(" "));
    }
}

#[cfg(test)]
mod tests {
    use super::WarpSteps;
    use cornerturn_emulator::{Step, StepKind, Steps, Written};

    /// A step of a warp in which lanes 3 and up write their number.
    fn step(warp: u32, kind: StepKind) -> Step {
        let values = std::array::from_fn(|lane| lane as u64);
        Step {
            warp,
            ptx_line: 2,
            source: None,
            active: u32::MAX,
            mask: u32::MAX << 3,
            kind,
            written: vec![Written { bits: 32, values }],
            accesses: Vec::new(),
        }
    }

    #[test]
    fn a_block_of_html_has_every_step_and_no_blank_line() {
        let steps = Steps {
            block: [4, 0, 0],
            threads: 96,
            warp: 1,
            steps: vec![
                step(1, StepKind::Plain),
                step(0, StepKind::Barrier(5)),
                step(2, StepKind::Barrier(5)),
                step(1, StepKind::Released(5)),
            ],
            ..Steps::default()
        };
        let steps = WarpSteps::new(steps, ".version 8.0\n  mov.u32 %r1, %tid.x;  // <\n", None);
        // Two warps that come to a barrier are one step.
        assert_eq!(steps.count(), 3);
        let html = steps.to_html();
        assert!(html.lines().all(|line| !line.trim().is_empty()), "{html}");
        assert_eq!(html.matches("<pre").count(), 3);
        for told in [
            "29 lanes of 32: 3 to 31",
            "warps 0, 2 come to barrier 5",
            "warp 1 is still to come",
            "  24: 24 25 26 27 28 29 30 31",
            "// &lt;",
        ] {
            assert!(html.contains(told), "{told}: {html}");
        }
        let empty = WarpSteps::new(Steps::default(), "", None);
        assert!(!empty.has_own() && empty.view(0).is_none() && empty.to_text().is_empty());
    }
}
