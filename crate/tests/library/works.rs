//! Works on arrays: right results are certified, wrong ones named with their array and place, races found; records of them are read, looked up and held against their sources.

use super::{Folder, devices};
use cornerturn::record::DRIVER_COPY;
use cornerturn::registry::{Registry, WorkKind};
use cornerturn::works::RegisteredWork;
use cornerturn::{Checked, Device, Error, Kernel, Sweep, Work, works};

/// PTX of a kernel `(float* x, float* y, u32 items)` with this body for thread `%r3` of `%r4` items: `%d3` and `%d4` are the
/// addresses of its elements.
fn kernel(body: &str) -> Kernel {
    let text = format!(
        ".version 6.4\n.target sm_75\n.address_size 64\n.shared .align 4 .b8 cell[1024];\n\
         .visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n) {{\n\
         .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<6>; .reg .f32 %f<4>;\n\
         mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n\
         mad.lo.u32 %r3, %r0, %r1, %r2; ld.param.u32 %r4, [n];\n\
         ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y]; mul.wide.u32 %d2, %r3, 4;\n\
         add.u64 %d3, %d0, %d2; add.u64 %d4, %d1, %d2; setp.ge.u32 %p, %r3, %r4;\n{body}\nEND: ret;\n}}\n"
    );
    Kernel::ptx(&text, "k").unwrap()
}

/// A copy of so many floats.
fn copy(items: usize) -> Work {
    let x: Vec<f32> = works::distinct(items);
    Work::new(format!("{items} floats"))
        .input("x", &x)
        .output("y", &x)
        .value(items as u32)
}

const COPY: &str = "@%p bra END; ld.global.f32 %f0, [%d3]; st.global.f32 [%d4], %f0;";

#[test]
fn a_right_result_is_certified_with_what_it_took() {
    for device in devices() {
        let run = copy(1000).run(&device, &kernel(COPY), 4, 256).unwrap();
        assert_eq!(run.checked, Checked::Here);
        assert_eq!((run.items(), run.bytes_moved), (1000, 8000));
        assert_eq!(run.counters.global_load_sectors, 125);
        let text = run.to_string();
        assert!(text.contains("1000 floats verified bit by bit"), "{text}");
    }
}

#[test]
fn a_wrong_element_is_named_with_its_array_and_place() {
    let cases = [
        // The last block is missing.
        (COPY, 3, "`y`[768]", "232 of 1000", "never written"),
        (
            "@%p bra END; ld.global.f32 %f0, [%d3]; add.f32 %f0, %f0, %f0; st.global.f32 [%d4], %f0;",
            4,
            "`y`[0]",
            "1000 of 1000",
            "",
        ),
        (
            "@%p bra END; ld.global.f32 %f0, [%d3]; st.global.f32 [%d4], %f0; neg.f32 %f0, %f0; st.global.f32 [%d3], %f0;",
            4,
            "`x`[0]",
            "1000 of 1000",
            "must not change",
        ),
    ];
    for device in devices() {
        for (body, grid, place, count, hint) in cases {
            let error = copy(1000)
                .run(&device, &kernel(body), grid, 256)
                .unwrap_err();
            let text = error.to_string();
            assert_eq!(error.exit_code(), 1, "{text}");
            for part in [place, count, hint] {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
    }
}

#[test]
fn a_race_is_found_behind_a_right_result_also_on_the_smaller_work() {
    // Each thread hands its element to its neighbour in another warp and back, with a barrier too few.
    let racing = "mov.u32 %r5, cell; shl.b32 %r6, %r2, 2; add.u32 %r5, %r5, %r6; mov.f32 %f0, 0f00000000;\n\
                  @!%p ld.global.f32 %f0, [%d3]; st.shared.f32 [%r5], %f0; xor.b32 %r6, %r6, 128;\n\
                  mov.u32 %r7, cell; add.u32 %r7, %r7, %r6; ld.shared.f32 %f1, [%r7]; bar.sync 0;\n\
                  @%p bra END; ld.shared.f32 %f2, [%r5]; st.global.f32 [%d4], %f2;";
    let small = copy(1000);
    let large = copy(1 << 22).checked_on(copy(1000));
    let device = Device::emulator();
    for (work, grid, place) in [
        (small, 4, "in this launch"),
        (large, 1 << 14, "on 1000 floats, grid 4"),
    ] {
        work.verify(&device, &kernel(racing), grid, 256).unwrap();
        let error = work.run(&device, &kernel(racing), grid, 256).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::Checked { .. }), "{text}");
        assert!(text.contains("race") && text.contains(place), "{text}");
    }
}

#[test]
fn a_large_work_without_a_smaller_one_says_that_it_is_not_checked() {
    let run = copy(1 << 22)
        .run(&Device::emulator(), &kernel(COPY), 1 << 14, 256)
        .unwrap();
    assert!(matches!(run.checked, Checked::Not(_)), "{}", run.checked);
    let with_smaller = works::gather(1 << 22, 1);
    let strided = Kernel::registered("strided").unwrap();
    let run = with_smaller
        .run(&Device::emulator(), &strided, 1 << 12, 256)
        .unwrap();
    assert!(matches!(run.checked, Checked::SmallerWork { .. }));
}

