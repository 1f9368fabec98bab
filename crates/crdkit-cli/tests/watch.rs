//! `--watch`: a change is seen, whatever time that takes.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

const CRD: &str = include_str!("../../../fixtures/chart/crds/lamps.yaml");

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("crds.yaml"), CRD).unwrap();
    path
}

/// A run that goes on until it is dropped.
struct Watching(Child, BufReader<ChildStderr>);

impl Watching {
    fn start(directory: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crdkit"));
        command.current_dir(directory).args(arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self(child, stderr)
    }

    /// Waits for the end of a run and gives what it said.
    fn run(&mut self) -> String {
        let mut said = String::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.1.read_line(&mut line).unwrap(), 0, "it ended: {said}");
            if line.starts_with("waiting for changes") {
                return said;
            }
            said += &line;
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn objects_are_validated_again_when_they_or_their_crds_change() {
    let directory = directory("watch-validate");
    let lamp = "apiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata: {name: desk}\n";
    let write = |watts: &str| {
        fs::write(directory.join("lamp.yaml"), format!("{lamp}spec: {{watts: {watts}}}\n"))
            .unwrap();
    };
    write("40");
    let arguments = ["validate", "--watch", "--crds", "crds.yaml", "lamp.yaml"];
    let mut watching = Watching::start(&directory, &arguments);
    assert_eq!(watching.run(), "1 object in 1 file: 1 valid, 0 invalid (Kubernetes 1.37)\n");
    write("400");
    assert_eq!(watching.run(), "1 object in 1 file: 0 valid, 1 invalid (Kubernetes 1.37)\n");
    fs::write(directory.join("crds.yaml"), CRD.replace("maximum: 60", "maximum: 600")).unwrap();
    assert_eq!(watching.run(), "1 object in 1 file: 1 valid, 0 invalid (Kubernetes 1.37)\n");
}

#[test]
fn suites_are_run_again_when_they_or_the_crds_they_name_change() {
    let directory = directory("watch-test");
    let suite = "crds: crds.yaml\ncases:\n- name: one\n  create: {apiVersion: lighting.example.com/v1, \
                 kind: Lamp, metadata: {name: desk}, spec: {watts: 400}}\n";
    fs::write(directory.join("suite.yaml"), suite).unwrap();
    let mut watching = Watching::start(&directory, &["test", "--watch", "suite.yaml"]);
    assert_eq!(watching.run(), "1 case in 1 suite: 0 passed, 1 failed (Kubernetes 1.37)\n");
    fs::write(directory.join("suite.yaml"), format!("{suite}  errors: spec.watts\n")).unwrap();
    assert_eq!(watching.run(), "1 case in 1 suite: 1 passed, 0 failed (Kubernetes 1.37)\n");
    fs::write(directory.join("crds.yaml"), CRD.replace("maximum: 60", "maximum: 600")).unwrap();
    assert_eq!(watching.run(), "1 case in 1 suite: 0 passed, 1 failed (Kubernetes 1.37)\n");
}
