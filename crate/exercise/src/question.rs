//! A question that checks itself: what a cell counted decides which of its answers is right, and each of the others is
//! explained. Which questions there are is the chapters' affair.

use cornerturn_base::html;
use cornerturn_basics::same_answer;
use std::fmt;

/// Legible on light and on dark.
const GREEN: &str = "#2e9e44";
const RED: &str = "#e0433b";

/// A question whose answer was decided by a count, a record or the registry.
///
/// ```
/// use cornerturn::prelude::*;
/// let lanes = Question::decided_by(8 * 4)
///     .choice("32", "", "A warp has 32 lanes.")
///     .choice("64", "", "That is a warp of another make.");
/// assert!(lanes.answer(32).is_right() && !lanes.answer("64").is_right());
/// assert!(lanes.answer("64").to_string().starts_with("No. That is"));
/// ```
#[derive(Clone, PartialEq)]
pub struct Question {
    decided: String,
    choices: Vec<Choice>,
    /// What is said of an answer that no choice names.
    otherwise: Option<String>,
}

#[derive(Clone, PartialEq)]
struct Choice {
    key: String,
    label: String,
    why: String,
}

impl Question {
    /// A question without answers yet; what was counted is the key of the right one.
    pub fn decided_by(decided: impl fmt::Display) -> Self {
        Self {
            decided: decided.to_string(),
            choices: Vec::new(),
            otherwise: None,
        }
    }

    /// Adds an answer: its key, its words where the key is not all, and why it is right or wrong.
    pub fn choice(mut self, key: &str, label: &str, why: &str) -> Self {
        self.choices.push(Choice {
            key: key.to_owned(),
            label: label.to_owned(),
            why: why.to_owned(),
        });
        self
    }

    /// Any number may be answered; `why` is said of those that no choice names.
    pub fn otherwise(mut self, why: &str) -> Self {
        self.otherwise = Some(why.to_owned());
        self
    }

    /// The key that was decided.
    pub fn decided(&self) -> &str {
        &self.decided
    }

    /// Checks an answer: a choice's key, or a number within half a per cent. An empty one is not judged.
    pub fn answer(&self, given: impl fmt::Display) -> Answered {
        let given = given.to_string();
        if given.trim().is_empty() {
            return Answered {
                right: None,
                text: self.asked(),
            };
        }
        let right = same_answer(&given, &self.decided);
        let chosen = self.choices.iter().find(|choice| match right {
            true => same_answer(&choice.key, &self.decided),
            false => same_answer(&given, &choice.key),
        });
        let text = match (chosen, &self.otherwise) {
            (Some(choice), _) => choice.why.clone(),
            (None, Some(otherwise)) => otherwise.clone(),
            (None, None) => {
                return Answered {
                    right: None,
                    text: format!("`{given}` is none of the answers. {}", self.asked()),
                };
            }
        };
        Answered {
            right: Some(right),
            text,
        }
    }

    /// What may be answered.
    fn asked(&self) -> String {
        if self.otherwise.is_some() {
            return "Not answered yet: put your number between the quotation marks, and run the cell."
                .to_owned();
        }
        let choices = self
            .choices
            .iter()
            .map(|choice| match choice.label.is_empty() {
                true => format!("`{}`", choice.key),
                false => format!("`{}` ({})", choice.key, choice.label),
            });
        let choices: Vec<String> = choices.collect();
        format!(
            "Not answered yet. Put one of these between the quotation marks, and run the cell: {}.",
            choices.join(", ")
        )
    }
}

/// What is said of an answer.
#[derive(Clone, PartialEq)]
pub struct Answered {
    /// `None`: there is no answer yet, or none of those that there are.
    right: Option<bool>,
    text: String,
}

impl Answered {
    /// Whether it is the one that was decided.
    pub fn is_right(&self) -> bool {
        self.right == Some(true)
    }

    /// Shows it in a notebook or page.
    pub fn evcxr_display(&self) {
        html::show(&self.to_html());
    }

    /// It as one block of HTML.
    pub fn to_html(&self) -> String {
        let colour = match self.right {
            Some(true) => GREEN,
            Some(false) => RED,
            None => "currentColor",
        };
        format!(
            "<div class=\"ct-answered\" style=\"border-left:4px solid {colour};padding-left:0.8em\">\n{}\n</div>",
            html::paragraphs("ct-said", &self.to_string())
        )
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.right {
            Some(true) => write!(f, "Yes. {}", self.text),
            Some(false) => write!(f, "No. {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

/// The text of the terminal: a notebook shows a cell's last `?` by its `Debug` form.
impl fmt::Debug for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Question {
        Question::decided_by("waiting")
            .choice("work", "fewer instructions", "They are `more`.")
            .choice("waiting", "fewer barriers", "One in the place of eight.")
    }

    #[test]
    fn a_choice_is_judged_by_what_was_decided() {
        let question = words();
        assert_eq!(
            question.answer("Waiting").to_string(),
            "Yes. One in the place of eight."
        );
        let wrong = question.answer("work");
        assert_eq!(wrong.to_string(), "No. They are `more`.");
        let html = wrong.to_html();
        assert!(
            html.contains("<code>more</code>") && html.contains(RED),
            "{html}"
        );
        for nothing in ["", "  ", "both"] {
            let answered = question.answer(nothing);
            assert!(!answered.is_right(), "{nothing}");
            let text = answered.to_string();
            assert!(text.contains("`work` (fewer instructions)"), "{text}");
            assert!(!text.starts_with("No") || text.starts_with("Not"), "{text}");
        }
    }

    #[test]
    fn a_number_may_be_rounded_and_any_other_is_explained() {
        let question = Question::decided_by(1.0 / 12.0)
            .choice("0.083", "", "One addition for twelve bytes.")
            .choice("0.25", "", "That forgets two of the arrays.")
            .otherwise("Count bytes.");
        assert!(question.answer(0.083).is_right() && question.answer("0.0833").is_right());
        assert_eq!(
            question.answer(0.25).to_string(),
            "No. That forgets two of the arrays."
        );
        assert_eq!(question.answer(7).to_string(), "No. Count bytes.");
        assert!(question.answer("").to_string().contains("Not answered yet"));
    }
}
