//! Findings about what was handed in: objects that nothing is known about.

codes! {
    /// A document is not a Kubernetes object: not a mapping, or without `apiVersion` or `kind`.
    NOT_AN_OBJECT = "not-an-object", Decode, "this is not a Kubernetes object: {problem}",
        example: "- just\n- a list";

    /// No CRD was given for the kind of an object.
    NO_SCHEMA = "no-schema", Decode,
        "there is no CRD for {kind} in group `{group}`; name its file or directory with `--crds`",
        example: "apiVersion: example.com/v1\nkind: Unheard";

    /// The CRD of an object does not serve the version the object is written in.
    UNKNOWN_VERSION = "unknown-version", Decode,
        "{kind} is not served in version `{version}`; it is served in {served}",
        example: "apiVersion: example.com/v0";

    /// An update was asked for, and there is no old object of that name.
    NO_OLD_OBJECT = "no-old-object", NotFound, "there is no old object to compare {name} with",
        example: "";
}
