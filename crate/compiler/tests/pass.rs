//! What of C++ there is: each fixture's kernel `test`, by our PTX and by NVRTC's, which is committed beside it.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod common;

use common::{Compared, compare, fixture};
use cornerturn_compiler::{Options, compile};
use std::collections::BTreeSet;
use std::path::Path;

/// Fixtures whose counters of memory are not those of NVRTC's PTX, and why.
const OTHER_COUNTERS: [(&str, &str); 18] = [
    (
        "deduced_types.cu",
        "local objects that hold pointers to one another stay in memory, and what was stored is read again",
    ),
    (
        "doubles.cu",
        "local memory of the mathematics library; the cause is not known",
    ),
    (
        "memory.cu",
        "NVRTC knows the length of a loop from one pointer to another, and has what was read by a volatile access",
    ),
    ("bf16_functions.cu", LOCAL),
    ("half_seldom.cu", LOCAL),
    ("chosen_places.cu", LOCAL),
    ("functions_in_objects.cu", LOCAL),
    ("norms.cu", "the cause is not known"),
    ("virtual_functions.cu", TABLES),
    (
        "addresses.cu",
        "NVRTC knows that nobody changes these addresses, and reads what they lead to as global memory",
    ),
    ("virtual_chosen.cu", TABLES),
    (
        "evaluated.cu",
        "NVRTC puts a `constexpr` array that is indexed at run time into local memory, ours into constant memory",
    ),
    ("recursion.cu", CALLS),
    ("recursion_of_two.cu", CALLS),
    ("recursion_on_memory.cu", CALLS),
    (
        "destructors.cu",
        "NVRTC knows the last bit of a sum, and that one of two ways is never taken",
    ),
    (
        "wmma_types.cu",
        "NVRTC knows that `i % 64` is the same when 64 is added to `i`, and loads once what it indexes",
    ),
    (
        "cases_inside.cu",
        "a loop with several ways in: where lanes meet again is not the same",
    ),
];

/// Fixtures whose counters of arithmetic alone are not those of NVRTC's PTX, and why.
const OTHER_ARITHMETIC: [(&str, &str); 19] = [
    ("array_references.cu", SUMS),
    ("beside_cudas.cu", SUMS),
    ("bf16.cu", SUMS),
    ("braces_left_out.cu", SUMS),
    ("complex_functions.cu", SUMS),
    ("complex_numbers.cu", SUMS),
    ("copied_choices.cu", SUMS),
    ("fft_shuffles.cu", SUMS),
    ("fp8.cu", BYTES),
    ("functions_as_values.cu", SUMS),
    ("functions_chosen.cu", SUMS),
    ("functions_in_sums.cu", SUMS),
    ("groups_by_label.cu", SUMS),
    ("half.cu", SUMS),
    ("library.cu", SUMS),
    ("roundings.cu", SUMS),
    ("special.cu", SUMS),
    ("special_double.cu", SUMS),
    ("std_traits.cu", SUMS),
];

/// Not looked at one by one.
const SUMS: &str = "NVRTC fuses other products with sums, or computes once what ours computes on several ways, and the reverse";

/// NVIDIA's header has other steps.
const BYTES: &str = "ours converts floats of eight bits by products of wider ones";

/// Fixtures whose results are not those of NVRTC's PTX, and why.
const OTHER_RESULTS: [(&str, &str); 1] = [(
    "half_functions.cu",
    "ours takes pairs apart and puts them together between a product and its sum; ptxas sees through that and fuses both \
     alike, the emulator does not yet",
)];

/// What stays in local memory is not the same.
const LOCAL: &str = "local objects that the two keep in memory differ";

/// A function of an object's table is called, where ours tries those that it may be.
const TABLES: &str = "lanes with objects of different classes part and meet at other places";

/// NVRTC makes loops of functions that call themselves last, and inlines some calls.
const CALLS: &str = "a function that calls itself is called more often than NVRTC's";

#[test]
fn fixtures_give_what_nvrtcs_ptx_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pass");
    let (mut count, mut wrong, mut unlike) = (0, Vec::new(), BTreeSet::new());
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "cu") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        let source = std::fs::read_to_string(&path).unwrap();
        let theirs = std::fs::read_to_string(path.with_extension("ptx")).unwrap();
        let options = Options {
            arch: common::arch_of(&source),
            ..Options::default()
        };
        let ours = compile(&source, &name, &options).unwrap_or_else(|error| panic!("{error}"));
        match compare(&ours.ptx, &theirs, &source, &fixture(&name, &source)) {
            Compared::OtherResults(_) if has_other_results(&name) => {}
            _ if has_other_results(&name) => wrong.push(format!("{name} is as NVRTC's now")),
            Compared::Equal => {}
            Compared::OtherCounters(reason) => {
                let is_memory = is_of_memory(&reason);
                let is_known = match is_memory {
                    true => OTHER_COUNTERS.iter().any(|(known, _)| *known == name),
                    false => OTHER_ARITHMETIC.iter().any(|(known, _)| *known == name),
                };
                if !is_known {
                    wrong.push(format!("{name}: {reason}"));
                }
                unlike.insert((is_memory, name));
            }
            other => wrong.push(format!("{name}: {other:?}")),
        }
        count += 1;
    }
    let memory = OTHER_COUNTERS.iter().map(|(name, _)| (true, *name));
    let arithmetic = OTHER_ARITHMETIC.iter().map(|(name, _)| (false, *name));
    for (is_memory, name) in memory.chain(arithmetic) {
        if !unlike.contains(&(is_memory, name.to_string())) {
            wrong.push(format!("{name} needs no exception any more"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(count, 179);
}

fn has_other_results(name: &str) -> bool {
    OTHER_RESULTS.iter().any(|(known, _)| *known == name)
}

fn is_of_memory(reason: &str) -> bool {
    let spaces = ["global_", "shared_", "local_", "async_"];
    spaces.iter().any(|space| reason.contains(space))
}

/// Types that stood before in a name are referred to, those that depend on the template's parameters too.
#[test]
fn kernels_of_templates_have_nvrtcs_names() {
    let source = "
        template <typename T> struct Wide { typedef T Type; };
        template <typename T, int n> struct Many { T of[n]; };
        template <typename T> __global__ void move(typename Wide<T>::Type* out, const typename Wide<T>::Type* more,
            T* in, const T* into, Wide<T> one, T* last) { out[0] = in[0]; }
        template <typename T, int n> __global__ void some(Many<T, n> m, Many<T, 3> k, T* a, T* b, const T* c, const T* d)
            { a[0] = m.of[0]; }
        template <int n> __global__ void same(float* a, float* b, const float* c, int* d, const float* e) { a[n] = b[n]; }
        template __global__ void move<float>(float*, const float*, float*, const float*, Wide<float>, float*);
        template __global__ void some<float, 5>(Many<float, 5>, Many<float, 3>, float*, float*, const float*, const float*);
        template __global__ void same<2>(float*, float*, const float*, int*, const float*);
    ";
    let compiled = compile(source, "names.cu", &Options::default()).unwrap();
    let names = [
        "_Z4moveIfEvPN4WideIT_E4TypeEPKS3_PS1_PKS1_S2_S7_",
        "_Z4someIfLi5EEv4ManyIT_XT0_EES0_IS1_Li3EEPS1_S4_PKS1_S6_",
        "_Z4sameILi2EEvPfS0_PKfPiS2_",
    ];
    for name in names {
        assert!(compiled.ptx.contains(&format!(".entry {name}(")), "{name}");
    }
}
