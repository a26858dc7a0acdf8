//! Files that the host of this program gave as text, in the place of those on a disk: a page has no disk. Where they are read is `files`' and `paths`'.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder that stands for the project's root where files were given. No system has it.
const ROOT: &str = "/given/";

thread_local! {
    // A page has one thread; a test's files are not its neighbour's.
    static FILES: RefCell<BTreeMap<PathBuf, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// Gives a file by its path below the project's root, such as `kernels/kernels.toml`. From the first on, this thread
/// reads the project's files from here alone.
pub fn give(path: &str, text: String) {
    let path = Path::new(ROOT).join(path.trim_start_matches('/'));
    FILES.with_borrow_mut(|files| files.insert(path, text));
}

/// Forgets all of them.
pub fn forget() {
    FILES.with_borrow_mut(BTreeMap::clear);
}

/// The root of the files that were given; `None` where none was.
pub fn root() -> Option<PathBuf> {
    FILES.with_borrow(|files| (!files.is_empty()).then(|| PathBuf::from(ROOT)))
}

/// The text of a file below that root; `None` for one that was not given.
pub fn text(path: &Path) -> Option<String> {
    FILES.with_borrow(|files| files.get(path).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::read_text;
    use crate::paths;

    #[test]
    fn what_was_given_is_read_and_nothing_else() {
        give("kernels/kernels.toml", "text".to_string());
        let kernels = paths::kernels().unwrap();
        assert_eq!(read_text(&kernels.join("kernels.toml")).unwrap(), "text");
        let error = read_text(&kernels.join("transpose/padded.cu")).unwrap_err();
        assert!(error.to_string().contains("padded.cu"), "{error}");
        forget();
        assert!(paths::kernels().unwrap().join("kernels.toml").is_file());
    }
}
