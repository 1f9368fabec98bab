//! What the importer is asked for: one by-value builder, whose zero values are the mildest choices.
//!
//! Options that matter only while a schema is read stay here; those that matter whenever a value is held
//! against it become the schema's [`crate::compiled::Settings`].

use super::diagnostics::DiagnosticLevel;
use super::resolver::{RefuseAll, Resolver, ResolverLimits};
use super::select::CrdSelector;
use crate::compiled::{FormatCheck, Normalise, Semantics, Settings};
#[cfg(feature = "cel")]
use crdkit_schema::rules::Cache;
use crdkit_schema::rules::{RuleEngine, RuleOptions, SharedEngine};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// How schemas are judged when they are imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// What the API server asks of structural schemas is reported as diagnostics.
    #[default]
    StructuralV1,
    /// Any keyword of OpenAPI or JSON Schema is taken without such remarks.
    Loose,
}

/// Which language a schema is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// Told by `openapi` or `$schema`, else by the keywords that only one of them has.
    #[default]
    Auto,
    /// OpenAPI 3.0: `nullable`, boolean exclusive limits, nothing counts beside `$ref`.
    OpenApi30,
    /// OpenAPI 3.1, which is JSON Schema 2020-12.
    OpenApi31,
    /// JSON Schema, draft 4.
    Draft4,
    /// JSON Schema 2020-12.
    Draft202012,
}

/// What becomes of a key that the schema does not speak about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unknown {
    /// Removed.
    #[default]
    Prune,
    /// A finding.
    Strict,
    /// Kept where it is.
    Preserve,
    /// Collected under a path of the result, and put back when it is written.
    Passthrough {
        /// A JSON Pointer into the result.
        target: Box<str>,
    },
}

/// What becomes of `default`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DefaultMode {
    /// Readable, nothing more; an absent required property is a finding.
    #[default]
    Ignore,
    /// Noted where it would apply; the value stays as it is.
    Annotate,
    /// Filled in.
    Apply,
}

/// When two items are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Equality {
    /// As values: numbers by what they are worth, objects whatever the order of their keys.
    #[default]
    Structural,
    /// As canonical text, after the codecs of their formats: two spellings of one instant are the same.
    CanonicalJson,
}

/// What is done when several alternatives match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ambiguity {
    /// It is a finding.
    #[default]
    Error,
    /// The first one counts.
    FirstMatch,
    /// The one that declares most of the properties present counts; when none matches, the findings are
    /// those of the alternative with the fewest.
    ScoreBest,
}

/// What an explicit `null` is where the schema allows none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Nulls {
    /// A finding.
    #[default]
    Reject,
    /// Dropped, or replaced by the default, as the API server does.
    DropLikeApiServer,
}

/// Which strings `x-kubernetes-int-or-string` takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum IntOrString {
    /// An optional minus and digits.
    #[default]
    NumericString,
    /// Any, as the API server does: `50%`, `http`.
    AnyString,
}

/// What is asked of `x-kubernetes-embedded-resource`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Embedded {
    /// Nothing.
    #[default]
    Off,
    /// `apiVersion`, `kind` and `metadata` are there and of the right type.
    Minimal,
    /// `apiVersion` and `kind` are there and well-formed; `metadata` is, if it is there.
    Kubernetes,
}

/// How `format` counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Formats {
    /// It describes.
    #[default]
    Annotation,
    /// Known formats are checked, others describe.
    KnownStrict,
    /// Known formats are checked, an unknown one is an error of the schema.
    AllStrict,
}

/// What becomes of `unevaluatedProperties` and `unevaluatedItems`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unevaluated {
    /// Not checked; a diagnostic says so.
    #[default]
    Warn,
    /// Checked against what the schema itself and its unconditional parts declare; a diagnostic says so.
    Approximate,
    /// Checked as JSON Schema 2020-12 defines it.
    Exact,
}

/// What numbers may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Numbers {
    /// Any decimal, kept exactly.
    #[default]
    Exact,
    /// Doubles. An integer that a double cannot hold exactly is a finding unless that is `lossy`.
    Float64 {
        /// Whether integers may be rounded.
        lossy: bool,
    },
    /// Decimals that are written without an exponent.
    Decimal {
        /// Whether zeros at the end of the fraction are kept.
        keep_scale: bool,
    },
    /// Integers of any size; a fraction is a finding.
    BigInt,
    /// Integers of 64 bits, doubles for the rest, as Kubernetes keeps them; what fits neither is a finding.
    Kubernetes,
}

