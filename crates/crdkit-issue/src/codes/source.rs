//! Findings about what was handed in: objects that nothing is known about.

codes! {
    stage: Rule, short: ShortName::Prefixed("");

    /// A document is not a Kubernetes object: not a mapping, or without `apiVersion` or `kind`.
    NOT_AN_OBJECT = "not-an-object", Decode, "this is not a Kubernetes object: {problem}",
        meaning: NotJudged, example: "- just\n- a list";

    /// A list is an item of another list. Lists are expanded, but lists inside them are not, as in other clients.
    NESTED_LIST = "nested-list", Decode,
        "a list inside a list is not expanded; move its items to the outer list",
        meaning: NotJudged, example: "kind: List\nitems:\n- kind: List\n  items: []";

    /// No CRD was given for the kind of an object.
    NO_SCHEMA = "no-schema", Decode, "there is no CRD for {kind} in {group}; {hint}",
        meaning: NotJudged, example: "apiVersion: example.com/v1\nkind: Unheard";

    /// The CRD of an object does not serve the version the object is written in.
    UNKNOWN_VERSION = "unknown-version", Decode,
        "{kind} is not served in version `{version}`; it is served in {served}",
        example: "apiVersion: example.com/v0";

    /// The CRD or schema of an object cannot be used.
    UNUSABLE_SCHEMA = "unusable-schema", Internal, "the schema of {kind} cannot be used: {problem}",
        meaning: NotJudged, example: "";

    /// An object has a kind that `--reject` forbids.
    REJECTED_KIND = "rejected-kind", Forbidden, "objects of kind {kind} are rejected by `--reject`",
        meaning: NotJudged, example: "kind: Secret";

    /// An OpenAPI document of version 2 describes kinds, and leaves too much out to judge objects by: defaults, alternatives,
    /// and everything inside of what may be null.
    OPENAPI_V2 = "openapi-v2", Decode,
        "OpenAPI of version 2 leaves out defaults, alternatives and what is inside of nullable fields; name documents of \
         version 3, as `kubectl get --raw /openapi/v3/apis/GROUP/VERSION` gives them, or `kube:`",
        meaning: NotJudged, example: "swagger: \"2.0\"";

    /// Two CRDs of one name have different content.
    CRD_CONFLICT = "crd-conflict", Invalid,
        "`{name}` is defined differently in {other}; {counts}",
        example: "metadata: {name: lamps.example.com} # in two files";

    /// The configuration file has a key that is not a setting.
    CONFIG_KEY = "config-unknown-key", Decode, "there is no setting `{key}`; settings are {known}",
        example: "crd: [crds/]";

    /// The configuration file has an invalid value for a setting.
    CONFIG_VALUE = "config-value", Decode, "the setting must be {expected}", example: "crds: true";

    /// A comment that silences findings does not name a code, or gives no reason.
    IGNORE_INCOMPLETE = "ignore-incomplete", Decode,
        "write `# crdkit-ignore: CODE reason`; {problem}",
        example: "# crdkit-ignore: unknown-field";

    /// A comment silences a finding that does not occur on its line.
    IGNORE_UNUSED = "ignore-unused", Decode,
        "there is no `{code}` here to ignore; remove the comment",
        example: "# crdkit-ignore: unknown-field the controller reads it";
}
