//! Declarators: a name among what makes pointers, references, arrays and functions of a type.

use super::types::{Specifiers, syntax};
use super::{Parser, is_keyword};
use crate::diagnostics::Res;
use crate::lex::Kind;
use crate::source::Span;
use crate::syntax::{Name, Parameter, TemplateArgument, TypeKind, TypeSyntax};

/// A name and what it is declared as.
#[derive(Debug)]
pub(super) struct Declarator {
    pub(super) span: Span,
    pub(super) name: Option<Name>,
    /// What stands behind the name of a template's special case.
    pub(super) special: Option<Vec<TemplateArgument>>,
    /// The struct whose member it is, where that is defined outside.
    pub(super) outer: Option<Name>,
    pub(super) ty: TypeSyntax,
}

impl Declarator {
    /// A name alone.
    pub(super) fn plain(name: Name, ty: TypeSyntax, span: Span) -> Self {
        Self {
            span,
            name: Some(name),
            special: None,
            outer: None,
            ty,
        }
    }
}

impl Parser<'_> {
    /// What follows a type in a declaration.
    pub(super) fn declarator(&mut self, base: TypeSyntax) -> Res<Declarator> {
        self.deeper(|parser| parser.declarator_here(base))
    }

    fn declarator_here(&mut self, mut base: TypeSyntax) -> Res<Declarator> {
        loop {
            let span = base.span.to(self.span());
            if self.eat("*") {
                base = syntax(TypeKind::Pointer(Box::new(base)), span);
            } else if self.is("&") || self.is("&&") {
                let is_rvalue = &*self.next().text == "&&";
                base = syntax(TypeKind::Reference(Box::new(base)), span);
                base.is_rvalue = is_rvalue;
            } else if self.eat("const") {
                base.is_const = true;
            } else if self.eat("volatile") {
                base.is_volatile = true;
            } else if self.eat("__restrict__") || self.eat("__restrict") || self.eat("restrict") {
                base.is_restrict = true;
            } else {
                break;
            }
        }
        let mut more = Specifiers::default();
        while self.attribute(&mut more)? {}
        if let Some(align) = more.align {
            return Err(self.sink.gap(align.span, "alignment behind the type"));
        }
        let span = self.span();
        self.refuse_pointer_to_member()?;
        if self.is("(") && (self.ahead(1).is("*") || self.ahead(1).is("&")) {
            self.at += 1;
            let inner_at = self.at;
            // What stands in the brackets applies to what follows them: read that first.
            let mut open = 1_usize;
            while open > 0 && !self.is_end() {
                open += usize::from(self.is("("));
                open -= usize::from(self.is(")"));
                self.at += 1;
            }
            let base = match self.is("(") {
                true => self.function_type(base)?,
                false => self.suffixes(base)?,
            };
            let after = self.at;
            self.at = inner_at;
            let inner = self.declarator(base)?;
            self.expect(")")?;
            self.at = after;
            return Ok(inner);
        }
        let mut outer = None;
        if let Some(length) = self.qualifier() {
            outer = Some(self.peek().text.clone());
            self.at += length;
        }
        let name = match self.peek().kind {
            _ if outer.is_some() && self.is("~") => {
                self.at += 1;
                self.name("the name of the struct")?;
                Some(crate::syntax::DESTRUCTOR.into())
            }
            Kind::Name if self.is("operator") => Some(self.operator_name()?),
            Kind::Name if !is_keyword(&self.peek().text) => Some(self.next().text),
            _ => None,
        };
        let mut special = None;
        if self.is("<")
            && name
                .as_ref()
                .is_some_and(|name| self.templates.contains(name))
        {
            special = Some(self.template_arguments()?);
        }
        let brackets = self.at;
        let ty = self.suffixes(base)?;
        if name.is_none() {
            self.refuse_brackets_before_name(brackets)?;
        }
        Ok(Declarator {
            span,
            name,
            special,
            outer,
            ty,
        })
    }

    /// `float Point::*part` and `float (Point::*get)() const`.
    fn refuse_pointer_to_member(&mut self) -> Res<()> {
        let first = usize::from(self.is("("));
        let is_name = self.ahead(first).kind == Kind::Name;
        if is_name && self.ahead(first + 1).is("::") && self.ahead(first + 2).is("*") {
            return Err(self.sink.gap(self.span(), "a pointer to a member"));
        }
        Ok(())
    }

    /// `[4][8]`; `(int, float)` is taken by who knows that it is a function.
    fn suffixes(&mut self, base: TypeSyntax) -> Res<TypeSyntax> {
        let mut sizes = Vec::new();
        while self.is("[") && !self.ahead(1).is("[") {
            self.at += 1;
            let size = if self.is("]") {
                None
            } else {
                Some(Box::new(self.in_brackets(Self::expression)?))
            };
            self.expect("]")?;
            sizes.push(size);
            if sizes.len() > 8 {
                return Err(self.too_deep(base.span));
            }
        }
        let wrap = |inner: TypeSyntax, size| {
            syntax(TypeKind::Array(Box::new(inner.clone()), size), inner.span)
        };
        Ok(sizes.into_iter().rev().fold(base, wrap))
    }

    pub(super) fn operator_name(&mut self) -> Res<Name> {
        self.at += 1;
        let first = self.next();
        let text = match &*first.text {
            "(" => {
                self.expect(")")?;
                "operator()".to_string()
            }
            "[" => {
                self.expect("]")?;
                "operator[]".to_string()
            }
            other if first.kind == Kind::Punctuation => format!("operator{other}"),
            _ => return Err(self.sink.error(first.span, "an operator was expected here")),
        };
        Ok(text.into())
    }

    /// A function as a type, of which the result's has been read.
    pub(super) fn function_type(&mut self, returns: TypeSyntax) -> Res<TypeSyntax> {
        let span = returns.span;
        let parameters = self.parameters()?;
        let signature = crate::syntax::Signature {
            returns,
            parameters,
        };
        Ok(syntax(
            TypeKind::Function(std::rc::Rc::new(signature)),
            span,
        ))
    }

    /// The parameters of a function, in brackets.
    pub(super) fn parameters(&mut self) -> Res<Vec<Parameter>> {
        self.expect("(")?;
        let mut list = Vec::new();
        if self.is("void") && self.ahead(1).is(")") {
            self.at += 1;
        }
        while !self.is(")") && !self.is_end() {
            let (start, first) = (self.span(), self.at);
            let specifiers = self.specifiers()?;
            let of_variable =
                specifiers.is_shared || specifiers.is_constant || specifiers.is_managed;
            if of_variable || specifiers.is_device {
                let word = self.tokens[first].text.clone();
                let help = "a pointer reaches all kinds of memory: leave the word out";
                let message =
                    format!("`{word}` says where a variable lies, which a parameter does not");
                self.sink.error_help(start, message, help);
            }
            let Some(ty) = specifiers.ty else {
                return Err(self.no_type());
            };
            let mut declarator = self.declarator(ty)?;
            let mut packs = None;
            if self.is("...") {
                packs = Some(self.packs_since(first));
                self.at += 1;
                if self.peek().kind == Kind::Name {
                    let name = self.name("a name")?;
                    self.packs.insert(name.clone());
                    declarator.name = Some(name);
                }
            }
            if self.is("(") {
                declarator.ty = self.function_type(declarator.ty)?;
            }
            let default = if self.eat("=") {
                Some(self.in_brackets(Self::assignment)?)
            } else {
                None
            };
            list.push(Parameter {
                span: start.to(self.last()),
                name: declarator.name,
                ty: declarator.ty,
                default,
                packs,
            });
            if !self.eat(",") && !self.slip_behind_parameter()? {
                break;
            }
        }
        self.expect(")")?;
        Ok(list)
    }
}
