//! A whole file: its variables get addresses, its entries become programs.

use std::collections::HashMap;

use crate::decode::atomics::assemble_atomics;
use crate::decode::emit::{Frame, Part, emit};
use crate::decode::flow::Graph;
use crate::decode::functions::{Functions, signature, supported};
use crate::decode::lower::{Find, Lowerer, defined_twice, unsupported};
use crate::decode::names::{Hidden, Location, Meaning};
use crate::decode::optimise::optimise;
use crate::decode::registers::assign;
use crate::error::LoadError;
use crate::machine::inst::Inst;
use crate::memory::Buffer;
use crate::parse::ast::{File, Function, Initial, Type, Variable};
use crate::program::Program;
use crate::program::param::{Param, ParamType};
use crate::program::space::window;
use crate::report::Space;

/// First address of the module's `.global` variables.
const FIRST_GLOBAL: u64 = 0x6000_0000_0000;
/// Between two of them.
const GLOBAL_GAP_BYTES: u64 = 256;
/// The most bytes of `.global` variables taken.
const MOST_GLOBAL_BYTES: u64 = 256 << 20;
/// PTX ISA section "Constant State Space".
const MOST_CONST_BYTES: u64 = 64 << 10;
/// PTX ISA section "Kernel Function Parameters".
const MOST_PARAM_BYTES: u64 = 32764;

/// A decoded file.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) entries: Vec<Listed>,
    /// Some entry calls `malloc` or `free`.
    pub(crate) uses_heap: bool,
    /// The bank of `.const` variables.
    pub(crate) constants: Vec<u32>,
    /// `.global` variables.
    pub(crate) globals: Vec<Buffer>,
}

/// A kernel of the file.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) params: Vec<Param>,
    pub(crate) max_threads: Option<u32>,
    /// [`LoadError::Unsupported`], if it comes by something that is not supported.
    pub(crate) decoded: Result<DecodedEntry, LoadError>,
}

/// A decoded kernel.
#[derive(Debug)]
pub(crate) struct DecodedEntry {
    pub(crate) name: String,
    pub(crate) param_offsets: Vec<u64>,
    pub(crate) max_threads: Option<u32>,
    pub(crate) program: Program,
    pub(crate) code: Vec<Inst>,
}

/// Decodes a parsed file.
pub(crate) fn decode(file: &File, find: Find) -> Result<Decoded, LoadError> {
    let mut files = Vec::new();
    let mut file_numbers = HashMap::new();
    for (number, name) in &file.files {
        file_numbers.insert(*number, files.len() as u32);
        files.push((*name).to_string());
    }
    let functions = Functions::new(file);
    let layout = Layout::new(&file.variables, &functions)?;
    let mut uses_heap = false;
    let mut entries: Vec<Listed> = Vec::new();
    let is_entry = |function: &&Function| function.is_entry && function.body.is_some();
    for function in file.functions.iter().filter(is_entry) {
        if entries.iter().any(|entry| entry.name == function.name) {
            return Err(defined_twice(function.name, function.line));
        }
        let mut lowerer = Lowerer::new(find, &functions, &file_numbers);
        lowerer.names.push();
        for variable in &file.variables {
            match (variable.space, layout.locations.get(variable.name)) {
                (Space::Shared, _) => lowerer.declare_shared(variable)?,
                (_, Some(location)) => {
                    lowerer.define(variable.name, Meaning::Variable(*location), variable.line)?;
                }
                _ => {}
            }
        }
        lowerer.start_function(function.name);
        let hidden = lowerer.names.enter_function();
        let (params, offsets) = parameters(function, &mut lowerer)?;
        let decoded = match decode_entry(function, lowerer, (hidden, offsets), &files) {
            // Another entry of the file may do without.
            Err(gap @ LoadError::Unsupported { .. }) => Err(gap),
            decoded => {
                let (entry, heap) = decoded?;
                uses_heap |= heap;
                Ok(entry)
            }
        };
        entries.push(Listed {
            name: function.name.to_string(),
            params,
            max_threads: function.max_threads,
            decoded,
        });
    }
    Ok(Decoded {
        uses_heap,
        entries,
        constants: layout.constants,
        globals: layout.globals,
    })
}

