//! The instructions that kernels are made of: all forms whose result the PTX ISA fixes, with the classes of their operands.

use std::collections::HashSet;

use cornerturn_emulator::{OperandKind as Kind, Operands, supported_instructions};

use crate::values::Class;

/// One form of an instruction: as written, what it gives, what it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// With all modifiers.
    pub opcode: String,
    /// Class of the result.
    pub result: Class,
    /// Classes of the sources.
    pub sources: Vec<Source>,
}

impl Form {
    /// Whether ptxas 13.0 may take it together with others for something that differs at the edges: which NaN a float
    /// is, what a negated or absolute least integer is, positions past the width, a narrow format between two
    /// conversions. Such a form is compared by itself only, where it does what the emulator does.
    pub(crate) fn is_simplified(&self) -> bool {
        let float = |class: &Class| {
            matches!(
                class,
                Class::Single
                    | Class::Double
                    | Class::Half
                    | Class::Brain
                    | Class::Halves
                    | Class::Brains
            )
        };
        let from_float = self
            .sources
            .iter()
            .any(|source| matches!(source, Source::Value(class) if float(class)));
        let moves = self.opcode.starts_with("mov.") && from_float && !float(&self.result);
        // These work on pairs of integers that are held where floats are.
        let pairs = self.opcode.contains("16x2") && !self.opcode.contains("f16x2");
        let signs = ["abs.s", "neg.s", "copysign", "bfe", "bfi"];
        let half = [".f16", ".bf16"]
            .iter()
            .any(|format| self.opcode.ends_with(format));
        let converts = self.opcode.starts_with("cvt.")
            && !float(&self.result)
            && (half || self.opcode.contains(".sat."));
        moves || pairs || converts || signs.iter().any(|start| self.opcode.starts_with(start))
    }
}

/// A source operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A register of this class, or a literal.
    Value(Class),
    /// A literal from 0 to 255.
    Byte,
}

