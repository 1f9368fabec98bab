//! Tokens of punctuation: brackets, commas, `-`, `?`, `:`, document markers and the end of the text.

use super::{ScanResult, Scanner, SimpleKey, TokenKind, YamlToken};

impl Scanner<'_> {
    pub(super) fn fetch_stream_end(&mut self) -> ScanResult {
        // The end of the text ends its line, and with it every pending key.
        if self.position > self.line_start {
            self.line += 1;
            self.line_start = self.position;
            self.columns_passed = 0;
        }
        self.leave_blocks()?;
        self.push(YamlToken::mark(TokenKind::StreamEnd, self.position, self.position));
        Ok(())
    }

    pub(super) fn fetch_document_indicator(&mut self, kind: TokenKind) -> ScanResult {
        self.leave_blocks()?;
        self.push_indicator(kind, 3);
        Ok(())
    }

    pub(super) fn fetch_flow_start(&mut self, kind: TokenKind) -> ScanResult {
        self.save_simple_key()?;
        if self.simple_keys.len() > self.around.max_depth {
            return Err(self.too_deep());
        }
        let token = self.next_number();
        self.simple_keys.push(SimpleKey { token, ..SimpleKey::default() });
        self.simple_key_allowed = true;
        self.push_indicator(kind, 1);
        Ok(())
    }

    pub(super) fn fetch_flow_end(&mut self, kind: TokenKind) -> ScanResult {
        self.remove_simple_key()?;
        if self.in_flow()
            && let Some(inner) = self.simple_keys.pop()
            && let Some(outer) = self.simple_keys.last_mut()
        {
            // The number is still that of the opening bracket if no key began inside.
            outer.released |= inner.token == outer.token + 1;
        }
        self.simple_key_allowed = false;
        self.push_indicator(kind, 1);
        Ok(())
    }

    pub(super) fn fetch_flow_entry(&mut self) -> ScanResult {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(TokenKind::FlowEntry, 1);
        Ok(())
    }

    /// Opens a block collection for an indicator at the current column, if one may begin here.
    fn start_block(&mut self, kind: TokenKind, not_allowed: &'static str) -> ScanResult {
        if self.in_flow() {
            return Ok(());
        }
        if !self.simple_key_allowed {
            return Err(self.error(not_allowed));
        }
        let column = self.column();
        if self.roll_indent(column)? {
            self.push(YamlToken::mark(kind, self.position, self.position));
        }
        Ok(())
    }

    pub(super) fn fetch_block_entry(&mut self) -> ScanResult {
        self.start_block(
            TokenKind::BlockSequenceStart,
            "block sequence entries are not allowed in this context",
        )?;
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(TokenKind::BlockEntry, 1);
        Ok(())
    }

    pub(super) fn fetch_key(&mut self) -> ScanResult {
        self.start_block(
            TokenKind::BlockMappingStart,
            "mapping keys are not allowed in this context",
        )?;
        self.remove_simple_key()?;
        self.simple_key_allowed = !self.in_flow();
        self.push_indicator(TokenKind::Key, 1);
        Ok(())
    }

    pub(super) fn fetch_value(&mut self) -> ScanResult {
        let level = self.simple_keys.len() - 1;
        let key = self.simple_keys.last().copied().unwrap_or_default();
        if self.is_pending(level, key.token)? {
            let kind = if self.roll_indent(key.column)? {
                TokenKind::MappingWithKey
            } else {
                TokenKind::Key
            };
            let place = key.token.checked_sub(self.front);
            match place.and_then(|place| self.tokens.get_mut(place)) {
                Some(token) => token.kind = kind,
                // The parser did not wait; it will not accept the key here.
                None => self.push(YamlToken::mark(TokenKind::Key, key.start, key.start)),
            }
            if let Some(key) = self.simple_keys.last_mut() {
                key.possible = false;
            }
            self.simple_key_allowed = false;
        } else {
            self.start_block(
                TokenKind::BlockMappingStart,
                "mapping values are not allowed in this context",
            )?;
            self.simple_key_allowed = !self.in_flow();
        }
        self.push_indicator(TokenKind::Value, 1);
        Ok(())
    }
}
