//! Structs and unions: their layout, and those that are made of templates.

use super::Lower;
use super::deduce::Argument;
use super::scope::{Binding, FunctionRef, Scope};
use crate::diagnostics::Res;
use crate::hash::HashMap;
use crate::limits::STRUCTS;
use crate::source::Span;
use crate::syntax::{StmtKind, StructSyntax, TemplateArgument, TemplateParameter};
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
        let id = match self.instances.get(&key) {
            Some(id) => *id,
            None => {
                let id = self.define_struct(syntax, Scope::default(), syntax.name.to_string())?;
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

    /// A template's struct for these arguments.
    pub(super) fn instantiate(
        &mut self,
        syntax: &Rc<StructSyntax>,
        arguments: &[TemplateArgument],
        span: Span,
    ) -> Res<Type> {
        let parameters = syntax.template.clone().unwrap_or_default();
        let values = self.evaluate_arguments(&parameters, arguments, span)?;
        let words: Vec<String> = values
            .iter()
            .map(|value| value.spelled(&self.structs))
            .collect();
        let name = format!("{}<{}>", syntax.name, words.join(", "));
        if let Some(id) = self.instances.get(&name) {
            return Ok(Type::new(Kind::Struct(*id)));
        }
        let (of, scope) = match self.special_case(&syntax.name, &values)? {
            Some(found) => found,
            None => (syntax.clone(), self.template_scope(&parameters, &values)),
        };
        let id = self.deeper(span, |lower| lower.define_struct(&of, scope, name.clone()))?;
        self.instances.insert(name, id);
        self.made_of.insert(id, (syntax.name.clone(), values));
        Ok(Type::new(Kind::Struct(id)))
    }

    /// The special case of a template that fits these arguments, the one with the fewest parameters of its own.
    fn special_case(
        &mut self,
        name: &str,
        values: &[Argument],
    ) -> Res<Option<(Rc<StructSyntax>, Scope)>> {
        let mut cases = self.special.get(name).cloned().unwrap_or_default();
        cases.sort_by_key(|case| case.template.as_ref().map_or(0, Vec::len));
        for case in cases {
            let (Some(parameters), Some(patterns)) = (&case.template, &case.special) else {
                continue;
            };
            if patterns.len() != values.len() {
                continue;
            }
            let mut found = HashMap::default();
            if !self.deduce_arguments(patterns, values, parameters, &mut found) {
                continue;
            }
            let names = parameters.iter().map(|parameter| match parameter {
                TemplateParameter::Type(name, _) | TemplateParameter::Value(name, ..) => name,
            });
            let own: Option<Vec<Argument>> = names.map(|name| found.get(name).cloned()).collect();
            let Some(own) = own else { continue };
            let scope = self.template_scope(parameters, &own);
            let (fits, _) = self.in_environment(vec![scope.clone()], None, |lower| {
                lower.are_arguments(patterns, values)
            });
            if fits? {
                return Ok(Some((case.clone(), scope)));
            }
        }
        Ok(None)
    }

    /// Whether template arguments as they are written are these values.
    pub(super) fn are_arguments(
        &mut self,
        written: &[TemplateArgument],
        values: &[Argument],
    ) -> Res<bool> {
        for (pattern, value) in written.iter().zip(values) {
            let same = match (pattern, value) {
                (TemplateArgument::Type(pattern), Argument::Type(ty)) => {
                    self.type_of(pattern)? == *ty
                }
                (TemplateArgument::Value(pattern), Argument::Value(bits, ty)) => {
                    let typed = self.expr(pattern)?;
                    let value = self.convert(&typed, ty, pattern.span)?;
                    self.builder.body.constant(value) == Some(*bits)
                }
                _ => false,
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Places the base's fields; how many bytes they take.
    fn inherit(&mut self, syntax: &StructSyntax, id: StructId) -> Res<(u64, u64)> {
        let Some(base) = &syntax.base else {
            return Ok((0, 1));
        };
        let ty = self.type_of(base)?;
        let Kind::Struct(of) = ty.kind else {
            let message = "a struct inherits from structs only";
            return Err(self.sink.error(base.span, message));
        };
        if self.incomplete.contains(&of) || self.structs.get(of).is_union {
            let message = "this is no base for a struct";
            return Err(self.sink.error(base.span, message));
        }
        let of_base = self.structs.get(of);
        let (fields, size, align) = (of_base.fields.clone(), of_base.size, of_base.align);
        let made = &mut self.structs.list[id.0 as usize];
        made.base = Some(of);
        made.inherited = fields.len();
        // What has no fields takes no place in what inherits from it.
        let size = if fields.is_empty() { 0 } else { size };
        made.fields = fields;
        Ok((size, align))
    }

    fn define_struct(
        &mut self,
        syntax: &Rc<StructSyntax>,
        mut scope: Scope,
        name: String,
    ) -> Res<StructId> {
        if self.structs.list.len() >= STRUCTS {
            return Err(self.sink.error(
                syntax.span,
                format!("templates make more than {STRUCTS} structs here"),
            ));
        }
        let id = self.structs.add(Struct {
            name,
            fields: Vec::new(),
            size: 1,
            align: 1,
            is_union: syntax.is_union,
            base: None,
            inherited: 0,
            syntax: Some(syntax.clone()),
        });
        let own = Binding::Type(Type::new(Kind::Struct(id)));
        scope.names.insert(syntax.name.clone(), own);
        for function in &syntax.functions {
            let made = FunctionRef {
                function: function.clone(),
                of: Some(id),
            };
            let entry = scope
                .names
                .entry(member_key(function.is_constructor, &function.name));
            if let Binding::Functions(list) =
                entry.or_insert_with(|| Binding::Functions(Rc::new(Vec::new())))
            {
                Rc::make_mut(list).push(made);
            }
        }
        // A struct in a function sees that function's names.
        let mut scopes = self
            .frames
            .last()
            .map(|frame| frame.scopes.clone())
            .unwrap_or_default();
        scopes.push(scope);
        let outer = self.frames.last().and_then(|frame| frame.of);
        self.incomplete.push(id);
        let (result, mut scopes) =
            self.in_environment(scopes, outer, |lower| lower.lay_out(syntax, id));
        self.incomplete.retain(|other| *other != id);
        if let Some(mut scope) = scopes.pop() {
            for outer in scopes {
                for (name, binding) in outer.names {
                    if let Some(frozen) = self.frozen(&binding) {
                        scope.names.entry(name).or_insert(frozen);
                    }
                }
            }
            self.struct_scopes.insert(id, Rc::new(scope));
        }
        result?;
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

    /// Places the fields; names of types and constants become known on the way.
    fn lay_out(&mut self, syntax: &Rc<StructSyntax>, id: StructId) -> Res<()> {
        for (name, ty) in &syntax.aliases {
            let ty = self.type_of(ty)?;
            self.bind(name, Binding::Type(ty));
        }
        let (mut size, mut align) = self.inherit(syntax, id)?;
        for variable in &syntax.fields {
            let ty = self.variable_type(variable)?;
            if variable.is_static || variable.is_constexpr {
                if ty.is_aggregate() || !ty.is_const {
                    return Err(self
                        .sink
                        .gap(variable.span, "a static member that is no constant number"));
                }
                let value = self.initial_value(variable, &ty)?;
                if let Some(frozen) = self.frozen(&Binding::Typed(value)) {
                    self.bind(&variable.name, frozen);
                }
                continue;
            }
            if let Kind::Reference(_) = ty.kind {
                return Err(self.sink.gap(variable.span, "a member that is a reference"));
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
            let name = variable.name.clone();
            self.structs.list[id.0 as usize]
                .fields
                .push(Field { name, ty, offset });
        }
        if let Some(asked) = &syntax.align {
            align = align.max(self.asked_alignment(asked)?);
        }
        let made = &mut self.structs.list[id.0 as usize];
        made.size = size.max(1).next_multiple_of(align);
        made.align = align;
        Ok(())
    }

    /// The member of a struct that lies in its objects.
    pub(super) fn field(&self, id: StructId, name: &str) -> Option<Field> {
        self.structs
            .get(id)
            .fields
            .iter()
            .rfind(|field| &*field.name == name)
            .cloned()
    }

    pub(super) fn is_argument(&self, ty: &Type) -> Option<&(crate::syntax::Name, Vec<Argument>)> {
        match ty.kind {
            Kind::Struct(id) => self.made_of.get(&id),
            _ => None,
        }
    }
}

/// The name under which a struct's constructors are kept.
pub(super) const CONSTRUCTOR: &str = "(constructor)";

/// Constructors are kept apart from the struct's own name.
pub(super) fn member_key(is_constructor: bool, name: &crate::syntax::Name) -> crate::syntax::Name {
    if is_constructor {
        CONSTRUCTOR.into()
    } else {
        name.clone()
    }
}
