//! Structs, unions and enumerations. What stands between their braces is read in `members`.

use super::types::syntax;
use super::{Names, Parser};
use crate::diagnostics::Res;
use crate::hash::HashSet;
use crate::lex::Kind;
use crate::syntax::{
    EnumSyntax, Expr, Name, Path, StmtKind, StructSyntax, TemplateParameter, TypeKind, TypeSyntax,
};
use std::cell::RefCell;
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

    /// `Point` in `typedef struct { … } Point;`, which is the struct's name for other compilers too.
    fn name_by_typedef(&self, word: usize) -> Option<Name> {
        let before = word.checked_sub(1)?;
        if !self.tokens[before].is("typedef") || !self.is("{") {
            return None;
        }
        let behind = self.behind_brackets(self.at, "{", "}")?;
        let name = &self.tokens[behind];
        let is_name = name.kind == Kind::Name && !super::is_keyword(&name.text);
        let is_alone = self.tokens.get(behind + 1).is_some_and(|next| next.is(";"));
        (is_name && is_alone).then(|| name.text.clone())
    }

    fn struct_type_here(&mut self, template: Option<Vec<TemplateParameter>>) -> Res<TypeSyntax> {
        let (start, word) = (self.span(), self.at);
        let is_union = &*self.next().text == "union";
        let align = self.attributes_of_struct()?;
        let name: Name = match self.peek().kind {
            Kind::Name => self.name("a name")?,
            _ => self.name_by_typedef(word).unwrap_or_else(|| "".into()),
        };
        let mut special = None;
        if self.is("<") && template.is_some() {
            special = Some(self.template_arguments()?);
        }
        let is_known = self.is_type_name(&name);
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
        self.eat("final");
        let bases = match self.eat(":") {
            true => self.bases()?,
            false => Vec::new(),
        };
        let is_declaration = !self.is("{");
        if is_declaration && !self.is(";") && !name.is_empty() && is_known {
            let path = Path::plain(name, start);
            return Ok(syntax(TypeKind::Path(path), start));
        }
        let mut made = StructSyntax {
            span: start,
            name,
            template,
            special,
            bases,
            is_union,
            align,
            fields: Vec::new(),
            bits: Vec::new(),
            functions: Vec::new(),
            defined: RefCell::default(),
            values: RefCell::default(),
            friends: Vec::new(),
            types: Vec::new(),
            checks: Vec::new(),
            has_destructor: false,
            is_declaration,
        };
        if self.eat("{") {
            self.members(&mut made)?;
        }
        self.take_defaults(&mut made);
        let made = Rc::new(made);
        self.structs.insert(made.name.clone(), made.clone());
        Ok(syntax(TypeKind::Struct(made), start))
    }

    /// The attributes between `struct` and its name: the alignment that they ask for.
    fn attributes_of_struct(&mut self) -> Res<Option<Expr>> {
        let mut align = None;
        loop {
            let from = self.at;
            match () {
                () if self.is("alignas") || self.is("__align__") => {
                    self.at += 1;
                    align = self.alignments()?.pop();
                }
                () if self.is("__attribute__") => {
                    self.skip_attribute_of_gnu();
                    let mut words = self.tokens[from..self.at].iter();
                    if words.any(|word| word.is("packed") || word.is("__packed__")) {
                        let span = self.tokens[from].span;
                        return Err(self
                            .sink
                            .gap(span, "a struct without gaps between its members"));
                    }
                }
                () => return Ok(align),
            }
        }
    }

    /// What stands between the braces, up to the one that closes them.
    fn members(&mut self, made: &mut StructSyntax) -> Res<()> {
        let mut names = Names::default();
        for base in &made.bases {
            names.types.extend(self.types_of(base));
        }
        self.types.push(names);
        let result = self.deeper(|parser| {
            while !parser.is("}") {
                if parser.is_end() {
                    parser.expect("}")?;
                }
                parser.member_or_host(made)?;
            }
            Ok(())
        });
        let names = self.types.pop().unwrap_or_default();
        result?;
        self.at += 1;
        self.member_types.insert(made.name.clone(), names.types);
        if self.lacks_semicolon_behind_struct() {
            let help = "end the declaration with `;`";
            let message = "`;` is missing behind this `}`";
            let reported = self.sink.error_help(self.last(), message, help);
            self.sink.is_mistaken(&made.name);
            return Err(reported);
        }
        Ok(())
    }

    /// Gives a template the defaults that an earlier declaration of it has.
    fn take_defaults(&self, made: &mut StructSyntax) {
        let earlier = self
            .structs
            .get(&made.name)
            .filter(|_| made.special.is_none());
        let earlier = earlier.and_then(|earlier| earlier.template.as_ref());
        for (own, other) in made
            .template
            .iter_mut()
            .flatten()
            .zip(earlier.into_iter().flatten())
        {
            match (own, other) {
                (TemplateParameter::Type(_, own), TemplateParameter::Type(_, other))
                | (TemplateParameter::Template(_, own), TemplateParameter::Template(_, other)) => {
                    *own = own.take().or_else(|| other.clone());
                }
                (TemplateParameter::Value(.., own), TemplateParameter::Value(.., other)) => {
                    *own = own.take().or_else(|| other.clone());
                }
                _ => {}
            }
        }
    }

    /// What stands behind `struct Name :`.
    fn bases(&mut self) -> Res<Vec<TypeSyntax>> {
        let mut list = Vec::new();
        loop {
            let words = ["public", "private", "protected"];
            while words.iter().any(|word| self.eat(word)) {}
            if self.is("virtual") {
                return Err(self.sink.gap(self.span(), "a virtual base"));
            }
            let start = self.at;
            let ty = self.type_name()?;
            list.push(self.expanded_type(ty, start));
            if !self.eat(",") {
                return Ok(list);
            }
        }
    }

    /// The names of types that a struct declares which is named here.
    fn types_of(&self, ty: &TypeSyntax) -> HashSet<Name> {
        let TypeKind::Path(path) = &ty.kind else {
            return HashSet::default();
        };
        let last = path.parts.last().map(|part| &part.name);
        let known = last.and_then(|name| self.member_types.get(name));
        known.cloned().unwrap_or_default()
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
            let path = Path::plain(name, start);
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
        self.expect_end_of_list("}")?;
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
