//! What findings call an allocation: as the program calls the pointer, and where it was allocated.

use crate::place::variable;
use cornerturn_cuda::{Driver, here};

/// The name of what the call that this thread is in allocates, by the source line that it stands in; none where that does
/// not tell. `calls` are the functions that the line may name.
pub(crate) fn of_call(driver: &Driver, calls: &[&str]) -> Option<String> {
    if !driver.settings().check {
        return None;
    }
    let place = here()?;
    calls.iter().find_map(|call| variable(&place, call))
}
