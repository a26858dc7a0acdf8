//! The table of intrinsics: each row compiles, and the kernel with it is printed, read back and well formed.

// A test may fail where it stands.
#![allow(clippy::unwrap_used)]

use cornerturn_compiler::{
    Inspect, Intrinsic, Ir, LOWERED, NoFiles, Options, Snapshot, compile_watched, intrinsics,
};

/// What a source says to come to a row that is no function of its own; registers of a thread's place have their names.
const OTHERS: [(&str, &str); 20] = [
    ("prmt", "out[0] = __byte_perm(a, b, c);"),
    ("mul.hi", "out[0] = a / 7;"),
    ("cvt", "out[0] = __float2int_ru(f);"),
    ("rounded", "out[0] = __fma_rd(f, f, f);"),
    ("parts", "out[0] = __vabsdiffu4(a, b);"),
    ("shfl.sync", "out[0] = __shfl_up_sync(~0u, a, 1);"),
    ("match.any", "out[0] = __match_any_sync(~0u, a);"),
    (
        "match.all",
        "out[0] = __match_all_sync(~0u, a, (int*)out + 1);",
    ),
    ("redux.sync", "out[0] = __reduce_add_sync(~0u, a);"),
    ("atom", "out[0] = atomicAdd(out, a);"),
    ("tex", "out[0] = tex1Dfetch<unsigned>(l, 3);"),
    ("suld", "out[0] = surf1Dread<unsigned>(l, 4);"),
    ("sust", "surf1Dwrite(a, l, 4);"),
    ("malloc", "out[0] = malloc(a) == nullptr;"),
    ("free", "free(out);"),
    ("vprintf", "printf(\"here\");"),
    ("__assertfail", "assert(a);"),
    ("call", "out[0] = again(a);"),
    ("return", "out[0] = again(a);"),
    ("forget", "Chosen all[2] = {one, two}; out[0] = all[a](b);"),
];

const HEAD: &str = "typedef unsigned (*Chosen)(unsigned);
__device__ unsigned again(unsigned n) { return n < 2 ? n : again(n - 1) + again(n - 2); }
__device__ unsigned one(unsigned n) { return n; }
__device__ unsigned two(unsigned n) { return 2 * n; }
";

/// A statement with the row in it; `None` where nothing is known that has it.
fn statement(row: &Intrinsic) -> Option<String> {
    if row.name == "laneid" {
        return None;
    }
    if row.ptx.starts_with("mov.u32 %0, %") && !row.is_function {
        return Some(format!("out[0] = {};", row.name));
    }
    if !row.is_function {
        let found = OTHERS.iter().find(|(name, _)| *name == row.name);
        return Some(found.expect(row.name).1.to_string());
    }
    let arguments = row.types[1..].chars().map(|letter| match letter {
        'i' => "(int)a",
        'u' => "b",
        'l' => "(long long)l",
        'L' => "l",
        'f' => "f",
        'd' => "d",
        'p' => "out",
        other => panic!("{other} is no type"),
    });
    let arguments: Vec<&str> = arguments.collect();
    let call = format!("{}({})", row.name, arguments.join(", "));
    Some(match row.types.starts_with('v') {
        true => format!("{call};"),
        false => format!("auto found = {call}; out[0] = (unsigned)found;"),
    })
}

/// Where a row is seen, and what is wrong there.
#[derive(Default)]
struct Seen {
    name: &'static str,
    is_there: bool,
    problems: Vec<String>,
}

impl Inspect for Seen {
    fn after(&mut self, pass: &'static str, kernel: &Snapshot<'_>) {
        let text = kernel.text();
        let name = format!("\"{}\"", self.name);
        let words = text.lines().filter(|line| line.contains("intrinsic"));
        self.is_there |= words.into_iter().any(|line| line.contains(&name));
        self.problems.extend(kernel.problems());
        if pass == LOWERED || pass == "infer_address_spaces" {
            let read = Ir::parse(&text).map(|read| read.text());
            if read.as_ref() != Ok(&text) {
                self.problems.push(format!("{pass}: {read:?}"));
            }
        }
    }
}

#[test]
fn each_row_compiles_is_read_back_and_well_formed() {
    let options = Options {
        arch: "compute_90a".to_string(),
        ..Options::default()
    };
    let table = intrinsics();
    let mut without = Vec::new();
    for row in &table {
        let Some(statement) = statement(row) else {
            without.push(row.name);
            continue;
        };
        let arguments =
            "unsigned a, unsigned b, unsigned c, unsigned long long l, float f, double d";
        let source = format!(
            "{HEAD}extern \"C\" __global__ void k(unsigned* out, {arguments}) {{ {statement} }}"
        );
        let name = row.name;
        let mut seen = Seen {
            name,
            ..Seen::default()
        };
        let made = compile_watched(&source, "row.cu", &options, &NoFiles, Some(&mut seen));
        made.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(seen.is_there, "{name}: `{statement}` does not come to it");
        assert!(seen.problems.is_empty(), "{name}: {:?}", seen.problems);
    }
    // The table has its range for `asm` alone, in headers.
    assert_eq!(without, ["laneid"]);
    let names: std::collections::BTreeSet<_> = table.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), table.len());
    let are_used = OTHERS.iter().all(|(name, _)| names.contains(name));
    assert!(are_used);
}
