//! What a kernel is given for a product: the one place where the arguments are made.

use cornerturn_base::error::Result;
use cornerturn_base::shape::Shape;
use cornerturn_base::tensor_box::TensorBox;
use cornerturn_registry::product_problem::ProductProblem;
use cornerturn_runtime::argument::Argument;
use cornerturn_runtime::buffer::RawBuffer;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::tensor_map::TensorMap;

/// The arguments of `kernel` for `problem` on these three buffers.
///
/// # Errors
/// Those of [`TensorMap::of`], for a kernel that takes tensor maps.
pub(super) fn arguments(
    problem: &ProductProblem,
    kernel: &Kernel,
    [a, b, c]: [&RawBuffer; 3],
) -> Result<Vec<Argument>> {
    let (shape, layout, boxes) = (problem.shape, problem.layout, kernel.product_boxes());
    let matrix = |buffer: &RawBuffer, lies: Shape, tile: Option<TensorBox>| {
        Ok(match tile {
            Some(tile) => (&TensorMap::of(buffer, lies, tile)?).into(),
            None => buffer.into(),
        })
    };
    Ok(vec![
        matrix(a, layout.a(shape), boxes.a)?,
        matrix(b, layout.b(shape), boxes.b)?,
        matrix(c, layout.c(shape), boxes.c)?,
        (&shape.m).into(),
        (&shape.n).into(),
        (&shape.k).into(),
    ])
}
