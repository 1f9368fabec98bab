//! What an owner applied before and does not any more: removed, unless somebody owns it.
//!
//! Sets have no structures, so that what is removed is found by taking everything away that the owner had, and
//! putting back what somebody owns, and then what the owner had no part in.

use super::Writer;
use super::entry::Entry;
use crate::set::Set;
use crate::typed::{Schema, fields, own_named, remove};
use crdkit_value::Document;

/// `merged` without what `last` owned and nobody does any more; none if that is all of it. `own` is the new entry of the same
/// owner, `others` are the entries of all others.
///
/// # Errors
/// Why an object cannot be converted to the version of an owner.
pub(super) fn prune(
    writer: &Writer<'_>,
    merged: &Document,
    others: &[Entry<'_>],
    own: &Entry<'_>,
    last: &Entry<'_>,
) -> Result<Option<Document>, String> {
    let at_once = last.api_version == own.api_version;
    let last_fields = last.fields.set();
    if last_fields.is_empty() || at_once && last_fields.is_subset(&own.fields.set()) {
        return Ok(None);
    }
    let Some(schema) = writer.versions.schema(last.api_version) else { return Ok(None) };
    let convert = |object: &Document, from: &str, to: &str| {
        if from == to { Ok(object.clone()) } else { writer.versions.convert(object, to) }
    };
    let mut known = Vec::new();
    for entry in others.iter().chain([own]) {
        if !known.contains(&entry.api_version) {
            known.push(entry.api_version);
        }
    }
    // The version of what is pruned comes first.
    known.sort_by_key(|version| *version != last.api_version);

    let converted = convert(merged, own.api_version, last.api_version)?;
    let mut all = last_fields.into_owned();
    own_named(&schema, &mut all);
    let mut pruned = converted.clone();
    remove(&schema, &mut pruned, &all);

    let mut current = last.api_version;
    let mut whole = converted.clone();
    for version in known {
        let Some(schema) = writer.versions.schema(version) else { continue };
        whole = convert(&whole, current, version)?;
        pruned = convert(&pruned, current, version)?;
        current = version;
        let owned = others.iter().chain([own]).filter(|entry| entry.api_version == version);
        let owned =
            owned.fold(Set::default(), |set, entry| set.union(entry.fields.set().into_owned()));
        pruned = {
            let unowned = named(&schema, fields(&schema, whole.root()))
                .difference(&named(&schema, fields(&schema, pruned.root())))
                .difference(&named(&schema, owned));
            let mut left = whole.clone();
            remove(&schema, &mut left, &unowned);
            left
        };
    }
    let pruned = convert(&pruned, current, last.api_version)?;
    let mut left = converted.clone();
    let gone = named(&schema, fields(&schema, converted.root()))
        .difference(&named(&schema, fields(&schema, pruned.root())))
        .intersection(&all);
    remove(&schema, &mut left, &gone);
    convert(&left, last.api_version, own.api_version).map(Some)
}

fn named<'a>(schema: &Schema<'a>, mut set: Set<'a>) -> Set<'a> {
    own_named(schema, &mut set);
    set
}
