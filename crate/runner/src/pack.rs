//! Packs: many files as one piece of bytes, compressed, with their sum before them. What packs there are, and where they are unpacked, is `carried`'s.

use crate::interrupt;
use anyhow::Context as _;
use cornerturn_basics::sha256;
use lzma_rust2::{LzmaOptions, LzmaReader, LzmaWriter};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write as _};
use std::path::{Component, Path, PathBuf};
use tar::{Archive, Builder, EntryType, Header};

/// The digits of the sum.
const SUM_BYTES: usize = 64;

/// How far back the same text is found again, in bytes: over the pages of some chapters. Whoever unpacks needs as much
/// memory, whoever packs ten times as much.
const WINDOW: u32 = 32 << 20;

/// Why a pack was not unpacked.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// Its bytes are not those that were packed.
    #[error("they have not the sum that they were packed with")]
    Damaged,
    /// Something could not be written.
    #[error("{}: {source}", path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

/// Files in one piece: the SHA-256 of what follows, in hexadecimal, and an archive of tar's compressed by LZMA.
#[derive(Debug, Clone, Copy)]
pub struct Pack<'a>(&'a [u8]);

impl<'a> Pack<'a> {
    /// Of these bytes, which are looked at when it is unpacked.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// What tells it from packs of other files.
    pub fn name(&self) -> String {
        let sum = self.0.iter().take(SUM_BYTES / 4);
        let digits = sum.filter(|digit| digit.is_ascii_hexdigit());
        digits.map(|digit| char::from(*digit)).collect()
    }

    /// Writes its files into a folder.
    ///
    /// # Errors
    /// Where it is damaged, before anything is written; where something cannot be written, and at an interrupt.
    pub fn unpack(&self, into: &Path) -> Result<(), PackError> {
        let (sum, packed) = self
            .0
            .split_at_checked(SUM_BYTES)
            .ok_or(PackError::Damaged)?;
        if sha256(packed).as_bytes() != sum {
            return Err(PackError::Damaged);
        }
        // What its sum vouches for is read without a mistake.
        let damaged = |_: io::Error| PackError::Damaged;
        let files = LzmaReader::new_mem_limit(packed, u32::MAX, None).map_err(damaged)?;
        for file in Archive::new(files).entries().map_err(damaged)? {
            let mut file = file.map_err(damaged)?;
            if interrupt::came() {
                return Err(PackError::Interrupted);
            }
            let name = file.path().map_err(damaged)?.into_owned();
            let is_plain = |part| matches!(part, Component::Normal(_));
            if !name.components().all(is_plain) {
                return Err(PackError::Damaged);
            }
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(damaged)?;
            let path = into.join(name);
            let folders = path.parent().map_or(Ok(()), fs::create_dir_all);
            folders
                .and_then(|()| fs::write(&path, bytes))
                .map_err(|source| PackError::Unwritable { path, source })?;
        }
        Ok(())
    }
}

/// Packs files, each with its path in the pack, parts divided by `/`. The same files give the same bytes.
///
/// # Errors
/// Where one cannot be read.
pub fn pack(files: &BTreeMap<String, PathBuf>) -> anyhow::Result<Vec<u8>> {
    let options = LzmaOptions {
        dict_size: WINDOW,
        ..LzmaOptions::with_preset(9)
    };
    let writer = LzmaWriter::new_use_header(Vec::new(), &options, None)?;
    let mut archive = Builder::new(writer);
    // Those of a kind behind one another: they have the same in them.
    let kind = |name: &str| name.rsplit_once('.').map(|(_, kind)| kind.to_string());
    let mut ordered: Vec<(&String, &PathBuf)> = files.iter().collect();
    ordered.sort_by_key(|(name, _)| (kind(name), *name));
    for (name, path) in ordered {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        add(&mut archive, name, &bytes, 0o644)?;
    }
    let mut writer = archive.into_inner()?;
    writer.flush()?;
    let packed = writer.finish()?;
    Ok([sha256(&packed).as_bytes(), &packed].concat())
}

