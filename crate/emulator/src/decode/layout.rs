//! The variables of a module get addresses and what they hold at first. Those of functions are in `variable`.

use std::cmp::Reverse;
use std::collections::HashSet;

use crate::decode::functions::Functions;
use crate::decode::lower::{defined_twice, unsupported};
use crate::decode::names::{Location, ModuleNames};
use crate::error::LoadError;
use crate::memory::Buffer;
use crate::parse::ast::{Initial, Type, Variable};
use crate::program::space::window;
use crate::program::variable::ModuleVariable;
use crate::report::Space;

/// First address of the module's `.global` variables.
pub(crate) const FIRST_GLOBAL: u64 = 0x6000_0000_0000;
/// Between two of them.
const GLOBAL_GAP_BYTES: u64 = 256;
/// The most bytes of `.global` variables taken.
pub(crate) const MOST_GLOBAL_BYTES: u64 = 256 << 20;
/// PTX ISA section "Constant State Space".
const MOST_CONST_BYTES: u64 = 64 << 10;

/// Where the module's variables lie, and what they hold at first.
#[derive(Default)]
pub(super) struct Layout<'a> {
    pub(super) names: ModuleNames<'a>,
    pub(super) constants: Vec<u32>,
    pub(super) globals: Vec<Buffer>,
    /// Those with an address.
    pub(super) variables: Vec<ModuleVariable>,
    /// Where the next constant lies.
    const_end: u64,
    /// Where the next `.global` variable may lie.
    global_end: u64,
    /// Of all `.global` variables so far.
    global_bytes: u64,
}

