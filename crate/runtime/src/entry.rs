//! Which of a module's kernels is meant by a name: the one in PTX, the one that C++ has, with or without its parameters, or none at all.

mod demangle;

use cornerturn_base::error::{Error, Result};
use demangle::demangled;

/// A kernel's name, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    /// With its namespaces and the arguments of its template: `gpu::scale<float, 3>`.
    pub(crate) name: String,
    /// The types of its parameters, where the name tells them.
    pub(crate) parameters: Option<Vec<String>>,
}

impl Name {
    /// From any of its forms.
    fn of(text: &str) -> Self {
        if let Some(name) = demangled(text) {
            return name;
        }
        let text = text.trim();
        let open = text.find('(').filter(|_| text.ends_with(')'));
        match open {
            Some(open) => {
                let (name, list) = (text[..open].trim(), &text[open + 1..text.len() - 1]);
                // What c++filt writes before a template's instance is what it gives.
                let name = name.strip_prefix("void ").unwrap_or(name);
                let list = parts(list).into_iter().filter(|ty| *ty != "void");
                Self {
                    name: name.to_string(),
                    parameters: Some(list.map(str::to_string).collect()),
                }
            }
            None => Self {
                name: text.to_string(),
                parameters: None,
            },
        }
    }

    fn without_arguments(&self) -> &str {
        self.name.split('<').next().unwrap_or_default()
    }

    /// Its last part alone.
    pub(crate) fn plain(&self) -> &str {
        let name = self.without_arguments();
        name.rsplit("::").next().unwrap_or(name)
    }

    fn shown(&self) -> String {
        match &self.parameters {
            Some(list) => format!("{}({})", self.name, list.join(", ")),
            None => self.name.clone(),
        }
    }

    /// Whether this, as somebody wrote it, may be meant for a kernel of that name.
    fn is_meant_for(&self, kernel: &Self) -> bool {
        let has_arguments = self.name.contains('<');
        // A name that is no other tells neither namespaces nor parameters.
        if kernel.parameters.is_none() {
            return !has_arguments && self.plain() == kernel.name;
        }
        let is_whole = self.name.contains("::");
        let same = |a: &str, b: &str| canonical(a) == canonical(b);
        let is_named = match (has_arguments, is_whole) {
            (true, true) => same(&self.name, &kernel.name),
            (true, false) => {
                let start = kernel.without_arguments().len() - kernel.plain().len();
                same(&self.name, kernel.name.get(start..).unwrap_or_default())
            }
            (false, true) => same(&self.name, kernel.without_arguments()),
            (false, false) => same(&self.name, kernel.plain()),
        };
        is_named
            && match (&self.parameters, &kernel.parameters) {
                (Some(own), Some(other)) => {
                    let types = |list: &[String]| -> Vec<String> {
                        list.iter().map(|ty| canonical(ty)).collect()
                    };
                    types(own) == types(other)
                }
                _ => true,
            }
    }
}

/// A kernel's name as C++ has it; as it is where it is no other.
pub fn readable(entry: &str) -> String {
    demangled(entry).map_or_else(|| entry.to_string(), |name| name.shown())
}

/// The kernel's name in the source, without namespaces; that of a template's instance says more, and stays.
pub(crate) fn in_source(entry: &str) -> String {
    let name = Name::of(entry);
    match name.name.contains('<') {
        true => entry.to_string(),
        false => name.plain().to_string(),
    }
}

/// The entry that is meant among those that there are; the only one, where none is named.
pub(crate) fn chosen(
    wanted: Option<&str>,
    entries: &[String],
    from_source: bool,
) -> Result<String> {
    let refuse = |message: String| Err(Error::Entry(message));
    let list = |entries: &mut dyn Iterator<Item = &String>| {
        let names: Vec<String> = entries.map(|entry| readable(entry)).collect();
        names.join("`, `")
    };
    let Some(wanted) = wanted else {
        return match entries {
            [only] => Ok(only.clone()),
            [] if from_source => refuse(
                "the source has no kernel; write `extern \"C\" __global__ void name(…)`"
                    .to_string(),
            ),
            [] => refuse("the PTX has no entry".to_string()),
            _ => refuse(format!(
                "there are several entries, name one of: `{}`",
                list(&mut entries.iter())
            )),
        };
    };
    if entries.iter().any(|entry| entry == wanted) {
        return Ok(wanted.to_string());
    }
    let name = Name::of(wanted);
    let meant: Vec<&String> = entries
        .iter()
        .filter(|entry| name.is_meant_for(&Name::of(entry)))
        .collect();
    match &meant[..] {
        [only] => Ok((*only).clone()),
        [] if entries.is_empty() => refuse(format!("there is no entry `{wanted}`, nor any other")),
        [] => refuse(format!(
            "there is no entry `{wanted}`; there are: `{}`",
            list(&mut entries.iter())
        )),
        several => refuse(format!(
            "`{wanted}` is the name of several entries, name one of: `{}`",
            list(&mut several.iter().copied())
        )),
    }
}

/// What stands between the commas of a list, but for those within brackets.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0_i32, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                found.push(list[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(list[from..].trim());
    found.retain(|part| !part.is_empty());
    found
}

