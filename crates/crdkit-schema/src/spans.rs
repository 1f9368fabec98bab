//! Where findings stand in the source: findings in, each with its span out.
//!
//! Documents are decoded without positions; when there is something to show, the same bytes are decoded
//! again with them, and ids are the same both times.

use crdkit_codec::Decoded;
use crdkit_issue::{Issue, Segment, Span, codes};
use crdkit_value::{Document, Kind, NodeId};
use std::collections::BTreeMap;

/// Gives every finding its place, which `again`, the same document with positions, knows; without it
/// `document` knows them itself. A finding that is only known to be about the object stands where its
/// path leads, and what is missing because it is among the `dropped` nulls stands there.
pub fn fill(
    found: &mut [(NodeId, Issue)],
    document: &Document,
    again: Option<&Decoded>,
    dropped: &[NodeId],
) {
    let (places, mut repeated) = match again {
        Some(decoded) => (&decoded.document, decoded.issues.iter()),
        None => (document, [].iter()),
    };
    let nulls: BTreeMap<_, NodeId> = dropped
        .iter()
        .map(|id| document.value(*id))
        .filter_map(|null| Some(((null.parent()?.id(), null.key()?), null.id())))
        .collect();
    for (id, issue) in found {
        if issue.span.is_some() {
            continue;
        }
        if issue.code == codes::decode::DUPLICATE_KEY {
            let same = repeated.find(|other| other.path == issue.path);
            issue.span = same.and_then(|other| other.span);
            if let Some(other) = same {
                issue.related.clone_from(&other.related);
            }
            continue;
        }
        let about = match *id {
            NodeId::ROOT => document.root().nearest(&issue.path).id(),
            id => id,
        };
        let null = match issue.path.segments().last() {
            Some(Segment::Field(key) | Segment::Key(key)) => nulls.get(&(about, &**key)),
            _ => None,
        };
        issue.span = of(document, places, null.copied().unwrap_or(about), issue);
    }
}

/// The place of `id`, or of the nearest value around it that was written.
pub fn of(document: &Document, places: &Document, id: NodeId, issue: &Issue) -> Option<Span> {
    let mut value = Some(document.value(id));
    let mut written = true;
    while let Some(here) = value {
        if let Some(place) = places.place(here.id()) {
            // An array or object is shown by its key, which is more to the point than all it holds.
            let is_field = written && issue.code == codes::crd::UNKNOWN_FIELD;
            let by_key = is_field || matches!(here.kind(), Kind::Array(_) | Kind::Object(_));
            return Some(place.key.filter(|_| by_key).unwrap_or(place.value));
        }
        written = false;
        value = here.parent();
    }
    None
}
