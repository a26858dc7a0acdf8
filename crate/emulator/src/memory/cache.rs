//! Hints to the host's cache: where they are wrong, nothing but time is lost.

/// Whether hints do anything on this machine.
pub(crate) const HAS_HINTS: bool = cfg!(target_arch = "x86_64");

/// Fetches the line of an item, to be written if `is_store`; anything goes as index.
#[inline(always)]
pub(crate) fn prefetch<T>(items: &[T], at: usize, is_store: bool) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T0, _mm_prefetch};
        let address = items.as_ptr().wrapping_add(at).cast();
        // SAFETY: a hint, which does nothing to memory at any address.
        unsafe {
            if is_store {
                _mm_prefetch::<_MM_HINT_ET0>(address);
            } else {
                _mm_prefetch::<_MM_HINT_T0>(address);
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, at, is_store);
}
