//! Strings, numbers and booleans: sets of values against sets of values.

use super::guard::Notice;
use super::{Concern, SuspectWalk, Visit, may_be};
use crate::semantic::answer::Open;
use crate::semantic::interval::Interval;
use crdkit_codec::go_json;
use crdkit_sample::build;
use crdkit_sample::leaf::{self, FORMATTED};
use crdkit_schema::model::Schema;
use crdkit_text::formats::TextFormat;
use crdkit_text::regex::{Regex, Search, SearchOutcome};
use crdkit_value::{Document, Kind, Value};
use std::fmt::Write as _;

/// So many texts of each kind are tried.
const TEXTS: usize = 4;
/// Texts up to this length are looked for first.
const SHORT: usize = 48;
/// A text may be this long to make a point.
const LONGEST: usize = 70_000;

impl<'c> SuspectWalk<'c> {
    pub(super) fn scalars(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        if let Some(values) = old.enum_values.filter(|values| values.items().len() > 0) {
            // A null is not a value even if it is listed.
            let listed = values.items().filter(|value| !value.is_null());
            let refused: Vec<_> = listed.filter(|value| !admits(new, *value)).collect();
            if !refused.is_empty() {
                let names: Vec<_> = refused.iter().map(|value| go_json::value(*value)).collect();
                let change = format!("not a value: {}", names.join(", "));
                let values = refused.into_iter().map(Document::copy_of).collect();
                self.refused(visit, "enum", change, values);
            }
            if admits_unlisted(old, values) {
                self.numbers(visit, old, new);
            }
            return;
        }
        if new_len(new) > 0 {
            self.new_enum(visit, old, new);
        }
        if may_be(old, "string") {
            self.lengths(visit, old, new);
            self.pattern(visit, old, new);
            self.format(visit, old, new);
        }
        if may_be(old, "integer") || may_be(old, "number") {
            self.numbers(visit, old, new);
        }
    }

    fn refused(
        &mut self,
        visit: &Visit<'c>,
        keyword: &'static str,
        change: String,
        values: Vec<Document>,
    ) {
        let suspect = self.suspect(visit, Concern::Accept, keyword, change);
        self.found.push(suspect.trying(values));
    }

    fn new_enum(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let documents = |texts: &[String]| texts.iter().map(Document::from).collect();
        let candidates: Vec<Document> = match old.type_name {
            "boolean" => [false, true].map(Document::from).into(),
            "string" => documents(&leaf::texts(self.sampler.memo, &[old], TEXTS + new_len(new))),
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
        let null = (old.nullable && new.nullable).then(Document::null);
        let candidates = candidates.into_iter().chain(null);
        let mut values: Vec<_> = candidates.filter(|it| !admits(new, it.root())).collect();
        // A type or a pattern may leave no more than what is listed.
        if values.is_empty() && old.type_name == "boolean" {
            return;
        }
        if values.is_empty() && old.type_name == "string" {
            match unlisted(old, new) {
                SearchOutcome::Texts(texts) if texts.is_empty() => return,
                SearchOutcome::Texts(texts) => values = documents(&texts),
                SearchOutcome::Unknown => {}
            }
        }
        self.refused(visit, "enum", "only some values".to_owned(), values);
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
                None if limit < LONGEST => SearchOutcome::Texts(vec!["a".repeat(limit + 1)]),
                _ => search(least.max(limit + 1), most),
            };
            let change = format!("at most {limit} characters");
            self.texts(visit, "maxLength", change, found);
        }
        if let Some(limit) = length(after.min_length)
            && limit > least
        {
            let found = search(least, Some(most.unwrap_or(limit - 1).min(limit - 1)));
            let change = format!("at least {limit} characters");
            self.texts(visit, "minLength", change, found);
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
            None => SearchOutcome::Unknown,
            Some(after) => {
                let least = length(bounds.min_length).unwrap_or(0);
                let most = length(bounds.max_length);
                let search = |min_length, max_length| {
                    let (matching, failing) = (before.iter().collect(), vec![after]);
                    Search { matching, failing, min_length, max_length }.run(TEXTS)
                };
                // Lengths make searching expensive. Short texts are found first; if there are none, there
                // may be none of any length.
                let short = search(least, Some(most.unwrap_or(SHORT).min(SHORT.max(least))));
                match short {
                    SearchOutcome::Texts(texts) if texts.is_empty() => match search(0, None) {
                        SearchOutcome::Texts(texts) if texts.is_empty() => {
                            SearchOutcome::Texts(texts)
                        }
                        _ => search(least, most),
                    },
                    SearchOutcome::Unknown => search(least, most),
                    found @ SearchOutcome::Texts(_) => found,
                }
            }
        };
        self.texts(visit, "pattern", format!("pattern {}", new.pattern), found);
    }

    /// Nothing to find is a proof.
    fn texts(
        &mut self,
        visit: &Visit<'c>,
        keyword: &'static str,
        change: String,
        found: SearchOutcome,
    ) {
        let (old, new) = (self.old.schema(visit.old), self.new.schema(visit.new));
        let mut suspect = self.suspect(visit, Concern::Accept, keyword, change);
        let texts = match found {
            SearchOutcome::Texts(texts) if texts.is_empty() => return,
            SearchOutcome::Texts(texts) => texts,
            SearchOutcome::Unknown => {
                suspect.open = Open::TOO_LARGE;
                Vec::new()
            }
        };
        let known = FORMATTED.iter().map(|text| Document::from(*text));
        let known = known.filter(|it| admits(old, it.root()) && !admits(new, it.root()));
        let values = texts.iter().map(Document::from).chain(known.take(TEXTS));
        self.found.push(suspect.trying(values.collect()));
    }

    fn format(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let Some(format) = TextFormat::parse(new.format) else { return };
        if is_within(TextFormat::parse(old.format), format) {
            return;
        }
        let mut texts = leaf::texts(self.sampler.memo, &[old], 8 * TEXTS);
        texts.extend(FORMATTED.iter().map(|text| (*text).to_owned()));
        let values = texts.iter().map(Document::from);
        let values = values.filter(|it| admits(old, it.root()) && !format_admits(new, it.root()));
        let values: Vec<_> = values.take(TEXTS).collect();
        let change = format!("format {}", new.format);
        let mut suspect = self.suspect(visit, Concern::Accept, "format", change);
        // A rule that sees the text as a time fails on others, in every update.
        let is_seen = is_seen_otherwise(new);
        suspect.is_ratcheted &= !(is_seen && self.is_noticed(visit, &visit.path, Notice::Presence));
        self.found.push(suspect.trying(values));
    }

    fn numbers(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let (before, after) = (Interval::of(old), Interval::of(new));
        if !before.is_within(after) {
            let values = before.edges(after).into_iter().map(build::number).collect();
            let upper = before.upper.at > after.upper.at
                || before.upper.at == after.upper.at && after.upper.open && !before.upper.open;
            let keyword = if upper { "maximum" } else { "minimum" };
            self.refused(visit, keyword, format!("numbers {after}"), values);
        }
        if let Some(step) = new.bounds().multiple_of {
            let multiple =
                old.bounds().multiple_of.is_some_and(|it| it == step || (it / step).fract() == 0.0);
            if !multiple {
                let near = [1.0, step + 1.0, step / 2.0, before.lower.at, before.upper.at];
                let fitting = near.into_iter().filter(|number| before.contains(*number));
                let values = fitting.map(build::number).collect();
                self.refused(visit, "multipleOf", format!("multiples of {step} only"), values);
            }
        }
    }
}

