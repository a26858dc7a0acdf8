//! Structs, unions and enumerations with their members.

use super::types::{Declarator, syntax};
use super::{Names, Parser};
use crate::diagnostics::Res;
use crate::lex::Kind;
use crate::syntax::{
    CONVERSION, EnumSyntax, Function, Name, Scalar, StmtKind, StructSyntax, TemplateParameter,
    TypeKind, TypeSyntax,
};
use std::rc::Rc;

impl Parser<'_> {
    /// `struct Name { … }`, or the use of one that is known.
    pub(super) fn struct_type(
        &mut self,
        template: Option<Vec<TemplateParameter>>,
    ) -> Res<TypeSyntax> {
        let name = self.ahead(1).text.clone();
        let result = self.struct_type_here(template);
        if result.is_err() {
            self.sink.is_unread(&name);
        }
        result
    }

    fn struct_type_here(&mut self, template: Option<Vec<TemplateParameter>>) -> Res<TypeSyntax> {
        let start = self.span();
        let is_union = &*self.next().text == "union";
        let mut align = None;
        while self.is("alignas") || self.is("__align__") {
            self.at += 1;
            self.expect("(")?;
            align = Some(self.assignment()?);
            self.expect(")")?;
        }
        let name: Name = match self.peek().kind {
            Kind::Name => self.name("a name")?,
            _ => "".into(),
        };
        let mut special = None;
        if self.is("<") && template.is_some() {
            special = Some(self.template_arguments()?);
        }
        if !name.is_empty() {
            let scope = if template.is_some() {
                0
            } else {
                self.types.len() - 1
            };
            self.types[scope].types.insert(name.clone());
            if template.is_some() {
                self.templates.insert(name.clone());
            }
        }
        let mut base = None;
        if self.eat(":") {
            while ["public", "private", "protected"]
                .iter()
                .any(|word| self.eat(word))
            {}
            if self.is("virtual") {
                return Err(self.sink.gap(self.span(), "`virtual`"));
            }
            base = Some(self.type_name()?);
            if self.is(",") {
                let what = "a struct that inherits from more than one";
                return Err(self.sink.gap(self.span(), what));
            }
        }
        if !self.is("{") && !self.is(";") && !name.is_empty() {
            let part = crate::syntax::Part {
                name,
                arguments: None,
            };
            let path = crate::syntax::Path {
                span: start,
                parts: vec![part],
            };
            return Ok(syntax(TypeKind::Path(path), start));
        }
        let mut made = StructSyntax {
            span: start,
            name,
            template,
            special,
            base,
            is_union,
            align,
            fields: Vec::new(),
            functions: Vec::new(),
            aliases: Vec::new(),
            checks: Vec::new(),
        };
        if self.eat("{") {
            self.types.push(Names::default());
            let result = self.deeper(|parser| {
                while !parser.is("}") {
                    if parser.is_end() {
                        parser.expect("}")?;
                    }
                    parser.member(&mut made)?;
                }
                Ok(())
            });
            self.types.pop();
            result?;
            self.at += 1;
        }
        Ok(syntax(TypeKind::Struct(Rc::new(made)), start))
    }

    fn member(&mut self, into: &mut StructSyntax) -> Res<()> {
        let token = self.peek().clone();
        match &*token.text {
            ";" => {
                self.at += 1;
                return Ok(());
            }
            "public" | "private" | "protected" => {
                self.at += 1;
                self.expect(":")?;
                return Ok(());
            }
            "using" => {
                self.at += 1;
                let name = self.name("the new name of a type")?;
                self.expect("=")?;
                let ty = self.type_name()?;
                self.expect(";")?;
                self.declare_type(&name);
                into.aliases.push((name, ty));
                return Ok(());
            }
            "static_assert" => {
                let check = self.static_assert()?;
                into.checks.push(check);
                return Ok(());
            }
            _ => {}
        }
        let mut template = None;
        if self.is("template") {
            template = Some(self.template_parameters()?);
        }
        let start = self.at;
        let mut specifiers = self.specifiers_of_member(&into.name)?;
        if specifiers.ty.is_none() && self.is("operator") {
            let function = self.conversion(specifiers)?;
            into.functions.push(function);
            return Ok(());
        }
        let Some(ty) = specifiers.ty.take() else {
            // A constructor: its name is the struct's.
            if self.is("~") {
                return Err(self.sink.gap(self.span(), "a destructor"));
            }
            if self.peek().text != into.name || !self.ahead(1).is("(") {
                self.at = start.max(self.at);
                return Err(self.no_type());
            }
            let span = self.span();
            let name = Some(self.next().text);
            let ty = syntax(TypeKind::Scalar(Scalar::Void), span);
            let declarator = Declarator {
                span,
                name,
                special: None,
                ty,
            };
            let function = self.function(specifiers, declarator, template, true)?;
            self.add_function(function, into);
            return Ok(());
        };
        if self.eat(";") {
            return Err(self
                .sink
                .gap(ty.span, "a struct without a name inside another"));
        }
        let declarator = self.declarator(ty.clone())?;
        if self.is("(") {
            let function = self.function(specifiers, declarator, template, false)?;
            self.add_function(function, into);
        } else if self.is(":") {
            // Read to its end, so that the other members are known.
            self.at += 1;
            self.conditional()?;
            self.sink.gap(declarator.span, "a member of some bits");
            let fields = self.variables(&specifiers, &ty, declarator)?;
            into.fields.extend(fields);
        } else {
            let fields = self.variables(&specifiers, &ty, declarator)?;
            into.fields.extend(fields);
        }
        Ok(())
    }

    /// Keeps a member function, but for copying as the compiler does it by itself, and what is deleted.
    fn add_function(&self, function: Rc<Function>, into: &mut StructSyntax) {
        let word = &self.tokens[self.at.saturating_sub(2)];
        let is_of_compiler = word.is("default") || word.is("delete");
        if function.body.is_some() || !is_of_compiler {
            into.functions.push(function);
        }
    }

    /// `operator float() const { … }`.
    fn conversion(&mut self, specifiers: super::types::Specifiers) -> Res<Rc<Function>> {
        let span = self.next().span;
        let inner = self.specifiers()?;
        let Some(mut ty) = inner.ty else {
            return Err(self.no_type());
        };
        while self.eat("*") {
            ty = syntax(TypeKind::Pointer(Box::new(ty)), span);
        }
        let name = Some(CONVERSION.into());
        let declarator = Declarator {
            span,
            name,
            special: None,
            ty,
        };
        self.function(specifiers, declarator, None, false)
    }

    /// As [`Parser::specifiers`], but `Name(` is a constructor, no type.
    fn specifiers_of_member(&mut self, of: &Name) -> Res<super::types::Specifiers> {
        let mut at = self.at;
        while [
            "__device__",
            "__host__",
            "inline",
            "constexpr",
            "explicit",
            "__forceinline__",
        ]
        .iter()
        .any(|word| self.tokens[at].is(word))
        {
            at += 1;
        }
        let is_constructor =
            self.tokens[at].text == *of && self.tokens.get(at + 1).is_some_and(|next| next.is("("));
        if !is_constructor {
            return self.specifiers();
        }
        let hidden: Vec<bool> = self
            .types
            .iter_mut()
            .map(|scope| scope.types.remove(of))
            .collect();
        let result = self.specifiers();
        for (scope, was) in self.types.iter_mut().zip(hidden) {
            if was {
                scope.types.insert(of.clone());
            }
        }
        result
    }

    pub(super) fn enum_type(&mut self) -> Res<TypeSyntax> {
        let start = self.next().span;
        let is_scoped = self.eat("class") || self.eat("struct");
        let name = if self.peek().kind == Kind::Name {
            Some(self.name("a name")?)
        } else {
            None
        };
        if let Some(name) = &name {
            self.declare_type(name);
        }
        let mut underlying = None;
        if self.eat(":") {
            underlying = Some(self.type_name()?);
        }
        let mut values = Vec::new();
        if !self.is("{")
            && let Some(name) = name
        {
            let part = crate::syntax::Part {
                name,
                arguments: None,
            };
            let path = crate::syntax::Path {
                span: start,
                parts: vec![part],
            };
            return Ok(syntax(TypeKind::Path(path), start));
        }
        self.expect("{")?;
        while !self.is("}") && !self.is_end() {
            let name = self.name("the name of a value")?;
            let value = if self.eat("=") {
                Some(self.conditional()?)
            } else {
                None
            };
            values.push((name, value));
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}")?;
        let made = EnumSyntax {
            name,
            is_scoped,
            underlying,
            values,
        };
        Ok(syntax(TypeKind::Enum(Rc::new(made)), start))
    }

    pub(super) fn static_assert(&mut self) -> Res<crate::syntax::Stmt> {
        let start = self.next().span;
        self.expect("(")?;
        let condition = self.conditional()?;
        let mut said = None;
        if self.eat(",") {
            said = Some(
                String::from_utf8_lossy(&crate::numbers::unquote(&self.next().text))
                    .as_ref()
                    .into(),
            );
        }
        self.expect(")")?;
        self.expect(";")?;
        Ok(crate::syntax::Stmt {
            span: start,
            kind: StmtKind::StaticAssert(condition, said),
        })
    }
}