/// Families of forms: `{a|b}` is a choice, possibly of nothing; then the classes, result first, by the letters of [`class`].
const FAMILIES: &[&str] = &[
    // Integers.
    "add.{u16|s16} h:hh",
    "add.{u32|s32|sat.s32} w:ww",
    "add.{u64|s64} d:dd",
    // No literals: the class only says which registers.
    "add.{u16x2|s16x2} x:xx",
    "sub.{u16|s16} h:hh",
    "sub.{u32|s32|sat.s32} w:ww",
    "sub.{u64|s64} d:dd",
    "mul.{lo|hi}.{u16|s16} h:hh",
    "mul.{lo|hi}.{u32|s32} w:ww",
    "mul.{lo|hi}.{u64|s64} d:dd",
    "mul.wide.{u16|s16} w:hh",
    "mul.wide.{u32|s32} d:ww",
    "mad.lo.{u16|s16} h:hhh",
    "mad.{lo|hi}.{u32|s32} w:www",
    "mad.hi.sat.s32 w:www",
    "mad.{lo|hi}.{u64|s64} d:ddd",
    "mad.wide.{u16|s16} w:hhw",
    "mad.wide.{u32|s32} d:wwd",
    "mul24.lo.{u32|s32} w:ww",
    "mad24.lo.{u32|s32} w:www",
    "sad.{u16|s16} h:hhh",
    "sad.{u32|s32} w:www",
    "sad.{u64|s64} d:ddd",
    "{div|rem}.{u16|s16} h:hh",
    "{div|rem}.{u32|s32} w:ww",
    "{div|rem}.{u64|s64} d:dd",
    "{abs|neg}.s16 h:h",
    "{abs|neg}.s32 w:w",
    "{abs|neg}.s64 d:d",
    "{min|max}.{u16|s16} h:hh",
    "{min|max}.{u32|s32} w:ww",
    "{min|max}.{u64|s64} d:dd",
    "{popc|clz}.b32 w:w",
    "{popc|clz}.b64 w:d",
    "bfind{|.shiftamt}.{u32|s32} w:w",
    "bfind{|.shiftamt}.{u64|s64} w:d",
    "brev.b32 w:w",
    "brev.b64 d:d",
    "bfe.{u32|s32} w:waa",
    "bfe.{u64|s64} d:daa",
    "bfi.b32 w:wwaa",
    "bfi.b64 d:ddaa",
    "dp4a.{u32|s32}.{u32|s32} w:www",
    // Single and double precision.
    "testp.{finite|infinite|number|notanumber|normal|subnormal}.f32 p:f",
    "testp.{finite|infinite|number|notanumber|normal|subnormal}.f64 p:g",
    "copysign.f32 f:ff",
    "copysign.f64 g:gg",
    "{add|sub|mul}{|.rn|.rz|.rm|.rp}{|.ftz}{|.sat}.f32 f:ff",
    "{add|sub|mul}{|.rn|.rz|.rm|.rp}.f64 g:gg",
    "{fma|mad}.{rn|rz|rm|rp}{|.ftz}{|.sat}.f32 f:fff",
    "{fma|mad}.{rn|rz|rm|rp}.f64 g:ggg",
    "div.{rn|rz|rm|rp}{|.ftz}.f32 f:ff",
    "div.{rn|rz|rm|rp}.f64 g:gg",
    "{rcp|sqrt}.{rn|rz|rm|rp}{|.ftz}.f32 f:f",
    "{rcp|sqrt}.{rn|rz|rm|rp}.f64 g:g",
    "{abs|neg}{|.ftz}.f32 f:f",
    "{abs|neg}.f64 g:g",
    "{min|max}{|.ftz}{|.NaN}.f32 f:ff",
    "{min|max}.f64 g:gg",
    // Half precision.
    "{add|sub|mul}{|.rn}.f16 e:ee",
    "{add|sub|mul}{|.rn}.f16x2 x:xx",
    "{add|sub|mul}{|.rn}.bf16 b:bb",
    "{add|sub|mul}{|.rn}.bf16x2 y:yy",
    "fma.rn.f16 e:eee",
    "fma.rn.f16x2 x:xxx",
    "fma.rn.bf16 b:bbb",
    "fma.rn.bf16x2 y:yyy",
    "{neg|abs}.f16 e:e",
    "{neg|abs}.bf16 b:b",
    "{neg|abs}.f16x2 x:x",
    "{neg|abs}.bf16x2 y:y",
    "{min|max}.f16 e:ee",
    "{min|max}.f16x2 x:xx",
    "{min|max}.bf16 b:bb",
    "{min|max}.bf16x2 y:yy",
    // Comparison and selection.
    "setp.{eq|ne|lt|le|gt|ge}.{u16|s16} p:hh",
    "setp.{eq|ne|lt|le|gt|ge}.{u32|s32} p:ww",
    "setp.{eq|ne|lt|le|gt|ge}.{u64|s64} p:dd",
    "setp.{eq|ne}.b16 p:hh",
    "setp.{eq|ne}.b32 p:ww",
    "setp.{eq|ne}.b64 p:dd",
    "setp.{lo|ls|hi|hs}.u32 p:ww",
    "setp.{eq|ne|lt|le|gt|ge}.{and|or|xor}.{u32|s32} p:wwp",
    "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{|.ftz}.f32 p:ff",
    "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}.{and|or|xor}.f32 p:ffp",
    "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}.f64 p:gg",
    "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}.f16 p:ee",
    "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}.bf16 p:bb",
    "set.{eq|ne|lt|le|gt|ge}.{u32|s32}.{u32|s32} w:ww",
    "set.{eq|ne|lt|le|gt|ge}.f32.{u32|s32} f:ww",
    "set.{eq|ne|lt|le|gt|ge}.{and|or|xor}.{u32|s32}.{u64|s64} w:ddp",
    "set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{|.ftz}.{u32|s32}.f32 w:ff",
    "set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{|.ftz}.f32.f32 f:ff",
    "set.{lt|geu|nan}.{u32|s32}.f64 w:gg",
    "selp.{b16|u16|s16} h:hhp",
    "selp.{b32|u32|s32} w:wwp",
    "selp.{b64|u64|s64} d:ddp",
    "selp.f32 f:ffp",
    "selp.f64 g:ggp",
    "slct.{b32|u32|s32}.s32 w:www",
    "slct.f32.s32 f:ffw",
    "slct.{b64|u64|s64}.s32 d:ddw",
    "slct.f64.s32 g:ggw",
    "slct{|.ftz}.{b32|u32|s32}.f32 w:wwf",
    "slct{|.ftz}.f32.f32 f:fff",
    "slct{|.ftz}.{b64|u64|s64}.f32 d:ddf",
    "slct{|.ftz}.f64.f32 g:ggf",
    // Logic and shifts.
    "{and|or|xor}.b16 h:hh",
    "{and|or|xor}.b32 w:ww",
    "{and|or|xor}.b64 d:dd",
    "{and|or|xor}.pred p:pp",
    "{not|cnot}.b16 h:h",
    "{not|cnot}.b32 w:w",
    "{not|cnot}.b64 d:d",
    "not.pred p:p",
    "lop3.b32 w:wwwn",
    "shf.{l|r}.{wrap|clamp}.b32 w:wwa",
    "shl.b16 h:ha",
    "shl.b32 w:wa",
    "shl.b64 d:da",
    "shr.{b16|u16|s16} h:ha",
    "shr.{b32|u32|s32} w:wa",
    "shr.{b64|u64|s64} d:da",
    "prmt.b32 w:www",
    "prmt.b32.{f4e|b4e|rc8|ecl|ecr|rc16} w:wwa",
    // Moves from one class to another.
    "mov.b16 h:e",
    "mov.b16 e:h",
    "mov.b16 b:h",
    "mov.b16 h:b",
    "mov.{b32|u32|s32} w:w",
    "mov.b32 w:f",
    "mov.b32 f:w",
    "mov.b32 x:w",
    "mov.b32 w:x",
    "mov.b32 y:w",
    "mov.b32 w:y",
    "mov.f32 f:f",
    "mov.f64 g:g",
    "mov.{b64|u64|s64} d:d",
    "mov.b64 d:g",
    "mov.b64 g:d",
    "mov.pred p:p",
    // Conversions.
    "cvt.{rn|rz}{|.relu}.f16x2.f32 x:ff",
    "cvt.{rn|rz}{|.relu}.bf16x2.f32 y:ff",
];

