//! When enough samples are taken, and what they say. Taking one lives in the CUDA backend.

use crate::clocks::Clocks;
use crate::error::{Error, Result};
use crate::facts::DeviceFacts;
use crate::html;
use crate::traffic::GbPerS;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::{Duration, Instant};

/// What the cache holds when a launch is timed. `cornerturn record cold` measures what each of them makes of a bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimingMode {
    /// Before each launch persisting lines are made normal ones and L2 is overwritten, so that every byte comes from
    /// memory. L2 is full of lines that are still to be written back, as many as the launch leaves to the next one:
    /// what it stores, it pays for. The mode that is reported.
    Cold,
    /// Cold, and the overwriting buffer read afterwards: L2 holds nothing that is still to be written back. What of its
    /// stores the launch leaves in L2, it does not pay for.
    Clean,
    /// L2 is overwritten, but lines that were loaded with `evict_last` stay: a launch may find there what an earlier
    /// one left. Shown for comparison alone; it makes kernels too fast.
    Unreset,
    /// No flush: launches work on several sets of buffers in turn, more than L2 holds together.
    Rotated,
    /// Launches follow one another on the same buffers: what fits in L2 stays there.
    Warm,
}

impl TimingMode {
    /// Every mode, the reported one first.
    pub const ALL: [Self; 5] = [
        Self::Cold,
        Self::Clean,
        Self::Unreset,
        Self::Rotated,
        Self::Warm,
    ];

    /// Whether L2 is overwritten before each launch.
    pub fn flushes(self) -> bool {
        matches!(self, Self::Cold | Self::Clean | Self::Unreset)
    }

    /// Refuses to call rotated what would be timed on the same buffers again and again.
    ///
    /// # Errors
    /// [`Error::Usage`], which says who makes several sets of buffers.
    pub fn check_sets(self, sets: usize) -> Result<()> {
        if self == Self::Rotated && sets < 2 {
            return Err(Error::Usage(
                "the mode `rotated` needs several sets of buffers, which a task makes for its kernels: time it with \
                 `Task::time`, or choose another mode"
                    .to_string(),
            ));
        }
        Ok(())
    }

    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Clean => "clean",
            Self::Unreset => "unreset",
            Self::Rotated => "rotated",
            Self::Warm => "warm",
        }
    }
}

impl fmt::Display for TimingMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// When to stop taking samples.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let options = TimingOptions { least_samples: 100, ..TimingMode::Cold.into() };
/// let task = Task::transpose(&Device::emulator(), 64, 64)?;
/// // Microseconds on a GPU; the emulator has no clock.
/// let timed = task.time(&Kernel::registered("padded")?, (2, 2), (32, 8), options);
/// assert!(matches!(timed, Err(Error::NoClock)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimingOptions {
    /// What the cache holds.
    pub mode: TimingMode,
    /// Enough once half the distance between the quartiles is at most this share of the median.
    pub spread: f64,
    /// Never fewer samples, unless the time is up.
    pub least_samples: usize,
    /// Never more samples.
    pub most_samples: usize,
    /// No further sample once this has passed.
    pub longest: Duration,
    /// Launches before the first sample.
    pub warm_up: usize,
}

impl From<TimingMode> for TimingOptions {
    fn from(mode: TimingMode) -> Self {
        Self {
            mode,
            spread: 0.005,
            least_samples: 30,
            most_samples: 1000,
            longest: Duration::from_secs(1),
            warm_up: 3,
        }
    }
}

impl Default for TimingOptions {
    fn default() -> Self {
        TimingMode::Cold.into()
    }
}

/// Samples of one launch's duration on a GPU. Only the CUDA backend makes one.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let samples_us = vec![10.0, 12.0, 11.0];
/// let timing = Timing { samples_us, mode: TimingMode::Cold, clocks: cornerturn::Clocks::default() };
/// assert_eq!(timing.median_us(), 11.0);
/// assert_eq!(timing.gb_per_s(22_000_000), GbPerS(2000.0));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Each launch's duration in microseconds, in the order taken; never empty.
    pub samples_us: Vec<f64>,
    /// What the cache held.
    pub mode: TimingMode,
    /// The GPU's clocks right after the last sample.
    pub clocks: Clocks,
}

