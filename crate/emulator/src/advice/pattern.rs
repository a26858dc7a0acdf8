//! How the addresses of one request lie to each other, as a programmer would say it.

/// How the active lanes of a request lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LanePattern {
    /// All at one address.
    Same,
    /// Each lane so many bytes behind the one before it, negative if before it.
    Stride {
        /// Bytes from lane to lane.
        bytes: i64,
        /// So many lanes follow each other so, then there is a gap: 32 if all do.
        run: u32,
    },
    /// Without order.
    Scattered,
}

impl LanePattern {
    /// Of a request's addresses. A warp of a block that is 8 or 16 threads wide has runs of so many lanes.
    pub fn of(addresses: &[Option<u64>; 32]) -> Self {
        let active: Vec<u64> = addresses.iter().flatten().copied().collect();
        let steps: Vec<i64> = active
            .windows(2)
            .map(|pair| pair[1].wrapping_sub(pair[0]) as i64)
            .collect();
        let Some(first) = steps.first() else {
            return Self::Same;
        };
        if steps.iter().all(|step| step == first) {
            return match first {
                0 => Self::Same,
                bytes => Self::Stride {
                    bytes: *bytes,
                    run: 32,
                },
            };
        }
        // Runs of 2, 4, 8 or 16 lanes with the same step, and any step between two runs.
        for run in [16, 8, 4, 2] {
            let inside = |at: usize| !(at + 1).is_multiple_of(run);
            let fits = (steps.iter().enumerate()).all(|(at, step)| !inside(at) || step == first);
            if fits && active.len() == 32 {
                return match first {
                    0 if run < 8 => Self::Scattered,
                    bytes => Self::Stride {
                        bytes: *bytes,
                        run: run as u32,
                    },
                };
            }
        }
        Self::with_gaps(addresses)
            .or_else(|| Self::nearly_all(&steps))
            .unwrap_or(Self::Scattered)
    }

    /// Each active lane so far from the others as they are apart in the warp, where some between them are idle.
    fn with_gaps(addresses: &[Option<u64>; 32]) -> Option<Self> {
        let mut active = (0_i64..)
            .zip(addresses)
            .filter_map(|(lane, at)| Some((lane, (*at)?)));
        let (first_lane, first) = active.next()?;
        let distance = |at: u64| at.wrapping_sub(first) as i64;
        let (lane, address) = active.next()?;
        let bytes = distance(address) / (lane - first_lane);
        let is_in_place =
            |(lane, at): (i64, u64)| bytes.checked_mul(lane - first_lane) == Some(distance(at));
        (bytes != 0 && is_in_place((lane, address)) && active.all(is_in_place))
            .then_some(Self::Stride { bytes, run: 32 })
    }

    /// A step that all lanes but one or two have, as where an index wraps at an edge.
    fn nearly_all(steps: &[i64]) -> Option<Self> {
        let times = |step: &i64| steps.iter().filter(|other| *other == step).count();
        let common = steps.iter().take(4).max_by_key(|step| times(step))?;
        let is_most = steps.len() >= 16 && times(common) + 2 >= steps.len();
        (is_most && *common != 0).then_some(Self::Stride {
            bytes: *common,
            run: 32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(of: impl Fn(u64) -> u64) -> [Option<u64>; 32] {
        std::array::from_fn(|lane| Some(of(lane as u64)))
    }

    #[test]
    fn patterns_are_named_by_what_lanes_do() {
        let stride = |bytes, run| LanePattern::Stride { bytes, run };
        assert_eq!(LanePattern::of(&addresses(|_| 96)), LanePattern::Same);
        assert_eq!(
            LanePattern::of(&addresses(|lane| 100 + 12 * lane)),
            stride(12, 32)
        );
        assert_eq!(
            LanePattern::of(&addresses(|lane| 4096 - 4 * lane)),
            stride(-4, 32)
        );
        let block_of_16 = addresses(|lane| 4 * (lane % 16) + 1000 * (lane / 16));
        assert_eq!(LanePattern::of(&block_of_16), stride(4, 16));
        let random = addresses(|lane| 4 * (lane * lane * 37 % 101));
        assert_eq!(LanePattern::of(&random), LanePattern::Scattered);
        let wrapped = addresses(|lane| 4096 + (lane + 127) % 128);
        assert_eq!(LanePattern::of(&wrapped), stride(1, 32));
        let masked = std::array::from_fn(|lane| (lane % 3 != 1).then_some(512 + 8 * lane as u64));
        assert_eq!(LanePattern::of(&masked), stride(8, 32));
        let mut some = [None; 32];
        (some[3], some[9]) = (Some(64), Some(8));
        assert_eq!(LanePattern::of(&some), stride(-56, 32));
        assert_eq!(LanePattern::of(&[None; 32]), LanePattern::Same);
    }
}
