//! Structures of the driver's header, as C lays them out. Enumerations are numbers, since C may put any there.

use super::{Address, Handle};

/// `CUDA_MEMCPY2D`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Memcpy2d {
    pub(crate) from: Side2d,
    pub(crate) to: Side2d,
    pub(crate) width_bytes: usize,
    pub(crate) height: usize,
}

/// One side of it.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Side2d {
    pub(crate) x_bytes: usize,
    pub(crate) y: usize,
    pub(crate) memory_type: u32,
    pub(crate) host: Address,
    pub(crate) device: Address,
    pub(crate) array: Handle,
    pub(crate) pitch: usize,
}

/// `CUDA_MEMCPY3D`, and `CUDA_MEMCPY3D_PEER`, which has contexts where the other has nothing.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Memcpy3d {
    pub(crate) from: Side3d,
    pub(crate) to: Side3d,
    pub(crate) width_bytes: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// One side of it.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Side3d {
    pub(crate) x_bytes: usize,
    pub(crate) y: usize,
    pub(crate) z: usize,
    pub(crate) level: usize,
    pub(crate) memory_type: u32,
    pub(crate) host: Address,
    pub(crate) device: Address,
    pub(crate) array: Handle,
    pub(crate) context: Handle,
    pub(crate) pitch: usize,
    pub(crate) height: usize,
}

/// `CUDA_ARRAY_DESCRIPTOR`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct ArrayDescriptor {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) format: u32,
    pub(crate) channels: u32,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Array3dDescriptor {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
    pub(crate) format: u32,
    pub(crate) channels: u32,
    pub(crate) flags: u32,
}

/// `CUDA_RESOURCE_DESC`: a kind, and what it says, in 8-byte words.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct ResourceDescriptor {
    pub(crate) kind: u32,
    pub(crate) words: [u64; 16],
    pub(crate) flags: u32,
}

/// `CUDA_TEXTURE_DESC`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct TextureDescriptor {
    pub(crate) address_modes: [u32; 3],
    pub(crate) filter_mode: u32,
    pub(crate) flags: u32,
    pub(crate) most_anisotropy: u32,
    pub(crate) mipmap_filter_mode: u32,
    pub(crate) mipmap_bias: f32,
    pub(crate) mipmap_clamp: [f32; 2],
    pub(crate) border_color: [f32; 4],
    pub(crate) reserved: [i32; 12],
}

/// `CUlaunchConfig`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct LaunchConfig {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u32,
    pub(crate) stream: Handle,
    pub(crate) attributes: *const LaunchAttribute,
    pub(crate) attribute_count: u32,
}

/// `CUlaunchAttribute`: a number, and a value of 64 bytes.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct LaunchAttribute {
    pub(crate) id: u32,
    pub(crate) padding: u32,
    pub(crate) value: [u32; 16],
}

/// `CUDA_KERNEL_NODE_PARAMS_v2`; the first version ends before `kernel`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct KernelNode {
    pub(crate) function: Handle,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u32,
    pub(crate) params: *const *const u8,
    pub(crate) extra: *const *const u8,
    pub(crate) kernel: Handle,
    pub(crate) context: Handle,
}

/// `CUDA_KERNEL_NODE_PARAMS_v1`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct KernelNode1 {
    pub(crate) function: Handle,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u32,
    pub(crate) params: *const *const u8,
    pub(crate) extra: *const *const u8,
}

impl From<KernelNode1> for KernelNode {
    fn from(node: KernelNode1) -> Self {
        Self {
            function: node.function,
            grid: node.grid,
            block: node.block,
            shared_bytes: node.shared_bytes,
            params: node.params,
            extra: node.extra,
            kernel: 0,
            context: 0,
        }
    }
}

/// `CUDA_MEMSET_NODE_PARAMS`; the second version has a context behind it.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct MemsetNode {
    pub(crate) to: Address,
    pub(crate) pitch: usize,
    pub(crate) value: u32,
    pub(crate) element_bytes: u32,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// `CUDA_HOST_NODE_PARAMS`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct HostNode {
    pub(crate) function: Option<extern "C" fn(u64)>,
    pub(crate) data: u64,
}

/// `CUmemLocation`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct MemoryLocation {
    pub(crate) kind: u32,
    pub(crate) id: i32,
}

/// `CUipcMemHandle` and `CUipcEventHandle`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct IpcHandle {
    pub(crate) reserved: [u8; 64],
}

const _: () = {
    assert!(size_of::<Memcpy2d>() == 128);
    assert!(size_of::<Memcpy3d>() == 200);
    assert!(size_of::<ResourceDescriptor>() == 144);
    assert!(size_of::<TextureDescriptor>() == 104);
    assert!(size_of::<LaunchConfig>() == 56);
    assert!(size_of::<LaunchAttribute>() == 72);
    assert!(size_of::<KernelNode1>() == 56);
    assert!(size_of::<KernelNode>() == 72);
};