/// Decodes an entry whose parameters have been given their places.
fn decode_entry<'a>(
    function: &'a Function<'a>,
    mut lowerer: Lowerer<'a>,
    (hidden, param_offsets): (Hidden, Vec<u64>),
    files: &[String],
) -> Result<(DecodedEntry, bool), LoadError> {
    supported(function)?;
    lowerer.scope(function.body.as_deref().unwrap_or_default())?;
    lowerer.names.leave_function(hidden);
    let entry = lowerer.finish_function();
    let mut bodies = vec![(entry, signature(&[], &[]))];
    // Decoding one may add others.
    let mut next = 0;
    while let Some(called) = lowerer.called.get(next).copied() {
        let body = lowerer.called_function(called)?;
        bodies.push((body, signature(&called.returns, &called.params)));
        next += 1;
    }
    let static_shared_bytes = lowerer.shared_bytes as u32;
    let frame = Frame {
        static_shared_bytes,
        dynamic_shared_offset: static_shared_bytes.next_multiple_of(lowerer.dynamic_align as u32),
        uses_dynamic_shared: lowerer.uses_dynamic,
        files: files.to_vec(),
        line: function.line,
        addresses: lowerer.function_addresses(),
        known_functions: lowerer.functions.pointed_to(),
    };
    let uses_heap = lowerer.uses_heap;
    let mut body = lowerer.body;
    let mut parts = Vec::new();
    for ((ops, frame_bytes), signature) in bodies {
        body.ops = ops;
        let mut graph = Graph::new(&mut body);
        optimise(&mut graph, &mut body);
        assemble_atomics(&graph, &mut body);
        let assignment = assign(&graph, &body, function.line)?;
        parts.push(Part {
            graph,
            assignment,
            frame_bytes,
            signature,
        });
    }
    let (program, code) = emit(&parts, body, frame)?;
    let entry = DecodedEntry {
        name: function.name.to_string(),
        param_offsets,
        max_threads: function.max_threads,
        program,
        code,
    };
    Ok((entry, uses_heap))
}

/// Lays out an entry's parameters and gives their names meaning.
fn parameters<'a>(
    function: &'a Function<'a>,
    lowerer: &mut Lowerer<'a>,
) -> Result<(Vec<Param>, Vec<u64>), LoadError> {
    let mut params = Vec::new();
    let mut offsets = Vec::new();
    let mut end = 0u64;
    for param in &function.params {
        let bytes = param.count.saturating_mul(param.ty.bytes());
        let offset = end.next_multiple_of(param.align.max(1));
        end = offset.saturating_add(bytes);
        if end > MOST_PARAM_BYTES {
            let what = "the size of the parameters, in bytes,".to_string();
            return Err(LoadError::TooLarge {
                what,
                value: end,
                most: MOST_PARAM_BYTES,
                line: param.line,
            });
        }
        let location = Location {
            space: Space::Param,
            address: offset,
        };
        lowerer.define(param.name, Meaning::Variable(location), param.line)?;
        let ty = match param.ty {
            _ if param.is_array => ParamType::Bytes(bytes as usize),
            Type::Unsigned(bits) => ParamType::Unsigned(bits),
            Type::Signed(bits) => ParamType::Signed(bits),
            Type::Float(bits) => ParamType::Float(bits),
            other => ParamType::Bits(other.bits()),
        };
        params.push(Param {
            name: param.name.to_string(),
            ty,
            bytes: bytes as usize,
            align: param.align as usize,
        });
        offsets.push(offset);
    }
    lowerer.param_bytes = end;
    Ok((params, offsets))
}

