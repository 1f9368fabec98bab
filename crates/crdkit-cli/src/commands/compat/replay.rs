//! `--with-objects`: real objects under both CRDs.

use super::semantic::text;
use super::sides::Sides;
use crate::args::Compare;
use crate::input::Input;
use crate::limits;
use crate::objects;
use crate::report::{Object, ObjectCounts, ShownFinding, Subject};
use crate::source::{self, LiveKind};
use anyhow::{Context as _, Result};
use crdkit_codec::Decoded;
use crdkit_compat::semantic::{Broken, Replay};
use crdkit_issue::{FieldPath, Issue, Severity, codes};
use crdkit_schema::read;
use crdkit_text::kind::GroupKind;
use crdkit_value::{Document, Value};
use std::collections::BTreeMap;

/// What became of real objects.
#[derive(Default)]
pub(super) struct Replayed {
    /// Those that are worse off, or cannot be read.
    pub(super) objects: Vec<Object>,
    /// How many there were; nothing when none were named.
    pub(super) counts: Option<ObjectCounts>,
}

/// Tries the objects of all sources that `--with-objects` names.
pub(super) fn objects(args: &Compare, sides: &Sides, excerpts: bool) -> Result<Replayed> {
    let mut out = Replayed::default();
    if args.with_objects.is_empty() {
        return Ok(out);
    }
    let mut counts = ObjectCounts::default();
    let mut replays = BTreeMap::new();
    let mut kinds = Vec::new();
    for (name, old, new) in sides.pairs() {
        let replay = Replay::new(&old.document, &new.document)
            .with_context(|| format!("`{name}` cannot be compiled"))?;
        replays.insert(kind(&old.document), replay);
        kinds.extend(live_kind(&old.document));
    }
    let client = args.fetching.client();
    let options = limits::decoding().positions(true);
    for source in &args.with_objects {
        for entry in source::live(source, &kinds, &client)?.entries {
            let input = entry.read()?;
            for outcome in objects::decode(&input, &options) {
                match outcome {
                    Err(issues) => {
                        let source = text(&input);
                        let findings = issues.iter();
                        let findings = findings.map(|it| ShownFinding::new(it, &source, excerpts));
                        out.objects.push(Object::judged(&input.name, None, findings.collect()));
                    }
                    Ok(decoded) => {
                        let Some(broken) = object(&input, &decoded, &replays, excerpts) else {
                            continue;
                        };
                        counts.tried += 1;
                        counts.broken += usize::from(broken.is_some());
                        out.objects.extend(broken);
                    }
                }
            }
        }
    }
    out.counts = Some(counts);
    Ok(out)
}

/// What is reported about an object, if anything is; none if it is of another kind.
#[expect(clippy::option_option, reason = "it was not tried, or it is fine")]
fn object(
    input: &Input,
    decoded: &Decoded,
    replays: &BTreeMap<GroupKind, Replay>,
    excerpts: bool,
) -> Option<Option<Object>> {
    let identity = objects::identify(&decoded.document).ok()?;
    let replay = replays.get(&identity.gvk.group_kind())?;
    let broken = replay.object(&decoded.document);
    if broken.is_empty() {
        return Some(None);
    }
    let source = text(input);
    let issues = broken.iter().flat_map(|it| issues(it, &decoded.document));
    let findings = issues.map(|issue| ShownFinding::new(&issue, &source, excerpts)).collect();
    Some(Some(Object::judged(&input.name, Some(Subject::Object(identity)), findings)))
}

/// One finding for each thing that is refused, one for all that is lost or different.
fn issues(broken: &Broken, document: &Document) -> Vec<Issue> {
    let issue = |effect: String, path: &FieldPath, severity| {
        let mut issue = Issue::error(codes::compat::OBJECT_BREAKS).with("effect", effect);
        issue.severity = severity;
        issue.span = crate::crds::nearest(document, path);
        issue.at(path.clone())
    };
    let root = FieldPath::root();
    match broken {
        Broken::Refused { issues, update } => {
            let then = match update {
                Some(_) => "refused now, also when something else is changed",
                None => "refused now, unless it is left alone",
            };
            let text = |it: &Issue| format!("{}; {then}", it.message());
            issues.iter().map(|it| issue(text(it), &it.path, Severity::Error)).collect()
        }
        Broken::Defaulted(_) => vec![issue(broken.text(), &root, Severity::Warning)],
        _ => vec![issue(broken.text(), &root, Severity::Error)],
    }
}

/// How the cluster that has the old CRD serves its objects.
fn live_kind(document: &Document) -> Option<LiveKind> {
    let (crd, _) = read::crd(document.root());
    let served = crd.spec.versions.iter().filter(|version| version.served);
    let version = served.max_by_key(|version| version.storage)?;
    Some(LiveKind {
        group: crd.spec.group.to_owned(),
        version: version.name.to_owned(),
        plural: crd.spec.names.plural.to_owned(),
        kind: crd.spec.names.kind.to_owned(),
    })
}

fn kind(document: &Document) -> GroupKind {
    let text = |pointer| {
        document.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    GroupKind { group: text("/spec/group"), kind: text("/spec/names/kind") }
}
