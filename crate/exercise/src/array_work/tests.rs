//! What the works on arrays draw and expect.

use super::*;
use crate::Workshop;
use cornerturn_runtime::device::Device;

const ALL: [ArrayWork; 17] = [
    ArrayWork::Affine,
    ArrayWork::Permuted,
    ArrayWork::Fields,
    ArrayWork::RowSums,
    ArrayWork::Partners,
    ArrayWork::Middle,
    ArrayWork::Lookup,
    ArrayWork::Bins,
    ArrayWork::TwoWays,
    ArrayWork::Window,
    ArrayWork::Pairs,
    ArrayWork::AboveLeast,
    ArrayWork::Scans,
    ArrayWork::Softmax,
    ArrayWork::ThreeSteps,
    ArrayWork::Checksum,
    ArrayWork::Compared,
];

/// What an array must hold after the work, by its name.
fn expected(work: &Work, name: &str) -> Vec<u32> {
    let device = Device::emulator();
    let placed = cornerturn_measure::work::Placed::expected(work, &device).unwrap();
    let at = work
        .declared()
        .flatten()
        .position(|(array, ..)| array == name);
    let bytes = cornerturn_runtime::raw::contents(&placed.buffers[at.unwrap()]).unwrap();
    bytemuck::pod_collect_to_vec(&bytes)
}

#[test]
fn every_work_is_asked_in_some_exercise_and_draws_what_it_takes() {
    let workshop = Workshop::load().unwrap();
    let mut numbers = Seed(3).numbers("works");
    for work in ALL {
        let mut exercises = workshop.exercises().iter();
        assert!(
            exercises.any(|exercise| exercise.work.on_arrays() == Some(work)),
            "{work:?}"
        );
        for _ in 0..50 {
            let Size::Arrays { parameter, .. } = work.drawn(33, &mut numbers) else {
                panic!("{work:?} is of a matrix");
            };
            assert!(
                work.takes(parameter.map_or(0, |(_, value)| value)),
                "{work:?}"
            );
        }
    }
    assert!(!ArrayWork::Permuted.takes(4) && !ArrayWork::Fields.takes(1));
}

#[test]
fn another_seed_gives_other_results_and_the_same_one_the_same() {
    for work in ALL {
        let mut numbers = Seed(3).numbers("works");
        let size = work.drawn(777, &mut numbers);
        let results = |seed| {
            let work = work.of(size, Seed(seed));
            let written = work.declared().flatten().find(|(.., is_const)| !is_const);
            expected(&work, written.unwrap().0)
        };
        assert_eq!(results(1), results(1), "{work:?}");
        assert_ne!(results(1), results(2), "{work:?}");
    }
}

#[test]
fn some_of_five_are_equal_and_the_third_is_one_of_them() {
    let size = ArrayWork::Middle.size(501, 0);
    let work = ArrayWork::Middle.of(size, Seed(5));
    let (x, y) = (expected(&work, "x"), expected(&work, "y"));
    let five = |i: usize| x.iter().skip(i).step_by(501);
    for (i, middle) in y.iter().enumerate() {
        let below = five(i).filter(|x| *x < middle).count();
        let above = five(i).filter(|x| *x > middle).count();
        assert!(below <= 2 && above <= 2, "{i}");
    }
    let has_equal = |i: &usize| {
        let mut sorted: Vec<&u32> = five(*i).collect();
        sorted.sort_unstable();
        sorted.windows(2).any(|two| two[0] == two[1])
    };
    let equal = (0..501).filter(has_equal).count();
    assert!((150..400).contains(&equal), "{equal}");
}

#[test]
fn a_window_at_the_end_and_an_odd_step_are_as_they_are_said() {
    let window = ArrayWork::Window.of(ArrayWork::Window.size(40, 9), Seed(5));
    let (x, y) = (expected(&window, "x"), expected(&window, "y"));
    assert_eq!(y[0], sum(&x[..10]));
    assert_eq!(y[39], sum(&x[30..]));
    assert_eq!(y[20], sum(&x[11..30]));
    let permuted = ArrayWork::Permuted.of(ArrayWork::Permuted.size(300, 7), Seed(5));
    let (x, y) = (expected(&permuted, "x"), expected(&permuted, "y"));
    assert_eq!((y[1], y[37], y[256], y[299]), (x[7], x[3], x[256], x[299]));
}

