//! The hash of the library that cells link, by what of it can change an output: its code without
//! comments and tests, and the versions of what it is built from. Compiles nothing.

use crate::error::Result;
use crate::hasher::{Hasher, files_below};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The library's name among the packages.
const PACKAGE: &str = "cornerturn";
/// Adds the library of the project at `root` to a hash. What is not there is hashed as absent.
pub(crate) fn add(hasher: &mut Hasher, root: &Path) -> Result<()> {
    let linked = linked_in(root);
    for package in &linked {
        hasher.part(package.as_bytes());
    }
    let settings = table(root, "Cargo.toml");
    let settings = settings.as_ref().and_then(|table| {
        let workspace = table.get("workspace")?;
        workspace.get("dependencies")?.as_table()
    });
    for (name, setting) in settings.into_iter().flatten() {
        let prefix = format!("{name} ");
        if linked.iter().any(|package| package.starts_with(&prefix)) {
            hasher.part(format!("{name} = {setting}").as_bytes());
        }
    }
    for folder in folders(root, &linked) {
        hasher.path(root, &folder.join("Cargo.toml"))?;
        let mut files = Vec::new();
        files_below(root, &folder.join("src"), &mut files)?;
        let files: Vec<_> = files
            .into_iter()
            .map(|file| (tokens(root, &file), file))
            .collect();
        let tests: Vec<_> = files
            .iter()
            .filter_map(|(tokens, file)| Some(test_modules(file, tokens.as_ref()?)))
            .flatten()
            .collect();
        let is_test = |file: &Path| {
            tests
                .iter()
                .any(|module| file.with_extension("").starts_with(module))
        };
        for (tokens, file) in files.into_iter().filter(|(_, file)| !is_test(file)) {
            match tokens {
                Some(tokens) => {
                    hasher.part(file.to_string_lossy().as_bytes());
                    code(hasher, tokens);
                }
                None => {
                    hasher.path(root, &file)?;
                }
            }
        }
    }
    Ok(())
}

/// What the library of the project at `root` is built from, relative to it: the manifests, and the sources of each of the
/// workspace's packages that it links.
pub fn library_sources(root: &Path) -> Vec<PathBuf> {
    let mut sources = vec![PathBuf::from("Cargo.toml"), PathBuf::from("Cargo.lock")];
    for folder in folders(root, &linked_in(root)) {
        sources.extend([folder.join("Cargo.toml"), folder.join("src")]);
    }
    sources.retain(|source| root.join(source).exists());
    sources
}

/// The packages that the library is built from, each as `name version`.
fn linked_in(root: &Path) -> BTreeSet<String> {
    table(root, "Cargo.lock")
        .as_ref()
        .map(linked)
        .unwrap_or_default()
}

/// What the package in a folder of the workspace is called.
fn name_of(root: &Path, folder: &str) -> Option<String> {
    let manifest = table(root, &format!("{folder}/Cargo.toml"))?;
    let name = manifest.get("package")?.get("name")?.as_str()?;
    Some(name.to_owned())
}

/// The folders of those of these packages that are members of the workspace.
fn folders(root: &Path, linked: &BTreeSet<String>) -> Vec<PathBuf> {
    let workspace = table(root, "Cargo.toml");
    let members = workspace.as_ref().and_then(|table| {
        let workspace = table.get("workspace")?;
        workspace.get("members")?.as_array()
    });
    let members = members
        .into_iter()
        .flatten()
        .filter_map(|member| member.as_str());
    let is_linked = |folder: &&str| {
        name_of(root, folder).is_some_and(|name| {
            let prefix = format!("{name} ");
            linked.iter().any(|package| package.starts_with(&prefix))
        })
    };
    members.filter(is_linked).map(PathBuf::from).collect()
}

/// The tokens of a file of Rust; `None` for another, or one that cannot be read as Rust.
fn tokens(root: &Path, file: &Path) -> Option<TokenStream> {
    file.extension().filter(|extension| *extension == "rs")?;
    fs::read_to_string(root.join(file)).ok()?.parse().ok()
}

