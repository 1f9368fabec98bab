//! The calendar: days and times of day for seconds since 1970, and back.
//!
//! The proleptic Gregorian calendar, as Go uses it, for every year.

const DAY: i64 = 86_400;

/// A date and a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// The year, zero and below allowed.
    pub year: i64,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 for Sunday to 6 for Saturday.
    pub weekday: u8,
    /// 0 for the first of January.
    pub year_day: u16,
}

impl Civil {
    /// The date and time of day so many seconds after 1970 began.
    pub fn of(seconds: i64) -> Self {
        let days = seconds.div_euclid(DAY);
        let time = seconds.rem_euclid(DAY);
        // Years begin in March here, so that the leap day is the last day of a year.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let small = |value: i64| u8::try_from(value).unwrap_or(0);
        Self {
            year,
            month: small(month),
            day: small(day),
            hour: small(time / 3600),
            minute: small(time / 60 % 60),
            second: small(time % 60),
            weekday: small((days + 4).rem_euclid(7)),
            year_day: u16::try_from(days - days_since_1970(year, 1, 1)).unwrap_or(0),
        }
    }
}

/// The number of a day; month and day must be in range.
pub(super) fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let march_month = (month + 9) % 12;
    let day_of_year = (153 * march_month + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

pub(super) fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_convert_both_ways() {
        for days in (-800_000..3_000_000).step_by(17) {
            let civil = Civil::of(days * DAY);
            let (month, day) = (i64::from(civil.month), i64::from(civil.day));
            assert_eq!(days_since_1970(civil.year, month, day), days);
            assert!(day <= days_in_month(civil.year, month));
        }
        let civil = Civil::of(1_709_208_000);
        assert_eq!(
            (civil.year, civil.month, civil.day, civil.weekday, civil.year_day),
            (2024, 2, 29, 4, 59)
        );
    }
}
