//! The report of requirements: what is required in, which tests prove it out.
//!
//! A test says itself what it proves: `// Proves REQ-001, REQ-002.` above it, or `<!-- Proves REQ-001. -->` below the
//! heading of Markdown cases and pages. The report is made of that; a requirement that nothing proves is an error.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// What is required, one to a line.
pub const LIST: &str = "crates/crdkit-structure/tests/requirements.txt";

/// The report as a page.
///
/// # Errors
/// When a file cannot be read, or a requirement has no proof.
pub fn page(root: &Path) -> io::Result<String> {
    let mut proofs = proofs(root)?;
    let mut out = String::from(
        "# Requirements of the schema engine\n\n\
         Each requirement, in a few words, and the tests that prove it. This page is made of what the tests say of\n\
         themselves (`// Proves REQ-…`) by `cargo run -p tidy`; a requirement without a test is an error.\n\n\
         | Requirement | What | Proof |\n|---|---|---|\n",
    );
    let mut lacking = Vec::new();
    for line in read(&root.join(LIST))?.lines() {
        let (id, what) = line.split_once(' ').unwrap_or((line, ""));
        match proofs.remove(id) {
            Some(proofs) => {
                let _ = writeln!(out, "| {id} | {what} | {} |", proofs.join(", "));
            }
            None => lacking.push(id.to_owned()),
        }
    }
    let unknown: Vec<String> = proofs.into_keys().collect();
    if lacking.is_empty() && unknown.is_empty() {
        return Ok(out);
    }
    let problem =
        format!("nothing proves {}; not required: {}", lacking.join(", "), unknown.join(", "));
    Err(io::Error::other(problem))
}

/// The proofs of each requirement, as links of the page.
fn proofs(root: &Path) -> io::Result<BTreeMap<String, Vec<String>>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files(root)? {
        let text = read(&path)?;
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        let mut heading = "";
        let mut marks: Vec<&str> = Vec::new();
        let mut add = |marks: &mut Vec<&str>, name: &str| {
            for id in marks.drain(..).flat_map(|mark| mark.split([',', ' ', '.'])) {
                if id.starts_with("REQ-") {
                    found.entry(id.to_owned()).or_default().push(format!("`{shown}::{name}`"));
                }
            }
        };
        for line in text.lines().map(str::trim) {
            if is_rust {
                if let Some(mark) = line.strip_prefix("// Proves ") {
                    marks.push(mark);
                } else if let Some(name) = item(line) {
                    add(&mut marks, name);
                }
            } else if let Some(mark) = line.strip_prefix("<!-- Proves ") {
                marks.push(mark);
                add(&mut marks, heading);
            } else if line.starts_with('#') {
                heading = line.trim_start_matches('#').trim();
            }
        }
    }
    Ok(found)
}

/// The name of the function or constant that a line declares.
fn item(line: &str) -> Option<&str> {
    let rest = line.split_once("fn ").or_else(|| line.split_once("const "))?.1;
    rest.split(['(', ':', '<']).next().filter(|_| !line.starts_with("//"))
}

/// All sources and pages, in the order of their paths.
fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![root.join("crates"), root.join("docs"), root.join("tasks")];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory)? {
            let path = entry?.path();
            let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
            if path.is_dir() {
                pending.push(path);
            } else if matches!(extension, "rs" | "md") && !path.ends_with("requirements.md") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[expect(clippy::disallowed_methods, reason = "the project's own files are what this is about")]
fn read(path: &Path) -> io::Result<String> {
    std::fs::read_to_string(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}
