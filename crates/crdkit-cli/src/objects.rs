//! The objects of an input: its documents, with lists taken apart.

use crate::input::Input;
use crate::report::LeftOut;
use crdkit_codec::{DecodeError, DecodeOptions, Decoded, Format};
use crdkit_engine::Crd;
use crdkit_issue::{Issue, Segment, Span, codes};
use crdkit_text::kind::{GroupVersion, GroupVersionKind};
use crdkit_value::{Document, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What an object says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    pub(crate) gvk: GroupVersionKind,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// An object, or why there is none.
pub(crate) type ObjectOutcome = Result<Decoded, Vec<Issue>>;

/// Decodes the objects of `input` one document at a time; a document that cannot be decoded is an error
/// in its place, and so is what a list gives twice outside its items. Empty documents are left out.
pub(crate) fn decode<'a>(
    input: &'a Input,
    options: &'a DecodeOptions,
) -> impl Iterator<Item = ObjectOutcome> + 'a {
    input.documents(options).flat_map(|outcome| match outcome {
        Ok(decoded) if decoded.document.root().is_null() => Vec::new(),
        Ok(decoded) => match items(input, decoded.document.root()) {
            Some(items) => {
                let Sorted { around, mut inside } = Sorted::new(&decoded.issues, items.len());
                let around = Some(around).filter(|issues| !issues.is_empty()).map(Err);
                let kind = ItemKind::of(decoded.document.root());
                let kind = kind.map(Arc::new).or_else(|| input.item_kind.clone());
                let parts = items.into_iter().enumerate().map(|(index, item)| {
                    let issues = inside.remove(&index).unwrap_or_default();
                    let document = Document::copy_with_positions(item);
                    Ok(named_after_list(Decoded { document, issues }, kind.as_deref()))
                });
                around.into_iter().chain(parts).collect()
            }
            None => vec![Ok(named_after_list(decoded, input.item_kind.as_deref()))],
        },
        Err(DecodeError::Refused(issue)) => vec![Err(vec![*issue])],
        // Bytes in memory can always be read.
        Err(DecodeError::Io(_)) => Vec::new(),
    })
}

/// The objects in a document of `input`; none if it is one itself.
fn items<'d>(input: &Input, root: Value<'d>) -> Option<Vec<Value<'d>>> {
    match (input.is_inside_list, input.format) {
        (false, _) => list_items(root),
        // Some items of a list, which are a list of their own.
        (true, Format::Yaml) => root.as_array().map(Iterator::collect),
        (true, _) => None,
    }
}

/// What the items of a list of one kind are. A server does not say it with each of them.
#[derive(Clone, Debug)]
pub(crate) struct ItemKind {
    api_version: String,
    kind: String,
}

impl ItemKind {
    /// What a list says about its items.
    pub(crate) fn of(list: Value<'_>) -> Option<Self> {
        let text = |key| list.get(key).and_then(Value::as_str);
        let kind = text("kind")?.strip_suffix("List").filter(|kind| !kind.is_empty())?;
        let api_version = text("apiVersion")?;
        Some(Self { api_version: api_version.to_owned(), kind: kind.to_owned() })
    }
}

/// An item of a list of one kind, which says what it is, as kubectl has it.
fn named_after_list(mut item: Decoded, list: Option<&ItemKind>) -> Decoded {
    let root = item.document.root();
    let says = |key| root.get(key).is_some();
    if let Some(ItemKind { api_version, kind }) = list
        && root.as_object().is_some()
        && !says("kind")
        && !says("apiVersion")
    {
        let id = root.id();
        item.document.insert(id, "apiVersion", api_version.as_str());
        item.document.insert(id, "kind", kind.as_str());
    }
    item
}

