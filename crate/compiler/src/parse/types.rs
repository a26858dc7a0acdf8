//! Specifiers (`const unsigned`, `__shared__`) and declarators (`(*turned)[16]`).

use super::Parser;
use crate::diagnostics::Res;
use crate::lex::Kind;
use crate::source::Span;
use crate::syntax::{
    DECLTYPE, Expr, Name, Part, Path, Runs, Scalar, TemplateArgument, TypeKind, TypeSyntax,
};

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

    /// Whether a type's name is meant as one, not as where a static member lies (`Type::member`). What stands behind the
    /// last `::` is a type if some struct declares a type of that name.
    fn is_type_after_all(&self) -> bool {
        let mut at = 0;
        loop {
            let Some(behind) = self.behind_name(at) else {
                return true;
            };
            if !self.ahead(behind).is("::") {
                let name = &self.ahead(at).text;
                return at == 0 || self.member_types.values().any(|types| types.contains(name));
            }
            at = behind + 1;
            if self.ahead(at).is("template") {
                at += 1;
            }
        }
    }

    /// Where the token behind a name and its template arguments stands; none where those do not end.
    fn behind_name(&self, name: usize) -> Option<usize> {
        let mut at = name + 1;
        if !self.ahead(at).is("<") || !self.templates.contains(&self.ahead(name).text) {
            return Some(at);
        }
        let (mut open, mut brackets) = (0_i32, 0_i32);
        loop {
            let token = self.ahead(at);
            match &*token.text {
                "(" => brackets += 1,
                ")" => brackets -= 1,
                "<" if brackets == 0 => open += 1,
                ">" if brackets == 0 => open -= 1,
                ">>" if brackets == 0 => open -= 2,
                ";" | "{" => return None,
                _ if token.kind == Kind::End => return None,
                _ => {}
            }
            at += 1;
            if open <= 0 {
                return Some(at);
            }
        }
    }

    /// Where the token behind `a::b<c>` stands, which is a type; behind another word where one begins with that.
    pub(super) fn behind_type_name(&self) -> usize {
        let mut at = 0;
        while let Some(behind) = self.behind_name(at) {
            if !self.ahead(behind).is("::") {
                return behind;
            }
            at = behind + 1;
            at += usize::from(self.ahead(at).is("template"));
        }
        1
    }

    /// How many tokens name the struct of a member that is defined outside: `Name<T>::`.
    pub(super) fn qualifier(&self) -> Option<usize> {
        if self.peek().kind != Kind::Name || !self.structs.contains_key(&self.peek().text) {
            return None;
        }
        let behind = self.behind_name(0)?;
        self.ahead(behind).is("::").then_some(behind + 1)
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
    pub(super) fn is_declared_anew(&self) -> bool {
        let next = self.ahead(1);
        self.is_type_name(&self.peek().text)
            && [";", ",", "=", "["].iter().any(|after| next.is(after))
    }

    /// Attributes that may stand anywhere in a declaration; true if there was one.
    pub(super) fn attribute(&mut self, into: &mut Specifiers) -> Res<bool> {
        let token = self.peek().clone();
        match &*token.text {
            "inline" | "__inline__" | "__forceinline__" | "__noinline__" | "explicit"
            | "mutable" | "__grid_constant__" | "register" | "friend" | "noexcept" => {}
            "static" => into.is_static = true,
            "constexpr" => into.is_constexpr = true,
            "typedef" => into.is_typedef = true,
            "const" => into.is_const = true,
            "volatile" => into.is_volatile = true,
            "__global__" => into.runs = Runs::Kernel,
            "__host__" if into.runs == Runs::Anywhere && !into.is_device => into.runs = Runs::Host,
            "__host__" => {}
            "__device__" => {
                into.is_device = true;
                into.runs = Runs::Device;
            }
            "__shared__" => into.is_shared = true,
            "__constant__" => into.is_constant = true,
            "virtual" => into.is_virtual = true,
            "__managed__" => into.is_managed = true,
            "extern" => {
                self.at += 1;
                into.is_extern = true;
                if matches!(self.peek().kind, Kind::Text | Kind::Character) {
                    self.check_language();
                    into.is_extern_c = true;
                    into.is_extern = false;
                    self.at += 1;
                }
                return Ok(true);
            }
            "alignas" | "__align__" | "__launch_bounds__" | "__cluster_dims__" | "__maxnreg__" => {
                self.at += 1;
                let mut list = self.alignments()?;
                match &*token.text {
                    "__launch_bounds__" => into.launch_bounds = list,
                    "__cluster_dims__" => into.cluster_dims = list,
                    "__maxnreg__" => into.max_registers = list.pop(),
                    _ => into.align = list.pop(),
                }
                return Ok(true);
            }
            "[" if self.ahead(1).is("[") => {
                self.skip_attribute();
                return Ok(true);
            }
            "__attribute__" if self.ahead(1).is("(") => {
                self.skip_attribute_of_gnu();
                return Ok(true);
            }
            _ => return Ok(false),
        }
        self.at += 1;
        Ok(true)
    }

    /// `(16)` or `(float4)` behind `alignas`, and the numbers of other attributes.
    pub(super) fn alignments(&mut self) -> Res<Vec<Expr>> {
        self.expect("(")?;
        let mut list = Vec::new();
        while !self.is(")") && !self.is_end() {
            list.push(match self.is_type() {
                true => {
                    let ty = self.type_name()?;
                    let span = ty.span;
                    let kind = crate::syntax::ExprKind::AlignOfType(Box::new(ty));
                    self.made(kind, span, &[])?
                }
                false => self.assignment()?,
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(list)
    }

    /// `[[nodiscard]]` and the like, which change nothing here.
    pub(super) fn skip_attribute(&mut self) {
        while !(self.is_end() || self.is("]") && self.ahead(1).is("]")) {
            self.at += 1;
        }
        self.at = (self.at + 2).min(self.tokens.len() - 1);
    }

    /// `__attribute__((unused))` and the like.
    pub(super) fn skip_attribute_of_gnu(&mut self) {
        self.at += 1;
        let mut open = 0_usize;
        while !self.is_end() {
            open += usize::from(self.is("("));
            open = open.saturating_sub(usize::from(self.is(")")));
            self.at += 1;
            if open == 0 {
                return;
            }
        }
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

    fn decltype(&mut self) -> Res<TypeSyntax> {
        let span = self.next().span;
        self.expect("(")?;
        if self.eat("auto") {
            self.expect(")")?;
            return Ok(syntax(TypeKind::Auto, span));
        }
        let inner = self.in_brackets(Self::expression)?;
        self.expect(")")?;
        Ok(syntax(TypeKind::Decltype(Box::new(inner)), span))
    }

    /// Where the token behind `decltype(…)` stands.
    fn behind_decltype(&self) -> usize {
        let mut open = 0_usize;
        for at in 1.. {
            let token = self.ahead(at);
            open += usize::from(token.is("("));
            open = open.saturating_sub(usize::from(token.is(")")));
            if open == 0 || token.kind == Kind::End {
                return at + 1;
            }
        }
        1
    }

    fn is_path_of_decltype(&self) -> bool {
        self.ahead(self.behind_decltype()).is("::")
    }

    /// `a::b<c>`, also of what is no type.
    pub(super) fn path(&mut self) -> Res<Path> {
        let start = self.span();
        self.eat("::");
        let mut parts = Vec::new();
        loop {
            if parts.is_empty() && self.is("decltype") {
                let of = self.decltype()?;
                parts.push(Part {
                    name: DECLTYPE.into(),
                    arguments: Some(vec![TemplateArgument::Type(of)]),
                });
                if !self.eat("::") {
                    break;
                }
                continue;
            }
            self.eat("template");
            let name = match self.is("operator") {
                true => self.operator_name()?,
                false => self.name("a name")?,
            };
            let is_template = self.is("<") && self.templates.contains(&name);
            let arguments = if is_template {
                Some(self.template_arguments()?)
            } else {
                None
            };
            parts.push(Part { name, arguments });
            if !self.is("::") {
                break;
            }
            self.at += 1;
        }
        let span = start.to(self.last());
        Ok(Path { span, parts })
    }

    pub(super) fn template_arguments(&mut self) -> Res<Vec<TemplateArgument>> {
        self.expect("<")?;
        let outer = std::mem::replace(&mut self.in_template, true);
        let mut list = Vec::new();
        let result = self.deeper(|parser| {
            while !parser.is(">") && !parser.is(">>") {
                let start = parser.at;
                list.push(match parser.is_type() {
                    true => {
                        let ty = parser.type_name()?;
                        TemplateArgument::Type(parser.expanded_type(ty, start))
                    }
                    false => {
                        let value = parser.conditional()?;
                        TemplateArgument::Value(parser.expanded(value, start)?)
                    }
                });
                if !parser.eat(",") {
                    break;
                }
            }
            Ok(())
        });
        self.in_template = outer;
        result?;
        self.close_template()?;
        Ok(list)
    }

    /// Takes `>`, or one half of `>>`.
    pub(super) fn close_template(&mut self) -> Res<()> {
        if !self.is(">>") {
            self.expect(">")?;
            return Ok(());
        }
        // The other half is taken by the arguments around these, which stand on the same token.
        match self.in_half {
            true => {
                self.in_half = false;
                self.at += 1;
            }
            false => self.in_half = true,
        }
        Ok(())
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
