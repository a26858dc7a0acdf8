//! The linker: PTX in, PTX out. Several texts become one; machine code cannot be taken.

use std::ffi::{c_char, c_uint};
use std::sync::Mutex;

use super::module::{Logs, read};
use super::{Address, Handle, In, Out, Text, bytes_at, driver, exports};
use crate::fatbin;
use crate::status::{Error, Result, Status};
use crate::table::Table;

/// What is linked: texts so far, and the result once it is complete.
#[derive(Debug, Default)]
struct Link {
    texts: Mutex<Vec<String>>,
    complete: Mutex<Option<Box<[u8]>>>,
    logs: Logs,
}

static LINKS: std::sync::LazyLock<Table<Link>> = std::sync::LazyLock::new(Table::default);

exports! {
    /// Begins to link.
    fn cuLinkCreate_v2(count: c_uint, options: In<c_uint>, values: In<u64>, link: Out<Handle>) {
        link.check()?;
        driver()?.context()?;
        let (options, values) = (options.list(count as usize)?, values.list(count as usize)?);
        let logs = Logs::of(&options, &values);
        link.set(LINKS.add(Link { logs, ..Link::default() }))
    }

    /// Adds an image.
    fn cuLinkAddData_v2(link: Handle, _kind: c_uint, image: Address, bytes: usize, _name: *const c_char, _count: c_uint, _options: In<c_uint>, _values: In<u64>) {
        add(link, bytes_at(image, bytes)?)
    }

    /// Adds a file.
    fn cuLinkAddFile_v2(link: Handle, _kind: c_uint, file: Text, _count: c_uint, _options: In<c_uint>, _values: In<u64>) {
        add(link, &read(&file.get()?)?)
    }

    /// Links what was added; the result stays until the link is destroyed.
    fn cuLinkComplete(link: Handle, image: Out<Address>, bytes: Out<usize>) {
        let link = LINKS.get(link).ok_or(Status::INVALID_HANDLE)?;
        let text = joined(&crate::stream::held(&link.texts));
        // What is wrong with it is told now, as the driver's linker would.
        cornerturn_emulator::Module::load(&text).map_err(|error| {
            link.logs.put("", &error.to_string());
            crate::module::load_error(error)
        })?;
        link.logs.put("", "");
        let mut complete = crate::stream::held(&link.complete);
        let length = text.len();
        let whole = complete.insert(text.into_bytes().into_iter().chain([0]).collect());
        image.set(whole.as_ptr() as Address)?;
        bytes.set_if_asked(length);
        Ok(())
    }

    /// Ends it.
    fn cuLinkDestroy(link: Handle) {
        LINKS.remove(link).map(drop).ok_or_else(|| Status::INVALID_HANDLE.into())
    }
}

fn add(link: Handle, bytes: &[u8]) -> Result<()> {
    let link = LINKS.get(link).ok_or(Status::INVALID_HANDLE)?;
    let image = fatbin::parse(bytes)?;
    let Some(text) = image.ptx else {
        let message = "machine code cannot be linked: the emulator runs PTX";
        link.logs.put("", message);
        return Err(Error::new(Status::NO_BINARY_FOR_GPU, message));
    };
    crate::stream::held(&link.texts).push(text);
    Ok(())
}

/// Several texts as one: with the header of the first, and the numbers of files apart.
fn joined(texts: &[String]) -> String {
    let mut all = String::new();
    for (number, text) in texts.iter().enumerate() {
        if number == 0 {
            all.push_str(text);
            continue;
        }
        for line in text.lines() {
            let word = line.trim_start();
            // Line information of other texts is left out: its files have numbers of their own.
            let is_left_out = [".version", ".target", ".address_size", ".file", ".loc"]
                .iter()
                .any(|directive| word.starts_with(directive));
            if !is_left_out {
                all.push_str(line);
            }
            all.push('\n');
        }
    }
    all
}
