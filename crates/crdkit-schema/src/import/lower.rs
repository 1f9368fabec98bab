//! Schemas as written into compiled nodes.
//!
//! A schema is lowered after those inside it. A reference is replaced by what it refers to; where that is
//! still being lowered, because it is recursive, or stands too deep, a node that only names a slot takes its
//! place, and the slot is filled when everything is lowered. So depth never drives recursion, and a table
//! without recursive schemas has no slots.

use super::diagnostics::{Diagnostics, Level};
use super::dialect::{Language, LanguageKind};
use super::keywords::{self, Keyword};
use super::library::{Library, Place};
use super::options::{CelOptions, Formats, Options, Unevaluated};
use super::{ImportError, extensions, formats};
use crate::compile::{
    Additional, Bounds, Compiler, Condition, Contains, DynamicReference, Fields, Flags, Format,
    FormatKind, Id, Junctors, ListType, LiteralId, More, Name, Node, Pattern, PatternId, Range,
    Rare, Reading, Slot, Syntax, TypeSet, Types,
};
use crate::import::Profile;
use crate::schema::{Semantics, Settings};
use crdkit_issue::FieldPath;
use crdkit_text::number::Decimal;
use crdkit_value::{Kind, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many schemas inside one another are lowered before slots take over.
const MAX_NESTED: usize = 48;

/// Turns schemas into nodes.
pub(super) struct Lower<'o> {
    pub(super) options: &'o Options,
    pub(super) settings: Settings,
    pub(super) library: Library<'o>,
    pub(super) compiler: Compiler,
    pub(super) diagnostics: Diagnostics,
    done: BTreeMap<Place, Id>,
    open: BTreeSet<Place>,
    slots: BTreeMap<Place, Slot>,
    waiting: Vec<Place>,
    /// The root of a CRD's schema, which is a resource of its own.
    pub(super) resource_root: Option<Place>,
    /// Schemas with a default, which is checked when all is compiled.
    pub(super) defaults: Vec<(Id, Place)>,
    /// Schemas with rules.
    pub(super) rules: Vec<(Id, Place)>,
}

/// A schema being lowered.
#[derive(Clone, Copy)]
pub(super) struct Source<'d> {
    pub(super) value: Value<'d>,
    pub(super) place: Place,
    pub(super) resource: usize,
    pub(super) language: Language,
    depth: usize,
}

impl<'d> Source<'d> {
    pub(super) fn get(&self, key: &str) -> Option<Value<'d>> {
        self.value.get(key)
    }

    /// A keyword that asserts something, if those count.
    fn assertion(&self, key: &str) -> Option<Value<'d>> {
        self.language.asserts.then(|| self.get(key)).flatten()
    }

    /// A keyword that draft 4 does not have.
    fn modern(&self, key: &str) -> Option<Value<'d>> {
        (self.language.kind != LanguageKind::Draft4).then(|| self.get(key)).flatten()
    }

    pub(super) fn path(&self) -> FieldPath {
        self.value.path()
    }
}

