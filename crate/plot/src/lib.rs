//! The figures and tables of the book, as HTML for pages and notebooks: bars of bandwidth, and pictures of what a warp did to memory, drawn from the emulator's trace. One house style for all: `style`. It measures and counts nothing.
//!
//! A function given nothing to draw, or numbers that are none, returns a figure that says so.
//!
//! Cells do not name this package: `cornerturn::plot` passes it on, and each figure's example is written as a cell writes it.
//! A figure is one file and one function, which takes data (records, a search, the emulator's trace or its counters) and gives
//! a [`Figure`], drawn for wide pages and for telephones by the same code, or a table. What several share is in `figure`, `canvas`,
//! `chart`, `label` and `style`.

// A test may fail where it stands.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod articles;
mod backend;
mod bank_map;
mod banks;
mod bar;
mod bars;
mod beside;
mod canvas;
mod chart;
mod claims;
mod compare;
mod curve;
mod dram_rows;
mod factors;
mod figure;
mod fragments;
mod intensities;
mod label;
mod ladder;
mod landscape;
mod lanes;
mod memory_hierarchy;
mod occupancy;
mod order;
mod per_request;
mod pieces;
mod product_pipeline;
mod products;
mod register_patch;
mod roofline;
mod scale;
mod sectors;
mod shares;
mod shuffles;
mod steps;
mod style;
#[cfg(test)]
mod tests;
mod texels;
mod tile_turn;
mod tile_walk;
mod timeline;
mod tma_pipeline;
mod traffic;

pub use bank_map::{Tile, bank_map};
pub use banks::banks;
pub use bar::{Bar, BarKind};
pub use bars::{Published, bandwidth, published};
pub use claims::{Claim, claims};
pub use compare::compare;
pub use cornerturn_base::html::{
    Table, Wanted, arithmetic_table, counters_table, sites_table, table,
};
pub use curve::{Axes, Curve, curves};
pub use dram_rows::{DramModel, dram_rows};
pub use factors::factors;
pub use figure::{Figure, Row, display, row};
pub use fragments::{Fragment, fragments};
pub use ladder::{Rung, ladder, ladder_table};
pub use landscape::{landscape, landscape_of};
pub use memory_hierarchy::memory_hierarchy;
pub use occupancy::{Resident, occupancy, residents};
pub use order::block_order;
pub use per_request::per_request;
pub use pieces::{Pieces, pieces};
pub use product_pipeline::product_pipeline;
pub use products::{product_curves, product_ladder};
pub use register_patch::register_patch;
pub use roofline::roofline;
pub use sectors::{local, sectors};
pub use shares::{gains, shares};
pub use shuffles::shuffles;
pub use steps::{LaneRow, StepView, Target, WarpSteps, steps};
pub use texels::texels;
pub use tile_turn::tile_turn;
pub use tile_walk::tile_walk;
pub use timeline::timeline;
pub use tma_pipeline::tma_pipeline;
pub use traffic::{Traffic, traffic};
