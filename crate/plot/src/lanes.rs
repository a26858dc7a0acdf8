//! The 32 lanes of a warp as boxes, side by side or on a telephone below each other. What they ask for is drawn by `sectors` and `banks`, what they exchange by `shuffles`.

use super::canvas::{Anchor, Canvas};
use super::style::{BLUE, FULL, Form, Ink};
use cornerturn_emulator::Access;

/// Where lanes stand: along the form's rows, which run down on a telephone.
pub(super) struct Lanes {
    pub(super) form: Form,
    /// Where the first one begins, and the room of each.
    pub(super) first: f64,
    pub(super) pitch: f64,
    /// Where they begin across, and how far they go.
    pub(super) across: f64,
    pub(super) thick: f64,
}

impl Lanes {
    /// The middle of a lane.
    pub(super) fn middle(&self, lane: usize) -> f64 {
        self.first + (lane as f64 + 0.5) * self.pitch
    }

    pub(super) fn end(&self) -> f64 {
        self.first + 32.0 * self.pitch
    }

    /// Each lane's box, filled if it is active.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, access: &Access) {
        self.boxes(canvas, |lane| access.addresses[lane].is_some());
    }

    /// The same for lanes that are active for another reason.
    pub(super) fn boxes(&self, canvas: &mut Canvas<'_>, is_active: impl Fn(usize) -> bool) {
        let form = self.form;
        for lane in 0..32 {
            let along = self.first + lane as f64 * self.pitch + 1.0;
            let (at, size) = (
                form.at(along, self.across),
                form.at(self.pitch - 2.0, self.thick),
            );
            let (ink, text) = match is_active(lane) {
                true => {
                    canvas.fill(at, size, Ink::Rgb(BLUE, 0.22));
                    (Ink::Rgb(BLUE, 1.0), FULL)
                }
                false => (Ink::Page(0.3), Ink::Page(0.45)),
            };
            canvas.outline(at, size, ink, 1.0);
            let middle = (at.0 + size.0 / 2.0, at.1 + size.1 / 2.0 + 4.0);
            canvas.text(middle, &lane.to_string(), form.tiny(), Anchor::Middle, text);
        }
    }
}
