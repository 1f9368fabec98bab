//! From the objects of an input to what is reported about them.
//!
//! Objects are decoded without positions first; an input with findings, or with comments that silence
//! some, is gone through once more with them. What is found (`verdict`) is told apart from what only seems wrong
//! because something is filled in later (`partial`), given suggestions (`suggest`) and reported (`present`).

mod partial;
mod present;
mod suggest;
mod utf8;
mod verdict;
mod versions;

pub(crate) use partial::{Partly, SkippedPath};
pub(crate) use present::{Judged, Presentation};

use crate::args::FieldValidation;
use crate::crds::Crds;
use crate::input::{Input, Role};
use crate::limits;
use crate::objects::{self, Identity};
use crate::policies::Policies;
use crate::rendered;
use crate::report::{LeftOut, Object, Subject, Tally, Verdict};
use crate::source;
use clap::ValueEnum;
use crdkit_codec::{Decoded, Format};
use crdkit_issue::{Code, FieldPath, Severity, codes};
use crdkit_native::{NativeKind, NativeKinds};
use crdkit_structure::definitions;
use crdkit_text::kind::{GroupKind, GroupVersionKind};
use crdkit_value::{Document, Value};
use partial::Opaque;
use present::{put_in_order, settle};
use std::collections::HashMap;
use std::sync::Arc;
use suggest::{SchemaText, WrittenObject};
use utf8::invalid_utf8;
use verdict::Judgement;

/// `--subresource`: the part of objects that a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Subresource {
    Status,
}

/// What an object is called, whatever version it is written in.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct ObjectName {
    kind: GroupKind,
    namespace: String,
    name: String,
}

impl From<&Identity> for ObjectName {
    fn from(identity: &Identity) -> Self {
        let Identity { gvk, namespace, name } = identity;
        let namespace = match namespace.as_str() {
            "" => objects::DEFAULT_NAMESPACE,
            namespace => namespace,
        };
        Self { kind: gvk.group_kind(), namespace: namespace.to_owned(), name: name.clone() }
    }
}

/// What objects are judged by.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Judge<'a> {
    pub(crate) crds: Crds,
    pub(crate) old: HashMap<ObjectName, Document>,
    pub(crate) field_validation: FieldValidation,
    pub(crate) ignore_missing_schemas: bool,
    /// Whether native kinds are known.
    pub(crate) native: bool,
    /// What judges objects besides.
    pub(crate) policies: Option<&'a Policies>,
    /// The kinds to look at; all if there are none.
    pub(crate) only: Vec<String>,
    pub(crate) skip: Vec<String>,
    pub(crate) skip_json_path: Vec<SkippedPath>,
    /// The part of objects that requests are for.
    pub(crate) subresource: Option<Subresource>,
    /// Whether text that others fill in or decrypt is judged as it stands.
    pub(crate) as_is: bool,
    /// Whether files that have no objects are left out.
    pub(crate) leaves_out: bool,
    pub(crate) reject: Vec<String>,
    /// Whether valid objects are only counted, so that many of them may be reported as one.
    pub(crate) counts_valid: bool,
    pub(crate) presentation: Presentation<'a>,
}

