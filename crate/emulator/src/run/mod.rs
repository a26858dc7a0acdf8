//! Running a program: strands of lanes with their reconvergence stacks, blocks with their barriers, the grid over host threads.

mod block;
mod gather;
mod grid;
mod limits;
mod outcome;
mod preset;
mod strand;

pub(crate) use grid::run;
