//! Findings of admission policies, and about them.

codes! {
    stage: Refine, short: ShortName::Prefixed("");

    /// An admission policy does not allow the object.
    DENIED = "policy-denied", Forbidden,
        "policy `{policy}` with binding `{binding}`: {text}", server: "{text}", example: "replicas: 100 # five are allowed";

    /// A mutating policy failed.
    FAILED = "policy-failed", Forbidden, "{text}", example: "expression: object.spec.nothing + 1";

    /// An expression of a policy does not compile, or may have a result of the wrong type.
    EXPRESSION = "policy-expression", Invalid,
        "{problem}", example: "validations: [{expression: object.spec.replicas <}]";

    /// An expression of a policy does not fit the objects that the policy matches.
    TYPE = "policy-type", Invalid,
        "{kind}: {problem}", example: "validations: [{expression: object.spec.replcas < 5}]";

    /// No binding refers to the policy, so it has no effect.
    UNBOUND = "policy-unbound", Invalid,
        "policy `{policy}` has no binding here, so it has no effect", example: "kind: ValidatingAdmissionPolicy";
}
