//! Sources that are cut off, deep, endless or senseless: a message or PTX, never a panic, soon.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use cornerturn_compiler::{Options, compile};
use std::time::{Duration, Instant};

/// Far more than any of them takes, in a build with checks, on a machine with other work.
const SOON: Duration = Duration::from_secs(20);

/// In a build with checks a call takes several times what it takes in one without.
const STACK: usize = if cfg!(debug_assertions) {
    16 << 20
} else {
    1 << 20
};

const KERNEL: &str = "extern \"C\" __global__ void k(float* x, unsigned n) { ";

fn kernel(body: &str) -> String {
    format!("{KERNEL}{body} }}")
}

/// Whether the source compiles, told soon.
fn is_compiled(name: &str, source: &str) -> bool {
    let start = Instant::now();
    let result = compile(source, "hostile.cu", &Options::default());
    assert!(start.elapsed() < SOON, "{name} takes {:?}", start.elapsed());
    if let Err(error) = &result {
        assert!(error.to_string().contains("error: "), "{name}: {error}");
    }
    result.is_ok()
}

fn refused(name: &str, source: &str) {
    assert!(!is_compiled(name, source), "{name} compiles");
}

#[test]
fn what_is_too_deep_is_refused() {
    let many = |text: &str| text.repeat(5000);
    refused(
        "brackets",
        &kernel(&format!("x[0] = {}1{};", many("("), many(")"))),
    );
    refused("signs", &kernel(&format!("x[0] = {}1.0f;", many("-"))));
    refused("blocks", &kernel(&format!("{}{}", many("{"), many("}"))));
    refused("sums", &kernel(&format!("x[0] = {}1;", many("1 + "))));
    refused("commas", &kernel(&format!("{}1;", many("n, "))));
    refused(
        "conditions",
        &kernel(&format!("x[0] = {}0;", many("n ? 1 : "))),
    );
    refused("ifs", &kernel(&format!("{}x[0] = 1;", many("if (n) "))));
    refused(
        "elses",
        &kernel(&format!("{}x[0] = 1;", many("if (n) x[0] = 1; else "))),
    );
    refused("casts", &kernel(&format!("x[0] = {}1;", many("(float)"))));
    refused("sizes", &kernel(&format!("x[0] = {}x;", many("sizeof "))));
    refused("pointers", &kernel(&format!("float {}p;", many("*"))));
    refused("arrays", &kernel(&format!("float p{};", many("[2]"))));
    refused(
        "lambdas",
        &kernel(&format!(
            "auto f = {}1;{}",
            many("[=] { return "),
            many("};")
        )),
    );
    refused(
        "lists",
        &kernel(&format!("float a[2] = {}1{};", many("{"), many("}"))),
    );
    refused(
        "indices",
        &kernel(&format!("x[0] = {}0{};", many("x["), many("]"))),
    );
    refused(
        "conditions of directives",
        &format!("#if {}1{}\n#endif\n{}", many("("), many(")"), kernel("")),
    );
    refused("directives", &many("#if 1\n"));
    refused("structs", &many("struct S { "));
    refused(
        "templates",
        &format!(
            "template <typename T> struct S {{ T t; }};\n{}",
            kernel(&format!("{}int{} s;", many("S<"), many(">")))
        ),
    );
}

