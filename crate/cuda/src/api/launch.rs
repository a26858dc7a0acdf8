//! Launches and the attributes of kernels.

use std::ffi::{c_int, c_uint};
use std::sync::Arc;

use cornerturn_emulator::Arg;

use super::kernel::no_attribute;
use super::structs::LaunchConfig;
use super::{Handle, In, Out, bytes_at, driver, exports};
use crate::launch::{Function, FunctionAttribute, KernelLaunch};
use crate::status::{Error, Result, Status};
use crate::work::{HostCall, Work};

/// Pointers from C to each parameter's value, or null.
pub(crate) type Params = *const *const u8;

exports! {
    /// Launches a kernel.
    fn cuLaunchKernel(function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared_bytes: c_uint, stream: Handle, params: Params, extra: Params) {
        let shape = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z], shared_bytes);
        let launch = launch(function, shape, (params, extra))?;
        driver()?.submit(stream, Work::Kernel(launch))
    }

    /// Launches one with attributes.
    fn cuLaunchKernelEx(config: In<LaunchConfig>, function: Handle, params: Params, extra: Params) {
        let config = config.get()?;
        let shape = (config.grid, config.block, config.shared_bytes);
        let mut launch = launch(function, shape, (params, extra))?;
        for attribute in In(config.attributes).list(config.attribute_count as usize)? {
            let value = attribute.value;
            match attribute.id {
                2 => launch.is_cooperative = value[0] != 0,
                4 => launch.cluster = Some([value[0], value[1], value[2]]),
                6 => launch.is_programmatic = value[0] != 0,
                // An event that is recorded when the blocks have begun: the launch is over then.
                7 => {}
                // Policies and priorities, which change no result.
                0 | 1 | 3 | 5 | 8..=10 | 14 | 16 => {}
                other => {
                    let message = format!("the launch attribute {other} is not known here");
                    return Err(Error::new(Status::NOT_SUPPORTED, message));
                }
            }
        }
        driver()?.submit(config.stream, Work::Kernel(launch))
    }

    /// Launches a kernel whose blocks run all together.
    fn cuLaunchCooperativeKernel(function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared_bytes: c_uint, stream: Handle, params: Params) {
        let shape = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z], shared_bytes);
        let mut launch = launch(function, shape, (params, std::ptr::null()))?;
        launch.is_cooperative = true;
        driver()?.submit(stream, Work::Kernel(launch))
    }

    /// Calls a function of the host in the order of a stream.
    fn cuLaunchHostFunc(stream: Handle, function: Option<extern "C" fn(u64)>, data: u64) {
        let function = function.ok_or(Status::INVALID_VALUE)?;
        let call = HostCall(Arc::new(move || function(data)));
        driver()?.submit(stream, Work::Host(call))
    }

    /// An attribute of a kernel.
    fn cuFuncGetAttribute(value: Out<c_int>, number: c_uint, function: Handle) {
        value.check()?;
        value.set(driver()?.function_of(function)?.attribute(attribute(number)?))
    }

    /// Sets one.
    fn cuFuncSetAttribute(function: Handle, number: c_uint, value: c_int) {
        driver()?.function_of(function)?.set_attribute(attribute(number)?, value)
    }

    /// What is preferred of L1 and shared memory changes nothing.
    fn cuFuncSetCacheConfig(function: Handle, _config: c_uint) {
        driver()?.function_of(function).map(drop)
    }

    /// Banks of shared memory have 4 bytes.
    fn cuFuncSetSharedMemConfig(function: Handle, _config: c_uint) {
        driver()?.function_of(function).map(drop)
    }
}

/// The attribute of a number.
pub(crate) fn attribute(number: c_uint) -> Result<FunctionAttribute> {
    FunctionAttribute::of(number).ok_or_else(|| no_attribute(number))
}

/// A launch as C asks for it.
pub(crate) fn launch(
    function: Handle,
    (grid, block, shared_bytes): ([u32; 3], [u32; 3], u32),
    (params, extra): (Params, Params),
) -> Result<KernelLaunch> {
    let function = driver()?.function_of(function)?;
    if grid.contains(&0) || block.contains(&0) {
        return Err(Status::INVALID_VALUE.into());
    }
    let arguments = arguments(&function, params, extra)?;
    Ok(KernelLaunch {
        function,
        grid,
        block,
        shared_bytes,
        arguments,
        cluster: None,
        is_cooperative: false,
        is_programmatic: false,
    })
}

/// The values of the parameters: each behind a pointer of its own, or all in one buffer that `extra` names.
fn arguments(function: &Function, params: Params, extra: Params) -> Result<Vec<Arg>> {
    if !params.is_null() {
        let params = In(params).list(function.params.len())?;
        let one = |(param, value): (&cornerturn_emulator::Param, &*const u8)| {
            Ok(Arg(bytes_at(*value as u64, param.bytes)?.to_vec()))
        };
        return function.params.iter().zip(&params).map(one).collect();
    }
    if extra.is_null() {
        return function.arguments(&[]);
    }
    let (mut buffer, mut bytes) = (0, 0);
    for pair in 0.. {
        let key = In(extra).at(2 * pair)? as u64;
        if key == 0 {
            break;
        }
        let value = In(extra).at(2 * pair + 1)? as u64;
        match key {
            1 => buffer = value,
            2 => bytes = In(value as *const usize).get()?,
            _ => return Err(Status::INVALID_VALUE.into()),
        }
    }
    match bytes {
        0 => function.arguments(&[]),
        bytes => function.arguments(bytes_at(buffer, bytes)?),
    }
}
