//! The store that is written to: a file, or an etcd of its own.

use anyhow::{Context, Result};
use crdkit_store::{EmbeddedOptions, EmbeddedStore, Store, SystemClock};
use crdkit_store_etcd::{EtcdOptions, EtcdStore};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Where a store is. As text it is an argument for the process that is killed.
pub(crate) enum StoreAddress {
    File(PathBuf),
    Etcd(String),
}

impl StoreAddress {
    pub(crate) fn parse(text: &str) -> StoreAddress {
        if text.starts_with("http://") {
            StoreAddress::Etcd(text.to_owned())
        } else {
            StoreAddress::File(text.into())
        }
    }

    pub(crate) fn text(&self) -> String {
        match self {
            StoreAddress::File(path) => path.display().to_string(),
            StoreAddress::Etcd(endpoint) => endpoint.clone(),
        }
    }

    /// Opens the store; an etcd may need a while.
    pub(crate) async fn open(&self) -> Result<Arc<dyn Store>> {
        let clock = Arc::new(SystemClock);
        let endpoint = match self {
            StoreAddress::File(path) => {
                return Ok(Arc::new(EmbeddedStore::open(path, EmbeddedOptions::default(), clock)?));
            }
            StoreAddress::Etcd(endpoint) => endpoint,
        };
        let timeout = Duration::from_secs(2);
        let endpoints = vec![endpoint.clone()];
        let options = EtcdOptions { endpoints, timeout, ..EtcdOptions::default() };
        let mut tries = 0;
        loop {
            match EtcdStore::connect(options.clone(), Arc::<SystemClock>::clone(&clock)).await {
                Ok(store) => return Ok(Arc::new(store)),
                Err(error) if tries == 200 => return Err(error.into()),
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
            tries += 1;
        }
    }
}

/// An etcd of one member.
pub(crate) struct EtcdProcess {
    data: PathBuf,
    ports: [u16; 2],
    process: Child,
}

impl EtcdProcess {
    pub(crate) fn start(directory: &Path) -> Result<EtcdProcess> {
        let (one, two) = (TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?);
        let ports = [one.local_addr()?.port(), two.local_addr()?.port()];
        drop((one, two));
        let data = directory.join("etcd");
        let process = spawn(&data, ports)?;
        Ok(EtcdProcess { data, ports, process })
    }

    pub(crate) fn address(&self) -> StoreAddress {
        StoreAddress::Etcd(address(self.ports[0]))
    }

    /// Kills it, and starts it again with what it had written.
    pub(crate) fn kill_and_restart(&mut self) -> Result<()> {
        self.process.kill()?;
        self.process.wait()?;
        self.process = spawn(&self.data, self.ports)?;
        Ok(())
    }
}

impl Drop for EtcdProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn address(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

fn spawn(data: &Path, [client, peer]: [u16; 2]) -> Result<Child> {
    let (client, peer) = (address(client), address(peer));
    Command::new("etcd")
        .args(["--name", "one", "--data-dir"])
        .arg(data)
        .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
        .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
        .args(["--initial-cluster", &format!("one={peer}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("etcd cannot be started")
}
