//! A server for one walk.

use anyhow::{Context, Result, bail};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A running server, which ends with the value.
pub(crate) struct Server {
    child: Child,
    directory: TempDir,
}

impl Server {
    /// Starts one with a kind to walk with, and waits until it is ready.
    pub(crate) fn start(crdkit: &Path, crds: &Path) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let mut child = Command::new(crdkit)
            .args(["serve", "--listen", "127.0.0.1:0", "--kubeconfig"])
            .arg(directory.path().join("kubeconfig"))
            .arg("--crds")
            .arg(crds)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| {
                format!(
                    "`{}` could not be started; build it, or name it with --crdkit",
                    crdkit.display()
                )
            })?;
        let output = child.stdout.take().context("the server has no output")?;
        let mut lines = BufReader::new(output).lines();
        match lines.next() {
            Some(Ok(line)) if line.starts_with("ready at") => {}
            other => bail!("the server did not start: {other:?}"),
        }
        // It must never wait for somebody to read what it says.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { child, directory })
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.directory.path().join("kubeconfig")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