/// Whether rules see texts of a schema as something else.
pub(in crate::semantic) fn is_seen_otherwise(schema: &Schema<'_>) -> bool {
    matches!(schema.format, "byte" | "date" | "date-time" | "duration")
}

/// Whether every text of a format, or every text, is of another format.
fn is_within(narrow: Option<TextFormat>, wide: TextFormat) -> bool {
    narrow == Some(wide)
        || wide == TextFormat::Password
        || matches!(
            (narrow, wide),
            (Some(TextFormat::Uuid3 | TextFormat::Uuid4 | TextFormat::Uuid5), TextFormat::Uuid)
                | (Some(TextFormat::Isbn10 | TextFormat::Isbn13), TextFormat::Isbn)
                | (Some(TextFormat::K8sShortName), TextFormat::K8sLongName)
        )
}

/// Texts of a pattern and lengths that an enumeration does not list.
fn unlisted(old: &Schema<'_>, new: &Schema<'_>) -> SearchOutcome {
    let listed = new.enum_values.into_iter().flat_map(Value::items).filter_map(Value::as_str);
    let escaped = |text: &str| {
        text.chars().fold(String::new(), |mut out, it| {
            let _ = write!(out, "\\x{{{:x}}}", u32::from(it));
            out
        })
    };
    let listed: Vec<_> = listed.map(escaped).collect();
    let Ok(listed) = Regex::new(&format!("^(?:{})$", listed.join("|"))) else {
        return SearchOutcome::Unknown;
    };
    let length = |bound: Option<i64>| bound.and_then(|bound| usize::try_from(bound).ok());
    let (bounds, pattern) = (old.bounds(), regex(old));
    let search = Search {
        matching: pattern.iter().collect(),
        failing: vec![&listed],
        min_length: length(bounds.min_length).unwrap_or(0),
        max_length: length(bounds.max_length),
    };
    search.run(TEXTS)
}

/// Whether an enumeration lets numbers pass that it does not list: a number is compared without its
/// fraction to an integer, and an integer to a text as the character with that number.
fn admits_unlisted(schema: &Schema<'_>, values: Value<'_>) -> bool {
    let is_character = |value: Value<'_>| value.as_str().is_some_and(|it| it.chars().count() == 1);
    match schema.type_name {
        "string" | "boolean" | "object" | "array" => false,
        "integer" => values.items().any(is_character),
        _ => values.items().any(|value| is_character(value) || value.as_i64().is_some()),
    }
}

fn new_len(schema: &Schema<'_>) -> usize {
    schema.enum_values.map_or(0, |values| values.items().len())
}

fn regex(schema: &Schema<'_>) -> Option<Regex> {
    if schema.pattern.is_empty() { None } else { Regex::new(schema.pattern).ok() }
}

/// Whether the keywords about single values allow `value`; junctors and rules are not asked.
pub(in crate::semantic) fn admits(schema: &Schema<'_>, value: Value<'_>) -> bool {
    let values = schema.enum_values.filter(|values| values.items().len() > 0);
    let is_listed = |known: Value<'_>| known == value && !value.is_null();
    if values.is_some_and(|values| !values.items().any(is_listed)) {
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
    let format = TextFormat::parse(schema.format);
    format.zip(value.as_str()).is_none_or(|(format, text)| format.accepts(text))
}
