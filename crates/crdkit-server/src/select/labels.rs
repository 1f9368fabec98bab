//! Label selectors: `a=b,c!=d,e in (f,g),!h,i>5`.
//!
//! Takes text, gives requirements that an object's labels meet or do not, or the server's words about the text.
//!
//! Upstream: `apimachinery/pkg/labels/selector.go`.

use crdkit_text::names;
use crdkit_text::quote::quote;
use crdkit_value::Value;
use std::collections::BTreeSet;

/// Requirements that all have to be met.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelSelector(Vec<Requirement>);

#[derive(Clone, Debug)]
struct Requirement {
    key: String,
    operator: Operator,
    values: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    Absent,
    Greater,
    Less,
}

impl LabelSelector {
    /// # Errors
    /// The server's words.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Parser { tokens: tokens(text), at: 0 }.selector().map(Self)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn matches(&self, object: Value<'_>) -> bool {
        if self.0.is_empty() {
            return true;
        }
        let labels = object.get("metadata").and_then(|metadata| metadata.get("labels"));
        self.0.iter().all(|requirement| {
            let label = labels.and_then(|labels| labels.get(&requirement.key));
            requirement.is_met(label.and_then(Value::as_str))
        })
    }
}

impl Requirement {
    fn is_met(&self, label: Option<&str>) -> bool {
        let is_in = |label: &str| self.values.contains(label);
        let compare = |label: &str| {
            let bound = self.values.first()?.parse::<i64>().ok()?;
            Some(label.parse::<i64>().ok()?.cmp(&bound))
        };
        match self.operator {
            Operator::In => label.is_some_and(is_in),
            Operator::NotIn => !label.is_some_and(is_in),
            Operator::Exists => label.is_some(),
            Operator::Absent => label.is_none(),
            Operator::Greater => label.and_then(compare).is_some_and(std::cmp::Ordering::is_gt),
            Operator::Less => label.and_then(compare).is_some_and(std::cmp::Ordering::is_lt),
        }
    }

    fn check(self) -> Result<Self, String> {
        let mut problems = Vec::new();
        let is_bound = matches!(self.operator, Operator::Greater | Operator::Less);
        for (at, value) in self.values.iter().enumerate() {
            let quoted = quote(value);
            if is_bound && value.parse::<i64>().is_err() {
                problems.push(format!(
                    "values[{at}]: Invalid value: {quoted}: for 'Gt', 'Lt' operators, the value must be an integer"
                ));
            }
        }
        for (at, value) in self.values.iter().enumerate() {
            let wrong = names::label_value(value);
            if !wrong.is_empty() {
                let (key, quoted, wrong) = (&self.key, quote(value), wrong.join("; "));
                problems.push(format!("values[{at}][{key}]: Invalid value: {quoted}: {wrong}"));
            }
        }
        match problems.as_slice() {
            [] => Ok(self),
            [one] => Err(one.clone()),
            several => Err(format!("[{}]", several.join(", "))),
        }
    }
}

/// A piece of a selector: one of the symbols, or a word.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Symbol(&'static str),
    Word(String),
    End,
}

