//! Types as declarations begin with them: whether one stands here, and the specifiers and words that it is made of.

use super::Parser;
use crate::diagnostics::Res;
use crate::lex::Kind;
use crate::source::Span;
use crate::syntax::{Expr, Runs, Scalar, TypeKind, TypeSyntax};

/// What stands before a declarator.
#[derive(Debug, Default)]
pub(super) struct Specifiers {
    pub(super) span: Span,
    pub(super) ty: Option<TypeSyntax>,
    pub(super) is_typedef: bool,
    pub(super) is_static: bool,
    pub(super) is_extern: bool,
    pub(super) is_extern_c: bool,
    pub(super) is_constexpr: bool,
    pub(super) is_shared: bool,
    pub(super) is_constant: bool,
    pub(super) is_device: bool,
    pub(super) is_managed: bool,
    pub(super) is_virtual: bool,
    pub(super) runs: Runs,
    pub(super) align: Option<Expr>,
    pub(super) launch_bounds: Vec<Expr>,
    pub(super) cluster_dims: Vec<Expr>,
    pub(super) max_registers: Option<Expr>,
    pub(super) is_const: bool,
    pub(super) is_volatile: bool,
    /// Whether these stand behind the type, before the declarator.
    pub(super) is_behind_type: bool,
    /// Whether these begin a function that no kernel may call, outside of a struct.
    pub(super) is_of_host: bool,
}

pub(super) fn syntax(kind: TypeKind, span: Span) -> TypeSyntax {
    TypeSyntax {
        span,
        kind,
        is_const: false,
        is_volatile: false,
        is_restrict: false,
        is_rvalue: false,
    }
}

pub(super) const SCALAR_WORDS: [&str; 10] = [
    "void", "bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double",
];

impl Parser<'_> {
    /// Whether a type begins here.
    pub(super) fn is_type(&self) -> bool {
        let token = self.peek();
        if token.kind != Kind::Name {
            return false;
        }
        let text = &*token.text;
        if text == "decltype" && self.is_path_of_decltype() {
            let last = self.ahead(self.behind_decltype() + 1);
            return self
                .member_types
                .values()
                .any(|types| types.contains(&last.text));
        }
        SCALAR_WORDS.contains(&text)
            || matches!(
                text,
                "const"
                    | "volatile"
                    | "auto"
                    | "decltype"
                    | "typename"
                    | "struct"
                    | "union"
                    | "enum"
                    | "class"
            )
            || (self.is_type_name(text) && self.is_type_after_all())
    }

    /// A type, or what `...` behind it makes of it.
    pub(super) fn expanded_type(&mut self, ty: TypeSyntax, start: usize) -> TypeSyntax {
        if !self.is("...") {
            return ty;
        }
        let packs = self.packs_since(start);
        self.at += 1;
        syntax(TypeKind::Expand(packs, Box::new(ty.clone())), ty.span)
    }

    /// Whether a type's name stands here as the name that is declared: `typedef unsigned int uint;`.
    fn is_declared_anew(&self) -> bool {
        let next = self.ahead(1);
        self.is_type_name(&self.peek().text)
            && [";", ",", "=", "["].iter().any(|after| next.is(after))
    }

    /// Everything before the declarator.
    pub(super) fn specifiers(&mut self) -> Res<Specifiers> {
        self.specifiers_here(false)
    }

    /// What else may stand between a type and its declarator.
    pub(super) fn specifiers_behind_type(&mut self) -> Res<Specifiers> {
        self.specifiers_here(true)
    }

    fn specifiers_here(&mut self, is_behind_type: bool) -> Res<Specifiers> {
        let mut found = Specifiers {
            span: self.span(),
            is_behind_type,
            ..Specifiers::default()
        };
        let mut words: Vec<String> = Vec::new();
        loop {
            if self.attribute(&mut found)? {
                continue;
            }
            let token = self.peek().clone();
            let text = &*token.text;
            if token.kind == Kind::Name && SCALAR_WORDS.contains(&text) {
                words.push(text.to_string());
                self.at += 1;
            } else if found.ty.is_none()
                && words.is_empty()
                && token.kind == Kind::Name
                && (self.is_type() || text == "typename")
                && !(found.is_behind_type && self.is_declared_anew())
            {
                found.ty = Some(self.base_type()?);
            } else {
                break;
            }
        }
        if !words.is_empty() {
            let span = found.span.to(self.last());
            let Some(scalar) = scalar_of(&words) else {
                return Err(self
                    .sink
                    .error(span, format!("`{}` is no type", words.join(" "))));
            };
            found.ty = Some(syntax(TypeKind::Scalar(scalar), span));
        }
        let (is_const, is_volatile) = (found.is_const || found.is_constexpr, found.is_volatile);
        if let Some(ty) = &mut found.ty {
            ty.is_const |= is_const;
            ty.is_volatile |= is_volatile;
        }
        Ok(found)
    }

    /// A type that is not made of scalar words.
    fn base_type(&mut self) -> Res<TypeSyntax> {
        let token = self.peek().clone();
        match &*token.text {
            "auto" => {
                self.at += 1;
                Ok(syntax(TypeKind::Auto, token.span))
            }
            "decltype" if !self.is_path_of_decltype() => self.decltype(),
            "struct" | "class" | "union" => self.struct_type(None),
            "enum" => self.enum_type(),
            _ => {
                self.eat("typename");
                let path = self.path()?;
                Ok(syntax(TypeKind::Path(path.clone()), path.span))
            }
        }
    }

    /// A type and an abstract declarator, as in casts.
    pub(super) fn type_name(&mut self) -> Res<TypeSyntax> {
        let specifiers = self.specifiers()?;
        let Some(ty) = specifiers.ty else {
            return Err(self.no_type());
        };
        Ok(self.declarator(ty)?.ty)
    }

    /// Where `>` is an operator again.
    pub(super) fn in_brackets<T>(&mut self, part: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let outer = std::mem::replace(&mut self.in_template, false);
        let result = part(self);
        self.in_template = outer;
        result
    }
}

/// The type that these words together name, in any order.
fn scalar_of(words: &[String]) -> Option<Scalar> {
    let count = |word: &str| words.iter().filter(|other| *other == word).count();
    let (unsigned, longs) = (count("unsigned") > 0, count("long"));
    let only = |scalar| (words.len() == 1).then_some(scalar);
    let of = |signed, other| Some(if unsigned { other } else { signed });
    match () {
        () if count("void") > 0 => only(Scalar::Void),
        () if count("bool") > 0 => only(Scalar::Bool),
        () if count("float") > 0 => only(Scalar::Float),
        () if count("double") > 0 => only(Scalar::Double),
        () if count("char") > 0 && count("signed") > 0 => Some(Scalar::SChar),
        () if count("char") > 0 => of(Scalar::Char, Scalar::UChar),
        () if count("short") > 0 => of(Scalar::Short, Scalar::UShort),
        () if longs == 1 => of(Scalar::Long, Scalar::ULong),
        () if longs == 2 => of(Scalar::LongLong, Scalar::ULongLong),
        () if longs == 0 => of(Scalar::Int, Scalar::UInt),
        () => None,
    }
}
