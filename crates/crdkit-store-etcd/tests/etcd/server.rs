//! An etcd of one member for a test, which can be killed and started again.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

pub(crate) struct EtcdServer {
    name: String,
    /// All members, with their addresses for each other.
    cluster: String,
    _directory: tempfile::TempDir,
    data: PathBuf,
    ports: [u16; 2],
    extra: Vec<String>,
    scheme: &'static str,
    process: Option<Child>,
}

/// Whether a program can be started. Says so where it cannot.
pub(crate) fn installed(program: &str, argument: &str) -> bool {
    let found = Command::new(program)
        .arg(argument)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok();
    if !found {
        eprintln!("skipped: {program} is not installed");
    }
    found
}

/// Ports that stay free while a member is away: below those that the system gives to outgoing connections, one of which, to the
/// member itself, would otherwise take its port and keep it from coming back.
fn free_ports() -> [u16; 2] {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 12_000 + u16::try_from(std::process::id() % 16_000).unwrap();
    [(); 2].map(|()| {
        loop {
            let port = first + NEXT.fetch_add(1, Ordering::Relaxed) % 4_000;
            if TcpListener::bind(("127.0.0.1", port)).is_ok() {
                return port;
            }
        }
    })
}

fn peer(ports: [u16; 2]) -> String {
    format!("http://127.0.0.1:{}", ports[1])
}

impl EtcdServer {
    /// An empty one, if etcd is installed.
    pub(crate) fn start() -> Option<EtcdServer> {
        EtcdServer::start_with("http", |_| Vec::new())
    }

    /// One with more arguments, which may name files in the given directory.
    pub(crate) fn start_with(
        scheme: &'static str,
        extra: impl FnOnce(&Path) -> Vec<String>,
    ) -> Option<EtcdServer> {
        if !installed("etcd", "--version") {
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let ports = free_ports();
        let mut server = EtcdServer {
            name: "one".to_owned(),
            cluster: format!("one={}", peer(ports)),
            data: directory.path().join("data"),
            extra: extra(directory.path()),
            _directory: directory,
            ports,
            scheme,
            process: None,
        };
        server.restart();
        Some(server)
    }

    /// A cluster of so many members, if etcd is installed.
    pub(crate) fn start_cluster(n_members: usize) -> Option<Vec<EtcdServer>> {
        if !installed("etcd", "--version") {
            return None;
        }
        let ports: Vec<[u16; 2]> = (0..n_members).map(|_| free_ports()).collect();
        let names = ports.iter().enumerate().map(|(at, ports)| format!("m{at}={}", peer(*ports)));
        let cluster = names.collect::<Vec<_>>().join(",");
        let start = |(at, ports): (usize, [u16; 2])| {
            let directory = tempfile::tempdir().unwrap();
            let mut server = EtcdServer {
                name: format!("m{at}"),
                cluster: cluster.clone(),
                data: directory.path().join("data"),
                extra: Vec::new(),
                _directory: directory,
                ports,
                scheme: "http",
                process: None,
            };
            server.restart();
            server
        };
        Some(ports.into_iter().enumerate().map(start).collect())
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("{}://127.0.0.1:{}", self.scheme, self.ports[0])
    }

    pub(crate) fn restart(&mut self) {
        self.kill();
        let peer = peer(self.ports);
        let client = self.endpoint();
        let process = Command::new("etcd")
            .args(["--name", &self.name, "--log-level", "error"])
            .arg("--data-dir")
            .arg(&self.data)
            .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .args(["--initial-cluster", &self.cluster])
            .args(&self.extra)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.process = Some(process);
    }

    /// Without a chance to finish anything.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Runs etcd's own client, and gives what it printed.
    pub(crate) fn control(&self, arguments: &[&str]) -> String {
        for _ in 0..100 {
            let output = Command::new("etcdctl")
                .env("ETCDCTL_API", "3")
                .args(["--endpoints", &self.endpoint()])
                .args(arguments)
                .output()
                .unwrap();
            if output.status.success() {
                return String::from_utf8(output.stdout).unwrap();
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("etcdctl {arguments:?} fails");
    }
}

impl Drop for EtcdServer {
    fn drop(&mut self) {
        self.kill();
    }
}
