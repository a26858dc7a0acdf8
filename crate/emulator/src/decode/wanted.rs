//! Which bytes of what a load brings the program uses, beside storing them again. What reads of unwritten bytes that makes a mistake is `check`'s.
//!
//! A structure is copied with its padding, which nobody has written: so a read is no mistake by itself, only what is
//! computed, compared or addressed by what it brought. The bytes are followed backwards, from their uses through what
//! only moves them.

use crate::decode::flow::{End, Graph};
use crate::decode::ir::{Act, Body, Carries, Op, Reg, Value};
use crate::program::access::Wanted;
use crate::program::kinds::FileKind;
use crate::program::preset::Preset;

/// Rounds through a function after which everything counts as used.
const MOST_ROUNDS: usize = 16;

/// What becomes of a register's bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Fate {
    /// Those used, one bit each.
    bytes: u8,
    /// The place of some use.
    place: Option<u32>,
    /// They have a say in a comparison.
    is_compared: bool,
}

/// Notes for each load of a function what the program wants of it.
pub(super) fn note_wanted(graph: &Graph, body: &mut Body) {
    let mut fates = Fates {
        of: vec![Fate::default(); body.regs.len()],
        has_changed: true,
    };
    let mut rounds = 0;
    while std::mem::take(&mut fates.has_changed) {
        rounds += 1;
        if rounds > MOST_ROUNDS {
            return;
        }
        for block in graph.blocks.iter().rev() {
            if let Some(reg) = block.end.uses() {
                fates.compared(reg, end_place(&block.end));
            }
            for op in block.ops.iter().rev() {
                fates.follow(op, body);
            }
        }
    }
    for op in graph.blocks.iter().flat_map(|block| &block.ops) {
        if op.carries == Carries::Load && op.is_memory {
            let shape = &mut body.accesses[op.aux as usize];
            let mut wanted = Wanted::NOTHING;
            for (element, reg) in op.d.iter().take(shape.count as usize).enumerate() {
                let Some(reg) = reg else { continue };
                let fate = fates.of[reg.0 as usize];
                let mut bytes = fate.bytes & low(shape.element);
                // What extends the sign is its uppermost byte.
                if shape.signed && fate.bytes & !low(shape.element) != 0 {
                    bytes |= low(shape.element) & !(low(shape.element) >> 1);
                }
                wanted.bytes |= u16::from(bytes) << (element as u32 * shape.element).min(15);
                wanted.is_compared |= fate.is_compared;
                if bytes != 0 {
                    wanted.place = wanted.place.or(fate.place);
                }
            }
            shape.wanted = wanted;
        }
    }
}

fn end_place(end: &End) -> Option<u32> {
    match end {
        End::Branch { place, .. } | End::Switch { place, .. } => Some(*place),
        _ => None,
    }
}

/// The lowest bytes of a register, so many.
fn low(bytes: u32) -> u8 {
    (u8::MAX).checked_shr(8 - bytes.min(8)).unwrap_or(0)
}

struct Fates {
    of: Vec<Fate>,
    has_changed: bool,
}

impl Fates {
    /// Adds uses of a register.
    fn add(&mut self, value: Value, more: Fate) {
        let Value::Reg(reg) = value else { return };
        let fate = &mut self.of[reg.0 as usize];
        let before = *fate;
        fate.bytes |= more.bytes;
        fate.is_compared |= more.is_compared;
        if more.bytes != 0 {
            fate.place = fate.place.or(more.place);
        }
        self.has_changed |= *fate != before;
    }

    fn compared(&mut self, reg: Reg, place: Option<u32>) {
        let fate = Fate {
            bytes: u8::MAX,
            place,
            is_compared: true,
        };
        self.add(Value::Reg(reg), fate);
    }

    /// What an operation makes of its sources, from what becomes of its results.
    fn follow(&mut self, op: &Op, body: &Body) {
        if let Some((guard, _)) = op.guard {
            self.compared(guard, Some(op.place));
        }
        let d = op.d[0].map_or_else(Fate::default, |reg| self.of[reg.0 as usize]);
        let part = |bytes: u8| Fate { bytes, ..d };
        let any = |bytes: u8| part(if d.bytes == 0 { 0 } else { bytes });
        match op.carries {
            _ if matches!(op.act, Act::Copy) => self.add(op.s[0], d),
            // What is stored is not used by that.
            Carries::Load | Carries::Store => self.add(op.s[0], used(op, false)),
            Carries::Part { first, bytes } => {
                self.add(op.s[0], part((d.bytes & low(bytes)) << first));
            }
            Carries::Parts(bytes) => {
                for (at, source) in op.s.iter().enumerate().take(8 / bytes as usize) {
                    let here = d.bytes.checked_shr(at as u32 * bytes).unwrap_or(0);
                    self.add(*source, part(here & low(bytes)));
                }
            }
            Carries::Either => {
                self.add(op.s[0], d);
                self.add(op.s[1], d);
                self.add(op.s[2], any(u8::MAX));
            }
            Carries::Masked { by_zero } => {
                for (source, other) in [(op.s[0], op.s[1]), (op.s[1], op.s[0])] {
                    let bits = constant(other, body).filter(|_| by_zero);
                    let kept = bits.map_or(u8::MAX, bytes_set);
                    self.add(source, part(d.bytes & kept));
                }
            }
            Carries::Shifted { left, bytes } => {
                let moved = match constant(op.s[1], body) {
                    Some(bits) => shifted(d.bytes, bits, left, bytes),
                    None => any(low(bytes)).bytes,
                };
                self.add(op.s[0], part(moved));
                self.add(op.s[1], any(u8::MAX));
            }
            Carries::Whole(bytes) => self.add(op.s[0], any(low(bytes))),
            Carries::Nothing
            | Carries::Both
            | Carries::Any
            | Carries::Exchanged
            | Carries::Staged
            | Carries::Shown => {
                self.compute(op, body);
            }
        }
    }

    /// All that an operation reads is used.
    fn compute(&mut self, op: &Op, body: &Body) {
        let is_compared = op.results().any(|reg| {
            let is_pred = body.regs[reg.0 as usize].file == FileKind::Preds;
            is_pred || self.of[reg.0 as usize].is_compared
        });
        for source in op.s {
            self.add(source, used(op, is_compared));
        }
    }
}

/// The fate of what an operation uses.
fn used(op: &Op, is_compared: bool) -> Fate {
    Fate {
        bytes: u8::MAX,
        place: Some(op.place),
        is_compared,
    }
}

/// The bytes of a register, so many bytes wide, that come to lie in others by a shift of so many bits.
fn shifted(used: u8, bits: u64, left: bool, bytes: u32) -> u8 {
    let by = (bits / 8) as u32;
    let used = used & low(bytes);
    match (bits % 8, left) {
        _ if used == 0 || bits >= 64 => 0,
        (0, true) => used >> by,
        (0, false) => (used << by) & low(bytes),
        _ => low(bytes),
    }
}

/// A source's bits, if they are the same always.
fn constant(value: Value, body: &Body) -> Option<u64> {
    let Value::Preset(number) = value else {
        return None;
    };
    match body.presets.get(number as usize)?.1 {
        Preset::Bits(bits) => Some(bits),
        _ => None,
    }
}

/// The bytes of a number that are not 0, one bit each.
fn bytes_set(bits: u64) -> u8 {
    let bytes = bits.to_le_bytes().into_iter().enumerate();
    bytes.fold(0, |set, (at, byte)| set | u8::from(byte != 0) << at)
}
