//! PTX of the source's own, as `asm` has it: text that is passed on. What passes ask of it is read out of it once, where it is made.

use super::intrinsics::{Id, InstructionCost, Intrinsic, Kind, TABLE};
use super::{Effect, Space};

/// Stands in the text for the space of its first argument.
pub(crate) const SPACE_MARK: char = '\u{3}';

/// A piece of PTX with operands between `\u{1}` and `\u{2}`, by their numbers: results first, then arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Asm {
    pub(crate) text: String,
    pub(crate) effect: Effect,
    /// Results that it reads before it writes them, and the arguments that they are then.
    pub(crate) begins: Vec<(usize, usize)>,
    /// The space of its first argument, where its text has the mark for that: `Generic` until it is known.
    pub(crate) space: Option<Space>,
    facts: Facts,
}

/// What its text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Facts {
    /// The special register that it reads, and does nothing else.
    register: Option<Id>,
    /// How many instructions it is to LLVM; 0 for what takes long.
    cost: usize,
    calls: bool,
}

/// How pieces begin that are an instruction or a few to NVIDIA's compiler, and no call; how many.
const QUICK: [(&str, usize); 8] = [
    ("abs.", 1),
    ("brev.", 1),
    ("clz.", 1),
    ("copysign.", 1),
    ("popc.", 1),
    ("prmt.", 1),
    ("{ copysign.", 1),
    ("{ .reg .b32 t; brev.", 3),
];

impl Asm {
    pub(crate) fn new(text: String, effect: Effect, begins: Vec<(usize, usize)>) -> Self {
        let quick = QUICK.iter().find(|(begin, _)| text.starts_with(begin));
        let facts = Facts {
            register: register(&text),
            cost: quick.map_or(0, |(_, cost)| *cost),
            calls: text.contains("call"),
        };
        let space = text.contains(SPACE_MARK).then_some(Space::Generic);
        Self {
            text,
            effect,
            begins,
            space,
            facts,
        }
    }

    /// The same with the space of its first argument.
    pub(crate) fn in_space(&self, space: Space) -> Self {
        let space = Some(space);
        Self {
            space,
            ..self.clone()
        }
    }

    pub(crate) fn cost(&self) -> InstructionCost {
        match self.facts.cost {
            0 => InstructionCost::Long,
            cost => InstructionCost::Instructions(cost),
        }
    }

    /// Whether it may call a function.
    pub(crate) fn calls(&self) -> bool {
        self.facts.calls
    }

    /// The row of the special register that it reads.
    pub(crate) fn register(&self) -> Option<&'static Intrinsic> {
        self.facts.register.map(Id::row)
    }

    /// Its text, with the space of its first argument.
    pub(crate) fn text(&self) -> String {
        let space = match self.space {
            Some(Space::Global) => ".global",
            Some(Space::Shared) => ".shared",
            _ => "",
        };
        self.text.replace(SPACE_MARK, space)
    }
}

fn register(text: &str) -> Option<Id> {
    let rest = text.strip_prefix("mov.u32 \u{1}0\u{2}, ")?;
    let name = rest.trim_end_matches(';');
    let is_it = |row: &&Intrinsic| {
        let rest = row.ptx.strip_prefix("mov.u32 %0, ");
        row.kind == Kind::Register && rest.is_some_and(|rest| rest.trim_end_matches(';') == name)
    };
    let row = TABLE.iter().find(is_it)?;
    Id::named(row.name)
}
