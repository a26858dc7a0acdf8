//! Names of kernels as compilers write them into PTX, read as C++ (Itanium C++ ABI, *External names*). What kernels do not have in them is left as it is.

use super::Name;

/// How deep types may lie in each other.
const DEPTH: usize = 40;

/// The longest name that is read: types that are named again could make it grow without end.
const LENGTH: usize = 4096;

/// The types that have a letter.
const BUILT_IN: [(char, &str); 21] = [
    ('v', "void"),
    ('w', "wchar_t"),
    ('b', "bool"),
    ('c', "char"),
    ('a', "signed char"),
    ('h', "unsigned char"),
    ('s', "short"),
    ('t', "unsigned short"),
    ('i', "int"),
    ('j', "unsigned int"),
    ('l', "long"),
    ('m', "unsigned long"),
    ('x', "long long"),
    ('y', "unsigned long long"),
    ('n', "__int128"),
    ('o', "unsigned __int128"),
    ('f', "float"),
    ('d', "double"),
    ('e', "long double"),
    ('g', "__float128"),
    ('z', "..."),
];

/// What a name in PTX says; nothing where it is no such name.
pub(super) fn demangled(entry: &str) -> Option<Name> {
    let mut reader = Reader {
        rest: entry.strip_prefix("_Z")?,
        known: Vec::new(),
        arguments: Vec::new(),
        depth: 0,
    };
    let (name, is_template) = reader.name()?;
    if is_template {
        reader.ty()?; // what it gives
    }
    let mut parameters = Vec::new();
    while !reader.rest.is_empty() && !reader.rest.starts_with('.') {
        parameters.push(reader.ty()?);
    }
    parameters.retain(|ty| ty != "void");
    Some(Name {
        name,
        parameters: Some(parameters),
    })
}

struct Reader<'a> {
    rest: &'a str,
    /// What may be named again.
    known: Vec<String>,
    /// The arguments of the template that was read last, which the types of the parameters name.
    arguments: Vec<String>,
    depth: usize,
}

