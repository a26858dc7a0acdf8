//! The arguments of a launch and how they become a kernel's parameters. What a kernel's parameters are is read elsewhere.

use crate::buffer::{Buffer, RawBuffer};
use crate::device::Device;
use crate::managed::Managed;
use crate::surface::Surface;
use crate::tensor_map::TensorMap;
use crate::texture::Texture;
use cornerturn_base::element::Element;
use cornerturn_base::error::Result;
use cornerturn_emulator::{Param, ParamType, TENSOR_MAP_BYTES};

/// What a parameter that holds a tensor map is aligned to (CUDA C++ Programming Guide, tensor memory access).
const TENSOR_MAP_ALIGN: usize = 64;

/// One argument of a launch: a buffer, a tensor map or a scalar. [`args!`](crate::args) makes them from what a cell has at hand.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let kernel = Kernel::cuda("__global__ void fill(float* x, float value) { x[threadIdx.x] = value; }")?;
/// let x = device.poisoned::<f32>("x", 32)?;
/// device.launch(&kernel, 1, 32, args![x, 2.5_f32])?;
/// assert_eq!(x.read()?[31], 2.5);
/// // Arguments are checked against the kernel's parameters before anything runs.
/// let error = device.launch(&kernel, 1, 32, args![x]).unwrap_err();
/// assert_eq!(error.kind(), cornerturn::ErrorKind::BadUse);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Argument(pub(crate) Value);

#[derive(Debug, Clone)]
pub(crate) enum Value {
    Buffer(RawBuffer),
    TensorMap(TensorMap),
    Texture(Texture),
    Surface(Surface),
    Integer {
        value: i128,
        ty: &'static str,
    },
    Float {
        value: f64,
        ty: &'static str,
    },
    /// Bytes, and the buffers whose addresses stand at these offsets in them.
    Bytes(Vec<u8>, Vec<(usize, RawBuffer)>),
}

impl Argument {
    /// A parameter passed by value as raw little-endian bytes: a struct, an f16.
    pub fn bytes(bytes: &[u8]) -> Self {
        Self::structure(bytes, &[])
    }

    /// A struct passed by value that holds pointers: its bytes, little-endian, and the buffers whose addresses stand in it,
    /// each with its offset in bytes. A launch refuses a pointer beyond the struct's end.
    pub fn structure(bytes: &[u8], pointers: &[(usize, RawBuffer)]) -> Self {
        Self(Value::Bytes(bytes.to_vec(), pointers.to_vec()))
    }

    /// The buffers that it leads to: its own, that of a tensor map, those of a struct.
    pub fn buffers(&self) -> Vec<&RawBuffer> {
        match &self.0 {
            Value::Buffer(buffer) => vec![buffer],
            Value::TensorMap(map) => vec![map.buffer()],
            Value::Texture(texture) => texture.buffer().into_iter().collect(),
            Value::Surface(surface) => vec![surface.buffer()],
            Value::Bytes(_, pointers) => pointers.iter().map(|(_, buffer)| buffer).collect(),
            Value::Integer { .. } | Value::Float { .. } => Vec::new(),
        }
    }

    /// The texture that it is, if it is one.
    pub(crate) fn texture(&self) -> Option<&Texture> {
        match &self.0 {
            Value::Texture(texture) => Some(texture),
            _ => None,
        }
    }

    /// The same argument on another device, with other buffers in the place of its own.
    pub(crate) fn over(
        &self,
        target: &Device,
        mut twin: impl FnMut(&RawBuffer) -> Result<RawBuffer>,
    ) -> Result<Self> {
        Ok(match &self.0 {
            Value::Buffer(buffer) => Self::from(&twin(buffer)?),
            Value::TensorMap(map) => Self(Value::TensorMap(map.over(&twin(map.buffer())?)?)),
            Value::Texture(texture) => Self(Value::Texture(texture.on(target, twin)?)),
            Value::Surface(surface) => {
                Self(Value::Surface(surface.over(&twin(surface.buffer())?)?))
            }
            Value::Bytes(bytes, pointers) => {
                let twins = pointers
                    .iter()
                    .map(|(offset, buffer)| Ok((*offset, twin(buffer)?)));
                Self(Value::Bytes(bytes.clone(), twins.collect::<Result<_>>()?))
            }
            Value::Integer { .. } | Value::Float { .. } => self.clone(),
        })
    }

    /// What it is, in words: "buffer `input` of f32", "4096 (i32)".
    pub(crate) fn describe(&self) -> String {
        match &self.0 {
            Value::Buffer(b) => format!("buffer `{}` of {}", b.name(), b.element()),
            Value::TensorMap(map) => format!("a tensor map of buffer `{}`", map.buffer().name()),
            Value::Texture(texture) => format!("texture `{}`", texture.name()),
            Value::Surface(surface) => format!("surface `{}`", surface.buffer().name()),
            Value::Integer { value, ty } => format!("{value} ({ty})"),
            Value::Float { value, ty } => format!("{value} ({ty})"),
            Value::Bytes(bytes, _) => format!("{} raw bytes", bytes.len()),
        }
    }

