//! Arithmetic as compiled: what the machine code of each line of the PTX computes, in as many lanes as come to that line; what the assembler moves out of a branch or a loop is taken for as often. Accesses to memory are `compiled`'s.

use super::access::{Statement, statements};
use super::runs::Executions;
use super::sass::Instruction;
use cornerturn_emulator::counters::Arithmetic;
use std::collections::{BTreeMap, BTreeSet};

/// Instructions of the PTX that become several, some of them only for operands beyond the ordinary.
const EXPANDED: [&str; 9] = [
    "div", "rcp", "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh",
];

/// What was computed, as far as it can be told.
#[derive(Debug, Default)]
pub(super) struct Computed {
    sums: Arithmetic,
    /// What is not zero here is in `sums` not to the full.
    unknown: Arithmetic,
    /// Why: each names an instruction.
    pub(super) reasons: Vec<String>,
}

impl Computed {
    /// Of a launch whose runs of basic blocks were recorded.
    pub(super) fn new(executions: &Executions) -> Self {
        let (code, mut computed) = (executions.code, Self::default());
        let machine = &code.instructions;
        let all = statements(code.kernel.ptx_text(), code.kernel.entry());
        let mut lines: BTreeMap<u32, u32> = BTreeMap::new();
        for statement in &all {
            *lines.entry(statement.ptx_line).or_default() += 1;
        }
        let chosen = chosen(&all);
        for statement in &all {
            let of_line: Vec<&Instruction> = (machine.iter())
                .filter(|instruction| instruction.ptx_line == statement.ptx_line)
                .filter(|instruction| computes(instruction).is_some())
                .filter(|instruction| !loads_constant(instruction))
                .collect();
            let part = Part {
                statement,
                of_line: &of_line,
                each: Arithmetic::of(statement.opcode).unwrap_or_default(),
                is_alone: lines[&statement.ptx_line] == 1,
                is_chosen: chosen.contains(result(statement)),
            };
            computed.part(executions, &part);
        }
        for (at, stray) in machine.iter().enumerate() {
            let is_of_no_line = loads_constant(stray) || !lines.contains_key(&stray.ptx_line);
            let Some(each) = computes(stray).filter(|_| is_of_no_line) else {
                continue;
            };
            match executions.of(&[at]).filter(|_| !stray.is_guarded()) {
                Some(runs) => computed.sums.add(runs.lanes, &each),
                None => computed.doubt(&each, || {
                    format!(
                        "how often `{}` is executed, for which no line of the PTX stands",
                        stray.text
                    )
                }),
            }
        }
        computed
    }

    /// The count under this ncu name; `None` where it cannot be told.
    pub(super) fn get(&self, ncu_name: &str) -> Option<u64> {
        let count = |sums: &Arithmetic| sums.counters().get(ncu_name).unwrap_or(0);
        (count(&self.unknown) == 0).then(|| count(&self.sums))
    }

    /// Adds what one instruction of the PTX has become.
    fn part(&mut self, executions: &Executions, part: &Part) {
        if part.is_expanded() && part.each == Arithmetic::default() && !part.is_lookup() {
            return self.subroutine(part);
        }
        if part.of_line.is_empty() {
            return;
        }
        let runs = executions.of_line(part.statement.ptx_line);
        let lanes = match (runs, part.doubt()) {
            (None, _) => Err("how often it is executed"),
            (_, Some(why)) => Err(why),
            (Some(runs), None) => Ok(runs.lanes),
        };
        let told = lanes.and_then(|lanes| part.counted(lanes));
        match told {
            Ok(sums) => self.sums.add(1, &sums),
            Err(why) => {
                let (line, first) = (part.statement.ptx_line, &part.of_line[0].text);
                let reason = format!("line {line}, `{first}`: {why}");
                for each in part.machine().chain([part.each]) {
                    self.doubt(&each, || reason.clone());
                }
            }
        }
    }

    /// Doubts what a quotient or a root computes that is not counted.
    fn subroutine(&mut self, part: &Part) {
        let opcode = part.statement.opcode;
        if !opcode.contains(".f") {
            return;
        }
        let all = Arithmetic {
            fadd: 1,
            fmul: 1,
            ffma: 1,
            dadd: 1,
            dmul: 1,
            dfma: 1,
            ..Arithmetic::default()
        };
        let line = part.statement.ptx_line;
        self.doubt(&all, || {
            format!("line {line}: what the subroutine of `{opcode}` computes")
        });
    }

    fn doubt(&mut self, each: &Arithmetic, reason: impl Fn() -> String) {
        self.unknown.add(1, each);
        let reason = reason();
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }
}

/// One instruction of the PTX, and the machine's arithmetic that is noted at its line.
struct Part<'p> {
    statement: &'p Statement<'p>,
    of_line: &'p [&'p Instruction],
    /// What it counts in the PTX.
    each: Arithmetic,
    /// Whether no other instruction stands in its line.
    is_alone: bool,
    /// Whether its result is one of two of which a predicate chooses.
    is_chosen: bool,
}