impl Timing {
    /// The median in microseconds.
    pub fn median_us(&self) -> f64 {
        quantile(&sorted(&self.samples_us), 0.5)
    }

    /// The lower and the upper quartile in microseconds.
    pub fn quartiles_us(&self) -> (f64, f64) {
        let sorted = sorted(&self.samples_us);
        (quantile(&sorted, 0.25), quantile(&sorted, 0.75))
    }

    /// Number of samples.
    pub fn count(&self) -> usize {
        self.samples_us.len()
    }

    /// The bandwidth of an operation that must move `bytes_moved` bytes, at the median.
    pub fn gb_per_s(&self, bytes_moved: u64) -> GbPerS {
        GbPerS::from_bytes_and_us(bytes_moved, self.median_us())
    }

    /// Refuses a result that no memory of this device can give.
    ///
    /// # Errors
    /// [`Error::Impossible`], with the reason, where the bandwidth is above the peak and L2 cannot explain it.
    pub fn check_possible(&self, what: &str, bytes_moved: u64, facts: &DeviceFacts) -> Result<()> {
        let rate = self.gb_per_s(bytes_moved);
        // What a flush of these modes leaves behind may serve or take part of the bytes.
        let from_cache = self.mode != TimingMode::Cold && bytes_moved <= 2 * facts.l2_bytes;
        if facts.peak_gb_per_s <= 0.0 || rate.0 <= facts.peak_gb_per_s || from_cache {
            return Ok(());
        }
        Err(Error::Impossible(format!(
            "{what}: {rate:.0} is impossible on {}, whose memory peaks at {:.0} GB/s ({}): the kernel did not move \
             the {bytes_moved} bytes that it is counted for in {:.2} µs; check the launch shape and that every \
             element is read and written",
            facts.name,
            facts.peak_gb_per_s,
            facts.peak_source,
            self.median_us()
        )))
    }

    /// Shows the timing as one line in a notebook or page.
    pub fn evcxr_display(&self) {
        html::show(&html::paragraph("ct-timing", &self.to_string()));
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lower, upper) = self.quartiles_us();
        write!(
            f,
            "{:.2} µs (median of {}, quartiles {lower:.2} to {upper:.2}, {} cache)",
            self.median_us(),
            self.count(),
            self.mode
        )
    }
}

/// How many sets of buffers take turns in [`TimingMode::Rotated`], for operations on `bytes` bytes each: together at least
/// four times what L2 holds, and never fewer than two.
pub fn rotated_sets(bytes: u64, l2_bytes: u64) -> usize {
    let sets = (4 * l2_bytes).div_ceil(bytes.max(1));
    usize::try_from(sets).unwrap_or(usize::MAX).clamp(2, 64)
}

/// Takes samples until their spread is small or the time is up. `after` runs once, right after the last.
pub fn sample<E>(
    options: &TimingOptions,
    mut once: impl FnMut() -> Result<f64, E>,
    after: impl FnOnce(),
) -> Result<Vec<f64>, E> {
    for _ in 0..options.warm_up {
        once()?;
    }
    let started = Instant::now();
    let mut samples = Vec::with_capacity(options.least_samples);
    loop {
        samples.push(once()?);
        let enough = samples.len() >= options.least_samples && spread(&samples) <= options.spread;
        if enough || samples.len() >= options.most_samples || started.elapsed() >= options.longest {
            after();
            return Ok(samples);
        }
    }
}

/// Half the distance between the quartiles as a share of the median.
fn spread(samples: &[f64]) -> f64 {
    let sorted = sorted(samples);
    (quantile(&sorted, 0.75) - quantile(&sorted, 0.25)) / 2.0 / quantile(&sorted, 0.5)
}

fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The quantile by linear interpolation between the two nearest samples; NaN for none.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let position = share * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (position - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn timing(samples_us: &[f64], mode: TimingMode) -> Timing {
        Timing {
            samples_us: samples_us.to_vec(),
            mode,
            clocks: Clocks::default(),
        }
    }

    fn facts(l2_bytes: u64) -> DeviceFacts {
        let mut facts = DeviceFacts::emulator();
        facts.name = "a GPU".to_string();
        facts.peak_gb_per_s = 1000.0;
        facts.l2_bytes = l2_bytes;
        facts
    }

    #[test]
    fn median_and_quartiles() {
        let odd = timing(&[5.0, 1.0, 3.0, 2.0, 4.0], TimingMode::Cold);
        assert_eq!((odd.median_us(), odd.quartiles_us()), (3.0, (2.0, 4.0)));
        let even = timing(&[4.0, 1.0, 2.0, 3.0], TimingMode::Cold);
        assert_eq!((even.median_us(), even.quartiles_us()), (2.5, (1.75, 3.25)));
        assert_eq!(timing(&[7.0], TimingMode::Warm).median_us(), 7.0);
        assert!(timing(&[], TimingMode::Warm).median_us().is_nan());
    }

    #[test]
    fn sampling_stops_when_the_spread_is_small() {
        let options = TimingOptions {
            least_samples: 10,
            most_samples: 50,
            ..Default::default()
        };
        let mut calls = 0;
        let samples = sample::<Infallible>(
            &options,
            || {
                calls += 1;
                Ok(10.0)
            },
            || {},
        )
        .unwrap();
        assert_eq!((samples.len(), calls), (10, 10 + options.warm_up));
        // A spread that stays wide: the most samples.
        let mut n = 0_u32;
        let wide = || {
            n += 1;
            Ok::<_, Infallible>(f64::from(n % 2) + 1.0)
        };
        assert_eq!(sample(&options, wide, || {}).unwrap().len(), 50);
        // The time is up after the first.
        let options = TimingOptions {
            longest: Duration::ZERO,
            ..options
        };
        assert_eq!(
            sample::<Infallible>(&options, || Ok(1.0), || {})
                .unwrap()
                .len(),
            1
        );
        // A failure ends it.
        assert_eq!(sample(&options, || Err("fault"), || {}), Err("fault"));
    }

    #[test]
    fn rotated_buffers_hold_more_than_l2() {
        let l2 = 60 << 20;
        assert_eq!(rotated_sets(1 << 30, l2), 2);
        assert_eq!(rotated_sets(32 << 20, l2), 8);
        // No more than memory and patience allow.
        assert_eq!(rotated_sets(0, l2), 64);
    }

    #[test]
    fn a_mode_has_the_same_name_everywhere() {
        for mode in TimingMode::ALL {
            let json = serde_json::to_string(&mode).unwrap();
            assert_eq!(json, format!("\"{mode}\""));
        }
    }

    #[test]
    fn above_the_peak_is_impossible_unless_l2_explains_it() {
        // 2 MB in 1 µs are 2000 GB/s, against a peak of 1000.
        let cold = timing(&[1.0], TimingMode::Cold);
        let error = cold
            .check_possible("padded", 2_000_000, &facts(60_000_000))
            .unwrap_err();
        assert_eq!(error.exit_code(), 1);
        assert!(
            error
                .to_string()
                .contains("2000 GB/s is impossible on a GPU"),
            "{error}"
        );
        assert!(cold.check_possible("padded", 900_000, &facts(0)).is_ok());
        let warm = timing(&[1.0], TimingMode::Warm);
        assert!(
            warm.check_possible("padded", 2_000_000, &facts(60_000_000))
                .is_ok()
        );
        assert!(
            warm.check_possible("padded", 2_000_000, &facts(500_000))
                .is_err()
        );
    }
}
