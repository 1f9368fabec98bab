//! The report of requirements: what is required in, which tests prove it out.
//!
//! A test says itself what it proves: `// Proves REQ-001, REQ-002.` above it, or `<!-- Proves REQ-001. -->` below the
//! heading of Markdown cases and pages. The report is made of that.
//!
//! Holds: a requirement that nothing proves is an error, and so is a proof of something that is not required. What
//! proves something is run: a function is a test that is not ignored, in a file that belongs to its crate; a case is one
//! that a test of its crate reads. Suites and benches that a test run does not include, and pages, do not suffice; only
//! what is required of the guide is proved by a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// What is required, one to a line. What is said about the guide begins with `OF_THE_GUIDE`.
pub const LIST: &str = "crates/crdkit-structure/tests/requirements.txt";

const OF_THE_GUIDE: &str = "guide: ";

/// The report as a page.
///
/// # Errors
/// When a file cannot be read, a requirement has no proof, or a proof is none.
pub fn page(root: &Path) -> io::Result<String> {
    let mut problems = Vec::new();
    let mut proofs = proofs(root, &mut problems)?;
    let mut out = String::from(
        "# Requirements of the schema engine\n\n\
         Each requirement, in a few words, and the tests that prove it. This page is made of what the tests say of\n\
         themselves (`// Proves REQ-…`) by `cargo run -p tidy`; a requirement without a test is an error.\n\n\
         | Requirement | What | Proof |\n|---|---|---|\n",
    );
    for line in read(&root.join(LIST))?.lines() {
        let (id, what) = line.split_once(' ').unwrap_or((line, ""));
        let found = proofs.remove(id).unwrap_or_default();
        let suffices = |proof: &Proof| match proof.by {
            By::Test => true,
            By::Page => what.starts_with(OF_THE_GUIDE),
            By::Measure => false,
        };
        if !found.iter().any(suffices) {
            problems.push(format!("nothing proves {id}"));
        }
        let links: Vec<&str> = found.iter().map(|proof| proof.link.as_str()).collect();
        let _ = writeln!(out, "| {id} | {what} | {} |", links.join(", "));
    }
    problems.extend(proofs.into_keys().map(|id| format!("{id} is not required")));
    if problems.is_empty() { Ok(out) } else { Err(io::Error::other(problems.join("\n"))) }
}

/// What proves a requirement.
struct Proof {
    link: String,
    by: By,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// What `cargo test` runs.
    Test,
    /// What is run by itself: a recorded suite, a bench.
    Measure,
    /// What can be read.
    Page,
}

/// A place where something is said to be proved.
struct Mark<'t> {
    /// Its line, counted from 1.
    line: usize,
    text: &'t str,
    /// The item or heading that it belongs to, with what proves; or why nothing does.
    name: Result<(&'t str, By), &'static str>,
}

/// The proofs of each requirement; what is no proof goes to `problems`.
fn proofs(root: &Path, problems: &mut Vec<String>) -> io::Result<BTreeMap<String, Vec<Proof>>> {
    let mut found: BTreeMap<String, Vec<Proof>> = BTreeMap::new();
    for path in files(root)? {
        let text = read(&path)?;
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        let marks = if is_rust { rust_marks(&text) } else { page_marks(&text) };
        for mark in marks {
            let proof = mark.name.and_then(|(name, by)| {
                let by = if is_rust { by } else { kind_of_page(&shown, by)? };
                is_run(root, &path, by)?;
                Ok((name, by))
            });
            match proof {
                Ok((name, by)) => {
                    for id in mark.text.split([',', ' ', '.']).filter(|id| id.starts_with("REQ-")) {
                        let link = format!("`{shown}::{name}`");
                        found.entry(id.to_owned()).or_default().push(Proof { link, by });
                    }
                }
                Err(why) => problems.push(format!("{shown}:{}: {why}", mark.line)),
            }
        }
    }
    Ok(found)
}

