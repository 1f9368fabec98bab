//! Schemas: what `JSONSchemaProps` holds, one row per schema object.
//!
//! [`Schemas`] is a flat table; a schema names its children by [`SchemaId`], so depth costs no stack
//! and a `$ref` may lead back to where it came from. Keywords that most schemas lack are kept in
//! boxes ([`Bounds`], [`Junctors`], [`Extensions`], [`Legacy`], [`Published`]); the method of the same
//! name gives an empty one when there is none, so readers need not care.

use crdkit_text::kind::GroupVersionKind;
use crdkit_value::Value;

/// Names a schema in the [`Schemas`] that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId(pub(crate) u32);

/// All schemas of a document.
#[derive(Clone, Debug)]
pub struct Schemas<'d> {
    pub(crate) rows: Vec<Schema<'d>>,
    /// What an id of another table finds.
    pub(crate) empty: Box<Schema<'d>>,
}

/// One schema object. An absent string is empty, an absent list has no entries.
#[derive(Clone, Debug)]
pub struct Schema<'d> {
    /// Where it is written.
    pub source: Value<'d>,
    /// `type`.
    pub type_name: &'d str,
    /// `format`.
    pub format: &'d str,
    /// `description`.
    pub description: &'d str,
    /// `pattern`.
    pub pattern: &'d str,
    /// `default`, unless it is `null`.
    pub default: Option<Value<'d>>,
    /// `enum`, an array.
    pub enum_values: Option<Value<'d>>,
    /// `nullable`.
    pub nullable: bool,
    /// `uniqueItems`.
    pub unique_items: bool,
    /// `required`.
    pub required: Vec<&'d str>,
    /// `properties`.
    pub properties: Properties<'d>,
    /// `items`.
    pub items: Option<Items>,
    /// `additionalProperties`.
    pub additional_properties: Option<Additional>,
    /// Keys that are not `JSONSchemaProps` fields, with their values.
    pub unknown: Vec<(&'d str, Value<'d>)>,
    pub(crate) bounds: Option<Box<Bounds>>,
    pub(crate) junctors: Option<Box<Junctors>>,
    pub(crate) extensions: Option<Box<Extensions<'d>>>,
    pub(crate) legacy: Option<Box<Legacy<'d>>>,
    pub(crate) published: Option<Box<Published<'d>>>,
}

/// `properties`, in the order they are written.
#[derive(Clone, Debug, Default)]
pub struct Properties<'d> {
    entries: Vec<(&'d str, SchemaId)>,
    /// Positions in `entries` by name, when there are enough for a search to pay.
    by_name: Vec<u32>,
}

/// `items`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Items {
    /// One schema for all items.
    Schema(SchemaId),
    /// A schema for each position.
    List(Vec<SchemaId>),
    /// Something that is neither, which the server takes for "no schema".
    Neither,
}

/// `additionalProperties` and `additionalItems`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Additional {
    /// Allowed or not.
    Allowed(bool),
    /// Allowed if they satisfy a schema.
    Schema(SchemaId),
}

/// Limits on numbers, lengths and counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// `maximum`.
    pub maximum: Option<f64>,
    /// `exclusiveMaximum`.
    pub exclusive_maximum: bool,
    /// `minimum`.
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`.
    pub exclusive_minimum: bool,
    /// `multipleOf`.
    pub multiple_of: Option<f64>,
    /// `maxLength`.
    pub max_length: Option<i64>,
    /// `minLength`.
    pub min_length: Option<i64>,
    /// `maxItems`.
    pub max_items: Option<i64>,
    /// `minItems`.
    pub min_items: Option<i64>,
    /// `maxProperties`.
    pub max_properties: Option<i64>,
    /// `minProperties`.
    pub min_properties: Option<i64>,
}

/// Schemas combined by logic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Junctors {
    /// `allOf`.
    pub all_of: Vec<SchemaId>,
    /// `anyOf`.
    pub any_of: Vec<SchemaId>,
    /// `oneOf`.
    pub one_of: Vec<SchemaId>,
    /// `not`.
    pub not: Option<SchemaId>,
}

/// The `x-kubernetes-*` keywords that CRDs have.
#[derive(Clone, Debug, Default)]
pub struct Extensions<'d> {
    /// `x-kubernetes-preserve-unknown-fields`.
    pub preserve_unknown_fields: Option<bool>,
    /// `x-kubernetes-embedded-resource`.
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`.
    pub int_or_string: bool,
    /// `x-kubernetes-list-map-keys`.
    pub list_map_keys: Vec<&'d str>,
    /// `x-kubernetes-list-type`.
    pub list_type: Option<&'d str>,
    /// `x-kubernetes-map-type`.
    pub map_type: Option<&'d str>,
    /// `x-kubernetes-validations`.
    pub validations: Vec<Rule<'d>>,
}