/// Adds a file to an archive, without an owner or a time: two that hold the same are the same.
///
/// # Errors
/// Those of the archive.
pub fn add<W: io::Write>(
    archive: &mut Builder<W>,
    name: &str,
    bytes: &[u8],
    mode: u32,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(bytes.len() as u64);
    header.set_mode(mode);
    header.set_mtime(0);
    archive.append_data(&mut header, name, bytes)
}

/// The files below a folder by their paths in it, but for hidden ones and those that editors leave.
///
/// # Errors
/// Those of the file system.
pub fn files_below(folder: &Path) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![(String::new(), folder.to_path_buf())];
    while let Some((prefix, folder)) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(name) = name.filter(|name| !name.starts_with('.') && !name.ends_with('~'))
            else {
                continue;
            };
            let name = format!("{prefix}{name}");
            match path.is_dir() {
                true => folders.push((format!("{name}/"), path)),
                false => drop(found.insert(name, path)),
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with some files, which goes with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("cornerturn-pack ü-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            fs::create_dir_all(folder.join("from/a b")).unwrap();
            fs::write(folder.join("from/ö.html"), "page ".repeat(10_000)).unwrap();
            fs::write(folder.join("from/a b/empty"), "").unwrap();
            fs::write(folder.join("from/.hidden"), "no").unwrap();
            fs::write(folder.join("from/left~"), "no").unwrap();
            // Longer than the names that tar had at first.
            fs::write(folder.join("from").join("long".repeat(40)), "long").unwrap();
            Self(folder)
        }

        fn pack(&self) -> Vec<u8> {
            pack(&files_below(&self.0.join("from")).unwrap()).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_is_packed_is_unpacked_and_always_packed_alike() {
        let folder = Folder::new("alike");
        let packed = folder.pack();
        assert_eq!(packed, folder.pack());
        assert_eq!(Pack::new(&packed).name().len(), 16);
        let into = folder.0.join("into");
        Pack::new(&packed).unpack(&into).unwrap();
        let names =
            |folder: &Path| -> Vec<String> { files_below(folder).unwrap().into_keys().collect() };
        assert_eq!(names(&into), names(&folder.0.join("from")));
        assert_eq!(names(&into).len(), 3);
        let page = fs::read_to_string(into.join("ö.html")).unwrap();
        assert_eq!(page, "page ".repeat(10_000));
    }

    #[test]
    fn a_damaged_pack_is_refused_and_writes_nothing() {
        let folder = Folder::new("damaged");
        let packed = folder.pack();
        let into = folder.0.join("into");
        for at in [0, SUM_BYTES, SUM_BYTES + 20, packed.len() - 1] {
            let mut damaged = packed.clone();
            damaged[at] ^= 1;
            let error = Pack::new(&damaged).unpack(&into).unwrap_err();
            assert!(matches!(error, PackError::Damaged), "{at}: {error}");
        }
        for length in [0, 1, SUM_BYTES, packed.len() / 2] {
            let error = Pack::new(&packed[..length]).unpack(&into).unwrap_err();
            assert!(matches!(error, PackError::Damaged), "{length}: {error}");
        }
        assert!(!into.exists());
    }

    #[test]
    fn a_pack_that_leads_out_of_its_folder_is_refused() {
        let options = LzmaOptions::with_preset(1);
        let writer = LzmaWriter::new_use_header(Vec::new(), &options, None).unwrap();
        let mut archive = Builder::new(writer);
        let mut header = Header::new_gnu();
        header.set_size(1);
        header.as_mut_bytes()[..6].copy_from_slice(b"../out");
        header.set_cksum();
        archive.append(&header, &b"x"[..]).unwrap();
        let packed = archive.into_inner().unwrap().finish().unwrap();
        let packed = [sha256(&packed).as_bytes(), &packed].concat();
        let folder = Folder::new("out");
        let error = Pack::new(&packed)
            .unpack(&folder.0.join("into"))
            .unwrap_err();
        assert!(matches!(error, PackError::Damaged), "{error}");
        assert!(!folder.0.join("out").exists());
    }
}
