//! What a source includes, and whether the compiler may read it: headers that come with the compiler, and no other file of the account.

use cornerturn_base::paths;
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

/// The directives that read a file, in CUDA C++ or its extensions.
const DIRECTIVES: [&str; 4] = ["include", "include_next", "import", "embed"];

/// The operators of conditions that ask for a file.
const OPERATORS: [&str; 3] = ["__has_include", "__has_include_next", "__has_embed"];

/// A header that is there wherever NVIDIA's headers for kernels are.
const ONE: &str = "cuda_fp16.h";

/// What stands in all macros by which headers of NVIDIA's say what they include. Who does not write it changes none of them.
const IN_MACROS: &str = "THRUST";

/// Whether a source includes or asks for headers, all of them the compiler's.
///
/// What is written in comments and strings counts too: where these begin and end is the compiler's to say, and a
/// reading that differed from it would let a file through.
///
/// # Errors
/// The compiler's kind of message, `name(line): error: …`, for the first file that is none of the headers in `folder`
/// and below, or whose name only a macro tells.
pub(super) fn check(source: &str, name: &str, folders: &[PathBuf]) -> Result<bool, String> {
    let whole = folders
        .iter()
        .filter_map(|folder| folder.canonicalize().ok());
    let folders: Vec<PathBuf> = whole.collect();
    // The others lie in the first.
    let folder = folders.first();
    let all = scan(source);
    let text = Text::of(source).bytes;
    let has = |word: &str| text.windows(word.len()).any(|part| part == word.as_bytes());
    let leaves_macros = !has(IN_MACROS) && !has("\\u") && !has("\\U");
    let mut seen = HashSet::new();
    for found in &all {
        let refuse = |why: &str| {
            let (file, line) = place(source, name, found.line);
            Err(format!("{file}({line}): error: {}: {why}", found.text()))
        };
        let Some(file) = &found.file else {
            return refuse("the file's name must stand here as \"name\" or <name>, not as a macro");
        };
        let plain = Path::new(file)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        let mut places = folders.iter().filter(|_| plain && !file.contains('\\'));
        let Some(header) = places.find_map(|place| inside(folder?, &place.join(file))) else {
            if found.is_question && plain {
                // It is answered with no, and reads nothing.
                continue;
            }
            if !folder.is_some_and(|folder| folder.join(ONE).is_file()) && plain {
                return refuse(&format!(
                    "NVIDIA's headers, such as cuda_fp16.h and mma.h, are not installed; `{}` puts them under \
                     target/cuda-headers. Other files a kernel may not include",
                    paths::command("kernels --install-compiler")
                ));
            }
            return refuse(
                "a kernel is one file and may include only headers that come with the compiler, and there is none of \
                 this name; write what is needed into the source",
            );
        };
        if let Err(why) = follow(&header, &folders, leaves_macros, &mut seen) {
            return refuse(&why);
        }
    }
    Ok(!all.is_empty())
}

/// The file and the line that a line of a text is of, by the `#line` before it.
fn place<'a>(source: &'a str, name: &'a str, line: usize) -> (&'a str, usize) {
    let before = source.lines().take(line.saturating_sub(1)).enumerate();
    let told = before.filter_map(|(at, text)| {
        let (number, file) = text.strip_prefix("#line ")?.split_once(' ')?;
        let number: usize = number.parse().ok()?;
        Some((file.trim_matches('"'), number.checked_add(line - at - 2)?))
    });
    told.last().unwrap_or((name, line))
}

