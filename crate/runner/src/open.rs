//! Verb `open`: shows the built pages of the book, or writes them into a folder. How they are built is `book`'s, how they reach a browser package `cornerturn-site`'s.

use crate::carried::{self, Carried};
use crate::pack::{PackError, files_below};
use crate::{desktop, exit, interrupt, output};
use cornerturn::paths;
use cornerturn_site::PageServer;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Open the book's pages, with their laboratory, in a browser
///
/// They are served on this machine's loopback address until Ctrl-C: those that `cargo book` built in the clone in or above
/// the current folder, else those that this program carries. Exit status: 0 done, also after Ctrl-C; 2 bad usage; 4 there
/// are no pages, no port is free, or something cannot be written.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The port to serve on; where it is taken, the next free one of ten
    #[arg(long, value_name = "PORT", default_value_t = 3000)]
    port: u16,

    /// Print the address, and open no browser
    #[arg(long)]
    no_browser: bool,

    /// Serve nothing: write the pages into this folder, which must be new or empty; they can be opened from there
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "no_browser"])]
    into: Option<PathBuf>,
}

/// Where the pages are.
enum Pages {
    /// In a folder of the project.
    Built(PathBuf),
    /// In this binary.
    Carried(Carried),
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let pages = find()?;
    interrupt::watch()?;
    let done = match &args.into {
        Some(folder) => write(&pages, folder),
        None => serve(&pages, &args),
    };
    match done {
        Err(_) if interrupt::came() => {
            output::say("interrupted; nothing half written is left\n");
            Ok(ExitCode::from(130))
        }
        done => done.map(|()| ExitCode::SUCCESS),
    }
}

fn find() -> anyhow::Result<Pages> {
    let carried = carried::pages();
    let root = match (paths::chosen()?, carried) {
        (None, Some(pages)) => return Ok(Pages::Carried(pages)),
        (Some(root), _) => root,
        (None, None) => paths::root()?,
    };
    let built = root.join("target").join("book").join("html");
    if built.join("index.html").is_file() {
        return Ok(Pages::Built(built));
    }
    let none = format!(
        "there are no pages in {}; `cargo book` builds them",
        built.display()
    );
    match carried {
        Some(pages) => {
            output::step(format!(
                "{none}; these are the ones that this program carries"
            ));
            Ok(Pages::Carried(pages))
        }
        None => Err(exit::lacks(none)),
    }
}

fn serve(pages: &Pages, args: &Args) -> anyhow::Result<()> {
    let folder = match pages {
        Pages::Built(folder) => folder.clone(),
        Pages::Carried(pages) => pages.folder()?,
    };
    let server =
        PageServer::on_port(&folder, args.port).map_err(|error| exit::lacks(error.to_string()))?;
    let url = server.url("");
    output::line(&url)?;
    output::step("Ctrl-C ends it");
    if !args.no_browser {
        desktop::open_browser(&url);
    }
    interrupt::wait();
    Ok(())
}

/// Writes the pages into a folder: aside at first, so that they are there whole or not at all.
fn write(pages: &Pages, folder: &Path) -> anyhow::Result<()> {
    let cannot = |error: io::Error| {
        exit::lacks(format!(
            "cannot write the pages into {}: {error}; name another folder with --into",
            folder.display()
        ))
    };
    let is_new = match fs::read_dir(folder).map(|mut entries| entries.next().is_none()) {
        Ok(true) => false,
        Ok(false) => {
            return Err(exit::usage(format!(
                "the folder {} is not empty; name a new one with --into",
                folder.display()
            )));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(exit::usage(format!(
                "{} is no folder; name another with --into",
                folder.display()
            )));
        }
        Err(error) => return Err(cannot(error)),
    };
    let aside = folder.join(".pages.part");
    let written = fs::create_dir_all(&aside)
        .map_err(cannot)
        .and_then(|()| fill(pages, &aside))
        .and_then(|()| move_up(&aside, folder).map_err(cannot));
    if let Err(error) = written {
        // Of what could not be made there is nothing to remove.
        let _ = fs::remove_dir_all(&aside);
        if is_new {
            let _ = fs::remove_dir(folder);
        }
        return Err(error);
    }
    output::line(folder.join("index.html").display())
}

fn fill(pages: &Pages, folder: &Path) -> anyhow::Result<()> {
    let written = match pages {
        Pages::Built(built) => copy(built, folder)?,
        Pages::Carried(pages) => pages.unpack(folder),
    };
    written.map_err(|error| match error {
        PackError::Unwritable { path, source } => exit::lacks(format!(
            "cannot write {}: {source}; make room, or name another folder with --into",
            path.display()
        )),
        error => exit::lacks(format!(
            "this program is damaged: of the pages that it carries, {error}; install it again"
        )),
    })
}

/// Copies the files of a folder.
fn copy(from: &Path, into: &Path) -> anyhow::Result<Result<(), PackError>> {
    for (name, file) in files_below(from)? {
        if interrupt::came() {
            return Ok(Err(PackError::Interrupted));
        }
        let path = into.join(name);
        let folders = path.parent().map_or(Ok(()), fs::create_dir_all);
        let copied = folders.and_then(|()| fs::copy(&file, &path));
        if let Err(source) = copied {
            return Ok(Err(PackError::Unwritable { path, source }));
        }
    }
    Ok(Ok(()))
}

/// Moves what is in a folder into the one above it.
fn move_up(from: &Path, into: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::rename(entry.path(), into.join(entry.file_name()))?;
    }
    fs::remove_dir(from)
}
