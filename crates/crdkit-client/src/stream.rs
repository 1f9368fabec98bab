//! The events of a watch in the bytes of an answer: lines of JSON, or a sequence of CBOR.
//!
//! Bytes come in as they arrive, whole events go out; no more than one event is held beyond what has arrived.

use bytes::Bytes;
use crdkit_codec::cbor::{Frames, Rules};
use crdkit_codec::json::{self, Chunks};
use crdkit_codec::{DecodeError, DecodeOptions, Format, cbor};
use crdkit_value::{Document, Limits};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// Events in bytes that arrive in pieces.
pub(crate) enum Events {
    Lines(Lines),
    Sequence(Box<Sequence>),
}

impl Events {
    /// The events of an answer in this format; none if there are no events in it.
    pub(crate) fn new(format: Format, limits: &Limits, max: usize) -> Option<Self> {
        let options = DecodeOptions::new().limits(limits.clone());
        match format {
            Format::Json => {
                Some(Self::Lines(Lines { buffer: Vec::new(), searched: 0, max, options }))
            }
            Format::CborSeq => {
                let arrived = Arrived::default();
                let frames = Frames::from_read(arrived.clone(), Rules::frames(limits), max);
                Some(Self::Sequence(Box::new(Sequence { arrived, frames, options })))
            }
            _ => None,
        }
    }

    /// Takes what has arrived.
    pub(crate) fn push(&mut self, bytes: Bytes) {
        match self {
            Self::Lines(lines) => lines.buffer.extend_from_slice(&bytes),
            Self::Sequence(sequence) => sequence.arrived.push(bytes),
        }
    }

    /// The next whole event; none before more has arrived.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn next(&mut self) -> Result<Option<Document>, String> {
        match self {
            Self::Lines(lines) => lines.next(),
            Self::Sequence(sequence) => sequence.next(),
        }
    }
}

pub(crate) struct Lines {
    buffer: Vec<u8>,
    /// So much of the buffer has no line end.
    searched: usize,
    max: usize,
    options: DecodeOptions,
}

impl Lines {
    fn next(&mut self) -> Result<Option<Document>, String> {
        loop {
            let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
            let Some(end) = memchr::memchr(b'\n', unsearched) else {
                self.searched = self.buffer.len();
                if self.searched > self.max {
                    return Err(format!("an event has more than {} bytes", self.max));
                }
                return Ok(None);
            };
            let line: Vec<u8> = self.buffer.drain(..=self.searched + end).collect();
            self.searched = 0;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let decoded = json::decode(&line, &self.options);
            return decoded.map(|it| Some(it.document)).map_err(|issue| issue.to_string());
        }
    }
}

pub(crate) struct Sequence {
    arrived: Arrived,
    frames: Frames<Chunks<Arrived>>,
    options: DecodeOptions,
}

impl Sequence {
    fn next(&mut self) -> Result<Option<Document>, String> {
        match self.frames.next_frame() {
            Ok(None) => Ok(None),
            Ok(Some((frame, _))) => {
                let decoded = cbor::decode(frame, &self.options);
                decoded.map(|it| Some(it.document)).map_err(|issue| issue.to_string())
            }
            Err(DecodeError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Bytes that have arrived and were not read.
#[derive(Clone, Default)]
struct Arrived(Arc<Mutex<VecDeque<Bytes>>>);

impl Arrived {
    fn push(&self, bytes: Bytes) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(bytes);
    }
}

impl Read for Arrived {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut arrived = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(first) = arrived.front_mut() {
            let count = first.len().min(room.len());
            let taken = first.split_to(count);
            if first.is_empty() {
                arrived.pop_front();
            }
            if count > 0 {
                room.get_mut(..count).unwrap_or_default().copy_from_slice(&taken);
                return Ok(count);
            }
        }
        Err(io::ErrorKind::WouldBlock.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crdkit_codec::cbor::{Order, SequenceWriter};

    /// Events come out whole, however the bytes are cut.
    fn check(format: Format, bytes: &[u8]) {
        for size in 1..bytes.len() {
            let mut events = Events::new(format, &Limits::default(), 1000).unwrap();
            let mut seen = 0;
            for piece in bytes.chunks(size) {
                events.push(Bytes::copy_from_slice(piece));
                while let Some(event) = events.next().unwrap() {
                    assert_eq!(
                        event.root().get("type").and_then(crdkit_value::Value::as_str),
                        Some("ADDED")
                    );
                    seen += 1;
                }
            }
            assert_eq!(seen, 3, "in pieces of {size}");
        }
    }

    #[test]
    fn events_come_out_whole() {
        let object = Document::object().with("kind", "K");
        let line = "{\"type\":\"ADDED\",\"object\":{\"kind\":\"K\"}}\n";
        check(Format::Json, line.repeat(3).as_bytes());
        let mut writer = SequenceWriter::new(Vec::new());
        for _ in 0..3 {
            writer.event("ADDED", object.root(), Order::Sorted).unwrap();
        }
        check(Format::CborSeq, &writer.into_inner());
    }

    #[test]
    fn events_are_bounded() {
        let mut lines = Events::new(Format::Json, &Limits::default(), 10).unwrap();
        lines.push(Bytes::from(vec![b' '; 11]));
        assert!(lines.next().is_err());
        assert!(Events::new(Format::Yaml, &Limits::default(), 10).is_none());
    }
}
