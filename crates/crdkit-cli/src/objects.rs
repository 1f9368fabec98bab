//! The objects of an input: its documents, with lists taken apart.

use crate::input::Input;
use crdkit::codec::{DecodeError, DecodeOptions, Decoded};
use crdkit::issue::{Issue, Span, codes};
use crdkit::value::{Document, Value};

/// What an object says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// Decodes every object of `input`; a document that cannot be decoded is an error in its place. Empty
/// documents are left out.
pub(crate) fn decode(input: &Input, options: &DecodeOptions) -> Vec<Result<Decoded, Box<Issue>>> {
    let mut objects = Vec::new();
    for outcome in input.format.documents(&input.bytes, options) {
        match outcome {
            Ok(decoded) if decoded.document.root().is_null() => {}
            Ok(decoded) => match list_items(decoded.document.root()) {
                Some(items) => objects.extend(items.map(|item| Ok(part(&decoded, item)))),
                None => objects.push(Ok(decoded)),
            },
            Err(DecodeError::Refused(issue)) => objects.push(Err(issue)),
            // Bytes in memory can always be read.
            Err(DecodeError::Io(_)) => {}
        }
    }
    objects
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

impl Identity {
    /// Whether this is a `CustomResourceDefinition`.
    pub(crate) fn is_crd(&self) -> bool {
        self.group == "apiextensions.k8s.io" && self.kind == "CustomResourceDefinition"
    }
}
