//! The works of the chapter on host memory: copies, an increase and a walk over arrays that lie in one place or another.

use super::atomics::walk_over;
use super::{distinct, with_smaller};
use crate::work::Work;
use cornerturn_base::place::Place;

/// `to[i] = from[i]` for floats, with `from` in a place and `to` in the GPU's memory.
///
/// Kernels take `(const float* from, float* to, unsigned items)`.
pub fn copy_from(items: usize, place: Place) -> Work {
    with_smaller(items, |items| {
        let x: Vec<f32> = distinct(items);
        Work::new(format!("{items} floats from {place}"))
            .input("from", &x)
            .lying_in(place)
            .output("to", &x)
            .value(items as u32)
    })
}

/// The same with `from` in the GPU's memory and `to` in a place.
///
/// Kernels take `(const float* from, float* to, unsigned items)`.
pub fn copy_to(items: usize, place: Place) -> Work {
    with_smaller(items, |items| {
        let x: Vec<f32> = distinct(items);
        Work::new(format!("{items} floats to {place}"))
            .input("from", &x)
            .output("to", &x)
            .lying_in(place)
            .value(items as u32)
    })
}

/// Each of `numbers`, which lie in a place, becomes one more.
///
/// Kernels take `(unsigned* numbers, unsigned items)`.
pub fn increase(items: usize, place: Place) -> Work {
    with_smaller(items, |items| {
        let before: Vec<u32> = distinct(items);
        let after: Vec<u32> = before.iter().map(|number| number.wrapping_add(1)).collect();
        Work::new(format!("one more for each of {items} numbers in {place}"))
            .update("numbers", &before, &after)
            .lying_in(place)
            .value(items as u32)
    })
}

/// The [`walk`](super::walk) with its ring in a place.
///
/// Kernels take `(unsigned* ring, unsigned* last, unsigned items)`.
pub fn walk_in(items: usize, place: Place) -> Work {
    walk_over(items, place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn_runtime::{Device, Kernel};

    #[test]
    fn a_result_does_not_depend_on_the_place() {
        let device = Device::emulator();
        let copy = Kernel::registered("copy_from").unwrap();
        let one_more = Kernel::registered("increase").unwrap();
        for place in Place::ALL {
            for work in [copy_from(1001, place), copy_to(1001, place)] {
                let run = work.run(&device, &copy, 4, 256).unwrap();
                assert_eq!(run.counters.global_load_sectors, 126, "{place}");
                // One block too few leaves the end unwritten.
                let error = work.run(&device, &copy, 3, 256).unwrap_err();
                assert!(error.to_string().contains("never written"), "{error}");
            }
            increase(777, place)
                .run(&device, &one_more, 4, 256)
                .unwrap();
        }
    }
}
