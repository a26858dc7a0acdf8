//! What the CUDA C++ source says about a kernel's parameters: names and pointed-to types, which PTX does not keep. A light reading of one declaration, not a parser of C++.

use crate::element::ElementType;

/// One parameter as the source declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Whether it is a pointer.
    pub pointer: bool,
    /// Whether what it points to is not written through it.
    pub is_const: bool,
    /// The name of the type pointed to or passed, without qualifiers.
    pub ty: String,
    /// The element type pointed to or passed, where it is one of ours.
    pub element: Option<ElementType>,
}

impl Parameter {
    /// Whether it is a number passed by value, of a type that is one of ours.
    pub fn is_number(&self) -> bool {
        !self.pointer && self.element.is_some()
    }
}

/// The parameters of `entry`, or `None` where the declaration is not found or not plain.
pub fn parameters(source: &str, entry: &str) -> Option<Vec<Parameter>> {
    let source = without_comments(source);
    let list = find_list(&source, entry)?;
    if list.trim().is_empty() || list.trim() == "void" {
        return Some(Vec::new());
    }
    list.split(',').map(parameter).collect()
}

/// The text between the parentheses after `entry` in its `__global__` declaration.
fn find_list<'a>(source: &'a str, entry: &str) -> Option<&'a str> {
    let mut from = 0;
    while let Some(at) = source[from..].find("__global__") {
        let declaration = &source[from + at..];
        from += at + "__global__".len();
        let open = declaration.find(['{', ';']).unwrap_or(declaration.len());
        let head = &declaration[..open];
        let Some(start) = head.match_indices(entry).find_map(|(at, _)| {
            let before = head[..at].chars().next_back()?;
            let rest = head[at + entry.len()..].trim_start();
            (!is_word(before) && rest.starts_with('(')).then(|| head.len() - rest.len() + 1)
        }) else {
            continue;
        };
        let end = head[start..].rfind(')')? + start;
        // A nested parenthesis means a function pointer or an attribute: not plain.
        return Some(&head[start..end]).filter(|list| !list.contains(['(', '<', '[']));
    }
    None
}

fn parameter(text: &str) -> Option<Parameter> {
    let text = text.split('=').next()?.trim();
    let name_at = text.rfind(|c: char| !is_word(c))? + 1;
    let (ty, name) = text.split_at(name_at);
    let pointers = ty.matches('*').count() + ty.matches('&').count();
    let words: Vec<&str> = ty
        .split(|c: char| !is_word(c) && c != ':')
        .filter(|word| {
            !word.is_empty()
                && !matches!(
                    *word,
                    "const" | "volatile" | "__restrict__" | "__restrict" | "restrict"
                )
        })
        .collect();
    if name.is_empty() || words.is_empty() {
        return None;
    }
    let ty_name = words.join(" ");
    Some(Parameter {
        name: name.to_string(),
        pointer: pointers > 0,
        is_const: ty
            .rsplit_once('*')
            .is_some_and(|(to, _)| to.split(|c: char| !is_word(c)).any(|word| word == "const")),
        element: (pointers < 2).then(|| element(&ty_name)).flatten(),
        ty: ty_name,
    })
}

/// The element type of a C++ type's name.
fn element(ty: &str) -> Option<ElementType> {
    Some(match ty {
        "float" => ElementType::F32,
        "double" => ElementType::F64,
        "__half" | "half" => ElementType::F16,
        "int" | "int32_t" | "std::int32_t" => ElementType::I32,
        "unsigned" | "unsigned int" | "uint32_t" | "std::uint32_t" => ElementType::U32,
        "long long" | "long long int" | "int64_t" | "std::int64_t" => ElementType::I64,
        "unsigned long long"
        | "unsigned long long int"
        | "uint64_t"
        | "std::uint64_t"
        | "size_t"
        | "std::size_t" => ElementType::U64,
        "unsigned char" | "uint8_t" | "std::uint8_t" => ElementType::U8,
        "unsigned short" | "uint16_t" | "std::uint16_t" => ElementType::U16,
        _ => return None,
    })
}

/// The element and how many there are of it: of `float4` four.
pub fn lanes(ty: &str) -> Option<(ElementType, usize)> {
    if let Some(element) = element(ty) {
        return Some((element, 1));
    }
    let (head, lanes) = ty.split_at_checked(ty.len().checked_sub(1)?)?;
    let scalar = match head {
        "char" | "uchar" => "uint8_t",
        "uint" => "unsigned",
        "ushort" => "uint16_t",
        "longlong" => "int64_t",
        "ulonglong" => "uint64_t",
        other => other,
    };
    let lanes = lanes.parse().ok().filter(|lanes| (1..=4).contains(lanes))?;
    Some((element(scalar)?, lanes))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A source without its comments.
pub fn without_comments(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        text.push_str(&rest[..at]);
        text.push(' ');
        let comment = &rest[at..];
        let end = if comment.starts_with("//") {
            comment.find('\n')
        } else {
            comment.find("*/").map(|end| end + 2)
        };
        rest = &comment[end.unwrap_or(comment.len())..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(ty: &str, name: &str, pointer: bool, element: Option<ElementType>) -> Parameter {
        Parameter {
            name: name.to_string(),
            pointer,
            is_const: false,
            ty: ty.to_string(),
            element,
        }
    }

    #[test]
    fn a_plain_declaration_gives_names_and_types() {
        let source = "#define TILE 32\n// padded(int wrong)\n\
            extern \"C\" __global__ void __launch_bounds__(256) padded(const float* __restrict__ in,\n\
            float *__restrict__ out, /* of in */ unsigned rows, unsigned int columns)\n{ }";
        assert_eq!(
            parameters(source, "padded").unwrap(),
            [
                Parameter {
                    is_const: true,
                    ..one("float", "in", true, Some(ElementType::F32))
                },
                one("float", "out", true, Some(ElementType::F32)),
                one("unsigned", "rows", false, Some(ElementType::U32)),
                one("unsigned int", "columns", false, Some(ElementType::U32)),
            ]
        );
    }

    #[test]
    fn unknown_types_are_left_open_and_odd_declarations_not_guessed() {
        let source = "__global__ void k(float4 *a, float **b, Params p, const size_t n) {}";
        assert_eq!(
            parameters(source, "k").unwrap(),
            [
                one("float4", "a", true, None),
                one("float", "b", true, None),
                one("Params", "p", false, None),
                one("size_t", "n", false, Some(ElementType::U64)),
            ]
        );
        assert_eq!(
            parameters("__global__ void k(void (*f)(int)) {}", "k"),
            None
        );
        assert_eq!(parameters("__global__ void k(A<int, 3> a) {}", "k"), None);
        assert_eq!(parameters("__global__ void other(int a) {}", "k"), None);
        assert_eq!(parameters("__global__ void k(void) {}", "k"), Some(vec![]));
        assert_eq!(parameters("__global__ void k(", "k"), None);
        assert_eq!(parameters("__global__ void k", "k"), None);
    }

    #[test]
    fn a_vector_has_the_lanes_of_its_name() {
        for (ty, expected) in [
            ("float", Some((ElementType::F32, 1))),
            ("float4", Some((ElementType::F32, 4))),
            ("uint2", Some((ElementType::U32, 2))),
            ("half2", Some((ElementType::F16, 2))),
            ("float9", None),
            ("Params", None),
            ("4", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(lanes(ty), expected, "{ty}");
        }
    }
}