const SYMBOLS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        if rest.is_empty() {
            return tokens;
        }
        if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            tokens.push(Token::Symbol(symbol));
            rest = rest.get(symbol.len()..).unwrap_or_default();
            continue;
        }
        let end = rest.find(|c: char| " \t\r\n=!(),><".contains(c)).unwrap_or(rest.len());
        let (word, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
        tokens.push(Token::Word(word.to_owned()));
        rest = tail;
    }
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Self::Symbol(symbol) => symbol,
            Self::Word(word) => word,
            Self::End => "",
        }
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self, Self::Symbol(found) if *found == symbol)
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn look(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    fn take(&mut self) -> Token {
        let token = self.look().clone();
        self.at += 1;
        token
    }

    fn selector(&mut self) -> Result<Vec<Requirement>, String> {
        let mut requirements = Vec::new();
        loop {
            let next = self.look();
            match next {
                Token::End => return Ok(requirements),
                next if starts_requirement(next) => {}
                other => {
                    let found = other.text();
                    return Err(format!(
                        "found '{found}', expected: !, identifier, or 'end of string'"
                    ));
                }
            }
            let requirement = self.requirement().and_then(Requirement::check);
            let wrap = |why| format!("unable to parse requirement: {why}");
            requirements.push(requirement.map_err(wrap)?);
            match self.take() {
                Token::End => return Ok(requirements),
                token if token.is(",") => {
                    let next = self.look();
                    if !starts_requirement(next) {
                        let found = next.text();
                        return Err(format!("found '{found}', expected: identifier after ','"));
                    }
                }
                other => {
                    let found = other.text();
                    return Err(format!("found '{found}', expected: ',' or 'end of string'"));
                }
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let mut token = self.take();
        let absent = token.is("!");
        if absent {
            token = self.take();
        }
        let Token::Word(key) = token else {
            return Err(format!("found '{}', expected: identifier", token.text()));
        };
        let wrong = names::label_key(&key);
        if !wrong.is_empty() {
            let (quoted, wrong) = (quote(&key), wrong.join("; "));
            return Err(format!("<nil>: Invalid value: {quoted}: {wrong}"));
        }
        let unary =
            |operator| Ok(Requirement { key: key.clone(), operator, values: BTreeSet::new() });
        if absent {
            return unary(Operator::Absent);
        }
        if *self.look() == Token::End || self.look().is(",") {
            return unary(Operator::Exists);
        }
        let token = self.take();
        let operator = match token.text() {
            "in" | "=" | "==" => Operator::In,
            "notin" | "!=" => Operator::NotIn,
            ">" => Operator::Greater,
            "<" => Operator::Less,
            found => {
                return Err(format!("found '{found}', expected: in, notin, =, ==, !=, gt, lt"));
            }
        };
        let values = match token {
            Token::Word(_) => self.values()?,
            _ => self.value()?,
        };
        Ok(Requirement { key, operator, values })
    }

    fn value(&mut self) -> Result<BTreeSet<String>, String> {
        if *self.look() == Token::End || self.look().is(",") {
            return Ok([String::new()].into());
        }
        match self.take() {
            Token::Word(word) => Ok([word].into()),
            other => Err(format!("found '{}', expected: identifier", other.text())),
        }
    }

    fn values(&mut self) -> Result<BTreeSet<String>, String> {
        let open = self.take();
        if !open.is("(") {
            return Err(format!("found '{}' expected: '('", open.text()));
        }
        let mut values = BTreeSet::new();
        if self.look().is(")") {
            self.take();
            return Ok([String::new()].into());
        }
        if !matches!(self.look(), Token::Word(_)) && !self.look().is(",") {
            let found = self.look().text();
            return Err(format!("found '{found}', expected: ',', ')' or identifier"));
        }
        loop {
            match self.take() {
                Token::Word(word) => {
                    values.insert(word);
                    let next = self.look();
                    if next.is(")") {
                        break;
                    }
                    if !next.is(",") {
                        return Err(format!("found '{}', expected: ',' or ')'", next.text()));
                    }
                }
                token if token.is(",") => {
                    if values.is_empty() {
                        values.insert(String::new());
                    }
                    if self.look().is(")") {
                        values.insert(String::new());
                        break;
                    }
                    if self.look().is(",") {
                        self.take();
                        values.insert(String::new());
                    }
                }
                other => {
                    return Err(format!("found '{}', expected: ',', or identifier", other.text()));
                }
            }
        }
        self.take();
        Ok(values)
    }
}

fn starts_requirement(token: &Token) -> bool {
    matches!(token, Token::Word(_)) || token.is("!")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crdkit_value::Document;

    #[test]
    fn labels_meet_requirements_or_not() {
        let labels = Document::object().with("a", "b").with("n", "5");
        let metadata = Document::object().with("labels", &labels);
        let object = Document::object().with("metadata", &metadata);
        for (selector, expected) in [
            ("", true),
            ("a=b", true),
            ("a==b,n", true),
            ("a!=b", false),
            ("c!=d", true),
            ("a in (b, c)", true),
            ("a notin (b)", false),
            ("in in (in)", false),
            ("!a", false),
            ("!c", true),
            ("n>4", true),
            ("n<5", false),
            ("c=", false),
        ] {
            let found = LabelSelector::parse(selector).unwrap();
            assert_eq!(found.matches(object.root()), expected, "{selector}");
        }
    }

    #[test]
    fn what_is_no_selector_is_said_in_the_servers_words() {
        for (selector, expected) in [
            ("a===b", "unable to parse requirement: found '=', expected: identifier"),
            (
                "a ~ b",
                "unable to parse requirement: found '~', expected: in, notin, =, ==, !=, gt, lt",
            ),
            ("a=b c", "found 'c', expected: ',' or 'end of string'"),
            ("!!a", "unable to parse requirement: found '!', expected: identifier"),
            ("==", "found '==', expected: !, identifier, or 'end of string'"),
        ] {
            assert_eq!(LabelSelector::parse(selector).unwrap_err(), expected);
        }
    }
}
