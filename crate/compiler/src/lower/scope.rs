//! What names mean, and where they are looked up.

use super::Lower;
use super::values::{Form, Typed};
use crate::diagnostics::{Reported, Res, undeclared};
use crate::hash::HashMap;
use crate::ir::{Symbol, Ty, Value};
use crate::source::Span;
use crate::syntax::CONSTRUCTOR;
use crate::syntax::DESTRUCTOR;
use crate::syntax::{
    Function, Lambda, Name, StructSyntax, TemplateParameter, TypeSyntax, VariableTemplate,
};
use crate::types::{StructId, Type};
use std::rc::Rc;

/// A function, and the struct whose member it is.
#[derive(Debug, Clone)]
pub(super) struct FunctionRef {
    pub(super) function: Rc<Function>,
    pub(super) of: Option<StructId>,
}

#[derive(Debug, Clone)]
pub(super) enum Binding {
    /// A value, or an object at an address, of the kernel at hand.
    Typed(Typed),
    /// A constant of every kernel.
    Constant(Type, u64),
    /// A variable whose address each kernel finds anew.
    Symbol(Symbol, Type),
    Type(Type),
    Functions(Rc<Vec<FunctionRef>>),
    StructTemplate(Rc<StructSyntax>),
    AliasTemplate(Rc<(Vec<TemplateParameter>, TypeSyntax)>),
    /// Variables of one name, by the arguments of their template; special cases behind what they are cases of.
    VariableTemplate(Rc<Vec<Rc<VariableTemplate>>>),
    /// Any number of parameters of one name.
    Pack(Rc<Vec<Binding>>),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) names: Names,
}

/// Names with what they mean, in the order in which they came. Most that a scope is asked for are in another, which is seen
/// without comparing them.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    all: Vec<(Name, Binding)>,
    /// Where each stands, once they are many.
    places: HashMap<Name, usize>,
    /// A bit for each of its names, which others may share.
    bits: u128,
}

/// Names that are gone through one after the other.
const FEW_NAMES: usize = 8;

