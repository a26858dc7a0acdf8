//! Verb `completions`: prints what lets a shell complete this program's verbs and options. The shell's words are clap_complete's.

use crate::output;
use clap_complete::Shell;
use std::process::ExitCode;

/// Print the completions for a shell
///
/// With bash, for instance: cornerturn completions bash > ~/.local/share/bash-completion/completions/cornerturn
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Runs the verb for a program with these verbs.
pub fn run(args: &Args, mut program: clap::Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    let name = program.get_name().to_string();
    clap_complete::generate(args.shell, &mut program, name, &mut script);
    output::print_raw(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
