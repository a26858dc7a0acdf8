//! Grouping for the vectorisation of accesses: which of several accesses to neighbouring places become one, by the
//! rules that NVIDIA's compiler seems to follow. How they become one stands in `join_accesses`.

/// Elements that one access has at most.
const MOST: usize = 4;

/// Bytes that one access has at most.
const MOST_BYTES: i64 = 16;

/// Elements that are loaded though nobody asked, between those of one group.
const MOST_EXTRA: usize = 2;

/// A place that is accessed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) offset: i64,
    /// What the address is known to be a multiple of.
    pub(super) align: i64,
    /// Whose access it is, by the caller's numbering.
    pub(super) of: usize,
}

/// An access of `count` elements that begins at the first of these places.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) count: usize,
    /// By element: whose it was; none where nobody asked for it.
    pub(super) members: Vec<Option<usize>>,
}

/// The groups of more than one element among places of `bytes` each. Loads may fill gaps, stores not.
pub(super) fn groups(mut places: Vec<Place>, bytes: i64, is_load: bool) -> Vec<Group> {
    places.sort_by_key(|place| place.offset);
    let mut found = Vec::new();
    let mut chain: Vec<Option<Place>> = Vec::new();
    let mut end = 0;
    for place in places {
        let gap = match chain.is_empty() {
            true => 0,
            false => place.offset - end,
        };
        let missing = (gap / bytes) as usize;
        let follows =
            gap == 0 || (is_load && gap > 0 && gap % bytes == 0 && fills(&chain, missing));
        if !follows {
            split(&chain, bytes, is_load, &mut found);
            chain.clear();
        } else if !chain.is_empty() {
            chain.extend(std::iter::repeat_n(None, missing));
        }
        chain.push(Some(place));
        end = place.offset + bytes;
    }
    split(&chain, bytes, is_load, &mut found);
    found
}

/// Whether so many elements that nobody asked for are put behind a chain, to reach the next that somebody did.
fn fills(chain: &[Option<Place>], missing: usize) -> bool {
    let extra = chain.iter().filter(|place| place.is_none()).count();
    let reaches = matches!((chain.len(), missing), (1, 1 | 2) | (2 | 3, 1));
    reaches && extra + missing <= MOST_EXTRA
}

/// Cuts a chain where its addresses are aligned, the longest pieces first.
fn split(chain: &[Option<Place>], bytes: i64, is_load: bool, found: &mut Vec<Group>) {
    let mut at = 0;
    while at < chain.len() {
        let Some(first) = chain[at] else {
            at += 1;
            continue;
        };
        let left = (chain.len() - at).min(MOST);
        let fits = |taken: &usize| {
            let count = taken.next_power_of_two();
            let whole = count as i64 * bytes;
            (is_load || count == *taken) && whole <= MOST_BYTES && first.align >= whole
        };
        let Some(taken) = (2..=left).rev().find(fits) else {
            at += 1;
            continue;
        };
        let count = taken.next_power_of_two();
        let mut members: Vec<Option<usize>> = chain[at..at + taken]
            .iter()
            .map(|place| place.map(|place| place.of))
            .collect();
        members.resize(count, None);
        found.push(Group { count, members });
        at += taken;
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, groups};

    /// The elements of each access of more than one, for floats in an object that is aligned to 16 bytes.
    fn of(elements: &[i64], is_load: bool) -> Vec<Vec<Option<usize>>> {
        let places = elements.iter().map(|element| Place {
            offset: 4 * element,
            align: 1 << (16 | (4 * element)).trailing_zeros(),
            of: *element as usize,
        });
        let found = groups(places.collect(), 4, is_load);
        found.into_iter().map(|group| group.members).collect()
    }

    #[test]
    fn loads_fill_gaps_and_stores_do_not() {
        assert_eq!(of(&[0, 3], true), [vec![Some(0), None, None, Some(3)]]);
        assert_eq!(
            of(&[0, 1, 2], true),
            [vec![Some(0), Some(1), Some(2), None]]
        );
        assert_eq!(of(&[0, 1, 2], false), [vec![Some(0), Some(1)]]);
        assert_eq!(of(&[0, 2], false), Vec::<Vec<_>>::new());
    }

    #[test]
    fn what_is_not_aligned_stands_alone() {
        assert_eq!(of(&[1, 2], true), Vec::<Vec<_>>::new());
        assert_eq!(of(&[1, 2, 3], true), [[Some(2), Some(3)]]);
        assert_eq!(of(&[2, 5], true), [[Some(2), None]]);
        assert_eq!(
            of(&[2, 3, 6, 7], true),
            [[Some(2), Some(3)], [Some(6), Some(7)]]
        );
    }
}
