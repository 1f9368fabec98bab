//! Strings, numbers and booleans: sets of values against sets of values.

use super::{Concern, Visit, Walk};
use crate::semantic::build;
use crate::semantic::interval::Interval;
use crate::semantic::sample::{self, FORMATTED};
use crdkit_schema::go_json;
use crdkit_schema::model::Schema;
use crdkit_text::formats::Format;
use crdkit_text::regex::{Found, Regex, Search};
use crdkit_value::{Document, Event, Kind, Value};

/// So many texts of each kind are tried.
const TEXTS: usize = 4;
/// A text may be this long to make a point.
const LONGEST: usize = 70_000;

impl<'c> Walk<'c> {
    pub(super) fn scalars(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        if let Some(values) = old.enum_values.filter(|values| values.items().len() > 0) {
            let refused: Vec<_> = values.items().filter(|value| !admits(new, *value)).collect();
            if !refused.is_empty() {
                let names: Vec<_> = refused.iter().map(|value| go_json::value(*value)).collect();
                let change = format!("not a value: {}", names.join(", "));
                let values = refused.into_iter().map(Document::copy_of).collect();
                self.suspect(visit, Concern::Accept, change, values);
            }
            return;
        }
        if new.enum_values.is_some_and(|values| values.items().len() > 0) {
            self.new_enum(visit, old, new);
        }
        let strings = old.type_name == "string" || old.extensions().int_or_string;
        if strings {
            self.lengths(visit, old, new);
            self.pattern(visit, old, new);
            self.format(visit, old, new);
        }
        if !strings || old.extensions().int_or_string {
            self.numbers(visit, old, new);
        }
    }

    fn new_enum(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let candidates: Vec<Document> = match old.type_name {
            "boolean" => [false, true].map(|it| build::scalar(Event::Bool(it))).into(),
            "string" => {
                let texts = sample::texts(self.sampler.memo, old, TEXTS + new_len(new));
                texts.iter().map(|text| build::text(text)).collect()
            }
            "integer" | "number" => {
                let near = Interval::of(old);
                (0..=u32::try_from(new_len(new)).unwrap_or(0))
                    .map(f64::from)
                    .chain([near.lower.at, near.upper.at])
                    .filter(|number| near.contains(*number))
                    .map(build::number)
                    .collect()
            }
            _ => vec![self.sampler.sample(visit.old)],
        };
        let values: Vec<_> = candidates.into_iter().filter(|it| !admits(new, it.root())).collect();
        if old.type_name != "boolean" || !values.is_empty() {
            let change = "only some values".to_owned();
            self.suspect(visit, Concern::Accept, change, values);
        }
    }

    fn lengths(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let length = |bound: Option<i64>| bound.and_then(|bound| usize::try_from(bound).ok());
        let (before, after) = (old.bounds(), new.bounds());
        let pattern = regex(old);
        let (least, most) = (length(before.min_length).unwrap_or(0), length(before.max_length));
        let search = |min_length, max_length| {
            let matching = pattern.iter().collect();
            Search { matching, failing: Vec::new(), min_length, max_length }.run(TEXTS)
        };
        if let Some(limit) = length(after.max_length)
            && most.is_none_or(|most| most > limit)
        {
            let found = match pattern {
                // Any text will do, and long ones are found at once.
                None if limit < LONGEST => Found::Texts(vec!["a".repeat(limit + 1)]),
                _ => search(least.max(limit + 1), most),
            };
            self.texts(visit, format!("at most {limit} characters"), found);
        }
        if let Some(limit) = length(after.min_length)
            && limit > least
        {
            let found = search(least, Some(most.unwrap_or(limit - 1).min(limit - 1)));
            self.texts(visit, format!("at least {limit} characters"), found);
        }
    }

    fn pattern(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        if new.pattern.is_empty() || old.pattern == new.pattern {
            return;
        }
        let length = |bound: Option<i64>| bound.and_then(|bound| usize::try_from(bound).ok());
        let bounds = old.bounds();
        let (before, after) = (regex(old), regex(new));
        let found = match &after {
            None => Found::Unknown,
            Some(after) => Search {
                matching: before.iter().collect(),
                failing: vec![after],
                min_length: length(bounds.min_length).unwrap_or(0),
                max_length: length(bounds.max_length),
            }
            .run(TEXTS),
        };
        self.texts(visit, format!("pattern {}", new.pattern), found);
    }

