//! Arguments that fit a kernel whose author is not asked: examples in messages, and what a page fills in for a kernel that somebody pasted.

use super::spec::Spec;
use super::structs;
use crate::kernel::Kernel;
use cornerturn_base::element::ElementType;
use cornerturn_base::signature::{self, Parameter};
use cornerturn_emulator::{Module, Param, ParamType};

/// Elements of a buffer: one for each thread, but enough for a loop, and no more than is quickly filled.
const FEW: u64 = 32;
const USUAL: u64 = 1024;
const MOST: u64 = 1 << 20;

/// For each parameter of the kernel the text of an argument that fits it, for a launch of so many threads. What a number
/// means nobody knows: one alone is taken for the number of elements, several for the sides of a square of them.
pub fn suggest(kernel: &Kernel, threads: u64) -> Vec<String> {
    let elements = match threads {
        0..FEW => USUAL,
        threads => threads.min(MOST),
    };
    let declared = |at: usize| kernel.declared().and_then(|declared| declared.get(at));
    let params = kernel.params();
    let passed: Vec<Passed> = (0..params.len())
        .map(|at| Passed::of(&params[at], declared(at)))
        .collect();
    let has = |is: fn(&Passed) -> bool| passed.iter().filter(|passed| is(passed)).count();
    let count = match has(|passed| matches!(passed, Passed::Integer(_))) {
        0 | 1 => elements,
        _ => elements.isqrt(),
    };
    // What is read is declared so, or else nobody knows what is written.
    let written = match has(|passed| matches!(passed, Passed::Buffer { is_const: true, .. })) {
        0 => "iota",
        _ => "zero",
    };
    let text = |passed: &Passed| match passed {
        Passed::Buffer {
            element,
            lanes,
            is_const,
        } => {
            let fill = if *is_const { "iota" } else { written };
            format!("{element}[{}]={fill}", elements * *lanes as u64)
        }
        Passed::Texture => "tex2d:f32[32,32]=iota".to_string(),
        Passed::Surface => "surf2d:f32[32,32]=iota".to_string(),
        // A letter or a truth is no count.
        Passed::Integer(element) if element.bytes() == 1 => format!("{element}=1"),
        Passed::Integer(element) => format!("{element}={count}"),
        Passed::Float(element) => format!("{element}=1"),
        Passed::Bytes(bytes) => format!("bytes={}", "00".repeat(*bytes)),
    };
    let structure = |at: usize, bytes: usize| {
        let (source, ty) = (kernel.source()?, &declared(at)?.ty);
        let text = structs::suggested(source, ty, count, elements)?;
        let fits = text
            .parse()
            .is_ok_and(|spec: Spec| spec.layout().0 == bytes);
        fits.then_some(text)
    };
    let numbered = passed.iter().enumerate();
    numbered
        .map(|(at, passed)| match passed {
            Passed::Bytes(bytes) => structure(at, *bytes).unwrap_or_else(|| text(passed)),
            _ => text(passed),
        })
        .collect()
}

/// Whether the kernel has shared memory whose size the launch gives.
pub fn needs_shared(kernel: &Kernel, module: &Module) -> bool {
    let entry = module.entry(kernel.entry());
    entry.is_ok_and(|entry| entry.uses_dynamic_shared())
}

/// What a parameter takes.
enum Passed {
    Buffer {
        element: ElementType,
        lanes: usize,
        is_const: bool,
    },
    Texture,
    Surface,
    Integer(ElementType),
    Float(ElementType),
    /// So many bytes of anything else.
    Bytes(usize),
}

impl Passed {
    fn of(param: &Param, declared: Option<&Parameter>) -> Self {
        match declared {
            Some(declared) if declared.pointer => {
                // Of a type that is not ours nobody knows how large it is: bytes enough for most.
                let (element, lanes) = pointed_to(declared).unwrap_or((ElementType::F32, 4));
                Self::Buffer {
                    element,
                    lanes,
                    is_const: declared.is_const,
                }
            }
            Some(declared) if declared.ty == "cudaTextureObject_t" => Self::Texture,
            Some(declared) if declared.ty == "cudaSurfaceObject_t" => Self::Surface,
            Some(declared) => Self::by_value(param, declared.element, true),
            None => Self::by_value(param, None, false),
        }
    }

