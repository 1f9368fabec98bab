//! Events: what every decoder says about a document, in document order.

/// One step through a document. Text is borrowed from the decoder until the next event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number that is an `i64`.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A number as it was written, under [`NumberMode::Text`] and [`NumberMode::Exact`].
    Number(&'a str),
    /// A string.
    String(&'a str),
    /// The key of the object member whose value follows.
    Key(&'a str),
    /// An array begins.
    BeginArray,
    /// The innermost array ends.
    EndArray,
    /// An object begins.
    BeginObject,
    /// The innermost object ends.
    EndObject,
}

/// What a decoder makes of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumberMode {
    /// `i64` where the text is one, `f64` otherwise; a number beyond both is refused.
    #[default]
    Value,
    /// `i64` or `f64` where that is exactly what the text says, the text as written otherwise.
    Exact,
    /// The text as written.
    Text,
}
