//! Findings of the compat stage: what it is told to compare, and how.

codes! {
    /// The configuration of a comparison is not one.
    CONFIG_INVALID = "config-invalid", Invalid, "{problem}", example: "conversion: Sometimes";
}
