//! Structs and their fields: sizes, alignments, bases, and the scalars that objects are made of.

use super::names::{scalar_name, vector_of};
use super::{Kind, StructId, Type, scalar_bytes};
use crate::hash::HashMap;
use crate::ir::MemTy;
use crate::limits::PARTS;
use crate::syntax::{Name, StructSyntax};
use std::rc::Rc;

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
