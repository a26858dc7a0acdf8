//! Declarations of variables within functions: as names of values, as objects, in shared memory.

use super::Lower;
use super::overloads::Given;
use super::scope::Binding;
use super::values::Typed;
use crate::diagnostics::Res;
use crate::ir::{Space, Symbol};
use crate::syntax::{Expr, ExprKind, Init, Name, Storage, TypeKind, Variable};
use crate::types::{Kind, Type};

impl Lower<'_> {
    /// Declares a variable.
    pub(super) fn variable(&mut self, variable: &Variable) -> Res<()> {
        let variable = &*self.expanded_variable(variable)?;
        match variable.storage {
            Storage::Shared | Storage::ExternShared => return self.shared_variable(variable),
            Storage::Plain => {}
            Storage::Device | Storage::Managed if variable.is_static => {
                return self.static_variable(variable);
            }
            Storage::Constant | Storage::Device | Storage::Managed => {
                let help = "declare it outside of the kernel";
                return Err(self.sink.error_help(
                    variable.span,
                    "this kind of variable belongs to the module",
                    help,
                ));
            }
        }
        if let Kind::Closure(_) = self.closure_type(variable)?.kind {
            return Ok(());
        }
        if let Some(of) = self.placeholder(&variable.ty) {
            return self.deduced_variable(variable, &of);
        }
        let ty = self.variable_type(variable)?;
        self.check_size(variable.span, &ty)?;
        if ty.is_callee() && self.function_variable(variable, &ty)? {
            return Ok(());
        }
        if let Kind::Reference(to) = &ty.kind {
            return self.reference_variable(variable, to);
        }
        if variable.is_static && !ty.is_const {
            return self.static_variable(variable);
        }
        let is_kept = variable.is_static && !matches!(variable.init, Init::None);
        let is_of_module = (variable.is_constexpr || is_kept) && !self.holds_address(&ty);
        if is_of_module && ty.is_aggregate() {
            return self.constant_object(variable, &ty);
        }
        if self.is_by_value(variable, &ty) && self.value_variable(variable, &ty)? {
            return Ok(());
        }
        self.object_variable(variable, ty)
    }

    /// A variable that lies in memory.
    fn object_variable(&mut self, variable: &Variable, ty: Type) -> Res<()> {
        let size = self.structs.size(&ty);
        let align = self.alignment(variable, &ty)?;
        let frame = self.frame();
        let is_jumped_over = !frame.cases.is_empty()
            || frame
                .function
                .as_ref()
                .is_some_and(|function| function.has_labels);
        let address = match is_jumped_over && matches!(variable.init, Init::None) {
            true => self.new_entry_slot(size, align),
            false => self.new_slot_aligned(size, align),
        };
        self.check_whole(&ty, variable.span)?;
        if matches!(variable.init, Init::None) && self.begins_with_values(&ty) {
            self.begin(&ty, address, variable.span)?;
        } else {
            self.initialise_by(&ty, address, &variable.init, variable.span)?;
        }
        if self.has_destructor(&ty) {
            let object = Typed::place(ty.clone(), address);
            self.frame().cleanups.push(object);
        }
        self.bind(&variable.name, Binding::Typed(Typed::place(ty, address)));
        Ok(())
    }

    /// A name for an object, which is kept where nothing else keeps it.
    fn reference_variable(&mut self, variable: &Variable, to: &Type) -> Res<()> {
        let expr = match &variable.init {
            Init::Value(expr) => expr,
            Init::Braces(list) | Init::Brackets(list) if list.len() == 1 => &list[0],
            _ => {
                return Err(self
                    .sink
                    .error(variable.span, "a reference needs what it refers to"));
            }
        };
        let typed = match expr.kind {
            ExprKind::List(_) => None,
            _ if to.is_const => Some(self.expr(expr)?),
            _ => Some(self.place_of(expr)?),
        };
        let given = Given { expr, typed };
        let given = self.kept(given, to, variable.ty.is_rvalue)?;
        let made = given.typed.clone();
        let bound = self.bind_reference(to, &given, expr.span)?;
        // An object that only this is a name for ends with its block.
        if let Some(made) = made
            && self.take_over(&made)
        {
            self.frame().cleanups.push(made);
        }
        self.bind(&variable.name, Binding::Typed(bound));
        Ok(())
    }

    /// A variable that is nothing but a name for a value; false where no value is given.
    fn value_variable(&mut self, variable: &Variable, ty: &Type) -> Res<bool> {
        let expr = match &variable.init {
            Init::Value(expr) => expr,
            Init::Braces(list) | Init::Brackets(list) => match &list[..] {
                [] => return Ok(false),
                [only] => only,
                [_, second, ..] => {
                    return Err(self.sink.error(second.span, "one number takes one value"));
                }
            },
            Init::None => return Ok(false),
        };
        let value = match variable.is_constexpr && !ty.is_pointer() {
            true => {
                let Some((bits, register)) = self.aside_known(expr, Some(ty))?.1 else {
                    return Err(self.not_constant(expr));
                };
                self.builder.constant(register, bits)
            }
            false => {
                let typed = self.expr(expr)?;
                self.convert(&typed, ty, expr.span)?
            }
        };
        let typed = Typed::value(ty.clone(), value);
        self.bind(&variable.name, Binding::Typed(typed));
        Ok(true)
    }

    /// A name for a function that is known while compiling; whether it is.
    #[inline(never)]
    fn function_variable(&mut self, variable: &Variable, ty: &Type) -> Res<bool> {
        let expr = match &variable.init {
            Init::Value(expr) => expr,
            Init::Braces(list) | Init::Brackets(list) if list.len() == 1 => &list[0],
            _ => return Ok(false),
        };
        let function = self.frames.last().and_then(|frame| frame.function.as_ref());
        let may_change = function.is_some_and(|function| function.changed.contains(&variable.name));
        if may_change && ty.kind != Kind::Function {
            return Ok(false);
        }
        let typed = self.expr(expr)?;
        let typed = match typed.form {
            super::values::Form::Functions(_) => self.function_value(typed, expr.span)?,
            _ if ty.kind == Kind::Function || matches!(typed.ty.kind, Kind::Closure(_)) => {
                self.function_value(typed, expr.span)?
            }
            _ => Typed::value(ty.clone(), self.convert(&typed, ty, expr.span)?),
        };
        self.bind(&variable.name, Binding::Typed(typed));
        Ok(true)
    }

    /// A `constexpr` array or object: its bytes lie in the module, and what is read of it is known.
    #[inline(never)]
    fn constant_object(&mut self, variable: &Variable, ty: &Type) -> Res<()> {
        let instance = self.frames.last().map(|frame| frame.instance.clone());
        let instance = instance.unwrap_or_default();
        let key = format!("{instance} {} {}", variable.name, variable.span.start);
        let mut ty = ty.clone();
        ty.is_const = true;
        let bytes = self.constant_bytes(variable, &ty)?;
        let known = self.statics.get(&key).map(|(symbol, _)| *symbol);
        let known = known.filter(|symbol| {
            let data = &self.module.symbols[symbol.0 as usize];
            data.init.as_ref() == Some(&bytes)
        });
        let symbol = match known {
            Some(symbol) => symbol,
            None => {
                let mut named = variable.clone();
                let number = self.module.symbols.len();
                named.name = format!("{}_{number}", variable.name).into();
                // Without `static` it would be an object of the thread's own; as long as what is read of it is known, that is the same.
                let space = match variable.is_static {
                    true => Space::Global,
                    false => Space::Constant,
                };
                self.symbol(&named, &ty, space, Some(bytes))?
            }
        };
        self.statics.insert(key, (symbol, ty.clone()));
        self.bind(&variable.name, Binding::Symbol(symbol, ty));
        Ok(())
    }

    /// A variable of a function that keeps its value from call to call: one for all threads, in global memory.
    #[inline(never)]
    fn static_variable(&mut self, variable: &Variable) -> Res<()> {
        let instance = self.frames.last().map(|frame| frame.instance.clone());
        let instance = instance.unwrap_or_default();
        let function = self.frames.last().and_then(|frame| frame.function.clone());
        let place = function.map_or(0, |function| function.span.start);
        let key = format!(
            "static {place} {instance} {} {}",
            variable.name, variable.span.start
        );
        if let Some((symbol, ty)) = self.statics.get(&key) {
            let (symbol, ty) = (*symbol, ty.clone());
            self.bind(&variable.name, Binding::Symbol(symbol, ty));
            return Ok(());
        }
        let ty = self.variable_type(variable)?;
        let init = match &variable.init {
            Init::None => None,
            _ => Some(self.constant_bytes(variable, &ty)?),
        };
        let mut named = variable.clone();
        named.name = format!("{}_{}", variable.name, self.module.symbols.len()).into();
        if named.storage == Storage::Plain {
            named.storage = Storage::Device;
        }
        let symbol = self.symbol(&named, &ty, Space::Global, init)?;
        self.statics.insert(key, (symbol, ty.clone()));
        self.bind(&variable.name, Binding::Symbol(symbol, ty));
        Ok(())
    }

    /// Declares a variable whose declaration is wrong, so that its uses are not told to be wrong too.
    pub(super) fn declare_anyway(&mut self, variable: &Variable) {
        self.sink.is_unread(&variable.name);
        let had = std::mem::take(self.sink);
        let ty = self.type_anyway(&variable.ty);
        *self.sink = had;
        let address = self.new_slot(&ty);
        self.bind(&variable.name, Binding::Typed(Typed::place(ty, address)));
    }

    /// Binds a variable that is a lambda; the type of another.
    fn closure_type(&mut self, variable: &Variable) -> Res<Type> {
        let (TypeKind::Auto, Init::Value(init)) = (&variable.ty.kind, &variable.init) else {
            return Ok(Type::new(Kind::Null));
        };
        if !matches!(init.kind, ExprKind::Lambda(_)) && !self.names_closure(init) {
            return Ok(Type::new(Kind::Null));
        }
        let typed = self.expr(init)?;
        let ty = typed.ty.clone();
        self.bind(&variable.name, Binding::Typed(typed));
        Ok(ty)
    }

    fn names_closure(&self, expr: &Expr) -> bool {
        let ExprKind::Path(path) = &expr.kind else {
            return false;
        };
        matches!(
            self.lookup(&path.parts[0].name),
            Some(Binding::Typed(Typed {
                ty: Type {
                    kind: Kind::Closure(_),
                    ..
                },
                ..
            }))
        )
    }

    /// Whether a variable is nothing but a name for a value.
    fn is_by_value(&mut self, variable: &Variable, ty: &Type) -> bool {
        if ty.is_aggregate() || ty.is_volatile || matches!(variable.init, Init::None) {
            return false;
        }
        let Some(frame) = self.frames.last() else {
            return false;
        };
        let Some(function) = &frame.function else {
            return false;
        };
        let changed = &function.changed;
        let is_named = |name: &Name| name.strip_prefix('&') == Some(&variable.name);
        let may_change =
            changed.contains(&variable.name) || (!ty.is_const && changed.iter().any(is_named));
        !may_change
    }

    /// A variable that the block shares: one for each instance of its function in a kernel.
    fn shared_variable(&mut self, variable: &Variable) -> Res<()> {
        let instance = self
            .frames
            .last()
            .map(|frame| frame.instance.clone())
            .unwrap_or_default();
        let key = format!(
            "{} {instance} {} {}",
            self.kernel_name, variable.name, variable.span.start
        );
        if let Some((symbol, ty)) = self.statics.get(&key) {
            let (symbol, ty) = (*symbol, ty.clone());
            self.bind(&variable.name, Binding::Symbol(symbol, ty));
            return Ok(());
        }
        if self.in_function && variable.storage == Storage::Shared {
            let what = "shared memory of a function that calls itself";
            return Err(self.sink.gap(variable.span, what));
        }
        if !matches!(variable.init, Init::None) {
            let help = "let the threads set it, and call `__syncthreads()` before it is read";
            return Err(self.sink.error_help(
                variable.span,
                "shared memory has no first values",
                help,
            ));
        }
        let ty = self.variable_type(variable)?;
        let symbol = self.symbol(variable, &ty, Space::Shared, None)?;
        if variable.storage == Storage::Shared {
            let (kernel, name) = (self.kernel_name.clone(), &variable.name);
            let mut mangled = format!("_ZZ{}{kernel}E{}{name}", kernel.len(), name.len());
            let taken = |mangled: &str, symbols: &[super::SymbolData]| {
                symbols.iter().any(|other| other.name == mangled)
            };
            let mut number = 0;
            while taken(&mangled, &self.module.symbols) {
                mangled = format!("_ZZ{}{kernel}E{}{name}_{number}", kernel.len(), name.len());
                number += 1;
            }
            self.module.symbols[symbol.0 as usize].name = mangled;
        }
        self.statics.insert(key, (Symbol(symbol.0), ty.clone()));
        self.bind(&variable.name, Binding::Symbol(symbol, ty));
        Ok(())
    }
}
