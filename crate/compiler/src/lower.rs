//! The syntax tree to instructions: names are resolved, types checked, templates made, calls inlined and loops unrolled on the way.
//!
//! # What stands where
//!
//! ```text
//! the module     declarations, kernels, instances, recursive; mangle, module
//! names, types   scope, resolve, template_arguments, deduce, packs, enums
//! structs        structs, struct_templates, members, virtuals, guides
//! calls          calls, overloads, ranks, inline, parameters, returns, lambdas, callees, virtual_calls, diagnostics_only
//! expressions    expressions, operators, unary, own_operators, assignments, choices, pointers, fields
//! conversions    casts, conversions
//! constants      constants, known, evaluate
//! objects        values, origins, addresses, objects, variables, variable_types
//! their lives    initialise, braces, constructors, begin, destructors
//! statements     statements, jumps, loops, trips; patterns, copies, plain
//! CUDA's own     builtins, intrinsics, math; asm, atomics, cached, hints, matches, printing,
//!                same_calls, shuffles, vectors
//! ```

mod addresses;
mod asm;
mod assignments;
mod atomics;
mod begin;
mod braces;
mod builtins;
mod cached;
mod callees;
mod calls;
mod casts;
mod choices;
mod constants;
mod constructors;
mod conversions;
mod copies;
mod declarations;
mod deduce;
mod destructors;
mod diagnostics_only;
mod enums;
mod evaluate;
mod expressions;
mod fields;
mod guides;
mod hints;
mod initialise;
mod inline;
mod instances;
mod intrinsics;
mod jumps;
mod kernels;
mod known;
mod lambdas;
mod loops;
mod mangle;
mod matches;
mod members;
mod module;
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
mod struct_templates;
mod structs;
mod surfaces;
mod template_arguments;
mod textures;
mod trips;
mod unary;
mod values;
mod variable_types;
mod variables;
mod vectors;
mod virtual_calls;
mod virtuals;

use crate::diagnostics::{Res, Sink};
use crate::hash::{HashMap, HashSet};
use crate::ir::build::Builder;
use crate::ir::{Block, Body, Loc, Symbol, Value};
use crate::limits::LOWERING_DEPTH;
use crate::source::{Lines, Span};
use crate::syntax::{Function, Item, Name, StructSyntax, TypeKind, Variable};
use crate::types::{StructId, Structs, Type};
pub(crate) use addresses::{leads_to, led_to};
pub(crate) use module::{Kernel, KernelParam, Location, Module, SymbolData};
use scope::Scope;
use std::rc::Rc;
use values::Typed;

/// What is being written: a kernel, or a function within it.
#[derive(Default)]
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
    /// Expressions looked at so far.
    work: usize,
    /// Whether the instructions at hand are counted to see whether a loop is small enough to be unrolled.
    is_measured: bool,
    /// What decides which loops are unrolled.
    tally: loops::Tally,
    /// Whether copies of iterations may rely on local objects becoming registers.
    assume_promotion: bool,
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
    is_diagnostics_only: bool,
    diagnosed: diagnostics_only::Diagnosed,
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
    assume_promotion: bool,
    sink: &'a mut Sink,
) -> Module {
    let mut lower = Lower::new(lines, wanted, assume_promotion, sink);
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

impl<'a> Lower<'a> {
    fn new(
        lines: &'a Lines<'a>,
        wanted: Option<&'a str>,
        assume_promotion: bool,
        sink: &'a mut Sink,
    ) -> Self {
        Self {
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
            work: 0,
            is_measured: false,
            tally: loops::Tally::default(),
            assume_promotion,
            no_patterns: HashSet::default(),
            evaluated: 0,
            kernel_name: "".into(),
            kernels: Vec::new(),
            wanted,
            room: Body::default(),
            is_diagnostics_only: false,
            diagnosed: HashMap::default(),
            called: HashMap::default(),
            in_function: false,
            temporaries: None,
        }
    }
}

impl Lower<'_> {
    fn new_builder(&mut self) -> Builder {
        let mut builder = Builder::in_room_of(std::mem::take(&mut self.room));
        builder.known.is_off = !self.assume_promotion || self.is_diagnostics_only;
        builder
    }

    /// The place in the source that instructions written from now on come from.
    fn locate(&mut self, span: Span) {
        if span.is_header() {
            return; // it counts as its call
        }
        self.sink.near = span;
        if self.is_diagnostics_only {
            return; // nothing is written of it
        }
        let (line, column) = self.lines.place(span.start);
        let inlined = self.frames.last().and_then(|frame| frame.call.clone());
        let location = Location {
            file: self.lines.file(span.start).0,
            line,
            column,
            inlined,
        };
        self.builder.loc = self.loc(location);
    }

    /// Runs a part that stands on a line of its own as what comes from there; on the same line the place stays.
    fn at_line<T>(&mut self, span: Span, part: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let outer = self.builder.loc;
        if span.is_header() || self.is_diagnostics_only {
            return part(self);
        }
        let (line, file) = (
            self.lines.place(span.start).0,
            self.lines.file(span.start).0,
        );
        let is_other = self
            .module
            .locations
            .get(outer.0 as usize)
            .is_some_and(|place| (place.line, place.file) != (line, file));
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
