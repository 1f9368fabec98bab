//! Findings about objects of native kinds, by the reason that the server gives; what it says is `detail`, in the server's own words, and
//! `text` for people. Which check it was is `check`.

codes! {
    stage: Refine, short: ShortName::Prefixed("");

    /// A kind is written in a version that Kubernetes no longer serves.
    REMOVED = "removed-version", Decode,
        "{kind} in `{version}` is no longer served as of Kubernetes {release}{replacement}",
        stage: Type, example: "apiVersion: extensions/v1beta1";

    /// A value of a native kind breaks a rule.
    INVALID = "native-invalid", Invalid, "{text}", server: "{detail}", example: "ports: [{containerPort: 0}]";

    /// A field that a native kind cannot be without is absent.
    REQUIRED = "native-required", Required, "{text}", server: "{detail}", short: "required",
        example: "containers: []";

    /// A field of a native kind may not be set, or not be changed, here.
    FORBIDDEN = "native-forbidden", Forbidden, "{text}", server: "{detail}",
        example: "volumes: [{emptyDir: {}, hostPath: {path: /}}]";

    /// A value of a native kind is not one of those that are supported.
    UNSUPPORTED = "native-unsupported", NotSupported, "{text}", server: "{detail}", short: "invalid_value",
        example: "restartPolicy: Sometimes";

    /// A value of a native kind that must be unique occurs again.
    DUPLICATE = "native-duplicate", Duplicate, "{text}", server: "{detail}",
        example: "ports: [{name: http}, {name: http}]";

    /// An object of a native kind names something that it does not have.
    NOT_FOUND = "native-not-found", NotFound, "{text}", server: "{detail}",
        example: "volumeMounts: [{name: missing, mountPath: /a}]";

    /// A text of a native kind has too many bytes.
    TOO_LONG = "native-too-long", TooLong, "{text}", server: "{detail}", example: "data: # more than a mebibyte";

    /// A review does not say what it is about.
    INCOMPLETE = "native-incomplete", Decode, "{text}", server: "{detail}", stage: Type,
        example: "kind: TokenReview # without a token";

    /// A list of a native kind has too many entries.
    TOO_MANY = "native-too-many", TooMany, "{text}", server: "{detail}", example: "hostAliases: # too many";
}
