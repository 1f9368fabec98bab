//! `crdkit envtest install DIR`: a directory that test fixtures take for one with Kubernetes' own programs.

use anyhow::{Context as _, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The names that this program answers to.
const NAMES: [&str; 2] = ["kube-apiserver", "etcd"];

/// Puts the programs into `directory` and gives its full path, and what there is to say.
pub(super) fn install(directory: &Path) -> Result<(PathBuf, Option<String>)> {
    let shown = directory.display();
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory `{shown}`"))?;
    let directory = directory.canonicalize().with_context(|| format!("cannot use `{shown}`"))?;
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    for name in NAMES {
        link(&program, &directory.join(name))?;
    }
    let kubectl = directory.join("kubectl");
    let note = match find("kubectl") {
        Some(found) if found != kubectl => {
            link(&found, &kubectl)?;
            None
        }
        Some(_) => None,
        None => Some("no kubectl on the path: tests that call it will not find one".to_owned()),
    };
    Ok((directory, note))
}

/// Makes `link` lead to `program`, in place of what was there; a copy where links are not to be had.
fn link(program: &Path, link: &Path) -> Result<()> {
    if link.symlink_metadata().is_ok() {
        fs::remove_file(link).with_context(|| format!("cannot replace `{}`", link.display()))?;
    }
    #[cfg(unix)]
    let linked = std::os::unix::fs::symlink(program, link);
    #[cfg(not(unix))]
    let linked = fs::copy(program, link.with_extension("exe")).map(drop);
    linked.with_context(|| format!("cannot write `{}`", link.display()))
}

/// A program on the path.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|it| it.is_file())
}
