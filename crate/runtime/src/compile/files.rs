//! A user's file of CUDA C++ with the files that it includes: beside it, and in the folders that are named. Cells, exercises and pages have none of this: their sources are one file.

use super::{Compiled, Compiler, arch_of, own};
use cornerturn_base::error::Result;
use cornerturn_base::files::read_text;
use cornerturn_base::ptx;
use cornerturn_compiler::{File, Files, Found, Options};
use std::path::{Component, Path, PathBuf};

/// What only a folder of CUDA's or of the system's headers has: its contents are known to the compilers, and not read.
const OF_SYSTEM: [&str; 2] = ["cuda_runtime.h", "stdio.h"];

/// A file, and what is said of it beside it.
#[derive(Debug, Clone, Default)]
pub struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// Folders that are looked in for what it includes, behind its own.
    pub folders: Vec<PathBuf>,
    /// Macros that are defined before its first line, each with its value.
    pub defines: Vec<(String, String)>,
}

impl SourceFile {
    /// Its name in messages.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Its text.
    ///
    /// # Errors
    /// [`cornerturn_base::Error::File`] where it cannot be read or is not UTF-8.
    pub fn text(&self) -> Result<String> {
        read_text(&self.path)
    }

    fn folder(&self) -> PathBuf {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        }
    }

    /// The folders in which a name is looked for, each with what stands before the name in messages.
    fn places(&self, is_quoted: bool, from: Option<&str>) -> Vec<(PathBuf, PathBuf)> {
        let own = self.folder();
        let mut places = Vec::new();
        if is_quoted {
            let beside = from.and_then(|from| Path::new(from).parent());
            let beside = beside.map_or(own.clone(), Path::to_path_buf);
            // A file's own path has no `.` before it.
            let bare = own.strip_prefix(".").unwrap_or(&own);
            let told = beside.strip_prefix(bare).unwrap_or(&beside).to_path_buf();
            places.push((beside, told));
        }
        let is_system = |folder: &&PathBuf| OF_SYSTEM.iter().any(|one| folder.join(one).is_file());
        let named = self.folders.iter().filter(|folder| !is_system(folder));
        places.extend(named.map(|folder| (folder.clone(), folder.clone())));
        places
    }
}

impl Files for SourceFile {
    fn find(&self, name: &str, is_quoted: bool, from: Option<&str>) -> Found {
        let places = self.places(is_quoted, from);
        for (folder, told) in &places {
            let path = folder.join(name);
            if !path.is_file() {
                continue;
            }
            return match read_text(&path) {
                Ok(text) => Found::File(File {
                    path: plain(&path),
                    name: plain(&told.join(name)),
                    text,
                }),
                Err(error) => Found::Unreadable(error.to_string()),
            };
        }
        let folders = places
            .iter()
            .map(|(folder, _)| folder.display().to_string());
        Found::Nowhere(folders.collect())
    }
}

/// A path without `.` and `..`, so that a file has one name wherever it is included.
fn plain(path: &Path) -> String {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match (part, plain.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                plain.pop();
            }
            _ => plain.push(part),
        }
    }
    plain.to_string_lossy().into_owned()
}

impl Compiler {
    /// Compiles a user's file: for the architecture that is named, or for the oldest that has what it uses; the kernel that is
    /// wanted, or all.
    ///
    /// # Errors
    /// As [`Compiler::compile`]; [`cornerturn_base::Error::File`] where the file cannot be read.
    pub fn compile_file(
        &self,
        file: &SourceFile,
        arch: Option<&str>,
        entry: Option<&str>,
    ) -> Result<Compiled> {
        let source = file.text()?;
        super::check_source(&source)?;
        let mut options = Options {
            arch: arch.unwrap_or(super::ARCH).to_string(),
            defines: file.defines.clone(),
            entry: entry.map(str::to_string),
        };
        if arch.is_none() {
            options.arch = arch_of_file(file, &source, &options);
        }
        let mut compiled = match self {
            Self::Nvrtc(nvrtc) => nvrtc.compile_file(&source, file, &options)?,
            Self::CornerTurn { why } => own::compile_file(&source, file, &options, why)?,
        };
        compiled.ptx = ptx::for_drivers(&compiled.ptx);
        Ok(compiled)
    }
}

/// The oldest architecture that has what stands in a file and in those that it includes.
///
/// # Errors
/// [`cornerturn_base::Error::File`] where it cannot be read.
pub fn file_arch(file: &SourceFile) -> Result<String> {
    let options = Options {
        defines: file.defines.clone(),
        ..Options::default()
    };
    Ok(arch_of_file(file, &file.text()?, &options))
}

fn arch_of_file(file: &SourceFile, source: &str, options: &Options) -> String {
    let own = arch_of(source);
    let flat = cornerturn_compiler::flat(source, &file.name(), options, file, &|_| true);
    let flat = flat.ok().flatten();
    let all = flat.map_or(own, |flat| arch_of(&flat.text));
    let number = |arch: &str| {
        let digits = arch.trim_start_matches("compute_");
        let number: u32 = digits.trim_end_matches('a').parse().unwrap_or(0);
        (number, digits.ends_with('a'))
    };
    let newest = if number(all) > number(own) { all } else { own };
    newest.to_string()
}
