//! What one run of a product showed, and how a notebook shows it.

use super::Product;
use super::smaller::{CheckedProduct, CountedProduct};
use crate::task::{Checked, Others};
use cornerturn_base::error::{self, Error, Result};
use cornerturn_base::facts::{DeviceFacts, datasheet_tera_per_s};
use cornerturn_base::html::{self, Wanted};
use cornerturn_base::product_shape::ProductShape;
use cornerturn_base::shape::Dim3;
use cornerturn_base::timing::Timing;
use cornerturn_emulator::advice::Explanation;
use cornerturn_emulator::counters::Flops;
use cornerturn_emulator::{Counters, Finding, Printed, Site};
use cornerturn_registry::product_problem::{Accuracy, ProductProblem};
use cornerturn_runtime::kernel::Kernel;
use std::fmt;

/// What one run of a product showed.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let product = Product::new(&device, ProductProblem::new(33, 65, 47))?;
/// let run = product.run(&Kernel::registered("sgemm_tiled")?, (3, 2), (32, 32))?;
/// assert!(run.counters.flops().total() >= 2 * 33 * 65 * 47);
/// // 10¹² operations in a second are measured on a GPU; the emulator has no clock.
/// assert!(run.tera_per_s().is_none());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct ProductRun {
    /// The kernel's name.
    pub kernel: String,
    /// The device's name.
    pub device: String,
    /// What was asked.
    pub problem: ProductProblem,
    /// Blocks of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// How near the result came on random factors; on whole numbers it is right bit by bit.
    pub accuracy: Accuracy,
    /// On which product it was checked for races, for reads of what was never written and for barriers that threads miss.
    pub checked: Checked,
    /// On which others it was tried.
    pub others: Others,
    /// The product on which the emulator counted: this one, or a smaller of the same kind; `None` where it counted none.
    pub counted: Option<ProductShape>,
    /// What the kernel did there.
    pub counters: Counters,
    /// The same by place in the kernel.
    pub sites: Vec<Site>,
    /// Why it is slow, as far as its counts say: accesses and branches by line, and the worst of them in sentences.
    pub why: Explanation,
    /// What CUDA allows and is worth a remark.
    pub remarks: Vec<Finding>,
    /// What the kernel printed, as the emulator ran it.
    pub printed: Printed,
    /// PTX instructions executed, by warps.
    pub warp_instructions: u64,
    /// The kernel's time with a warm cache; on a GPU only.
    pub timing: Option<Timing>,
    /// What is known of the device.
    pub facts: DeviceFacts,
}

impl ProductRun {
    pub(super) fn new(
        product: &Product,
        kernel: &Kernel,
        (grid, block): (Dim3, Dim3),
        checked: CheckedProduct,
        accuracy: Accuracy,
        counted: CountedProduct,
        timing: Option<Timing>,
    ) -> Self {
        let report = counted.report;
        Self {
            kernel: kernel.name().to_string(),
            device: product.device.name().to_string(),
            problem: product.problem,
            grid,
            block,
            accuracy,
            checked: checked.checked,
            others: checked.others,
            counted: counted.shape,
            counters: report.counters.unwrap_or_default(),
            sites: report.sites,
            why: report.why,
            remarks: checked.remarks,
            printed: report.printed,
            warp_instructions: report.warp_instructions,
            timing,
            facts: product.device.facts().clone(),
        }
    }

    /// 10¹² operations in a second, two for each product of two numbers; on a GPU only.
    pub fn tera_per_s(&self) -> Option<f64> {
        let timing = self.timing.as_ref()?;
        Some(self.problem.tera_per_s(timing.median_us()))
    }

    /// Floating-point operations by type, as the profiler counts them, on the product that was counted.
    pub fn flops(&self) -> Flops {
        self.counters.flops()
    }

    /// Operations for each byte of the sectors of global memory that were asked for; `None` where none was.
    pub fn intensity_at_l1(&self) -> Option<f64> {
        let bytes = self.counters.global_sector_bytes();
        let operations = self.counters.flops().total() + self.counters.tensor_int8;
        (bytes > 0).then(|| operations as f64 / bytes as f64)
    }

    /// The table of what was computed, by counter, type and byte.
    pub fn arithmetic(&self) -> html::Table {
        let bytes = self.counted_problem().map(|problem| problem.bytes_moved());
        html::arithmetic_table(&self.counters, bytes)
    }

    fn counted_problem(&self) -> Option<ProductProblem> {
        self.counted.map(|shape| self.problem.shaped(shape))
    }

    /// The line on the rate, where it was timed.
    pub fn rate_line(&self) -> Option<String> {
        let (rate, timing) = (self.tera_per_s()?, self.timing.as_ref()?);
        let mut line = format!("{rate:.2} TFLOP/s");
        if self.problem.input.is_whole() {
            line = format!("{rate:.2} TOP/s");
        }
        if let Some(peak) = datasheet_tera_per_s(&self.facts.name, self.problem.input) {
            line.push_str(&format!(
                ", {:.1} % of the datasheet's {peak:.0}",
                100.0 * rate / peak
            ));
        }
        line.push_str(&format!("; {timing}"));
        if !timing.clocks.throttle_reasons.is_empty() {
            line.push_str(". The GPU held its clocks back: ");
            line.push_str(&timing.clocks.throttle_reasons.join(", "));
        }
        Some(line)
    }

