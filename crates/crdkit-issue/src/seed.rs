//! Findings as a schema library shows them: short snake-case codes, hints, parameters.
//!
//! The API server's names of findings say which keyword failed; programs that use a schema as a library
//! want to branch on what kind of mistake was made. This is a second view of the same [`Issue`]: several
//! codes can share one name here (`min-length` and `min-items` are both `too_short`), and the parameter
//! `keyword` says which it was. The names are a contract like the codes themselves.

use crate::{Arg, Code, FieldPath, Issue, LineIndex, PathStyle, codes};
use std::borrow::Cow;
use std::fmt::Write as _;

/// An issue seen as a schema library shows it.
#[derive(Clone, Copy, Debug)]
pub struct SeedView<'i>(pub &'i Issue);

/// What found an issue; of several at one place the earlier stage comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// The bytes.
    Lexical,
    /// Types, unknown members, the choice of a union's branch.
    Type,
    /// Keywords that look at one value and its children.
    Rule,
    /// Rules of the program.
    Refine,
    /// Rules in CEL.
    Cel,
}

/// What a hint about a first occurrence begins with; a JSON Pointer follows.
pub(crate) const FIRST_AT: &str = "first at ";

/// So much of an expression is shown as a hint.
const HINT_CHARS: usize = 60;

