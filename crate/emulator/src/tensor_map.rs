//! Tensor maps: how a tensor lies in global memory and which tile of it a tensor copy moves. What moves them is `operations::tile`.

mod error;

pub use error::TensorMapError;

/// The most dimensions.
pub(crate) const MOST_RANK: usize = 5;

/// Bytes of an encoded map, those of the driver's `CUtensorMap`.
pub const TENSOR_MAP_BYTES: usize = 128;

/// Shared memory of a block. The driver refuses a tile of 256 KiB and takes one of 64 KiB; nothing between was tried.
const MOST_TILE_BYTES: u64 = 227 << 10;

/// First bytes of an encoded map.
const MAGIC: [u8; 8] = *b"CTTMAP\x00\x01";

/// What a tensor's elements are: `CUtensorMapDataType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TensorElement {
    /// `CU_TENSOR_MAP_DATA_TYPE_UINT8`
    U8,
    /// `CU_TENSOR_MAP_DATA_TYPE_UINT16`
    U16,
    /// `CU_TENSOR_MAP_DATA_TYPE_UINT32`
    U32,
    /// `CU_TENSOR_MAP_DATA_TYPE_INT32`
    S32,
    /// `CU_TENSOR_MAP_DATA_TYPE_UINT64`
    U64,
    /// `CU_TENSOR_MAP_DATA_TYPE_INT64`
    S64,
    /// `CU_TENSOR_MAP_DATA_TYPE_FLOAT16`
    F16,
    /// `CU_TENSOR_MAP_DATA_TYPE_FLOAT32`
    F32,
    /// `CU_TENSOR_MAP_DATA_TYPE_FLOAT64`
    F64,
    /// `CU_TENSOR_MAP_DATA_TYPE_BFLOAT16`
    Bf16,
    /// `CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ`; copies keep subnormals all the same.
    F32Ftz,
    /// `CU_TENSOR_MAP_DATA_TYPE_TFLOAT32`: loads round to 10 bits of fraction.
    Tf32,
    /// `CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ`: as [`Self::Tf32`].
    Tf32Ftz,
}

impl TensorElement {
    const ALL: [Self; 13] = [
        Self::U8,
        Self::U16,
        Self::U32,
        Self::S32,
        Self::U64,
        Self::S64,
        Self::F16,
        Self::F32,
        Self::F64,
        Self::Bf16,
        Self::F32Ftz,
        Self::Tf32,
        Self::Tf32Ftz,
    ];

    /// Bytes of one element.
    pub fn bytes(self) -> u32 {
        match self {
            Self::U8 => 1,
            Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::U64 | Self::S64 | Self::F64 => 8,
            _ => 4,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        !matches!(
            self,
            Self::U8 | Self::U16 | Self::U32 | Self::S32 | Self::U64 | Self::S64
        )
    }
}

/// How the 16-byte pieces of a tile's rows change places in shared memory: `CUtensorMapSwizzle`.
///
/// A piece whose address in shared memory is `a` goes to `a ^ ((a >> 7) & mask) << 4`, with a mask of 1, 3
/// and 7: the pattern belongs to the addresses, not to the tile, as measured on an H200.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Swizzle {
    /// In order.
    #[default]
    None,
    /// Over 32 bytes.
    Bytes32,
    /// Over 64 bytes.
    Bytes64,
    /// Over 128 bytes.
    Bytes128,
}

impl Swizzle {
    const ALL: [Self; 4] = [Self::None, Self::Bytes32, Self::Bytes64, Self::Bytes128];

    /// The longest row of a tile that it takes, in bytes.
    pub fn span_bytes(self) -> Option<u32> {
        match self {
            Self::None => None,
            Self::Bytes32 => Some(32),
            Self::Bytes64 => Some(64),
            Self::Bytes128 => Some(128),
        }
    }

    /// Where the byte that belongs to a shared memory address goes.
    pub(crate) fn place(self, address: u32) -> u32 {
        let mask = self.span_bytes().map_or(0, |bytes| bytes / 16 - 1);
        address ^ (((address >> 7) & mask) << 4)
    }
}

/// What a load gives for elements outside the tensor: `CUtensorMapFloatOOBfill`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fill {
    /// Zero.
    #[default]
    Zero,
    /// Not a number, for floating-point types only.
    Nan,
}

