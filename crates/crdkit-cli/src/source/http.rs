//! Files named by URL, optionally kept in a directory for the next run.

use anyhow::{Context as _, Result, anyhow, bail};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// More than this is not a CRD.
const LARGEST: u64 = 512 << 20;

/// Fetches files; connections are made when the first one is asked for.
#[derive(Default)]
pub(crate) struct Client {
    offline: bool,
    insecure: bool,
    debug: bool,
    cache: Option<PathBuf>,
    agent: OnceLock<ureq::Agent>,
    unpacked: AtomicU64,
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
        let outcome = self.agent().get(url).call();
        let mut response = match outcome {
            Ok(response) => response,
            Err(ureq::Error::StatusCode(404 | 410)) => {
                self.say(&format!("{url}: not there"));
                return Ok(Fetched::Missing);
            }
            Err(ureq::Error::StatusCode(status @ (403 | 429))) => bail!(
                "`{url}` was refused with status {status}, which often means too many requests; \
                 keep files with `--cache DIR`, or name a local copy"
            ),
            Err(error) => {
                let hint = "is the network there? a local file or directory works without it";
                return Err(
                    anyhow!("{error}; {hint}").context(format!("`{url}` cannot be fetched"))
                );
            }
        };
        let body = response.body_mut().with_config().limit(LARGEST).read_to_vec();
        let bytes = body.with_context(|| format!("`{url}` cannot be fetched to its end"))?;
        self.say(&format!("{url}: {} bytes", bytes.len()));
        if let Some(kept) = kept {
            keep(&kept, &bytes)?;
        }
        Ok(Fetched::Found(bytes))
    }

    fn agent(&self) -> &ureq::Agent {
        self.agent.get_or_init(|| {
            let tls = ureq::tls::TlsConfig::builder().disable_verification(self.insecure).build();
            let config = ureq::Agent::config_builder()
                .timeout_connect(Some(Duration::from_secs(15)))
                .timeout_global(Some(Duration::from_mins(2)))
                .user_agent(concat!("crdkit/", env!("CARGO_PKG_VERSION")))
                .tls_config(tls)
                .build();
            config.new_agent()
        })
    }

    /// Whether the network is forbidden.
    #[cfg(feature = "kube")]
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

/// Writes a file in one step, so that another run never sees half of it.
fn keep(path: &Path, bytes: &[u8]) -> Result<()> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let directory = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(&temporary, bytes))
        .and_then(|()| std::fs::rename(&temporary, path))
        .with_context(|| format!("`{}` cannot be written", path.display()))
}
