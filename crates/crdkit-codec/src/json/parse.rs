//! The grammar: which token may come next, over one window of the input at a time.
//!
//! [`JsonParser::run`] hands every token to a [`Sink`] at the place where it is found, so that a sink which
//! is compiled into it knows there what kind of token it gets. State is a few words, so that a sink
//! can stop after any token and the run can go on later with another window.

use super::lex::{self, Miss, NumberToken, StringToken};
use super::problem::JsonProblem;
use super::source::Window;

/// One token, with offsets into the window.
#[derive(Clone, Copy, Debug)]
pub(crate) enum JsonToken {
    Null,
    Bool(bool),
    Number(NumberToken),
    String(StringToken),
    Key(StringToken),
    BeginArray,
    EndArray,
    BeginObject,
    EndObject,
}

/// What takes tokens.
pub(crate) trait Sink {
    /// Why it takes no more.
    type Stop;

    /// Where the text of strings with escapes is put before they are taken.
    fn scratch(&mut self) -> &mut String;

    /// Takes a token that stands at `start..end` of the window. After an `Err` the parser stands after
    /// this token.
    fn take(&mut self, token: JsonToken, start: usize, end: usize) -> Result<(), Self::Stop>;
}

/// Why a run stopped before the end of the document.
pub(crate) enum Stop<T> {
    /// The next token cannot be had.
    Miss(Miss),
    /// The sink takes no more.
    Sink(T),
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

/// Where the parser is in a document.
#[derive(Debug)]
pub(crate) struct JsonParser {
    place: JsonState,
    max_depth: usize,
    /// Whether a document ends with its line.
    by_line: bool,
    /// The kinds of outer arrays and objects, 64 to a word.
    outer: Vec<u64>,
}

/// The state that changes with every token, kept apart so that a run can hold it in registers.
#[derive(Clone, Copy, Debug)]
struct JsonState {
    expect: Expect,
    /// Offset in the window of the first byte not yet consumed.
    at: usize,
    /// How many arrays and objects are open.
    depth: usize,
    /// One bit for each of the innermost of them, set for an object, the innermost lowest.
    kinds: u64,
}

/// One run over a window.
struct Run<'r> {
    window: Window<'r>,
    at_end: bool,
    max_depth: usize,
    by_line: bool,
    place: JsonState,
    outer: &'r mut Vec<u64>,
}

impl JsonParser {
    pub(crate) fn new(max_depth: usize) -> Self {
        let place = JsonState { expect: Expect::Document, at: 0, depth: 0, kinds: 0 };
        Self { place, max_depth, by_line: false, outer: Vec::new() }
    }

    /// From now on a document ends with its line.
    pub(crate) fn read_by_line(&mut self) {
        self.by_line = true;
    }

    /// Begins a new document at the current place.
    pub(crate) fn restart(&mut self) {
        self.place = JsonState { expect: Expect::Document, depth: 0, ..self.place };
        self.outer.clear();
    }

    /// Goes on among the items of an array in the root, after an item that was passed over.
    pub(crate) fn return_to_items(&mut self) {
        self.place = JsonState { expect: Expect::AfterValue, depth: 2, kinds: 0b10, ..self.place };
        self.outer.clear();
    }

    /// Whether a document has begun and not ended.
    pub(crate) fn is_inside(&self) -> bool {
        !matches!(self.place.expect, Expect::Document | Expect::Done)
    }

    /// Whether a document has ended.
    pub(crate) fn is_done(&self) -> bool {
        self.place.expect == Expect::Done
    }

    /// How many arrays and objects are open.
    pub(crate) fn depth(&self) -> usize {
        self.place.depth
    }

    /// Offset in the window of the first byte not yet consumed.
    pub(crate) fn at(&self) -> usize {
        self.place.at
    }

    /// Goes on at another offset, because bytes were passed over or the window has moved.
    pub(crate) fn move_to(&mut self, at: usize) {
        self.place.at = at;
    }

