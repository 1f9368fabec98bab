//! Keys that are recognised only at their `:`, and the indentation that opens and closes block collections.

use super::super::error::{Failure, YamlProblem};
use super::{LONGEST_SIMPLE_KEY, ScanResult, Scanner, SimpleKey, TokenKind, YamlToken};

impl Scanner<'_> {
    /// Whether the key of `level` is still the one queued as `token` and may still get its `:`.
    pub(super) fn is_pending(&mut self, level: usize, token: usize) -> Result<bool, Failure> {
        let Some(&key) = self.simple_keys.get(level) else { return Ok(false) };
        if !key.possible || key.token != token {
            return Ok(false);
        }
        if key.line == self.line && self.index() <= key.index + LONGEST_SIMPLE_KEY {
            return Ok(true);
        }
        if key.required {
            return Err(self.missing_colon(key));
        }
        if let Some(key) = self.simple_keys.get_mut(level) {
            key.possible = false;
        }
        Ok(false)
    }

    pub(super) fn is_released(&self, level: usize) -> bool {
        self.simple_keys.get(level).is_some_and(|key| key.released && key.token == self.front)
    }

    fn missing_colon(&self, key: SimpleKey) -> Failure {
        let problem = YamlProblem::Scan("could not find expected ':'");
        self.error_about(problem, key.start, self.line_end(key.start))
    }

    /// Notes that a key may begin here.
    pub(super) fn save_simple_key(&mut self) -> ScanResult {
        if !self.simple_key_allowed {
            return Ok(());
        }
        self.remove_simple_key()?;
        let column = self.column();
        let level = self.simple_keys.len() - 1;
        let key = SimpleKey {
            possible: true,
            required: level == 0 && self.indent == column + 1,
            released: false,
            token: self.next_number(),
            start: self.position,
            index: self.index(),
            line: self.line,
            column,
        };
        self.push(YamlToken::mark(TokenKind::Tentative(level), self.position, self.position));
        if let Some(slot) = self.simple_keys.last_mut() {
            *slot = key;
        }
        Ok(())
    }

    /// Gives up the pending key of the current level.
    pub(super) fn remove_simple_key(&mut self) -> ScanResult {
        match self.simple_keys.last_mut() {
            Some(key) if key.possible && key.required => {
                let key = *key;
                Err(self.missing_colon(key))
            }
            Some(key) => {
                key.possible = false;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Opens a block collection at `column` if the current one is further left. Says whether it did.
    pub(super) fn roll_indent(&mut self, column: usize) -> Result<bool, Failure> {
        if self.in_flow() || self.indent > column {
            return Ok(false);
        }
        self.indents.push(self.indent);
        self.indent = column + 1;
        if self.indents.len() > self.around.max_depth {
            return Err(self.too_deep());
        }
        Ok(true)
    }

    /// Closes every block collection whose `indent` is greater.
    #[inline]
    pub(super) fn unroll_indent(&mut self, indent: usize) {
        while self.indent > indent {
            self.push(YamlToken::mark(TokenKind::BlockEnd, self.position, self.position));
            self.indent = self.indents.pop().unwrap_or_default();
        }
    }

    /// Closes all block collections and gives up the pending key, as before a document marker.
    pub(super) fn leave_blocks(&mut self) -> ScanResult {
        if !self.in_flow() {
            self.unroll_indent(0);
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        Ok(())
    }
}
