//! What a device tells of itself: the attributes of an H200, by the numbers of the driver's header. Values are those of book/results/h200 and of the CUDA C++ Programming Guide's tables for compute capability 9.0.

use crate::driver::Driver;
use crate::status::{Result, Status};

/// The name of a device.
pub const DEVICE_NAME: &str = "Corner Turn emulator (NVIDIA H200)";

/// An attribute: its number, its name in the header, its value.
pub type Attribute = (u32, &'static str, i32);

/// All of them. What the stand-in does not have is 0: virtual memory, handles of other processes, memory operations of
/// streams, tiles of sparse arrays, multicast.
pub const ATTRIBUTES: [Attribute; 129] = [
    (1, "MAX_THREADS_PER_BLOCK", 1024),
    (2, "MAX_BLOCK_DIM_X", 1024),
    (3, "MAX_BLOCK_DIM_Y", 1024),
    (4, "MAX_BLOCK_DIM_Z", 64),
    (5, "MAX_GRID_DIM_X", 0x7fff_ffff),
    (6, "MAX_GRID_DIM_Y", 65_535),
    (7, "MAX_GRID_DIM_Z", 65_535),
    (8, "MAX_SHARED_MEMORY_PER_BLOCK", 49_152),
    (9, "TOTAL_CONSTANT_MEMORY", 65_536),
    (10, "WARP_SIZE", 32),
    (11, "MAX_PITCH", 0x7fff_ffff),
    (12, "MAX_REGISTERS_PER_BLOCK", 65_536),
    (13, "CLOCK_RATE", 1_980_000),
    (14, "TEXTURE_ALIGNMENT", 512),
    (15, "GPU_OVERLAP", 1),
    (16, "MULTIPROCESSOR_COUNT", 132),
    (17, "KERNEL_EXEC_TIMEOUT", 0),
    (18, "INTEGRATED", 0),
    (19, "CAN_MAP_HOST_MEMORY", 1),
    (20, "COMPUTE_MODE", 0),
    (21, "MAXIMUM_TEXTURE1D_WIDTH", 131_072),
    (22, "MAXIMUM_TEXTURE2D_WIDTH", 131_072),
    (23, "MAXIMUM_TEXTURE2D_HEIGHT", 65_536),
    (24, "MAXIMUM_TEXTURE3D_WIDTH", 16_384),
    (25, "MAXIMUM_TEXTURE3D_HEIGHT", 16_384),
    (26, "MAXIMUM_TEXTURE3D_DEPTH", 16_384),
    (27, "MAXIMUM_TEXTURE2D_LAYERED_WIDTH", 32_768),
    (28, "MAXIMUM_TEXTURE2D_LAYERED_HEIGHT", 32_768),
    (29, "MAXIMUM_TEXTURE2D_LAYERED_LAYERS", 2_048),
    (30, "SURFACE_ALIGNMENT", 512),
    (31, "CONCURRENT_KERNELS", 1),
    (32, "ECC_ENABLED", 1),
    (33, "PCI_BUS_ID", 1),
    (34, "PCI_DEVICE_ID", 0),
    (35, "TCC_DRIVER", 0),
    (36, "MEMORY_CLOCK_RATE", 3_201_000),
    (37, "GLOBAL_MEMORY_BUS_WIDTH", 6_144),
    (38, "L2_CACHE_SIZE", 62_914_560),
    (39, "MAX_THREADS_PER_MULTIPROCESSOR", 2_048),
    (40, "ASYNC_ENGINE_COUNT", 3),
    (41, "UNIFIED_ADDRESSING", 1),
    (42, "MAXIMUM_TEXTURE1D_LAYERED_WIDTH", 32_768),
    (43, "MAXIMUM_TEXTURE1D_LAYERED_LAYERS", 2_048),
    (44, "CAN_TEX2D_GATHER", 1),
    (45, "MAXIMUM_TEXTURE2D_GATHER_WIDTH", 32_768),
    (46, "MAXIMUM_TEXTURE2D_GATHER_HEIGHT", 32_768),
    (47, "MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE", 8_192),
    (48, "MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE", 8_192),
    (49, "MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE", 32_768),
    (50, "PCI_DOMAIN_ID", 0),
    (51, "TEXTURE_PITCH_ALIGNMENT", 32),
    (52, "MAXIMUM_TEXTURECUBEMAP_WIDTH", 32_768),
    (53, "MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH", 32_768),
    (54, "MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS", 2_046),
    (55, "MAXIMUM_SURFACE1D_WIDTH", 32_768),
    (56, "MAXIMUM_SURFACE2D_WIDTH", 131_072),
    (57, "MAXIMUM_SURFACE2D_HEIGHT", 65_536),
    (58, "MAXIMUM_SURFACE3D_WIDTH", 16_384),
    (59, "MAXIMUM_SURFACE3D_HEIGHT", 16_384),
    (60, "MAXIMUM_SURFACE3D_DEPTH", 16_384),
    (61, "MAXIMUM_SURFACE1D_LAYERED_WIDTH", 32_768),
    (62, "MAXIMUM_SURFACE1D_LAYERED_LAYERS", 2_048),
    (63, "MAXIMUM_SURFACE2D_LAYERED_WIDTH", 32_768),
    (64, "MAXIMUM_SURFACE2D_LAYERED_HEIGHT", 32_768),
    (65, "MAXIMUM_SURFACE2D_LAYERED_LAYERS", 2_048),
    (66, "MAXIMUM_SURFACECUBEMAP_WIDTH", 32_768),
    (67, "MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH", 32_768),
    (68, "MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS", 2_046),
    (69, "MAXIMUM_TEXTURE1D_LINEAR_WIDTH", 268_435_456),
    (70, "MAXIMUM_TEXTURE2D_LINEAR_WIDTH", 131_072),
    (71, "MAXIMUM_TEXTURE2D_LINEAR_HEIGHT", 65_000),
    (72, "MAXIMUM_TEXTURE2D_LINEAR_PITCH", 2_097_120),
    (73, "MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH", 32_768),
    (74, "MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT", 32_768),
    (75, "COMPUTE_CAPABILITY_MAJOR", 9),
    (76, "COMPUTE_CAPABILITY_MINOR", 0),
    (77, "MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH", 32_768),
    (78, "STREAM_PRIORITIES_SUPPORTED", 1),
    (79, "GLOBAL_L1_CACHE_SUPPORTED", 1),
    (80, "LOCAL_L1_CACHE_SUPPORTED", 1),
    (81, "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", 233_472),
    (82, "MAX_REGISTERS_PER_MULTIPROCESSOR", 65_536),
    (83, "MANAGED_MEMORY", 1),
    (84, "MULTI_GPU_BOARD", 0),
    (85, "MULTI_GPU_BOARD_GROUP_ID", 0),
    (86, "HOST_NATIVE_ATOMIC_SUPPORTED", 0),
    (87, "SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO", 2),
    (88, "PAGEABLE_MEMORY_ACCESS", 0),
    (89, "CONCURRENT_MANAGED_ACCESS", 1),
    (90, "COMPUTE_PREEMPTION_SUPPORTED", 1),
    (91, "CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM", 0),
    (92, "CAN_USE_STREAM_MEM_OPS_V1", 0),
    (93, "CAN_USE_64_BIT_STREAM_MEM_OPS_V1", 0),
    (94, "CAN_USE_STREAM_WAIT_VALUE_NOR_V1", 0),
    (95, "COOPERATIVE_LAUNCH", 1),
    (96, "COOPERATIVE_MULTI_DEVICE_LAUNCH", 0),
    (97, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", 232_448),
    (98, "CAN_FLUSH_REMOTE_WRITES", 0),
    (99, "HOST_REGISTER_SUPPORTED", 1),
    (100, "PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES", 0),
    (101, "DIRECT_MANAGED_MEM_ACCESS_FROM_HOST", 0),
    (102, "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED", 0),
    (103, "HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED", 0),
    (104, "HANDLE_TYPE_WIN32_HANDLE_SUPPORTED", 0),
    (105, "HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED", 0),
    (106, "MAX_BLOCKS_PER_MULTIPROCESSOR", 32),
    (107, "GENERIC_COMPRESSION_SUPPORTED", 0),
    (108, "MAX_PERSISTING_L2_CACHE_SIZE", 39_321_600),
    (109, "MAX_ACCESS_POLICY_WINDOW_SIZE", 134_217_728),
    (110, "GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED", 0),
    (111, "RESERVED_SHARED_MEMORY_PER_BLOCK", 1_024),
    (112, "SPARSE_CUDA_ARRAY_SUPPORTED", 0),
    (113, "READ_ONLY_HOST_REGISTER_SUPPORTED", 0),
    (114, "TIMELINE_SEMAPHORE_INTEROP_SUPPORTED", 0),
    (115, "MEMORY_POOLS_SUPPORTED", 1),
    (116, "GPU_DIRECT_RDMA_SUPPORTED", 0),
    (117, "GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS", 0),
    (118, "GPU_DIRECT_RDMA_WRITES_ORDERING", 0),
    (119, "MEMPOOL_SUPPORTED_HANDLE_TYPES", 0),
    (120, "CLUSTER_LAUNCH", 1),
    (121, "DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED", 0),
    (122, "CAN_USE_64_BIT_STREAM_MEM_OPS", 0),
    (123, "CAN_USE_STREAM_WAIT_VALUE_NOR", 0),
    (124, "DMA_BUF_SUPPORTED", 0),
    (125, "IPC_EVENT_SUPPORTED", 0),
    (126, "MEM_SYNC_DOMAIN_COUNT", 4),
    (127, "TENSOR_MAP_ACCESS_SUPPORTED", 1),
    (128, "HANDLE_TYPE_FABRIC_SUPPORTED", 0),
    (129, "UNIFIED_FUNCTION_POINTERS", 0),
];

/// The attributes after those, all of which the stand-in has not.
const LAST_KNOWN: u32 = 160;

/// The value of an attribute of each device.
pub fn attribute_of(number: u32) -> Option<i32> {
    let known = ATTRIBUTES.iter().find(|(known, ..)| *known == number);
    let known = known.map(|(.., value)| *value);
    known.or((130..=LAST_KNOWN).contains(&number).then_some(0))
}

impl Driver {
    /// An attribute of a device.
    ///
    /// # Errors
    /// [`Status::INVALID_DEVICE`]; [`Status::INVALID_VALUE`] for a number that is none.
    pub fn attribute(&self, device: u32, number: u32) -> Result<i32> {
        if device >= self.devices() {
            return Err(Status::INVALID_DEVICE.into());
        }
        // PCI_BUS_ID.
        if number == 33 {
            return Ok(device as i32 + 1);
        }
        attribute_of(number).ok_or_else(|| Status::INVALID_VALUE.into())
    }

    /// The identity of a device: 16 bytes that say what it is and which.
    ///
    /// # Errors
    /// [`Status::INVALID_DEVICE`].
    pub fn uuid(&self, device: u32) -> Result<[u8; 16]> {
        if device >= self.devices() {
            return Err(Status::INVALID_DEVICE.into());
        }
        let mut uuid = *b"cornerturn-emu\0\0";
        uuid[15] = device as u8;
        Ok(uuid)
    }

    /// Lets kernels of the current context use the memory of another device. They can without it: the emulator's devices
    /// share one memory.
    ///
    /// # Errors
    /// [`Status::INVALID_DEVICE`], [`Status::PEER_ACCESS_ALREADY_ENABLED`].
    pub fn enable_peer(&self, peer: u32) -> Result<()> {
        let context = self.context()?;
        if peer >= self.devices() || peer == context.device {
            return Err(Status::INVALID_DEVICE.into());
        }
        let mut peers = crate::stream::held(&context.peers);
        if peers.contains(&peer) {
            return Err(Status::PEER_ACCESS_ALREADY_ENABLED.into());
        }
        peers.push(peer);
        Ok(())
    }

    /// Undoes [`Driver::enable_peer`].
    ///
    /// # Errors
    /// [`Status::PEER_ACCESS_NOT_ENABLED`].
    pub fn disable_peer(&self, peer: u32) -> Result<()> {
        let context = self.context()?;
        let mut peers = crate::stream::held(&context.peers);
        let at = peers.iter().position(|known| *known == peer);
        peers.remove(at.ok_or(Status::PEER_ACCESS_NOT_ENABLED)?);
        Ok(())
    }
}
