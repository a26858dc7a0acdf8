//! The syntax tree: what the parser makes and `lower` goes through. Names are not resolved yet, types not known. Here are names,
//! types, functions and structs.

mod expressions;
mod print;
mod statements;

use crate::source::Span;
pub(crate) use expressions::{Binary, Expr, ExprKind, Fold, Lambda, New, Unary};
pub(crate) use print::tree;
pub(crate) use statements::{Asm, Each, Init, Loop, Stmt, StmtKind, Storage, Unroll, Variable};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) type Name = Rc<str>;

/// The name of a struct's conversions to other types; their types are what they return.
pub(crate) const CONVERSION: &str = "(conversion)";

/// The first part of a path that begins with `decltype(…)`, whose argument that is.
pub(crate) const DECLTYPE: &str = "(decltype)";

/// What the cast is called of an object to the base whose member is named: `x.Base::member`.
pub(crate) const NAMED_BASE: &str = "(base)";

/// The name under which a struct's constructors are kept.
pub(crate) const CONSTRUCTOR: &str = "(constructor)";

/// The name of a struct's destructor.
pub(crate) const DESTRUCTOR: &str = "(destructor)";

/// A type that is not made of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Scalar {
    Void,
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Float,
    Double,
}

/// `a::b<c>`.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub(crate) span: Span,
    pub(crate) parts: Vec<Part>,
}

impl Path {
    /// A name alone.
    pub(crate) fn plain(name: Name, span: Span) -> Self {
        let parts = vec![Part::plain(name)];
        Self { span, parts }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) name: Name,
    pub(crate) arguments: Option<Vec<TemplateArgument>>,
}

impl Part {
    pub(crate) fn plain(name: Name) -> Self {
        let arguments = None;
        Self { name, arguments }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum TemplateArgument {
    Type(TypeSyntax),
    Value(Expr),
}

#[derive(Debug, Clone)]
pub(crate) struct TypeSyntax {
    pub(crate) span: Span,
    pub(crate) kind: TypeKind,
    pub(crate) is_const: bool,
    pub(crate) is_volatile: bool,
    pub(crate) is_restrict: bool,
    /// `T&&`: a reference that also takes values which end with the statement.
    pub(crate) is_rvalue: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum TypeKind {
    Scalar(Scalar),
    Path(Path),
    Auto,
    Decltype(Box<Expr>),
    Pointer(Box<TypeSyntax>),
    Reference(Box<TypeSyntax>),
    Array(Box<TypeSyntax>, Option<Box<Expr>>),
    Function(Rc<Signature>),
    Struct(Rc<StructSyntax>),
    Enum(Rc<EnumSyntax>),
    /// `T...`: one for each element of the packs that it names.
    Expand(Packs, Box<TypeSyntax>),
    /// One of those, by its number.
    Nth(Packs, usize, Box<TypeSyntax>),
}

/// Names in a pattern that may be those of packs.
pub(crate) type Packs = Rc<[Name]>;

/// What a function takes and hands back, where only that is said of it.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    pub(crate) returns: TypeSyntax,
    pub(crate) parameters: Vec<Parameter>,
}

#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) span: Span,
    pub name: Option<Name>,
    pub ty: TypeSyntax,
    pub(crate) default: Option<Expr>,
    /// The names in its type where it takes any number of arguments.
    pub(crate) packs: Option<Packs>,
}

#[derive(Debug, Clone)]
pub(crate) enum TemplateParameter {
    Type(Name, Option<TypeSyntax>),
    Value(Name, TypeSyntax, Option<Expr>),
    /// A template of a struct.
    Template(Name, Option<TypeSyntax>),
    /// Any number of such.
    Pack(Box<TemplateParameter>),
}

impl TemplateParameter {
    pub(crate) fn name(&self) -> &Name {
        match self {
            Self::Type(name, _) | Self::Value(name, ..) | Self::Template(name, _) => name,
            Self::Pack(of) => of.name(),
        }
    }

