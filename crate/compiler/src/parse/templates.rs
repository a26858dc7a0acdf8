//! Templates: their parameters, what stands behind them, and instances of kernels.

use super::declarators::Declarator;
use super::types::Specifiers;
use super::{Names, Parser};
use crate::diagnostics::Res;
use crate::lex::Kind;
use crate::syntax::{Item, Name, TemplateParameter, TypeKind, TypeSyntax, VariableTemplate};
use std::rc::Rc;

impl Parser<'_> {
    /// `<typename T, unsigned N = 4>` behind `template`; its types are known in the newest scope.
    pub(super) fn template_parameters(&mut self) -> Res<Vec<TemplateParameter>> {
        self.expect("template")?;
        self.expect("<")?;
        let mut list = Vec::new();
        while !self.is(">") && !self.is_end() {
            let parameter = match () {
                () if self.is("template") => self.template_of_template()?,
                () if self.is_type_parameter() => self.type_parameter()?,
                () => self.value_parameter()?,
            };
            list.push(parameter);
            if !self.eat(",") {
                break;
            }
        }
        // A default such as `Less<K>` ends on the first half of `>>`.
        match self.in_half {
            true => self.close_template()?,
            // What it should end is told, and what follows read.
            false if self.peek().kind == Kind::Name => drop(self.expect(">")),
            false => self.expect(">").map(|_| ())?,
        }
        Ok(list)
    }

    /// Whether `typename T` stands here, not `typename T::type`.
    fn is_type_parameter(&self) -> bool {
        let is_word = self.is("typename") || self.is("class");
        let next = self.ahead(1);
        is_word
            && (next.kind != Kind::Name
                || self.ahead(2).kind == Kind::Name
                || [",", ">", "=", ">>"]
                    .iter()
                    .any(|after| self.ahead(2).is(after)))
    }

    fn type_parameter(&mut self) -> Res<TemplateParameter> {
        self.at += 1;
        let is_pack = self.eat("...");
        let name: Name = match self.peek().kind {
            Kind::Name => self.next().text,
            _ => "".into(),
        };
        self.declare_type(&name);
        if is_pack {
            self.packs.insert(name.clone());
            let of = TemplateParameter::Type(name, None);
            return Ok(TemplateParameter::Pack(Box::new(of)));
        }
        let default = match self.eat("=") {
            true => Some(self.type_name()?),
            false => None,
        };
        Ok(TemplateParameter::Type(name, default))
    }

    fn value_parameter(&mut self) -> Res<TemplateParameter> {
        let specifiers = self.specifiers()?;
        let Some(ty) = specifiers.ty else {
            return Err(self.no_type());
        };
        if self.eat("...") {
            let declarator = self.declarator(ty)?;
            let name = declarator.name.unwrap_or_else(|| "".into());
            self.packs.insert(name.clone());
            let of = TemplateParameter::Value(name, declarator.ty, None);
            return Ok(TemplateParameter::Pack(Box::new(of)));
        }
        let mut declarator = self.declarator(ty)?;
        if self.is("(") {
            declarator.ty = self.function_type(declarator.ty)?;
        }
        let default = match self.eat("=") {
            true => {
                let outer = std::mem::replace(&mut self.in_template, true);
                let value = self.conditional();
                self.in_template = outer;
                Some(value?)
            }
            false => None,
        };
        let name = declarator.name.unwrap_or_else(|| "".into());
        Ok(TemplateParameter::Value(name, declarator.ty, default))
    }

    /// `template <typename> class Op`; what its own parameters are is seen where it is used.
    fn template_of_template(&mut self) -> Res<TemplateParameter> {
        self.types.push(Names::default());
        let inner = self.deeper(Self::template_parameters);
        self.types.pop();
        inner?;
        if !self.eat("class") {
            self.expect("typename")?;
        }
        let is_pack = self.eat("...");
        let name: Name = match self.peek().kind {
            Kind::Name => self.next().text,
            _ => "".into(),
        };
        self.declare_type(&name);
        self.templates.insert(name.clone());
        if is_pack {
            self.packs.insert(name.clone());
            let of = TemplateParameter::Template(name, None);
            return Ok(TemplateParameter::Pack(Box::new(of)));
        }
        let default = match self.eat("=") {
            true => Some(self.type_name()?),
            false => None,
        };
        Ok(TemplateParameter::Template(name, default))
    }

    pub(super) fn template(&mut self, items: &mut Vec<Item>) -> Res<()> {
        if !self.ahead(1).is("<") {
            return self.instance(items);
        }
        self.types.push(Names::default());
        let result = self.template_here(items);
        self.types.truncate(1);
        result
    }

    fn template_here(&mut self, items: &mut Vec<Item>) -> Res<()> {
        let parameters = self.template_parameters()?;
        if self.is("using") {
            return self.alias(Some(parameters), items);
        }
        if self.is("template") {
            // A template that is a member of one: `template <typename T> template <typename U> …`.
            let inner = self.template_parameters()?;
            self.outer = parameters;
            let result = self.declaration(Some(inner), items);
            self.outer.clear();
            return result;
        }
        if self.is_guide() {
            return self.guide(parameters, items);
        }
        self.declaration(Some(parameters), items)
    }

    /// Whether `Name(…) -> Name<…>;` stands here.
    fn is_guide(&self) -> bool {
        if !self.templates.contains(&self.peek().text) || !self.ahead(1).is("(") {
            return false;
        }
        let mut open = 0_usize;
        for at in 1.. {
            let token = self.ahead(at);
            match &*token.text {
                "(" => open += 1,
                ")" => open -= 1,
                _ => {}
            }
            if token.kind == Kind::End || open == 0 {
                return self.ahead(at + 1).is("->");
            }
        }
        false
    }

    fn guide(&mut self, template: Vec<TemplateParameter>, items: &mut Vec<Item>) -> Res<()> {
        let span = self.span();
        let name = self.next().text;
        let ty = super::types::syntax(TypeKind::Auto, span);
        let declarator = Declarator::plain(name, ty, span);
        let function = self.function(Specifiers::default(), declarator, Some(template), false)?;
        items.push(Item::Guide(function));
        Ok(())
    }

    /// `template __global__ void scale<float>(const float*, float*, unsigned);`, or of a struct, which says nothing new.
    fn instance(&mut self, items: &mut Vec<Item>) -> Res<()> {
        self.expect("template")?;
        if self.is("struct") || self.is("class") {
            self.skip_statement();
            return Ok(());
        }
        if self.specifiers()?.ty.is_none() {
            return Err(self.no_type());
        }
        while self.eat("*") || self.eat("&") {}
        let span = self.span();
        let name = self.name("the name of a template")?;
        let arguments = match self.is("<") {
            true => Some(self.template_arguments()?),
            false => None,
        };
        let parameters = self.parameters()?;
        self.expect(";")?;
        let types = parameters.into_iter().map(|one| Some(one.ty)).collect();
        items.push(Item::Instance(name, arguments, types, span));
        Ok(())
    }

    /// `template <typename T> constexpr bool name = …;`
    pub(super) fn variable_template(
        &mut self,
        specifiers: &Specifiers,
        ty: &TypeSyntax,
        mut declarator: Declarator,
        template: Vec<TemplateParameter>,
        items: &mut Vec<Item>,
    ) -> Res<()> {
        let special = declarator.special.take();
        if let Some(name) = &declarator.name {
            self.templates.insert(name.clone());
        }
        for variable in self.variables(specifiers, ty, declarator)? {
            items.push(Item::VariableTemplate(Rc::new(VariableTemplate {
                template: template.clone(),
                variable,
                special: special.clone(),
            })));
        }
        Ok(())
    }
}
