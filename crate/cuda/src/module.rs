//! Modules: images that were loaded, their kernels and variables. How a container is read is `fatbin`'s, what a kernel does the emulator's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use cornerturn_emulator::{LoadError, Module, ModuleVariable, Space, VARIABLES, VARIABLES_BYTES};

use crate::driver::Driver;
use crate::fatbin;
use crate::host::Mapping;
use crate::launch::Function;
use crate::memory::{Allocation, Allocations, Kind, memory_error};
use crate::place;
use crate::status::{Error, Result, Status};
use crate::table::new_handle;

/// The host's addresses of constants: a bank of 64 KiB for each module.
const CONSTANTS: u64 = 0x5800_0000_0000;
const BANK_BYTES: u64 = 64 << 10;
/// So many modules have variables at a time.
const MOST_SLOTS: u64 = (0x7000_0000_0000 - VARIABLES) / VARIABLES_BYTES;

/// A variable by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Name in the PTX.
    pub name: String,
    /// The address by which it is copied to and from; kernels know variables in global memory by the same one.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
    /// Whether it is in constant memory.
    pub is_constant: bool,
}

/// A module.
#[derive(Debug)]
pub struct LoadedModule {
    /// Its handle.
    pub handle: u64,
    /// The context that it is loaded in.
    pub context: u64,
    /// Its PTX.
    pub ptx: String,
    /// Its variables.
    pub symbols: Vec<Symbol>,
    module: RwLock<Module>,
    functions: Mutex<HashMap<String, u64>>,
}

impl LoadedModule {
    pub(crate) fn module(&self) -> RwLockReadGuard<'_, Module> {
        self.module.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn module_mut(&self) -> RwLockWriteGuard<'_, Module> {
        self.module.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The names of its kernels, in the order of the PTX.
    pub fn kernels(&self) -> Vec<String> {
        let module = self.module();
        let names = module.entries().iter().map(|entry| entry.name());
        names.map(str::to_string).collect()
    }
}

impl Driver {
    /// Loads an image: PTX text, or a fat binary with PTX; its bytes may go on behind it.
    ///
    /// # Errors
    /// [`Status::NO_BINARY_FOR_GPU`] for machine code alone, [`Status::INVALID_IMAGE`], and those of [`Driver::load_ptx`].
    pub fn load_image(&self, bytes: &[u8]) -> Result<Arc<LoadedModule>> {
        let image = fatbin::parse(bytes)?;
        let Some(ptx) = image.ptx else {
            let machines: Vec<String> =
                image.machines.iter().map(|sm| format!("sm_{sm}")).collect();
            let which = match machines.is_empty() {
                true => String::new(),
                false => format!(" ({})", machines.join(", ")),
            };
            let message = format!(
                "the module has machine code only{which}, and the emulator runs PTX: compile with `-gencode arch=compute_80,code=compute_80`, or `-arch=compute_80`, which keeps the PTX"
            );
            return Err(Error::new(Status::NO_BINARY_FOR_GPU, message));
        };
        self.load_ptx(&ptx)
    }