/// Families that kernels are not made of, and whose operands the emulator's table does not tell.
const ALONE: &[&str] = &[
    "{vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2}.{u32|s32}.{u32|s32}.{u32|s32}{|.sat|.add} w:www",
    "{vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4}.{u32|s32}.{u32|s32}.{u32|s32}{|.sat|.add} w:www",
    "cvt.pack.sat.{u16|s16}.s32 w:ww",
    "cvt.pack.sat.{u8|s8|u4|s4|u2|s2}.s32.b32 w:www",
];

/// All forms with one result for all, by family: a family is as likely in a kernel as any other.
pub fn families() -> Vec<Vec<Form>> {
    let mut families: Vec<Vec<Form>> = FAMILIES.iter().map(|family| forms(family)).collect();
    families.extend(conversions());
    families
}

fn class(letter: char) -> Source {
    Source::Value(match letter {
        'h' => Class::Int16,
        'w' => Class::Int32,
        'd' => Class::Int64,
        'e' => Class::Half,
        'b' => Class::Brain,
        'x' => Class::Halves,
        'y' => Class::Brains,
        'f' => Class::Single,
        'g' => Class::Double,
        'p' => Class::Pred,
        'a' => Class::Amount,
        _ => return Source::Byte,
    })
}

fn forms(family: &str) -> Vec<Form> {
    let (pattern, classes) = family.split_once(' ').unwrap_or((family, "w:w"));
    let mut classes = classes.chars();
    let Some(Source::Value(result)) = classes.next().map(class) else {
        return Vec::new();
    };
    let sources: Vec<Source> = classes.skip(1).map(class).collect();
    expand(pattern)
        .into_iter()
        .map(|opcode| Form {
            opcode,
            result,
            sources: sources.clone(),
        })
        .collect()
}

fn expand(pattern: &str) -> Vec<String> {
    let (Some(open), Some(close)) = (pattern.find('{'), pattern.find('}')) else {
        return vec![pattern.to_string()];
    };
    let tails = expand(&pattern[close + 1..]);
    pattern[open + 1..close]
        .split('|')
        .flat_map(|choice| {
            let head = format!("{}{choice}", &pattern[..open]);
            tails.iter().map(move |tail| format!("{head}{tail}"))
        })
        .collect()
}

/// A type as `cvt` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Type {
    name: &'static str,
    class: Class,
    /// Value bits of a float (24 for `f32`), 0 for an integer.
    precision: u32,
    bits: u32,
}

impl Type {
    /// Whether both are integers and this one has all values of the other.
    fn holds(self, other: Type) -> bool {
        let signed = |ty: Type| ty.name.starts_with('s');
        let integers = self.precision == 0 && other.precision == 0;
        integers
            && match (signed(self), signed(other)) {
                (false, true) => false,
                (true, false) => self.bits > other.bits,
                _ => self.bits >= other.bits,
            }
    }
}

const TYPES: [Type; 12] = [
    integer("u8", Class::Int16, 8),
    integer("s8", Class::Int16, 8),
    integer("u16", Class::Int16, 16),
    integer("s16", Class::Int16, 16),
    integer("u32", Class::Int32, 32),
    integer("s32", Class::Int32, 32),
    integer("u64", Class::Int64, 64),
    integer("s64", Class::Int64, 64),
    floating("f16", Class::Half, 11),
    floating("bf16", Class::Brain, 8),
    floating("f32", Class::Single, 24),
    floating("f64", Class::Double, 53),
];

