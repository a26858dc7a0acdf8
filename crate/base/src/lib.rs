//! Values and words that every package of the library shares: element types, shapes, errors, files and paths, tables as HTML, signatures of kernels, timings, occupancy. It knows no kernels, no devices and no figures.
//!
//! This is the lowest floor of the library. Cells do not name it: `cornerturn` passes on what they need, under the same paths.
//! It is a package of its own and no part of `cornerturn-basics`, because the preprocessor and the notebooks' kernel link that,
//! and must not wait for the emulator, whose words for counters and findings stand in [`error`] and [`html`].
//!
//! | modules | what is in them |
//! | --- | --- |
//! | [`element`] [`number`] [`shape`] [`product_shape`] [`tensor_box`] [`place`] [`operation`] [`pattern`] | what a kernel is asked about: types, sizes in elements, where memory is, what an input holds |
//! | [`facts`] [`link`] [`clocks`] [`cores`] [`memory`] [`libraries`] | what a machine has: clocks in MHz, sizes in bytes, rates in GB/s |
//! | [`timing`] [`traffic`] [`occupancy`] [`caches`] | what is computed from measurements, and what a launch asks of the caches |
//! | [`ptx`] [`signature`] | what a kernel's text says of its parameters |
//! | [`error`] [`message`] [`mistake`] [`mismatch`] [`product_mismatch`] | everything that can go wrong, with who has to act on it |
//! | [`given`] [`files`] [`paths`] [`html`] | files by name, and values as text for pages |
//!
//! There is one [`Error`] for all packages of the library. Its variants nest (a launch that is wrong on another shape carries the
//! error of that launch), notebooks and the binary match on them by name, and [`Error::kind`] and the exit status are one
//! table over all; an enum per package would wrap each in the next and change what those matches name.
//!
//! ```
//! use cornerturn_base::{ElementType, GbPerS, Shape};
//!
//! let shape = Shape::new(100, 70);
//! assert_eq!(shape.transposed().to_string(), "70×100");
//! assert_eq!(ElementType::F32.bytes(), 4);
//! assert_eq!(GbPerS::from_bytes_and_us(4_000_000, 2.0), GbPerS(2000.0));
//! ```

// What is made ready for a GPU only, and what only its measurements use, stays where there is none.
#![cfg_attr(not(feature = "driver"), allow(dead_code))]
// A test may fail where it stands.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod caches;
pub mod clocks;
pub mod cores;
pub mod element;
pub mod error;
pub mod facts;
pub mod files;
pub mod given;
pub mod html;
pub mod libraries;
pub mod link;
pub mod memory;
pub mod message;
pub mod mismatch;
pub mod mistake;
pub mod nearest;
pub mod number;
pub mod occupancy;
pub mod operation;
pub mod paths;
pub mod pattern;
pub mod place;
pub mod product_mismatch;
pub mod product_shape;
pub mod ptx;
pub mod shape;
pub mod signature;
pub mod tensor_box;
pub mod timing;
pub mod traffic;

pub use caches::{AccessProperty, CacheLimits, CacheSettings, L2Window};
pub use clocks::Clocks;
pub use element::{Element, ElementType};
pub use error::{Error, ErrorKind, NoCuda, Result};
pub use facts::DeviceFacts;
pub use html::{MOST_PRINTED_LINES, escape as escape_html};
pub use link::HostFacts;
pub use message::{Message, Spot, messages};
pub use mismatch::{Mismatch, WrongElement};
pub use number::NumberType;
pub use occupancy::{Capacity, Limits, Occupancy, ProposedBlock, Resources};
pub use operation::Operation;
pub use place::{Advice, Direction, Place, Side};
pub use product_mismatch::{ProductMismatch, ProductMistake};
pub use product_shape::{Layout, ProductShape};
pub use shape::{Dim3, Shape};
pub use tensor_box::{Fill, ProductBoxes, Swizzle, TensorBox, TensorBoxes};
pub use timing::{Timing, TimingMode, TimingOptions};
pub use traffic::GbPerS;
