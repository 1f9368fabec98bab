//! The file: `for` names the kind, `conversions` has pairs of versions with their `rules`.
//!
//! Everything that is wrong is said at once, each where it stands.

use crate::expression::Expression;
use crate::place::Places;
use crate::rule::{ConversionRule, Direction};
use crate::{Conversion, Pair};
use crdkit_issue::{Issue, Span, codes};
use crdkit_text::kind::GroupKind;
use crdkit_value::{Document, Value};

const FILE: &[&str] = &["for", "conversions"];
const PAIR: &[&str] = &["from", "to", "rules"];
const RULES: &[&str] = &["rename", "move", "default", "cel", "keep"];

impl Conversion {
    /// Whether a document is a file of rules.
    pub fn is_file(root: Value<'_>) -> bool {
        root.get("kind").is_none() && root.get("for").is_some() && root.get("conversions").is_some()
    }

    /// The conversion in a file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(root: Value<'_>) -> Result<Self, Vec<Issue>> {
        let mut reader = RuleReader::default();
        reader.only(root, FILE);
        let named = reader.text(root, "for").unwrap_or_default();
        let kind = named
            .split_once('.')
            .map(|(kind, group)| GroupKind { group: group.to_owned(), kind: kind.to_owned() });
        if kind.is_none() && !named.is_empty() {
            reader.add(root.get("for").unwrap_or(root), "a kind is written `KIND.GROUP`");
        }
        let list = root.get("conversions").filter(|it| it.as_array().is_some());
        if list.is_none() {
            reader.add(root, "there must be a list of `conversions`");
        }
        let mut pairs: Vec<Pair> = Vec::new();
        for value in list.into_iter().flat_map(Value::items) {
            let Some(pair) = reader.pair(value) else { continue };
            let joins = |it: &&Pair| {
                (&it.from, &it.to) == (&pair.from, &pair.to)
                    || (&it.from, &it.to) == (&pair.to, &pair.from)
            };
            if pair.from == pair.to {
                reader.add(value, "a version is not converted to itself");
            } else if pairs.iter().any(|it| joins(&it)) {
                reader.add(value, "these versions have rules already, which lead both ways");
            }
            pairs.push(pair);
        }
        match kind {
            Some(kind) if reader.0.is_empty() => Ok(Self { kind, pairs }),
            _ => Err(reader.0),
        }
    }
}

/// Reads, and collects what is wrong.
#[derive(Default)]
struct RuleReader(Vec<Issue>);

impl RuleReader {
    fn add(&mut self, value: Value<'_>, problem: impl Into<String>) {
        let issue = Issue::error(codes::convert::FORMAT).with("problem", problem.into());
        let issue = issue.at(value.path());
        self.0.push(match place(value) {
            Some(span) => issue.span(span),
            None => issue,
        });
    }

    fn only(&mut self, value: Value<'_>, known: &[&str]) {
        for (key, member) in value.members().filter(|(key, _)| !known.contains(key)) {
            let known = known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            self.add(member, format!("`{key}` means nothing here; there are {known}"));
        }
    }