/// One of `x-kubernetes-validations`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule<'d> {
    /// Where it is written.
    pub source: Value<'d>,
    /// `rule`.
    pub rule: &'d str,
    /// `message`.
    pub message: &'d str,
    /// `messageExpression`.
    pub message_expression: &'d str,
    /// `reason`.
    pub reason: Option<&'d str>,
    /// `fieldPath`.
    pub field_path: &'d str,
    /// `optionalOldSelf`.
    pub optional_old_self: Option<bool>,
}

/// Keywords that a CRD may not use, or that only describe.
#[derive(Clone, Debug, Default)]
pub struct Legacy<'d> {
    /// `id`.
    pub id: &'d str,
    /// `$schema`.
    pub schema: &'d str,
    /// `$ref`.
    pub reference: Option<&'d str>,
    /// The schema that `$ref` leads to, when the document it points into was at hand.
    pub target: Option<SchemaId>,
    /// `title`.
    pub title: &'d str,
    /// `externalDocs`.
    pub external_docs: Option<ExternalDocs<'d>>,
    /// `example`, unless it is `null`.
    pub example: Option<Value<'d>>,
    /// `additionalItems`.
    pub additional_items: Option<Additional>,
    /// `patternProperties`.
    pub pattern_properties: Option<Vec<(&'d str, SchemaId)>>,
    /// `definitions`.
    pub definitions: Option<Vec<(&'d str, SchemaId)>>,
    /// `dependencies`.
    pub dependencies: Option<Vec<(&'d str, Dependency<'d>)>>,
}

/// `externalDocs`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExternalDocs<'d> {
    /// `description`.
    pub description: &'d str,
    /// `url`.
    pub url: &'d str,
}

/// One of `dependencies`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependency<'d> {
    /// A schema the whole object must satisfy.
    Schema(SchemaId),
    /// Properties that must be there as well.
    Names(Vec<&'d str>),
    /// Something that is neither.
    Neither,
}

/// The `x-kubernetes-*` keywords of published OpenAPI documents, which CRDs do not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Published<'d> {
    /// `x-kubernetes-unions`.
    pub unions: Vec<Union<'d>>,
    /// `x-kubernetes-patch-strategy`, split at its commas.
    pub patch_strategy: Vec<&'d str>,
    /// `x-kubernetes-patch-merge-key`.
    pub patch_merge_key: Option<&'d str>,
    /// `x-kubernetes-group-version-kind`; a single map counts as a list of one.
    pub group_version_kind: Vec<GroupVersionKind>,
    /// `x-kubernetes-action`.
    pub action: Option<&'d str>,
}

/// One of `x-kubernetes-unions`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Union<'d> {
    /// `discriminator`.
    pub discriminator: Option<&'d str>,
    /// `fields-to-discriminateBy`: field names with the discriminator's value for each.
    pub fields: Vec<(&'d str, &'d str)>,
}

