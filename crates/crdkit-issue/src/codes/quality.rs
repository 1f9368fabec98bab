//! Findings about CRDs that the API server accepts and that are likely mistakes, or depart from the conventions of
//! the Kubernetes API. The message says what is wrong and what to do.

codes! {
    stage: Rule, short: ShortName::Prefixed("");

    /// A lower limit is above the upper one, so no value is possible.
    IMPOSSIBLE_BOUNDS = "impossible-bounds", Invalid,
        "no value satisfies both {low} and {high}; raise one or lower the other",
        example: "minimum: 10\nmaximum: 5";

    /// A required field is not declared in the schema: it is pruned as unknown, and then every object is refused.
    REQUIRED_UNDECLARED = "required-undeclared", Invalid,
        "`{field}` is required but not declared under `properties`, so it is always pruned and every object is refused; declare it",
        example: "required: [size]\nproperties: {}";

    /// A limit, default or enum value does not fit the format of a number.
    FORMAT_OVERFLOW = "format-overflow", Invalid,
        "{keyword} {value} does not fit {format}; use another format or another value",
        example: "format: int32\nmaximum: 3000000000";

    /// A schema has `status`, but the version has no subresource for it: whoever may write the object may write its
    /// status, and a controller's writes conflict with everybody else's.
    STATUS_WITHOUT_SUBRESOURCE = "status-without-subresource", Invalid,
        "`status` is declared but not a subresource; add `status` to the `subresources` of the version",
        example: "properties: {spec: {}, status: {}}";

    /// The status is a subresource, but the schema has none: whatever a controller writes to it is pruned.
    STATUS_UNDECLARED = "status-undeclared", Invalid,
        "`status` is a subresource but not declared in the schema, so everything written to it is pruned; declare it",
        example: "subresources: {status: {}}\nproperties: {spec: {}}";

    /// `status` is required although it is a subresource. The API server removes the status of an object that is created,
    /// and then misses it.
    STATUS_REQUIRED = "status-required", Invalid,
        "`status` is a subresource, so the API server removes it on create and then refuses every object for the lack of it; do not require it",
        example: "required: [spec, status]";

    /// A printer column reads a field that the schema does not have, so it is always empty.
    COLUMN_WITHOUT_FIELD = "column-without-field", Invalid,
        "the schema has no `{path}`, so the column is always empty; correct the path",
        example: "jsonPath: .spec.replica";

    /// A printer column has another type than the field it shows, so its cells are always empty.
    COLUMN_TYPE = "column-type-mismatch", Invalid,
        "`{path}` is of type `{found}`, so a column of type `{shown}` is always empty; correct the type",
        example: "type: integer\njsonPath: .spec.name";

    /// The `scale` subresource reads a field that the schema does not have.
    SCALE_WITHOUT_FIELD = "scale-without-field", Invalid,
        "the schema has no `{path}`, so scaling does not work; correct the path or declare the field",
        example: "scale: {specReplicasPath: .spec.replica}";

    /// Rules run for each item of an unlimited list or map, so their estimated cost is that of the largest possible object.
    UNBOUNDED_RULES = "unbounded-rules", Invalid,
        "rules run for each of an unlimited number of {what}; set `{keyword}` to bound their cost",
        example: "type: array\nitems: {x-kubernetes-validations: []}";

    /// An enumeration has one value twice.
    ENUM_REPEATED = "enum-repeated", Duplicate, "{value} is listed twice; remove one",
        example: "enum: [a, a]";

    /// A value of an enumeration is excluded by another keyword of the same schema, so no object can have it.
    ENUM_EXCLUDED = "enum-excluded", Invalid,
        "no object can have this value, because `{keyword}` excludes it; remove it or change `{keyword}`",
        example: "type: string\nmaxLength: 3\nenum: [low, high]";

    /// A field has no description, so `kubectl explain` and reference pages say nothing about it.
    DESCRIPTION_MISSING = "description-missing", Required,
        "`{field}` has no description; say what it is for",
        example: "properties: {size: {type: integer}}";

    /// A list of objects does not say how it is merged, so server-side apply replaces it as a whole.
    LIST_TYPE_MISSING = "list-type-missing", Required,
        "this list of objects has no `x-kubernetes-list-type`, so server-side apply replaces it as a whole; set it to `map` and name the keys, or to `atomic`",
        example: "type: array\nitems: {type: object}";

    /// A number may have a fraction. Fractions are not the same in all programs and formats.
    FRACTIONAL_NUMBER = "fractional-number", Invalid,
        "fractions are not the same in all clients; use an integer in a smaller unit, or a quantity as a string",
        example: "type: number";

    /// `status.conditions` is not a list of conditions as tools and people know it.
    CONDITIONS_SHAPE = "conditions-shape", Invalid,
        "`status.conditions` {problem}; use the fields of `metav1.Condition` in a list map with the key `type`",
        example: "conditions: {type: array, items: {type: string}}";

    /// A field is not named in camelCase.
    FIELD_NAME = "field-name", Invalid,
        "`{field}` is not in camelCase; name it as clients of the Kubernetes API expect",
        example: "properties: {max_size: {type: integer}}";

    /// A field with a point in time is called a timestamp.
    TIMESTAMP_NAME = "timestamp-name", Invalid,
        "the names of points in time end in `Time`, not in `Timestamp`; rename `{field}`",
        example: "properties: {startTimestamp: {type: string, format: date-time}}";

    /// A value of an enumeration is not in `PascalCase`.
    ENUM_NAME = "enum-name", Invalid,
        "`{value}` is not in PascalCase, the form of enumerated values in the Kubernetes API",
        example: "enum: [read-only, ReadWrite]";

    /// An enumeration selects one of the fields beside it and may change later, which leaves an object with the fields of
    /// both.
    ENUM_MUTABLE = "enum-mutable", Invalid,
        "`{field}` selects one of the fields beside it and can be changed later; make it immutable with the rule `self == oldSelf`, or say with a rule what a change has to come with",
        example: "properties: {type: {enum: [Disk]}, disk: {type: object}}";

    /// An integer does not say how large it may be.
    INTEGER_FORMAT = "integer-format-missing", Required,
        "this integer has no format; say `int32` or `int64`, so that clients know which type to use",
        example: "type: integer";

    /// A text, list or map outside the status may be of any size.
    LIMIT_MISSING = "limit-missing", Required,
        "there is no `{keyword}`; set one to bound the size of objects and the cost of rules",
        example: "type: array\nitems: {type: string}";

    /// A field is true or false. A third choice cannot be added to it later.
    BOOLEAN_FIELD = "boolean-field", Invalid,
        "a boolean cannot get a third value later; use an enumeration of strings",
        example: "type: boolean";

    /// A duration is a string, which clients have to parse as Go does.
    DURATION_FIELD = "duration-field", Invalid,
        "only Go reads `format: duration` easily; use an integer and name the unit, as in `timeoutSeconds`",
        example: "type: string\nformat: duration";

    /// A map has objects for values. A list of named objects is easier to extend and to merge.
    MAP_OF_OBJECTS = "map-of-objects", Invalid,
        "this map has objects for values; use a list of named objects with `x-kubernetes-list-type: map`",
        example: "additionalProperties: {type: object, properties: {size: {}}}";

    /// The items of a list have fields, none of which is required, so an item may be empty.
    ITEMS_OPTIONAL = "items-optional", Required,
        "no field of these items is required, so an empty object is one; require at least what identifies an item",
        example: "items: {type: object, properties: {name: {type: string}}}";

    /// A field may be null, which many clients take for a field that is absent.
    NULLABLE_FIELD = "nullable-field", Invalid,
        "many clients cannot tell null from an absent field; make the field optional instead of nullable",
        example: "nullable: true";

    /// A field has a default and is required, although it is never absent.
    REQUIRED_DEFAULT = "required-default", Invalid,
        "`{field}` has a default, so it is never absent; do not require it",
        example: "required: [size]\nproperties: {size: {default: 1}}";

    /// Fields that the schema does not declare are kept and not validated.
    UNKNOWN_FIELDS_KEPT = "unknown-fields-kept", Invalid,
        "unknown fields are kept here and never validated; declare the fields",
        example: "x-kubernetes-preserve-unknown-fields: true";

    /// The status has a phase. Conditions replaced it, because a phase cannot be extended.
    PHASE_FIELD = "phase-field", Invalid,
        "`status.phase` is a pattern that the API conventions deprecate; use conditions",
        example: "status: {properties: {phase: {type: string}}}";

    /// A field directly in the status is required, so that a controller cannot write the status step by step.
    STATUS_FIELD_REQUIRED = "status-field-required", Invalid,
        "`{field}` is required in the status, which controllers write step by step; make it optional",
        example: "status: {required: [ready]}";
}
