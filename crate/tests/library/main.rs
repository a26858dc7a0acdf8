//! The library's behaviour, on every device that this machine has: one body for the emulator and for a GPU.

// A test may fail where it stands.
#![allow(clippy::unwrap_used)]

mod arguments;
#[path = "../../compiler/tests/common/mod.rs"]
mod compiler_tests;
mod exercises;
mod generated;
mod host_memory;
mod kernels;
mod launches;
mod printed;
mod products;
mod random_numbers;
mod records;
mod registry;
mod runs;
mod streams;
mod tensor_maps;
mod textures;
mod tuning;
mod verification;
mod works;

use cornerturn::{Device, Kernel, Registry};
use std::path::PathBuf;

/// The emulator, and the GPU where there is one.
fn devices() -> Vec<Device> {
    let mut devices = vec![Device::emulator()];
    devices.extend(Device::cuda());
    devices
}

/// Shapes that are not square, nor multiples of a tile, and the thinnest there are.
const SHAPES: [(usize, usize); 12] = [
    (1, 1),
    (1, 1000),
    (1000, 1),
    (7, 5),
    (31, 33),
    (33, 65),
    (64, 32),
    (97, 101),
    (3, 257),
    (257, 3),
    (130, 100),
    (256, 512),
];

/// A kernel of the registry with its own launch shape.
fn registered(id: &str) -> (Kernel, cornerturn::registry::KernelEntry) {
    let registry = Registry::load().unwrap();
    let entry = registry.get(id).unwrap().clone();
    (Kernel::committed(&registry, &entry).unwrap(), entry)
}

/// Whether this machine has NVRTC. A test that needs it is left out where it has not; `cargo verify` installs it first, so
/// that there none is.
fn compiles(test: &str) -> bool {
    let found = cornerturn::compile::Nvrtc::open().is_ok();
    if !found {
        println!("skipped: no NVRTC on this machine, {test} is not tried");
    }
    found
}

/// A folder of this test's own, removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cornerturn-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A kernel that writes `value` to `out[i]` for each thread `i` of the whole grid, without a guard.
const FILL: &str = r"
.version 7.0
.target sm_75
.address_size 64
.visible .entry fill(
    .param .u64 fill_param_0,
    .param .u32 fill_param_1
)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [fill_param_0];
    ld.param.u32 %r1, [fill_param_1];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r1;
    ret;
}
";
