//! The standard library's source as a kernel's rust-analyzer reads it: a folder of links into the toolchain. When it is read, and by whom, is not decided here.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Where `std::arch` has what is for x86.
const X86: [&str; 2] = [
    "stdarch/crates/core_arch/src/x86",
    "stdarch/crates/core_arch/src/x86_64",
];

/// What is left out of it: four fifths, for which rust-analyzer takes a second and 75 MB in each kernel. A variable of
/// such a type needs its type written down.
const LEFT_OUT: &str = "avx512";

/// Fills `folder` with links into `library`, the toolchain's own source. Gives false where it cannot; the source is then
/// to be read where it is.
pub fn link(library: &Path, folder: &Path) -> bool {
    // A toolchain that was updated may have lost files.
    let _ = fs::remove_dir_all(folder);
    library.join("core").exists() && link_all(library, folder, Path::new("")).is_ok()
}

/// Links what is at `place` in the library; folders on the way to what is left out are made anew.
fn link_all(library: &Path, folder: &Path, place: &Path) -> io::Result<()> {
    fs::create_dir_all(folder.join(place))?;
    for entry in fs::read_dir(library.join(place))? {
        let name = entry?.file_name();
        let within = place.join(&name);
        if X86.iter().any(|x86| Path::new(x86).starts_with(&within)) {
            link_all(library, folder, &within)?;
        } else if !name.to_string_lossy().starts_with(LEFT_OUT) {
            symlink(library.join(&within), folder.join(&within))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_what_is_left_out_is_there_also_a_second_time() {
        let place = std::env::temp_dir().join(format!("cornerturn-std-{}", std::process::id()));
        let (library, folder) = (place.join("library"), place.join("links"));
        assert!(!link(&library, &folder), "there is none");
        let x86 = |name: &str| format!("{}/{name}", X86[0]);
        let kept = ["Cargo.toml", "core/src/lib.rs", &x86("avx2.rs")];
        for name in kept.into_iter().chain([x86("avx512f.rs").as_str()]) {
            let file = library.join(name);
            fs::create_dir_all(file.parent().expect("a folder")).expect("it can be made");
            fs::write(file, name).expect("a file");
        }
        for _ in 0..2 {
            assert!(link(&library, &folder));
            for name in kept {
                let read = fs::read_to_string(folder.join(name));
                assert_eq!(read.expect("it is linked"), name);
            }
            assert!(!folder.join(x86("avx512f.rs")).exists());
        }
        assert!(
            library.join(x86("avx512f.rs")).exists(),
            "the toolchain stays whole"
        );
        fs::remove_dir_all(&place).expect("it is there");
    }
}
