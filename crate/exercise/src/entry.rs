//! The parameters that an exercise's kernel takes: as CUDA C++, and held against those of a compiled kernel. What is passed for them is `given`'s.

use super::data::Exercise;
use super::seed::Seed;
use super::work::Work;
use cornerturn_base::element::ElementType;
use cornerturn_base::product_shape::ProductShape;
use cornerturn_base::signature::Parameter;
use cornerturn_emulator::{Param, ParamType};
use cornerturn_runtime::kernel::Kernel;

/// One parameter as it is passed.
enum Passed {
    /// An array, and whether it must stay as it is.
    Pointer {
        name: String,
        element: ElementType,
        is_const: bool,
    },
    /// A number of 32 bits.
    Number(&'static str),
}

impl Exercise {
    /// The kernel's parameters as CUDA C++.
    pub fn parameters(&self) -> String {
        let text = |passed: &Passed| match passed {
            Passed::Pointer {
                name,
                element,
                is_const,
            } => {
                let constant = if *is_const { "const " } else { "" };
                format!("{constant}{}* {name}", in_cuda(*element))
            }
            Passed::Number(name) => format!("unsigned {name}"),
        };
        let texts: Vec<String> = self.passed().iter().map(text).collect();
        texts.join(", ")
    }

    fn passed(&self) -> Vec<Passed> {
        let pointer = |name: &str, element, is_const| Passed::Pointer {
            name: name.to_string(),
            element,
            is_const,
        };
        match self.work {
            Work::Matrix(_) => vec![
                pointer("in", self.element, true),
                pointer("out", self.element, false),
                Passed::Number("rows"),
                Passed::Number("columns"),
            ],
            Work::Product(work) => {
                let problem = work.problem(ProductShape::new(1, 1, 1));
                let (input, output) = (problem.input.storage(), problem.output.storage());
                let bias = work
                    .has_bias()
                    .then(|| pointer("bias", ElementType::F32, true));
                [pointer("a", input, true), pointer("b", input, true)]
                    .into_iter()
                    .chain(bias)
                    .chain([pointer("c", output, false)])
                    .chain(["m", "n", "k"].map(Passed::Number))
                    .collect()
            }
            Work::Arrays(work) => {
                let parameter = work.parameter();
                let least = parameter.as_ref().map_or(0, |(_, values)| *values.start());
                let arrays = work.of(work.size(1, least), Seed(0));
                let pointers = arrays.declared().flatten();
                let numbers = [Some("items"), parameter.map(|(name, _)| name)];
                pointers
                    .map(|(name, element, is_const)| pointer(name, element, is_const))
                    .chain(numbers.into_iter().flatten().map(Passed::Number))
                    .collect()
            }
        }
    }

    /// The first parameter of the kernel that does not take what is passed, and why.
    pub(super) fn misfit(&self, kernel: &Kernel) -> Option<String> {
        let (params, declared, passed) = (kernel.params(), kernel.declared(), self.passed());
        if params.len() != passed.len() {
            return Some(format!(
                "it takes {} parameters, and {} are passed",
                params.len(),
                passed.len()
            ));
        }
        (0..params.len()).find_map(|i| {
            let declared = declared.and_then(|declared| declared.get(i));
            let why = why_not(&passed[i], &params[i], declared)?;
            let name = declared.map_or(String::new(), |declared| format!(" (`{}`)", declared.name));
            Some(format!("parameter {}{name} {why}", i + 1))
        })
    }
}

/// Why a parameter does not take what is passed; `None` where it does.
fn why_not(passed: &Passed, param: &Param, declared: Option<&Parameter>) -> Option<String> {
    let is_integer = |bits: u16| {
        [
            ParamType::Unsigned(bits.into()),
            ParamType::Signed(bits.into()),
            ParamType::Bits(bits.into()),
        ]
        .contains(&param.ty)
    };
    let is_pointer = declared.map(|declared| declared.pointer);
    let Passed::Pointer { element, .. } = passed else {
        let is_count = is_integer(32) || is_integer(64);
        return (is_pointer == Some(true) || !is_count).then(|| "is no integer".to_string());
    };
    match (is_pointer, declared.and_then(|declared| declared.element)) {
        _ if !is_integer(64) => Some("is no pointer".to_string()),
        (Some(false), _) => Some("is no pointer".to_string()),
        (_, Some(found)) if found != *element => Some(format!(
            "points to {found}, and what is passed is of {element}"
        )),
        _ => None,
    }
}

fn in_cuda(element: ElementType) -> &'static str {
    match element {
        ElementType::F16 => "__half",
        ElementType::F32 => "float",
        ElementType::F64 => "double",
        ElementType::I32 => "int",
        ElementType::U32 => "unsigned",
        ElementType::I64 => "long long",
        ElementType::U64 => "unsigned long long",
        ElementType::U8 => "unsigned char",
        ElementType::U16 => "unsigned short",
    }
}
