//! Files of a commit, through the `git` program.

use super::temporary::Temporary;
use super::{Client, FoundEntries, Resolved, archive};
use crate::input::{Content, InputEntry};
use crate::report::LeftOut;
use anyhow::{Context as _, Result, bail};
use crdkit_codec::Format;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// `REF:PATH` in the repository of the working directory; the path is from its top.
pub(super) fn local(text: &str) -> Result<FoundEntries> {
    let Some((reference, path)) = text.split_once(':') else {
        bail!("write `git:REF:PATH`, such as `git:main:config/crd`");
    };
    files(Path::new("."), reference, path, &format!("git:{reference}:"))
}

/// `URL?ref=REF&path=PATH`, where the URL may be a directory; `at` is the commit, where that is decided.
pub(super) fn remote(text: &str, at: Option<&str>, client: &Client) -> Result<Resolved> {
    let (url, query) = text.split_once('?').unwrap_or((text, ""));
    let (mut reference, mut path) = ("HEAD", "");
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("ref", value)) => reference = value,
            Some(("path", value)) => path = value,
            _ => bail!("`{pair}` is not understood; write `git+URL?ref=REF&path=PATH`"),
        }
    }
    if url.is_empty() || url.starts_with('-') || reference.starts_with('-') {
        bail!("write `git+URL?ref=REF&path=PATH`");
    }
    let copy = Temporary::new("git")?;
    run(git(&copy.0).args(["init", "--quiet", "--bare"]))?;
    // A fetch takes branches, tags and, where the server allows it, commits.
    let url = absolute(url);
    if client.is_offline() && !Path::new(&url).is_absolute() {
        bail!("another repository is on the network, and `--offline` was given");
    }
    let fetch = |what: &str| {
        let arguments = ["fetch", "--quiet", "--depth=1", "--no-tags", "--", &*url, what];
        run(git(&copy.0).args(arguments))
    };
    // Not every server gives a commit that is not the end of a branch.
    if at.is_none_or(|commit| fetch(commit).is_err()) {
        fetch(reference)?;
    }
    let commit = String::from_utf8(run(git(&copy.0).args(["rev-parse", "FETCH_HEAD"]))?)?;
    let found = files(&copy.0, "FETCH_HEAD", path, &format!("git+{text}#"))?;
    Ok(Resolved { found, at: Some(commit.trim().to_owned()) })
}

/// A directory is meant from here, not from where git runs.
fn absolute(url: &str) -> String {
    let path = url.strip_prefix("file://").unwrap_or(url);
    match std::path::absolute(path) {
        Ok(full) if Path::new(path).is_dir() => full.display().to_string(),
        _ => url.to_owned(),
    }
}

/// The files below `path` that have a known ending. Names in findings begin with `prefix`.
fn files(repository: &Path, reference: &str, path: &str, prefix: &str) -> Result<FoundEntries> {
    if reference.is_empty() || reference.starts_with('-') {
        bail!("`{reference}` is not the name of a commit");
    }
    let path = path.trim_matches('/');
    let mut list = git(repository);
    list.args(["ls-tree", "-r", "-z", "--full-tree", reference]);
    if !path.is_empty() && path != "." {
        list.args(["--", path]);
    }
    let listing = run(&mut list)?;
    let mut wanted = Vec::new();
    for line in listing.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let line = String::from_utf8_lossy(line);
        let Some((meta, name)) = line.split_once('\t') else { continue };
        let mut fields = meta.split(' ');
        if let (Some(mode), Some("blob"), Some(id)) = (fields.next(), fields.next(), fields.next())
            && mode != "120000"
            && Format::of_name(name.as_ref()).is_some()
        {
            wanted.push((format!("{prefix}{name}"), id.to_owned()));
        }
    }
    if wanted.is_empty() {
        bail!("there are no YAML or JSON files below `{path}` in `{reference}`");
    }
    let mut found = FoundEntries::default();
    for entry in blobs(repository, wanted)? {
        if is_template(&entry) {
            found.left_out.push((entry.name.as_ref().into(), LeftOut::Template));
        } else {
            found.entries.push(entry);
        }
    }
    Ok(found)
}

/// Whether a file of a chart becomes YAML only when it is rendered.
fn is_template(entry: &InputEntry) -> bool {
    let Content::Memory(bytes) = &entry.content else { return false };
    entry.name.contains("templates/") && archive::has_actions(bytes)
}

/// The contents of `wanted`, all through one process.
fn blobs(repository: &Path, wanted: Vec<(String, String)>) -> Result<Vec<InputEntry>> {
    let mut command = git(repository);
    command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().context("`git` cannot be run")?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else { bail!("`git` cannot be run") };
    let ids: String = wanted.iter().flat_map(|(_, id)| [id.as_str(), "\n"]).collect();
    // Asking and reading go on side by side, or both sides would wait for the other to make room.
    let asking = std::thread::spawn(move || stdin.write_all(ids.as_bytes()));
    let mut stdout = BufReader::new(stdout);
    let mut entries = Vec::new();
    for (name, _) in wanted {
        let mut header = String::new();
        stdout.read_line(&mut header)?;
        let size = header.trim_end().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok());
        let size = size.with_context(|| format!("`{name}` cannot be read from git"))?;
        let mut bytes = Vec::new();
        stdout.by_ref().take(size).read_to_end(&mut bytes)?;
        let mut feed = [0];
        stdout.read_exact(&mut feed)?;
        entries.push(InputEntry::memory(&name, bytes));
    }
    let _ = asking.join();
    child.wait()?;
    Ok(entries)
}

fn git(directory: &Path) -> Command {
    let mut command = Command::new("git");
    // Nobody is there to answer questions.
    command.arg("-C").arg(directory).env("GIT_TERMINAL_PROMPT", "0");
    command
}

/// What git prints in the working directory.
///
/// # Errors
/// When it complains.
pub(crate) fn output(arguments: &[&str]) -> Result<Vec<u8>> {
    run(git(Path::new(".")).args(arguments))
}

/// What a command prints, or what it complains about.
fn run(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.context("`git` cannot be run; is it installed?")?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let complaint = complaint.trim().lines().last().unwrap_or("no reason given").to_owned();
        bail!("git says: {}", complaint.strip_prefix("fatal: ").unwrap_or(&complaint));
    }
    Ok(output.stdout)
}
