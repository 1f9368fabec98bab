//! Regular expressions of ECMA-262, as JSON Schema writes them, put into Go's dialect.
//!
//! What can be matched in linear time means here what it means there: `\d`, `\w` and `\b` are about ASCII,
//! `\s` and `.` about Unicode's spaces and line ends, `$` is the end of the text, `\uXXXX`, `\u{…}`, `\cX`
//! and `\/` are characters, `\p{…}` knows the long names, `(?<name>` names a group, `[^]` is anything. What
//! would need memory of the match or a look around, `\1` and `(?=`, is refused.

use super::error::ErrorKind;
use super::{Regex, RegexError};
use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

/// Space characters and line ends.
const SPACES: &str =
    r"\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
/// All others.
const NO_SPACES: &str = r"\x{00}-\x{08}\x{0E}-\x{1F}!-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027}\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF}";

impl Regex {
    /// Reads a pattern as ECMA-262 has it.
    pub fn ecma(pattern: &str) -> Result<Self, RegexError> {
        let mut translator = Translator { rest: pattern.chars().peekable(), out: String::new() };
        match translator.pattern() {
            Some(()) => Self::new(&translator.out),
            None => Err(RegexError { kind: ErrorKind::PerlOperator, fragment: pattern.into() }),
        }
    }
}

struct Translator<'p> {
    rest: Peekable<Chars<'p>>,
    out: String,
}

impl Translator<'_> {
    fn pattern(&mut self) -> Option<()> {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => self.escape(false)?,
                '[' => self.class()?,
                '.' => self.out.push_str(r"[^\n\r\x{2028}\x{2029}]"),
                '$' => self.out.push_str(r"\z"),
                '(' => self.group()?,
                other => self.out.push(other),
            }
        }
        Some(())
    }

    /// Flags before a group are Go's own and mean something else, or nothing, there.
    fn group(&mut self) -> Option<()> {
        self.out.push('(');
        let mut ahead = self.rest.clone();
        if ahead.next() != Some('?') {
            return Some(());
        }
        match (ahead.next(), ahead.next()) {
            (Some(':'), _) => Some(()),
            (Some('<'), Some(next)) if next != '=' && next != '!' => Some(()),
            _ => None,
        }
    }

    fn class(&mut self) -> Option<()> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        if self.rest.next_if_eq(&']').is_some() {
            let all = if negated { r"[\x{00}-\x{10FFFF}]" } else { r"[^\x{00}-\x{10FFFF}]" };
            self.out.push_str(all);
            return Some(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        loop {
            match self.rest.next()? {
                ']' => break,
                '\\' => self.escape(true)?,
                // A bracket inside is a character; Go could take it for the name of a class.
                '[' => self.out.push_str(r"\["),
                other => self.out.push(other),
            }
        }
        self.out.push(']');
        Some(())
    }

    fn escape(&mut self, in_class: bool) -> Option<()> {
        match self.rest.next()? {
            's' => self.set(SPACES, in_class),
            'S' => self.set(NO_SPACES, in_class),
            'b' if in_class => self.out.push_str(r"\x{08}"),
            c @ ('d' | 'D' | 'w' | 'W' | 'n' | 'r' | 't' | 'f' | 'v' | 'b' | 'B') => {
                self.out.push('\\');
                self.out.push(c);
            }
            c @ ('p' | 'P') => self.property(c)?,
            'c' => {
                let letter = self.rest.next().filter(char::is_ascii_alphabetic)?;
                self.character(u32::from(letter) % 32);
            }
            'x' => {
                let code = self.hex(2)?;
                self.character(code);
            }
            'u' if self.rest.next_if_eq(&'{').is_some() => {
                let mut code = 0_u32;
                loop {
                    match self.rest.next()? {
                        '}' => break,
                        digit => code = code.checked_mul(16)?.checked_add(digit.to_digit(16)?)?,
                    }
                }
                self.character(code);
            }
            'u' => {
                let mut code = self.hex(4)?;
                if (0xD800..0xDC00).contains(&code) {
                    let (Some('\\'), Some('u')) = (self.rest.next(), self.rest.next()) else {
                        return None;
                    };
                    let low = self.hex(4)?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
                    code = 0x1_0000 + ((code - 0xD800) << 10) + low;
                }
                self.character(code);
            }
            '0' if !self.rest.peek().is_some_and(char::is_ascii_digit) => self.character(0),
            c if c.is_ascii_alphanumeric() => return None,
            c => self.character(u32::from(c)),
        }
        Some(())
    }

    fn set(&mut self, set: &str, in_class: bool) {
        let (open, close) = if in_class { ("", "") } else { ("[", "]") };
        let _ = write!(self.out, "{open}{set}{close}");
    }

    fn character(&mut self, code: u32) {
        let _ = write!(self.out, r"\x{{{code:X}}}");
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        (0..digits).try_fold(0, |code, _| Some(code * 16 + self.rest.next()?.to_digit(16)?))
    }

    /// `\p{Letter}`, `\p{Lu}`, `\p{Script=Greek}`, `\p{gc=Lu}`.
    fn property(&mut self, c: char) -> Option<()> {
        self.rest.next_if_eq(&'{')?;
        let mut name = String::new();
        loop {
            match self.rest.next()? {
                '}' => break,
                other => name.push(other),
            }
        }
        let value = match name.split_once('=') {
            Some((
                "Script" | "sc" | "Script_Extensions" | "scx" | "General_Category" | "gc",
                value,
            )) => value,
            Some(_) => return None,
            None => &name,
        };
        let short =
            CATEGORIES.iter().find(|(long, _)| *long == value).map_or(value, |(_, short)| short);
        match (short, c) {
            ("Any", 'p') => self.out.push_str(r"\x{00}-\x{10FFFF}"),
            ("ASCII", 'p') => self.out.push_str(r"\x{00}-\x{7F}"),
            _ => {
                let _ = write!(self.out, r"\{c}{{{short}}}");
            }
        }
        Some(())
    }
}

