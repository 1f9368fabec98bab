//! A whole value of a stream on its way through the stages.

use super::frame::{ChildCheck, StreamFrame};
use super::identity::ChildValue;
use super::issue::placed;
use super::step::Ready;
use super::walk::Stream;
use crate::import::{DefaultMode, Nulls, Unknown};
use crate::said::ReportedStatements;
use crate::scope::{Ids, Scope};
use crate::stages::{self, Found, ValuePlace};
use crdkit_issue::{FieldPath, Issue, Segment, codes};
use crdkit_schema::spans;
use crdkit_value::{Collected, Document, NodeId, Presence, PresenceFilter, PresenceMap, Value};
use std::io::Read;

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Input,
    /// It is the schema's default for a place that the input does not have.
    Default,
}

impl<'t, R: Read> Stream<'t, R> {
    /// Judges a whole value and gives it out.
    pub(super) fn part(
        &mut self,
        check: &ChildCheck,
        document: Document,
        mut issues: Vec<Issue>,
        origin: Origin,
    ) {
        let (schema, parse) = (self.schema, &self.options.parse);
        let step = self.frames.last().map(StreamFrame::child);
        let mut document = document;
        let mut presence = parse.presence.as_ref().map(|_| match origin {
            Origin::Input => Collected::of(&document, &PresenceFilter::all()),
            Origin::Default => Collected::filled(&document),
        });
        if self.null(&check.ids, &mut document, presence.as_mut()) {
            return;
        }
        let frame = self.frames.last();
        let path = || self.here();
        let old = self.old(Some(document.root()));
        let old_here = parse.old.as_deref().and_then(|old| old.root().find(&path()));
        let place = ValuePlace {
            ids: Ids::clone(&check.ids),
            keep: check.keep,
            projects: check.projects,
            is_whole: frame.is_none(),
            path: &path,
            old,
            old_here,
            is_compared: frame.is_some_and(StreamFrame::compares),
        };
        let mut judged = Found::new();
        self.taken(check, step.as_ref(), &document, &mut judged);
        let passed = stages::through(schema, &place, &mut document, presence, &mut judged, parse);
        if check.ids.len() > 1 {
            let mut said = ReportedStatements::default();
            judged.retain(|(_, issue)| said.is_new(issue));
        }
        let is_wrong = judged
            .iter()
            .any(|(id, issue)| *id == NodeId::ROOT && issue.code == codes::object::TYPE_MISMATCH);
        issues.extend(judged.into_iter().map(|(id, mut issue)| {
            issue.span = issue.span.or_else(|| spans::of(&document, &document, id, &issue));
            issue
        }));
        let mut found = Vec::new();
        if let Some(frame) = self.frames.last_mut() {
            let value = passed.compared.as_ref().unwrap_or(&document).root();
            let how = (is_wrong, parse.fail_fast);
            frame.count_child(schema.compiled(), ChildValue::Held(value), how, &mut found);
        }
        let around = self.around();
        if !issues.is_empty() {
            let base: FieldPath = self.source().iter().cloned().chain(step.clone()).collect();
            issues =
                issues.into_iter().map(|issue| placed(schema.compiled(), &base, issue)).collect();
        }
        let span = document.place(NodeId::ROOT).unwrap_or_default().value;
        let around = if check.gathers { self.gathered() } else { around };
        let presence = self.filtered(&around, step.as_ref(), passed.presence);
        self.ready.push_back(Ready::Part { around, step, document, issues, presence });
        self.report(found, span);
    }

    /// What the next value, which is `value` if it is not opened, replaces.
    pub(super) fn old(&self, value: Option<Value<'_>>) -> Option<Value<'t>> {
        match self.frames.last() {
            Some(frame) => frame.old_child(self.schema.compiled(), value),
            None => self.options.parse.old.as_deref().map(Document::root),
        }
    }

    /// Replaces a `null` that may not be there by its default. Gives whether it is not there at all.
    pub(super) fn null(
        &mut self,
        ids: &Ids,
        document: &mut Document,
        presence: Option<&mut Collected>,
    ) -> bool {
        let compiled = self.schema.compiled();
        let (scope, settings) = (Scope::new(compiled), compiled.settings());
        let Some(frame) = self.frames.last_mut() else { return false };
        let stays = settings.nulls == Nulls::Reject || !document.root().is_null();
        if stays || ids.is_empty() || scope.takes_null(ids) {
            return false;
        }
        let default = scope.default(ids);
        if let Some(value) = default.and_then(|default| compiled.table().default_value(default))
            && settings.defaults == DefaultMode::Apply
        {
            document.set(NodeId::ROOT, value);
            if let Some(presence) = presence {
                presence.add(NodeId::ROOT, Presence::DEFAULT_APPLIED);
            }
            return false;
        }
        // An item is never dropped, because that would move those after it.
        if frame.is_object() {
            frame.drop_null(compiled, default);
        }
        frame.is_object()
    }

    /// Notes that a member that the schema knows stands where unknown ones of its object are gathered.
    pub(super) fn taken(
        &self,
        check: &ChildCheck,
        step: Option<&Segment>,
        document: &Document,
        found: &mut Found,
    ) {
        let Unknown::Passthrough { target } = &self.schema.compiled().settings().unknown else {
            return;
        };
        let target: FieldPath = target.parse().unwrap_or_default();
        let Some((first, rest)) = target.segments().split_first() else { return };
        if check.gathers || step.map(Segment::text) != Some(first.text()) {
            return;
        }
        let mut here = document.root();
        for step in rest {
            match here.get(&step.text()) {
                Some(below) if here.as_object().is_some() => here = below,
                _ => break,
            }
        }
        let is_there = here.path().segments().len() == rest.len();
        let is_object = here.as_object().is_some();
        if !is_object || is_there && here.members().len() > 0 {
            let issue = Issue::error(codes::domain::PASSTHROUGH_COLLISION).at(here.path());
            found.push((here.id(), issue));
        }
    }

    /// What of the presence of a part is asked for.
    pub(super) fn filtered(
        &self,
        around: &[Segment],
        step: Option<&Segment>,
        presence: PresenceMap,
    ) -> PresenceMap {
        let filter = self.options.parse.presence.as_ref();
        let Some(filter) = filter.filter(|filter| **filter != PresenceFilter::all()) else {
            return presence;
        };
        let base: FieldPath = around.iter().chain(step).cloned().collect();
        let mut kept = PresenceMap::new();
        for (path, known) in &presence {
            if filter.takes(&path.rebase(&base)) {
                kept.insert(&path, known);
            }
        }
        kept
    }
}
