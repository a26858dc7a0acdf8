//! The files of its own that a source includes: who compiles says where they come from, since this package reads none.

/// A file that a source includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// By what it is known: two of the same path are one file.
    pub path: String,
    /// What messages call it.
    pub name: String,
    /// What stands in it.
    pub text: String,
}

/// What is found of a file that a source wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It.
    File(File),
    /// It is there and cannot be read: why.
    Unreadable(String),
    /// There is none in these folders.
    Nowhere(Vec<String>),
    /// A source may include none at all.
    Closed,
}

/// Where files come from.
pub trait Files {
    /// The file of this name, wanted by the file of the path `from`, or by the source itself. What stands in quotation
    /// marks is looked for beside that first.
    fn find(&self, name: &str, is_quoted: bool, from: Option<&str>) -> Found;
}

/// There are none: a source is one file.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn find(&self, _: &str, _: bool, _: Option<&str>) -> Found {
        Found::Closed
    }
}
