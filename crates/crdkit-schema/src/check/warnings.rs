//! What the server warns about and accepts.

use super::options::{subtree, used};
use crate::model::{Crd, Schema};
use crdkit_issue::{Issue, codes};
use crdkit_text::formats::TextFormat;
use crdkit_text::quote::quote;
use std::collections::BTreeSet;

/// Warnings about `crd`, in the place of `old` if there is one: what was there before is not
/// mentioned again.
pub fn warnings(crd: &Crd<'_>, old: Option<&Crd<'_>>, compatibility: u32) -> Vec<Issue> {
    let formats_before: BTreeSet<&str> =
        old.into_iter().flat_map(|old| formats(old, compatibility)).collect();
    let sets_before: BTreeSet<&str> = old.into_iter().flat_map(sets).collect();
    let formats = formats(crd, compatibility);
    let formats = formats.filter(|format| !formats_before.contains(format)).map(|format| {
        Issue::warning(codes::crd::FORMAT_UNRECOGNIZED).with("format", quote(format))
    });
    let sets: BTreeSet<&str> = sets(crd).filter(|it| !sets_before.contains(it)).collect();
    let sets = sets.into_iter().map(|type_name| {
        Issue::warning(codes::crd::SET_OF_COLLECTIONS).with("type", quote(type_name))
    });
    formats.chain(sets).collect()
}

fn all<'c, 'd>(crd: &'c Crd<'d>) -> impl Iterator<Item = &'c Schema<'d>> {
    let ids = used(crd).flat_map(|root| subtree(&crd.schemas, root));
    ids.map(|id| crd.schemas.get(id))
}

fn formats<'d>(crd: &Crd<'d>, compatibility: u32) -> impl Iterator<Item = &'d str> {
    let unknown = move |schema: &&Schema<'_>| match schema.type_name {
        _ if schema.format.is_empty() => false,
        "" | "string" => {
            TextFormat::parse(schema.format).is_none_or(|it| it.since_minor() > compatibility)
        }
        "integer" => !matches!(schema.format, "int32" | "int64"),
        "number" => !matches!(schema.format, "float" | "double"),
        _ => true,
    };
    all(crd).filter(unknown).map(|schema| schema.format)
}

fn sets<'d>(crd: &Crd<'d>) -> impl Iterator<Item = &'d str> {
    let sets = all(crd).filter(|schema| schema.extensions().list_type == Some("set"));
    let items = sets.filter_map(Schema::item_schema);
    let types = items.map(|item| crd.schemas.get(item).type_name);
    types.filter(|type_name| matches!(*type_name, "object" | "array"))
}
