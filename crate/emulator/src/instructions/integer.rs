//! PTX ISA chapter "Integer Arithmetic Instructions".

use crate::operations::drive::computes;

computes!(ADD_16, binary, (u16, u16) => u16, |a, b| a.wrapping_add(b));
computes!(ADD_SAT_S32, binary, (i32, i32) => i32, |a, b| a.saturating_add(b));
computes!(ADD_16X2, binary, (u32, u32) => u32, |a, b| pairwise(a, b, u16::wrapping_add));

computes!(SUB_16, binary, (u16, u16) => u16, |a, b| a.wrapping_sub(b));
computes!(SUB_32, binary by SUM, (u32, u32) => u32, |a, b| a.wrapping_sub(b));
computes!(SUB_64, binary by SUM, (u64, u64) => u64, |a, b| a.wrapping_sub(b));
computes!(SUB_SAT_S32, binary, (i32, i32) => i32, |a, b| a.saturating_sub(b));

computes!(MUL_LO_16, binary, (u16, u16) => u16, |a, b| a.wrapping_mul(b));
computes!(MUL_LO_32, binary by PRODUCT, (u32, u32) => u32, |a, b| a.wrapping_mul(b));
computes!(MUL_LO_64, binary by PRODUCT, (u64, u64) => u64, |a, b| a.wrapping_mul(b));
computes!(MUL_HI_U16, binary, (u16, u16) => u16, |a, b| ((u32::from(a) * u32::from(b)) >> 16) as u16);
computes!(MUL_HI_S16, binary, (i16, i16) => i16, |a, b| (i32::from(a).wrapping_mul(i32::from(b)) >> 16) as i16);
computes!(MUL_HI_U32, binary, (u32, u32) => u32, high_u32);
computes!(MUL_HI_S32, binary, (i32, i32) => i32, high_s32);
computes!(MUL_HI_U64, binary, (u64, u64) => u64, high_u64);
computes!(MUL_HI_S64, binary, (i64, i64) => i64, high_s64);
computes!(MUL_WIDE_U16, binary, (u16, u16) => u32, |a, b| u32::from(a).wrapping_mul(u32::from(b)));
computes!(MUL_WIDE_S16, binary, (i16, i16) => i32, |a, b| i32::from(a).wrapping_mul(i32::from(b)));
computes!(MUL_WIDE_U32, binary by WIDE_PRODUCT, (u32, u32) => u64, |a, b| u64::from(a).wrapping_mul(u64::from(b)));
computes!(MUL_WIDE_S32, binary by WIDE_PRODUCT, (i32, i32) => i64, |a, b| i64::from(a).wrapping_mul(i64::from(b)));
computes!(MAD_LO_16, ternary, (u16, u16, u16) => u16, |a, b, c| a.wrapping_mul(b).wrapping_add(c));
computes!(MAD_LO_32, ternary by PRODUCT, (u32, u32, u32) => u32, |a, b, c| a.wrapping_mul(b).wrapping_add(c));
computes!(MAD_HI_U32, ternary, (u32, u32, u32) => u32, |a, b, c| high_u32(a, b).wrapping_add(c));
computes!(MAD_HI_S32, ternary, (i32, i32, i32) => i32, |a, b, c| high_s32(a, b).wrapping_add(c));
computes!(MAD_HI_SAT_S32, ternary, (i32, i32, i32) => i32, |a, b, c| high_s32(a, b).saturating_add(c));
computes!(MAD_HI_U64, ternary, (u64, u64, u64) => u64, |a, b, c| high_u64(a, b).wrapping_add(c));
computes!(MAD_HI_S64, ternary, (i64, i64, i64) => i64, |a, b, c| high_s64(a, b).wrapping_add(c));
computes!(MAD_WIDE_U16, ternary, (u16, u16, u32) => u32, |a, b, c| {
    u32::from(a).wrapping_mul(u32::from(b)).wrapping_add(c)
});

computes!(MAD_WIDE_S16, ternary, (i16, i16, i32) => i32, |a, b, c| {
    i32::from(a).wrapping_mul(i32::from(b)).wrapping_add(c)
});

computes!(MAD_WIDE_U32, ternary by WIDE_PRODUCT, (u32, u32, u64) => u64, |a, b, c| {
    u64::from(a).wrapping_mul(u64::from(b)).wrapping_add(c)
});

computes!(MAD_WIDE_S32, ternary by WIDE_PRODUCT, (i32, i32, i64) => i64, |a, b, c| {
    i64::from(a).wrapping_mul(i64::from(b)).wrapping_add(c)
});

