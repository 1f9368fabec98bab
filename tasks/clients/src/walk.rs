//! One client on its way: prepared in a directory below `target/clients`, which the next run finds again, then run.

use crate::client::Client;
use crate::server::Server;
use anyhow::{Context, Result, bail};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What became of a client.
pub(crate) enum Walked {
    Skipped(String),
    Steps(Vec<Step>),
}

/// A step of a walk.
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) failure: Option<String>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.failure {
            None => write!(f, "ok {}", self.name),
            Some(why) => write!(f, "failed {}: {why}", self.name),
        }
    }
}

impl Step {
    fn parse(line: &str) -> Option<Self> {
        if let Some(name) = line.strip_prefix("ok ") {
            return Some(Self { name: name.to_owned(), failure: None });
        }
        let (name, why) = line.strip_prefix("failed ")?.split_once(": ")?;
        Some(Self { name: name.to_owned(), failure: Some(why.to_owned()) })
    }
}

pub(crate) fn walk(client: &Client, crdkit: &Path, walks: &Path) -> Result<Walked> {
    if let Some(program) = client.needs.iter().find(|program| !is_there(program)) {
        return Ok(Walked::Skipped(format!("`{program}` is not installed")));
    }
    let crdkit =
        crdkit.canonicalize().with_context(|| format!("there is no `{}`", crdkit.display()))?;
    let programs = std::env::current_exe()?.parent().map(Path::to_path_buf).unwrap_or_default();
    let directory = copy(client, walks)?;
    let shell = |script: &str| {
        let mut command = Command::new("bash");
        command
            .arg("-c")
            .arg(script)
            .current_dir(&directory)
            .env("CRDKIT", &crdkit)
            .env("PROGRAMS", &programs)
            .stdin(Stdio::null());
        command
    };
    let prepared = shell(client.prepare).output()?;
    if !prepared.status.success() {
        let said = String::from_utf8_lossy(&prepared.stderr);
        let last = said.trim().lines().last().unwrap_or_default().to_owned();
        return Ok(Walked::Skipped(format!("it could not be prepared: {last}")));
    }
    let server = Server::start(&crdkit, &walks.join("lamps.yaml"))?;
    let script = format!("timeout 300 {}", client.run);
    let output = shell(&script).env("KUBECONFIG", server.kubeconfig()).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let mut steps: Vec<_> = said.lines().filter_map(Step::parse).collect();
    if !output.status.success() && steps.iter().all(|step| step.failure.is_none()) {
        let said = String::from_utf8_lossy(&output.stderr);
        let why = said.trim().lines().last().unwrap_or("it ended without a word").to_owned();
        steps.push(Step { name: "end".to_owned(), failure: Some(why) });
    }
    if steps.is_empty() {
        bail!("the walk of {} took no step", client.name);
    }
    Ok(Walked::Steps(steps))
}

fn is_there(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
    })
}

/// The client's directory with the newest files of its walk.
fn copy(client: &Client, walks: &Path) -> Result<PathBuf> {
    let to = walks.join("../../../target/clients").join(client.home);
    std::fs::create_dir_all(&to)?;
    let to = to.canonicalize()?;
    let Some(directory) = client.directory else { return Ok(to) };
    let from = walks.join(directory);
    let copied = Command::new("cp").arg("-r").arg(from.join(".")).arg(&to).status()?;
    if copied.success() { Ok(to) } else { bail!("`{}` could not be copied", from.display()) }
}
