//! The picture of link previews: the book's title beside the picture of the ladder, drawn by a browser and stamped with what it was drawn from. Which page names it is the preprocessor's.

use super::browser::Browser;
use crate::exit;
use anyhow::Context;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use cornerturn_basics::{escape_html as escape, sha256};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

const PICTURE: &str = "book/src/images/preview.png";
/// What it shows.
const SHOWN: &str = "book/src/images/ladder.svg";
const BOOK: &str = "book.toml";

/// As wide and as tall as links show pictures.
const SIZE: (u32, u32) = (1200, 630);

/// A picture that takes longer to load than a page is of no use.
const MOST_BYTES: usize = 150_000;

/// The keyword of the stamp, a chunk of text in the PNG.
const KEYWORD: &[u8] = b"Source\0";

/// What a PNG begins with: its signature and the chunk of its header.
const HEAD_BYTES: usize = 8 + 25;

/// Draws the picture anew.
pub fn draw(root: &Path, program: &Path, work: &Path) -> anyhow::Result<PathBuf> {
    let page = work.join("preview.html");
    fs::create_dir_all(work).with_context(|| work.display().to_string())?;
    fs::write(&page, html(root)?).with_context(|| page.display().to_string())?;
    let mut browser = Browser::start(program, &work.join("preview"))?;
    let (width, height) = SIZE;
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
    )?;
    browser.open(&format!("file://{}", page.display()))?;
    let drawn = browser.call("Page.captureScreenshot", json!({"format": "png"}))?;
    let text = drawn["data"].as_str().unwrap_or_default();
    let png = BASE64_STANDARD
        .decode(text)
        .context("the browser's picture is not in base64")?;
    let path = root.join(PICTURE);
    fs::write(&path, stamped(&png, &stamp(root)?)?).with_context(|| path.display().to_string())?;
    Ok(path)
}

/// Whether the picture is there, small, and drawn from what is there now.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let again = "`cargo verify --preview` draws it";
    let Ok(png) = fs::read(root.join(PICTURE)) else {
        return Ok(vec![format!("{PICTURE} is missing: {again}")]);
    };
    let mut problems = Vec::new();
    if png.len() > MOST_BYTES {
        let bytes = png.len();
        problems.push(format!(
            "{PICTURE} has {bytes} bytes, more than {MOST_BYTES}"
        ));
    }
    if stamp_of(&png) != Some(stamp(root)?.as_bytes()) {
        problems.push(format!(
            "{PICTURE} is older than {SHOWN} or {BOOK}'s title: {again}"
        ));
    }
    Ok(problems)
}

fn read(root: &Path, file: &str) -> anyhow::Result<String> {
    fs::read_to_string(root.join(file)).with_context(|| file.to_owned())
}

/// The value of a key of the book's table, which comes first.
fn of_book(root: &Path, key: &str) -> anyhow::Result<String> {
    let text = read(root, BOOK)?;
    let start = format!("{key} = \"");
    let line = text.lines().find_map(|line| line.strip_prefix(&start));
    let value = line.and_then(|rest| rest.strip_suffix('"'));
    Ok(value
        .with_context(|| format!("{BOOK} has no line `{start}…\"`"))?
        .to_owned())
}

/// The digest of all that is shown.
fn stamp(root: &Path) -> anyhow::Result<String> {
    let shown = [
        of_book(root, "title")?,
        of_book(root, "description")?,
        read(root, SHOWN)?,
    ];
    Ok(sha256(shown.join("\n").as_bytes()))
}

fn html(root: &Path) -> anyhow::Result<String> {
    let (title, description) = (of_book(root, "title")?, of_book(root, "description")?);
    let (title, description, svg) = (escape(&title), escape(&description), read(root, SHOWN)?);
    Ok(format!(
        "<!doctype html><meta charset=utf-8><style>body{{margin:0;height:{}px;display:grid;box-sizing:border-box;\
         padding:30px 40px;grid-template-columns:1fr 600px;gap:40px;align-items:center;background:#fff;color:#111;\
         font-family:sans-serif;overflow:hidden}}h1{{font-size:64px;margin:0 0 20px}}p{{font-size:28px;line-height:1.35;\
         margin:0}}svg{{max-width:none!important}}</style><div><h1>{title}</h1><p>{description}</p></div><div>{svg}</div>",
        SIZE.1
    ))
}

/// A PNG with a stamp behind its header.
fn stamped(png: &[u8], stamp: &str) -> anyhow::Result<Vec<u8>> {
    if !png.starts_with(b"\x89PNG") || png.len() < HEAD_BYTES {
        return Err(exit::wrong("the browser's picture is no PNG"));
    }
    let (head, rest) = png.split_at(HEAD_BYTES);
    let chunk = [b"tEXt".as_slice(), KEYWORD, stamp.as_bytes()].concat();
    let length = (chunk.len() as u32 - 4).to_be_bytes();
    let crc = crc32(&chunk).to_be_bytes();
    Ok([head, &length[..], &chunk[..], &crc[..], rest].concat())
}

fn stamp_of(png: &[u8]) -> Option<&[u8]> {
    let rest = png.get(HEAD_BYTES..)?;
    let length = u32::from_be_bytes(rest.get(..4)?.try_into().ok()?) as usize;
    let chunk = rest.get(4..)?.get(..length.checked_add(4)?)?;
    chunk.strip_prefix(b"tEXt")?.strip_prefix(KEYWORD)
}

/// The check sum of a PNG's chunks (PNG specification, annex D).
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::super::browser;
    use super::*;

    #[test]
    fn the_check_sum_is_that_of_the_specification() {
        // The last chunk of every PNG.
        assert_eq!(crc32(b"IEND"), 0xae42_6082);
    }

    #[test]
    fn a_picture_is_drawn_once_and_told_when_it_is_old() {
        let root = std::env::temp_dir().join(format!("cornerturn-preview-{}", std::process::id()));
        fs::create_dir_all(root.join("book/src/images")).unwrap();
        let book = "[book]\ntitle = \"A <Book>\"\ndescription = \"About it\"\n";
        fs::write(root.join(BOOK), book).unwrap();
        let svg = "<svg viewBox='0 0 9 9'><rect width='9' height='9'/></svg>";
        fs::write(root.join(SHOWN), svg).unwrap();
        assert!(check(&root).unwrap()[0].contains("is missing"));
        if let Some(program) = browser::find() {
            let drawn = draw(&root, &program, &root.join("work")).unwrap();
            assert!(fs::read(drawn).unwrap().starts_with(b"\x89PNG"));
            assert_eq!(check(&root).unwrap(), Vec::<String>::new());
            fs::write(root.join(SHOWN), svg.replace('9', "8")).unwrap();
            assert!(check(&root).unwrap()[0].contains("is older"));
        }
        fs::remove_dir_all(&root).unwrap();
    }
}
