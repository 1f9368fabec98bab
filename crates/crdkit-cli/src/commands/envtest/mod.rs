//! `crdkit envtest`: stands in for the programs that test fixtures start.
//!
//! controller-runtime's envtest and its relatives start `etcd` and `kube-apiserver` from a directory, with flags of
//! their own. `install` makes such a directory, in which both names lead to this program; started by one of them it is
//! that program.

mod apiserver;
mod etcd;
mod flags;
mod install;

use crate::exit::Exit;
use crate::stdout::print;
use anyhow::Result;
use clap::{Args as ClapArgs, Subcommand};
use flags::Flags;
use std::path::{Path, PathBuf};

/// Run controller tests without kube-apiserver and etcd
#[derive(Debug, ClapArgs)]
pub(crate) struct Envtest {
    #[command(subcommand)]
    command: EnvtestCommand,
}

#[derive(Debug, Subcommand)]
enum EnvtestCommand {
    /// Create a directory for `KUBEBUILDER_ASSETS`
    ///
    /// It contains `kube-apiserver` and `etcd`, which are this program, and `kubectl` if it is on the path.
    Install {
        /// The directory, which is created if it does not exist
        directory: PathBuf,
    },
}

pub(crate) fn run(envtest: &Envtest) -> Result<Exit> {
    let EnvtestCommand::Install { directory } = &envtest.command;
    let (directory, note) = install::install(directory)?;
    if let Some(note) = note {
        anstream::eprintln!("note: {note}");
    }
    print(&format!("export KUBEBUILDER_ASSETS={}\n", directory.display()))?;
    Ok(Exit::Fine)
}

/// Does what the program that this one was started as would do; none if it was started by its own name.
pub(crate) fn impersonate(mut args: impl Iterator<Item = String>) -> Option<Result<Exit>> {
    let program = args.next()?;
    match Path::new(&program).file_stem()?.to_str()? {
        "etcd" => Some(etcd::run(&Flags::parse(args))),
        "kube-apiserver" => Some(apiserver::run(&Flags::parse(args))),
        _ => None,
    }
}

/// The store behind `--etcd-servers`; none where the stand-in answers, or nobody.
async fn etcd_store(flags: &Flags) -> Result<Option<std::sync::Arc<dyn crdkit_store::Store>>> {
    let endpoints: Vec<String> = flags.all("etcd-servers").map(str::to_owned).collect();
    let Some(first) = endpoints.first() else { return Ok(None) };
    if etcd::is_stand_in(first) {
        return Ok(None);
    }
    crate::commands::serve::etcd(endpoints).await.map(Some)
}
