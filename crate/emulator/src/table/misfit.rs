//! What to say of an opcode that no row fits: whether the PTX ISA has it. The rows are the table's.

use crate::decode::lower::Misfit;
use crate::table::{Compiled, Element};

/// Opcodes of the PTX ISA, to version 9.0, of which the table has no row.
const OTHERS: [&str; 45] = [
    "addc",
    "applypriority",
    "bmsk",
    "clusterlaunchcontrol",
    "createpolicy",
    "discard",
    "fence",
    "istypep",
    "membar",
    "multimem",
    "setmaxnreg",
    "st",
    "suld",
    "suq",
    "sured",
    "sust",
    "tcgen05",
    "tensormap",
    "tex",
    "tld4",
    "txq",
    "vabsdiff",
    "vabsdiff2",
    "vabsdiff4",
    "vadd",
    "vadd2",
    "vadd4",
    "vavrg2",
    "vavrg4",
    "vmad",
    "vmax",
    "vmax2",
    "vmax4",
    "vmin",
    "vmin2",
    "vmin4",
    "vset",
    "vset2",
    "vset4",
    "vshl",
    "vshr",
    "vsub",
    "vsub2",
    "vsub4",
    "wgmma",
];

/// What comes first behind opcodes that are of several instructions, or of several parts of one. PTX ISA chapter
/// "Parallel Synchronization and Communication Instructions" and the copies of "Data Movement and Conversion
/// Instructions".
const FIRST: [(&str, &[&str]); 9] = [
    ("bar", &["sync", "arrive", "red", "warp", "cta"]),
    ("barrier", &["sync", "arrive", "red", "cta", "cluster"]),
    ("cp", &["async", "reduce"]),
    ("match", &["any", "all"]),
    (
        "mbarrier",
        &[
            "init",
            "inval",
            "expect_tx",
            "complete_tx",
            "arrive",
            "arrive_drop",
            "test_wait",
            "try_wait",
            "pending_count",
        ],
    ),
    ("redux", &["sync"]),
    ("shfl", &["sync", "up", "down", "bfly", "idx"]),
    ("vote", &["sync", "all", "any", "uni", "ballot"]),
    ("wmma", &["load", "store", "mma"]),
];

/// Chapters of which the table has all forms that are there for compute capability 9.0.
const COMPLETE: [&str; 6] = [
    "Integer Arithmetic Instructions",
    "Extended-Precision Integer Arithmetic Instructions",
    "Floating-Point Instructions",
    "Half Precision Floating-Point Instructions",
    "Comparison and Selection Instructions",
    "Logic and Shift Instructions",
];

/// Modifiers of forms that later GPUs have, and `.oob`.
const LATER: [&str; 2] = ["f32x2", "oob"];

/// Types, as the last modifier of an arithmetic instruction.
const TYPES: [&str; 25] = [
    "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "b8", "b16", "b32", "b64", "b128", "f16",
    "f32", "f64", "bf16", "f16x2", "bf16x2", "u16x2", "s16x2", "u8x4", "s8x4", "f32x2", "pred",
];

/// Most forms named.
const MOST_FORMS: usize = 4;

/// Why an opcode fits none of its opcode's rows.
pub(super) fn of(opcode: &str, rows: &[Compiled]) -> Misfit {
    let mut parts = opcode.split('.');
    let base = parts.next().unwrap_or_default();
    if rows.is_empty() {
        return if OTHERS.contains(&base) {
            Misfit::Unsupported
        } else {
            Misfit::NoInstruction("the PTX ISA has no such instruction".to_string())
        };
    }
    let modifiers: Vec<&str> = parts.collect();
    if let Some((_, firsts)) = FIRST.iter().find(|(opcode, _)| *opcode == base)
        && !modifiers
            .first()
            .is_some_and(|first| firsts.contains(first))
    {
        let known: Vec<String> = firsts
            .iter()
            .map(|first| format!("`{base}.{first}`"))
            .collect();
        let known = known.join(", ");
        return Misfit::NoInstruction(format!("the PTX ISA has no such instruction, only {known}"));
    }
    let is_complete = rows
        .iter()
        .all(|compiled| COMPLETE.contains(&compiled.row.chapter));
    let types = modifiers.iter().filter(|part| TYPES.contains(part));
    // Mixed precision, as in `add.f32.f16`, is of later GPUs.
    let is_later = types.count() > 1 || modifiers.iter().any(|part| LATER.contains(part));
    if !is_complete || is_later {
        return Misfit::Unsupported;
    }
    Misfit::NoInstruction(format!(
        "the PTX ISA has no such form of `{base}`, only {}",
        forms(base, modifiers.last().copied().unwrap_or_default(), rows)
    ))
}

/// The forms of an opcode, those of this type first.
fn forms(base: &str, ty: &str, rows: &[Compiled]) -> String {
    let of_type = |compiled: &&Compiled| {
        let last = compiled.elements.last();
        last.is_some_and(|last| last.choices.contains(&ty))
    };
    let mut chosen: Vec<&Compiled> = rows.iter().filter(of_type).collect();
    if chosen.is_empty() {
        chosen = rows.iter().collect();
    }
    let mut shown: Vec<String> = chosen
        .iter()
        .map(|compiled| {
            format!(
                "`{base}{}`",
                compiled.elements.iter().map(written).collect::<String>()
            )
        })
        .take(MOST_FORMS)
        .collect();
    if chosen.len() > MOST_FORMS {
        shown.push("…".to_string());
    }
    shown.join(", ")
}

/// An element of a pattern as the page of instructions shows it.
fn written(element: &Element) -> String {
    let choices = match element.choices.as_slice() {
        [single] => (*single).to_string(),
        choices => format!("{{{}}}", choices.join("|")),
    };
    let optional = if element.optional { "?" } else { "" };
    format!(".{choices}{optional}")
}
