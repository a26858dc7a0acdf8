//! The memory model behind the checks: the PTX memory consistency model, as far as a run can be held to it.
//!
//! Names are those of the PTX ISA, chapter "Memory Consistency Model"; the section of each rule is in quotation marks. The
//! litmus tests in `tests/litmus.rs` are named after these rules.
//!
//! **Conflict** ("Conflict and Data-races"). Two operations conflict if they overlap and one of them writes:
//! [`conflict`], at the width of the narrowest access of the program.
//!
//! **Morally strong** ("Morally Strong Operations"). Two operations are, if one thread does both, or if both are strong
//! (relaxed, acquire, release, volatile, mmio, atomic: "Operation Types") and each one's scope takes in the other's thread;
//! if they use the same proxy; and if they overlap completely. A strong operation of scope `.cta` is weak to other blocks
//! (`Deed::Narrow`). Not looked at: strong operations that overlap in part ("Limitations on Mixed-size Data-races").
//!
//! **Data-race** ("Conflict and Data-races"). Two operations race that conflict, are not morally strong, and that causality
//! order does not put in order. The checks find these, and no order of threads beside the one that ran; what follows
//! says which order of that run is the program's and which was chance.
//!
//! **Program order** ("Program Order") is kept for each warp. Lanes of a warp are in order with each other behind
//! `__syncwarp()` only.
//!
//! **Observation order** ("Observation Order"). A write comes before a read that returns its value, or the value of an atomic
//! that comes behind it in this way, if all of them are morally strong. So the last atomic of a chain has observed all
//! others of it, and [`Observation::observes`] says which operations observe: those that return what they read, of
//! which the program has a use. A reduction (`red`) is a link of a chain, and learns nothing from it.
//!
//! **Synchronisation** ("Release and Acquire Patterns", "Memory Synchronization"). A release pattern is a release, or a
//! fence and a strong write behind it; an acquire pattern is an acquire, or a strong read and a fence behind it. The one
//! synchronises with the other if its write comes in observation order before the read, within the scopes of both.
//! `bar`, `barrier`, `mbarrier` and `barrier.cluster` synchronise their participants ("Memory Synchronization").
//! Reductions are no part of an acquire pattern ("Reductions Do Not Form Acquire Patterns"). Volatile loads and atomics
//! that say nothing of order are relaxed in the manual and acquire here ([`Strength::Strong`]).
//!
//! **Base causality order** ("Causality Order") is what program order and synchronisation put in order, and what these do
//! one after the other: the vector clocks of `clocks`, and of blocks in `order`.
//!
//! **Causality order** ("Causality Order"). X comes before Y if it does so in base causality order, *or if X comes in
//! observation order before a Z that comes before Y in base causality order*. By the second part who got the last of
//! a number of tickets may set the counter back by a plain store: [`may_have_observed`].
//!
//! **Guided**. Nothing makes an atomic the last one but the values. Who asks for its ticket and goes on only with the last
//! one has observed all others in each run; who does not ask has observed them by chance, and in another run has not.
//! So observation counts for an access only if what has been observed decides whether it is done
//! ([`Observation::is_guided`], found by `decode::observed`). This is no rule of the manual, which speaks of one execution;
//! it is what makes of one run's order a word on all.
//!
//! **Proxies** ("Proxies", "Causality Order": proxy-preserved). Operations of the generic and of the asynchronous proxy are in order
//! by a `fence.proxy.async` between: `sources`.
//!
//! **Axioms** ("Axioms": Coherence, Fence-SC, Atomicity, No Thin Air, Sequential Consistency Per Location, Causality). The
//! emulator executes one operation after the other, and each read returns the last write in that order. So all six
//! hold in each run, and what they forbid does not happen. What they allow beyond that (the weak outcomes of
//! store buffering, of load buffering or of message passing) does not happen either: where the program's result could depend
//! on it the accesses race, and that is told; where all are strong, a weak outcome is no race and nothing is told.
//!
//! [`Strength::Strong`]: crate::program::access::Strength

use crate::check::segments::Deed;
use crate::program::observation::Observation;

/// Whether two deeds race if nothing puts them in order. Strong ones do not race with each other; a compare-and-swap finds
/// out whether a weak load before it was out of date.
pub(super) fn conflict(a: Deed, b: Deed) -> bool {
    use Deed::{Load, Strong, Swap, Watch};
    !matches!(
        (a, b),
        (Load | Watch, Load | Watch | Swap)
            | (Swap, Load | Watch)
            | (Watch, Strong)
            | (Strong, Watch)
            | (Strong | Swap, Strong | Swap)
    )
}

/// Whether a weak access at `later` comes behind strong writes that an operation at `observer` has observed, which itself
/// comes before in base causality order.
#[inline]
pub(super) fn may_have_observed(observation: &Observation, observer: u32, later: u32) -> bool {
    observation.observes(observer) && observation.is_guided(later)
}
