//! `.crdkit.yaml`: settings of a project, found in the working directory or above it.
//!
//! Keys are the names of options. What is not understood is a finding with its place in the file.

use crate::args::FieldValidation;
use crate::input::{Input, InputEntry};
use crate::quality::Quality;
use crate::report::{Object, ShownFinding, SourceText};
use anyhow::{Context as _, Result};
use clap::ValueEnum as _;
use crdkit_codec::{DecodeOptions, Format, yaml};
use crdkit_issue::{Issue, Severity, codes};
use crdkit_value::Value;
use std::path::{Path, PathBuf};

pub(crate) const NAME: &str = ".crdkit.yaml";
const KEYS: &[&str] = &[
    "crds",
    "field-validation",
    "ignore-filename-pattern",
    "ignore-missing-schemas",
    "quality",
    "reject",
    "schema-location",
    "severity",
    "skip",
];

/// What becomes of findings with a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeSetting {
    Off,
    As(Severity),
}

/// Settings of a project.
#[derive(Default)]
pub(crate) struct Config {
    pub(crate) crds: Vec<String>,
    pub(crate) schema_location: Vec<String>,
    pub(crate) skip: Vec<String>,
    pub(crate) reject: Vec<String>,
    pub(crate) ignore_filename_pattern: Vec<String>,
    pub(crate) ignore_missing_schemas: bool,
    pub(crate) field_validation: Option<FieldValidation>,
    pub(crate) quality: Option<Quality>,
    pub(crate) severity: Vec<(String, CodeSetting)>,
    /// What is wrong with the file.
    pub(crate) problems: Option<Object>,
}

impl Config {
    /// The settings in `file`, or else in the nearest file above the working directory.
    pub(crate) fn load(file: Option<&Path>) -> Result<Self> {
        let path = match file {
            Some(file) => file.to_owned(),
            None => match nearest(NAME) {
                Some(path) => path,
                None => return Ok(Self::default()),
            },
        };
        let directory = path.parent().unwrap_or(Path::new("")).to_owned();
        let input = InputEntry { format: Some(Format::Yaml), ..InputEntry::file(path) }.read();
        let input = input.context("the configuration cannot be read")?;
        Ok(Self::read(&input, &directory))
    }

    fn read(input: &Input, directory: &Path) -> Self {
        let mut config = Self::default();
        let mut issues = Vec::new();
        let options = DecodeOptions::new().positions(true);
        match yaml::decode(&input.bytes, &options) {
            Err(issue) => issues.push(*issue),
            Ok(decoded) => {
                issues.extend(decoded.issues);
                let root = decoded.document.root();
                if !root.is_null() && root.as_object().is_none() {
                    issues.push(*expected(root, "a mapping of settings"));
                }
                for (key, value) in root.members() {
                    config.setting(key, value, directory, &mut issues);
                }
            }
        }
        let source = SourceText::new(&input.name, &input.bytes, 1);
        let findings: Vec<_> =
            issues.iter().map(|issue| ShownFinding::new(issue, &source, true)).collect();
        if !findings.is_empty() {
            config.problems = Some(Object::judged(&input.name, None, findings));
        }
        config
    }

    fn setting(&mut self, key: &str, value: Value<'_>, directory: &Path, issues: &mut Vec<Issue>) {
        let found = match key {
            "crds" => sources(value, directory).map(|it| self.crds = it),
            "schema-location" => texts(value).map(|it| self.schema_location = it),
            "skip" => texts(value).map(|it| self.skip = it),
            "reject" => texts(value).map(|it| self.reject = it),
            "ignore-filename-pattern" => texts(value).map(|it| self.ignore_filename_pattern = it),
            "ignore-missing-schemas" => value
                .as_bool()
                .map(|it| self.ignore_missing_schemas = it)
                .ok_or_else(|| expected(value, "true or false")),
            "field-validation" => value
                .as_str()
                .and_then(|text| FieldValidation::from_str(text, true).ok())
                .map(|it| self.field_validation = Some(it))
                .ok_or_else(|| expected(value, "strict, warn or ignore")),
            "quality" => quality(value)
                .map(|it| self.quality = Some(it))
                .ok_or_else(|| expected(value, "off, mistakes or conventions")),
            "severity" => {
                for (code, level) in value.members() {
                    issues.extend(self.level(code, level).err().map(|issue| *issue));
                }
                let is_mapping = value.as_object().is_some();
                is_mapping.then_some(()).ok_or_else(|| expected(value, "a mapping of codes"))
            }
            _ => {
                let known =
                    KEYS.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
                let issue = Issue::error(codes::source::CONFIG_KEY).with("key", key);
                Err(at_key(issue.with("known", known), value))
            }
        };
        issues.extend(found.err().map(|issue| *issue));
    }

