//! What stands outside of functions: namespaces, aliases, variables, types. Functions and templates have their own files.

use super::Parser;
use super::declarators::Declarator;
use super::types::Specifiers;
use crate::diagnostics::Res;
use crate::lex::Kind;
use crate::syntax::{Init, Item, Scalar, Storage, TemplateParameter, TypeKind, Variable};

impl Parser<'_> {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.is_end() && !self.sink.is_full() {
            let before = self.at;
            let result = self.item(&mut items);
            items.extend(self.friends.drain(..).map(Item::Function));
            if result.is_err() {
                self.types.truncate(1);
                self.depth = 0;
                self.in_template = false;
                self.in_half = false;
                if self.at == before || !self.begins_item() {
                    self.skip_statement();
                    self.eat(";");
                }
                if self.at == before || self.is("}") {
                    self.at += 1;
                }
                self.at = self.at.min(self.tokens.len() - 1);
            }
        }
        items
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Res<()> {
        let token = self.peek().clone();
        match &*token.text {
            ";" => {
                self.at += 1;
                Ok(())
            }
            "}" => {
                let help = "remove it, or look for a `{` that is missing above";
                Err(self
                    .sink
                    .error_help(token.span, "this `}` closes nothing", help))
            }
            "namespace" => self.namespace(items),
            "extern" if self.ahead(1).kind == Kind::Text && self.ahead(2).is("{") => {
                self.at += 3;
                let outer = std::mem::replace(&mut self.in_extern_c, true);
                let result = self.items_up_to_brace(items);
                self.in_extern_c = outer;
                result
            }
            "using" => self.declaration_or_host(items, |parser, items| parser.alias(None, items)),
            "static_assert" => {
                items.push(Item::StaticAssert(self.static_assert()?));
                Ok(())
            }
            "template" => self.declaration_or_host(items, Self::template),
            _ if token.kind == Kind::Pragma => {
                self.skip_pragma();
                Ok(())
            }
            _ => self.declaration_or_host(items, |parser, items| parser.declaration(None, items)),
        }
    }

    fn skip_pragma(&mut self) {
        while !self.is_end() && self.next().kind != Kind::PragmaEnd {}
    }

    fn namespace(&mut self, items: &mut Vec<Item>) -> Res<()> {
        self.at += 1;
        if !self.is("{") {
            let span = self.span();
            self.name("a namespace's name")?;
            if self.is("=") || self.is("::") {
                return Err(self.sink.gap(span, "a namespace inside another name"));
            }
        }
        self.expect("{")?;
        self.items_up_to_brace(items)
    }

    fn items_up_to_brace(&mut self, items: &mut Vec<Item>) -> Res<()> {
        self.deeper(|parser| {
            while !parser.is("}") {
                if parser.is_end() {
                    parser.expect("}")?;
                }
                parser.item(items)?;
            }
            parser.at += 1;
            Ok(())
        })
    }

    pub(super) fn alias(
        &mut self,
        template: Option<Vec<TemplateParameter>>,
        items: &mut Vec<Item>,
    ) -> Res<()> {
        let start = self.span();
        self.at += 1;
        if self.is("namespace") {
            return Err(self.sink.gap(start, "`using namespace`"));
        }
        let name = self.name("the new name of a type")?;
        if !self.is("=") {
            return Err(self.sink.gap(start, "`using` of a name from elsewhere"));
        }
        self.at += 1;
        let ty = self.type_name()?;
        self.expect(";")?;
        self.types[0].types.insert(name.clone());
        if template.is_some() {
            self.templates.insert(name.clone());
        }
        items.push(Item::Alias(name, ty, template));
        Ok(())
    }

    /// A function, variables or a type.
    pub(super) fn declaration(
        &mut self,
        template: Option<Vec<TemplateParameter>>,
        items: &mut Vec<Item>,
    ) -> Res<()> {
        let start = self.span();
        if template.is_some() && (self.is("struct") || self.is("class") || self.is("union")) {
            let ty = self.struct_type(template)?;
            self.expect(";")?;
            items.push(Item::Types(ty));
            return Ok(());
        }
        let mut specifiers = self.specifiers()?;
        let Some(ty) = specifiers.ty.take() else {
            if self.qualifier().is_some() {
                let void = super::types::syntax(TypeKind::Scalar(Scalar::Void), self.span());
                let declarator = self.declarator(void)?;
                return self.defined_outside(specifiers, declarator, template);
            }
            return Err(self.no_type());
        };
        if self.eat(";") {
            items.push(Item::Types(ty));
            return Ok(());
        }
        if matches!(ty.kind, TypeKind::Struct(_) | TypeKind::Enum(_)) {
            items.push(Item::Types(ty.clone()));
        }
        let declarator = self.function_declarator(&mut specifiers, ty.clone())?;
        if specifiers.is_typedef {
            let Some(name) = declarator.name else {
                return Err(self.sink.error(start, "`typedef` needs a name"));
            };
            self.expect(";")?;
            self.types[0].types.insert(name.clone());
            items.push(Item::Alias(name, declarator.ty, None));
            return Ok(());
        }
        if self.is("(") && declarator.outer.is_some() {
            return self.defined_outside(specifiers, declarator, template);
        }
        let is_value = self.is("(") && self.is_value_in_brackets(specifiers.is_constexpr);
        if self.is("(") && declarator.name.is_some() && !is_value {
            specifiers.is_of_host = Self::is_of_host(&specifiers);
            let function = self.function(specifiers, declarator, template, false)?;
            items.push(Item::Function(function));
            return Ok(());
        }
        if specifiers.runs == crate::syntax::Runs::Kernel
            && !self.is_end()
            && let Some(name) = &declarator.name
        {
            return Err(self.no_parameters(name));
        }
        if declarator.outer.is_some() {
            return self.value_outside(&specifiers, &ty, declarator, template);
        }
        if let Some(template) = template {
            return self.variable_template(&specifiers, &ty, declarator, template, items);
        }
        items.push(Item::Variables(self.variables(
            &specifiers,
            &ty,
            declarator,
        )?));
        Ok(())
    }

    /// Whether `(` here begins a variable's value, as in `constexpr float half(N / 2.0f);`, and no parameters.
    fn is_value_in_brackets(&mut self, is_constexpr: bool) -> bool {
        if self.ahead(1).kind == Kind::Number {
            return true;
        }
        let end = self.behind_brackets(self.at, "(", ")");
        if !is_constexpr || !end.is_some_and(|end| self.tokens[end].is(";")) {
            return false;
        }
        self.at += 1;
        let is_type = self.is_type() || self.is(")");
        self.at -= 1;
        !is_type
    }

    /// A declarator behind attributes such as `__launch_bounds__`, which may stand behind the type too.
    fn function_declarator(
        &mut self,
        specifiers: &mut Specifiers,
        ty: crate::syntax::TypeSyntax,
    ) -> Res<Declarator> {
        let more = self.specifiers_behind_type()?;
        if !more.launch_bounds.is_empty() {
            specifiers.launch_bounds = more.launch_bounds;
        }
        if !more.cluster_dims.is_empty() {
            specifiers.cluster_dims = more.cluster_dims;
        }
        specifiers.max_registers = specifiers.max_registers.take().or(more.max_registers);
        specifiers.align = specifiers.align.take().or(more.align);
        specifiers.is_shared |= more.is_shared;
        specifiers.is_device |= more.is_device;
        specifiers.is_constant |= more.is_constant;
        if more.runs != crate::syntax::Runs::Anywhere {
            specifiers.runs = more.runs;
        }
        if let Some(extra) = more.ty {
            return Err(self.sink.error(extra.span, "two types in one declaration"));
        }
        self.declarator(ty)
    }

    /// Whether a word stands here that begins something outside of functions.
    pub(super) fn begins_item(&self) -> bool {
        const WORDS: [&str; 13] = [
            "__constant__",
            "__device__",
            "__forceinline__",
            "__global__",
            "__host__",
            "__managed__",
            "extern",
            "inline",
            "namespace",
            "static",
            "struct",
            "template",
            "using",
        ];
        WORDS.iter().any(|word| self.is(word))
    }

    /// The rest of a declaration of variables, whose first declarator is read.
    pub(super) fn variables(
        &mut self,
        specifiers: &Specifiers,
        base: &crate::syntax::TypeSyntax,
        first: Declarator,
    ) -> Res<Vec<Variable>> {
        let storage = match () {
            () if specifiers.is_shared && specifiers.is_extern => Storage::ExternShared,
            () if specifiers.is_shared => Storage::Shared,
            () if specifiers.is_constant => Storage::Constant,
            () if specifiers.is_managed => Storage::Managed,
            () if specifiers.is_device => Storage::Device,
            () => Storage::Plain,
        };
        let mut list = Vec::new();
        let mut declarator = first;
        loop {
            let Some(name) = declarator.name.clone() else {
                return Err(self.wanted("a name"));
            };
            let init = self.initialiser()?;
            list.push(Variable {
                span: declarator.span,
                name,
                ty: declarator.ty,
                storage,
                is_static: specifiers.is_static,
                is_constexpr: specifiers.is_constexpr,
                align: specifiers.align.clone(),
                init,
            });
            if !self.eat(",") {
                break;
            }
            declarator = self.declarator(base.clone())?;
        }
        self.expect(";")?;
        Ok(list)
    }

    pub(super) fn initialiser(&mut self) -> Res<Init> {
        if self.is("==") {
            let help = "`=` gives a first value; `==` compares";
            return Err(self
                .sink
                .error_help(self.span(), "`==` in a declaration", help));
        }
        if self.eat("=") {
            return Ok(match self.eat("{") {
                true => Init::Braces(self.expressions_up_to("}")?),
                false => {
                    let value = self.assignment()?;
                    self.binds(&value);
                    Init::Value(value)
                }
            });
        }
        if self.eat("{") {
            return Ok(Init::Braces(self.expressions_up_to("}")?));
        }
        if self.eat("(") {
            return Ok(Init::Brackets(self.expressions_up_to(")")?));
        }
        Ok(Init::None)
    }
}
