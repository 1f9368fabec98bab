//! Walking the tokens and getting over syntax errors.
//!
//! Which message a broken expression gets, and how many, depends on how the parser recovers. This is the recovery of
//! ANTLR's default strategy, as configured by cel-go: delete one token, insert one token, else abandon the rule and skip
//! to something an enclosing rule can continue with. At most 30 recoveries are attempted, and one recovery skips at most
//! 256 tokens.

use super::grammar::GrammarRule;
use crate::error::Collected;
use crate::lex::{CelToken, TokenKind, TokenSet, Unrecognized, lex};
use crate::source::Position;

const MAX_SYNTAX_ERRORS: usize = 100;
const MAX_RECOVERIES: usize = 30;
const MAX_SKIPPED: usize = 256;
/// How deep one rule may be nested in itself.
const MAX_DEPTH: u16 = 250;

/// Why a rule ended early.
#[derive(Debug)]
pub(super) enum Abort {
    /// This rule cannot go on; its caller can.
    Rule(Mistake),
    /// Parsing ends.
    Fatal,
}

/// What the input did wrong.
#[derive(Debug)]
pub(super) enum Mistake {
    Mismatch { token: usize, expected: TokenSet },
    NoAlternative { start: usize, offending: usize },
}

#[derive(Clone, Copy)]
struct RuleFrame {
    /// What may follow this rule where it was invoked.
    follow: TokenSet,
    /// Union of `follow` of this and all enclosing frames.
    recovery: TokenSet,
}

/// The tokens, the stack of rules, and the state of error recovery.
pub(super) struct TokenStream<'t> {
    text: &'t str,
    tokens: Vec<CelToken>,
    unrecognized: Vec<Unrecognized>,
    reported_unrecognized: usize,
    index: usize,
    frames: Vec<RuleFrame>,
    depths: [u16; GrammarRule::COUNT],
    /// Number of the place in the grammar the parser is at.
    place: u16,
    recovering: bool,
    last_error_index: Option<usize>,
    last_error_places: Vec<u16>,
    recoveries: usize,
    syntax_errors: usize,
    pub(super) errors: Collected,
}

