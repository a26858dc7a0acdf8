//! Calls: all are inlined where they stand.

use super::overloads::{BY_CONVERSION, Chosen, Given};
use super::scope::{Binding, FunctionRef, Scope};
use super::structs::member_key;
use super::values::{Form, Typed};
use super::{Frame, Lower};
use crate::diagnostics::{Res, an, takes};
use crate::ir::{Bin, Op, Value};
use crate::limits::CALL_DEPTH;
use crate::source::Span;
use crate::syntax::{CONSTRUCTOR, Expr, ExprKind, Part, Runs, Scalar, TemplateArgument};
use crate::types::{Kind, StructId, Type};
use std::rc::Rc;

impl Lower<'_> {
    pub(super) fn call(&mut self, callee: &Expr, arguments: &[Expr], span: Span) -> Res<Typed> {
        match &callee.kind {
            ExprKind::Path(path) => {
                let name = &path.parts[0].name;
                let known = path.parts.len() > 1 || self.lookup(name).is_some();
                if !known {
                    if let Some((id, function)) = self.method_of_this(name) {
                        return self.method(
                            id,
                            function,
                            arguments,
                            path.parts[0].arguments.as_deref(),
                            span,
                        );
                    }
                    if let Some(field) = self.own_field(name) {
                        return self.call_object(field, arguments, span);
                    }
                    return self.builtin(name, path.parts[0].arguments.as_deref(), arguments, span);
                }
                let (binding, explicit) = self.resolve(path)?;
                match binding {
                    Binding::Functions(list) => {
                        let explicit = explicit.as_deref();
                        let is_plain = path.parts.len() == 1;
                        self.call_functions(&list, None, explicit, arguments, span, is_plain)
                    }
                    Binding::Type(ty) => self.construct(&ty, arguments, false, span),
                    Binding::Typed(typed) => self.call_object(typed, arguments, span),
                    Binding::Symbol(symbol, ty) => {
                        let address = self.symbol_address(symbol);
                        self.call_object(Typed::place(ty, address), arguments, span)
                    }
                    _ => Err(self.sink.error(span, format!("`{name}` cannot be called"))),
                }
            }
            ExprKind::Member(object, part, is_arrow) => {
                self.call_member(object, part, *is_arrow, arguments, span)
            }
            _ => {
                let object = self.expr(callee)?;
                self.call_object(object, arguments, span)
            }
        }
    }

    fn method_of_this(&mut self, name: &str) -> Option<(Typed, Rc<Vec<FunctionRef>>)> {
        let (address, id, is_const) = self.frames.last()?.this?;
        let Some(Binding::Functions(list)) = self.member_binding(id, name) else {
            return None;
        };
        let mut ty = Type::new(Kind::Struct(id));
        ty.is_const = is_const;
        Some((Typed::place(ty, address), list))
    }

    fn method(
        &mut self,
        object: Typed,
        list: Rc<Vec<FunctionRef>>,
        arguments: &[Expr],
        explicit: Option<&[TemplateArgument]>,
        span: Span,
    ) -> Res<Typed> {
        self.call_functions(&list, Some(object), explicit, arguments, span, true)
    }

    /// Of a function that is named with its class it is that one, whatever the object is: such a call may not be virtual.
    fn call_functions(
        &mut self,
        list: &Rc<Vec<FunctionRef>>,
        object: Option<Typed>,
        explicit: Option<&[TemplateArgument]>,
        arguments: &[Expr],
        span: Span,
        may_be_virtual: bool,
    ) -> Res<Typed> {
        let given = self.given(arguments)?;
        let name = list
            .first()
            .map_or_else(|| "".into(), |first| first.function.name.clone());
        let object = object.or_else(|| {
            // A member that is called by its name alone, from another member.
            let frame = self.frames.last()?;
            let (address, id, _) = frame.this?;
            let of = Type::new(Kind::Struct(list.first()?.of?));
            let this = Type::new(Kind::Struct(id));
            let is_own = of == this || self.structs.derives(&this, &of);
            is_own.then(|| Typed::place(this, address))
        });
        let all = list;
        let list = callable_on(all, object.as_ref());
        if list.is_empty() && !all.is_empty() {
            let message = format!("`{name}` may change its object, and this one is `const`");
            let help = "write `const` behind the function's parameters if it changes nothing";
            return Err(self.sink.error_help(span, message, help));
        }
        // What a source declares of a name that CUDA has stands beside CUDA's own.
        if object.is_none() && super::builtins::is_cudas(&name) {
            let fits = |lower: &mut Self, one: &FunctionRef| {
                let fits = lower.fits(one, explicit, &given, span);
                fits.is_ok_and(|((score, _), _)| score < BY_CONVERSION)
            };
            if !list.iter().any(|one| fits(self, one)) {
                return self.builtin_for(&name, explicit, &given, span);
            }
        }
        let chosen = self.choose(&name, &list, explicit, &given, span)?;
        if let (Some(object), true) = (&object, may_be_virtual)
            && let Some(result) = self.call_virtual(&chosen, object, &given, span)
        {
            return result;
        }
        self.inline(chosen, object, given, span)
    }

    fn call_member(
        &mut self,
        object: &Expr,
        part: &Part,
        is_arrow: bool,
        arguments: &[Expr],
        span: Span,
    ) -> Res<Typed> {
        let names_base = matches!(object.kind, ExprKind::Cast(crate::syntax::NAMED_BASE, ..));
        let object = self.member_object(object, is_arrow)?;
        let Kind::Struct(id) = object.ty.kind else {
            let name = self.spelled(&object.ty);
            let message = format!("{} has no member functions", an(&name));
            return Err(match no_member_help(&object.ty) {
                "" => self.sink.error(span, message),
                help => self.sink.error_help(span, message, help),
            });
        };
        match self.member_binding(id, &part.name) {
            Some(Binding::Functions(list)) => {
                let explicit = part.arguments.as_deref();
                self.call_functions(&list, Some(object), explicit, arguments, span, !names_base)
            }
            _ => match self.field(id, &part.name) {
                Some(_) => {
                    let field = self.member_of(&object, &part.name, span)?;
                    self.call_object(field, arguments, span)
                }
                None => Err(self.no_member(id, &part.name, span)),
            },
        }
    }

    /// Calls a lambda, or an object with `operator()`.
    pub(super) fn call_object(
        &mut self,
        object: Typed,
        arguments: &[Expr],
        span: Span,
    ) -> Res<Typed> {
        match (&object.ty.kind, &object.form) {
            (Kind::Struct(id), _) => match self.member_binding(*id, "operator()") {
                Some(Binding::Functions(list)) => self.method(object, list, arguments, None, span),
                _ => {
                    let name = self.spelled(&object.ty);
                    let help = "a struct that is called needs `operator()`";
                    Err(self
                        .sink
                        .error_help(span, format!("{} cannot be called", an(&name)), help))
                }
            },
            (Kind::Closure(number), _) => {
                let closure = self.closures[*number as usize].clone();
                let given = self.given(arguments)?;
                let reference = FunctionRef {
                    function: closure.lambda.function.clone(),
                    of: closure.of,
                };
                let this = closure.this.map(|(address, id, is_const)| {
                    let mut ty = Type::new(Kind::Struct(id));
                    ty.is_const = is_const;
                    Typed::place(ty, address)
                });
                if reference.function.template.is_some() {
                    let list = [reference];
                    let mut chosen = self.choose("lambda", &list, None, &given, span)?;
                    chosen.instance = format!("lambda {number} {}", chosen.instance);
                    return self.inline_in(chosen, closure.scopes, this, given, span);
                }
                let wanted = reference.function.parameters.len();
                if given.len() != wanted {
                    return Err(self.sink.error(
                        span,
                        format!("this lambda {}", takes(&wanted.to_string(), given.len())),
                    ));
                }
                let chosen = Chosen {
                    function: reference,
                    scope: Scope::default(),
                    instance: format!("lambda {number}"),
                };
                self.inline_in(chosen, closure.scopes, this, given, span)
            }
            (_, Form::Functions(list)) => {
                let list = list.clone();
                self.call_functions(&list, None, None, arguments, span, true)
            }
            (Kind::Callee(number), _) => self.call_callee(&object, *number, arguments, span),
            _ => {
                let name = self.spelled(&object.ty);
                let help = match object.ty.kind {
                    Kind::Pointer(_) | Kind::Array(..) => {
                        "an element stands in square brackets: `[index]`"
                    }
                    _ if arguments.is_empty() => "leave out the brackets",
                    _ => "write `*` before the bracket to multiply",
                };
                Err(self
                    .sink
                    .error_help(span, format!("{} cannot be called", an(&name)), help))
            }
        }
    }

    /// Whether a member without attributes is declared with them elsewhere in its struct.
    fn is_declared_for_kernels(&self, member: &FunctionRef) -> bool {
        let Some(of) = member.of else { return false };
        let Some(syntax) = &self.structs.get(of).syntax else {
            return true;
        };
        let mut all = syntax.functions.iter();
        all.any(|one| one.name == member.function.name && one.runs == Runs::Device)
    }

    /// An object of a struct by its constructor, at an address.
    pub(super) fn run_constructor(
        &mut self,
        id: StructId,
        address: Value,
        given: Vec<Given>,
        span: Span,
    ) -> Res<()> {
        let key = member_key(true, &"".into());
        let Some(Binding::Functions(list)) = self.member_binding(id, &key) else {
            return Err(self.sink.error(span, "this struct has no constructor"));
        };
        let name = self.structs.get(id).name.clone();
        let chosen = self.choose(&name, &list, None, &given, span)?;
        match chosen.function.of {
            Some(base) if base != id => {
                let construct = |lower: &mut Self, at| {
                    let object = Typed::place(Type::new(Kind::Struct(base)), at);
                    lower.inline(chosen, Some(object), given, span).map(|_| ())
                };
                self.begin_by_base(id, base, address, Box::new(construct))
            }
            _ => {
                let object = Typed::place(Type::new(Kind::Struct(id)), address);
                self.inline(chosen, Some(object), given, span).map(|_| ())
            }
        }
    }

    pub(super) fn has_constructor(&self, id: StructId) -> bool {
        self.member_binding(id, CONSTRUCTOR).is_some()
    }

    pub(super) fn inline(
        &mut self,
        chosen: Chosen,
        object: Option<Typed>,
        given: Vec<Given>,
        span: Span,
    ) -> Res<Typed> {
        self.inline_in(chosen, Vec::new(), object, given, span)
    }

    /// Notes which variable of the module a function gets the address of.
    fn hand_over(&mut self, typed: &Typed) {
        let (Form::Place(mut value) | Form::Value(mut value)) = typed.form else {
            return;
        };
        while let Some(inst) = self.builder.body.def(value) {
            match inst.op {
                Op::Symbol(symbol) => {
                    let is_handed_over = &mut self.module.symbols[symbol.0 as usize].is_handed_over;
                    match self.builder.body.open.is_any() {
                        // No copy may come here.
                        true if !*is_handed_over => self.builder.body.open.asks_all(u8::MAX),
                        _ => *is_handed_over = true,
                    }
                    return;
                }
                Op::Bin(Bin::Add) | Op::ToGeneric(_) => value = inst.args[0],
                _ => return,
            }
        }
    }

    fn check_callable(&mut self, chosen: &Chosen, span: Span) -> Res<()> {
        let function = &chosen.function.function;
        let name = &function.name;
        if function.runs == Runs::Kernel {
            let help = "make what both do a `__device__` function, and call that from both";
            return Err(self.sink.error_help(
                span,
                format!("`{name}` is a kernel; a kernel is launched by the host, not called"),
                help,
            ));
        }
        let plain = function.runs == Runs::Host
            || (function.runs == Runs::Anywhere
                && !function.is_constexpr
                && !function.span.is_header()
                && !self.is_declared_for_kernels(&chosen.function));
        if plain {
            let help = format!("put `__device__` before `{name}`");
            return Err(self.sink.error_help(
                span,
                format!("`{name}` is a function of the host"),
                help,
            ));
        }
        if function.body.is_none() && function.span.is_header() {
            return Err(self
                .sink
                .gap(span, format!("the function `{name}` of these types")));
        }
        if function.body.is_none() {
            let message = format!("`{name}` is declared, but nowhere defined");
            let help =
                "a kernel's source is one text: put the body of what another file defines into it";
            return Err(self.sink.error_help(span, message, help));
        }
        if self.frames.len() > CALL_DEPTH && function.is_constexpr {
            let what = format!("a function that calls itself so often (`{name}`)");
            return Err(self.sink.gap(span, what));
        }
        if self.frames.len() > CALL_DEPTH {
            return Err(self.sink.error(
                span,
                format!("more than {CALL_DEPTH} calls inside each other"),
            ));
        }
        Ok(())
    }

    /// Arguments with lists in braces as objects of the types that they are for, made where the call stands.
    #[inline(never)]
    fn settled<'e>(
        &mut self,
        chosen: &Chosen,
        scopes: &[Scope],
        given: Vec<Given<'e>>,
    ) -> Res<Vec<Given<'e>>> {
        if given.iter().all(|given| given.typed.is_some()) {
            return Ok(given);
        }
        let function = chosen.function.function.clone();
        let mut all = Vec::with_capacity(given.len());
        for (number, given) in given.into_iter().enumerate() {
            if given.typed.is_some() || function.parameters.is_empty() {
                all.push(given);
                continue;
            }
            let syntax = super::overloads::type_of_parameter(&function, number);
            let mut scopes = scopes.to_vec();
            scopes.push(chosen.scope.clone());
            let (ty, _) =
                self.in_environment(scopes, chosen.function.of, |lower| lower.type_of(&syntax));
            let ty = match ty?.kind {
                Kind::Reference(to) => to.plain(),
                Kind::Array(of, _) => Type::pointer((*of).clone()),
                kind => Type::new(kind),
            };
            let address = self.new_slot(&ty);
            self.initialise(&ty, address, given.expr)?;
            all.push(Given {
                expr: given.expr,
                typed: Some(Typed::place(ty, address)),
            });
        }
        Ok(all)
    }

    /// Whether a function is called within itself. What is constant comes to an end by itself, or at a limit.
    #[inline(never)]
    fn calls_itself(&self, chosen: &Chosen, given: &[Given]) -> bool {
        let function = &chosen.function.function;
        let same = |frame: &Frame| {
            let other = frame.function.as_ref();
            frame.instance == chosen.instance
                && other.is_some_and(|other| Rc::ptr_eq(other, function))
        };
        let is_constant = |given: &Given| match given.typed.as_ref().map(|typed| &typed.form) {
            Some(Form::Value(value)) => self.builder.body.constant(*value).is_some(),
            _ => true,
        };
        let folds = || function.is_constexpr && given.iter().all(is_constant);
        self.frames.iter().any(same) && !folds()
    }

    fn inline_in(
        &mut self,
        chosen: Chosen,
        mut scopes: Vec<Scope>,
        object: Option<Typed>,
        given: Vec<Given>,
        span: Span,
    ) -> Res<Typed> {
        self.check_callable(&chosen, span)?;
        self.check_instructions(span)?;
        if self.calls_itself(&chosen, &given) {
            self.no_pattern(span)?;
            return self.call_recursive(chosen, object, given, span);
        }
        let given = self.settled(&chosen, &scopes, given)?;
        let typed = given.iter().filter_map(|given| given.typed.as_ref());
        typed.chain(&object).for_each(|typed| self.hand_over(typed));
        let function = chosen.function.function.clone();
        let signature = self.signature(&chosen, object.as_ref(), &given);
        if let Some(signature) = &signature
            && self.glanced.contains_key(signature)
        {
            return Ok(Typed::void());
        }
        let said = self.sink.list.len();
        let is_member = chosen.function.of.is_some()
            && !function.is_static
            && function.name.as_ref() != ""
            && object.is_some();
        let this = match &object {
            Some(Typed {
                form: Form::Place(address),
                ty,
                ..
            }) if is_member => match (&ty.kind, chosen.function.of) {
                // The function may be a base's, whose fields may lie further on.
                (Kind::Struct(_), Some(of)) => {
                    let base = Type::new(Kind::Struct(of));
                    let offset = self.structs.base_offset(ty, &base).unwrap_or(0);
                    let at = self.builder.offset(*address, offset);
                    Some((at, of, ty.is_const))
                }
                _ => None,
            },
            _ => None,
        };
        if this.is_none()
            && chosen.function.of.is_some()
            && !function.is_static
            && !function.is_constexpr
            && scopes.is_empty()
        {
            let help = "call it on an object, or declare it `static`";
            return Err(self.sink.error_help(
                span,
                format!("`{}` needs an object", function.name),
                help,
            ));
        }
        scopes.push(chosen.scope);
        scopes.push(Scope::default());
        let outer = self.builder.loc;
        let exit = self.builder.block();
        self.frames.push(Frame {
            scopes,
            this,
            of: chosen.function.of,
            returns: None,
            returned: Vec::new(),
            result: None,
            exit: Some(exit),
            targets: Vec::new(),
            cases: Vec::new(),
            labels: Vec::new(),
            cleanups: Vec::new(),
            function: Some(function.clone()),
            call: Some((function.name.clone(), outer)),
            instance: chosen.instance,
        });
        let result = self.deeper(span, |lower| lower.inline_body(&function, given, span));
        let frame = self.frames.pop();
        self.builder.loc = outer;
        result?;
        let Some(frame) = frame else {
            return Ok(Typed::void());
        };
        let falls_through = !self.builder.is_ended();
        if falls_through && frame.returns.as_ref().is_some_and(|ty| !ty.is_void()) {
            self.check_returned(&function);
        }
        self.builder.go_on_in(exit);
        let Some(ty) = frame.returns.filter(|ty| !ty.is_void()) else {
            if let Some(signature) = signature.filter(|_| self.sink.list.len() == said) {
                self.glanced.insert(signature, function);
            }
            return Ok(Typed::void());
        };
        self.check_kept(&ty, span)?;
        if let (Kind::Closure(_), _) = (&ty.kind, 0) {
            return Ok(Typed {
                ty,
                ..Typed::void()
            });
        }
        match (&frame.returned[..], frame.result) {
            ([only], _) if !falls_through && !ty.is_aggregate() => Ok(match ty.kind {
                Kind::Reference(ref to) => Typed::place((**to).clone(), *only),
                _ => Typed::value(ty, *only),
            }),
            (_, Some(slot)) => Ok(match ty.kind {
                Kind::Reference(ref to) => {
                    let address = self.load_scalar(&ty, slot);
                    Typed::place((**to).clone(), address)
                }
                _ if ty.is_aggregate() => {
                    let made = Typed::place(ty, slot);
                    self.keep_for_statement(&made);
                    made
                }
                _ => {
                    let value = self.load_scalar(&ty, slot);
                    Typed::value(ty, value)
                }
            }),
            _ => {
                let message = format!("`{}` ends without `return`", function.name);
                Err(self
                    .sink
                    .error_help(function.end, message, "return a value at its end"))
            }
        }
    }

    fn inline_body(
        &mut self,
        function: &Rc<crate::syntax::Function>,
        given: Vec<Given>,
        span: Span,
    ) -> Res<()> {
        let mut given = given.into_iter();
        for parameter in &function.parameters {
            if let Some(packs) = &parameter.packs {
                self.bind_pack(function, parameter, packs, given.by_ref())?;
                continue;
            }
            let given = match (given.next(), &parameter.default) {
                (Some(given), _) => given,
                (None, Some(default)) => {
                    let typed = Some(self.expr(default)?);
                    Given {
                        expr: default,
                        typed,
                    }
                }
                (None, None) => return Err(self.sink.error(span, "an argument is missing")),
            };
            self.bind_parameter(function, parameter, given)?;
        }
        if !super::returns::is_deduced(&function.returns) {
            let ty = self.type_of(&function.returns)?;
            self.frame().returns = Some(if ty.is_aggregate() { ty.plain() } else { ty });
        }
        if function.is_constructor {
            self.frame().returns = Some(Type::scalar(Scalar::Void));
            self.member_inits(function)?;
        }
        if let Some(body) = &function.body {
            self.perhaps(|lower| lower.statement(body))?;
        }
        self.check_labels()
    }
}

/// Of member functions those that may be called on an object, which are those for constants where it is one.
pub(super) fn callable_on(list: &[FunctionRef], object: Option<&Typed>) -> Vec<FunctionRef> {
    let Some(object) = object else {
        return list.to_vec();
    };
    let is_for = |function: &&FunctionRef| {
        function.function.is_const || function.function.is_static || !object.ty.is_const
    };
    let found: Vec<FunctionRef> = list.iter().filter(is_for).cloned().collect();
    let has_twin = |function: &FunctionRef| {
        let parameters = function.function.parameters.len();
        found
            .iter()
            .any(|other| !other.function.is_const && other.function.parameters.len() == parameters)
    };
    let preferred = found.iter().filter(|function| {
        object.ty.is_const || !function.function.is_const || !has_twin(function)
    });
    preferred.cloned().collect()
}

/// What to do where a member of something is wanted that is no struct.
pub(super) fn no_member_help(of: &Type) -> &'static str {
    match of.kind {
        Kind::Pointer(_) => {
            "a pointer does not know how many elements it leads to: take their number as a parameter"
        }
        Kind::Array(..) => {
            "the number of an array's elements is `sizeof(a) / sizeof(a[0])`; nothing can be appended"
        }
        _ => "",
    }
}