impl Reader<'_> {
    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn keep(&mut self, text: String) -> Option<String> {
        (text.len() <= LENGTH).then(|| {
            self.known.push(text.clone());
            text
        })
    }

    /// A function's name, and whether it ends with the arguments of a template.
    fn name(&mut self) -> Option<(String, bool)> {
        if self.eat("N") {
            return self.nested();
        }
        let is_std = self.eat("St");
        let plain = self.source_name()?;
        let name = if is_std {
            format!("std::{plain}")
        } else {
            plain
        };
        if !self.rest.starts_with('I') {
            return Some((name, false));
        }
        let name = self.keep(name)?;
        let list = self.template_arguments()?;
        Some((format!("{name}{list}"), true))
    }

    /// Up to its `E`.
    fn nested(&mut self) -> Option<(String, bool)> {
        while self.eat("K") || self.eat("V") {}
        let mut name = String::new();
        let mut is_template = false;
        while !self.eat("E") {
            is_template = false;
            if self.rest.starts_with('I') {
                let list = self.template_arguments()?;
                name.push_str(&list);
                is_template = true;
            } else if self.rest.starts_with('S') && !self.rest.starts_with("St") {
                name = self.again()?;
                continue;
            } else {
                let part = if self.eat("St") {
                    "std".to_string()
                } else {
                    self.source_name()?
                };
                if !name.is_empty() {
                    name.push_str("::");
                }
                name.push_str(&part);
                if part == "std" {
                    continue;
                }
            }
            // The whole is no part of itself.
            if !self.rest.starts_with('E') || self.depth > 0 {
                self.keep(name.clone())?;
            }
        }
        Some((name, is_template))
    }

    fn number(&mut self) -> Option<usize> {
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(self.rest.len());
        let number = self.rest.get(..end)?.parse().ok()?;
        self.rest = &self.rest[end..];
        Some(number)
    }

    fn source_name(&mut self) -> Option<String> {
        self.eat("L");
        let length = self.number()?;
        let (name, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        match name.starts_with("_GLOBAL__N_") || name.starts_with("_INTERNAL_") {
            true => Some("(anonymous namespace)".to_string()),
            false => Some(name.to_string()),
        }
    }

    /// `<float, 3>`.
    fn template_arguments(&mut self) -> Option<String> {
        let list = self.arguments_of_list("I")?;
        self.arguments.clone_from(&list);
        Some(format!("<{}>", list.join(", ")))
    }

    fn arguments_of_list(&mut self, begin: &str) -> Option<Vec<String>> {
        self.eat(begin).then_some(())?;
        self.depth += 1;
        let mut list = Vec::new();
        while !self.eat("E") {
            if self.depth > DEPTH {
                return None;
            }
            match self.rest.chars().next()? {
                'L' => list.push(self.literal()?),
                'J' => list.extend(self.arguments_of_list("J")?),
                _ => list.push(self.ty()?),
            }
        }
        self.depth -= 1;
        Some(list)
    }

    /// `Li3E`, `Lb1E`, `Lin4E`.
    fn literal(&mut self) -> Option<String> {
        self.eat("L");
        if self.rest.starts_with("_Z") {
            let end = self.rest.find('E')?;
            let name = demangled(&self.rest[..end])?.name;
            self.rest = &self.rest[end + 1..];
            return Some(name);
        }
        let ty = self.ty()?;
        let end = self.rest.find('E')?;
        let value = self.rest[..end].replace('n', "-");
        self.rest = &self.rest[end + 1..];
        Some(match (ty.as_str(), value.as_str()) {
            ("bool", "0") => "false".to_string(),
            ("bool", _) => "true".to_string(),
            _ => value,
        })
    }

    fn ty(&mut self) -> Option<String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let found = self.ty_inside();
        self.depth -= 1;
        found
    }

    fn ty_inside(&mut self) -> Option<String> {
        let first = self.rest.chars().next()?;
        if let Some((_, name)) = BUILT_IN.iter().find(|(letter, _)| *letter == first) {
            self.rest = &self.rest[1..];
            return Some((*name).to_string());
        }
        for (mark, sign) in [("P", "*"), ("R", "&"), ("O", "&&")] {
            if self.eat(mark) {
                let to = self.ty()?;
                return self.keep(format!("{to}{sign}"));
            }
        }
        if self.eat("r") {
            return self.ty(); // __restrict__
        }
        if self.eat("V") {
            let of = self.ty()?;
            return self.keep(format!("volatile {of}"));
        }
        if self.eat("K") {
            let of = self.ty()?;
            return self.keep(match of.ends_with(['*', '&']) {
                true => format!("{of} const"),
                false => format!("const {of}"),
            });
        }
        match first {
            'T' => self.parameter_of_template(),
            'S' if !self.rest.starts_with("St") => {
                let name = self.again()?;
                match self.rest.starts_with('I') {
                    true => self.instance(name),
                    false => Some(name),
                }
            }
            'D' => self.of_two_letters(),
            'N' => {
                self.eat("N");
                Some(self.nested()?.0)
            }
            _ => {
                let is_std = self.eat("St");
                let name = self.source_name()?;
                let name = if is_std { format!("std::{name}") } else { name };
                let name = self.keep(name)?;
                match self.rest.starts_with('I') {
                    true => self.instance(name),
                    false => Some(name),
                }
            }
        }
    }

    /// A type that is an instance of a template; its arguments are none of the function's.
    fn instance(&mut self, of: String) -> Option<String> {
        let list = self.arguments_of_list("I")?;
        self.keep(format!("{of}<{}>", list.join(", ")))
    }

    fn of_two_letters(&mut self) -> Option<String> {
        if self.eat("Dp") {
            return self.ty();
        }
        let names = [
            ("DF16_", "_Float16"),
            ("Dh", "half"),
            ("Dn", "std::nullptr_t"),
            ("Ds", "char16_t"),
            ("Di", "char32_t"),
            ("DF16b", "__bf16"),
        ];
        let (_, name) = names
            .iter()
            .find(|(letters, _)| self.rest.starts_with(letters))
            .copied()?;
        let letters = names.iter().find(|(_, other)| *other == name)?.0;
        self.eat(letters);
        Some(name.to_string())
    }

    /// `T_`, `T0_`.
    fn parameter_of_template(&mut self) -> Option<String> {
        self.eat("T");
        let number = match self.eat("_") {
            true => 0,
            false => {
                let number = self.number()?;
                self.eat("_").then_some(number.checked_add(1)?)?
            }
        };
        let ty = self.arguments.get(number)?.clone();
        self.keep(ty)
    }

    /// `S_`, `S0_`: what stood before.
    fn again(&mut self) -> Option<String> {
        self.eat("S");
        let end = self.rest.find('_')?;
        let number = match &self.rest[..end] {
            "" => 0,
            digits => usize::from_str_radix(digits, 36).ok()?.checked_add(1)?,
        };
        self.rest = &self.rest[end + 1..];
        self.known.get(number).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_cpp() {
        for (entry, name, parameters) in [
            ("_Z3addiPKfPf", "add", "int, const float*, float*"),
            ("_Z5emptyv", "empty", ""),
            (
                "_Z5scaleIfLi3EEvPKT_PS0_j",
                "scale<float, 3>",
                "const float*, float*, unsigned int",
            ),
            ("_ZN5first7counterEPi", "first::counter", "int*"),
            (
                "_ZN3gpu4fillIhEEvPT_i",
                "gpu::fill<unsigned char>",
                "unsigned char*, int",
            ),
            (
                "_Z4pickILb1ELin4EEvP6float4S1_",
                "pick<true, -4>",
                "float4*, float4*",
            ),
            ("_Z3runI4PlusEvPfT_", "run<Plus>", "float*, Plus"),
            ("_Z4viewN3gpu4SpanIfEE", "view", "gpu::Span<float>"),
        ] {
            let found = demangled(entry).unwrap();
            assert_eq!(found.name, name, "{entry}");
            assert_eq!(found.parameters.unwrap().join(", "), parameters, "{entry}");
        }
    }

    #[test]
    fn no_text_breaks_it() {
        use proptest::prelude::*;
        for other in [
            "add", "_Z", "_Z99add", "_ZS_", "_Z1fT_", "_Z1fIE", "_Z1fPPPP", "_ZN1aE",
        ] {
            let _ = demangled(other);
        }
        proptest!(|(text in "_Z([0-9NIESTLPKRJDvijfh_]|1a|3add|é){0,40}")| {
            let _ = demangled(&text);
        });
    }
}