/// The items of `v1 List` and of lists of one kind.
fn list_items(root: Value<'_>) -> Option<Vec<Value<'_>>> {
    let kind = root.get("kind")?.as_str()?;
    if !kind.ends_with("List") {
        return None;
    }
    let items = root.get("items")?;
    // Kubernetes writes a list of nothing as null.
    match items.as_array() {
        Some(items) => Some(items.collect()),
        None => items.is_null().then(Vec::new),
    }
}

/// What was noticed about a list while reading it, by what it is about.
#[derive(Default)]
struct Sorted {
    /// The list itself.
    around: Vec<Issue>,
    /// Its items, as documents of their own.
    inside: BTreeMap<usize, Vec<Issue>>,
}

impl Sorted {
    fn new(issues: &[Issue], n_items: usize) -> Self {
        let is_item = |issue: &Issue| match issue.path.segments() {
            [Segment::Field(name), ..] => &**name == "items",
            _ => true,
        };
        let mut sorted = Self::default();
        for issue in issues {
            match issue.path.segments() {
                [Segment::Index(index), inside @ ..]
                | [Segment::Field(_), Segment::Index(index), inside @ ..]
                    if is_item(issue) && *index < n_items =>
                {
                    let issue = issue.clone().at(inside.iter().cloned().collect());
                    sorted.inside.entry(*index).or_default().push(issue);
                }
                _ => sorted.around.push(issue.clone()),
            }
        }
        sorted
    }
}

/// What is wrong with a list that cannot be taken apart; none for anything else.
pub(crate) fn list_problem(document: &Document) -> Option<Issue> {
    let root = document.root();
    let kind =
        root.get("kind").filter(|kind| kind.as_str().is_some_and(|it| it.ends_with("List")))?;
    match root.get("items") {
        None if kind.as_str() == Some("List") => {
            Some(at(Issue::error(codes::decode::LIST_ITEMS), document, kind))
        }
        None => None,
        Some(items) if items.as_array().is_some() || items.is_null() => {
            Some(at(Issue::error(codes::source::NESTED_LIST), document, kind))
        }
        Some(items) => Some(at(Issue::error(codes::decode::LIST_ITEMS), document, items)),
    }
}

/// The same finding at a value.
fn at(mut issue: Issue, document: &Document, value: Value<'_>) -> Issue {
    issue.span = document.place(value.id()).map(|place| place.value);
    issue
}

/// What `document` says about itself, or what is missing for it to be an object.
pub(crate) fn identify(document: &Document) -> Result<Identity, Box<Issue>> {
    let root = document.root();
    if root.as_object().is_none() {
        return Err(not_an_object(document, "it is not a mapping"));
    }
    let api_version = named(document, "apiVersion")?;
    let kind = named(document, "kind")?;
    let wrong = |issue| Box::new(at(issue, document, root.get("apiVersion").unwrap_or(root)));
    let Some(version) = GroupVersion::parse(api_version) else {
        let issue = Issue::error(codes::object::API_VERSION_FORM).with("version", api_version);
        return Err(wrong(issue));
    };
    if version.version.is_empty() {
        let problem = "its `apiVersion` has no version after the slash";
        return Err(wrong(*not_an_object(document, problem)));
    }
    let metadata = root.get("metadata");
    let of_metadata = |key| {
        let value = metadata.and_then(|metadata| metadata.get(key)).and_then(Value::as_str);
        value.unwrap_or_default().to_owned()
    };
    Ok(Identity {
        gvk: version.kind(kind),
        namespace: of_metadata("namespace"),
        name: of_metadata("name"),
    })
}

/// Why a document is no object and does not mean to be one; none if it is one or looks like a failed attempt.
pub(crate) fn not_meant_as_object(document: &Document) -> Option<LeftOut> {
    let root = document.root();
    if let Some(mut items) = root.as_array() {
        let is_step = |item: Value<'_>| item.get("op").is_some() && item.get("path").is_some();
        let is_patch = items.len() > 0 && items.all(is_step);
        return Some(if is_patch { LeftOut::JsonPatch } else { LeftOut::NoObjects });
    }
    let has = |key| root.get(key).is_some();
    let api_version = root.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    if api_version.starts_with("kustomize.config.k8s.io/") {
        return Some(LeftOut::Kustomization);
    }
    if matches!(api_version, "v1" | "v2") && has("name") && has("version") && !has("kind") {
        return Some(LeftOut::ChartFile);
    }
    let marks = ["apiversion", "kind", "metadata"];
    let is_mark = |key: &str| marks.contains(&key.to_ascii_lowercase().as_str());
    let means_it = root.members().any(|(key, _)| is_mark(key));
    (!means_it).then_some(LeftOut::NoObjects)
}

fn not_an_object(document: &Document, problem: &str) -> Box<Issue> {
    let mut issue = Issue::error(codes::source::NOT_AN_OBJECT).with("problem", problem);
    // A whole document is too much to underline; its beginning will do.
    let place = document.place(document.root().id());
    issue.span = place.map(|place| Span::new(place.value.start, place.value.start + 1));
    Box::new(issue)
}

/// The text of `apiVersion` or `kind`, which every object has.
fn named<'d>(document: &'d Document, key: &str) -> Result<&'d str, Box<Issue>> {
    let Some(value) = document.root().get(key) else {
        return Err(not_an_object(document, &format!("it has no `{key}`")));
    };
    let problem = match value.as_str() {
        None => "is not a string",
        Some("") => "is empty",
        // Such a name looks right in a message that repeats it.
        Some(text) if text.contains(char::is_whitespace) => "has white space in it",
        Some(text) => return Ok(text),
    };
    Err(Box::new(at(*not_an_object(document, &format!("its `{key}` {problem}")), document, value)))
}

