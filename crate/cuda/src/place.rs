//! Where in the program's source a call stands, as far as somebody knows. Whoever wraps the driver says it; the driver notes it.

use std::cell::RefCell;
use std::fmt;

/// A line of the program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file, as the compiler names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

thread_local! {
    static HERE: RefCell<Option<Place>> = const { RefCell::new(None) };
}

/// Says where the calls of this thread stand from now on.
pub fn set(place: Option<Place>) {
    // A thread that ends has no calls to place.
    let _ = HERE.try_with(|here| here.replace(place));
}

/// Where the call stands that this thread is in.
pub fn here() -> Option<Place> {
    HERE.try_with(|here| here.borrow().clone()).ok().flatten()
}
