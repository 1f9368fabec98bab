//! What the tests have in common.

use crdkit_codec::{DecodeOptions, Format};
use crdkit_server::catalogue::definition::Definition;
use crdkit_server::catalogue::resource::Resource;
use crdkit_server::table::{NativeRow, NativeRows};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Value};
use std::sync::Arc;

/// No native kinds.
pub(crate) struct NoNative;

impl NativeRows for NoNative {
    fn row(&self, _: &Resource, _: Value<'_>, _: Timestamp) -> NativeRow {
        NativeRow::default()
    }
}

pub(crate) fn no_definitions(_: &str) -> Option<&'static str> {
    None
}

/// What YAML or JSON says.
pub(crate) fn decode(text: &str) -> Document {
    Format::Yaml.decode(text.as_bytes(), &DecodeOptions::default()).expect("it is YAML").document
}

/// The resources of a CRD.
pub(crate) fn resources(crd: &str) -> Vec<Resource> {
    let document = decode(crd);
    let definition = Arc::new(Definition::new(&document).expect("it is a CRD"));
    Resource::custom(&definition, &document)
}