/// The modules that a file declares for tests only (`#[cfg(test)] mod NAME;`), as their paths without `.rs`.
fn test_modules(file: &Path, tokens: &TokenStream) -> Vec<PathBuf> {
    let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
        Some("lib" | "main" | "mod") => file.parent().unwrap_or(Path::new("")).to_owned(),
        _ => file.with_extension(""),
    };
    let words: Vec<String> = tokens.clone().into_iter().map(|t| t.to_string()).collect();
    let declared = words.windows(5).filter_map(|words| match words {
        [hash, test, module, name, end]
            if hash == "#" && test == "[cfg (test)]" && module == "mod" && end == ";" =>
        {
            Some(folder.join(name))
        }
        _ => None,
    });
    declared.collect()
}

/// A file of TOML, if it is there and can be read: where it cannot, cargo says so when a cell is built.
fn table(root: &Path, name: &str) -> Option<toml::Table> {
    fs::read_to_string(root.join(name)).ok()?.parse().ok()
}

/// The packages that the library is built from, each as `name version`, by the lock file.
fn linked(lock: &toml::Table) -> BTreeSet<String> {
    let text =
        |value: &toml::Value, key| value.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    // A dependency is named `name`, or `name version` where there are several.
    let mut packages: BTreeMap<String, Vec<(String, Vec<String>)>> = BTreeMap::new();
    let list = lock.get("package").and_then(|list| list.as_array());
    for package in list.into_iter().flatten() {
        let (Some(name), Some(version)) = (text(package, "name"), text(package, "version")) else {
            continue;
        };
        let needs = package.get("dependencies").and_then(|list| list.as_array());
        let needs = needs.into_iter().flatten();
        let needs = needs.filter_map(|need| need.as_str().map(str::to_owned));
        packages
            .entry(name)
            .or_default()
            .push((version, needs.collect()));
    }
    let mut linked = BTreeSet::new();
    let mut open = vec![PACKAGE.to_owned()];
    while let Some(need) = open.pop() {
        let mut words = need.split(' ');
        let (name, wanted) = (words.next().unwrap_or_default(), words.next());
        for (version, needs) in packages.get(name).into_iter().flatten() {
            if wanted.is_none_or(|wanted| wanted == version)
                && linked.insert(format!("{name} {version}"))
            {
                open.extend(needs.iter().cloned());
            }
        }
    }
    linked
}

/// Adds code to a hash, token by token: comments, documentation, spaces and tests are left out.
fn code(hasher: &mut Hasher, tokens: TokenStream) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if is_punct(&token, '#') {
            let bang = tokens.next_if(|token| is_punct(token, '!')).is_some();
            match tokens.next() {
                Some(TokenTree::Group(attribute))
                    if attribute.delimiter() == Delimiter::Bracket =>
                {
                    let text = attribute.stream().to_string();
                    if text == "cfg (test)" && !bang {
                        // The item that it marks ends with a block or a semicolon.
                        for token in tokens.by_ref() {
                            let block = |g: &proc_macro2::Group| g.delimiter() == Delimiter::Brace;
                            if is_punct(&token, ';')
                                || matches!(&token, TokenTree::Group(g) if block(g))
                            {
                                break;
                            }
                        }
                    } else if !text.starts_with("doc =") {
                        hasher.part(b"#").part(text.as_bytes());
                    }
                }
                Some(other) => {
                    hasher.part(b"#").part(other.to_string().as_bytes());
                }
                None => {}
            }
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                hasher.part(format!("{:?}", group.delimiter()).as_bytes());
                code(hasher, group.stream());
                hasher.part(b"end");
            }
            token => {
                hasher.part(token.to_string().as_bytes());
            }
        }
    }
}

