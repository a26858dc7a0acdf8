//! Which matrices the experiment `transpose` measures with which kernels. How they are measured is in `transpose`.

use cornerturn::registry::KernelEntry;
use cornerturn::task::Arguments;
use cornerturn::{ElementType, Shape};
use std::fmt;

/// The shapes of the book and of the articles that it compares with, two that no tile divides, and one whose rows are
/// no power of two apart.
const FLOATS: [Shape; 8] = [
    Shape::new(2048, 2048),
    Shape::new(4096, 4096),
    Shape::new(4128, 4128),
    Shape::new(8192, 2048),
    Shape::new(4097, 4095),
    Shape::new(1000, 30_000),
    Shape::new(16_384, 16_384),
    Shape::new(32_768, 32_768),
];

const DOUBLES: [Shape; 4] = [
    Shape::new(2048, 2048),
    Shape::new(4096, 4096),
    Shape::new(4097, 4095),
    Shape::new(16_384, 16_384),
];

/// Of other element types.
const OTHERS: [Shape; 3] = [
    Shape::new(4096, 4096),
    Shape::new(4097, 4095),
    Shape::new(16_384, 16_384),
];

const IN_PLACE: [Shape; 2] = [Shape::new(4096, 4096), Shape::new(16_384, 16_384)];

/// Of each matrix of a batch.
const BATCHED: [Shape; 2] = [Shape::new(60, 68), Shape::new(64, 64)];

/// A batch has about so many elements, a power of two of matrices.
const BATCH_ELEMENTS: usize = 1 << 24;

/// Matrices of one shape and element type, and the kernels that are measured on them beside one copy.
pub struct Set<'a> {
    pub element: ElementType,
    pub shape: Shape,
    pub batches: usize,
    pub kernels: Vec<&'a KernelEntry>,
}

impl fmt::Display for Set<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.batches > 1 {
            write!(f, "{} × ", self.batches)?;
        }
        write!(f, "{} {}", self.shape, self.element)
    }
}

/// The sets for these kernels, on their own shapes unless others are given. Sets of one element type follow one another.
pub fn sets<'a>(kernels: &[&'a KernelEntry], shapes: &[Shape]) -> Vec<Set<'a>> {
    let mut sets: Vec<Set> = Vec::new();
    for &entry in kernels {
        let own = own_shapes(entry);
        for &shape in if shapes.is_empty() { own } else { shapes } {
            let batches = batches(entry, shape);
            let key = (entry.element, shape, batches);
            let same = |set: &&mut Set| (set.element, set.shape, set.batches) == key;
            match sets.iter_mut().find(same) {
                Some(set) => set.kernels.push(entry),
                None => sets.push(Set {
                    element: entry.element,
                    shape,
                    batches,
                    kernels: vec![entry],
                }),
            }
        }
    }
    let first = |element: ElementType| kernels.iter().position(|entry| entry.element == element);
    sets.sort_by_key(|set| first(set.element));
    sets
}

fn own_shapes(entry: &KernelEntry) -> &'static [Shape] {
    match (entry.arguments, entry.element) {
        (Arguments::InPlace, _) => &IN_PLACE,
        (Arguments::Batch, _) => &BATCHED,
        (_, ElementType::F32) => &FLOATS,
        (_, ElementType::F64) => &DOUBLES,
        _ => &OTHERS,
    }
}

fn batches(entry: &KernelEntry, shape: Shape) -> usize {
    if entry.arguments != Arguments::Batch {
        return 1;
    }
    let elements = shape.elements().unwrap_or(usize::MAX).max(1);
    // 4112 matrices of 60×68 would do; 4096 are easier to talk about.
    1 << (BATCH_ELEMENTS / elements).max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cornerturn::Registry;

    #[test]
    fn a_set_has_one_element_type_and_a_batch_is_one_of_its_own() {
        let registry = Registry::load().unwrap();
        let mut batched = registry.get("padded").unwrap().clone();
        batched.arguments = Arguments::Batch;
        let mut in_place = batched.clone();
        in_place.arguments = Arguments::InPlace;
        let mut double = registry.get("padded").unwrap().clone();
        double.element = ElementType::F64;
        let float = registry.get("tiled").unwrap();
        let sets = sets(&[&double, float, &in_place, &batched], &[]);
        let shown: Vec<String> = sets.iter().map(Set::to_string).collect();
        assert_eq!(shown[0], "2048×2048 f64");
        assert_eq!(shown.len(), DOUBLES.len() + FLOATS.len() + BATCHED.len());
        let shared = sets.iter().find(|set| set.kernels.len() > 1).unwrap();
        assert_eq!(shared.to_string(), "4096×4096 f32");
        assert!(shown.contains(&"4096 × 64×64 f32".to_string()), "{shown:?}");
        assert!(shown.contains(&"4096 × 60×68 f32".to_string()), "{shown:?}");
    }

    #[test]
    fn shapes_that_are_given_take_the_place_of_all() {
        let registry = Registry::load().unwrap();
        let kernels: Vec<&KernelEntry> = registry.kernels().iter().collect();
        let given = [Shape::new(97, 61)];
        assert!(
            sets(&kernels, &given)
                .iter()
                .all(|set| set.shape == given[0])
        );
    }
}
