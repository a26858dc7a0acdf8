//! Which registers decide where lanes that go round a loop go on, and what they do to memory. Whether they come back to where they were is told in `run`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::machine::inst::{Action, Inst};
use crate::program::Program;
use crate::program::flow::Follow;
use crate::program::kinds::{FileKind, NO_SLOT, PRESET, Slot};

/// Instructions of a circle beyond which all registers count as deciding.
const MOST: usize = 1 << 14;

type Register = (FileKind, Slot);

/// Whether what is stored counts as deciding: it does unless no load that decides may read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Stored {
    Counts,
    IsLost,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
    pub(crate) stored: Stored,
    /// Only ways through basic blocks that have been executed, by [`Deciding::executed`], count.
    pub(crate) is_limited: bool,
}

/// What decides, as far as it is known.
#[derive(Debug)]
pub(crate) struct Ways {
    /// In order.
    pub(crate) registers: Vec<Register>,
    /// The loads whose results do: the indices of their accesses.
    pub(crate) loads: Vec<u32>,
}

/// The deciding registers of a program, by the place from which lanes go on, as far as anybody has asked.
#[derive(Debug, Default)]
pub(crate) struct Deciding {
    known: HashMap<(u32, Asked), Option<Arc<Ways>>>,
    executed: Vec<bool>,
}

impl Deciding {
    /// Says which basic blocks have been executed.
    pub(crate) fn executed(&mut self, executed: &[bool]) {
        if self.executed != executed {
            self.executed = executed.to_vec();
            self.known.retain(|(_, asked), _| !asked.is_limited);
        }
    }

    /// What decides for lanes that go on from `pc` and come back there: registers with the same values lead them the same
    /// way, to the same addresses, with the same values in what they show to others and, if that counts, store. A sum that
    /// is only carried from round to round is none of them. None if it is not known.
    pub(crate) fn at(
        &mut self,
        program: &Program,
        code: &[Inst],
        pc: u32,
        asked: Asked,
    ) -> Option<Arc<Ways>> {
        if let Some(known) = self.known.get(&(pc, asked)) {
            return known.clone();
        }
        let executed = asked.is_limited.then_some(self.executed.as_slice());
        let circle = Circle::through(program, code, pc, executed);
        let found = circle.and_then(|circle| circle.deciding(program, code, asked.stored));
        // All places of a circle have the same one, and lanes stop at the starts of blocks.
        for (at, ways) in found.into_iter().flatten() {
            if at == pc || matches!(code[at as usize].action, Action::Block(_)) {
                self.known.insert((at, asked), Some(Arc::new(ways)));
            }
        }
        self.known.entry((pc, asked)).or_default().clone()
    }
}

/// The instructions on ways from a place back to it, and where each goes on within them.
struct Circle {
    start: u32,
    next: HashMap<u32, Vec<u32>>,
}

impl Circle {
    /// None if there is a call on it, or too much; `executed` are the basic blocks that it may lead through, if not all.
    fn through(
        program: &Program,
        code: &[Inst],
        start: u32,
        executed: Option<&[bool]>,
    ) -> Option<Self> {
        let is_open = |pc: u32| match (code.get(pc as usize), executed) {
            (Some(inst), Some(executed)) if matches!(inst.action, Action::Block(_)) => executed
                .get(inst.aux as usize)
                .is_some_and(|is_open| *is_open),
            _ => true,
        };
        let mut next: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut back: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut open = vec![start];
        while let Some(pc) = open.pop() {
            if next.contains_key(&pc) {
                continue;
            }
            if next.len() > MOST {
                return None;
            }
            let targets = match is_open(pc) {
                true => targets(program, code, pc)?,
                false => Vec::new(),
            };
            for target in &targets {
                back.entry(*target).or_default().push(pc);
            }
            open.extend(&targets);
            next.insert(pc, targets);
        }
        let mut inside: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut open = back.get(&start).cloned().unwrap_or_default();
        while let Some(pc) = open.pop() {
            if let Some(targets) = next.remove(&pc) {
                inside.insert(pc, targets);
                open.extend(back.get(&pc).into_iter().flatten());
            }
        }
        let is_call = |pc: &u32| matches!(code[*pc as usize].action, Action::Call);
        if inside.keys().any(is_call) {
            return None;
        }
        let kept: HashSet<u32> = inside.keys().copied().collect();
        for targets in inside.values_mut() {
            targets.retain(|target| kept.contains(target));
        }
        Some(Self {
            start,
            next: inside,
        })
    }