impl Names {
    fn bit(name: &str) -> u128 {
        match name.as_bytes() {
            [] => 1,
            bytes @ [first, .., last] => {
                let mixed = bytes.len() as u32 * 31 + u32::from(*first) * 7 + u32::from(*last);
                1 << (mixed % u128::BITS)
            }
            [only] => 1 << (u32::from(*only) % u128::BITS),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Binding> {
        self.get_by(Self::bit(name), name)
    }

    /// The same for who has the name's bit already.
    #[inline]
    fn get_by(&self, bit: u128, name: &str) -> Option<&Binding> {
        match self.bits & bit {
            0 => None,
            _ => self.find(name).map(|at| &self.all[at].1),
        }
    }

    fn find(&self, name: &str) -> Option<usize> {
        match self.places.is_empty() {
            true => self.all.iter().position(|(other, _)| **other == *name),
            false => self.places.get(name).copied(),
        }
    }

    pub(super) fn insert(&mut self, name: Name, binding: Binding) {
        let bit = Self::bit(&name);
        let known = if self.bits & bit != 0 {
            self.find(&name)
        } else {
            None
        };
        match known {
            Some(at) => self.all[at].1 = binding,
            None => self.push(name, binding),
        }
    }

    /// What a name means, after this is put there if it means nothing yet.
    pub(super) fn get_or_insert(&mut self, name: &Name, binding: Binding) -> &mut Binding {
        let at = self.find(name).unwrap_or_else(|| {
            self.push(name.clone(), binding);
            self.all.len() - 1
        });
        &mut self.all[at].1
    }

    fn push(&mut self, name: Name, binding: Binding) {
        self.bits |= Self::bit(&name);
        self.all.push((name, binding));
        if self.all.len() > FEW_NAMES {
            let known = self.places.len();
            let new = self.all.iter().enumerate().skip(known);
            self.places
                .extend(new.map(|(at, (name, _))| (name.clone(), at)));
        }
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Binding> {
        let at = self.find(name)?;
        let (_, binding) = self.all.remove(at);
        self.places.clear();
        if self.all.len() > FEW_NAMES {
            let all = self.all.iter().enumerate();
            self.places = all.map(|(at, (name, _))| (name.clone(), at)).collect();
        }
        Some(binding)
    }

    pub(super) fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn keys(&self) -> impl Iterator<Item = &Name> {
        self.all.iter().map(|(name, _)| name)
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Binding> {
        self.all.iter().map(|(_, binding)| binding)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Name, &Binding)> {
        self.all.iter().map(|(name, binding)| (name, binding))
    }
}

/// A lambda with what it sees of where it was written.
#[derive(Debug, Clone)]
pub(super) struct Closure {
    pub(super) lambda: Rc<Lambda>,
    pub(super) scopes: Vec<Scope>,
    pub(super) of: Option<StructId>,
    /// The object of the member function in which it was written.
    pub(super) this: Option<(Value, StructId, bool)>,
}

/// Whether two words of one length differ by a letter or two.
fn is_slip(a: &str, b: &str) -> bool {
    let letters = a.bytes().zip(b.bytes());
    let is_vector = a.starts_with("__v") != b.starts_with("__v");
    a.len() == b.len() && !is_vector && letters.filter(|(a, b)| a != b).count() <= 2
}

impl Lower<'_> {
    pub(super) fn frame(&mut self) -> &mut super::Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub(super) fn bind(&mut self, name: &Name, binding: Binding) {
        let globals = &mut self.globals;
        let scope = match self.frames.last_mut() {
            Some(frame) => frame.scopes.last_mut().unwrap_or(globals),
            None => globals,
        };
        scope.names.insert(name.clone(), binding);
    }

    /// Runs a part in a scope of its own.
    pub(super) fn scoped<T>(&mut self, part: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        self.frame().scopes.push(Scope::default());
        let depth = self.frame().cleanups.len();
        let mut result = part(self);
        if self.frame().cleanups.len() > depth {
            let span = self.sink.near;
            result = result.and_then(|made| self.clean_up(depth, span).map(|()| made));
            self.frame().cleanups.truncate(depth);
        }
        self.frame().scopes.pop();
        result
    }

    /// What a name means in the blocks around and in what a lambda sees.
    pub(super) fn local(&self, name: &str) -> Option<&Binding> {
        let bit = Names::bit(name);
        let mut scopes = self.frames.last()?.scopes.iter().rev();
        scopes.find_map(|scope| scope.names.get_by(bit, name))
    }

    /// What a name means here, but for members of `this`, which are fields.
    pub(super) fn lookup(&self, name: &str) -> Option<Binding> {
        if let Some(found) = self.local(name) {
            return Some(found.clone());
        }
        let of = self.frames.last().and_then(|frame| frame.of);
        of.and_then(|of| self.member_binding(of, name))
            .or_else(|| self.globals.names.get(name).cloned())
    }

    /// What a name means within a struct: its types, constants, functions and template arguments.
    pub(super) fn member_binding(&self, of: StructId, name: &str) -> Option<Binding> {
        let own = self
            .struct_scopes
            .get(&of)
            .and_then(|scope| scope.names.get(name));
        match own {
            Some(found) => Some(found.clone()),
            None if [CONSTRUCTOR, DESTRUCTOR, "operator="].contains(&name) => None,
            None => {
                let mut bases = self.structs.get(of).bases.iter();
                bases.find_map(|(base, _)| self.member_binding(*base, name))
            }
        }
    }

    /// What a binding means in any kernel; none if it means something in this one only.
    pub(super) fn frozen(&self, binding: &Binding) -> Option<Binding> {
        match binding {
            Binding::Typed(Typed {
                ty,
                form: Form::Value(value),
                ..
            }) => {
                let bits = self.builder.body.constant(*value)?;
                Some(Binding::Constant(ty.clone(), bits))
            }
            Binding::Typed(Typed {
                form: Form::Functions(list),
                ..
            }) => Some(Binding::Functions(list.clone())),
            Binding::Typed(_) => None,
            Binding::Pack(list) => {
                let all: Option<Vec<Binding>> = list.iter().map(|one| self.frozen(one)).collect();
                Some(Binding::Pack(Rc::new(all?)))
            }
            other => Some(other.clone()),
        }
    }

    /// A constant as a value of the kernel at hand.
    pub(super) fn thawed(&mut self, binding: Binding) -> Binding {
        match binding {
            Binding::Constant(ty, bits) => {
                let register = ty.register().unwrap_or(Ty::B32);
                let value = self.builder.constant(register, bits);
                Binding::Typed(Typed::value(ty, value))
            }
            other => other,
        }
    }

    /// A function of CUDA's that the compiler writes itself, for those who hand it over.
    pub(super) fn as_value(&self, name: &str) -> Option<Binding> {
        let name = format!("{}{name}", crate::headers::AS_VALUE);
        self.globals.names.get(&name).cloned()
    }

    /// Tells that a name is not known, with the one that was probably meant.
    pub(super) fn unknown(&mut self, name: &str, span: Span) -> Reported {
        if let Some(help) = super::intrinsics::table::host_only(name) {
            return self
                .sink
                .error_help(span, format!("`{name}` is not there in a kernel"), help);
        }
        if self.of_host.contains(name) {
            let message = format!("`{name}` belongs to the host, which no kernel reaches");
            let help =
                "put `__device__` before it, or hand over as a parameter what is wanted of it";
            return self.sink.error_help(span, message, help);
        }
        if self.not_captured.contains(name) {
            let message = format!("this lambda does not capture `{name}`");
            let help = format!(
                "write its name between the brackets, `[{name}]`; `[=]` copies all that is named, `[&]` refers to it"
            );
            return self.sink.error_help(span, message, help);
        }
        let synchronous = format!("{name}_sync");
        if super::builtins::is_builtin(&synchronous) {
            let help = format!(
                "call `{synchronous}`, whose first argument says which lanes take part: `0xffffffff` for all"
            );
            return self
                .sink
                .error_help(span, format!("`{name}` is not there any more"), help);
        }
        if super::builtins::is_cudas(name) && !name.starts_with("__") {
            // Handed over, or kept in a table.
            return self.sink.gap(span, format!("CUDA's `{name}` as a value"));
        }
        if super::builtins::is_builtin(name) {
            let help = format!("call it: `{name}(…)`");
            return self
                .sink
                .error_help(span, format!("`{name}` is a function"), help);
        }
        let message = undeclared(name);
        if let Some(header) = crate::headers::declaring(name) {
            let help = format!("`#include <{header}>` declares it");
            return self.sink.error_help(span, message, help);
        }
        let mut known: Vec<&str> = Vec::new();
        known.extend(self.globals.names.keys().map(|name| &**name));
        if let Some(frame) = self.frames.last() {
            known.extend(
                frame
                    .scopes
                    .iter()
                    .flat_map(|scope| scope.names.keys())
                    .map(|name| &**name),
            );
        }
        for name in super::builtins::names() {
            known.push(name);
        }
        match crate::nearest::nearest(name, known.into_iter()) {
            // What differs from a known name by a letter is a slip.
            near if super::intrinsics::table::is_of_cuda(name)
                && (crate::parse::TEXTURES.contains(&name)
                    || near.as_ref().is_none_or(|near| !is_slip(name, near))) =>
            {
                self.sink.gap(span, format!("the function `{name}`"))
            }
            Some(near) => self
                .sink
                .error_help(span, message, format!("did you mean `{near}`?")),
            None => self
                .sink
                .error_help(span, message, "declare it, or look at how it is spelled"),
        }
    }
}