computes!(MUL24_LO_U32, binary, (u32, u32) => u32, |a, b| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff));
computes!(MUL24_LO_S32, binary, (i32, i32) => i32, |a, b| low24(a).wrapping_mul(low24(b)));
computes!(MAD24_LO_U32, ternary, (u32, u32, u32) => u32, |a, b, c| {
    (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff).wrapping_add(c)
});

computes!(MAD24_LO_S32, ternary, (i32, i32, i32) => i32, |a, b, c| low24(a).wrapping_mul(low24(b)).wrapping_add(c));

// Division by zero gives an unspecified value; NVIDIA's hardware gives all ones, also as remainder
// (measured on an H200).
computes!(one DIV_U16, binary, (u16, u16) => u16, |a, b| a.checked_div(b).unwrap_or(u16::MAX));
computes!(one DIV_S16, binary, (i16, i16) => i16, |a, b| if b == 0 { -1 } else { a.wrapping_div(b) });
computes!(one DIV_U32, binary, (u32, u32) => u32, |a, b| a.checked_div(b).unwrap_or(u32::MAX));
computes!(one DIV_S32, binary, (i32, i32) => i32, |a, b| if b == 0 { -1 } else { a.wrapping_div(b) });
computes!(one DIV_U64, binary, (u64, u64) => u64, |a, b| a.checked_div(b).unwrap_or(u64::MAX));
computes!(one DIV_S64, binary, (i64, i64) => i64, |a, b| if b == 0 { -1 } else { a.wrapping_div(b) });
computes!(one REM_U16, binary, (u16, u16) => u16, |a, b| a.checked_rem(b).unwrap_or(u16::MAX));
computes!(one REM_S16, binary, (i16, i16) => i16, |a, b| if b == 0 { -1 } else { a.wrapping_rem(b) });
computes!(one REM_U32, binary, (u32, u32) => u32, |a, b| a.checked_rem(b).unwrap_or(u32::MAX));
computes!(one REM_S32, binary, (i32, i32) => i32, |a, b| if b == 0 { -1 } else { a.wrapping_rem(b) });
computes!(one REM_U64, binary, (u64, u64) => u64, |a, b| a.checked_rem(b).unwrap_or(u64::MAX));
computes!(one REM_S64, binary, (i64, i64) => i64, |a, b| if b == 0 { -1 } else { a.wrapping_rem(b) });

computes!(ABS_S16, unary, (i16) => i16, |a| a.wrapping_abs());
computes!(ABS_S32, unary, (i32) => i32, |a| a.wrapping_abs());
computes!(ABS_S64, unary, (i64) => i64, |a| a.wrapping_abs());
computes!(NEG_S16, unary, (i16) => i16, |a| a.wrapping_neg());
computes!(NEG_S32, unary by SUM, (i32) => i32, |a| a.wrapping_neg());
computes!(NEG_S64, unary by SUM, (i64) => i64, |a| a.wrapping_neg());

computes!(MIN_U16, binary, (u16, u16) => u16, |a, b| a.min(b));
computes!(MIN_S16, binary, (i16, i16) => i16, |a, b| a.min(b));
computes!(MIN_U32, binary, (u32, u32) => u32, |a, b| a.min(b));
computes!(MIN_S32, binary, (i32, i32) => i32, |a, b| a.min(b));
computes!(MIN_U64, binary, (u64, u64) => u64, |a, b| a.min(b));
computes!(MIN_S64, binary, (i64, i64) => i64, |a, b| a.min(b));
computes!(MAX_U16, binary, (u16, u16) => u16, |a, b| a.max(b));
computes!(MAX_S16, binary, (i16, i16) => i16, |a, b| a.max(b));
computes!(MAX_U32, binary, (u32, u32) => u32, |a, b| a.max(b));
computes!(MAX_S32, binary, (i32, i32) => i32, |a, b| a.max(b));
computes!(MAX_U64, binary, (u64, u64) => u64, |a, b| a.max(b));
computes!(MAX_S64, binary, (i64, i64) => i64, |a, b| a.max(b));

computes!(SAD_U16, ternary, (u16, u16, u16) => u16, |a, b, c| c.wrapping_add(a.abs_diff(b)));
computes!(SAD_S16, ternary, (i16, i16, i16) => i16, |a, b, c| c.wrapping_add(a.abs_diff(b) as i16));
computes!(SAD_U32, ternary, (u32, u32, u32) => u32, |a, b, c| c.wrapping_add(a.abs_diff(b)));
computes!(SAD_S32, ternary, (i32, i32, i32) => i32, |a, b, c| c.wrapping_add(a.abs_diff(b) as i32));
computes!(SAD_U64, ternary, (u64, u64, u64) => u64, |a, b, c| c.wrapping_add(a.abs_diff(b)));
computes!(SAD_S64, ternary, (i64, i64, i64) => i64, |a, b, c| c.wrapping_add(a.abs_diff(b) as i64));

