//! The documents of an import: the one it is about and those it refers to, with the resources and anchors
//! in them.
//!
//! A document is read through once when it comes in, so that a reference costs a lookup. Other documents
//! come from the caller's resolver, within its limits; the meta-schemas are at hand.

use super::dialect::{Language, LanguageKind, subschemas};
use super::options::ImportOptions;
use super::resolver::ResolveError;
use super::{ImportError, metaschema, uri};
use crdkit_schema::compile::ResourceId;
use crdkit_value::{Document, NodeId, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A place in one of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SchemaLocation {
    pub(super) document: usize,
    pub(super) node: NodeId,
}

/// What one `$id` names, or a document.
pub(super) struct SchemaResource {
    pub(super) uri: String,
    pub(super) root: SchemaLocation,
    pub(super) language: Language,
    anchors: BTreeMap<String, NodeId>,
    pub(super) dynamic_anchors: BTreeMap<String, NodeId>,
}

/// All documents of an import.
pub(super) struct Library<'o> {
    options: &'o ImportOptions,
    pub(super) documents: Vec<Arc<Document>>,
    pub(super) resources: Vec<SchemaResource>,
    by_uri: BTreeMap<String, usize>,
    by_root: BTreeMap<SchemaLocation, usize>,
    /// How many documents and values the resolver has given.
    fetched: (usize, usize),
    /// Whether anything is resolved dynamically.
    pub(super) dynamic: bool,
}

/// What a reference leads to.
pub(super) struct ReferenceTarget {
    pub(super) place: SchemaLocation,
    /// The dynamic anchor that the reference named, if that is what it named.
    pub(super) dynamic_anchor: Option<String>,
}

impl<'o> Library<'o> {
    pub(super) fn new(options: &'o ImportOptions) -> Self {
        Self {
            options,
            documents: Vec::new(),
            resources: Vec::new(),
            by_uri: BTreeMap::new(),
            by_root: BTreeMap::new(),
            fetched: (0, 0),
            dynamic: false,
        }
    }

    /// Takes a document in, whose schemas begin at `root`.
    pub(super) fn add(
        &mut self,
        document: Document,
        root: NodeId,
        address: &str,
        language: Language,
    ) -> usize {
        let document = Arc::new(document);
        self.documents.push(Arc::clone(&document));
        let place = SchemaLocation { document: self.documents.len() - 1, node: root };
        let first = self.resource(place, address.to_owned(), language);
        let mut pending = vec![(document.value(root), first)];
        while let Some((schema, resource)) = pending.pop() {
            let resource = self.scan(schema, place.document, resource);
            pending.extend(subschemas(schema).into_iter().map(|child| (child, resource)));
        }
        place.document
    }

    fn resource(&mut self, root: SchemaLocation, uri: String, language: Language) -> usize {
        let at = self.resources.len();
        self.by_uri.entry(uri.clone()).or_insert(at);
        self.by_root.insert(root, at);
        self.resources.push(SchemaResource {
            uri,
            root,
            language,
            anchors: BTreeMap::new(),
            dynamic_anchors: BTreeMap::new(),
        });
        at
    }

    /// Notes what `schema` is called. Gives the resource that it belongs to.
    fn scan(&mut self, schema: Value<'_>, document: usize, resource: usize) -> usize {
        let Some(owner) = self.resources.get(resource) else { return resource };
        let (base, mut language) = (owner.uri.clone(), owner.language);
        let text = |key: &str| schema.get(key).and_then(Value::as_str);
        if schema.get("$ref").is_some() && language.reference_stands_alone() {
            return resource;
        }
        let mut resource = resource;
        if let Some(meta) = text("$schema") {
            language = self.language(meta, language);
            if let Some(owner) = self.resources.get_mut(resource)
                && owner.root.node == schema.id()
            {
                owner.language = language;
            }
        }
        if let Some(id) = text(language.id_keyword()) {
            match id.strip_prefix('#') {
                Some(anchor) if language.kind == LanguageKind::Draft4 => {
                    self.anchor(resource, anchor, schema.id());
                }
                _ => {
                    let place = SchemaLocation { document, node: schema.id() };
                    let (absolute, _) = uri::join(&base, id);
                    resource = match self.by_root.get(&place) {
                        // The document itself has another name as well.
                        Some(at) => {
                            let at = *at;
                            self.by_uri.insert(absolute.clone(), at);
                            if let Some(owner) = self.resources.get_mut(at) {
                                owner.uri = absolute;
                            }
                            at
                        }
                        None => self.resource(place, absolute, language),
                    };
                }
            }
        }
        if language.kind == LanguageKind::Modern {
            if let Some(anchor) = text("$anchor") {
                self.anchor(resource, anchor, schema.id());
            }
            if let Some(anchor) = text("$dynamicAnchor") {
                self.anchor(resource, anchor, schema.id());
                if let Some(owner) = self.resources.get_mut(resource) {
                    owner.dynamic_anchors.entry(anchor.to_owned()).or_insert(schema.id());
                }
                self.dynamic = true;
            }
        }
        resource
    }

