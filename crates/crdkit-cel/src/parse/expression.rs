//! The operator levels of the grammar, from `?:` down to `!` and unary `-`.

use super::grammar::{
    END, EXPRESSION, FOLLOW_AND_TERM, FOLLOW_ARITHMETIC_OPERAND, FOLLOW_CONDITION, FOLLOW_OR_TERM,
    FOLLOW_RELATION_OPERAND, GrammarRule, MEMBER, PRODUCTS, RELATIONS, SUMS, only,
};
use super::{CelParser, ParseResult};
use crate::ast::{ExprId, ExprKind, Literal, operator};
use crate::lex::{TokenKind as T, TokenSet};
use crate::source::Position;

impl CelParser<'_> {
    pub(super) fn start(&mut self) -> ParseResult<ExprId> {
        // The outermost rule has no caller, hence nothing to recover to but the end of the input.
        let root = self.expression(only(T::EndOfInput))?;
        self.stream.enter(GrammarRule::Start, TokenSet::of(&[]))?;
        let end = self.stream.expect(35, T::EndOfInput, END).map(drop);
        self.stream.leave(GrammarRule::Start, end)?;
        Ok(root)
    }

    pub(super) fn expression(&mut self, follow: TokenSet) -> ParseResult<ExprId> {
        self.stream.enter(GrammarRule::Expression, follow)?;
        let mut result = None;
        let outcome = self.expression_body(&mut result);
        self.stream.leave(GrammarRule::Expression, outcome)?;
        Ok(result.unwrap_or_else(|| self.missing()))
    }

    fn expression_body(&mut self, result: &mut Option<ExprId>) -> ParseResult<()> {
        let condition = self.or(FOLLOW_CONDITION)?;
        *result = Some(condition);
        if self.stream.current()? != T::Question {
            return Ok(());
        }
        let question = self.stream.take()?;
        let position = self.stream.position(question);
        let yes = self.or(only(T::Colon))?;
        *result = Some(self.add(position, ExprKind::Unspecified));
        self.stream.expect(40, T::Colon, EXPRESSION)?;
        let no = self.expression(END)?;
        *result =
            Some(self.operator(position, operator::CONDITIONAL, vec![condition, yes, no], true));
        Ok(())
    }

    fn or(&mut self, follow: TokenSet) -> ParseResult<ExprId> {
        self.stream.enter(GrammarRule::Or, follow)?;
        let mut terms = vec![self.and(FOLLOW_OR_TERM)?];
        let mut positions = Vec::new();
        while self.stream.current()? == T::Or {
            let token = self.stream.take()?;
            positions.push(self.stream.position(token));
            terms.push(self.and(FOLLOW_OR_TERM)?);
        }
        self.stream.leave(GrammarRule::Or, Ok(()))?;
        Ok(self.balanced(operator::OR, &terms, &positions))
    }

    fn and(&mut self, follow: TokenSet) -> ParseResult<ExprId> {
        self.stream.enter(GrammarRule::And, follow)?;
        let mut terms = vec![self.relation(0, FOLLOW_AND_TERM)?];
        let mut positions = Vec::new();
        while self.stream.current()? == T::And {
            let token = self.stream.take()?;
            positions.push(self.stream.position(token));
            terms.push(self.relation(0, FOLLOW_AND_TERM)?);
        }
        self.stream.leave(GrammarRule::And, Ok(()))?;
        Ok(self.balanced(operator::AND, &terms, &positions))
    }

    /// A chain of `&&` or `||` as a balanced tree: the operators are commutative, and long chains stay shallow.
    fn balanced(&mut self, function: &str, terms: &[ExprId], positions: &[Position]) -> ExprId {
        let middle = positions.len() / 2;
        match (terms.split_at_checked(middle + 1), positions.get(middle)) {
            (Some((left, right)), Some(&position)) => {
                let left =
                    self.balanced(function, left, positions.get(..middle).unwrap_or_default());
                let right =
                    self.balanced(function, right, positions.get(middle + 1..).unwrap_or_default());
                self.operator(position, function, vec![left, right], false)
            }
            _ => terms.first().copied().unwrap_or_else(|| self.missing()),
        }
    }

    fn relation(&mut self, precedence: u8, follow: TokenSet) -> ParseResult<ExprId> {
        self.stream.enter(GrammarRule::Relation, follow)?;
        let mut left = self.arithmetic(0, FOLLOW_RELATION_OPERAND)?;
        while precedence <= 1 && RELATIONS.contains(self.stream.current()?) {
            let function = match self.stream.current()? {
                T::Equals => operator::EQUALS,
                T::NotEquals => operator::NOT_EQUALS,
                T::In => operator::IN,
                T::Less => operator::LESS,
                T::LessEquals => operator::LESS_EQUALS,
                T::GreaterEquals => operator::GREATER_EQUALS,
                _ => operator::GREATER,
            };
            let token = self.stream.take()?;
            let position = self.stream.position(token);
            let right = self.relation(2, FOLLOW_RELATION_OPERAND)?;
            left = self.operator(position, function, vec![left, right], true);
        }
        self.stream.leave(GrammarRule::Relation, Ok(left))?;
        Ok(left)
    }

    fn arithmetic(&mut self, precedence: u8, follow: TokenSet) -> ParseResult<ExprId> {
        self.stream.enter(GrammarRule::Arithmetic, follow)?;
        let mut left = self.unary(FOLLOW_ARITHMETIC_OPERAND)?;
        loop {
            let kind = self.stream.current()?;
            let next = match kind {
                _ if PRODUCTS.contains(kind) && precedence <= 2 => 3,
                _ if SUMS.contains(kind) && precedence <= 1 => 2,
                _ => break,
            };
            let function = match kind {
                T::Star => operator::MULTIPLY,
                T::Slash => operator::DIVIDE,
                T::Percent => operator::MODULO,
                T::Plus => operator::ADD,
                _ => operator::SUBTRACT,
            };
            let token = self.stream.take()?;
            let position = self.stream.position(token);
            let right = self.arithmetic(next, FOLLOW_ARITHMETIC_OPERAND)?;
            left = self.operator(position, function, vec![left, right], true);
        }
        self.stream.leave(GrammarRule::Arithmetic, Ok(left))?;
        Ok(left)
    }

    fn unary(&mut self, follow: TokenSet) -> ParseResult<ExprId> {
        self.stream.enter(GrammarRule::Unary, follow)?;
        let position = self.stream.position(self.stream.index());
        let outcome = self.unary_body();
        let result = self.stream.leave(GrammarRule::Unary, outcome)?;
        Ok(result.unwrap_or_else(|| {
            self.add(position, ExprKind::Literal(Literal::String("<<error>>".into())))
        }))
    }

    fn unary_body(&mut self) -> ParseResult<ExprId> {
        self.stream.sync(99, EXPRESSION)?;
        let position = self.stream.position(self.stream.index());
        let mut count = 0;
        let function = match self.stream.current()? {
            T::Exclamation => {
                while self.stream.current()? == T::Exclamation {
                    self.stream.take()?;
                    count += 1;
                    self.stream.sync_loop(90, EXPRESSION)?;
                }
                operator::NOT
            }
            // A minus right before a number belongs to the number.
            T::Minus => match self.stream.peek(1)? {
                T::Int | T::Float => return self.member(END),
                next if MEMBER.contains(next) => {
                    loop {
                        self.stream.take()?;
                        count += 1;
                        self.stream.sync_loop(96, MEMBER)?;
                        if self.stream.current()? != T::Minus {
                            break;
                        }
                        let next = self.stream.peek(1)?;
                        if !MEMBER.contains(next) {
                            return Err(self.stream.no_alternative(1));
                        }
                    }
                    operator::NEGATE
                }
                _ => return Err(self.stream.no_alternative(1)),
            },
            kind if MEMBER.contains(kind) => return self.member(END),
            _ => return Err(self.stream.no_alternative(0)),
        };
        let operand = self.member(END)?;
        if count % 2 == 0 {
            return Ok(operand);
        }
        Ok(self.operator(position, function, vec![operand], false))
    }
}
