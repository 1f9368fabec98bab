//! Inputs that are almost right: bytes of a seed, changed in a few places.
//!
//! The same numbers give the same changes.

/// Numbers that look random and come in the same order for the same seed (xorshift64*).
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        // Zero would stay zero.
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `end`; 0 where there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let wide = u128::from(self.next()) * end as u128;
        usize::try_from(wide >> 64).unwrap_or_default()
    }

    pub(crate) fn pick<'a, T>(&mut self, among: &'a [T]) -> Option<&'a T> {
        among.get(self.below(among.len()))
    }
}

/// Texts that mean something to one reader or another.
const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "'",
    "\\",
    "\\u0000",
    "\\ud800",
    "\n",
    "  ",
    "- ",
    "---\n",
    "...",
    "&a ",
    "*a",
    "<<: ",
    "!!binary ",
    "|\n",
    ">-\n",
    "? ",
    "# ",
    "%YAML 1.1\n",
    "null",
    "~",
    "true",
    "-0",
    "0.1",
    "1e400",
    ".nan",
    "9223372036854775808",
    "-9223372036854775809",
    "9007199254740993",
    "0x1F",
    "0o17",
    "1_000",
    "2001-01-01",
    "\u{feff}",
    "\u{2028}",
    "\u{1f600}",
    "é",
    "\0",
    "a",
    "metadata",
    "name",
    "items",
    "properties",
    "default",
    "x-kubernetes-preserve-unknown-fields: true\n",
    "x-kubernetes-list-type: map\n",
    "nullable: true\n",
    "additionalProperties",
    "self",
    "oldSelf",
    ".all(x, x)",
    ".matches('(a*)*b')",
    " == ",
    " ? ",
    "size(",
    "b'",
];

/// Bytes that begin something in CBOR.
const HEADS: &[&[u8]] = &[
    b"\xd9\xd9\xf7",
    b"\xa1",
    b"\xbf",
    b"\x9f",
    b"\x5f",
    b"\xff",
    b"\xf6",
    b"\xf9\x7e\x00",
    b"\xfb",
    b"\x1b\xff",
    b"\xc0",
    b"\xc2\x41\x01",
    b"\xd6",
    b"\x5b\x7f\xff\xff\xff\xff\xff\xff\xff",
    b"\x9b\x00\x00\x00\x01\x00\x00\x00\x00",
];

/// `seed` with a few changes, some of them parts of `other`.
pub(crate) fn mutate(random: &mut Random, seed: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(4) {
        let start = random.below(bytes.len() + 1);
        let end = (start + random.below(16)).min(bytes.len());
        match random.below(8) {
            0 => {
                if let Some(byte) = bytes.get_mut(start) {
                    *byte ^= 1 << random.below(8);
                }
            }
            1 => drop(bytes.drain(start..end)),
            2 => {
                let token = random.pick(TOKENS).map_or(&[][..], |token| token.as_bytes());
                drop(bytes.splice(start..start, token.iter().copied()));
            }
            3 => {
                let token = random.pick(TOKENS).map_or(&[][..], |token| token.as_bytes());
                drop(bytes.splice(start..end, token.iter().copied()));
            }
            4 => {
                let head = random.pick(HEADS).copied().unwrap_or_default();
                drop(bytes.splice(start..end, head.iter().copied()));
            }
            5 => {
                let copied = bytes.get(start..end).unwrap_or_default().repeat(1 + random.below(40));
                drop(bytes.splice(start..start, copied));
            }
            6 => {
                let from = random.below(other.len() + 1);
                let upto = (from + random.below(200)).min(other.len());
                let part = other.get(from..upto).unwrap_or_default().iter().copied();
                drop(bytes.splice(start..end, part));
            }
            _ => bytes.truncate(start),
        }
    }
    bytes
}
