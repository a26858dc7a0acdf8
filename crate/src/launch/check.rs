//! A launch checked against the kernel's parameters and the device's limits, before anything runs.

use super::Prepared;
use crate::argument::{Argument, Value, describe_type};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::shape::Dim3;

/// CUDA's limits of a launch (CUDA C++ programming guide, table of technical specifications).
const MOST_BLOCKS: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
const MOST_THREADS: [u32; 3] = [1024, 1024, 64];
const MOST_THREADS_OF_A_BLOCK: u64 = 1024;

/// Checks a launch against the kernel and the device, and lays its parameters out.
pub(crate) fn prepare(
    device: &Device,
    kernel: &Kernel,
    grid: Dim3,
    block: Dim3,
    arguments: &[Argument],
) -> Result<Prepared> {
    check_limits(device, kernel, grid, block)?;
    let params = kernel.params();
    let fail = |reason| Error::Arguments {
        kernel: kernel.name().to_string(),
        reason,
    };
    if arguments.len() != params.len() {
        return Err(fail(format!(
            "takes {} arguments{}, and {} were given",
            params.len(),
            parameter_names(kernel),
            arguments.len()
        )));
    }
    let mut parameters = Vec::with_capacity(params.len());
    for (i, (argument, param)) in arguments.iter().zip(params).enumerate() {
        let place = || {
            let declared = kernel.declared().and_then(|declared| declared.get(i));
            let name = declared.map_or(&param.name, |declared| &declared.name);
            format!("argument {} (`{name}`) is {}", i + 1, argument.describe())
        };
        check_declared(kernel, i, argument).map_err(|why| fail(format!("{}: {why}", place())))?;
        if let Some(buffer) = argument.buffer() {
            buffer.check_alive()?;
            if !buffer.device().is_same(device) {
                let why = "it lives on another device; create it on the one that launches";
                return Err(fail(format!("{}: {why}", place())));
            }
        }
        let bytes = argument
            .pack(param)
            .map_err(|why| fail(format!("{}: {why}", place())))?;
        parameters.push(bytes);
    }
    Ok(Prepared {
        grid,
        block,
        dynamic_shared_bytes: kernel.dynamic_shared_bytes(),
        parameters,
    })
}

/// What PTX does not keep: which 64-bit parameters are pointers, and to what.
fn check_declared(kernel: &Kernel, i: usize, argument: &Argument) -> Result<(), String> {
    let Some(declared) = kernel.declared().and_then(|declared| declared.get(i)) else {
        return Ok(());
    };
    match (&argument.0, declared.pointer) {
        (Value::Buffer(buffer), true) => match declared.element {
            Some(element) if element != buffer.element() => {
                Err(format!("the kernel takes a pointer to {element}"))
            }
            _ => Ok(()),
        },
        (Value::Buffer(_), false) => {
            Err("the kernel takes a value here, not a pointer".to_string())
        }
        (Value::Integer { .. } | Value::Float { .. }, true) => {
            Err("the kernel takes a pointer here; give it a buffer".to_string())
        }
        _ => Ok(()),
    }
}

fn parameter_names(kernel: &Kernel) -> String {
    let names: Vec<String> = match kernel.declared() {
        Some(declared) => declared
            .iter()
            .map(|parameter| parameter.name.clone())
            .collect(),
        None => kernel.params().iter().map(describe_type).collect(),
    };
    if names.is_empty() {
        String::new()
    } else {
        format!(" ({})", names.join(", "))
    }
}

fn check_limits(device: &Device, kernel: &Kernel, grid: Dim3, block: Dim3) -> Result<()> {
    let fail = |reason| {
        Err(Error::Limit {
            kernel: kernel.name().to_string(),
            reason,
        })
    };
    let over = |dims: Dim3, most: [u32; 3]| {
        let axes = ["x", "y", "z"]
            .iter()
            .zip(dims.array().into_iter().zip(most));
        axes.filter(|(_, (n, most))| *n == 0 || n > most)
            .map(|(axis, (n, most))| (*axis, n, most))
            .next()
    };
    if let Some((axis, n, most)) = over(grid, MOST_BLOCKS) {
        return fail(format!(
            "the grid has {n} blocks in {axis}; CUDA allows 1 to {most}"
        ));
    }
    if let Some((axis, n, most)) = over(block, MOST_THREADS) {
        return fail(format!(
            "the block has {n} threads in {axis}; CUDA allows 1 to {most}"
        ));
    }
    if block.count() > MOST_THREADS_OF_A_BLOCK {
        return fail(format!(
            "the block {block} has {} threads; CUDA allows {MOST_THREADS_OF_A_BLOCK}",
            block.count()
        ));
    }
    let entry = kernel
        .module()
        .ok()
        .and_then(|module| module.entry(kernel.entry()).ok());
    let Some(entry) = entry else { return Ok(()) };
    if let Some(most) = entry.max_threads()
        && block.count() > u64::from(most)
    {
        return fail(format!(
            "the block {block} has {} threads, and the kernel was compiled for at most {most} \
             (__launch_bounds__)",
            block.count()
        ));
    }
    let dynamic = kernel.dynamic_shared_bytes();
    if entry.uses_dynamic_shared() && dynamic == 0 {
        return fail(
            "uses `extern __shared__` memory, whose size the launch gives; write \
             kernel.with_dynamic_shared_bytes(…)"
                .to_string(),
        );
    }
    let shared = u64::from(entry.static_shared_bytes()) + u64::from(dynamic);
    match device.shared_limit_bytes() {
        Some(most) if shared > u64::from(most) => fail(format!(
            "a block needs {shared} bytes of shared memory, and this GPU has {most} for one"
        )),
        _ => Ok(()),
    }
}
