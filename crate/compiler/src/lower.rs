//! The syntax tree to instructions: names are resolved, types checked, templates made, calls inlined and loops unrolled on the way.

mod addresses;
mod asm;
mod assignments;
mod atomics;
mod begin;
mod braces;
mod builtins;
mod by_hand;
mod cached;
mod callees;
mod calls;
mod casts;
mod choices;
mod constants;
mod constructors;
mod conversions;
mod copies;
mod deduce;
mod destructors;
mod enums;
mod evaluate;
mod expressions;
mod families;
mod fields;
mod functions;
mod glances;
mod guides;
mod hints;
mod initialise;
mod inline;
mod instances;
mod jumps;
mod kernels;
mod known;
mod loops;
mod mangle;
mod matches;
mod math;
mod members;
mod objects;
mod operators;
mod origins;
mod overloads;
mod own_operators;
mod packs;
mod parameters;
mod patterns;
mod plain;
mod pointers;
mod printing;
mod ranks;
mod recursive;
mod resolve;
mod returns;
mod same_calls;
mod scope;
mod shuffles;
mod statements;
mod structs;
mod template_arguments;
mod unary;
mod values;
mod variables;
mod vectors;
mod virtuals;

use crate::diagnostics::{Res, Sink};
use crate::hash::{HashMap, HashSet};
use crate::ir::build::Builder;
use crate::ir::{Block, Body, Loc, Space, Symbol, Value};
use crate::limits::{LOWERING_DEPTH, SHARED_BYTES};
use crate::source::{Lines, Span};
use crate::syntax::{Function, Init, Item, Name, StmtKind, StructSyntax, TypeKind, Variable};
use crate::types::{StructId, Structs, Type};
pub(crate) use addresses::{leads_to, led_to};
use scope::{Binding, FunctionRef, Scope};
use std::rc::Rc;
use values::Typed;

/// A variable of the module, or of a kernel's shared memory.
#[derive(Debug, Clone)]
pub(crate) struct SymbolData {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) size: u64,
    pub(crate) align: u64,
    pub(crate) init: Option<Vec<u8>>,
    /// `extern __shared__`: its size is the launch's.
    pub(crate) is_extern: bool,
    /// Whether the host sees it too.
    pub(crate) is_managed: bool,
    /// Whether a function was given its address: NVRTC keeps what is written there, though nobody reads it.
    pub(crate) is_handed_over: bool,
    /// Whether nobody can change it, so that what is read of it is known.
    pub(crate) is_constexpr: bool,
    /// Where in the first value addresses lie.
    pub(crate) addresses: Vec<u64>,
}

/// A parameter of a kernel.
#[derive(Debug, Clone)]
pub(crate) struct KernelParam {
    pub(crate) size: u64,
    pub(crate) align: u64,
    /// How it lies in memory; none for structs.
    pub(crate) mem: Option<crate::ir::MemTy>,
    pub(crate) is_pointer: bool,
    pub(crate) is_restrict: bool,
}

/// A kernel before it is optimised.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) params: Vec<KernelParam>,
    pub(crate) body: Body,
    pub(crate) loc: Loc,
    pub(crate) max_threads: Option<u64>,
    pub(crate) min_blocks: Option<u64>,
    pub(crate) max_registers: Option<u64>,
    pub(crate) cluster: Vec<u64>,
    /// What it hands back, where it is no kernel but a function that kernels call.
    pub(crate) returns: Option<Option<crate::ir::MemTy>>,
}

/// A line of the source in a function, and where that was inlined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// The inlined function's name and its call; none in the kernel itself.
    pub(crate) inlined: Option<(Rc<str>, Loc)>,
}

/// Without the name, which is the same in nearly all that are the same otherwise.
impl std::hash::Hash for Location {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let call = self.inlined.as_ref().map(|(_, call)| *call);
        (self.line, self.column, call).hash(state);
    }
}