    /// The line on races and the like.
    pub fn checked_line(&self) -> String {
        match &self.checked {
            Checked::Not(_) => format!("races: {}", self.checked),
            checked => format!(
                "no race, no read of what was never written, no barrier that a thread misses: checked {checked}"
            ),
        }
    }

    /// The line on the results.
    pub fn verified_line(&self) -> String {
        let near = match self.problem.input.is_whole() {
            true => String::new(),
            false => format!(
                ", on random ones to {:.1e} of the sum of sizes, {:.0} % of what rounding allows",
                self.accuracy.worst,
                100.0 * self.accuracy.of_bound
            ),
        };
        format!(
            "{}: {} verified bit by bit on whole numbers{near}, on {}, grid {}, block {}",
            self.kernel, self.problem, self.device, self.grid, self.block
        )
    }

    /// The line that says what the counters are of.
    fn counted_line(&self) -> Option<String> {
        match self.counted {
            Some(shape) if shape == self.problem.shape => None,
            Some(shape) => Some(format!("counted on a smaller product, {shape}")),
            None => Some("not counted: the emulator does not run this product".to_string()),
        }
    }

    /// Shows the verdict, the rate where it was timed, and the counters in a notebook or page.
    pub fn evcxr_display(&self) {
        let mut html = html::paragraph("ct-verified", &format!("✓ {}", self.verified_line()));
        let mark = match self.checked {
            Checked::Not(_) => "–",
            _ => "✓",
        };
        html.push('\n');
        html.push_str(&html::paragraph(
            "ct-checked",
            &format!("{mark} {}", self.checked_line()),
        ));
        html.push_str(&self.others.html());
        if let Some(line) = self.rate_line() {
            html.push('\n');
            html.push_str(&html::measured(&self.measured(), &line));
        }
        html.push_str(&html::advice(&self.why.advice));
        html.push_str(&html::remarks(&self.remarks));
        html.push_str(&html::printed(&self.printed));
        if let Some(line) = self.counted_line() {
            html.push('\n');
            html.push_str(&html::paragraph("ct-counted", &line));
        }
        html.push('\n');
        html.push_str(&html::counters_table(&self.counters, self.wanted()));
        html::show(&html);
    }

    /// What must be read and written of the product that was counted.
    pub fn wanted(&self) -> Option<Wanted> {
        Some(self.counted_problem()?.wanted())
    }

    /// What was timed, for programs that compare pages with records.
    fn measured(&self) -> Vec<(&'static str, String)> {
        let us = self
            .timing
            .as_ref()
            .map_or(String::new(), |timing| format!("{:.3}", timing.median_us()));
        vec![
            ("kernel", self.kernel.clone()),
            ("product", self.problem.shape.to_string()),
            ("element", self.problem.input.to_string()),
            ("grid", self.grid.to_string()),
            ("block", self.block.to_string()),
            ("us", us),
        ]
    }
}

/// Refuses a rate above the datasheet's peak. Clocks above those of the datasheet allow a little more.
pub(super) fn check_possible(
    what: &str,
    problem: &ProductProblem,
    timing: &Timing,
    facts: &DeviceFacts,
) -> Result<()> {
    let rate = problem.tera_per_s(timing.median_us());
    match datasheet_tera_per_s(&facts.name, problem.input) {
        Some(peak) if rate > 1.02 * peak => Err(Error::Impossible(format!(
            "{what}: {rate:.1} TFLOP/s is impossible on {}, whose products of {} peak at {peak:.0} (datasheet): the kernel did \
             not do the {} operations of the {problem} in {:.2} µs",
            facts.name,
            problem.input,
            problem.shape.operations(),
            timing.median_us()
        ))),
        _ => Ok(()),
    }
}

impl fmt::Display for ProductRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.verified_line(), self.checked_line())?;
        if let Some(line) = self.others.line() {
            write!(f, "\n{line}")?;
        }
        if let Some(line) = self.rate_line() {
            write!(f, "\n{line}")?;
        }
        if let Some(line) = self.counted_line() {
            write!(f, "\n{line}")?;
        }
        for remark in &self.remarks {
            write!(f, "\n{}", remark.message())?;
        }
        f.write_str(&error::printed_lines(&self.printed))
    }
}

impl fmt::Debug for ProductRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn_base::clocks::Clocks;
    use cornerturn_base::timing::TimingMode;

    #[test]
    fn a_rate_above_the_peak_is_refused() {
        let mut facts = DeviceFacts::emulator();
        facts.name = "NVIDIA H200".to_string();
        let problem = ProductProblem::new(4096, 4096, 4096);
        let timed = |us: f64| Timing {
            samples_us: vec![us],
            mode: TimingMode::Warm,
            clocks: Clocks::default(),
        };
        // 137.4 · 10⁹ operations.
        check_possible("right", &problem, &timed(2700.0), &facts).unwrap();
        let error = check_possible("wrong", &problem, &timed(1000.0), &facts).unwrap_err();
        assert!(matches!(error, Error::Impossible(_)), "{error}");
    }
}
