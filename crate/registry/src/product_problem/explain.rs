//! The mistake that wrong elements of a product show, where it can be recognised.

use super::ProductProblem;
use super::data::{Factor, Inputs};
use cornerturn_base::product_mismatch::ProductMistake;

/// A wrong result.
pub(super) struct View<'v> {
    pub(super) problem: &'v ProductProblem,
    pub(super) inputs: &'v Inputs,
    /// Whether the factors are such that one sum is not taken for another.
    pub(super) is_exact: bool,
    /// The element at an index of C: its value and its bits.
    pub(super) found: &'v dyn Fn(usize) -> (f64, u32),
}

/// So many wrong elements are looked at: more than one, since a sum may be another's by chance.
const LOOKED_AT: usize = 6;

/// How far off a shifted result is looked for.
const SHIFTS: [isize; 12] = [1, 2, 3, 4, 8, 16, 24, 32, 48, 64, 96, 128];

/// The mistake that these wrong elements show, given by their indices, the first one first.
pub(super) fn explain(view: &View, wrong: &[usize]) -> Option<ProductMistake> {
    let n = view.problem.shape.n;
    let wrong = &wrong[..wrong.len().min(LOOKED_AT)];
    let found: Vec<(f64, u32)> = wrong.iter().map(|&index| (view.found)(index)).collect();
    let (first, bits) = *found.first()?;
    if bits == u32::MAX >> (32 - 8 * view.problem.output.bytes()) {
        return Some(ProductMistake::Unwritten);
    }
    if first == 0.0 {
        return Some(ProductMistake::Zero);
    }
    if !view.is_exact {
        return None;
    }
    let places: Vec<Place> = wrong
        .iter()
        .zip(&found)
        .map(|(&index, &(found, _))| Place {
            row: index / n,
            column: index % n,
            found,
        })
        .collect();
    let recognise = [doubled, cut_short, misread, moved];
    recognise.iter().find_map(|one| one(view, &places))
}

/// A wrong element.
struct Place {
    row: usize,
    column: usize,
    found: f64,
}

impl View<'_> {
    /// Whether something is at every place what was found there; at one place alone that may be chance.
    fn is_everywhere(&self, places: &[Place], sum: impl Fn(&Place) -> Option<f64>) -> bool {
        let output = self.problem.output;
        let is_found = |place: &Place| {
            sum(place).is_some_and(|sum| output.decode(output.encode(sum)) == place.found)
        };
        places.iter().all(is_found)
    }

    fn product(&self, place: &Place, p: usize) -> f64 {
        self.inputs.value(Factor::A, place.row, p) * self.inputs.value(Factor::B, p, place.column)
    }

    fn sum(&self, row: usize, column: usize) -> f64 {
        let place = Place {
            row,
            column,
            found: 0.0,
        };
        (0..self.problem.shape.k)
            .map(|p| self.product(&place, p))
            .sum()
    }
}

fn doubled(view: &View, places: &[Place]) -> Option<ProductMistake> {
    let twice = |place: &Place| Some(2.0 * view.sum(place.row, place.column));
    view.is_everywhere(places, twice)
        .then_some(ProductMistake::Doubled)
}

/// Products missing at the end or at the beginning.
fn cut_short(view: &View, places: &[Place]) -> Option<ProductMistake> {
    let k = view.problem.shape.k;
    let first = places.first()?;
    let whole = view.sum(first.row, first.column);
    let part = |place: &Place, from: usize, to: usize| -> f64 {
        (from..to).map(|p| view.product(place, p)).sum()
    };
    let mut added = 0.0;
    let mut ends = Vec::new();
    for p in 0..k {
        added += view.product(first, p);
        // The tiles of k that kernels have are even.
        let end = p + 1;
        if end < k && end % 2 == 0 && (added == first.found || whole - added == first.found) {
            ends.push(end);
        }
    }
    // A whole tile is likelier than a part of one, and most of the sum than little.
    ends.sort_by_key(|end| std::cmp::Reverse((end.trailing_zeros().min(7), *end)));
    ends.into_iter().take(64).find_map(|end| {
        if view.is_everywhere(places, |place| Some(part(place, 0, end))) {
            return Some(ProductMistake::FirstProducts { added: end, of: k });
        }
        let rest = |place: &Place| Some(part(place, end, k));
        view.is_everywhere(places, rest)
            .then_some(ProductMistake::WithoutFirst { missing: end })
    })
}

