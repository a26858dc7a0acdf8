//! The counters of a launch as the machine code has them, from the emulator's count of the PTX and what the assembler made of each access. What became of which is `align`'s.

use super::MachineCode;
use super::align::{Aligned, Fate};
use super::arithmetic::Computed;
use super::loops::{self, Loop};
use super::runs::{Executions, Runs};
use super::sass::Instruction;
use crate::launch::LaunchReport;
use cornerturn_emulator::{
    Counters, Demand, Path, Site, Space, Trace, TraceRequest, Wide, WideCount, counters_of,
};
use std::collections::BTreeSet;

/// Counters of a launch, of the PTX and as compiled.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    /// ncu's name, the PTX's count, and the machine code's; `None` where it cannot be told.
    pub counters: Vec<(&'static str, u64, Option<u64>)>,
    /// Why some cannot be told: each names an instruction.
    pub unknown: Vec<String>,
}

impl Compiled {
    /// The count as compiled under this ncu name; `None` where it cannot be told, or where there is no such counter.
    pub fn get(&self, ncu_name: &str) -> Option<u64> {
        let mut counters = self.counters.iter();
        counters.find(|(name, ..)| *name == ncu_name)?.2
    }
}

impl MachineCode {
    /// What a launch has to record so that it can be counted as compiled.
    pub fn request(&self) -> TraceRequest {
        let leads = self.sites.iter().filter_map(wide);
        TraceRequest {
            wides: Some(leads.collect()),
            ..TraceRequest::default()
        }
    }

    /// The counters of a launch that was traced by [`MachineCode::request`]; `None` where it was not counted.
    pub fn count(&self, report: &LaunchReport) -> Option<Compiled> {
        let (counters, trace) = (report.counters?, report.trace.as_ref()?);
        Some(Count::new(self, trace).compiled(&counters, &report.sites))
    }
}

/// The wide access that a site leads.
fn wide(site: &Aligned) -> Option<Wide> {
    match &site.fate {
        Fate::Leads { ptx_lines, .. } => Some(Wide {
            ptx_lines: ptx_lines.clone(),
        }),
        _ => None,
    }
}

/// A count in the making.
struct Count<'c> {
    code: &'c MachineCode,
    executions: Executions<'c>,
    loops: Vec<Loop>,
    /// What each leading site's wide access counts.
    wides: Vec<(u32, WideCount)>,
    /// Sites as compiled: instructions that act in some lane.
    acting: Vec<Site>,
    /// The same with instructions that act in none.
    issued: Vec<Site>,
    /// Of what these count, nothing is known.
    unknown: Vec<Site>,
    /// Of these it is not known how often they are executed, acting in some lane or not.
    unknown_issued: Vec<Site>,
    /// Of these it is not known how often their predicate is true in some lane.
    unknown_acting: Vec<Site>,
    reasons: Vec<String>,
}

impl<'c> Count<'c> {
    fn new(code: &'c MachineCode, trace: &'c Trace) -> Self {
        let leads = code.sites.iter().filter(|site| wide(site).is_some());
        let lines = leads.map(|site| site.ptx_line);
        Self {
            code,
            executions: Executions {
                code,
                runs: &trace.runs,
            },
            loops: loops::with_exits(code.kernel.ptx_text(), code.kernel.entry()),
            wides: lines.zip(trace.wides.iter().copied()).collect(),
            acting: Vec::new(),
            issued: Vec::new(),
            unknown: Vec::new(),
            unknown_issued: Vec::new(),
            unknown_acting: Vec::new(),
            reasons: Vec::new(),
        }
    }

    fn compiled(mut self, ptx: &Counters, sites: &[Site]) -> Compiled {
        for site in sites {
            self.site(site);
        }
        self.strays(sites);
        self.never_acting();
        let computed = Computed::new(&self.executions);
        self.reasons.extend(computed.reasons.iter().cloned());
        let before = counters_of(sites);
        let (acting, issued) = (counters_of(&self.acting), counters_of(&self.issued));
        let unknown = names(&self.unknown);
        let unknown_issued = names(&self.unknown_issued);
        let unknown_acting = names(&self.unknown_acting);
        let counters = ptx
            .iter()
            .filter(|(name, _)| !name.starts_with("ptx__"))
            .map(|(name, count)| {
                if Counters::is_arithmetic(name) {
                    return (name, count, computed.get(name));
                }
                let is_issued = name.contains("__inst_executed_") && !name.contains("_pred_on_any");
                let after = if is_issued { &issued } else { &acting };
                let is_acting = name.contains("_pred_on_any");
                let is_unknown = unknown.contains(name)
                    || is_issued && unknown_issued.contains(name)
                    || is_acting && unknown_acting.contains(name);
                let rest = count.wrapping_sub(before.get(name).unwrap_or(0));
                let compiled = rest.wrapping_add(after.get(name).unwrap_or(0));
                (name, count, (!is_unknown).then_some(compiled))
            });
        Compiled {
            counters: counters.collect(),
            unknown: self.reasons,
        }
    }