/// The long names of general categories.
const CATEGORIES: &[(&str, &str)] = &[
    ("Letter", "L"),
    ("Cased_Letter", "LC"),
    ("Uppercase_Letter", "Lu"),
    ("Lowercase_Letter", "Ll"),
    ("Titlecase_Letter", "Lt"),
    ("Modifier_Letter", "Lm"),
    ("Other_Letter", "Lo"),
    ("Mark", "M"),
    ("Nonspacing_Mark", "Mn"),
    ("Spacing_Mark", "Mc"),
    ("Enclosing_Mark", "Me"),
    ("Number", "N"),
    ("Decimal_Number", "Nd"),
    ("digit", "Nd"),
    ("Letter_Number", "Nl"),
    ("Other_Number", "No"),
    ("Punctuation", "P"),
    ("punct", "P"),
    ("Symbol", "S"),
    ("Math_Symbol", "Sm"),
    ("Currency_Symbol", "Sc"),
    ("Separator", "Z"),
    ("Space_Separator", "Zs"),
    ("Other", "C"),
    ("Control", "Cc"),
    ("Format", "Cf"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, text: &str, expected: bool) {
        let regex = Regex::ecma(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        assert_eq!(regex.is_match(text), expected, "{pattern} on {text:?}");
    }

    #[test]
    fn classes_are_those_of_ecma_262() {
        check(r"^\d$", "٣", false);
        check(r"^\w$", "é", false);
        check(r"^\s$", "\u{FEFF}", true);
        check(r"^\s$", "\u{A0}", true);
        check(r"^\S$", "\u{2029}", false);
        check(r"^[\s\d]$", "\u{2003}", true);
        check(r"^\p{Letter}+$", "é", true);
        check(r"^\p{Script=Greek}$", "λ", true);
        check(r"^[^]$", "\n", true);
        check("^.$", "\u{2028}", false);
    }

    #[test]
    fn escapes_are_those_of_ecma_262() {
        check(r"^\/\-\u0041\x42\u{1F600}\cC\t$", "/-AB\u{1F600}\u{3}\t", true);
        check(r"^\uD83D\uDE00$", "\u{1F600}", true);
        check(r"^[\b\]\\[]+$", "\u{8}]\\[", true);
        check("abc$", "abc\n", false);
        check(r"(?<year>\d{4})", "2026", true);
    }

    #[test]
    fn what_needs_memory_or_a_look_around_is_refused() {
        for pattern in
            [r"(a)\1", "(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", r"\Z", r"\a", "(?i)a", "["]
        {
            assert!(Regex::ecma(pattern).is_err(), "{pattern}");
        }
    }
}
