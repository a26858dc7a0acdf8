//! Kernels: their parameters and bounds. Functions that no kernel calls are looked at for their errors only.

use super::scope::{Binding, Scope};
use super::values::Typed;
use super::{Frame, Kernel, KernelParam, Lower};
use crate::diagnostics::Res;
use crate::ir::build::Builder;
use crate::ir::{Op, Space, Term, Ty};
use crate::syntax::{Expr, Function, Item, Name, Runs, TypeKind};
use crate::types::{Kind, Type};
use std::rc::Rc;

impl Lower<'_> {
    pub(super) fn functions(&mut self, items: &[Item]) {
        for item in items {
            if self.sink.is_full() {
                break;
            }
            let (had_errors, told) = (self.sink.has_errors(), self.sink.told());
            let result = match item {
                Item::Function(function) if function.runs == Runs::Kernel => {
                    // A template is no kernel before an instance of it is asked for.
                    match function.template {
                        None => self.kernel_of_its_own(function),
                        Some(_) => Ok(None),
                    }
                }
                Item::Instance(name, arguments, given, span) => {
                    self.instance(name, arguments.as_deref(), given, *span)
                }
                Item::Launched(name, arguments, given, span) => {
                    self.launched(name, arguments, given, *span)
                }
                _ => continue,
            };
            self.reset();
            if self.leave_out_for_gaps(item, told) {
                continue;
            }
            if let (Ok(Some(kernel)), false) = (result, had_errors) {
                let name = Name::from(kernel.name.as_str());
                if let (true, Item::Function(function)) = (self.kernels.contains(&name), item) {
                    let message = format!("the kernel `{}` is defined twice", function.name);
                    self.sink
                        .error_help(function.span, message, "give one of them another name");
                }
                match self.is_wanted(&name) {
                    true => self.module.kernels.push(kernel),
                    false => self.room = kernel.body,
                }
                self.kernels.push(name);
            }
        }
        for item in items {
            let Item::Function(function) = item else {
                continue;
            };
            if function.runs == Runs::Device
                && !function.is_constexpr
                && !function.span.is_header()
                && function.template.is_none()
                && !self.sink.has_errors()
            {
                let told = self.sink.told();
                let _ = self.look_at(function);
                self.reset();
                self.leave_out_for_gaps(item, told);
            }
        }
    }

    /// Whether gaps are all that is wrong with a kernel or a function: then the others are compiled without it.
    fn leave_out_for_gaps(&mut self, item: &Item, told: usize) -> bool {
        let name = match item {
            Item::Function(function) => &function.name,
            Item::Instance(name, ..) | Item::Launched(name, ..) => name,
            _ => return false,
        };
        let gaps = self.sink.take_gaps(told);
        let is_left_out = !gaps.is_empty();
        let named = gaps.into_iter().map(|gap| (name.clone(), gap));
        self.module.left_out.extend(named);
        is_left_out
    }

    /// A kernel that is no template. Where others have its name, or it is a template's special case, it is known by what
    /// other compilers call it.
    fn kernel_of_its_own(&mut self, function: &Rc<Function>) -> Res<Option<Kernel>> {
        let list = match self.lookup(&function.name) {
            Some(Binding::Functions(list)) => list,
            _ => return self.kernel(function, None),
        };
        let all = list.iter().map(|found| found.function.clone());
        let mut kernels = all.filter(|other| other.runs == Runs::Kernel && other.body.is_some());
        if let Some(arguments) = &function.special {
            let template = kernels.find(|other| other.template.is_some());
            return match template {
                Some(template) => {
                    let (name, _) = self.instance_of(&template, arguments, function.span)?;
                    self.kernel(function, Some((name, Scope::default())))
                }
                None => self.kernel(function, None),
            };
        }
        let is_plain = |other: &Rc<Function>| other.template.is_none() && other.special.is_none();
        let is_alone = function.is_extern_c || kernels.filter(is_plain).count() < 2;
        let instance = match is_alone {
            true => None,
            false => Some((self.mangled_plain(function), Scope::default())),
        };
        self.kernel(function, instance)
    }

    fn is_wanted(&self, name: &str) -> bool {
        self.wanted.is_none_or(|wanted| wanted == name)
    }

    /// A kernel that is not wanted: without its loops unrolled, which is soon done. If there is something to say of it so,
    /// it is read as if it were wanted.
    fn diagnose(
        &mut self,
        function: &Rc<Function>,
        instance: Option<(String, Scope)>,
    ) -> Res<Option<Kernel>> {
        let sink = std::mem::take(self.sink);
        self.is_diagnostics_only = true;
        let found = self.lowered(function, instance.clone());
        self.is_diagnostics_only = false;
        let said = std::mem::replace(self.sink, sink);
        if said.list.is_empty() {
            return found;
        }
        self.reset();
        self.lowered(function, instance)
    }

    fn reset(&mut self) {
        self.frames.clear();
        self.depth = 0;
        self.work = 0;
        self.in_function = false;
        self.virtuals.forget();
        self.builder = self.new_builder();
    }

    fn open(&mut self, function: &Rc<Function>) {
        self.builder = self.new_builder();
        self.kernel_name = super::mangle::in_ptx(&function.name).into();
        self.frames.push(Frame {
            scopes: vec![Scope::default()],
            returns: Some(Type::scalar(crate::syntax::Scalar::Void)),
            function: Some(function.clone()),
            ..Frame::default()
        });
        self.locate(function.span);
    }

    /// A kernel; where it is of a template, with its name and what that template's parameters are.
    pub(super) fn kernel(
        &mut self,
        function: &Rc<Function>,
        instance: Option<(String, Scope)>,
    ) -> Res<Option<Kernel>> {
        let name = instance
            .as_ref()
            .map_or(&*function.name, |(mangled, _)| mangled);
        match self.is_wanted(name) {
            true => self.lowered(function, instance),
            false => self.diagnose(function, instance),
        }
    }

    fn lowered(
        &mut self,
        function: &Rc<Function>,
        instance: Option<(String, Scope)>,
    ) -> Res<Option<Kernel>> {
        let Some(body) = &function.body else {
            return Ok(None);
        };
        self.open(function);
        let mut name = self.kernel_name.clone();
        if let Some((mangled, scope)) = instance {
            name = mangled.into();
            self.kernel_name = name.clone();
            let frame = self.frame();
            frame.instance = name.to_string();
            frame.scopes.insert(0, scope);
        }
        if !self.type_of(&function.returns)?.is_void() {
            let help = "write the result to memory that a pointer leads to";
            return Err(self.sink.error_help(
                function.returns.span,
                "a kernel returns `void`",
                help,
            ));
        }
        let loc = self.builder.loc;
        let mut params = Vec::new();
        for (number, parameter) in function.parameters.iter().enumerate() {
            match &parameter.packs {
                Some(packs) => self.parameters_of_pack(function, parameter, packs, &mut params)?,
                None => params.push(self.parameter(function, parameter, number as u32)?),
            }
        }
        // Behind a block for what is put in front of all.
        let first = self.builder.block();
        self.builder.end(Term::Jump(first));
        self.builder.go_to(first);
        let result = self.statement(body).and_then(|()| self.check_labels());
        let bounds = self.bounds(function);
        self.locate(function.end);
        self.builder.end(Term::Return);
        result?;
        let (launch, cluster, max_registers) = bounds?;
        let mut launch = launch.into_iter();
        let body = std::mem::replace(&mut self.builder, Builder::new()).body;
        Ok(Some(Kernel {
            name: name.to_string(),
            params,
            body,
            loc,
            max_threads: launch.next(),
            min_blocks: launch.next(),
            max_registers,
            cluster,
            returns: None,
        }))
    }

    #[allow(clippy::type_complexity)]
    fn bounds(&mut self, function: &Function) -> Res<(Vec<u64>, Vec<u64>, Option<u64>)> {
        let mut numbers = |list: &[Expr]| {
            let mut found = Vec::new();
            for expr in list {
                found.push(self.constant_integer(expr)?.0);
            }
            Ok(found)
        };
        let launch = numbers(&function.launch_bounds)?;
        let cluster = numbers(&function.cluster_dims)?;
        let registers = match &function.max_registers {
            Some(expr) => Some(self.constant_integer(expr)?.0),
            None => None,
        };
        Ok((launch, cluster, registers))
    }

    pub(super) fn parameter(
        &mut self,
        function: &Function,
        parameter: &crate::syntax::Parameter,
        number: u32,
    ) -> Res<KernelParam> {
        let ty = self.type_of(&parameter.ty)?;
        if let Kind::Reference(_) = ty.kind {
            let help = "hand over a pointer, or the value itself";
            return Err(self.sink.error_help(
                parameter.span,
                "a kernel's parameter cannot be a reference",
                help,
            ));
        }
        let ty = match ty.kind {
            Kind::Array(of, _) => Type::pointer((*of).clone()),
            _ => ty,
        };
        let made = KernelParam {
            size: self.structs.size(&ty),
            align: self.structs.align(&ty),
            mem: ty.mem(),
            is_pointer: matches!(ty.kind, Kind::Pointer(_)),
            is_restrict: parameter.ty.is_restrict,
        };
        let Some(name) = &parameter.name else {
            return Ok(made);
        };
        if ty.is_aggregate() {
            let address = self.builder.value(Op::ParamAddress(number), Ty::B64, &[]);
            let generic = self
                .builder
                .value(Op::ToGeneric(Space::Param), Ty::B64, &[address]);
            let mut place = Typed::place(ty.clone(), generic);
            if !ty.is_const {
                let slot = self.new_slot(&ty);
                self.copy(&ty, slot, generic, false, parameter.span)?;
                place = Typed::place(ty, slot);
            }
            self.bind(name, Binding::Typed(place));
            return Ok(made);
        }
        let mem = ty.mem().map_or(Ty::B32, |mem| mem.ty());
        let raw = self.builder.value(Op::Param(number), mem, &[]);
        let mut value = self.value_in_memory(&ty, raw);
        if made.is_pointer {
            // What the host hands over points to global memory.
            let global = self
                .builder
                .value(Op::FromGeneric(Space::Global), Ty::B64, &[raw]);
            value = self
                .builder
                .emit(Op::ToGeneric(Space::Global), &[Ty::B64], vec![global])[0];
        }
        let reference: crate::syntax::Name = format!("&{name}").into();
        let may_change = function.changed.contains(name)
            || (!ty.is_const && function.changed.contains(&reference));
        let typed = match may_change {
            false => Typed::value(ty, value),
            true => {
                let slot = self.new_slot(&ty);
                self.store_scalar(&ty, slot, value);
                Typed::place(ty, slot)
            }
        };
        self.bind(name, Binding::Typed(typed));
        Ok(made)
    }

    /// Reads a function that may not be called, with arguments of which nothing is known.
    fn look_at(&mut self, function: &Rc<Function>) -> Res<()> {
        let Some(body) = &function.body else {
            return Ok(());
        };
        if super::returns::is_deduced(&function.returns)
            || function
                .parameters
                .iter()
                .any(|p| matches!(p.ty.kind, TypeKind::Auto))
        {
            return Ok(());
        }
        self.open(function);
        let exit = self.builder.block();
        let returns = self.type_of(&function.returns)?;
        self.frame().returns = Some(returns);
        self.frame().exit = Some(exit);
        for parameter in &function.parameters {
            let ty = self.type_of(&parameter.ty)?;
            let Some(name) = &parameter.name else {
                continue;
            };
            if ty.is_callee() {
                return Ok(()); // it is looked at where it is called
            }
            let (of, ty) = match &ty.kind {
                Kind::Reference(of) => ((**of).clone(), ty.clone()),
                Kind::Array(of, _) => {
                    (Type::pointer((**of).clone()), Type::pointer((**of).clone()))
                }
                _ => (ty.clone(), ty),
            };
            let _ = ty;
            let slot = self.new_slot(&of);
            self.bind(name, Binding::Typed(Typed::place(of, slot)));
        }
        self.statement(body)?;
        self.check_labels()
    }
}
