//! The figures and tables of the book, as HTML for pages and notebooks: bars of bandwidth, and pictures of what a warp did to memory, drawn from the emulator's trace. One house style for all: `style`. It measures and counts nothing.
//!
//! A function given nothing to draw, or numbers that are none, returns a figure that says so.

mod bank_map;
mod banks;
mod bar;
mod bars;
mod canvas;
mod chart;
mod claims;
mod compare;
mod factors;
mod figure;
mod label;
mod ladder;
mod landscape;
mod occupancy;
mod order;
mod sectors;
mod style;
#[cfg(test)]
mod tests;

pub use crate::html::{Table, Wanted, counters_table, sites_table, table};
pub use bank_map::{Tile, bank_map};
pub use banks::banks;
pub use bar::{Bar, BarKind};
pub use bars::{Published, bandwidth, published};
pub use claims::{Claim, claims};
pub use compare::compare;
pub use factors::factors;
pub use figure::{Figure, Row, display, row};
pub use ladder::{ladder, ladder_table};
pub use landscape::landscape;
pub use occupancy::{Resident, occupancy};
pub use order::block_order;
pub use sectors::sectors;
