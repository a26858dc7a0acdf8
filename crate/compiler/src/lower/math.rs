//! Functions of the mathematics library that are several instructions: the same ones, in the same order, as NVRTC makes of
//! them, so that results are the same to the bit. Those that branch or end with a product (`sinf`, `logf`, `expf` …) are not here.

/// Name, types as in the table of functions, PTX.
#[rustfmt::skip]
pub(super) const MATH: [(&str, &str, &str); 4] = [
    ("tanhf", "ff", "{ .reg .f32 v<23>; .reg .pred q<3>; abs.f32 v2, %1; mul.f32 v3, v2, 0f4038AA3B; ex2.approx.ftz.f32 v4, v3; add.f32 v5, v4, 0f3F800000; rcp.approx.ftz.f32 v7, v5; fma.rn.f32 v9, v7, 0fC0000000, 0f3F800000; setp.ge.f32 q1, v2, 0f41102CB4; selp.f32 v10, 0f3F800000, v9, q1; copysign.f32 v11, %1, v10; mul.f32 v12, %1, %1; fma.rn.f32 v15, 0f3C80F082, v12, 0fBD563CAE; fma.rn.f32 v17, v15, v12, 0f3E085941; fma.rn.f32 v19, v17, v12, 0fBEAAA9ED; fma.rn.f32 v21, v19, v12, 0f00000000; fma.rn.f32 v22, v21, %1, %1; setp.ge.f32 q2, v2, 0f3F19999A; selp.f32 %0, v11, v22, q2; }"),
    ("roundf", "ff", "{ .reg .f32 v<5>; copysign.f32 v3, %1, 0f3F000000; add.rz.f32 v4, %1, v3; cvt.rzi.f32.f32 %0, v4; }"),
    ("__powf", "fff", "{ .reg .f32 v<5>; lg2.approx.f32 v3, %1; mul.f32 v4, %2, v3; ex2.approx.f32 %0, v4; }"),
    ("copysignf", "fff", "{ copysign.f32 %0, %2, %1; }"),
];