/// A factor read by another index.
fn misread(view: &View, places: &[Place]) -> Option<ProductMistake> {
    let (shape, layout) = (view.problem.shape, view.problem.layout);
    let stored = |factor, index| view.inputs.stored(factor, index);
    let with_a = |index: &dyn Fn(usize, usize) -> usize, place: &Place| -> Option<f64> {
        let product = |p: usize| {
            Some(
                stored(Factor::A, index(place.row, p))?
                    * view.inputs.value(Factor::B, p, place.column),
            )
        };
        (0..shape.k).map(product).sum()
    };
    let with_b = |index: &dyn Fn(usize, usize) -> usize, place: &Place| -> Option<f64> {
        let product = |p: usize| {
            Some(
                view.inputs.value(Factor::A, place.row, p)
                    * stored(Factor::B, index(p, place.column))?,
            )
        };
        (0..shape.k).map(product).sum()
    };
    let (a, b) = (layout.is_a_transposed(), layout.is_b_transposed());
    // As the factor would lie if it lay the other way.
    let a_other = move |row: usize, p: usize| match a {
        true => row * shape.k + p,
        false => p * shape.m + row,
    };
    if view.is_everywhere(places, |place| with_a(&a_other, place)) {
        return Some(ProductMistake::FactorTransposed {
            name: 'A',
            lies_transposed: a,
        });
    }
    let b_other = move |p: usize, column: usize| match b {
        true => p * shape.n + column,
        false => column * shape.k + p,
    };
    if view.is_everywhere(places, |place| with_b(&b_other, place)) {
        return Some(ProductMistake::FactorTransposed {
            name: 'B',
            lies_transposed: b,
        });
    }
    let (is_a, is_b) = (layout.a(shape).columns, layout.b(shape).columns);
    for taken in shape.array() {
        let a_led = move |row: usize, p: usize| match a {
            true => p * taken + row,
            false => row * taken + p,
        };
        if taken != is_a && view.is_everywhere(places, |place| with_a(&a_led, place)) {
            return Some(ProductMistake::LeadingDimension {
                name: 'A',
                taken,
                is: is_a,
            });
        }
        let b_led = move |p: usize, column: usize| match b {
            true => column * taken + p,
            false => p * taken + column,
        };
        if taken != is_b && view.is_everywhere(places, |place| with_b(&b_led, place)) {
            return Some(ProductMistake::LeadingDimension {
                name: 'B',
                taken,
                is: is_b,
            });
        }
    }
    None
}

/// The right elements in another place.
fn moved(view: &View, places: &[Place]) -> Option<ProductMistake> {
    let shape = view.problem.shape;
    // What stands at an index if C was written column after column.
    let turned = |place: &Place| {
        let index = place.row * shape.n + place.column;
        Some(view.sum(index % shape.m, index / shape.m))
    };
    if view.is_everywhere(places, turned) {
        return Some(ProductMistake::ResultTransposed);
    }
    let both = SHIFTS.into_iter().flat_map(|shift| [shift, -shift]);
    let shifts = both.flat_map(|shift| [(shift, 0), (0, shift)]);
    for (rows, columns) in shifts {
        let there = |place: &Place| {
            let row = place
                .row
                .checked_add_signed(rows)
                .filter(|row| *row < shape.m)?;
            let column = place.column.checked_add_signed(columns);
            let column = column.filter(|column| *column < shape.n)?;
            Some(view.sum(row, column))
        };
        if view.is_everywhere(places, there) {
            return Some(ProductMistake::Shifted { rows, columns });
        }
    }
    None
}