    /// Adds what one site of the PTX counts as compiled.
    fn site(&mut self, site: &Site) {
        let aligned = self
            .code
            .sites
            .iter()
            .find(|aligned| aligned.ptx_line == site.ptx_line && site.path != Path::Bulk);
        let Some(aligned) = aligned else {
            self.keep(site.clone(), site.executed);
            return;
        };
        let mut compiled = site.clone();
        match &aligned.fate {
            Fate::Kept | Fate::Repeated => {}
            Fate::Merged { .. } | Fate::Dropped => return,
            Fate::Unknown(reason) => return self.doubt(site, aligned, reason),
            Fate::Leads { bytes, .. } => {
                let count = self.wides.iter().find(|(line, _)| *line == site.ptx_line);
                let Some((_, count)) = count.filter(|(_, count)| count.misfits == 0) else {
                    return self.doubt(
                        site,
                        aligned,
                        "its parts do not lie side by side in every lane",
                    );
                };
                compiled = widened(&compiled, *bytes, count);
            }
        }
        let machine = &self.code.instructions;
        let first = aligned.instructions.first().map(|&at| &machine[at]);
        let names_space = first
            .and_then(Instruction::access)
            .is_some_and(|access| access.space != "generic");
        compiled.is_generic &= !names_space;
        if let Some(reason) = self.doubtful(site, aligned) {
            return self.doubt(site, aligned, &reason);
        }
        let is_guarded = aligned
            .instructions
            .iter()
            .any(|&at| machine[at].is_guarded());
        if !is_guarded {
            let executed = compiled.executed;
            return self.keep(compiled, executed);
        }
        match self.executions.of(&aligned.instructions) {
            Some(runs) => {
                let executed = runs.warps.max(compiled.executed);
                if executed > compiled.executed && !self.executions.is_whole(&runs) {
                    self.reasons.push(format!(
                        "line {}: how often the predicate of `{}` is true in a lane that has taken another branch, \
                         which counts as acting too",
                        aligned.ptx_line,
                        first.map_or("", |first| &first.text)
                    ));
                    self.unknown_acting.push(site.clone());
                }
                self.keep(compiled, executed);
            }
            None => {
                self.reasons.push(format!(
                    "line {}: how often `{}` is executed without acting in any lane",
                    aligned.ptx_line,
                    first.map_or("", |first| &first.text)
                ));
                self.unknown_issued.push(site.clone());
                let executed = compiled.executed;
                self.keep(compiled, executed);
            }
        }
    }

    fn keep(&mut self, site: Site, executed: u64) {
        let issued = Site {
            executed,
            ..site.clone()
        };
        self.issued.push(issued);
        self.acting.push(site);
    }

    fn doubt(&mut self, site: &Site, aligned: &Aligned, reason: &str) {
        if site.executed == 0 {
            return;
        }
        let reason = format!("line {}, `{}`: {reason}", aligned.ptx_line, aligned.text);
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
        self.unknown.push(site.clone());
        if site.is_atomic && site.space == Space::Shared {
            // Its loop has loads.
            self.unknown.push(bare(Space::Shared));
        }
    }

    /// Why the PTX's executions of an access are not the machine's.
    fn doubtful(&self, site: &Site, aligned: &Aligned) -> Option<String> {
        let machine = &self.code.instructions;
        let spins = |at: &&usize| machine[**at].opcode.contains("SPIN");
        if let Some(&at) = aligned.instructions.iter().find(spins) {
            let text = &machine[at].text;
            return Some(format!(
                "`{text}` starts over as often as others come between"
            ));
        }
        if self
            .executions
            .of_line(site.ptx_line)
            .is_some_and(|runs| !self.executions.is_whole(&runs))
        {
            if let [first, _, ..] = aligned.instructions[..] {
                let text = &machine[first].text;
                return Some(format!(
                    "lanes that part may take different copies of `{text}`"
                ));
            }
            if let Some(found) = self.loops.iter().find(|found| found.holds(site.ptx_line)) {
                return Some(format!(
                    "the loop around it has another way out, at line {}, and lanes that part meet again \
                     earlier than in the emulator",
                    found.exit
                ));
            }
        }
        self.moved(site, aligned)
    }

