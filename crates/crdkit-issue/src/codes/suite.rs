//! Findings of suites: cases that do not go as they say.

codes! {
    stage: Rule, short: ShortName::Prefixed("");

    /// A suite has something in it that cannot be understood.
    SUITE_FORMAT = "suite-format", Decode, "{problem}", meaning: NotJudged,
        example: "cases:\n- creates: {}";

    /// A case could not be run: its CRD or the object it begins with is missing or wrong.
    CASE_SETUP = "case-setup", Decode, "`{case}` could not be run: {problem}", meaning: NotJudged,
        example: "";

    /// An object was refused that was expected to be accepted.
    CASE_REFUSED = "case-refused", Decode, "`{case}` was expected to be accepted: {problem}",
        example: "create: {spec: {watts: 1000}}";

    /// An object was accepted that was expected to be refused.
    CASE_ACCEPTED = "case-accepted", Decode, "`{case}` was expected to be refused, but it was accepted",
        example: "create: {spec: {watts: 40}}\nerrors: [spec.watts]";

    /// What would be stored is not what a case says.
    CASE_OBJECT = "case-object", Decode, "`{case}` stores something other than expected",
        example: "create: {spec: {}}\nexpect: {spec: {watts: 41}}";

    /// An object was refused for other reasons than a case says.
    CASE_ERRORS = "case-errors", Decode, "`{case}` has errors other than those expected",
        example: "create: {spec: {watts: 1000}}\nerrors: [spec.colour]";

    /// The warnings are not those that a case names.
    CASE_WARNINGS = "case-warnings", Decode, "`{case}` has warnings other than those expected",
        example: "create: {spec: {}}\nwarnings: [deprecated]";
}
