//! Text from input, made safe to print: no sequence that a terminal acts on, no line that a runner of
//! workflows takes for a command, no line end that begins what looks like another finding.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Text that stays on one line.
pub(crate) fn inline(text: &str) -> Cow<'_, str> {
    let is_plain = |it: char| !is_unsafe(it) && it != '\n';
    if text.chars().all(is_plain) && !is_command(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    guard(text, &mut out);
    text.chars().for_each(|it| push(it, it == '\n' || is_unsafe(it), &mut out));
    Cow::Owned(out)
}

/// Text that may have several lines; those after the first are set apart.
pub(crate) fn block(text: &str) -> Cow<'_, str> {
    if text.contains('\n') { Cow::Owned(joined(text, "  ")) } else { inline(text) }
}

/// Text of several lines that stay where they are, such as a difference.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    if text.contains('\n') { Cow::Owned(joined(text, "")) } else { inline(text) }
}

/// The lines of `text`, with `margin` before those after the first that have none.
fn joined(text: &str, margin: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        if index > 0 && !line.is_empty() && !line.starts_with(' ') {
            out.push_str(margin);
        }
        guard(line, &mut out);
        line.chars().for_each(|it| push(it, is_unsafe(it), &mut out));
    }
    out
}

/// Whether a runner would take a line for a command.
fn is_command(line: &str) -> bool {
    line.trim_start().starts_with("::")
}

/// A sign in front of what would be a command.
fn guard(line: &str, out: &mut String) {
    if is_command(line) {
        out.push('\\');
    }
}

/// What a terminal acts on, or what changes the order in which text is shown.
fn is_unsafe(it: char) -> bool {
    it.is_control() && !matches!(it, '\n' | '\t')
        || matches!(it, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn push(it: char, escaped: bool, out: &mut String) {
    match it {
        '\n' if escaped => out.push_str("\\n"),
        '\r' if escaped => out.push_str("\\r"),
        it if escaped => _ = write!(out, "\\u{{{:x}}}", u32::from(it)),
        it => out.push(it),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_what_is_printed() {
        assert_eq!(inline("spec.watts"), "spec.watts");
        assert_eq!(inline("a\n::error x"), "a\\n::error x");
        assert_eq!(inline("::error::x.yaml"), "\\::error::x.yaml");
        assert_eq!(inline("a\u{1b}[31mb\r"), "a\\u{1b}[31mb\\r");
        assert_eq!(inline("\u{202e}"), "\\u{202e}");
        assert_eq!(block("a\n::error x\n | b\nc"), "a\n  \\::error x\n | b\n  c");
        assert_eq!(lines("- a\n+ b\n::c\n"), "- a\n+ b\n\\::c\n");
    }
}