impl<'a> Layout<'a> {
    pub(super) fn new(
        variables: &'a [Variable<'a>],
        functions: &Functions,
        first_global: u64,
    ) -> Result<Self, LoadError> {
        let mut layout = Self {
            global_end: first_global,
            ..Self::default()
        };
        let mut defined = HashSet::new();
        for variable in variables.iter().filter(|variable| !variable.is_extern) {
            if !defined.insert(variable.name) {
                return Err(defined_twice(variable.name, variable.line));
            }
            layout.place(variable)?;
        }
        for variable in variables.iter().filter(|variable| variable.is_extern) {
            if !defined.contains(variable.name) {
                layout.place(variable)?;
            }
        }
        layout.check_constants(variables)?;
        layout.constants = vec![0; (layout.const_end as usize).div_ceil(4)];
        for variable in variables.iter().filter(|variable| !variable.is_extern) {
            layout.initialise(variable, functions);
        }
        layout.variables = layout.located(variables);
        Ok(layout)
    }

    /// Gives a variable its address, or notes why it has none.
    fn place(&mut self, variable: &'a Variable<'a>) -> Result<(), LoadError> {
        let (name, line, space) = (variable.name, variable.line, variable.space);
        let gap = match (&variable.gap, space) {
            (Some(gap), _) => gap.clone(),
            (None, Space::Shared) => {
                self.names.shared.insert(name, variable);
                return Ok(());
            }
            _ if variable.is_extern => unsupported(&format!(".extern variable `{name}`"), line),
            (None, Space::Const) => {
                self.place_constant(variable);
                return Ok(());
            }
            (None, Space::Global) => match self.place_global(variable)? {
                None => return Ok(()),
                Some(gap) => gap,
            },
            _ => {
                let what = format!(".{} variable of the module", space.name());
                unsupported(&what, line)
            }
        };
        self.names.gaps.insert(name, gap);
        Ok(())
    }

    /// The variables that got an address, as the host may ask for them.
    fn located(&self, variables: &[Variable]) -> Vec<ModuleVariable> {
        let located = variables.iter().filter_map(|variable| {
            let location = self.names.variables.get(variable.name)?;
            Some(ModuleVariable {
                name: variable.name.to_string(),
                space: location.space,
                address: location.address,
                bytes: variable.bytes(),
            })
        });
        located.collect()
    }

    fn locate(&mut self, variable: &Variable<'a>, address: u64) {
        let location = Location {
            space: variable.space,
            address,
            stride: variable.stride,
        };
        self.names.variables.insert(variable.name, location);
    }

    fn place_constant(&mut self, variable: &Variable<'a>) {
        let next = self.const_end.checked_next_multiple_of(variable.align);
        let address = next.unwrap_or(u64::MAX);
        self.const_end = address.saturating_add(variable.bytes());
        self.locate(variable, address);
    }

    fn is_constant(&self, name: &str) -> bool {
        let location = self.names.variables.get(name);
        location.is_some_and(|location| location.space == Space::Const)
    }

    /// Refuses `.const` variables that are larger together than their bank.
    fn check_constants(&self, variables: &[Variable]) -> Result<(), LoadError> {
        let mut constants: Vec<&Variable> = variables
            .iter()
            .filter(|variable| self.is_constant(variable.name))
            .collect();
        constants.sort_by_key(|variable| Reverse(variable.bytes()));
        match constants.first() {
            Some(largest) if self.const_end > MOST_CONST_BYTES => Err(LoadError::Constants {
                bytes: self.const_end,
                most: MOST_CONST_BYTES,
                variables: constants
                    .iter()
                    .map(|variable| (variable.name.to_string(), variable.bytes()))
                    .collect(),
                line: largest.line,
            }),
            _ => Ok(()),
        }
    }

    /// Returns why the emulator does not take it, if so.
    fn place_global(&mut self, variable: &Variable<'a>) -> Result<Option<LoadError>, LoadError> {
        let (name, line, bytes) = (variable.name, variable.line, variable.bytes());
        let all = self.global_bytes.saturating_add(bytes);
        if all > MOST_GLOBAL_BYTES {
            return Ok(Some(LoadError::OverOurLimit {
                what: format!("the size of all .global variables up to `{name}`, in bytes,"),
                value: all,
                most: MOST_GLOBAL_BYTES,
                line,
            }));
        }
        let address = self.global_end.next_multiple_of(variable.align.max(256));
        let buffer = Buffer::new(name, address, bytes as usize).map_err(|_| {
            let name = name.to_string();
            LoadError::HostMemory { name, bytes, line }
        })?;
        self.globals.push(buffer);
        self.global_bytes = all;
        self.global_end = address + bytes + GLOBAL_GAP_BYTES;
        self.locate(variable, address);
        Ok(None)
    }

    /// Writes a variable's initial value. One that has the address of a gap becomes a gap itself.
    fn initialise(&mut self, variable: &Variable<'a>, functions: &Functions) {
        let Some(location) = self.names.variables.get(variable.name).copied() else {
            return;
        };
        let width = variable.ty.bytes().min(8) as usize;
        let (mut image, mut skipped) = (Vec::new(), 0);
        for initial in &variable.initial {
            let bits = match (initial, variable.ty) {
                (Initial::Int(value), Type::Float(32)) => {
                    u64::from((*value as i64 as f32).to_bits())
                }
                (Initial::Int(value), Type::Float(64)) => (*value as i64 as f64).to_bits(),
                (Initial::Int(value), _) => *value,
                (Initial::Single(bits), Type::Float(64)) => {
                    f64::from(f32::from_bits(*bits)).to_bits()
                }
                (Initial::Single(bits), _) => u64::from(*bits),
                (Initial::Double(bits), Type::Float(32)) => {
                    u64::from((f64::from_bits(*bits) as f32).to_bits())
                }
                (Initial::Double(bits), _) => *bits,
                (Initial::Zeros(count), _) => {
                    self.store(variable, location, skipped, &image);
                    skipped += image.len() as u64 + count * variable.ty.bytes();
                    image.clear();
                    continue;
                }
                (Initial::Address { name, .. }, _) => match self.address(initial, functions) {
                    Some(address) => address,
                    None => {
                        let what = format!("the address of `{name}` as an initial value");
                        let gap = unsupported(&what, variable.line);
                        self.names.variables.remove(variable.name);
                        self.names.gaps.insert(variable.name, gap);
                        return;
                    }
                },
            };
            image.extend_from_slice(&bits.to_le_bytes()[..width]);
            image.resize(image.len() + variable.ty.bytes() as usize - width, 0);
        }
        self.store(variable, location, skipped, &image);
    }

    /// The address that an initial value asks for, if it is known.
    fn address(&self, initial: &Initial, functions: &Functions) -> Option<u64> {
        let Initial::Address {
            name,
            element,
            offset,
            generic,
            mask,
        } = initial
        else {
            return None;
        };
        let base = match self.names.variables.get(name) {
            Some(target) => {
                let window = if *generic { window(target.space) } else { 0 };
                let element = (*element as u64).wrapping_mul(target.stride);
                window.wrapping_add(target.address).wrapping_add(element)
            }
            None => functions.address(name)?,
        };
        let address = base.wrapping_add(*offset as u64);
        Some((address & mask) >> mask.trailing_zeros().min(63))
    }

    /// Writes bytes of a variable from `offset` on.
    fn store(&mut self, variable: &Variable, location: Location, offset: u64, image: &[u8]) {
        if variable.space == Space::Const {
            for (at, byte) in image.iter().enumerate() {
                let at = (location.address + offset) as usize + at;
                self.constants[at / 4] |= u32::from(*byte) << (8 * (at % 4));
            }
            return;
        }
        // They lie in the order of their addresses.
        let found = self
            .globals
            .binary_search_by_key(&location.address, |buffer| buffer.base);
        if let Ok(found) = found {
            self.globals[found].write(offset as usize, image);
        }
    }
}
