//! Random objects of a schema: mostly what it asks for, now and then something else.

use super::keywords::{EMBEDDED, PRESERVE};
use super::tree::{Kind, Pair, Part, Tree};

/// Decides at random, the same way for the same seed.
pub(super) struct Dice {
    state: u64,
    /// Numbers and texts at the limits that schemas set, and just beyond.
    near_numbers: Vec<String>,
    near_texts: Vec<String>,
}

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
    /// Dice for values of the schemas in `pair`.
    pub(super) fn new(seed: u64, pair: &Pair) -> Self {
        let (mut near_numbers, mut near_texts) = (Vec::new(), Vec::new());
        let trees = [&pair.old, &pair.new].into_iter().chain(&pair.other);
        for (name, value) in trees.flat_map(Tree::all_keywords) {
            let words = value.split(|it: char| !(it.is_alphanumeric() || "+-.".contains(it)));
            for word in words.filter(|word| !word.is_empty()) {
                match word.parse::<f64>() {
                    Ok(number) => near_numbers.extend(near(number)),
                    Err(_) => near_texts.push(word.to_owned()),
                }
            }
            // Lengths are counted in characters, not in bytes.
            let length = value.parse::<usize>().ok().filter(|length| *length < 20);
            if let Some(length) = length.filter(|_| name.ends_with("Length")) {
                near_texts.extend(["a", "\u{e9}"].map(|it| it.repeat(length)));
                near_texts.push("b".repeat(length + 1));
            }
        }
        Self { state: seed | 1, near_numbers, near_texts }
    }

    fn below(&mut self, count: usize) -> usize {
        // Marsaglia's xorshift, whose high bits are the better ones.
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 33).unwrap_or(0) % count.max(1)
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        let at = self.below(from.len());
        from.get(at).copied().unwrap_or_default()
    }

    fn text(&mut self) -> String {
        let at = self.below(3 * self.near_texts.len());
        match self.near_texts.get(at) {
            Some(text) => format!("'{text}'"),
            None => format!("'{}'", self.pick(TEXTS)),
        }
    }

    /// A number at a limit, now and then, or one of `among`.
    fn number(&mut self, among: &[&str]) -> String {
        let at = self.below(2 * self.near_numbers.len());
        match self.near_numbers.get(at) {
            Some(number) => number.clone(),
            None => self.pick(among).to_owned(),
        }
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
            Kind::Number if self.one_in(2) => self.number(FRACTIONS),
            Kind::Integer | Kind::Either if self.one_in(4) => self.number(FRACTIONS),
            Kind::Boolean => self.pick(&["true", "false"]).to_owned(),
            Kind::Either if self.one_in(2) => self.text(),
            Kind::Integer | Kind::Number | Kind::Either => self.number(NUMBERS),
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
        let required = tree.keywords.get("required").map_or("", |it| it);
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
            1 => self.number(NUMBERS),
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

/// Numbers at a limit and on either side of it, as integers where they are whole, and as other numbers.
fn near(limit: f64) -> Vec<String> {
    let beside = [limit, limit - 1.0, limit + 1.0, limit - 0.5, limit + 0.5, limit * 2.0, -limit];
    let beside = beside.into_iter().chain([limit.next_up(), limit.next_down()]);
    let mut near = Vec::new();
    for number in beside.filter(|number| number.is_finite()) {
        near.push(format!("{number:?}"));
        if number.fract() == 0.0 && number.abs() < 9e18 {
            near.push(format!("{number:.0}"));
        }
    }
    near
}
