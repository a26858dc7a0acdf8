//! What stands between the braces of a struct.

use super::declarators::Declarator;
use super::types::{Specifiers, syntax};
use super::{Names, Parser};
use crate::diagnostics::Res;
use crate::syntax::{
    Expr, ExprKind, Init, MemberType, NAMED_BASE, Name, Part, Path, Scalar, StructSyntax,
    TemplateParameter, TypeKind, TypeSyntax, Unary, Variable,
};

impl Parser<'_> {
    pub(super) fn member(&mut self, into: &mut StructSyntax) -> Res<()> {
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
            "using" => return self.member_alias(None, into),
            _ if self.is_friend() => return self.friend(into),
            "static_assert" => {
                let check = self.static_assert()?;
                into.checks.push(check);
                return Ok(());
            }
            _ => {}
        }
        let mut template = None;
        if self.is("template") {
            self.types.push(Names::default());
            template = Some(self.template_parameters()?);
            let scope = self.types.pop().unwrap_or_default();
            if let Some(newest) = self.types.last_mut() {
                newest.types.extend(scope.types);
            }
            if self.is("using") {
                return self.member_alias(template, into);
            }
            if self.is("struct") || self.is("class") || self.is("union") {
                let ty = self.struct_type(template)?;
                self.expect(";")?;
                let before = into.fields.len();
                into.types.push((before, MemberType::Type(ty)));
                return Ok(());
            }
        }
        let start = self.at;
        let mut specifiers = self.specifiers_of_member(&into.name)?;
        if specifiers.ty.is_none() && self.is("operator") {
            let function = self.conversion(specifiers)?;
            into.functions.push(function);
            return Ok(());
        }
        let Some(ty) = specifiers.ty.take() else {
            if self.is("~") {
                return self.destructor(specifiers, into);
            }
            // A constructor: its name is the struct's.
            if self.peek().text != into.name || !self.ahead(1).is("(") {
                self.at = start.max(self.at);
                return Err(self.no_type());
            }
            let span = self.span();
            let name = self.next().text;
            let ty = syntax(TypeKind::Scalar(Scalar::Void), span);
            let declarator = Declarator::plain(name, ty, span);
            let function = self.function(specifiers, declarator, template, true)?;
            self.add_function(function, into);
            return Ok(());
        };
        self.member_of_type(specifiers, ty, template, into)
    }

    /// A member that begins with this type: a type itself, a function or fields.
    #[inline(never)]
    fn member_of_type(
        &mut self,
        specifiers: Specifiers,
        ty: TypeSyntax,
        template: Option<Vec<TemplateParameter>>,
        into: &mut StructSyntax,
    ) -> Res<()> {
        let before = into.fields.len();
        if matches!(ty.kind, TypeKind::Struct(_) | TypeKind::Enum(_)) {
            into.types.push((before, MemberType::Type(ty.clone())));
        }
        if self.is(";") {
            self.at += 1;
            if matches!(&ty.kind, TypeKind::Struct(of) if of.name.is_empty()) {
                // Its members are named as if they were members of this one.
                let name: Name = format!("(unnamed {before})").into();
                let field = Variable::plain(name, ty, Init::None, specifiers.span);
                into.fields.push(field);
            }
            return Ok(());
        }
        if self.is(":") {
            let name: Name = format!("(no name {before})").into();
            let field = Variable::plain(name.clone(), ty.clone(), Init::None, self.span());
            self.at += 1;
            let bits = self.conditional()?;
            into.bits.push((name, bits));
            into.fields.push(field);
            return self.more_fields(&specifiers, &ty, into);
        }
        let declarator = self.declarator(ty.clone())?;
        if specifiers.is_typedef {
            let name = declarator.name.unwrap_or_else(|| "".into());
            self.expect(";")?;
            self.declare_type(&name);
            let alias = MemberType::Alias(name, declarator.ty, None);
            into.types.push((before, alias));
        } else if self.is("(") && declarator.name.is_some() {
            let function = self.function(specifiers, declarator, template, false)?;
            self.add_function(function, into);
        } else if self.is(":") {
            let name = declarator.name.unwrap_or_else(|| "".into());
            self.at += 1;
            let bits = self.conditional()?;
            into.bits.push((name.clone(), bits));
            let mut field = Variable::plain(name, declarator.ty, Init::None, declarator.span);
            field.init = self.initialiser()?;
            into.fields.push(field);
            return self.more_fields(&specifiers, &ty, into);
        } else {
            let fields = self.variables(&specifiers, &ty, declarator)?;
            into.fields.extend(fields);
        }
        Ok(())
    }

    /// What stands behind a member of some bits: `;`, or more such.
    #[inline(never)]
    fn more_fields(
        &mut self,
        specifiers: &Specifiers,
        ty: &TypeSyntax,
        into: &mut StructSyntax,
    ) -> Res<()> {
        if !self.eat(",") {
            self.expect(";")?;
            return Ok(());
        }
        let again = Specifiers {
            is_static: specifiers.is_static,
            ..Specifiers::default()
        };
        self.member_of_type(again, ty.clone(), None, into)
    }

    /// `using Name = T;`, or `using Base::function;`, which adds nothing where only the base has the name.
    #[inline(never)]
    fn member_alias(
        &mut self,
        template: Option<Vec<TemplateParameter>>,
        into: &mut StructSyntax,
    ) -> Res<()> {
        self.at += 1;
        if !self.ahead(1).is("=") {
            self.eat("typename");
            let path = self.path()?;
            self.eat("...");
            self.expect(";")?;
            if let [.., base, last] = &path.parts[..]
                && base.name == last.name
            {
                let taken = MemberType::Using(crate::syntax::CONSTRUCTOR.into());
                into.types.push((into.fields.len(), taken));
                return Ok(());
            }
            if let Some(last) = path.parts.last() {
                let taken = MemberType::Using(last.name.clone());
                into.types.push((into.fields.len(), taken));
            }
            return Ok(());
        }
        let name = self.name("the new name of a type")?;
        self.expect("=")?;
        let ty = self.type_name()?;
        self.expect(";")?;
        self.declare_type(&name);
        if template.is_some() {
            self.templates.insert(name.clone());
        }
        let alias = MemberType::Alias(name, ty, template);
        into.types.push((into.fields.len(), alias));
        Ok(())
    }

    /// `x.Base::member`, of which `x.Base` is read.
    #[inline(never)]
    pub(super) fn member_of_base(
        &mut self,
        object: Expr,
        first: Part,
        is_arrow: bool,
    ) -> Res<ExprKind> {
        let (span, depth) = (object.span, object.depth);
        let mut parts = vec![first];
        while self.eat("::") {
            self.eat("~");
            let name = match self.is("operator") {
                true => self.operator_name()?,
                false => self.name("a member's name")?,
            };
            let arguments = match self.is("<") && self.templates.contains(&name) {
                true => Some(self.template_arguments()?),
                false => None,
            };
            parts.push(Part { name, arguments });
        }
        let Some(last) = parts.pop() else {
            return Err(self.sink.error(span, "a member's name was expected here"));
        };
        let base = syntax(TypeKind::Path(Path { span, parts }), span);
        let base = syntax(TypeKind::Reference(Box::new(base)), span);
        let object = match is_arrow {
            true => Expr {
                span,
                kind: ExprKind::Unary(Unary::Deref, Box::new(object)),
                depth: depth + 1,
            },
            false => object,
        };
        let depth = object.depth + 1;
        let kind = ExprKind::Cast(NAMED_BASE, Box::new(base), Box::new(object));
        let object = Expr { span, kind, depth };
        Ok(ExprKind::Member(Box::new(object), last, false))
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
            "virtual",
            "__forceinline__",
            "__noinline__",
            "__inline__",
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
}
