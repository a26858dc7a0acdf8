//! Intrinsics by name: functions whose PTX follows from their name. Conversions and operations with a rounding, and
//! those of the parts of a word that are one instruction.

use crate::ir::intrinsics::{Call, Id};

/// Types of the result and the arguments, as in the table of intrinsics, and its row with what that leaves open.
pub(in crate::lower) fn row(name: &str) -> Option<(String, Call)> {
    let name = name.strip_prefix("__")?;
    if let Some(parts) = name.strip_prefix('v').and_then(of_parts) {
        return Some(("uuu".to_string(), parts));
    }
    let (stem, rounding) = name.rsplit_once("_r")?;
    let rounding = match rounding {
        "n" => 'n',
        "z" => 'z',
        "d" => 'm',
        "u" => 'p',
        _ => return None,
    };
    match stem.split_once('2') {
        Some((from, to)) => conversion(from, to, rounding),
        None => operation(stem, rounding),
    }
}

/// `float2int` and the like: the letter of a type, and what PTX calls it.
fn conversion(from: &str, to: &str, rounding: char) -> Option<(String, Call)> {
    let of = |name: &str| {
        Some(match name {
            "float" => ('f', "f32"),
            "double" => ('d', "f64"),
            "int" => ('i', "s32"),
            "uint" => ('u', "u32"),
            "ll" => ('l', "s64"),
            "ull" => ('L', "u64"),
            _ => return None,
        })
    };
    let ((from, source), (to, target)) = (of(from)?, of(to)?);
    let is_floating = |letter| matches!(letter, 'f' | 'd');
    // Every number of 32 bits is one of `double`: there is one rounding only.
    let is_exact = to == 'd' && matches!(from, 'i' | 'u');
    let is_known = match (is_floating(from), is_floating(to)) {
        (true, true) => (from, to) == ('d', 'f'),
        (false, false) => false,
        _ => !is_exact || rounding == 'n',
    };
    let integer = if is_floating(to) { "" } else { "i" };
    let both = format!("r{rounding}{integer}.{target}.{source}");
    let call = Call::new(const { Id::of("cvt") }, [both]);
    is_known.then(|| (format!("{to}{from}"), call))
}

/// `fadd`, `drcp` and the like.
fn operation(stem: &str, rounding: char) -> Option<(String, Call)> {
    let (letter, ty, operation) = match stem {
        "fmaf" | "fmaf_ieee" => ('f', "f32", "fma"),
        "fma" => ('d', "f64", "fma"),
        _ => match stem.split_at_checked(1)? {
            ("f", operation) => ('f', "f32", operation),
            ("d", operation) => ('d', "f64", operation),
            _ => return None,
        },
    };
    let operands = match operation {
        "add" | "sub" | "mul" | "div" => "%1, %2",
        "rcp" | "sqrt" => "%1",
        "fma" => "%1, %2, %3",
        _ => return None,
    };
    let types = letter.to_string().repeat(1 + operands.matches('%').count());
    let parts = [
        format!("{operation}.r{rounding}.{ty}"),
        operands.to_string(),
    ];
    Some((types, Call::new(const { Id::of("rounded") }, parts)))
}

/// `adds2` and the like: the operation, how numbers are read, whether the result stays in their range, how many there are.
fn of_parts(name: &str) -> Option<Call> {
    let stem = name.strip_suffix(['2', '4'])?;
    let count = &name[stem.len()..];
    let (operation, ty, sat) = match stem {
        "add" | "sub" => (stem, 'u', ""),
        "addss" | "subss" => (&stem[..3], 's', ".sat"),
        "addus" | "subus" => (&stem[..3], 'u', ".sat"),
        "maxs" | "mins" => (&stem[..3], 's', ""),
        "maxu" | "minu" => (&stem[..3], 'u', ""),
        "absdiffu" => ("absdiff", 'u', ""),
        "sadu" => ("absdiff", 'u', ".add"),
        "sads" => ("absdiff", 's', ".add"),
        "avgu" => ("avrg", 'u', ""),
        _ => return None,
    };
    let result = if sat == ".add" { 'u' } else { ty };
    let operation = format!("{operation}{count}.{result}32.{ty}32.{ty}32{sat}");
    Some(Call::new(const { Id::of("parts") }, [operation]))
}