impl Part<'_> {
    fn name(&self) -> &str {
        let opcode = self.statement.opcode;
        opcode.split('.').next().unwrap_or_default()
    }

    fn is_expanded(&self) -> bool {
        EXPANDED.contains(&self.name())
    }

    /// Whether the machine looks it up, and computes only to scale what may be subnormal.
    fn is_lookup(&self) -> bool {
        self.is_expanded() && self.statement.opcode.contains(".approx")
    }

    /// What each machine instruction computes in a lane.
    fn machine(&self) -> impl Iterator<Item = Arithmetic> {
        self.of_line.iter().filter_map(|it| computes(it))
    }

    /// Why the lanes that come to the line are not those that compute.
    fn doubt(&self) -> Option<&'static str> {
        if !self.is_alone {
            return Some("which of the line's instructions it is");
        }
        if ["atom", "red"].contains(&self.name()) {
            return Some("how often its loop starts over");
        }
        let may_rest = match self.is_expanded() {
            true => self.statement.is_guarded,
            // The result that a predicate does not choose need not be computed.
            false => self.statement.is_guarded || self.is_chosen && self.is_guarded(),
        };
        may_rest.then_some("in how many lanes its predicate holds")
    }

    /// Whether a predicate guards it in the machine code.
    fn is_guarded(&self) -> bool {
        self.of_line.iter().any(|it| it.is_guarded())
    }

    /// What it counts where so many lanes come to its line.
    fn counted(&self, lanes: u64) -> Result<Arithmetic, &'static str> {
        let mut sums = Arithmetic::default();
        // The registers of a tensor core's operands tell nothing of its shape: that is the PTX's.
        let is_known = self.each != Arithmetic::default();
        if is_known && self.is_expanded() || ["mma", "wmma"].contains(&self.name()) {
            sums.add(lanes, &self.each);
            return Ok(sums);
        }
        // Several are copies of one: the loop around it is unrolled, or its block stands several times.
        let mut copies: Vec<Arithmetic> = match self.is_lookup() {
            // Ordinary operands are scaled by what does not ask for subnormal ones.
            true => (self.of_line.iter().filter(|it| !it.is_guarded()))
                .filter_map(|it| computes(it))
                .collect(),
            false => self.machine().collect(),
        };
        if copies.is_empty() {
            return Ok(sums);
        }
        if copies.iter().all(|copy| *copy == copies[0]) {
            copies.truncate(1);
        }
        let blocks: BTreeSet<usize> = self.of_line.iter().map(|copy| copy.block).collect();
        let count = copies.len().max(1) as u64;
        if count > 1 && (blocks.len() > 1 || !lanes.is_multiple_of(count)) {
            return Err("its copies differ, and how often each is executed");
        }
        for copy in &copies {
            sums.add(lanes / count, copy);
        }
        Ok(sums)
    }
}

/// The first operand, where its result goes.
fn result<'p>(statement: &Statement<'p>) -> &'p str {
    let operands = statement.operands.split(',');
    operands.map(str::trim).next().unwrap_or_default()
}

/// The registers of which a predicate chooses one or the other.
fn chosen<'p>(statements: &[Statement<'p>]) -> BTreeSet<&'p str> {
    let choices = statements.iter().filter(|it| it.opcode.starts_with("selp"));
    choices
        .flat_map(|it| it.operands.split(',').skip(1).take(2))
        .map(str::trim)
        .collect()
}

/// Whether it only makes a constant, in the pipe of halves: `HFMA2.MMA R5, -RZ, RZ, 1.9375, 0`.
fn loads_constant(instruction: &Instruction) -> bool {
    instruction.opcode.starts_with("HFMA2") && instruction.text.contains("-RZ, RZ, ")
}

/// What a machine instruction computes in each lane; of tensor cores, which counter it is in is the PTX's to say. Guarded by
/// `@!PT` it never acts.
fn computes(instruction: &Instruction) -> Option<Arithmetic> {
    let mut found = Arithmetic::default();
    let counter = match instruction.opcode.split('.').next()? {
        "FADD" | "FADD32I" => &mut found.fadd,
        "FMUL" | "FMUL32I" => &mut found.fmul,
        "FFMA" | "FFMA32I" => &mut found.ffma,
        "DADD" => &mut found.dadd,
        "DMUL" => &mut found.dmul,
        "DFMA" => &mut found.dfma,
        "HADD2" | "HADD2_32I" => &mut found.hadd,
        "HMUL2" | "HMUL2_32I" => &mut found.hmul,
        "HFMA2" | "HFMA2_32I" => &mut found.hfma,
        "HMMA" | "IMMA" | "DMMA" => return Some(found),
        _ => return None,
    };
    *counter = 1;
    let acts = !instruction.is_aside && instruction.guard.as_deref() != Some("@!PT");
    acts.then_some(found)
}
