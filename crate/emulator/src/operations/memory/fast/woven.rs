//! Warps that access far and wide each but side by side together, as the columns of a matrix: all words of the group are moved at once.

use crate::machine::lanes::Column;
use crate::machine::pattern::{Pattern, RUN, RUNS};
use crate::operations::memory::elements::Stored;
use crate::operations::memory::fast::plan::Plan;
use crate::operations::memory::words::{load_runs, store_runs};
use crate::program::kinds::{GROUP_WARPS, WARP};

/// Lanes of a group.
const LANES: usize = GROUP_WARPS * WARP;

impl<const GLOBAL: bool, const WORDS: usize> Plan<'_, GLOBAL, WORDS> {
    /// Loads for all warps at once where their words are woven into each other; false if that is not so.
    #[inline(always)]
    pub(super) fn load_woven<T: Stored>(
        &self,
        pattern: &mut Pattern,
        out: &mut [Column<T>; 4],
    ) -> bool {
        let Some(first) = self.woven(pattern) else {
            return false;
        };
        let words = self.words();
        let (Some(weave), Some(out)) = (
            pattern.weave(&self.lowest),
            T::as_words_mut(&mut out[0]).and_then(|out| <&mut [u32; LANES]>::try_from(out).ok()),
        ) else {
            return false;
        };
        let mut runs = [[0; RUN]; RUNS];
        if !load_runs(&words[first..], &weave.starts, &mut runs) {
            return false;
        }
        for (places, values) in weave.places.iter().zip(&runs) {
            for (place, value) in places.iter().zip(values) {
                out[usize::from(*place)] = *value;
            }
        }
        true
    }

    /// Stores for all warps at once where their words are woven into each other; false if that is not so.
    #[inline(always)]
    pub(super) fn store_woven<T: Stored>(
        &self,
        pattern: &mut Pattern,
        sources: &[&[T]; 4],
    ) -> bool {
        let Some(first) = self.woven(pattern) else {
            return false;
        };
        let words = self.words();
        let (Some(weave), Some(source)) = (
            pattern.weave(&self.lowest),
            T::as_words(sources[0]).and_then(|source| <&[u32; LANES]>::try_from(source).ok()),
        ) else {
            return false;
        };
        let mut runs = [[0; RUN]; RUNS];
        for (places, values) in weave.places.iter().zip(&mut runs) {
            for (place, value) in places.iter().zip(values) {
                *value = source[usize::from(*place)];
            }
        }
        store_runs(&words[first..], &weave.starts, &runs)
    }

    /// The lowest word of all, if all eight warps access single words near each other but each warp far and wide.
    #[inline(always)]
    fn woven(&self, pattern: &Pattern) -> Option<usize> {
        let may_be = GLOBAL
            && WORDS == 1
            && self.done == (1 << GROUP_WARPS) - 1
            && pattern.run < 4
            && pattern.is_sparse()
            && self.are_neighbours(self.done);
        may_be.then(|| self.lowest.iter().copied().fold(usize::MAX, usize::min))
    }
}