/// All that a source gives.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) kernels: Vec<Kernel>,
    /// Functions that call themselves.
    pub(crate) functions: Vec<Kernel>,
    pub(crate) symbols: Vec<SymbolData>,
    pub(crate) locations: Vec<Location>,
}

/// What is being written: a kernel, or a function within it.
struct Frame {
    scopes: Vec<Scope>,
    /// The object of a member function: its address.
    this: Option<(Value, StructId, bool)>,
    /// What is known of the members' struct and its template.
    of: Option<StructId>,
    /// None: what the first `return` gives.
    returns: Option<Type>,
    returned: Vec<Value>,
    result: Option<Value>,
    /// Where `return` goes; none in a kernel.
    exit: Option<Block>,
    /// Where `break` and `continue` go, and how many objects with destructors there were before.
    targets: Vec<(Option<Block>, Option<Block>, usize)>,
    /// The cases of the `switch` statements around.
    cases: Vec<Vec<Case>>,
    labels: Vec<Label>,
    /// Objects whose destructors run when their blocks end.
    cleanups: Vec<Typed>,
    /// None where only names are looked up.
    function: Option<Rc<Function>>,
    /// The call that is inlined.
    call: Option<(Rc<str>, Loc)>,
    /// Which instance of the function it is.
    instance: String,
}

/// A case of a `switch`: its statement, by where that lies in memory.
struct Case {
    statement: usize,
    block: Block,
}

/// Where `goto` goes.
struct Label {
    name: Name,
    block: Block,
    span: Span,
    is_placed: bool,
}

pub(crate) struct Lower<'a> {
    sink: &'a mut Sink,
    lines: &'a Lines<'a>,
    builder: Builder,
    globals: Scope,
    /// What belongs to the host, and no kernel may name.
    of_host: HashSet<Name>,
    /// Structs that are declared, and not defined yet.
    declared: HashMap<Name, StructId>,
    /// Variables that some lambda does not capture.
    not_captured: HashSet<Name>,
    structs: Structs,
    /// What names mean in a struct's members, by its number.
    struct_scopes: HashMap<StructId, Rc<Scope>>,
    instances: HashMap<String, StructId>,
    /// How structs follow from the values that they are made of, by the struct's name.
    guides: HashMap<Name, Vec<Rc<Function>>>,
    /// Special cases of templates of structs, by the template's name.
    special: HashMap<Name, Vec<Rc<StructSyntax>>>,
    /// Structs whose members are being looked at.
    incomplete: Vec<StructId>,
    /// Of which template a struct was made, and with which arguments.
    made_of: HashMap<StructId, (Name, Vec<deduce::Argument>)>,
    closures: Vec<scope::Closure>,
    virtuals: virtuals::Virtuals,
    /// What pointers to functions may point to, by what they take and hand back.
    signatures: Vec<callees::Signature>,
    /// The values of enumerations, by their number.
    enums: Vec<Scope>,
    module: Module,
    location_numbers: HashMap<Location, Loc>,
    frames: Vec<Frame>,
    /// Shared variables of the kernel at hand, by function, instance and name.
    statics: HashMap<String, (Symbol, Type)>,
    depth: usize,
    /// Instructions that were put in front of the first block so far.
    in_front: usize,
    /// Expressions looked at so far.
    work: usize,
    /// Whether the instructions at hand are counted to see whether a loop is small enough to be unrolled.
    is_measured: bool,
    /// Whether copies of iterations may rely on local objects becoming registers.
    relies: bool,
    /// Loops whose iterations are not copies of each other, by where their bodies begin.
    no_patterns: HashSet<u32>,
    /// Instructions run while compiling so far.
    evaluated: usize,
    kernel_name: Name,
    /// Names of all kernels so far.
    kernels: Vec<Name>,
    /// The one that is wanted, if not all are.
    wanted: Option<&'a str>,
    /// A body that nobody wants, whose room the next one takes.
    room: Body,
    /// Whether no loop is unrolled, because it is only looked for mistakes.
    is_glance: bool,
    glanced: glances::Glanced,
    /// Functions that are written by themselves, by their instance.
    called: HashMap<String, recursive::Called>,
    /// Whether one of those is being written.
    in_function: bool,
    /// Objects that end with the statement at hand; none where nobody knows whether they are made.
    temporaries: Option<Vec<Typed>>,
}

