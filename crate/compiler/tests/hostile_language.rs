//! The same as in `hostile`, of packs, jumps, members of some bits and what is run while compiling.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use cornerturn_compiler::{Options, compile};
use std::time::{Duration, Instant};

/// Far more than any of them takes, in a build with checks, on a machine with other work.
const SOON: Duration = Duration::from_secs(20);

fn kernel(before: &str, body: &str) -> String {
    format!("{before}\nextern \"C\" __global__ void k(int* x, unsigned n) {{ {body} }}")
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

fn refused(name: &str, before: &str, body: &str) {
    assert!(!is_compiled(name, &kernel(before, body)), "{name} compiles");
}

#[test]
fn packs_without_end_are_refused() {
    let endless = "template <int N, int... I> struct Make : Make<N - 1, N - 1, I...> { };";
    refused("endless packs", endless, "Make<4> m; x[0] = sizeof(m);");
    let growing = "template <typename... T> __device__ int f(T... v) { return f(1, v...); }";
    refused("growing calls", growing, "x[0] = f(1);");
    let doubling = "template <typename... T> __device__ int f(T... v) { return f(v..., v...); }";
    refused("doubling calls", doubling, "x[0] = f(1);");
    let fold = "template <typename... T> __device__ int f(T... v) { return (v + ...); }";
    let ones = vec!["1"; 5000].join(", ");
    refused("a long fold", fold, &format!("x[0] = f({ones});"));
    let wide = "template <typename... T> __device__ int g(T... v) { return (v + ...); }
        template <typename... T> __device__ int f(T... v) { return g((v + g(v...) + g(g(v...), v...))...); }";
    let some = vec!["n"; 100].join(", ");
    refused("folds of folds", wide, &format!("x[0] = f({some});"));
}

#[test]
fn what_runs_without_end_while_compiling_is_refused() {
    let endless = "__device__ constexpr int f() { int i = 0; while (true) ++i; return i; }";
    refused(
        "an endless loop",
        endless,
        "constexpr int y = f(); x[0] = y;",
    );
    let long = "__device__ constexpr long f() { long s = 0; for (long i = 0; i < 1l << 40; i++) s += i; return s; }";
    refused("a long loop", long, "constexpr long y = f(); x[0] = y;");
    let many = "__device__ constexpr int f(int k) { int s = 0; for (int i = 0; i < 100000; i++) s += i * k; return s; }";
    let body: String = (0..500)
        .map(|i| format!("constexpr int y{i} = f({i}); x[{i}] = y{i};"))
        .collect();
    refused("many long loops", many, &body);
    refused(
        "a large object",
        "struct S { int a[1 << 28]; constexpr __device__ S() : a() {} };",
        "constexpr S s; x[0] = s.a[n];",
    );
}

#[test]
fn structs_that_grow_without_bound_are_refused() {
    let mut doubling = String::from("struct A0 { int i; };");
    for i in 0..40 {
        let next = i + 1;
        doubling += &format!(
            "struct L{i} : A{i} {{}}; struct R{i} : A{i} {{}}; struct A{next} : L{i}, R{i} {{}};"
        );
    }
    refused("bases", &doubling, "A40 a; x[0] = sizeof(a);");
    let empty = doubling.replace("int i;", "");
    refused("empty bases", &empty, "A40 a; x[0] = sizeof(a);");
    refused(
        "bits",
        "struct S { unsigned a : 1000000000000; };",
        "S s; s.a = 1; x[0] = s.a;",
    );
    refused(
        "no bits",
        "struct S { unsigned a : 0; };",
        "S s; x[0] = s.a;",
    );
    refused(
        "negative bits",
        "struct S { unsigned a : -3; };",
        "S s; x[0] = s.a;",
    );
    let many: String = (0..20_000).map(|i| format!("unsigned f{i} : 7;")).collect();
    is_compiled(
        "many bits",
        &kernel(
            &format!("struct S {{ {many} }};"),
            "S s; s.f1 = 1; S t = s; x[0] = t.f1;",
        ),
    );
}

#[test]
fn jumps_and_calls_anywhere_end_soon() {
    is_compiled("an endless jump", &kernel("", "l: goto l;"));
    is_compiled(
        "a jump over",
        &kernel("", "goto l; int i; { l: i = 1; } x[0] = i;"),
    );
    is_compiled(
        "two loops into each other",
        &kernel(
            "",
            "a: if (x[n]) goto b; x[0]++; c: x[1]++; goto a; b: x[2]++; if (x[3]) goto c;",
        ),
    );
    let labels: String = (0..3000)
        .map(|i| format!("l{i}: if (x[{i}]) goto l{};", (i * 7) % 3000))
        .collect();
    is_compiled("many jumps", &kernel("", &labels));
    let cases: String = (0..3000)
        .map(|i| format!("case {i}: x[{i}] = n;"))
        .collect();
    is_compiled(
        "many cases",
        &kernel("", &format!("switch (n) {{ {cases} }}")),
    );
    let calls = "template <int N> __device__ int f(int n) { return n < 2 ? n : f<N + 1>(n - 1) + f<N>(n - 2); }";
    refused("endless recursive templates", calls, "x[0] = f<0>(n);");
    let recursive = "constexpr __device__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }";
    assert!(is_compiled(
        "recursion that the kernel ends",
        &kernel(recursive, "x[0] = f(n);")
    ));
    is_compiled(
        "recursion without end",
        &kernel(
            "__device__ int f(int n) { return f(n - 1); }",
            "x[0] = f(n);",
        ),
    );
    is_compiled(
        "itself in its arguments",
        &kernel(
            "__device__ int f(int n) { return n ? f(f(f(n - 1))) : 0; }",
            "x[0] = f(n);",
        ),
    );
    for body in [
        "goto;",
        "goto l",
        "case 1:",
        "l:",
        "switch (n) case 1: x[0] = 1;",
        "auto [a] = n;",
        "auto [] = n;",
        "auto& [a, b] = x[0];",
        "new;",
        "x[0] = new int;",
        "delete 3;",
        "delete x[0];",
        "int* p = new int[n]{1, 2};",
        "x[0] = (... + n);",
        "x[0] = (n + ...);",
        "x[0] = sizeof...(n);",
        "f(n...);",
        "if (int i) x[0] = i;",
        "for (auto y : n) x[0] = y;",
        "for (auto y : {}) x[0] = y;",
        "memcpy(x, n, 4);",
        "memcpy(x, x, n);",
        "__builtin_expect(n);",
        "R\"(\";",
    ] {
        is_compiled(body, &kernel("", body));
    }
}

#[test]
fn a_source_with_changed_bytes_never_panics() {
    let sources = [
        include_str!("pass/packs.cu"),
        include_str!("pass/packs_in_structs.cu"),
        include_str!("pass/packs_of_bases.cu"),
        include_str!("pass/goto_back.cu"),
        include_str!("pass/cases_inside.cu"),
        include_str!("pass/bits.cu"),
        include_str!("pass/two_bases.cu"),
        include_str!("pass/unpacked.cu"),
        include_str!("pass/guides.cu"),
        include_str!("pass/nested_types.cu"),
        include_str!("pass/static_members.cu"),
        include_str!("pass/evaluated.cu"),
        include_str!("pass/recursion_of_two.cu"),
        include_str!("pass/classes.cu"),
        include_str!("pass/destructors.cu"),
        include_str!("pass/ranges.cu"),
        include_str!("pass/captures.cu"),
        include_str!("pass/chosen_by_traits.cu"),
        include_str!("pass/function_values.cu"),
        include_str!("pass/unnamed.cu"),
        include_str!("pass/heap.cu"),
    ];
    let words = [
        "...",
        "(",
        ")",
        "{",
        "}",
        "<",
        ">",
        ";",
        "::",
        "&",
        "*",
        "[",
        "]",
        "template",
        "0",
        "x",
        "-",
        "struct",
        "=",
        "goto",
        "case 1:",
        ":",
        "auto",
        "typename",
        "this",
        "~",
        "operator",
        "friend",
        "new",
        "static",
        "constexpr",
    ];
    let mut state = 4711_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for _ in 0..3000 {
        let source = sources[random(sources.len())];
        let mut changed = source.as_bytes().to_vec();
        for _ in 0..=random(3) {
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