    /// Nothing to find is a proof.
    fn texts(&mut self, visit: &Visit<'c>, change: String, found: Found) {
        match found {
            Found::Texts(texts) if texts.is_empty() => {}
            Found::Texts(texts) => {
                let values = texts.iter().map(|text| build::text(text)).collect();
                self.suspect(visit, Concern::Accept, change, values);
            }
            Found::Unknown => self.suspect(visit, Concern::Accept, change, Vec::new()),
        }
    }

    fn format(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let Some(format) = Format::parse(new.format) else { return };
        if Format::parse(old.format) == Some(format) {
            return;
        }
        let mut texts = sample::texts(self.sampler.memo, old, TEXTS);
        texts.extend(FORMATTED.iter().map(|text| (*text).to_owned()));
        let values = texts.iter().map(|text| build::text(text));
        let values = values.filter(|it| admits(old, it.root()) && !format_admits(new, it.root()));
        let values: Vec<_> = values.take(TEXTS).collect();
        self.suspect(visit, Concern::Accept, format!("format {}", new.format), values);
    }

    fn numbers(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let (before, after) = (Interval::of(old), Interval::of(new));
        if !before.is_within(after) {
            let values = before.edges(after).into_iter().map(build::number).collect();
            self.suspect(visit, Concern::Accept, "fewer numbers".into(), values);
        }
        if let Some(step) = new.bounds().multiple_of {
            let multiple =
                old.bounds().multiple_of.is_some_and(|it| it == step || (it / step).fract() == 0.0);
            if !multiple {
                let near = [1.0, step + 1.0, step / 2.0, before.lower.at, before.upper.at];
                let fitting = near.into_iter().filter(|number| before.contains(*number));
                let values = fitting.map(build::number).collect();
                self.suspect(visit, Concern::Accept, format!("multiples of {step} only"), values);
            }
        }
    }
}

fn new_len(schema: &Schema<'_>) -> usize {
    schema.enum_values.map_or(0, |values| values.items().len())
}

fn regex(schema: &Schema<'_>) -> Option<Regex> {
    if schema.pattern.is_empty() { None } else { Regex::new(schema.pattern).ok() }
}

/// Whether the keywords about single values allow `value`; junctors and rules are not asked.
fn admits(schema: &Schema<'_>, value: Value<'_>) -> bool {
    let values = schema.enum_values.filter(|values| values.items().len() > 0);
    if values.is_some_and(|values| !values.items().any(|known| known == value)) {
        return false;
    }
    let named = |name: &str| schema.type_name == name || schema.type_name.is_empty();
    let either = schema.extensions().int_or_string;
    let bounds = schema.bounds();
    match value.kind() {
        Kind::String(text) => {
            let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
            (named("string") || either)
                && bounds.min_length.is_none_or(|least| length >= least)
                && bounds.max_length.is_none_or(|most| length <= most)
                && (schema.pattern.is_empty() || regex(schema).is_some_and(|it| it.is_match(text)))
                && format_admits(schema, value)
        }
        Kind::Int(_) | Kind::Float(_) | Kind::Number(_) => {
            let number = value.as_f64().unwrap_or(f64::NAN);
            let whole = number.fract() == 0.0;
            let step = bounds.multiple_of.is_none_or(|step| (number / step).fract() == 0.0);
            (named("number") || whole && (named("integer") || either))
                && Interval::of(schema).contains(number)
                && step
        }
        Kind::Bool(_) => named("boolean"),
        Kind::Null => schema.nullable || schema.type_name.is_empty(),
        Kind::Array(_) => named("array"),
        Kind::Object(_) => named("object"),
    }
}

fn format_admits(schema: &Schema<'_>, value: Value<'_>) -> bool {
    let format = Format::parse(schema.format);
    format.zip(value.as_str()).is_none_or(|(format, text)| format.accepts(text))
}