    /// Loads PTX text.
    ///
    /// # Errors
    /// [`Status::INVALID_PTX`] with the line; [`Status::NOT_SUPPORTED`] for what the emulator lacks;
    /// [`Status::UNSUPPORTED_PTX_VERSION`] and [`Status::NO_BINARY_FOR_GPU`] for PTX that is newer than the driver or the GPU;
    /// [`Status::OUT_OF_MEMORY`].
    pub fn load_ptx(&self, ptx: &str) -> Result<Arc<LoadedModule>> {
        let context = self.context()?;
        check_header(ptx)?;
        let mut all = self.allocations_mut();
        let (first, bank) = free_slot(&all).ok_or(Status::OUT_OF_MEMORY)?;
        let mut module = Module::load_at(ptx, first).map_err(load_error)?;
        let mapping = self.share(&mut module, first, ptx.contains(".managed"))?;
        let handle = new_handle();
        let symbols = (module.variables().iter())
            .filter(|variable| matches!(variable.space, Space::Global | Space::Const))
            .map(|variable| symbol(variable, bank))
            .collect();
        let loaded = Arc::new(LoadedModule {
            handle,
            context: context.handle,
            ptx: ptx.to_string(),
            symbols,
            module: RwLock::new(module),
            functions: Mutex::default(),
        });
        for symbol in &loaded.symbols {
            let host = match (&mapping, symbol.is_constant) {
                (Some(mapping), false) => mapping.address() + (symbol.address - first) as usize,
                _ => 0,
            };
            let allocation = Allocation {
                base: symbol.address,
                bytes: symbol.bytes as usize,
                kind: Kind::Variable,
                device: context.device,
                context: context.handle,
                host,
                module: handle,
                name: symbol.name.clone(),
                place: place::here(),
                flags: 0,
                number: self.next_number(),
                _mapping: mapping.clone(),
            };
            all.insert(symbol.address, allocation);
        }
        self.modules.put(handle, loaded.clone());
        Ok(loaded)
    }

    /// Puts the variables of a module into the memory that all kernels share. Managed ones lie at their own addresses.
    fn share(
        &self,
        module: &mut Module,
        first: u64,
        is_managed: bool,
    ) -> Result<Option<Arc<Mapping>>> {
        let global = module.variables().iter();
        let global = global.filter(|variable| variable.space == Space::Global);
        let Some(end) = global.map(|one| one.address + one.bytes).max() else {
            return Ok(None);
        };
        let bytes = (end - first) as usize;
        let mapping = match is_managed {
            true => Mapping::at(first, bytes),
            false => Mapping::new(bytes),
        };
        let mapping = mapping.map_err(|_| Status::OUT_OF_MEMORY)?;
        // SAFETY: `unload` takes the buffers away before the last allocation drops the mapping.
        let words = unsafe { mapping.words() };
        let shared = module.share_variables(&mut self.memory_mut(), (first, words));
        shared.map_err(memory_error)?;
        Ok(Some(Arc::new(mapping)))
    }

    /// Unloads a module, with its variables and kernels.
    ///
    /// # Errors
    /// [`Status::INVALID_HANDLE`].
    pub fn unload(&self, handle: u64) -> Result<()> {
        let module = self.modules.remove(handle).ok_or(Status::INVALID_HANDLE)?;
        let functions = std::mem::take(&mut *module.functions());
        for function in functions.into_values() {
            self.functions.remove(function);
        }
        let mut all = self.allocations_mut();
        let gone: Vec<Allocation> = (module.symbols.iter())
            .filter_map(|symbol| all.remove(&symbol.address))
            .collect();
        drop(all);
        for allocation in &gone {
            // Constants are none of the memory's buffers.
            let _ = self.memory_mut().free(allocation.base);
        }
        Ok(())
    }

    /// The kernel of this name.
    ///
    /// # Errors
    /// [`Status::NOT_FOUND`], which lists those there are.
    pub fn function(&self, module: &Arc<LoadedModule>, name: &str) -> Result<Arc<Function>> {
        let mut functions = module.functions();
        if let Some(found) = functions.get(name).and_then(|one| self.functions.get(*one)) {
            return Ok(found);
        }
        let function = Function::new(module.clone(), name).ok_or_else(|| {
            let names = module.kernels();
            let some: Vec<&str> = names.iter().take(8).map(String::as_str).collect();
            let message = format!(
                "the module has no kernel `{name}`; it has {}",
                some.join(", ")
            );
            Error::new(Status::NOT_FOUND, message)
        })?;
        let function = Arc::new(function);
        functions.insert(name.to_string(), function.handle);
        self.functions.put(function.handle, function.clone());
        Ok(function)
    }

