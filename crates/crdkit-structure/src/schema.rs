//! A schema with everything that belongs to it, and how it is made.
//!
//! Takes a schema document and [`ImportOptions`]; gives a [`Schema`], to which codecs and rules are added by value. It
//! does not change afterwards.

use super::codec::Codecs;
use super::decoded::Parsed;
use super::options::ParseOptions;
use super::place::PlacePattern;
use super::project::filled_default;
use super::rule::{Rule, RuleSet, WhenSeen};
use super::scope::Scope;
use super::stages;
use super::wire::Wire;
use crate::compiled::CompiledSchema;
use crate::import::{self as importer, Diagnostics, ImportError, ImportOptions};
use crdkit_codec::{DecodeOptions, json, yaml};
use crdkit_issue::{FieldPath, Issue, Issues, PointerError};
use crdkit_schema::compile::Member;
use crdkit_value::{Document, Duplicates, NumberMode, Value};
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;

/// A compiled schema with its codecs and rules. Cheap to clone, shared between threads.
#[derive(Clone, Debug)]
pub struct Schema {
    compiled: CompiledSchema,
    source: Arc<Document>,
    codecs: Arc<Codecs>,
    rules: Arc<RuleSet>,
}

/// What an import gives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Imported {
    /// The schema.
    pub schema: Schema,
    /// What there is to say about it.
    pub diagnostics: Diagnostics,
}

/// Why text gives no schema.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ImportFailure {
    /// The text is not a document, or has a key twice.
    Source(Issues),
    /// The document is not a schema.
    Schema(ImportError),
}

/// Makes a schema of a document: a bare schema, one under `openAPIV3Schema`, or a CRD.
pub fn import(document: Value<'_>, options: &ImportOptions) -> Result<Imported, ImportError> {
    let importer::Imported { schema, diagnostics, .. } = importer::import(document, options)?;
    let schema = Schema {
        compiled: schema,
        source: Arc::new(importer::standalone(document, options)?),
        codecs: Arc::default(),
        rules: Arc::default(),
    };
    Ok(Imported { schema, diagnostics })
}

/// The same with codecs, which then count for [`importer::Equality::CanonicalJson`] too: two spellings of
/// one instant are one item of a set.
pub fn import_with(
    document: Value<'_>,
    options: &ImportOptions,
    codecs: Codecs,
) -> Result<Imported, ImportError> {
    let options = codecs.formats().fold(options.clone(), |options, (format, codec)| {
        let codec = Arc::clone(codec);
        options.canonical(format, move |text| {
            let domain = codec.decode(Document::from(text).root()).ok()?;
            let wire = codec.encode(domain.root()).ok()?;
            wire.root().as_str().map(str::to_owned)
        })
    });
    let Imported { schema, diagnostics } = import(document, &options)?;
    Ok(Imported { schema: schema.with_codecs(codecs), diagnostics })
}

/// Makes a schema of JSON text.
pub fn import_json(bytes: &[u8], options: &ImportOptions) -> Result<Imported, ImportFailure> {
    read(json::decode(bytes, &decode_options()), options)
}

/// Makes a schema of the first document of a YAML text, in which no key may be given twice.
pub fn import_yaml(bytes: &[u8], options: &ImportOptions) -> Result<Imported, ImportFailure> {
    read(yaml::decode(bytes, &decode_options()), options)
}

fn decode_options() -> DecodeOptions {
    let numbers = NumberMode::Exact;
    DecodeOptions::new().duplicates(Duplicates::Error).numbers(numbers).positions(true)
}

fn read(
    decoded: Result<crdkit_codec::Decoded, Box<Issue>>,
    options: &ImportOptions,
) -> Result<Imported, ImportFailure> {
    let decoded = decoded.map_err(|issue| ImportFailure::Source((*issue).into()))?;
    if !decoded.issues.is_empty() {
        return Err(ImportFailure::Source(decoded.issues.into()));
    }
    import(decoded.document.root(), options).map_err(ImportFailure::Schema)
}

impl Schema {
    /// The same schema with codecs.
    #[must_use]
    pub fn with_codecs(self, codecs: Codecs) -> Self {
        Self { codecs: Arc::new(codecs), ..self }
    }

    /// The same schema with one more rule, about whole documents.
    #[must_use]
    pub fn with_rule(self, rule: impl Rule + 'static) -> Self {
        self.add_rule(PlacePattern::root(), WhenSeen::Always, rule)
    }

    /// The same schema with one more rule, about whole documents, that runs only when certain places were
    /// in the input.
    #[must_use]
    pub fn with_rule_when(self, when: WhenSeen, rule: impl Rule + 'static) -> Self {
        self.add_rule(PlacePattern::root(), when, rule)
    }

    /// The same schema with one more rule about the values at a place, given as a JSON Pointer in which
    /// `*` stands for any step.
    pub fn with_rule_at(
        self,
        pointer: &str,
        rule: impl Rule + 'static,
    ) -> Result<Self, PointerError> {
        Ok(self.add_rule(PlacePattern::parse(pointer)?, WhenSeen::Always, rule))
    }

    fn add_rule(mut self, place: PlacePattern, when: WhenSeen, rule: impl Rule + 'static) -> Self {
        Arc::make_mut(&mut self.rules).add(place, when, Arc::new(rule));
        self
    }

    /// Reads, checks and converts an input.
    pub fn parse<'a>(&self, wire: impl Into<Wire<'a>>, options: &ParseOptions) -> Parsed {
        stages::parse(self, wire.into(), options)
    }

    /// The same for an input that is read to its end, as far as the limits let it; `wire` says what its bytes are:
    /// `|bytes| Wire::Json(bytes)`.
    ///
    /// # Errors
    /// That of the reader.
    pub fn parse_reader(
        &self,
        reader: impl Read,
        wire: impl for<'b> FnOnce(&'b [u8]) -> Wire<'b>,
        options: &ParseOptions,
    ) -> io::Result<Parsed> {
        let mut bytes = Vec::new();
        let most = u64::try_from(options.limits.bytes).unwrap_or(u64::MAX).saturating_add(1);
        reader.take(most).read_to_end(&mut bytes)?;
        Ok(self.parse(wire(&bytes), options))
    }

    /// Whether a value has nothing wrong with it.
    pub fn is_valid(&self, value: Value<'_>) -> bool {
        let options = ParseOptions::new().presence(None);
        self.parse(&Document::copy_of(value), &options).is_valid()
    }

    /// The default that the schema has for a place, with the defaults inside it, as the wire has it. It is
    /// there in every default mode.
    pub fn default_at(&self, path: &FieldPath) -> Option<Document> {
        let scope = Scope::new(&self.compiled);
        let mut ids = scope.root();
        for step in path.segments() {
            let nodes = scope.nodes(&ids);
            let text = step.text();
            ids = match scope.member(&nodes, &text, false) {
                Member::Known(ids) => ids,
                _ => nodes.item(text.parse().ok()?),
            };
        }
        filled_default(&self.compiled, scope.default(&ids)?, ids)
    }

    /// The compiled schema itself.
    pub fn compiled(&self) -> &CompiledSchema {
        &self.compiled
    }

    /// The codecs.
    pub fn codecs(&self) -> &Codecs {
        &self.codecs
    }

    pub(super) fn rules(&self) -> &RuleSet {
        &self.rules
    }

    pub(super) fn source(&self) -> &Document {
        &self.source
    }
}

impl fmt::Display for ImportFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(issues) => write!(f, "the schema cannot be read: {issues}"),
            Self::Schema(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ImportFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Source(issues) => Some(issues),
            Self::Schema(error) => Some(error),
        }
    }
}
