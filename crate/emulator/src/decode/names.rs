//! What names mean where they stand: scopes of registers, variables, parameters and labels.

use std::collections::HashMap;

use crate::decode::ir::Reg;
use crate::parse::ast::Type;
use crate::program::kinds::FileKind;
use crate::report::Space;

/// A variable in shared memory; it gets its address when it is first used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharedVariable<'a> {
    pub(crate) name: &'a str,
    pub(crate) bytes: u64,
    pub(crate) align: u64,
    pub(crate) is_dynamic: bool,
    pub(crate) address: Option<u64>,
}

/// Where a variable lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) space: Space,
    /// Address in its space.
    pub(crate) address: u64,
}

/// The meaning of a name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Meaning {
    /// A register, or the first of as many as declared by `%r<count>`.
    Register(Declared),
    Variable(Location),
    /// Number of a variable in shared memory.
    Shared(usize),
    Label(u32),
    /// Table of `brx.idx` targets.
    Targets(u32),
    /// What an indirect call says of its targets.
    Callees(usize),
}

/// A declaration of registers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Declared {
    number: u32,
    pub(crate) ty: Type,
    count: Option<u64>,
}

/// The scopes around the instruction being decoded, innermost last.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    scopes: Vec<HashMap<&'a str, Meaning>>,
    /// Scopes below this one belong to the callers of the function being inlined.
    floor: usize,
    declarations: u32,
    registers: HashMap<(u32, u64), Reg>,
}

/// What [`Names::enter_function`] hides, to be restored.
#[derive(Debug)]
pub(crate) struct Hidden(usize);

impl<'a> Names<'a> {
    pub(crate) fn push(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub(crate) fn pop(&mut self) {
        self.scopes.pop();
    }

    /// Starts a scope that sees only the module's names beside its own.
    pub(crate) fn enter_function(&mut self) -> Hidden {
        let hidden = Hidden(self.floor);
        self.floor = self.scopes.len();
        self.push();
        hidden
    }

    pub(crate) fn leave_function(&mut self, hidden: Hidden) {
        self.scopes.truncate(self.floor);
        self.floor = hidden.0;
    }

    /// Gives a name in the innermost scope its meaning; false if it has one there.
    #[must_use]
    pub(crate) fn define(&mut self, name: &'a str, meaning: Meaning) -> bool {
        match self.scopes.last_mut() {
            Some(scope) => scope.insert(name, meaning).is_none(),
            None => false,
        }
    }

    /// Declares one register, or a numbered family of them.
    #[must_use]
    pub(crate) fn declare(&mut self, name: &'a str, ty: Type, count: Option<u64>) -> bool {
        let number = self.declarations;
        self.declarations += 1;
        self.define(name, Meaning::Register(Declared { number, ty, count }))
    }

    fn visible(&self) -> impl Iterator<Item = &HashMap<&'a str, Meaning>> {
        // The outermost scope is the module's.
        let inner = self.scopes[self.floor.min(self.scopes.len())..]
            .iter()
            .rev();
        inner.chain(self.scopes.first().filter(|_| self.floor > 0))
    }

    /// The meaning of a name that is no register.
    pub(crate) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.visible().find_map(|scope| scope.get(name)).copied()
    }

    /// The declaration of a register, and its number in the family.
    pub(crate) fn register(&self, name: &str) -> Option<(Declared, u64)> {
        self.visible().find_map(|scope| {
            if let Some(Meaning::Register(declared)) = scope.get(name)
                && declared.count.is_none()
            {
                return Some((*declared, 0));
            }
            families(name).find_map(|(family, number)| match scope.get(family) {
                Some(Meaning::Register(declared))
                    if declared.count.is_some_and(|count| number < count) =>
                {
                    Some((*declared, number))
                }
                _ => None,
            })
        })
    }

    /// The decoder's register for a declared one.
    pub(crate) fn reg(
        &mut self,
        declared: Declared,
        number: u64,
        new: impl FnOnce() -> Reg,
    ) -> Reg {
        *self
            .registers
            .entry((declared.number, number))
            .or_insert_with(new)
    }
}

/// The ways to read a name as a family and a number: `%r12` may be `%r` 12 or `%r1` 2.
fn families(name: &str) -> impl Iterator<Item = (&str, u64)> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    (0..digits).filter_map(move |skipped| {
        let (family, number) = name.split_at(name.len() - digits + skipped);
        // `%r01` is not `%r1`.
        if number.len() > 1 && number.starts_with('0') {
            None
        } else {
            Some((family, number.parse().ok()?))
        }
    })
}

/// The register file for a declared type; none for 128-bit registers.
pub(crate) fn file_of(ty: Type) -> Option<FileKind> {
    match ty {
        Type::Predicate => Some(FileKind::Preds),
        ty => match ty.bits() {
            64 => Some(FileKind::Longs),
            128 => None,
            _ => Some(FileKind::Words),
        },
    }
}
