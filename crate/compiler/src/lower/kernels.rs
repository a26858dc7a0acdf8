//! Kernels: their parameters and bounds. Functions that no kernel calls are looked at for their errors only.

use super::scope::{Binding, Scope};
use super::values::Typed;
use super::{Frame, Kernel, KernelParam, Lower};
use crate::diagnostics::Res;
use crate::ir::build::Builder;
use crate::ir::{Op, Space, Term, Ty};
use crate::syntax::{Expr, Function, Item, Runs, TypeKind};
use crate::types::{Kind, Type};
use std::rc::Rc;

impl Lower<'_> {
    pub(super) fn functions(&mut self, items: &[Item]) {
        for item in items {
            let Item::Function(function) = item else {
                continue;
            };
            if function.runs != Runs::Kernel || self.sink.is_full() {
                continue;
            }
            let had_errors = self.sink.has_errors();
            let result = self.kernel(function);
            self.reset();
            if let (Ok(Some(kernel)), false) = (result, had_errors) {
                self.module.kernels.push(kernel);
            }
        }
        for item in items {
            let Item::Function(function) = item else {
                continue;
            };
            if function.runs == Runs::Device
                && function.template.is_none()
                && !self.sink.has_errors()
            {
                let _ = self.look_at(function);
                self.reset();
            }
        }
    }

    fn reset(&mut self) {
        self.frames.clear();
        self.depth = 0;
        self.work = 0;
        self.builder = Builder::new();
    }

    fn open(&mut self, function: &Rc<Function>) {
        self.builder = Builder::new();
        self.kernel_name = function.name.clone();
        self.frames.push(Frame {
            scopes: vec![Scope::default()],
            this: None,
            of: None,
            returns: Some(Type::scalar(crate::syntax::Scalar::Void)),
            returned: Vec::new(),
            result: None,
            exit: None,
            targets: Vec::new(),
            function: Some(function.clone()),
            call: None,
            instance: String::new(),
        });
        self.locate(function.span);
    }

    fn kernel(&mut self, function: &Rc<Function>) -> Res<Option<Kernel>> {
        let Some(body) = &function.body else {
            return Ok(None);
        };
        if function.template.is_some() {
            return Err(self.sink.gap(function.span, "a kernel that is a template"));
        }
        if !function.is_extern_c {
            let help = "put `extern \"C\"` before it";
            let message = format!(
                "other compilers change the name of `{}` in the PTX",
                function.name
            );
            self.sink.warn(function.span, message, help);
        }
        self.open(function);
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
            params.push(self.parameter(function, parameter, number as u32)?);
        }
        let result = self.statement(body);
        let bounds = self.bounds(function);
        self.locate(function.end);
        self.builder.end(Term::Return);
        result?;
        let (launch, cluster, max_registers) = bounds?;
        let mut launch = launch.into_iter();
        let body = std::mem::replace(&mut self.builder, Builder::new()).body;
        Ok(Some(Kernel {
            name: function.name.to_string(),
            params,
            body,
            loc,
            max_threads: launch.next(),
            min_blocks: launch.next(),
            max_registers,
            cluster,
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

    fn parameter(
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
        if matches!(function.returns.kind, TypeKind::Auto)
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
        self.statement(body)
    }
}
