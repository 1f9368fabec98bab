//! Reads a point in time by a layout, as `time.Parse` does for the layouts the server uses.

use super::Timestamp;
use super::civil::{days_in_month, days_since_1970};
use crate::error::TextError;
use crate::quote::quote_time;

/// A Go time layout and its parts in order.
pub(super) struct Layout {
    text: &'static str,
    parts: &'static [LayoutPart],
}

/// One part of a layout: text that must be there, and what follows it as the layout spells it.
type LayoutPart = (&'static str, TimeField, &'static str);

#[derive(Clone, Copy, PartialEq, Eq)]
enum TimeField {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    /// A fraction of exactly this many bytes, the point counted.
    Fraction(usize),
    OptionalFraction,
    Zone,
}

macro_rules! layout {
    ($text:literal $(, $part:expr)*) => {
        Layout {
            text: $text,
            parts: &[
                ("", TimeField::Year, "2006"),
                ("-", TimeField::Month, "01"),
                ("-", TimeField::Day, "02"),
                $($part,)*
            ],
        }
    };
    (time $text:literal $(, $part:expr)*) => {
        layout!(
            $text,
            ("T", TimeField::Hour, "15"),
            (":", TimeField::Minute, "04"),
            (":", TimeField::Second, "05")
            $(, $part)*
        )
    };
}

const ZONE: LayoutPart = ("", TimeField::Zone, "Z07:00");

impl Layout {
    pub(super) const DATE: Self = layout!("2006-01-02");
    pub(super) const LOCAL: Self = layout!(time "2006-01-02T15:04:05");
    pub(super) const RFC3339: Self = layout!(time "2006-01-02T15:04:05Z07:00", ZONE);
    pub(super) const NANOSECONDS: Self = layout!(time "2006-01-02T15:04:05.999999999Z07:00", ("", TimeField::OptionalFraction, ".999999999"), ZONE);
    pub(super) const MICROSECONDS: Self = layout!(time "2006-01-02T15:04:05.000000Z07:00", ("", TimeField::Fraction(7), ".000000"), ZONE);
    pub(super) const MILLISECONDS: Self =
        layout!(time "2006-01-02T15:04:05.000Z07:00", ("", TimeField::Fraction(4), ".000"), ZONE);

    pub(super) fn parse(&self, text: &str) -> Result<Timestamp, TextError> {
        let mut reader = TimeReader { rest: text.as_bytes(), ..TimeReader::default() };
        for (index, (prefix, field, spelled)) in self.parts.iter().enumerate() {
            let Some(rest) = reader.rest.strip_prefix(prefix.as_bytes()) else {
                return Err(self.mismatch(text, reader.rest, prefix));
            };
            reader.rest = rest;
            let next = self.parts.get(index + 1).map(|(_, field, _)| *field);
            reader.read(*field, next).map_err(|fault| match fault {
                Fault::Range(what) => Self::error(text, &format!("{what} out of range")),
                Fault::Syntax => self.mismatch(text, rest, spelled),
            })?;
        }
        if !reader.rest.is_empty() {
            let rest = String::from_utf8_lossy(reader.rest);
            return Err(Self::error(text, &format!("extra text: {}", quote_time(&rest))));
        }
        if reader.day < 1 || reader.day > days_in_month(reader.year, reader.month) {
            return Err(Self::error(text, "day out of range"));
        }
        let days = days_since_1970(reader.year, reader.month, reader.day);
        let local = days * 86_400 + reader.hour * 3600 + reader.minute * 60 + reader.second;
        Ok(Timestamp {
            seconds: local - i64::from(reader.offset),
            nanoseconds: reader.nanoseconds,
            offset: reader.offset,
        })
    }

    fn mismatch(&self, text: &str, found: &[u8], wanted: &str) -> TextError {
        let found = String::from_utf8_lossy(found);
        let [text, layout, found, wanted] = [text, self.text, &found, wanted].map(quote_time);
        TextError::new(format!("parsing time {text} as {layout}: cannot parse {found} as {wanted}"))
    }

    fn error(text: &str, message: &str) -> TextError {
        TextError::new(format!("parsing time {}: {message}", quote_time(text)))
    }
}

enum Fault {
    Syntax,
    Range(&'static str),
}

#[derive(Default)]
struct TimeReader<'t> {
    rest: &'t [u8],
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanoseconds: u32,
    offset: i32,
}

