//! PTX ISA chapter "Half Precision Floating-Point Instructions".

use crate::operations::drive::computes;
use crate::operations::half::{add, fma, greatest, least, mul, packed, sub};
use crate::operations::rounding::add_to_odd;
use crate::program::floats::{BF16, F16, Format, Modes, Rounding};

/// The formats in the order that `f16x2` multiplies: each half by its own.
fn fma_packed(format: Format, a: u32, b: u32, c: u32) -> u32 {
    let low = fma(format, a as u16, b as u16, c as u16);
    let high = fma(format, (a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16);
    u32::from(low) | u32::from(high) << 16
}

computes!(one ADD_F16, binary, (u16, u16) => u16, |a, b| add(F16, a, b));
computes!(one SUB_F16, binary, (u16, u16) => u16, |a, b| sub(F16, a, b));
computes!(one MUL_F16, binary, (u16, u16) => u16, |a, b| mul(F16, a, b));
computes!(one FMA_F16, ternary, (u16, u16, u16) => u16, |a, b, c| fma(F16, a, b, c));
computes!(one MIN_F16, binary, (u16, u16) => u16, |a, b| least(F16, a, b));
computes!(one MAX_F16, binary, (u16, u16) => u16, |a, b| greatest(F16, a, b));
computes!(NEG_F16, unary, (u16) => u16, |a| F16.canonical(a ^ 0x8000));
computes!(ABS_F16, unary, (u16) => u16, |a| F16.canonical(a & 0x7fff));
computes!(NEG_F16X2, unary, (u32) => u32, |a| packed(a, 0, |a, _| F16.canonical(a ^ 0x8000)));
computes!(ABS_F16X2, unary, (u32) => u32, |a| packed(a, 0, |a, _| F16.canonical(a & 0x7fff)));
computes!(one ADD_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| add(F16, a, b)));
computes!(one SUB_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| sub(F16, a, b)));
computes!(one MUL_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| mul(F16, a, b)));
computes!(one FMA_F16X2, ternary, (u32, u32, u32) => u32, |a, b, c| fma_packed(F16, a, b, c));
computes!(one MIN_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| least(F16, a, b)));
computes!(one MAX_F16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| greatest(F16, a, b)));

computes!(NEG_BF16, unary, (u16) => u16, |a| BF16.canonical(a ^ 0x8000));
computes!(ABS_BF16, unary, (u16) => u16, |a| BF16.canonical(a & 0x7fff));
computes!(NEG_BF16X2, unary, (u32) => u32, |a| packed(a, 0, |a, _| BF16.canonical(a ^ 0x8000)));
computes!(ABS_BF16X2, unary, (u32) => u32, |a| packed(a, 0, |a, _| BF16.canonical(a & 0x7fff)));
computes!(one ADD_BF16, binary, (u16, u16) => u16, |a, b| add(BF16, a, b));
computes!(one SUB_BF16, binary, (u16, u16) => u16, |a, b| sub(BF16, a, b));
computes!(one MUL_BF16, binary, (u16, u16) => u16, |a, b| mul(BF16, a, b));
computes!(one FMA_BF16, ternary, (u16, u16, u16) => u16, |a, b, c| fma(BF16, a, b, c));
computes!(one MIN_BF16, binary, (u16, u16) => u16, |a, b| least(BF16, a, b));
computes!(one MAX_BF16, binary, (u16, u16) => u16, |a, b| greatest(BF16, a, b));
computes!(one ADD_BF16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| add(BF16, a, b)));
computes!(one SUB_BF16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| sub(BF16, a, b)));
computes!(one MUL_BF16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| mul(BF16, a, b)));
computes!(one FMA_BF16X2, ternary, (u32, u32, u32) => u32, |a, b, c| fma_packed(BF16, a, b, c));
computes!(one MIN_BF16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| least(BF16, a, b)));
computes!(one MAX_BF16X2, binary, (u32, u32) => u32, |a, b| packed(a, b, |a, b| greatest(BF16, a, b)));

