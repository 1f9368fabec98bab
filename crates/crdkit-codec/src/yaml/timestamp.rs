//! Which texts are YAML timestamps. Values never become times, but a `!!timestamp` tag demands one, and the
//! writer quotes them.
//!
//! Upstream: the four formats of `go.yaml.in/yaml/v2` `resolve.go`, as Go's `time.Parse` reads them.

/// Whether `text` is a date, or a date and a time.
pub(super) fn is_timestamp(text: &str) -> bool {
    let mut rest = Rest(text.as_bytes());
    let Some(year) = rest.digits(4, 4) else { return false };
    let Some(true) = rest.date(year) else { return false };
    match rest.0 {
        [] => true,
        [b'T' | b't', time @ ..] => Rest(time).time().is_some_and(|zone| is_zone(zone.0)),
        // Any number of spaces may separate the time.
        [b' ', ..] => rest.skip_spaces().time().is_some_and(|zone| zone.0.is_empty()),
        _ => false,
    }
}

/// What is left of a timestamp.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    /// Between `least` and `most` digits as a number.
    fn digits(&mut self, least: usize, most: usize) -> Option<u32> {
        let count = self.0.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        (count >= least)
            .then(|| digits.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0')))
    }

    fn skip_spaces(self) -> Self {
        let spaces = self.0.iter().take_while(|&&byte| byte == b' ').count();
        Self(self.0.get(spaces..).unwrap_or_default())
    }

    fn skip(&mut self, byte: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        (*first == byte).then_some(())
    }

    /// The month and day of `year`. Says whether the day exists.
    fn date(&mut self, year: u32) -> Option<bool> {
        self.skip(b'-')?;
        let month = self.digits(1, 2)?;
        self.skip(b'-')?;
        let day = self.digits(1, 2)?;
        let leap =
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => 0,
        };
        Some((1..=days).contains(&day))
    }

    /// Hours, minutes and seconds with any fraction; gives what follows.
    fn time(mut self) -> Option<Self> {
        let hour = self.digits(1, 2)?;
        self.skip(b':')?;
        let minute = self.digits(1, 2)?;
        self.skip(b':')?;
        let second = self.digits(1, 2)?;
        if let [b'.' | b',', digits @ ..] = self.0
            && let count @ 1.. = digits.iter().take_while(|byte| byte.is_ascii_digit()).count()
        {
            self.0 = digits.get(count..)?;
        }
        (hour < 24 && minute < 60 && second < 60).then_some(self)
    }
}

fn is_zone(zone: &[u8]) -> bool {
    let within = |tens: u8, ones: u8, most| {
        Rest(&[tens, ones]).digits(2, 2).is_some_and(|number| number <= most)
    };
    match *zone {
        [b'Z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => within(h1, h2, 24) && within(m1, m2, 60),
        _ => false,
    }
}
