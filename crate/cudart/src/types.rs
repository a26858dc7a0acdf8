//! The structures and handles of the runtime API as C lays them out: `driver_types.h`, `vector_types.h`, `texture_types.h` and `channel_descriptor.h` of CUDA 13. What is done with them is the calls' business.

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulonglong, c_void};

/// `cudaStream_t`, `cudaEvent_t`, `cudaGraph_t` and the like: what they point to is the driver's.
pub type Handle = *mut c_void;

/// `dim3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Dim3 {
    /// In x.
    pub x: c_uint,
    /// In y.
    pub y: c_uint,
    /// In z.
    pub z: c_uint,
}

impl Dim3 {
    /// As the emulator has it.
    pub fn sizes(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

/// `cudaMemcpyKind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct CopyKind(pub c_int);

impl CopyKind {
    /// Host to host.
    pub const HOST_TO_HOST: Self = Self(0);
    /// Host to device.
    pub const HOST_TO_DEVICE: Self = Self(1);
    /// Device to host.
    pub const DEVICE_TO_HOST: Self = Self(2);
    /// Device to device.
    pub const DEVICE_TO_DEVICE: Self = Self(3);
    /// As the pointers say.
    pub const DEFAULT: Self = Self(4);

    /// Its name in the header.
    pub fn name(self) -> &'static str {
        match self {
            Self::HOST_TO_HOST => "cudaMemcpyHostToHost",
            Self::HOST_TO_DEVICE => "cudaMemcpyHostToDevice",
            Self::DEVICE_TO_HOST => "cudaMemcpyDeviceToHost",
            Self::DEVICE_TO_DEVICE => "cudaMemcpyDeviceToDevice",
            Self::DEFAULT => "cudaMemcpyDefault",
            _ => "no cudaMemcpyKind",
        }
    }
}

/// `cudaExtent`: bytes, or elements of an array, in each direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Extent {
    /// Elements of a row: bytes where no array takes part.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Slices.
    pub depth: usize,
}

/// `cudaPos`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Position {
    /// Elements of a row: bytes where no array takes part.
    pub x: usize,
    /// Rows.
    pub y: usize,
    /// Slices.
    pub z: usize,
}

/// `cudaPitchedPtr`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct PitchedPointer {
    /// The first byte.
    pub pointer: *mut c_void,
    /// Bytes from a row to the next.
    pub pitch: usize,
    /// Bytes of a row that count.
    pub x_bytes: usize,
    /// Rows of a slice.
    pub y_rows: usize,
}

/// `cudaMemcpy3DParms`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Copy3d {
    /// `srcArray`.
    pub source_array: Handle,
    /// `srcPos`.
    pub source_position: Position,
    /// `srcPtr`.
    pub source: PitchedPointer,
    /// `dstArray`.
    pub target_array: Handle,
    /// `dstPos`.
    pub target_position: Position,
    /// `dstPtr`.
    pub target: PitchedPointer,
    /// How much.
    pub extent: Extent,
    /// From where to where.
    pub kind: CopyKind,
}

/// `cudaChannelFormatDesc`: bits of each channel, and their kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Channels {
    /// Bits in x, y, z, w.
    pub bits: [c_int; 4],
    /// `cudaChannelFormatKind`: 0 signed, 1 unsigned, 2 float, 3 none.
    pub kind: c_int,
}

/// `cudaResourceDesc`, whose union is read by the field that `kind` names.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Resource {
    /// `cudaResourceType`: 0 array, 1 mipmapped array, 2 linear memory, 3 pitched memory.
    pub kind: c_int,
    /// What it names.
    pub of: ResourceUnion,
    /// None are defined.
    pub flags: c_uint,
}

/// The union of `cudaResourceDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub union ResourceUnion {
    /// Of kind 0.
    pub array: Handle,
    /// Of kind 2.
    pub linear: LinearResource,
    /// Of kind 3.
    pub pitched: PitchedResource,
    /// The size of them all.
    pub reserved: [c_int; 32],
}

/// Linear memory under a texture.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct LinearResource {
    /// The first byte.
    pub pointer: *mut c_void,
    /// What an element is.
    pub channels: Channels,
    /// How many bytes.
    pub bytes: usize,
}

/// Rows of memory under a texture.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct PitchedResource {
    /// The first byte.
    pub pointer: *mut c_void,
    /// What an element is.
    pub channels: Channels,
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Bytes from a row to the next.
    pub pitch: usize,
}

