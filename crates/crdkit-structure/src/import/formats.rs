//! Formats that are checked when formats are: those of JSON Schema, then those of the API server.

use crate::compiled::FormatCheck;
use crdkit_text::formats::TextFormat;
use crdkit_text::json_formats;

/// The check of the format called `name`.
pub(super) fn check(name: &str) -> Option<FormatCheck> {
    if let Some(accepts) = json_formats::named(name) {
        return Some(FormatCheck::new(name, accepts));
    }
    if matches!(name, "int32" | "int64" | "float" | "double") {
        // Numbers are checked by what they are worth; there is nothing to be said about strings.
        return Some(FormatCheck::new(name, |_| true));
    }
    let format = TextFormat::parse(name)?;
    Some(FormatCheck::new(name, move |text| format.accepts(text)))
}
