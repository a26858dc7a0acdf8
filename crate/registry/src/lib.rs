//! The registry of kernels, `kernels/kernels.toml`, and what a registered kernel is asked: a problem on matrices, a product of them, or a work on arrays. It knows no devices and compiles nothing.
//!
//! Cells do not name this package: `cornerturn` passes on what they need, as `cornerturn::registry` and by name.
//!
//! | module | what is in it |
//! | --- | --- |
//! | [`problem`] | a problem on matrices: operation, element type, shape and batch; what result is expected, and the bytes that must move |
//! | [`product_problem`] | a product C = A · B of matrices: its factors, exact or random, and how a result is judged |
//! | [`registry`] | the entries of the registry, their launch shapes, settings and claims |
//!
//! ```
//! use cornerturn_registry::Registry;
//!
//! let registry = Registry::load()?;
//! let source = registry.source(registry.code("padded")?)?;
//! assert!(source.contains("__global__"));
//! # Ok::<(), cornerturn_base::Error>(())
//! ```

// What is made ready for a GPU only, and what only its measurements use, stays where there is none.
#![cfg_attr(not(feature = "driver"), allow(dead_code))]
// A test may fail where it stands.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod problem;
pub mod product_problem;
pub mod registry;

pub use product_problem::{Accuracy, ProductData, ProductProblem};
pub use registry::Registry;
