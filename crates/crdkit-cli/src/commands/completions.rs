//! `crdkit completions` and `crdkit man`: what a shell and a manual want to know of the command line.

use crate::args::Args;
use crate::exit::Exit;
use crate::stdout;
use anyhow::{Context as _, Result};
use clap::{Args as ClapArgs, CommandFactory as _};
use clap_complete::Shell;
use std::path::PathBuf;

/// Print completions for a shell
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  crdkit completions bash > /etc/bash_completion.d/crdkit
  crdkit completions zsh > \"${fpath[1]}/_crdkit\"
  crdkit completions fish > ~/.config/fish/completions/crdkit.fish
")]
pub(crate) struct Completions {
    pub(crate) shell: Shell,
}

/// Write manual pages, one for each command, into a directory
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Example:
  crdkit man /usr/local/share/man/man1
")]
pub(crate) struct Man {
    /// The directory, which is created if it does not exist
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}

pub(crate) fn run(args: &Completions) -> Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "crdkit", &mut text);
    stdout::print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Fine)
}

pub(crate) fn man(args: &Man) -> Result<Exit> {
    let unwritable = || format!("`{}` cannot be written", args.directory.display());
    std::fs::create_dir_all(&args.directory).with_context(unwritable)?;
    // There it goes by another name when it tells its version.
    let command = Args::command()
        .mut_subcommand("validate", |validate| validate.display_name("crdkit-validate"));
    clap_mangen::generate_to(command, &args.directory).with_context(unwritable)?;
    Ok(Exit::Fine)
}
