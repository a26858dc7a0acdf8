//! What came of grading an answer, and how a terminal, a notebook and a page show it. It decides nothing.

use super::seed::Seed;
use cornerturn_base::html;
use cornerturn_plot::Figure;
use serde::Serialize;
use std::fmt;

/// Legible on light and on dark.
const GREEN: &str = "#2e9e44";
const RED: &str = "#e0433b";
/// Of what is not judged: the starter, before anything was done to it.
const GREY: &str = "#7a7f87";

/// What came of grading an answer.
#[derive(Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The exercise's id.
    pub exercise: String,
    /// Whether everything that is asked for was found.
    pub passed: bool,
    /// Whether the answer is the starter as it is given: nobody has failed, and the step that fails is what is to be done.
    pub is_starter: bool,
    /// What the matrices or arrays were drawn from; `None` where none were.
    pub seed: Option<Seed>,
    /// What was tried, in order; only the last may have failed.
    pub steps: Vec<Step>,
    /// Lines that show the failure: the line of the kernel, and what its lanes did there. Empty where there is nothing to
    /// show.
    pub sketch: String,
    /// The same as a picture.
    #[serde(skip)]
    pub picture: Option<Figure>,
    /// The lines that the kernel printed, on the shown matrix or where it failed; empty where it printed nothing.
    pub printed: String,
    /// The bandwidth beside the copy's; after passing, on a machine with a GPU.
    pub bandwidth: Option<String>,
    /// What to do next, or what was learned.
    pub next: String,
}

/// One thing that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What is asked for.
    pub claim: String,
    /// What was found.
    pub outcome: Outcome,
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It was so.
    Passed,
    /// It was not, and why.
    Failed(String),
}

impl Verdict {
    /// The step that failed, with the reason.
    pub fn failure(&self) -> Option<(&Step, &str)> {
        self.steps.iter().find_map(|step| match &step.outcome {
            Outcome::Failed(reason) => Some((step, reason.as_str())),
            Outcome::Passed => None,
        })
    }

    /// Everything that is said of the failure; nothing of what passed.
    pub fn failure_text(&self) -> String {
        self.failure().map_or(String::new(), |(step, reason)| {
            format!("{}\n{reason}\n{}", step.claim, self.sketch)
        })
    }

    /// Shows it in a notebook or page.
    pub fn evcxr_display(&self) {
        html::show(&self.to_html());
    }

    /// It as one block of HTML.
    pub fn to_html(&self) -> String {
        let (class, colour) = match (self.passed, self.is_starter) {
            (true, _) => ("ct-verified", GREEN),
            (_, true) => ("ct-starter", GREY),
            _ => ("ct-failed", RED),
        };
        let open = if self.is_starter {
            ("→", GREY)
        } else {
            ("✗", RED)
        };
        let style = format!("border-left:4px solid {colour};padding-left:0.8em");
        let mut html = format!("<div class=\"ct-verdict {class}\" style=\"{style}\">\n");
        let mut add = |line: String| {
            html.push_str(&line);
            html.push('\n');
        };
        let head = html::marked(&self.headline());
        add(format!(
            "<p class=\"ct-verdict-head\" style=\"color:{colour};font-weight:bold\">{head}</p>"
        ));
        for step in &self.steps {
            let (mark, colour) = match step.outcome {
                Outcome::Passed => ("✓", GREEN),
                Outcome::Failed(_) => open,
            };
            let claim = html::marked(&step.claim);
            add(format!(
                "<p class=\"ct-step\"><span style=\"color:{colour}\">{mark}</span> {claim}</p>"
            ));
        }
        if let Some((_, reason)) = self.failure() {
            add(html::paragraphs("ct-reason", reason));
        }
        if !self.sketch.is_empty() {
            add(html::lines("ct-output", &self.sketch));
        }
        if let Some(picture) = &self.picture {
            add(picture.to_html());
        }
        if !self.printed.is_empty() {
            add(html::paragraph("ct-printed", "The kernel printed:"));
            add(html::lines("ct-output", &self.printed));
        }
        let seed = self
            .seed
            .map(|seed| format!("What the kernel was given was drawn from seed {seed}."));
        // The next step of a terminal is a command; a reader of this one sees the hints.
        let next = match (self.passed, self.is_starter) {
            (true, _) => self.next.as_str(),
            (_, true) => {
                "The arrow shows what is to be done. Change the starter and check it, or open a hint below."
            }
            _ => "Next: change your answer and check it again, or open a hint below.",
        };
        for (class, text) in [
            (
                "ct-bandwidth",
                self.bandwidth.as_deref().unwrap_or_default(),
            ),
            ("ct-next", next),
            ("ct-seed", seed.as_deref().unwrap_or_default()),
        ] {
            if !text.is_empty() {
                add(html::paragraphs(class, text));
            }
        }
        html.push_str("</div>");
        html
    }

