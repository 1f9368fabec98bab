//! An etcd of one member for a test, which can be killed and started again.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub(crate) struct EtcdServer {
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
        let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let ports = listeners.map(|listener| listener.local_addr().unwrap().port());
        let mut server = EtcdServer {
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

    pub(crate) fn endpoint(&self) -> String {
        format!("{}://127.0.0.1:{}", self.scheme, self.ports[0])
    }

    pub(crate) fn restart(&mut self) {
        self.kill();
        let peer = format!("http://127.0.0.1:{}", self.ports[1]);
        let client = self.endpoint();
        let process = Command::new("etcd")
            .args(["--name", "one", "--log-level", "error"])
            .arg("--data-dir")
            .arg(&self.data)
            .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .args(["--initial-cluster", &format!("one={peer}")])
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
