//! Kernels of which the assembler changes the accesses, held to what ncu counted on an H200. Their CUDA C++, PTX, listing and counts are in `crate/runtime/tests/machine_code`.

use super::*;
use crate::launch::LaunchOptions;
use crate::{Device, args};
use std::collections::BTreeMap;

const PTX: &str = include_str!("../../tests/machine_code/kernels.ptx");
const LISTING: &str = include_str!("../../tests/machine_code/kernels.sass");
const COUNTS: &str = include_str!("../../tests/machine_code/h200.csv");
/// Elements of the two arrays, and the number that kernels are given.
const LENGTH: usize = 65_536;
const NUMBER: u32 = 60_013;

fn read(entry: &str) -> MachineCode {
    let kernel = Kernel::ptx(PTX, entry).unwrap();
    let assembled = Assembled {
        cubin: Vec::new(),
        listing: LISTING.to_string(),
    };
    MachineCode::read(&kernel, "sm_90", &assembled).unwrap()
}

/// As `cornerturn launch` fills `random:7`.
fn random(i: u64) -> f32 {
    let mut z = 7_u64.wrapping_add((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 40) as f32 * 2_f32.powi(-24)
}

fn compiled(code: &MachineCode, shape: [u32; 4]) -> Compiled {
    let device = Device::emulator();
    let input: Vec<f32> = (0..LENGTH as u64).map(random).collect();
    let from = device.upload("in", &input).unwrap();
    let to = device.upload("out", &vec![0_f32; LENGTH]).unwrap();
    let options = LaunchOptions::traced(code.request());
    let [x, y, threads, rows] = shape;
    let arguments = args![from, to, NUMBER];
    let report = device.launch_with(&code.kernel, (x, y), (threads, rows), arguments, &options);
    code.count(&report.unwrap()).unwrap()
}

/// Kernel and launch, then ncu's counts by name.
fn counted() -> Vec<(String, [u32; 4], BTreeMap<String, u64>)> {
    let mut lines = COUNTS.lines().filter(|line| !line.starts_with('#'));
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let shape = [1, 2, 3, 4].map(|at| cells[at].parse().unwrap());
            let counts = head.iter().zip(&cells).skip(5);
            let counts = counts.map(|(name, count)| ((*name).to_string(), count.parse().unwrap()));
            (cells[0].to_string(), shape, counts.collect())
        })
        .collect()
}

#[test]
fn counters_as_compiled_are_the_profilers_or_name_an_instruction() {
    let (mut as_ptx, mut told, mut all) = (0, 0, 0);
    for (entry, shape, counts) in counted() {
        let code = read(&entry);
        let compiled = compiled(&code, shape);
        for (name, ptx, count) in &compiled.counters {
            let Some(ncu) = counts.get(*name) else {
                continue;
            };
            all += 1;
            as_ptx += usize::from(ptx == ncu);
            match count {
                Some(count) => assert_eq!(count, ncu, "{entry}: {name}, of the PTX {ptx}"),
                None => assert!(
                    compiled.unknown.iter().any(|reason| reason.contains('`')),
                    "{entry}: {name} is not told, and nothing says why"
                ),
            }
            told += usize::from(count.is_some());
        }
    }
    // The PTX alone is not enough for these kernels, and little is left untold.
    assert!(
        as_ptx + 25 < told && told + 25 > all,
        "{as_ptx} {told} {all}"
    );
}

#[test]
fn what_became_of_each_access_is_said() {
    let said = |entry: &str| read(entry).differences().join("\n");
    for (entry, words) in [
        ("k01_rowsum", "merged, 4 into one `LDS.128` of 16 bytes"),
        (
            "k03_gemm_tile",
            "merged, 4 into one `LDS.128` of 16 bytes, repeated 4 times",
        ),
        ("k03_gemm_tile", "(global load 4): repeated, 4 times each"),
        ("k05_local_idx", "kept in registers"),
        ("k10_reduce", "(shared load 4): predicated"),
        ("k32_shstruct", "merged, 4 into one `STS.128` of 16 bytes"),
        ("k40_spill", "spilled: registers were too few"),
    ] {
        assert!(said(entry).contains(words), "{entry}: {}", said(entry));
    }
    assert_eq!(said("k02_rowsum_pad"), "");
}

#[test]
fn a_listing_that_is_none_is_told() {
    let kernel = Kernel::ptx(PTX, "k01_rowsum").unwrap();
    for listing in [
        "",
        ".text.k01_rowsum:\n",
        "random \u{1f600} text\n/*zz*/ LDG ;",
    ] {
        let assembled = Assembled {
            cubin: Vec::new(),
            listing: listing.to_string(),
        };
        let error = MachineCode::read(&kernel, "sm_90", &assembled).unwrap_err();
        assert!(
            error.to_string().contains("no instruction of `k01_rowsum`"),
            "{error}"
        );
    }
}

