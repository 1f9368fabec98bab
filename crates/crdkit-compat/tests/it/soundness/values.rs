//! Random objects of a schema: mostly what it asks for, now and then something else.

use super::keywords::{EMBEDDED, PRESERVE};
use super::tree::{Kind, Part, Tree};

/// Decides at random, the same way for the same seed.
pub(super) struct Dice(u64);

const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "ab",
    "ba",
    "aa",
    "aab",
    "abab",
    "aaaa",
    "192.0.2.1",
    "2024-02-29",
    "YWJj",
    "1h",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
];
const NUMBERS: &[&str] = &[
    "-3",
    "-2",
    "-1",
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "8",
    "12",
    "97",
    "2147483647",
    "2147483648",
    "-2147483649",
    "9007199254740992",
    "9223372036854775807",
    "-9223372036854775808",
];
const FRACTIONS: &[&str] = &[
    "0.5",
    "2.5",
    "-0.5",
    "1.5",
    "0.9",
    "1e39",
    "1.0",
    "2.0",
    "4.0",
    "6.0",
    "-1.0",
    "1e20",
    "-1e20",
    "1000000001.0",
    "18014398509481984.0",
    "0.1",
    "1.000000000001",
    "2147483648.0",
];

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    fn below(&mut self, count: usize) -> usize {
        // Marsaglia's xorshift, whose high bits are the better ones.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % count.max(1)
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        let at = self.below(from.len());
        from.get(at).copied().unwrap_or_default()
    }

    fn text(&mut self) -> String {
        format!("'{}'", self.pick(TEXTS))
    }

    /// A value of the schema, as YAML.
    pub(super) fn value(&mut self, tree: &Tree) -> String {
        let may_be_null = ["nullable", "default"].iter().any(|it| tree.keywords.contains_key(it));
        if self.one_in(if may_be_null { 4 } else { 12 }) {
            return "null".to_owned();
        }
        if self.one_in(25) {
            return self.anything(2);
        }
        match tree.kind {
            Kind::Text => self.text(),
            Kind::Number if self.one_in(2) => self.pick(FRACTIONS).to_owned(),
            Kind::Integer | Kind::Either if self.one_in(4) => self.pick(FRACTIONS).to_owned(),
            Kind::Boolean => self.pick(&["true", "false"]).to_owned(),
            Kind::Either if self.one_in(2) => self.text(),
            Kind::Integer | Kind::Number | Kind::Either => self.pick(NUMBERS).to_owned(),
            Kind::Anything => self.anything(2),
            Kind::List => self.list(tree),
            Kind::Object => self.object(tree),
        }
    }

    fn list(&mut self, tree: &Tree) -> String {
        let items = tree.parts.get(&Part::Items);
        let mut values = Vec::new();
        for _ in 0..self.below(4) {
            let again = values.last().filter(|_| self.one_in(5)).cloned();
            values.push(again.unwrap_or_else(|| match items {
                Some(items) => {
                    let mut value = self.value(items);
                    let keeps = tree.keywords.contains_key(PRESERVE) && self.one_in(2);
                    if keeps && value.starts_with('{') && value != "{}" {
                        value = value.replacen('{', "{z: [{y: 1}], ", 1);
                    }
                    value
                }
                None => self.anything(1),
            }));
        }
        format!("[{}]", values.join(", "))
    }

    fn object(&mut self, tree: &Tree) -> String {
        let mut members = Vec::new();
        if tree.keywords.contains_key(EMBEDDED) && !self.one_in(6) {
            let metadata =
                self.pick(&["{name: x}", "{name: x, odd: a}", "{name: x, labels: {a: b}}", "{}"]);
            members.push(format!("apiVersion: v1, kind: Thing, metadata: {metadata}"));
        }
        if tree.keywords.contains_key(PRESERVE) && self.one_in(5) && members.is_empty() {
            members.push("metadata: {odd: a}".to_owned());
        }
        let required = tree.keywords.get("required").copied().unwrap_or_default();
        for name in ["a", "b", "c"] {
            let field = tree.parts.get(&Part::Field(name));
            if let Some(part) = field.or_else(|| tree.parts.get(&Part::Others)) {
                if required.contains(name) && !self.one_in(8) || self.one_in(2) {
                    members.push(format!("{name}: {}", self.value(part)));
                }
                continue;
            }
            let keeps = tree.keywords.contains_key(PRESERVE);
            if self.one_in(if keeps { 3 } else { 40 }) {
                members.push(format!("{name}: {}", self.anything(2)));
            }
        }
        format!("{{{}}}", members.join(", "))
    }

    fn anything(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 4 } else { 6 }) {
            0 => self.text(),
            1 => self.pick(NUMBERS).to_owned(),
            2 => self.pick(&["true", "null", "0.5"]).to_owned(),
            3 => "'a'".to_owned(),
            4 => {
                let count = self.below(3);
                let items: Vec<_> = (0..count).map(|_| self.anything(depth - 1)).collect();
                format!("[{}]", items.join(", "))
            }
            _ => {
                let names = ["a", "b", "c"];
                let names: Vec<_> = names.into_iter().filter(|_| self.one_in(2)).collect();
                let members: Vec<_> =
                    names.iter().map(|it| format!("{it}: {}", self.anything(depth - 1))).collect();
                format!("{{{}}}", members.join(", "))
            }
        }
    }
}
