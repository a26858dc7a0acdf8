//! Bits of registers as numbers in words, by the type that the PTX instruction gives them.

use super::super::style::number;

/// How a register's bits are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Predicate,
    Signed(u32),
    Unsigned(u32),
    Single,
    Double,
    /// A type that has no number here: halves, pairs of them.
    Bits(u32),
}

impl Kind {
    /// The type of what an instruction writes to a register, by its opcode, such as `cvt.f32.s32`, and the register's name.
    pub(super) fn of(opcode: &str, register: &str) -> Self {
        let mut parts = opcode.split('.');
        let root = parts.next().unwrap_or_default();
        let types: Vec<&str> = parts.filter(|part| width(part).is_some()).collect();
        // These name the result's type first, and others only that of the operands.
        let is_first = matches!(
            root,
            "cvt" | "set" | "tex" | "tld4" | "suld" | "mma" | "wgmma"
        );
        let ty = if is_first {
            types.first()
        } else {
            types.last()
        };
        let is_wide = opcode.contains(".wide.");
        match (root, ty) {
            ("setp" | "testp" | "isspacep", _) => Self::Predicate,
            (_, Some(&"pred")) => Self::Predicate,
            (_, Some(ty)) => Self::named(ty, is_wide, register),
            (_, None) => Self::named("b32", false, register),
        }
    }

    fn named(ty: &str, is_wide: bool, register: &str) -> Self {
        let bits = width(ty).unwrap_or(32) << u32::from(is_wide);
        match ty.as_bytes().first() {
            Some(b'f') if ty == "f32" => Self::Single,
            Some(b'f') if ty == "f64" => Self::Double,
            Some(b's') => Self::Signed(bits),
            Some(b'u') => Self::Unsigned(bits),
            Some(b'b') if ty.starts_with("bf") => Self::Bits(bits),
            // Bits that are moved or exchanged: what they are, the register's name says, as compilers choose it.
            Some(b'b') if register.starts_with("%fd") => Self::Double,
            Some(b'b') if register.starts_with("%f") => Self::Single,
            Some(b'b') => Self::Unsigned(bits),
            _ => Self::Bits(bits),
        }
    }

    /// A value of this kind.
    pub(super) fn show(self, bits: u64) -> String {
        let part = |width: u32| {
            if width >= 64 {
                bits
            } else {
                bits & ((1 << width) - 1)
            }
        };
        match self {
            Self::Predicate => if bits == 0 { "false" } else { "true" }.to_owned(),
            // An address rather than a count.
            Self::Signed(64) | Self::Unsigned(64) if (1 << 32..1 << 63).contains(&bits) => {
                format!("0x{bits:x}")
            }
            Self::Signed(64) => (bits as i64).to_string(),
            Self::Signed(32) => (bits as u32 as i32).to_string(),
            Self::Signed(16) => (bits as u16 as i16).to_string(),
            Self::Signed(width) => (part(width) as u8 as i8).to_string(),
            Self::Unsigned(width) => part(width).to_string(),
            Self::Single => float(f64::from(f32::from_bits(bits as u32)), 7),
            Self::Double => float(f64::from_bits(bits), 10),
            Self::Bits(width) => {
                format!("0x{:0digits$x}", part(width), digits = width as usize / 4)
            }
        }
    }
}

/// Bits of a PTX type; none where it is no type.
fn width(ty: &str) -> Option<u32> {
    Some(match ty {
        "pred" => 1,
        "s8" | "u8" | "b8" => 8,
        "s16" | "u16" | "b16" | "f16" | "bf16" => 16,
        "s32" | "u32" | "b32" | "f32" | "f16x2" | "bf16x2" => 32,
        "s64" | "u64" | "b64" | "f64" | "f32x2" => 64,
        _ => return None,
    })
}

/// A number of so many digits.
fn float(value: f64, digits: i32) -> String {
    let size = value.abs();
    match size {
        _ if value.is_nan() => "NaN".to_owned(),
        _ if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.to_owned(),
        _ if size != 0.0 && !(1e-4..1e7).contains(&size) => format!("{value:.3e}"),
        _ => {
            let whole = if size < 1.0 {
                1
            } else {
                size.log10() as i32 + 1
            };
            number(value, (digits - whole).max(0) as usize)
        }
    }
}

/// The values of the lanes that have one, in a few words: the same in all, by even steps, or the first and the last.
pub(super) fn in_words(values: &[Option<String>; 32]) -> String {
    let there: Vec<&String> = values.iter().flatten().collect();
    let [first, .., last] = there[..] else {
        return there
            .first()
            .map_or("in no lane".to_owned(), |only| (*only).clone());
    };
    if there.iter().all(|value| *value == first) {
        return format!("{first} in all {} lanes", there.len());
    }
    let begin: Vec<&str> = there.iter().take(3).map(|value| value.as_str()).collect();
    match there.len() {
        0..=4 => there
            .iter()
            .map(|value| value.as_str())
            .collect::<Vec<_>>()
            .join(", "),
        _ => format!("{}, …, {last}", begin.join(", ")),
    }
}

/// Numbers of lanes or warps: `0 to 18`, or `0, 2, 4`.
pub(super) fn numbers(which: &[u32]) -> String {
    let (Some(first), Some(last)) = (which.first(), which.last()) else {
        return "none".to_owned();
    };
    match which.len() as u32 {
        1 => first.to_string(),
        count if count > 2 && last - first + 1 == count => format!("{first} to {last}"),
        count if count <= 8 => which
            .iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join(", "),
        _ => {
            let begin: Vec<String> = which.iter().take(4).map(u32::to_string).collect();
            format!("{}, …, {last}", begin.join(", "))
        }
    }
}

/// The lanes of a mask.
pub(super) fn lanes(mask: u32) -> Vec<u32> {
    (0..32).filter(|lane| mask >> lane & 1 != 0).collect()
}