fn is_punct(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(source: &str) -> [u8; 32] {
        let mut hasher = Hasher::new();
        code(&mut hasher, source.parse().expect("Rust"));
        hasher.finish()
    }

    #[test]
    fn only_what_changes_an_output_changes_the_hash() {
        let source = "//! A.\n/// B.\n#[derive(Debug)]\nfn f() -> u8 {\n    1 // one\n}\n";
        for same in [
            "#[derive(Debug)] fn f() -> u8 { 1 }",
            "//! Other.\n#![doc = \"x\"]\n#[derive(Debug)]\nfn f() -> u8 {\n  /* two */ 1\n}",
            "#[derive(Debug)] fn f() -> u8 { 1 }\n#[cfg(test)]\nmod tests { fn g() {} }",
            "#[cfg(test)]\n#[allow(unused)]\nuse a::b;\n#[derive(Debug)] fn f() -> u8 { 1 }",
        ] {
            assert_eq!(hash(source), hash(same), "{same}");
        }
        for other in [
            "#[derive(Debug)] fn f() -> u8 { 2 }",
            "#[derive(Clone)] fn f() -> u8 { 1 }",
            "fn f() -> u8 { 1 }",
            "#[derive(Debug)] fn f() -> u8 { 1 } fn g() {}",
            "#[derive(Debug)] fn f() -> u8 ( 1 )",
            "#[derive(Debug)] #[cfg(not(test))] fn f() -> u8 { 1 }",
        ] {
            assert_ne!(hash(source), hash(other), "{other}");
        }
    }

    #[test]
    fn a_module_declared_for_tests_is_one_whatever_its_name() {
        let tokens = "mod a;\n#[cfg(test)]\nmod oracle;\n#[cfg(test)] mod tests { mod b; }\n#[cfg(unix)] mod c;";
        let tokens: TokenStream = tokens.parse().expect("Rust");
        let found = |file: &str| test_modules(Path::new(file), &tokens);
        assert_eq!(found("src/check.rs"), [Path::new("src/check/oracle")]);
        assert_eq!(found("src/lib.rs"), [Path::new("src/oracle")]);
    }

    #[test]
    fn an_edit_of_a_test_only_file_changes_no_key() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path();
        let write = |file: &str, text: &str| {
            let path = root.join("crate/emulator/src").join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        let key = || {
            let mut hasher = Hasher::new();
            add(&mut hasher, root).expect("a hash");
            hasher.finish()
        };
        let put = |file: &str, text: &str| fs::write(root.join(file), text).expect("a file");
        write("lib.rs", "mod check;");
        put(
            "Cargo.toml",
            "[workspace]\nmembers = [\"crate/emulator\", \"crate/other\"]\n",
        );
        put(
            "Cargo.lock",
            "[[package]]\nname = \"cornerturn\"\nversion = \"1.0.0\"\ndependencies = [\"engine\"]\n[[package]]\nname = \"engine\"\nversion = \"1.0.0\"\n",
        );
        put(
            "crate/emulator/Cargo.toml",
            "[package]\nname = \"engine\"\n",
        );
        write("check.rs", "#[cfg(test)]\nmod oracle;\nmod cells;");
        write("check/oracle.rs", "fn f() {}");
        write("check/oracle/more.rs", "fn f() {}");
        write("check/cells.rs", "fn f() {}");
        let before = key();
        write("check/oracle.rs", "fn g() {}");
        write("check/oracle/more.rs", "fn g() {}");
        assert_eq!(key(), before);
        write("check/cells.rs", "fn g() {}");
        assert_ne!(key(), before);
    }

    /// A list kept by hand had left the compiler out, and stale outputs were shown after a change of it.
    #[test]
    fn every_package_of_this_project_that_the_library_links_is_among_its_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let sources = library_sources(&root);
        for folder in [
            "crate",
            "crate/base",
            "crate/basics",
            "crate/compiler",
            "crate/emulator",
            "crate/exercise",
            "crate/measure",
            "crate/plot",
            "crate/registry",
            "crate/runtime",
        ] {
            let source = Path::new(folder).join("src");
            assert!(sources.contains(&source), "{folder}: {sources:?}");
        }
        for other in ["crate/runner/src", "book/preprocessor/src"] {
            assert!(!sources.contains(&PathBuf::from(other)), "{other}");
        }
    }

    #[test]
    fn packages_that_the_library_does_not_need_are_no_part_of_it() {
        let lock = |extra: &str| -> toml::Table {
            let text = format!(
                "[[package]]\nname = \"cornerturn\"\nversion = \"1.0.0\"\ndependencies = [\"a\", \"b 2.0.0\"]\n\
                 [[package]]\nname = \"a\"\nversion = \"1.0.0\"\ndependencies = [\"a\"]\n\
                 [[package]]\nname = \"b\"\nversion = \"1.0.0\"\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\n\
                 {extra}"
            );
            text.parse().expect("TOML")
        };
        let expected = ["a 1.0.0", "b 2.0.0", "cornerturn 1.0.0"].map(str::to_owned);
        assert_eq!(linked(&lock("")), expected.clone().into());
        let extra = "[[package]]\nname = \"mdbook\"\nversion = \"9.0.0\"\n";
        assert_eq!(linked(&lock(extra)), expected.into());
        assert_eq!(
            linked(&"package = 3".parse().expect("TOML")),
            BTreeSet::new()
        );
    }
}
