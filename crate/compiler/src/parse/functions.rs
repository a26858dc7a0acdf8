//! Functions from their parameters on: what stands behind those, the members that a constructor begins with, the body.

use super::declarators::Declarator;
use super::types::Specifiers;
use super::{Names, Parser};
use crate::diagnostics::Res;
use crate::hash::HashSet;
use crate::lex::Kind;
use crate::source::Span;
use crate::syntax::{
    Function, MemberInit, Name, Parameter, Path, Stmt, StmtKind, TemplateParameter, TypeKind,
    TypeSyntax,
};
use std::rc::Rc;

impl Parser<'_> {
    /// A function from its parameters on.
    pub(super) fn function(
        &mut self,
        mut specifiers: Specifiers,
        declarator: Declarator,
        template: Option<Vec<TemplateParameter>>,
        is_constructor: bool,
    ) -> Res<Rc<Function>> {
        let name = declarator.name.unwrap_or_else(|| "".into());
        if template.is_some() {
            self.templates.insert(name.clone());
        }
        let mut names = Names::default();
        if let Some(known) = declarator
            .outer
            .as_ref()
            .and_then(|of| self.member_types.get(of))
        {
            names.types.extend(known.iter().cloned());
        }
        self.types.push(names);
        let labels_before = self.labels;
        let changed_before = self.changed.len();
        let mut parameters = self.parameters()?;
        let template = with_types_of_auto(template, &mut parameters);
        if let Some(scope) = self.types.last_mut() {
            scope.is_parameters = true;
        }
        for parameter in &parameters {
            if let Some(name) = &parameter.name {
                self.declare_variable(name, parameter.span);
            }
        }
        let (is_const, is_override) = self.words_behind_parameters(&mut specifiers)?;
        let mut returns = declarator.ty;
        if specifiers.is_constexpr && !specifiers.is_const {
            no_constant(&mut returns);
        }
        if self.eat("->") {
            returns = self.type_name()?;
        }
        let mut member_inits = Vec::new();
        if is_constructor && self.eat(":") {
            member_inits = self.member_inits()?;
        }
        let is_made = is_constructor || &*name == crate::syntax::DESTRUCTOR;
        let is_made = is_made && parameters.is_empty();
        let outer = std::mem::replace(&mut self.in_function, name.clone());
        let body = self.body_of_function(&mut specifiers, &name, declarator.span, is_made);
        self.in_function = outer;
        let (body, is_pure) = body?;
        self.types.pop();
        let changed: HashSet<Name> = self.changed.drain(changed_before..).collect();
        let mut changed: Vec<Name> = changed.into_iter().collect();
        changed.sort();
        self.changed.extend(changed.iter().cloned());
        // `template <> float2 add(float2 a)` is one whose arguments follow from its parameters.
        let is_special = template.as_ref().is_some_and(Vec::is_empty);
        let has_no_words = is_special && specifiers.runs != crate::syntax::Runs::Kernel;
        let special = declarator.special.or(has_no_words.then(Vec::new));
        Ok(Rc::new(Function {
            span: declarator.span,
            name,
            // A special case of a function is a function; its arguments say of which template.
            template: template.filter(|_| special.is_none()),
            special,
            returns,
            parameters,
            body,
            member_inits,
            runs: specifiers.runs,
            is_static: specifiers.is_static,
            is_constexpr: specifiers.is_constexpr,
            is_extern_c: specifiers.is_extern_c || self.in_extern_c,
            is_constructor,
            is_virtual: specifiers.is_virtual,
            is_override,
            is_pure,
            is_const,
            launch_bounds: specifiers.launch_bounds,
            cluster_dims: specifiers.cluster_dims,
            max_registers: specifiers.max_registers,
            changed: changed.into(),
            end: self.last(),
            has_labels: self.labels > labels_before,
            outer: Vec::new(),
        }))
    }

    /// `const`, `override` and the like behind a function's parameters: whether it is `const`, and whether it overrides.
    fn words_behind_parameters(&mut self, specifiers: &mut Specifiers) -> Res<(bool, bool)> {
        let (mut is_const, mut is_override) = (false, false);
        loop {
            match () {
                () if self.eat("const") => is_const = true,
                () if self.eat("override") || self.eat("final") => is_override = true,
                () if self.eat("noexcept") => {}
                () if self.eat("&") => {}
                () if self.is("__attribute__") => self.skip_attribute_of_gnu(),
                () if self.is("__launch_bounds__") => {
                    let help = "write it before the name: `__global__ void __launch_bounds__(256) name(…)`";
                    let message = "`__launch_bounds__` stands behind the parameters";
                    self.sink.error_help(self.span(), message, help);
                    self.attribute(specifiers)?;
                }
                () => return Ok((is_const, is_override)),
            }
        }
    }

    /// A function's body, where it has one, and whether it is left to other classes. `is_made`: whether the compiler makes it by
    /// itself where that is asked for.
    fn body_of_function(
        &mut self,
        specifiers: &mut Specifiers,
        name: &Name,
        span: Span,
        is_made: bool,
    ) -> Res<(Option<Stmt>, bool)> {
        let mut is_pure = false;
        let body = match self.is("{") {
            true if specifiers.is_of_host => {
                self.pass_over_body(name, span)?;
                None
            }
            true => Some(self.block()?),
            false if self.peek().kind == Kind::Name && !self.begins_item() => {
                let help = "a function's body stands between `{` and `}`; a function that is only declared ends with `;`";
                let last = self.last();
                self.sink
                    .error_help(last, "`{` is missing behind this", help);
                Some(self.block_behind_brace(last)?)
            }
            false => {
                let word = self.eat("=").then(|| self.next());
                let is_default = word.as_ref().is_some_and(|word| word.is("default"));
                is_pure = word.is_some_and(|word| &*word.text == "0");
                self.expect(";")?;
                // What the compiler makes by itself does nothing where there is nothing to copy.
                if is_default {
                    specifiers.runs = crate::syntax::Runs::Device;
                }
                let is_empty = is_default && is_made;
                is_empty.then(|| Stmt {
                    span,
                    kind: StmtKind::Block(Vec::new()),
                })
            }
        };
        Ok((body, is_pure))
    }

    fn member_inits(&mut self) -> Res<Vec<MemberInit>> {
        let mut list = Vec::new();
        loop {
            let (span, start) = (self.span(), self.at);
            let path = self.path()?;
            let name = path.parts[path.parts.len() - 1].name.clone();
            let base = super::types::syntax(TypeKind::Path(path), span);
            let is_braces = self.eat("{");
            if !is_braces {
                self.expect("(")?;
            }
            let values = self.expressions_up_to(if is_braces { "}" } else { ")" })?;
            let base = Some(self.expanded_type(base, start));
            list.push(MemberInit {
                name,
                values,
                is_braces,
                span,
                base,
            });
            if !self.eat(",") {
                return Ok(list);
            }
        }
    }
}

