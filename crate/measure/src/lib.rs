//! What a kernel did and how long it took: results compared bit by bit, counters from the emulator, times from a GPU, records of them, and what follows from these. It draws nothing.
//!
//! Cells do not name this package: `cornerturn` passes on what they need, under the same paths.
//!
//! | modules | what is in them |
//! | --- | --- |
//! | [`verify`] | the result of a problem on matrices, compared bit by bit |
//! | [`task`] [`product`] [`work`] [`works`] | the three experiments, on matrices, products of them, and arrays: launched, verified, checked, counted, timed |
//! | [`geam`] [`transfers`] [`launches`] [`sweep`] | what NVIDIA's own calls, copies, launches and sweeps of a parameter take: microseconds and GB/s |
//! | [`record`] [`product_record`] [`machine_facts`] [`reports`] [`causes`] | measurements as files in `book/results`, each with its device, day and commit |
//! | [`roofline`] [`tuning`] | what follows from records: bounds, and searches among variants |
//!
//! A bandwidth is computed in [`record`] and [`sweep`] alone, in GB/s, 1 GB = 10⁹ bytes, from the bytes that must move; the
//! emulator has no clock, and to ask it for time is [`Error::NoClock`](cornerturn_base::Error::NoClock).
//!
//! ```
//! use cornerturn_measure::Task;
//! use cornerturn_runtime::{Device, Kernel};
//!
//! let task = Task::transpose(&Device::emulator(), 100, 70)?;
//! let run = task.run(&Kernel::registered("padded")?, (3, 4), (32, 8))?;
//! assert_eq!(run.bytes_moved, 2 * 4 * 100 * 70);
//! # Ok::<(), cornerturn_base::Error>(())
//! ```

// What is made ready for a GPU only, and what only its measurements use, stays where there is none.
#![cfg_attr(not(feature = "driver"), allow(dead_code))]
// A test may fail where it stands.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod causes;
pub mod geam;
pub mod launches;
pub mod machine_facts;
pub mod product;
pub mod product_record;
pub mod record;
pub mod reports;
pub mod roofline;
pub mod sweep;
pub mod task;
pub mod transfers;
pub mod tuning;
pub mod verify;
pub mod work;
pub mod works;

pub use causes::Causes;
pub use geam::Geam;
pub use launches::{LaunchTime, LaunchWay, Launches};
pub use machine_facts::MachineFacts;
pub use product::{CublasGemm, Product, ProductRun, TileWalk, WalkedTile, WaveReads};
pub use product_record::{ProductPoint, Products};
pub use record::Record;
pub use reports::{Report, Reports};
pub use roofline::{Bound, Counted, Placed, Roof};
pub use sweep::{Sweep, SweepPoint};
pub use task::{
    Accesses, Asked, BlockOrder, Blocks, Checked, Others, Region, RegisteredTask, Run, Sectors,
    Task, Walk, WarpOf,
};
pub use transfers::{Transfer, TransferClock, Transfers};
pub use tuning::{ProductTuning, Tuning};
pub use work::{Ready, Work};
