//! Structs and unions: how they are defined, and where their fields lie.

use super::Lower;
use super::deduce::Argument;
use super::members::{defined_outside, widen_unit};
use super::scope::{Binding, FunctionRef, Scope};
use crate::diagnostics::Res;
use crate::limits::{BASES, PARTS, STRUCT_DEPTH, STRUCTS};
use crate::syntax::{StmtKind, StructSyntax};
use crate::types::{Field, Kind, Struct, StructId, Type};
use std::rc::Rc;

impl Lower<'_> {
    /// A struct that is defined where control may come several times: made once for each instance of the function.
    pub(super) fn struct_once(&mut self, syntax: &Rc<StructSyntax>) -> Res<Type> {
        let instance = self
            .frames
            .last()
            .map(|frame| frame.instance.clone())
            .unwrap_or_default();
        let key = format!("{:p} {instance}", Rc::as_ptr(syntax));
        if let (true, Some(Binding::Type(known))) =
            (syntax.is_declaration, self.lookup(&syntax.name))
            && known.is_struct()
        {
            return Ok(known);
        }
        let id = match self.instances.get(&key) {
            Some(id) => *id,
            None => {
                let name = syntax.name.to_string();
                let id = self.define_struct(syntax, Scope::default(), name, None)?;
                self.instances.insert(key, id);
                id
            }
        };
        let ty = Type::new(Kind::Struct(id));
        if !syntax.name.is_empty() {
            self.bind(&syntax.name, Binding::Type(ty.clone()));
        }
        Ok(ty)
    }

    /// Whether a struct is declared only: there are pointers to it and no objects.
    pub(super) fn is_declared_only(&self, id: StructId) -> bool {
        let syntax = self.structs.get(id).syntax.as_ref();
        syntax.is_some_and(|syntax| syntax.is_declaration)
    }

    /// Places the fields of what a struct inherits from; how many bytes they take, and their alignment.
    fn inherit(&mut self, syntax: &StructSyntax, id: StructId) -> Res<(u64, u64)> {
        let (mut end, mut widest) = (0, 1);
        for (number, base) in self.expanded_types(&syntax.bases)?.iter().enumerate() {
            let ty = self.type_of(base)?;
            let Kind::Struct(of) = ty.kind else {
                let message = "a struct inherits from structs only";
                return Err(self.sink.error(base.span, message));
            };
            if self.incomplete.contains(&of) || self.structs.get(of).is_union {
                let message = "this is no base for a struct";
                return Err(self.sink.error(base.span, message));
            }
            match self.is_polymorphic(&ty) {
                true if number > 0 => {
                    let what = "virtual functions of a base that is not the first";
                    return Err(self.sink.gap(base.span, what));
                }
                false if number == 0 && self.begins_with_table(syntax) => {
                    (end, widest) = self.add_table_field(id);
                }
                _ => {}
            }
            let of_base = self.structs.get(of);
            let (mut fields, mut inner) = (of_base.fields.clone(), of_base.inner.clone());
            let (size, align) = (of_base.size, of_base.align);
            let ancestors = 1 + of_base.ancestors;
            let at = u64::next_multiple_of(end, align);
            for field in fields.iter_mut().chain(&mut inner) {
                field.offset += at;
            }
            // What has no fields takes no place in what inherits from it.
            let is_empty = fields.is_empty();
            end = if is_empty { end } else { at + size };
            widest = align.max(widest);
            let made = &mut self.structs.list[id.0 as usize];
            made.bases.push((of, if is_empty { 0 } else { at }));
            made.ancestors += ancestors;
            if made.ancestors > BASES || made.fields.len() + fields.len() > PARTS {
                let message =
                    format!("a struct inherits from more than {BASES} others, or as many fields");
                return Err(self.sink.error(base.span, message));
            }
            made.fields.extend(fields);
            made.inner.extend(inner);
            self.take_names(of);
        }
        if syntax.bases.is_empty() && self.begins_with_table(syntax) {
            (end, widest) = self.add_table_field(id);
        }
        let made = &mut self.structs.list[id.0 as usize];
        made.inherited = made.fields.len();
        Ok((end, widest))
    }

    /// Makes the types and constants of a base known in the struct that is laid out.
    fn take_names(&mut self, base: StructId) {
        let Some(scope) = self.struct_scopes.get(&base).cloned() else {
            return;
        };
        let own = self
            .structs
            .get(base)
            .syntax
            .as_ref()
            .map(|of| of.name.clone());
        for (name, binding) in scope.names.iter() {
            let is_kept = match binding {
                Binding::Type(_) => own.as_ref() != Some(name),
                Binding::Constant(..) | Binding::Symbol(..) => true,
                _ => false,
            };
            let scope = self.frame().scopes.last();
            if is_kept && scope.is_some_and(|scope| !scope.names.contains_key(name)) {
                self.bind(name, binding.clone());
            }
        }
    }

    /// A struct with its members, whose names are those of this scope too.
    pub(super) fn define_struct(
        &mut self,
        syntax: &Rc<StructSyntax>,
        mut scope: Scope,
        name: String,
        made_of: Option<(crate::syntax::Name, Vec<Argument>)>,
    ) -> Res<StructId> {
        let id = self.new_struct(syntax, name, made_of)?;
        let own = Binding::Type(Type::new(Kind::Struct(id)));
        scope.names.insert(syntax.name.clone(), own);
        name_functions(syntax, id, &mut scope);
        self.add_friends(syntax, id);
        // A struct in a function sees that function's names.
        let mut scopes = self
            .frames
            .last()
            .map(|frame| frame.scopes.clone())
            .unwrap_or_default();
        scopes.push(scope);
        let outer = self.frames.last().and_then(|frame| frame.of);
        self.incomplete.push(id);
        let (result, scopes) = self.in_environment(scopes, outer, |lower| {
            let name = lower.structs.get(id).name.clone();
            lower.frame().instance.push_str(&name);
            lower.lay_out(syntax, id)
        });
        self.incomplete.retain(|other| *other != id);
        self.keep_names(id, scopes);
        result?;
        self.note_virtuals(syntax, id)?;
        let (result, _) = self.in_environment(Vec::new(), Some(id), |lower| {
            for check in &syntax.checks {
                if let StmtKind::StaticAssert(condition, said) = &check.kind {
                    lower.static_assert(condition, said.as_deref())?;
                }
            }
            Ok(())
        });
        result?;
        Ok(id)
    }

    /// The number of a struct whose members are not known yet.
    fn new_struct(
        &mut self,
        syntax: &Rc<StructSyntax>,
        name: String,
        made_of: Option<(crate::syntax::Name, Vec<Argument>)>,
    ) -> Res<StructId> {
        if self.structs.list.len() >= STRUCTS {
            return Err(self.sink.error(
                syntax.span,
                format!("templates make more than {STRUCTS} structs here"),
            ));
        }
        if self.incomplete.len() >= STRUCT_DEPTH {
            let message = format!("more than {STRUCT_DEPTH} structs need each other here");
            return Err(self.sink.error(syntax.span, message));
        }
        let made = Struct {
            name,
            fields: Vec::new(),
            size: 1,
            align: 1,
            is_union: syntax.is_union,
            has_destructor: syntax.has_destructor,
            bases: Vec::new(),
            ancestors: 0,
            inherited: 0,
            inner: Vec::new(),
            syntax: Some(syntax.clone()),
        };
        let declared = match made_of.is_none() && !syntax.is_declaration {
            true => self.declared.remove(&syntax.name),
            false => None,
        };
        let id = match declared {
            // It was declared before, and pointers to it are there.
            Some(id) => {
                self.structs.list[id.0 as usize] = made;
                id
            }
            None => self.structs.add(made),
        };
        if syntax.is_declaration && made_of.is_none() && !syntax.name.is_empty() {
            self.declared.insert(syntax.name.clone(), id);
        }
        if let Some(made_of) = made_of {
            // Known from here on, so that its own members and bases can name it.
            let name = self.structs.get(id).name.clone();
            self.instances.insert(name, id);
            self.made_of.insert(id, made_of);
        }
        Ok(id)
    }

    /// Keeps what names mean in a struct: the last of these scopes is its own.
    fn keep_names(&mut self, id: StructId, mut scopes: Vec<Scope>) {
        if let Some(mut scope) = scopes.pop() {
            for outer in scopes {
                for (name, binding) in outer.names.iter() {
                    if name.starts_with('(') || name.starts_with("operator") {
                        continue; // what belongs to the struct around
                    }
                    if let Some(frozen) = self.frozen(binding) {
                        scope.names.get_or_insert(name, frozen);
                    }
                }
            }
            self.struct_scopes.insert(id, Rc::new(scope));
        }
    }

    /// Places the fields; names of types and constants become known on the way.
    fn lay_out(&mut self, syntax: &Rc<StructSyntax>, id: StructId) -> Res<()> {
        let (mut size, mut align) = self.inherit(syntax, id)?;
        // The first bit behind the fields of some bits that were placed last.
        let mut bit = None;
        let mut types = syntax.types.iter().peekable();
        for (number, variable) in syntax.fields.iter().enumerate() {
            while let Some((_, of)) = types.next_if(|(before, _)| *before <= number) {
                self.member_type(of, id)?;
            }
            let ty = self.variable_type(variable)?;
            if variable.is_static || variable.is_constexpr {
                self.static_member(variable, &ty, id)?;
                continue;
            }
            if let Some((_, width)) = syntax.bits.iter().find(|(name, _)| *name == variable.name) {
                let start = bit.unwrap_or(8 * size);
                let (end, field) = self.bits_of(variable, &ty, width, start, syntax.is_union)?;
                bit = Some(end);
                if let Some(field) = field {
                    align = align.max(self.structs.align(&ty));
                    self.structs.list[id.0 as usize].fields.push(field);
                }
                size = size.max(end.div_ceil(8));
                continue;
            }
            bit = None;
            if ty.kind == Kind::Function {
                let what = "a member that is a pointer to a function";
                return Err(self.sink.gap(variable.span, what));
            }
            self.check_size(variable.span, &ty)?;
            let mut of = &ty;
            while let Kind::Array(element, _) = &of.kind {
                of = element;
            }
            if matches!(of.kind, Kind::Struct(inner) if self.incomplete.contains(&inner)) {
                let help = "let it hold a pointer to one instead";
                return Err(self.sink.error_help(
                    variable.span,
                    "a struct cannot hold an object of its own type",
                    help,
                ));
            }
            let need = self.alignment(variable, &ty)?;
            align = align.max(need);
            let offset = if syntax.is_union {
                0
            } else {
                size.next_multiple_of(need)
            };
            let end = offset.saturating_add(self.structs.size(&ty));
            size = size.max(end);
            self.open_unnamed(variable, &ty, offset, id);
            let field = Field {
                name: variable.name.clone(),
                ty,
                offset,
                bits: None,
            };
            self.structs.list[id.0 as usize].fields.push(field);
        }
        for (_, of) in types {
            self.member_type(of, id)?;
        }
        if let Some(asked) = &syntax.align {
            align = align.max(self.asked_alignment(asked)?);
        }
        let made = &mut self.structs.list[id.0 as usize];
        made.size = size.max(1).next_multiple_of(align);
        made.align = align;
        let size = made.size;
        for field in &mut made.fields {
            widen_unit(field, align, size);
        }
        let ends = self.ends_with_something(id);
        self.structs.list[id.0 as usize].has_destructor = ends;
        Ok(())
    }

    /// The member of a struct that lies in its objects.
    pub(super) fn field(&self, id: StructId, name: &str) -> Option<Field> {
        let of = self.structs.get(id);
        let mut all = of.inner.iter().chain(&of.fields);
        all.rfind(|field| &*field.name == name).cloned()
    }
}

/// Makes the functions of a struct known by their names.
fn name_functions(syntax: &StructSyntax, id: StructId, scope: &mut Scope) {
    for function in &syntax.functions {
        let function = match function.body {
            Some(_) => function,
            None => &defined_outside(syntax, function, scope),
        };
        let made = FunctionRef {
            function: function.clone(),
            of: Some(id),
        };
        let key = member_key(function.is_constructor, &function.name);
        let none = Binding::Functions(Rc::default());
        if let Binding::Functions(list) = scope.names.get_or_insert(&key, none) {
            Rc::make_mut(list).push(made);
        }
    }
}

/// Constructors are kept apart from the struct's own name.
pub(super) fn member_key(is_constructor: bool, name: &crate::syntax::Name) -> crate::syntax::Name {
    if is_constructor {
        crate::syntax::CONSTRUCTOR.into()
    } else {
        name.clone()
    }
}
