//! Texts and numbers that schemas accept.
//!
//! Takes schemas that must all hold, gives values from short to long or near zero. A text is found for
//! formats in a list of known ones, for patterns by walking their automata. What is given satisfies
//! the schemas as far as could be found out; an empty list means that nothing was found.

use crdkit_schema::model::{Bounds, Schema};
use crdkit_text::formats::TextFormat;
use crdkit_text::regex::{Regex, Search, SearchOutcome};
use crdkit_value::Value;
use std::cell::RefCell;
use std::collections::HashMap;

/// Texts that were found for patterns; finding them is the most expensive part of a sample.
#[derive(Debug, Default)]
pub struct Memo(RefCell<HashMap<SearchKey, Vec<String>>>);

/// Patterns, the least and greatest length, and how many texts.
type SearchKey = (Vec<String>, usize, Option<usize>, usize);

/// Nobody needs longer lists and texts than this to see a point.
pub const LARGEST: usize = 256;

/// What several schemas ask of a text together.
pub(crate) struct Wanted<'s> {
    enumerations: Vec<Value<'s>>,
    patterns: Vec<Regex>,
    formats: Vec<TextFormat>,
    min: usize,
    max: Option<usize>,
}

impl<'s> Wanted<'s> {
    pub(crate) fn new(schemas: &[&Schema<'s>]) -> Self {
        let length = |bound: Option<i64>| bound.and_then(|bound| usize::try_from(bound).ok());
        let bounds = || schemas.iter().map(|schema| schema.bounds());
        Self {
            enumerations: schemas.iter().filter_map(|schema| schema.enum_values).collect(),
            patterns: schemas
                .iter()
                .filter(|schema| !schema.pattern.is_empty())
                .filter_map(|schema| Regex::new(schema.pattern).ok())
                .collect(),
            formats: schemas.iter().filter_map(|schema| TextFormat::parse(schema.format)).collect(),
            min: bounds().filter_map(|bounds| length(bounds.min_length)).max().unwrap_or(0),
            max: bounds().filter_map(|bounds| length(bounds.max_length)).min(),
        }
    }

    /// The name of an object.
    pub(crate) fn name() -> Self {
        let subdomain = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
        let patterns = Regex::new(subdomain).into_iter().collect();
        Self { patterns, min: 1, max: Some(253), ..Self::new(&[]) }
    }

    /// Whether nothing but a length is asked for.
    pub(crate) fn is_plain(&self) -> bool {
        self.enumerations.is_empty() && self.patterns.is_empty() && self.formats.is_empty()
    }

    pub(crate) fn accepts(&self, text: &str) -> bool {
        let length = text.chars().count();
        let listed = |values: &Value<'_>| values.items().any(|it| it.as_str() == Some(text));
        length >= self.min
            && self.max.is_none_or(|max| length <= max)
            && self.enumerations.iter().all(listed)
            && self.patterns.iter().all(|pattern| pattern.is_match(text))
            && self.formats.iter().all(|format| format.accepts(text))
    }

    /// Up to `count` texts that satisfy `also` as well.
    pub(crate) fn texts(&self, memo: &Memo, also: Option<&Regex>, count: usize) -> Vec<String> {
        let fits = |text: &&str| self.accepts(text) && also.is_none_or(|also| also.is_match(text));
        if let Some(values) = self.enumerations.first() {
            let texts = values.items().filter_map(Value::as_str).filter(fits);
            return texts.map(str::to_owned).take(count).collect();
        }
        if !self.formats.is_empty() {
            let fitting: Vec<_> = FORMATTED.iter().copied().filter(fits).collect();
            if !fitting.is_empty() {
                return fitting.into_iter().map(str::to_owned).take(count).collect();
            }
        }
        let matching: Vec<&Regex> = self.patterns.iter().chain(also).collect();
        if matching.is_empty() {
            // Without a pattern every length does; texts of one letter are the easiest to read.
            let first = self.min.max(1).min(self.max.unwrap_or(usize::MAX)).min(LARGEST);
            let last = self.max.unwrap_or(usize::MAX).min(first.saturating_add(count));
            return (first..=last).map(|length| "a".repeat(length)).take(count).collect();
        }
        let names = matching.iter().map(|pattern| pattern.as_str().to_owned()).collect();
        let key = (names, self.min, self.max, count);
        if let Some(known) = memo.0.borrow().get(&key) {
            return known.clone();
        }
        let (min_length, max_length) = (self.min, self.max);
        let search = Search { matching, failing: Vec::new(), min_length, max_length };
        let texts = match search.run(count) {
            SearchOutcome::Texts(texts) => texts,
            SearchOutcome::Unknown => Vec::new(),
        };
        memo.0.borrow_mut().insert(key, texts.clone());
        texts
    }
}

/// Up to `count` texts that all of `schemas` accept.
pub fn texts(memo: &Memo, schemas: &[&Schema<'_>], count: usize) -> Vec<String> {
    Wanted::new(schemas).texts(memo, None, count)
}

/// The limits of all of `schemas` on numbers.
pub(crate) fn bounds(schemas: &[&Schema<'_>]) -> Bounds {
    let mut all = Bounds::default();
    for bounds in schemas.iter().map(|schema| schema.bounds()) {
        if let Some(minimum) = bounds.minimum
            && all.minimum.is_none_or(|known| minimum >= known)
        {
            (all.minimum, all.exclusive_minimum) = (Some(minimum), bounds.exclusive_minimum);
        }
        if let Some(maximum) = bounds.maximum
            && all.maximum.is_none_or(|known| maximum <= known)
        {
            (all.maximum, all.exclusive_maximum) = (Some(maximum), bounds.exclusive_maximum);
        }
        let factor = bounds.multiple_of.filter(|factor| *factor > 0.0);
        all.multiple_of = all.multiple_of.or(factor);
    }
    all
}

/// Whether the limits let a number pass.
pub(crate) fn allows(bounds: &Bounds, number: f64) -> bool {
    let above = |minimum: f64| number > minimum || (number == minimum && !bounds.exclusive_minimum);
    let below = |maximum: f64| number < maximum || (number == maximum && !bounds.exclusive_maximum);
    let even = |step: f64| number.rem_euclid(step) == 0.0;
    bounds.minimum.is_none_or(above)
        && bounds.maximum.is_none_or(below)
        && bounds.multiple_of.is_none_or(even)
}

/// A number near zero that the limits of `schemas` allow.
pub fn number(schemas: &[&Schema<'_>]) -> f64 {
    let bounds = bounds(schemas);
    let step = bounds.multiple_of.unwrap_or(1.0);
    let mut number = step;
    if let Some(minimum) = bounds.minimum.filter(|minimum| *minimum >= number) {
        number = (minimum / step).ceil() * step;
        number += if bounds.exclusive_minimum && number <= minimum { step } else { 0.0 };
    }
    if let Some(maximum) = bounds.maximum.filter(|maximum| *maximum <= number) {
        number = (maximum / step).floor() * step;
        number -= if bounds.exclusive_maximum && number >= maximum { step } else { 0.0 };
    }
    if !allows(&bounds, number)
        && bounds.multiple_of.is_none()
        && let Some((low, high)) = bounds.minimum.zip(bounds.maximum)
    {
        // No whole number lies between the limits.
        number = f64::midpoint(low, high);
    }
    number
}

/// Texts of every format that servers know.
pub const FORMATTED: &[&str] = &[
    "2024-02-29",
    "2024-02-29T12:00:00Z",
    "1h30m",
    "192.0.2.1",
    "2001:db8::1",
    "192.0.2.0/24",
    "00:00:5e:00:53:01",
    "https://example.com/a",
    "example",
    "example.com",
    "a@example.com",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "a3bb189e-8bf9-3888-9912-ace4e6543002",
    "936da01f-9abd-4d9d-80c7-02af85c822a8",
    "74738ff5-5367-5958-9aee-98fffdcd1876",
    "507f1f77bcf86cd799439011",
    "0306406152",
    "9780306406157",
    "4111111111111111",
    "111-22-3333",
    "#ffffff",
    "rgb(255,255,255)",
    "YWJj",
];

/// Texts that people recognise, for patterns and rules that ask for something like them.
pub(crate) const FAMILIAR: &[&str] = &[
    "example",
    "example.com",
    "https://example.com",
    "10s",
    "1h",
    "1Gi",
    "100m",
    "1",
    "100%",
    "v1",
    "v1.0.0",
    "1.0.0",
    "example.com/example",
    "/example",
    "Example",
    "*",
    "0 0 * * *",
    "us-east-1",
    "default/example",
    "registry.example.com/example:v1",
    "registry.example.com/example@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "spiffe://example.com/example",
    "oci://registry.example.com/example",
    "s3://example",
    "tcp://example.com:80",
    "ssh://git@example.com/example",
    "EXAMPLE",
    "True",
    "true",
    "0",
    "8080",
    "key=value",
    "192.0.2.1-192.0.2.9",
];