impl<'o> Lower<'o> {
    pub(super) fn new(options: &'o Options, library: Library<'o>) -> Self {
        let rules = options.settings.cel.as_ref().map(CelOptions::for_compiling);
        let rules = rules.unwrap_or_default();
        Self {
            options,
            settings: Settings { profile: options.profile, ..options.settings.clone() },
            library,
            compiler: Compiler::with_rules(rules),
            diagnostics: Diagnostics::default(),
            done: BTreeMap::new(),
            open: BTreeSet::new(),
            slots: BTreeMap::new(),
            waiting: Vec::new(),
            resource_root: None,
            defaults: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// Lowers the schema at `root` and everything that it refers to.
    pub(super) fn all(&mut self, root: Place) -> Result<Id, ImportError> {
        let id = self.schema(root, 0)?;
        self.anchors()?;
        while let Some(place) = self.waiting.pop() {
            self.schema(place, 0)?;
        }
        let slots: Vec<(Place, Slot)> = self.slots.iter().map(|(it, slot)| (*it, *slot)).collect();
        let references = &mut self.compiler.table.references;
        references.resize(slots.len(), id);
        for (place, Slot(slot)) in slots {
            if let (Some(entry), Some(target)) =
                (references.get_mut(slot as usize), self.done.get(&place))
            {
                *entry = *target;
            }
        }
        super::cycles::check(&mut self.compiler.table, &mut self.diagnostics)?;
        Ok(id)
    }

    /// Lowers what dynamic anchors name, in all documents.
    fn anchors(&mut self) -> Result<(), ImportError> {
        let mut at = 0;
        // Lowering may bring in further documents.
        while let Some(resource) = self.library.resources.get(at) {
            let document = resource.root.document;
            let anchors = resource.dynamic_anchors.clone();
            let mut lowered = Vec::new();
            for (name, node) in anchors {
                let id = self.schema(Place { document, node }, 0)?;
                lowered.push((self.compiler.name(&name), id));
            }
            let table = &mut self.compiler.table.anchors;
            if table.len() <= at {
                table.resize(at + 1, Vec::new());
            }
            if let Some(entry) = table.get_mut(at) {
                *entry = lowered;
            }
            at += 1;
            while let Some(place) = self.waiting.pop() {
                self.schema(place, 0)?;
            }
        }
        Ok(())
    }

    /// The node of the schema at `place`.
    fn schema(&mut self, place: Place, depth: usize) -> Result<Id, ImportError> {
        if let Some(id) = self.done.get(&place) {
            return Ok(*id);
        }
        if depth > MAX_NESTED || self.open.contains(&place) {
            return Ok(self.reference(place));
        }
        let Some(document) = self.library.documents.get(place.document) else {
            return Ok(self.compiler.intern(Node::default()));
        };
        let document = Arc::clone(document);
        let value = document.value(place.node);
        let resource = self.library.resource_of(place);
        let language =
            self.library.resources.get(resource).map_or(Language::MODERN, |it| it.language);
        self.open.insert(place);
        let lowered = self.lower(Source { value, place, resource, language, depth });
        self.open.remove(&place);
        let id = lowered?;
        self.done.insert(place, id);
        Ok(id)
    }

    /// A node that stands for the schema at `place` until that is lowered.
    fn reference(&mut self, place: Place) -> Id {
        let next = Slot(u32::try_from(self.slots.len()).unwrap_or(u32::MAX));
        let slot = *self.slots.entry(place).or_insert_with(|| {
            self.waiting.push(place);
            next
        });
        let more = More { target: Some(slot), beyond: true, ..More::default() };
        self.compiler.intern(node_with(more))
    }

    pub(super) fn child(
        &mut self,
        source: Source<'_>,
        value: Value<'_>,
    ) -> Result<Id, ImportError> {
        let place = Place { node: value.id(), ..source.place };
        self.schema(place, source.depth + 1)
    }

    fn children(
        &mut self,
        source: Source<'_>,
        list: Option<Value<'_>>,
    ) -> Result<Box<[Id]>, ImportError> {
        let items = list.into_iter().flat_map(Value::items);
        items.map(|item| self.child(source, item)).collect()
    }

    fn one(
        &mut self,
        source: Source<'_>,
        value: Option<Value<'_>>,
    ) -> Result<Option<Id>, ImportError> {
        value.map(|value| self.child(source, value)).transpose()
    }

    pub(super) fn say(
        &mut self,
        source: Source<'_>,
        level: Level,
        code: &'static str,
        keyword: &str,
        message: impl Into<String>,
    ) {
        let path = if keyword.is_empty() { source.path() } else { source.path().field(keyword) };
        self.diagnostics.add(level, code, path, message);
    }

    fn lower(&mut self, source: Source<'_>) -> Result<Id, ImportError> {
        match source.value.kind() {
            Kind::Bool(true) => return Ok(self.compiler.intern(Node::default())),
            Kind::Bool(false) => return Ok(self.never()),
            Kind::Object(_) => {}
            _ => {
                self.say(source, Level::Error, "schema_invalid", "", "a schema must be an object");
                return Ok(self.compiler.intern(Node::default()));
            }
        }
        let mut references = Vec::new();
        if let Some(reference) = source.get("$ref").and_then(Value::as_str) {
            let target = self.library.resolve(source.resource, reference)?.place;
            let id = self.schema(target, source.depth + 1)?;
            if source.language.reference_stands_alone() {
                if source.value.members().any(|(key, _)| key != "$ref" && !keywords::is_idle(key)) {
                    let message = "keywords beside `$ref` do not count in this dialect";
                    self.say(source, Level::Warning, "schema_ref_siblings", "$ref", message);
                }
                return Ok(id);
            }
            let alone =
                source.value.members().all(|(key, _)| key == "$ref" || keywords::is_idle(key));
            if alone && !self.library.dynamic {
                return Ok(id);
            }
            references.push(id);
        }
        let dynamic = self.dynamic_reference(source, &mut references)?;
        self.node(source, references.into(), dynamic)
    }

    fn dynamic_reference(
        &mut self,
        source: Source<'_>,
        references: &mut Vec<Id>,
    ) -> Result<Option<DynamicReference>, ImportError> {
        let Some(text) = source.modern("$dynamicRef").and_then(Value::as_str) else {
            return Ok(None);
        };
        let target = self.library.resolve(source.resource, text)?;
        let fallback = self.schema(target.place, source.depth + 1)?;
        let Some(anchor) = target.dynamic_anchor else {
            references.push(fallback);
            return Ok(None);
        };
        Ok(Some(DynamicReference { anchor: self.compiler.name(&anchor), fallback }))
    }

    fn never(&mut self) -> Id {
        let more = More { types: Some(TypeSet::NONE), beyond: true, ..More::default() };
        self.compiler.intern(node_with(more))
    }

    fn node(
        &mut self,
        source: Source<'_>,
        references: Box<[Id]>,
        dynamic: Option<DynamicReference>,
    ) -> Result<Id, ImportError> {
        let extensions = extensions::read(self, source);
        let (types, set, nullable) = self.types(source, &extensions);
        let names = source.assertion("required").into_iter().flat_map(Value::items);
        let names: Vec<&str> = names.filter_map(Value::as_str).collect();
        let required: Box<[Name]> = names.iter().map(|name| self.compiler.name(name)).collect();
        let fields = self.fields(source, &required)?;
        let additional = match source.get("additionalProperties") {
            None => Additional::Absent,
            Some(value) => match value.as_bool() {
                Some(allowed) => Additional::Allowed(allowed),
                None => Additional::Schema(self.child(source, value)?),
            },
        };
        let (prefix_items, items) = self.items(source)?;
        let pattern = self.pattern(source, source.assertion("pattern"), "pattern");
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
        more.beyond = is_beyond(&more);
        let bounds = bounds(source, &more.range);
        let written = source.assertion("enum");
        if written.and_then(Value::as_array).is_some_and(|entries| entries.len() == 0)
            && self.settings.semantics == Semantics::JsonSchema
        {
            return Ok(self.never());
        }
        let enum_values = written.into_iter().flat_map(Value::items);
        let enum_values = enum_values.map(|value| self.literal(value)).collect();
        let junctors = Junctors {
            any_of: self.children(source, source.get("anyOf"))?,
            one_of: self.children(source, source.get("oneOf"))?,
            all_of: self.children(source, source.get("allOf"))?,
            not: self.one(source, source.get("not"))?,
        };
        if self.settings.cel.is_none() && !extensions.rules.is_empty() {
            let (keyword, message) = ("x-kubernetes-validations", "the rules are not evaluated");
            self.say(source, Level::Warning, "schema_cel_ignored", keyword, message);
        }
        let rules = if self.settings.cel.is_some() { extensions.rules } else { Box::default() };
        let has_rules = !rules.is_empty();
        let rare = Rare {
            bounds,
            enum_values,
            junctors,
            list_map_keys: extensions.list_map_keys,
            rules,
            field_defaults: self.compiler.field_defaults(&fields),
            more: (more != More::default()).then(|| Box::new(more)),
        };
        let mut node = Node {
            types,
            list_type: extensions.list_type,
            format,
            items,
            additional,
            pattern,
            fields,
            required,
            rare: (rare != Rare::default()).then(|| Box::new(rare)),
            ..Node::default()
        };
        let mut own = Flags::default();
        own.add_if(Flags::NULLABLE, nullable);
        own.add_if(Flags::PRESERVE, extensions.preserve);
        own.add_if(Flags::EMBEDDED, extensions.embedded);
        own.add_if(Flags::ROOT, self.resource_root == Some(source.place));
        node.flags = self.compiler.flags(&node, own);
        let default = source.get("default");
        node.default = default.map(|default| {
            self.compiler.default_value(default, &node, Reading::Objects { prune: false })
        });
        let id = self.compiler.intern(node);
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
        source: Source<'_>,
        extensions: &extensions::Extensions,
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
                self.say(source, Level::Error, "schema_type_unknown", "type", message);
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

    fn fields(&mut self, source: Source<'_>, required: &[Name]) -> Result<Fields, ImportError> {
        let mut entries: Vec<(&str, Id)> = Vec::new();
        for (name, value) in source.get("properties").into_iter().flat_map(Value::members) {
            entries.push((name, self.child(source, value)?));
        }
        entries.sort_unstable_by_key(|(name, _)| *name);
        let entries =
            entries.into_iter().map(|(name, id)| (self.compiler.name(name), id)).collect();
        Ok(Fields::new(&self.compiler.table, entries, required))
    }

    /// Schemas of the first items, and that of all behind them.
    fn items(&mut self, source: Source<'_>) -> Result<(Box<[Id]>, Option<Id>), ImportError> {
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

    /// A pattern, unless it is none; then a diagnostic says so and it does not count.
    fn pattern(
        &mut self,
        source: Source<'_>,
        value: Option<Value<'_>>,
        keyword: &str,
    ) -> Option<PatternId> {
        let text = value.and_then(Value::as_str)?;
        self.regex(source, text, keyword)
    }

    fn regex(&mut self, source: Source<'_>, text: &str, keyword: &str) -> Option<PatternId> {
        let pattern = Pattern::with(text, self.syntax());
        if let Some(problem) = pattern.problem() {
            let problem = problem.to_owned();
            self.say(source, Level::Error, "schema_regex_invalid", keyword, problem);
            return None;
        }
        Some(self.compiler.pattern(pattern))
    }

    /// A literal; a number that is kept as text stays exact.
    pub(super) fn literal(&mut self, value: Value<'_>) -> LiteralId {
        self.compiler.literal(value)
    }

    fn more(&mut self, source: Source<'_>) -> Result<More, ImportError> {
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
                .map(|value| self.literal(value)),
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
        source: Source<'_>,
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
                let names: Vec<&str> = value.items().filter_map(Value::as_str).collect();
                required.push((name, names.iter().map(|name| self.compiler.name(name)).collect()));
            } else {
                schemas.push((name, self.child(source, value)?));
            }
        }
        Ok((required.into(), schemas.into()))
    }

    fn unevaluated(&mut self, source: Source<'_>) -> Result<(Option<Id>, Option<Id>), ImportError> {
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
                    self.say(source, Level::Warning, "schema_approximated", keyword, message);
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

    fn range(&mut self, source: Source<'_>) -> Range {
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
            self.say(source, Level::Error, "schema_invalid", "multipleOf", message);
            range.multiple_of = None;
        }
        range
    }

    /// The format as the API server and CEL see it; the check of it goes into `more`.
    fn format(&mut self, source: Source<'_>, types: Types, more: &mut More) -> Option<Format> {
        let text = source.get("format").and_then(Value::as_str)?;
        let name = self.compiler.name(text);
        more.format = Some(name);
        let strict = self.options.formats != Formats::Annotation;
        let own = self.settings.checks.iter().position(|check| *check.name == *text);
        let kind = FormatKind::named(text, types, Reading::Objects { prune: false });
        let check = own.or_else(|| {
            let check = strict.then(|| formats::check(text)).flatten()?;
            self.settings.checks.push(check);
            Some(self.settings.checks.len() - 1)
        });
        more.check = check.and_then(|check| u16::try_from(check).ok());
        if check.is_none() && self.options.formats == Formats::AllStrict {
            let message = format!("the format `{text}` is not known");
            self.say(source, Level::Error, "schema_format_unknown", "format", message);
        }
        let counts = strict || self.settings.semantics == Semantics::Server;
        kind.filter(|_| counts).map(|kind| Format { name, kind })
    }

    /// Keywords that describe, and extensions.
    fn annotations(&mut self, source: Source<'_>) -> Box<[(Name, LiteralId)]> {
        let mut kept = Vec::new();
        for (key, value) in source.value.members() {
            let kind = keywords::kind(key);
            if kind == Keyword::Describes {
                let name = self.compiler.name(key);
                kept.push((name, self.compiler.literal(value)));
            } else if kind == Keyword::Unknown {
                let message = format!("`{key}` is not a keyword");
                self.say(source, Level::Note, "schema_unsupported_keyword", key, message);
            }
        }
        kept.into()
    }
}

fn node_with(more: More) -> Node {
    let rare = Rare { more: Some(Box::new(more)), ..Rare::default() };
    Node { rare: Some(Box::new(rare)), ..Node::default() }
}

/// Whether the API server has no such keywords.
fn is_beyond(more: &More) -> bool {
    let known = More {
        range: more.range.clone(),
        format: more.format,
        check: more.check,
        int_or_string: more.int_or_string,
        annotations: more.annotations.clone(),
        ..More::default()
    };
    *more != known
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
fn count(value: Value<'_>) -> Option<u64> {
    let number = decimal(value).filter(|number| number.is_integer() && !number.is_negative())?;
    Some(number.to_i64().map_or(u64::MAX, |int| u64::try_from(int).unwrap_or(u64::MAX)))
}

/// The limits as the API server keeps them.
fn bounds(source: Source<'_>, range: &Range) -> Bounds {
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

/// Which list type an extension names.
pub(super) fn list_type(text: Option<&str>) -> ListType {
    match text {
        Some("set") => ListType::Set,
        Some("map") => ListType::Map,
        _ => ListType::Atomic,
    }
}
