//! Running a program: strands of lanes with their reconvergence stacks, blocks with their barriers, the grid over host threads.

mod block;
mod call;
mod cluster;
mod gather;
mod grid;
mod limits;
mod outcome;
mod preset;
mod strand;

pub(crate) use grid::run;
pub use preset::MULTIPROCESSORS;
