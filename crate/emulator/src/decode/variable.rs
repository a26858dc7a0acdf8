//! Variables of functions: where they lie in a block's shared memory and in a thread's frame.

use crate::decode::lower::{Lowerer, unsupported};
use crate::decode::names::{Location, Meaning, SharedVariable};
use crate::error::LoadError;
use crate::operations::frame::ENTER_FRAME;
use crate::parse::ast::Variable;
use crate::program::RESERVED_SHARED;
use crate::program::preset::Preset;
use crate::program::space::FRAME;
use crate::report::Space;

/// The most local memory of a thread, as on a GPU.
const MOST_LOCAL_BYTES: u64 = 512 << 10;
/// The most shared memory that a kernel may declare, as `ptxas` has it.
const MOST_STATIC_SHARED_BYTES: u64 = 48 << 10;

impl<'a> Lowerer<'a> {
    /// A variable declared in a function.
    pub(super) fn variable(&mut self, variable: &'a Variable<'a>) -> Result<(), LoadError> {
        if let Some(gap) = &variable.gap {
            return Err(gap.clone());
        }
        match variable.space {
            Space::Shared => self.declare_shared(variable),
            Space::Local | Space::Param => {
                let address = self.reserve_local(variable)?;
                if variable.space == Space::Local {
                    self.enter_local(address, address.saturating_add(variable.bytes()));
                }
                let address = if variable.space == Space::Param {
                    address | FRAME
                } else {
                    address
                };
                let location = Location {
                    space: variable.space,
                    address,
                    stride: variable.stride,
                };
                self.define(variable.name, Meaning::Variable(location), variable.line)
            }
            space => Err(unsupported(
                &format!(".{} variable in a function", space.name()),
                variable.line,
            )),
        }
    }

    /// A part of the frame comes into use, by a variable of a function that may have been inlined.
    fn enter_local(&mut self, first: u64, end: u64) {
        let is_inlined = self.return_label.is_some();
        if is_inlined {
            let all = self.locals.get_or_insert((first, end));
            *all = (all.0.min(first), all.1.max(end));
        }
        if is_inlined || self.has_left {
            self.effect(ENTER_FRAME, &[], &[], first << 32 | end, 0);
        }
    }

    fn declare_shared(&mut self, variable: &'a Variable<'a>) -> Result<(), LoadError> {
        let number = self.number_shared(variable);
        self.define(variable.name, Meaning::Shared(number), variable.line)
    }

    /// The number of a shared variable among those of the entry.
    pub(super) fn number_shared(&mut self, variable: &'a Variable<'a>) -> usize {
        let key = (variable.name, variable.line);
        let next = self.shared.len();
        let number = *self.shared_names.entry(key).or_insert(next);
        if number == next {
            let is_dynamic = variable.is_array && variable.count == 0;
            let bytes = variable.bytes();
            self.shared.push(SharedVariable {
                name: variable.name,
                bytes,
                stride: variable.stride,
                align: variable.align,
                is_dynamic,
                placed: None,
            });
        }
        number
    }

    /// The address of a byte of a shared variable.
    pub(super) fn shared_address(
        &mut self,
        number: usize,
        offset: u64,
        generic: bool,
        line: u32,
    ) -> Result<Preset, LoadError> {
        Ok(match self.place_shared(number, line)? {
            Some((variable, address)) => Preset::Shared {
                variable,
                offset: address.wrapping_add(offset),
                generic,
            },
            None => Preset::DynamicShared { offset, generic },
        })
    }

    /// The number and address of a shared variable, `None` if it lies in dynamic shared memory.
    fn place_shared(&mut self, number: usize, line: u32) -> Result<Option<(u32, u64)>, LoadError> {
        let variable = self.shared[number];
        if variable.is_dynamic {
            self.uses_dynamic = true;
            let names = &mut self.body.dynamic_names;
            if !names.iter().any(|name| name == variable.name) {
                names.push(variable.name.to_string());
            }
            self.dynamic_align = self.dynamic_align.max(variable.align);
            return Ok(None);
        }
        if variable.placed.is_some() {
            return Ok(variable.placed);
        }
        let address = self.shared_bytes.next_multiple_of(variable.align);
        let end = address.saturating_add(variable.bytes);
        if end > MOST_STATIC_SHARED_BYTES {
            let what = "the shared memory that the kernel declares, in bytes,".to_string();
            return Err(LoadError::TooLarge {
                what,
                value: end,
                most: MOST_STATIC_SHARED_BYTES,
                line,
            });
        }
        self.shared_bytes = end;
        self.shared_align = self.shared_align.max(variable.align);
        let placed = Some((self.body.shared_variables.len() as u32, address));
        self.shared[number].placed = placed;
        let name = self.shared[number].name.to_string();
        self.body
            .shared_variables
            .push((name, address, variable.bytes));
        Ok(placed)
    }

    /// What `%reserved_smem_offset_…` holds: CUDA keeps a part of shared memory for itself, which here lies
    /// among the kernel's own variables.
    pub(super) fn reserved_shared(&mut self, word: &str, line: u32) -> Result<Preset, LoadError> {
        const BYTES: u64 = 1024;
        let next = self.shared.len();
        let number = *self.shared_names.entry(("", 0)).or_insert(next);
        if number == next {
            self.shared.push(SharedVariable {
                name: RESERVED_SHARED,
                bytes: BYTES,
                stride: 1,
                align: 16,
                is_dynamic: false,
                placed: None,
            });
        }
        match word {
            "begin" | "0" | "1" => self.shared_address(number, 0, false, line),
            "end" => self.shared_address(number, BYTES, false, line),
            "cap" => Ok(Preset::Bits(BYTES)),
            _ => Err(unsupported(&format!("%reserved_smem_offset_{word}"), line)),
        }
    }

    pub(super) fn reserve_local(&mut self, variable: &Variable) -> Result<u64, LoadError> {
        // Calls copy parameters by words.
        let least = if variable.space == Space::Param { 4 } else { 1 };
        let address = self.frame.next_multiple_of(variable.align.max(least));
        let bytes = variable.bytes();
        let end = address.saturating_add(bytes).saturating_add(least - 1) / least * least;
        self.reserve_frame(end, variable.line)?;
        Ok(address)
    }

    /// Makes the frame reach to `end`.
    pub(super) fn reserve_frame(&mut self, end: u64, line: u32) -> Result<(), LoadError> {
        if end > MOST_LOCAL_BYTES {
            let what = "the local memory of a thread, in bytes,".to_string();
            return Err(LoadError::TooLarge {
                what,
                value: end,
                most: MOST_LOCAL_BYTES,
                line,
            });
        }
        self.frame = end;
        self.frame_end = self.frame_end.max(end);
        Ok(())
    }
}
