//! Types as the language has them. Their names are in `names`, the structs that some stand for in `structs`.

mod names;
mod structs;

use crate::ir::{MemTy, Ty};
use crate::syntax::Scalar;
pub(crate) use names::{BUILT_IN_TYPES, is_vector, vector_names};
use std::rc::Rc;
pub(crate) use structs::{Bits, Field, Part, Struct, Structs, unit_in_memory};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct StructId(pub(crate) u32);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Scalar(Scalar),
    /// An enumeration, by its number, and the scalar that holds it.
    Enum(u32, Scalar),
    Null,
    Pointer(Rc<Type>),
    Reference(Rc<Type>),
    Array(Rc<Type>, u64),
    Struct(StructId),
    /// A lambda, by its number.
    Closure(u32),
    /// A function that is known.
    Function,
    /// A pointer to one of those with a signature, by its number.
    Callee(u32),
}

/// A type with its qualifiers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Type {
    pub(crate) kind: Kind,
    pub(crate) is_const: bool,
    pub(crate) is_volatile: bool,
}

impl Type {
    pub(crate) fn new(kind: Kind) -> Self {
        Self {
            kind,
            is_const: false,
            is_volatile: false,
        }
    }

    pub(crate) fn scalar(scalar: Scalar) -> Self {
        Self::new(Kind::Scalar(scalar))
    }

    pub(crate) fn pointer(to: Type) -> Self {
        Self::new(Kind::Pointer(Rc::new(to)))
    }

    pub(crate) fn array(of: Type, count: u64) -> Self {
        Self::new(Kind::Array(Rc::new(of), count))
    }

    /// Without qualifiers of its own.
    pub(crate) fn plain(&self) -> Self {
        Self::new(self.kind.clone())
    }

    pub(crate) fn is_void(&self) -> bool {
        self.kind == Kind::Scalar(Scalar::Void)
    }

    pub(crate) fn is_struct(&self) -> bool {
        matches!(self.kind, Kind::Struct(_))
    }

    /// Struct or array: handled by its address.
    pub(crate) fn is_aggregate(&self) -> bool {
        matches!(self.kind, Kind::Struct(_) | Kind::Array(..))
    }

    /// Whether it is a function, or a pointer to one.
    pub(crate) fn is_callee(&self) -> bool {
        matches!(self.kind, Kind::Function | Kind::Callee(_))
    }

    pub(crate) fn is_pointer(&self) -> bool {
        matches!(self.kind, Kind::Pointer(_) | Kind::Null)
    }

    pub(crate) fn is_floating(&self) -> bool {
        matches!(self.kind, Kind::Scalar(Scalar::Float | Scalar::Double))
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.as_integer().is_some()
    }

    pub(crate) fn is_arithmetic(&self) -> bool {
        self.is_floating() || self.is_integer()
    }

    /// The scalar of a whole number, or the one that holds an enumeration.
    pub(crate) fn as_integer(&self) -> Option<Scalar> {
        match self.kind {
            Kind::Scalar(Scalar::Void | Scalar::Float | Scalar::Double) => None,
            Kind::Scalar(scalar) => Some(scalar),
            Kind::Enum(_, scalar) => Some(scalar),
            _ => None,
        }
    }

    /// How a scalar, a pointer or an enumeration lies in memory.
    pub(crate) fn mem(&self) -> Option<MemTy> {
        Some(match &self.kind {
            Kind::Scalar(scalar) | Kind::Enum(_, scalar) => match scalar {
                Scalar::Void => return None,
                Scalar::Bool | Scalar::UChar => MemTy::U8,
                Scalar::Char | Scalar::SChar => MemTy::S8,
                Scalar::Short => MemTy::S16,
                Scalar::UShort => MemTy::U16,
                Scalar::Int | Scalar::UInt => MemTy::B32,
                Scalar::Long | Scalar::ULong | Scalar::LongLong | Scalar::ULongLong => MemTy::B64,
                Scalar::Float => MemTy::F32,
                Scalar::Double => MemTy::F64,
            },
            Kind::Pointer(_) | Kind::Reference(_) | Kind::Null | Kind::Callee(_) => MemTy::B64,
            _ => return None,
        })
    }

    /// The register that holds a value of this type.
    pub(crate) fn register(&self) -> Option<Ty> {
        match self.kind {
            Kind::Scalar(Scalar::Bool) => Some(Ty::Pred),
            _ => self.mem().map(MemTy::ty),
        }
    }
}

pub(crate) fn is_signed(scalar: Scalar) -> bool {
    use Scalar::{Char, Int, Long, LongLong, SChar, Short};
    matches!(scalar, Char | SChar | Short | Int | Long | LongLong)
}

/// Bytes of a scalar.
pub(crate) fn scalar_bytes(scalar: Scalar) -> u64 {
    Type::scalar(scalar).mem().map_or(1, MemTy::bytes)
}

/// The type that a small whole number becomes before anything is done with it.
pub(crate) fn promoted(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Float | Scalar::Double => scalar,
        _ if scalar_bytes(scalar) < 4 => Scalar::Int,
        _ => scalar,
    }
}

/// The type in which two numbers meet.
pub(crate) fn common(a: Scalar, b: Scalar) -> Scalar {
    for float in [Scalar::Double, Scalar::Float] {
        if a == float || b == float {
            return float;
        }
    }
    let (a, b) = (promoted(a), promoted(b));
    if a == b {
        return a;
    }
    let rank = |scalar| match scalar {
        Scalar::Int | Scalar::UInt => 0,
        Scalar::Long | Scalar::ULong => 1,
        _ => 2,
    };
    let (low, high) = if rank(a) <= rank(b) { (a, b) } else { (b, a) };
    if is_signed(low) == is_signed(high) || !is_signed(high) {
        return if rank(low) == rank(high) && is_signed(high) {
            low
        } else {
            high
        };
    }
    // An unsigned number of fewer bytes fits into the signed one.
    match scalar_bytes(low) < scalar_bytes(high) {
        true => high,
        false if high == Scalar::Long => Scalar::ULong,
        false if high == Scalar::Int => Scalar::UInt,
        false => Scalar::ULongLong,
    }
}
