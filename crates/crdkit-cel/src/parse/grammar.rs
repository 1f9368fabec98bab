//! First and follow sets of the grammar's rules.
//!
//! The parser's error recovery and its messages are functions of these sets alone. `FOLLOW_…` is what may stand right
//! after a rule when it is invoked from that place.

use crate::lex::{TokenKind as T, TokenSet};

pub(super) const END: TokenSet = TokenSet::END;
pub(super) const RELATIONS: TokenSet = TokenSet::of(&[
    T::Equals,
    T::NotEquals,
    T::In,
    T::Less,
    T::LessEquals,
    T::GreaterEquals,
    T::Greater,
]);
pub(super) const PRODUCTS: TokenSet = TokenSet::of(&[T::Star, T::Slash, T::Percent]);
pub(super) const SUMS: TokenSet = TokenSet::of(&[T::Plus, T::Minus]);
pub(super) const LITERAL: TokenSet = TokenSet::of(&[
    T::Minus,
    T::True,
    T::False,
    T::Null,
    T::Float,
    T::Int,
    T::Uint,
    T::String,
    T::Bytes,
]);
pub(super) const MEMBER: TokenSet =
    LITERAL.or(TokenSet::of(&[T::LeftBracket, T::LeftBrace, T::LeftParen, T::Dot, T::Identifier]));
/// What an expression may start with.
pub(super) const EXPRESSION: TokenSet = MEMBER.or(TokenSet::of(&[T::Exclamation]));
pub(super) const OPTIONAL_EXPRESSION: TokenSet = EXPRESSION.or(TokenSet::of(&[T::Question]));
pub(super) const FIELD_NAME: TokenSet = TokenSet::of(&[T::Identifier, T::EscapedIdentifier]);
pub(super) const OPTIONAL_FIELD_NAME: TokenSet = FIELD_NAME.or(TokenSet::of(&[T::Question]));

pub(super) const FOLLOW_CONDITION: TokenSet = TokenSet::of(&[T::Question]).or(END);
pub(super) const FOLLOW_OR_TERM: TokenSet = TokenSet::of(&[T::Or]).or(END);
pub(super) const FOLLOW_AND_TERM: TokenSet = TokenSet::of(&[T::And]).or(END);
pub(super) const FOLLOW_RELATION_OPERAND: TokenSet = RELATIONS.or(END);
pub(super) const FOLLOW_ARITHMETIC_OPERAND: TokenSet = PRODUCTS.or(SUMS).or(END);
pub(super) const FOLLOW_MEMBER_PART: TokenSet = TokenSet::of(&[T::Dot, T::LeftBracket]).or(END);
pub(super) const FOLLOW_LIST_ITEM: TokenSet = TokenSet::of(&[T::Comma]).or(END);
pub(super) const LIST_TAIL: TokenSet = TokenSet::of(&[T::Comma, T::RightBracket]);
pub(super) const BRACE_TAIL: TokenSet = TokenSet::of(&[T::Comma, T::RightBrace]);

pub(super) const fn only(kind: T) -> TokenSet {
    TokenSet::of(&[kind])
}

/// Rules with a nesting limit of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GrammarRule {
    Start,
    Expression,
    Or,
    And,
    Relation,
    Arithmetic,
    Unary,
    Member,
    Primary,
    Arguments,
    ListItems,
    FieldItems,
    FieldItem,
    MapItems,
    FieldName,
    OptionalExpression,
    Literal,
}

impl GrammarRule {
    pub(super) const COUNT: usize = 17;
}
