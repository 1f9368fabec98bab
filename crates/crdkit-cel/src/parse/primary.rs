//! Operands: literals, names, calls, selections, list, map and message literals.

use super::grammar::{
    BRACE_TAIL, END, EXPRESSION, FIELD_NAME, FOLLOW_LIST_ITEM, FOLLOW_MEMBER_PART, GrammarRule,
    LIST_TAIL, LITERAL, MEMBER, OPTIONAL_EXPRESSION, OPTIONAL_FIELD_NAME, only,
};
use super::{CelParser, ParseResult, literal};
use crate::ast::{Element, ExprId, ExprKind, FieldInit, Literal, MapEntry, Name, operator};
use crate::lex::{TokenKind as T, TokenSet};
use crate::source::Position;

/// Words that may name fields but not variables or functions.
pub(crate) const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "package",
    "namespace",
    "null",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// What the tokens ahead say a name is.
enum Named {
    Variable,
    Call,
    Message,
}

impl CelParser<'_> {
    pub(super) fn member(&mut self, follow: TokenSet) -> ParseResult<ExprId> {
        self.stream.enter(GrammarRule::Member, follow)?;
        let mut operand = self.primary(FOLLOW_MEMBER_PART)?;
        let mut outcome = Ok(());
        while matches!(self.stream.current()?, T::Dot | T::LeftBracket) {
            // A part that fails half-way still replaces the operand, one that cannot be told apart does not.
            outcome = self.member_part(&mut operand);
            if outcome.is_err() {
                break;
            }
        }
        self.stream.leave(GrammarRule::Member, outcome)?;
        Ok(operand)
    }

    fn member_part(&mut self, operand: &mut ExprId) -> ParseResult<()> {
        if self.stream.current()? == T::LeftBracket {
            return self.index(operand);
        }
        self.stream.at_place(126);
        match self.stream.peek(1)? {
            T::Identifier if self.stream.peek(2)? == T::LeftParen => self.member_call(operand),
            T::Identifier | T::EscapedIdentifier | T::Question => self.select(operand),
            _ => Err(self.stream.no_alternative(1)),
        }
    }

    fn select(&mut self, operand: &mut ExprId) -> ParseResult<()> {
        let dot = self.stream.take()?;
        let position = self.stream.position(dot);
        let optional = self.stream.current()? == T::Question;
        if optional {
            self.stream.take()?;
        }
        let name_position = self.stream.position(self.stream.index());
        let field = self.field_name(FOLLOW_MEMBER_PART)?.unwrap_or_else(|message| {
            self.problem(name_position, message);
            Name::from("")
        });
        let parts = [*operand];
        *operand = if !optional {
            self.add(position, ExprKind::Select { operand: *operand, field, test_only: false })
        } else if self.options.optional_syntax {
            let field = self.add(name_position, ExprKind::Literal(Literal::String(field)));
            self.operator(position, operator::OPTIONAL_SELECT, vec![*operand, field], false)
        } else {
            self.problem(position, "unsupported syntax '.?'")
        };
        self.raise(*operand, &parts, true);
        Ok(())
    }

    fn member_call(&mut self, operand: &mut ExprId) -> ParseResult<()> {
        self.stream.take()?;
        let name = self.stream.take()?;
        let function = self.stream.token_text(name);
        let open = self.stream.take()?;
        let position = self.stream.position(open);
        let mut arguments = Vec::new();
        let outcome = self.arguments(115, 117, FOLLOW_MEMBER_PART, &mut arguments);
        *operand = self.call(position, Some(*operand), function, arguments);
        outcome
    }

    /// Arguments up to and including the closing parenthesis; those read before an error are kept.
    fn arguments(
        &mut self,
        first: u16,
        last: u16,
        after: TokenSet,
        arguments: &mut Vec<ExprId>,
    ) -> ParseResult<()> {
        self.stream.sync(first, EXPRESSION.or(only(T::RightParen)))?;
        if EXPRESSION.contains(self.stream.current()?) {
            self.stream.enter(GrammarRule::Arguments, only(T::RightParen))?;
            arguments.push(self.expression(FOLLOW_LIST_ITEM)?);
            while self.stream.current()? == T::Comma {
                self.stream.take()?;
                arguments.push(self.expression(FOLLOW_LIST_ITEM)?);
            }
            self.stream.leave(GrammarRule::Arguments, Ok(()))?;
        }
        self.stream.expect(last, T::RightParen, after).map(drop)
    }

    fn index(&mut self, operand: &mut ExprId) -> ParseResult<()> {
        let bracket = self.stream.take()?;
        let position = self.stream.position(bracket);
        let target = *operand;
        *operand = self.add(position, ExprKind::Unspecified);
        self.stream.sync(121, OPTIONAL_EXPRESSION)?;
        let optional = self.stream.current()? == T::Question;
        if optional {
            self.stream.take()?;
        }
        let index = self.expression(only(T::RightBracket))?;
        *operand = if optional && !self.options.optional_syntax {
            self.problem(position, "unsupported syntax '[?'")
        } else {
            let function = if optional { operator::OPTIONAL_INDEX } else { operator::INDEX };
            self.operator(position, function, vec![target, index], true)
        };
        self.stream.expect(124, T::RightBracket, FOLLOW_MEMBER_PART).map(drop)
    }

    /// A field name, or what is wrong with it.
    fn field_name(&mut self, follow: TokenSet) -> ParseResult<Result<Name, &'static str>> {
        self.stream.enter(GrammarRule::FieldName, follow)?;
        let outcome =
            self.stream.sync(235, FIELD_NAME).and_then(|()| match self.stream.current()? {
                T::Identifier | T::EscapedIdentifier => self.stream.take(),
                _ => Err(self.stream.no_alternative(0)),
            });
        let Some(token) = self.stream.leave(GrammarRule::FieldName, outcome)? else {
            return Ok(Err("unsupported ident kind"));
        };
        let text = self.stream.token_text(token);
        Ok(match text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
            Some(inner) if self.options.escaped_identifiers => Ok(Name::from(inner)),
            Some(_) => Err("unsupported syntax: '`'"),
            None => Ok(Name::from(text)),
        })
    }

    fn primary(&mut self, follow: TokenSet) -> ParseResult<ExprId> {
        self.stream.enter(GrammarRule::Primary, follow)?;
        let mut result = None;
        let outcome = self.primary_body(&mut result);
        self.stream.leave(GrammarRule::Primary, outcome)?;
        Ok(result.unwrap_or_else(|| self.missing()))
    }

    fn primary_body(&mut self, result: &mut Option<ExprId>) -> ParseResult<()> {
        self.stream.sync(184, MEMBER)?;
        match self.stream.current()? {
            T::LeftParen => {
                self.stream.take()?;
                *result = Some(self.expression(only(T::RightParen))?);
                self.stream.expect(146, T::RightParen, END).map(drop)
            }
            T::LeftBracket => self.list(result),
            T::LeftBrace => self.map(result),
            T::Dot | T::Identifier => self.named(result),
            kind if LITERAL.contains(kind) => {
                *result = Some(self.literal()?);
                Ok(())
            }
            _ => Err(self.stream.no_alternative(0)),
        }
    }

    fn named(&mut self, result: &mut Option<ExprId>) -> ParseResult<()> {
        let start = self.stream.position(self.stream.index());
        let dot = usize::from(self.stream.current()? == T::Dot);
        if self.stream.peek(dot)? != T::Identifier {
            return Err(self.stream.no_alternative(dot));
        }
        let named = self.look_ahead(dot + 1)?;
        if dot == 1 {
            self.stream.take()?;
        }
        if matches!(named, Named::Message) {
            return self.message(dot == 1, result);
        }
        let token = self.stream.take()?;
        let position = self.stream.position(token);
        let name = self.stream.token_text(token);
        let full = if dot == 1 { format!(".{name}") } else { name.to_owned() };
        let reserved = RESERVED.contains(&name);
        let reported = self.problems.len();
        let mut outcome = Ok(());
        let id = if matches!(named, Named::Call) {
            let open = self.stream.take()?;
            let position = self.stream.position(open);
            let mut arguments = Vec::new();
            outcome = self.arguments(141, 143, END, &mut arguments);
            if reserved { None } else { Some(self.call(position, None, &full, arguments)) }
        } else if reserved {
            None
        } else {
            Some(self.add(position, ExprKind::Ident(full.into())))
        };
        *result = Some(id.unwrap_or_else(|| {
            // Nothing inside a call of a reserved word is looked at.
            self.problems.truncate(reported);
            self.problem(start, format!("reserved identifier: {name}"))
        }));
        outcome
    }

    /// Whether a dotted name ends in `{`, which makes it a message literal; `ahead` is after its first part.
    fn look_ahead(&mut self, mut ahead: usize) -> ParseResult<Named> {
        if self.stream.peek(ahead)? == T::LeftParen {
            return Ok(Named::Call);
        }
        loop {
            match self.stream.peek(ahead)? {
                T::LeftBrace => return Ok(Named::Message),
                T::Dot if self.stream.peek(ahead + 1)? == T::Identifier => ahead += 2,
                _ => return Ok(Named::Variable),
            }
        }
    }

    fn list(&mut self, result: &mut Option<ExprId>) -> ParseResult<()> {
        let bracket = self.stream.take()?;
        let position = self.stream.position(bracket);
        let mut elements = Vec::new();
        let outcome = self.list_body(&mut elements);
        let parts: Vec<ExprId> = elements.iter().map(|element| element.value).collect();
        let id = self.add(position, ExprKind::List(elements));
        *result = Some(self.raise(id, &parts, false));
        outcome
    }

    fn list_body(&mut self, elements: &mut Vec<Element>) -> ParseResult<()> {
        self.stream.sync(150, OPTIONAL_EXPRESSION.or(LIST_TAIL))?;
        if OPTIONAL_EXPRESSION.contains(self.stream.current()?) {
            self.stream.enter(GrammarRule::ListItems, LIST_TAIL)?;
            loop {
                let (optional, value) = self.optional_expression(FOLLOW_LIST_ITEM)?;
                if let Some(position) = optional.filter(|_| !self.options.optional_syntax) {
                    self.problem(position, "unsupported syntax '?'");
                }
                elements.push(Element { value, optional: optional.is_some() });
                if !self.another_item(OPTIONAL_EXPRESSION)? {
                    break;
                }
            }
            self.stream.leave(GrammarRule::ListItems, Ok(()))?;
        }
        self.trailing_comma(153, LIST_TAIL)?;
        self.stream.expect(155, T::RightBracket, END).map(drop)
    }

    /// Steps over a comma that another item follows.
    fn another_item(&mut self, item: TokenSet) -> ParseResult<bool> {
        let another = self.stream.current()? == T::Comma && item.contains(self.stream.peek(1)?);
        if another {
            self.stream.take()?;
        }
        Ok(another)
    }

    fn trailing_comma(&mut self, place: u16, tail: TokenSet) -> ParseResult<()> {
        self.stream.sync(place, tail)?;
        if self.stream.current()? == T::Comma {
            self.stream.take()?;
        }
        Ok(())
    }

    fn optional_expression(&mut self, follow: TokenSet) -> ParseResult<(Option<Position>, ExprId)> {
        self.stream.enter(GrammarRule::OptionalExpression, follow)?;
        let mut optional = None;
        let outcome = self.stream.sync(238, OPTIONAL_EXPRESSION).and_then(|()| {
            if self.stream.current()? == T::Question {
                let token = self.stream.take()?;
                optional = Some(self.stream.position(token));
            }
            self.expression(END)
        });
        let value = self.stream.leave(GrammarRule::OptionalExpression, outcome)?;
        Ok((optional, value.unwrap_or_else(|| self.missing())))
    }

    fn map(&mut self, result: &mut Option<ExprId>) -> ParseResult<()> {
        let brace = self.stream.take()?;
        let position = self.stream.position(brace);
        let mut entries = Vec::new();
        let outcome = self.map_body(&mut entries);
        let parts: Vec<ExprId> =
            entries.iter().flat_map(|entry| [entry.key, entry.value]).collect();
        let id = self.add(position, ExprKind::Map(entries));
        *result = Some(self.raise(id, &parts, false));
        outcome
    }

    fn map_body(&mut self, entries: &mut Vec<MapEntry>) -> ParseResult<()> {
        self.stream.sync(158, OPTIONAL_EXPRESSION.or(BRACE_TAIL))?;
        if OPTIONAL_EXPRESSION.contains(self.stream.current()?) {
            self.stream.enter(GrammarRule::MapItems, BRACE_TAIL)?;
            let outcome = self.map_items(entries);
            self.stream.leave(GrammarRule::MapItems, outcome)?;
        }
        self.trailing_comma(161, BRACE_TAIL)?;
        self.stream.expect(163, T::RightBrace, END).map(drop)
    }

    fn map_items(&mut self, entries: &mut Vec<MapEntry>) -> ParseResult<()> {
        loop {
            let reported = self.problems.len();
            let (optional, key) = self.optional_expression(only(T::Colon))?;
            if let Err(abort) = self.stream.expect(221, T::Colon, EXPRESSION) {
                // A key without a value is not looked at.
                self.problems.truncate(reported);
                return Err(abort);
            }
            let value = self.expression(FOLLOW_LIST_ITEM)?;
            if let Some(position) = optional.filter(|_| !self.options.optional_syntax) {
                self.problems.truncate(reported);
                self.problem(position, "unsupported syntax '?'");
            }
            entries.push(MapEntry { key, value, optional: optional.is_some() });
            if !self.another_item(OPTIONAL_EXPRESSION)? {
                return Ok(());
            }
        }
    }

    fn message(&mut self, dot: bool, result: &mut Option<ExprId>) -> ParseResult<()> {
        let mut name = if dot { ".".to_owned() } else { String::new() };
        loop {
            let token = self.stream.take()?;
            name.push_str(self.stream.token_text(token));
            if self.stream.current()? != T::Dot {
                break;
            }
            self.stream.take()?;
            name.push('.');
        }
        let brace = self.stream.take()?;
        let position = self.stream.position(brace);
        let mut fields = Vec::new();
        let outcome = self.message_body(&mut fields);
        let parts: Vec<ExprId> = fields.iter().map(|field| field.value).collect();
        let id = self.add(position, ExprKind::Struct { name: name.into(), fields });
        *result = Some(self.raise(id, &parts, false));
        outcome
    }

    fn message_body(&mut self, fields: &mut Vec<FieldInit>) -> ParseResult<()> {
        self.stream.sync(177, OPTIONAL_FIELD_NAME.or(BRACE_TAIL))?;
        if OPTIONAL_FIELD_NAME.contains(self.stream.current()?) {
            self.stream.enter(GrammarRule::FieldItems, BRACE_TAIL)?;
            let outcome = self.message_items(fields);
            self.stream.leave(GrammarRule::FieldItems, outcome)?;
        }
        self.trailing_comma(180, BRACE_TAIL)?;
        self.stream.expect(182, T::RightBrace, END).map(drop)
    }

    fn message_items(&mut self, fields: &mut Vec<FieldInit>) -> ParseResult<()> {
        let start = self.stream.position(self.stream.index());
        loop {
            self.stream.enter(GrammarRule::FieldItem, only(T::Colon))?;
            let item = self.stream.position(self.stream.index());
            let mut optional = false;
            let outcome = self.stream.sync(216, OPTIONAL_FIELD_NAME).and_then(|()| {
                optional = self.stream.current()? == T::Question;
                if optional {
                    self.stream.take()?;
                }
                self.field_name(END)
            });
            let name = self
                .stream
                .leave(GrammarRule::FieldItem, outcome)?
                .unwrap_or(Err("unsupported ident kind"));
            let colon = self.stream.expect(203, T::Colon, EXPRESSION)?;
            let position = self.stream.position(colon);
            let value = self.expression(FOLLOW_LIST_ITEM)?;
            if optional && !self.options.optional_syntax {
                self.problem(item, "unsupported syntax '?'");
            } else {
                match name {
                    Ok(field) => fields.push(FieldInit { field, value, optional, position }),
                    Err(message) => drop(self.problem(start, message)),
                }
            }
            if !self.another_item(OPTIONAL_FIELD_NAME)? {
                return Ok(());
            }
        }
    }

    fn literal(&mut self) -> ParseResult<ExprId> {
        self.stream.enter(GrammarRule::Literal, END)?;
        let outcome = self.literal_body();
        let result = self.stream.leave(GrammarRule::Literal, outcome)?;
        Ok(result.unwrap_or_else(|| self.missing()))
    }

    fn literal_body(&mut self) -> ParseResult<ExprId> {
        self.stream.sync(256, LITERAL)?;
        let position = self.stream.position(self.stream.index());
        let negative = self.stream.current()? == T::Minus;
        if negative {
            if !matches!(self.stream.peek(1)?, T::Int | T::Float) {
                return Err(self.stream.no_alternative(1));
            }
            self.stream.take()?;
        }
        let kind = self.stream.current()?;
        let token = self.stream.take()?;
        let text = self.stream.token_text(token);
        let value = match kind {
            T::Int => literal::int(text, negative).map(Literal::Int).ok_or("invalid int literal"),
            T::Uint => literal::uint(text).map(Literal::Uint).ok_or("invalid uint literal"),
            T::Float => {
                literal::double(text, negative).map(Literal::Double).ok_or("invalid double literal")
            }
            T::String => literal::unquote(text, false)
                .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "unable to unescape string"))
                .map(|text| Literal::String(text.into())),
            T::Bytes => literal::unquote(text.get(1..).unwrap_or_default(), true)
                .map(|bytes| Literal::Bytes(bytes.into())),
            T::True => Ok(Literal::Bool(true)),
            T::False => Ok(Literal::Bool(false)),
            _ => Ok(Literal::Null),
        };
        Ok(match value {
            Ok(literal) => self.add(position, ExprKind::Literal(literal)),
            Err(message) => self.problem(position, message),
        })
    }
}