/// The machine code of `k01_rowsum` with something else in place of its first wide load.
fn changed(by: &str) -> MachineCode {
    let entry = "k01_rowsum";
    let start = format!(".text.{entry}:");
    let (before, after) = LISTING.split_once(&start).unwrap();
    let listing = format!("{before}{start}{}", after.replacen("LDS.128", by, 1));
    let assembled = Assembled {
        cubin: Vec::new(),
        listing,
    };
    let kernel = Kernel::ptx(PTX, entry).unwrap();
    MachineCode::read(&kernel, "sm_90", &assembled).unwrap()
}

#[test]
fn what_is_not_known_is_not_guessed() {
    let code = changed("LDSX.512");
    let told = code.differences().join("\n");
    assert!(
        told.contains("LDSX.512 R8") && told.contains("not known here"),
        "{told}"
    );
    let compiled = compiled(&code, [5, 1, 32, 8]);
    let wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
    assert_eq!(compiled.get(wavefronts), None);
    assert!(
        compiled
            .unknown
            .iter()
            .any(|reason| reason.contains("LDSX.512"))
    );
    let stores = "smsp__inst_executed_op_shared_st.sum";
    assert_eq!(compiled.get(stores), Some(160));
}

const ARITHMETIC_PTX: &str = include_str!("../../tests/machine_code/arithmetic.ptx");
const ARITHMETIC_LISTING: &str = include_str!("../../tests/machine_code/arithmetic.sass");

/// The PTX's and the machine code's counts of one kernel of arithmetic, under the names in short.
fn computed(entry: &str, shape: [u32; 4]) -> BTreeMap<&'static str, (u64, Option<u64>)> {
    let kernel = Kernel::ptx(ARITHMETIC_PTX, entry).unwrap();
    let assembled = Assembled {
        cubin: Vec::new(),
        listing: ARITHMETIC_LISTING.to_string(),
    };
    let code = MachineCode::read(&kernel, "sm_90", &assembled).unwrap();
    let found = compiled(&code, shape).counters;
    let short = |name: &'static str| name.strip_prefix("smsp__sass_thread_inst_executed_op_");
    let short = |name| Some(short(name)?.trim_end_matches("_pred_on.sum"));
    (found.into_iter())
        .filter_map(|(name, ptx, count)| Some((short(name)?, (ptx, count))))
        .filter(|(_, counts)| *counts != (0, Some(0)))
        .collect()
}

/// The machine code's counts are read off the listing, times the lanes that come there.
#[test]
fn arithmetic_as_compiled_is_what_the_listing_has() {
    let (blocks, threads) = (240, 256);
    let shape = [blocks, 1, threads, 1];
    let lanes = |is_one: &dyn Fn(u32) -> bool| (0..NUMBER).filter(|at| is_one(*at)).count() as u64;
    let all = u64::from(NUMBER);
    let told = |ptx, count| (ptx, Some(count));

    // A branch that has become a predicate.
    let fifths = lanes(&|at| at % threads % 5 == 1);
    let expected = BTreeMap::from([("ffma", told(fifths, fifths))]);
    assert_eq!(computed("branches", shape), expected);

    // Signs that no instruction takes become sums.
    let low = lanes(&|at| random(u64::from(at)) <= 0.5);
    let expected = BTreeMap::from([("fadd", told(low, all + low))]);
    assert_eq!(computed("signs", shape), expected);

    // Every other sum or product of halves is an HFMA2.
    let five_less = lanes(&|at| at + 4 < NUMBER);
    let expected = BTreeMap::from([
        ("hadd", told(3 * five_less, 2 * five_less)),
        ("hmul", told(2 * five_less, five_less)),
        ("hfma", told(0, 2 * five_less)),
    ]);
    assert_eq!(computed("halves", shape), expected);

    // A product and a difference are fused, by the emulator too; a quotient is many.
    let thirds = lanes(&|at| at % threads % 3 == 0);
    let expected = BTreeMap::from([
        ("dfma", told(2 * all + 7 * thirds, 2 * all + 7 * thirds)),
        ("dmul", told(thirds, thirds)),
        ("dadd", told(thirds, thirds)),
        ("ffma", told(thirds, thirds)),
    ]);
    assert_eq!(computed("doubles", shape), expected);

    // Subroutines for operands out of the ordinary are not counted.
    let expected = BTreeMap::from([
        ("fadd", told(6 * all, 6 * all)),
        ("fmul", told(3 * all, 3 * all)),
        ("ffma", told(9 * all, 9 * all)),
    ]);
    assert_eq!(computed("quotients", shape), expected);

    // A loop that stands there three times, unrolled, and constants that an HFMA2 loads.
    let expected = BTreeMap::from([("ffma", told(192 * all, 192 * all)), ("hfma", told(0, 384))]);
    assert_eq!(computed("axpy_unrolled", [2, 1, 96, 1]), expected);
}
