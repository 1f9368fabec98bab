//! What expressions see of objects whose schema is known.
//!
//! Takes OpenAPI schemas, those of CRDs and the published ones of native kinds, and gives shapes to check expressions
//! against. What a schema leaves open is seen as anything: an expression is only called wrong where the schema says so.
//!
//! Upstream: `apiserver/pkg/cel/common/schemas.go`, `apiserver/pkg/admission/plugin/policy/validating/typechecking.go`.

use crate::schemas::KnownSchemas;
use crdkit_cel::{Field, ListKind, Shape, ShapeId, ShapeKind, Shapes};
use crdkit_schema::rules::{MAX_REQUEST_BYTES, escape};
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::Value;
use std::collections::HashMap;

/// What references begin with.
const DEFINITIONS: &str = "#/definitions/";
/// How many levels of a schema are looked at.
const DEEPEST: usize = 48;

/// Describes schemas to expressions.
pub(crate) struct Describer<'s> {
    source: &'s KnownSchemas,
    pub(crate) shapes: Shapes,
    /// The shapes of definitions; none while one is being described.
    known: HashMap<String, Option<ShapeId>>,
    n_types: usize,
}

impl<'s> Describer<'s> {
    /// Adds shapes to `shapes`.
    pub(crate) fn new(source: &'s KnownSchemas, shapes: Shapes) -> Self {
        Self { source, shapes, known: HashMap::new(), n_types: 0 }
    }

    /// The shape of the objects of a kind; none if it is not known.
    pub(crate) fn kind(&mut self, kind: &GroupVersionKind) -> Option<ShapeId> {
        let schema = self.source.schema(kind)?;
        Some(self.describe(schema.root(), 0))
    }

    fn describe(&mut self, schema: Value<'_>, depth: usize) -> ShapeId {
        let reference = schema.get("$ref").and_then(Value::as_str);
        if let Some(name) = reference.and_then(|it| it.strip_prefix(DEFINITIONS)) {
            return self.definition(name, depth);
        }
        // Where something is said beside a reference, that is wrapped.
        let mut wrapped = schema.get("allOf").into_iter().flat_map(Value::items);
        if let (None, Some(only), None) = (schema.get("type"), wrapped.next(), wrapped.next()) {
            return self.describe(only, depth);
        }
        let kind = if depth < DEEPEST { self.of_type(schema, depth) } else { None };
        let limit = |key: &str| schema.get(key).and_then(Value::as_i64);
        let most = match &kind {
            Some(ShapeKind::List { .. }) => limit("maxItems"),
            Some(ShapeKind::Map { .. }) => limit("maxProperties"),
            _ => limit("maxLength").map(|it| it.saturating_mul(4)),
        };
        let most = most.and_then(|it| u64::try_from(it).ok()).unwrap_or(MAX_REQUEST_BYTES - 2);
        self.add(kind.unwrap_or(ShapeKind::Dynamic), most)
    }

    fn definition(&mut self, name: &str, depth: usize) -> ShapeId {
        if let Some(known) = self.known.get(name).copied() {
            // A type that has values of its own type is seen as anything there.
            return known.unwrap_or_else(|| self.add(ShapeKind::Dynamic, MAX_REQUEST_BYTES));
        }
        self.known.insert(name.to_owned(), None);
        let shape = match KnownSchemas::definition(name) {
            Some(definition) => self.describe(definition.root(), depth + 1),
            None => self.add(ShapeKind::Dynamic, MAX_REQUEST_BYTES),
        };
        self.known.insert(name.to_owned(), Some(shape));
        shape
    }

    fn of_type(&mut self, schema: Value<'_>, depth: usize) -> Option<ShapeKind> {
        let text = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
        let flag = |key: &str| schema.get(key).and_then(Value::as_bool) == Some(true);
        if flag("x-kubernetes-int-or-string") || text("format") == "int-or-string" {
            return Some(ShapeKind::IntOrString);
        }
        if flag("x-kubernetes-preserve-unknown-fields") || flag("x-kubernetes-embedded-resource") {
            return None;
        }
        Some(match (text("type"), text("format")) {
            ("boolean", _) => ShapeKind::Bool,
            ("integer", _) => ShapeKind::Int,
            ("number", _) => ShapeKind::Double,
            ("string", "byte") => ShapeKind::Bytes,
            ("string", "date") => ShapeKind::Date,
            ("string", "date-time") => ShapeKind::DateTime,
            ("string", "duration") => ShapeKind::Duration,
            ("string", _) => ShapeKind::String,
            ("array", _) => {
                let element = self.describe(schema.get("items")?, depth + 1);
                ShapeKind::List { element, kind: ListKind::Atomic }
            }
            ("object", _) => match schema.get("additionalProperties") {
                Some(values) if values.as_object().is_some() => {
                    ShapeKind::Map { value: self.describe(values, depth + 1) }
                }
                _ => self.object(schema.get("properties")?, depth)?,
            },
            _ => return None,
        })
    }