/// Whether all that a header includes lies in the folder as well.
fn follow(
    header: &Path,
    folders: &[PathBuf],
    leaves_macros: bool,
    seen: &mut HashSet<PathBuf>,
) -> Result<(), String> {
    let Some(folder) = folders.first() else {
        return Ok(());
    };
    let mut waiting = vec![header.to_path_buf()];
    while let Some(header) = waiting.pop() {
        if !seen.insert(header.clone()) {
            continue;
        }
        let bytes = cornerturn_basics::read_limited(&header)
            .map_err(|error| format!("{} cannot be read: {error}", header.display()))?;
        let beside = header.parent().unwrap_or(folder);
        for found in scan(&String::from_utf8_lossy(&bytes)) {
            // NVIDIA's own comments are what they seem: no directive has a comment before it there.
            if found.is_question || found.is_in_text {
                continue;
            }
            let place = format!("{}, line {}", header.display(), found.line);
            let Some(file) = found.file else {
                if leaves_macros && found.named_by.contains(IN_MACROS) {
                    continue;
                }
                return Err(format!("{place}, lets a macro say which file it includes"));
            };
            let places = folders.iter().map(|folder| folder.join(&file));
            for path in places.chain([beside.join(&file)]) {
                match inside(folder, &path) {
                    Some(header) => waiting.push(header),
                    None if path.exists() => {
                        return Err(format!("{place}, leads outside the compiler's headers"));
                    }
                    None => {}
                }
            }
        }
    }
    Ok(())
}

/// The file that a path leads to, links followed, if it lies in the folder.
fn inside(folder: &Path, path: &Path) -> Option<PathBuf> {
    let file = path.canonicalize().ok()?;
    (file.starts_with(folder) && file.is_file()).then_some(file)
}

/// A place of a source that names a file.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    /// From 1.
    line: usize,
    word: String,
    /// The file; `None` where it is not written out.
    file: Option<String>,
    /// The macro that says which file it is, where one does.
    named_by: String,
    /// Whether something stands before it on its line, as in a comment.
    is_in_text: bool,
    /// It asks whether there is such a file, and does not read it.
    is_question: bool,
}

impl Found {
    fn text(&self) -> String {
        let sign = if self.is_question { "" } else { "#" };
        match &self.file {
            Some(file) => format!("`{sign}{} \"{file}\"`", self.word),
            None => format!("`{sign}{}`", self.word),
        }
    }
}

fn scan(source: &str) -> Vec<Found> {
    let text = Text::of(source);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.bytes.get(at) {
        // A directive begins with `#`, or with the digraph of it; trigraphs are no more.
        let sign = match byte {
            b'#' => 1,
            b'%' if text.bytes.get(at + 1) == Some(&b':') => 2,
            _ => 0,
        };
        if sign > 0 {
            let (word, end) = text.word(text.blank(at + sign));
            if DIRECTIVES.contains(&word) {
                found.push(text.found(at, word, text.blank(end), false));
            }
            at += sign;
            continue;
        }
        let (word, end) = text.word(at);
        if OPERATORS.contains(&word) && !text.is_defined_asked(at) {
            let open = text.blank(end);
            let operand = match text.bytes.get(open) {
                Some(b'(') => text.blank(open + 1),
                // No operand: the name would be a macro's.
                _ => text.bytes.len(),
            };
            found.push(text.found(at, word, operand, true));
        }
        at = end.max(at + 1);
    }
    found
}

/// A source without the ends of lines that a backslash joins, and the line of each byte.
struct Text {
    bytes: Vec<u8>,
    lines: Vec<u32>,
}

impl Text {
    fn of(source: &str) -> Self {
        let (mut bytes, mut lines) = (Vec::new(), Vec::new());
        let (mut rest, mut line) = (source.as_bytes(), 1);
        while let [first, after @ ..] = rest {
            match rest {
                [b'\\', b'\n', after @ ..] | [b'\\', b'\r', b'\n', after @ ..] => {
                    line += 1;
                    rest = after;
                    continue;
                }
                _ => {}
            }
            bytes.push(*first);
            lines.push(line);
            line += u32::from(*first == b'\n');
            rest = after;
        }
        Self { bytes, lines }
    }

