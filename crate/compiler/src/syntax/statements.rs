//! Statements as the parser makes them, with the variables that they declare.

use super::{Expr, Name, TypeSyntax};
use crate::source::Span;
use std::rc::Rc;

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Storage {
    /// With the thread, or, outside of functions, a constant.
    #[default]
    Plain,
    Shared,
    ExternShared,
    Constant,
    Device,
    Managed,
}

#[derive(Debug, Clone)]
pub(crate) enum Init {
    None,
    Value(Expr),
    Brackets(Vec<Expr>),
    Braces(Vec<Expr>),
}

#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) span: Span,
    pub(crate) name: Name,
    pub(crate) ty: TypeSyntax,
    pub(crate) storage: Storage,
    pub(crate) is_static: bool,
    pub(crate) is_constexpr: bool,
    pub(crate) align: Option<Expr>,
    pub(crate) init: Init,
}

impl Variable {
    /// One of which nothing else is said.
    pub(crate) fn plain(name: Name, ty: TypeSyntax, init: Init, span: Span) -> Self {
        Self {
            span,
            name,
            ty,
            storage: Storage::Plain,
            is_static: false,
            is_constexpr: false,
            align: None,
            init,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Unroll {
    Free,
    Full,
    Count(Expr),
}

#[derive(Debug, Clone)]
pub(crate) struct Stmt {
    pub(crate) span: Span,
    pub(crate) kind: StmtKind,
}

#[derive(Debug, Clone)]
pub(crate) enum StmtKind {
    Empty,
    Expr(Expr),
    Declare(Vec<Variable>),
    Block(Vec<Stmt>),
    /// `auto [a, b] = value;`
    Unpack(Vec<Name>, Variable),
    If {
        is_constexpr: bool,
        init: Option<Box<Stmt>>,
        condition: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    Loop(Rc<Loop>),
    /// A loop over the elements of an object: as one over the indices of an array, or from its `begin()` to its `end()`.
    Each(Rc<Each>),
    Shared(Rc<Stmt>),
    Switch(Option<Box<Stmt>>, Expr, Box<Stmt>),
    Label(Name),
    Goto(Name),
    Case(Expr),
    Default,
    Break,
    Continue,
    Return(Option<Expr>),
    Alias(Name, TypeSyntax),
    Types(TypeSyntax),
    StaticAssert(Expr, Option<Name>),
    Asm(Rc<Asm>),
}

#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) init: Option<Stmt>,
    pub(crate) condition: Option<Expr>,
    pub(crate) step: Option<Expr>,
    pub(crate) body: Stmt,
    /// `do … while`.
    pub(crate) is_body_first: bool,
    pub(crate) unroll: Unroll,
    /// Names that the body may change.
    pub(crate) changed: Rc<[Name]>,
    /// Whether control may come into the body from elsewhere: by `goto` or as a case of a `switch` around it.
    pub(crate) has_labels: bool,
}

#[derive(Debug)]
pub(crate) struct Each {
    pub(crate) list: Expr,
    pub(crate) by_index: Stmt,
    /// What `begin()` gives, and the loop where that is a pointer.
    pub(crate) begin: Expr,
    pub(crate) by_pointer: Stmt,
    pub(crate) by_iterator: Stmt,
}

#[derive(Debug)]
pub(crate) struct Asm {
    pub(crate) is_volatile: bool,
    pub(crate) template: String,
    pub(crate) outputs: Vec<(String, Expr)>,
    pub(crate) inputs: Vec<(String, Expr)>,
    pub(crate) clobbers_memory: bool,
    /// The bracket that closes it.
    pub(crate) end: Span,
}
