//! Sorting of records by what a report lists them by. One sort of numbers serves them all: in a page, each type's own would be loaded as code.

use std::cmp::Ordering;

/// Sorts by a key, which is made once of each record; equal ones stay in their order.
pub(crate) fn sort_by_key<T, K: Ord>(records: &mut Vec<T>, key: impl Fn(&T) -> K) {
    if records.len() < 2 {
        return;
    }
    let keys: Vec<K> = records.iter().map(key).collect();
    let order = order(keys.len(), &|a, b| keys[a].cmp(&keys[b]));
    let mut given: Vec<Option<T>> = records.drain(..).map(Some).collect();
    records.extend(order.into_iter().filter_map(|at| given[at].take()));
}

/// The numbers below `count`, sorted.
fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}
