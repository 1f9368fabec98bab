//! Text to steps.
//!
//! Unions and filters hold expressions of their own, which end at the first bracket or parenthesis, so that nothing
//! nests deeper than two levels.

use super::{Filter, JsonPathStep, Operator, Slice, TemplatePart};
use crdkit_text::quote::unquote;

/// The parts of a template.
pub(super) fn template(text: &str) -> Option<Vec<TemplatePart>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let open = rest.find('{').unwrap_or(rest.len());
        let (plain, after) = rest.split_at_checked(open)?;
        if !plain.is_empty() {
            parts.push(TemplatePart::Text(plain.to_owned()));
        }
        rest = match after.strip_prefix('{') {
            Some(inside) => {
                let mut parser = Parser { rest: inside, steps: Vec::new() };
                parser.action()?;
                parts.push(TemplatePart::Action(parser.steps));
                parser.rest
            }
            None => after,
        };
    }
    Some(parts)
}

/// The steps of an expression inside a union, a key or a filter.
fn expression(text: &str) -> Option<Vec<JsonPathStep>> {
    match template(&format!("{{{text}}}"))?.into_iter().next()? {
        TemplatePart::Action(steps) => Some(steps),
        TemplatePart::Text(_) => None,
    }
}

struct Parser<'t> {
    rest: &'t str,
    steps: Vec<JsonPathStep>,
}

impl<'t> Parser<'t> {
    /// Everything up to the closing brace, which is taken too.
    fn action(&mut self) -> Option<()> {
        loop {
            if let Some(rest) = self.rest.strip_prefix('}') {
                self.rest = rest;
                return Some(());
            }
            if let Some(rest) = self.rest.strip_prefix("[?(") {
                self.rest = rest;
                self.filter()?;
                continue;
            }
            if let Some(rest) = self.rest.strip_prefix("..") {
                self.rest = rest;
                self.recursive()?;
                continue;
            }
            let first = self.rest.chars().next()?;
            match first {
                ' ' | '@' | '$' => self.take(first.len_utf8()).map(drop)?,
                '[' => self.array()?,
                '"' | '\'' => self.quote(first)?,
                '.' => {
                    self.take(1)?;
                    self.field()?;
                }
                '+' | '-' => self.number()?,
                c if c.is_numeric() => self.number()?,
                c if is_word(c) => self.identifier()?,
                _ => return None,
            }
        }
    }

    /// The next `length` bytes.
    fn take(&mut self, length: usize) -> Option<&'t str> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    /// A name up to what ends it; a backslash takes the next character into it.
    fn field(&mut self) -> Option<()> {
        let mut escaped = false;
        let end = self.rest.find(|c| {
            let ends = !escaped && is_terminator(c);
            escaped = !escaped && c == '\\';
            ends
        });
        let name = self.take(end.unwrap_or(self.rest.len()))?;
        self.steps.push(match name {
            "*" => JsonPathStep::Wildcard,
            name => JsonPathStep::Field(name.replace('\\', "")),
        });
        Some(())
    }

    fn recursive(&mut self) -> Option<()> {
        if self.steps.last() == Some(&JsonPathStep::Recursive) {
            return None;
        }
        self.steps.push(JsonPathStep::Recursive);
        if self.rest.starts_with(is_word) { self.field() } else { Some(()) }
    }

    fn identifier(&mut self) -> Option<()> {
        let end = self.rest.find(is_terminator)?;
        let word = self.take(end)?;
        self.steps.push(match word {
            "true" => JsonPathStep::Bool(true),
            "false" => JsonPathStep::Bool(false),
            _ => JsonPathStep::Identifier,
        });
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let sign = usize::from(self.rest.starts_with(['+', '-']));
        let digits = self.rest.get(sign..)?;
        let end = digits.find(|c: char| c != '.' && !c.is_numeric()).unwrap_or(digits.len());
        let text = self.take(sign + end)?;
        self.steps.push(match text.parse() {
            Ok(int) => JsonPathStep::Int(int),
            Err(_) => JsonPathStep::Float(text.parse().ok()?),
        });
        Some(())
    }

