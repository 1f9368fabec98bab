//! The meta-schemas of JSON Schema, which schemas may refer to by their well-known addresses.

use crdkit_codec::{DecodeOptions, json};
use crdkit_value::Document;

const DRAFT_4: &str = include_str!("../../resources/metaschema/draft-04.json");
const MODERN: &str = include_str!("../../resources/metaschema/2020-12.json");

/// The document at a well-known address.
pub(super) fn named(uri: &str) -> Option<Document> {
    let path = uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://"))?;
    if path == "json-schema.org/draft-04/schema" {
        return document(DRAFT_4);
    }
    let name = path.strip_prefix("json-schema.org/draft/2020-12/")?;
    let all = document(MODERN)?;
    all.root().get(name).map(Document::copy_of)
}

fn document(text: &str) -> Option<Document> {
    json::decode(text.as_bytes(), &DecodeOptions::default()).ok().map(|it| it.document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crdkit_value::Value;

    #[test]
    fn the_well_known_documents_are_at_hand() {
        for name in [
            "schema",
            "meta/core",
            "meta/applicator",
            "meta/unevaluated",
            "meta/validation",
            "meta/meta-data",
            "meta/format-annotation",
            "meta/content",
        ] {
            let uri = format!("https://json-schema.org/draft/2020-12/{name}");
            let found = named(&uri).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(found.root().get("$id").and_then(Value::as_str), Some(&*uri));
        }
        assert!(named("http://json-schema.org/draft-04/schema").is_some());
        assert!(named("https://example.com/schema").is_none());
    }
}
