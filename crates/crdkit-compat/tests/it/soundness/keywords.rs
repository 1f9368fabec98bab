//! Keywords of each type, with values as YAML: enough of each for two schemas to be close to one another.

/// Keywords and their values.
pub(super) type Table = &'static [(&'static str, &'static [&'static str])];

pub(super) const TEXT: Table = &[
    ("maxLength", &["0", "1", "2", "3", "-1", "9223372036854775807"]),
    ("minLength", &["0", "1", "2", "-1"]),
    ("pattern", &["^a", "a$", "'^[ab]*$'", "'^a*b?$'", "b", "'^(ab|ba)?$'"]),
    ("enum", &["[a]", "[a, ab]", "['', b]", "[a, null]", "[1, a]"]),
    ("nullable", &["true"]),
    ("format", &["ipv4", "date", "byte", "duration", "uuid", "uuid4", "password", "unheard-of"]),
    ("default", &["ab", "a", "''", "192.0.2.1"]),
    ("maxItems", &["0", "-1"]),
    ("minimum", &["3"]),
    ("not", &["{maxLength: 1}", "{pattern: ^a}", "{enum: [a]}"]),
    ("allOf", &["[{maxLength: 2}]", "[{pattern: a}, {minLength: 1}]"]),
    ("anyOf", &["[{maxLength: 1}, {pattern: b}]", "[{enum: [a]}, {minLength: 2}]"]),
    ("oneOf", &["[{maxLength: 1}, {pattern: b}]", "[{enum: [a]}, {minLength: 2}]"]),
    (
        RULES,
        &[
            "[{rule: 'size(self) < 3'}]",
            "[{rule: 'size(self) < 2'}]",
            "[{rule: \"self != 'a'\"}]",
            "[{rule: \"self.startsWith('a')\"}]",
            "[{rule: \"self.matches('^a*$')\"}]",
            "[{rule: 'self == oldSelf'}]",
        ],
    ),
];
pub(super) const NUMBER: Table = &[
    (
        "minimum",
        &["-2", "0", "1", "3", "1.5", "-1.5", "1.0", "-1e20", "1e20", "2147483648", "1e39"],
    ),
    ("maximum", &["0", "2", "3", "5", "2.5", "-0.5", "5.0", "1e20", "-1e20", "2147483647", "1e39"]),
    ("exclusiveMinimum", &["true"]),
    ("exclusiveMaximum", &["true"]),
    ("multipleOf", &["2", "4", "6", "0.1", "1.0", "0.5", "1.5", "1e20", "3"]),
    ("enum", &["[1]", "[1, 2]", "[2, 4]", "[1.0]", "[2.5, 2]", "[a, 2]", "[1, null]", "[1e20]"]),
    ("nullable", &["true"]),
    ("format", &["int32", "int64", "float", "double"]),
    ("default", &["1", "2"]),
    ("not", &["{minimum: 3}", "{enum: [1]}"]),
    ("anyOf", &["[{minimum: 3}, {maximum: 1}]", "[{multipleOf: 2}, {minimum: 1}]"]),
    ("oneOf", &["[{minimum: 3}, {maximum: 1}]", "[{multipleOf: 2}, {minimum: 1}]"]),
    ("allOf", &["[{minimum: 1}]", "[{maximum: 3}]"]),
    (RULES, &["[{rule: 'self > 1'}]", "[{rule: 'self >= 1'}]", "[{rule: 'self >= oldSelf'}]"]),
];
pub(super) const EITHER: Table = &[
    ("minimum", &["0", "1", "0.5", "-1e20"]),
    ("maximum", &["2", "3", "2.5", "1e20"]),
    ("multipleOf", &["2", "0.1", "1.5", "4"]),
    ("maxLength", &["1", "2", "-1"]),
    ("minLength", &["1"]),
    ("pattern", &["^a", "'^[ab]*$'"]),
    ("enum", &["[1, a]", "[ab]", "[1.0, a]", "[2, a, null]"]),
    ("format", &["int32", "ipv4"]),
    ("nullable", &["true"]),
    ("default", &["1", "a"]),
    ("anyOf", &["[{type: integer}, {type: string}]"]),
    (RULES, &["[{rule: \"self == 1 || self == 'a'\"}]"]),
];
pub(super) const BOOLEAN: Table = &[
    ("enum", &["[true]"]),
    ("nullable", &["true"]),
    ("default", &["true", "false"]),
    (RULES, &["[{rule: self}]"]),
];
pub(super) const ANYTHING: Table = &[
    ("nullable", &["true"]),
    ("default", &["a", "{a: a}"]),
    ("maxLength", &["1", "-1"]),
    ("minimum", &["1.5", "1"]),
    ("maximum", &["1e20", "3"]),
    ("multipleOf", &["0.5"]),
    ("maxItems", &["1", "-1"]),
    ("maxProperties", &["1", "-1"]),
    ("format", &["ipv4", "int32"]),
    ("enum", &["[{a: 1}, 1]", "[{a: 1.0}, 1.0]", "[a, null]"]),
];
pub(super) const LIST: Table = &[
    ("minItems", &["0", "1", "2", "-1"]),
    ("maxItems", &["0", "1", "2", "3", "-1", "9223372036854775807"]),
    ("enum", &["[[], [a]]", "[[1]]", "[[1.0], null]"]),
    (LIST_TYPE, &["set", "map", "map", "atomic"]),
    (KEYS, &["[a]", "[a, b]", "[b]"]),
    ("nullable", &["true"]),
    ("default", &["[]"]),
    (PRESERVE, &["true"]),
    ("not", &["{minItems: 2}", "{maxItems: 0}"]),
    ("anyOf", &["[{maxItems: 1}, {minItems: 3}]"]),
    ("oneOf", &["[{maxItems: 1}, {minItems: 3}]"]),
    ("allOf", &["[{items: {maxLength: 1}}]", "[{maxItems: 2}]"]),
    (
        RULES,
        &[
            "[{rule: 'size(self) < 2'}]",
            "[{rule: 'size(self) < 3'}]",
            "[{rule: 'self.all(x, has(x.a))'}]",
            "[{rule: 'self.exists(x, has(x.a))'}]",
            "[{rule: \"self.all(x, x != 'a')\"}]",
            "[{rule: 'size(self) >= size(oldSelf)'}]",
        ],
    ),
];
pub(super) const OBJECT: Table = &[
    ("required", &["[a]", "[b]", "[a, b]", "[a, a]"]),
    (PRESERVE, &["true"]),
    ("minProperties", &["1", "2", "-1"]),
    ("maxProperties", &["0", "1", "2", "-1", "9223372036854775807"]),
    ("x-kubernetes-map-type", &["atomic", "granular"]),
    (EMBEDDED, &["true"]),
    ("nullable", &["true"]),
    ("default", &["{}", "{a: ab}", "{a: 1}", "{b: {}}"]),
    ("enum", &["[{}, {a: a}]", "[{a: ab}]", "[{a: 1}, null]", "[{a: 1.0}]"]),
    ("not", &["{required: [a]}", "{required: [a, b]}", "{properties: {a: {enum: [a]}}}"]),
    (
        "anyOf",
        &[
            "[{required: [a]}, {required: [b]}]",
            "[{required: [a]}]",
            "[{properties: {a: {maxLength: 1}}}, {required: [b]}]",
            "[{required: [a], properties: {a: {maxLength: 1}}}]",
            "[{required: [a], properties: {a: {minimum: 2}}}]",
        ],
    ),
    (
        "oneOf",
        &[
            "[{required: [a]}, {required: [b]}]",
            "[{required: [a]}]",
            "[{required: [a]}, {required: [a]}, {required: [b]}]",
            "[{required: [a]}, {required: [b]}, {required: [b]}]",
            "[{properties: {a: {maxLength: 1}}}, {required: [b]}]",
        ],
    ),
    (
        "allOf",
        &[
            "[{required: [a]}]",
            "[{properties: {a: {maxLength: 2}}}]",
            "[{maxProperties: 1}]",
            "[{anyOf: [{required: [a]}, {required: [b]}]}]",
        ],
    ),
    (
        RULES,
        &[
            "[{rule: '!has(self.a)'}]",
            "[{rule: 'has(self.a)'}]",
            "[{rule: 'has(self.a) || has(self.b)'}]",
            "[{rule: 'has(self.a) && has(self.b)'}]",
            "[{rule: \"!has(self.a) || self.a == 'a'\"}]",
            "[{rule: '!has(self.a) || size(self.a) < 2'}]",
            "[{rule: '!has(self.a.a) || has(self.b)'}]",
            "[{rule: 'has(self.a) == has(oldSelf.a)'}]",
            "[{rule: 'self == oldSelf'}]",
            "[{rule: 'self.a > 1'}]",
        ],
    ),
];
pub(super) const MAP: Table = &[
    ("required", &["[a]"]),
    ("minProperties", &["1", "2", "-1"]),
    ("maxProperties", &["0", "1", "2", "-1", "9223372036854775807"]),
    ("x-kubernetes-map-type", &["atomic", "granular"]),
    ("nullable", &["true"]),
    ("default", &["{}", "{a: ab}"]),
    ("not", &["{required: [a]}", "{maxProperties: 0}"]),
    ("anyOf", &["[{required: [a]}, {required: [b]}]"]),
    ("allOf", &["[{maxProperties: 1}]"]),
    (
        RULES,
        &[
            "[{rule: 'size(self) < 2'}]",
            "[{rule: \"self.all(k, k == 'a')\"}]",
            "[{rule: \"!('a' in self)\"}]",
            "[{rule: 'self.all(k, self[k] == self[k])'}]",
        ],
    ),
];

pub(super) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
pub(super) const EMBEDDED: &str = "x-kubernetes-embedded-resource";
pub(super) const RULES: &str = "x-kubernetes-validations";
pub(super) const LIST_TYPE: &str = "x-kubernetes-list-type";
pub(super) const KEYS: &str = "x-kubernetes-list-map-keys";
