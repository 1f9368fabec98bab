//! The messages of version 3.
//! Upstream: `openapiv3/OpenAPIv3.proto` of gnostic.

use super::FieldShape::{Anys, Choice as OneOf, Choices, Double, Flag, Int, Text, Texts};
use super::{Choice, FieldShape, Message, Rest, is_flag, is_reference};
use crdkit_value::{Kind, Value};

pub(super) static DOCUMENT: Message = Message {
    fields: &[
        ("openapi", 1, Text),
        ("info", 2, FieldShape::Message(&INFO)),
        ("paths", 4, FieldShape::Message(&PATHS)),
        ("components", 5, FieldShape::Message(&COMPONENTS)),
    ],
    rest: Rest::Extensions(9),
};

static INFO: Message =
    Message { fields: &[("title", 1, Text), ("version", 6, Text)], rest: Rest::Extensions(7) };

static PATHS: Message = Message { fields: &[], rest: Rest::Pairs(1, FieldShape::Message(&PATH)) };

static PATH: Message = Message {
    fields: &[
        ("get", 4, FieldShape::Message(&OPERATION)),
        ("put", 5, FieldShape::Message(&OPERATION)),
        ("post", 6, FieldShape::Message(&OPERATION)),
        ("delete", 7, FieldShape::Message(&OPERATION)),
        ("patch", 10, FieldShape::Message(&OPERATION)),
        ("parameters", 13, Choices(parameter)),
    ],
    rest: Rest::Extensions(14),
};

static OPERATION: Message = Message {
    fields: &[
        ("tags", 1, Texts),
        ("description", 3, Text),
        ("operationId", 5, Text),
        ("parameters", 6, Choices(parameter)),
        ("requestBody", 7, OneOf(body)),
        ("responses", 8, FieldShape::Message(&RESPONSES)),
    ],
    rest: Rest::Extensions(13),
};

fn parameter(_: Value<'_>) -> Choice {
    Choice { around: &[1], shape: FieldShape::Message(&PARAMETER) }
}

static PARAMETER: Message = Message {
    fields: &[
        ("name", 1, Text),
        ("in", 2, Text),
        ("description", 3, Text),
        ("required", 4, Flag),
        ("schema", 10, OneOf(schema_or_reference)),
    ],
    rest: Rest::Extensions(14),
};

fn body(_: Value<'_>) -> Choice {
    Choice { around: &[1], shape: FieldShape::Message(&BODY) }
}

static BODY: Message = Message {
    fields: &[("content", 2, FieldShape::Message(&MEDIA_TYPES)), ("required", 3, Flag)],
    rest: Rest::Extensions(4),
};

static MEDIA_TYPES: Message =
    Message { fields: &[], rest: Rest::Pairs(1, FieldShape::Message(&MEDIA_TYPE)) };

static MEDIA_TYPE: Message =
    Message { fields: &[("schema", 1, OneOf(schema_or_reference))], rest: Rest::Extensions(5) };

static RESPONSES: Message = Message { fields: &[], rest: Rest::Pairs(2, OneOf(response)) };

fn response(_: Value<'_>) -> Choice {
    Choice { around: &[1], shape: FieldShape::Message(&RESPONSE) }
}

static RESPONSE: Message = Message {
    fields: &[("description", 1, Text), ("content", 3, FieldShape::Message(&MEDIA_TYPES))],
    rest: Rest::Extensions(5),
};

static COMPONENTS: Message = Message {
    fields: &[("schemas", 1, FieldShape::Message(&SCHEMAS))],
    rest: Rest::Extensions(10),
};

static SCHEMAS: Message = Message { fields: &[], rest: Rest::Pairs(1, OneOf(schema_or_reference)) };

fn schema_or_reference(value: Value<'_>) -> Choice {
    if is_reference(value) {
        Choice { around: &[2], shape: FieldShape::Message(&REFERENCE) }
    } else {
        Choice { around: &[1], shape: FieldShape::Message(&SCHEMA) }
    }
}

fn items(value: Value<'_>) -> Choice {
    match schema_or_reference(value) {
        Choice { around: [2], shape } => Choice { around: &[1, 2], shape },
        Choice { shape, .. } => Choice { around: &[1, 1], shape },
    }
}

fn schema_or_flag(value: Value<'_>) -> Choice {
    if is_flag(value) { Choice { around: &[2], shape: Flag } } else { items(value) }
}

/// Defaults that are scalars; there is no field for others.
fn default(value: Value<'_>) -> Choice {
    match value.kind() {
        Kind::Int(_) | Kind::Float(_) => Choice { around: &[1], shape: Double },
        Kind::Bool(_) => Choice { around: &[2], shape: Flag },
        _ => Choice { around: &[3], shape: Text },
    }
}

static REFERENCE: Message = Message { fields: &[("$ref", 1, Text)], rest: Rest::Dropped };

static SCHEMA: Message = Message {
    fields: &[
        ("nullable", 1, Flag),
        ("externalDocs", 6, FieldShape::Message(&DOCS)),
        ("title", 9, Text),
        ("multipleOf", 10, Double),
        ("maximum", 11, Double),
        ("exclusiveMaximum", 12, Flag),
        ("minimum", 13, Double),
        ("exclusiveMinimum", 14, Flag),
        ("maxLength", 15, Int),
        ("minLength", 16, Int),
        ("pattern", 17, Text),
        ("maxItems", 18, Int),
        ("minItems", 19, Int),
        ("uniqueItems", 20, Flag),
        ("maxProperties", 21, Int),
        ("minProperties", 22, Int),
        ("required", 23, Texts),
        ("enum", 24, Anys),
        ("type", 25, Text),
        ("allOf", 26, Choices(schema_or_reference)),
        ("oneOf", 27, Choices(schema_or_reference)),
        ("anyOf", 28, Choices(schema_or_reference)),
        ("not", 29, FieldShape::Message(&SCHEMA)),
        ("items", 30, OneOf(items)),
        ("properties", 31, FieldShape::Message(&SCHEMAS)),
        ("additionalProperties", 32, OneOf(schema_or_flag)),
        ("default", 33, OneOf(default)),
        ("description", 34, Text),
        ("format", 35, Text),
    ],
    rest: Rest::Extensions(36),
};

static DOCS: Message =
    Message { fields: &[("description", 1, Text), ("url", 2, Text)], rest: Rest::Extensions(3) };