const fn integer(name: &'static str, class: Class, bits: u32) -> Type {
    Type {
        name,
        class,
        precision: 0,
        bits,
    }
}

const fn floating(name: &'static str, class: Class, precision: u32) -> Type {
    Type {
        name,
        class,
        precision,
        bits: class.bits(),
    }
}

/// Every pair of types with the modifiers that PTX ISA section "cvt" allows, a family each.
fn conversions() -> Vec<Vec<Form>> {
    let pairs = TYPES
        .iter()
        .flat_map(|to| TYPES.iter().map(move |from| (*to, *from)));
    pairs.map(|(to, from)| conversion(to, from)).collect()
}

fn conversion(to: Type, from: Type) -> Vec<Form> {
    let whole = ["rni", "rzi", "rmi", "rpi"];
    if (to.precision == 8 && from.bits == 8) || (to.bits == 8 && from.precision == 8) {
        return Vec::new();
    }
    let roundings: &[&str] = match (to.precision, from.precision) {
        (0, 0) => &[""],
        (0, _) => &whole,
        // The hardware has only the one way to make a `bf16` of a number.
        (8, 0) => &["rn"],
        (_, 0) => &["rn", "rz", "rm", "rp"],
        (8, 8) => return Vec::new(),
        (8, 24) => &["rn", "rz"],
        (8, _) => &["rn"],
        (to, from) if to == from => &["", "rni", "rzi", "rmi", "rpi"],
        (to, from) if to < from => &["rn", "rz", "rm", "rp"],
        _ => &[""],
    };
    let single = to.precision == 24 || from.precision == 24;
    let halves = to.precision == 8 || from.precision == 8;
    let flushes: &[&str] = if single && !halves {
        &["", ".ftz"]
    } else {
        &[""]
    };
    // Between integers only where a value may be out of range.
    let saturates: &[&str] = if halves || to.holds(from) {
        &[""]
    } else {
        &["", ".sat"]
    };
    let mut forms = Vec::new();
    for rounding in roundings {
        let dot = if rounding.is_empty() { "" } else { "." };
        for flush in flushes {
            for saturate in saturates {
                forms.push(Form {
                    opcode: format!(
                        "cvt{dot}{rounding}{flush}{saturate}.{}.{}",
                        to.name, from.name
                    ),
                    result: to.class,
                    sources: vec![Source::Value(from.class)],
                });
            }
        }
    }
    forms
}

/// Of a row of the emulator's table with more spellings than this, about as many are tried.
const MOST_SPELLINGS: usize = 64;

/// The forms of the emulator's own table that no family of kernels has. They are compared by themselves.
pub fn alone() -> Vec<Form> {
    let known: HashSet<String> = families()
        .into_iter()
        .flatten()
        .map(|form| form.opcode)
        .collect();
    let computing = supported_instructions()
        .filter_map(|row| Some((row, row.operands?)))
        .flat_map(|(row, operands)| {
            let spellings = row.spellings();
            // A step that is odd meets every choice of a row.
            let step = (spellings.len() / MOST_SPELLINGS) | 1;
            let spellings = spellings.into_iter().step_by(step);
            spellings.map(move |opcode| form_of(opcode, operands))
        })
        // The state of an mbarrier is what the machine makes of it, and ours is another.
        .filter(|form| !known.contains(&form.opcode) && !form.opcode.starts_with("mbarrier"));
    computing
        .chain(ALONE.iter().flat_map(|family| forms(family)))
        .collect()
}

/// A form of the table, with the classes that its name and the kinds of its operands tell.
fn form_of(opcode: String, operands: Operands) -> Form {
    let class = |kind: Kind| match kind {
        Kind::Pred => Class::Pred,
        Kind::Bits16 if opcode.ends_with(".bf16") => Class::Brain,
        Kind::Bits16 if opcode.ends_with(".f16") => Class::Half,
        Kind::Bits16 => Class::Int16,
        Kind::Bits32 if opcode.ends_with(".bf16x2") => Class::Brains,
        // Pairs of integers are held where floats are: a literal would stand for both.
        Kind::Bits32 if opcode.ends_with("16x2") => Class::Halves,
        Kind::Bits32 => Class::Int32,
        Kind::Bits64 => Class::Int64,
        Kind::Single => Class::Single,
        Kind::Double => Class::Double,
    };
    Form {
        result: class(operands.result),
        sources: operands
            .sources
            .iter()
            .map(|kind| Source::Value(class(*kind)))
            .collect(),
        opcode,
    }
}
