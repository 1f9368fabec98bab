//! Where codecs stand in a document, and converting what is there.
//!
//! Takes a document and the schemas that apply to it; changes each value that has a codec and gives an issue for each
//! one that its codec refuses.

use super::codec::{Codec, Codecs};
use super::project::is_container;
use super::scope::{Applied, Ids, Scope};
use crate::compiled::CompiledSchema;
use crate::validate::Fits;
use crdkit_issue::{FieldPath, Issue, codes};
use crdkit_schema::compile::{Id, Member};
use crdkit_value::{Document, NodeId, Value};
use std::collections::BTreeSet;

/// Which way values are converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// From the wire to the program.
    Decode,
    /// From the program to the wire.
    Encode,
    /// Not at all: values of the program are looked at.
    Check,
}

/// The values of `document`, whose schemas are `ids`, that have a codec.
fn places<'c>(
    schema: &CompiledSchema,
    codecs: &'c Codecs,
    (ids, base): (Ids, &FieldPath),
    document: &Document,
    way: Way,
) -> Vec<(NodeId, &'c dyn Codec)> {
    if codecs.is_empty() {
        return Vec::new();
    }
    let scope = Scope::new(schema);
    let as_wire = |id: Id, value: Value<'_>| {
        let mut copy = Document::copy_of(value);
        let nothing = BTreeSet::new();
        let at = (&nothing, [Applied::new(id, true)].into(), &value.path().rebase(base));
        convert_part(schema, codecs, Way::Encode, at, &mut copy);
        copy
    };
    let fits = Fits::new(schema, document);
    let fits = if way == Way::Decode { fits } else { fits.made_into(&as_wire) };
    let mut found = Vec::new();
    let mut pending = vec![(document.root(), ids)];
    while let Some((value, ids)) = pending.pop() {
        if value.is_null() {
            continue;
        }
        let nodes = scope.nodes_of(&ids, value, &fits);
        if let Some(codec) = codecs.find(base, value, scope.formats(&nodes)) {
            // What is inside belongs to the codec.
            found.push((value.id(), codec));
            continue;
        }
        for (key, member) in value.members() {
            match scope.member(&nodes, key, false) {
                Member::Known(ids) => pending.push((member, ids)),
                // Codecs by path reach into what no schema declares.
                _ => pending.push((member, [].into())),
            }
        }
        let alike = (nodes.items_alike() && is_container(value)).then(|| nodes.item(0));
        for (index, item) in value.items().enumerate() {
            let ids = alike.clone().unwrap_or_else(|| nodes.item(index));
            pending.push((item, ids));
        }
    }
    found.sort_by_key(|(id, _)| *id);
    found
}

/// Converts what has a codec and is not among `skip`. Gives the ids of what was converted, and what went
/// wrong.
pub(super) fn convert(
    schema: &CompiledSchema,
    codecs: &Codecs,
    way: Way,
    skip: &BTreeSet<NodeId>,
    document: &mut Document,
) -> (Vec<NodeId>, Vec<(NodeId, Issue)>) {
    convert_part(
        schema,
        codecs,
        way,
        (skip, Scope::new(schema).root(), &FieldPath::root()),
        document,
    )
}

/// The same for a document that is a part of one: its schemas and where it stands come with `skip`.
pub(super) fn convert_part(
    schema: &CompiledSchema,
    codecs: &Codecs,
    way: Way,
    (skip, ids, base): (&BTreeSet<NodeId>, Ids, &FieldPath),
    document: &mut Document,
) -> (Vec<NodeId>, Vec<(NodeId, Issue)>) {
    let (mut converted, mut found) = (Vec::new(), Vec::new());
    for (id, codec) in places(schema, codecs, (ids, base), document, way) {
        if skip.contains(&id) {
            continue;
        }
        let value = document.value(id);
        let outcome = match way {
            Way::Decode => codec.decode(value).and_then(|domain| {
                codec.check(domain.root())?;
                Ok(Some(domain))
            }),
            Way::Encode => codec.encode(value).map(Some),
            Way::Check => codec.check(value).map(|()| None),
        };
        match outcome {
            Ok(Some(new)) if new.root() == value => {}
            Ok(Some(new)) => {
                document.set(id, new.root());
                converted.push(id);
            }
            Ok(None) => {}
            Err(problem) => {
                let issue = Issue::error(codes::domain::CODEC_MISMATCH)
                    .with("codec", codec.name())
                    .with("problem", problem);
                found.push((id, issue.at(document.path(id))));
            }
        }
    }
    (converted, found)
}
