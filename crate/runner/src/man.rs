//! Verb `man`: prints the manual page, or writes one for each verb. Their words are those of `--help`.

use crate::output;
use clap_mangen::Man;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print the manual page, or write one for each verb into a folder
///
/// To read it at once: cornerturn man | man -l -
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write cornerturn.1 and a page for each verb into this folder
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

/// Runs the verb for a program with these verbs.
pub fn run(args: &Args, mut program: clap::Command) -> anyhow::Result<ExitCode> {
    // With the names that verbs of verbs have in their pages.
    program.build();
    let Some(folder) = &args.into else {
        output::print_raw(&page(program)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut programs = vec![program];
    while let Some(program) = programs.pop() {
        let verbs = program.get_subcommands();
        let shown = verbs.filter(|verb| !verb.is_hide_set() && verb.get_name() != "help");
        programs.extend(shown.cloned());
        let name = program.get_display_name().unwrap_or(program.get_name());
        let file = folder.join(format!("{name}.1"));
        output::write_whole(&file, page(program)?.as_bytes())?;
        output::line(file.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn page(program: clap::Command) -> anyhow::Result<String> {
    let mut page = Vec::new();
    Man::new(program).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