/// The marks in Rust: each belongs to the item after it.
fn rust_marks(text: &str) -> Vec<Mark<'_>> {
    let mut marks: Vec<Mark<'_>> = Vec::new();
    let mut open = Vec::new();
    let mut attributes = Vec::new();
    for (at, line) in text.lines().map(str::trim).enumerate() {
        if let Some(text) = line.strip_prefix("// Proves ") {
            open.push((at + 1, text));
            continue;
        }
        if open.is_empty() || line.starts_with("//") {
            continue;
        }
        if line.starts_with("#[") {
            attributes.push(line);
            continue;
        }
        let name = item(line).ok_or("nothing follows that could prove anything").and_then(|it| {
            let is_function = line.contains("fn ");
            match judge(&attributes) {
                Ok(()) => Ok((it, By::Test)),
                Err(_) if it == "SUITE" || is_function && it == "run" => Ok((it, By::Measure)),
                Err(why) => Err(why),
            }
        });
        let belong = open.drain(..).map(|(line, text)| Mark { line, text, name });
        marks.extend(belong);
        attributes.clear();
    }
    let lost = open.into_iter().map(|(line, text)| {
        let name = Err("nothing follows that could prove anything");
        Mark { line, text, name }
    });
    marks.extend(lost);
    marks
}

/// Whether a function with these attributes is a test that is run.
fn judge(attributes: &[&str]) -> Result<(), &'static str> {
    if attributes.iter().any(|it| it.starts_with("#[ignore")) {
        return Err("the test is ignored");
    }
    let left_out = |it: &&str| it.starts_with("#[cfg(") && !it.starts_with("#[cfg(feature");
    if attributes.iter().any(left_out) {
        return Err("the test may be left out");
    }
    let is_test = attributes.contains(&"#[test]");
    if is_test { Ok(()) } else { Err("what follows is not a test") }
}

/// The marks in Markdown: each belongs to the heading before it. A case is what stands in a fence below that heading.
fn page_marks(text: &str) -> Vec<Mark<'_>> {
    let mut marks: Vec<Mark<'_>> = Vec::new();
    let mut heading = Err("there is no heading above");
    let mut fence = None;
    for (at, line) in text.lines().enumerate() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some(opened) if ticks >= opened && line.trim_end_matches('`').is_empty() => {
                fence = None;
            }
            Some(_) => {}
            None if ticks >= 3 => {
                fence = Some(ticks);
                for mark in marks.iter_mut().filter(|mark| mark.name.map(|it| it.0) == heading) {
                    mark.name = mark.name.map(|(name, _)| (name, By::Test));
                }
            }
            None if line.starts_with('#') => heading = Ok(line.trim_start_matches('#').trim()),
            None => {
                if let Some(text) = line.strip_prefix("<!-- Proves ") {
                    let name = heading.map(|name| (name, By::Page));
                    marks.push(Mark { line: at + 1, text, name });
                }
            }
        }
    }
    marks
}

/// What a section proves that has a fence, or has none.
fn kind_of_page(path: &str, by: By) -> Result<By, &'static str> {
    match (path.starts_with("docs/"), by) {
        (true, _) => Ok(By::Page),
        (false, By::Page) => Err("there is no case below the heading"),
        (false, by) => Ok(by),
    }
}

/// Whether what stands in the file `path` is run.
fn is_run(root: &Path, path: &Path, by: By) -> Result<(), &'static str> {
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    match by {
        By::Page => Ok(()),
        By::Test | By::Measure if is_rust => {
            if !is_declared(path) {
                return Err("the file belongs to no crate");
            }
            let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
            let (list, entry) = match path.strip_prefix(root.join("tasks")) {
                _ if by == By::Test => return Ok(()),
                Ok(task) if task.starts_with("conformance/src/suites") => {
                    ("tasks/conformance/src/suites/mod.rs", format!("{stem}::SUITE,"))
                }
                Ok(task) if task.starts_with("bench/src") => {
                    ("tasks/bench/src/main.rs", format!("{stem}::run)"))
                }
                _ => return Err("what follows is not a test"),
            };
            let listed = read(&root.join(list)).is_ok_and(|text| text.contains(&entry));
            if listed { Ok(()) } else { Err("nothing lists it") }
        }
        By::Test | By::Measure => {
            if is_read_by_a_test(path) {
                Ok(())
            } else {
                Err("no test reads the file")
            }
        }
    }
}

