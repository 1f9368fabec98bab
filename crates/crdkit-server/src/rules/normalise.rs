//! A CRD as the API server writes it: what its typed form has no field for is gone, and so is what means the same as
//! nothing; what is always written is there.
//!
//! Takes any document that decodes as a CRD. Upstream: `apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go`,
//! whose `omitempty` and pointers are the tables here.

use crdkit_schema::decode::types::{self, GoStruct, GoType};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Kind, NewValue, NodeId, Value};

/// Fields that are pointers: what is there is written, whatever it is.
const POINTERS: [&str; 25] = [
    "maxLength",
    "minLength",
    "maximum",
    "minimum",
    "maxItems",
    "minItems",
    "maxProperties",
    "minProperties",
    "multipleOf",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "default",
    "example",
    "reason",
    "optionalOldSelf",
    "deprecationWarning",
    "labelSelectorPath",
    "url",
    "path",
    "port",
    "deletionGracePeriodSeconds",
    "controller",
    "blockOwnerDeletion",
    "fieldsV1",
];

/// Fields that are written even if there is nothing in them, by the name of their struct.
const WRITTEN: [(&str, &[(&str, Nothing)]); 13] = [
    ("v1.CustomResourceDefinition", &[("spec", Nothing::Object), ("status", Nothing::Object)]),
    (
        "v1.CustomResourceDefinitionSpec",
        &[
            ("group", Nothing::Text),
            ("names", Nothing::Object),
            ("scope", Nothing::Text),
            ("versions", Nothing::Null),
        ],
    ),
    ("v1.CustomResourceDefinitionNames", &[("plural", Nothing::Text), ("kind", Nothing::Text)]),
    (
        "v1.CustomResourceDefinitionVersion",
        &[("name", Nothing::Text), ("served", Nothing::False), ("storage", Nothing::False)],
    ),
    (
        "v1.CustomResourceSubresourceScale",
        &[("specReplicasPath", Nothing::Text), ("statusReplicasPath", Nothing::Text)],
    ),
    (
        "v1.CustomResourceColumnDefinition",
        &[("name", Nothing::Text), ("type", Nothing::Text), ("jsonPath", Nothing::Text)],
    ),
    ("v1.SelectableField", &[("jsonPath", Nothing::Text)]),
    ("v1.CustomResourceConversion", &[("strategy", Nothing::Text)]),
    ("v1.WebhookConversion", &[("conversionReviewVersions", Nothing::Null)]),
    ("v1.ServiceReference", &[("namespace", Nothing::Text), ("name", Nothing::Text)]),
    (
        "v1.CustomResourceDefinitionStatus",
        &[
            ("conditions", Nothing::Null),
            ("acceptedNames", Nothing::Object),
            ("storedVersions", Nothing::Null),
        ],
    ),
    (
        "v1.CustomResourceDefinitionCondition",
        &[
            ("type", Nothing::Text),
            ("status", Nothing::Text),
            ("lastTransitionTime", Nothing::Null),
        ],
    ),
    ("v1.ValidationRule", &[("rule", Nothing::Text)]),
];

/// What stands where there is nothing.
#[derive(Clone, Copy)]
enum Nothing {
    Text,
    False,
    Object,
    Null,
}

/// Makes `document` what the server writes.
pub(super) fn crd(document: &mut Document) {
    let mut pending = vec![(NodeId::ROOT, &types::CRD)];
    while let Some((object, of)) = pending.pop() {
        fields(document, object, of);
        for (key, nothing) in written(of) {
            if document.value(object).get(key).is_none() {
                document.insert(object, key, nothing.value());
            }
        }
        for (_, member) in document.value(object).members() {
            if let Some(of) = member.key().and_then(|key| of.field(key)) {
                inside(member, of, &mut pending);
            }
        }
    }
}

impl Nothing {
    fn value(self) -> NewValue<'static> {
        match self {
            Self::Text => NewValue::String(""),
            Self::False => NewValue::Bool(false),
            Self::Object => NewValue::EmptyObject,
            Self::Null => NewValue::Null,
        }
    }
}

/// The fields of a struct that are written even if there is nothing in them.
fn written(of: &GoStruct) -> &'static [(&'static str, Nothing)] {
    let found = WRITTEN.iter().find(|(name, _)| *name == of.name);
    found.map_or(&[], |(_, fields)| fields)
}

/// The structs in a value.
fn inside(value: Value<'_>, of: &'static GoType, pending: &mut Vec<(NodeId, &'static GoStruct)>) {
    match (of, value.kind()) {
        (GoType::Struct(of), Kind::Object(_)) => pending.push((value.id(), of)),
        (GoType::Map(_, of), Kind::Object(members)) => {
            members.for_each(|(_, member)| inside(member, of, pending));
        }
        (GoType::List(_, of), Kind::Array(items)) => {
            items.for_each(|item| inside(item, of, pending));
        }
        (GoType::OrBool(of) | GoType::OrNames(of) | GoType::OrList(of), Kind::Object(_)) => {
            inside(value, of, pending);
        }
        (GoType::OrList(of), Kind::Array(items)) => items.for_each(|it| inside(it, of, pending)),
        _ => {}
    }
}

/// Removes what an object has beside its fields, and fields with nothing in them.
fn fields(document: &mut Document, object: NodeId, of_struct: &'static GoStruct) {
    let mut removed = Vec::new();
    let mut times = Vec::new();
    for (key, member) in document.value(object).members() {
        let Some(of) = of_struct.field(key) else {
            removed.push(member.id());
            continue;
        };
        let is_written = written(of_struct).iter().any(|(written, _)| *written == key);
        let is_nothing = match (of, member.kind()) {
            (_, kind) if is_written => matches!(kind, Kind::Null),
            (_, Kind::Null) => true,
            (GoType::Struct(_) | GoType::OrBool(_) | GoType::OrList(_), _) => false,
            (GoType::Time, Kind::String(text)) => {
                times.extend(canonical(text).map(|time| (member.id(), time)));
                false
            }
            _ if POINTERS.contains(&key) => false,
            (_, kind) => is_empty(&kind),
        };
        if is_nothing {
            removed.push(member.id());
        }
    }
    for id in removed {
        document.remove(id);
    }
    for (id, text) in times {
        document.set(id, &text);
    }
}

fn canonical(text: &str) -> Option<String> {
    let time = Timestamp::parse_rfc3339(text).ok()?;
    Some(Timestamp { nanoseconds: 0, offset: 0, ..time }.to_string()).filter(|it| it != text)
}

fn is_empty(kind: &Kind<'_>) -> bool {
    match kind {
        Kind::Null | Kind::Int(0) | Kind::Bool(false) => true,
        Kind::Float(float) => *float == 0.0,
        Kind::String(text) => text.is_empty(),
        Kind::Array(items) => items.len() == 0,
        Kind::Object(members) => members.len() == 0,
        _ => false,
    }
}
