//! Objects reduced to their metadata.
//!
//! Takes objects, gives `PartialObjectMetadata` or a list of them, in version `v1` or `v1beta1` of `meta.k8s.io`.

use super::ListMeta;
use crdkit_value::{Document, Event, Value, Writer};

/// The metadata of `object`, as an object of `api_version`.
pub fn partial(api_version: &str, object: Value<'_>) -> Document {
    let mut writer = Writer::new();
    write(&mut writer, api_version, object);
    writer.finish()
}

/// The metadata of `objects`, as a list of `api_version`.
pub fn partial_list<'d>(
    api_version: &str,
    meta: &ListMeta<'_>,
    objects: impl IntoIterator<Item = Value<'d>>,
) -> Document {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.text("kind", "PartialObjectMetadataList");
        writer.text("apiVersion", api_version);
        meta.write(writer);
        let mut objects = objects.into_iter().peekable();
        if objects.peek().is_none() {
            // A list of Go's that was never begun.
            writer.key("items");
            writer.event(Event::Null);
            return;
        }
        writer.list("items", objects, |writer, object| write(writer, api_version, object));
    });
    writer.finish()
}

pub(super) fn write(writer: &mut Writer, api_version: &str, object: Value<'_>) {
    writer.object(|writer| {
        writer.text("kind", "PartialObjectMetadata");
        writer.text("apiVersion", api_version);
        match object.get("metadata") {
            Some(metadata) => writer.value("metadata", metadata),
            None => writer.nested("metadata", |_| {}),
        }
    });
}