/// Which functions CEL rules may call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Functions {
    /// Those of the Kubernetes libraries.
    #[default]
    Kubernetes,
    /// These alone.
    Only(BTreeSet<String>),
}

/// How `x-kubernetes-validations` are evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CelOptions {
    /// How long the text of a rule may be.
    pub max_expression_bytes: usize,
    /// Which functions rules may call.
    pub functions: Functions,
    /// What one rule may cost.
    pub rule_cost: u64,
    /// What all rules of a document may cost together.
    pub total_cost: u64,
    /// How many characters of a rule a hint shows.
    pub hint_chars: usize,
    /// Whether rules on whole objects and embedded resources see `apiVersion`, `kind` and `metadata` as
    /// variables of their own, which the API server does not offer.
    pub resource_variables: bool,
    /// What evaluates rules in place of `crdkit-cel`.
    pub engine: Option<SharedEngine>,
    /// Where compiled rules are kept for other schemas that have them.
    #[cfg(feature = "cel")]
    pub cache: Option<Cache>,
}

impl Default for CelOptions {
    fn default() -> Self {
        Self {
            max_expression_bytes: 16 << 10,
            functions: Functions::Kubernetes,
            rule_cost: 1_000_000,
            total_cost: 10_000_000,
            hint_chars: 80,
            resource_variables: false,
            engine: None,
            #[cfg(feature = "cel")]
            cache: None,
        }
    }
}

impl CelOptions {
    /// What of this counts when rules are compiled.
    pub(crate) fn for_compiling(&self) -> RuleOptions {
        let functions = match &self.functions {
            Functions::Kubernetes => None,
            Functions::Only(functions) => Some(functions.clone()),
        };
        let mut options = RuleOptions::default();
        options.max_length = Some(self.max_expression_bytes);
        options.functions = functions;
        options.resource_variables = self.resource_variables;
        options.engine.clone_from(&self.engine);
        #[cfg(feature = "cel")]
        options.cache.clone_from(&self.cache);
        options
    }
}

/// All options of an import.
#[derive(Clone)]
pub struct ImportOptions {
    pub(crate) profile: Profile,
    pub(crate) dialect: Dialect,
    pub(crate) formats: Formats,
    pub(crate) unevaluated: Unevaluated,
    pub(crate) selector: CrdSelector,
    pub(crate) base: Box<str>,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) resolver_limits: ResolverLimits,
    pub(crate) deny: DiagnosticLevel,
    pub(crate) malformed: DiagnosticLevel,
    pub(crate) settings: Settings,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            dialect: Dialect::default(),
            formats: Formats::default(),
            unevaluated: Unevaluated::default(),
            selector: CrdSelector::default(),
            base: Box::default(),
            resolver: Arc::new(RefuseAll),
            resolver_limits: ResolverLimits::default(),
            deny: DiagnosticLevel::Error,
            malformed: DiagnosticLevel::Error,
            settings: Settings::default(),
        }
    }
}

impl ImportOptions {
    /// The mildest choices: prune, ignore defaults, formats describe, ambiguity is an error.
    pub fn new() -> Self {
        Self::default()
    }

    /// As close to a cluster as a library can be: the server's semantics, pruning, defaults filled in,
    /// any string for int-or-string, nulls dropped, known formats checked, rules evaluated.
    pub fn kubernetes() -> Self {
        Self::default()
            .semantics(Semantics::Server)
            .defaults(DefaultMode::Apply)
            .int_or_string(IntOrString::AnyString)
            .embedded(Embedded::Kubernetes)
            .nulls(Nulls::DropLikeApiServer)
            .formats(Formats::KnownStrict)
            .numbers(Numbers::Kubernetes)
            .cel(CelOptions::default())
    }

    /// For audits and comparisons: unknown keys are findings, defaults are noted, numbers stay exact.
    pub fn audit() -> Self {
        Self::default()
            .unknown(Unknown::Strict)
            .defaults(DefaultMode::Annotate)
            .formats(Formats::KnownStrict)
    }

    /// How schemas are judged.
    #[must_use]
    pub fn profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// Which language the schema is in.
    #[must_use]
    pub fn dialect(self, dialect: Dialect) -> Self {
        Self { dialect, ..self }
    }

    /// Whose semantics keywords have where the API server differs from JSON Schema.
    #[must_use]
    pub fn semantics(mut self, semantics: Semantics) -> Self {
        self.settings.semantics = semantics;
        self
    }

