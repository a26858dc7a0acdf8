//! What a launch is given and must leave behind, as grading sees it: the same for a matrix and for arrays. Those are `matrix` and `arrays`.

use cornerturn_base::error::Result;
use cornerturn_base::html::Wanted;
use cornerturn_runtime::argument::Argument;
use cornerturn_runtime::buffer::RawBuffer;

/// What lies on a device for one launch.
pub(super) trait Given {
    /// Makes every buffer as it is before a launch; outputs are poisoned.
    fn prepare(&self) -> Result<()>;

    /// The kernel's arguments.
    fn arguments(&self) -> Vec<Argument>;

    /// What is wrong with the buffers after a launch, if anything.
    fn compare(&self) -> Result<Option<WrongResult>>;

    /// What must be read and written.
    fn wanted(&self) -> Wanted;

    /// Every buffer.
    fn buffers(&self) -> Vec<&RawBuffer>;
}

/// What is wrong with a result.
pub(super) struct WrongResult {
    pub(super) claim: String,
    pub(super) reason: String,
    /// A map of the wrong elements; empty where none helps.
    pub(super) map: String,
}
