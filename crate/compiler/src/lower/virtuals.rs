//! Virtual functions. An object of a class that has some begins with the address of the class's table, as NVRTC's objects do;
//! in the table stands a number for each function, and a call tries the functions that may be meant one after the other.

use super::scope::{Binding, FunctionRef};
use super::{Lower, SymbolData};
use crate::diagnostics::Res;
use crate::hash::HashMap;
use crate::ir::known_memory::Place;
use crate::ir::{Space, Symbol, Value};
use crate::source::Span;
use crate::syntax::{DESTRUCTOR, Function, Scalar, StructSyntax};
use crate::types::{Field, Kind, StructId, Type};
use std::rc::Rc;

/// The field in which the address of the table lies.
pub(super) const TABLE: &str = "(table)";

/// What stands in a table before its functions: where the whole object begins, and its type.
const HEAD: u64 = 16;

/// A function that is chosen by the object, with what must be the same where a class gives its own.
#[derive(Debug, Clone)]
pub(super) struct Virtual {
    is_const: bool,
    parameters: Vec<Option<Type>>,
    /// The one of the class whose table this is.
    pub(super) function: FunctionRef,
}

/// What is known of classes with virtual functions.
#[derive(Debug, Default)]
pub(super) struct Virtuals {
    pub(super) tables: HashMap<StructId, Rc<Vec<Virtual>>>,
    symbols: HashMap<StructId, Symbol>,
    /// All functions in tables, by their number less one: those that do nothing but end an object by the struct.
    functions: Vec<(Option<Rc<Function>>, StructId)>,
    /// What the thread's own objects are; none where they are made of several classes.
    own: HashMap<Place, Option<StructId>>,
}

impl Virtuals {
    pub(super) fn is_known(&self, id: StructId) -> bool {
        self.tables.contains_key(&id)
    }

    /// Forgets what is known of one kernel's objects, and hands it over.
    pub(super) fn forget(&mut self) -> HashMap<Place, Option<StructId>> {
        std::mem::take(&mut self.own)
    }

    pub(super) fn remember(&mut self, own: HashMap<Place, Option<StructId>>) {
        self.own = own;
    }
}