/// The kernels of a source, or the one that is wanted. What is wrong with any is told to `sink`.
pub(crate) fn lower<'a>(
    items: &[Item],
    lines: &'a Lines<'a>,
    wanted: Option<&'a str>,
    relies: bool,
    sink: &'a mut Sink,
) -> Module {
    let mut lower = Lower {
        sink,
        lines,
        builder: Builder::new(),
        globals: Scope::default(),
        of_host: HashSet::default(),
        declared: HashMap::default(),
        not_captured: HashSet::default(),
        structs: Structs::default(),
        struct_scopes: HashMap::default(),
        instances: HashMap::default(),
        guides: HashMap::default(),
        special: HashMap::default(),
        incomplete: Vec::new(),
        made_of: HashMap::default(),
        closures: Vec::new(),
        virtuals: virtuals::Virtuals::default(),
        signatures: Vec::new(),
        enums: Vec::new(),
        module: Module::default(),
        location_numbers: HashMap::default(),
        frames: Vec::new(),
        statics: HashMap::default(),
        depth: 0,
        in_front: 0,
        work: 0,
        is_measured: false,
        relies,
        no_patterns: HashSet::default(),
        evaluated: 0,
        kernel_name: "".into(),
        kernels: Vec::new(),
        wanted,
        room: Body::default(),
        is_glance: false,
        glanced: HashMap::default(),
        called: HashMap::default(),
        in_function: false,
        temporaries: None,
    };
    for item in items {
        // What goes wrong in one is told, and does not keep the others from being looked at.
        let (told, errors) = (lower.sink.told(), lower.sink.errors());
        let result = lower.item(item);
        let is_wrong = result.is_err() || lower.sink.errors() > errors;
        if is_wrong && lower.sink.is_program {
            let names = names_for_host(item);
            if !names.is_empty() {
                lower.sink.put_aside(told, names);
            }
        }
    }
    lower.functions(items);
    lower.module
}