/// `cudaTextureDesc`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct TextureDescription {
    /// `cudaTextureAddressMode` of each direction: 0 wrap, 1 clamp, 2 mirror, 3 border.
    pub address_modes: [c_int; 3],
    /// 0 nearest, 1 linear.
    pub filter: c_int,
    /// 0 as the element is, 1 as a float from 0 to 1 or -1 to 1.
    pub read: c_int,
    /// Whether it is sRGB.
    pub srgb: c_int,
    /// What border mode gives.
    pub border: [f32; 4],
    /// Whether coordinates go from 0 to 1.
    pub is_normalized: c_int,
    /// For mipmaps.
    pub most_anisotropy: c_uint,
    /// For mipmaps.
    pub mipmap_filter: c_int,
    /// For mipmaps.
    pub mipmap_bias: f32,
    /// For mipmaps.
    pub mipmap_least: f32,
    /// For mipmaps.
    pub mipmap_most: f32,
    /// For mipmaps.
    pub no_trilinear_optimization: c_int,
    /// For cubemaps.
    pub seamless: c_int,
}

/// `cudaFuncAttributes`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct FunctionAttributes {
    /// `sharedSizeBytes`.
    pub shared_bytes: usize,
    /// `constSizeBytes`.
    pub const_bytes: usize,
    /// `localSizeBytes`.
    pub local_bytes: usize,
    /// `maxThreadsPerBlock`.
    pub most_threads: c_int,
    /// `numRegs`.
    pub registers: c_int,
    /// `ptxVersion`: 90 for compute_90.
    pub ptx_version: c_int,
    /// `binaryVersion`.
    pub binary_version: c_int,
    /// `cacheModeCA`.
    pub cache_mode: c_int,
    /// `maxDynamicSharedSizeBytes`.
    pub most_dynamic_bytes: c_int,
    /// The rest, which concerns preferences and clusters.
    pub rest: [c_int; 23],
}

/// `cudaPointerAttributes`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct PointerAttributes {
    /// `cudaMemoryType`: 0 unregistered, 1 host, 2 device, 3 managed.
    pub kind: c_int,
    /// Whose it is.
    pub device: c_int,
    /// Its address for kernels.
    pub device_pointer: *mut c_void,
    /// Its address for the host.
    pub host_pointer: *mut c_void,
    /// Nothing.
    pub reserved: [c_long; 8],
}

/// `cudaLaunchConfig_t`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct LaunchConfig {
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Dynamic shared memory of a block.
    pub dynamic_shared_bytes: usize,
    /// Where it is queued.
    pub stream: Handle,
    /// What else is asked for.
    pub attributes: *const LaunchAttribute,
    /// How many these are.
    pub attribute_count: c_uint,
}

/// `cudaLaunchAttribute`.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(8))]
pub struct LaunchAttribute {
    /// `cudaLaunchAttributeID`.
    pub id: c_int,
    /// Up to a multiple of 8.
    pub pad: [c_char; 4],
    /// The union: its first words.
    pub value: [c_uint; 16],
}

/// `cudaKernelNodeParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct KernelNode {
    /// The host's function that stands for the kernel.
    pub function: *const c_void,
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Dynamic shared memory of a block.
    pub dynamic_shared_bytes: c_uint,
    /// A pointer to each argument.
    pub arguments: *mut *mut c_void,
    /// Another way to give them, which is not supported.
    pub extra: *mut *mut c_void,
}

/// `cudaMemsetParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct MemsetNode {
    /// The first byte.
    pub pointer: *mut c_void,
    /// Bytes from a row to the next.
    pub pitch: usize,
    /// What is set.
    pub value: c_uint,
    /// Bytes of an element: 1, 2 or 4.
    pub element_bytes: c_uint,
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// `cudaHostFn_t`.
pub type HostFunction = unsafe extern "C" fn(*mut c_void);

/// `cudaHostNodeParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct HostNode {
    /// What is called.
    pub function: Option<HostFunction>,
    /// With what.
    pub data: *mut c_void,
}

/// `cudaMemLocation`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Location {
    /// `cudaMemLocationType`: 1 device, 2 host.
    pub kind: c_int,
    /// Which device.
    pub id: c_int,
}

/// What `__cudaRegisterFatBinary` is given: `__fatBinC_Wrapper_t` of `fatbinary_section.h`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct FatbinWrapper {
    /// Always the same number.
    pub magic: c_int,
    /// 1.
    pub version: c_int,
    /// The fatbin.
    pub data: *const c_ulonglong,
    /// Nothing here.
    pub file_name_or_fatbins: *mut c_void,
}

/// `sizeof` of C for each, on 64-bit systems.
const _: () = {
    assert!(size_of::<FunctionAttributes>() == 144);
    assert!(size_of::<PointerAttributes>() == 88);
    assert!(size_of::<Copy3d>() == 160);
    assert!(size_of::<Resource>() == 144);
    assert!(std::mem::offset_of!(Resource, flags) == 136);
    assert!(size_of::<TextureDescription>() == 72);
    assert!(size_of::<LaunchConfig>() == 56);
    assert!(size_of::<LaunchAttribute>() == 72);
    assert!(size_of::<KernelNode>() == 56);
    assert!(size_of::<MemsetNode>() == 40);
    assert!(size_of::<HostNode>() == 16);
    assert!(size_of::<Extent>() == 24 && size_of::<PitchedPointer>() == 32);
    assert!(size_of::<Channels>() == 20);
};
