//! Whether the arguments of a launch fit the kernel's parameters, before anything runs.

use super::spec::Spec;
use crate::element::ElementType;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use cornerturn_emulator::{Module, Param, ParamType};

/// Whether the arguments are as many as the parameters, and each of its parameter's kind and size.
///
/// # Errors
/// [`Error::Usage`] with the first that does not.
pub fn check_arguments(kernel: &Kernel, specs: &[Spec]) -> Result<()> {
    let params = kernel.params();
    if params.len() != specs.len() {
        let kinds: Vec<String> = params.iter().map(kind).collect();
        let kinds = if kinds.is_empty() {
            String::new()
        } else {
            format!(" ({})", kinds.join(", "))
        };
        return Err(Error::Usage(format!(
            "`{}` takes {} arguments{kinds}, and {} were given; give one --arg for each parameter",
            kernel.entry(),
            params.len(),
            specs.len(),
        )));
    }
    for (index, (param, spec)) in params.iter().zip(specs).enumerate() {
        if !fits(param, spec) {
            return Err(Error::Usage(format!(
                "argument {index} is {}, and the parameter `{}` of `{}` is {}",
                spec.describe(),
                param.name,
                kernel.entry(),
                kind(param),
            )));
        }
    }
    Ok(())
}

fn fits(param: &Param, spec: &Spec) -> bool {
    match spec {
        Spec::Buffer { .. } | Spec::Texture(_) => {
            param.bytes == 8 && !matches!(param.ty, ParamType::Float(_) | ParamType::Bytes(_))
        }
        Spec::Scalar { element, bytes } => {
            let same_kind = match param.ty {
                ParamType::Float(_) => element.is_float(),
                ParamType::Unsigned(_) | ParamType::Signed(_) => !element.is_float(),
                // Bits may be either; nvcc passes a half as a structure of two bytes.
                ParamType::Bits(_) => true,
                ParamType::Bytes(_) => *element == ElementType::F16,
            };
            same_kind && param.bytes == bytes.len()
        }
        Spec::Bytes(bytes) => param.bytes == bytes.len(),
        Spec::Struct(_) => {
            let (bytes, align) = spec.layout();
            matches!(param.ty, ParamType::Bytes(_)) && param.bytes == bytes && align <= param.align
        }
    }
}

/// A parameter's type in words, with the SPEC that fits it.
fn kind(param: &Param) -> String {
    match param.ty {
        ParamType::Unsigned(64) | ParamType::Bits(64) | ParamType::Signed(64) => {
            "a pointer or 64-bit integer".to_string()
        }
        ParamType::Unsigned(bits) | ParamType::Signed(bits) => format!("a {bits}-bit integer"),
        ParamType::Bits(bits) => format!("a {bits}-bit value"),
        ParamType::Float(bits) => format!("a {bits}-bit float"),
        ParamType::Bytes(bytes) => {
            format!("a structure of {bytes} bytes, aligned to {}", param.align)
        }
    }
}

/// Whether dynamic shared memory is given where the kernel needs it.
///
/// # Errors
/// [`Error::Usage`] where it is not.
pub fn check_shared(kernel: &Kernel, module: &Module) -> Result<()> {
    let needs = module
        .entry(kernel.entry())
        .is_ok_and(|entry| entry.uses_dynamic_shared());
    if needs && kernel.dynamic_shared_bytes() == 0 {
        return Err(Error::Usage(format!(
            "`{}` uses extern __shared__ memory, whose size the launch gives; add --shared BYTES",
            kernel.entry()
        )));
    }
    Ok(())
}
