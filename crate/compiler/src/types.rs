//! Types as the language has them, with sizes, alignments and the scalars that objects are made of.

use crate::hash::HashMap;
use crate::ir::{MemTy, Ty};
use crate::limits::PARTS;
use crate::syntax::{Name, Scalar, StructSyntax};
use std::rc::Rc;

/// Names that CUDA's headers give to scalars.
pub(crate) const BUILT_IN_TYPES: [(&str, Scalar); 30] = [
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
fn vector_of(name: &str) -> Option<(Scalar, u64, Option<u64>)> {
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

#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: Name,
    pub(crate) ty: Type,
    pub(crate) offset: u64,
    /// Where it lies in a number at that offset, if it has some bits only.
    pub(crate) bits: Option<Bits>,
}

/// Some bits of a number in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bits {
    /// Bytes of the number.
    pub(crate) unit: u64,
    /// The first bit.
    pub(crate) first: u64,
    pub(crate) width: u64,
}

#[derive(Debug)]
pub(crate) struct Struct {
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) size: u64,
    pub(crate) align: u64,
    pub(crate) is_union: bool,
    /// Whether something is done when its objects end.
    pub(crate) has_destructor: bool,
    /// The structs that it inherits from, and where they lie in it.
    pub(crate) bases: Vec<(StructId, u64)>,
    /// How many structs that are, with those that they inherit from.
    pub(crate) ancestors: usize,
    /// How many of the fields are the bases'.
    pub(crate) inherited: usize,
    /// Members of members without a name, which are named like its own.
    pub(crate) inner: Vec<Field>,
    /// None for those that are built in.
    pub(crate) syntax: Option<Rc<StructSyntax>>,
}

/// One scalar of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) offset: u64,
    pub(crate) ty: MemTy,
    /// Scalars side by side that are accessed as one: 1, 2 or 4.
    pub(crate) count: u8,
}

/// All structs of a source.
#[derive(Debug, Default)]
pub(crate) struct Structs {
    pub(crate) list: Vec<Struct>,
    by_name: HashMap<Name, StructId>,
    /// The names of enumerations, by number, and whether each is an `enum class`.
    pub(crate) enums: Vec<(Option<Name>, bool)>,
}

impl Structs {
    pub(crate) fn get(&self, id: StructId) -> &Struct {
        &self.list[id.0 as usize]
    }

    pub(crate) fn add(&mut self, made: Struct) -> StructId {
        self.list.push(made);
        StructId(self.list.len() as u32 - 1)
    }

    /// `float4` and the like.
    pub(crate) fn vector(&mut self, name: &str) -> Option<StructId> {
        if let Some(id) = self.by_name.get(name) {
            return Some(*id);
        }
        let (scalar, count, asked) = vector_of(name)?;
        let each = scalar_bytes(scalar);
        let align = match count {
            2 | 4 => asked.unwrap_or((each * count).min(16)),
            _ => each,
        };
        let field = |(at, name): (usize, &str)| Field {
            name: name.into(),
            ty: Type::scalar(scalar),
            offset: at as u64 * each,
            bits: None,
        };
        let id = self.add(Struct {
            name: name.to_string(),
            fields: ["x", "y", "z", "w"]
                .into_iter()
                .take(count as usize)
                .enumerate()
                .map(field)
                .collect(),
            size: each * count,
            align,
            is_union: false,
            has_destructor: false,
            bases: Vec::new(),
            ancestors: 0,
            inherited: 0,
            inner: Vec::new(),
            syntax: None,
        });
        self.by_name.insert(name.into(), id);
        Some(id)
    }

    /// Whether a struct inherits from another, or from one that does.
    pub(crate) fn derives(&self, from: &Type, to: &Type) -> bool {
        self.base_offset(from, to).is_some()
    }

    /// Where the one struct lies in the other that inherits from it.
    pub(crate) fn base_offset(&self, from: &Type, to: &Type) -> Option<u64> {
        let (Kind::Struct(from), Kind::Struct(to)) = (&from.kind, &to.kind) else {
            return None;
        };
        let mut open: Vec<(StructId, u64)> = self.get(*from).bases.clone();
        while let Some((id, at)) = open.pop() {
            if id == *to {
                return Some(at);
            }
            let further = self.get(id).bases.iter();
            open.extend(further.map(|(base, more)| (*base, at + more)));
        }
        None
    }

