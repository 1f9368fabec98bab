//! The format `email`: what Go's `mail.ParseAddress` takes as one address.
//!
//! That is more than `user@host`: display names, comments, groups of one, quoted local parts and domain literals.
//! Upstream: Go `net/mail`, `mime.WordDecoder`.

use super::checks::is_base64;
use crate::ip;

/// Whether a string is one mail address.
pub(super) fn is_email(text: &str) -> bool {
    let mut reader = AddressReader { rest: text };
    matches!(reader.address(true), Some(1))
        && reader.skip_comments().is_some()
        && reader.rest.is_empty()
}

struct AddressReader<'t> {
    rest: &'t str,
}

impl<'t> AddressReader<'t> {
    /// Reads a mailbox or, where allowed, a group; gives the number of addresses.
    fn address(&mut self, group_allowed: bool) -> Option<usize> {
        self.skip_space();
        if self.rest.is_empty() {
            return None;
        }
        let start = self.rest;
        if self.address_specification().is_some() {
            self.skip_space();
            if self.take('(') {
                let comment = self.comment()?;
                if comment.split([' ', '\t']).any(|word| encoded(word) == Encoded::UnknownCharset) {
                    return None;
                }
            }
            return Some(1);
        }
        self.rest = start;
        if !self.rest.starts_with('<') {
            self.phrase()?;
        }
        self.skip_space();
        if group_allowed && self.take(':') {
            return self.group();
        }
        if !self.take('<') {
            return None;
        }
        self.address_specification()?;
        self.take('>').then_some(1)
    }

    fn group(&mut self) -> Option<usize> {
        self.skip_space();
        if self.take(';') {
            self.skip_comments()?;
            return Some(0);
        }
        let mut count = 0;
        loop {
            self.skip_space();
            count += self.address(false)?;
            self.skip_comments()?;
            if self.take(';') {
                self.skip_comments()?;
                return Some(count);
            }
            if !self.take(',') {
                return None;
            }
        }
    }

    /// `local@domain`.
    fn address_specification(&mut self) -> Option<()> {
        self.skip_space();
        if self.rest.starts_with('"') {
            // An empty quoted string names nobody.
            self.quoted_string().filter(|length| *length > 0)?;
        } else {
            self.strict_atom()?;
        }
        if !self.take('@') {
            return None;
        }
        self.skip_space();
        if self.take('[') {
            let (literal, rest) = self.rest.split_once(']')?;
            self.rest = rest;
            let text = |c: char| is_visible(c) && !matches!(c, '[' | '\\');
            return (literal.chars().all(text) && ip::is_ip(literal)).then_some(());
        }
        self.strict_atom()
    }

    fn strict_atom(&mut self) -> Option<()> {
        let atom = self.atom()?;
        (!atom.starts_with('.') && !atom.ends_with('.') && !atom.contains("..")).then_some(())
    }

    fn atom(&mut self) -> Option<&'t str> {
        let special = |c: char| "()<>[]:;@\\,\"".contains(c) || !is_visible(c);
        let end = self.rest.find(special).unwrap_or(self.rest.len());
        let (atom, rest) = self.rest.split_at_checked(end).filter(|(atom, _)| !atom.is_empty())?;
        self.rest = rest;
        Some(atom)
    }

    /// Reads a quoted string and gives how many characters it holds.
    fn quoted_string(&mut self) -> Option<usize> {
        let mut characters = self.rest.strip_prefix('"')?.char_indices();
        let mut length = 0;
        while let Some((index, c)) = characters.next() {
            let c = match c {
                '"' => {
                    self.rest = self.rest.get(index + 2..)?;
                    return Some(length);
                }
                '\\' => characters.next()?.1,
                _ => c,
            };
            if !is_visible(c) && !matches!(c, ' ' | '\t') {
                return None;
            }
            length += 1;
        }
        None
    }

    /// A display name: words up to the first thing that is not a word.
    fn phrase(&mut self) -> Option<()> {
        let mut words = 0;
        // Decoded words are joined before they count as one word.
        let mut pending = false;
        loop {
            if words > 0 {
                self.skip_comments()?;
            }
            self.skip_space();
            if self.rest.is_empty() {
                break;
            }
            if self.rest.starts_with('"') {
                let start = self.rest;
                if self.quoted_string().is_none() {
                    self.rest = start;
                    return (words > 0 || pending).then_some(());
                }
                words += 1 + usize::from(pending);
                pending = false;
                continue;
            }
            match self.atom().map(encoded) {
                None | Some(Encoded::UnknownCharset) => {
                    return (words > 0 || pending).then_some(());
                }
                Some(Encoded::Text { empty }) => pending |= !empty,
                Some(Encoded::No) => {
                    words += 1 + usize::from(pending);
                    pending = false;
                }
            }
        }
        Some(())
    }

    /// Skips white space and comments; nothing when a comment does not end.
    fn skip_comments(&mut self) -> Option<()> {
        self.skip_space();
        while self.take('(') {
            self.comment()?;
            self.skip_space();
        }
        Some(())
    }

    /// Reads a comment after its opening parenthesis and gives its text, escapes removed.
    fn comment(&mut self) -> Option<String> {
        let mut depth = 1_usize;
        let mut text = String::new();
        let mut characters = self.rest.chars();
        while let Some(c) = characters.next() {
            let mut c = c;
            match c {
                '\\' if !characters.as_str().is_empty() => c = characters.next()?,
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.rest = characters.as_str();
                return Some(text);
            }
            text.push(c);
        }
        None
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn take(&mut self, c: char) -> bool {
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

fn is_visible(c: char) -> bool {
    matches!(c, '!'..='~') || !c.is_ascii()
}

/// What a word is as an encoded word, `=?charset?encoding?text?=`.
#[derive(PartialEq, Eq)]
enum Encoded {
    No,
    Text { empty: bool },
    UnknownCharset,
}

fn encoded(word: &str) -> Encoded {
    let inside = word.strip_prefix("=?").and_then(|word| word.strip_suffix("?="));
    let Some(inside) = inside.filter(|_| word.len() >= 8) else { return Encoded::No };
    let parts: Vec<&str> = inside.split('?').collect();
    let [charset, encoding, text] = parts.as_slice() else { return Encoded::No };
    let decodes = match *encoding {
        "b" | "B" => text.is_empty() || is_base64(text),
        "q" | "Q" => is_quoted_printable(text),
        _ => false,
    };
    if !decodes || charset.is_empty() {
        return Encoded::No;
    }
    let known =
        ["utf-8", "iso-8859-1", "us-ascii"].iter().any(|known| known.eq_ignore_ascii_case(charset));
    if known { Encoded::Text { empty: text.is_empty() } } else { Encoded::UnknownCharset }
}

fn is_quoted_printable(text: &str) -> bool {
    let mut rest = text.as_bytes();
    loop {
        rest = match rest {
            [] => return true,
            [b'=', high, low, after @ ..]
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                after
            }
            [b'=', ..] => return false,
            [b' '..=b'~' | b'\n' | b'\r' | b'\t', after @ ..] => after,
            _ => return false,
        }
    }
}
