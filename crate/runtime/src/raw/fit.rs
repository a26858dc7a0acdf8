//! Whether the arguments of a launch fit the kernel's parameters, before anything runs.

use super::spec::{Spec, scalar_text};
use super::suggest::{needs_shared, suggest};
use crate::kernel::Kernel;
use cornerturn_base::element::ElementType;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::signature::Parameter;
use cornerturn_emulator::{Module, Param, ParamType};

/// Whether the arguments are as many as the parameters, and each of its parameter's kind and size.
///
/// # Errors
/// [`Error::Usage`] with the first that does not.
pub fn check_arguments(kernel: &Kernel, specs: &[Spec]) -> Result<()> {
    let params = kernel.params();
    let declared = |at: usize| kernel.declared().and_then(|declared| declared.get(at));
    let examples: Vec<String> = suggest(kernel, 0)
        .into_iter()
        .enumerate()
        .map(|(at, example)| match specs.get(at) {
            Some(spec) if fits(&params[at], declared(at), spec) => {
                spec.written().unwrap_or(example)
            }
            Some(spec) => retyped(spec, &example),
            None => example,
        })
        .collect();
    if params.len() != specs.len() {
        let named = |(at, param): (usize, &Param)| match declared(at) {
            Some(declared) => format!("`{}`, {}", declared.name, kind(param, Some(declared))),
            None => kind(param, None),
        };
        let named: Vec<String> = params.iter().enumerate().map(named).collect();
        let wanted = match named.as_slice() {
            [] => "; it has no parameter".to_string(),
            named => format!(
                "; one for each parameter ({}), such as {}",
                named.join("; "),
                examples.join(" ")
            ),
        };
        return Err(Error::Usage(format!(
            "`{}` takes {}, and {} given{wanted}",
            kernel.entry(),
            match params.len() {
                1 => "1 argument".to_string(),
                number => format!("{number} arguments"),
            },
            match specs.len() {
                1 => "1 was".to_string(),
                number => format!("{number} were"),
            },
        )));
    }
    for (index, (param, spec)) in params.iter().zip(specs).enumerate() {
        let declared = declared(index);
        if !fits(param, declared, spec) {
            return Err(Error::Usage(format!(
                "argument {index} is {}, and the parameter `{}` of `{}` is {}: write {}",
                spec.describe(),
                declared.map_or(&param.name, |declared| &declared.name),
                kernel.entry(),
                kind(param, declared),
                examples[index],
            )));
        }
    }
    Ok(())
}

/// What was written, with the type of an example that fits: its own length and fill, or its own number. The example where
/// they are of different kinds.
fn retyped(spec: &Spec, example: &str) -> String {
    let own = match (spec, example.parse()) {
        (Spec::Buffer { length, fill, .. }, Ok(Spec::Buffer { element, .. })) => {
            Some(format!("{element}[{length}]={fill}"))
        }
        (
            Spec::Scalar {
                element: own,
                bytes,
            },
            Ok(Spec::Scalar { element, .. }),
        ) => {
            let written = format!("{element}={}", scalar_text(*own, bytes));
            // A fraction is no integer, and a large number does not fit in every type.
            written.parse::<Spec>().is_ok().then_some(written)
        }
        _ => None,
    };
    own.unwrap_or_else(|| example.to_string())
}

fn fits(param: &Param, declared: Option<&Parameter>, spec: &Spec) -> bool {
    match spec {
        // A number of 64 bits is as long as an address.
        Spec::Buffer { element, .. }
            if declared.is_some_and(|declared| refuses(declared, *element)) =>
        {
            false
        }
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

/// Whether the declaration says that it takes no buffer of these elements.
fn refuses(declared: &Parameter, element: ElementType) -> bool {
    declared
        .element
        .is_some_and(|own| !declared.pointer || own != element)
}

/// A parameter's type in words.
fn kind(param: &Param, declared: Option<&Parameter>) -> String {
    match declared {
        Some(declared) if declared.pointer => return format!("a pointer to `{}`", declared.ty),
        Some(declared) if declared.is_number() => {
            return format!("a number of type `{}`", declared.ty);
        }
        _ => {}
    }
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
    if needs_shared(kernel, module) && kernel.dynamic_shared_bytes() == 0 {
        return Err(Error::Usage(format!(
            "`{}` uses extern __shared__ memory, whose size the launch gives, and it gives none: in a terminal `--shared BYTES` does, \
             on a page the field of dynamic shared memory",
            kernel.entry()
        )));
    }
    Ok(())
}
