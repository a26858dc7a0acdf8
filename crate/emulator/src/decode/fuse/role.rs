//! What an instruction of the PTX is where the assembler joins products and sums.

use crate::machine::inst::ComputeFn;

/// The type of a product or sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    F32,
    F64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
}

impl Format {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "f32" => Self::F32,
            "f64" => Self::F64,
            "f16" => Self::F16,
            "f16x2" => Self::F16x2,
            "bf16" => Self::Bf16,
            "bf16x2" => Self::Bf16x2,
            _ => return None,
        })
    }
}

/// What a product and a sum that take each other agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) format: Format,
    /// `.ftz`
    pub(crate) flushes: bool,
}

impl Number {
    pub(super) fn is_packed(self) -> bool {
        matches!(self.format, Format::F16x2 | Format::Bf16x2)
    }

    /// The bits of the signs.
    pub(super) fn sign(self) -> u64 {
        match self.format {
            Format::F32 => 1 << 31,
            Format::F64 => 1 << 63,
            Format::F16 | Format::Bf16 => 1 << 15,
            Format::F16x2 | Format::Bf16x2 => 1 << 31 | 1 << 15,
        }
    }
}

/// What an operation is for the assembler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Role {
    #[default]
    Other,
    /// Its factors are `s[0]` and `s[1]`, unless it `stays`: the last product of a quotient.
    Product {
        number: Number,
        stays: bool,
    },
    Sum {
        number: Number,
        is_difference: bool,
        /// Index into [`crate::decode::ir::Body::fused`].
        fused: u32,
    },
    Negation(Format),
    /// The machine code branches.
    Branches,
}

/// What a sum becomes with a product: `s[0] * s[1] + s[2]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fused {
    pub(crate) function: ComputeFn,
    pub(crate) imm: u64,
    /// Turns the sign of a factor or of the other summand.
    pub(crate) negate: ComputeFn,
    /// Index into [`crate::decode::ir::Body::arithmetic`].
    pub(crate) arithmetic: u32,
}

/// A sum before it is known what it would become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unfused {
    pub(crate) number: Number,
    pub(crate) is_difference: bool,
    pub(crate) saturates: bool,
}

impl Unfused {
    /// A sum without a rounding modifier.
    pub(crate) fn of(opcode: &str) -> Option<Self> {
        let (root, modifiers) = opcode.split_once('.')?;
        if !matches!(root, "add" | "sub") {
            return None;
        }
        Some(Self {
            number: number(modifiers, &["sat"])?,
            is_difference: root == "sub",
            saturates: has(modifiers, "sat"),
        })
    }

    /// The opcode of the product and sum, and of a change of sign.
    pub(crate) fn opcodes(&self, opcode: &str) -> [String; 2] {
        let ty = opcode.rsplit('.').next().unwrap_or_default();
        let flushes = if self.number.flushes { ".ftz" } else { "" };
        let saturates = if self.saturates { ".sat" } else { "" };
        [
            format!("fma.rn{flushes}{saturates}.{ty}"),
            format!("neg.{ty}"),
        ]
    }
}

impl Role {
    /// Of an instruction that is no [`Unfused`] sum.
    pub(crate) fn of(opcode: &str) -> Self {
        let Some((root, modifiers)) = opcode.split_once('.') else {
            return Self::Other;
        };
        let product = |number: Option<Number>, stays| match number {
            Some(number) => Self::Product { number, stays },
            None => Self::Other,
        };
        let is_approximate = has(modifiers, "approx") || has(modifiers, "full");
        match root {
            "mul" => product(number(modifiers, &[]), false),
            "div" if is_approximate => product(number(modifiers, &["approx", "full"]), true),
            "rcp" if modifiers == "approx.f32" => product(number(modifiers, &["approx"]), true),
            "div" | "rem" if !modifiers.ends_with("u32") => Self::Branches,
            "sqrt" | "rcp" if !is_approximate => Self::Branches,
            "rsqrt" if modifiers == "approx.f64" => Self::Branches,
            "membar" => Self::Branches,
            "fence" if !has(modifiers, "proxy") && !has(modifiers, "mbarrier_init") => {
                Self::Branches
            }
            "neg" => match Format::named(modifiers) {
                None | Some(Format::Bf16x2) => Self::Other,
                Some(format) => Self::Negation(format),
            },
            _ => Self::Other,
        }
    }
}

fn has(modifiers: &str, modifier: &str) -> bool {
    modifiers.split('.').any(|part| part == modifier)
}

/// The type, if there is no modifier but `.ftz` and these.
fn number(modifiers: &str, others: &[&str]) -> Option<Number> {
    let mut parts = modifiers.split('.');
    let format = Format::named(parts.next_back()?)?;
    let is_known = |part: &str| part == "ftz" || others.contains(&part);
    parts.all(is_known).then(|| Number {
        format,
        flushes: has(modifiers, "ftz"),
    })
}
