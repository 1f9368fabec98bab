//! `--output`: the formats, and a format with the file it goes to.

use super::{Sink, Style, github, gitlab, json, junit, kubeconform, markdown, people, sarif, tap};
use clap::ValueEnum;
use std::path::PathBuf;
use std::str::FromStr;

/// How findings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// One line for each finding
    #[value(alias = "plaintext")]
    Text,
    /// The source line with a caret below each finding
    Pretty,
    /// One document with all objects that have findings, and counts
    Json,
    /// One JSON document for each finding, to a line
    Ndjson,
    /// The JSON document as YAML
    Yaml,
    /// A Markdown list, for comments and summaries
    Markdown,
    /// `JUnit` XML: a suite for each file, a case for each object
    Junit,
    /// Test Anything Protocol, version 13
    Tap,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// A Code Quality report of GitLab
    Gitlab,
}

/// One `--output`: a format, and a file instead of standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spec {
    pub(crate) format: ReportFormat,
    pub(crate) file: Option<PathBuf>,
}

impl Spec {
    /// Whether it shows people what is wrong, and nothing of what is not.
    pub(crate) fn is_for_people(&self) -> bool {
        matches!(self.format, ReportFormat::Text | ReportFormat::Pretty)
    }
}

impl ReportFormat {
    pub(super) fn sink(self, style: Style) -> Box<dyn Sink> {
        match self {
            Self::Text if style.kubeconform => Box::new(kubeconform::KubeconformText::text(style)),
            Self::Pretty if style.kubeconform => {
                Box::new(kubeconform::KubeconformText::pretty(style))
            }
            Self::Text => Box::new(people::TextReport::text(style)),
            Self::Pretty => Box::new(people::TextReport::pretty(style)),
            Self::Json => Box::new(json::Json::new(json::ReportNotation::Json, style)),
            Self::Yaml => Box::new(json::Json::new(json::ReportNotation::Yaml, style)),
            Self::Ndjson => Box::new(json::Ndjson),
            Self::Markdown => Box::new(markdown::Markdown::default()),
            Self::Junit => Box::new(junit::Junit::new(style)),
            Self::Tap => Box::new(tap::Tap::new(style)),
            Self::Sarif => Box::new(sarif::Sarif::default()),
            Self::Github => Box::new(github::Github),
            Self::Gitlab => Box::new(gitlab::Gitlab::default()),
        }
    }
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = match text.split_once('=') {
            Some((_, "")) => return Err("there is no file behind `=`".into()),
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let format = ReportFormat::from_str(name, false).map_err(|_| {
            let names: Vec<_> = ReportFormat::value_variants()
                .iter()
                .filter_map(|format| Some(format.to_possible_value()?.get_name().to_owned()))
                .collect();
            format!("formats are {}", names.join(", "))
        })?;
        Ok(Self { format, file })
    }
}
