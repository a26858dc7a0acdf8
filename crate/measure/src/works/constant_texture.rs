//! The works of the chapter on constant and texture memory: tables looked up, pictures turned and blurred, a row sampled.

use super::{distinct, with_smaller};
use crate::work::Work;
use cornerturn_base::shape::Shape;
use cornerturn_emulator::{AddressMode, Sampling};
use cornerturn_runtime::argument::Argument;

/// Entries of the table: as many as a byte has values.
const ENTRIES: usize = 256;

/// So many bytes, of which 32 side by side have `different` values.
fn indices(items: usize, different: usize) -> Vec<u8> {
    let index = |i: usize| (i / 32 * 7 + i % 32 % different) % ENTRIES;
    (0..items).map(|i| index(i) as u8).collect()
}

fn looked_up(items: usize, different: usize, table: impl Fn(Work, &[f32]) -> Work + Copy) -> Work {
    with_smaller(items, |items| {
        let entries: Vec<f32> = distinct(ENTRIES);
        let x = indices(items, different);
        let y: Vec<f32> = x.iter().map(|index| entries[usize::from(*index)]).collect();
        let what = format!("{items} floats from a table, {different} different in a warp");
        table(Work::new(what), &entries)
            .input("x", &x)
            .output("y", &y)
            .value(items as u32)
            .moves(items as u64, 4 * items as u64)
    })
}

/// `y[i] = table[x[i]]`, with the table among the parameters; the 32 indices of a warp have so many different values.
///
/// Kernels take `(Table table, const unsigned char* x, float* y, unsigned items)`, with 256 floats in `Table`.
pub fn look_up_parameter(items: usize, different: usize) -> Work {
    looked_up(items, different, |work, entries| {
        work.value(Argument::bytes(bytemuck::cast_slice(entries)))
    })
}

/// The same with the table in an array.
///
/// Kernels take `(const float* table, const unsigned char* x, float* y, unsigned items)`.
pub fn look_up_array(items: usize, different: usize) -> Work {
    looked_up(items, different, |work, entries| {
        work.input("table", entries)
    })
}

/// The shape of a picture of at least so many pixels: its width is a power of two.
pub(super) fn picture(items: usize) -> Shape {
    let mut columns = 1;
    while columns * columns < items {
        columns *= 2;
    }
    Shape::new(items.div_ceil(columns), columns)
}

/// Cosine and sine in 1/65536.
fn turn(degrees: usize) -> (i32, i32) {
    let angle = (degrees as f64).to_radians();
    let fixed = |value: f64| (value * 65536.0).round() as i32;
    (fixed(angle.cos()), fixed(angle.sin()))
}

/// Where the pixel in this column and row comes from, if that is inside.
fn origin(shape: Shape, (x, y): (usize, usize), (cosine, sine): (i32, i32)) -> Option<usize> {
    let (width, height) = (shape.columns as i32, shape.rows as i32);
    let (dx, dy) = (x as i32 - width / 2, y as i32 - height / 2);
    let u = ((cosine * dx - sine * dy + 32768) >> 16) + width / 2;
    let v = ((sine * dx + cosine * dy + 32768) >> 16) + height / 2;
    let inside = (0..width).contains(&u) && (0..height).contains(&v);
    inside.then(|| v as usize * shape.columns + u as usize)
}

/// A picture of whole numbers, whose sums are exact.
fn pixels(shape: Shape) -> Vec<f32> {
    let count = shape.rows * shape.columns;
    (0..count).map(|i| (i * 7919 % 65521 + 1) as f32).collect()
}

fn rotated(
    items: usize,
    degrees: usize,
    from: impl Fn(Work, &[f32], Shape) -> Work + Copy,
) -> Work {
    with_smaller(items, |items| {
        let (shape, angle) = (picture(items), turn(degrees));
        let before = pixels(shape);
        let places = (0..shape.rows).flat_map(|y| (0..shape.columns).map(move |x| (x, y)));
        let after: Vec<f32> = places
            .map(|place| origin(shape, place, angle).map_or(0.0, |from| before[from]))
            .collect();
        let work = Work::new(format!(
            "a picture of {shape} floats, turned by {degrees} degrees"
        ));
        from(work, &before, shape)
            .output("to", &after)
            .value(shape.columns as i32)
            .value(shape.rows as i32)
            .value(angle.0)
            .value(angle.1)
    })
}

/// A picture turned by so many degrees; beyond its edge is black.
///
/// Kernels take `(const float* from, float* to, int width, int height, int cosine, int sine)`.
pub fn rotate_array(items: usize, degrees: usize) -> Work {
    rotated(items, degrees, |work, pixels, _| work.input("from", pixels))
}

/// The same from a texture whose border is black.
///
/// Kernels take `(cudaTextureObject_t from, float* to, int width, int height, int cosine, int sine)`.
pub fn rotate_texture(items: usize, degrees: usize) -> Work {
    rotated(items, degrees, |work, pixels, shape| {
        let sampling = Sampling::point().beyond(AddressMode::Border);
        work.texture("from", pixels, shape, sampling)
    })
}

fn blurred(items: usize, from: impl Fn(Work, &[f32], Shape) -> Work + Copy) -> Work {
    with_smaller(items, |items| {
        let shape = picture(items);
        let before = pixels(shape);
        let near = |at: usize, last: usize| [at.saturating_sub(1), at, (at + 1).min(last)];
        let sum = |x: usize, y: usize| -> f32 {
            let rows = near(y, shape.rows - 1).into_iter();
            let row = |y: usize| near(x, shape.columns - 1).map(|x| before[y * shape.columns + x]);
            rows.flat_map(row).sum()
        };
        let places = (0..shape.rows).flat_map(|y| (0..shape.columns).map(move |x| (x, y)));
        let after: Vec<f32> = places.map(|(x, y)| sum(x, y)).collect();
        let work = Work::new(format!(
            "a picture of {shape} floats, each with its neighbours"
        ));
        from(work, &before, shape)
            .output("to", &after)
            .value(shape.columns as i32)
            .value(shape.rows as i32)
    })
}

/// The sum of each pixel and its eight neighbours; at the edge those inside count again.
///
/// Kernels take `(const float* from, float* to, int width, int height)`.
pub fn blur_array(items: usize) -> Work {
    blurred(items, |work, pixels, _| work.input("from", pixels))
}

/// The same from a texture that clamps.
///
/// Kernels take `(cudaTextureObject_t from, float* to, int width, int height)`.
pub fn blur_texture(items: usize) -> Work {
    blurred(items, |work, pixels, shape| {
        work.texture("from", pixels, shape, Sampling::point())
    })
}

/// A row of two texels, 0 and 1, sampled with a linear filter from the centre of one to the centre of the other.
///
/// Kernels take `(cudaTextureObject_t row, const float* x, float* y, unsigned items)`.
pub fn sample(items: usize) -> Work {
    with_smaller(items, |items| {
        let places: Vec<f32> = (0..items).map(|i| 0.5 + i as f32 / items as f32).collect();
        // Rounded to 1/256 of a texel.
        let values: Vec<f32> = places
            .iter()
            .map(|x| (x * 256.0 + 0.5).floor() / 256.0 - 0.5)
            .collect();
        let row = Shape::new(1, 2);
        Work::new(format!("{items} samples between two texels"))
            .texture("row", &[0.0_f32, 1.0], row, Sampling::linear())
            .input("x", &places)
            .output("y", &values)
            .value(items as u32)
    })
}
