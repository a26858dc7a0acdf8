//! What the emulator's checks and counters say of a product: of itself, or of a smaller one of the same kind, on which the kernel's result is right too.

use super::others::{self, Launches, Wrong};
use super::{MOST_CHECKED, MOST_COUNTED, Product};
use crate::task::{Checked, Others, outcome};
use cornerturn_base::error::Result;
use cornerturn_base::product_shape::ProductShape;
use cornerturn_base::shape::Dim3;
use cornerturn_emulator::Finding;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::LaunchReport;

/// What checks have shown.
pub(super) struct CheckedProduct {
    pub(super) checked: Checked,
    pub(super) others: Others,
    pub(super) remarks: Vec<Finding>,
    /// A smaller product on which the kernel is wrong.
    pub(super) wrong: Option<Wrong>,
    /// The launch of a smaller product.
    smaller: Option<(ProductShape, LaunchReport)>,
}

impl CheckedProduct {
    /// The smaller products on which the kernel is right.
    pub(super) fn right_on(&self) -> Vec<String> {
        let first = self.smaller.iter().map(|(shape, _)| shape.to_string());
        let others = self.others.right.iter().map(|(name, _)| name.clone());
        first.chain(others).collect()
    }

    /// Nobody asked.
    pub(super) fn unchecked() -> Self {
        Self {
            checked: Checked::NOBODY_ASKED,
            ..Self::not("")
        }
    }

    fn not(why: &'static str) -> Self {
        Self {
            checked: Checked::Not(why),
            others: Others::default(),
            remarks: Vec::new(),
            wrong: None,
            smaller: None,
        }
    }
}

/// A launch that was counted, and on which shape; on a GPU the emulator may have counted none.
pub(super) struct CountedProduct {
    pub(super) shape: Option<ProductShape>,
    pub(super) report: LaunchReport,
}

/// Runs the kernel with all checks: on the product where that is small, and on smaller ones of the same kind, on which it
/// has to be right too.
pub(super) fn checked(
    product: &Product,
    kernel: &Kernel,
    (grid, block): (Dim3, Dim3),
    launches: &Launches,
) -> Result<CheckedProduct> {
    if !kernel.is_emulated() {
        return Ok(CheckedProduct::not(
            "the emulator does not support this kernel yet",
        ));
    }
    let is_large = product.problem.shape.multiply_adds() > MOST_CHECKED;
    let mut found = match is_large {
        true => None,
        false => Some(outcome(product.check(kernel, grid, block), Checked::Here)?),
    };
    let tried = others::tried(&product.problem, kernel, block, launches)?;
    let mut right = Vec::new();
    let mut smaller = None;
    for other in tried.right {
        let (shape, grid) = (other.shape, other.grid);
        let what = product.problem.shaped(shape).to_string();
        let place = Checked::SmallerWork { what, grid };
        let checked = outcome(other.report.clone().into_result(), place)?;
        right.push((shape.to_string(), grid));
        found.get_or_insert(checked);
        smaller.get_or_insert((shape, other.report));
    }
    let not = Checked::Not(
        "that takes long on a product of this size, and on none of the smaller ones that were tried does this grid give the \
         right result",
    );
    let (checked, remarks) = found.unwrap_or((not, Vec::new()));
    let others = match right.is_empty() {
        true => {
            Others::none("on none that was tried does a grid like this one give the right result")
        }
        // The first is where a large one was checked.
        false => Others {
            right: right.split_off(usize::from(is_large)),
            only: others::only(kernel),
            unsure: tried.unsure.map(|shape| shape.to_string()),
            none: "",
        },
    };
    Ok(CheckedProduct {
        wrong: tried.wrong,
        checked,
        others,
        remarks,
        smaller: smaller.filter(|_| is_large),
    })
}

/// The counters: of the launch itself, else of the smaller one that was checked, else of another launch on the emulator.
pub(super) fn counted(
    product: &Product,
    kernel: &Kernel,
    (grid, block): (Dim3, Dim3),
    checked: &CheckedProduct,
    report: LaunchReport,
) -> Result<CountedProduct> {
    let shape = product.problem.shape;
    if report.counters.is_some() {
        return Ok(CountedProduct {
            shape: Some(shape),
            report,
        });
    }
    if let Some((shape, report)) = &checked.smaller {
        return Ok(CountedProduct {
            shape: Some(*shape),
            report: report.clone(),
        });
    }
    if kernel.is_emulated() && shape.multiply_adds() <= MOST_COUNTED {
        return Ok(CountedProduct {
            shape: Some(shape),
            report: product.count(kernel, grid, block)?,
        });
    }
    Ok(CountedProduct {
        shape: None,
        report,
    })
}