    fn anchor(&mut self, resource: usize, anchor: &str, node: NodeId) {
        if let Some(owner) = self.resources.get_mut(resource) {
            owner.anchors.entry(anchor.to_owned()).or_insert(node);
        }
    }

    /// The language of schemas with the meta-schema `meta`, which may be one of the caller's own.
    fn language(&mut self, meta: &str, otherwise: Language) -> Language {
        if let Some(known) = Language::named(meta) {
            return known;
        }
        let (address, _) = uri::split_fragment(meta);
        let Ok(document) = self.options.resolver.resolve(address) else { return otherwise };
        let Some(vocabulary) = document.root().get("$vocabulary") else { return otherwise };
        let asserts = vocabulary.members().any(|(name, _)| name.ends_with("/vocab/validation"));
        Language { kind: LanguageKind::Modern, asserts }
    }

    /// The resource that the schema at `place` belongs to.
    pub(super) fn resource_of(&self, place: SchemaLocation) -> usize {
        let Some(document) = self.documents.get(place.document) else { return 0 };
        let mut value = document.value(place.node);
        loop {
            let here = SchemaLocation { node: value.id(), ..place };
            if let Some(at) = self.by_root.get(&here) {
                return *at;
            }
            match value.parent() {
                Some(parent) => value = parent,
                None => return 0,
            }
        }
    }

    pub(super) fn resource_id(at: usize) -> ResourceId {
        ResourceId(u32::try_from(at).unwrap_or(u32::MAX))
    }

    /// Where `reference`, written in the resource `from`, leads.
    pub(super) fn resolve(
        &mut self,
        from: usize,
        reference: &str,
    ) -> Result<ReferenceTarget, ImportError> {
        let base = self.resources.get(from).map(|owner| owner.uri.clone()).unwrap_or_default();
        let (address, fragment) = uri::join(&base, reference);
        let at = match self.by_uri.get(&address) {
            Some(at) => *at,
            None => self.fetch(&address)?,
        };
        let failed = || ImportError::Reference {
            uri: format!("{address}#{fragment}"),
            source: ResolveError::Failed("there is no schema at this place".into()),
        };
        let owner = self.resources.get(at).ok_or_else(failed)?;
        let root = owner.root;
        if fragment.is_empty() || fragment.starts_with('/') {
            let document = self.documents.get(root.document).ok_or_else(failed)?;
            let found = document.value(root.node).pointer(&fragment).ok_or_else(failed)?;
            let place = SchemaLocation { node: found.id(), ..root };
            return Ok(ReferenceTarget { place, dynamic_anchor: None });
        }
        let node = owner.anchors.get(&fragment).copied().ok_or_else(failed)?;
        let is_dynamic = owner.dynamic_anchors.get(&fragment) == Some(&node);
        Ok(ReferenceTarget {
            place: SchemaLocation { node, ..root },
            dynamic_anchor: is_dynamic.then_some(fragment),
        })
    }

    fn fetch(&mut self, address: &str) -> Result<usize, ImportError> {
        let failed = |source| ImportError::Reference { uri: address.to_owned(), source };
        let document = match metaschema::named(address) {
            Some(document) => Ok(document),
            None => self.ask(address),
        };
        let document = document.map_err(failed)?;
        let named = document.root().get("$schema").and_then(Value::as_str);
        let default = self.resources.first().map_or(Language::MODERN, |first| first.language);
        let language = named.and_then(Language::named).unwrap_or(default);
        let document = self.add(document, NodeId::ROOT, address, language);
        let root = SchemaLocation { document, node: NodeId::ROOT };
        self.by_root.get(&root).copied().ok_or_else(|| failed(ResolveError::Refused))
    }

    /// The document at `address` from the caller's resolver, within its limits.
    fn ask(&mut self, address: &str) -> Result<Document, ResolveError> {
        let limits = self.options.resolver_limits;
        if self.fetched.0 >= limits.documents {
            return Err(ResolveError::TooMuch("documents"));
        }
        let document = self.options.resolver.resolve(address)?;
        self.fetched = (self.fetched.0 + 1, self.fetched.1 + document.n_nodes());
        if self.fetched.1 > limits.nodes {
            return Err(ResolveError::TooMuch("values"));
        }
        Ok(document)
    }
}
