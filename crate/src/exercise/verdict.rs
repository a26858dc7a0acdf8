//! What came of grading an answer, and how a terminal, a notebook and a page show it. It decides nothing.

use super::seed::Seed;
use crate::html;
use crate::plot::Figure;
use serde::Serialize;
use std::fmt;

/// What came of grading an answer.
#[derive(Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The exercise's id.
    pub exercise: String,
    /// Whether everything that is asked for was found.
    pub passed: bool,
    /// What the matrices were drawn from; `None` where none were.
    pub seed: Option<Seed>,
    /// What was tried, in order; only the last may have failed.
    pub steps: Vec<Step>,
    /// Lines that show the failure: the line of the kernel, and what its lanes did there. Empty where there is nothing to
    /// show.
    pub sketch: String,
    /// The same as a picture.
    #[serde(skip)]
    pub picture: Option<Figure>,
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
        let class = if self.passed {
            "ct-verified"
        } else {
            "ct-failed"
        };
        let mut html = format!("<div class=\"ct-verdict {class}\">\n");
        let mut add = |class: &str, text: &str| {
            html.push_str(&html::paragraph(class, text));
            html.push('\n');
        };
        add("ct-verdict-head", &self.headline());
        for step in &self.steps {
            match &step.outcome {
                Outcome::Passed => add("ct-step", &format!("✓ {}", step.claim)),
                Outcome::Failed(_) => add("ct-step", &format!("✗ {}", step.claim)),
            }
        }
        if let Some((_, reason)) = self.failure() {
            html.push_str(&html::lines("ct-output", reason));
            html.push('\n');
        }
        if !self.sketch.is_empty() {
            html.push_str(&html::lines("ct-output", &self.sketch));
            html.push('\n');
        }
        if let Some(picture) = &self.picture {
            html.push_str(&picture.to_html());
        }
        for (class, text) in [
            ("ct-bandwidth", self.bandwidth.as_deref()),
            ("ct-next", Some(self.next.as_str())),
            ("ct-seed", self.seed_words().as_deref()),
        ] {
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                html.push_str(&html::paragraph(class, text));
                html.push('\n');
            }
        }
        html.push_str("</div>");
        html
    }

    fn seed_words(&self) -> Option<String> {
        let seed = self.seed?;
        Some(format!(
            "the matrices were drawn from seed {seed}; `cornerturn exercise check {} --seed {seed}` draws them again",
            self.exercise
        ))
    }

    fn headline(&self) -> String {
        let how = if self.passed { "passed" } else { "not yet" };
        format!("{}: {how}", self.exercise)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.headline())?;
        for step in &self.steps {
            match &step.outcome {
                Outcome::Passed => writeln!(f, "  ✓ {}", step.claim)?,
                Outcome::Failed(reason) => {
                    writeln!(f, "  ✗ {}", step.claim)?;
                    indent(f, reason)?;
                }
            }
        }
        if !self.sketch.is_empty() {
            indent(f, &self.sketch)?;
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
