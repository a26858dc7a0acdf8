//! From statements to operations: scopes, declarations, instructions by the table. Operands have a file of their own.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use crate::counters::Arithmetic;
use crate::decode::division::{divisor, trip_counts};
use crate::decode::functions::{Callees, Functions, signature};
use crate::decode::fuse::role::{Fused, Role, Unfused};
use crate::decode::ir::{Act, Body, Carries, Op, Part, Reg};
use crate::decode::lines::{Lines, SourceFiles};
use crate::decode::names::{Meaning, ModuleNames, Names, SharedVariable};
use crate::decode::provided::Provided;
use crate::error::LoadError;
use crate::operations::basic::COUNT_LANES;
use crate::operations::division::DIVISOR;
use crate::operations::drive::Compute;
use crate::parse::ast::{Function, Instruction, Operand, Statement, Type};
use crate::program::Place;
use crate::program::call::Signature;
use crate::program::floats::{Modes, Rounding};
use crate::program::space::window;
use crate::report::Space;

/// Decodes an instruction that has more to it than one result computed from its sources.
pub(crate) type Build =
    for<'x, 'm, 'a> fn(&'x mut Lowerer<'a>, &'x Matched<'m, 'a>) -> Result<(), LoadError>;

/// How an instruction is decoded.
#[derive(Clone, Copy)]
pub(crate) enum Lowering {
    /// One result, computed from the sources lane by lane; kinds say which operands it takes.
    Compute(Compute),
    /// By a function of its own.
    Built(Build),
}

/// The modifier chosen for each element of a pattern, with the element's name.
pub(crate) type Picks = Vec<(&'static str, Option<&'static str>)>;

/// Finds what an opcode as written means: how it is decoded, and its modifiers.
pub(crate) type Find = fn(&str) -> Result<(Lowering, Picks), Misfit>;

/// Why an opcode means nothing here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// An instruction of the PTX ISA, but not of this emulator.
    Unsupported,
    /// No instruction of the PTX ISA, and why.
    NoInstruction(String),
}

/// The most operations of one kernel, called functions included.
const MOST_OPS: usize = 1 << 20;

/// An instruction and the row of the table that it fits.
pub(crate) struct Matched<'m, 'a> {
    pub(crate) instruction: &'m Instruction<'a>,
    /// The modifier chosen for each element of the row's pattern.
    pub(crate) picks: Picks,
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

    pub(crate) fn modes(&self) -> Modes {
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
            .with(Modes::RELU, self.has("relu"))
            .with(Modes::NAN, self.has("NaN"))
            .with(Modes::XOR_SIGN, self.has("xorsign"))
            .with(Modes::FINITE, self.has("satfinite"))
    }
}

/// Decodes one entry.
pub(crate) struct Lowerer<'a> {
    pub(super) body: Body,
    pub(crate) names: Names<'a>,
    pub(super) functions: &'a Functions<'a>,
    find: Find,
    pub(crate) guard: Option<(Reg, bool)>,
    pub(super) place: u32,
    /// Where the instructions that follow come from.
    pub(super) lines: Lines<'a>,
    /// Quotients of the function that only tell how often an unrolled loop runs.
    trip_counts: HashSet<&'a str>,
    /// Instructions not yet counted by an operation.
    pub(super) weight: u32,
    pub(super) shared: Vec<SharedVariable<'a>>,
    pub(super) shared_names: HashMap<(&'a str, u32), usize>,
    pub(super) shared_bytes: u64,
    /// The largest alignment of its variables, and of the dynamic ones.
    pub(super) shared_align: u64,
    pub(super) dynamic_align: u64,
    pub(super) uses_dynamic: bool,
    /// Bytes of the frame in use by the functions entered, and the most so far.
    pub(super) frame: u64,
    pub(super) frame_end: u64,
    /// Where the variables in local memory of the function that is being inlined begin and end, if it has any.
    pub(super) locals: Option<(u64, u64)>,
    /// A function with such variables has been inlined: its part of the frame may be used again.
    pub(super) has_left: bool,
    /// The function is called, not inlined: its frame is not always at the same address.
    pub(crate) frame_moves: bool,
    /// Functions that are called, to be decoded in turn, and their numbers.
    pub(super) called: Vec<&'a Function<'a>>,
    pub(super) called_numbers: HashMap<&'a str, u32>,
    pub(super) callees: Vec<Callees<'a>>,
    /// Signatures whose functions are among those called.
    pub(super) met: HashSet<Signature>,
    /// Operations of the functions decoded so far.
    decoded_ops: usize,
    pub(super) provided: Provided,
    /// Names of the functions entered.
    pub(super) calls: Vec<&'a str>,
    /// Where `ret` goes in a called function.
    pub(crate) return_label: Option<u32>,
    pub(super) param_bytes: u64,
    pub(super) site_numbers: HashMap<(u32, u32), u32>,
    /// The register that stands for `CC.CF`.
    pub(super) carry: Option<Reg>,
    pub(super) current: (u32, u32),
}

