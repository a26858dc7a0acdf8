//! Qualified names with their template arguments, and `decltype`: read, and looked past.

use super::Parser;
use super::types::syntax;
use crate::diagnostics::Res;
use crate::lex::Kind;
use crate::syntax::{DECLTYPE, Part, Path, TemplateArgument, TypeKind, TypeSyntax};

impl Parser<'_> {
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

    pub(super) fn decltype(&mut self) -> Res<TypeSyntax> {
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
    pub(super) fn behind_decltype(&self) -> usize {
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

    pub(super) fn is_path_of_decltype(&self) -> bool {
        self.ahead(self.behind_decltype()).is("::")
    }

    /// Whether a type's name is meant as one, not as where a static member lies (`Type::member`). What stands behind the
    /// last `::` is a type if some struct declares a type of that name.
    pub(super) fn is_type_after_all(&self) -> bool {
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
}