computes!(POPC_32, unary, (u32) => u32, |a| a.count_ones());
computes!(POPC_64, unary, (u64) => u32, |a| a.count_ones());
computes!(CLZ_32, unary, (u32) => u32, |a| a.leading_zeros());
computes!(CLZ_64, unary, (u64) => u32, |a| a.leading_zeros());
computes!(BREV_32, unary, (u32) => u32, |a| a.reverse_bits());
computes!(BREV_64, unary, (u64) => u64, |a| a.reverse_bits());

computes!(BFIND_U32, unary, (u32) => u32, |a| highest(u64::from(a)));
computes!(BFIND_U64, unary, (u64) => u32, |a| highest(a));
// The highest bit that is not a copy of the sign.
computes!(BFIND_S32, unary, (i32) => u32, |a| highest(u64::from((a ^ (a >> 31)) as u32)));
computes!(BFIND_S64, unary, (i64) => u32, |a| highest((a ^ (a >> 63)) as u64));
computes!(BFIND_SHIFTAMT_U32, unary, (u32) => u32, |a| shift_amount(highest(u64::from(a)), 31));
computes!(BFIND_SHIFTAMT_U64, unary, (u64) => u32, |a| shift_amount(highest(a), 63));
computes!(BFIND_SHIFTAMT_S32, unary, (i32) => u32, |a| shift_amount(highest(u64::from((a ^ (a >> 31)) as u32)), 31));
computes!(BFIND_SHIFTAMT_S64, unary, (i64) => u32, |a| shift_amount(highest((a ^ (a >> 63)) as u64), 63));

computes!(BFE_U32, ternary by PICK, (u32, u32, u32) => u32, |a, at, length| {
    extract(u64::from(a), low_byte(at), low_byte(length)) as u32
});

computes!(BFE_U64, ternary by PICK, (u64, u32, u32) => u64, |a, at, length| extract(a, at, length));
computes!(BFE_S32, ternary by PICK, (u32, u32, u32) => u32, |a, at, length| {
    extract_signed(u64::from(a), low_byte(at), low_byte(length), 31) as u32
});

computes!(BFE_S64, ternary by PICK, (u64, u32, u32) => u64, |a, at, length| extract_signed(a, at, length, 63));
computes!(one BFI_32, quaternary, (u32, u32, u32, u32) => u32, |a, b, at, length| {
    insert(u64::from(a), u64::from(b), low_byte(at), low_byte(length)) as u32
});

computes!(one BFI_64, quaternary, (u64, u64, u32, u32) => u64, |a, b, at, length| insert(a, b, at, length));
computes!(DP4A_U32_U32, ternary, (u32, u32, u32) => u32, |a, b, c| dot(a, b, c, 4, false, false));
computes!(DP4A_U32_S32, ternary, (u32, u32, u32) => u32, |a, b, c| dot(a, b, c, 4, false, true));
computes!(DP4A_S32_U32, ternary, (u32, u32, u32) => u32, |a, b, c| dot(a, b, c, 4, true, false));
computes!(DP4A_S32_S32, ternary, (u32, u32, u32) => u32, |a, b, c| dot(a, b, c, 4, true, true));
computes!(DP2A_LO_U32_U32, ternary, (u32, u32, u32) => u32, |a, b, c| dot_halves(a, b, c, false, false));
computes!(DP2A_LO_U32_S32, ternary, (u32, u32, u32) => u32, |a, b, c| dot_halves(a, b, c, false, true));
computes!(DP2A_LO_S32_U32, ternary, (u32, u32, u32) => u32, |a, b, c| dot_halves(a, b, c, true, false));
computes!(DP2A_LO_S32_S32, ternary, (u32, u32, u32) => u32, |a, b, c| dot_halves(a, b, c, true, true));
computes!(DP2A_HI_U32_U32, ternary, (u32, u32, u32) => u32, |a, b, c| dot_halves(a, b >> 16, c, false, false));
computes!(DP2A_HI_U32_S32, ternary, (u32, u32, u32) => u32, |a, b, c| dot_halves(a, b >> 16, c, false, true));
computes!(DP2A_HI_S32_U32, ternary, (u32, u32, u32) => u32, |a, b, c| dot_halves(a, b >> 16, c, true, false));
computes!(DP2A_HI_S32_S32, ternary, (u32, u32, u32) => u32, |a, b, c| dot_halves(a, b >> 16, c, true, true));
computes!(MAD_HI_U16, ternary, (u16, u16, u16) => u16, |a, b, c| {
    ((u32::from(a) * u32::from(b)) >> 16).wrapping_add(u32::from(c)) as u16
});

