//! How long ago something was, in the few words kubectl uses.
//! Upstream: `k8s.io/apimachinery/pkg/util/duration.HumanDuration`.

use crdkit_text::timestamp::Timestamp;

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// What is shown for a time that does not exist, or lies in the future.
pub(super) const INVALID: &str = "<invalid>";

/// What is shown for no time at all.
pub(super) const UNKNOWN: &str = "<unknown>";

/// The first moment of the year 1, which Go takes for no time.
const ZERO: i64 = -62_135_596_800;

/// The time that `text` says, as its distance from `now`.
pub(super) fn since_text(text: &str, now: Timestamp) -> String {
    if matches!(text, "" | "null") {
        return UNKNOWN.to_owned();
    }
    match Timestamp::parse_rfc3339(text) {
        Ok(then) if then.seconds == ZERO && then.nanoseconds == 0 => UNKNOWN.to_owned(),
        Ok(then) => duration(nanoseconds(now).saturating_sub(nanoseconds(then))),
        Err(_) => INVALID.to_owned(),
    }
}

/// A duration in nanoseconds, coarser the longer it is.
pub fn duration(nanoseconds: i64) -> String {
    // Clocks may differ a little.
    let seconds = nanoseconds / SECOND;
    if seconds < -1 {
        return INVALID.to_owned();
    } else if seconds < 0 {
        return "0s".to_owned();
    } else if seconds < 120 {
        return format!("{seconds}s");
    }
    let (minutes, hours) = (nanoseconds / MINUTE, nanoseconds / HOUR);
    let (days, years) = (hours / 24, hours / 24 / 365);
    let two = |large: i64, letter: char, small: i64, other: char| match small {
        0 => format!("{large}{letter}"),
        small => format!("{large}{letter}{small}{other}"),
    };
    match (minutes, hours, days) {
        (..10, ..) => two(minutes, 'm', seconds % 60, 's'),
        (..180, ..) => format!("{minutes}m"),
        (_, ..8, _) => two(hours, 'h', minutes % 60, 'm'),
        (_, ..48, _) => format!("{hours}h"),
        (_, _, ..8) => two(days, 'd', hours % 24, 'h'),
        (_, _, ..730) => format!("{days}d"),
        (_, _, ..2920) => two(years, 'y', days % 365, 'd'),
        _ => format!("{years}y"),
    }
}

/// Since 1970; times too far away for Go's durations are as far away as those go.
fn nanoseconds(time: Timestamp) -> i64 {
    time.seconds.saturating_mul(SECOND).saturating_add(i64::from(time.nanoseconds))
}
