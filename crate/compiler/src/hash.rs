//! Maps and sets for small keys, with a faster hash than the standard one. What is looked up is this compiler's own
//! numbers, and names of the source: who chooses names that collide only waits longer for the own kernel.

use std::hash::{BuildHasherDefault, Hash, Hasher};

pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Numbers>>;
pub(crate) type HashSet<K> = std::collections::HashSet<K, BuildHasherDefault<Numbers>>;

/// What has one key together, in the order in which the keys come first.
pub(crate) fn grouped<K: Copy + Eq + Hash, T>(
    items: impl Iterator<Item = (K, T)>,
) -> Vec<(K, Vec<T>)> {
    let mut places: HashMap<K, usize> = HashMap::default();
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, item) in items {
        let place = *places.entry(key).or_insert(groups.len());
        if place == groups.len() {
            groups.push((key, Vec::new()));
        }
        groups[place].1.push(item);
    }
    groups
}

/// Multiplies and turns.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Numbers(u64);

impl Numbers {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for Numbers {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        let bits = |bytes: &[u8], at: usize| -> u64 { u64::from(bytes[at]) << (8 * at) };
        match *rest {
            [] => {}
            [a, b, c, d, ref more @ ..] => {
                let low = u64::from(u32::from_le_bytes([a, b, c, d]));
                let high = (0..more.len()).fold(0, |word, at| word | bits(more, at));
                self.add(low | high << 32);
            }
            ref few => self.add((0..few.len()).fold(0, |word, at| word | bits(few, at))),
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.add(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.add(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.add(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}