impl<'t> TokenStream<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let (tokens, unrecognized) = lex(text);
        Self {
            text,
            tokens,
            unrecognized,
            reported_unrecognized: 0,
            index: 0,
            frames: Vec::with_capacity(32),
            depths: [0; GrammarRule::COUNT],
            place: 0,
            recovering: false,
            last_error_index: None,
            last_error_places: Vec::new(),
            recoveries: 0,
            syntax_errors: 0,
            errors: Collected::default(),
        }
    }

    pub(super) fn position(&self, token: usize) -> Position {
        Position::at(self.token(token).start)
    }

    pub(super) fn token_text(&self, token: usize) -> &'t str {
        let token = self.token(token);
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    fn token(&self, index: usize) -> CelToken {
        let end = self.text.len();
        self.tokens.get(index).or(self.tokens.last()).copied().unwrap_or(CelToken {
            kind: TokenKind::EndOfInput,
            start: end,
            end,
        })
    }

    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// The kind of the token `ahead` places after the current one. Characters that belong to no token are reported when
    /// the parser first looks past them.
    pub(super) fn peek(&mut self, ahead: usize) -> Result<TokenKind, Abort> {
        let wanted = self.index + ahead;
        while let Some(bad) = self.unrecognized.get(self.reported_unrecognized).copied() {
            if bad.after_tokens > wanted {
                break;
            }
            self.reported_unrecognized += 1;
            let text = self.text.get(bad.start..bad.end).unwrap_or_default();
            self.syntax_error(
                Position::at(bad.start),
                &format!("token recognition error at: '{text}'"),
            )?;
        }
        Ok(self.token(wanted).kind)
    }

    pub(super) fn current(&mut self) -> Result<TokenKind, Abort> {
        self.peek(0)
    }

    /// Steps over the current token and returns its index.
    fn consume(&mut self) -> Result<usize, Abort> {
        let index = self.index;
        if self.index + 1 < self.tokens.len() {
            self.index += 1;
        }
        self.current()?;
        Ok(index)
    }

    pub(super) fn enter(&mut self, rule: GrammarRule, follow: TokenSet) -> Result<(), Abort> {
        let recovery = self.frames.last().map_or(follow, |outer| outer.recovery.or(follow));
        self.frames.push(RuleFrame { follow, recovery });
        if let Some(depth) = self.depths.get_mut(rule as usize) {
            *depth += 1;
            if *depth > MAX_DEPTH {
                self.whole(format!("expression recursion limit exceeded: {MAX_DEPTH}"));
                return Err(Abort::Fatal);
            }
        }
        Ok(())
    }

    /// Ends a rule: reports the mistake it was abandoned for, and skips to where its caller can go on.
    pub(super) fn leave<T>(
        &mut self,
        rule: GrammarRule,
        outcome: Result<T, Abort>,
    ) -> Result<Option<T>, Abort> {
        let value = match outcome {
            Ok(value) => Some(value),
            Err(Abort::Fatal) => return Err(Abort::Fatal),
            Err(Abort::Rule(mistake)) => {
                self.report(&mistake)?;
                self.recover()?;
                None
            }
        };
        self.frames.pop();
        if let Some(depth) = self.depths.get_mut(rule as usize) {
            *depth = depth.saturating_sub(1);
        }
        Ok(value)
    }

    /// Marks the current token as the one that fits, which ends error recovery.
    fn matched(&mut self) {
        self.recovering = false;
        self.last_error_index = None;
        self.last_error_places.clear();
    }

    /// Consumes a token of this kind, deleting or inserting one token if that helps. `after` is what may follow it.
    /// Returns its index.
    pub(super) fn expect(
        &mut self,
        place: u16,
        kind: TokenKind,
        after: TokenSet,
    ) -> Result<usize, Abort> {
        self.place = place;
        if self.current()? == kind {
            self.matched();
            return self.consume();
        }
        self.count_recovery()?;
        let expected = TokenSet::of(&[kind]);
        if self.delete_one(expected)? {
            return self.consume();
        }
        if self.in_context(after).contains(self.current()?) {
            self.begin_error(|stream| {
                format!("missing {expected} at {}", stream.display(stream.index))
            })?;
            return Ok(self.index);
        }
        Err(Abort::Rule(Mistake::Mismatch { token: self.index, expected }))
    }

    /// Consumes the current token, whose kind the caller has looked at.
    pub(super) fn take(&mut self) -> Result<usize, Abort> {
        self.matched();
        self.consume()
    }

    /// Before a choice: the current token should start one of the alternatives.
    pub(super) fn sync(&mut self, place: u16, next: TokenSet) -> Result<(), Abort> {
        self.place = place;
        if self.recovering || next.contains(self.current()?) || self.delete_one(next)? {
            return Ok(());
        }
        Err(Abort::Rule(Mistake::Mismatch { token: self.index, expected: next }))
    }

    /// Behind an iteration: the current token should start another one or what comes after.
    pub(super) fn sync_loop(&mut self, place: u16, next: TokenSet) -> Result<(), Abort> {
        self.place = place;
        if self.recovering || next.contains(self.current()?) {
            return Ok(());
        }
        self.begin_error(|stream| {
            format!("extraneous input {} expecting {next}", stream.display(stream.index))
        })?;
        self.skip_to(next.or(self.recovery_set()), usize::MAX)
    }

    pub(super) fn at_place(&mut self, place: u16) {
        self.place = place;
    }

    /// No alternative fits the tokens from the current one to the one `ahead` of it.
    pub(super) fn no_alternative(&self, ahead: usize) -> Abort {
        Abort::Rule(Mistake::NoAlternative { start: self.index, offending: self.index + ahead })
    }

    /// Drops the current token if the next one is what is expected.
    fn delete_one(&mut self, expected: TokenSet) -> Result<bool, Abort> {
        if !self.in_context(expected).contains(self.peek(1)?) {
            return Ok(false);
        }
        let expected = self.in_context(expected);
        self.begin_error(|stream| {
            format!("extraneous input {} expecting {expected}", stream.display(stream.index))
        })?;
        self.consume()?;
        self.matched();
        Ok(true)
    }

    /// Adds what may follow the enclosing rules, as far as they may end here.
    fn in_context(&self, set: TokenSet) -> TokenSet {
        let mut all = set.without_end();
        let mut last = set;
        for frame in self.frames.iter().rev() {
            if !last.may_end() {
                return all;
            }
            last = frame.follow;
            all = all.or(last.without_end());
        }
        if last.may_end() { all.or(TokenSet::of(&[TokenKind::EndOfInput])) } else { all }
    }

    fn recovery_set(&self) -> TokenSet {
        self.frames.last().map_or(TokenSet::of(&[]), |frame| frame.recovery.without_end())
    }

    fn count_recovery(&mut self) -> Result<(), Abort> {
        self.recoveries += 1;
        if self.recoveries <= MAX_RECOVERIES {
            return Ok(());
        }
        let position = self.position(self.index);
        self.syntax_error(
            position,
            &format!("error recovery attempt limit exceeded: {MAX_RECOVERIES}"),
        )?;
        Err(Abort::Fatal)
    }

    fn recover(&mut self) -> Result<(), Abort> {
        self.count_recovery()?;
        let mut room = MAX_SKIPPED;
        if self.last_error_index == Some(self.index) && self.last_error_places.contains(&self.place)
        {
            // The same place failed at the same token before: step over it, or this would go on for ever.
            self.consume()?;
            room -= 1;
        }
        self.last_error_index = Some(self.index);
        self.last_error_places.push(self.place);
        self.skip_to(self.recovery_set(), room)
    }

    fn skip_to(&mut self, set: TokenSet, mut room: usize) -> Result<(), Abort> {
        loop {
            let kind = self.current()?;
            if kind == TokenKind::EndOfInput || set.contains(kind) {
                return Ok(());
            }
            if room == 0 {
                self.whole(format!("error recovery token lookahead limit exceeded: {MAX_SKIPPED}"));
                return Err(Abort::Fatal);
            }
            room -= 1;
            self.consume()?;
        }
    }

    fn report(&mut self, mistake: &Mistake) -> Result<(), Abort> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        let (message, token) = match *mistake {
            Mistake::Mismatch { token, expected } => {
                let expected = self.in_context(expected);
                (format!("mismatched input {} expecting {expected}", self.display(token)), token)
            }
            Mistake::NoAlternative { start, offending } => {
                let input = self.joined(start, offending);
                let message = match input.get(1..) {
                    // What people know from older versions for a keyword in place of a field name.
                    Some(word @ ("true" | "false" | "null")) => {
                        format!("mismatched input '{word}' expecting IDENTIFIER")
                    }
                    _ => format!("no viable alternative at input {}", quote(&input)),
                };
                (message, offending)
            }
        };
        let position = self.position(token);
        self.syntax_error(position, &message)
    }

    /// Reports an error at the current token, unless the parser is still recovering from an earlier one.
    fn begin_error(&mut self, message: impl Fn(&Self) -> String) -> Result<(), Abort> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        let message = message(self);
        let position = self.position(self.index);
        self.syntax_error(position, &message)
    }

    fn syntax_error(&mut self, position: Position, message: &str) -> Result<(), Abort> {
        if self.syntax_errors < MAX_SYNTAX_ERRORS {
            self.syntax_errors += 1;
            self.errors.report(position, format!("Syntax error: {message}"));
            return Ok(());
        }
        self.errors
            .report(position, format!("Syntax error: More than {MAX_SYNTAX_ERRORS} syntax errors"));
        Err(Abort::Fatal)
    }

    pub(super) fn whole(&mut self, message: String) {
        self.errors.report(Position::NOWHERE, message);
    }

    fn display(&self, token: usize) -> String {
        match self.token(token).kind {
            TokenKind::EndOfInput => "'<EOF>'".to_owned(),
            _ => quote(self.token_text(token)),
        }
    }

    /// The text from one token to another, without characters that belong to no token.
    fn joined(&self, start: usize, offending: usize) -> String {
        let (first, last) = (self.token(start), self.token(offending));
        if first.kind == TokenKind::EndOfInput {
            return "<EOF>".to_owned();
        }
        let mut out = String::new();
        let mut from = first.start;
        for bad in
            self.unrecognized.iter().filter(|bad| bad.start >= first.start && bad.end <= last.end)
        {
            out.push_str(self.text.get(from..bad.start).unwrap_or_default());
            from = bad.end;
        }
        out.push_str(self.text.get(from..last.end).unwrap_or_default());
        out
    }
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r"))
}