#[test]
fn the_emulator_has_no_time_for_a_work() {
    let ready = copy(1000)
        .ready(&Device::emulator(), &kernel(COPY), 4, 256)
        .unwrap();
    let options = cornerturn::TimingOptions::default();
    assert!(matches!(ready.time(options), Err(Error::NoClock)));
}

#[test]
fn a_record_is_found_by_kernel_and_parameter_and_goes_stale_with_its_source() {
    let record = Sweep::load("h200", "coalescing").unwrap();
    let curve = record.curve("strided");
    assert!(
        curve
            .windows(2)
            .all(|pair| pair[0].parameter < pair[1].parameter)
    );
    let point = record.point("strided", 2).unwrap();
    assert_eq!(record.rate("strided", 2).unwrap(), point.gb_per_s());
    assert_eq!(
        record.copy_for(point).unwrap().bytes_moved,
        point.bytes_moved
    );
    let missing = record.point("strided", 33).unwrap_err().to_string();
    assert!(missing.contains("with 33; it has 1, 2, 3"), "{missing}");
    let registry = Registry::load().unwrap();
    assert_eq!(record.stale(&registry), Vec::<String>::new());
    let mut old = record.clone();
    old.measurements[0].source_sha256 = "0".repeat(64);
    assert_eq!(
        old.stale(&registry),
        ["`strided` was measured with another source"]
    );
}

#[test]
fn a_later_run_of_some_kernels_is_told_apart_and_has_its_own_copy() {
    let first = Sweep::load("h200", "coalescing").unwrap();
    let mut later = first.clone();
    later.commit = "later".to_string();
    later
        .measurements
        .retain(|point| ["shifted", DRIVER_COPY].contains(&point.kernel.as_str()));
    for point in &mut later.measurements {
        point.samples_us.iter_mut().for_each(|us| *us *= 2.0);
    }
    let merged = first.clone().with_later(later).unwrap();
    let rate = |of: &Sweep, kernel: &str| of.rate(kernel, 1).unwrap().0;
    assert_eq!(rate(&merged, "strided"), rate(&first, "strided"));
    assert!((rate(&merged, "shifted") - 0.5 * rate(&first, "shifted")).abs() < 1e-6);
    let copy = |of: &Sweep| {
        of.copy_for(of.point("shifted", 1).unwrap())
            .unwrap()
            .gb_per_s()
    };
    assert!((copy(&merged).0 - 0.5 * copy(&first).0).abs() < 1e-6);
    let line = merged.provenance();
    assert!(
        line.contains("; shifted again ") && line.ends_with("commit later"),
        "{line}"
    );
}

#[test]
fn a_record_that_is_none_is_refused_with_its_file() {
    let folder = Folder::new("sweep");
    let record = Sweep::load("h200", "coalescing").unwrap();
    let mut other = record.clone();
    other.schema = 99;
    let mut empty = record.clone();
    empty.measurements[0].samples_us.clear();
    for (broken, reason) in [(other, "schema 99"), (empty, "no samples")] {
        let path = folder.write("broken.json", "");
        broken.save_to(&path).unwrap();
        let error = Sweep::load_file(&path).unwrap_err().to_string();
        assert!(
            error.contains("broken.json") && error.contains(reason),
            "{error}"
        );
    }
    let path = folder.write("whole.json", "");
    record.save_to(&path).unwrap();
    assert_eq!(Sweep::load_file(&path).unwrap(), record);
}

/// Few items are done rightly, more than an operation takes are refused in a sentence, by every entry.
#[test]
fn a_work_of_any_size_is_right_or_refused() {
    let registry = Registry::load().unwrap();
    let device = Device::emulator();
    for entry in registry.works() {
        let parameters = entry.parameters();
        // Each page has 2 MiB, and a ring of all lines has 16 GiB.
        let largest = if entry.work == WorkKind::ChasePages {
            35
        } else {
            1 << 16
        };
        let last = *parameters.end().min(&largest);
        for parameter in [*parameters.start(), last, u32::MAX] {
            for items in [0, 1, 2, 33, 1 << 33, usize::MAX] {
                let what = format!("{} of {items} with {parameter}", entry.id);
                let work = match entry.work(items, parameter) {
                    Ok(work) => work,
                    Err(error) => {
                        let is_taken = (1..=33).contains(&items) && parameters.contains(&parameter);
                        assert_eq!(
                            error.exit_code(),
                            if is_taken { 4 } else { 2 },
                            "{what}: {error}"
                        );
                        continue;
                    }
                };
                assert!((1..=33).contains(&items), "{what} was made");
                let (grid, block) = entry.launch_shape(items).unwrap();
                let kernel = entry.kernel(&registry, parameter).unwrap();
                match work.verify(&device, &kernel, grid, block) {
                    Ok(()) => {}
                    // A setting that the kernel cannot have.
                    Err(error) => {
                        let is_set = entry.sweeps.is_some();
                        assert!(is_set && error.exit_code() == 2, "{what}: {error}");
                    }
                }
            }
            let shape = entry.launch_shape(usize::MAX).unwrap_err();
            assert_eq!(shape.exit_code(), 2, "{}: {shape}", entry.id);
        }
    }
}
