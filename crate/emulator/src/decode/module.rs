//! A whole file: its entries become programs. Its variables get their addresses in `layout`.

use std::collections::HashSet;
use std::sync::Arc;

use crate::decode::atomics::assemble_atomics;
use crate::decode::emit::{Frame, Part, emit};
use crate::decode::flow::Graph;
use crate::decode::functions::{Functions, signature, supported};
use crate::decode::layout::Layout;
use crate::decode::lines::SourceFiles;
use crate::decode::lower::{Find, Lowerer, defined_twice};
use crate::decode::names::{Hidden, Location, Meaning, ModuleNames};
use crate::decode::observed::note_observed;
use crate::decode::optimise::optimise;
use crate::decode::provided::Provided;
use crate::decode::registers::assign;
use crate::decode::wanted::note_wanted;
use crate::error::LoadError;
use crate::machine::inst::Inst;
use crate::memory::Buffer;
use crate::parse::ast::{File, Function, Type};
use crate::program::Program;
use crate::program::cluster::ClusterTerms;
use crate::program::param::{Param, ParamType};
use crate::program::variable::ModuleVariable;
use crate::report::Space;

/// The most operations of all kernels of a file: beyond, kernels are not decoded.
const MOST_MODULE_OPS: usize = 1 << 22;
/// The most functions that one kernel calls, times the registers of all of them.
const MOST_TABLES: u64 = 1 << 24;
/// PTX ISA section "Kernel Function Parameters".
const MOST_PARAM_BYTES: u64 = 32764;

/// A decoded file.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) entries: Vec<Listed>,
    /// What some entry uses of what the driver provides.
    pub(crate) provided: Provided,
    /// The bank of `.const` variables.
    pub(crate) constants: Vec<u32>,
    /// `.global` variables.
    pub(crate) globals: Vec<Buffer>,
    pub(crate) variables: Vec<ModuleVariable>,
}

/// A kernel of the file.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) params: Vec<Param>,
    pub(crate) max_threads: Option<u32>,
    pub(crate) cluster: ClusterTerms,
    /// [`LoadError::Unsupported`], if it comes by something that is not supported.
    pub(crate) decoded: Result<DecodedEntry, LoadError>,
}

/// A decoded kernel.
#[derive(Debug)]
pub(crate) struct DecodedEntry {
    pub(crate) name: String,
    pub(crate) param_offsets: Vec<u64>,
    pub(crate) max_threads: Option<u32>,
    /// A block's threads in x, y, z, if no others will do.
    pub(crate) required: Option<[u32; 3]>,
    /// The clusters that it asks for.
    pub(crate) cluster: ClusterTerms,
    pub(crate) program: Program,
    pub(crate) code: Vec<Inst>,
}

/// Decodes a parsed file; with `fuses`, products and sums that the assembler makes one are one.
pub(crate) fn decode(
    file: &File,
    find: Find,
    fuses: bool,
    first_global: u64,
) -> Result<Decoded, LoadError> {
    let source_files: SourceFiles = (file.files.iter().zip(0..))
        .map(|((number, name), index)| (*number, (index, *name)))
        .collect();
    let files: Arc<[String]> = file
        .files
        .iter()
        .map(|(_, name)| name.to_string())
        .collect();
    let functions = Functions::new(file);
    let layout = Layout::new(&file.variables, &functions, first_global)?;
    let mut decoder = Decoder {
        find,
        fuses,
        names: &layout.names,
        functions: &functions,
        source_files: &source_files,
        files: &files,
        ops: 0,
        provided: Provided::default(),
    };
    let mut entries = Vec::new();
    let mut names = HashSet::new();
    let is_entry = |function: &&Function| function.is_entry && function.body.is_some();
    for function in file.functions.iter().filter(is_entry) {
        if !names.insert(function.name) {
            return Err(defined_twice(function.name, function.line));
        }
        entries.push(decoder.listed(function)?);
    }
    Ok(Decoded {
        provided: decoder.provided,
        entries,
        constants: layout.constants,
        globals: layout.globals,
        variables: layout.variables,
    })
}

/// What all entries of a file are decoded by, and what they have in common.
struct Decoder<'a> {
    find: Find,
    fuses: bool,
    names: &'a ModuleNames<'a>,
    functions: &'a Functions<'a>,
    source_files: &'a SourceFiles<'a>,
    files: &'a Arc<[String]>,
    /// Operations of the entries so far.
    ops: usize,
    provided: Provided,
}

