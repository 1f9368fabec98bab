//! Strings, numbers and booleans: sets of values against sets of values.

use super::admit::{Admission, Listed, is_multiple_within, regex, takes_lists};
use super::guard::Notice;
use super::{Concern, SuspectWalk, Visit, may_be};
use crate::semantic::answer::{Open, ReasonLevel};
use crate::semantic::interval::Numbers;
use crdkit_codec::go_json;
use crdkit_sample::build;
use crdkit_sample::leaf::{self, FORMATTED};
use crdkit_schema::model::Schema;
use crdkit_schema::validate::{is_integer, truncate};
use crdkit_text::formats::TextFormat;
use crdkit_text::regex::{Regex, Search, SearchOutcome};
use crdkit_value::{Document, Kind, Value};
use std::fmt::Write as _;

/// So many texts of each kind are tried.
const TEXTS: usize = 4;
/// So many values of an enumeration are named and tried.
const NAMES: usize = 32;
/// Texts up to this length are looked for first.
const SHORT: usize = 48;
/// A text may be this long to make a point.
const LONGEST: usize = 70_000;

impl<'c> SuspectWalk<'c> {
    pub(super) fn scalars(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        if let Some(values) = old.enum_values.filter(|values| values.items().len() > 0) {
            self.listed(visit, old, new, values);
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

    /// Values that the old schema lists.
    fn listed(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>, values: Value<'c>) {
        let (admission, listed) = (Admission::of(new), Listed::of(new));
        let is_refused = |value: &Value<'c>| {
            // A null is not a value even if it is listed.
            !value.is_null()
                && (!admission.admits_unlisted(*value)
                    || twin(*value).is_some_and(|twin| !admission.admits_unlisted(twin.root()))
                    || listed.as_ref().is_some_and(|it| !it.covers(*value, old.type_name)))
        };
        let refused: Vec<_> = values.items().filter(is_refused).collect();
        if !refused.is_empty() {
            let names = refused.iter().take(NAMES).map(|value| go_json::value(*value));
            let mut change = format!("not a value: {}", names.collect::<Vec<_>>().join(", "));
            if let Some(more @ 1..) = refused.len().checked_sub(NAMES) {
                let _ = write!(change, " and {more} more");
            }
            let near = refused.iter().filter_map(|value| value.as_f64());
            let near: Vec<_> = near.take(NAMES).flat_map(|at| [at + 0.5, at - 0.5]).collect();
            let values = refused.into_iter().take(NAMES).map(Document::copy_of);
            let values = values.chain(near.into_iter().map(Document::from)).collect();
            self.refused(visit, "enum", change, values);
        }
        if matches_unlisted(old, values) {
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
                let near = Numbers::of(old);
                let ends = near.hull().into_iter().flat_map(|it| [it.lower.at, it.upper.at]);
                let few = (0..=u32::try_from(new_len(new)).unwrap_or(0)).map(f64::from);
                let numbers = few.chain(ends.filter(|end| end.is_finite()));
                numbers.filter(|number| near.has_float(*number)).map(build::number).collect()
            }
            _ => vec![self.sampler.sample(visit.old)],
        };
        let null = (old.nullable && new.nullable).then(Document::null);
        let candidates = candidates.into_iter().chain(null);
        let admission = Admission::of(new);
        let mut values: Vec<_> =
            candidates.filter(|it| !admission.admits(it.root())).take(NAMES).collect();
        // A type or a pattern may leave no more than what is listed.
        if values.is_empty() && old.type_name == "boolean" {
            return;
        }
        if values.is_empty() && old.type_name == "string" && !takes_lists(old) {
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
        if after.max_length.is_some_and(|limit| limit < 0)
            && before.max_length.is_none_or(|most| most >= 0)
        {
            let found = search(least, Some(most.unwrap_or(least + SHORT)));
            self.texts(visit, "maxLength", "no text is short enough".to_owned(), found);
        } else if let Some(limit) = length(after.max_length)
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
        let (before, after) = (Admission::of(old), Admission::of(new));
        let known = known.filter(|it| before.admits(it.root()) && !after.admits(it.root()));
        let values = texts.iter().map(Document::from).chain(known.take(TEXTS));
        self.found.push(suspect.trying(values.collect()));
    }

    fn format(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let takes = |schema: &Schema<'c>| takes_lists(schema) || may_be(schema, "array");
        if takes_lists(old) && !takes(new) {
            let change = "no format, without which a list is not a value";
            let mut suspect = self.suspect(visit, Concern::Accept, "format", change);
            // Servers look neither at the type nor at the text of such a list; nobody means one.
            suspect.level = Some(ReasonLevel::Note);
            self.found.push(suspect.trying(vec![Document::array()]));
        }
        let Some(format) = TextFormat::parse(new.format) else { return };
        if is_within(TextFormat::parse(old.format), format) {
            return;
        }
        let mut texts = leaf::texts(self.sampler.memo, &[old], 8 * TEXTS);
        texts.extend(FORMATTED.iter().map(|text| (*text).to_owned()));
        let values = texts.iter().map(Document::from);
        let before = Admission::of(old);
        let is_other = |it: &Document| it.root().as_str().is_some_and(|it| !format.accepts(it));
        let values = values.filter(|it| before.admits(it.root()) && is_other(it));
        let values: Vec<_> = values.take(TEXTS).collect();
        let change = format!("format {}", new.format);
        let mut suspect = self.suspect(visit, Concern::Accept, "format", change);
        // A rule that sees the text as a time fails on others, in every update.
        let is_seen = is_seen_otherwise(new);
        suspect.is_ratcheted &= !(is_seen && self.is_noticed(visit, &visit.path, Notice::Presence));
        self.found.push(suspect.trying(values));
    }

    fn numbers(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let (before, after) = (Numbers::of(old), Numbers::of(new));
        if !before.is_within(after) {
            let (keyword, change) =
                if let (Some(before), Some(after)) = (before.hull(), after.hull()) {
                    let (was, is) = (before.upper, after.upper);
                    let is_upper = was.at > is.at || was.at == is.at && is.open && !was.open;
                    let keyword = if is_upper { "maximum" } else { "minimum" };
                    (keyword, format!("numbers {after}"))
                } else {
                    let bounds = new.bounds();
                    let keyword = match (bounds.maximum, bounds.minimum) {
                        (Some(_), _) => "maximum",
                        (None, Some(_)) => "minimum",
                        (None, None) => "multipleOf",
                    };
                    (keyword, "no number is allowed".to_owned())
                };
            self.refused(visit, keyword, change, before.beyond(after));
        }
        if let Some(step) = new.bounds().multiple_of {
            let is_whole = old.type_name == "integer";
            let multiple = old
                .bounds()
                .multiple_of
                .is_some_and(|it| is_multiple_within(before, is_whole, it, step));
            if !multiple {
                let ends = before.hull().into_iter().flat_map(|it| [it.lower.at, it.upper.at]);
                let own = old.bounds().multiple_of.into_iter().flat_map(|it| [it, it * 2.0]);
                let near = [1.0, step + 1.0, step / 2.0].into_iter().chain(own).chain(ends);
                let fitting = near.filter(|number| before.has_float(*number));
                let values = fitting.flat_map(|it| [build::number(it), Document::from(it)]);
                let values = values.collect();
                self.refused(visit, "multipleOf", format!("multiples of {step} only"), values);
            }
        }
    }
}

/// Whether rules see texts of a schema as something else.
pub(in crate::semantic) fn is_seen_otherwise(schema: &Schema<'_>) -> bool {
    !converted(schema).is_empty()
}

/// The format for which rules see texts of a schema as something else, if it has one.
pub(super) fn converted<'c>(schema: &Schema<'c>) -> &'c str {
    match schema.format {
        format @ ("byte" | "date" | "date-time" | "duration") => format,
        _ => "",
    }
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

/// Whether an enumeration matches numbers that it does not list: a number is compared without its
/// fraction to an integer, and an integer to a text as the character with that number.
fn matches_unlisted(schema: &Schema<'_>, values: Value<'_>) -> bool {
    let is_character = |value: Value<'_>| value.as_str().is_some_and(|it| it.chars().count() == 1);
    match schema.type_name {
        "string" | "boolean" | "object" | "array" => false,
        "integer" => values.items().any(is_character),
        _ => values.items().any(|value| is_character(value) || value.as_f64().is_some()),
    }
}

/// A whole number written the other way: as an integer, or as a float.
fn twin(value: Value<'_>) -> Option<Document> {
    match value.kind() {
        #[expect(clippy::cast_precision_loss, reason = "only those that are exact")]
        Kind::Int(int) if is_integer(int as f64) => Some(Document::from(int as f64)),
        Kind::Float(float) if is_integer(float) && float.fract() == 0.0 => {
            Some(Document::from(truncate(float)))
        }
        _ => None,
    }
}

fn new_len(schema: &Schema<'_>) -> usize {
    schema.enum_values.map_or(0, |values| values.items().len())
}