#[test]
fn what_would_not_end_is_refused() {
    let doubling: String = (0..60)
        .map(|i| format!("#define A{i} A{} A{}\n", i + 1, i + 1))
        .collect();
    refused("macros", &format!("{doubling}{}", kernel("A0;")));
    let calling: String = (0..60)
        .map(|i| format!("#define A{i}(y) A{}(y y)\n", i + 1))
        .collect();
    refused(
        "macros with arguments",
        &format!("{calling}{}", kernel("A0(x);")),
    );
    refused(
        "macros of themselves",
        &format!("#define A A\n#define B C\n#define C B\n{}", kernel("A; B;")),
    );
    refused(
        "macros in macros",
        &format!(
            "#define F(y) y\n{}",
            kernel(&format!(
                "x[0] = {}1{};",
                "F(".repeat(3000),
                ")".repeat(3000)
            ))
        ),
    );
    refused(
        "struct templates",
        &format!(
            "template <unsigned N> struct S {{ S<N + 1> s; }};\n{}",
            kernel("S<0> s;")
        ),
    );
    refused(
        "function templates",
        &format!(
            "template <unsigned N> __device__ unsigned f() {{ return f<N + 1>(); }}\n{}",
            kernel("x[0] = f<0>();")
        ),
    );
    refused(
        "types of types",
        &format!(
            "template <typename T> __device__ int f(T t) {{ T* p = &t; return f(p); }}\n{}",
            kernel("x[0] = f(n);")
        ),
    );
    refused(
        "recursion while compiling",
        &format!(
            "constexpr __device__ int f(int n) {{ return f(n + 1) + f(n + 2); }}\n{}",
            kernel("x[0] = f(0);")
        ),
    );
    refused(
        "recursion that takes long",
        &format!(
            "constexpr __device__ int f(int n) {{ return n < 2 ? n : f(n - 1) + f(n - 2); }}\n{}",
            kernel("x[0] = f(45);")
        ),
    );
    refused(
        "a base of itself",
        &format!("struct S : S {{ int a; }};\n{}", kernel("S s;")),
    );
    refused(
        "bases without end",
        &format!(
            "template <unsigned N> struct S : S<N + 1> {{ }};\n{}",
            kernel("S<0> s;")
        ),
    );
    refused(
        "special cases of each other",
        &format!(
            "template <typename T> struct S {{ S<T*> s; }};\ntemplate <typename T> struct S<T*> {{ S<T**> s; }};\n{}",
            kernel("S<int> s;")
        ),
    );
    is_compiled(
        "calls of operators",
        &format!(
            "struct F {{ __device__ float operator()(float a) const {{ return (*this)(a); }} }};\n{}",
            kernel("F f; x[0] = f(1);")
        ),
    );
    let tree: String = (1..40)
        .map(|i| {
            format!(
                "__device__ float f{i}(float x) {{ return f{}(x) + f{}(x); }}\n",
                i - 1,
                i - 1
            )
        })
        .collect();
    refused(
        "a tree of calls",
        &format!(
            "__device__ float f0(float x) {{ return x; }}\n{tree}{}",
            kernel("x[0] = f39(x[0]);")
        ),
    );
    let chain: String = (1..300)
        .map(|i| {
            format!(
                "__device__ float f{i}(float x) {{ return f{}(x); }}\n",
                i - 1
            )
        })
        .collect();
    refused(
        "a chain of calls",
        &format!(
            "__device__ float f0(float x) {{ return x; }}\n{chain}{}",
            kernel("x[0] = f299(x[0]);")
        ),
    );
    refused(
        "loops unrolled",
        &kernel(
            "\n#pragma unroll\nfor (unsigned i = 0; i < 4000; i++)\n#pragma unroll\nfor (unsigned j = 0; j < 4000; j++) x[i * j] = i;",
        ),
    );
    let nested: String = (0..40)
        .map(|k| format!("for (unsigned i{k} = 0; i{k} < 8; i{k}++) "))
        .collect();
    refused("loops in loops", &kernel(&format!("{nested}x[0] += 1;")));
    assert!(is_compiled(
        "a loop that does not end",
        &kernel("for (;;) {}")
    ));
    assert!(is_compiled(
        "a loop that stays",
        &kernel("\n#pragma unroll\nfor (unsigned i = 0; i < 10; i += 0) x[i] = 1;")
    ));
    assert!(is_compiled(
        "a long loop",
        &kernel("\n#pragma unroll\nfor (unsigned i = 0; i < 4000000000u; i++) x[i] = i;")
    ));
    refused(
        "a struct of itself",
        &format!("struct S {{ S s; }};\n{}", kernel("S s;")),
    );
}

#[test]
fn what_is_too_large_is_refused() {
    refused(
        "an array",
        &kernel("float a[1000000000000]; a[n] = 1; x[0] = a[n];"),
    );
    refused(
        "a product of sizes",
        &kernel("float a[4294967295][4294967295][4294967295]; x[0] = a[0][0][n];"),
    );
    refused("zeros", &kernel("float a[100000] = {}; x[0] = a[n];"));
    refused("statements", &kernel(&"x[0] = x[1];".repeat(40_000)));
    refused("a source", &" ".repeat(2 << 20));
    assert!(is_compiled(
        "values of an enumeration",
        &format!(
            "enum E {{ {} }};\n{}",
            (0..20_000).map(|i| format!("a{i}, ")).collect::<String>(),
            kernel("x[0] = a7;")
        )
    ));
    assert!(is_compiled(
        "kernels",
        &(0..500)
            .map(|i| format!("extern \"C\" __global__ void k{i}(float* x) {{ x[0] = {i}; }}\n"))
            .collect::<String>()
    ));
    assert!(is_compiled(
        "cases",
        &kernel(&format!(
            "switch (n) {{ {} }}",
            (0..500)
                .map(|i| format!("case {i}: x[{i}] = 1; break; "))
                .collect::<String>()
        ))
    ));
}