impl Judge<'_> {
    /// What is reported about the objects of `input`, in their order.
    pub(crate) fn input(&self, input: &Input) -> Vec<Object> {
        let options = limits::decoding();
        let invalid_utf8 = invalid_utf8(input);
        let has_comments = memchr::memmem::find(&input.bytes, b"crdkit-ignore").is_some();
        let (mut quiet, mut first, mut recent) = (Vec::new(), None, None);
        if invalid_utf8.is_empty() && !has_comments {
            for decoded in objects::decode(input, &options) {
                let (identity, judgement) = self.object(decoded, input.role, &mut recent);
                if !judgement.is_quiet() {
                    first = Some((identity, judgement));
                    break;
                }
                quiet.push(judged(identity, judgement, input.role));
            }
            if first.is_none() {
                if let Some(reason) = settle(&mut quiet) {
                    return vec![Object::left_out(&input.name, reason)];
                }
                if quiet.iter().all(|it| it.issues.is_empty()) {
                    if self.counts_valid && quiet.iter().all(is_plainly_valid) {
                        return together(input, quiet);
                    }
                    return quiet.into_iter().map(|judged| object(input, judged)).collect();
                }
                // Their places are not known yet.
                quiet.clear();
            }
        }
        let options = limits::decoding().positions(true);
        let around = Judged::unreadable(invalid_utf8);
        let mut all: Vec<_> = Some(around).filter(|it| !it.issues.is_empty()).into_iter().collect();
        let mut quiet = quiet.into_iter();
        for decoded in objects::decode(input, &options) {
            all.push(match quiet.next() {
                Some(judged) if judged.issues.is_empty() => judged,
                // Its place is not known yet.
                Some(_) => self.located(decoded, None, input),
                None => self.located(decoded, first.take(), input),
            });
        }
        if self.is_template(input, &all) {
            return vec![Object::left_out(&input.name, LeftOut::Template)];
        }
        if self.is_foreign(input, &all) {
            return vec![Object::left_out(&input.name, LeftOut::NoObjects)];
        }
        match settle(&mut all) {
            Some(reason) => vec![Object::left_out(&input.name, reason)],
            None => self.presentation.objects(input, all),
        }
    }

    /// Whether a file becomes YAML only when some program fills it in.
    fn is_template(&self, input: &Input, judged: &[Judged]) -> bool {
        let is_broken =
            |it: &Judged| it.issues.iter().any(|it| it.code == codes::decode::YAML_SYNTAX);
        let is_file = self.leaves_out && input.role == Role::File;
        is_file && judged.iter().any(is_broken) && source::has_actions(&input.bytes)
    }

    /// Whether a broken file cannot have been meant to hold objects: settings with comments in JSON, say.
    fn is_foreign(&self, input: &Input, judged: &[Judged]) -> bool {
        const BROKEN: [Code; 3] =
            [codes::decode::JSON_SYNTAX, codes::decode::YAML_SYNTAX, codes::decode::NOT_READ];
        let is_file = self.leaves_out && input.role == Role::File && !input.is_part;
        let has = |mark: &str| memchr::memmem::find(&input.bytes, mark.as_bytes()).is_some();
        let is_broken = |it: &Judged| {
            it.left_out.is_some() || it.issues.iter().all(|it| BROKEN.contains(&it.code))
        };
        is_file
            && matches!(input.format, Format::Json | Format::Yaml)
            && judged.iter().all(|it| it.identity.is_none() && is_broken(it))
            && !["\0", "apiVersion", "kind", "metadata"].into_iter().any(has)
    }

    /// An object that was decoded with positions; `known` is what was found out without them.
    fn located(
        &self,
        decoded: objects::ObjectOutcome,
        known: Option<(Option<Identity>, Judgement)>,
        input: &Input,
    ) -> Judged {
        let mut decoded = match decoded {
            Ok(decoded) => decoded,
            Err(issues) => return Judged::unreadable(self.graded(issues)),
        };
        let document = Document::copy_with_positions(decoded.document.root());
        let mut opaque = Opaque::find(&document, input.role, &self.skip_json_path, self.as_is);
        let mut unknown = Vec::new();
        if opaque.is_some() {
            let whole = Document::copy_with_positions(document.root());
            let whole = Decoded { document: whole, issues: decoded.issues.clone() };
            let (_, judgement) = self.object(Ok(whole), input.role, &mut None);
            // What is accepted as it is needs no excuse.
            opaque = opaque.filter(|_| !judgement.is_quiet());
            if let Some(opaque) = &opaque {
                let found = judged(None, judgement, input.role).issues.into_iter();
                unknown = found.filter(|issue| opaque.is_unknown_field(issue)).collect();
                opaque.strip(&mut decoded.document);
            }
        }
        let (identity, judgement) = match known.filter(|_| opaque.is_none()) {
            Some((identity, Judgement::Outcome { mut outcome, is_built_in })) => {
                outcome.locate(&decoded);
                (identity, Judgement::Outcome { outcome, is_built_in })
            }
            _ => self.object(Ok(decoded), input.role, &mut None),
        };
        let identity = identity.and_then(|_| objects::identify(&document).ok());
        let mut judged = judged(identity, judgement, input.role);
        if judged.left_out.is_none() {
            if let Some(opaque) = &opaque {
                judged.partly = Some(opaque.excuse(&document, &mut judged.issues));
                judged.issues.append(&mut unknown);
            }
            self.improve(&mut judged, &WrittenObject { document: &document, source: &input.bytes });
        }
        judged.origin = origin(input, &document);
        judged
    }

    /// Adds what was probably meant.
    fn improve(&self, judged: &mut Judged, written: &WrittenObject<'_>) {
        let Some(identity) = &judged.identity else { return };
        let (group, kind) = (definitions::group_name(&identity.gvk.group), &identity.gvk.kind);
        let definition = self.crds.set.by_kind(group, kind);
        let schema = match definition.and_then(|it| it.document()) {
            Some(crd) => Some(SchemaText::Crd(crd, &identity.gvk.version)),
            None => self.native_kind(identity).map(SchemaText::Native),
        };
        put_in_order(&mut judged.issues);
        if let Some(schema) = schema {
            // What is not shown needs no suggestion.
            let mut tally = Tally::default();
            let shown = judged.issues.iter_mut().filter(|issue| tally.admits(issue.code));
            suggest::improve(shown, written, &schema);
        }
        for issue in &mut judged.issues {
            let suggestion = if issue.code == codes::source::NO_SCHEMA {
                let known = self.crds.set.iter().map(|it| (it.group(), it.kind()));
                suggest::kind(&identity.gvk.group, kind, known)
            } else {
                self.other_version(issue, identity, written)
            };
            if let Some(suggestion) = suggestion {
                suggestion.add_to(issue);
            }
        }
    }

    /// Whether CRDs among the objects are judged.
    pub(crate) fn judges_crds(&self) -> bool {
        let gvk = GroupVersionKind::of("apiextensions.k8s.io/v1", "CustomResourceDefinition");
        self.is_wanted(&Identity { gvk, ..Identity::default() })
    }

    /// Whether a kind is one of those that are asked for.
    fn is_wanted(&self, identity: &Identity) -> bool {
        let is_named = self.only.is_empty() || identity.is_among(&self.only);
        is_named && !identity.is_among(&self.skip)
    }

    /// Whether anything is known about a kind by now.
    pub(crate) fn knows(&self, identity: &Identity) -> bool {
        let is_skipped = identity.is_crd() || identity.is_among(&self.skip);
        is_skipped || self.crds.has(identity) || self.native_kind(identity).is_some()
    }

    fn native_kind(&self, identity: &Identity) -> Option<&'static NativeKind> {
        let gvk = &identity.gvk;
        if !self.native || !identity.is_built_in() {
            return None;
        }
        NativeKinds::latest().find(&gvk.group, &gvk.version, &gvk.kind)
    }
}

