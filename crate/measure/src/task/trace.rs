//! Looking up one access of a trace by the memory that it goes to and its direction. What a trace is, the emulator says.

use cornerturn_base::error::{Error, Result};
use cornerturn_emulator::{Access, Space, Trace};

/// The accesses of a trace, by kind.
///
/// ```
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let task = Task::transpose(&Device::emulator(), 64, 64)?;
/// let trace = task.trace(&Kernel::registered("tiled")?, (2, 2), (32, 8), (0, 0))?;
/// let figure = plot::banks("taking out", trace.shared_load()?);
/// # drop(figure);
/// # Ok(())
/// # }
/// ```
pub trait Accesses {
    /// The first access to a memory in a direction.
    ///
    /// # Errors
    /// [`Error::Usage`] where there is none.
    fn first(&self, space: Space, is_store: bool) -> Result<&Access>;

    /// The first load from global memory.
    ///
    /// # Errors
    /// As [`Accesses::first`].
    fn global_load(&self) -> Result<&Access> {
        self.first(Space::Global, false)
    }

    /// The first store to global memory.
    ///
    /// # Errors
    /// As [`Accesses::first`].
    fn global_store(&self) -> Result<&Access> {
        self.first(Space::Global, true)
    }

    /// The first load from shared memory.
    ///
    /// # Errors
    /// As [`Accesses::first`].
    fn shared_load(&self) -> Result<&Access> {
        self.first(Space::Shared, false)
    }

    /// The first store to shared memory.
    ///
    /// # Errors
    /// As [`Accesses::first`].
    fn shared_store(&self) -> Result<&Access> {
        self.first(Space::Shared, true)
    }
}

impl Accesses for Trace {
    fn first(&self, space: Space, is_store: bool) -> Result<&Access> {
        let mut accesses = self.accesses.iter();
        let wanted = accesses.find(|access| access.space == space && access.is_store == is_store);
        wanted.ok_or_else(|| {
            let what = if is_store { "stores to" } else { "loads from" };
            Error::Usage(format!(
                "nothing in the trace {what} {} memory; it holds {} accesses",
                space.name(),
                self.accesses.len()
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;
    use cornerturn_runtime::{Device, Kernel};

    #[test]
    fn the_first_access_of_a_kind_is_found_or_said_to_be_missing() {
        let task = Task::transpose(&Device::emulator(), 64, 64).unwrap();
        let trace = |id: &str, block: (usize, usize)| {
            let kernel = Kernel::registered(id).unwrap();
            task.trace(&kernel, (2, 2), block, (0, 1)).unwrap()
        };
        let padded = trace("padded", (32, 8));
        assert_eq!(padded.global_load().unwrap(), &padded.accesses[0]);
        let (load, store) = (
            padded.shared_load().unwrap(),
            padded.shared_store().unwrap(),
        );
        assert!(load.order > store.order && !load.is_store && store.is_store);
        assert_eq!(
            load.addresses[1],
            load.addresses[0].map(|first| first + 4 * 33)
        );
        let naive = trace("naive_read", (32, 32));
        assert!(naive.global_store().is_ok());
        let missing = naive.shared_load().map_err(|error| error.to_string());
        assert!(missing.is_err_and(|e| e.contains("loads from shared memory")));
    }
}
