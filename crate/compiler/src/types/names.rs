//! The names of scalars and of vectors such as `float4`, as CUDA has them.

use super::scalar_bytes;
use crate::syntax::{Name, Scalar};

/// Names that CUDA's headers give to scalars.
pub(crate) const BUILT_IN_TYPES: [(&str, Scalar); 31] = [
    ("size_t", Scalar::ULong),
    ("ptrdiff_t", Scalar::Long),
    ("ssize_t", Scalar::Long),
    ("uintptr_t", Scalar::ULong),
    ("intptr_t", Scalar::Long),
    ("int8_t", Scalar::SChar),
    ("int16_t", Scalar::Short),
    ("int32_t", Scalar::Int),
    ("int64_t", Scalar::Long),
    ("uint8_t", Scalar::UChar),
    ("uint16_t", Scalar::UShort),
    ("uint32_t", Scalar::UInt),
    ("uint64_t", Scalar::ULong),
    ("uchar", Scalar::UChar),
    ("ushort", Scalar::UShort),
    ("uint", Scalar::UInt),
    ("ulong", Scalar::ULong),
    ("clock_t", Scalar::Long),
    ("cudaTextureObject_t", Scalar::ULongLong),
    ("cudaSurfaceBoundaryMode", Scalar::Int),
    // Of the host's functions, which are passed over.
    ("cudaError_t", Scalar::Int),
    ("cudaEvent_t", Scalar::ULongLong),
    ("cudaStream_t", Scalar::ULongLong),
    ("cudaSurfaceObject_t", Scalar::ULongLong),
    ("__int8_t", Scalar::SChar),
    ("__int16_t", Scalar::Short),
    ("__int32_t", Scalar::Int),
    ("__int64_t", Scalar::Long),
    ("__uint32_t", Scalar::UInt),
    ("__uint64_t", Scalar::ULong),
    ("wchar_t", Scalar::Int),
];

const VECTORS: [(&str, Scalar); 12] = [
    ("char", Scalar::SChar),
    ("uchar", Scalar::UChar),
    ("short", Scalar::Short),
    ("ushort", Scalar::UShort),
    ("int", Scalar::Int),
    ("uint", Scalar::UInt),
    ("long", Scalar::Long),
    ("ulong", Scalar::ULong),
    ("longlong", Scalar::LongLong),
    ("ulonglong", Scalar::ULongLong),
    ("float", Scalar::Float),
    ("double", Scalar::Double),
];

/// What stands behind a vector of four numbers of eight bytes that says how it is aligned, and that.
const ALIGNED: [(&str, u64); 2] = [("_16a", 16), ("_32a", 32)];

/// `float4` and the like, and `dim3`.
pub(crate) fn vector_names() -> impl Iterator<Item = Name> {
    let sized = |(base, _): &(&str, Scalar)| {
        (1..=4)
            .map(|count| Name::from(format!("{base}{count}")))
            .collect::<Vec<_>>()
    };
    let wide = VECTORS
        .iter()
        .filter(|(_, scalar)| scalar_bytes(*scalar) == 8);
    let aligned = wide
        .flat_map(|(base, _)| ALIGNED.map(|(suffix, _)| Name::from(format!("{base}4{suffix}"))));
    let plain = VECTORS.iter().flat_map(sized);
    plain.chain(aligned).chain([Name::from("dim3")])
}

/// What a vector has for elements, how many of them, and the alignment that its name asks for.
pub(super) fn vector_of(name: &str) -> Option<(Scalar, u64, Option<u64>)> {
    if name == "dim3" {
        return Some((Scalar::UInt, 3, None));
    }
    let known = ALIGNED.iter().find_map(|(suffix, align)| {
        let plain = name.strip_suffix(suffix)?;
        Some((plain, Some(*align)))
    });
    let (plain, asked) = known.unwrap_or((name, None));
    let count = plain.chars().last()?.to_digit(10)?;
    let base = &plain[..plain.len() - 1];
    let (_, scalar) = *VECTORS.iter().find(|(known, _)| *known == base)?;
    let is_known =
        (1..=4).contains(&count) && (asked.is_none() || (scalar_bytes(scalar), count) == (8, 4));
    is_known.then_some((scalar, u64::from(count), asked))
}

/// Whether a name is `float4` or the like.
pub(crate) fn is_vector(name: &str) -> bool {
    vector_of(name).is_some()
}

/// A scalar as the language spells it.
pub(super) fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Void => "void",
        Scalar::Bool => "bool",
        Scalar::Char => "char",
        Scalar::SChar => "signed char",
        Scalar::UChar => "unsigned char",
        Scalar::Short => "short",
        Scalar::UShort => "unsigned short",
        Scalar::Int => "int",
        Scalar::UInt => "unsigned int",
        Scalar::Long => "long",
        Scalar::ULong => "unsigned long",
        Scalar::LongLong => "long long",
        Scalar::ULongLong => "unsigned long long",
        Scalar::Float => "float",
        Scalar::Double => "double",
    }
}