    pub(crate) fn is_pack(&self) -> bool {
        matches!(self, Self::Pack(_))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Runs {
    /// No attribute.
    #[default]
    Anywhere,
    Kernel,
    Device,
    Host,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) span: Span,
    pub(crate) name: Name,
    pub(crate) template: Option<Vec<TemplateParameter>>,
    /// For which arguments of the template of this name it stands instead.
    pub(crate) special: Option<Vec<TemplateArgument>>,
    pub(crate) returns: TypeSyntax,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Option<Stmt>,
    /// Members that a constructor sets before its body.
    pub(crate) member_inits: Vec<MemberInit>,
    pub(crate) runs: Runs,
    pub(crate) is_static: bool,
    pub(crate) is_constexpr: bool,
    pub(crate) is_extern_c: bool,
    pub(crate) is_constructor: bool,
    /// Whether what is called follows from the object.
    pub(crate) is_virtual: bool,
    /// `override` or `final`: a base declares it as virtual.
    pub(crate) is_override: bool,
    /// `= 0`: it has no body of its own.
    pub(crate) is_pure: bool,
    /// Whether it may be called on a constant object.
    pub(crate) is_const: bool,
    pub(crate) launch_bounds: Vec<Expr>,
    pub(crate) cluster_dims: Vec<Expr>,
    pub(crate) max_registers: Option<Expr>,
    /// Names that the body may change or take the address of.
    pub(crate) changed: Rc<[Name]>,
    /// The brace that ends the body.
    pub(crate) end: Span,
    /// Whether there are labels in the body.
    pub(crate) has_labels: bool,
    /// The template of the struct outside of which a member is defined.
    pub(crate) outer: Vec<TemplateParameter>,
}

/// `name(values)` or `name{values}` behind a constructor's parameters.
#[derive(Debug)]
pub(crate) struct MemberInit {
    pub(crate) name: Name,
    pub(crate) values: Vec<Expr>,
    pub(crate) is_braces: bool,
    pub(crate) span: Span,
    /// The type that a base is named by.
    pub(crate) base: Option<TypeSyntax>,
}

impl MemberInit {
    /// The same way to begin with other values: its own, with packs expanded.
    pub(crate) fn with(&self, values: Vec<Expr>) -> Init {
        match self.is_braces {
            true => Init::Braces(values),
            false => Init::Brackets(values),
        }
    }
}

/// A name that a struct declares for a type, and how many fields stand before it.
#[derive(Debug)]
pub(crate) enum MemberType {
    Alias(Name, TypeSyntax, Option<Vec<TemplateParameter>>),
    /// A struct or an enumeration.
    Type(TypeSyntax),
    /// Functions of this name are those of all bases too.
    Using(Name),
}

#[derive(Debug)]
pub(crate) struct StructSyntax {
    pub(crate) span: Span,
    pub(crate) name: Name,
    pub(crate) template: Option<Vec<TemplateParameter>>,
    /// Of which arguments of the template of this name it is the special case.
    pub(crate) special: Option<Vec<TemplateArgument>>,
    pub(crate) bases: Vec<TypeSyntax>,
    pub(crate) is_union: bool,
    pub(crate) align: Option<Expr>,
    pub(crate) fields: Vec<Variable>,
    /// The bits of those fields that have some bits only.
    pub(crate) bits: Vec<(Name, Expr)>,
    pub(crate) functions: Vec<Rc<Function>>,
    /// Functions that are defined outside.
    pub(crate) defined: RefCell<Vec<Rc<Function>>>,
    /// What static members get outside, each with the template that stands there.
    pub(crate) values: RefCell<Vec<(Vec<TemplateParameter>, Variable)>>,
    /// Functions that are no members, where this is a template.
    pub(crate) friends: Vec<Rc<Function>>,
    /// Each with how many fields stand before it.
    pub(crate) types: Vec<(usize, MemberType)>,
    pub(crate) checks: Vec<Stmt>,
    pub(crate) has_destructor: bool,
    /// `struct Name;`, or `struct Name* pointer;` of what is defined later or nowhere.
    pub(crate) is_declaration: bool,
}

#[derive(Debug)]
pub(crate) struct EnumSyntax {
    pub(crate) name: Option<Name>,
    pub(crate) is_scoped: bool,
    pub(crate) underlying: Option<TypeSyntax>,
    pub(crate) values: Vec<(Name, Option<Expr>)>,
}

/// The types of what a kernel of a template is given, as far as they are known: its template's arguments follow from them.
pub(crate) type Arguments = Vec<Option<TypeSyntax>>;

#[derive(Debug, Clone)]
pub(crate) enum Item {
    Function(Rc<Function>),
    Variables(Vec<Variable>),
    /// A struct or an enumeration.
    Types(TypeSyntax),
    Alias(Name, TypeSyntax, Option<Vec<TemplateParameter>>),
    /// `template <typename T> constexpr bool name = …;`
    VariableTemplate(Rc<VariableTemplate>),
    /// `template <typename T> Name(T*) -> Name<T>;`: the struct that follows from a constructor's arguments.
    Guide(Rc<Function>),
    StaticAssert(Stmt),
    /// `template __global__ void name<…>(…);`
    Instance(Name, Option<Vec<TemplateArgument>>, Arguments, Span),
    /// An instance of a template that the host launches: `scale<float><<<…>>>(…)`.
    Launched(Name, Vec<TemplateArgument>, Arguments, Span),
    /// A function of the host that could not be read, which no kernel may name.
    OfHost(Name),
}

#[derive(Debug)]
pub(crate) struct VariableTemplate {
    pub(crate) template: Vec<TemplateParameter>,
    pub(crate) variable: Variable,
    /// Of which arguments it is the special case.
    pub(crate) special: Option<Vec<TemplateArgument>>,
}