    /// The parameter's bytes, or why the argument does not fit it.
    pub(crate) fn pack(&self, param: &Param) -> std::result::Result<Vec<u8>, String> {
        match &self.0 {
            Value::Buffer(buffer) => match param.ty {
                ParamType::Unsigned(64) | ParamType::Bits(64) | ParamType::Signed(64) => {
                    Ok(buffer.address().to_le_bytes().to_vec())
                }
                ParamType::Bytes(TENSOR_MAP_BYTES) => Err(
                    "the parameter has the 128 bytes of a tensor map; give it TensorMap::new(&buffer, …), \
                     or, in a task or a product, give the kernel its boxes: \
                     kernel.with_tensor_maps(…), kernel.with_product_maps(…)".to_string(),
                ),
                _ => Err(format!(
                    "a buffer's address needs a 64-bit parameter, and this one is {}",
                    describe_type(param)
                )),
            },
            Value::TensorMap(map) => match param.ty {
                ParamType::Bytes(TENSOR_MAP_BYTES) if param.align >= TENSOR_MAP_ALIGN => {
                    Ok(map.bytes().to_vec())
                }
                _ => Err(format!(
                    "a tensor map needs a struct of 128 bytes, aligned to 64, by value, and the parameter is {} \
                     (aligned to {})",
                    describe_type(param),
                    param.align
                )),
            },
            Value::Surface(surface) => match param.ty {
                ParamType::Unsigned(64) | ParamType::Bits(64) | ParamType::Signed(64) => {
                    Ok(surface.handle().to_le_bytes().to_vec())
                }
                _ => Err(format!(
                    "a surface needs a parameter `cudaSurfaceObject_t` of 64 bits, and this one is {}",
                    describe_type(param)
                )),
            },
            Value::Texture(texture) => match param.ty {
                ParamType::Unsigned(64) | ParamType::Bits(64) | ParamType::Signed(64) => {
                    Ok(texture.handle().to_le_bytes().to_vec())
                }
                _ => Err(format!(
                    "a texture needs a parameter `cudaTextureObject_t` of 64 bits, and this one is {}",
                    describe_type(param)
                )),
            },
            Value::Integer { value, .. } => pack_integer(*value, param),
            Value::Float { value, ty } => pack_float(*value, ty, param),
            Value::Bytes(bytes, pointers) if bytes.len() == param.bytes => {
                let mut bytes = bytes.clone();
                for (offset, buffer) in pointers {
                    let place = offset.checked_add(8).and_then(|end| bytes.get_mut(*offset..end));
                    let place = place.ok_or("a pointer does not lie in it")?;
                    place.copy_from_slice(&buffer.address().to_le_bytes());
                }
                Ok(bytes)
            }
            Value::Bytes(..) => Err(format!("the parameter has {} bytes", param.bytes)),
        }
    }
}

/// The parameter's type in words.
pub(crate) fn describe_type(param: &Param) -> String {
    match param.ty {
        ParamType::Unsigned(bits) => format!("a {bits}-bit unsigned integer"),
        ParamType::Signed(bits) => format!("a {bits}-bit signed integer"),
        ParamType::Bits(bits) => format!("a {bits}-bit value"),
        ParamType::Float(bits) => format!("a {bits}-bit float"),
        ParamType::Bytes(n) => format!("a struct of {n} bytes"),
    }
}

/// Integers of any width are accepted where the value fits: PTX keeps a parameter's width but not its signedness.
fn pack_integer(value: i128, param: &Param) -> std::result::Result<Vec<u8>, String> {
    let bits = match param.ty {
        ParamType::Unsigned(bits) | ParamType::Signed(bits) | ParamType::Bits(bits) => bits,
        ParamType::Float(bits) => {
            return Err(format!(
                "the parameter is a {bits}-bit float; write {value}.0_f{bits}"
            ));
        }
        ParamType::Bytes(_) => return Err(format!("the parameter is {}", describe_type(param))),
    };
    let smallest = -(1_i128 << (u32::from(bits as u16) - 1));
    let largest = (1_i128 << u32::from(bits as u16)) - 1;
    if value < smallest || value > largest {
        return Err(format!("the value does not fit in {bits} bits"));
    }
    Ok(value.to_le_bytes()[..param.bytes].to_vec())
}

fn pack_float(value: f64, ty: &str, param: &Param) -> std::result::Result<Vec<u8>, String> {
    let narrow = value as f32;
    match param.ty {
        ParamType::Float(64) | ParamType::Bits(64) => Ok(value.to_le_bytes().to_vec()),
        ParamType::Float(32) | ParamType::Bits(32)
            if ty == "f32" || f64::from(narrow) == value || value.is_nan() =>
        {
            Ok(narrow.to_le_bytes().to_vec())
        }
        ParamType::Float(32) => Err(format!("an f32 cannot hold it exactly; write {value}_f32")),
        _ => Err(format!("the parameter is {}", describe_type(param))),
    }
}

