//! Values that a rule may ask for.
//!
//! Takes the schemas of a field and what a rule mentions, gives values that the schemas accept: constants of the
//! rule, what is next to them, what begins or ends with them, and what people usually write.

use crate::edit::Editor;
use crate::leaf::{self, Wanted};
use crate::make::SampleShape;
use crate::rule::Mentions;
use crate::{Extent, build};
use crdkit_schema::model::{Schema, SchemaId};
use crdkit_text::base64::Base64;
use crdkit_text::regex::Regex;
use crdkit_value::Document;

/// Values that are tried for one field.
pub(crate) const VALUES: usize = 24;
/// Branches of `anyOf` and `oneOf` that are tried.
pub(crate) const CHOICES: usize = 6;

impl Editor<'_, '_> {
    /// Values of `ids` that a rule with these constants may ask for.
    pub(crate) fn values(&self, ids: &[SchemaId], mentions: &Mentions) -> Vec<Document> {
        let joined = self.maker.joined(ids, 0);
        let schemas: Vec<&Schema<'_>> = joined.iter().map(|id| self.maker.schema(*id)).collect();
        let listed = schemas.iter().find_map(|schema| schema.enum_values);
        if let Some(values) = listed {
            return values.items().map(Document::copy_of).take(VALUES).collect();
        }
        let either = schemas.iter().any(|schema| schema.extensions().int_or_string);
        let type_name = schemas.iter().map(|it| it.type_name).find(|it| !it.is_empty());
        match type_name.unwrap_or_default() {
            "boolean" => [true, false].map(Document::from).into(),
            "integer" | "number" => numbers(&schemas, &mentions.numbers),
            "string" => self.texts(&schemas, mentions),
            "array" => self.lists(ids, &joined, mentions),
            "object" => {
                let mut values = vec![self.maker.value(ids, SampleShape::LEAST)];
                let whole = SampleShape { extent: self.extent, room: 0, choice: 0 };
                values.extend((1..CHOICES).map(|it| self.maker.value(ids, whole.with_choice(it))));
                let usual = SampleShape { extent: Extent::Usual, room: 0, choice: 0 };
                values.push(self.maker.value(ids, usual));
                values
            }
            _ if either => {
                let mut values = numbers(&schemas, &mentions.numbers);
                values.truncate(6);
                values.extend(self.texts(&schemas, mentions));
                values
            }
            _ => Vec::new(),
        }
    }

    fn texts(&self, schemas: &[&Schema<'_>], mentions: &Mentions) -> Vec<Document> {
        let wanted = Wanted::new(schemas);
        let mut texts: Vec<String> = mentions.texts.iter().map(ToString::to_string).collect();
        for pattern in &mentions.patterns {
            if let Ok(pattern) = Regex::new(pattern) {
                texts.extend(wanted.texts(&self.maker.memo, Some(&pattern), 2));
            }
        }
        for start in mentions.starts.iter().map(|it| &**it).chain([""]) {
            for end in mentions.ends.iter().map(|it| &**it).chain([""]) {
                texts.extend([format!("{start}example{end}"), format!("{start}{end}")]);
            }
        }
        if schemas.iter().any(|schema| schema.format == "byte") {
            // Rules see what the text stands for.
            texts = texts.iter().map(|text| Base64::Standard.encode(text.as_bytes())).collect();
        }
        // A constant may be a limit, or part of a text.
        for text in &mentions.texts {
            texts.extend(neighbours(text));
            texts.extend([format!("{text}example"), format!("example{text}")]);
            texts.push(format!("example{text}example"));
        }
        for length in mentions.numbers.iter().filter_map(|number| whole(*number)) {
            texts.extend((length.saturating_sub(1)..=length + 1).map(|it| "a".repeat(it)));
        }
        texts.extend(leaf::FAMILIAR.iter().chain(leaf::FORMATTED).map(|text| (*text).to_owned()));
        texts.extend(wanted.texts(&self.maker.memo, None, 4));
        texts.push(String::new());
        let mut kept: Vec<String> = Vec::new();
        for text in texts {
            if wanted.accepts(&text) && !kept.contains(&text) {
                kept.push(text);
            }
        }
        kept.iter().map(Document::from).collect()
    }

    fn lists(&self, ids: &[SchemaId], joined: &[SchemaId], mentions: &Mentions) -> Vec<Document> {
        let mut counts: Vec<usize> = mentions.numbers.iter().filter_map(|it| whole(*it)).collect();
        counts.extend([1, 0, 2]);
        let mut lists: Vec<_> = counts
            .into_iter()
            .map(|n_items| {
                Document::array_of(&self.maker.list(joined, n_items, SampleShape::LEAST))
            })
            .collect();
        let items = self.maker.items(joined);
        for value in self.values_of_items(&items, mentions) {
            lists.push(Document::array_of([&value]));
        }
        lists.push(self.maker.value(ids, SampleShape::LEAST));
        lists
    }

    /// Values of scalar items; those of larger ones would be too many.
    fn values_of_items(&self, items: &[SchemaId], mentions: &Mentions) -> Vec<Document> {
        let scalar = items.first().is_some_and(|id| {
            matches!(self.maker.schema(*id).type_name, "string" | "integer" | "number")
        });
        if !scalar {
            return Vec::new();
        }
        let mut values = self.values(items, mentions);
        values.truncate(VALUES);
        values
    }
}

fn whole(number: f64) -> Option<usize> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
    (number.fract() == 0.0 && (0.0..=256.0).contains(&number)).then_some(number as usize)
}

/// Numbers around the constants that the schemas allow.
fn numbers(schemas: &[&Schema<'_>], constants: &[f64]) -> Vec<Document> {
    let bounds = leaf::bounds(schemas);
    let mut numbers: Vec<f64> = Vec::new();
    let around = constants.iter().flat_map(|it| [*it, *it + 1.0, *it - 1.0]);
    let limits = [bounds.minimum, bounds.maximum].into_iter().flatten();
    for number in around.chain(limits).chain([0.0, 1.0, 2.0, 10.0, 100.0, 1000.0, 8080.0]) {
        if leaf::allows(&bounds, number) && !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers.into_iter().map(build::number).collect()
}

/// What comes before and after an amount with a unit: `0Gi` and `2Gi` for `1Gi`.
fn neighbours(amount: &str) -> Vec<String> {
    let n_digits = amount.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, unit) = amount.split_at(n_digits);
    let Ok(number) = digits.parse::<u64>() else { return Vec::new() };
    let next = [number.checked_add(1), number.checked_sub(1)];
    next.into_iter().flatten().map(|number| format!("{number}{unit}")).collect()
}