impl TimeReader<'_> {
    fn read(&mut self, field: TimeField, next: Option<TimeField>) -> Result<(), Fault> {
        match field {
            TimeField::Year => {
                let (year, rest) = self.rest.split_at_checked(4).ok_or(Fault::Syntax)?;
                self.year = i64::from(number(year).ok_or(Fault::Syntax)?);
                self.rest = rest;
            }
            TimeField::Month => self.month = self.within(true, 1..13, "month")?,
            TimeField::Day => self.day = self.within(true, 0..100, "day")?,
            TimeField::Hour => self.hour = self.within(false, 0..24, "hour")?,
            TimeField::Minute => self.minute = self.within(true, 0..60, "minute")?,
            TimeField::Second => {
                self.second = self.within(true, 0..60, "second")?;
                if !matches!(next, Some(TimeField::Fraction(_) | TimeField::OptionalFraction)) {
                    self.optional_fraction();
                }
            }
            TimeField::Fraction(length) => self.exact_fraction(length)?,
            TimeField::OptionalFraction => self.optional_fraction(),
            TimeField::Zone => self.zone()?,
        }
        Ok(())
    }

    /// One or two digits, or exactly two.
    fn within(
        &mut self,
        two: bool,
        range: std::ops::Range<i64>,
        name: &'static str,
    ) -> Result<i64, Fault> {
        let (value, rest) = match self.rest {
            [tens @ b'0'..=b'9', ones @ b'0'..=b'9', rest @ ..] => {
                (i64::from(tens - b'0') * 10 + i64::from(ones - b'0'), rest)
            }
            [ones @ b'0'..=b'9', rest @ ..] if !two => (i64::from(ones - b'0'), rest),
            _ => return Err(Fault::Syntax),
        };
        if !range.contains(&value) {
            return Err(Fault::Range(name));
        }
        self.rest = rest;
        Ok(value)
    }

    fn optional_fraction(&mut self) {
        let [b'.' | b',', rest @ ..] = self.rest else { return };
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if let Some((digits, rest)) = rest.split_at_checked(length)
            && length > 0
        {
            self.nanoseconds = nanoseconds(digits).unwrap_or(0);
            self.rest = rest;
        }
    }

    fn exact_fraction(&mut self, length: usize) -> Result<(), Fault> {
        let (fraction, rest) = self.rest.split_at_checked(length).ok_or(Fault::Syntax)?;
        let [b'.' | b',', digits @ ..] = fraction else { return Err(Fault::Syntax) };
        self.nanoseconds = match digits {
            // Go reads the digits as a number, which may have a sign.
            [b'+', digits @ ..] => nanoseconds_of(number(digits).ok_or(Fault::Syntax)?, length - 1),
            [b'-', digits @ ..] => match number(digits) {
                Some(0) => 0,
                Some(_) => return Err(Fault::Range("fractional second")),
                None => return Err(Fault::Syntax),
            },
            digits => nanoseconds(digits).ok_or(Fault::Syntax)?,
        };
        self.rest = rest;
        Ok(())
    }

    fn zone(&mut self) -> Result<(), Fault> {
        let (sign, tail) = match self.rest {
            [b'Z', rest @ ..] => {
                self.rest = rest;
                return Ok(());
            }
            [sign, tail @ ..] => (*sign, tail),
            [] => return Err(Fault::Syntax),
        };
        let [h1, h2, b':', m1, m2, rest @ ..] = tail else { return Err(Fault::Syntax) };
        let (hour, minute) = (number(&[*h1, *h2]), number(&[*m1, *m2]));
        // Twenty-four hours and sixty minutes are allowed. Go looks at the minutes only when the hours are digits,
        // and at the sign last.
        if hour.is_some_and(|hour| hour > 24) && minute.is_none_or(|minute| minute <= 60) {
            return Err(Fault::Range("time zone offset hour"));
        }
        let (Some(hour), Some(minute)) = (hour, minute) else { return Err(Fault::Syntax) };
        if minute > 60 {
            return Err(Fault::Range("time zone offset minute"));
        }
        let offset = i32::try_from((hour * 60 + minute) * 60).map_err(|_| Fault::Syntax)?;
        self.offset = match sign {
            b'+' => offset,
            b'-' => -offset,
            _ => return Err(Fault::Syntax),
        };
        self.rest = rest;
        Ok(())
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits)
        .ok()
        .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?
        .parse()
        .ok()
}

/// The digits of a fraction; those beyond the ninth do not count.
fn nanoseconds(digits: &[u8]) -> Option<u32> {
    let counted = digits.get(..9).unwrap_or(digits);
    Some(nanoseconds_of(number(counted)?, counted.len()))
}

fn nanoseconds_of(value: u32, digits: usize) -> u32 {
    (digits..9).fold(value, |value, _| value.saturating_mul(10))
}
