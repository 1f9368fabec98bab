//! The version of Kubernetes that verdicts are for: chosen once, before anything is judged, and named in every report.
//!
//! It decides which CEL functions and formats there are. What native kinds are made of is known for one version alone.

use crate::args::Args as CommandLine;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _};
use crdkit_schema::rules::Environments;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The versions of which it is known what they have.
const OLDEST: u32 = 25;
const NEWEST: u32 = 37;

static CHOSEN: OnceLock<u32> = OnceLock::new();
static NATIVE: AtomicBool = AtomicBool::new(false);

/// Which version verdicts are for.
#[derive(Clone, Debug, Args)]
pub(crate) struct KubernetesVersion {
    /// The Kubernetes version to validate for, such as 1.34. It decides which CEL functions and formats are
    /// available, and what `{{ .NormalizedKubernetesVersion }}` in a schema location stands for. `master`
    /// is the newest known version
    #[arg(long, value_name = "VERSION", default_value = "master", help_heading = "Schemas")]
    #[arg(value_parser = parse)]
    pub(crate) kubernetes_version: String,
}

impl KubernetesVersion {
    /// Makes it the version of this process, or ends the process if nothing is known about it.
    pub(crate) fn choose(&self) {
        let minor = match self.kubernetes_version.split('.').nth(1) {
            Some(minor) => minor.parse().unwrap_or_default(),
            None => NEWEST,
        };
        let is_major_one =
            !self.kubernetes_version.contains('.') || self.kubernetes_version.starts_with("1.");
        if !is_major_one || !(OLDEST..=NEWEST).contains(&minor) {
            let version = self.kubernetes_version.as_str();
            let version = version.strip_suffix(".0").unwrap_or(version);
            let text = format!(
                "Kubernetes {version} is not known; the known versions are 1.{OLDEST} to 1.{NEWEST}"
            );
            CommandLine::command().error(ErrorKind::ValueValidation, text).exit();
        }
        if *CHOSEN.get_or_init(|| minor) == minor && minor != NEWEST {
            Environments::share(minor);
        }
    }
}

/// The version that verdicts are for, for people: `1.37`.
pub(crate) fn version() -> String {
    format!("1.{}", minor())
}

/// The version at the end of a sentence.
pub(crate) fn in_parentheses() -> String {
    format!(" (Kubernetes {})", version())
}

/// Its second number.
pub(crate) fn minor() -> u32 {
    CHOSEN.get().copied().unwrap_or(NEWEST)
}

/// Remembers that an object of a native kind was judged.
pub(crate) fn native_was_judged() {
    NATIVE.store(true, Ordering::Relaxed);
}

/// That native kinds were judged as another version has them, if so.
pub(crate) fn native_note() -> Option<String> {
    (minor() != NEWEST && NATIVE.load(Ordering::Relaxed)).then(|| {
        format!(
            "built-in kinds were validated with the rules of 1.{NEWEST}, the only version known; \
             {} may differ",
            version()
        )
    })
}

/// A version as kubeconform takes it; without its last part, that is zero.
fn parse(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let numbers: Vec<_> = text.split('.').collect();
    let all_numbers = numbers.iter().all(|part| part.parse::<u16>().is_ok());
    match numbers.len() {
        _ if text == "master" => Ok(text.to_owned()),
        2 if all_numbers => Ok(format!("{text}.0")),
        3 if all_numbers => Ok(text.to_owned()),
        _ => Err("write `master` or a version such as 1.34".into()),
    }
}