/// What a [`TensorMap`] is made from, all lists innermost dimension first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorLayout<'a> {
    /// Type of the elements.
    pub element: TensorElement,
    /// Address of the first element in global memory.
    pub address: u64,
    /// Length of each dimension, in elements.
    pub lengths: &'a [u64],
    /// From one index of each dimension but the innermost to the next, in bytes.
    pub strides: &'a [u64],
    /// Tile that one copy moves, in elements.
    pub tile: &'a [u32],
    /// Of each dimension only every so manieth element is copied; the innermost dimension's is ignored.
    pub element_strides: &'a [u32],
    /// Order of the tile in shared memory.
    pub swizzle: Swizzle,
    /// What lies outside the tensor.
    pub fill: Fill,
}

/// A checked tensor map, as `cuTensorMapEncodeTiled` makes them without interleaving: a kernel's by-value
/// argument `const __grid_constant__ CUtensorMap`, or 128 bytes in global memory.
///
/// ```
/// use cornerturn_emulator::{Arg, Fill, Swizzle, TensorElement, TensorLayout, TensorMap};
///
/// // 21 rows of 37 floats, padded to 40, in tiles of 8 by 4.
/// let map = TensorMap::new(&TensorLayout {
///     element: TensorElement::F32,
///     address: 0x7000_0000_0000,
///     lengths: &[37, 21],
///     strides: &[160],
///     tile: &[8, 4],
///     element_strides: &[1, 1],
///     swizzle: Swizzle::Bytes32,
///     fill: Fill::Zero,
/// })?;
/// assert_eq!(Arg::from(map).0.len(), 128);
/// # Ok::<(), cornerturn_emulator::TensorMapError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorMap {
    pub(crate) element: TensorElement,
    pub(crate) address: u64,
    pub(crate) rank: usize,
    /// 1 beyond the rank.
    pub(crate) lengths: [u64; MOST_RANK],
    /// In bytes, that of dimension 0 too.
    pub(crate) strides: [u64; MOST_RANK],
    pub(crate) tile: [u32; MOST_RANK],
    pub(crate) element_strides: [u32; MOST_RANK],
    pub(crate) swizzle: Swizzle,
    pub(crate) fill: Fill,
}

impl TensorMap {
    /// Checks a layout.
    ///
    /// # Errors
    /// [`TensorMapError`] names the rule that is broken.
    pub fn new(layout: &TensorLayout) -> Result<Self, TensorMapError> {
        let rank = layout.lengths.len();
        if rank == 0 || rank > MOST_RANK {
            return Err(TensorMapError::Rank { rank });
        }
        let count = |what, expected, found| {
            if expected == found {
                return Ok(());
            }
            Err(TensorMapError::Count {
                what,
                rank,
                expected,
                found,
            })
        };
        count("strides", rank - 1, layout.strides.len())?;
        count("tile lengths", rank, layout.tile.len())?;
        count("element strides", rank, layout.element_strides.len())?;
        let mut map = Self {
            element: layout.element,
            address: layout.address,
            rank,
            lengths: [1; MOST_RANK],
            strides: [0; MOST_RANK],
            tile: [1; MOST_RANK],
            element_strides: [1; MOST_RANK],
            swizzle: layout.swizzle,
            fill: layout.fill,
        };
        map.lengths[..rank].copy_from_slice(layout.lengths);
        map.strides[0] = u64::from(layout.element.bytes());
        map.strides[1..rank].copy_from_slice(layout.strides);
        map.tile[..rank].copy_from_slice(layout.tile);
        map.element_strides[..rank].copy_from_slice(layout.element_strides);
        map.check()?;
        Ok(map)
    }

    fn check(&self) -> Result<(), TensorMapError> {
        if !self.address.is_multiple_of(16) {
            let address = self.address;
            return Err(TensorMapError::Address { address });
        }
        for dimension in 0..self.rank {
            let (length, tile) = (self.lengths[dimension], self.tile[dimension]);
            if !(1..=1 << 32).contains(&length) {
                return Err(TensorMapError::Length { dimension, length });
            }
            let stride = self.strides[dimension];
            if dimension > 0 && (!stride.is_multiple_of(16) || stride >= 1 << 40) {
                return Err(TensorMapError::Stride { dimension, stride });
            }
            if !(1..=256).contains(&tile) {
                return Err(TensorMapError::Box {
                    dimension,
                    length: tile,
                });
            }
            let stride = self.element_strides[dimension];
            if !(1..=8).contains(&stride) {
                return Err(TensorMapError::ElementStride { dimension, stride });
            }
        }
        let bytes = u64::from(self.row_bytes());
        if !bytes.is_multiple_of(16) {
            return Err(TensorMapError::BoxRow { bytes });
        }
        if let Some(span) = self.swizzle.span_bytes()
            && bytes > u64::from(span)
        {
            return Err(TensorMapError::SwizzledRow { bytes, span });
        }
        let bytes = self.tile_bytes();
        if bytes > MOST_TILE_BYTES {
            let most = MOST_TILE_BYTES;
            return Err(TensorMapError::TileBytes { bytes, most });
        }
        if self.fill == Fill::Nan && !self.element.is_float() {
            let element = self.element;
            return Err(TensorMapError::Fill { element });
        }
        Ok(())
    }