impl<'a> Lowerer<'a> {
    pub(super) fn new(
        find: Find,
        module: &'a ModuleNames<'a>,
        functions: &'a Functions<'a>,
        files: &'a SourceFiles<'a>,
    ) -> Self {
        Self {
            body: Body::default(),
            names: Names::new(module),
            functions,
            find,
            guard: None,
            place: 0,
            lines: Lines::new(files),
            trip_counts: HashSet::new(),
            weight: 0,
            shared: Vec::new(),
            shared_names: HashMap::new(),
            shared_bytes: 0,
            shared_align: 1,
            dynamic_align: 16,
            uses_dynamic: false,
            frame: 0,
            frame_end: 0,
            locals: None,
            has_left: false,
            frame_moves: false,
            called: Vec::new(),
            called_numbers: HashMap::new(),
            callees: Vec::new(),
            met: HashSet::new(),
            decoded_ops: 0,
            provided: Provided::default(),
            calls: Vec::new(),
            return_label: None,
            param_bytes: 0,
            site_numbers: HashMap::new(),
            carry: None,
            current: (0, 0),
        }
    }

    // ---- functions ----

    /// Starts the body of an entry or of a function that is called.
    pub(super) fn start_function(&mut self, name: &'a str) {
        self.calls = vec![name];
        self.carry = None;
        self.guard = None;
        self.return_label = None;
        self.lines.start_function();
        (self.frame, self.frame_end) = (0, 0);
    }

