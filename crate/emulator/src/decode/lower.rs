//! From statements to operations: scopes, declarations, instructions by the table. Operands have a file of their own.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::check::Strength;
use crate::decode::ir::{Act, Body, Op, Part, Reg, Value};
use crate::decode::names::{Location, Meaning, Names, file_of};
use crate::error::LoadError;
use crate::execute::lanes::{FileKind, Kind};
use crate::execute::program::{AccessFn, AccessShape, Both, ComputeFn, Path, Place, SiteInfo};
use crate::execute::rounding::{Modes, Rounding};
use crate::execute::world::FRAME;
use crate::parse::ast::{Function, Instruction, Operand, Statement, Type, Variable};
use crate::report::Space;
use crate::table::{self, Lowering};

/// The most operations of one kernel, called functions included.
const MOST_OPS: usize = 1 << 20;
/// The most local memory of a thread, as on a GPU.
const MOST_LOCAL_BYTES: u64 = 512 << 10;
/// The most shared memory that a kernel may declare, as `ptxas` has it.
const MOST_STATIC_SHARED_BYTES: u64 = 48 << 10;

/// An instruction and the row of the table that it fits.
pub(crate) struct Matched<'m, 'a> {
    pub(crate) instruction: &'m Instruction<'a>,
    /// The modifier chosen for each element of the row's pattern.
    pub(crate) picks: Vec<(&'static str, Option<&'static str>)>,
}

impl<'m, 'a> Matched<'m, 'a> {
    /// The opcode without modifiers.
    pub(crate) fn opcode(&self) -> &'a str {
        self.instruction.opcode.split('.').next().unwrap_or("")
    }

    pub(crate) fn operands(&self) -> &'m [Operand<'a>] {
        &self.instruction.operands
    }

    /// Whether a modifier is there.
    pub(crate) fn has(&self, modifier: &str) -> bool {
        self.picks.iter().any(|(_, pick)| *pick == Some(modifier))
    }

    /// The modifier chosen for a named element of the pattern, or nothing.
    pub(crate) fn element(&self, name: &str) -> &'static str {
        self.picks
            .iter()
            .find(|(element, _)| *element == name)
            .and_then(|(_, pick)| *pick)
            .unwrap_or("")
    }

    /// The same where the element is a type.
    pub(crate) fn element_type(&self, name: &str) -> Type {
        Type::named(self.element(name)).unwrap_or(Type::Bits(32))
    }

    /// The state space, `None` for generic addresses.
    pub(crate) fn space(&self) -> Option<Space> {
        Some(match self.element("space") {
            "global" => Space::Global,
            "shared" | "shared::cta" | "shared::cluster" => Space::Shared,
            "local" => Space::Local,
            "const" => Space::Const,
            "param" | "param::entry" | "param::func" => Space::Param,
            _ => return None,
        })
    }

    fn modes(&self) -> Modes {
        let rounding = if self.has("rz") {
            Rounding::Zero
        } else if self.has("rm") {
            Rounding::Down
        } else if self.has("rp") {
            Rounding::Up
        } else {
            Rounding::Nearest
        };
        Modes::new(rounding, self.has("ftz"), self.has("sat"))
    }
}

/// A variable in shared memory; it gets its address when it is first used.
#[derive(Debug, Clone, Copy)]
struct SharedVariable<'a> {
    name: &'a str,
    bytes: u64,
    align: u64,
    is_dynamic: bool,
    address: Option<u64>,
}

/// Decodes one entry.
pub(crate) struct Lowerer<'a> {
    pub(super) body: Body,
    pub(super) names: Names<'a>,
    pub(super) functions: &'a HashMap<&'a str, &'a Function<'a>>,
    /// Number of a `.file` directive to index of its name.
    file_numbers: &'a HashMap<u64, u32>,
    pub(super) guard: Option<(Reg, bool)>,
    place: u32,
    /// Source file and line of the instructions that follow.
    pub(super) location: (u32, u32),
    /// Instructions not yet counted by an operation.
    weight: u32,
    shared: Vec<SharedVariable<'a>>,
    shared_names: HashMap<(&'a str, u32), usize>,
    pub(super) shared_bytes: u64,
    pub(super) dynamic_align: u64,
    pub(super) uses_dynamic: bool,
    /// Bytes of local memory in use by the functions entered.
    pub(super) frame: u64,
    /// Names of the functions entered.
    pub(super) calls: Vec<&'a str>,
    /// Where `ret` goes in a called function.
    pub(super) return_label: Option<u32>,
    pub(super) param_bytes: u64,
    site_numbers: HashMap<(u32, u32), u32>,
    /// The register that stands for `CC.CF`.
    carry: Option<Reg>,
    current: (u32, u32),
}