/// Codes that do not follow from their own name: what they are called here, and the keyword they are about.
const NAMES: &[(Code, &str, &str)] = {
    use codes::{crd, decode, domain, object, schema};
    &[
        (decode::DUPLICATE_KEY, "duplicate_key", ""),
        (decode::CBOR_DUPLICATE_KEY, "duplicate_key", ""),
        (decode::NUMBER_RANGE, "overflow", ""),
        (decode::CBOR_INTEGER_RANGE, "overflow", ""),
        (decode::CBOR_TIME_OVERFLOW, "overflow", ""),
        (decode::CBOR_TIME_RANGE, "overflow", ""),
        (decode::CBOR_TIME_SYNTAX, "invalid_format", ""),
        (decode::CBOR_TYPE, "invalid_type", ""),
        (decode::CBOR_UNKNOWN_FIELD, "unknown_key", ""),
        (decode::TOO_LARGE, "truncated", ""),
        (decode::TOO_MANY_NODES, "truncated", ""),
        (decode::CBOR_TOO_MANY_ITEMS, "truncated", ""),
        (decode::CBOR_TOO_MANY_PAIRS, "truncated", ""),
        (decode::TOO_DEEP, "depth_exceeded", ""),
        (decode::CBOR_TOO_DEEP, "depth_exceeded", ""),
        (decode::MISSING_KIND, "required", ""),
        (decode::MISSING_API_VERSION, "required", ""),
        (decode::LIST_ITEMS, "invalid_type", ""),
        (decode::LIST_ITEM, "invalid_type", ""),
        (crd::UNKNOWN_FIELD, "unknown_key", ""),
        (object::TYPE_MISMATCH, "invalid_type", "type"),
        (object::FORMAT_MISMATCH, "invalid_format", "format"),
        (object::TOO_LONG, "too_long", "maxLength"),
        (object::TOO_SHORT, "too_short", "minLength"),
        (object::PATTERN_MISMATCH, "pattern", "pattern"),
        (object::NOT_A_MULTIPLE, "not_multiple_of", "multipleOf"),
        (object::FACTOR_NOT_POSITIVE, "not_multiple_of", "multipleOf"),
        (object::TOO_SMALL, "too_small", "minimum"),
        (object::TOO_LARGE, "too_big", "maximum"),
        (object::OUT_OF_RANGE, "overflow", "format"),
        (object::TOO_FEW_ITEMS, "too_short", "minItems"),
        (object::TOO_MANY_ITEMS, "too_long", "maxItems"),
        (object::TOO_FEW_FIELDS, "too_short", "minProperties"),
        (object::TOO_MANY_FIELDS, "too_long", "maxProperties"),
        (object::REQUIRED, "required", "required"),
        (object::FORBIDDEN_FIELD, "unknown_key", "additionalProperties"),
        (object::NOT_IN_ENUM, "invalid_enum", "enum"),
        (object::ANY_OF, "union_no_match", "anyOf"),
        (object::ONE_OF, "union_no_match", "oneOf"),
        (object::ALL_OF, "union_no_match", "allOf"),
        (object::NOT, "not_allowed", "not"),
        (object::NOT_AN_OBJECT, "invalid_type", "type"),
        (object::KIND_MISSING, "required", ""),
        (object::API_VERSION_TYPE, "invalid_type", ""),
        (object::METADATA_TYPE, "invalid_type", ""),
        (object::EMBEDDED_TYPE, "invalid_type", ""),
        (object::EMBEDDED_REQUIRED, "required", "x-kubernetes-embedded-resource"),
        (object::EMBEDDED_INVALID, "invalid_format", "x-kubernetes-embedded-resource"),
        (object::REPEATED_ITEM, "duplicate_item", "x-kubernetes-list-type"),
        (object::REPEATED_KEYS, "duplicate_item", "x-kubernetes-list-map-keys"),
        (object::REPEATED_OWNER, "duplicate_item", ""),
        (object::MAP_ITEM_NOT_OBJECT, "invalid_type", "x-kubernetes-list-type"),
        (object::CONFLICT, "conflict", ""),
        (object::UID_MISMATCH, "conflict", ""),
        (object::RULE_FAILED, "cel_violation", "x-kubernetes-validations"),
        (object::RULE_FORBIDS, "cel_violation", "x-kubernetes-validations"),
        (object::RULE_REQUIRES, "cel_violation", "x-kubernetes-validations"),
        (object::RULE_DUPLICATE, "cel_violation", "x-kubernetes-validations"),
        (object::RULE_ERROR, "cel_error", "x-kubernetes-validations"),
        (schema::NOT_THE_CONSTANT, "invalid_const", "const"),
        (schema::NEVER_VALID, "not_allowed", ""),
        (schema::PROPERTY_NAME, "pattern", "propertyNames"),
        (schema::DEPENDENT_REQUIRED, "required", "dependentRequired"),
        (schema::TOO_FEW_CONTAINED, "too_short", "minContains"),
        (schema::TOO_MANY_CONTAINED, "too_long", "maxContains"),
        (schema::UNION_FIELD, "not_allowed", "x-kubernetes-unions"),
        (schema::NUMBER_OVERFLOW, "overflow", ""),
        (schema::TOO_DEEP, "depth_exceeded", ""),
        (schema::TRUNCATED, "truncated", ""),
        (domain::PRUNED_KEY, "unknown_key", ""),
        (domain::DUPLICATES_UNKNOWN, "duplicate_key", ""),
        (domain::CODEC_MISMATCH, "invalid_format", "format"),
        (domain::NUMBER_NOTATION, "overflow", ""),
        (domain::NOT_FINITE, "overflow", ""),
        (domain::NOT_WHOLE, "invalid_type", "type"),
        (domain::TYPED_MISMATCH, "invalid_type", ""),
        (domain::NOTHING_TO_WRITE, "required", ""),
        (domain::REPORT_TRUNCATED, "truncated", ""),
        (domain::STATE_CONFLICT, "conflict", ""),
    ]
};

