//! Text to tokens.
//!
//! The longest token wins, as in the lexer that cel-go generates from its grammar; what starts no token is reported and
//! skipped up to and including the character at which matching failed. White space and comments leave no token.
//! Every expression ends with one [`TokenKind::EndOfInput`].

use std::fmt;

/// What a token is. The order is the order in which "expecting {…}" lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum TokenKind {
    EndOfInput,
    Equals,
    NotEquals,
    In,
    Less,
    LessEquals,
    GreaterEquals,
    Greater,
    And,
    Or,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    Dot,
    Comma,
    Minus,
    Exclamation,
    Question,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    True,
    False,
    Null,
    Float,
    Int,
    Uint,
    String,
    Bytes,
    Identifier,
    EscapedIdentifier,
}

/// Every kind with its name in messages, in declaration order.
const NAMES: [(TokenKind, &str); 36] = [
    (TokenKind::EndOfInput, "<EOF>"),
    (TokenKind::Equals, "'=='"),
    (TokenKind::NotEquals, "'!='"),
    (TokenKind::In, "'in'"),
    (TokenKind::Less, "'<'"),
    (TokenKind::LessEquals, "'<='"),
    (TokenKind::GreaterEquals, "'>='"),
    (TokenKind::Greater, "'>'"),
    (TokenKind::And, "'&&'"),
    (TokenKind::Or, "'||'"),
    (TokenKind::LeftBracket, "'['"),
    (TokenKind::RightBracket, "']'"),
    (TokenKind::LeftBrace, "'{'"),
    (TokenKind::RightBrace, "'}'"),
    (TokenKind::LeftParen, "'('"),
    (TokenKind::RightParen, "')'"),
    (TokenKind::Dot, "'.'"),
    (TokenKind::Comma, "','"),
    (TokenKind::Minus, "'-'"),
    (TokenKind::Exclamation, "'!'"),
    (TokenKind::Question, "'?'"),
    (TokenKind::Colon, "':'"),
    (TokenKind::Plus, "'+'"),
    (TokenKind::Star, "'*'"),
    (TokenKind::Slash, "'/'"),
    (TokenKind::Percent, "'%'"),
    (TokenKind::True, "'true'"),
    (TokenKind::False, "'false'"),
    (TokenKind::Null, "'null'"),
    (TokenKind::Float, "NUM_FLOAT"),
    (TokenKind::Int, "NUM_INT"),
    (TokenKind::Uint, "NUM_UINT"),
    (TokenKind::String, "STRING"),
    (TokenKind::Bytes, "BYTES"),
    (TokenKind::Identifier, "IDENTIFIER"),
    (TokenKind::EscapedIdentifier, "ESC_IDENTIFIER"),
];

/// A set of token kinds; [`TokenSet::END`] additionally says that the enclosing rule may end here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TokenSet(u64);

impl TokenSet {
    /// Only the mark that the rule may end.
    pub(crate) const END: Self = Self(1 << 63);

    pub(crate) const fn of(kinds: &[TokenKind]) -> Self {
        let mut bits = 0;
        let mut rest = kinds;
        while let [first, tail @ ..] = rest {
            bits |= 1 << (*first as u8);
            rest = tail;
        }
        Self(bits)
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn contains(self, kind: TokenKind) -> bool {
        self.0 & (1 << (kind as u8)) != 0
    }

    pub(crate) const fn may_end(self) -> bool {
        self.0 & Self::END.0 != 0
    }

    pub(crate) const fn without_end(self) -> Self {
        Self(self.0 & !Self::END.0)
    }
}

impl fmt::Display for TokenSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            NAMES.iter().filter(|(kind, _)| self.contains(*kind)).map(|(_, name)| *name).collect();
        match names.as_slice() {
            [one] => f.write_str(one),
            many => write!(f, "{{{}}}", many.join(", ")),
        }
    }
}

/// A token and its bytes in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CelToken {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Bytes that belong to no token; `end` is past the character at which matching failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unrecognized {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// How many tokens precede it.
    pub(crate) after_tokens: usize,
}