    fn object(&mut self, properties: Value<'_>, depth: usize) -> Option<ShapeKind> {
        let mut fields = Vec::new();
        for (key, property) in properties.members() {
            let shape = self.describe(property, depth + 1);
            if let Some(name) = escape(key) {
                fields.push(Field { name: (&*name).into(), key: key.into(), shape });
            }
        }
        if fields.is_empty() {
            return None;
        }
        self.n_types += 1;
        // A name that no expression can spell.
        let name = format!("type@{}", self.n_types);
        Some(ShapeKind::Object { name: name.as_str().into(), fields })
    }

    fn add(&mut self, kind: ShapeKind, max_elements: u64) -> ShapeId {
        self.shapes.add(Shape { kind, nullable: true, max_elements })
    }
}

/// An object with these fields.
fn fields(shapes: &mut Shapes, name: &str, fields: &[(&str, ShapeId)]) -> ShapeId {
    let fields = fields.iter().map(|(name, shape)| Field {
        name: (*name).into(),
        key: (*name).into(),
        shape: *shape,
    });
    let kind = ShapeKind::Object { name: name.into(), fields: fields.collect() };
    shapes.add(Shape { kind, nullable: true, max_elements: 0 })
}

fn plain(shapes: &mut Shapes, kind: ShapeKind) -> ShapeId {
    shapes.add(Shape { kind, nullable: true, max_elements: MAX_REQUEST_BYTES - 2 })
}

/// What expressions see of a request.
pub(crate) fn request(shapes: &mut Shapes) -> ShapeId {
    let text = plain(shapes, ShapeKind::String);
    let flag = plain(shapes, ShapeKind::Bool);
    let open = plain(shapes, ShapeKind::Dynamic);
    let texts = plain(shapes, ShapeKind::List { element: text, kind: ListKind::Atomic });
    let lists = plain(shapes, ShapeKind::Map { value: texts });
    let typed = [("group", text), ("version", text)];
    let [group, version] = typed;
    let kind = fields(shapes, "kubernetes.GroupVersionKind", &[group, version, ("kind", text)]);
    let resource =
        fields(shapes, "kubernetes.GroupVersionResource", &[group, version, ("resource", text)]);
    let user = [("username", text), ("uid", text), ("groups", texts), ("extra", lists)];
    let user = fields(shapes, "kubernetes.UserInfo", &user);
    fields(
        shapes,
        "kubernetes.AdmissionRequest",
        &[
            ("kind", kind),
            ("resource", resource),
            ("subResource", text),
            ("requestKind", kind),
            ("requestResource", resource),
            ("requestSubResource", text),
            ("name", text),
            ("namespace", text),
            ("operation", text),
            ("userInfo", user),
            ("dryRun", flag),
            ("options", open),
        ],
    )
}

/// What expressions see of the namespace of an object.
pub(crate) fn namespace(shapes: &mut Shapes) -> ShapeId {
    let text = plain(shapes, ShapeKind::String);
    let number = plain(shapes, ShapeKind::Int);
    let time = plain(shapes, ShapeKind::DateTime);
    let texts = plain(shapes, ShapeKind::List { element: text, kind: ListKind::Atomic });
    let map = plain(shapes, ShapeKind::Map { value: text });
    let metadata = fields(
        shapes,
        "kubernetes.NamespaceMetadata",
        &[
            ("name", text),
            ("generateName", text),
            ("namespace", text),
            ("labels", map),
            ("annotations", map),
            ("UID", text),
            ("creationTimestamp", time),
            ("deletionGracePeriodSeconds", number),
            ("deletionTimestamp", time),
            ("generation", number),
            ("resourceVersion", text),
            ("finalizers", texts),
        ],
    );
    let spec = fields(shapes, "kubernetes.NamespaceSpec", &[("finalizers", texts)]);
    let status = fields(shapes, "kubernetes.NamespaceStatus", &[("phase", text)]);
    let all = [("metadata", metadata), ("spec", spec), ("status", status)];
    fields(shapes, "kubernetes.Namespace", &all)
}