    /// How it ended, in a word or two: `passed`, `not yet`, `the starter`.
    pub const fn word(&self) -> &'static str {
        match (self.passed, self.is_starter) {
            (true, _) => "passed",
            (_, true) => "the starter, as it is given",
            _ => "not yet",
        }
    }

    fn seed_words(&self) -> Option<String> {
        let seed = self.seed?;
        Some(format!(
            "what the kernel was given was drawn from seed {seed}; `cornerturn exercise check {} --seed {seed}` draws it again",
            self.exercise
        ))
    }

    fn headline(&self) -> String {
        format!("{}: {}", self.exercise, self.word())
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.headline())?;
        for step in &self.steps {
            match &step.outcome {
                Outcome::Passed => writeln!(f, "  ✓ {}", step.claim)?,
                Outcome::Failed(reason) => {
                    let mark = if self.is_starter { "→" } else { "✗" };
                    writeln!(f, "  {mark} {}", step.claim)?;
                    indent(f, reason)?;
                }
            }
        }
        if !self.sketch.is_empty() {
            indent(f, &self.sketch)?;
        }
        if !self.printed.is_empty() {
            writeln!(f, "  the kernel printed:")?;
            indent(f, &self.printed)?;
        }
        let seed = self.seed_words();
        let texts = [
            self.bandwidth.as_deref(),
            Some(self.next.as_str()),
            seed.as_deref(),
        ];
        for text in texts.into_iter().flatten() {
            if !text.is_empty() {
                writeln!(f, "  {text}")?;
            }
        }
        Ok(())
    }
}

/// The text of the terminal: a notebook shows a cell's last `?` by its `Debug` form.
impl fmt::Debug for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn indent(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    text.lines().try_for_each(|line| writeln!(f, "    {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notebook_shows_a_verdict_with_markup_and_the_hints_below_it() {
        let verdict = Verdict {
            exercise: "copy".into(),
            passed: false,
            is_starter: false,
            steps: vec![Step {
                claim: "`global_load_sectors` at most 1".into(),
                outcome: Outcome::Failed("counted 4 for `in[i]`\nline 3".into()),
            }],
            sketch: "lane 0 | sector 0".into(),
            picture: None,
            printed: "block 0, thread 3: `x` = 1\n".into(),
            bandwidth: None,
            next: "next: `cornerturn exercise hint copy` gives a hint".into(),
            seed: None,
        };
        let html = verdict.to_html();
        assert!(html.contains("<code>global_load_sectors</code>"), "{html}");
        assert!(
            html.contains("thread 3: `x` = 1"),
            "as it was printed: {html}"
        );
        assert!(html.contains(RED) && html.contains("hint below"), "{html}");
        assert!(!html.contains("exercise hint"), "{html}");
        assert!(html.contains("word-break:normal"), "{html}");
        let starter = Verdict {
            is_starter: true,
            ..verdict.clone()
        };
        let html = starter.to_html();
        assert!(
            html.contains("the starter") && !html.contains(RED),
            "{html}"
        );
        assert!(
            starter.to_string().contains("  → `global_load"),
            "{starter}"
        );
        let passed = Verdict {
            passed: true,
            steps: vec![],
            next: "Well done: `x`".into(),
            ..verdict
        };
        let html = passed.to_html();
        assert!(
            html.contains(GREEN) && html.contains("<code>x</code>"),
            "{html}"
        );
    }
}