computes!(MAD_HI_S16, ternary, (i16, i16, i16) => i16, |a, b, c| {
    ((i32::from(a).wrapping_mul(i32::from(b)) >> 16) as i16).wrapping_add(c)
});

computes!(MUL24_HI_U32, binary, (u32, u32) => u32, |a, b| high24_u32(a, b));
computes!(MUL24_HI_S32, binary, (i32, i32) => i32, |a, b| high24_s32(a, b));
computes!(MAD24_HI_U32, ternary, (u32, u32, u32) => u32, |a, b, c| high24_u32(a, b).wrapping_add(c));
computes!(MAD24_HI_S32, ternary, (i32, i32, i32) => i32, |a, b, c| high24_s32(a, b).wrapping_add(c));
computes!(MAD24_HI_SAT_S32, ternary, (i32, i32, i32) => i32, |a, b, c| high24_s32(a, b).saturating_add(c));
computes!(MIN_U16X2, binary, (u32, u32) => u32, |a, b| pairwise(a, b, u16::min));
computes!(MAX_U16X2, binary, (u32, u32) => u32, |a, b| pairwise(a, b, u16::max));
computes!(MIN_S16X2, binary, (u32, u32) => u32, |a, b| pairwise_signed(a, b, i16::min));
computes!(MAX_S16X2, binary, (u32, u32) => u32, |a, b| pairwise_signed(a, b, i16::max));
computes!(MIN_RELU_S16X2, binary, (u32, u32) => u32, |a, b| pairwise_signed(a, b, |a, b| a.min(b).max(0)));
computes!(MAX_RELU_S16X2, binary, (u32, u32) => u32, |a, b| pairwise_signed(a, b, |a, b| a.max(b).max(0)));
computes!(MIN_RELU_S32, binary, (i32, i32) => i32, |a, b| a.min(b).max(0));
computes!(MAX_RELU_S32, binary, (i32, i32) => i32, |a, b| a.max(b).max(0));
computes!(BMSK_CLAMP, binary, (u32, u32) => u32, |at, length| ones_from(at.min(32), length.min(32)));
computes!(BMSK_WRAP, binary, (u32, u32) => u32, |at, length| ones_from(at & 31, length & 31));
computes!(SZEXT_CLAMP_U32, binary, (u32, u32) => u32, |a, bits| zero_extended(a, bits.min(32)));
computes!(SZEXT_WRAP_U32, binary, (u32, u32) => u32, |a, bits| zero_extended(a, bits & 31));
computes!(SZEXT_CLAMP_S32, binary, (u32, u32) => u32, |a, bits| sign_extended(a, bits.min(32)));
computes!(SZEXT_WRAP_S32, binary, (u32, u32) => u32, |a, bits| sign_extended(a, bits & 31));
computes!(one FNS, ternary, (u32, u32, i32) => u32, |mask, base, offset| nth_set(mask, base, offset));

#[inline(always)]
fn dot_halves(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    (0..2).fold(c, |sum, at| {
        let (half, byte) = ((a >> (16 * at)) as u16, (b >> (8 * at)) as u8);
        let half = if a_signed {
            i32::from(half as i16)
        } else {
            i32::from(half)
        };
        let byte = if b_signed {
            i32::from(byte as i8)
        } else {
            i32::from(byte)
        };
        sum.wrapping_add(half.wrapping_mul(byte) as u32)
    })
}

/// Bits 16 to 47 of the product.
#[inline(always)]
fn high24_u32(a: u32, b: u32) -> u32 {
    (u64::from(a & 0xff_ffff).wrapping_mul(u64::from(b & 0xff_ffff)) >> 16) as u32
}

#[inline(always)]
fn high24_s32(a: i32, b: i32) -> i32 {
    (i64::from(low24(a)).wrapping_mul(i64::from(low24(b))) >> 16) as i32
}

#[inline(always)]
fn pairwise_signed(a: u32, b: u32, f: impl Fn(i16, i16) -> i16) -> u32 {
    pairwise(a, b, |a, b| f(a as i16, b as i16) as u16)
}