impl<'a> Lowerer<'a> {
    pub(super) fn new(
        functions: &'a HashMap<&'a str, &'a Function<'a>>,
        file_numbers: &'a HashMap<u64, u32>,
    ) -> Self {
        Self {
            body: Body::default(),
            names: Names::default(),
            functions,
            file_numbers,
            guard: None,
            place: 0,
            location: (u32::MAX, 0),
            weight: 0,
            shared: Vec::new(),
            shared_names: HashMap::new(),
            shared_bytes: 0,
            dynamic_align: 16,
            uses_dynamic: false,
            frame: 0,
            calls: Vec::new(),
            return_label: None,
            param_bytes: 0,
            site_numbers: HashMap::new(),
            carry: None,
            current: (0, 0),
        }
    }

    // ---- errors ----

    /// A mistake in the instruction.
    pub(crate) fn wrong(&self, matched: &Matched, message: &str) -> LoadError {
        self.wrong_at(matched.instruction, message)
    }

    pub(super) fn wrong_at(&self, instruction: &Instruction, message: &str) -> LoadError {
        LoadError::Syntax {
            line: instruction.line,
            column: instruction.column,
            message: format!("`{}`: {message}", instruction.opcode),
        }
    }

    /// The instruction is valid but not supported.
    pub(crate) fn unsupported(&self, matched: &Matched) -> LoadError {
        unsupported(matched.instruction.opcode, matched.instruction.line)
    }

    pub(crate) fn expect_operands(
        &self,
        matched: &Matched,
        expected: RangeInclusive<usize>,
    ) -> Result<(), LoadError> {
        let found = matched.operands().len();
        if expected.contains(&found) {
            return Ok(());
        }
        let (least, most) = (expected.start(), expected.end());
        let expected = if least == most {
            least.to_string()
        } else {
            format!("{least} to {most}")
        };
        Err(self.wrong(
            matched,
            &format!("expected {expected} operands, found {found}"),
        ))
    }

    // ---- statements ----