    fn by_value(param: &Param, element: Option<ElementType>, is_number: bool) -> Self {
        // A structure may be as long as a number.
        let own = element.filter(|element| element.bytes() == param.bytes);
        match (own, param.ty) {
            (Some(element), _) if element.is_float() => Self::Float(element),
            (Some(element), _) => Self::Integer(element),
            (_, ParamType::Float(32)) => Self::Float(ElementType::F32),
            (_, ParamType::Float(64)) => Self::Float(ElementType::F64),
            (_, ParamType::Bytes(_) | ParamType::Float(_)) => Self::Bytes(param.bytes),
            _ => match param.bytes {
                8 if is_number => Self::Integer(ElementType::I64),
                // PTX does not tell a pointer from a number, and pointers are usual.
                8 => Self::Buffer {
                    element: ElementType::F32,
                    lanes: 1,
                    is_const: false,
                },
                4 => Self::Integer(ElementType::I32),
                1 => Self::Integer(ElementType::U8),
                bytes => Self::Bytes(bytes),
            },
        }
    }
}

/// What the elements of a buffer are, and how many belong together.
fn pointed_to(declared: &Parameter) -> Option<(ElementType, usize)> {
    match (declared.ty.as_str(), declared.element) {
        ("char" | "signed char" | "bool", _) => Some((ElementType::U8, 1)),
        ("void", _) => None,
        ("short" | "__nv_bfloat16", _) => Some((ElementType::U16, 1)),
        (_, Some(element)) => Some((element, 1)),
        // What a pointer to a pointer leads to is no element.
        (ty, None) => signature::lanes(ty).filter(|(_, lanes)| *lanes > 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::{Spec, check_arguments};

    /// Of a kernel with these parameters, compiled here.
    fn suggested(parameters: &str, threads: u64) -> Vec<String> {
        let source = format!(
            "#include <cuda_fp16.h>\nstruct Pair {{ int a; float b; double c; }};\n\
             extern \"C\" __global__ void k({parameters}) {{}}\n"
        );
        let compiler = crate::Compiler::of(crate::CompilerKind::CornerTurn).unwrap();
        let kernel = Kernel::cuda_by(&compiler, &source, "k.cu", "k").unwrap();
        let texts = suggest(&kernel, threads);
        let specs: Vec<Spec> = texts.iter().map(|text| text.parse().unwrap()).collect();
        check_arguments(&kernel, &specs).unwrap();
        texts
    }

    #[test]
    fn what_is_suggested_fits() {
        assert_eq!(
            suggested("const float* x, float* y, float by, unsigned n", 4096),
            ["f32[4096]=iota", "f32[4096]=zero", "f32=1", "u32=4096"]
        );
        assert_eq!(
            suggested("float* x, int* y", 1),
            ["f32[1024]=iota", "i32[1024]=iota"]
        );
        assert_eq!(
            suggested("const float4* in, half2* out, int rows, int columns", 1024),
            ["f32[4096]=iota", "f16[2048]=zero", "i32=32", "i32=32"]
        );
        assert_eq!(
            suggested("Pair p, long long n, char c, double d, half h, bool b", 64),
            [
                "struct{i32=8,f32=1,f64=1}",
                "i64=8",
                "u8=1",
                "f64=1",
                "f16=1",
                "u8=1"
            ]
        );
        assert_eq!(
            suggested("void* p, float** q, Pair* r, unsigned short* s", 64),
            [
                "f32[256]=iota",
                "f32[256]=iota",
                "f32[256]=iota",
                "u16[64]=iota"
            ]
        );
        assert!(suggested("", u64::MAX).is_empty());
    }
}