    /// Where blanks and comments from `at` on end, those of a directive: no end of a line outside a comment.
    fn blank(&self, mut at: usize) -> usize {
        loop {
            match self.bytes.get(at..).unwrap_or_default() {
                [b' ' | b'\t' | b'\r' | 0x0B | 0x0C, ..] => at += 1,
                [b'/', b'*', comment @ ..] => {
                    let end = comment.windows(2).position(|pair| pair == b"*/");
                    at = end.map_or(self.bytes.len(), |end| at + end + 4);
                }
                _ => return at,
            }
        }
    }

    /// The name at `at`, and where it ends; empty where there is none.
    fn word(&self, at: usize) -> (&str, usize) {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let end = at + rest.iter().take_while(in_name).count();
        let word = self.bytes.get(at..end).unwrap_or_default();
        (std::str::from_utf8(word).unwrap_or_default(), end)
    }

    /// Whether the name at `at` is only asked for: `#ifdef NAME`, `defined(NAME)`.
    fn is_defined_asked(&self, at: usize) -> bool {
        let before = self.bytes.get(..at).unwrap_or_default().trim_ascii_end();
        let before = before.strip_suffix(b"(").unwrap_or(before).trim_ascii_end();
        let asks = [&b"#ifdef"[..], b"#ifndef", b"defined"];
        asks.iter().any(|ask| before.ends_with(ask))
    }

    fn found(&self, at: usize, word: &str, operand: usize, is_question: bool) -> Found {
        let rest = self.bytes.get(operand..).unwrap_or_default();
        let close = match rest.first() {
            Some(b'"') => Some(b'"'),
            Some(b'<') => Some(b'>'),
            _ => None,
        };
        let name = close.and_then(|close| {
            let name = rest.get(1..)?;
            let end = name
                .iter()
                .position(|&byte| byte == close || byte == b'\n')?;
            (name[end] == close).then(|| String::from_utf8_lossy(&name[..end]).into_owned())
        });
        Found {
            line: self.lines.get(at).map_or(1, |&line| line as usize),
            word: word.to_string(),
            named_by: match name {
                Some(_) => String::new(),
                None => self.word(operand).0.to_string(),
            },
            file: name,
            is_in_text: self.is_in_text(at),
            is_question,
        }
    }

