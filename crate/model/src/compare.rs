//! Predicted times beside measured ones, as tables of a page. Predicting is `predict`'s, measuring others'.

use std::collections::BTreeMap;

/// A launch that was measured and predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The record that has its time.
    pub record: String,
    /// The kernel and what it ran on.
    pub launch: String,
    /// Measured, predicted and the interval's ends, in microseconds.
    pub measured_us: f64,
    /// The predicted time.
    pub predicted_us: f64,
    /// The lower end of its interval.
    pub low_us: f64,
    /// The upper end.
    pub high_us: f64,
    /// Whether the model calls it uncertain.
    pub is_uncertain: bool,
    /// What limits it most.
    pub limit: String,
}

impl Compared {
    /// By how much too much was predicted, as a share of what was measured.
    pub fn error(&self) -> f64 {
        self.predicted_us / self.measured_us - 1.0
    }

    fn is_inside(&self) -> bool {
        (self.low_us..=self.high_us).contains(&self.measured_us)
    }

    /// The rows of a table `record,launch,measured_us,predicted_us,low_us,high_us,uncertain,limit`; lines that are none are
    /// left out.
    pub fn read(text: &str) -> Vec<Self> {
        let rows = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| {
                let parts: Vec<&str> = line.split(',').collect();
                let number = |at: usize| parts.get(at)?.parse::<f64>().ok();
                Some(Self {
                    record: parts.first()?.to_string(),
                    launch: parts.get(1)?.to_string(),
                    measured_us: number(2)?,
                    predicted_us: number(3)?,
                    low_us: number(4)?,
                    high_us: number(5)?,
                    is_uncertain: *parts.get(6)? == "true",
                    limit: parts.get(7)?.to_string(),
                })
            });
        rows.collect()
    }

    /// The line of such a table.
    pub fn line(&self) -> String {
        format!(
            "{},{},{:.2},{:.2},{:.2},{:.2},{},{}\n",
            self.record,
            self.launch,
            self.measured_us,
            self.predicted_us,
            self.low_us,
            self.high_us,
            self.is_uncertain,
            self.limit
        )
    }
}

/// Tells the check of the book's numbers where those of a block come from.
const SOURCE: &str = "<!-- typed: book/results/h200/predicted.csv -->\n";

/// The table by kind, the pairs in order and the ten worst, in Markdown.
pub fn page(rows: &[Compared]) -> String {
    let mut kinds: BTreeMap<String, Vec<&Compared>> = BTreeMap::new();
    for row in rows {
        kinds
            .entry(format!("1 `{}`", row.record))
            .or_default()
            .push(row);
        if row.limit == "dram" {
            kinds
                .entry("2 limited by DRAM".to_string())
                .or_default()
                .push(row);
        }
        if !row.is_uncertain {
            kinds
                .entry("3 not called uncertain".to_string())
                .or_default()
                .push(row);
        }
        kinds.entry("4 all".to_string()).or_default().push(row);
    }
    let mut text = String::from(SOURCE)
        + "| launches | how many | mean error | nine of ten within | within 15 % | inside the interval |\n| --- | --: | --: | --: | --: | --: |\n";
    for (kind, rows) in &kinds {
        let mut errors: Vec<f64> = rows.iter().map(|row| row.error().abs()).collect();
        errors.sort_by(f64::total_cmp);
        let count = errors.len() as f64;
        let share = |number: usize| 100.0 * number as f64 / count;
        let nine = errors[(errors.len() * 9 / 10).min(errors.len() - 1)];
        text.push_str(&format!(
            "| {} | {} | {:.1} % | {:.0} % | {:.0} % | {:.0} % |\n",
            &kind[2..],
            errors.len(),
            100.0 * errors.iter().sum::<f64>() / count,
            100.0 * nine,
            share(errors.iter().filter(|error| **error <= 0.15).count()),
            share(rows.iter().filter(|row| row.is_inside()).count()),
        ));
    }
    let (right, pairs) = in_order(rows);
    text.push_str(&format!("\n{SOURCE}Of {pairs} pairs in a record that differ by more than 10 %, {right} are predicted in the right order.\n\n{SOURCE}"));
    let mut worst: Vec<&Compared> = rows.iter().collect();
    worst.sort_by(|a, b| b.error().abs().total_cmp(&a.error().abs()));
    text.push_str("| the worst ten | measured | predicted | error | limited by | called uncertain |\n| --- | --: | --: | --: | --- | --- |\n");
    for row in worst.iter().take(10) {
        text.push_str(&format!(
            "| {} {} | {:.1} µs | {:.1} µs | {:+.0} % | {} | {} |\n",
            row.record,
            row.launch,
            row.measured_us,
            row.predicted_us,
            100.0 * row.error(),
            row.limit,
            if row.is_uncertain { "yes" } else { "no" },
        ));
    }
    text
}

/// Of pairs in a record that differ by more than a tenth, how many are predicted in the right order, and how many there are.
pub fn in_order(rows: &[Compared]) -> (usize, usize) {
    let (mut right, mut pairs) = (0, 0);
    for a in rows {
        for b in rows
            .iter()
            .filter(|b| b.record == a.record && b.measured_us > 1.1 * a.measured_us)
        {
            pairs += 1;
            right += usize::from(b.predicted_us > a.predicted_us);
        }
    }
    (right, pairs)
}
