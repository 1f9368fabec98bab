//! Points and spans of time: arithmetic, parts of a date, time zones.

use crdkit_text::timestamp::Timestamp;

use super::no_overload;
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, Val};

const SECOND: i64 = 1_000_000_000;
/// First and last second of the years 1 to 9999.
const FIRST: i64 = -62_135_596_800;
const LAST: i64 = 253_402_300_799;

/// A timestamp inside the years the language knows.
pub(super) fn in_range(at: Timestamp) -> Result<Timestamp, EvalError> {
    if (FIRST..=LAST).contains(&at.seconds) {
        Ok(at)
    } else {
        Err(EvalError::fixed("timestamp overflow"))
    }
}

/// Adds or subtracts a span in nanoseconds.
pub(super) fn shift(at: &Timestamp, by: i64, back: bool) -> Result<Timestamp, EvalError> {
    let by = if back { -i128::from(by) } else { i128::from(by) };
    let total = i128::from(at.seconds) * i128::from(SECOND) + i128::from(at.nanoseconds) + by;
    let seconds = total.div_euclid(i128::from(SECOND));
    let nanoseconds = total.rem_euclid(i128::from(SECOND));
    in_range(Timestamp {
        seconds: i64::try_from(seconds).unwrap_or(i64::MAX),
        nanoseconds: u32::try_from(nanoseconds).unwrap_or(0),
        offset: at.offset,
    })
}

/// The span from `b` to `a` in nanoseconds.
pub(super) fn between(a: &Timestamp, b: &Timestamp) -> Option<i64> {
    let total =
        |at: &Timestamp| i128::from(at.seconds) * i128::from(SECOND) + i128::from(at.nanoseconds);
    i64::try_from(total(a) - total(b)).ok()
}

/// A span as seconds with a fraction, `1.5s`.
pub(crate) fn seconds_text(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let magnitude = nanoseconds.unsigned_abs();
    let (whole, fraction) = (magnitude / SECOND.unsigned_abs(), magnitude % SECOND.unsigned_abs());
    if fraction == 0 {
        return format!("{sign}{whole}s");
    }
    let digits = format!("{fraction:09}");
    format!("{sign}{whole}.{}s", digits.trim_end_matches('0'))
}

/// Seconds east of UTC at a point in time, for a zone's name or an offset such as `+02:00`.
fn offset(zone: &str, at: i64) -> Result<i32, EvalError> {
    if let Some((hours, minutes)) = zone.split_once(':') {
        let bad = || EvalError::message(format!("cannot parse time zone offset '{zone}'"));
        let parsed_hours: i32 = hours.parse().map_err(|_| bad())?;
        let parsed_minutes: i32 = minutes.parse().map_err(|_| bad())?;
        let minutes = if hours.starts_with('-') { -parsed_minutes } else { parsed_minutes };
        return Ok((parsed_hours * 60 + minutes) * 60);
    }
    if matches!(zone, "" | "UTC" | "Z") {
        return Ok(0);
    }
    let unknown = || EvalError::message(format!("unknown time zone {zone}"));
    let found = jiff::tz::TimeZoneDatabase::bundled().get(zone).map_err(|_| unknown())?;
    let at = jiff::Timestamp::from_second(at).map_err(|_| unknown())?;
    Ok(found.to_offset(at).seconds())
}

/// The moment a getter looks at, with the wall clock of its zone.
fn local(arguments: &[Val<'_>]) -> Result<Timestamp, EvalError> {
    match arguments {
        [Val::Timestamp(at)] => Ok(Timestamp { offset: 0, ..*at }),
        [Val::Timestamp(at), Val::String(zone)] => {
            Ok(Timestamp { offset: offset(zone, at.seconds)?, ..*at })
        }
        _ => Err(EvalError::NoSuchOverload(None)),
    }
}

pub(super) fn full_year<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Int(local(arguments)?.civil().year))
}

pub(super) fn month<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Int(i64::from(local(arguments)?.civil().month) - 1))
}

pub(super) fn day_of_year<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Int(i64::from(local(arguments)?.civil().year_day)))
}

pub(super) fn day_of_month<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Int(i64::from(local(arguments)?.civil().day) - 1))
}

pub(super) fn date<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Int(i64::from(local(arguments)?.civil().day)))
}

pub(super) fn day_of_week<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Int(i64::from(local(arguments)?.civil().weekday)))
}

pub(super) fn hours<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Int(i64::from(local(arguments)?.civil().hour)))
}

pub(super) fn minutes<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Int(i64::from(local(arguments)?.civil().minute)))
}

pub(super) fn seconds<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Int(i64::from(local(arguments)?.civil().second)))
}

pub(super) fn milliseconds<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Int(i64::from(local(arguments)?.nanoseconds / 1_000_000)))
}

fn whole<'v>(arguments: &[Val<'v>], unit: i64) -> Evaluated<'v> {
    match arguments {
        [Val::Duration(span)] => Ok(Val::Int(span / unit)),
        _ => no_overload(),
    }
}

pub(super) fn duration_hours<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    whole(arguments, 3600 * SECOND)
}

pub(super) fn duration_minutes<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    whole(arguments, 60 * SECOND)
}

pub(super) fn duration_seconds<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    whole(arguments, SECOND)
}

pub(super) fn duration_milliseconds<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    whole(arguments, 1_000_000)
}
