//! Objects that are not all there yet: patches, values that are filled in later, encrypted values.
//!
//! Takes what the engine found and drops what it could find only because something is missing or stands for
//! something else. What is left is wrong whatever comes in its place.

use crate::input::Role;
use crate::objects::Identity;
use crdkit_issue::{ErrorType, FieldPath, Issue, Segment, codes};
use crdkit_value::{Document, Value};
use std::str::FromStr;

/// Why an object was not judged as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Partly {
    /// It is a part of an object.
    Patch,
    /// Values are encrypted.
    Encrypted,
    /// Values are filled in later.
    Substituted,
    /// Values were excepted on the command line.
    Skipped,
}

impl Partly {
    /// What `n` objects are said to be.
    pub(crate) fn in_words(self, n: usize) -> String {
        let s = if n == 1 { "" } else { "s" };
        match self {
            Self::Patch if n == 1 => "1 patch judged as a part of an object".to_owned(),
            Self::Patch => format!("{n} patches judged as parts of objects"),
            Self::Encrypted => {
                format!("{n} object{s} with encrypted values, which were not judged")
            }
            Self::Substituted => {
                format!("{n} object{s} with `${{\u{2026}}}` placeholders, which were not judged")
            }
            Self::Skipped => format!("{n} object{s} judged without what `--skip-json-path` names"),
        }
    }

    /// The word for it in reports that programs read.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Encrypted => "encrypted",
            Self::Substituted => "substituted",
            Self::Skipped => "skipped-path",
        }
    }
}

/// `--skip-json-path`: a place in objects, of all kinds or of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SkippedPath {
    kind: Option<String>,
    pointer: String,
}

impl FromStr for SkippedPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, pointer) = match text.split_once(":/") {
            Some((kind, pointer)) => (Some(kind.to_owned()), format!("/{pointer}")),
            None => (None, text.to_owned()),
        };
        if !pointer.starts_with('/') {
            return Err("write a JSON pointer such as `/spec/data`, or `KIND:/spec/data`".into());
        }
        let pointer = pointer.trim_end_matches('/').to_owned();
        Ok(Self { kind, pointer })
    }
}

impl SkippedPath {
    fn is_of(&self, identity: &Identity) -> bool {
        self.kind.as_ref().is_none_or(|kind| identity.is_among(std::slice::from_ref(kind)))
    }

