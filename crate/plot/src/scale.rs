//! A linear scale: where a value lies along an axis, and at which round values it has ticks. Drawing them is each figure's.

/// The values at the ends of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    pub(super) from: f64,
    pub(super) to: f64,
}

/// A tick may miss a round value by so much of a step.
const SLACK: f64 = 1e-9;

impl Scale {
    /// Where a value lies between two places of the drawing, in whole tenths of a pixel.
    pub(super) fn place(&self, value: f64, first: f64, last: f64) -> f64 {
        let span = self.to - self.from;
        if span == 0.0 || !span.is_finite() {
            return (first + last) / 2.0;
        }
        let along = (value - self.from) / span;
        (10.0 * (first + (last - first) * along)).round() / 10.0
    }

    /// Round values on it, as many as are no more than `most`: multiples of 1, 2 or 5 times a power of ten.
    pub(super) fn ticks(&self, most: usize) -> Vec<f64> {
        let span = self.to - self.from;
        if most == 0 || !span.is_finite() || span <= 0.0 {
            return Vec::new();
        }
        let smallest = (span / most as f64).log10().floor() as i32;
        let steps = (smallest..smallest + 3).flat_map(|power| {
            let unit = 10_f64.powi(power);
            [unit, 2.0 * unit, 5.0 * unit]
        });
        // Of numbers near the smallest there is, a power of ten may be zero.
        let steps = steps.filter(|step| step.recip().is_finite());
        let mut of_steps = steps.map(|step| self.multiples(step));
        of_steps
            .find(|ticks| ticks.len() <= most)
            .unwrap_or_default()
    }

    fn multiples(&self, step: f64) -> Vec<f64> {
        let first = (self.from / step - SLACK).ceil() as i64;
        let last = (self.to / step + SLACK).floor() as i64;
        // Divided rather than multiplied, a step below 1 gives the nearest number to each multiple.
        let multiple = |n: i64| match step < 1.0 {
            true => n as f64 / (1.0 / step).round(),
            false => n as f64 * step,
        };
        (first..=last).map(multiple).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_no_more_than_asked_for() {
        let ticks = |from, to, most| Scale { from, to }.ticks(most);
        assert_eq!(ticks(0.0, 4800.0, 6), [0.0, 1000.0, 2000.0, 3000.0, 4000.0]);
        assert_eq!(ticks(0.0, 0.5, 6), [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]);
        assert_eq!(ticks(0.0, 110.0, 6), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks(3.0, 9.9, 9), [3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        assert_eq!(ticks(0.0, 1e-9, 2), [0.0, 1e-9]);
        assert!(ticks(0.0, 1.330680854846984e-308, 6).len() <= 6);
        assert_eq!(ticks(1.0, 1.0, 5), Vec::<f64>::new());
        assert_eq!(ticks(0.0, f64::NAN, 5), Vec::<f64>::new());
    }

    #[test]
    fn a_value_lies_in_proportion() {
        let scale = Scale {
            from: 10.0,
            to: 20.0,
        };
        assert_eq!(scale.place(15.0, 0.0, 100.0), 50.0);
        assert_eq!(scale.place(12.0, 100.0, 0.0), 80.0);
        assert_eq!(Scale { from: 1.0, to: 1.0 }.place(1.0, 0.0, 8.0), 4.0);
    }
}
