//! A `crdkit serve` that runs as a process of its own.

use crate::client::Connector;
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The token of the administrator.
const TOKEN: &str = "chaos";

/// A server that runs. Dropping it kills it.
pub struct Running {
    child: Child,
    address: SocketAddr,
    authority: PathBuf,
    ready: Duration,
}

impl Running {
    /// Starts the program `crdkit` with further arguments; its kubeconfig and what it logs are in `folder`. It is ready
    /// when this returns.
    pub fn start(crdkit: &Path, folder: &Path, arguments: &[&str]) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let started = Instant::now();
        let mut child = Command::new(crdkit)
            .args(["serve", "--token", TOKEN, "--kubeconfig"])
            .arg(folder.join("kubeconfig"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(fs::File::create(folder.join("log"))?)
            .spawn()
            .with_context(|| format!("`{}` cannot be run", crdkit.display()))?;
        let output = child.stdout.take().context("no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let address = line.strip_prefix("ready at https://").and_then(|it| it.split(',').next());
        let Some(address) = address else {
            let _ = child.kill();
            let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
            bail!("the server does not start: {line}{log}");
        };
        let (address, authority) = (address.parse()?, folder.join("ca.crt"));
        Ok(Self { child, address, authority, ready: started.elapsed() })
    }

    /// How long it took until it was ready.
    pub fn ready_after(&self) -> Duration {
        self.ready
    }

    /// What connects to it.
    pub fn connector(&self) -> Result<Connector> {
        Connector::new(self.address, &fs::read(&self.authority)?, TOKEN)
    }

    /// Bytes of memory that it holds.
    pub fn resident(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()).context("VmRSS")?;
        Ok(kilobytes.parse::<u64>()? * 1024)
    }

    /// Seconds of processor time that it has used.
    pub fn processor_seconds(&self) -> Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split(' ').collect();
        let ticks = |at: usize| fields.get(at).and_then(|it| it.parse::<f64>().ok());
        Ok((ticks(12).context("utime")? + ticks(13).context("stime")?) / 100.0)
    }

    /// Kills it as nothing else can.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Asks it to end, and says how long that took.
    pub fn stop(&mut self) -> Result<Duration> {
        let started = Instant::now();
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        self.child.wait()?;
        Ok(started.elapsed())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
