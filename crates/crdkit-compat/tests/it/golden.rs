//! Folders with an old and a new CRD, perhaps a configuration, and what is reported.
//!
//! With `UPDATE_GOLDEN` set the expectations are rewritten.
#![expect(clippy::disallowed_methods, reason = "tests read their own files")]

use crate::support::document;
use crdkit_codec::json::{self, Layout};
use crdkit_codec::yaml;
use crdkit_compat::crdify::{self, Config};
use crdkit_compat::semantic;
use crdkit_schema::read;
use std::fs;
use std::path::{Path, PathBuf};

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut folders: Vec<_> = fs::read_dir(root).unwrap().map(|it| it.unwrap().path()).collect();
    folders.sort();
    folders
}

#[track_caller]
fn expect(path: &Path, found: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path, found).unwrap();
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert_eq!(found, expected, "{}", path.display());
}

#[test]
fn crdify_reports_are_as_recorded_in_every_shape() {
    for folder in folders() {
        let read_file = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let (old, new) = (document(&read_file("a.yaml")), document(&read_file("b.yaml")));
        let config = match fs::read_to_string(folder.join("config.yaml")) {
            Ok(text) => Config::read(document(&text).root()).unwrap(),
            Err(_) => Config::default(),
        };
        let (old, new) = (read::crd(old.root()).0, read::crd(new.root()).0);
        let report = crdify::compare(&old, &new, &config);
        let report_document = report.document();
        let (mut as_json, mut as_yaml) = (Vec::new(), Vec::new());
        json::write(report_document.root(), Layout::Pretty, &mut as_json);
        as_json.push(b'\n');
        yaml::write(report_document.root(), &mut as_yaml);
        expect(&folder.join("crdify.txt"), &report.plain_text());
        expect(&folder.join("crdify.md"), &report.markdown());
        expect(&folder.join("crdify.json"), &String::from_utf8(as_json).unwrap());
        expect(&folder.join("crdify.yaml"), &String::from_utf8(as_yaml).unwrap());
        let failed = report.plain_text().contains(" - ERROR - ");
        assert_eq!(report.failed(), failed, "{}", folder.display());
    }
}

#[test]
fn semantic_reports_are_as_recorded() {
    for folder in folders() {
        let read_file = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let (old, new) = (document(&read_file("a.yaml")), document(&read_file("b.yaml")));
        let report = semantic::compare(&old, &new).unwrap();
        expect(&folder.join("semantic.txt"), &report.plain_text());
        let mut as_yaml = Vec::new();
        yaml::write(report.document().root(), &mut as_yaml);
        expect(&folder.join("semantic.yaml"), &String::from_utf8(as_yaml).unwrap());
    }
}
