//! A launch checked against the kernel's parameters and the device's limits, before anything runs.

use crate::argument::{Argument, Value, describe_type};
use crate::device::{Device, Prepared};
use crate::kernel::Kernel;
use cornerturn_base::element::ElementType;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::shape::Dim3;
use cornerturn_emulator::{TENSOR_MAP_BYTES, resident_blocks};

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
    check_residence(device, kernel, grid, block)?;
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
        let elsewhere = "it lives on another device; create it on the one that launches";
        if let Some(texture) = argument.texture() {
            texture.check_alive()?;
            if !texture.device().is_same(device) {
                return Err(fail(format!("{}: {elsewhere}", place())));
            }
        }
        for buffer in argument.buffers() {
            buffer.check_alive()?;
            if !buffer.device().is_same(device) {
                return Err(fail(format!("{}: {elsewhere}", place())));
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
        cluster: kernel.cluster(),
        is_cooperative: kernel.is_cooperative(),
        is_programmatic: kernel.is_programmatic(),
        parameters,
        caches: kernel.caches().clone(),
        window: window(device, kernel, arguments)?,
    })
}

/// Where the kernel's window over L2 begins, and its bytes; none of them without a window.
fn window(device: &Device, kernel: &Kernel, arguments: &[Argument]) -> Result<(u64, u64)> {
    let asked = kernel.caches();
    let Some(window) = &asked.window else {
        return Ok((0, 0));
    };
    let fail = |reason| Error::Limit {
        kernel: kernel.name().to_string(),
        reason,
    };
    let buffers: Vec<_> = arguments.iter().flat_map(Argument::buffers).collect();
    let Some(buffer) = buffers.iter().find(|b| b.name() == window.buffer) else {
        let names: Vec<String> = buffers.iter().map(|b| format!("`{}`", b.name())).collect();
        return Err(fail(format!(
            "the window lies over a buffer `{}`, and those of the launch are: {}",
            window.buffer,
            names.join(", ")
        )));
    };
    let limits = device.cache_limits();
    let bytes = limits.window_bytes_of(window, asked.persisting_bytes, buffer.bytes() as u64);
    Ok((buffer.address(), bytes.map_err(fail)?))
}

