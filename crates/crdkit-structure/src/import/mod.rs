//! Schemas from OpenAPI 3.0 and 3.1, JSON Schema and CRDs, with a choice in everything that may be meant
//! in more than one way.
//!
//! A document comes in, a [`CompiledSchema`] comes out, and [`Diagnostics`] about every gap between what was
//! written and what is checked. The same table of nodes as for CRDs is the result, so the same code holds
//! values against it. The document is not changed, nothing is fetched, and time and depth are bounded.

mod cycles;
mod diagnostics;
mod dialect;
mod extensions;
mod formats;
mod keywords;
mod library;
mod lint;
mod lower;
mod metaschema;
mod node;
mod options;
mod resolver;
mod select;
mod uri;

pub use diagnostics::{Diagnostic, DiagnosticLevel, Diagnostics};
pub use options::{
    Ambiguity, CelOptions, DefaultMode, Dialect, Embedded, Equality, Formats, Functions,
    ImportOptions, IntOrString, Nulls, Numbers, Profile, Unevaluated, Unknown,
};
pub use resolver::{RefuseAll, ResolveError, Resolver, ResolverLimits};
pub(crate) use select::group_version_kinds;
pub use select::{CrdSelector, VersionSelector};

use crate::compiled::CompiledSchema;
use crdkit_schema::compile::Id;
use crdkit_value::{Document, NodeId, Value};
use dialect::Language;
use library::{Library, SchemaLocation};
use lower::Lower;
use select::Selected;

/// What an import gives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Imported {
    /// The schema.
    pub schema: CompiledSchema,
    /// What there is to say about it.
    pub diagnostics: Diagnostics,
}

/// Why there is no schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The schema is not acceptable, or less than what [`ImportOptions::deny`] lets through.
    #[error("the schema is not accepted: {0}")]
    Schema(Diagnostics),
    /// A reference leads nowhere.
    #[error("`{uri}` cannot be resolved")]
    Reference {
        /// As it is written, made absolute.
        uri: String,
        /// Why not.
        source: ResolveError,
    },
    /// The document holds no schema that the selector fits, or several.
    #[error("{0}")]
    Selector(String),
}

/// The part of `document` that [`import`] makes a schema of, with the components that it may refer to.
pub(crate) fn standalone(
    document: Value<'_>,
    options: &ImportOptions,
) -> Result<Document, ImportError> {
    let Selected { schema, base, .. } = select::select(document, &options.selector)?;
    let mut copy = Document::copy_of(schema);
    if base != schema {
        for key in ["openapi", "components", "definitions"] {
            if let Some(value) = base.get(key) {
                copy.insert(NodeId::ROOT, key, value);
            }
        }
    }
    Ok(copy)
}

/// Makes a schema of `document`, or of the part of it that the options select.
pub fn import(document: Value<'_>, options: &ImportOptions) -> Result<Imported, ImportError> {
    // A copy: ids below are of one document, whatever part of another one this is.
    let copy = Document::copy_of(document);
    let Selected { schema, base, is_resource } = select::select(copy.root(), &options.selector)?;
    let language = Language::of(options.dialect, copy.root(), schema);
    let (root, base) = (schema.id(), base.id());
    let mut library = Library::new(options);
    let at = library.add(copy, base, &options.base, language);
    let root = SchemaLocation { document: at, node: root };
    let mut lower = Lower::new(options, library);
    lower.resource_root = is_resource.then_some(root);
    let id = lower.all(root)?;
    if options.profile == Profile::StructuralV1 {
        lint::structural(&mut lower, root);
    }
    finish(lower, id, options)
}

/// Looks at what only the finished schema tells: defaults, rules.
fn finish(lower: Lower<'_>, root: Id, options: &ImportOptions) -> Result<Imported, ImportError> {
    let places = lower.places();
    let Lower { settings, library, compiler, mut diagnostics, defaults, rules, .. } = lower;
    let table = compiler.into_table(lower.references, lower.anchors);
    let schema = CompiledSchema::new(table, root, settings, places);
    lint::defaults(&schema, &library, &defaults, &mut diagnostics);
    lint::rules(&schema, &library, &rules, options.malformed, &mut diagnostics);
    diagnostics.sort();
    if diagnostics.worst() >= Some(options.deny) {
        return Err(ImportError::Schema(diagnostics));
    }
    Ok(Imported { schema, diagnostics })
}