    pub(crate) fn size(&self, ty: &Type) -> u64 {
        match &ty.kind {
            Kind::Array(of, count) => self.size(of).saturating_mul(*count),
            Kind::Struct(id) => self.get(*id).size,
            _ => ty.mem().map_or(1, MemTy::bytes),
        }
    }

    pub(crate) fn align(&self, ty: &Type) -> u64 {
        match &ty.kind {
            Kind::Array(of, _) => self.align(of),
            Kind::Struct(id) => self.get(*id).align,
            _ => ty.mem().map_or(1, MemTy::bytes),
        }
    }

    /// The scalars of an object, as wide accesses where its alignment allows them. None if there are too many.
    pub(crate) fn parts(&self, ty: &Type) -> Option<Vec<Part>> {
        let mut scalars = Vec::new();
        self.scalars(ty, 0, &mut scalars)?;
        let align = self.align(ty);
        let mut parts: Vec<Part> = Vec::new();
        let mut at = 0;
        while at < scalars.len() {
            let (offset, mem) = scalars[at];
            let fits = |count: usize| {
                let bytes = mem.bytes() * count as u64;
                let together = scalars.get(at..at + count).is_some_and(|run| {
                    run.iter().enumerate().all(|(number, (place, other))| {
                        *other == mem && *place == offset + number as u64 * mem.bytes()
                    })
                });
                together && bytes <= 16 && bytes <= align && offset % bytes == 0
            };
            let count = [4, 2].into_iter().find(|count| fits(*count)).unwrap_or(1);
            parts.push(Part {
                offset,
                ty: mem,
                count: count as u8,
            });
            at += count;
        }
        Some(parts)
    }

    fn scalars(&self, ty: &Type, offset: u64, into: &mut Vec<(u64, MemTy)>) -> Option<()> {
        if into.len() > PARTS {
            return None;
        }
        match &ty.kind {
            Kind::Array(of, count) => {
                let size = self.size(of);
                for at in 0..*count {
                    self.scalars(of, offset + at * size, into)?;
                }
            }
            Kind::Struct(id) => {
                let of = self.get(*id);
                if of.is_union {
                    let word = match of.align {
                        1 => MemTy::U8,
                        2 => MemTy::U16,
                        _ => MemTy::B32,
                    };
                    for at in 0..of.size / word.bytes() {
                        if into.len() > PARTS {
                            return None;
                        }
                        into.push((offset + at * word.bytes(), word));
                    }
                } else {
                    for field in &of.fields {
                        let at = offset + field.offset;
                        match field.bits {
                            // Fields side by side lie in one number.
                            Some(bits) => match into.iter_mut().find(|(known, _)| *known == at) {
                                Some((_, mem)) if mem.bytes() >= bits.unit => {}
                                Some((_, mem)) => *mem = unit_in_memory(bits.unit),
                                None => into.push((at, unit_in_memory(bits.unit))),
                            },
                            None => self.scalars(&field.ty, at, into)?,
                        }
                    }
                }
            }
            Kind::Closure(_) | Kind::Function => {}
            _ => into.push((offset, ty.mem()?)),
        }
        Some(())
    }

    /// A type as the source spells it.
    pub(crate) fn spelled(&self, ty: &Type) -> String {
        let prefix = format!(
            "{}{}",
            if ty.is_const { "const " } else { "" },
            if ty.is_volatile { "volatile " } else { "" }
        );
        let rest = match &ty.kind {
            Kind::Scalar(scalar) => scalar_name(*scalar).to_string(),
            Kind::Enum(number, _) => match self.enums.get(*number as usize) {
                Some((Some(name), _)) => name.to_string(),
                _ => "an enumeration".to_string(),
            },
            Kind::Null => "nullptr_t".to_string(),
            Kind::Pointer(to) => format!("{}*", self.spelled(to)),
            Kind::Reference(to) => format!("{}&", self.spelled(to)),
            Kind::Array(of, count) => format!("{}[{count}]", self.spelled(of)),
            Kind::Struct(id) => self.get(*id).name.clone(),
            Kind::Closure(_) => "a lambda".to_string(),
            Kind::Function => "a function".to_string(),
            Kind::Callee(_) => "a pointer to a function".to_string(),
        };
        format!("{prefix}{rest}")
    }
}

/// How the number lies in memory that holds some bits.
pub(crate) fn unit_in_memory(bytes: u64) -> MemTy {
    match bytes {
        1 => MemTy::U8,
        2 => MemTy::U16,
        4 => MemTy::B32,
        _ => MemTy::B64,
    }
}

fn scalar_name(scalar: Scalar) -> &'static str {
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