#[inline(always)]
fn ones_from(at: u32, length: u32) -> u32 {
    let ones = (1u64 << length).wrapping_sub(1);
    (ones << at) as u32
}

#[inline(always)]
fn zero_extended(a: u32, bits: u32) -> u32 {
    (u64::from(a) & (1u64 << bits).wrapping_sub(1)) as u32
}

#[inline(always)]
fn sign_extended(a: u32, bits: u32) -> u32 {
    if bits == 0 {
        return 0;
    }
    let shift = 32 - bits;
    (((a << shift) as i32) >> shift) as u32
}

/// PTX ISA, `fns`: the position of the n-th set bit from `base` upwards, or downwards where `offset` is negative.
fn nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    // What an H200 gives; the manual does not say.
    if offset == i32::MIN {
        return 0;
    }
    if base > 31 {
        return u32::MAX;
    }
    if offset == 0 {
        return if mask >> base & 1 == 1 {
            base
        } else {
            u32::MAX
        };
    }
    let step = offset.signum();
    let mut left = offset.unsigned_abs();
    let mut at = base as i32;
    while (0..32).contains(&at) {
        left -= mask >> at & 1;
        if left == 0 {
            return at as u32;
        }
        at += step;
    }
    u32::MAX
}

#[inline(always)]
fn high_u32(a: u32, b: u32) -> u32 {
    (u64::from(a).wrapping_mul(u64::from(b)) >> 32) as u32
}

#[inline(always)]
fn high_s32(a: i32, b: i32) -> i32 {
    (i64::from(a).wrapping_mul(i64::from(b)) >> 32) as i32
}

#[inline(always)]
fn high_u64(a: u64, b: u64) -> u64 {
    (u128::from(a).wrapping_mul(u128::from(b)) >> 64) as u64
}

#[inline(always)]
fn high_s64(a: i64, b: i64) -> i64 {
    (i128::from(a).wrapping_mul(i128::from(b)) >> 64) as i64
}

#[inline(always)]
fn low24(a: i32) -> i32 {
    (a << 8) >> 8
}

#[inline(always)]
fn pairwise(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | (u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16)
}

/// Position of the highest set bit, all ones if there is none.
#[inline(always)]
fn highest(a: u64) -> u32 {
    63u32.wrapping_sub(a.leading_zeros())
}

#[inline(always)]
fn shift_amount(highest: u32, top: u32) -> u32 {
    if highest == u32::MAX {
        highest
    } else {
        top - highest
    }
}

/// Of 32-bit instructions only the low bytes of position and length count; of 64-bit ones all bits (measured on an H200).
#[inline(always)]
fn low_byte(amount: u32) -> u32 {
    amount & 0xff
}

#[inline(always)]
fn extract(a: u64, at: u32, length: u32) -> u64 {
    let shifted = a.checked_shr(at).unwrap_or(0);
    if length >= 64 {
        shifted
    } else {
        shifted & ((1 << length) - 1)
    }
}

/// Bits past the top are copies of the sign; the sign is the field's highest bit, or the top bit if the
/// field reaches past it.
#[inline(always)]
fn extract_signed(a: u64, at: u32, length: u32, top: u32) -> u64 {
    if length == 0 {
        return 0;
    }
    let sign_at = at.saturating_add(length - 1).min(top);
    let negative = (a >> sign_at) & 1 == 1;
    let held = (top + 1).saturating_sub(at).min(length);
    let field = extract(a, at, held);
    if negative && held < 64 {
        field | (u64::MAX << held)
    } else {
        field
    }
}

/// Inserts the low `length` bits of `a` into `b`.
#[inline(always)]
fn insert(a: u64, b: u64, at: u32, length: u32) -> u64 {
    let ones = if length >= 64 {
        u64::MAX
    } else {
        (1 << length) - 1
    };
    let field = ones.checked_shl(at).unwrap_or(0);
    (b & !field) | (a.checked_shl(at).unwrap_or(0) & field)
}

#[inline(always)]
fn dot(a: u32, b: u32, c: u32, parts: u32, a_signed: bool, b_signed: bool) -> u32 {
    let part = |value: u32, index: u32, signed: bool| {
        let byte = (value >> (8 * index)) as u8;
        if signed {
            i32::from(byte as i8)
        } else {
            i32::from(byte)
        }
    };
    (0..parts).fold(c, |sum, index| {
        sum.wrapping_add(part(a, index, a_signed).wrapping_mul(part(b, index, b_signed)) as u32)
    })
}