    /// By place, the registers that are alive there: what is computed counts as a use only if its result is.
    fn deciding(
        &self,
        program: &Program,
        code: &[Inst],
        stored: Stored,
    ) -> Option<HashMap<u32, Ways>> {
        let mut flow = Backwards {
            program,
            code,
            stored,
            of_others: Vec::new(),
            loads: Vec::new(),
        };
        let mut alive: HashMap<u32, Vec<Register>> = HashMap::new();
        let mut places: Vec<u32> = self.next.keys().copied().collect();
        places.sort_unstable_by(|a, b| b.cmp(a));
        let mut has_changed = true;
        while std::mem::take(&mut has_changed) {
            for pc in &places {
                let mut now: Vec<Register> = flow.of_others.clone();
                for target in &self.next[pc] {
                    now.extend(alive.get(target).into_iter().flatten());
                }
                flow.step(*pc, &mut now)?;
                now.sort_unstable();
                now.dedup();
                if alive.get(pc) != Some(&now) {
                    alive.insert(*pc, now);
                    has_changed = true;
                }
            }
        }
        // Who is on no way back to where it is has none.
        alive.entry(self.start).or_default();
        let loads = flow.loads;
        let ways = |registers| Ways {
            registers,
            loads: loads.clone(),
        };
        Some(
            alive
                .into_iter()
                .map(|(at, registers)| (at, ways(registers)))
                .collect(),
        )
    }
}

/// Goes through a circle against its direction.
struct Backwards<'p> {
    program: &'p Program,
    code: &'p [Inst],
    stored: Stored,
    /// What lanes that are elsewhere may give.
    of_others: Vec<Register>,
    loads: Vec<u32>,
}

impl Backwards<'_> {
    /// Turns the registers that are alive behind an instruction into those before it; none if what it does cannot be told.
    fn step(&mut self, pc: u32, alive: &mut Vec<Register>) -> Option<()> {
        let (inst, flow) = (&self.code[pc as usize], &self.program.flows[pc as usize]);
        let mut sources: Vec<Register> = (flow.s.iter().zip(inst.s))
            .filter_map(|(file, slot)| register(*file, slot))
            .collect();
        let results: Vec<Register> = (flow.d.iter().zip(inst.d))
            .filter_map(|(file, slot)| register(*file, slot))
            .collect();
        let is_alive = results.iter().any(|result| alive.contains(result));
        match inst.action {
            Action::Branch { .. } => sources.extend(register(Some(FileKind::Preds), inst.s[0])),
            Action::Switch { .. } => sources.extend(register(Some(FileKind::Words), inst.s[0])),
            Action::Access(_) | Action::Wait(_) if self.stored == Stored::IsLost => {
                match flow.follow {
                    Follow::Loads if is_alive && !self.loads.contains(&inst.aux) => {
                        self.loads.push(inst.aux);
                    }
                    Follow::Loads => {}
                    Follow::Stores => sources.truncate(1),
                    // An atomic, a tile, a texture.
                    _ if is_alive => return None,
                    _ => {}
                }
            }
            _ => {}
        }
        let computes = matches!(inst.action, Action::Compute(_) | Action::MoveLast(_))
            && !matches!(flow.follow, Follow::Uses | Follow::Loads)
            && !results.is_empty();
        if inst.guard == NO_SLOT {
            alive.retain(|register| !results.contains(register));
        }
        if computes && !is_alive {
            return Some(());
        }
        let is_shared = matches!(inst.action, Action::Compute(_) | Action::Barrier(_))
            && matches!(flow.follow, Follow::Uses | Follow::Exchanges);
        if is_shared {
            let of_others = &mut self.of_others;
            let more = sources.iter().filter(|source| !of_others.contains(source));
            let more: Vec<Register> = more.copied().collect();
            of_others.extend(more);
        }
        alive.extend(sources);
        alive.extend(register(Some(FileKind::Preds), inst.guard));
        Some(())
    }
}

/// The register of an operand, if it is one.
fn register(file: Option<FileKind>, slot: Slot) -> Option<Register> {
    let is_register = slot != NO_SLOT && slot & PRESET == 0;
    file.filter(|_| is_register).map(|file| (file, slot))
}

/// Where lanes may go on behind an instruction; none if that is not known.
pub(crate) fn targets(program: &Program, code: &[Inst], pc: u32) -> Option<Vec<u32>> {
    let inst = code.get(pc as usize)?;
    Some(match inst.action {
        Action::Exit | Action::Trap | Action::Return => Vec::new(),
        Action::Jump(target) => vec![target],
        Action::Branch { taken, other, .. } => vec![taken, other],
        Action::Switch { .. } => program.tables.get(inst.aux as usize)?.clone(),
        _ => vec![pc + 1],
    })
}