    /// A variable of a module.
    ///
    /// # Errors
    /// [`Status::NOT_FOUND`].
    pub fn symbol<'m>(&self, module: &'m LoadedModule, name: &str) -> Result<&'m Symbol> {
        let found = module.symbols.iter().find(|symbol| symbol.name == name);
        found.ok_or_else(|| {
            let message = format!("the module has no variable `{name}`");
            Error::new(Status::NOT_FOUND, message)
        })
    }
}

impl LoadedModule {
    fn functions(&self) -> std::sync::MutexGuard<'_, HashMap<String, u64>> {
        let functions = self.functions.lock();
        functions.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The newest PTX that a driver of CUDA 13.0 takes, and the machine of the devices.
const PTX_VERSION: (u32, u32) = (9, 0);
const MACHINE: u32 = 90;

/// Refuses PTX that is newer than the driver, or that asks for a newer GPU.
fn check_header(ptx: &str) -> Result<()> {
    let word = |directive: &str| {
        let mut lines = ptx.lines().map(str::trim_start);
        let line = lines.find_map(|line| line.strip_prefix(directive))?;
        line.split([' ', '\t', ',', ';'])
            .find(|word| !word.is_empty())
    };
    let version = word(".version").and_then(|word| {
        let (major, minor) = word.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    });
    if let Some((major, minor)) = version.filter(|version| *version > PTX_VERSION) {
        let message =
            format!("the PTX is of version {major}.{minor}, and this driver takes 9.0 at most");
        return Err(Error::new(Status::UNSUPPORTED_PTX_VERSION, message));
    }
    let target = word(".target").and_then(|word| {
        let digits = word
            .strip_prefix("sm_")?
            .trim_end_matches(char::is_alphabetic);
        digits.parse::<u32>().ok()
    });
    match target.filter(|machine| *machine > MACHINE) {
        Some(machine) => {
            let message = format!(
                "the PTX is for sm_{machine}, and the device is one of sm_90: compile with `-arch=compute_90` or lower"
            );
            Err(Error::new(Status::NO_BINARY_FOR_GPU, message))
        }
        None => Ok(()),
    }
}

/// Where the constants of a module begin for the host, if the address is one of them.
pub(crate) fn bank_of(address: u64) -> Option<u64> {
    let banks = CONSTANTS..CONSTANTS + MOST_SLOTS * BANK_BYTES;
    banks
        .contains(&address)
        .then(|| address - (address - CONSTANTS) % BANK_BYTES)
}

/// Addresses for the variables and constants of another module.
fn free_slot(all: &Allocations) -> Option<(u64, u64)> {
    let place = |slot: u64| {
        let variables = VARIABLES + slot * VARIABLES_BYTES;
        (variables, CONSTANTS + slot * BANK_BYTES)
    };
    let is_free = |&(variables, bank): &(u64, u64)| {
        let ranges = [
            variables..variables + VARIABLES_BYTES,
            bank..bank + BANK_BYTES,
        ];
        ranges
            .into_iter()
            .all(|range| all.range(range).next().is_none())
    };
    (0..MOST_SLOTS).map(place).find(is_free)
}

fn symbol(variable: &ModuleVariable, bank: u64) -> Symbol {
    let is_constant = variable.space == Space::Const;
    Symbol {
        name: variable.name.clone(),
        address: match is_constant {
            true => bank + variable.address,
            false => variable.address,
        },
        bytes: variable.bytes,
        is_constant,
    }
}

/// What the emulator says of PTX, in the driver's codes.
pub(crate) fn load_error(error: LoadError) -> Error {
    let status = match &error {
        LoadError::HostMemory { .. } => Status::OUT_OF_MEMORY,
        LoadError::UnknownEntry { .. } => Status::NOT_FOUND,
        error if error.is_gap() => Status::NOT_SUPPORTED,
        _ => Status::INVALID_PTX,
    };
    Error::new(status, error.to_string())
}
