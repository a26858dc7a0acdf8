//! Expressions as the parser makes them.

use super::{Function, Name, Packs, Part, Path, Scalar, TypeSyntax};
use crate::source::Span;
use std::rc::Rc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unary {
    Plus,
    Minus,
    Not,
    Complement,
    Deref,
    Address,
    Increment,
    Decrement,
    IncrementAfter,
    DecrementAfter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    LogicalAnd,
    LogicalOr,
}

#[derive(Debug, Clone)]
pub(crate) struct Expr {
    pub(crate) span: Span,
    pub(crate) kind: ExprKind,
    /// How deep the tree is.
    pub(crate) depth: u16,
}

impl Expr {
    /// What stands for an expression that the source does not have.
    pub(crate) fn nothing(span: Span) -> Self {
        let (kind, depth) = (ExprKind::Null, 1);
        Self { span, kind, depth }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum ExprKind {
    Integer(u64, Scalar),
    Floating(f64, Scalar),
    Character(u8),
    Bool(bool),
    Null,
    /// Texts that stand behind each other, as one.
    Text(Rc<[u8]>),
    Path(Path),
    This,
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Assign(Option<Binary>, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Member(Box<Expr>, Part, bool),
    /// What the cast is called: empty for `(T)x`.
    Cast(&'static str, Box<TypeSyntax>, Box<Expr>),
    /// `T(…)`, or `T{…}` where the last is true.
    Construct(Box<TypeSyntax>, Vec<Expr>, bool),
    SizeOfType(Box<TypeSyntax>),
    AlignOfType(Box<TypeSyntax>),
    SizeOf(Box<Expr>),
    List(Vec<Expr>),
    Lambda(Rc<Lambda>),
    /// `f(x)...`: one for each element of the packs that it names.
    Expand(Packs, Box<Expr>),
    /// One of those, by its number.
    Nth(Packs, usize, Box<Expr>),
    /// `(x + ...)`.
    Fold(Rc<Fold>),
    /// `sizeof...(x)`.
    PackSize(Name),
    New(Rc<New>),
    Delete(Box<Expr>),
}

/// `new (place) T[count]{values}`.
#[derive(Debug)]
pub(crate) struct New {
    pub(crate) place: Option<Expr>,
    pub(crate) ty: TypeSyntax,
    pub(crate) count: Option<Expr>,
    pub(crate) values: Option<Vec<Expr>>,
    pub(crate) is_braces: bool,
}

/// An operator between all elements of a pack.
#[derive(Debug)]
pub(crate) struct Fold {
    /// None for the comma.
    pub(crate) operator: Option<Binary>,
    pub(crate) packs: Packs,
    pub(crate) pattern: Expr,
    /// What stands at the other end.
    pub(crate) init: Option<Expr>,
    /// Whether the first two are taken together first.
    pub(crate) from_left: bool,
}

#[derive(Debug)]
pub(crate) struct Lambda {
    pub(crate) by_copy: bool,
    /// `[&]`: what it names and nothing else is said of is the variable itself.
    pub(crate) by_reference: bool,
    /// Whether it may change its copies.
    pub(crate) is_mutable: bool,
    pub(crate) captures: Vec<(Name, bool)>,
    /// `[name = value]`, and whether the name is a reference to it.
    pub(crate) made: Vec<(Name, Expr, bool)>,
    /// Whether it has a copy of the object whose member function it stands in.
    pub(crate) copies_this: bool,
    pub(crate) function: Rc<Function>,
}
