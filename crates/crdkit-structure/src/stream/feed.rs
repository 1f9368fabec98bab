//! A stream whose bytes are pushed as they arrive.
//!
//! Takes bytes in pieces of any size and hands to a handler what they complete: the same steps, however the bytes were
//! divided.

use super::StreamOptions;
use super::step::StreamStep;
use super::walk::Stream;
use crate::schema::Schema;
use crdkit_codec::DecodeError;
use std::io::{self, ErrorKind, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Takes bytes as they arrive and hands out what they complete.
pub struct Feeder<'t> {
    stream: Stream<'t, Inbox>,
    inbox: Inbox,
}

/// Bytes that have arrived and not been read.
#[derive(Clone, Default)]
struct Inbox(Arc<Mutex<Arrived>>);

#[derive(Default)]
struct Arrived {
    bytes: Vec<u8>,
    read: usize,
    is_over: bool,
}

impl<'t> Feeder<'t> {
    /// A feeder for one document, held against `schema`.
    pub fn new(schema: &'t Schema, options: &'t StreamOptions) -> Self {
        let inbox = Inbox::default();
        Self { stream: Stream::new(inbox.clone(), schema, options), inbox }
    }

    /// Takes `chunk` and gives every step that is complete to `handler`.
    ///
    /// # Errors
    /// The finding, when the bytes are not JSON or a limit is exceeded.
    pub fn feed(
        &mut self,
        chunk: &[u8],
        handler: impl FnMut(StreamStep<'_>),
    ) -> Result<(), DecodeError> {
        self.inbox.lock().bytes.extend_from_slice(chunk);
        self.run(handler)
    }

    /// Takes note that there is no more, and gives the last steps to `handler`.
    ///
    /// # Errors
    /// The finding, when the document is not complete.
    pub fn finish(mut self, handler: impl FnMut(StreamStep<'_>)) -> Result<(), DecodeError> {
        self.inbox.lock().is_over = true;
        self.run(handler)
    }

    fn run(&mut self, mut handler: impl FnMut(StreamStep<'_>)) -> Result<(), DecodeError> {
        loop {
            match self.stream.step() {
                Ok(Some(step)) => handler(step),
                Ok(None) => return Ok(()),
                Err(DecodeError::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Arrived> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Read for Inbox {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut arrived = self.lock();
        let Arrived { bytes, read, is_over } = &mut *arrived;
        let left = bytes.get(*read..).unwrap_or_default();
        let n_bytes = left.len().min(room.len());
        if n_bytes == 0 && !*is_over {
            return Err(ErrorKind::WouldBlock.into());
        }
        if let (Some(room), Some(left)) = (room.get_mut(..n_bytes), left.get(..n_bytes)) {
            room.copy_from_slice(left);
        }
        *read += n_bytes;
        if *read == bytes.len() {
            bytes.clear();
            *read = 0;
        }
        Ok(n_bytes)
    }
}