// The same with modifiers: each is one function of a format, for one number and for two in a word.
macro_rules! with_modes {
    ($($single:ident, $pair:ident, $format:ident, ($($arg:ident),*), $driver:ident, $f:ident;)*) => {$(
        computes!(one $single, $driver, ($(with_modes!(@ u16 $arg)),*) => u16, |modes: Modes, $($arg: u16),*| {
            $f($format, modes, $($arg),*)
        });
        computes!(one $pair, $driver, ($(with_modes!(@ u32 $arg)),*) => u32, |modes: Modes, $($arg: u32),*| {
            let low = $f($format, modes, $($arg as u16),*);
            let high = $f($format, modes, $(($arg >> 16) as u16),*);
            u32::from(low) | u32::from(high) << 16
        });
    )*};
    (@ $ty:ident $arg:ident) => { $ty };
}

with_modes! {
    ADD_MODES_F16, ADD_MODES_F16X2, F16, (a, b), binary_modes, add_modes;
    SUB_MODES_F16, SUB_MODES_F16X2, F16, (a, b), binary_modes, sub_modes;
    MUL_MODES_F16, MUL_MODES_F16X2, F16, (a, b), binary_modes, mul_modes;
    FMA_MODES_F16, FMA_MODES_F16X2, F16, (a, b, c), ternary_modes, fma_modes;
    FMA_MODES_BF16, FMA_MODES_BF16X2, BF16, (a, b, c), ternary_modes, fma_modes;
    MIN_MODES_F16, MIN_MODES_F16X2, F16, (a, b), binary_modes, min_modes;
    MIN_MODES_BF16, MIN_MODES_BF16X2, BF16, (a, b), binary_modes, min_modes;
    MAX_MODES_F16, MAX_MODES_F16X2, F16, (a, b), binary_modes, max_modes;
    MAX_MODES_BF16, MAX_MODES_BF16X2, BF16, (a, b), binary_modes, max_modes;
    FLUSH_F16, FLUSH_F16X2, F16, (a), unary_modes, flush;
    NEG_FTZ_F16, NEG_FTZ_F16X2, F16, (a), unary_modes, negative;
    ABS_FTZ_F16, ABS_FTZ_F16X2, F16, (a), unary_modes, absolute;
}

fn add_modes(format: Format, modes: Modes, a: u16, b: u16) -> u16 {
    format.result(modes, format.input(modes, a) + format.input(modes, b))
}

fn sub_modes(format: Format, modes: Modes, a: u16, b: u16) -> u16 {
    format.result(modes, format.input(modes, a) - format.input(modes, b))
}

fn mul_modes(format: Format, modes: Modes, a: u16, b: u16) -> u16 {
    format.result(modes, format.input(modes, a) * format.input(modes, b))
}

fn fma_modes(format: Format, modes: Modes, a: u16, b: u16, c: u16) -> u16 {
    let product = format.input(modes, a) * format.input(modes, b);
    format.result(modes, add_to_odd(product, format.input(modes, c)))
}

fn min_modes(format: Format, modes: Modes, a: u16, b: u16) -> u16 {
    chosen(format, modes, a, b, least)
}

fn max_modes(format: Format, modes: Modes, a: u16, b: u16) -> u16 {
    chosen(format, modes, a, b, greatest)
}

/// `min` and `max` with `.ftz`, `.NaN` and `.xorsign.abs`.
fn chosen(
    format: Format,
    modes: Modes,
    a: u16,
    b: u16,
    choose: impl Fn(Format, u16, u16) -> u16,
) -> u16 {
    let (a, b) = (format.flushed(modes, a), format.flushed(modes, b));
    let nan = |bits: u16| format.widen(bits).is_nan();
    if (nan(a) && nan(b)) || (modes.has(Modes::NAN) && (nan(a) || nan(b))) {
        return format.nan;
    }
    if !modes.has(Modes::XOR_SIGN) {
        return choose(format, a, b);
    }
    choose(format, a & 0x7fff, b & 0x7fff) & 0x7fff | (a ^ b) & 0x8000
}

fn flush(format: Format, _modes: Modes, a: u16) -> u16 {
    format.flushed(Modes::new(Rounding::Nearest, true, false), a)
}

fn negative(format: Format, modes: Modes, a: u16) -> u16 {
    format.canonical(format.flushed(modes, a) ^ 0x8000)
}

fn absolute(format: Format, modes: Modes, a: u16) -> u16 {
    format.canonical(format.flushed(modes, a) & 0x7fff)
}
