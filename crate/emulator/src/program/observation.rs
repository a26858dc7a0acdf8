//! Which instructions observe what other threads have done, and which run only because of what has been observed.

/// By the number of an instruction's place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Observation {
    observers: Vec<bool>,
    guided: Vec<bool>,
    /// Nothing is known of what runs because of what.
    pub(crate) is_unknown: bool,
}

impl Observation {
    /// The instruction is an atomic or a strong load whose result the program has a use for.
    pub(crate) fn add_observer(&mut self, place: u32) {
        set(&mut self.observers, place);
    }

    /// The instruction runs only if what has been observed says so.
    pub(crate) fn add_guided(&mut self, place: u32) {
        set(&mut self.guided, place);
    }

    pub(crate) fn has_observers(&self) -> bool {
        !self.observers.is_empty()
    }

    pub(crate) fn observes(&self, place: u32) -> bool {
        self.observers.get(place as usize) == Some(&true)
    }

    pub(crate) fn is_guided(&self, place: u32) -> bool {
        self.is_unknown || self.guided.get(place as usize) == Some(&true)
    }
}

fn set(places: &mut Vec<bool>, place: u32) {
    let at = place as usize;
    if places.len() <= at {
        places.resize(at + 1, false);
    }
    places[at] = true;
}