#[test]
fn many_branches_behind_one_another_compile() {
    let branch = |number: u32| format!("if (n > {number}) sum += x[n * {number}u];\n");
    let branches: String = (0..5000).map(branch).collect();
    let source = kernel(&format!("float sum = 0; {branches} x[0] = sum;"));
    assert!(is_compiled("branches", &source));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let senseless = [
        "}{)(][;;;#@!",
        "#\n#define\n#undef\n#include\n#if\n#endif\n#else\n#pragma\n",
        "\"abc",
        "/* abc",
        "'",
        "\\",
        "#define F(",
        "#if",
        "template <",
        "struct",
        "enum {",
        "asm(",
        "using A = A;",
        "typedef B C;",
        "extern \"C\"",
        "__global__",
        "operator",
        "\u{feff}",
        "\0",
        "template <typename T> using D = D<T>; D<int> d;",
        "template <> struct S;",
        "template <> struct S<int> { };",
        "template <> int f<",
        "template <typename T> struct S<T, ",
        "struct S : { };",
        "struct S : int { };",
        "enum class E : E { a };",
        "enum E : float { a };",
        "constexpr int f(int n) { return n; } int a[f(",
        "namespace",
        "static_assert(",
        "__device__ auto f() {",
        "1 + 1",
        "::",
    ];
    for text in senseless {
        refused(text, text);
        refused(text, &format!("{KERNEL}{text}"));
    }
    for body in [
        "constexpr int a = 1 / 0;",
        "int b[1 / 0];",
        "void v;",
        "x[0] = void();",
        "float a[-1];",
        "float a[0];",
        "goto a;",
        "asm(\"%99 %q\" : \"=r\"(n));",
        "auto q = q;",
        "unsigned v = v();",
        "n();",
        "x.y.z = 1;",
        "*n = 1;",
        "&1;",
        "break;",
        "case 1:;",
        "return 1;",
        "this->x = 1;",
        "x[0] = {1, 2};",
        "int a = {1, 2};",
        "float4 v = {1, 2, 3, 4, 5};",
        "sizeof(void[]);",
        "for (int v : n) {}",
        "for (int v : x) {}",
        "for (int v :",
        "for (: x) {}",
        "assert(",
        "assert();",
        "int a; float a;",
        "float x;",
        "struct S { operator S*() const; }; S s; int* p = s;",
        "__pipeline_wait_prior(n);",
    ] {
        refused(body, &kernel(body));
    }
}

#[test]
fn a_source_cut_off_anywhere_is_told_so() {
    let source = include_str!("pass/templates.cu");
    let bytes: Vec<usize> = source.char_indices().map(|(at, _)| at).step_by(7).collect();
    for at in bytes {
        is_compiled("cut off", &source[..at]);
    }
}

#[test]
fn a_source_with_changed_bytes_never_panics() {
    let sources = [
        include_str!("pass/templates.cu"),
        include_str!("pass/structs.cu"),
        include_str!("pass/memory.cu"),
        include_str!("pass/special_cases.cu"),
        include_str!("pass/inheritance.cu"),
        include_str!("pass/constants.cu"),
        include_str!("pass/operators.cu"),
    ];
    let words = [
        "(", ")", "{", "}", "<", ">", ";", "::", "&", "*", "[", "]", "template", "0", "x", "-",
        "struct", "=", "\"", "#", "return", "const",
    ];
    let mut state = 12345_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for _ in 0..600 {
        let source = sources[random(sources.len())];
        let mut changed = source.as_bytes().to_vec();
        for _ in 0..=random(4) {
            let at = random(changed.len());
            match random(3) {
                0 => drop(changed.drain(at..(at + random(20)).min(changed.len()))),
                1 => drop(changed.splice(at..at, words[random(words.len())].bytes())),
                _ => {
                    let from = random(changed.len());
                    let piece: Vec<u8> =
                        changed[from..(from + random(30)).min(changed.len())].to_vec();
                    drop(changed.splice(at..at, piece));
                }
            }
        }
        is_compiled("changed", &String::from_utf8_lossy(&changed));
    }
}

#[test]
fn a_small_stack_is_enough() {
    // As large as that of a page's worker may be.
    let run = || {
        what_is_too_deep_is_refused();
        what_would_not_end_is_refused();
    };
    let thread = std::thread::Builder::new().stack_size(STACK);
    thread.spawn(run).unwrap().join().unwrap();
}
