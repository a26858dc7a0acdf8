//! What PTX looks like where that decides how fast the machine code is: no results differ by it.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use cornerturn_compiler::{Options, compile};

fn ptx(source: &str) -> String {
    compile(source, "kernel.cu", &Options::default())
        .unwrap()
        .ptx
}

#[test]
fn the_assembler_leaves_loops_as_the_source_wants_them() {
    let unrolled = |pragma: &str| {
        ptx(&format!(
            "extern \"C\" __global__ void sum(const float* x, float* y, unsigned n) {{
                 float all = 0;
                 {pragma}
                 for (unsigned i = 0; i < n; ++i) all += x[i];
                 *y = all;
             }}"
        ))
    };
    let told = |text: &str| text.matches(".pragma \"nounroll\"").count();
    assert_eq!(told(&unrolled("#pragma unroll 1")), 1);
    assert_eq!(
        told(&unrolled("#pragma unroll 8")),
        2,
        "the loop, and what it leaves over"
    );
    assert_eq!(told(&unrolled("")), 1, "what the loop leaves over");
}

#[test]
fn what_asm_changes_stays_in_its_register() {
    let text = ptx(
        "extern \"C\" __global__ void change(const float* x, float* y, unsigned n) {
             float a = x[0], b = x[1];
         #pragma unroll 1
             for (unsigned i = 0; i < n; ++i)
                 asm volatile(\"fma.rn.f32 %0, %0, %1, %0;\" : \"+f\"(a), \"+f\"(b));
             y[0] = a;
             y[1] = b;
         }",
    );
    let in_loop = text.split(".pragma").nth(1).unwrap();
    let in_loop = in_loop.split("bra").next().unwrap();
    assert!(!in_loop.contains("mov."), "{text}");
}

#[test]
fn a_loop_over_what_a_block_shares_out_has_no_way_back() {
    let text = ptx(
        "extern \"C\" __global__ void __launch_bounds__(256) copy(const float* x, float* y) {
             for (unsigned e = threadIdx.x; e < 1024; e += 256) y[e] = x[e];
         }",
    );
    assert_eq!(text.matches("ld.global").count(), 4, "{text}");
    assert!(!text.contains("bra"), "{text}");
}

#[test]
fn one_division_gives_quotient_and_remainder() {
    let text = ptx(
        "extern \"C\" __global__ void divide(unsigned* y, unsigned n) {
             y[threadIdx.x % n] = threadIdx.x / n;
         }",
    );
    assert_eq!(text.matches("div.u32").count(), 1, "{text}");
    assert!(!text.contains("rem.u32"), "{text}");
}