    /// Decodes the statements of one scope.
    pub(super) fn scope(&mut self, statements: &'a [Statement<'a>]) -> Result<(), LoadError> {
        self.define_labels(statements)?;
        let frame = self.frame;
        for statement in statements {
            self.statement(statement)?;
        }
        self.frame = frame;
        Ok(())
    }

    fn define_labels(&mut self, statements: &'a [Statement<'a>]) -> Result<(), LoadError> {
        for statement in statements {
            if let Statement::Label(name, line) = statement {
                let label = self.body.label();
                self.define(name, Meaning::Label(label), *line)?;
            }
        }
        for statement in statements {
            if let Statement::Targets {
                label,
                targets,
                line,
            } = statement
            {
                let mut table = Vec::new();
                for target in targets {
                    table.push(self.label(target, *line)?);
                }
                self.body.tables.push(table);
                let number = self.body.tables.len() as u32 - 1;
                self.define(label, Meaning::Targets(number), *line)?;
            }
        }
        Ok(())
    }

    pub(super) fn define(
        &mut self,
        name: &'a str,
        meaning: Meaning,
        line: u32,
    ) -> Result<(), LoadError> {
        if self.names.define(name, meaning) {
            Ok(())
        } else {
            Err(defined_twice(name, line))
        }
    }

    pub(super) fn label(&self, name: &str, line: u32) -> Result<u32, LoadError> {
        match self.names.meaning(name) {
            Some(Meaning::Label(label)) => Ok(label),
            _ => Err(LoadError::Syntax {
                line,
                column: 1,
                message: format!("there is no label `{name}` here"),
            }),
        }
    }

    fn statement(&mut self, statement: &'a Statement<'a>) -> Result<(), LoadError> {
        match statement {
            Statement::Label(name, line) => {
                let label = self.label(name, *line)?;
                self.mark_label(label);
            }
            Statement::Instruction(instruction) => self.instruction(instruction)?,
            Statement::Registers(registers) => {
                if !self
                    .names
                    .declare(registers.name, registers.ty, registers.count)
                {
                    return Err(defined_twice(registers.name, registers.line));
                }
            }
            Statement::Variable(variable) => self.variable(variable)?,
            Statement::Scope(statements) => {
                self.names.push();
                self.scope(statements)?;
                self.names.pop();
            }
            Statement::Location { file, line } => {
                let file = self.file_numbers.get(file).copied().unwrap_or(u32::MAX);
                // Line 0 marks what belongs to no line.
                if *line != 0 {
                    self.location = (file, *line);
                }
            }
            Statement::Targets { .. } => {}
        }
        Ok(())
    }

    pub(super) fn mark_label(&mut self, label: u32) {
        self.flush_weight();
        self.push(Act::Label(label), None);
    }

    /// Counts instructions that became no operation, before the block that they belong to ends.
    fn flush_weight(&mut self) {
        if self.weight > 0 {
            self.push(Act::Nothing, None);
        }
    }

    // ---- variables ----

    /// A variable declared in a function.
    fn variable(&mut self, variable: &'a Variable<'a>) -> Result<(), LoadError> {
        match variable.space {
            Space::Shared => self.declare_shared(variable),
            Space::Local | Space::Param => {
                let address = self.reserve_local(variable)?;
                let address = if variable.space == Space::Param {
                    address | FRAME
                } else {
                    address
                };
                let location = Location {
                    space: variable.space,
                    address,
                };
                self.define(variable.name, Meaning::Variable(location), variable.line)
            }
            space => Err(unsupported(
                &format!(".{} variable in a function", space.name()),
                variable.line,
            )),
        }
    }

    pub(super) fn declare_shared(&mut self, variable: &'a Variable<'a>) -> Result<(), LoadError> {
        let key = (variable.name, variable.line);
        let next = self.shared.len();
        let number = *self.shared_names.entry(key).or_insert(next);
        if number == next {
            let is_dynamic = variable.is_array && variable.count == 0;
            let bytes = variable.count.saturating_mul(variable.ty.bytes());
            self.shared.push(SharedVariable {
                name: variable.name,
                bytes,
                align: variable.align,
                is_dynamic,
                address: None,
            });
        }
        self.define(variable.name, Meaning::Shared(number), variable.line)
    }

    /// The address of a shared variable, `None` if it lies in dynamic shared memory.
    pub(super) fn shared_address(
        &mut self,
        number: usize,
        line: u32,
    ) -> Result<Option<u64>, LoadError> {
        let variable = self.shared[number];
        if variable.is_dynamic {
            self.uses_dynamic = true;
            self.dynamic_align = self.dynamic_align.max(variable.align);
            return Ok(None);
        }
        if variable.address.is_some() {
            return Ok(variable.address);
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
        self.shared[number].address = Some(address);
        let name = self.shared[number].name.to_string();
        self.body
            .shared_variables
            .push((name, address, variable.bytes));
        Ok(Some(address))
    }

    pub(super) fn reserve_local(&mut self, variable: &Variable) -> Result<u64, LoadError> {
        let address = self.frame.next_multiple_of(variable.align);
        let bytes = variable.count.saturating_mul(variable.ty.bytes());
        let end = address.saturating_add(bytes);
        if end > MOST_LOCAL_BYTES {
            let what = "the local memory of a thread, in bytes,".to_string();
            return Err(LoadError::TooLarge {
                what,
                value: end,
                most: MOST_LOCAL_BYTES,
                line: variable.line,
            });
        }
        self.frame = end;
        self.body.local_bytes = self.body.local_bytes.max(end);
        Ok(address)
    }

    // ---- instructions ----

    fn instruction(&mut self, instruction: &'a Instruction<'a>) -> Result<(), LoadError> {
        if self.body.ops.len() > MOST_OPS {
            let (value, most) = (self.body.ops.len() as u64, MOST_OPS as u64);
            let what = "the number of instructions, called functions included,".to_string();
            return Err(LoadError::TooLarge {
                what,
                value,
                most,
                line: instruction.line,
            });
        }
        let Some((row, picks)) = table::find(instruction.opcode) else {
            return Err(unsupported(instruction.opcode, instruction.line));
        };
        let (file, line) = self.location;
        self.body.places.push(Place {
            ptx_line: instruction.line,
            file,
            line,
        });
        self.place = self.body.places.len() as u32 - 1;
        self.current = (instruction.line, instruction.column);
        self.guard = match instruction.guard {
            Some(guard) => Some((self.guard_reg(instruction, guard.name)?, guard.negated)),
            None => None,
        };
        self.weight += 1;
        let matched = Matched { instruction, picks };
        match row.lowering {
            Lowering::Compute {
                function,
                result,
                sources,
            } => {
                self.plain(&matched, function, result, sources)?;
            }
            Lowering::Built(build) => build(self, &matched)?,
        }
        self.guard = None;
        Ok(())
    }

    /// An instruction with one destination that only computes.
    fn plain(
        &mut self,
        matched: &Matched<'_, 'a>,
        function: Both<ComputeFn>,
        result: Kind,
        kinds: &[Kind],
    ) -> Result<(), LoadError> {
        self.expect_operands(matched, kinds.len() + 1..=kinds.len() + 1)?;
        let operands = matched.operands();
        let mut sources = Vec::new();
        for (operand, kind) in operands[1..].iter().zip(kinds) {
            sources.push(self.source(matched, operand, *kind)?);
        }
        let d = self.result(matched, &operands[0], result)?;
        self.compute_parts(function, &[Some(d)], &sources, matched.modes().0);
        if let Some(op) = self.body.ops.last_mut() {
            op.part = match matched.instruction.opcode {
                "mul.lo.s64" | "mul.lo.u64" => Some(Part::Product),
                "shl.b64" => Some(Part::Shift),
                "add.s64" | "add.u64" => Some(Part::Sum),
                _ => None,
            };
        }
        Ok(())
    }

    // ---- operations ----

    /// Appends an operation under the instruction's guard.
    pub(crate) fn push(&mut self, act: Act, guard: Option<(Reg, bool)>) -> &mut Op {
        let weight = std::mem::take(&mut self.weight);
        self.body.ops.push(Op {
            act,
            d: [None; 4],
            s: [Value::None; 6],
            guard,
            imm: 0,
            aux: 0,
            place: self.place,
            is_pure: false,
            part: None,
            weight,
        });
        let last = self.body.ops.len() - 1;
        &mut self.body.ops[last]
    }

    pub(crate) fn compute_parts(
        &mut self,
        function: Both<ComputeFn>,
        results: &[Option<Reg>],
        sources: &[Value],
        imm: u64,
    ) {
        let guard = self.guard;
        let op = self.push(Act::Compute(function.chosen()), guard);
        op.imm = imm;
        op.is_pure = true;
        fill(op, results, sources);
    }

    /// As [`Lowerer::compute_parts`], where lanes also see each other's values or which lanes are active.
    pub(crate) fn exchange(
        &mut self,
        function: Both<ComputeFn>,
        results: &[Option<Reg>],
        sources: &[Value],
        imm: u64,
    ) {
        self.compute_parts(function, results, sources, imm);
        if let Some(op) = self.body.ops.last_mut() {
            op.is_pure = false;
        }
    }

    /// `d = value`, of the same register file.
    pub(crate) fn copy(&mut self, d: Reg, value: Value) {
        let guard = self.guard;
        fill(self.push(Act::Copy, guard), &[Some(d)], &[value]);
    }

    pub(crate) fn access(
        &mut self,
        function: Both<AccessFn>,
        results: &[Option<Reg>],
        sources: &[Value],
        offset: u64,
        shape: AccessShape,
    ) {
        let aux = self.body.accesses.len() as u32;
        self.body.accesses.push(shape);
        self.body.strengths.push(Strength::Weak);
        let guard = self.guard;
        let op = self.push(Act::Access(function.chosen()), guard);
        op.imm = offset;
        op.aux = aux;
        fill(op, results, sources);
    }

    /// Notes how the access just appended takes part in the order of threads.
    pub(crate) fn strengthen_as(&mut self, matched: &Matched) {
        let releases = matched.has("release") || matched.has("acq_rel");
        let strong = ["volatile", "relaxed", "acquire", "mmio"];
        let strength = if releases {
            Strength::Release
        } else if strong.iter().any(|order| matched.has(order)) || matched.opcode() == "atom" {
            Strength::Strong
        } else {
            return;
        };
        self.body.orders_blocks |= (releases || matched.has("acquire")) && !matched.has("cta");
        if let Some(last) = self.body.strengths.last_mut() {
            *last = strength;
        }
    }

    /// Other blocks may see what this instruction orders.
    pub(crate) fn orders_blocks(&mut self) {
        self.body.orders_blocks = true;
    }

    /// An operation on the order of threads, which has no operands.
    pub(crate) fn ordering(&mut self, function: Both<AccessFn>, imm: u64) {
        let guard = self.guard;
        self.push(Act::Access(function.chosen()), guard).imm = imm;
    }

    pub(crate) fn read_clock(&mut self, function: Both<AccessFn>, d: Reg) {
        self.effect(function, &[Some(d)], &[], 0, 0);
    }

    /// An operation on more than registers that is no load, store or atomic.
    pub(crate) fn effect(
        &mut self,
        function: Both<AccessFn>,
        results: &[Option<Reg>],
        sources: &[Value],
        imm: u64,
        aux: u32,
    ) {
        let guard = self.guard;
        let op = self.push(Act::Access(function.chosen()), guard);
        op.imm = imm;
        op.aux = aux;
        fill(op, results, sources);
    }

    /// As [`Lowerer::effect`], where it may be in vain until other threads have done something.
    pub(crate) fn wait(
        &mut self,
        function: Both<AccessFn>,
        results: &[Option<Reg>],
        sources: &[Value],
        imm: u64,
        aux: u32,
    ) {
        self.effect(function, results, sources, imm, aux);
        if let Some(op) = self.body.ops.last_mut() {
            op.act = Act::Wait(function.chosen());
        }
    }

    /// Sets the `aux` of the operation just appended.
    pub(crate) fn last_aux(&mut self, aux: u32) {
        if let Some(op) = self.body.ops.last_mut() {
            op.aux = aux;
        }
    }

    pub(crate) fn order_matters(&mut self) {
        self.body.order_matters = true;
    }

    /// The site of the instruction being decoded; the same for every call of an inlined function.
    pub(crate) fn site(
        &mut self,
        space: Option<Space>,
        is_store: bool,
        is_atomic: bool,
        access_bytes: u32,
    ) -> u32 {
        if let Some(site) = self.site_numbers.get(&self.current) {
            return *site;
        }
        let number = self.body.sites.len() as u32;
        let spaces: &[Space] = match &space {
            Some(space) => std::slice::from_ref(space),
            None => &[Space::Global, Space::Shared, Space::Local],
        };
        for (index, space) in spaces.iter().enumerate() {
            self.body.sites.push(SiteInfo {
                place: self.place,
                space: *space,
                is_store,
                is_atomic,
                access_bytes,
                is_alternative: index > 0,
                path: Path::Registers,
            });
        }
        self.site_numbers.insert(self.current, number);
        number
    }

    /// The sites of an asynchronous copy: what it reads, then what it writes.
    pub(crate) fn copy_sites(&mut self, path: Path, spaces: [Space; 2], access_bytes: u32) -> u32 {
        if let Some(site) = self.site_numbers.get(&self.current) {
            return *site;
        }
        let number = self.body.sites.len() as u32;
        for (space, is_store) in spaces.into_iter().zip([false, true]) {
            self.body.sites.push(SiteInfo {
                place: self.place,
                space,
                is_store,
                is_atomic: false,
                access_bytes,
                is_alternative: false,
                path,
            });
        }
        self.site_numbers.insert(self.current, number);
        number
    }

    pub(crate) fn fresh(&mut self, file: FileKind) -> Reg {
        let bits = match file {
            FileKind::Preds => 1,
            FileKind::Words => 32,
            FileKind::Longs => 64,
        };
        self.body.fresh(file, bits)
    }

    /// The carry flag, `CC.CF`.
    pub(crate) fn carry_flag(&mut self) -> Reg {
        if let Some(flag) = self.carry {
            return flag;
        }
        let flag = self.fresh(FileKind::Preds);
        self.carry = Some(flag);
        flag
    }

    pub(crate) fn file(&self, reg: Reg) -> FileKind {
        self.body.regs[reg.0 as usize].file
    }

    pub(crate) fn declared_bits(&self, reg: Reg) -> u32 {
        self.body.regs[reg.0 as usize].bits
    }

    pub(crate) fn declared_reg(&mut self, name: &str) -> Option<Reg> {
        let (declared, number) = self.names.register(name)?;
        let file = file_of(declared.ty)?;
        let body = &mut self.body;
        Some(
            self.names
                .reg(declared, number, || body.fresh(file, declared.ty.bits())),
        )
    }
}

fn fill(op: &mut Op, results: &[Option<Reg>], sources: &[Value]) {
    for (slot, result) in op.d.iter_mut().zip(results) {
        *slot = *result;
    }
    for (slot, source) in op.s.iter_mut().zip(sources) {
        *slot = *source;
    }
}

pub(super) fn unsupported(instruction: &str, line: u32) -> LoadError {
    LoadError::Unsupported {
        instruction: instruction.to_string(),
        line,
    }
}

pub(super) fn defined_twice(name: &str, line: u32) -> LoadError {
    LoadError::Syntax {
        line,
        column: 1,
        message: format!("`{name}` is declared twice in this scope"),
    }
}
