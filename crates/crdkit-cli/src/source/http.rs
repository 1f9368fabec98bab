//! Files named by URL, optionally kept in a directory for the next run.

use super::lock::{self, Lock};
use super::transport::Transport;
use anyhow::{Context as _, Result, anyhow, bail};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

/// Fetches files; connections are made when the first one is asked for.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Client {
    offline: bool,
    insecure: bool,
    debug: bool,
    cache: Option<PathBuf>,
    /// Only what is pinned may be used.
    locked: bool,
    lock: OnceLock<Result<Lock, String>>,
    transport: OnceLock<Transport>,
    unpacked: AtomicU64,
}

/// What a server answers, whatever it is.
pub(super) struct HttpAnswer {
    pub(super) status: u16,
    /// What it wants to know first, if it says so.
    pub(super) challenge: String,
    pub(super) body: Vec<u8>,
}

/// What a URL leads to.
pub(crate) enum Fetched {
    Found(Vec<u8>),
    Missing,
}

impl Client {
    pub(crate) fn new(offline: bool, insecure: bool, debug: bool, cache: Option<PathBuf>) -> Self {
        Self { offline, insecure, debug, cache, ..Self::default() }
    }

    /// The same, for which only what is pinned counts.
    pub(crate) fn locked(mut self, locked: bool) -> Self {
        self.locked = locked;
        self
    }

    /// What the project pinned; read when it is first asked for.
    ///
    /// # Errors
    /// When the lock file cannot be read.
    pub(super) fn lock(&self) -> Result<&Lock> {
        let read = || match lock::nearest() {
            Some(path) => Lock::read(&path).map_err(|error| format!("{error:#}")),
            None => Ok(Lock::default()),
        };
        self.lock.get_or_init(read).as_ref().map_err(|error| anyhow!("{error}"))
    }

    /// Refuses what is not pinned, where only that counts.
    pub(crate) fn allow_unpinned(&self, source: &str) -> Result<()> {
        if self.locked {
            bail!(
                "`{source}` is not in `{}`, and `--locked` was given; `crdkit fetch` pins it",
                lock::NAME
            );
        }
        Ok(())
    }

    /// Where CRDs with this digest are kept.
    pub(super) fn kept(&self, digest: &str) -> Option<PathBuf> {
        let directory = self.cache.clone().or_else(usual_cache)?;
        Some(directory.join(format!("{}.ndjson", digest.replace(':', "-"))))
    }

    /// What the server of `url` answers.
    pub(super) fn ask(&self, url: &str, headers: &[(&str, &str)]) -> Result<HttpAnswer> {
        let transport = self.transport.get_or_init(|| Transport::new(self.insecure));
        let answer = transport.get(url, headers);
        let answer = answer.with_context(|| format!("`{url}` cannot be fetched"))?;
        self.say(&format!("{url}: status {}, {} bytes", answer.status, answer.body.len()));
        Ok(answer)
    }

    /// The body of `url`.
    pub(crate) fn get(&self, url: &str) -> Result<Fetched> {
        let kept = self.cache.as_ref().map(|cache| cache.join(file_name(url)));
        if let Some(bytes) = kept.as_deref().and_then(|kept| std::fs::read(kept).ok()) {
            self.say(&format!("{url}: kept from an earlier run"));
            return Ok(Fetched::Found(bytes));
        }
        if self.offline {
            bail!("`{url}` is on the network, and `--offline` was given");
        }
        let HttpAnswer { status, body, .. } = self.ask(url, &[])?;
        match status {
            200..300 => {}
            404 | 410 => return Ok(Fetched::Missing),
            403 | 429 => bail!(
                "`{url}` was refused with status {status}, which often means too many requests; \
                 keep files with `--cache DIR`, or name a local copy"
            ),
            _ => bail!("`{url}` cannot be fetched: its server answers with status {status}"),
        }
        if let Some(kept) = kept {
            keep(&kept, &body)?;
        }
        Ok(Fetched::Found(body))
    }

    /// Whether the network is forbidden.
    pub(super) fn is_offline(&self) -> bool {
        self.offline
    }

    /// Whether any certificate is trusted.
    #[cfg(feature = "kube")]
    pub(super) fn is_insecure(&self) -> bool {
        self.insecure
    }

    /// How many bytes have come out of archives in this run.
    pub(super) fn unpacked(&self) -> &AtomicU64 {
        &self.unpacked
    }

    /// Says what is looked at, if that was asked for.
    pub(crate) fn say(&self, text: &str) {
        if self.debug {
            crate::report::note(text);
        }
    }
}

/// A name that no other URL has, and that a person recognises.
fn file_name(url: &str) -> String {
    let hash = url.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let last = url.split(['?', '#']).next().unwrap_or_default().rsplit('/').next();
    let plain = |char: char| if char.is_ascii_alphanumeric() { char } else { '-' };
    let last: String = last.unwrap_or_default().chars().map(plain).take(60).collect();
    format!("{hash:016x}-{last}")
}

/// Where programs keep what they can fetch again.
fn usual_cache() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let named = variable("CRDKIT_CACHE");
    let usual = || variable("XDG_CACHE_HOME").or_else(|| variable("LOCALAPPDATA"));
    let home = || Some(variable("HOME")?.join(".cache"));
    named.or_else(|| Some(usual().or_else(home)?.join("crdkit")))
}

/// Writes a file in one step, so that another run never sees half of it.
pub(super) fn keep(path: &Path, bytes: &[u8]) -> Result<()> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let directory = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(&temporary, bytes))
        .and_then(|()| std::fs::rename(&temporary, path))
        .with_context(|| format!("`{}` cannot be written", path.display()))
}
