//! The stages by name, for whoever wants to know where time goes.

/// A stage of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// From bytes to a document.
    Decode,
    /// Metadata: made canonical, prepared, checked.
    Metadata,
    /// Unknown fields and nulls that are not allowed.
    Prune,
    /// Resources inside the object: made canonical, checked.
    Embedded,
    /// Defaults.
    Defaults,
    /// The schema.
    Validate,
    /// Lists that are sets or maps.
    ListTypes,
    /// `x-kubernetes-validations`.
    Rules,
    /// What the storage version makes of the object.
    ReadBack,
}

/// Who is told that a stage has ended.
pub(crate) type Watch<'w> = Option<&'w mut (dyn FnMut(Stage) + Send + 'w)>;