/// A parameter that is `auto` has a type that follows from the argument: one more parameter of a template.
pub(super) fn with_types_of_auto(
    mut template: Option<Vec<TemplateParameter>>,
    parameters: &mut [Parameter],
) -> Option<Vec<TemplateParameter>> {
    for (number, parameter) in parameters.iter_mut().enumerate() {
        let ty = match &mut parameter.ty {
            TypeSyntax {
                kind: TypeKind::Reference(to),
                ..
            } => &mut **to,
            ty => ty,
        };
        if matches!(ty.kind, TypeKind::Auto) {
            let name: Name = format!("(type {number})").into();
            ty.kind = TypeKind::Path(Path::plain(name.clone(), ty.span));
            let list = template.get_or_insert_default();
            let made = TemplateParameter::Type(name.clone(), None);
            match &mut parameter.packs {
                Some(packs) => {
                    *packs = [name].into();
                    list.push(TemplateParameter::Pack(Box::new(made)));
                }
                None => list.push(made),
            }
        }
    }
    template
}

/// What a `constexpr` function's result leads to is no constant for that.
fn no_constant(returns: &mut TypeSyntax) {
    if let TypeKind::Reference(to) | TypeKind::Pointer(to) = &mut returns.kind {
        match to.kind {
            TypeKind::Reference(_) | TypeKind::Pointer(_) => no_constant(to),
            _ => to.is_const = false,
        }
    }
}