/// A type or a name so that its spellings are the same: `float const *` and `const float*`, `unsigned` and `unsigned int`.
fn canonical(text: &str) -> String {
    if let Some((head, rest)) = text.split_once('<')
        && let Some((list, tail)) = rest.rsplit_once('>')
    {
        let list: Vec<String> = parts(list).into_iter().map(canonical).collect();
        let (head, tail) = (canonical(head), canonical(tail));
        return format!("{head}<{}>{tail}", list.join(","));
    }
    let pointer = text.find(['*', '&']).unwrap_or(text.len());
    let (base, pointers) = text.split_at(pointer);
    let is_left_out =
        |word: &str| ["__restrict__", "__restrict", "struct", "volatile"].contains(&word);
    let mut words: Vec<&str> = base
        .split_whitespace()
        .filter(|word| !is_left_out(word))
        .collect();
    let is_sized = words
        .iter()
        .any(|word| ["unsigned", "long", "short"].contains(word));
    words.retain(|word| *word != "signed" && !(is_sized && *word == "int"));
    words.sort_unstable();
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let words = words.iter().map(|word| match is_number(word) {
        true => word.trim_end_matches(['u', 'l', 'U', 'L']),
        false => word,
    });
    let words: Vec<&str> = words.collect();
    // What is passed by value is the same where it is const.
    let words: Vec<&str> = match pointers.is_empty() {
        true => words.into_iter().filter(|word| *word != "const").collect(),
        false => words,
    };
    let pointers: String = pointers
        .split_whitespace()
        .filter(|word| !is_left_out(word))
        .collect();
    let pointers = pointers
        .strip_suffix("const")
        .unwrap_or(&pointers)
        .replace("__restrict__", "");
    format!("{}{pointers}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(wanted: &str, entries: &[&str]) -> std::result::Result<String, String> {
        let entries: Vec<String> = entries.iter().map(|entry| (*entry).to_string()).collect();
        let wanted = Some(wanted).filter(|wanted| !wanted.is_empty());
        chosen(wanted, &entries, true).map_err(|error| error.to_string())
    }

    #[test]
    fn a_kernel_is_found_by_each_of_its_names() {
        let (nvrtc, own) = (["_Z3addiPKfPf", "other"], ["add", "other"]);
        for wanted in [
            "add",
            "_Z3addiPKfPf",
            "add(int, const float*, float*)",
            "add(int, float const*, float*)",
            "void add(int,float const * __restrict__,float *)",
        ] {
            assert_eq!(
                found(wanted, &nvrtc),
                Ok("_Z3addiPKfPf".to_string()),
                "{wanted}"
            );
            assert_eq!(found(wanted, &own), Ok("add".to_string()), "{wanted}");
        }
        assert_eq!(found("", &["_Z3addiPKfPf"]), Ok("_Z3addiPKfPf".to_string()));
        assert_eq!(found("gpu::add", &["add"]), Ok("add".to_string()));
        assert_eq!(found("add<int>", &["add"]).ok(), None);
    }

    #[test]
    fn a_wrong_name_lists_those_that_there_are() {
        let error = found("sub", &["_Z3addiPKfPf", "mul"]).unwrap_err();
        assert!(
            error.contains("`add(int, const float*, float*)`, `mul`"),
            "{error}"
        );
        let error = found("add(int)", &["_Z3addiPKfPf"]).unwrap_err();
        assert!(
            error.contains("there are: `add(int, const float*, float*)`"),
            "{error}"
        );
        let error = found("add", &["_Z3addPf", "_Z3addPd"]).unwrap_err();
        assert!(
            error.contains("several") && error.contains("`add(double*)`"),
            "{error}"
        );
        assert_eq!(
            found("add(double*)", &["_Z3addPf", "_Z3addPd"]),
            Ok("_Z3addPd".to_string())
        );
    }

    #[test]
    fn instances_of_templates_and_namespaces_are_named_as_cpp_names_them() {
        let entries = [
            "_Z5scaleIfLi3EEvPKT_PS0_j",
            "_Z5scaleIdLi3EEvPKT_PS0_j",
            "_ZN3gpu4fillIhEEvPT_i",
        ];
        assert_eq!(
            found("scale<float, 3>", &entries).as_deref(),
            Ok(entries[0])
        );
        assert_eq!(
            found("scale<double,3>", &entries).as_deref(),
            Ok(entries[1])
        );
        assert_eq!(found("gpu::fill", &entries).as_deref(), Ok(entries[2]));
        assert_eq!(
            found("fill<unsigned char>", &entries).as_deref(),
            Ok(entries[2])
        );
        assert_eq!(
            found(
                "void scale<float, 3>(float const*, float*, unsigned int)",
                &entries
            )
            .as_deref(),
            Ok(entries[0])
        );
        let error = found("scale", &entries).unwrap_err();
        assert!(
            error.contains("scale<double, 3>(const double*, double*, unsigned int)"),
            "{error}"
        );
        assert_eq!(in_source("_ZN3gpu4fillEPfi"), "fill");
    }
}