    /// A text that has to be there.
    fn text<'v>(&mut self, value: Value<'v>, key: &str) -> Option<&'v str> {
        let text = value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        if text.is_none() {
            self.add(value.get(key).unwrap_or(value), format!("`{key}` must be a text"));
        }
        text
    }

    fn pair(&mut self, value: Value<'_>) -> Option<Pair> {
        self.only(value, PAIR);
        let (from, to) = (self.text(value, "from"), self.text(value, "to"));
        let rules = value.get("rules");
        if let Some(rules) = rules.filter(|it| it.as_array().is_none() && !it.is_null()) {
            self.add(rules, "`rules` must be a list");
        }
        let (from, to) = (from?, to?);
        let rules = rules.into_iter().flat_map(Value::items);
        let rules = rules.filter_map(|rule| self.rule(rule, (from, to))).collect();
        Some(Pair {
            from: from.into(),
            to: to.into(),
            path: value.path(),
            place: place(value.get("from").unwrap_or(value)),
            rules,
        })
    }

    fn rule(&mut self, value: Value<'_>, versions: (&str, &str)) -> Option<ConversionRule> {
        self.only(value, RULES);
        let mut members = value.members().filter(|(key, _)| RULES.contains(key));
        let (Some((key, body)), None) = (members.next(), members.next()) else {
            let known = RULES.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            self.add(value, format!("a rule is one of {known}"));
            return None;
        };
        match key {
            "rename" => {
                self.only(body, &["path", "to"]);
                let (path, to) = (self.text(body, "path")?, self.text(body, "to")?);
                let mut places = self.places(body, path, path)?;
                if let Some(last) = places.to.last_mut() {
                    *last = to.into();
                }
                Some(ConversionRule::Move(places))
            }
            "move" => {
                self.only(body, &["from", "to"]);
                let (from, to) = (self.text(body, "from")?, self.text(body, "to")?);
                Some(ConversionRule::Move(self.places(body, from, to)?))
            }
            "default" => {
                self.only(body, &["path", "value"]);
                let path = self.text(body, "path")?;
                let Some(value) = body.get("value").filter(|it| !it.is_null()) else {
                    self.add(body, "`value` must be there");
                    return None;
                };
                let places = self.places(body, path, path)?;
                Some(ConversionRule::Default { places, value: Document::copy_of(value) })
            }
            "cel" => self.computed(body),
            _ => self.kept(body, versions),
        }
    }

    fn computed(&mut self, body: Value<'_>) -> Option<ConversionRule> {
        self.only(body, &["path", "from", "to", "forward", "backward"]);
        let (from, to) = match body.get("path") {
            Some(_) => {
                let path = self.text(body, "path")?;
                (path, path)
            }
            None => (self.text(body, "from")?, self.text(body, "to")?),
        };
        let places = self.places(body, from, to);
        let mut expression = |key: &str| {
            let value = body.get(key)?;
            match Expression::compile(value.as_str().unwrap_or_default()) {
                Ok(expression) => Some(Box::new(expression)),
                Err(problem) => {
                    self.add(value, problem);
                    None
                }
            }
        };
        let (forward, backward) = (expression("forward"), expression("backward"));
        if body.get("forward").is_none() && body.get("backward").is_none() {
            self.add(body, "there must be an expression, `forward` or `backward`");
        }
        Some(ConversionRule::Compute { places: places?, forward, backward })
    }

    fn kept(&mut self, body: Value<'_>, (from, to): (&str, &str)) -> Option<ConversionRule> {
        self.only(body, &["path", "in"]);
        let path = self.text(body, "path")?;
        let version = match body.get("in") {
            Some(_) => self.text(body, "in")?,
            None => to,
        };
        let leaves = match version {
            version if version == to => Direction::Backward,
            version if version == from => Direction::Forward,
            _ => {
                self.add(body, format!("`in` must be `{from}` or `{to}`"));
                return None;
            }
        };
        let places = self.places(body, path, path)?;
        if !places.scope.is_empty() {
            self.add(body, "what is in elements of a list or map cannot be kept one by one");
            return None;
        }
        Some(ConversionRule::Keep { path: places.from, version: version.into(), leaves })
    }

    fn places(&mut self, body: Value<'_>, from: &str, to: &str) -> Option<Places> {
        Places::read(from, to).map_err(|problem| self.add(body, problem)).ok()
    }
}

/// Where a value is; of a list or mapping its beginning.
fn place(value: Value<'_>) -> Option<Span> {
    let place = value.document().place(value.id())?;
    let is_scalar = value.as_array().is_none() && value.as_object().is_none();
    let start = Span::new(place.value.start, place.value.start + 1);
    Some(if is_scalar { place.value } else { place.key.unwrap_or(start) })
}
