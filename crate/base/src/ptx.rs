//! What can be told of PTX text without loading it: versions, entries, parameters. For PTX that a GPU runs and the emulator does not know yet; the emulator's own reading comes first.

use cornerturn_emulator::{Param, ParamType};

/// The newest PTX version that every driver from CUDA 12.1 on reads.
pub const NEWEST_VERSION: (u32, u32) = (8, 0);

/// The text for the oldest driver that can have it: of [`NEWEST_VERSION`], or of what its instructions need where that is
/// more. A compiler writes the version of its own release, which only drivers as new as that read.
pub fn for_drivers(ptx: &str) -> String {
    let target = directive(ptx, ".target").unwrap_or_default();
    let needed = cornerturn_compiler::lowest_version(ptx, target);
    lower_version(ptx, needed.max(NEWEST_VERSION))
}

/// The `.version` of PTX text.
pub fn version(ptx: &str) -> Option<(u32, u32)> {
    let (major, minor) = directive(ptx, ".version")?.split_once('.')?;
    Some((major.trim().parse().ok()?, minor.trim().parse().ok()?))
}

/// What stands behind the first directive of a name, such as `.target`, on its line.
pub fn directive<'p>(ptx: &'p str, name: &str) -> Option<&'p str> {
    let mut lines = ptx.lines();
    lines.find_map(|line| line.trim().strip_prefix(name).map(str::trim))
}

/// The text with its `.version` lowered to `to`; as it is where it is that low already. The rest is not changed, so a
/// driver refuses the result where an instruction needs more.
pub fn lower_version(ptx: &str, to: (u32, u32)) -> String {
    if version(ptx).is_none_or(|version| version <= to) {
        return ptx.to_string();
    }
    let mut lowered = String::with_capacity(ptx.len());
    let mut done = false;
    for line in ptx.split_inclusive('\n') {
        if !done && line.trim_start().starts_with(".version") {
            lowered.push_str(&format!(".version {}.{}\n", to.0, to.1));
            done = true;
        } else {
            lowered.push_str(line);
        }
    }
    lowered
}

/// The `.file` directives without folders: the compiler puts the current one before the name, and the PTX must be the
/// same wherever it is made. A name with folders that the source itself has stays.
pub fn plain_file_names(ptx: &str, names: &[String]) -> String {
    let mut plain = String::with_capacity(ptx.len());
    for line in ptx.split_inclusive('\n') {
        let is_file = line.trim_start().starts_with(".file");
        match line
            .split_once('"')
            .and_then(|(head, rest)| Some((head, rest.rsplit_once('/')?.1)))
        {
            Some((head, name)) if is_file => {
                let path = line.trim_end().trim_end_matches('"');
                let known = names.iter().find(|name| {
                    name.contains('/')
                        && path
                            .strip_suffix(name.as_str())
                            .is_some_and(|before| before.ends_with(['/', '"']))
                });
                plain.push_str(head);
                plain.push('"');
                match known {
                    Some(known) => plain.push_str(&format!("{known}\"\n")),
                    None => plain.push_str(name),
                }
            }
            _ => plain.push_str(line),
        }
    }
    plain
}

/// The names of the entries.
pub fn entries(ptx: &str) -> Vec<String> {
    heads(ptx).map(|(name, _)| name.to_string()).collect()
}

/// The parameters of an entry; `None` where it is not there or not written as compilers write it.
pub fn parameters(ptx: &str, entry: &str) -> Option<Vec<Param>> {
    let (_, rest) = heads(ptx).find(|(name, _)| *name == entry)?;
    let Some(list) = rest.trim_start().strip_prefix('(') else {
        return Some(Vec::new());
    };
    let list = list[..list.find(')')?].trim();
    if list.is_empty() {
        return Some(Vec::new());
    }
    list.split(',').map(parameter).collect()
}

/// The instructions of an entry: from its parameters to the brace that closes it. `None` where there is no such entry.
pub fn body<'p>(ptx: &'p str, entry: &str) -> Option<&'p str> {
    let (_, rest) = heads(ptx).find(|(name, _)| *name == entry)?;
    Some(to_closing_brace(rest))
}

/// The instructions of the functions that are no entries, each to the brace that closes it.
pub fn function_bodies(ptx: &str) -> impl Iterator<Item = &str> {
    ptx.match_indices(".func").filter_map(|(at, _)| {
        let rest = &ptx[at..];
        // A declaration ends before anything is defined.
        let end = rest.find([';', '{'])?;
        rest[end..].starts_with('{').then(|| to_closing_brace(rest))
    })
}

/// The text up to the brace that closes the first one in it; all of it where none does. Braces in comments do not count.
fn to_closing_brace(text: &str) -> &str {
    let (mut depth, mut at) = (0_u32, 0);
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        for (place, brace) in code.match_indices(['{', '}']) {
            match brace {
                "{" => depth += 1,
                _ if depth <= 1 => return text[..at + place].trim_end(),
                _ => depth -= 1,
            }
        }
        at += line.len();
    }
    text
}

/// Each entry's name and the text after it.
fn heads(ptx: &str) -> impl Iterator<Item = (&str, &str)> {
    ptx.match_indices(".entry").filter_map(|(at, directive)| {
        let line = ptx[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let rest = ptx[at + directive.len()..].trim_start();
        let end =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '$' | '%'))?;
        (end > 0 && !ptx[line..at].contains("//")).then(|| rest.split_at(end))
    })
}

