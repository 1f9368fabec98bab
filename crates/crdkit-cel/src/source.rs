//! Expression text and positions in it.
//!
//! In goes the text of one expression; out come lines, columns (counted in code points from 0) and the two-line
//! snippet with a caret that error messages carry. Positions are byte offsets everywhere else in the crate; they are
//! turned into lines and columns only here, when somebody reads them.

/// Largest line, in bytes, that is quoted below an error.
const MAX_SNIPPET_LENGTH: usize = 16_384;

/// A place in the text: byte offset, or nowhere for errors about the expression as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(u32);

impl Position {
    /// The place of errors that concern the whole expression.
    pub const NOWHERE: Self = Self(u32::MAX);

    /// A place by its byte offset.
    pub fn at(offset: usize) -> Self {
        Self(u32::try_from(offset).unwrap_or(u32::MAX))
    }

    /// The byte offset, unless the position is [`Position::NOWHERE`].
    pub fn offset(self) -> Option<usize> {
        (self != Self::NOWHERE).then_some(self.0 as usize)
    }
}

/// Line (from 1) and column in code points (from 0); both are -1 for [`Position::NOWHERE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Line, the first is 1.
    pub line: i64,
    /// Column in code points, the first is 0.
    pub column: i64,
}

/// Finds line and column of a position in the text.
pub fn locate(text: &str, position: Position) -> Location {
    let Some(offset) = position.offset() else {
        return Location { line: -1, column: -1 };
    };
    if text.is_empty() {
        // Nothing to point at, not even a first column.
        return Location { line: 1, column: -1 };
    }
    let before = text.get(..offset.min(text.len())).unwrap_or(text);
    let line = before.bytes().filter(|&byte| byte == b'\n').count();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(start..).unwrap_or_default().chars().count();
    Location { line: as_i64(line) + 1, column: as_i64(column) }
}

/// Appends the quoted line and the caret under `location`, when there is such a line.
pub(crate) fn write_snippet(out: &mut String, text: &str, location: Location) {
    let Some(line) =
        usize::try_from(location.line - 1).ok().and_then(|index| text.split('\n').nth(index))
    else {
        return;
    };
    if text.is_empty() || line.len() > MAX_SNIPPET_LENGTH {
        return;
    }
    out.push_str("\n | ");
    out.extend(line.chars().map(|c| if c == '\t' { ' ' } else { c }));
    out.push_str("\n | ");
    let column = usize::try_from(location.column).unwrap_or(0);
    let mut rest = line.chars();
    // Characters that take more than one byte are drawn wide, so the marks under them are wide too.
    out.extend(rest.by_ref().take(column).map(|c| if c.len_utf8() > 1 { '\u{ff0e}' } else { '.' }));
    out.push(if rest.next().is_some_and(|c| c.len_utf8() > 1) { '\u{ff3e}' } else { '^' });
}

fn as_i64(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