/// Splits the text into tokens.
pub(crate) fn lex(text: &str) -> (Vec<CelToken>, Vec<Unrecognized>) {
    let lexer = Lexer { text, bytes: text.as_bytes() };
    let mut tokens = Vec::with_capacity(text.len() / 4 + 2);
    let mut unrecognized = Vec::new();
    let mut start = 0;
    while let Some(first) = lexer.at(start) {
        match lexer.next(start, first) {
            Scan::Hidden(end) => start = end,
            Scan::Token(kind, end) => {
                tokens.push(CelToken { kind, start, end });
                start = end;
            }
            Scan::Failed(at) => {
                let end = at + lexer.char_length(at);
                unrecognized.push(Unrecognized { start, end, after_tokens: tokens.len() });
                start = end;
            }
        }
    }
    tokens.push(CelToken { kind: TokenKind::EndOfInput, start: text.len(), end: text.len() });
    (tokens, unrecognized)
}

enum Scan {
    Hidden(usize),
    Token(TokenKind, usize),
    /// No token starts here; matching failed at this byte.
    Failed(usize),
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
}

impl Lexer<'_> {
    fn at(&self, index: usize) -> Option<u8> {
        self.bytes.get(index).copied()
    }

    fn char_length(&self, index: usize) -> usize {
        self.text.get(index..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
    }

    /// First index from `from` whose byte does not satisfy `test`.
    fn skip(&self, from: usize, test: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().position(|&byte| !test(byte)).unwrap_or(rest.len())
    }

    fn next(&self, start: usize, first: u8) -> Scan {
        use TokenKind as T;
        let one = |kind| Scan::Token(kind, start + 1);
        let second = self.at(start + 1);
        let two = |byte: u8, kind| {
            if second == Some(byte) {
                Scan::Token(kind, start + 2)
            } else {
                Scan::Failed(start + 1)
            }
        };
        let one_or_two = |single, double| {
            if second == Some(b'=') {
                Scan::Token(double, start + 2)
            } else {
                Scan::Token(single, start + 1)
            }
        };
        match first {
            b' ' | b'\t' | b'\r' | b'\n' | b'\x0c' => Scan::Hidden(
                self.skip(start, |b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'\x0c')),
            ),
            b'/' if second == Some(b'/') => Scan::Hidden(self.skip(start, |b| b != b'\n')),
            b'=' => two(b'=', T::Equals),
            b'&' => two(b'&', T::And),
            b'|' => two(b'|', T::Or),
            b'!' => one_or_two(T::Exclamation, T::NotEquals),
            b'<' => one_or_two(T::Less, T::LessEquals),
            b'>' => one_or_two(T::Greater, T::GreaterEquals),
            b'[' => one(T::LeftBracket),
            b']' => one(T::RightBracket),
            b'{' => one(T::LeftBrace),
            b'}' => one(T::RightBrace),
            b'(' => one(T::LeftParen),
            b')' => one(T::RightParen),
            b'.' if second.is_some_and(|b| b.is_ascii_digit()) => self.number(start),
            b'.' => one(T::Dot),
            b',' => one(T::Comma),
            b'-' => one(T::Minus),
            b'?' => one(T::Question),
            b':' => one(T::Colon),
            b'+' => one(T::Plus),
            b'*' => one(T::Star),
            b'/' => one(T::Slash),
            b'%' => one(T::Percent),
            b'0'..=b'9' => self.number(start),
            b'"' | b'\'' => self
                .quoted(start, first, false)
                .map_or_else(Scan::Failed, |end| Scan::Token(T::String, end)),
            b'`' => self.escaped_identifier(start),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(start),
            _ => Scan::Failed(start),
        }
    }

    fn number(&self, start: usize) -> Scan {
        let digits = |from| self.skip(from, |b| b.is_ascii_digit());
        if self.at(start) == Some(b'0') && self.at(start + 1) == Some(b'x') {
            let end = self.skip(start + 2, |b| b.is_ascii_hexdigit());
            if end > start + 2 {
                return self.integer(end);
            }
            return Scan::Token(TokenKind::Int, start + 1);
        }
        let whole = digits(start);
        let mut end = whole;
        let mut float = false;
        if self.at(whole) == Some(b'.') {
            let fraction = digits(whole + 1);
            if fraction > whole + 1 {
                (end, float) = (fraction, true);
            }
        }
        if matches!(self.at(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.at(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent > end + 1 + sign {
                (end, float) = (exponent, true);
            }
        }
        if float { Scan::Token(TokenKind::Float, end) } else { self.integer(end) }
    }

    fn integer(&self, end: usize) -> Scan {
        match self.at(end) {
            Some(b'u' | b'U') => Scan::Token(TokenKind::Uint, end + 1),
            _ => Scan::Token(TokenKind::Int, end),
        }
    }

    fn word(&self, start: usize) -> Scan {
        let end = self.skip(start, |b| b.is_ascii_alphanumeric() || b == b'_');
        let word = self.bytes.get(start..end).unwrap_or_default();
        // A prefix that turns a string into a raw string or bytes; when the string is broken the prefix is a name.
        if let (
            Some(quote @ (b'"' | b'\'')),
            b"r" | b"R" | b"b" | b"B" | b"br" | b"bR" | b"Br" | b"BR",
        ) = (self.at(end), word)
        {
            let raw = matches!(word.last(), Some(b'r' | b'R'));
            if let Ok(string_end) = self.quoted(end, quote, raw) {
                let bytes = matches!(word.first(), Some(b'b' | b'B'));
                return Scan::Token(
                    if bytes { TokenKind::Bytes } else { TokenKind::String },
                    string_end,
                );
            }
        }
        let kind = match word {
            b"true" => TokenKind::True,
            b"false" => TokenKind::False,
            b"null" => TokenKind::Null,
            b"in" => TokenKind::In,
            _ => TokenKind::Identifier,
        };
        Scan::Token(kind, end)
    }

    fn escaped_identifier(&self, start: usize) -> Scan {
        let end = self.skip(start + 1, |b| {
            b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'/' | b' ')
        });
        if end > start + 1 && self.at(end) == Some(b'`') {
            Scan::Token(TokenKind::EscapedIdentifier, end + 1)
        } else {
            Scan::Failed(end)
        }
    }

    /// Scans a string whose opening quote is at `start`: the end, or where it broke.
    fn quoted(&self, start: usize, quote: u8, raw: bool) -> Result<usize, usize> {
        let at_quotes = |index| (0..3).all(|step| self.at(index + step) == Some(quote));
        if at_quotes(start) {
            // An unterminated triple quote still begins with the empty string "".
            return Ok(self.triple_quoted(start + 3, raw, at_quotes).unwrap_or(start + 2));
        }
        let mut index = start + 1;
        loop {
            match self.at(index) {
                None | Some(b'\n' | b'\r') => return Err(index),
                Some(byte) if byte == quote => return Ok(index + 1),
                Some(b'\\') if !raw => index = self.escape(index)?,
                Some(_) => index += 1,
            }
        }
    }

    fn triple_quoted(
        &self,
        from: usize,
        raw: bool,
        at_quotes: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut index = from;
        loop {
            if at_quotes(index) {
                return Some(index + 3);
            }
            match self.at(index)? {
                b'\\' if !raw => index = self.escape(index).ok()?,
                _ => index += 1,
            }
        }
    }

    /// Scans the escape sequence at `index`: the index after it, or where it broke.
    fn escape(&self, index: usize) -> Result<usize, usize> {
        let expect = |from: usize, count: usize, test: &dyn Fn(u8) -> bool| {
            (from..from + count)
                .find(|&i| !self.at(i).is_some_and(test))
                .map_or(Ok(from + count), Err)
        };
        let hex = |b: u8| b.is_ascii_hexdigit();
        match self.at(index + 1) {
            Some(
                b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`',
            ) => Ok(index + 2),
            Some(b'x' | b'X') => expect(index + 2, 2, &hex),
            Some(b'u') => expect(index + 2, 4, &hex),
            Some(b'U') => expect(index + 2, 8, &hex),
            Some(b'0'..=b'3') => expect(index + 2, 2, &|b| matches!(b, b'0'..=b'7')),
            _ => Err(index + 1),
        }
    }
}