impl SchemaId {
    /// The position of this id in tables with one row per schema.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl<'d> Schemas<'d> {
    /// The schema called `id`, an id of this table.
    pub fn get(&self, id: SchemaId) -> &Schema<'d> {
        self.rows.get(id.index()).unwrap_or(&self.empty)
    }

    /// All schemas with their ids; a child comes after the schema it is in.
    pub fn iter(&self) -> impl Iterator<Item = (SchemaId, &Schema<'d>)> {
        (0..).map(SchemaId).zip(&self.rows)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl<'d> Schema<'d> {
    /// A schema that says nothing, written at `source`.
    pub(crate) fn new(source: Value<'d>) -> Self {
        Self {
            source,
            type_name: "",
            format: "",
            description: "",
            pattern: "",
            default: None,
            enum_values: None,
            nullable: false,
            unique_items: false,
            required: Vec::new(),
            properties: Properties::default(),
            items: None,
            additional_properties: None,
            unknown: Vec::new(),
            bounds: None,
            junctors: None,
            extensions: None,
            legacy: None,
            published: None,
        }
    }

    /// Limits on numbers, lengths and counts.
    pub fn bounds(&self) -> &Bounds {
        static NONE: Bounds = Bounds {
            maximum: None,
            exclusive_maximum: false,
            minimum: None,
            exclusive_minimum: false,
            multiple_of: None,
            max_length: None,
            min_length: None,
            max_items: None,
            min_items: None,
            max_properties: None,
            min_properties: None,
        };
        self.bounds.as_deref().unwrap_or(&NONE)
    }

    /// Schemas combined by logic.
    pub fn junctors(&self) -> &Junctors {
        static NONE: Junctors =
            Junctors { all_of: Vec::new(), any_of: Vec::new(), one_of: Vec::new(), not: None };
        self.junctors.as_deref().unwrap_or(&NONE)
    }

    /// The `x-kubernetes-*` keywords that CRDs have.
    pub fn extensions(&self) -> &Extensions<'d> {
        const NONE: &Extensions<'_> = &Extensions {
            preserve_unknown_fields: None,
            embedded_resource: false,
            int_or_string: false,
            list_map_keys: Vec::new(),
            list_type: None,
            map_type: None,
            validations: Vec::new(),
        };
        self.extensions.as_deref().unwrap_or(NONE)
    }

    /// Keywords that a CRD may not use, or that only describe.
    pub fn legacy(&self) -> &Legacy<'d> {
        const NONE: &Legacy<'_> = &Legacy {
            id: "",
            schema: "",
            reference: None,
            target: None,
            title: "",
            external_docs: None,
            example: None,
            additional_items: None,
            pattern_properties: None,
            definitions: None,
            dependencies: None,
        };
        self.legacy.as_deref().unwrap_or(NONE)
    }

    /// The `x-kubernetes-*` keywords of published OpenAPI documents.
    pub fn published(&self) -> &Published<'d> {
        const NONE: &Published<'_> = &Published {
            unions: Vec::new(),
            patch_strategy: Vec::new(),
            patch_merge_key: None,
            group_version_kind: Vec::new(),
            action: None,
        };
        self.published.as_deref().unwrap_or(NONE)
    }

    /// The schema of all items, if `items` is one schema.
    pub fn item_schema(&self) -> Option<SchemaId> {
        match self.items {
            Some(Items::Schema(id)) => Some(id),
            _ => None,
        }
    }

    /// The schema of additional properties, if they have one.
    pub fn additional_schema(&self) -> Option<SchemaId> {
        match self.additional_properties {
            Some(Additional::Schema(id)) => Some(id),
            _ => None,
        }
    }

    /// Whether the keyword `key` is there and not `null`. The server tells a list that is written empty
    /// from one that is not written in a few places.
    pub fn is_written(&self, key: &str) -> bool {
        self.source.get(key).is_some_and(|value| !value.is_null())
    }

    /// Calls `visit` with every schema directly below this one, `$ref` not followed.
    pub fn each_child(&self, mut visit: impl FnMut(SchemaId)) {
        let (junctors, legacy) = (self.junctors(), self.legacy());
        match &self.items {
            Some(Items::Schema(id)) => visit(*id),
            Some(Items::List(list)) => list.iter().for_each(|id| visit(*id)),
            Some(Items::Neither) | None => {}
        }
        let lists = [&junctors.all_of, &junctors.any_of, &junctors.one_of];
        lists.into_iter().flatten().for_each(|id| visit(*id));
        junctors.not.into_iter().for_each(&mut visit);
        self.properties.iter().for_each(|(_, id)| visit(id));
        for additional in [self.additional_properties, legacy.additional_items] {
            if let Some(Additional::Schema(id)) = additional {
                visit(id);
            }
        }
        for map in [&legacy.pattern_properties, &legacy.definitions] {
            map.iter().flatten().for_each(|(_, id)| visit(*id));
        }
        for (_, dependency) in legacy.dependencies.iter().flatten() {
            if let Dependency::Schema(id) = dependency {
                visit(*id);
            }
        }
    }

    /// Whether `x-kubernetes-preserve-unknown-fields` is `true`.
    pub fn preserves_unknown_fields(&self) -> bool {
        self.extensions().preserve_unknown_fields == Some(true)
    }
}

impl<'d> Properties<'d> {
    pub(crate) fn new(entries: Vec<(&'d str, SchemaId)>) -> Self {
        let mut by_name = Vec::new();
        if entries.len() > 16 {
            by_name.extend(0..u32::try_from(entries.len()).unwrap_or(u32::MAX));
            by_name.sort_unstable_by_key(|at| entries.get(*at as usize).map(|(name, _)| *name));
        }
        Self { entries, by_name }
    }

    /// The schema of the property called `name`.
    pub fn get(&self, name: &str) -> Option<SchemaId> {
        if self.by_name.is_empty() {
            return self.entries.iter().find(|(known, _)| *known == name).map(|(_, id)| *id);
        }
        let entry = |at: &u32| self.entries.get(*at as usize).copied();
        let found = self.by_name.binary_search_by(|at| entry(at).map(|it| it.0).cmp(&Some(name)));
        found.ok().and_then(|at| self.by_name.get(at)).and_then(entry).map(|(_, id)| id)
    }

    /// Names and schemas, in the order they are written.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'d str, SchemaId)> + '_ {
        self.entries.iter().copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