impl<'a> Decoder<'a> {
    fn listed(&mut self, function: &'a Function<'a>) -> Result<Listed, LoadError> {
        let mut lowerer = Lowerer::new(self.find, self.names, self.functions, self.source_files);
        lowerer.start_function(function.name);
        let hidden = lowerer.names.enter_function();
        let (params, offsets) = parameters(function, &mut lowerer)?;
        let decoded = match self.decoded(function, lowerer, (hidden, offsets)) {
            // Another entry of the file may do without.
            Err(gap) if gap.is_gap() => Err(gap),
            decoded => Ok(decoded?),
        };
        Ok(Listed {
            name: function.name.to_string(),
            params,
            max_threads: function.max_threads,
            cluster: cluster_terms(function),
            decoded,
        })
    }

    fn decoded(
        &mut self,
        function: &'a Function<'a>,
        lowerer: Lowerer<'a>,
        place: (Hidden, Vec<u64>),
    ) -> Result<DecodedEntry, LoadError> {
        if self.ops > MOST_MODULE_OPS {
            let (value, most) = (self.ops as u64, MOST_MODULE_OPS as u64);
            return Err(LoadError::OverOurLimit {
                what: "the number of instructions of the kernels before this one, called functions included,"
                    .to_string(),
                value,
                most,
                line: function.line,
            });
        }
        let settings = (self.files, self.fuses);
        let (entry, used) = decode_entry(function, lowerer, place, settings, &mut self.ops)?;
        self.provided.heap |= used.heap;
        self.provided.workspace |= used.workspace;
        Ok(entry)
    }
}

/// Decodes an entry whose parameters have been given their places.
fn decode_entry<'a>(
    function: &'a Function<'a>,
    mut lowerer: Lowerer<'a>,
    (hidden, param_offsets): (Hidden, Vec<u64>),
    (files, fuses): (&Arc<[String]>, bool),
    decoded_ops: &mut usize,
) -> Result<(DecodedEntry, Provided), LoadError> {
    supported(function)?;
    lowerer.function_body(function)?;
    lowerer.names.leave_function(hidden);
    let entry = lowerer.finish_function();
    let mut bodies = vec![(entry, signature(&[], &[]), function.name)];
    // Decoding one may add others.
    let mut next = 0;
    while let Some(called) = lowerer.called.get(next).copied() {
        let body = lowerer.called_function(called)?;
        let signature = signature(&called.returns, &called.params);
        bodies.push((body, signature, called.name));
        next += 1;
    }
    // Each function has a table of all registers.
    let value = bodies.len().saturating_mul(lowerer.body.regs.len()) as u64;
    if value > MOST_TABLES {
        return Err(LoadError::OverOurLimit {
            what: "the number of functions that are called, times that of their registers,"
                .to_string(),
            value,
            most: MOST_TABLES,
            line: function.line,
        });
    }
    *decoded_ops += bodies.iter().map(|((ops, _), ..)| ops.len()).sum::<usize>();
    let static_shared_bytes = lowerer.shared_bytes as u32;
    let frame = Frame {
        static_shared_bytes,
        dynamic_shared_offset: static_shared_bytes.next_multiple_of(lowerer.dynamic_align as u32),
        shared_align: lowerer.shared_align.max(lowerer.dynamic_align) as u32,
        uses_dynamic_shared: lowerer.uses_dynamic,
        files: Arc::clone(files),
        line: function.line,
        addresses: lowerer.function_addresses(),
        known_functions: lowerer.functions.pointed_to(),
        awaits_grid: lowerer.provided.workspace,
    };
    let provided = lowerer.provided;
    let mut body = lowerer.body;
    let mut parts = Vec::new();
    for ((ops, frame_bytes), signature, name) in bodies {
        body.ops = ops;
        let mut graph = Graph::new(&mut body);
        optimise(&mut graph, &mut body, fuses);
        assemble_atomics(&graph, &mut body);
        note_wanted(&graph, &mut body);
        note_observed(&graph, &mut body);
        let assignment = assign(&graph, &body, function.line)?;
        parts.push(Part {
            name: name.to_string(),
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
        required: function.required,
        cluster: cluster_terms(function),
        program,
        code,
    };
    Ok((entry, provided))
}

fn cluster_terms(function: &Function) -> ClusterTerms {
    ClusterTerms {
        blocks: function.cluster,
        most: function.most_cluster,
        is_needed: function.needs_cluster,
    }
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
        let bytes = param.bytes();
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
            stride: param.stride,
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
