//! What a kernel is given for a problem: the one place where the arguments of a task are made.

use cornerturn_base::error::Result;
use cornerturn_base::shape::Shape;
use cornerturn_registry::problem::{Arguments, Problem};
use cornerturn_runtime::argument::Argument;
use cornerturn_runtime::buffer::RawBuffer;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::tensor_map::TensorMap;

/// The arguments of `kernel` for `problem` on these buffers.
///
/// # Errors
/// Those of [`TensorMap::new`], for a kernel that takes tensor maps.
pub(super) fn arguments(
    problem: &Problem,
    kernel: &Kernel,
    input: &RawBuffer,
    output: &RawBuffer,
) -> Result<Vec<Argument>> {
    let Shape { rows, columns } = problem.shape;
    if let Some(boxes) = kernel.tensor_boxes() {
        let result = problem.operation.output_shape(problem.shape);
        return Ok(vec![
            (&TensorMap::of(input, problem.shape, boxes.input)?).into(),
            (&TensorMap::of(output, result, boxes.output)?).into(),
            (&rows).into(),
            (&columns).into(),
        ]);
    }
    Ok(match problem.arguments {
        Arguments::Matrix => vec![
            input.into(),
            output.into(),
            (&rows).into(),
            (&columns).into(),
        ],
        Arguments::InPlace => vec![output.into(), (&rows).into()],
        Arguments::Batch => vec![
            input.into(),
            output.into(),
            (&rows).into(),
            (&columns).into(),
            (&problem.batches).into(),
        ],
    })
}
