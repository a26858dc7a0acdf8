//! What others say in numbers, beside what was found here, with a verdict that the numbers must bear out. Finding the numbers is the cell's.

use super::style::one_line;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html::escape;
use cornerturn_base::html::{CELL, Table, html};

/// A statement of others, what was found here, and a verdict.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let claim = plot::Claim::new("an article", "A warp has 32 lanes").holds(32 == 32, "It has.")?;
/// assert_eq!(claim.verdict(), "holds");
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    says: String,
    source: String,
    found: String,
    verdict: &'static str,
    why: String,
}

impl Claim {
    /// What `source` says. It has no verdict yet.
    pub fn new(source: &str, says: &str) -> Self {
        Self {
            says: one_line(says),
            source: one_line(source),
            found: String::new(),
            verdict: "cannot be decided",
            why: String::new(),
        }
    }

    /// What was counted or measured here.
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.found = one_line(&found.into());
        self
    }

    /// It holds, because `is_so`.
    ///
    /// # Errors
    /// [`Error::Usage`] where it is not so: then the numbers have changed, and the verdict must.
    pub fn holds(self, is_so: bool, why: &str) -> Result<Self> {
        self.judged("holds", is_so, why)
    }

    /// It holds on the GPU where it was made and not on the one measured here, because `is_so`.
    ///
    /// # Errors
    /// As [`Claim::holds`].
    pub fn holds_there(self, is_so: bool, why: &str) -> Result<Self> {
        self.judged("holds there, not here", is_so, why)
    }

    /// It does not hold, because `is_so`.
    ///
    /// # Errors
    /// As [`Claim::holds`].
    pub fn does_not_hold(self, is_so: bool, why: &str) -> Result<Self> {
        self.judged("does not hold", is_so, why)
    }

    /// The verdict, in words.
    pub fn verdict(&self) -> &'static str {
        self.verdict
    }

    /// Nothing that was counted or measured here can decide it.
    pub fn undecided(mut self, why: &str) -> Self {
        self.why = one_line(why);
        self
    }

    fn judged(mut self, verdict: &'static str, is_so: bool, why: &str) -> Result<Self> {
        if !is_so {
            return Err(Error::Usage(format!(
                "“{}”: the verdict “{verdict}” does not follow from what was found ({}); judge it anew",
                self.says, self.found
            )));
        }
        (self.verdict, self.why) = (verdict, one_line(why));
        Ok(self)
    }

    fn row(&self) -> Vec<String> {
        let says = format!(
            "{}<br><small>{}</small>",
            escape(&self.says),
            escape(&self.source)
        );
        let judged = format!(
            "<strong>{}.</strong> {}",
            capital(self.verdict),
            escape(&self.why)
        );
        vec![says, escape(&self.found), judged]
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Claims as a table: who says what, what was found, and the verdict with its reason.
///
/// ```
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let bytes = 33 * 4;
/// let claim = plot::Claim::new("an article, 2026", "The second row of a 32 × 33 tile is not aligned to 16 bytes")
///     .found(format!("it begins at byte {bytes}"))
///     .holds(bytes % 16 != 0, "132 is no multiple of 16.")?;
/// let table = plot::claims(&[claim]);
/// # drop(table);
/// # Ok(())
/// # }
/// ```
pub fn claims(claims: &[Claim]) -> Table {
    let head = ["what is said", "what was found here", "verdict"].map(str::to_owned);
    let rows: Vec<Vec<String>> = claims.iter().map(Claim::row).collect();
    // The theme turns these rows into cards where the page is narrow.
    let table = html("", &head, &[CELL; 3], &rows);
    Table {
        html: table.replacen("class=\"ct-table\"", "class=\"ct-table ct-claims\"", 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_needs_numbers_that_bear_it_out() {
        let claim = || Claim::new("Article <2026>", "2 + 2 = 5").found("4 & not 5");
        let refused = claim().holds(false, "because").err();
        let text = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(
            text.contains("“2 + 2 = 5”") && text.contains("4 & not 5"),
            "{text}"
        );
        let judged = claim().does_not_hold(true, "It is 4.").unwrap();
        let html = claims(&[judged, claim().undecided("Who knows.")]).html;
        for part in [
            "<strong>Does not hold.</strong> It is 4.",
            "Article &lt;2026&gt;",
            "4 &amp; not 5",
            "<strong>Cannot be decided.</strong> Who knows.",
            "ct-claims",
        ] {
            assert!(html.contains(part), "{part} is missing: {html}");
        }
    }
}
