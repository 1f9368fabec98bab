//! What answers say about bodies that could not be read, and about what objects have to say.

use crdkit_schema::status::{Cause, Status, Subject};
use std::fmt::Write as _;

/// The beginning of a body: raw if it looks like JSON, in hexadecimal digits otherwise.
pub(crate) fn summary(body: &[u8]) -> String {
    const SHOWN: usize = 30;
    if body.is_empty() {
        return "<empty>".to_owned();
    }
    let shown = body.get(..SHOWN).unwrap_or(body);
    let mut text = String::new();
    if body.starts_with(b"{") {
        text.push_str(&String::from_utf8_lossy(shown));
    } else {
        for byte in shown {
            let _ = write!(text, "{byte:02x}");
        }
    }
    if body.len() > SHOWN {
        text.push_str(" ...");
    }
    text
}

/// An update must say which version it replaces.
pub(crate) fn revision_required(subject: &Subject<'_>) -> Status {
    subject.refused(vec![Cause {
        reason: "FieldValueInvalid".into(),
        field: "metadata.resourceVersion".to_owned(),
        message: "Invalid value: 0: must be specified for an update".to_owned(),
    }])
}
