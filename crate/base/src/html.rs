//! The HTML blocks that types show in a notebook or page: lines of text in `text`, tables in `table`, the counters of a launch in `counters` and `arithmetic`. Figures are drawn in `plot`.

mod arithmetic;
mod counters;
mod table;
mod text;

pub use arithmetic::arithmetic_table;
pub use counters::term;
pub use counters::{Wanted, counters_table, sites_table};
pub use table::{CELL, NUMBER, html};
pub use table::{Table, table};
pub use text::{MOST_PRINTED_LINES, escape};
pub use text::{
    advice, counted, lines, list, marked, measured, number, one_line, paragraph, paragraphs,
    printed, remarks, show,
};
