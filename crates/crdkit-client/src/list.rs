//! Lists, and the pages they come in.

use crate::answer::text;
use crdkit_value::{Document, NodeId, Value};

/// Objects, and the version at which they were like that.
#[derive(Clone, Debug)]
pub struct List<T> {
    /// The objects.
    pub items: Vec<T>,
    /// The version of the list, from which it can be watched.
    pub resource_version: String,
    /// How to get the next page; empty if this is the last one.
    pub continue_token: String,
}

impl List<Document> {
    /// The list that a document is. Items that do not say what they are get to know it from their list.
    pub(crate) fn of(document: &Document) -> Self {
        let root = document.root();
        let of = |pointer: &str| text(root.pointer(pointer)).to_owned();
        let kind = text(root.get("kind"));
        let said = [
            ("apiVersion", text(root.get("apiVersion"))),
            ("kind", kind.strip_suffix("List").unwrap_or(kind)),
        ];
        let items = root.get("items").into_iter().flat_map(Value::items).map(|item| {
            let mut item = Document::copy_of(item);
            for (key, text) in said {
                if item.root().get(key).is_none() {
                    item.insert(NodeId::ROOT, key, text);
                }
            }
            item
        });
        Self {
            items: items.collect(),
            resource_version: of("/metadata/resourceVersion"),
            continue_token: of("/metadata/continue"),
        }
    }
}

impl<T> List<T> {
    pub(crate) fn try_map<U, E>(
        self,
        mut read: impl FnMut(T) -> Result<U, E>,
    ) -> Result<List<U>, E> {
        let Self { items, resource_version, continue_token } = self;
        let items = items.into_iter().map(&mut read).collect::<Result<_, _>>()?;
        Ok(List { items, resource_version, continue_token })
    }
}