impl<T: Element> From<&Buffer<T>> for Argument {
    fn from(buffer: &Buffer<T>) -> Self {
        Self(Value::Buffer(buffer.raw().clone()))
    }
}

impl<T: Element> From<&&Buffer<T>> for Argument {
    fn from(buffer: &&Buffer<T>) -> Self {
        Self(Value::Buffer(buffer.raw().clone()))
    }
}

impl<T: Element> From<&Managed<T>> for Argument {
    fn from(buffer: &Managed<T>) -> Self {
        Self(Value::Buffer(buffer.raw().clone()))
    }
}

impl From<&RawBuffer> for Argument {
    fn from(buffer: &RawBuffer) -> Self {
        Self(Value::Buffer(buffer.clone()))
    }
}

impl From<&TensorMap> for Argument {
    fn from(map: &TensorMap) -> Self {
        Self(Value::TensorMap(map.clone()))
    }
}

impl From<&Surface> for Argument {
    fn from(surface: &Surface) -> Self {
        Self(Value::Surface(surface.clone()))
    }
}

impl From<&Texture> for Argument {
    fn from(texture: &Texture) -> Self {
        Self(Value::Texture(texture.clone()))
    }
}

impl From<&Argument> for Argument {
    fn from(argument: &Argument) -> Self {
        argument.clone()
    }
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl From<&$type> for Argument {
            fn from(value: &$type) -> Self {
                Self(Value::Integer { value: *value as i128, ty: stringify!($type) })
            }
        }
    )*};
}

integers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl From<&$type> for Argument {
            fn from(value: &$type) -> Self {
                Self(Value::Float { value: f64::from(*value), ty: stringify!($type) })
            }
        }
    )*};
}

floats!(f32, f64);

/// The arguments of a launch, in the order of the kernel's parameters: `args![input, output, rows, columns]`.
///
/// Buffers are passed by their address, integers and floats by value; nothing is moved.
#[macro_export]
macro_rules! args {
    ($($argument:expr),* $(,)?) => {
        &[$($crate::Argument::from(&$argument)),*] as &[$crate::Argument]
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(ty: ParamType, bytes: usize) -> Param {
        Param {
            name: "p".into(),
            ty,
            bytes,
            align: bytes,
        }
    }

    fn pack(
        argument: impl Into<Argument>,
        ty: ParamType,
        bytes: usize,
    ) -> std::result::Result<Vec<u8>, String> {
        argument.into().pack(&param(ty, bytes))
    }

    #[test]
    fn integers_convert_where_the_value_fits() {
        assert_eq!(
            pack(&4096_usize, ParamType::Unsigned(32), 4).unwrap(),
            4096_u32.to_le_bytes()
        );
        assert_eq!(
            pack(&-1_i32, ParamType::Unsigned(32), 4).unwrap(),
            [0xFF; 4]
        );
        assert_eq!(
            pack(&-1_i32, ParamType::Unsigned(64), 8).unwrap(),
            [0xFF; 8]
        );
        assert_eq!(pack(&u64::MAX, ParamType::Bits(64), 8).unwrap(), [0xFF; 8]);
        assert_eq!(pack(&200_u8, ParamType::Unsigned(8), 1).unwrap(), [200]);
        assert!(pack(&(1_u64 << 32), ParamType::Unsigned(32), 4).is_err());
        assert!(pack(&i64::MIN, ParamType::Signed(32), 4).is_err());
        assert!(
            pack(&3, ParamType::Float(32), 4)
                .unwrap_err()
                .contains("3.0_f32")
        );
        assert!(pack(&3, ParamType::Bytes(16), 16).is_err());
    }

    #[test]
    fn floats_convert_where_nothing_is_lost() {
        assert_eq!(
            pack(&0.1_f32, ParamType::Float(32), 4).unwrap(),
            0.1_f32.to_le_bytes()
        );
        assert_eq!(
            pack(&2.5, ParamType::Float(32), 4).unwrap(),
            2.5_f32.to_le_bytes()
        );
        assert_eq!(
            pack(&0.1, ParamType::Float(64), 8).unwrap(),
            0.1_f64.to_le_bytes()
        );
        assert!(
            pack(&0.1, ParamType::Float(32), 4)
                .unwrap_err()
                .contains("0.1_f32")
        );
        assert!(pack(&0.5, ParamType::Unsigned(32), 4).is_err());
    }

    #[test]
    fn raw_bytes_must_have_the_parameters_size() {
        let three = Argument::bytes(&[1, 2, 3]);
        assert_eq!(
            three.pack(&param(ParamType::Bytes(3), 3)).unwrap(),
            [1, 2, 3]
        );
        assert!(three.pack(&param(ParamType::Bytes(4), 4)).is_err());
    }
}