impl Lower<'_> {
    pub(super) fn is_polymorphic(&self, ty: &Type) -> bool {
        matches!(ty.kind, Kind::Struct(id) if self.virtuals.is_known(id))
    }

    /// Whether a class has virtual functions, of its own or of its first base, before it is laid out.
    pub(super) fn begins_with_table(&self, syntax: &StructSyntax) -> bool {
        syntax.functions.iter().any(|one| one.is_virtual)
    }

    /// The field in which the address of the table lies, in a class whose bases have none.
    pub(super) fn add_table_field(&mut self, id: StructId) -> (u64, u64) {
        let field = Field {
            name: TABLE.into(),
            ty: Type::scalar(Scalar::ULong),
            offset: 0,
            bits: None,
        };
        self.structs.list[id.0 as usize].fields.push(field);
        (8, 8)
    }

    /// Notes the virtual functions of a class that was laid out.
    pub(super) fn note_virtuals(&mut self, syntax: &StructSyntax, id: StructId) -> Res<()> {
        let base = self.structs.get(id).bases.first().map(|(base, _)| *base);
        let inherited = base.and_then(|base| self.virtuals.tables.get(&base));
        let mut table = inherited.map_or_else(Vec::new, |table| table.to_vec());
        for function in &syntax.functions {
            let (found, _) = self.in_environment(Vec::new(), Some(id), |lower| {
                Ok(lower.virtual_of(function, id))
            });
            let Some(own) = found? else { continue };
            let same = |other: &&mut Virtual| {
                other.function.function.name == function.name
                    && other.is_const == own.is_const
                    && other.parameters == own.parameters
            };
            match table.iter_mut().find(same) {
                Some(known) => known.function = own.function,
                None if function.is_override => {
                    let message = format!("`{}` overrides nothing", function.name);
                    let help = "a base must declare it `virtual`, with the same parameters and the same `const`";
                    return Err(self.sink.error_help(function.span, message, help));
                }
                None if function.is_virtual => table.push(own),
                None => {}
            }
        }
        if !table.is_empty() {
            self.virtuals.tables.insert(id, Rc::new(table));
        }
        Ok(())
    }

    /// A member as it would stand in a table; none for what cannot.
    fn virtual_of(&mut self, function: &Rc<Function>, id: StructId) -> Option<Virtual> {
        if function.is_static || function.is_constructor || function.template.is_some() {
            return None;
        }
        let Some(Binding::Functions(list)) = self.member_binding(id, &function.name) else {
            return None;
        };
        let parameters: Vec<Option<Type>> = function
            .parameters
            .iter()
            .map(|one| self.quiet_type(&one.ty).ok().map(|ty| ty.plain()))
            .collect();
        let count = parameters.len();
        // Where it is defined outside, that is what is called.
        let is_it = |one: &&FunctionRef| {
            let other = &one.function;
            Rc::ptr_eq(other, function)
                || (function.body.is_none()
                    && !function.is_pure
                    && other.body.is_some()
                    && other.is_const == function.is_const
                    && other.parameters.len() == count)
        };
        let found = list.iter().find(is_it)?.clone();
        Some(Virtual {
            is_const: function.is_const,
            parameters,
            function: found,
        })
    }

    /// Refuses an object of a class that leaves functions to others.
    pub(super) fn check_whole(&mut self, ty: &Type, span: Span) -> Res<()> {
        let Kind::Struct(id) = ty.kind else {
            return Ok(());
        };
        let Some(table) = self.virtuals.tables.get(&id) else {
            return Ok(());
        };
        let Some(pure) = table.iter().find(|one| is_pure(&one.function)) else {
            return Ok(());
        };
        let message = format!(
            "there are no objects of `{}`: its `{}` is left to others by `= 0`",
            self.structs.get(id).name,
            pure.function.function.name
        );
        let help = "make an object of a class that inherits from it and has this function";
        Err(self.sink.error_help(span, message, help))
    }

    /// Lets an object begin as one of a class, or be one from here on.
    pub(super) fn put_table(&mut self, id: StructId, address: Value) {
        let Some(table) = self.virtuals.tables.get(&id).cloned() else {
            return;
        };
        let symbol = self.table_symbol(id, &table);
        let at = self.symbol_address(symbol);
        let at = self.builder.offset(at, HEAD);
        self.store_scalar(&Type::scalar(Scalar::ULong), address, at);
        let Some(place) = self.builder.place_of(address) else {
            return;
        };
        let derived = Type::new(Kind::Struct(id));
        let known = match self.virtuals.own.get(&place) {
            None => Some(id),
            Some(Some(other)) => {
                let other = Type::new(Kind::Struct(*other));
                let goes_on = other == derived || self.structs.derives(&derived, &other);
                goes_on.then_some(id)
            }
            Some(None) => None,
        };
        self.virtuals.own.insert(place, known);
    }

    /// Lets an object be one of a base again, when what it was more has ended.
    pub(super) fn put_table_back(&mut self, id: StructId, address: Value) {
        if !self.virtuals.tables.contains_key(&id) {
            return;
        }
        self.put_table(id, address);
        if let Some(place) = self.builder.place_of(address) {
            self.virtuals.own.insert(place, Some(id));
        }
    }

    /// Runs what changes an object but not its class.
    pub(super) fn keeping_table(
        &mut self,
        address: Value,
        part: impl FnOnce(&mut Self) -> Res<()>,
    ) -> Res<()> {
        let word = Type::scalar(Scalar::ULong);
        let table = self.load_scalar(&word, address);
        let own = self.virtuals.own.clone();
        part(self)?;
        self.store_scalar(&word, address, table);
        self.virtuals.own = own;
        Ok(())
    }

    /// An object that was made where another may lie, too.
    pub(super) fn may_be_other(&mut self, address: Value) {
        if let Some(place) = self.builder.place_of(address) {
            self.virtuals.own.insert(place, None);
        }
    }

    fn table_symbol(&mut self, id: StructId, table: &[Virtual]) -> Symbol {
        if let Some(symbol) = self.virtuals.symbols.get(&id) {
            return *symbol;
        }
        let mut bytes = vec![0; HEAD as usize];
        for one in table {
            let number = self.virtual_number(&one.function, id);
            // The end of an object stands there twice: as such, and with its memory given back.
            let is_end = &*one.function.function.name == DESTRUCTOR;
            for _ in 0..1 + usize::from(is_end) {
                bytes.extend(number.to_le_bytes());
            }
        }
        self.module.symbols.push(SymbolData {
            name: format!("_ZTV{}", self.module.symbols.len()),
            space: Space::Global,
            size: bytes.len() as u64,
            align: 8,
            init: Some(bytes),
            is_extern: false,
            is_managed: false,
            is_handed_over: false,
            is_constexpr: true,
            addresses: Vec::new(),
        });
        let symbol = Symbol(self.module.symbols.len() as u32 - 1);
        self.virtuals.symbols.insert(id, symbol);
        symbol
    }

    /// The number of a function in the tables; nothing is 0.
    fn virtual_number(&mut self, function: &FunctionRef, id: StructId) -> u64 {
        if is_pure(function) {
            return 0;
        }
        let is_end = &*function.function.name == DESTRUCTOR;
        // How an object ends is each class's own, since its members end with it.
        let of = if is_end {
            id
        } else {
            function.of.unwrap_or(id)
        };
        let own = (!is_end).then(|| function.function.clone());
        let same = |other: &(Option<Rc<Function>>, StructId)| {
            let is_same = match (&other.0, &own) {
                (Some(a), Some(b)) => Rc::ptr_eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            };
            is_same && other.1 == of
        };
        let known = self.virtuals.functions.iter().position(same);
        let at = known.unwrap_or(self.virtuals.functions.len());
        if known.is_none() {
            self.virtuals.functions.push((own, of));
        }
        at as u64 + 1
    }

    /// Where a function stands in the table of a class, in entries of eight bytes.
    pub(super) fn entry(&self, id: StructId, function: &Function) -> Option<(usize, u64)> {
        let table = self.virtuals.tables.get(&id)?;
        let mut at = 0;
        for (number, one) in table.iter().enumerate() {
            let other = &one.function.function;
            if std::ptr::eq(&**other, function) {
                return Some((number, at));
            }
            at += 1 + u64::from(&*other.name == DESTRUCTOR);
        }
        None
    }

    /// All functions of this place in the tables of a class and of those that inherit from it, each with a class of it.
    pub(super) fn overriders(
        &mut self,
        id: StructId,
        number: usize,
    ) -> Vec<(u64, FunctionRef, StructId)> {
        let base = Type::new(Kind::Struct(id));
        let all = (0..self.structs.list.len() as u32).map(StructId);
        let is_one = |one: &StructId| {
            *one == id || self.structs.derives(&Type::new(Kind::Struct(*one)), &base)
        };
        let classes: Vec<StructId> = all.filter(is_one).collect();
        let mut found: Vec<(u64, FunctionRef, StructId)> = Vec::new();
        for class in classes {
            let Some(table) = self.virtuals.tables.get(&class) else {
                continue;
            };
            let Some(one) = table.get(number).cloned() else {
                continue;
            };
            let at = self.virtual_number(&one.function, class);
            if at != 0 && found.iter().all(|(other, ..)| *other != at) {
                found.push((at, one.function, class));
            }
        }
        found
    }

    /// The class of an object of the thread's own, where it is known.
    pub(super) fn class_of(&self, address: Value) -> Option<StructId> {
        let place = self.builder.place_of(address)?;
        *self.virtuals.own.get(&place)?
    }
}

/// Whether a function is left to other classes. How an object ends never is.
pub(super) fn is_pure(function: &FunctionRef) -> bool {
    function.function.is_pure && &*function.function.name != DESTRUCTOR
}