    fn is_in_text(&self, at: usize) -> bool {
        let before = self.bytes.get(..at).unwrap_or_default();
        let line = before.rsplit(|&byte| byte == b'\n').next();
        line.is_some_and(|line| !line.trim_ascii().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written out, and in which line; `-` where it is not.
    fn files(source: &str) -> Vec<(usize, String)> {
        let found = scan(source).into_iter();
        found
            .map(|found| (found.line, found.file.unwrap_or_else(|| "-".to_string())))
            .collect()
    }

    #[test]
    fn every_spelling_is_seen() {
        for spelling in [
            "#include \"f\"",
            "#include<f>",
            "  #  include\t<f> // c",
            "%:include \"f\"",
            "#inc\\\nlude \"f\"",
            "#inc\\\r\nlude \"f\"",
            "#/* */include/**/\"f\"",
            "# /* one\n two */ include \"f\"",
            "\x0c#\x0binclude \"f\"",
            "#include_next <f>",
            "#import \"f\"",
            "#embed <f>",
            "#if 0\n' /*\n#endif\n#include \"f\"\n//*/",
            "/* \\\n*\\\n/#include \"f\"",
            "R\"(\n#include \"f\"\n)\"",
            "#if __has_include(<f>)",
            "#if __has_include_next /**/ ( \"f\")",
            "#if defined(__has_include) && __has_include(\"f\")",
        ] {
            let found = files(spelling);
            assert_eq!(found.len(), 1, "{spelling:?}");
            assert_eq!(found[0].1, "f", "{spelling:?}");
        }
        for hidden in [
            "#define F \"f\"\n#include F",
            "#include",
            "#include \"f\n",
            "#define ASK __has_include\n#if ASK(\"f\")",
            "#if __has_include(F)",
            "#include L\"f\"",
        ] {
            let found = files(hidden);
            assert!(
                found.iter().any(|(_, file)| file == "-"),
                "{hidden:?}: {found:?}"
            );
        }
        assert_eq!(
            files("int a;\n\n#include \"x y\"\n%:embed <z>"),
            [(3, "x y".into()), (4, "z".into())]
        );
        for nothing in [
            "#includes \"f\"",
            "int include = 1; // include \"f\"",
            "#pragma unroll\n#define include_all 1",
            "#ifdef __has_include\n#endif",
            "int x__has_include;",
        ] {
            assert_eq!(files(nothing), [], "{nothing:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_what_lies_in_the_folder_is_let_through() {
        let root = std::env::temp_dir().join(format!("cornerturn-headers-{}", std::process::id()));
        let folder = root.join("include");
        std::fs::create_dir_all(folder.join("crt")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write(
            "good.h",
            "#include \"crt/part.h\"\n#include <not_there.h>\n",
        );
        write(
            "crt/part.h",
            "#include \"beside.h\"\n#include \"../good.h\"\n",
        );
        write("crt/beside.h", "");
        let missing = check("#include <mma.h>", "k.cu", std::slice::from_ref(&folder)).unwrap_err();
        assert!(missing.contains("--install-compiler"), "{missing}");
        write(ONE, "");
        write("computed.h", "#include NAME\n");
        write("thrust.h", "// #include the part\n#include __THRUST_PART\n");
        write("up.h", "#include \"../secret.txt\"\n");
        std::fs::write(root.join("secret.txt"), "secret").unwrap();
        std::os::unix::fs::symlink("../secret.txt", folder.join("link.h")).unwrap();
        let check = |source: &str| check(source, "kernel.cu", std::slice::from_ref(&folder));
        assert_eq!(check("int a;"), Ok(false));
        assert_eq!(
            check("#include <good.h>\n#include \"crt/beside.h\""),
            Ok(true)
        );
        assert_eq!(
            check("#if __has_include(<good.h>) || __has_include(<no.h>)"),
            Ok(true)
        );
        assert_eq!(check("#include <thrust.h>"), Ok(true));
        let hidden =
            check("#define __THR\\\nUST_PART \"/secret\"\n#include <thrust.h>").unwrap_err();
        assert!(hidden.contains("lets a macro say"), "{hidden}");
        let secret = root.join("secret.txt");
        let secret = secret.to_str().unwrap();
        for (source, word) in [
            (
                format!("\n#include \"{secret}\""),
                "kernel.cu(2): error: `#include \"/",
            ),
            (
                format!("#if __has_include(\"{secret}\")"),
                "`__has_include \"/",
            ),
            ("#include \"../secret.txt\"".into(), "one file"),
            ("#include \"crt/../../secret.txt\"".into(), "one file"),
            ("#include <link.h>".into(), "one file"),
            ("#include \"not_there.h\"".into(), "one file"),
            ("#include \"crt\"".into(), "one file"),
            ("#include GOOD".into(), "not as a macro"),
            ("#include <computed.h>".into(), "lets a macro say"),
            ("#include <up.h>".into(), "outside"),
        ] {
            let refused = check(&source).unwrap_err();
            assert!(refused.contains(word), "{source}: {refused}");
        }
        assert!(super::check("#include <good.h>", "k.cu", &[]).is_err());
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_line_is_that_of_its_file() {
        let text =
            "int a;\n#line 7 \"k.cu\"\nint b;\n#line 1 \"a.h\"\n\n#include <no.h>\n#line x\n";
        let refused = check(text, "k.cu", &[]).unwrap_err();
        assert!(refused.starts_with("a.h(2): error"), "{refused}");
        assert_eq!(place(text, "k.cu", 1), ("k.cu", 1));
        assert_eq!(place(text, "k.cu", 3), ("k.cu", 7));
    }

    #[test]
    fn no_text_panics() {
        use proptest::prelude::*;
        proptest!(|(text in "([#%:]|include|embed|__has_include|[\"<>(\\\\ \n\r]|/\\*|\\*/|é){0,20}")| {
            let _ = check(&text, "kernel.cu", &[]);
        });
    }
}
