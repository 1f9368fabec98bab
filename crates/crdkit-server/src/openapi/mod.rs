//! OpenAPI: what objects look like and what can be done with them, for programs to read.
//!
//! Takes resources, gives documents: [`v3`] one for each group and version, with an index, [`v2`] one for everything.
//! Both describe the same operations (`operation`) and the same schemas (`schema`, `definitions`), each in its
//! `Notation`; `protobuf` has the binary forms. A document is made of parts, one for each resource, so that a change
//! of one CRD leaves the others alone; hashes come from what a document is made of, so that an index costs no documents.

mod cache;
mod definitions;
mod name;
mod operation;
mod parameter;
pub mod protobuf;
mod schema;
pub mod v2;
pub mod v3;

pub use cache::{Form, OpenApiDocuments, Published};

use crate::catalogue::resource::{Resource, ResourceSchema};
use crate::digest::digest;
use crdkit_codec::go_json;
use crdkit_codec::json::Layout;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Value, Writer};
use std::collections::BTreeMap;

/// Finds a definition of a native kind by name: its JSON in the notation of version 3, with references to
/// `#/definitions/NAME`.
pub type NativeDefinitions<'n> = &'n dyn Fn(&str) -> Option<&'n str>;

/// The version of OpenAPI that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    V2,
    V3,
}

impl Notation {
    /// What references begin with.
    fn prefix(self) -> &'static str {
        match self {
            Self::V2 => "#/definitions/",
            Self::V3 => "#/components/schemas/",
        }
    }
}

/// What writing a document needs to know and finds out.
#[derive(Debug)]
struct Context {
    notation: Notation,
    /// Definitions that were referred to, and whether they have been written.
    references: BTreeMap<Box<str>, bool>,
}

impl Context {
    fn new(notation: Notation) -> Self {
        Self { notation, references: BTreeMap::new() }
    }

    /// Writes a reference to a definition that is written later.
    fn reference(&mut self, writer: &mut Writer, definition: &str) {
        self.own_reference(writer, definition);
        if !self.references.contains_key(definition) {
            self.references.insert(definition.into(), false);
        }
    }

    /// Writes a reference to a definition that a resource writes itself.
    fn own_reference(&self, writer: &mut Writer, definition: &str) {
        writer.text("$ref", &format!("{}{definition}", self.notation.prefix()));
    }

    /// A definition that has still to be written; it counts as written from now on.
    fn next_reference(&mut self) -> Option<Box<str>> {
        let (name, written) = self.references.iter_mut().find(|(_, written)| !**written)?;
        *written = true;
        Some(name.clone())
    }
}

/// What the description of `resource` depends on, as a hash: its names, and of a CRD what it says of the version.
pub fn fingerprint(resource: &Resource) -> String {
    let mut text = Vec::new();
    let document = match &resource.schema {
        ResourceSchema::Custom { definition, version } => Some((definition.document(), *version)),
        ResourceSchema::Native { .. } => None,
    };
    if let Some((document, version)) = &document
        && let Some(spec) = document.root().get("spec")
    {
        let own = spec.get("versions").and_then(|versions| versions.at(*version));
        // Older CRDs say beside their versions what all of them share.
        let own = own.filter(|own| own.get("schema").is_some()).unwrap_or(spec);
        go_json::write(own, Layout::Compact, &mut text);
    }
    let kind = resource.kind.to_string();
    let scope = if resource.namespaced { "Namespaced" } else { "Cluster" };
    let names = [&*kind, &resource.plural, &resource.list_kind, scope, env!("CARGO_PKG_VERSION")];
    digest(names.into_iter().flat_map(|name| [name.as_bytes(), b"\n"]).chain([text.as_slice()]))
}

fn write_kind_name(writer: &mut Writer, kind: &GroupVersionKind) {
    writer.object(|writer| {
        writer.text("group", &kind.group);
        writer.text("version", &kind.version);
        writer.text("kind", &kind.kind);
    });
}

/// Media types that objects are sent in.
fn media_types(resource: &Resource, is_patch: bool) -> &'static [&'static str] {
    match (is_patch, resource.is_custom()) {
        (false, true) => &["application/json", "application/yaml"],
        (false, false) => {
            &["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]
        }
        (true, true) => &[
            "application/apply-patch+yaml",
            "application/json-patch+json",
            "application/merge-patch+json",
        ],
        (true, false) => &[
            "application/apply-patch+yaml",
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
        ],
    }
}

/// A document as it is sent.
fn text(value: Value<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    go_json::write(value, Layout::Compact, &mut out);
    out
}