/// Where the module's variables lie, and what they hold at first.
struct Layout<'a> {
    locations: HashMap<&'a str, Location>,
    constants: Vec<u32>,
    globals: Vec<Buffer>,
    /// Where the next constant lies.
    const_end: u64,
    /// Where the next `.global` variable may lie.
    global_end: u64,
    /// Of all `.global` variables so far.
    global_bytes: u64,
}

impl<'a> Layout<'a> {
    fn new(variables: &'a [Variable<'a>], functions: &Functions) -> Result<Self, LoadError> {
        let mut layout = Self {
            locations: HashMap::new(),
            constants: Vec::new(),
            globals: Vec::new(),
            const_end: 0,
            global_end: FIRST_GLOBAL,
            global_bytes: 0,
        };
        for variable in variables {
            if variable.space != Space::Shared {
                layout.place(variable)?;
            }
        }
        layout.constants = vec![0; (layout.const_end as usize).div_ceil(4)];
        for variable in variables {
            layout.initialise(variable, functions)?;
        }
        Ok(layout)
    }

    /// Gives a variable its address.
    fn place(&mut self, variable: &Variable<'a>) -> Result<(), LoadError> {
        let (name, line) = (variable.name, variable.line);
        let bytes = variable.count.saturating_mul(variable.ty.bytes());
        if variable.is_extern {
            return Err(unsupported(&format!(".extern variable `{name}`"), line));
        }
        let space = variable.space;
        let (end, most, align) = match space {
            Space::Const => (&mut self.const_end, MOST_CONST_BYTES, variable.align),
            Space::Global => (&mut self.global_end, u64::MAX, variable.align.max(256)),
            _ => {
                let what = format!(".{} variable of the module", space.name());
                return Err(unsupported(&what, line));
            }
        };
        let address = end.next_multiple_of(align);
        *end = address.saturating_add(bytes);
        let too_large = |value, most| LoadError::TooLarge {
            what: format!("the size of all .{} variables, in bytes,", space.name()),
            value,
            most,
            line,
        };
        if *end > most {
            return Err(too_large(*end, most));
        }
        if space == Space::Global {
            self.global_end += GLOBAL_GAP_BYTES;
            self.global_bytes = self.global_bytes.saturating_add(bytes);
            if self.global_bytes > MOST_GLOBAL_BYTES {
                return Err(too_large(self.global_bytes, MOST_GLOBAL_BYTES));
            }
            let buffer = Buffer::new(name, address, bytes as usize)
                .map_err(|_| too_large(bytes, MOST_GLOBAL_BYTES))?;
            self.globals.push(buffer);
        }
        match self.locations.insert(name, Location { space, address }) {
            Some(_) => Err(defined_twice(name, line)),
            None => Ok(()),
        }
    }

    fn initialise(&mut self, variable: &Variable, functions: &Functions) -> Result<(), LoadError> {
        let Some(location) = self.locations.get(variable.name).copied() else {
            return Ok(());
        };
        let mut image = Vec::new();
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
                (
                    Initial::Address {
                        name,
                        offset,
                        generic,
                        mask,
                    },
                    _,
                ) => {
                    let base = match self.locations.get(name) {
                        Some(target) => {
                            let window = if *generic { window(target.space) } else { 0 };
                            Some(window.wrapping_add(target.address))
                        }
                        None => functions.address(name),
                    };
                    let Some(base) = base else {
                        return Err(unsupported(
                            &format!("the address of `{name}` as an initial value"),
                            variable.line,
                        ));
                    };
                    let address = base.wrapping_add(*offset as u64);
                    (address & mask) >> mask.trailing_zeros().min(63)
                }
            };
            image.extend_from_slice(&bits.to_le_bytes()[..variable.ty.bytes().min(8) as usize]);
        }
        if variable.space == Space::Const {
            for (at, byte) in image.iter().enumerate() {
                let at = location.address as usize + at;
                self.constants[at / 4] |= u32::from(*byte) << (8 * (at % 4));
            }
        } else if let Some(buffer) = self
            .globals
            .iter()
            .find(|buffer| buffer.base == location.address)
        {
            buffer.write(0, &image);
        }
        Ok(())
    }
}
