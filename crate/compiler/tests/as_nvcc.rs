//! What nvcc and NVRTC do in the same way: macros of a place, the lines of conditions, loads that are not kept, headers in any order.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use cornerturn_compiler::{Options, compile};

fn ptx(source: &str) -> String {
    let options = Options {
        arch: "compute_90".to_string(),
        ..Options::default()
    };
    let compiled = compile(source, "k.cu", &options);
    compiled
        .unwrap_or_else(|error| panic!("{error}\n{source}"))
        .ptx
}

/// The texts of a module, such as the formats of its `printf`.
fn texts(ptx: &str) -> Vec<String> {
    let texts = ptx.lines().filter(|line| line.contains("$text"));
    let bytes = texts.filter_map(|line| Some(line.split_once('{')?.1.split_once('}')?.0));
    let text = |list: &str| {
        let bytes = list.split(", ").filter_map(|byte| byte.parse().ok());
        String::from_utf8(bytes.collect()).unwrap()
    };
    bytes.map(text).collect()
}

#[test]
fn macros_of_a_place_say_where_they_are_used() {
    let source =
        "#define HERE printf(\"%s:%d in %s, %s\\n\", __FILE__, __LINE__, __func__, __BASE_FILE__)
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
#if defined(__LINE__) && defined(__COUNTER__) && defined(__NVCC__) && __LINE__ == 4
__device__ void inner() { printf(__FILE__ \":\" TEXT(__LINE__)); }
#endif
extern \"C\" __global__ void k(int* x)
{
    HERE;
    x[0] = __COUNTER__ + 10 * __COUNTER__ + 100 * __COUNTER__ + 1000 *
        __LINE__;
    inner();
}";
    let made = ptx(source);
    let texts = texts(&made);
    for text in ["k.cu", "k", "k.cu:5"] {
        assert!(texts.iter().any(|known| known == text), "{text}: {texts:?}");
    }
    assert!(made.contains(&(10 + 200 + 11_000).to_string()), "{made}");
}

#[test]
fn an_assertion_names_its_file() {
    let made = ptx("extern \"C\" __global__ void k(int* x) { assert(x[0] > 0); }");
    assert_eq!(texts(&made), ["x[0] > 0", "k.cu", "k"]);
}

#[test]
fn the_condition_of_do_has_its_own_line() {
    let made = ptx("extern \"C\" __global__ void k(volatile float* x, int n)
{
    int k = 0;
    do {
        x[k] += 1;
    } while (
        ++k < n);
}");
    assert!(made.contains(".loc\t1 7 9\n"), "{made}");
}

/// NVRTC loads again behind each of these, what another lane may have stored before.
#[test]
fn nothing_that_was_loaded_is_kept_across_what_lanes_do_together() {
    for call in [
        "__shfl_sync(~0u, a, 0)",
        "__shfl_xor_sync(~0u, (double)a, 1)",
        "__match_any_sync(~0u, a)",
        "__ballot_sync(~0u, a > 3)",
        "__any_sync(~0u, a > 3)",
        "__all_sync(~0u, a > 3)",
        "__activemask()",
    ] {
        let made = ptx(&format!(
            "extern \"C\" __global__ void k(const unsigned* x, unsigned* y)
{{
    const unsigned a = x[threadIdx.x];
    const unsigned b = {call};
    y[threadIdx.x] = a + b + x[threadIdx.x];
}}"
        ));
        assert_eq!(made.matches("ld.global.u32").count(), 2, "{call}: {made}");
        // What nobody writes is loaded once.
        let made = ptx(&format!(
            "extern \"C\" __global__ void k(const unsigned* __restrict__ x, unsigned* __restrict__ y)
{{
    const unsigned a = x[threadIdx.x];
    const unsigned b = {call};
    y[threadIdx.x] = a + b + x[threadIdx.x];
}}"
        ));
        assert_eq!(
            made.matches("ld.global.nc.u32").count(),
            1,
            "{call}: {made}"
        );
    }
}

#[test]
fn a_kernel_needs_no_c_name() {
    let compiled = compile(
        "__global__ void k(float* x) { x[0] = 1; }",
        "k.cu",
        &Options::default(),
    );
    assert_eq!(compiled.unwrap().warnings, "");
}

const HEADERS: [&str; 33] = [
    "cuComplex.h",
    "math_constants.h",
    "cuda_pipeline.h",
    "cuda_pipeline_primitives.h",
    "cuda/std/cstdint",
    "cuda/std/cmath",
    "cuda/std/array",
    "cuda/std/bit",
    "cuda/std/complex",
    "cuda/std/functional",
    "cuda/std/limits",
    "cuda/std/optional",
    "cuda/std/span",
    "cuda/std/tuple",
    "cuda/std/type_traits",
    "cuda/std/utility",
    "cuda/atomic",
    "cuda/std/atomic",
    "cuda/pipeline",
    "cuda/ptx",
    "cuda.h",
    "cuda/barrier",
    "cuda_fp16.h",
    "cuda_bf16.h",
    "cooperative_groups.h",
    "cooperative_groups/reduce.h",
    "cooperative_groups/scan.h",
    "cooperative_groups/memcpy_async.h",
    "cuda_fp8.h",
    "mma.h",
    "complex",
    "type_traits",
    "cstdio",
];

/// Whatever is included before it.
#[test]
fn any_two_headers_compile_together() {
    for first in HEADERS {
        for second in HEADERS {
            let source = format!(
                "#include <{first}>\n#include <{second}>\nextern \"C\" __global__ void k(float* x) {{ x[0] = sqrtf(x[1]); }}"
            );
            ptx(&source);
        }
    }
}

#[test]
fn matrices_and_sums_of_tiles_compile_in_either_order() {
    let headers = [
        "#include <mma.h>\n",
        "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n",
    ];
    let kernel = "namespace cg = cooperative_groups;
extern \"C\" __global__ void k(const half* a, float* y)
{
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> f;
    nvcuda::wmma::fill_fragment(f, 0.0f);
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    y[threadIdx.x] = cg::reduce(tile, y[threadIdx.x], cg::plus<float>()) + f.x[0];
}";
    ptx(&format!("{}{}{kernel}", headers[0], headers[1]));
    ptx(&format!("{}{}{kernel}", headers[1], headers[0]));
}