/// `.param .u64 .ptr .align 1 name` or `.param .align 8 .b8 name[24]`.
fn parameter(text: &str) -> Option<Param> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let last = *words.last()?;
    let (name, length) = match last.split_once('[') {
        Some((name, length)) => (name, Some(length.strip_suffix(']')?.parse::<usize>().ok()?)),
        None => (last, None),
    };
    let align = words.windows(2).find_map(|pair| {
        if pair[0] == ".align" {
            pair[1].parse::<usize>().ok()
        } else {
            None
        }
    });
    let ty = words.iter().find_map(|word| {
        let (kind, bits) = word.strip_prefix('.')?.split_at_checked(1)?;
        let bits: u32 = bits.parse().ok()?;
        match kind {
            "u" => Some(ParamType::Unsigned(bits)),
            "s" => Some(ParamType::Signed(bits)),
            "b" => Some(ParamType::Bits(bits)),
            "f" => Some(ParamType::Float(bits)),
            _ => None,
        }
    })?;
    let bytes = match ty {
        ParamType::Unsigned(bits)
        | ParamType::Signed(bits)
        | ParamType::Bits(bits)
        | ParamType::Float(bits) => bits as usize / 8,
        ParamType::Bytes(bytes) => bytes,
    };
    Some(match length {
        Some(length) => Param {
            name: name.to_string(),
            ty: ParamType::Bytes(bytes * length),
            bytes: bytes * length,
            align: align.unwrap_or(bytes),
        },
        None => Param {
            name: name.to_string(),
            ty,
            bytes,
            align: bytes,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// .entry not_this(\n.version 9.0\n.target sm_75\n.visible .entry scale(\n\
        \t.param .u64 .ptr .align 1 scale_param_0,\n\t.param .f32 scale_param_1,\n\
        \t.param .align 8 .b8 scale_param_2[24]\n)\n{\n}\n.entry empty()\n{ }\n.entry bare\n{ }";

    #[test]
    fn entries_and_parameters_are_read_from_the_text() {
        assert_eq!(entries(TEXT), ["scale", "empty", "bare"]);
        let params = parameters(TEXT, "scale").unwrap();
        assert_eq!(params[0].ty, ParamType::Unsigned(64));
        assert_eq!(params[0].name, "scale_param_0");
        assert_eq!((params[1].ty, params[1].bytes), (ParamType::Float(32), 4));
        assert_eq!((params[2].ty, params[2].align), (ParamType::Bytes(24), 8));
        assert_eq!(parameters(TEXT, "empty"), Some(vec![]));
        assert_eq!(parameters(TEXT, "bare"), Some(vec![]));
        assert_eq!(parameters(TEXT, "other"), None);
    }

    #[test]
    fn a_body_is_that_of_its_entry() {
        let text = ".entry ab(.param .u64 p)\n{\n\tret;\n}\n.entry a()\n{\n\tadd;\n}\n";
        assert!(body(text, "ab").unwrap().ends_with("ret;"));
        let own = body(text, "a").unwrap();
        assert!(own.ends_with("add;") && !own.contains("ret"), "{own}");
        assert_eq!(body(text, "b"), None);
        let inline = ".func f(.reg .b32 %r);\n.func g()\n{\n\tret;\n}\n.entry a()\n{\n{add;\n} // }\n\tret;\n}\n";
        assert!(body(inline, "a").unwrap().ends_with("ret;"));
        assert_eq!(function_bodies(inline).count(), 1);
        assert_eq!(directive(TEXT, ".target"), Some("sm_75"));
    }

    #[test]
    fn only_a_newer_version_line_is_lowered() {
        assert_eq!(version(TEXT), Some((9, 0)));
        let lowered = lower_version(TEXT, NEWEST_VERSION);
        assert_eq!(version(&lowered), Some((8, 0)));
        assert_eq!(lowered.lines().count(), TEXT.lines().count());
        assert_eq!(lower_version(&lowered, NEWEST_VERSION), lowered);
        assert_eq!(
            lower_version(".version 7.5\n", NEWEST_VERSION),
            ".version 7.5\n"
        );
        assert_eq!(lower_version("no version", NEWEST_VERSION), "no version");
    }

    #[test]
    fn what_needs_a_newer_version_keeps_it() {
        assert_eq!(version(&for_drivers(TEXT)), Some(NEWEST_VERSION));
        let vectors = format!("{TEXT}\n// red.global.add.v2.f32 [%rd1], {{%f1, %f2}};\n");
        assert_eq!(version(&for_drivers(&vectors)), Some((8, 1)));
        let old = vectors.replace(".version 9.0", ".version 7.5");
        assert_eq!(for_drivers(&old), old);
    }

    #[test]
    fn file_directives_lose_their_folders() {
        let text =
            "\t.loc 1 2 3 // \"a/b\"\n\t.file\t1 \"/home/x/kernels/padded.cu\"\n\t.file 2 \"y.cu\"";
        let expected = "\t.loc 1 2 3 // \"a/b\"\n\t.file\t1 \"padded.cu\"\n\t.file 2 \"y.cu\"";
        assert_eq!(plain_file_names(text, &[]), expected);
    }
}
