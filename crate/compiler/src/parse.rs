//! Tokens to a syntax tree. Here is the reader that its parts share.
//!
//! ```text
//! outside        items, functions, templates, outside; host and launches for what is the host's
//! types          types, attributes, paths, declarators; structs, members, member_functions
//! statements     statements, local_declarations, conditions, loops, each, asm
//! expressions    expressions, primary, lambda, packs; keywords
//! mistakes       slips, type_slips
//! ```

mod asm;
mod attributes;
mod conditions;
mod declarators;
mod each;
mod expressions;
mod functions;
mod host;
mod items;
mod keywords;
mod lambda;
mod launches;
mod local_declarations;
mod loops;
mod member_functions;
mod members;
mod outside;
mod packs;
mod paths;
mod primary;
mod slips;
mod statements;
mod structs;
mod templates;
mod type_slips;
mod types;

use crate::diagnostics::{Reported, Res, Sink};
use crate::hash::{HashMap, HashSet};
use crate::lex::{Kind, Token};
use crate::limits::SYNTAX_DEPTH;
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Function, Item, Name, Packs, StructSyntax, TemplateParameter};
use keywords::is_keyword;
use std::rc::Rc;

pub(crate) struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    /// What is declared, by scope.
    types: Vec<Names>,
    /// Names that `<` follows with template arguments.
    templates: HashSet<Name>,
    /// Names that were declared as packs of any number of parameters.
    packs: HashSet<Name>,
    /// The types that each struct declares, by the struct's name.
    member_types: HashMap<Name, HashSet<Name>>,
    /// The structs that were read, for functions that are defined outside of them.
    structs: HashMap<Name, Rc<StructSyntax>>,
    /// Instances of templates that functions of the host launch.
    launched: Vec<Item>,
    /// Functions that are defined in structs but are no members.
    friends: Vec<Rc<Function>>,
    /// The parameters of the template around the one at hand.
    outer: Vec<TemplateParameter>,
    /// How many labels were read, and how many cases of the `switch` at hand.
    labels: usize,
    cases: usize,
    /// The name of the function at hand.
    in_function: Name,
    /// Names that were changed, in the order of the source.
    changed: Vec<Name>,
    /// Whether the first half of a `>>` was taken.
    in_half: bool,
    /// Whether `>` ends template arguments here.
    in_template: bool,
    /// Whether all of `extern "C" { … }` is read.
    in_extern_c: bool,
    /// Whether the source is a whole program, with code of the host.
    is_program: bool,
    /// Whether it was told that functions of the host are not compiled.
    has_told_of_host: bool,
    /// Whether it was told that the source ends within something; the rest follows from that.
    told_of_end: bool,
    sink: &'a mut Sink,
}

/// The names that a scope declares.
#[derive(Debug, Default)]
struct Names {
    types: HashSet<Name>,
    variables: HashSet<Name>,
    /// Whether these are the parameters of a function, whose body may not declare them again.
    is_parameters: bool,
}

/// CUDA's functions that are called with a type in angle brackets; which of them are known is said where calls are read.
pub(crate) const TEXTURES: [&str; 37] = [
    "tex1D",
    "tex2D",
    "tex3D",
    "tex1Dfetch",
    "tex1DLod",
    "tex2DLod",
    "tex3DLod",
    "tex1DGrad",
    "tex2DGrad",
    "tex3DGrad",
    "tex1DLayered",
    "tex2DLayered",
    "tex1DLayeredLod",
    "tex2DLayeredLod",
    "tex1DLayeredGrad",
    "tex2DLayeredGrad",
    "tex2Dgather",
    "texCubemap",
    "texCubemapLod",
    "texCubemapGrad",
    "texCubemapLayered",
    "texCubemapLayeredLod",
    "texCubemapLayeredGrad",
    "surf1Dread",
    "surf2Dread",
    "surf3Dread",
    "surf1DLayeredread",
    "surf2DLayeredread",
    "surfCubemapread",
    "surfCubemapLayeredread",
    "surf1Dwrite",
    "surf2Dwrite",
    "surf3Dwrite",
    "surf1DLayeredwrite",
    "surf2DLayeredwrite",
    "surfCubemapwrite",
    "surfCubemapLayeredwrite",
];

