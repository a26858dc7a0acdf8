//! `exercise watch`: grades a file again whenever it is saved. Files are looked at, not subscribed to, so that editors that replace them and network folders work alike.

use super::check;
use super::folder::{self, Folder, Place};
use crate::{exit, output};
use cornerturn::exercise::{Exercise, Workshop};
use cornerturn::registry::sha256;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Between two looks at the files.
const PAUSE: Duration = Duration::from_millis(250);

/// Check an exercise again whenever you save it; Ctrl-C ends it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The exercise [default: whichever you save]
    name: Option<String>,

    #[command(flatten)]
    place: Place,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let workshop = Workshop::load()?;
    let folder = args.place.folder();
    let only = args
        .name
        .as_deref()
        .map(|name| folder::named(&workshop, name))
        .transpose()?;
    folder.check_exists()?;
    if let Some(exercise) = only {
        // A file that is not there yet is told at once.
        folder.read(exercise)?;
    }
    let ended = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&ended);
    // The second one ends a check that goes on too long.
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(handler)
        .map_err(|error| exit::lacks(format!("cannot wait for Ctrl-C: {error}")))?;
    let what = only.map_or(folder.path().display().to_string(), |exercise| {
        folder.file(exercise).display().to_string()
    });
    output::step(format!(
        "watching {what}; save a file to have it checked, Ctrl-C ends"
    ));
    // What was checked last, by exercise. A file of a whole folder is first checked when it is saved.
    let mut seen: BTreeMap<&str, String> = BTreeMap::new();
    if only.is_none() {
        for exercise in folder.started(&workshop) {
            seen.extend(fingerprint(&folder, exercise).map(|hash| (exercise.id.as_str(), hash)));
        }
    }
    while !ended.load(Ordering::Relaxed) {
        let watched: Vec<&Exercise> =
            only.map_or_else(|| folder.started(&workshop), |exercise| vec![exercise]);
        for exercise in watched {
            // Between two steps of an editor's save there may be no file.
            let Some(hash) = fingerprint(&folder, exercise) else {
                continue;
            };
            if seen.get(exercise.id.as_str()) == Some(&hash) || ended.load(Ordering::Relaxed) {
                continue;
            }
            seen.insert(&exercise.id, hash);
            tell(&workshop, &folder, exercise)?;
        }
        std::thread::sleep(PAUSE);
    }
    output::line("\nthe watch has ended")?;
    Ok(ExitCode::SUCCESS)
}

fn tell(workshop: &Workshop, folder: &Folder, exercise: &Exercise) -> anyhow::Result<()> {
    output::progress(&format!("  {} …", exercise.id));
    let graded = check::grade(folder, exercise, None);
    output::progress("");
    match graded {
        Ok(verdict) => output::print(format_args!(
            "\n{}",
            check::told(workshop, folder, exercise, verdict)
        )),
        // The next save may mend it.
        Err(error) => {
            output::error(&error);
            Ok(())
        }
    }
}

/// The hash of what is in the file; an empty file is one that is being written.
fn fingerprint(folder: &Folder, exercise: &Exercise) -> Option<String> {
    let bytes = cornerturn_basics::read_limited(&folder.file(exercise)).ok()?;
    (!bytes.is_empty()).then(|| sha256(&bytes))
}