/// What PTX does not keep: which 64-bit parameters are pointers, and to what.
fn check_declared(kernel: &Kernel, i: usize, argument: &Argument) -> Result<(), String> {
    let Some(declared) = kernel.declared().and_then(|declared| declared.get(i)) else {
        return Ok(());
    };
    match (&argument.0, declared.pointer) {
        (Value::Buffer(buffer), true) => match declared.element {
            // Halves are bits to a source without NVIDIA's headers.
            Some(ElementType::U16) if buffer.element() == ElementType::F16 => Ok(()),
            Some(element) if element != buffer.element() => {
                Err(format!("the kernel takes a pointer to {element}"))
            }
            _ => Ok(()),
        },
        (Value::Buffer(_), false)
            if kernel
                .params()
                .get(i)
                .is_none_or(|param| param.bytes != TENSOR_MAP_BYTES) =>
        {
            Err("the kernel takes a value here, not a pointer".to_string())
        }
        (Value::TensorMap(_), true) => {
            Err("the kernel takes a pointer here, and a tensor map goes by value".to_string())
        }
        (Value::Texture(_), true) => Err(
            "the kernel takes a pointer here; a texture goes to a `cudaTextureObject_t`"
                .to_string(),
        ),
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
    check_dimensions(grid, block)
        .and_then(|()| check_needs(device, kernel, block))
        .and_then(|()| check_cluster(device, kernel, grid))
        .and_then(|()| check_programmatic(device, kernel))
        .map_err(|reason| Error::Limit {
            kernel: kernel.name().to_string(),
            reason,
        })
}

/// Limits that hold for every kernel.
fn check_dimensions(grid: Dim3, block: Dim3) -> Result<(), String> {
    let sides = [
        ("grid", "blocks", grid, MOST_BLOCKS),
        ("block", "threads", block, MOST_THREADS),
    ];
    for (name, parts, dims, most) in sides {
        for ((axis, n), most) in ["x", "y", "z"].iter().zip(dims.array()).zip(most) {
            if n == 0 || n > most {
                return Err(format!(
                    "the {name} has {n} {parts} in {axis}; CUDA allows 1 to {most}"
                ));
            }
        }
    }
    let threads = block.count();
    if threads > MOST_THREADS_OF_A_BLOCK {
        return Err(format!(
            "the block {block} has {threads} threads; CUDA allows {MOST_THREADS_OF_A_BLOCK}"
        ));
    }
    Ok(())
}

/// A cooperative grid of more blocks than the device runs together.
pub(super) fn check_residence(
    device: &Device,
    kernel: &Kernel,
    grid: Dim3,
    block: Dim3,
) -> Result<()> {
    if !kernel.is_cooperative() {
        return Ok(());
    }
    let fail = |reason| Error::Limit {
        kernel: kernel.name().to_string(),
        reason,
    };
    if !device.launches_cooperatively()? {
        return Err(fail(format!(
            "{} has no cooperative launches",
            device.name()
        )));
    }
    let multiprocessors = u64::from(device.multiprocessors());
    let most = match device.resources(kernel, block)? {
        Some(resources) => Some(u64::from(resources.blocks_per_multiprocessor) * multiprocessors),
        None => {
            let entry = kernel.module()?.entry(kernel.entry()).ok();
            entry.and_then(|entry| {
                resident_blocks(entry, block.array(), kernel.dynamic_shared_bytes())
            })
        }
    };
    match most {
        Some(most) if grid.count() > most => Err(fail(format!(
            "the grid has {} blocks, and a cooperative launch runs all of them together; {most} such blocks fit on \
             {multiprocessors} multiprocessors",
            grid.count()
        ))),
        _ => Ok(()),
    }
}

/// Clusters that no GPU has, or not this one.
fn check_cluster(device: &Device, kernel: &Kernel, grid: Dim3) -> Result<(), String> {
    let module = kernel.module().ok();
    let entry = module.and_then(|module| module.entry(kernel.entry()).ok());
    if let Some(entry) = entry
        && let Some(what) = entry.cluster_misfit(grid.array(), kernel.cluster())
    {
        return Err(what);
    }
    match kernel.cluster() {
        Some(_) => check_hopper(device, "clusters need"),
        None => Ok(()),
    }
}

fn check_programmatic(device: &Device, kernel: &Kernel) -> Result<(), String> {
    match kernel.is_programmatic() {
        true => check_hopper(device, "programmatic dependent launches need"),
        false => Ok(()),
    }
}

/// Refuses a GPU that is older than what is needed.
fn check_hopper(device: &Device, need: &str) -> Result<(), String> {
    let capability = &device.facts().compute_capability;
    let major = capability.split('.').next();
    match major.and_then(|major| major.parse::<u32>().ok()) {
        Some(major) if major < 9 => Err(format!(
            "{need} a GPU of compute capability 9.0 (Hopper) or later, and this one has {capability}; the emulator runs \
             them too (CORNERTURN_DEVICE=emulator)"
        )),
        _ => Ok(()),
    }
}

/// Limits that the kernel sets, or the device for what it needs. Unknown where the emulator does not read its PTX: the
/// driver checks them again.
fn check_needs(device: &Device, kernel: &Kernel, block: Dim3) -> Result<(), String> {
    let module = kernel.module().ok();
    let Some(entry) = module.and_then(|module| module.entry(kernel.entry()).ok()) else {
        return Ok(());
    };
    let threads = block.count();
    match entry.max_threads() {
        Some(most) if threads > u64::from(most) => {
            return Err(format!(
                "the block {block} has {threads} threads, and the kernel was compiled for at most {most} \
                 (__launch_bounds__)"
            ));
        }
        _ => {}
    }
    let shared = u64::from(entry.static_shared_bytes()) + u64::from(kernel.dynamic_shared_bytes());
    device.cache_limits().check(kernel.caches(), shared)?;
    match device.shared_limit_bytes() {
        Some(most) if shared > u64::from(most) => Err(format!(
            "a block needs {shared} bytes of shared memory, and this GPU has {most} for one"
        )),
        _ => Ok(()),
    }
}
