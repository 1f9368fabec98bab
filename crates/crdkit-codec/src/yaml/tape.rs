//! Events kept for later: anchored values, which aliases repeat, and merge lists, which apply backwards.
//!
//! The source of the composer's events is the parser, except while something on the tape is repeated. Repeating
//! events instead of copying finished values keeps aliases to values that are not in the document themselves,
//! such as a mapping that was merged in.
//!
//! Invariant: an anchor can be repeated only once its value is complete, and its events refer to earlier anchors
//! only, so repeating always ends.

use std::collections::HashMap;

use super::compose::Refusal;
use super::error::{Failure, YamlProblem};
use super::event::{AnchorName, Event, EventKind};
use super::parse::YamlParser;

/// What gives the events of a text.
pub(super) trait ParserEvents<'a> {
    fn next(&mut self) -> Result<Event<'a>, Refusal>;

    fn anchor_name(&mut self, anchor: AnchorName) -> &str;
}

impl<'a> ParserEvents<'a> for &mut YamlParser<'a> {
    #[inline]
    fn next(&mut self) -> Result<Event<'a>, Refusal> {
        Ok(YamlParser::next(self)?)
    }

    fn anchor_name(&mut self, anchor: AnchorName) -> &str {
        self.anchors().name(anchor)
    }
}

/// Events from the parser or from the tape.
#[derive(Debug)]
pub(super) struct EventSource<'a, P> {
    pub(super) parser: P,
    tape: Vec<Recorded<'a>>,
    /// How much text is on it.
    n_bytes: usize,
    /// How many values that must be kept are being read.
    recording: usize,
    /// For each collection being read from the parser, where it begins on the tape, if it is kept.
    open: Vec<Option<usize>>,
    /// The latest anchor of each name.
    anchors: HashMap<AnchorName, usize>,
    repeats: Vec<Repeat>,
    n_alias_repeats: usize,
}

/// An event on the tape.
#[derive(Debug)]
struct Recorded<'a> {
    event: Event<'a>,
    /// For the start of a collection, the place of its end; for an alias, the place of what it stands for; zero
    /// while that is not known.
    link: usize,
    /// Whether the parser marked this event as an anchor or a list to keep, so that its end stops the recording.
    keeps: bool,
}

/// A part of the tape that is being given again.
#[derive(Debug)]
struct Repeat {
    next: usize,
    end: usize,
    /// Where the alias that asked for it ends; none for an item of a merge list.
    alias_end: Option<usize>,
}

/// An event, and for an alias what it stands for.
#[derive(Debug)]
pub(super) struct Sourced<'a> {
    pub(super) event: Event<'a>,
    /// Where the value of an alias begins on the tape.
    pub(super) target: usize,
}

