//! `crdkit pr`: what a branch changes, in one report.
//!
//! Takes the commit that a branch is based on, and hands what changed since to the other commands: objects to `validate`
//! as updates of what they were, CRDs to `lint` and `compat`, suites to `test`. Every step is a command line that can be
//! run by itself; their findings become one Markdown text, their exit codes one code.

use crate::args::{Args as CommandLine, Command};
use crate::exit::Exit;
use crate::kubernetes::{self, KubernetesVersion};
use crate::report::{self, Target};
use crate::source::git_output;
use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, Parser as _};
use crdkit_codec::Format;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Check what a branch changes: objects as updates, CRDs for compatibility, suites
///
/// Compares the working directory with its merge base with BASE. The report is Markdown, ready for a comment on a
/// pull request. Run it in the root directory of a repository.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crdkit pr
  crdkit pr --crds config/crd origin/main
  crdkit pr --report comment.md
")]
pub(crate) struct PullRequest {
    /// The branch that the changes target [default: origin/HEAD, origin/main, origin/master, main or master]
    #[arg(value_name = "BASE")]
    base: Option<String>,

    /// A source of CRDs; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    crds: Vec<String>,

    /// Write the report to a file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    #[command(flatten)]
    kubernetes: KubernetesVersion,
}

pub(crate) fn run(args: &PullRequest) -> Result<Exit> {
    args.kubernetes.choose();
    // Names of files are those that git has, from its root.
    let up = git_output(&["rev-parse", "--show-cdup"]).unwrap_or_default();
    let up = String::from_utf8_lossy(&up).trim().to_owned();
    if !up.is_empty() {
        bail!("this is not the root directory of the repository; run `crdkit pr` in `{up}`");
    }
    let base = merge_base(args.base.as_deref())?;
    let changes = changes(&base)?;
    let mut report = Report { text: String::new(), rows: String::new(), exit: Exit::Fine };
    let wanted =
        |change: &&ChangedFile| change.is_there && Format::of_name(change.path.as_ref()).is_some();
    let present: Vec<_> = changes.iter().filter(wanted).collect();
    let (suites, files): (Vec<_>, Vec<_>) = present.into_iter().partition(|it| it.is_suite());

    if !files.is_empty() {
        let mut line = vec!["validate".to_owned(), "--allow-empty".to_owned()];
        for crds in &args.crds {
            line.extend(["--crds".to_owned(), crds.clone()]);
        }
        // An object may have been in another file.
        for old in changes.iter().filter_map(|change| change.old_objects(&base)) {
            line.extend(["--old".to_owned(), old]);
        }
        line.extend(files.iter().map(|change| change.path.clone()));
        report.step("objects", line)?;
    }
    for change in &changes {
        let old = change.old_crds(&base);
        let new = change.has_crds().then(|| change.path.clone());
        if let Some(new) = &new {
            let mut lint = vec!["lint".to_owned(), new.clone()];
            lint.extend(old.iter().flat_map(|old| ["--old".to_owned(), old.clone()]));
            report.step(&format!("CRDs in `{}`", change.path), lint)?;
        }
        if let Some(old) = old {
            let new = new.unwrap_or_else(|| "/dev/null".to_owned());
            let compat = vec!["compat".to_owned(), old, new];
            report.step(&format!("compatibility of `{}`", change.path), compat)?;
        }
    }
    if !suites.is_empty() {
        let mut line = vec!["test".to_owned()];
        for crds in &args.crds {
            line.extend(["--crds".to_owned(), crds.clone()]);
        }
        line.extend(suites.iter().map(|change| change.path.clone()));
        report.step("suites", line)?;
    }

    let text = report.finish(&base, changes.len());
    let mut target = Target::new(args.report.as_deref());
    target.write_data(text.as_bytes())?;
    target.finish()?;
    Ok(report.exit)
}

/// A file that differs from the base.
struct ChangedFile {
    path: String,
    /// Where it was; none if it is new.
    old_path: Option<String>,
    is_there: bool,
}

impl ChangedFile {
    fn is_suite(&self) -> bool {
        [".testsuite.yaml", ".testsuite.yml"].iter().any(|ending| self.path.ends_with(ending))
    }

    fn may_have_objects(&self) -> bool {
        let name = self.old_path.as_deref().unwrap_or(&self.path);
        Format::of_name(name.as_ref()).is_some()
    }

    fn has_crds(&self) -> bool {
        let text = || std::fs::read(&self.path);
        self.is_there && self.may_have_objects() && text().is_ok_and(|text| names_crd(&text))
    }

    /// The source of the objects that it had.
    fn old_objects(&self, base: &str) -> Option<String> {
        let path =
            self.old_path.as_ref().filter(|_| self.may_have_objects() && !self.is_suite())?;
        Some(format!("git:{base}:{path}"))
    }

    /// The source of the CRDs that it had, if there were any.
    fn old_crds(&self, base: &str) -> Option<String> {
        let source = self.old_objects(base)?;
        let text = git_output(&["show", source.strip_prefix("git:")?]).ok()?;
        names_crd(&text).then_some(source)
    }
}