    fn quote(&mut self, quote: char) -> Option<()> {
        let inside = self.rest.get(1..)?;
        let mut last = None;
        let end = inside.find(|c| {
            let ends = c == '\n' || (c == quote && last != Some('\\'));
            last = Some(c);
            ends
        })?;
        let text = inside.get(..end)?;
        self.rest = inside.get(end..)?.strip_prefix(quote)?;
        self.steps.push(JsonPathStep::Text(unquote(text, quote)?));
        Some(())
    }

    /// What stands in brackets: a union, a key in single quotes, or a slice.
    fn array(&mut self) -> Option<()> {
        let end = self.rest.find([']', '\n'])?;
        let inside = self.rest.get(1..end)?;
        self.rest = self.rest.get(end..)?.strip_prefix(']')?;
        let inside = if inside == "*" { ":" } else { inside };
        if inside.contains(',') {
            let branch = |text: &str| expression(&format!("[{}]", text.trim_matches(' ')));
            self.steps
                .push(JsonPathStep::Union(inside.split(',').map(branch).collect::<Option<_>>()?));
            return Some(());
        }
        let key = inside.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
        if let Some(key) = key.filter(|key| !key.contains('\'')) {
            self.steps.extend(expression(&format!(".{key}"))?);
            return Some(());
        }
        self.steps.push(JsonPathStep::Slice(slice(inside)?));
        Some(())
    }

    fn filter(&mut self) -> Option<()> {
        let (mut opened, mut closed, mut last) = (None, false, None);
        let end = self.rest.find(|c| {
            let ends = match c {
                '\n' => true,
                '"' | '\'' if opened.is_none() => {
                    opened = Some(c);
                    false
                }
                '"' | '\'' => {
                    closed |= last != Some('\\') && opened == Some(c);
                    false
                }
                ')' => opened.is_some() == closed,
                _ => false,
            };
            last = Some(c);
            ends
        })?;
        let text = self.rest.get(..end)?;
        self.rest = self.rest.get(end..)?.strip_prefix(")]")?;
        self.steps.push(JsonPathStep::Filter(comparison(text)?));
        Some(())
    }
}

/// A comparison, or an expression that has to find something.
fn comparison(text: &str) -> Option<Filter> {
    let is_operator = |c: char| matches!(c, '!' | '<' | '>' | '=');
    let start = text.find(is_operator).filter(|start| *start > 0);
    let parts = start.and_then(|start| {
        let (left, rest) = text.split_at_checked(start)?;
        let mut length = rest.find(|c| !is_operator(c)).unwrap_or(rest.len());
        // The right side is never empty.
        if length == rest.len() {
            length -= 1;
        }
        let (operator, right) = rest.split_at_checked(length)?;
        (!operator.is_empty()).then_some((left, operator, right))
    });
    let Some((left, operator, right)) = parts else {
        let left = expression(text)?;
        return Some(Filter { left, operator: Operator::Exists, right: Vec::new() });
    };
    let operator = match operator {
        "<" => Operator::Less,
        ">" => Operator::Greater,
        "==" => Operator::Equal,
        "!=" => Operator::NotEqual,
        "<=" => Operator::LessOrEqual,
        ">=" => Operator::GreaterOrEqual,
        _ => Operator::Unknown,
    };
    Some(Filter { left: expression(left)?, operator, right: expression(right)? })
}

/// `start`, `start:end` or `start:end:step`, each of which may be left out.
fn slice(text: &str) -> Option<Slice> {
    let mut pieces = text.split(':');
    let number = |piece: &str| {
        let digits = piece.strip_prefix('-').unwrap_or(piece);
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        match piece {
            "" => Some(None),
            piece if is_number => piece.parse().ok().map(Some),
            _ => None,
        }
    };
    let start = number(pieces.next()?)?;
    let end = pieces.next();
    let step = pieces.next().map_or(Some(None), number)?;
    let slice = Slice { start, end: end.map_or(Some(None), number)?, step, single: end.is_none() };
    pieces.next().is_none().then_some(slice)
}

fn is_terminator(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphabetic() || c.is_numeric()
}
