//! crdify's configuration file: which checks matter how much, and their options.
//!
//! What a file does not mention keeps the strictest setting. Keys that are not known are ignored, as
//! crdify does; a value that is not known is a finding.

use super::CrdifyCheck;
use crdkit_issue::{Issue, codes};
use crdkit_text::quote::quote;
use crdkit_value::Value;
use std::collections::BTreeMap;

/// How the checks are run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// How much changes matter that no check knows.
    pub unhandled: Enforcement,
    /// Whether a conversion webhook excuses differences between served versions.
    pub conversion: ConversionPolicy,
    /// Whether an enumeration may get new values.
    pub enum_addition: Policy,
    /// Whether a pattern may be dropped.
    pub pattern_removal: Policy,
    /// Whether null may become a value.
    pub nullable_addition: Policy,
    /// Whether null may cease to be a value.
    pub nullable_removal: Policy,
    /// Whether there may be new alternatives.
    pub one_of_addition: Policy,
    /// Whether alternatives may be dropped.
    pub one_of_removal: Policy,
    enforcement: BTreeMap<CrdifyCheck, Enforcement>,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enforcement {
    /// It fails the comparison.
    #[default]
    Error,
    /// It is reported.
    Warn,
    /// It is not reported.
    None,
}

/// Whether a change that a check could object to is fine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// It is fine.
    Allow,
    /// It is reported.
    #[default]
    Disallow,
}

/// What a conversion webhook in the new CRD means for the comparison of served versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConversionPolicy {
    /// Nothing: they are compared all the same.
    #[default]
    None,
    /// They are not compared.
    Ignore,
}

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(root: Value<'_>) -> Result<Self, Vec<Issue>> {
        let mut reader = ConfigReader { config: Self::default(), issues: Vec::new() };
        reader.root(root);
        if reader.issues.is_empty() { Ok(reader.config) } else { Err(reader.issues) }
    }

    /// Sets how much the findings of a check matter.
    pub fn enforce(&mut self, check: CrdifyCheck, enforcement: Enforcement) {
        if check == CrdifyCheck::Unhandled {
            self.unhandled = enforcement;
        } else {
            self.enforcement.insert(check, enforcement);
        }
    }

    /// How much the findings of a check matter.
    pub fn enforcement(&self, check: CrdifyCheck) -> Enforcement {
        match check {
            CrdifyCheck::Unhandled => self.unhandled,
            _ => self.enforcement.get(&check).copied().unwrap_or_default(),
        }
    }

    /// Whether a check takes part at all: every one does, but those that releases differ in only when asked for.
    pub(super) fn has(&self, check: CrdifyCheck) -> bool {
        !matches!(check, CrdifyCheck::Format | CrdifyCheck::OneOf)
            || self.enforcement.contains_key(&check)
    }
}

struct ConfigReader {
    config: Config,
    issues: Vec<Issue>,
}

impl ConfigReader {
    fn root(&mut self, root: Value<'_>) {
        if !root.is_null() && root.as_object().is_none() {
            return self.report(root, "must be an object".into());
        }
        let validations = root.get("validations").filter(|value| !value.is_null());
        if let Some(validations) = validations {
            if validations.as_array().is_none() {
                self.report(validations, "must be a list".into());
            }
            for (index, entry) in validations.items().enumerate() {
                self.validation(index, entry);
            }
        }
        if let Some(enforcement) = self.enforcement(root, "unhandledEnforcement") {
            self.config.unhandled = enforcement;
        }
        if let Some((at, text)) = self.text(root, "conversion") {
            self.config.conversion = match text {
                "None" => ConversionPolicy::None,
                "Ignore" => ConversionPolicy::Ignore,
                _ => return self.report(at, format!("unknown conversion policy: {}", quote(text))),
            };
        }
    }

    fn validation(&mut self, index: usize, entry: Value<'_>) {
        let name = self.text(entry, "name");
        let enforcement = self.enforcement(entry, "enforcement");
        let Some((at, name)) = name else {
            return self
                .report(entry, format!("validations[{index}] is invalid: name is required"));
        };
        let Some(check) = CrdifyCheck::named(name) else {
            return self.report(at, format!("unknown validation : {}", quote(name)));
        };
        match enforcement {
            Some(enforcement) => self.config.enforce(check, enforcement),
            // A value that is not known has been reported.
            None if self.text(entry, "enforcement").is_some() => {}
            None => self.report(entry, "enforcement is required".into()),
        }
        let options = entry.get("configuration").filter(|value| !value.is_null());
        match check {
            CrdifyCheck::Enum => {
                self.config.enum_addition = self.policy(options, "addition");
            }
            CrdifyCheck::Pattern => {
                self.config.pattern_removal = self.policy(options, "removal");
            }
            CrdifyCheck::Nullable => {
                self.config.nullable_addition = self.policy(options, "addition");
                self.config.nullable_removal = self.policy(options, "removal");
            }
            CrdifyCheck::OneOf => {
                self.config.one_of_addition = self.policy(options, "addition");
                self.config.one_of_removal = self.policy(options, "removal");
            }
            _ => {}
        }
    }

    fn enforcement(&mut self, object: Value<'_>, key: &str) -> Option<Enforcement> {
        let (at, text) = self.text(object, key)?;
        Some(match text {
            "Error" => Enforcement::Error,
            "Warn" => Enforcement::Warn,
            "None" => Enforcement::None,
            _ => {
                self.report(at, format!("unknown enforcement: {}", quote(text)));
                return None;
            }
        })
    }

    /// `change` is `addition` or `removal`.
    fn policy(&mut self, options: Option<Value<'_>>, change: &str) -> Policy {
        let key = format!("{change}Policy");
        let Some((at, text)) = options.and_then(|options| self.text(options, &key)) else {
            return Policy::default();
        };
        match text {
            "Allow" => Policy::Allow,
            "Disallow" => Policy::Disallow,
            _ => {
                let valid = "(valid values: \"Allow\", \"Disallow\")";
                self.report(at, format!("unknown {change} policy : {} {valid}", quote(text)));
                Policy::default()
            }
        }
    }

    /// A string that is not empty.
    fn text<'d>(&mut self, object: Value<'d>, key: &str) -> Option<(Value<'d>, &'d str)> {
        let value = object.get(key).filter(|value| !value.is_null())?;
        if value.as_str().is_none() {
            self.report(value, "must be a string".into());
        }
        value.as_str().filter(|text| !text.is_empty()).map(|text| (value, text))
    }

    fn report(&mut self, at: Value<'_>, problem: String) {
        let mut issue = Issue::error(codes::compat::CONFIG_INVALID).with("problem", problem);
        issue.span = at.document().place(at.id()).map(|place| place.value);
        let issue = issue.at(at.path());
        if !self.issues.contains(&issue) {
            self.issues.push(issue);
        }
    }
}
