//! The CUDA driver API over the emulator: [`Driver`] is its safe core, `api` the C functions of `libcuda.so.1` on top of it. What a kernel does is `cornerturn-emulator`'s.
//!
//! README.md of this package shows how the core is used, and which C functions there are.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod api;
mod array;
mod call;
mod clock;
mod context;
mod copy;
mod device;
mod driver;
mod fatbin;
mod fault;
mod graph;
mod host;
mod launch;
mod memory;
mod module;
mod place;
mod record;
mod settings;
mod status;
mod stream;
mod table;
mod texture;
mod work;

pub use array::{Array, ArrayShape};
pub use context::Context;
pub use copy::{Copy, Fill, Side, Spot};
pub use device::{ATTRIBUTES, Attribute, DEVICE_NAME, attribute_of};
pub use driver::Driver;
pub use fatbin::{Image, WRAPPER_MAGIC, container_bytes, parse as parse_image};
pub use graph::{Graph, GraphExec, Node, NodeId};
pub use launch::{Function, FunctionAttribute, KernelLaunch};
pub use memory::{Allocation, Kind};
pub use module::{LoadedModule, Symbol};
pub use place::{Place, here, set as set_place};
pub use record::{KernelRecord, Note};
pub use settings::Settings;
pub use status::{Error, Result, Status};
pub use stream::{Capture, Event, LEGACY, PER_THREAD, Stream};
pub use texture::{Layout as TextureObjectLayout, Texels};
pub use work::{HostCall, Work};
