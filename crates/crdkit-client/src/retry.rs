//! When a request is repeated, and after what pause.

use http::header::RETRY_AFTER;
use http::{HeaderMap, StatusCode};
use std::time::Duration;

/// How often and after what pauses requests are repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How often a request is repeated.
    pub times: u32,
    /// The first pause; each further one is twice as long.
    pub first_pause: Duration,
    /// The longest pause, also where a server asks for a longer one.
    pub longest_pause: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            times: 5,
            first_pause: Duration::from_millis(100),
            longest_pause: Duration::from_secs(30),
        }
    }
}

impl Retry {
    /// No request is repeated.
    pub fn never() -> Self {
        Self { times: 0, ..Self::default() }
    }

    /// The pause before the repetition number `repeated`, counted from 0; none if that was it.
    pub(crate) fn pause(&self, repeated: u32) -> Option<Duration> {
        (repeated < self.times).then(|| self.backoff(repeated))
    }

    /// The pause after so many failures in a row, however many there may be.
    pub(crate) fn backoff(&self, failures: u32) -> Duration {
        let factor = 2_u32.saturating_pow(failures);
        self.first_pause.saturating_mul(factor).min(self.longest_pause)
    }

    /// The pause after an answer that asks for one; none if it does not, or if that was it.
    pub(crate) fn after_answer(
        &self,
        repeated: u32,
        code: StatusCode,
        headers: &HeaderMap,
    ) -> Option<Duration> {
        let asked = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let asked = asked.and_then(|text| text.trim().parse().ok()).map(Duration::from_secs);
        let is_asked =
            code == StatusCode::TOO_MANY_REQUESTS || code.is_server_error() && asked.is_some();
        let own = self.pause(repeated).filter(|_| is_asked)?;
        Some(asked.map_or(own, |asked| asked.min(self.longest_pause)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let retry =
            Retry { times: 3, longest_pause: Duration::from_millis(300), ..Retry::default() };
        let pauses: Vec<_> = (0..4).map(|repeated| retry.pause(repeated)).collect();
        let millis = |millis| Some(Duration::from_millis(millis));
        assert_eq!(pauses, [millis(100), millis(200), millis(300), None]);
        assert_eq!(retry.backoff(u32::MAX), Duration::from_millis(300));
    }

    #[test]
    fn an_answer_says_whether_and_when() {
        let retry = Retry::default();
        let asked = HeaderMap::from_iter([(RETRY_AFTER, "2".parse().unwrap())]);
        let nothing = HeaderMap::new();
        let after = |code: u16, headers| {
            retry.after_answer(0, StatusCode::from_u16(code).unwrap(), headers)
        };
        assert_eq!(after(429, &asked), Some(Duration::from_secs(2)));
        assert_eq!(after(429, &nothing), Some(retry.first_pause));
        assert_eq!(after(503, &asked), Some(Duration::from_secs(2)));
        assert_eq!(after(503, &nothing), None);
        assert_eq!(after(409, &asked), None);
        assert_eq!(retry.after_answer(5, StatusCode::TOO_MANY_REQUESTS, &asked), None);
    }
}