/// The items of a source. Messages about it are in `sink`; what could be read is returned.
pub(crate) fn parse(tokens: &[Token], sink: &mut Sink) -> Vec<Item> {
    let known = crate::types::BUILT_IN_TYPES
        .iter()
        .map(|(name, _)| Name::from(*name));
    sink.is_program |= Parser::has_code_of_host(tokens);
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        types: vec![Names {
            types: known.chain(crate::types::vector_names()).collect(),
            ..Names::default()
        }],
        templates: TEXTURES.iter().map(|name| Name::from(*name)).collect(),
        packs: HashSet::default(),
        member_types: HashMap::default(),
        structs: HashMap::default(),
        launched: Vec::new(),
        friends: Vec::new(),
        outer: Vec::new(),
        labels: 0,
        cases: 0,
        in_function: "".into(),
        changed: Vec::new(),
        in_half: false,
        in_extern_c: false,
        is_program: sink.is_program,
        has_told_of_host: false,
        told_of_end: sink.is_cut_off,
        in_template: false,
        sink,
    };
    let mut items = parser.items();
    items.append(&mut parser.launched);
    items
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        self.ahead(0)
    }

    fn ahead(&self, count: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + count).min(last)]
    }

    fn is(&self, text: &str) -> bool {
        self.peek().is(text)
    }

    fn is_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    fn span(&self) -> Span {
        self.peek().span
    }

    /// The span of the token before.
    fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    /// Takes the token if it is this one.
    fn eat(&mut self, text: &str) -> bool {
        let is = self.is(text);
        if is {
            self.at += 1;
        }
        is
    }

    fn expect(&mut self, text: &str) -> Res<Span> {
        if self.is(text) {
            return Ok(self.next().span);
        }
        if self.is_end() && std::mem::replace(&mut self.told_of_end, true) {
            return Err(Reported);
        }
        let end = self.last().end;
        let found = match self.peek().kind {
            Kind::End => "the source ends".to_string(),
            _ => format!("found `{}`", self.peek().text),
        };
        let place = Span {
            start: end.saturating_sub(1),
            end,
        };
        let place = if place == Span::default() || self.at == 0 {
            self.span()
        } else {
            place
        };
        // A statement ends with its block, and most of them with their line.
        let next = self.peek();
        let is_over = self.is("}") || next.kind == Kind::Name && next.starts_line;
        if text == ";" && is_over && self.types.len() > 1 {
            self.no_semicolon(place, &found);
            return Ok(place);
        }
        Err(match text {
            ";" => self.no_semicolon(place, &found),
            ")" | "]" | "}" | ">" => self.sink.error_help(
                place,
                format!("`{text}` is missing behind this; {found}"),
                format!("each bracket that opens needs its `{text}`"),
            ),
            _ => self
                .sink
                .error(self.span(), format!("`{text}` was expected here; {found}")),
        })
    }

    fn name(&mut self, what: &str) -> Res<Name> {
        if self.peek().kind == Kind::Name && !is_keyword(&self.peek().text) {
            return Ok(self.next().text);
        }
        Err(self.wanted(what))
    }

    /// Runs a part one level deeper, unless that is too deep.
    fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth >= SYNTAX_DEPTH {
            return Err(self.too_deep(self.span()));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self, span: Span) -> Reported {
        self.sink.error_help(
            span,
            format!("more than {SYNTAX_DEPTH} levels of syntax inside each other"),
            "give parts of it names of their own",
        )
    }

    fn made(&mut self, kind: ExprKind, span: Span, parts: &[&Expr]) -> Res<Expr> {
        let depth = parts.iter().map(|part| part.depth).max().unwrap_or(0) + 1;
        if usize::from(depth) > 2 * SYNTAX_DEPTH {
            return Err(self.too_deep(span));
        }
        Ok(Expr { span, kind, depth })
    }

    fn is_type_name(&self, name: &str) -> bool {
        let declares =
            |scope: &&Names| scope.types.contains(name) || scope.variables.contains(name);
        let nearest = self.types.iter().rev().find(declares);
        nearest.is_some_and(|scope| !scope.variables.contains(name))
    }

    fn declare_type(&mut self, name: &Name) {
        if let Some(scope) = self.types.last_mut() {
            scope.types.insert(name.clone());
        }
    }

    /// The packs that are named between a token and the one at hand.
    fn packs_since(&self, start: usize) -> Packs {
        let mut names: Vec<Name> = Vec::new();
        for token in &self.tokens[start..self.at] {
            let is_pack = token.kind == Kind::Name && self.packs.contains(&token.text);
            if is_pack && !names.contains(&token.text) {
                names.push(token.text.clone());
            }
        }
        names.into()
    }

    /// Notes a variable of the newest scope, which may have one of this name only.
    fn declare_variable(&mut self, name: &Name, span: Span) {
        let Some((scope, outer)) = self.types.split_last_mut() else {
            return;
        };
        let is_parameter = outer
            .last()
            .is_some_and(|outer| outer.is_parameters && outer.variables.contains(name));
        if !scope.variables.insert(name.clone()) || is_parameter {
            let help =
                "give one of them another name, or leave out the type to assign to the first";
            let message = format!("`{name}` is declared twice in one block");
            self.sink.error_help(span, message, help);
        }
    }

    /// Skips to the end of a statement that could not be read, or before the brace that closes its block.
    fn skip_statement(&mut self) {
        let mut open = 0_usize;
        while !self.is_end() {
            match &*self.peek().text {
                ";" if open == 0 => {
                    self.at += 1;
                    return;
                }
                "{" => open += 1,
                "}" if open == 0 => return,
                _ if self.begins_function_for_sure() => return,
                "}" => {
                    open -= 1;
                    if open == 0 {
                        self.at += 1;
                        return;
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Remembers that what this expression names may change.
    fn changes(&mut self, place: &Expr) {
        let mut place = place;
        loop {
            match &place.kind {
                ExprKind::Path(path) if path.parts.len() == 1 => {
                    self.changed.push(path.parts[0].name.clone());
                    return;
                }
                ExprKind::Member(inner, _, false) | ExprKind::Index(inner, _) => place = inner,
                ExprKind::Conditional(_, yes, no) => {
                    self.changes(yes);
                    place = no;
                }
                ExprKind::Assign(_, inner, _) | ExprKind::Comma(_, inner) => place = inner,
                ExprKind::Unary(_, inner) => place = inner,
                _ => return,
            }
        }
    }
}
