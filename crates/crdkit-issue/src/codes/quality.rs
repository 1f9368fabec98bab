//! Findings about CRDs that the API server takes and that are mistakes all the same, or depart from the conventions of
//! the Kubernetes API. The message says what is wrong and what to do.

codes! {
    stage: Rule, short: ShortName::Prefixed("");

    /// A lower limit is above the upper one, so that no value is possible.
    IMPOSSIBLE_BOUNDS = "impossible-bounds", Invalid,
        "no value satisfies both {low} and {high}; raise one or lower the other",
        example: "minimum: 10\nmaximum: 5";

    /// A field is required that the schema does not have, so that unknown fields are pruned and no object is accepted.
    REQUIRED_UNDECLARED = "required-undeclared", Invalid,
        "`{field}` is required but not declared under `properties`, so that it is pruned and no object is accepted; declare it",
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

    /// A printer column reads a field that the schema does not have, so that it is always empty.
    COLUMN_WITHOUT_FIELD = "column-without-field", Invalid,
        "the schema has no `{path}`, so that the column is always empty; correct the path",
        example: "jsonPath: .spec.replica";

    /// Rules run for each item of a list or map that may have any number of them, so that their estimated cost is that of
    /// the largest object there can be.
    UNBOUNDED_RULES = "unbounded-rules", Invalid,
        "rules run for each of any number of {what} here; set `{keyword}` to bound what they cost",
        example: "type: array\nitems: {x-kubernetes-validations: []}";

    /// An enumeration has one value twice.
    ENUM_REPEATED = "enum-repeated", Duplicate, "{value} is listed twice; remove one",
        example: "enum: [a, a]";

    /// A field has no description, so that `kubectl explain` and reference pages say nothing about it.
    DESCRIPTION_MISSING = "description-missing", Required,
        "`{field}` has no description; say what it is for, in a sentence that begins with its name or meaning",
        example: "properties: {size: {type: integer}}";

    /// A list of objects does not say how it is merged, so that server-side apply replaces it as a whole.
    LIST_TYPE_MISSING = "list-type-missing", Required,
        "this list of objects has no `x-kubernetes-list-type`, so that server-side apply replaces it as a whole; say `map` with its keys, or `atomic`",
        example: "type: array\nitems: {type: object}";

    /// A number may have a fraction. Fractions are not the same in all programs and formats.
    FRACTIONAL_NUMBER = "fractional-number", Invalid,
        "`type: number` is not the same in all clients; use an integer in a smaller unit, or a quantity as a string",
        example: "type: number";

    /// `status.conditions` is not a list of conditions as tools and people know it.
    CONDITIONS_SHAPE = "conditions-shape", Invalid,
        "`status.conditions` {problem}; use the fields of `metav1.Condition` in a list map with the key `type`",
        example: "conditions: {type: array, items: {type: string}}";
}
