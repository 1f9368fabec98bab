//! The Go dialect: what is accepted, what is said about the rest, what is matched, and that nothing takes long.

use crdkit_text::regex::Regex;

#[test]
fn refused_patterns_get_gos_words() {
    for (pattern, message) in [
        ("a(b", "missing closing ): `a(b`"),
        ("a)b", "unexpected ): `a)b`"),
        ("(?i)(?s", "invalid or unsupported Perl syntax: `(?s`"),
        ("[a", "missing closing ]: `[a`"),
        ("x[a-", "missing closing ]: `[a-`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        (r"[a-\d]", r"invalid escape sequence: `\d`"),
        (r"\p{Klingon}", r"invalid character class range: `\p{Klingon}`"),
        (r"\pX", r"invalid character class range: `\pX`"),
        (r"\p", r"invalid character class range: `\p`"),
        (r"a\", "trailing backslash at end of expression: ``"),
        (r"\8", r"invalid escape sequence: `\8`"),
        (r"\1", r"invalid escape sequence: `\1`"),
        (r"\Z", r"invalid escape sequence: `\Z`"),
        (r"\C", r"invalid escape sequence: `\C`"),
        (r"\u0041", r"invalid escape sequence: `\u`"),
        (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
        (r"\x4", r"invalid escape sequence: `\x4`"),
        ("*a", "missing argument to repetition operator: `*`"),
        ("(|*)", "missing argument to repetition operator: `*`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a+?*", "invalid nested repetition operator: `+?*`"),
        ("a{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("a{2,1}", "invalid repeat count: `{2,1}`"),
        ("(a{1000}){1000}", "invalid repeat count: `{1000}`"),
        ("a{99999999999}", "invalid repeat count: `{99999999999}`"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?<!a)", "invalid named capture: `(?<!a)`"),
        ("(?x)", "invalid or unsupported Perl syntax: `(?x`"),
        ("(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"),
        ("(?P=n)", "invalid or unsupported Perl syntax: `(?P`"),
        ("(?P<n>a", "missing closing ): `(?P<n>a`"),
        ("(?P<a-b>x)", "invalid named capture: `(?P<a-b>`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
    ] {
        let error = Regex::new(pattern).expect_err(pattern).to_string();
        assert_eq!(error, format!("error parsing regexp: {message}"));
    }
}

#[test]
fn patterns_mean_what_they_mean_in_go() {
    // The pattern, texts it is found in, texts it is not found in.
    for (pattern, found, missing) in [
        (r"^\d+$", &["0", "42"][..], &["", "\u{664}", "1a"][..]),
        (r"^\w$", &["a", "_"], &["\u{e9}"]),
        (r"^\s$", &[" ", "\u{c}"], &["\u{b}", "\u{a0}"]),
        (r"\bfoo\b", &["a foo b", "\u{e9}foo\u{e9}"], &["afoo"]),
        ("^.$", &["a", "\u{65e5}"], &["\n", ""]),
        ("(?s)^.$", &["\n"], &[]),
        ("(?m)^b$", &["a\nb\nc"], &["a b"]),
        ("a$", &["a"], &["a\n"]),
        (r"\Aa\z", &["a"], &["a\n", "ba"]),
        ("a{,2}", &["a{,2}"], &["aa"]),
        ("a{2", &["a{2"], &["aa"]),
        ("a{02}", &["a{02}"], &["aa"]),
        ("{", &["{"], &[""]),
        (r"^\Qa.b\E+$", &["a.b", "a.bb"], &["axb"]),
        (r"\Q(", &["("], &["a"]),
        (r"^\101\x41\x{41}$", &["AAA"], &[]),
        ("^[]a]$", &["]", "a"], &["b"]),
        ("^[^]a]$", &["b"], &["]", "a"]),
        ("^[a&&b]$", &["&", "a"], &["&&"]),
        ("^[-_[A]$", &["[", "-"], &["]"]),
        (r"^[\d-z]$", &["5", "-", "z"], &["a"]),
        ("^[[:alpha:][:^ascii:]]$", &["x", "\u{e9}"], &["1"]),
        ("(?i)^k$", &["k", "K", "\u{212a}"], &["c"]),
        ("(?i)^[^k]$", &["c"], &["K", "\u{212a}"]),
        (r"^\p{Greek}\P{Greek}$", &["\u{3b1}a"], &["aa"]),
        (r"^\p{^Lu}$", &["a"], &["A"]),
        (r"(?i)^\p{Lu}$", &["a", "A"], &["1"]),
        ("^(?i)a(?-i)b$", &["Ab"], &["AB"]),
        (r"^[^\x00-\x{10FFFF}]$", &[], &["a", ""]),
        ("(?)a", &["a"], &[]),
    ] {
        let regex = Regex::new(pattern).expect(pattern);
        for text in found {
            assert!(regex.is_match(text), "{pattern} in {text:?}");
        }
        for text in missing {
            assert!(!regex.is_match(text), "{pattern} in {text:?}");
        }
    }
}

#[test]
fn matches_are_leftmost_and_perl_like() {
    for (pattern, text, matches) in [
        ("a*", "baaac", &[0..0, 1..4, 5..5][..]),
        ("a|ab", "abab", &[0..1, 2..3]),
        ("(?U)a+", "aaa", &[0..1, 1..2, 2..3]),
        ("", "\u{e9}x", &[0..0, 2..2, 3..3]),
        (r"\B", "a--", &[2..2, 3..3]),
    ] {
        let regex = Regex::new(pattern).unwrap();
        assert_eq!(regex.find_all(text).collect::<Vec<_>>(), matches, "{pattern}");
        assert_eq!(regex.find(text).as_ref(), matches.first());
    }
}

#[test]
fn groups_have_numbers_and_names() {
    let regex = Regex::new(r"(?P<year>\d+)-(\d+)(?<day>-\d+)?(?P<day>x){0}").unwrap();
    assert_eq!(
        regex.group_names().collect::<Vec<_>>(),
        [Some("year"), None, Some("day"), Some("day")]
    );
    assert_eq!(
        regex.captures("in 2024-05."),
        Some(vec![Some(3..10), Some(3..7), Some(8..10), None, None])
    );
    assert_eq!(regex.captures_all("1-2 3-4-5").count(), 2);
    assert_eq!(regex.captures("none"), None);
    assert_eq!(regex.clone().as_str(), regex.as_str());
}

#[test]
fn hostile_patterns_are_refused_and_not_followed() {
    for (pattern, reason) in [
        ("a".repeat(10 << 20), "expression too large"),
        (".".repeat(1 << 20), "expression too large"),
        (r"\pL".repeat(300_000), "expression too large"),
        (format!("[{}]", r"\pL".repeat(300_000)), "expression too large"),
        (format!("(?i){}", r"[A-\x{1E942}]".repeat(70_000)), "expression too large"),
        ("a{1000}".repeat(100_000), "expression too large"),
        (format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000)), "expression nests too deeply"),
        (format!("{}a{}", "(?:".repeat(1001), ")*".repeat(1001)), "expression nests too deeply"),
        (format!("{}{}", "(?:.".repeat(150_000), ")".repeat(150_000)), "expression too large"),
        ("(".repeat(100_000), "missing closing )"),
        ("((a{100}){100}){100}".to_owned(), "invalid repeat count"),
    ] {
        let error = Regex::new(&pattern).expect_err(reason).to_string();
        assert!(
            error.starts_with(&format!("error parsing regexp: {reason}: ")),
            "{}",
            error.get(..80).unwrap_or(&error)
        );
    }
}

#[test]
fn patterns_at_the_limits_are_accepted() {
    for pattern in [
        format!("{}a{}", "(".repeat(999), ")".repeat(999)),
        format!("{}a{}", "(?:".repeat(5000), ")".repeat(5000)),
        "(a{31}){32}".to_owned(),
        "a{1000}".to_owned(),
        r"[\pL\d]{253}".to_owned(),
        "a|".repeat(10_000),
    ] {
        assert!(Regex::new(&pattern).is_ok(), "{}", pattern.get(..40).unwrap_or(&pattern));
    }
}

#[test]
fn an_automaton_that_was_put_off_can_be_built() {
    for class in [
        ".",
        "[^a]",
        r"[\x00-\x{10FFFF}]",
        r"\pL",
        r"(?i:\pL)",
        "(?i:k)",
        "\u{1f600}",
        "(a)",
        "(?:a|bc)?",
    ] {
        let pattern = |copies: usize| format!("x|{}", format!("{class}{{500}}").repeat(copies));
        // Whether it was built at once or put off, a pattern that is accepted matches.
        for regex in
            [1, 2, 5, 10, 30, 100].into_iter().map_while(|copies| Regex::new(&pattern(copies)).ok())
        {
            assert!(regex.is_match("x"), "{class}");
        }
    }
}

#[test]
fn patterns_that_explode_elsewhere_match_in_linear_time() {
    let text = "a".repeat(100_000) + "!";
    for pattern in ["(a+)+$", "(a|aa)+$", "(a*)*b", "(.*)(.*)(.*)(.*)x"] {
        assert!(!Regex::new(pattern).unwrap().is_match(&text), "{pattern}");
    }
}
