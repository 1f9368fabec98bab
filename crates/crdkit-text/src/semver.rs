//! Semantic versions as Kubernetes' CEL functions read them.
//!
//! Strict semantic versioning 2.0 by default; [`Version::parse_normalized`] first drops a `v`, leading zeros and fills up short
//! versions. Build metadata is kept but does not count in comparisons.
//! Upstream: `github.com/blang/semver/v4` and `k8s.io/apiserver/pkg/cel/library`.

use std::cmp::Ordering;
use std::fmt;

use crate::error::TextError;
use crate::number::parse_uint;
use crate::quote::quote;

/// A version such as `1.2.3-rc.1+build`.
#[derive(Clone, Debug)]
pub struct Version {
    /// The first number.
    pub major: u64,
    /// The second number.
    pub minor: u64,
    /// The third number.
    pub patch: u64,
    prerelease: Vec<Identifier>,
    build: Vec<Box<str>>,
}

/// One part of a prerelease; numbers come before words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Word(Box<str>),
}

impl Version {
    /// Reads a version strictly.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        if text.is_empty() {
            return Err(TextError::new("Version string empty"));
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(TextError::new("No Major.Minor.Patch elements found"));
        };
        let major = part(major, "major", "Major")?;
        let minor = part(minor, "minor", "Minor")?;
        let (rest, build) = cut(rest, '+');
        let (patch, prerelease) = cut(rest, '-');
        let patch = part(patch, "patch", "Patch")?;
        let prerelease =
            prerelease.map_or(Ok(Vec::new()), |text| text.split('.').map(identifier).collect())?;
        let build =
            build.map_or(Ok(Vec::new()), |text| text.split('.').map(build_part).collect())?;
        Ok(Self { major, minor, patch, prerelease, build })
    }

    /// Reads a version after removing one leading `v` and leading zeros, and adding missing numbers.
    pub fn parse_normalized(text: &str) -> Result<Self, TextError> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(without_leading_zeros).collect();
        if parts.len() < 3 {
            if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
                return Err(TextError::new(
                    "short version cannot contain PreRelease/Build meta data",
                ));
            }
            parts.resize(3, "0".to_owned());
        }
        Self::parse(&parts.join("."))
    }
}

fn without_leading_zeros(part: &str) -> String {
    if part.len() <= 1 {
        return part.to_owned();
    }
    let trimmed = part.trim_start_matches('0');
    if trimmed.starts_with(|c: char| c.is_ascii_digit()) {
        trimmed.to_owned()
    } else {
        format!("0{trimmed}")
    }
}

fn cut(text: &str, separator: char) -> (&str, Option<&str>) {
    text.split_once(separator).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn part(text: &str, name: &str, title: &str) -> Result<u64, TextError> {
    if !is_number(text) {
        let message = format!("Invalid character(s) found in {name} number {}", quote(text));
        return Err(TextError::new(message));
    }
    if has_leading_zero(text) {
        let message = format!("{title} number must not contain leading zeroes {}", quote(text));
        return Err(TextError::new(message));
    }
    number(text)
}

fn identifier(text: &str) -> Result<Identifier, TextError> {
    if text.is_empty() {
        return Err(TextError::new("Prerelease is empty"));
    }
    if is_number(text) {
        if has_leading_zero(text) {
            let message = format!(
                "Numeric PreRelease version must not contain leading zeroes {}",
                quote(text)
            );
            return Err(TextError::new(message));
        }
        return number(text).map(Identifier::Number);
    }
    if !is_word(text) {
        let message = format!("Invalid character(s) found in prerelease {}", quote(text));
        return Err(TextError::new(message));
    }
    Ok(Identifier::Word(text.into()))
}

fn build_part(text: &str) -> Result<Box<str>, TextError> {
    if text.is_empty() {
        return Err(TextError::new("Build meta data is empty"));
    }
    if !is_word(text) {
        let message = format!("Invalid character(s) found in build meta data {}", quote(text));
        return Err(TextError::new(message));
    }
    Ok(text.into())
}

fn number(text: &str) -> Result<u64, TextError> {
    parse_uint(text, 10).map_err(|error| TextError::new(error.to_string()))
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn has_leading_zero(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        for (index, identifier) in self.prerelease.iter().enumerate() {
            f.write_str(if index == 0 { "-" } else { "." })?;
            match identifier {
                Identifier::Number(number) => write!(f, "{number}")?,
                Identifier::Word(word) => f.write_str(word)?,
            }
        }
        for (index, part) in self.build.iter().enumerate() {
            write!(f, "{}{part}", if index == 0 { '+' } else { '.' })?;
        }
        Ok(())
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let numbers = |version: &Self| (version.major, version.minor, version.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| {
            // A release comes after its prereleases.
            let release = self.prerelease.is_empty().cmp(&other.prerelease.is_empty());
            release.then_with(|| self.prerelease.cmp(&other.prerelease))
        })
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_the_specification_says() {
        let ordered = [
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0",
            "1.0.1",
        ];
        for pair in ordered.windows(2) {
            assert!(
                Version::parse(pair[0]).unwrap() < Version::parse(pair[1]).unwrap(),
                "{pair:?}"
            );
        }
        assert_eq!(Version::parse("1.0.0+a").unwrap(), Version::parse("1.0.0+b").unwrap());
        assert_eq!(Version::parse("1.2.3-rc.1+b.2").unwrap().to_string(), "1.2.3-rc.1+b.2");
    }

    #[test]
    fn the_reason_for_a_refusal_is_named() {
        for (text, message) in [
            ("", "Version string empty"),
            ("1.2", "No Major.Minor.Patch elements found"),
            ("v1.2.3", r#"Invalid character(s) found in major number "v1""#),
            ("01.2.3", r#"Major number must not contain leading zeroes "01""#),
            ("1.2.", r#"strconv.ParseUint: parsing "": invalid syntax"#),
            ("1.2.3-", "Prerelease is empty"),
            ("1.2.3-01", r#"Numeric PreRelease version must not contain leading zeroes "01""#),
            ("1.2.3+", "Build meta data is empty"),
            ("1.2.3+a_b", r#"Invalid character(s) found in build meta data "a_b""#),
        ] {
            assert_eq!(Version::parse(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn normalizing_fills_up_and_trims() {
        for (text, version) in
            [("v1", "1.0.0"), ("01.002", "1.2.0"), ("1.2.003-rc", "1.2.3-rc"), ("1.2.x", "")]
        {
            let normalized =
                Version::parse_normalized(text).map_or_else(|_| String::new(), |v| v.to_string());
            assert_eq!(normalized, version);
        }
    }
}