/// Whether the modules above a file declare it.
fn is_declared(path: &Path) -> bool {
    let Some((directory, stem)) = path.parent().zip(path.file_stem().and_then(|it| it.to_str()))
    else {
        return false;
    };
    let is_called =
        |directory: &Path, name: &str| directory.file_name().is_some_and(|it| it == name);
    if matches!(stem, "main" | "lib") || is_called(directory, "tests") {
        return true;
    }
    let (above, name) = match (stem, directory.file_name().and_then(|it| it.to_str())) {
        ("mod", Some(name)) => (directory.parent().unwrap_or(directory), name),
        _ => (directory, stem),
    };
    let declaration = format!("mod {name};");
    let beside = above.with_extension("rs");
    let parents = [above.join("main.rs"), above.join("lib.rs"), above.join("mod.rs"), beside];
    parents.iter().filter(|parent| *parent != path).any(|parent| {
        let text = read(parent).unwrap_or_default();
        let mut lines = text.lines().map(str::trim);
        let declares = lines.any(|line| {
            let rest = line.strip_suffix(&*declaration);
            rest.is_some_and(|rest| matches!(rest, "" | "pub " | "pub(crate) " | "pub(super) "))
        });
        declares && is_declared(parent)
    })
}

/// Whether a test of the crate names the directory that a file of cases is in.
fn is_read_by_a_test(path: &Path) -> bool {
    let Some(package) = path.ancestors().find(|it| it.join("Cargo.toml").is_file()) else {
        return false;
    };
    let inner = path.strip_prefix(package).unwrap_or(path);
    let mut tests = Vec::new();
    if walk(&package.join("tests"), &mut tests).is_err() {
        return false;
    }
    let mut above = inner.ancestors().skip(1).filter(|it| it.components().count() > 1);
    above.any(|directory| {
        let directory = format!("\"{}", directory.display());
        let names = |test: &PathBuf| read(test).is_ok_and(|text| text.contains(&directory));
        tests.iter().any(|test| names(test) && is_declared(test))
    })
}

/// The name of the function or constant that a line declares.
fn item(line: &str) -> Option<&str> {
    let rest = line.split_once("fn ").or_else(|| line.split_once("const "))?.1;
    rest.split(['(', ':', '<']).next()
}

/// All sources and pages, in the order of their paths.
fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for directory in ["crates", "docs", "tasks"] {
        walk(&root.join(directory), &mut found)?;
    }
    found.retain(|path| {
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        // The report, and what speaks of marks without being one.
        let is_about =
            path.ends_with("requirements.md") || path.starts_with(root.join("tasks/tidy/src"));
        matches!(extension, "rs" | "md") && !is_about
    });
    found.sort();
    Ok(found)
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory)? {
            let path = entry?.path();
            if path.is_dir() { pending.push(path) } else { found.push(path) }
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the project's own files are what this is about")]
fn read(path: &Path) -> io::Result<String> {
    std::fs::read_to_string(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::{By, page_marks, rust_marks};

    fn rust(text: &str) -> Vec<Result<&str, &str>> {
        rust_marks(text).iter().map(|mark| mark.name.map(|(name, _)| name)).collect()
    }

    #[test]
    fn only_a_test_that_runs_proves_anything() {
        let mark = "// Proves REQ-001.\n";
        for (rest, expected) in [
            ("#[test]\nfn it() {", Ok("it")),
            ("#[test]\nfn it(\n", Ok("it")),
            ("// More.\n#[cfg(feature = \"x\")]\n#[test]\nfn it() {", Ok("it")),
            ("fn it() {", Err("what follows is not a test")),
            ("#[test]\n#[ignore = \"slow\"]\nfn it() {", Err("the test is ignored")),
            ("#[cfg(any())]\n#[test]\nfn it() {", Err("the test may be left out")),
            ("// #[test]\nfn it() {", Err("what follows is not a test")),
            ("// #[test]\n// fn it() {", Err("nothing follows that could prove anything")),
            ("let x = 1;\n#[test]\nfn it() {", Err("nothing follows that could prove anything")),
            ("", Err("nothing follows that could prove anything")),
        ] {
            assert_eq!(rust(&format!("{mark}{rest}")), [expected], "{rest}");
        }
    }

    #[test]
    fn a_case_has_a_fence_below_its_heading() {
        let proves = |text: String| {
            let marks = page_marks(&text);
            marks
                .iter()
                .map(|mark| mark.name.ok().map(|(_, by)| by == By::Test))
                .collect::<Vec<_>>()
        };
        let mark = "<!-- Proves REQ-001. -->\n";
        assert_eq!(proves(format!("# A\n\n{mark}\n```yaml\n# B\n```\n")), [Some(true)]);
        assert_eq!(
            proves(format!("# A\n\n{mark}\nWords.\n\n# B\n\n```yaml\n```\n")),
            [Some(false)]
        );
        assert_eq!(proves(format!("# A\n\n```md\n{mark}```\n")), []);
        assert_eq!(proves(mark.to_owned()), [None]);
    }
}
