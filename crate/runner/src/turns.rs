//! In which order those that are measured beside one another take their turns. How often and how long is the caller's.

/// The numbers below `count`, in an order that differs from round to round and is the same in each run: whoever comes
/// right after another, and gains or suffers by what that one left behind, does so in one round only.
pub fn shuffled(count: usize, round: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    fastrand::Rng::with_seed(round as u64).shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn everybody_has_a_turn_and_follows_many_others() {
        let mut before_the_first = BTreeSet::new();
        for round in 0..50 {
            let order = shuffled(10, round);
            assert_eq!(order, shuffled(10, round));
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..10).collect::<Vec<_>>());
            let place = order.iter().position(|&n| n == 0).unwrap_or(0);
            before_the_first.insert(place.checked_sub(1).map(|place| order[place]));
        }
        assert_eq!(before_the_first.len(), 10, "{before_the_first:?}");
        assert!(shuffled(0, 0).is_empty());
    }
}
