//! Arithmetic as compiled: what the machine code of each line of the PTX computes, in as many lanes as come to that line. Accesses to memory are `compiled`'s.

use super::access::{Statement, statements};
use super::runs::Executions;
use super::sass::Instruction;
use cornerturn_emulator::counters::Arithmetic;
use std::collections::BTreeSet;

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
        let lines: BTreeSet<u32> = all.iter().map(|statement| statement.ptx_line).collect();
        for statement in &all {
            let of_line: Vec<&Instruction> = (machine.iter())
                .filter(|instruction| instruction.ptx_line == statement.ptx_line)
                .filter(|instruction| computes(instruction).is_some())
                .collect();
            computed.statement(executions, statement, &of_line);
        }
        for (at, stray) in machine.iter().enumerate() {
            let Some(each) = computes(stray).filter(|_| !lines.contains(&stray.ptx_line)) else {
                continue;
            };
            match executions.of(&[at]).filter(|_| !stray.is_guarded()) {
                Some(runs) => computed.sums.add(runs.lanes, &each),
                None => computed.doubt(&each, || {
                    format!(
                        "how often `{}` is executed, which is of no line of the PTX",
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
    fn statement(
        &mut self,
        executions: &Executions,
        statement: &Statement,
        of_line: &[&Instruction],
    ) {
        let each = Arithmetic::of(statement.opcode).unwrap_or_default();
        let name = statement.opcode.split('.').next().unwrap_or_default();
        let is_expanded = EXPANDED.contains(&name);
        if is_expanded && each == Arithmetic::default() {
            if !statement.opcode.contains(".approx") && statement.opcode.contains(".f") {
                let all = Arithmetic {
                    fadd: 1,
                    fmul: 1,
                    ffma: 1,
                    dadd: 1,
                    dmul: 1,
                    dfma: 1,
                    ..Arithmetic::default()
                };
                let line = statement.ptx_line;
                self.doubt(&all, || {
                    format!(
                        "line {line}: what the subroutine of `{}` computes",
                        statement.opcode
                    )
                });
            }
            return;
        }
        let Some(first) = of_line.first() else {
            return;
        };
        let parts = || {
            of_line
                .iter()
                .filter_map(|instruction| computes(instruction))
        };
        let doubt = |computed: &mut Self, why: &str| {
            let text = format!("line {}, `{}`: {why}", statement.ptx_line, first.text);
            let parts = parts().chain([each]);
            parts.for_each(|part| computed.doubt(&part, || text.clone()));
        };
        let Some(runs) = executions.of_line(statement.ptx_line) else {
            return doubt(self, "how often it is executed");
        };
        // A constant that is loaded for what comes next may be noted at the jump that ends the block.
        let is_own = each != Arithmetic::default() || of_line.iter().any(|it| it.is_guarded());
        if statement.is_guarded && is_own {
            return doubt(self, "in how many lanes its predicate holds");
        }
        // The registers of a tensor core's operands tell nothing of its shape: that is the PTX's.
        if is_expanded || ["mma", "wmma"].contains(&name) {
            self.sums.add(runs.lanes, &each);
            return;
        }
        // Several are copies of one: the loop around it is unrolled, or its block stands several times.
        let distinct: Vec<Arithmetic> = parts().collect();
        let one = distinct[0];
        if distinct.iter().all(|part| *part == one) {
            self.sums.add(runs.lanes, &one);
            return;
        }
        let blocks: BTreeSet<usize> = of_line.iter().map(|copy| copy.block).collect();
        let copies = distinct.len() as u64;
        if blocks.len() > 1 || runs.lanes % copies != 0 {
            return doubt(self, "its copies differ, and how often each is executed");
        }
        for part in &distinct {
            self.sums.add(runs.lanes / copies, part);
        }
    }

    fn doubt(&mut self, each: &Arithmetic, reason: impl Fn() -> String) {
        self.unknown.add(1, each);
        let reason = reason();
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }
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
