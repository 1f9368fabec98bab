//! The keywords of one schema, as a node.

use super::diagnostics::DiagnosticLevel;
use super::dialect::LanguageKind;
use super::keywords::{self, Keyword};
use super::library::Library;
use super::lower::{Lower, LowerSource};
use super::options::{Formats, Unevaluated};
use super::{ImportError, extensions, formats};
use crate::compiled::Semantics;
use crate::import::Profile;
use crdkit_schema::check::extension_problem;
use crdkit_schema::compile::{
    Additional, Bounds, Condition, Contains, DynamicReference, Format, FormatKind, Id, Junctors,
    LiteralId, More, Name, Pattern, PatternId, Range, SchemaParts, Syntax, TypeSet, Types,
};
use crdkit_text::number::Decimal;
use crdkit_value::{Kind, Value};

impl Lower<'_> {
    /// The node of a schema that also refers to `references`.
    pub(super) fn node(
        &mut self,
        source: LowerSource<'_>,
        references: Box<[Id]>,
        dynamic: Option<DynamicReference>,
    ) -> Result<Id, ImportError> {
        self.remarks(source);
        let extensions = extensions::read(self, source);
        let (types, set, nullable) = self.types(source, &extensions);
        let required: Vec<&str> = source.assertion("required").map_or_else(Vec::new, strings);
        let additional = match source.get("additionalProperties") {
            None => Additional::Absent,
            Some(value) => match value.as_bool() {
                Some(allowed) => Additional::Allowed(allowed),
                None => Additional::Schema(self.child(source, value)?),
            },
        };
        let properties = source.get("properties").into_iter().flat_map(Value::members);
        let properties = properties.map(|(name, value)| Ok((name, self.child(source, value)?)));
        let properties = properties.collect::<Result<_, ImportError>>()?;
        let (prefix_items, items) = self.items(source)?;
        let pattern = source.assertion("pattern").and_then(Value::as_str);
        let pattern = pattern.and_then(|text| self.regex(source, text, "pattern"));
        let mut more = self.more(source)?;
        more.types = set;
        more.references = references;
        more.dynamic = dynamic;
        more.prefix_items = prefix_items;
        more.unions = extensions.unions;
        more.int_or_string = extensions.int_or_string;
        if self.library.dynamic {
            more.resource = Some(Library::resource_id(source.resource));
        }
        let format = self.format(source, types, &mut more);
        let enum_values = source.assertion("enum");
        if enum_values.and_then(Value::as_array).is_some_and(|entries| entries.len() == 0)
            && self.settings.semantics == Semantics::JsonSchema
        {
            return Ok(self.never());
        }
        if self.settings.cel.is_none() && !extensions.rules.is_empty() {
            let (keyword, message) = ("x-kubernetes-validations", "the rules are not evaluated");
            self.say(source, DiagnosticLevel::Warning, "schema_cel_ignored", keyword, message);
        }
        let rules = if self.settings.cel.is_some() { extensions.rules } else { Box::default() };
        let (has_rules, default) = (!rules.is_empty(), source.get("default"));
        let parts = SchemaParts {
            types,
            nullable,
            preserves: extensions.preserve,
            is_embedded: extensions.embedded,
            is_atomic_map: extensions.is_atomic_map,
            is_root: self.resource_root == Some(source.place),
            list_type: extensions.list_type,
            list_map_keys: &extensions.list_map_keys,
            format,
            pattern,
            items,
            properties,
            additional,
            required: &required,
            bounds: bounds(source, &more.range),
            enum_values,
            junctors: Junctors {
                any_of: self.children(source, source.get("anyOf"))?,
                one_of: self.children(source, source.get("oneOf"))?,
                all_of: self.children(source, source.get("allOf"))?,
                not: self.one(source, source.get("not"))?,
            },
            rules,
            default,
            more: Some(Box::new(more)),
        };
        let id = self.compiler.schema(parts);
        if default.is_some() {
            self.defaults.push((id, source.place));
        }
        if has_rules {
            self.rules.push((id, source.place));
        }
        Ok(id)
    }

    /// The one type there is, the set where it is not one, and whether null is allowed beside it.
    fn types(
        &mut self,
        source: LowerSource<'_>,
        extensions: &extensions::Extensions<'_>,
    ) -> (Types, Option<TypeSet>, bool) {
        let mut set = None;
        let written = source.assertion("type");
        let names = written.into_iter().flat_map(|value| match value.as_str() {
            Some(name) => vec![Some(name)],
            None => value.items().map(Value::as_str).collect(),
        });
        for name in names {
            if let Some(known) = name.and_then(TypeSet::named) {
                set = Some(set.unwrap_or(TypeSet::NONE).with(known));
            } else {
                let message = format!("there is no type `{}`", name.unwrap_or_default());
                self.malformed(source, "schema_type_unknown", "type", message);
            }
        }
        let both = TypeSet::INTEGER.with(TypeSet::STRING);
        if extensions.int_or_string {
            // Beside a type it only narrows: it never adds a type that was not asked for.
            set = Some(set.map_or(both, |set| set.and(both)));
        }
        let Some(set) = set else { return (Types::Any, None, false) };
        let nullable = source.get("nullable").and_then(Value::as_bool) == Some(true)
            && source.language.kind != LanguageKind::Draft4;
        let has_null = set.has(TypeSet::NULL) || nullable;
        let without = set.without(TypeSet::NULL);
        for (single, types) in [
            (TypeSet::OBJECT, Types::Object),
            (TypeSet::ARRAY, Types::Array),
            (TypeSet::STRING, Types::String),
            (TypeSet::INTEGER, Types::Integer),
            (TypeSet::NUMBER, Types::Number),
            (TypeSet::NUMBER.with(TypeSet::INTEGER), Types::Number),
            (TypeSet::BOOLEAN, Types::Boolean),
        ] {
            if without == single {
                return (types, None, has_null);
            }
        }
        if extensions.int_or_string && without == both {
            return (Types::IntOrString, None, has_null);
        }
        let all = if has_null { set.with(TypeSet::NULL) } else { set };
        (Types::Any, Some(all), has_null)
    }

    /// Schemas of the first items, and that of all after them.
    fn items(&mut self, source: LowerSource<'_>) -> Result<(Box<[Id]>, Option<Id>), ImportError> {
        let items = source.get("items");
        if let Some(list) = items.filter(|items| items.as_array().is_some()) {
            let prefix = self.children(source, Some(list))?;
            return Ok((prefix, self.one(source, source.get("additionalItems"))?));
        }
        let prefix = match source.language.kind {
            LanguageKind::Modern => self.children(source, source.get("prefixItems"))?,
            _ => Box::default(),
        };
        Ok((prefix, self.one(source, items)?))
    }

    fn syntax(&self) -> Syntax {
        if self.options.profile == Profile::Loose
            && self.settings.semantics == Semantics::JsonSchema
        {
            Syntax::Ecma
        } else {
            Syntax::Go
        }
    }

    /// A pattern, unless it is not one; then a diagnostic says so and it does not count.
    fn regex(&mut self, source: LowerSource<'_>, text: &str, keyword: &str) -> Option<PatternId> {
        let pattern = Pattern::with(text, self.syntax());
        if let Some(problem) = pattern.problem() {
            let problem = problem.to_owned();
            self.malformed(source, "schema_regex_invalid", keyword, problem);
            return None;
        }
        Some(self.compiler.pattern(pattern))
    }

    fn more(&mut self, source: LowerSource<'_>) -> Result<More, ImportError> {
        let mut pattern_properties = Vec::new();
        let patterns = source.get("patternProperties").into_iter().flat_map(Value::members);
        for (text, value) in patterns {
            let schema = self.child(source, value)?;
            if let Some(pattern) = self.regex(source, text, "patternProperties") {
                pattern_properties.push((pattern, schema));
            }
        }
        let (dependent_required, dependent_schemas) = self.dependents(source)?;
        let contains = match source.modern("contains") {
            Some(value) => Some(Contains {
                schema: self.child(source, value)?,
                min: source.assertion("minContains").and_then(count).unwrap_or(1),
                max: source.assertion("maxContains").and_then(count),
            }),
            None => None,
        };
        let condition = match source.modern("if") {
            Some(test) => Some(Condition {
                test: self.child(source, test)?,
                then: self.one(source, source.get("then"))?,
                otherwise: self.one(source, source.get("else"))?,
            }),
            None => None,
        };
        let (unevaluated_properties, unevaluated_items) = self.unevaluated(source)?;
        let discriminator = extensions::discriminator(self, source);
        Ok(More {
            constant: source
                .assertion("const")
                .filter(|_| source.language.kind != LanguageKind::Draft4)
                .map(|value| self.compiler.literal(value)),
            range: self.range(source),
            unique_items: source.assertion("uniqueItems").and_then(Value::as_bool) == Some(true),
            contains,
            pattern_properties: pattern_properties.into(),
            property_names: self.one(source, source.modern("propertyNames"))?,
            dependent_required,
            dependent_schemas,
            condition,
            unevaluated_properties,
            unevaluated_items,
            discriminator,
            annotations: self.annotations(source),
            ..More::default()
        })
    }

    #[expect(clippy::type_complexity, reason = "the two halves of what a node holds")]
    fn dependents(
        &mut self,
        source: LowerSource<'_>,
    ) -> Result<(Box<[(Name, Box<[Name]>)]>, Box<[(Name, Id)]>), ImportError> {
        let (mut required, mut schemas) = (Vec::new(), Vec::new());
        let keywords = [
            source.modern("dependentRequired").filter(|_| source.language.asserts),
            source.modern("dependentSchemas"),
            source.get("dependencies"),
        ];
        for (name, value) in keywords.into_iter().flatten().flat_map(Value::members) {
            let name = self.compiler.name(name);
            if value.as_array().is_some() {
                let names = strings(value).into_iter().map(|name| self.compiler.name(name));
                required.push((name, names.collect()));
            } else {
                schemas.push((name, self.child(source, value)?));
            }
        }
        Ok((required.into(), schemas.into()))
    }

    fn unevaluated(
        &mut self,
        source: LowerSource<'_>,
    ) -> Result<(Option<Id>, Option<Id>), ImportError> {
        let properties = source.modern("unevaluatedProperties");
        let items = source.modern("unevaluatedItems");
        if properties.is_none() && items.is_none() {
            return Ok((None, None));
        }
        if self.options.unevaluated != Unevaluated::Exact {
            let what = match self.options.unevaluated {
                Unevaluated::Warn => "is not checked",
                _ => "is checked against all that is declared, whether or not it applies",
            };
            for keyword in ["unevaluatedProperties", "unevaluatedItems"] {
                if source.get(keyword).is_some() {
                    let message = format!("`{keyword}` {what}");
                    self.say(
                        source,
                        DiagnosticLevel::Warning,
                        "schema_approximated",
                        keyword,
                        message,
                    );
                }
            }
        }
        if self.options.unevaluated == Unevaluated::Warn {
            return Ok((None, None));
        }
        self.settings.tracks = true;
        self.settings.approximates = self.options.unevaluated == Unevaluated::Approximate;
        Ok((self.one(source, properties)?, self.one(source, items)?))
    }

    fn range(&mut self, source: LowerSource<'_>) -> Range {
        let number = |key: &str| source.assertion(key).and_then(decimal).map(Box::new);
        let mut range = Range {
            minimum: number("minimum"),
            exclusive_minimum: number("exclusiveMinimum"),
            maximum: number("maximum"),
            exclusive_maximum: number("exclusiveMaximum"),
            multiple_of: number("multipleOf"),
        };
        let is_true = |key: &str| source.assertion(key).and_then(Value::as_bool) == Some(true);
        if is_true("exclusiveMinimum") {
            range.exclusive_minimum = range.minimum.take();
        }
        if is_true("exclusiveMaximum") {
            range.exclusive_maximum = range.maximum.take();
        }
        let positive = |factor: &Decimal| !factor.is_zero() && !factor.is_negative();
        if range.multiple_of.as_deref().is_some_and(|factor| !positive(factor)) {
            let message = "`multipleOf` must be above zero";
            self.malformed(source, "schema_invalid", "multipleOf", message);
            range.multiple_of = None;
        }
        range
    }

    /// The format as the API server and CEL see it; the check of it goes into `more`.
    fn format(&mut self, source: LowerSource<'_>, types: Types, more: &mut More) -> Option<Format> {
        let text = source.get("format").and_then(Value::as_str)?;
        let name = self.compiler.name(text);
        more.format = Some(name);
        let strict = self.options.formats != Formats::Annotation;
        let own = self.settings.checks.iter().position(|check| *check.name == *text);
        let kind = FormatKind::named(text, types);
        let check = own.or_else(|| {
            let check = strict.then(|| formats::check(text)).flatten()?;
            self.settings.checks.push(check);
            Some(self.settings.checks.len() - 1)
        });
        more.check = check.and_then(|check| u16::try_from(check).ok());
        if check.is_none() && self.options.formats == Formats::AllStrict {
            let message = format!("the format `{text}` is not known");
            self.malformed(source, "schema_format_unknown", "format", message);
        }
        kind.filter(|_| strict).map(|kind| Format { name, kind })
    }

    /// What there is to say about keywords whose value is not what it has to be, and about those that do not count.
    fn remarks(&mut self, source: LowerSource<'_>) {
        const UNSUPPORTED: &str = "schema_unsupported_keyword";
        for (key, value) in source.value.members() {
            let kind = keywords::kind(key);
            let problem = match kind {
                Keyword::Read(shape) | Keyword::Describes(shape) => shape.problem(value),
                Keyword::Unknown => None,
            };
            if kind == Keyword::Unknown {
                let message = format!("`{key}` is not a keyword");
                self.say(source, DiagnosticLevel::Warning, UNSUPPORTED, key, message);
            } else if keywords::is_foreign(key, source.language.kind) {
                let message = format!("`{key}` does not count in this dialect");
                self.say(source, DiagnosticLevel::Warning, UNSUPPORTED, key, message);
            } else if let Some(problem) = problem {
                self.malformed(source, "schema_invalid", key, format!("`{key}` {problem}"));
            } else if let Some(expected) = extension_problem(key, value) {
                let message = format!("`{key}` must be {expected}");
                self.malformed(source, "schema_invalid", key, message);
            } else if let Some(doubt) = keywords::doubt(key, value) {
                let message = format!("`{key}` {doubt}");
                self.say(source, DiagnosticLevel::Warning, "schema_invalid", key, message);
            } else if let Some(why) = keywords::is_idle_in(key, source.value) {
                let message = format!("`{key}` changes nothing: {why}");
                self.say(source, DiagnosticLevel::Note, UNSUPPORTED, key, message);
            }
        }
    }

    /// Says that a keyword cannot be meant and does not count, as an error unless a warning is asked for.
    pub(super) fn malformed(
        &mut self,
        source: LowerSource<'_>,
        code: &'static str,
        keyword: &str,
        message: impl Into<String>,
    ) {
        self.say(source, self.options.malformed, code, keyword, message);
    }

    /// Keywords that describe, and extensions.
    fn annotations(&mut self, source: LowerSource<'_>) -> Box<[(Name, LiteralId)]> {
        let mut kept = Vec::new();
        for (key, value) in source.value.members() {
            if matches!(keywords::kind(key), Keyword::Describes(_)) {
                let name = self.compiler.name(key);
                kept.push((name, self.compiler.literal(value)));
            }
        }
        kept.into()
    }
}

