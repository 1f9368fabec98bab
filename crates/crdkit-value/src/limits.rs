//! How much of a document is accepted.

/// Bounds on what a decoder takes in; the edge that knows who sends the bytes decides them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one document's source. Offsets are kept in 32 bits, so values above 4 GiB mean 4 GiB.
    pub bytes: usize,
    /// Arrays and objects inside one another.
    pub depth: usize,
    /// Values in one document, counting what YAML aliases expand to.
    pub nodes: usize,
    /// Bytes of text that YAML aliases may repeat in one document, and in the documents of one stream together beyond
    /// what they have themselves.
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

impl Limits {
    /// The default choices.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes of one document's source. Offsets are kept in 32 bits, so values above 4 GiB mean 4 GiB.
    #[must_use]
    pub fn bytes(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }

    /// Arrays and objects inside one another.
    #[must_use]
    pub fn depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// Values in one document, counting what YAML aliases expand to.
    #[must_use]
    pub fn nodes(self, nodes: usize) -> Self {
        Self { nodes, ..self }
    }

    /// Bytes of text that YAML aliases may repeat in one document, and in the documents of one stream together beyond
    /// what they have themselves.
    #[must_use]
    pub fn alias_bytes(self, alias_bytes: usize) -> Self {
        Self { alias_bytes, ..self }
    }

    /// Bytes of values that defaults may add to one document.
    #[must_use]
    pub fn default_bytes(self, default_bytes: usize) -> Self {
        Self { default_bytes, ..self }
    }

    /// Bytes of values that one evaluation of a rule may make.
    #[must_use]
    pub fn rule_bytes(self, rule_bytes: usize) -> Self {
        Self { rule_bytes, ..self }
    }

    /// Findings collected before the rest is left out.
    #[must_use]
    pub fn issues(self, issues: usize) -> Self {
        Self { issues, ..self }
    }
}