#[test]
fn a_number_is_paired_with_those_of_its_piece_alone() {
    let pairs = ArrayWork::Pairs.of(ArrayWork::Pairs.size(259, 0), Seed(5));
    let (x, y) = (expected(&pairs, "x"), expected(&pairs, "y"));
    let of_three = (x[256] ^ x[257]).wrapping_add(x[256] ^ x[258]);
    assert_eq!(y[256], of_three);
}

#[test]
fn running_sums_begin_anew_and_a_softmax_adds_up_to_one() {
    let scans = ArrayWork::Scans.of(ArrayWork::Scans.size(300, 0), Seed(5));
    let (x, y) = (expected(&scans, "x"), expected(&scans, "y"));
    assert_eq!((y[0], y[256]), (x[0], x[256]));
    assert_eq!((y[255], y[299]), (sum(&x[..256]), sum(&x[256..])));
    let softmax = ArrayWork::Softmax.of(ArrayWork::Softmax.size(7, 201), Seed(5));
    let floats = |name: &str| -> Vec<f32> {
        let bits = expected(&softmax, name).into_iter();
        bits.map(f32::from_bits).collect()
    };
    let (x, y) = (floats("x"), floats("y"));
    for (x, y) in x.chunks(201).zip(y.chunks(201)) {
        assert!((y.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(x.iter().all(|x| !x.exp2().is_normal()), "{x:?}");
    }
}

#[test]
fn three_steps_round_three_times_and_know_no_neighbours_outside() {
    let steps = ArrayWork::ThreeSteps.of(ArrayWork::ThreeSteps.size(500, 7), Seed(5));
    let floats = |name: &str| -> Vec<f32> {
        let bits = expected(&steps, name).into_iter();
        bits.map(f32::from_bits).collect()
    };
    let (x, y) = (floats("x"), floats("y"));
    let b = |i: usize| 7.0 * x[i] + 17.3;
    assert_eq!(y[0], b(0) + b(1));
    assert_eq!(y[499], b(498) + b(499));
    assert_eq!(y[250], (b(249) + b(250)) + b(251));
    // What a compiler makes of it that joins the first two steps, and the other order of the sum, are other numbers.
    let joined = |i: usize| 7.0_f32.mul_add(x[i], 17.3);
    let other = |wrong: &dyn Fn(usize) -> f32| (1..499).filter(|&i| wrong(i) != y[i]).count();
    assert!(other(&|i| (joined(i - 1) + joined(i)) + joined(i + 1)) > 50);
    assert!(other(&|i| (b(i - 1) + b(i + 1)) + b(i)) > 50);
}

#[test]
fn sums_are_right_and_wrong_whatever_fixed_tolerance_somebody_takes() {
    for terms in [16, 300, 4096] {
        let work = ArrayWork::Compared.of(ArrayWork::Compared.size(3000, terms), Seed(5));
        let floats = |name: &str| -> Vec<f32> {
            let bits = expected(&work, name).into_iter();
            bits.map(f32::from_bits).collect()
        };
        let (found, wanted, sizes) = (floats("found"), floats("expected"), floats("sizes"));
        let wrong = expected(&work, "wrong");
        assert!((800..2200).contains(&wrong.iter().filter(|wrong| **wrong == 1).count()));
        let by = |tolerance: &dyn Fn(usize) -> f32| {
            let accepts = |i: &usize| (found[*i] - wanted[*i]).abs() <= tolerance(*i);
            let differs = |i: &usize| u32::from(!accepts(i)) != wrong[*i];
            (0..3000).filter(differs).count()
        };
        assert_eq!(by(&|i| terms as f32 * sizes[i] / 16_777_216.0), 0);
        for tolerance in [1e-7, 1e-6, 1e-5, 1e-4, 1e-3] {
            assert!(by(&|_| tolerance) > 20, "{terms} {tolerance}");
            assert!(
                by(&|i| tolerance * wanted[i].abs()) > 20,
                "{terms} {tolerance}"
            );
        }
    }
}
