//! Documents written down in a program.
//!
//! ```
//! use crdkit_value::Document;
//!
//! let port = Document::object().with("name", "http").with("port", 80);
//! let service = Document::object().with("ports", &Document::array_of([&port]));
//! assert_eq!(format!("{service:?}"), r#"{"ports": [{"name": "http", "port": 80}]}"#);
//! ```

use crate::{Document, NewValue, NodeId};

impl Document {
    /// The document `{}`.
    pub fn object() -> Self {
        Self::from(NewValue::EmptyObject)
    }

    /// The document `[]`.
    pub fn array() -> Self {
        Self::from(NewValue::EmptyArray)
    }

    /// An array of `items`.
    pub fn array_of<'v, V: Into<NewValue<'v>>>(items: impl IntoIterator<Item = V>) -> Self {
        let mut array = Self::array();
        for item in items {
            array.push(NodeId::ROOT, item);
        }
        array
    }

    /// This object with the member `key`, in place of one that has that key. Anything else than an object
    /// stays as it is.
    #[must_use]
    pub fn with<'v>(mut self, key: &str, value: impl Into<NewValue<'v>>) -> Self {
        self.insert(NodeId::ROOT, key, value);
        self
    }
}

/// Ids in a [`NewValue`] are those of the document it is put into, so here they name `null`.
impl<'v, V: Into<NewValue<'v>>> From<V> for Document {
    fn from(value: V) -> Self {
        let value = value.into();
        if let NewValue::CopyOf(value) = value {
            return Self::copy_of(value);
        }
        let mut document = Self::null();
        document.set(NodeId::ROOT, value);
        document
    }
}
