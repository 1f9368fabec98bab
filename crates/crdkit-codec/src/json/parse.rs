//! The grammar: which token may come next, over one window of the input at a time.
//!
//! State is a few bytes and one entry per open array or object, so that the reader can stop after any
//! token and go on with another window.

use super::lex::{self, Lexed, NumberToken, StringToken};
use super::problem::Problem;

/// One token, with offsets into the window.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Token {
    Null,
    Bool(bool),
    Number(NumberToken),
    String(StringToken),
    Key(StringToken),
    BeginArray,
    EndArray,
    BeginObject,
    EndObject,
    /// The document is over; this token has no bytes.
    End,
}

/// What the grammar allows next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Document,
    Value,
    ItemOrEnd,
    KeyOrEnd,
    Key,
    Colon,
    AfterValue,
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

/// Where the parser is in a document.
#[derive(Debug)]
pub(crate) struct Parser {
    expect: Expect,
    open: Vec<Container>,
    /// Whether the innermost of them is an object.
    in_object: bool,
    max_depth: usize,
    /// Offset in the window of the first byte not yet consumed.
    pub(crate) at: usize,
}

impl Parser {
    pub(crate) fn new(max_depth: usize) -> Self {
        Self {
            expect: Expect::Document,
            open: Vec::with_capacity(16),
            in_object: false,
            max_depth,
            at: 0,
        }
    }

    /// Begins a new document at the current place.
    pub(crate) fn restart(&mut self) {
        self.expect = Expect::Document;
        self.open.clear();
        self.in_object = false;
    }

    /// Whether a document has begun and not ended.
    pub(crate) fn is_inside(&self) -> bool {
        !matches!(self.expect, Expect::Document | Expect::Done)
    }

    /// The next token and the offset it starts at; [`Parser::at`] moves behind it.
    #[inline(always)]
    pub(crate) fn next(&mut self, window: &[u8], at_end: bool) -> Lexed<(Token, usize)> {
        if self.expect == Expect::Done {
            return Lexed::Token((Token::End, self.at));
        }
        loop {
            self.at = skip_space(window, self.at);
            let start = self.at;
            let Some(byte) = window.get(start).copied() else {
                return if at_end { Lexed::Wrong(Problem::Truncated, start) } else { Lexed::More };
            };
            match self.expect {
                Expect::AfterValue => match byte {
                    b',' => {
                        self.at += 1;
                        self.expect = if self.in_object { Expect::Key } else { Expect::Value };
                    }
                    b'}' if self.in_object => return self.end(Token::EndObject),
                    b']' if !self.in_object => return self.end(Token::EndArray),
                    _ => return self.unexpected(),
                },
                Expect::Key | Expect::KeyOrEnd => match byte {
                    b'"' => return self.key(window, at_end),
                    b'}' if self.expect == Expect::KeyOrEnd => return self.end(Token::EndObject),
                    _ => return self.unexpected(),
                },
                Expect::Colon if byte == b':' => {
                    self.at += 1;
                    self.expect = Expect::Value;
                }
                Expect::ItemOrEnd if byte == b']' => return self.end(Token::EndArray),
                Expect::Document | Expect::Value | Expect::ItemOrEnd => {
                    return self.value(window, at_end, byte);
                }
                Expect::Colon | Expect::Done => return self.unexpected(),
            }
        }
    }

    #[inline(always)]
    fn key(&mut self, window: &[u8], at_end: bool) -> Lexed<(Token, usize)> {
        let start = self.at;
        lex::string(window, start + 1, at_end).map(|key| {
            self.at = key.end + 1;
            self.expect = Expect::Colon;
            // The colon nearly always follows at once; taking it here saves a turn.
            if window.get(self.at) == Some(&b':') {
                self.at += 1;
                self.expect = Expect::Value;
            }
            (Token::Key(key), start)
        })
    }

    #[inline(always)]
    fn value(&mut self, window: &[u8], at_end: bool, byte: u8) -> Lexed<(Token, usize)> {
        let start = self.at;
        let scalar = match byte {
            b'"' => lex::string(window, start + 1, at_end)
                .map(|string| (Token::String(string), string.end + 1)),
            b'-' | b'0'..=b'9' => {
                lex::number(window, start, at_end).map(|number| (Token::Number(number), number.end))
            }
            b'{' => return self.begin(Container::Object, Token::BeginObject, Expect::KeyOrEnd),
            b'[' => return self.begin(Container::Array, Token::BeginArray, Expect::ItemOrEnd),
            b't' => lex::word(window, start, at_end, "true").map(|end| (Token::Bool(true), end)),
            b'f' => lex::word(window, start, at_end, "false").map(|end| (Token::Bool(false), end)),
            b'n' => lex::word(window, start, at_end, "null").map(|end| (Token::Null, end)),
            _ => Lexed::Wrong(Problem::Value, start),
        };
        scalar.map(|(token, end)| {
            self.at = end;
            self.after_value();
            (token, start)
        })
    }

    fn begin(
        &mut self,
        container: Container,
        token: Token,
        expect: Expect,
    ) -> Lexed<(Token, usize)> {
        if self.open.len() >= self.max_depth {
            return Lexed::Wrong(Problem::Depth { limit: self.max_depth }, self.at);
        }
        self.open.push(container);
        self.in_object = container == Container::Object;
        self.expect = expect;
        self.at += 1;
        Lexed::Token((token, self.at - 1))
    }

    fn end(&mut self, token: Token) -> Lexed<(Token, usize)> {
        self.open.pop();
        self.in_object = self.open.last() == Some(&Container::Object);
        self.at += 1;
        self.after_value();
        Lexed::Token((token, self.at - 1))
    }

    fn after_value(&mut self) {
        self.expect = if self.open.is_empty() { Expect::Done } else { Expect::AfterValue };
    }

    #[cold]
    fn unexpected(&self) -> Lexed<(Token, usize)> {
        let problem = match self.expect {
            Expect::Key | Expect::KeyOrEnd => Problem::Key,
            Expect::Colon => Problem::Colon,
            Expect::AfterValue if self.in_object => Problem::AfterMember,
            Expect::AfterValue => Problem::AfterItem,
            Expect::Done => Problem::AfterDocument,
            Expect::Document | Expect::Value | Expect::ItemOrEnd => Problem::Value,
        };
        Lexed::Wrong(problem, self.at)
    }
}

impl<T> Lexed<T> {
    #[inline(always)]
    fn map<U>(self, make: impl FnOnce(T) -> U) -> Lexed<U> {
        match self {
            Self::Token(token) => Lexed::Token(make(token)),
            Self::More => Lexed::More,
            Self::Wrong(problem, at) => Lexed::Wrong(problem, at),
        }
    }
}

/// Offset of the first byte from `at` on that is not JSON white space.
#[inline]
pub(crate) fn skip_space(window: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = window.get(at) {
        at += 1;
    }
    at
}
