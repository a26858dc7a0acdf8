//! Where a short text stands beside its mark, so that it meets no other. Drawing it is the figure's.

/// Places around a mark, the best one first: steps to the side and down.
const AROUND: [(f64, f64); 8] = [
    (1.0, 0.0),
    (0.0, 1.2),
    (-1.0, 0.0),
    (0.0, -1.2),
    (1.0, 1.1),
    (-1.0, -1.1),
    (1.0, -1.1),
    (-1.0, 1.1),
];
/// From a text to the next below it, in pixels.
const STEP: f64 = 10.5;

/// The room of a text or a mark: its middle and half its width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Space {
    pub(super) x: f64,
    pub(super) y: f64,
    half: f64,
}

impl Space {
    pub(super) fn new((x, y): (f64, f64), half: f64) -> Self {
        Self { x, y, half }
    }

    fn meets(&self, other: &Self) -> bool {
        (self.x - other.x).abs() < self.half + other.half && (self.y - other.y).abs() < STEP
    }
}

/// The room of a text of this half width beside a mark, left of `right` and away from what is taken; the best place where
/// none is free.
pub(super) fn beside(
    (x, y): (f64, f64),
    mark: f64,
    half: f64,
    right: f64,
    taken: &[Space],
) -> Space {
    let space = |(across, down): (f64, f64)| {
        let place = (x + across * (half + mark + 2.5), y + down * STEP);
        Space::new(place, half)
    };
    let is_free =
        |space: &Space| space.x + half <= right && !taken.iter().any(|other| other.meets(space));
    let mut spaces = AROUND.into_iter().map(space);
    spaces.find(is_free).unwrap_or(space(AROUND[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_goes_where_nothing_stands() {
        let mark = Space::new((50.0, 50.0), 3.0);
        let first = beside((50.0, 50.0), 3.0, 4.0, 100.0, &[mark]);
        assert!(first.x > 50.0 && first.y == 50.0, "{first:?}");
        let second = beside((50.0, 50.0), 3.0, 4.0, 100.0, &[mark, first]);
        assert!(!second.meets(&first) && !second.meets(&mark), "{second:?}");
        let left = beside((98.0, 50.0), 3.0, 4.0, 100.0, &[]);
        assert!(left.x + 4.0 <= 100.0, "{left:?}");
    }
}