    /// Dimensions of the tensor.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Bytes of a row of the tile.
    pub(crate) fn row_bytes(&self) -> u32 {
        self.tile[0] * self.element.bytes()
    }

    /// From one row of the tile to the next in shared memory: a swizzle spreads short rows over its span, as
    /// measured on an H200.
    pub(crate) fn pitch_bytes(&self) -> u32 {
        self.swizzle.span_bytes().unwrap_or(self.row_bytes())
    }

    /// Bytes from the tile's first to its last in shared memory.
    pub(crate) fn extent_bytes(&self) -> u64 {
        (self.rows() - 1) * u64::from(self.pitch_bytes()) + u64::from(self.row_bytes())
    }

    fn rows(&self) -> u64 {
        let steps = (1..MOST_RANK).map(|dimension| u64::from(self.steps(dimension)));
        steps.product()
    }

    /// Elements that a copy moves along a dimension.
    pub(crate) fn steps(&self, dimension: usize) -> u32 {
        if dimension == 0 {
            self.tile[0]
        } else {
            self.tile[dimension].div_ceil(self.element_strides[dimension])
        }
    }

    /// Bytes of one tile, those outside the tensor included: what its mbarrier counts.
    pub fn tile_bytes(&self) -> u64 {
        self.rows() * u64::from(self.row_bytes())
    }

    /// The 128 bytes that a kernel gets. Their order is this emulator's own, as the driver's is not public.
    pub fn encode(&self) -> [u8; TENSOR_MAP_BYTES] {
        let mut bytes = Vec::with_capacity(TENSOR_MAP_BYTES);
        bytes.extend_from_slice(&MAGIC);
        let kinds = [
            position(&TensorElement::ALL, &self.element),
            self.rank as u8,
            position(&Swizzle::ALL, &self.swizzle),
            u8::from(self.fill == Fill::Nan),
        ];
        bytes.extend_from_slice(&kinds);
        bytes.extend_from_slice(&self.address.to_le_bytes());
        for dimension in 0..MOST_RANK {
            // 2^32 needs 33 bits, its predecessor 32.
            bytes.extend_from_slice(&((self.lengths[dimension] - 1) as u32).to_le_bytes());
            bytes.extend_from_slice(&self.strides[dimension].to_le_bytes());
            bytes.extend_from_slice(&(self.tile[dimension] as u16).to_le_bytes());
            bytes.push(self.element_strides[dimension] as u8);
        }
        bytes.resize(TENSOR_MAP_BYTES - 4, 0);
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        let mut encoded = [0; TENSOR_MAP_BYTES];
        encoded.copy_from_slice(&bytes);
        encoded
    }

    /// The map in 128 bytes, if that is what they are.
    pub fn decode(bytes: &[u8; TENSOR_MAP_BYTES]) -> Option<Self> {
        let (body, sum) = bytes.split_at(TENSOR_MAP_BYTES - 4);
        if body[..8] != MAGIC || sum != checksum(body).to_le_bytes() {
            return None;
        }
        let number = |at: usize, count: usize| {
            let mut number = [0; 8];
            number[..count].copy_from_slice(&body[at..at + count]);
            u64::from_le_bytes(number)
        };
        let mut map = Self {
            element: *TensorElement::ALL.get(usize::from(body[8]))?,
            address: number(12, 8),
            rank: usize::from(body[9]),
            lengths: [1; MOST_RANK],
            strides: [0; MOST_RANK],
            tile: [1; MOST_RANK],
            element_strides: [1; MOST_RANK],
            swizzle: *Swizzle::ALL.get(usize::from(body[10]))?,
            fill: if body[11] == 0 { Fill::Zero } else { Fill::Nan },
        };
        for dimension in 0..MOST_RANK {
            let at = 20 + 15 * dimension;
            map.lengths[dimension] = number(at, 4) + 1;
            map.strides[dimension] = number(at + 4, 8);
            map.tile[dimension] = number(at + 12, 2) as u32;
            map.element_strides[dimension] = number(at + 14, 1) as u32;
        }
        // Whoever computes the sum may still have written nonsense.
        let valid = (1..=MOST_RANK).contains(&map.rank) && map.check().is_ok();
        valid.then_some(map)
    }
}

fn position<T: PartialEq>(all: &[T], one: &T) -> u8 {
    all.iter().position(|other| other == one).unwrap_or(0) as u8
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, byte| {
        (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}
