//! The element types of buffers, at compile time and at run time.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An element type as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElementType {
    /// 16-bit float; carried as bits, there is no Rust type for it here.
    F16,
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// 32-bit signed integer.
    I32,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit signed integer.
    I64,
    /// 64-bit unsigned integer.
    U64,
    /// 8-bit unsigned integer.
    U8,
    /// 16-bit unsigned integer.
    U16,
}

impl ElementType {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::F16,
        Self::F32,
        Self::F64,
        Self::I32,
        Self::U32,
        Self::I64,
        Self::U64,
        Self::U8,
        Self::U16,
    ];

    /// Size in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::F16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// The name, as in Rust and in the registry.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::U8 => "u8",
            Self::U16 => "u16",
        }
    }

    /// The type of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// Whether it is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A type that buffers may hold: plain bits, no padding, the same layout on both backends.
pub trait Element: bytemuck::Pod + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The type as data.
    const TYPE: ElementType;
}

macro_rules! element {
    ($($rust:ty => $variant:ident),*) => {$(
        impl Element for $rust {
            const TYPE: ElementType = ElementType::$variant;
        }
    )*};
}

element!(f32 => F32, f64 => F64, i32 => I32, u32 => U32, i64 => I64, u64 => U64, u8 => U8, u16 => U16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sizes_agree_with_rust() {
        fn check<T: Element>() {
            assert_eq!(T::TYPE.bytes(), size_of::<T>());
            assert_eq!(T::TYPE.name(), std::any::type_name::<T>());
        }
        check::<f32>();
        check::<f64>();
        check::<i32>();
        check::<u32>();
        check::<i64>();
        check::<u64>();
        check::<u8>();
        check::<u16>();
        for ty in ElementType::ALL {
            assert_eq!(ElementType::parse(ty.name()), Some(ty));
        }
        assert_eq!(ElementType::parse("f128"), None);
    }
}