impl<'a, P: ParserEvents<'a>> EventSource<'a, P> {
    pub(super) fn new(parser: P) -> Self {
        Self {
            parser,
            tape: Vec::new(),
            n_bytes: 0,
            recording: 0,
            open: Vec::new(),
            anchors: HashMap::new(),
            repeats: Vec::new(),
            n_alias_repeats: 0,
        }
    }

    /// How much text is kept for aliases.
    pub(super) fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    /// Whether the next event is part of what an alias stands for.
    pub(super) fn in_alias(&self) -> bool {
        self.n_alias_repeats > 0
    }

    /// Forgets the repeats that are over. Gives the end of the last alias among them.
    pub(super) fn finish_repeats(&mut self) -> Option<usize> {
        let mut alias_end = None;
        while let Some(repeat) = self.repeats.last().filter(|repeat| repeat.next >= repeat.end) {
            if repeat.alias_end.is_some() {
                alias_end = repeat.alias_end;
                self.n_alias_repeats -= 1;
            }
            self.repeats.pop();
        }
        alias_end
    }

    /// The next event. Call [`EventSource::finish_repeats`] first.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Sourced<'a>, Refusal> {
        if let Some(repeat) = self.repeats.last_mut()
            && let Some(recorded) = self.tape.get(repeat.next)
        {
            repeat.next += 1;
            return Ok(Sourced { event: recorded.event.clone(), target: recorded.link });
        }
        let event = self.parser.next()?;
        if event.anchor.is_none() && self.recording == 0 {
            match event.kind {
                EventKind::SequenceStart | EventKind::MappingStart => self.open.push(None),
                EventKind::End => {
                    self.open.pop();
                }
                EventKind::Alias(_) => return self.resolve_alias(event),
                _ => {}
            }
            return Ok(Sourced { event, target: 0 });
        }
        self.record(event)
    }

    fn resolve_alias(&mut self, event: Event<'a>) -> Result<Sourced<'a>, Refusal> {
        let EventKind::Alias(name) = event.kind else { return Ok(Sourced { event, target: 0 }) };
        let target = self.anchors.get(&name).copied();
        let problem = match target.and_then(|target| self.tape.get(target)) {
            Some(Recorded { event: Event { kind: EventKind::Scalar(_), .. }, .. }) => None,
            Some(recorded) if recorded.link > 0 => None,
            Some(_) => Some(YamlProblem::CyclicAnchor as fn(String) -> YamlProblem),
            None => Some(YamlProblem::UnknownAnchor as fn(String) -> YamlProblem),
        };
        if let Some(problem) = problem {
            let name = self.parser.anchor_name(name).to_owned();
            return Err(Failure::new(problem(name), event.start, event.end).into());
        }
        Ok(Sourced { event, target: target.unwrap_or_default() })
    }

    /// Puts an event of the parser on the tape.
    fn record(&mut self, event: Event<'a>) -> Result<Sourced<'a>, Refusal> {
        let place = self.tape.len();
        let anchor = event.anchor;
        if let Some(name) = anchor {
            self.anchors.insert(name, place);
        }
        let mut link = 0;
        let mut keeps = false;
        match &event.kind {
            EventKind::Scalar(scalar) => self.n_bytes += scalar.text.len(),
            EventKind::SequenceStart | EventKind::MappingStart => {
                self.open.push(Some(place));
                keeps = anchor.is_some();
                self.recording += usize::from(keeps);
            }
            EventKind::End => {
                if let Some(start) = self.open.pop().flatten()
                    && let Some(start) = self.tape.get_mut(start)
                {
                    start.link = place;
                    self.recording -= usize::from(start.keeps);
                }
            }
            EventKind::Alias(_) => link = self.resolve_alias(event.clone())?.target,
            _ => {}
        }
        self.tape.push(Recorded { event: event.clone(), link, keeps });
        Ok(Sourced { event, target: link })
    }

    /// Begins to repeat the value at `target` for the alias that ends at `alias_end`.
    pub(super) fn repeat_alias(&mut self, target: usize, alias_end: usize) {
        self.n_alias_repeats += 1;
        let end = self.value_end(target);
        self.repeats.push(Repeat { next: target, end, alias_end: Some(alias_end) });
    }

    /// The event at the beginning of a value on the tape.
    pub(super) fn recorded(&self, place: usize) -> Option<&Event<'a>> {
        self.tape.get(place).map(|recorded| &recorded.event)
    }

    /// Reads the rest of the sequence whose start was the last event, and begins to repeat its items from the
    /// last to the first. Gives their number.
    pub(super) fn repeat_items_backwards(&mut self, start: Event<'a>) -> Result<usize, Refusal> {
        let list = match self.repeats.last_mut() {
            Some(repeat) => {
                let list = repeat.next - 1;
                repeat.next = self.tape.get(list).map_or(repeat.end, |recorded| recorded.link + 1);
                list
            }
            None => self.record_rest(start)?,
        };
        let mut place = list + 1;
        let end = self.tape.get(list).map_or(place, |recorded| recorded.link);
        let mut n_items = 0;
        while place < end {
            let item_end = self.value_end(place);
            self.repeats.push(Repeat { next: place, end: item_end, alias_end: None });
            place = item_end;
            n_items += 1;
        }
        Ok(n_items)
    }

    /// Records the collection whose start, `start`, the parser has just given. Gives its place.
    fn record_rest(&mut self, start: Event<'a>) -> Result<usize, Refusal> {
        let place = match self.open.last_mut() {
            Some(Some(place)) => *place,
            Some(slot @ None) => {
                let place = self.tape.len();
                *slot = Some(place);
                self.tape.push(Recorded { event: start, link: 0, keeps: true });
                self.recording += 1;
                place
            }
            None => return Ok(self.tape.len()),
        };
        let depth = self.open.len();
        while self.open.len() >= depth {
            let event = self.parser.next()?;
            self.record(event)?;
        }
        Ok(place)
    }

    /// The place after the value that begins at `place`.
    fn value_end(&self, place: usize) -> usize {
        match self.tape.get(place) {
            Some(Recorded {
                event: Event { kind: EventKind::SequenceStart | EventKind::MappingStart, .. },
                link,
                ..
            }) => link + 1,
            _ => place + 1,
        }
    }
}