/// The names that an item declares, if only the host may need them.
fn names_for_host(item: &Item) -> Vec<Name> {
    let is_plain = |variable: &Variable| variable.storage == crate::syntax::Storage::Plain;
    match item {
        Item::Variables(list) if list.iter().all(is_plain) => {
            list.iter().map(|variable| variable.name.clone()).collect()
        }
        Item::Alias(name, ..) => vec![name.clone()],
        Item::Types(ty) => match &ty.kind {
            TypeKind::Struct(of) => vec![of.name.clone()],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

impl Lower<'_> {
    fn new_builder(&mut self) -> Builder {
        let mut builder = Builder::in_room_of(std::mem::take(&mut self.room));
        builder.held.is_off = !self.relies || self.is_glance;
        builder
    }

    /// Declares an item. Functions' bodies are looked at later.
    fn item(&mut self, item: &Item) -> Res<()> {
        match item {
            Item::Function(function) => self.declare_function(function),
            Item::Variables(list) => {
                for variable in list {
                    self.global(variable)?;
                }
                Ok(())
            }
            Item::Types(ty) => match &ty.kind {
                TypeKind::Struct(syntax) if syntax.special.is_some() => {
                    let name = syntax.name.clone();
                    self.special.entry(name).or_default().push(syntax.clone());
                    Ok(())
                }
                TypeKind::Struct(syntax) if syntax.template.is_some() => {
                    let binding = Binding::StructTemplate(syntax.clone());
                    self.globals.names.insert(syntax.name.clone(), binding);
                    Ok(())
                }
                _ => self.type_of(ty).map(|_| ()),
            },
            Item::Alias(name, ty, None) => {
                let ty = self.type_of(ty)?;
                self.globals.names.insert(name.clone(), Binding::Type(ty));
                Ok(())
            }
            Item::Alias(name, ty, Some(parameters)) => {
                let binding = Binding::AliasTemplate(Rc::new((parameters.clone(), ty.clone())));
                self.globals.names.insert(name.clone(), binding);
                Ok(())
            }
            Item::VariableTemplate(made) => {
                let name = made.variable.name.clone();
                let mut all = match self.globals.names.get(&name) {
                    Some(Binding::VariableTemplate(list)) => list.to_vec(),
                    _ => Vec::new(),
                };
                all.push(made.clone());
                let binding = Binding::VariableTemplate(Rc::new(all));
                self.globals.names.insert(name, binding);
                Ok(())
            }
            Item::Guide(function) => {
                let list = self.guides.entry(function.name.clone()).or_default();
                list.push(function.clone());
                Ok(())
            }
            Item::Instance(..) | Item::Launched(..) => Ok(()),
            Item::OfHost(name) => {
                self.of_host.insert(name.clone());
                Ok(())
            }
            Item::StaticAssert(statement) => match &statement.kind {
                StmtKind::StaticAssert(condition, said) => {
                    self.static_assert(condition, said.as_deref())
                }
                _ => Ok(()),
            },
        }
    }

    fn declare_function(&mut self, function: &Rc<Function>) -> Res<()> {
        let made = FunctionRef {
            function: function.clone(),
            of: None,
        };
        let none = Binding::Functions(Rc::default());
        match self.globals.names.get_or_insert(&function.name, none) {
            Binding::Functions(list) => {
                let list = Rc::make_mut(list);
                // A declaration gives way to its definition.
                let is_special = |of: &Function| of.special.as_ref().map(Vec::is_empty);
                let same = |other: &FunctionRef| {
                    other.function.body.is_none()
                        && !other.function.span.is_header()
                        && other.function.special.as_ref().is_none_or(Vec::is_empty)
                        && is_special(&other.function) == is_special(function)
                        && other.function.template.is_some() == function.template.is_some()
                        && other.function.parameters.len() == function.parameters.len()
                };
                if function.body.is_some() {
                    list.retain(|other| !same(other));
                }
                list.push(made);
                Ok(())
            }
            _ => {
                let message = format!("`{}` is the name of something else already", function.name);
                Err(self
                    .sink
                    .error_help(function.span, message, "give the function another name"))
            }
        }
    }

    fn global(&mut self, variable: &Variable) -> Res<()> {
        use crate::syntax::Storage;
        let ty = self.variable_type(variable)?;
        let is_constant =
            variable.storage == Storage::Plain && (ty.is_const || variable.is_constexpr);
        if is_constant && !ty.is_aggregate() {
            if matches!(variable.init, Init::None) {
                return Err(self.sink.error(
                    variable.span,
                    format!("the constant `{}` has no value", variable.name),
                ));
            }
            let value = self.initial_value(variable, &ty)?;
            let Some(binding) = self.frozen(&Binding::Typed(value)) else {
                return Ok(());
            };
            self.globals.names.insert(variable.name.clone(), binding);
            return Ok(());
        }
        let space = match variable.storage {
            Storage::Device | Storage::Managed => Space::Global,
            Storage::Constant => Space::Constant,
            Storage::Plain if is_constant => Space::Global,
            Storage::ExternShared => Space::Shared,
            Storage::Shared if matches!(variable.init, Init::None) => Space::Shared,
            Storage::Shared => {
                let help = "let the threads set it, and call `__syncthreads()` before it is read";
                let message = "shared memory has no first values";
                return Err(self.sink.error_help(variable.span, message, help));
            }
            Storage::Plain => {
                self.of_host.insert(variable.name.clone());
                return Ok(());
            }
        };
        let init = match (&variable.init, variable.storage) {
            (_, Storage::ExternShared | Storage::Shared) => None,
            (Init::None, _) if !self.begins_with_values(&ty) => None,
            _ => Some(self.constant_bytes(variable, &ty)?),
        };
        let symbol = self.symbol(variable, &ty, space, init)?;
        let binding = Binding::Symbol(symbol, ty);
        self.globals.names.insert(variable.name.clone(), binding);
        Ok(())
    }

    fn symbol(
        &mut self,
        variable: &Variable,
        ty: &Type,
        space: Space,
        init: Option<Vec<u8>>,
    ) -> Res<Symbol> {
        use crate::syntax::Storage;
        let size = self.structs.size(ty);
        self.check_size(variable.span, ty)?;
        if space == Space::Shared && variable.storage == Storage::Shared && size > SHARED_BYTES {
            let message = format!(
                "`{}` takes {size} bytes of shared memory, and {SHARED_BYTES} are the most",
                variable.name
            );
            let help = "take less, or `extern __shared__`, whose size the launch gives";
            return Err(self.sink.error_help(variable.span, message, help));
        }
        let align = self.alignment(variable, ty)?;
        let is_plain = variable.storage == Storage::Plain;
        // The mathematics library reads its own tables, as NVIDIA's does.
        let is_fixed = variable.storage == Storage::Device
            && ty.is_const
            && init.is_some()
            && !variable.span.is_header();
        let addresses = match &init {
            Some(bytes) => self.addresses_in(ty, bytes),
            None => Vec::new(),
        };
        // What lies at an address is found when the module is loaded.
        let is_known = addresses.is_empty();
        self.module.symbols.push(SymbolData {
            name: mangle::in_ptx(&variable.name),
            space,
            size,
            align,
            init,
            is_extern: variable.storage == Storage::ExternShared,
            is_managed: variable.storage == Storage::Managed,
            is_handed_over: false,
            is_constexpr: is_known && (is_plain || variable.is_constexpr || is_fixed),
            addresses,
        });
        Ok(Symbol(self.module.symbols.len() as u32 - 1))
    }

    /// The place in the source that instructions written from now on come from.
    fn locate(&mut self, span: Span) {
        if span.is_header() {
            return; // it counts as its call
        }
        self.sink.near = span;
        if self.is_glance {
            return; // nothing is written of it
        }
        let (line, column) = self.lines.place(span.start);
        let inlined = self.frames.last().and_then(|frame| frame.call.clone());
        let location = Location {
            line,
            column,
            inlined,
        };
        self.builder.loc = self.loc(location);
    }

    /// Runs a part that stands on a line of its own as what comes from there; on the same line the place stays.
    fn at_line<T>(&mut self, span: Span, part: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let outer = self.builder.loc;
        if span.is_header() || self.is_glance {
            return part(self);
        }
        let line = self.lines.place(span.start).0;
        let is_other = self
            .module
            .locations
            .get(outer.0 as usize)
            .is_some_and(|place| place.line != line);
        if is_other
            && self
                .frames
                .last()
                .is_some_and(|frame| frame.function.is_some())
        {
            self.locate(span);
        }
        let result = part(self);
        self.builder.loc = outer;
        result
    }

    fn loc(&mut self, location: Location) -> Loc {
        if let Some(loc) = self.location_numbers.get(&location) {
            return *loc;
        }
        self.module.locations.push(location.clone());
        let loc = Loc(self.module.locations.len() as u32 - 1);
        self.location_numbers.insert(location, loc);
        loc
    }

    /// Runs a part one level deeper, unless that is too deep.
    fn deeper<T>(&mut self, span: Span, part: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth >= LOWERING_DEPTH {
            let help = "calls are inlined: call fewer functions from each other, or take expressions apart";
            return Err(self.sink.error_help(
                span,
                "functions and expressions are too deep inside each other here",
                help,
            ));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }
}
