//! What names mean where they stand: scopes of registers, variables, parameters and labels.

use std::collections::HashMap;

use crate::decode::ir::Reg;
use crate::error::LoadError;
use crate::parse::ast::{Type, Variable};
use crate::program::kinds::FileKind;
use crate::report::Space;

/// A variable in shared memory; it gets its address when it is first used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharedVariable<'a> {
    pub(crate) name: &'a str,
    pub(crate) bytes: u64,
    pub(crate) stride: u64,
    pub(crate) align: u64,
    pub(crate) is_dynamic: bool,
    /// Its number among those that have an address, and the address.
    pub(crate) placed: Option<(u32, u64)>,
}

/// Where a variable lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) space: Space,
    /// Address in its space.
    pub(crate) address: u64,
    /// Bytes from one element to the next.
    pub(crate) stride: u64,
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

/// What names mean outside functions; the same for all entries.
#[derive(Debug, Default)]
pub(crate) struct ModuleNames<'a> {
    pub(crate) variables: HashMap<&'a str, Location>,
    /// In shared memory, where each entry lays out those that it uses.
    pub(crate) shared: HashMap<&'a str, &'a Variable<'a>>,
    /// What is not supported: it matters to entries that use it.
    pub(crate) gaps: HashMap<&'a str, LoadError>,
}

/// The scopes around the instruction being decoded, innermost last.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    module: &'a ModuleNames<'a>,
    /// The first is for the module's shared variables that the entry has used so far.
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
    pub(crate) fn new(module: &'a ModuleNames<'a>) -> Self {
        Self {
            module,
            scopes: vec![HashMap::new()],
            floor: 0,
            declarations: 0,
            registers: HashMap::new(),
        }
    }

    /// A variable of the module in shared memory that the entry has not used yet, or a gap, if that is what the name
    /// means here.
    pub(crate) fn outside(&self, name: &str) -> Result<Option<&'a Variable<'a>>, LoadError> {
        let module = self.module;
        let (shared, gap) = (module.shared.get(name), module.gaps.get(name));
        if shared.is_none() && gap.is_none() || self.meaning(name).is_some() {
            return Ok(None);
        }
        if self.register(name).is_some() {
            return Ok(None);
        }
        match gap {
            Some(gap) => Err(gap.clone()),
            None => Ok(shared.copied()),
        }
    }

    /// Whether [`Names::outside`] has anything to say.
    pub(crate) fn has_outside(&self) -> bool {
        !self.module.shared.is_empty() || !self.module.gaps.is_empty()
    }

    /// Gives a name outside functions its meaning in this entry.
    pub(crate) fn define_outside(&mut self, name: &'a str, meaning: Meaning) {
        if let Some(outermost) = self.scopes.first_mut() {
            outermost.insert(name, meaning);
        }
    }

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
        // The outermost scope is outside functions.
        let inner = self.scopes[self.floor.min(self.scopes.len())..]
            .iter()
            .rev();
        inner.chain(self.scopes.first().filter(|_| self.floor > 0))
    }

    /// The meaning of a name that is no register.
    pub(crate) fn meaning(&self, name: &str) -> Option<Meaning> {
        let inner = self.visible().find_map(|scope| scope.get(name)).copied();
        inner.or_else(|| Some(Meaning::Variable(*self.module.variables.get(name)?)))
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
