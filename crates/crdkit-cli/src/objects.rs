//! The objects of an input: its documents, with lists taken apart.

use crate::input::Input;
use crdkit::codec::{DecodeError, DecodeOptions, Decoded};
use crdkit::issue::{Issue, Span, codes};
use crdkit::value::{Document, Value};
use std::fmt;

/// What an object says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// An object, or why there is none.
pub(crate) type Outcome = Result<Decoded, Box<Issue>>;

/// Decodes the objects of `input` one document at a time; a document that cannot be decoded is an error
/// in its place. Empty documents are left out.
pub(crate) fn decode<'a>(
    input: &'a Input,
    options: &'a DecodeOptions,
) -> impl Iterator<Item = Outcome> + 'a {
    input.format.documents(&input.bytes, options).flat_map(|outcome| match outcome {
        Ok(decoded) if decoded.document.root().is_null() => Vec::new(),
        Ok(decoded) => match list_items(decoded.document.root()) {
            Some(items) => items.map(|item| Ok(part(&decoded, item))).collect(),
            None => vec![Ok(decoded)],
        },
        Err(DecodeError::Refused(issue)) => vec![Err(issue)],
        // Bytes in memory can always be read.
        Err(DecodeError::Io(_)) => Vec::new(),
    })
}

/// The items of `v1 List` and of lists of one kind.
fn list_items(root: Value<'_>) -> Option<crdkit::value::Items<'_>> {
    let kind = root.get("kind")?.as_str()?;
    if !kind.ends_with("List") {
        return None;
    }
    root.get("items")?.as_array()
}

/// An item as a document of its own, with its positions and the repeated keys inside it.
fn part(whole: &Decoded, item: Value<'_>) -> Decoded {
    let prefix = item.path();
    let inside = |issue: &Issue| Some(issue.clone().at(issue.path.strip_prefix(&prefix)?));
    let issues = whole.issues.iter().filter_map(inside).collect();
    Decoded { document: Document::copy_with_positions(item), issues }
}

/// What `document` says about itself, or what is missing for it to be an object.
pub(crate) fn identify(document: &Document) -> Result<Identity, Box<Issue>> {
    let root = document.root();
    let refuse = |problem: &str| {
        let mut issue = Issue::error(codes::source::NOT_AN_OBJECT).with("problem", problem);
        // A whole document is too much to underline; its beginning will do.
        issue.span = document
            .place(root.id())
            .map(|place| Span::new(place.value.start, place.value.start + 1));
        Box::new(issue)
    };
    if root.as_object().is_none() {
        return Err(refuse("it is not a mapping"));
    }
    let text =
        |value: Option<Value<'_>>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let api_version = text(root.get("apiVersion"));
    let kind = text(root.get("kind"));
    if api_version.is_empty() {
        return Err(refuse("it has no `apiVersion`"));
    }
    if kind.is_empty() {
        return Err(refuse("it has no `kind`"));
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let metadata = root.get("metadata");
    let of_metadata = |key| text(metadata.and_then(|metadata| metadata.get(key)));
    Ok(Identity {
        group: group.to_owned(),
        version: version.to_owned(),
        kind,
        namespace: of_metadata("namespace"),
        name: of_metadata("name"),
    })
}

/// Where an object is that does not say so.
pub(crate) const DEFAULT_NAMESPACE: &str = "default";

/// An object as stored and the one that replaces it, with what clients and the server fill in when an
/// object is applied: files need not say where an object is, nor which revision they are based on.
pub(crate) fn as_update(old: &Document, mut new: Decoded, namespaced: bool) -> (Document, Decoded) {
    let mut old = Document::copy_of(old.root());
    if namespaced {
        fill(&mut old, "namespace", DEFAULT_NAMESPACE);
    }
    fill(&mut old, "resourceVersion", "1");
    let revision = old.root().pointer("/metadata/resourceVersion").and_then(Value::as_str);
    if let Some(revision) = revision.map(str::to_owned) {
        fill(&mut new.document, "resourceVersion", &revision);
    }
    (old, new)
}

/// Gives a field of the metadata a value if it has none.
fn fill(document: &mut Document, key: &str, text: &str) {
    let Some(metadata) = document.root().get("metadata") else { return };
    if metadata.get(key).is_none() {
        let mut value = Document::null();
        value.set_string(value.root().id(), text);
        document.insert(metadata.id(), key, value.root());
    }
}

impl Identity {
    /// Whether this is a `CustomResourceDefinition`.
    pub(crate) fn is_crd(&self) -> bool {
        self.group == "apiextensions.k8s.io" && self.kind == "CustomResourceDefinition"
    }

    /// Whether the kind is one that Kubernetes brings along.
    pub(crate) fn is_built_in(&self) -> bool {
        !self.group.contains('.') || self.group.ends_with(".k8s.io")
    }

    /// Group and version, as in `apiVersion`.
    pub(crate) fn api_version(&self) -> String {
        match self.group.as_str() {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// Namespace and name.
    pub(crate) fn qualified_name(&self) -> String {
        match self.namespace.as_str() {
            "" => self.name.clone(),
            namespace => format!("{namespace}/{}", self.name),
        }
    }

    /// Whether a list of kinds, each alone or behind group and version, has this one.
    pub(crate) fn is_among(&self, kinds: &[String]) -> bool {
        let same = |kind: &String| match kind.rsplit_once('/') {
            None => *kind == self.kind,
            Some((api_version, kind)) => kind == self.kind && api_version == self.api_version(),
        };
        kinds.iter().any(same)
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} {}", self.api_version(), self.kind, self.qualified_name())
    }
}
