//! Documents that are looked at before they are complete, because they may be too large to hold.
//!
//! A [`Builder`] can stop in the middle of a value and show what it has; another can go on from there
//! with the part that is still open.

use crate::{Builder, Document, Event, NodeId, Value};
use crdkit_issue::{Issue, Span};

/// The beginning of a value.
#[derive(Debug)]
pub struct Suspended {
    /// What there is so far, as if everything that is open ended where the input was left.
    pub document: Document,
    /// The arrays and objects that have begun and not ended, outermost first.
    pub open: Vec<NodeId>,
    /// The duplicate keys found so far.
    pub issues: Vec<Issue>,
}

impl Builder<'_> {
    /// Stops at offset `at` of the input, in the middle of a value.
    pub fn suspend(mut self, at: usize) -> Suspended {
        let open = self.open.iter().skip(1).map(|frame| frame.id).collect();
        while self.is_open() {
            self.end(Span::at(at));
        }
        let (document, issues) = self.finish();
        Suspended { document, open, issues }
    }

    /// Takes over `value`, in which the `n_open` innermost arrays and objects at its end are still open.
    ///
    /// # Errors
    /// The finding, when a limit is exceeded.
    pub fn resume(&mut self, value: Value<'_>, n_open: usize) -> Result<(), Box<Issue>> {
        let document = value.document();
        let mut walk = value.events();
        // Where the arrays and objects around the current place stood.
        let mut around = Vec::new();
        // Ends are held back until something follows them: the last ones may not be ends at all.
        let mut ends: Vec<(Event<'_>, Span)> = Vec::new();
        loop {
            let place = walk.upcoming().and_then(|id| document.place(id));
            let Some(event) = walk.next() else { break };
            if let Event::EndArray | Event::EndObject = event {
                ends.push((event, around.pop().unwrap_or_default()));
                continue;
            }
            for (end, span) in ends.drain(..) {
                self.event(end, span)?;
            }
            // The place of a key stands with its value, which comes next.
            let key = || document.place(walk.upcoming()?)?.key;
            let span = match event {
                Event::Key(_) => key(),
                _ => place.map(|place| place.value),
            };
            let span = span.unwrap_or_default();
            if let Event::BeginArray | Event::BeginObject = event {
                around.push(span);
            }
            self.event(event, span)?;
        }
        let closed = ends.len().saturating_sub(n_open);
        for (end, span) in ends.into_iter().take(closed) {
            self.event(end, span)?;
        }
        Ok(())
    }
}