/// The strings of a list.
pub(super) fn strings(list: Value<'_>) -> Vec<&str> {
    list.items().filter_map(Value::as_str).collect()
}

/// The number that a keyword holds.
pub(super) fn decimal(value: Value<'_>) -> Option<Decimal> {
    match value.kind() {
        Kind::Int(int) => Some(int.into()),
        Kind::Float(float) => Decimal::from_f64(float),
        Kind::Number(text) => Decimal::parse(text),
        _ => None,
    }
}

/// A count: an integer that is not negative, however it is spelled.
pub(super) fn count(value: Value<'_>) -> Option<u64> {
    let number = decimal(value).filter(|number| number.is_integer() && !number.is_negative())?;
    Some(number.to_i64().map_or(u64::MAX, |int| u64::try_from(int).unwrap_or(u64::MAX)))
}

/// The limits as the API server keeps them.
fn bounds(source: LowerSource<'_>, range: &Range) -> Bounds {
    let limit = |key: &str| {
        let count = source.assertion(key).and_then(count)?;
        Some(i64::try_from(count).unwrap_or(i64::MAX))
    };
    let number = |limit: &Option<Box<Decimal>>| limit.as_deref().map(|it| it.to_f64().into());
    Bounds {
        maximum: number(&range.maximum).or(number(&range.exclusive_maximum)),
        exclusive_maximum: range.maximum.is_none() && range.exclusive_maximum.is_some(),
        minimum: number(&range.minimum).or(number(&range.exclusive_minimum)),
        exclusive_minimum: range.minimum.is_none() && range.exclusive_minimum.is_some(),
        multiple_of: number(&range.multiple_of),
        max_length: limit("maxLength"),
        min_length: limit("minLength"),
        max_items: limit("maxItems"),
        min_items: limit("minItems"),
        max_properties: limit("maxProperties"),
        min_properties: limit("minProperties"),
    }
}