fn judged(identity: Option<Identity>, judgement: Judgement, role: Role) -> Judged {
    let partly = (role == Role::Patch).then_some(Partly::Patch);
    let judged = Judged { identity, partly, ..Judged::default() };
    match judgement {
        Judgement::LeftOut(reason, issues) => Judged { issues, left_out: Some(reason), ..judged },
        Judgement::Issues(issues) => Judged { issues, ..judged },
        Judgement::Skipped(issues) => {
            let skipped = issues.iter().all(|issue| issue.severity != Severity::Error);
            Judged { issues, skipped, ..judged }
        }
        Judgement::Outcome { outcome, is_built_in } => {
            let mut issues = outcome.issues;
            if is_built_in {
                let name = FieldPath::root().field("metadata").field("name");
                issues.retain(|issue| issue.path != name);
            }
            Judged { issues, ..judged }
        }
    }
}

/// The file that an object of a stream was made of, where Helm or kustomize says so.
fn origin(input: &Input, document: &Document) -> Option<Arc<str>> {
    let root = document.root();
    let annotation =
        root.pointer("/metadata/annotations").and_then(|it| it.get(rendered::ANNOTATION));
    if let Some(text) = annotation.and_then(Value::as_str).filter(|_| input.origin.is_none()) {
        return text.lines().find_map(rendered::origin_path).map(Into::into);
    }
    if input.format != Format::Yaml || input.origin.is_some() {
        return None;
    }
    let start = document.place(root.id())?.value.start;
    let before = std::str::from_utf8(input.bytes.get(..start)?).ok()?;
    // From the line that ends the document before.
    let from = before.rfind("\n---").map_or(0, |at| at + 1);
    rendered::comment(before.get(from..)?.lines()).map(Into::into)
}

/// Whether there is nothing to say about an object, other than that it is valid.
fn is_plainly_valid(judged: &Judged) -> bool {
    judged.identity.is_some() && !judged.skipped && judged.partly.is_none()
}

/// The report on all objects of `input`, which are valid, as one that counts for all of them.
fn together(input: &Input, judged: Vec<Judged>) -> Vec<Object> {
    let n_others = judged.len().saturating_sub(1);
    let first = judged.into_iter().next().map(|first| object(input, first));
    first.into_iter().map(|first| Object { n_alike: n_others, ..first }).collect()
}

/// The report on an object of `input` without findings.
fn object(input: &Input, judged: Judged) -> Object {
    let mut object = Object::judged(&input.name, judged.identity.map(Subject::Object), Vec::new());
    if judged.skipped {
        object.verdict = Verdict::Skipped;
    }
    (object.origin, object.partly) = (input.origin.clone(), judged.partly);
    object
}