    /// What becomes of keys that the schema does not speak about.
    #[must_use]
    pub fn unknown(mut self, unknown: Unknown) -> Self {
        self.settings.unknown = unknown;
        self
    }

    /// What becomes of defaults.
    #[must_use]
    pub fn defaults(mut self, defaults: DefaultMode) -> Self {
        self.settings.defaults = defaults;
        self
    }

    /// When two items are the same.
    #[must_use]
    pub fn equality(mut self, equality: Equality) -> Self {
        self.settings.equality = equality;
        self
    }

    /// What is done when several alternatives match.
    #[must_use]
    pub fn ambiguity(mut self, ambiguity: Ambiguity) -> Self {
        self.settings.ambiguity = ambiguity;
        self
    }

    /// Whether several matching alternatives of an `anyOf` are ambiguous even if they give the same
    /// result.
    #[must_use]
    pub fn exclusive_any_of(mut self, yes: bool) -> Self {
        self.settings.exclusive_any_of = yes;
        self
    }

    /// What an explicit `null` is where the schema allows none.
    #[must_use]
    pub fn nulls(mut self, nulls: Nulls) -> Self {
        self.settings.nulls = nulls;
        self
    }

    /// Which strings int-or-string takes.
    #[must_use]
    pub fn int_or_string(mut self, strings: IntOrString) -> Self {
        self.settings.int_or_string = strings;
        self
    }

    /// What is asked of embedded resources.
    #[must_use]
    pub fn embedded(mut self, embedded: Embedded) -> Self {
        self.settings.embedded = embedded;
        self
    }

    /// How `format` counts.
    #[must_use]
    pub fn formats(self, formats: Formats) -> Self {
        Self { formats, ..self }
    }

    /// A format of the caller's own; it is checked whatever [`ImportOptions::formats`] says.
    #[must_use]
    pub fn format(
        mut self,
        name: &str,
        check: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.settings.checks.push(FormatCheck::new(name, check));
        self
    }

    /// How texts of the format `name` are spelled canonically, for [`Equality::CanonicalJson`].
    #[must_use]
    pub fn canonical(
        mut self,
        name: &str,
        spell: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.settings.canonical.push(Normalise::new(name, spell));
        self
    }

    /// What becomes of the `unevaluated…` keywords.
    #[must_use]
    pub fn unevaluated(self, unevaluated: Unevaluated) -> Self {
        Self { unevaluated, ..self }
    }

    /// What numbers may be.
    #[must_use]
    pub fn numbers(mut self, numbers: Numbers) -> Self {
        self.settings.numbers = numbers;
        self
    }

    /// Evaluates `x-kubernetes-validations`; without this they are kept and a diagnostic says so.
    #[must_use]
    pub fn cel(mut self, options: CelOptions) -> Self {
        self.settings.cel = Some(options);
        self
    }

    /// The same with an engine of the program's own, which decides by itself what rules mean and which functions they
    /// may call.
    #[must_use]
    pub fn cel_engine(self, engine: impl RuleEngine + 'static, options: CelOptions) -> Self {
        self.cel(CelOptions { engine: Some(SharedEngine::new(engine)), ..options })
    }

    /// Which CRD and version are meant, where the document holds several.
    #[must_use]
    pub fn select(self, selector: CrdSelector) -> Self {
        Self { selector, ..self }
    }

    /// The address of the document, which references in it are relative to.
    #[must_use]
    pub fn base(self, base: &str) -> Self {
        Self { base: base.into(), ..self }
    }

    /// Where other documents that are referred to come from.
    #[must_use]
    pub fn resolver(self, resolver: impl Resolver + 'static) -> Self {
        Self { resolver: Arc::new(resolver), ..self }
    }

    /// How much may be fetched from the resolver.
    #[must_use]
    pub fn resolver_limits(self, resolver_limits: ResolverLimits) -> Self {
        Self { resolver_limits, ..self }
    }

    /// Diagnostics of this level or above make the import fail; errors do unless this says otherwise.
    #[must_use]
    pub fn deny(self, level: DiagnosticLevel) -> Self {
        Self { deny: level, ..self }
    }

    /// Of which level a keyword is that cannot be meant: an error, or less for those who would rather go on without
    /// it.
    #[must_use]
    pub fn malformed(self, level: DiagnosticLevel) -> Self {
        Self { malformed: level, ..self }
    }
}

impl fmt::Debug for ImportOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportOptions")
            .field("profile", &self.profile)
            .field("dialect", &self.dialect)
            .field("formats", &self.formats)
            .field("unevaluated", &self.unevaluated)
            .field("deny", &self.deny)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
