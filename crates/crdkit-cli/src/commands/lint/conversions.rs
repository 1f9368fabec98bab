//! Rules of conversions: whether they are written as they must be, and whether objects come back as they were.

use crdkit_admission::KnownSchemas;
use crdkit_codec::go_json;
use crdkit_convert::prove::{RoundTripVerdict, prove};
use crdkit_convert::{Conversion, Pair};
use crdkit_issue::{Issue, codes};
use crdkit_value::{Document, NodeId, Value};
use std::fmt::Write as _;

/// What is wrong with a file of rules, and what is proved about it as text.
pub(super) fn judge(file: &Document, schemas: &KnownSchemas) -> (Vec<Issue>, String) {
    let conversion = match Conversion::read(file.root()) {
        Ok(conversion) => conversion,
        Err(issues) => return (issues, String::new()),
    };
    let kind = conversion.kind();
    let named = format!("{}.{}", kind.kind, kind.group);
    let Some(crd) = schemas.crd(&kind.group, &kind.kind) else {
        let issue = Issue::warning(codes::convert::UNKNOWN_KIND).with("kind", named);
        let value = file.root().get("for").unwrap_or(file.root());
        let issue = issue.at(value.path());
        let place = file.place(value.id());
        return (vec![place.map_or(issue.clone(), |it| issue.span(it.value))], String::new());
    };
    let trips = match prove(&conversion, crd) {
        Ok(trips) => trips,
        Err(error) => {
            let issue = Issue::error(codes::convert::FORMAT).with("problem", error.to_string());
            return (vec![issue], String::new());
        }
    };
    let (mut issues, mut proved) = (Vec::new(), String::new());
    for trip in trips {
        let issue = match trip.verdict {
            RoundTripVerdict::Proved => {
                let (from, through) = (&trip.from, &trip.through);
                let _ = writeln!(proved, "{named}: {from} -> {through} -> {from} is proved");
                continue;
            }
            RoundTripVerdict::Broken { object, problem } => Issue::error(codes::convert::LOSS)
                .with("problem", problem)
                .with("object", go_json::value(plain(object).root())),
            RoundTripVerdict::Open { tried, reason } => Issue::warning(codes::convert::UNPROVED)
                .with("tried", i64::try_from(tried).unwrap_or(i64::MAX))
                .with("reason", reason),
        };
        let issue = issue.with("from", &*trip.from).with("through", &*trip.through);
        issues.push(match conversion.pairs().get(trip.pair) {
            Some(Pair { path, place: Some(place), .. }) => issue.at(path.clone()).span(*place),
            _ => issue,
        });
    }
    (issues, proved)
}

/// An object without what only servers write.
fn plain(mut object: Document) -> Document {
    let own = ["name", "labels", "annotations"];
    let metadata = object.root().get("metadata").into_iter().flat_map(Value::members);
    let kept = metadata.filter(|(key, _)| own.contains(key));
    let kept = kept.fold(Document::object(), |all, (key, value)| all.with(key, value));
    object.insert(NodeId::ROOT, "metadata", &kept);
    object
}