/// That nothing stands before the slash of `apiVersion`, which the server takes for the core group.
pub(crate) fn missing_group(document: &Document) -> Option<Issue> {
    let value = document.root().get("apiVersion")?;
    value.as_str().filter(|text| text.starts_with('/'))?;
    let issue = not_an_object(document, "its `apiVersion` has no group before the slash");
    Some(at(*issue, document, value))
}

/// That nothing is known about a kind, and what to do about it.
pub(crate) fn no_schema(identity: &Identity, hint: &str) -> Issue {
    let group = match identity.gvk.group.as_str() {
        "" => "the core group".to_owned(),
        group => format!("group `{group}`"),
    };
    Issue::error(codes::source::NO_SCHEMA)
        .with("kind", identity.gvk.kind.as_str())
        .with("group", group)
        .with("hint", hint)
}

/// That a kind is there, but not in the version of an object.
pub(crate) fn unknown_version(identity: &Identity, crd: &Crd) -> Issue {
    let versions = crd.compiled().versions().iter().filter(|version| version.served);
    let served: Vec<_> = versions.map(|version| format!("`{}`", version.name)).collect();
    Issue::error(codes::source::UNKNOWN_VERSION)
        .with("kind", identity.gvk.kind.as_str())
        .with("version", identity.gvk.version.as_str())
        .with("served", served.join(", "))
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
        document.insert(metadata.id(), key, text);
    }
}

impl Identity {
    /// Whether this is a `CustomResourceDefinition`.
    pub(crate) fn is_crd(&self) -> bool {
        self.gvk.is_crd()
    }

    /// Whether the kind is one that Kubernetes brings along.
    pub(crate) fn is_built_in(&self) -> bool {
        let group = &self.gvk.group;
        !group.contains('.') || group.ends_with(".k8s.io")
    }

    /// Group and version, as in `apiVersion`.
    pub(crate) fn api_version(&self) -> String {
        self.gvk.group_version().to_string()
    }

    /// Kind, namespace and name: enough to know which one of a repository is meant.
    pub(crate) fn short(&self) -> String {
        format!("{} {}", self.gvk.kind, self.qualified_name()).trim_end().to_owned()
    }

    /// Namespace and name.
    pub(crate) fn qualified_name(&self) -> String {
        match self.namespace.as_str() {
            "" => self.name.clone(),
            namespace => format!("{namespace}/{}", self.name),
        }
    }

    /// Whether a list of kinds, each alone or after group and version, has this one.
    pub(crate) fn is_among(&self, kinds: &[String]) -> bool {
        let same = |kind: &String| match kind.rsplit_once('/') {
            None => *kind == self.gvk.kind,
            Some((api_version, kind)) => kind == self.gvk.kind && api_version == self.api_version(),
        };
        kinds.iter().any(same)
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} {}", self.api_version(), self.gvk.kind, self.qualified_name())
    }
}
