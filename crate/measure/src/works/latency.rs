//! The works of the chapter on latency: chases round a ring, and sums that are read again and again. Its other kernels do works of other chapters.

use super::atomics::drawn;
use super::{after_steps, with_smaller};
use crate::work::Work;

/// A line of the caches: the smallest slot of a ring.
const LINE_BYTES: usize = 128;
/// A ring of no more slots is walked round once before the clock starts: 64 MiB of lines.
const MOST_WARM_SLOTS: usize = 1 << 19;
/// Steps before the clock starts in a larger ring.
const WARM_UP: usize = 1 << 14;
/// What lies apart far enough to have a page of its own: 2 MiB, a GPU's large page.
const PAGE_BYTES: usize = 2 << 20;

/// A step, the remainder of `slot * factor + addend` by the number of slots: all are visited before one is visited again,
/// if their number has no prime factor above 7.
const STEP: (u64, u64) = (4_199_996_221, 1_000_000_007);

/// Where a walk of so many steps ends that begins at slot 0.
fn end_of_walk(steps: usize, slots: usize) -> u32 {
    // Below the number of slots, which has 32 bits.
    after_steps(0, steps, STEP, slots as u64) as u32
}

/// A walk of so many steps round a ring of lines of 128 bytes, each of which has the address of the next: `last` becomes the
/// number of the line where it ends. `ticks` is for the clocks and the nanoseconds that the steps took, which nobody
/// verifies.
///
/// Kernels take `(u64* ring, unsigned* last, u64* ticks, unsigned slots, unsigned slot_bytes, unsigned warm_up,
/// unsigned steps)`, and make the ring.
pub fn chase(steps: usize, lines: usize) -> Work {
    chase_of(steps, lines, LINE_BYTES)
}

/// The same with one line of each of so many pages of 2 MiB: what is walked through are translations of addresses.
pub fn chase_pages(steps: usize, pages: usize) -> Work {
    chase_of(steps, pages, PAGE_BYTES)
}

fn chase_of(steps: usize, slots: usize, slot_bytes: usize) -> Work {
    let warm_up = match slots {
        few if few <= MOST_WARM_SLOTS => few,
        _ => WARM_UP,
    };
    Work::new(format!(
        "{steps} steps round {slots} slots of {slot_bytes} bytes"
    ))
    .room::<u64>("ring", slots * slot_bytes / 8)
    .output("last", &[end_of_walk(warm_up + steps, slots)])
    .scratch("ticks", &[0_u64; 2])
    .value(slots as u32)
    .value(slot_bytes as u32)
    .value(warm_up as u32)
    .value(steps as u32)
    .moves(8 * steps as u64, 0)
    .of(steps)
}

/// The same with lines again, and `ticks` for what each of them took, by its number, and one more number: that of the
/// multiprocessor.
///
/// Kernels take `(u64* ring, unsigned* last, unsigned* ticks, unsigned slots, unsigned steps)`, and walk in their last block.
pub fn chase_lines(steps: usize, lines: usize) -> Work {
    Work::new(format!("{steps} steps round {lines} lines, one by one"))
        .room::<u64>("ring", lines * LINE_BYTES / 8)
        .output("last", &[end_of_walk(steps, lines)])
        .scratch("ticks", &vec![0_u32; lines + 1])
        .value(lines as u32)
        .value(steps as u32)
        .moves(8 * steps as u64, 0)
        .of(steps)
}