    fn level(&mut self, code: &str, value: Value<'_>) -> Result<(), Box<Issue>> {
        if !codes::GROUPS.iter().flat_map(|(_, codes)| *codes).any(|known| known.name() == code) {
            let issue =
                Issue::error(codes::source::CONFIG_VALUE).with("expected", "for an existing code");
            return Err(at_key(issue, value));
        }
        let level = match value.as_str() {
            Some("error") => CodeSetting::As(Severity::Error),
            Some("warning") => CodeSetting::As(Severity::Warning),
            Some("off") => CodeSetting::Off,
            // In YAML an `off` without quotes is `false`.
            _ if value.as_bool() == Some(false) => CodeSetting::Off,
            _ => return Err(expected(value, "error, warning or off")),
        };
        self.severity.push((code.to_owned(), level));
        Ok(())
    }

    /// Changes severities as the project wants them.
    pub(crate) fn adjust(&self, findings: &mut Vec<ShownFinding>) {
        for (code, level) in &self.severity {
            match level {
                CodeSetting::Off => findings.retain(|finding| finding.code.name() != code),
                CodeSetting::As(severity) => findings
                    .iter_mut()
                    .filter(|finding| finding.code.name() == code)
                    .for_each(|finding| finding.severity = *severity),
            }
        }
    }
}

/// The file called `name` in the working directory or the nearest one above, by a path from here.
pub(crate) fn nearest(name: &str) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let mut up = PathBuf::new();
    for directory in here.ancestors() {
        if directory.join(name).is_file() {
            return Some(up.join(name));
        }
        up.push("..");
    }
    None
}

/// In YAML an `off` without quotes is `false`.
fn quality(value: Value<'_>) -> Option<Quality> {
    let is_off = value.as_bool() == Some(false);
    let text = if is_off { "off" } else { value.as_str()? };
    Quality::from_str(text, true).ok()
}

fn texts(value: Value<'_>) -> Result<Vec<String>, Box<Issue>> {
    if let Some(one) = value.as_str() {
        return Ok(vec![one.to_owned()]);
    }
    let Some(items) = value.as_array() else {
        return Err(expected(value, "a text or a list of texts"));
    };
    items
        .map(|item| item.as_str().map(str::to_owned).ok_or_else(|| expected(item, "a text")))
        .collect()
}

/// Sources; files are named from where the configuration is.
pub(crate) fn sources(value: Value<'_>, directory: &Path) -> Result<Vec<String>, Box<Issue>> {
    let is_file = |text: &String| text != "-" && !text.contains(':');
    let full = |text: String| {
        if is_file(&text) { directory.join(text).display().to_string() } else { text }
    };
    Ok(texts(value)?.into_iter().map(full).collect())
}

fn expected(value: Value<'_>, what: &str) -> Box<Issue> {
    let issue = Issue::error(codes::source::CONFIG_VALUE).with("expected", what).at(value.path());
    match value.document().place(value.id()) {
        Some(place) => Box::new(issue.span(place.value)),
        None => Box::new(issue),
    }
}

fn at_key(issue: Issue, value: Value<'_>) -> Box<Issue> {
    let issue = issue.at(value.path());
    match value.document().place(value.id()).and_then(|place| place.key) {
        Some(key) => Box::new(issue.span(key)),
        None => Box::new(issue),
    }
}