fn names_crd(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"CustomResourceDefinition").is_some()
}

/// The newest commit that the working directory and `base` have in common.
fn merge_base(base: Option<&str>) -> Result<String> {
    let usual = ["origin/HEAD", "origin/main", "origin/master", "main", "master"];
    let candidates = base.map_or_else(|| usual.to_vec(), |base| vec![base]);
    let found = candidates.iter().find_map(|base| {
        let text = git_output(&["merge-base", base, "HEAD"]).ok()?;
        Some(String::from_utf8_lossy(&text).trim().to_owned())
    });
    found.ok_or_else(|| match base {
        Some(base) if git_output(&["rev-parse", "--verify", base]).is_err() => {
            anyhow!("there is no commit `{base}`; name a branch, a tag or a commit")
        }
        Some(base) => anyhow!("`{base}` and the current commit have no commit in common"),
        None => anyhow!(
            "none of {} is there; name the branch that the changes are for",
            usual.join(", ")
        ),
    })
}

/// What differs from `base`, with what is not committed yet.
fn changes(base: &str) -> Result<Vec<ChangedFile>> {
    let text = git_output(&["diff", "--name-status", "--find-renames", "--relative", "-z", base])?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut parts = text.split('\0').filter(|part| !part.is_empty()).map(str::to_owned);
    let mut found = Vec::new();
    while let (Some(status), Some(path)) = (parts.next(), parts.next()) {
        let is_there = status != "D";
        if status.starts_with('R') {
            let Some(new) = parts.next() else { break };
            found.push(ChangedFile { path: new, old_path: Some(path), is_there });
        } else {
            let old_path = (status != "A").then(|| path.clone());
            found.push(ChangedFile { path, old_path, is_there });
        }
    }
    // What git was not told about yet, and would not leave out.
    let text = git_output(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let untracked = text.split('\0').filter(|path| !path.is_empty());
    let added = |path: &str| ChangedFile { path: path.to_owned(), old_path: None, is_there: true };
    found.extend(untracked.map(added));
    Ok(found)
}

struct Report {
    text: String,
    rows: String,
    exit: Exit,
}

impl Report {
    /// Runs a command line, and adds what it finds.
    fn step(&mut self, title: &str, line: Vec<String>) -> Result<()> {
        let shown = format!("crdkit {}", line.join(" "));
        let file = tempdir_file();
        let format = format!("markdown={}", file.display());
        let mut full = ["crdkit".to_owned()]
            .into_iter()
            .chain(line)
            .chain(["-o".to_owned(), format])
            .collect::<Vec<_>>();
        if full.get(1).is_some_and(|command| command != "compat") {
            full.push(format!("--kubernetes-version={}", kubernetes::version()));
        }
        let args = CommandLine::try_parse_from(full).context("a step cannot be run")?;
        let outcome = match &args.command {
            Command::Validate(args) => super::validate::run(args),
            Command::Lint(args) => super::lint::run(args),
            Command::Compat(args) => super::compat::run(args),
            Command::Test(args) => super::test::run(args),
            _ => return Err(anyhow!("there is no such step")),
        };
        let exit = outcome.unwrap_or_else(|error| {
            report::failure(&error);
            Exit::Failed
        });
        let findings = std::fs::read_to_string(&file).unwrap_or_default();
        let _ = std::fs::remove_file(&file);
        let word = match exit {
            Exit::Fine => "fine",
            Exit::Findings => "**findings**",
            Exit::Failed => "**could not be done**",
        };
        let _ = writeln!(self.rows, "| {title} | {word} |");
        if !findings.trim().is_empty() {
            let _ = write!(self.text, "\n## {title}\n\n`{shown}`\n\n{}\n", findings.trim_end());
        }
        self.exit = self.exit.max(exit);
        Ok(())
    }

    fn finish(&self, base: &str, n_changes: usize) -> String {
        let short = base.get(..12).unwrap_or(base);
        let changed = match n_changes {
            0 => format!("Nothing changed since {short}."),
            1 => format!("1 file changed since {short}."),
            n => format!("{n} files changed since {short}."),
        };
        if self.rows.is_empty() {
            let none = match n_changes {
                0 => "",
                1 => " It is no file that crdkit reads.",
                _ => " None of them is a file that crdkit reads.",
            };
            return format!("# crdkit\n\n{changed}{none}\n");
        }
        let version = kubernetes::version();
        let mut out =
            format!("# crdkit\n\n{changed} Verdicts are those of Kubernetes {version}.\n");
        let _ = write!(out, "\n| Check | Result |\n|---|---|\n{}{}", self.rows, self.text);
        out
    }
}

/// A name for a file that is not there yet.
fn tempdir_file() -> PathBuf {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("crdkit-pr-{}-{number}.md", std::process::id());
    std::env::temp_dir().join(Path::new(&name))
}