    /// Whether an access that no predicate guards stands in a basic block that runs more or less often than its own in
    /// the PTX: the assembler took it out of a loop, or into a branch.
    fn moved(&self, site: &Site, aligned: &Aligned) -> Option<String> {
        let &[only] = aligned.instructions.as_slice() else {
            return None;
        };
        let instruction = &self.code.instructions[only];
        if instruction.is_guarded() || aligned.is_guarded || instruction.is_anchor() {
            return None;
        }
        let machine = &self.code.instructions;
        let fixed = machine
            .iter()
            .filter(|other| other.block == instruction.block && other.is_anchor());
        let counts: Vec<u64> = fixed
            .filter(|other| {
                machine
                    .iter()
                    .filter(|twin| twin.ptx_line == other.ptx_line)
                    .count()
                    == 1
            })
            .filter_map(|other| Some(self.executions.of_line(other.ptx_line)?.warps))
            .collect();
        let differs = !counts.is_empty() && counts.iter().all(|count| *count != site.executed);
        differs.then(|| {
            format!(
                "`{}` stands where the machine code comes {} times, and the PTX's own place {} times",
                instruction.text, counts[0], site.executed
            )
        })
    }

    /// The assembler puts loads that never act before some asynchronous copies, and they are counted all the same.
    fn never_acting(&mut self) {
        let machine = &self.code.instructions;
        let mut idle = machine
            .iter()
            .filter(|instruction| instruction.guard.as_deref() == Some("@!PT"))
            .filter(|instruction| instruction.opcode.starts_with("LDS"))
            .peekable();
        let Some(first) = idle.peek() else { return };
        self.reasons.push(format!(
            "`{}`, {} times in the machine code, never acts, and counts as executed",
            first.text,
            idle.clone().count()
        ));
        let load = Site {
            executed: 1,
            ..bare(Space::Shared)
        };
        self.unknown_issued.push(load.clone());
        self.unknown_acting.push(load);
    }

    /// Adds spills, and doubts what else no instruction of the PTX explains.
    fn strays(&mut self, sites: &[Site]) {
        for &at in &self.code.strays {
            let instruction = &self.code.instructions[at];
            let Some(access) = instruction.access() else {
                continue;
            };
            let is_known = |site: &Site| site.ptx_line == instruction.ptx_line;
            if access.space != "local" && sites.iter().any(is_known) {
                continue;
            }
            let mut spill = Site {
                ptx_line: instruction.ptx_line,
                is_store: access.direction != "load",
                is_atomic: access.direction == "atomic",
                is_matrix: access.direction.starts_with("matrix"),
                access_bytes: access.bytes,
                ..bare(space(access.space))
            };
            let runs = self
                .executions
                .of(&[at])
                .filter(|_| !instruction.is_guarded());
            match runs.filter(|_| access.space == "local") {
                Some(Runs { warps, octets, .. }) => {
                    let words = u64::from(access.bytes.div_ceil(4));
                    spill.executed = warps;
                    spill.requests = warps * words;
                    spill.sectors = octets * words;
                    self.keep(spill, warps);
                }
                None => {
                    self.reasons.push(format!(
                        "`{}`, noted at line {}, does what no memory instruction of the PTX does",
                        instruction.text, instruction.ptx_line
                    ));
                    self.unknown_issued.push(spill.clone());
                    self.unknown.push(spill);
                }
            }
        }
    }
}

/// A site that counts as a wider access.
fn widened(site: &Site, bytes: u32, count: &WideCount) -> Site {
    Site {
        access_bytes: bytes,
        executed: count.executed,
        requests: count.requests,
        sectors: count.sectors,
        wavefronts: count.wavefronts,
        bank_conflicts: count.bank_conflicts,
        ..site.clone()
    }
}

/// A load of 4 bytes that has not been executed yet.
fn bare(space: Space) -> Site {
    Site {
        ptx_line: 0,
        source: None,
        space,
        is_store: false,
        is_atomic: false,
        is_matrix: false,
        is_generic: false,
        access_bytes: 4,
        executed: 0,
        requests: 0,
        sectors: 0,
        wavefronts: 0,
        bank_conflicts: 0,
        path: Path::Registers,
        bytes: 0,
        demand: Demand::default(),
    }
}

fn space(name: &str) -> Space {
    match name {
        "shared" => Space::Shared,
        "local" => Space::Local,
        _ => Space::Global,
    }
}

/// The counters that sites of these kinds are in.
fn names(sites: &[Site]) -> BTreeSet<&'static str> {
    let touched = sites.iter().map(|site| Site {
        executed: 1,
        requests: 1,
        sectors: 1,
        wavefronts: 1,
        bank_conflicts: 1,
        ..site.clone()
    });
    let sums = counters_of(&touched.collect::<Vec<_>>());
    let counted = sums.iter().filter(|(_, count)| *count > 0);
    counted.map(|(name, _)| name).collect()
}