    /// Hands tokens to `sink` up to the end of the document.
    #[inline(always)]
    pub(crate) fn run<S: Sink>(
        &mut self,
        window: Window<'_>,
        at_end: bool,
        sink: &mut S,
    ) -> Result<(), Stop<S::Stop>> {
        let Self { place, max_depth, by_line, ref mut outer } = *self;
        let mut run = Run { window, at_end, max_depth, by_line, place, outer };
        let outcome = run.run(sink);
        self.place = run.place;
        outcome
    }
}

impl Run<'_> {
    /// A turn passes the parts of the grammar in the order in which they mostly follow one another.
    #[inline(always)]
    fn run<S: Sink>(&mut self, sink: &mut S) -> Result<(), Stop<S::Stop>> {
        while self.place.expect != Expect::Done {
            if let Expect::Key | Expect::KeyOrEnd = self.place.expect {
                match self.peek()? {
                    b'"' => {
                        let key = self.string(sink)?;
                        self.take(JsonToken::Key(key), key.end + 1, Expect::Colon, sink)?;
                    }
                    b'}' if self.place.expect == Expect::KeyOrEnd => {
                        self.end(JsonToken::EndObject, sink)?;
                    }
                    _ => return Err(self.unexpected().into()),
                }
            }
            if self.place.expect == Expect::Colon {
                if self.peek()? != b':' {
                    return Err(self.unexpected().into());
                }
                self.place.at += 1;
                self.place.expect = Expect::Value;
            }
            if let Expect::Value | Expect::ItemOrEnd | Expect::Document = self.place.expect {
                self.value(sink)?;
            }
            while self.place.expect == Expect::AfterValue {
                match self.peek()? {
                    b',' => {
                        self.place.at += 1;
                        self.place.expect =
                            if self.in_object() { Expect::Key } else { Expect::Value };
                    }
                    b'}' if self.in_object() => self.end(JsonToken::EndObject, sink)?,
                    b']' if !self.in_object() => self.end(JsonToken::EndArray, sink)?,
                    _ => return Err(self.unexpected().into()),
                }
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn value<S: Sink>(&mut self, sink: &mut S) -> Result<(), Stop<S::Stop>> {
        match self.peek()? {
            b'"' => {
                let string = self.string(sink)?;
                self.scalar(JsonToken::String(string), string.end + 1, sink)
            }
            b'{' => self.begin(JsonToken::BeginObject, sink),
            b'[' => self.begin(JsonToken::BeginArray, sink),
            b'-' | b'0'..=b'9' => {
                let number = lex::number(self.window.bytes, self.place.at, self.at_end)?;
                self.scalar(JsonToken::Number(number), number.end, sink)
            }
            b't' => self.word("true", JsonToken::Bool(true), sink),
            b'f' => self.word("false", JsonToken::Bool(false), sink),
            b'n' => self.word("null", JsonToken::Null, sink),
            b']' if self.place.expect == Expect::ItemOrEnd => self.end(JsonToken::EndArray, sink),
            _ => Err(self.unexpected().into()),
        }
    }

    /// The next byte that is not white space, which is passed over.
    #[inline(always)]
    fn peek(&mut self) -> Result<u8, Miss> {
        match self.window.bytes.get(self.place.at) {
            Some(byte) if *byte > b' ' => return Ok(*byte),
            Some(_) => {
                let start = self.place.at;
                self.place.at = skip_space(self.window.bytes, start);
                if self.by_line {
                    self.end_of_line(start)?;
                }
            }
            None => {}
        }
        match self.window.bytes.get(self.place.at) {
            Some(byte) => Ok(*byte),
            None => Err(lex::short(self.window.bytes, self.at_end)),
        }
    }

    /// Refuses to have passed over a line feed since `start`.
    #[cold]
    fn end_of_line(&mut self, start: usize) -> Result<(), Miss> {
        let space = self.window.bytes.get(start..self.place.at).unwrap_or_default();
        match memchr::memchr(b'\n', space) {
            None => Ok(()),
            Some(feed) => {
                self.place.at = start + feed;
                Err(Miss::Wrong(JsonProblem::LineEnd, self.place.at))
            }
        }
    }

    #[inline(always)]
    fn string(&self, sink: &mut impl Sink) -> Result<StringToken, Miss> {
        lex::string(self.window, self.place.at + 1, self.at_end, sink.scratch())
    }

    #[inline(always)]
    fn word<S: Sink>(
        &mut self,
        word: &'static str,
        token: JsonToken,
        sink: &mut S,
    ) -> Result<(), Stop<S::Stop>> {
        let end = lex::word(self.window.bytes, self.place.at, self.at_end, word)?;
        self.scalar(token, end, sink)
    }

    #[inline(always)]
    fn scalar<S: Sink>(
        &mut self,
        token: JsonToken,
        end: usize,
        sink: &mut S,
    ) -> Result<(), Stop<S::Stop>> {
        self.take(token, end, self.after_value(), sink)
    }

    #[inline(always)]
    fn begin<S: Sink>(&mut self, token: JsonToken, sink: &mut S) -> Result<(), Stop<S::Stop>> {
        let JsonState { at, depth, kinds, .. } = self.place;
        if depth >= self.max_depth {
            let problem = JsonProblem::Depth { limit: self.max_depth };
            return Err(Miss::Wrong(problem, at).into());
        }
        if depth.is_multiple_of(64) && depth > 0 {
            self.outer.push(kinds);
        }
        let is_object = matches!(token, JsonToken::BeginObject);
        self.place.depth += 1;
        self.place.kinds = kinds << 1 | u64::from(is_object);
        let expect = if is_object { Expect::KeyOrEnd } else { Expect::ItemOrEnd };
        self.take(token, at + 1, expect, sink)
    }

    #[inline(always)]
    fn end<S: Sink>(&mut self, token: JsonToken, sink: &mut S) -> Result<(), Stop<S::Stop>> {
        self.place.depth -= 1;
        self.place.kinds >>= 1;
        if self.place.depth.is_multiple_of(64)
            && let Some(kinds) = self.outer.pop()
        {
            self.place.kinds = kinds;
        }
        self.take(token, self.place.at + 1, self.after_value(), sink)
    }

    /// Moves past the token that ends at `end`, and only then gives it away.
    #[inline(always)]
    fn take<S: Sink>(
        &mut self,
        token: JsonToken,
        end: usize,
        expect: Expect,
        sink: &mut S,
    ) -> Result<(), Stop<S::Stop>> {
        let start = self.place.at;
        self.place.at = end;
        self.place.expect = expect;
        sink.take(token, start, end).map_err(Stop::Sink)
    }

    #[inline(always)]
    fn after_value(&self) -> Expect {
        if self.place.depth == 0 { Expect::Done } else { Expect::AfterValue }
    }

    #[inline(always)]
    fn in_object(&self) -> bool {
        self.place.kinds & 1 == 1
    }

    /// What is wrong with the byte at the current place.
    #[inline(always)]
    fn unexpected(&self) -> Miss {
        self.place.unexpected()
    }
}

impl JsonState {
    #[cold]
    fn unexpected(self) -> Miss {
        let problem = match self.expect {
            Expect::Key | Expect::KeyOrEnd => JsonProblem::Key,
            Expect::Colon => JsonProblem::Colon,
            Expect::AfterValue if self.kinds & 1 == 1 => JsonProblem::AfterMember,
            Expect::AfterValue => JsonProblem::AfterItem,
            Expect::Done => JsonProblem::AfterDocument,
            Expect::Document | Expect::Value | Expect::ItemOrEnd => JsonProblem::Value,
        };
        Miss::Wrong(problem, self.at)
    }
}

impl<T> From<Miss> for Stop<T> {
    #[inline(always)]
    fn from(miss: Miss) -> Self {
        Self::Miss(miss)
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
