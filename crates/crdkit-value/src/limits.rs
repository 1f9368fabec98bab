//! How much of a document is accepted.

/// Bounds on what a decoder takes in; the edge that knows who sends the bytes decides them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one document's source. Offsets are kept in 32 bits, so values above 4 GiB mean 4 GiB.
    pub bytes: usize,
    /// Arrays and objects inside one another.
    pub depth: usize,
    /// Values in one document, counting what YAML aliases expand to.
    pub nodes: usize,
    /// Bytes of text that YAML aliases may repeat in one document.
    pub alias_bytes: usize,
    /// Bytes of values that defaults may add to one document.
    pub default_bytes: usize,
    /// Bytes of values that one evaluation of a rule may make.
    pub rule_bytes: usize,
    /// Findings collected before the rest is left out.
    pub issues: usize,
}

impl Default for Limits {
    /// What a person's own files may reasonably hold; the depth is the API server's.
    fn default() -> Self {
        Self {
            bytes: 1 << 30,
            depth: 10_000,
            nodes: 1 << 27,
            alias_bytes: 16 << 20,
            default_bytes: 64 << 20,
            rule_bytes: 64 << 20,
            issues: 1_000,
        }
    }
}
