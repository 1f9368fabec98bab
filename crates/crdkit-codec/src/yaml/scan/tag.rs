//! Anchors, aliases, tags and directives.

use std::borrow::Cow;

use super::super::chars::{is_blank, is_blank_or_end, is_word};
use super::super::error::Failure;
use super::{ScanResult, Scanner, TokenKind, YamlToken};

impl<'a> Scanner<'a> {
    pub(super) fn fetch_anchor(&mut self, kind: TokenKind) -> ScanResult {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.position;
        self.position += 1;
        let name = self.word();
        let ends_well = is_blank_or_end(self.bytes(), self.position)
            || matches!(self.byte(0), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if name.is_empty() || !ends_well {
            return Err(self.error("did not find expected alphabetic or numeric character"));
        }
        self.push(YamlToken::with_text(kind, start, self.position, Cow::Borrowed(name)));
        Ok(())
    }

    pub(super) fn fetch_tag(&mut self) -> ScanResult {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.position;
        let (handle, suffix) = if self.byte(1) == b'<' {
            self.position += 2;
            let suffix = self.tag_uri("")?;
            if self.byte(0) != b'>' {
                return Err(self.error("did not find the expected '>'"));
            }
            self.position += 1;
            ("", suffix)
        } else {
            let handle = self.tag_handle(false)?;
            if handle.len() > 1 && handle.ends_with('!') {
                (handle, self.tag_uri("")?)
            } else {
                let suffix = self.tag_uri(handle)?;
                if suffix.is_empty() { ("", "!".to_owned()) } else { ("!", suffix) }
            }
        };
        if !is_blank_or_end(self.bytes(), self.position) {
            return Err(self.error("did not find expected whitespace or line break"));
        }
        self.push_tag(TokenKind::Tag, start, handle, suffix);
        Ok(())
    }

    pub(super) fn fetch_directive(&mut self) -> ScanResult {
        self.leave_blocks()?;
        let start = self.position;
        self.position += 1;
        let name = self.word();
        if name.is_empty() {
            return Err(self.error("could not find expected directive name"));
        }
        if !is_blank_or_end(self.bytes(), self.position) {
            return Err(self.error("found unexpected non-alphabetical character"));
        }
        match name {
            "YAML" => {
                self.skip_blanks();
                let major = self.version_number()?;
                if self.byte(0) != b'.' {
                    return Err(self.error("did not find expected digit or '.' character"));
                }
                self.position += 1;
                let minor = self.version_number()?;
                let kind = TokenKind::VersionDirective { major, minor };
                self.push(YamlToken::mark(kind, start, self.position));
            }
            "TAG" => {
                self.skip_blanks();
                let handle = self.tag_handle(true)?;
                if !is_blank(self.bytes(), self.position) {
                    return Err(self.error("did not find expected whitespace"));
                }
                self.skip_blanks();
                let prefix = self.tag_uri("")?;
                if !is_blank_or_end(self.bytes(), self.position) {
                    return Err(self.error("did not find expected whitespace or line break"));
                }
                self.push_tag(TokenKind::TagDirective, start, handle, prefix);
            }
            _ => return Err(self.error("found unknown directive name")),
        }
        self.finish_line()
    }

    fn push_tag(&mut self, kind: TokenKind, start: usize, handle: &'a str, suffix: String) {
        let mut token = YamlToken::with_text(kind, start, self.position, Cow::Borrowed(handle));
        token.suffix = Some(suffix.into_boxed_str());
        self.push(token);
    }

    /// The letters, digits, `-` and `_` that begin here.
    fn word(&mut self) -> &'a str {
        let start = self.position;
        while is_word(self.byte(0)) {
            self.position += 1;
        }
        self.text.get(start..self.position).unwrap_or_default()
    }

    fn version_number(&mut self) -> Result<u8, Failure> {
        let start = self.position;
        let mut number = 0;
        while let digit @ b'0'..=b'9' = self.byte(0) {
            if self.position - start == 2 {
                return Err(self.error("found extremely long version number"));
            }
            number = number * 10 + (digit - b'0');
            self.position += 1;
        }
        if self.position == start {
            return Err(self.error("did not find expected version number"));
        }
        Ok(number)
    }

    fn tag_handle(&mut self, directive: bool) -> Result<&'a str, Failure> {
        let start = self.position;
        if self.byte(0) != b'!' {
            return Err(self.error("did not find expected '!'"));
        }
        self.position += 1;
        let word = self.word();
        if self.byte(0) == b'!' {
            self.position += 1;
        } else if directive && !word.is_empty() {
            return Err(self.error("did not find expected '!'"));
        }
        Ok(self.text.get(start..self.position).unwrap_or_default())
    }

    /// The rest of a tag after `head`, whose leading `!` is not part of it, with `%` escapes decoded.
    fn tag_uri(&mut self, head: &str) -> Result<String, Failure> {
        let mut uri = head.as_bytes().get(1..).unwrap_or_default().to_vec();
        let start = self.position;
        loop {
            match self.byte(0) {
                b'%' => self.uri_escape(&mut uri)?,
                byte if is_word(byte) || b";/?:@&=+$,.!~*'()[]".contains(&byte) => {
                    uri.push(byte);
                    self.position += 1;
                }
                _ => break,
            }
        }
        if head.is_empty() && self.position == start {
            return Err(self.error("did not find expected tag URI"));
        }
        // An ill-formed escape makes a tag that nothing knows, which is all that matters about it.
        Ok(String::from_utf8_lossy(&uri).into_owned())
    }

    /// Decodes the octets of one character.
    fn uri_escape(&mut self, uri: &mut Vec<u8>) -> ScanResult {
        let mut left = None;
        while left != Some(0) {
            let digit = |ahead| char::from(self.byte(ahead)).to_digit(16);
            let (b'%', Some(high), Some(low)) = (self.byte(0), digit(1), digit(2)) else {
                return Err(self.error("did not find URI escaped octet"));
            };
            let octet = u8::try_from(high * 16 + low).unwrap_or_default();
            left = Some(match (left, octet) {
                (Some(left), 0x80..=0xBF) => left - 1,
                (Some(_), _) => return Err(self.error("found an incorrect trailing UTF-8 octet")),
                (None, 0..=0x7F) => 0,
                (None, 0xC0..=0xDF) => 1,
                (None, 0xE0..=0xEF) => 2,
                (None, 0xF0..=0xF7) => 3,
                (None, _) => return Err(self.error("found an incorrect leading UTF-8 octet")),
            });
            uri.push(octet);
            self.position += 3;
        }
        Ok(())
    }
}
