//! Arrays and objects that are too large to be held: how they are opened, and what is known when they end.

use super::Resolution;
use super::frame::{Child, ChildCheck, StreamFrame};
use super::identity::{ChildValue, ItemIdentity};
use super::part::Origin;
use super::step::Ready;
use super::walk::{Filling, Pending, Stream};
use crate::scope::Ids;
use crdkit_codec::{DecodeError, Filled};
use crdkit_issue::{Segment, Span};
use crdkit_value::{Builder, Document, Event, Kind, NodeId, PresenceMap, Suspended};
use std::io::Read;
use std::mem;
use std::sync::Arc;

impl<R: Read> Stream<'_, R> {
    /// Opens the next value, or takes it as it is when it cannot be opened.
    pub(super) fn open_next(&mut self) -> Result<(), DecodeError> {
        let start = self.reader.offset();
        let Some((event, span)) = self.reader.next_event()? else { return Ok(()) };
        let is_object = match event {
            Event::EndArray => {
                self.close();
                return Ok(());
            }
            Event::BeginArray => false,
            Event::BeginObject => true,
            event => {
                let parse = &self.options.parse;
                let mut builder = Builder::new(&parse.limits, parse.duplicates);
                builder.event(event, span)?;
                let (document, _) = builder.finish();
                if let Pending::Open(check) = mem::replace(&mut self.pending, Pending::Next) {
                    self.part(&check, document, Vec::new(), Origin::Input);
                }
                return Ok(());
            }
        };
        if let Pending::Open(check) = mem::replace(&mut self.pending, Pending::Next) {
            self.open(&check, is_object, start);
        }
        Ok(())
    }

    /// Whether the next value is the array to be opened, or around it.
    pub(super) fn is_opened(&self) -> bool {
        let Some(opened) = &self.opened else { return false };
        let child = self.frames.last().map(StreamFrame::child);
        let around = self.frames.last().map_or(&[][..], |frame| &frame.path);
        let mut wanted = opened.segments().iter();
        around.iter().chain(child.as_ref()).all(|step| wanted.next() == Some(step))
    }

    /// Opens a value because whoever asks for the items has said that the array is not to be held.
    pub(super) fn open(&mut self, check: &ChildCheck, is_object: bool, start: usize) {
        let whole = self.whole(&check.ids);
        if let Some(why) = whole {
            self.undecided(why, start);
        }
        self.push_frame(check, is_object, whole.is_some(), start);
    }

    /// Why the next value must be held whole, if it must.
    pub(super) fn whole(&self, ids: &Ids) -> Option<&'static str> {
        let asked = (ids, self.options.parse.old.is_some());
        StreamFrame::whole(self.schema, asked, self.frames.last(), || self.here())
    }

    pub(super) fn push_frame(
        &mut self,
        check: &ChildCheck,
        is_object: bool,
        expands: bool,
        start: usize,
    ) {
        let child = self.frames.last().map(StreamFrame::child);
        let below = |around: &[Segment]| -> Arc<[Segment]> {
            around.iter().cloned().chain(child.clone()).collect()
        };
        let source = below(&self.source());
        let path = match self.frames.last() {
            _ if check.gathers => below(&self.gathered()),
            Some(frame) if frame.path != frame.source => below(&frame.path),
            _ => Arc::clone(&source),
        };
        let mut found = Vec::new();
        let kind = (is_object, expands);
        let at = (start, Arc::clone(&path), source);
        let ids = (&check.ids, check.keep);
        let mut frame = StreamFrame::open(self.schema, ids, kind, at, self.old(None), &mut found);
        if let Some(parent) = self.frames.last() {
            frame.remember(self.schema.compiled(), parent);
        }
        self.ready.push_back(Ready::Opened(path, is_object));
        self.frames.push(frame);
        self.report(found, Span::at(start));
    }

    /// Takes what has been built.
    pub(super) fn filled(&mut self, filled: Filled) -> Result<(), DecodeError> {
        if filled == Filled::Part {
            return self.split();
        }
        let Pending::Build(filling) = mem::replace(&mut self.pending, Pending::Next) else {
            return Ok(());
        };
        match filled {
            Filled::Value => {
                let (document, repeated) = filling.builder.finish();
                self.refuse_repeated(&repeated, Span::at(filling.start))?;
                self.part(&filling.check, document, repeated, Origin::Input);
            }
            Filled::EndArray | Filled::Part => self.close(),
        }
        Ok(())
    }

    /// Opens the value that is being built, because it is too large.
    pub(super) fn split(&mut self) -> Result<(), DecodeError> {
        let at = self.reader.offset();
        let Pending::Build(mut filling) = mem::replace(&mut self.pending, Pending::Next) else {
            return Ok(());
        };
        let Some(is_object) = filling.builder.is_object() else { return Ok(()) };
        let whole = self.whole(&filling.check.ids);
        if let Some(why) = whole {
            let strategy = self.options.strategy;
            let limit = filling.start.saturating_add(strategy.max_buffered);
            match strategy.on_exceed {
                Resolution::FullBuffer if filling.until < limit => {
                    filling.until = limit;
                    self.pending = Pending::Build(filling);
                    return Ok(());
                }
                Resolution::FullBuffer | Resolution::FailFast => {
                    let issue = self.too_large(why, filling.start);
                    self.stop(issue);
                    return Ok(());
                }
                Resolution::BestEffort => self.undecided(why, filling.start),
            }
        }
        let Suspended { document, open, issues } = filling.builder.suspend(at);
        self.refuse_repeated(&issues, Span::at(filling.start))?;
        self.push_frame(&filling.check, is_object, whole.is_some(), filling.start);
        self.report_all(issues);
        self.give_children(&document, &open)
    }

    /// Makes parts of the children of a value that was built up to somewhere in the last of them; `open`
    /// are the value and what is open in it.
    pub(super) fn give_children(
        &mut self,
        document: &Document,
        open: &[NodeId],
    ) -> Result<(), DecodeError> {
        let (Some(value), last) = (open.first(), open.get(1)) else { return Ok(()) };
        let value = document.value(*value);
        let children: Vec<_> = match value.kind() {
            Kind::Object(members) => members.map(|(key, member)| (Some(key), member)).collect(),
            _ => value.items().map(|item| (None, item)).collect(),
        };
        let how = self.how();
        for (key, child) in children {
            let Some(frame) = self.frames.last_mut() else { break };
            let mut found = Vec::new();
            let child_of = match key {
                // Repeated keys have been reported by the builder.
                Some(key) => frame.member(self.schema, key, how, &mut found),
                None => Child::Check(frame.item()),
            };
            if matches!(child_of, Child::Skip) && child.is_null() {
                frame.removed_null();
            }
            let place = document.place(child.id()).unwrap_or_default();
            self.report(found, place.key.unwrap_or(place.value));
            let is_last = last.is_some_and(|last| *last == child.id());
            match child_of {
                Child::Skip if is_last => self.pending = Pending::Skip(open.len() - 1),
                Child::Skip => {}
                Child::Check(check) if is_last => {
                    let start = place.value.start.max(self.frames.last().map_or(0, |it| it.start));
                    let mut builder = self.builder(start);
                    builder.resume(child, open.len() - 1)?;
                    let until = self.reader.offset().max(start + self.options.strategy.threshold);
                    self.pending = Pending::Build(Filling { builder, check, start, until });
                }
                Child::Check(check) => {
                    let document = Document::copy_with_positions(child);
                    self.part(&check, document, Vec::new(), Origin::Input);
                }
            }
        }
        Ok(())
    }

    /// Ends the innermost array or object.
    pub(super) fn close(&mut self) {
        self.pending = Pending::Next;
        let compiled = self.schema.compiled();
        let how = self.how();
        let defaults = self.frames.last_mut().map(|frame| frame.take_defaults(compiled));
        for (name, default) in defaults.unwrap_or_default() {
            let Some(value) = compiled.table().default_value(default) else { continue };
            let Some(frame) = self.frames.last_mut() else { continue };
            let mut found = Vec::new();
            let child = frame.member(self.schema, name, how, &mut found);
            let at = Span::at(frame.start);
            self.report(found, at);
            if let Child::Check(check) = child {
                self.part(&check, Document::copy_of(value), Vec::new(), Origin::Default);
            }
        }
        let mut found = Vec::new();
        let Some(frame) = self.frames.last_mut() else { return };
        frame.close(compiled, &mut found);
        let (at, path, notes) =
            (Span::at(frame.start), Arc::clone(&frame.path), frame.take_notes());
        self.report(found, at);
        let notes = match self.options.parse.presence {
            Some(_) => self.filtered(&path, None, notes),
            None => PresenceMap::new(),
        };
        self.ready.push_back(Ready::Closed(path, notes));
        let Some(ended) = self.frames.pop() else { return };
        let Some(parent) = self.frames.last_mut() else { return };
        let mut found = Vec::new();
        let identity = ended.into_identity();
        let value = identity.as_ref().map_or(ChildValue::Gone, ItemIdentity::value);
        parent.count_child(compiled, value, (false, self.options.parse.fail_fast), &mut found);
        self.report(found, at);
    }
}