    /// Hands over the operations of the function just decoded and the size of its frame.
    pub(super) fn finish_function(&mut self) -> (Vec<Op>, u64) {
        self.flush_weight();
        self.decoded_ops += self.body.ops.len();
        (std::mem::take(&mut self.body.ops), self.frame_end)
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

    /// The type that a named element of the pattern gives.
    pub(crate) fn element_type(&self, matched: &Matched, name: &str) -> Result<Type, LoadError> {
        Type::named(matched.element(name)).ok_or_else(|| self.unsupported(matched))
    }

    /// The state space, `None` for generic addresses.
    pub(crate) fn space(&self, matched: &Matched) -> Result<Option<Space>, LoadError> {
        Ok(Some(match matched.element("space") {
            "" => return Ok(None),
            "global" => Space::Global,
            "shared" | "shared::cta" | "shared::cluster" => Space::Shared,
            "local" => Space::Local,
            "const" => Space::Const,
            "param" | "param::entry" | "param::func" => Space::Param,
            _ => return Err(self.unsupported(matched)),
        }))
    }

    /// The state space of an access as the machine sees it, and what the address lacks to be one of it: shared memory of
    /// the cluster is reached by generic addresses.
    pub(crate) fn reached(&self, matched: &Matched) -> Result<(Option<Space>, u64), LoadError> {
        Ok(match matched.element("space") {
            "shared::cluster" => (None, window(Space::Shared)),
            _ => (self.space(matched)?, 0),
        })
    }

    /// Which of these modifiers is there.
    pub(crate) fn choice(&self, matched: &Matched, names: &[&str]) -> Result<u64, LoadError> {
        let at = names.iter().position(|name| matched.has(name));
        at.map(|at| at as u64)
            .ok_or_else(|| self.unsupported(matched))
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

    /// Decodes the statements of a function.
    pub(super) fn function_body(&mut self, function: &'a Function<'a>) -> Result<(), LoadError> {
        let statements = function.body.as_deref().unwrap_or_default();
        let outer = std::mem::replace(&mut self.trip_counts, trip_counts(statements));
        self.scope(statements)?;
        self.trip_counts = outer;
        Ok(())
    }

    /// Decodes the statements of one scope.
    fn scope(&mut self, statements: &'a [Statement<'a>]) -> Result<(), LoadError> {
        self.define_labels(statements)?;
        self.define_callees(statements)?;
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

    fn define_callees(&mut self, statements: &'a [Statement<'a>]) -> Result<(), LoadError> {
        for statement in statements {
            let (label, callees, line) = match statement {
                Statement::Prototype {
                    label,
                    returns,
                    params,
                    line,
                } => (label, Callees::Like(signature(returns, params)), line),
                Statement::Callees {
                    label,
                    functions,
                    line,
                } => (label, Callees::Among(functions.clone()), line),
                _ => continue,
            };
            self.callees.push(callees);
            self.define(label, Meaning::Callees(self.callees.len() - 1), *line)?;
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

    pub(crate) fn label(&self, name: &str, line: u32) -> Result<u32, LoadError> {
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
            Statement::Location(located) => self.lines.enter(*located),
            Statement::Unsupported(gap) => return Err(gap.clone()),
            Statement::Targets { .. } | Statement::Prototype { .. } | Statement::Callees { .. } => {
            }
        }
        Ok(())
    }

    pub(crate) fn mark_label(&mut self, label: u32) {
        self.flush_weight();
        self.push(Act::Label(label), None);
    }

    /// Counts instructions that became no operation, before the block that they belong to ends.
    fn flush_weight(&mut self) {
        if self.weight > 0 {
            self.push(Act::Nothing, None);
        }
    }

    // ---- instructions ----

    fn instruction(&mut self, instruction: &'a Instruction<'a>) -> Result<(), LoadError> {
        let ops = self.decoded_ops + self.body.ops.len();
        if ops > MOST_OPS {
            let (value, most) = (ops as u64, MOST_OPS as u64);
            let what = "the number of instructions, called functions included,".to_string();
            return Err(LoadError::OverOurLimit {
                what,
                value,
                most,
                line: instruction.line,
            });
        }
        let (lowering, picks) = (self.find)(instruction.opcode).map_err(|misfit| match misfit {
            Misfit::Unsupported => unsupported(instruction.opcode, instruction.line),
            Misfit::NoInstruction(why) => self.wrong_at(instruction, &why),
        })?;
        if self.names.has_outside() {
            for operand in &instruction.operands {
                self.meet_outside(operand)?;
            }
        }
        self.body.places.push(Place {
            ptx_line: instruction.line,
            ..self.lines.here()
        });
        self.place = self.body.places.len() as u32 - 1;
        self.current = (instruction.line, instruction.column);
        self.guard = match instruction.guard {
            Some(guard) => Some((self.guard_reg(instruction, guard.name)?, guard.negated)),
            None => None,
        };
        self.weight += 1;
        let arithmetic = self.count_arithmetic(instruction.opcode);
        let matched = Matched { instruction, picks };
        let first = self.body.ops.len();
        match lowering {
            Lowering::Compute(compute) => {
                let divisor = divisor(matched.opcode(), matched.operands(), compute);
                if let Some((divisor, kind, bits)) = divisor
                    && !self.is_trip_count(instruction)
                {
                    let divisor = self.source(&matched, divisor, kind)?;
                    self.effect(DIVISOR, &[], &[divisor], bits, 0);
                    self.carries(Carries::Shown);
                }
                self.plain(&matched, compute)?
            }
            Lowering::Built(build) => build(self, &matched)?,
        }
        self.note_carried(first, instruction.opcode);
        self.note_role(first, instruction.opcode);
        if let Some(op) = self.body.ops[first..].last_mut() {
            op.arithmetic = arithmetic;
        }
        self.guard = None;
        Ok(())
    }

    fn is_trip_count(&self, instruction: &Instruction<'a>) -> bool {
        let result = instruction.operands.first();
        matches!(result, Some(Operand::Name(name)) if self.trip_counts.contains(name))
    }

    /// What an instruction counts wherever its basic block is executed. A guarded one is counted by an operation of its
    /// own, before it.
    fn count_arithmetic(&mut self, opcode: &str) -> Option<u32> {
        let each = self.body.arithmetic(Arithmetic::of(opcode)?);
        if self.guard.is_none() {
            return Some(each);
        }
        self.body.guarded.push(each);
        let number = self.body.guarded.len() as u32 - 1;
        self.effect(COUNT_LANES, &[], &[], 0, number);
        None
    }

    /// Takes note of what an instruction's operations, from the first one on, do with bytes that they only move.
    fn note_carried(&mut self, first: usize, opcode: &str) {
        let carries = Carries::of(opcode);
        for op in &mut self.body.ops[first..] {
            let is_access = matches!(carries, Carries::Load | Carries::Store);
            if op.carries == Carries::Nothing
                && (op.is_pure || op.is_memory)
                && is_access == op.is_memory
            {
                op.carries = carries;
            }
        }
    }

    /// Takes note of what an instruction, whose operations are those from the first one on, is where products and sums
    /// become one.
    fn note_role(&mut self, first: usize, opcode: &str) {
        let role = match Unfused::of(opcode) {
            Some(sum) => self.sum(opcode, sum),
            None => Role::of(opcode),
        };
        if let Some(op) = self.body.ops[first..].last_mut() {
            op.role = role;
        }
    }

    fn sum(&mut self, opcode: &str, sum: Unfused) -> Role {
        let known = self.body.fused.iter().position(|(known, _)| *known == sum);
        let Some(fused) = known.or_else(|| self.fused(opcode, sum)) else {
            return Role::Other;
        };
        Role::Sum {
            number: sum.number,
            is_difference: sum.is_difference,
            fused: fused as u32,
        }
    }

    /// The number of what such sums become with a product.
    fn fused(&mut self, opcode: &str, sum: Unfused) -> Option<usize> {
        let [fma, neg] = sum.opcodes(opcode);
        let computes = |opcode: &str| match (self.find)(opcode) {
            Ok((Lowering::Compute(compute), _)) => Some(compute.function.chosen()),
            _ => None,
        };
        let (function, negate) = (computes(&fma)?, computes(&neg)?);
        let modes = Modes::new(Rounding::Nearest, sum.number.flushes, sum.saturates);
        let arithmetic = self.body.arithmetic(Arithmetic::of(&fma)?);
        let fused = Fused {
            function,
            imm: modes.0,
            negate,
            arithmetic,
        };
        self.body.fused.push((sum, fused));
        Some(self.body.fused.len() - 1)
    }

    /// Takes note of what the operand names outside functions.
    fn meet_outside(&mut self, operand: &Operand) -> Result<(), LoadError> {
        for name in operand.names() {
            if let Some(variable) = self.names.outside(name)? {
                let number = self.number_shared(variable);
                self.names
                    .define_outside(variable.name, Meaning::Shared(number));
            }
        }
        Ok(())
    }

    /// An instruction with one destination that only computes.
    fn plain(&mut self, matched: &Matched<'_, 'a>, compute: Compute) -> Result<(), LoadError> {
        let kinds = compute.sources;
        self.expect_operands(matched, kinds.len() + 1..=kinds.len() + 1)?;
        let operands = matched.operands();
        let mut sources = Vec::new();
        for (operand, kind) in operands[1..].iter().zip(kinds) {
            sources.push(self.source(matched, operand, *kind)?);
        }
        let d = self.result(matched, &operands[0], compute.result)?;
        self.compute_parts(compute.function, &[Some(d)], &sources, matched.modes().0);
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
