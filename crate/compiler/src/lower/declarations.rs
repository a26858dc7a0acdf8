//! What stands outside of functions is declared: functions, types, templates, and variables of the module.

use super::scope::{Binding, FunctionRef};
use super::{Lower, SymbolData, mangle};
use crate::diagnostics::Res;
use crate::ir::{Space, Symbol};
use crate::limits::SHARED_BYTES;
use crate::syntax::{Function, Init, Item, StmtKind, TypeKind, Variable};
use crate::types::Type;
use std::rc::Rc;

impl Lower<'_> {
    /// Declares an item. Functions' bodies are looked at later.
    pub(super) fn item(&mut self, item: &Item) -> Res<()> {
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

    pub(super) fn symbol(
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
}