impl<'i> SeedView<'i> {
    /// The code: what kind of mistake it is.
    ///
    /// A finding about a schema has the prefix `schema_`; one about bytes that is not told apart any
    /// further is a `parse_error`.
    pub fn code(self) -> Cow<'static, str> {
        let code = self.0.code;
        if code == codes::object::ONE_OF && self.is_ambiguous() {
            return "union_ambiguous".into();
        }
        match NAMES.iter().find(|(known, ..)| *known == code) {
            Some((_, name, _)) => (*name).into(),
            None if codes::decode::ALL.contains(&code) => "parse_error".into(),
            None if codes::crd::ALL.contains(&code) => {
                format!("schema_{}", code.name().replace('-', "_")).into()
            }
            None => code.name().replace('-', "_").into(),
        }
    }

    /// The keyword that was violated, or nothing.
    pub fn keyword(self) -> &'i str {
        match self.arg("keyword") {
            Some(Arg::Text(keyword)) => keyword,
            _ => NAMES
                .iter()
                .find(|(known, ..)| *known == self.0.code)
                .map_or("", |(_, _, keyword)| keyword),
        }
    }

    /// The API server's kind of field error.
    pub fn kind(self) -> &'static str {
        self.0.code.info().error_type.reason()
    }

    /// What found it.
    pub fn stage(self) -> Stage {
        let code = self.0.code;
        if codes::decode::ALL.contains(&code) {
            return Stage::Lexical;
        }
        match &*self.code() {
            "cel_violation" | "cel_error" => Stage::Cel,
            "invalid_type"
            | "unknown_key"
            | "union_ambiguous"
            | "union_no_match"
            | "discriminator_missing"
            | "discriminator_unknown" => Stage::Type,
            "domain_range"
            | "aggregate_violation"
            | "uniqueness"
            | "business_rule"
            | "conflict"
            | "dependency_unavailable"
            | "custom" => Stage::Refine,
            _ => Stage::Rule,
        }
    }

    /// What helps to find the mistake: the first of two equal things, the format, the rule. Paths in it
    /// are written in `style`; places in the source as line and column when `source` is at hand, and as
    /// offsets otherwise.
    pub fn hint(self, style: PathStyle, source: Option<(&LineIndex, &[u8])>) -> Option<String> {
        if let Some(hint) = self.arg("hint") {
            return Some(restyled(&hint.to_string(), style));
        }
        if let Some(first) = self.0.related.first() {
            return Some(match source {
                Some((lines, text)) => {
                    let place = lines.position(text, first.span.start);
                    format!("first at line {}, column {}", place.line, place.column)
                }
                None => format!("first at offset {}", first.span.start),
            });
        }
        match &*self.code() {
            "invalid_format" => self.arg("expected").or(self.arg("codec")).map(Arg::to_string),
            "cel_violation" | "cel_error" => {
                self.arg("name").or(self.arg("rule")).map(|rule| shortened(&rule.to_string()))
            }
            _ => None,
        }
    }

    /// What the message was made of, for programs; first of all the keyword.
    pub fn params(self) -> impl Iterator<Item = (&'static str, &'i Arg)> {
        let shown = |name: &str| !matches!(name, "hint" | "server" | "keyword");
        self.0.args.iter().filter(move |(name, _)| shown(name)).map(|(name, arg)| (*name, arg))
    }

    /// `code at path`, as summaries show it.
    pub(crate) fn summary(self, style: PathStyle, out: &mut String) {
        let path = self.0.path.display(style).to_string();
        let path = if path.is_empty() { "/" } else { &path };
        let _ = write!(out, "{} at {path}", self.code());
    }

    fn arg(self, name: &str) -> Option<&'i Arg> {
        self.0.args.iter().find(|(known, _)| *known == name).map(|(_, arg)| arg)
    }

    /// Whether several branches matched where one must.
    fn is_ambiguous(self) -> bool {
        self.arg("found").is_some_and(|found| found.to_string().contains("valid alternatives"))
    }
}

/// A hint with the path it ends in, if it names a first occurrence, in `style`.
fn restyled(hint: &str, style: PathStyle) -> String {
    match hint.strip_prefix(FIRST_AT).map(str::parse::<FieldPath>) {
        Some(Ok(path)) => format!("{FIRST_AT}{}", path.display(style)),
        _ => hint.to_owned(),
    }
}

/// The beginning of `text`, cut between two characters.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(HINT_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