    fn has(&self, path: &FieldPath) -> bool {
        let pointer = path.pointer();
        let rest = pointer.strip_prefix(self.pointer.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// What of an object stands for something else.
pub(crate) struct Opaque<'s> {
    is_patch: bool,
    is_encrypted: bool,
    values: Vec<FieldPath>,
    skipped: Vec<&'s SkippedPath>,
}

impl<'s> Opaque<'s> {
    /// Looks through `document`; nothing for most. With `as_is` text means what it says.
    pub(crate) fn find(
        document: &Document,
        role: Role,
        skipped: &'s [SkippedPath],
        as_is: bool,
    ) -> Option<Self> {
        let root = document.root();
        let is_encrypted = root
            .get("sops")
            .filter(|_| !as_is)
            .is_some_and(|sops| sops.get("mac").is_some() || sops.get("lastmodified").is_some());
        let is_patch = role == Role::Patch || root.get("$patch").is_some();
        let mut values = Vec::new();
        let mut pending = vec![root];
        while let Some(value) = pending.pop() {
            pending.extend(value.items());
            pending.extend(value.members().map(|(_, value)| value));
            let text = value.as_str().unwrap_or_default();
            if !as_is && is_substituted(text) || is_encrypted && text.starts_with("ENC[") {
                values.push(value.path());
            }
        }
        let identity = crate::objects::identify(document).unwrap_or_default();
        let skipped: Vec<_> = skipped.iter().filter(|path| path.is_of(&identity)).collect();
        let is_any = is_patch || is_encrypted || !values.is_empty() || !skipped.is_empty();
        is_any.then_some(Self { is_patch, is_encrypted, values, skipped })
    }

    /// Takes out what stands for something else, so that the rest can be judged without it.
    pub(crate) fn strip(&self, document: &mut Document) {
        let sops = FieldPath::root().field("sops");
        let encryption = self.is_encrypted.then_some(&sops);
        for path in self.values.iter().chain(encryption) {
            // Without an item those after it would move.
            let is_member = !matches!(path.segments().last(), Some(Segment::Index(_)) | None);
            if let Some(id) = document.find(path).filter(|_| is_member).map(Value::id) {
                document.remove(id);
            }
        }
    }

    /// Whether a field that stands for something else is none that there is, whatever comes in its place.
    pub(crate) fn is_unknown_field(&self, issue: &Issue) -> bool {
        let is_excepted = self.skipped.iter().any(|skipped| skipped.has(&issue.path));
        issue.code == codes::crd::UNKNOWN_FIELD && self.values.contains(&issue.path) && !is_excepted
    }

    /// Drops those of `issues` that are about what stands for something else, and says why. `document` is the object as
    /// it was written.
    pub(crate) fn excuse(&self, document: &Document, issues: &mut Vec<Issue>) -> Partly {
        issues.retain(|issue| !self.excuses(document, issue));
        let is_incomplete = |issue: &Issue| issue.code == codes::object::RULES_NOT_CHECKED;
        if issues.iter().all(is_incomplete) {
            issues.clear();
        }
        match () {
            () if self.is_patch => Partly::Patch,
            () if self.is_encrypted => Partly::Encrypted,
            () if !self.values.is_empty() => Partly::Substituted,
            () => Partly::Skipped,
        }
    }

    fn excuses(&self, document: &Document, issue: &Issue) -> bool {
        let path = &issue.path;
        if self.skipped.iter().any(|skipped| skipped.has(path)) {
            return true;
        }
        let sees = |value: &FieldPath| {
            path.starts_with(value) || value.starts_with(path) && looks_inside(issue)
        };
        if self.values.iter().any(sees) {
            return true;
        }
        if self.is_encrypted {
            let is_sops = path.pointer().split('/').nth(1) == Some("sops");
            let is_field = [codes::crd::UNKNOWN_FIELD, codes::decode::DUPLICATE_KEY];
            let is_decoded = issue.code.info().error_type == ErrorType::Decode;
            if is_sops || is_decoded && !is_field.contains(&issue.code) && path.is_root() {
                return true;
            }
        }
        self.is_patch && !holds_for_a_part(document, issue)
    }
}

/// Whether a finding about a value may come from a value inside it.
fn looks_inside(issue: &Issue) -> bool {
    let is_rule = issue.code.info().keyword == "x-kubernetes-validations";
    let in_metadata = issue.path.pointer().starts_with("/metadata");
    let is_native =
        codes::native::ALL.contains(&issue.code) && issue.code != codes::native::REQUIRED;
    is_rule || in_metadata || is_native || issue.code == codes::object::RULES_NOT_CHECKED
}

/// Whether a finding about a part of an object is true of the whole, too.
fn holds_for_a_part(document: &Document, issue: &Issue) -> bool {
    use codes::{crd, decode, object, source};
    let value = document.find(&issue.path);
    let is_directive = issue.path.pointer().split('/').any(|part| part.starts_with('$'));
    if is_directive || value.is_some_and(Value::is_null) {
        return false;
    }
    let of_values = [
        object::TYPE_MISMATCH,
        object::FORMAT_MISMATCH,
        object::TOO_LONG,
        object::TOO_SHORT,
        object::PATTERN_MISMATCH,
        object::NOT_A_MULTIPLE,
        object::TOO_SMALL,
        object::TOO_LARGE,
        object::OUT_OF_RANGE,
        object::NOT_IN_ENUM,
        object::METADATA_TYPE,
        crd::UNKNOWN_FIELD,
        crd::WRONG_JSON_TYPE,
        decode::DUPLICATE_KEY,
        source::NO_SCHEMA,
        source::UNKNOWN_VERSION,
        codes::native::REMOVED,
    ];
    if of_values.contains(&issue.code) {
        return true;
    }
    let is_scalar = value.is_some_and(|it| it.as_object().is_none() && it.as_array().is_none());
    let of_scalars = [codes::native::INVALID, codes::native::UNSUPPORTED, codes::native::TOO_LONG];
    is_scalar && of_scalars.contains(&issue.code)
}

/// Whether a text has `${NAME}`, with or without a default, which Flux and envsubst fill in.
pub(crate) fn is_substituted(text: &str) -> bool {
    text.match_indices("${").any(|(at, _)| {
        let escaped = text.get(..at).is_some_and(|before| before.ends_with('$'));
        let inside = text.get(at + 2..).unwrap_or_default();
        let name: usize =
            inside.bytes().take_while(|it| it.is_ascii_alphanumeric() || *it == b'_').count();
        let starts = inside.bytes().next().is_some_and(|it| it.is_ascii_alphabetic() || it == b'_');
        let closes = inside.get(name..).is_some_and(|rest| rest.contains('}'));
        let follows = inside.as_bytes().get(name);
        !escaped
            && starts
            && closes
            && matches!(follows, Some(b'}' | b':' | b'=' | b'-' | b'/' | b'#' | b'%' | b'^' | b','))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitutions_are_told_from_other_text() {
        for text in ["${A}", "x-${cluster_name}-y", "${A:=3}", "${A:-b}", "${A/b/c}"] {
            assert!(is_substituted(text), "{text}");
        }
        for text in ["$A", "$(A)", "$${A}", "${", "${}", "${1}", "${{ secrets.A }}", "a{b}"] {
            assert!(!is_substituted(text), "{text}");
        }
    }

    #[test]
    fn a_skipped_path_has_all_below_it() {
        let skipped: SkippedPath = "Lamp:/spec/data".parse().unwrap();
        assert_eq!(skipped.kind.as_deref(), Some("Lamp"));
        let path = |name: &str| FieldPath::root().field("spec").field(name);
        assert!(skipped.has(&path("data")));
        assert!(skipped.has(&path("data").field("a")));
        assert!(!skipped.has(&path("database")));
        assert!("spec.data".parse::<SkippedPath>().is_err());
    }
}
