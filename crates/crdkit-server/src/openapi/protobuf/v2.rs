//! The messages of version 2.
//! Upstream: `openapiv2/OpenAPIv2.proto` of gnostic.

use super::FieldShape::{Any, Anys, Choice as OneOf, Choices, Double, Flag, Int, Text, Texts};
use super::{Choice, FieldShape, Message, Rest, is_flag, is_reference};
use crdkit_value::Value;

pub(super) static DOCUMENT: Message = Message {
    fields: &[
        ("swagger", 1, Text),
        ("info", 2, FieldShape::Message(&INFO)),
        ("paths", 8, FieldShape::Message(&PATHS)),
        ("definitions", 9, FieldShape::Message(&SCHEMAS)),
        ("parameters", 10, FieldShape::Message(&PARAMETERS)),
    ],
    rest: Rest::Extensions(16),
};

static INFO: Message =
    Message { fields: &[("title", 1, Text), ("version", 2, Text)], rest: Rest::Extensions(7) };

static PATHS: Message = Message { fields: &[], rest: Rest::Pairs(2, FieldShape::Message(&PATH)) };

static PATH: Message = Message {
    fields: &[
        ("get", 2, FieldShape::Message(&OPERATION)),
        ("put", 3, FieldShape::Message(&OPERATION)),
        ("post", 4, FieldShape::Message(&OPERATION)),
        ("delete", 5, FieldShape::Message(&OPERATION)),
        ("patch", 8, FieldShape::Message(&OPERATION)),
        ("parameters", 9, Choices(parameter_or_reference)),
    ],
    rest: Rest::Extensions(10),
};

static OPERATION: Message = Message {
    fields: &[
        ("tags", 1, Texts),
        ("description", 3, Text),
        ("operationId", 5, Text),
        ("produces", 6, Texts),
        ("consumes", 7, Texts),
        ("parameters", 8, Choices(parameter_or_reference)),
        ("responses", 9, FieldShape::Message(&RESPONSES)),
        ("schemes", 10, Texts),
    ],
    rest: Rest::Extensions(13),
};

fn parameter_or_reference(value: Value<'_>) -> Choice {
    if is_reference(value) {
        return Choice { around: &[2], shape: FieldShape::Message(&REFERENCE) };
    }
    match place(value) {
        "body" => Choice { around: &[1, 1], shape: FieldShape::Message(&BODY) },
        "path" => Choice { around: &[1, 2, 4], shape: FieldShape::Message(&IN_PATH) },
        _ => Choice { around: &[1, 2, 3], shape: FieldShape::Message(&IN_QUERY) },
    }
}

/// A parameter that is not a reference.
fn parameter(value: Value<'_>) -> Choice {
    match place(value) {
        "body" => Choice { around: &[1], shape: FieldShape::Message(&BODY) },
        "path" => Choice { around: &[2, 4], shape: FieldShape::Message(&IN_PATH) },
        _ => Choice { around: &[2, 3], shape: FieldShape::Message(&IN_QUERY) },
    }
}

fn place(parameter: Value<'_>) -> &str {
    parameter.get("in").and_then(Value::as_str).unwrap_or_default()
}

static PARAMETERS: Message = Message { fields: &[], rest: Rest::Pairs(1, OneOf(parameter)) };

static REFERENCE: Message =
    Message { fields: &[("$ref", 1, Text), ("description", 2, Text)], rest: Rest::Dropped };

static BODY: Message = Message {
    fields: &[
        ("description", 1, Text),
        ("name", 2, Text),
        ("in", 3, Text),
        ("required", 4, Flag),
        ("schema", 5, FieldShape::Message(&SCHEMA)),
    ],
    rest: Rest::Extensions(6),
};

static IN_QUERY: Message = Message {
    fields: &[
        ("required", 1, Flag),
        ("in", 2, Text),
        ("description", 3, Text),
        ("name", 4, Text),
        ("type", 6, Text),
        ("uniqueItems", 20, Flag),
    ],
    rest: Rest::Extensions(23),
};

static IN_PATH: Message = Message {
    fields: &[
        ("required", 1, Flag),
        ("in", 2, Text),
        ("description", 3, Text),
        ("name", 4, Text),
        ("type", 5, Text),
        ("uniqueItems", 19, Flag),
    ],
    rest: Rest::Extensions(22),
};

static RESPONSES: Message = Message { fields: &[], rest: Rest::Pairs(1, OneOf(response)) };

fn response(_: Value<'_>) -> Choice {
    Choice { around: &[1], shape: FieldShape::Message(&RESPONSE) }
}

static RESPONSE: Message = Message {
    fields: &[("description", 1, Text), ("schema", 2, OneOf(schema_within))],
    rest: Rest::Extensions(5),
};

/// A schema in a message of its own.
fn schema_within(_: Value<'_>) -> Choice {
    Choice { around: &[1], shape: FieldShape::Message(&SCHEMA) }
}

fn text_within(_: Value<'_>) -> Choice {
    Choice { around: &[1], shape: Text }
}

fn schema_or_flag(value: Value<'_>) -> Choice {
    if is_flag(value) { Choice { around: &[2], shape: Flag } } else { schema_within(value) }
}

static SCHEMAS: Message =
    Message { fields: &[], rest: Rest::Pairs(1, FieldShape::Message(&SCHEMA)) };

static SCHEMA: Message = Message {
    fields: &[
        ("$ref", 1, Text),
        ("format", 2, Text),
        ("title", 3, Text),
        ("description", 4, Text),
        ("multipleOf", 6, Double),
        ("maximum", 7, Double),
        ("exclusiveMaximum", 8, Flag),
        ("minimum", 9, Double),
        ("exclusiveMinimum", 10, Flag),
        ("maxLength", 11, Int),
        ("minLength", 12, Int),
        ("pattern", 13, Text),
        ("maxItems", 14, Int),
        ("minItems", 15, Int),
        ("uniqueItems", 16, Flag),
        ("maxProperties", 17, Int),
        ("minProperties", 18, Int),
        ("required", 19, Texts),
        ("enum", 20, Anys),
        ("additionalProperties", 21, OneOf(schema_or_flag)),
        ("type", 22, OneOf(text_within)),
        ("items", 23, OneOf(schema_within)),
        ("properties", 25, FieldShape::Message(&SCHEMAS)),
        ("externalDocs", 29, FieldShape::Message(&DOCS)),
        ("example", 30, Any),
    ],
    rest: Rest::Extensions(31),
};

static DOCS: Message =
    Message { fields: &[("description", 1, Text), ("url", 2, Text)], rest: Rest::Extensions(3) };