/// The sum of whole numbers, as in [`sum`](super::sum), each of which is read so many times and counts as often. The sum is
/// exact as long as it stays below 2²⁴.
///
/// Kernels take `(const float* x, float* sum, unsigned items, unsigned times)`.
pub fn reread(items: usize, times: usize) -> Work {
    with_smaller(items, |items| {
        let x: Vec<f32> = (0..items).map(|i| drawn(i) as f32).collect();
        let sum: i64 = (0..items).map(|i| i64::from(drawn(i))).sum();
        Work::new(format!("the sum of {items} floats, {times} times over"))
            .input("x", &x)
            .update("sum", &[0_f32], &[(sum * times as i64) as f32])
            .value(items as u32)
            .value(times as u32)
            .moves(4 * items as u64, 0)
            .of(items)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::works;
    use cornerturn_base::Error;
    use cornerturn_runtime::{Device, Kernel};

    #[test]
    fn walks_end_where_they_must_and_take_time() {
        let cases = [
            ("chase_l1", chase(101, 60)),
            ("chase_l2", chase(1000, 96)),
            ("chase_l2", chase_pages(50, 3)),
            ("chase_shared", chase(777, 1000)),
            ("chase_lines", chase_lines(203, 35)),
        ];
        for (id, work) in cases {
            let kernel = Kernel::registered(id).unwrap();
            for block in [32, 96, 1024] {
                let run = work.run(&Device::emulator(), &kernel, 1, block);
                let run = run.unwrap_or_else(|error| panic!("{id}: {error}"));
                assert!(run.remarks.is_empty(), "{id}: {:?}", run.remarks);
            }
        }
        // A walk of one step more ends elsewhere.
        let chase_l2 = Kernel::registered("chase_l2").unwrap();
        let longer = Work::new("a step too many")
            .room::<u64>("ring", 96 * 16)
            .output("last", &[end_of_walk(96 + 11, 96)])
            .scratch("ticks", &[0_u64; 2])
            .value(96_u32)
            .value(128_u32)
            .value(96_u32)
            .value(10_u32);
        let error = longer
            .run(&Device::emulator(), &chase_l2, 1, 32)
            .unwrap_err();
        assert!(matches!(error, Error::WrongResult { .. }), "{error}");
    }

    #[test]
    fn the_emulator_knows_neither_registers_nor_the_time() {
        let (emulator, kernel) = (Device::emulator(), Kernel::registered("one_each").unwrap());
        assert_eq!(emulator.proposed_block(&kernel).unwrap(), None);
        assert_eq!(emulator.capacity().unwrap(), None);
        let ready = chase(5, 7)
            .ready(&emulator, &Kernel::registered("chase_l2").unwrap(), 1, 32)
            .unwrap();
        assert!(matches!(
            ready.time(cornerturn_base::TimingMode::Warm),
            Err(Error::NoClock)
        ));
        assert_eq!(ready.left::<u64>("ticks").unwrap(), [0, 0]);
        let error = ready.left::<u32>("ticks").unwrap_err().to_string();
        assert!(error.contains("no array `ticks` of u32"), "{error}");
    }

    #[test]
    fn sums_are_the_same_for_every_grid() {
        for id in ["in_flight_1", "in_flight_2", "in_flight_4", "in_flight_8"] {
            let kernel = Kernel::registered(id).unwrap();
            for (grid, block) in [(1, 32), (3, 64), (2, 256), (7, 1024)] {
                let run = works::sum(10_007).run(&Device::emulator(), &kernel, grid, block);
                run.unwrap_or_else(|error| panic!("{id}, {grid} blocks of {block}: {error}"));
            }
        }
        for id in ["reread_l1", "reread_l2", "reread_shared"] {
            let kernel = Kernel::registered(id).unwrap();
            let run = reread(9001, 4).run(&Device::emulator(), &kernel, 3, 256);
            run.unwrap_or_else(|error| panic!("{id}: {error}"));
        }
    }

    #[test]
    fn a_ring_visits_every_slot() {
        for slots in [1_u64, 2, 3, 5, 60, 64, 96, 1024, 1536, 4096 * 35, 1 << 18] {
            let mut seen = vec![false; slots as usize];
            let mut slot = 0;
            for step in 0..slots as usize {
                seen[slot as usize] = true;
                slot = (slot * STEP.0 + STEP.1) % slots;
                assert_eq!(u64::from(end_of_walk(step + 1, slots as usize)), slot);
            }
            assert!(slot == 0 && seen.iter().all(|seen| *seen), "{slots}");
        }
    }
}
