//! Input made to hurt: a finding with a place, in time proportional to the input.

use crdkit_codec::yaml::{self, Documents};
use crdkit_codec::{DecodeOptions, json};
use crdkit_value::Limits;
use std::fmt::Write as _;

fn refused(text: &[u8]) -> (String, usize) {
    let options = DecodeOptions::new().positions(true);
    let issue = yaml::decode(text, &options).unwrap_err();
    (issue.message(), issue.span.unwrap().start)
}

fn too_deep() -> String {
    "arrays and objects nest deeper than the limit of 10000".into()
}

#[test]
fn a_megabyte_of_openings_stops_at_the_depth_limit() {
    assert_eq!(refused(&vec![b'['; 1 << 20]), (too_deep(), 10_000));
    assert_eq!(refused("{a: ".repeat(250_000).as_bytes()), (too_deep(), 40_000));
    assert_eq!(refused("- ".repeat(500_000).as_bytes()), (too_deep(), 20_000));
    let key = "invalid map key: a list or mapping cannot be a key".to_owned();
    assert_eq!(refused("? ".repeat(500_000).as_bytes()), (key, 2));
    assert_eq!(refused("[".repeat(20_000).as_bytes()), (too_deep(), 10_000));
    assert_eq!(refused("[{a: ".repeat(20_000).as_bytes()), (too_deep(), 25_000));
}

#[test]
fn nesting_up_to_the_limit_is_read_written_and_dropped_on_a_small_stack() {
    let work = || {
        let flow = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let block = "- ".repeat(10_000);
        let mut mappings = String::new();
        for depth in 0..1_000 {
            writeln!(mappings, "{:depth$}a:", "").unwrap();
        }
        for text in [flow, block, mappings] {
            let document =
                yaml::decode(text.as_bytes(), &DecodeOptions::default()).unwrap().document;
            let mut out = Vec::new();
            yaml::write(document.root(), &mut out);
            assert!(out.len() < 1 << 20);
            assert_eq!(yaml::decode(&out, &DecodeOptions::default()).unwrap().document, document);
        }
    };
    std::thread::Builder::new().stack_size(128 * 1024).spawn(work).unwrap().join().unwrap();
}

#[test]
fn an_alias_bomb_stops_early() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..=7 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(bomb, "a{level}: &a{level} [{aliases}]").unwrap();
    }
    let (message, at) = refused(bomb.as_bytes());
    assert_eq!(message, "document contains excessive aliasing");
    assert!(at < bomb.len());
    let merges = bomb
        .replace('[', "{<<: [")
        .replace(']', "]}")
        .replace("x, ", "{x: 1}, ")
        .replace("x]", "{x: 1}]");
    assert_eq!(refused(merges.as_bytes()).0, "document contains excessive aliasing");
}

#[test]
fn a_hundred_megabyte_string_is_read() {
    let mut text = vec![b'x'; 100_000_000];
    let document = yaml::decode(&text, &DecodeOptions::default()).unwrap().document;
    assert_eq!(document.root().as_str().map(str::len), Some(text.len()));
    text[0] = b'"';
    assert_eq!(refused(&text), ("found unexpected end of stream".into(), 0));
    text[99] = b'\n';
    assert_eq!(refused(&text), ("found unexpected end of stream".into(), 0));
}

#[test]
fn long_lines_and_many_keys_take_linear_time() {
    let items = "a, ".repeat(300_000);
    let pairs = "a: 1, ".repeat(100_000);
    let lines = "k: é\n".repeat(100_000);
    let distinct: Vec<String> = (0..200_000).map(|number| format!("k{number}: 1\n")).collect();
    let wide = "é, ".repeat(200_000);
    let nested = "[[[[[[[[a]: b]: c]: d]: e]: f]: g]: h]: i, ".repeat(20_000);
    for text in
        [format!("[{items}]"), format!("[{pairs}]"), lines, distinct.concat(), format!("[{wide}]")]
    {
        yaml::decode(text.as_bytes(), &DecodeOptions::default()).unwrap();
    }
    refused(format!("[{nested}]").as_bytes());
    let breaks = format!("a: b{}c\n", "\n".repeat(1 << 20));
    refused(breaks.as_bytes());
    let quoted = format!("\"{}\"", "a \n\n".repeat(1 << 18));
    yaml::decode(quoted.as_bytes(), &DecodeOptions::default()).unwrap();
}

#[test]
fn many_bad_documents_take_linear_time() {
    let options = DecodeOptions::default();
    for bad in ["a: b: c\n---\n", "\u{1}\n---\n", "[\n---\n", "%X\n---\n---\n", "*a\n--- \n"] {
        let text = bad.repeat(50_000);
        let n_refused =
            Documents::from_slice(text.as_bytes(), &options).filter(Result::is_err).count();
        assert!(n_refused >= 1, "{bad}");
    }
    let text = "a: b: c\n---\n".repeat(50_000);
    assert_eq!(
        Documents::from_slice(text.as_bytes(), &options).filter(Result::is_err).count(),
        50_000
    );
}

#[test]
fn a_cut_anywhere_gives_a_document_or_a_finding_inside_the_text() {
    let text = "%YAML 1.1\n---\na: &x [1, 'two', \"th\\u0072ee\"]\nb: {<<: {c: d}, é: *x}\nf: |\n  g\n  h\n? i\n: !!int 5\n";
    for cut in 0..=text.len() {
        let bytes = &text.as_bytes()[..cut];
        let options = DecodeOptions::new().positions(true);
        if let Err(issue) = yaml::decode(bytes, &options) {
            let span = issue.span.unwrap();
            assert!(span.start <= cut && span.end <= cut + 1, "cut at {cut}: {issue:?}");
        }
    }
}

#[test]
fn nul_bytes_and_tabs_are_found_where_they_stand() {
    assert_eq!(refused(b"a: b\0c\n"), ("control characters are not allowed".into(), 4));
    assert_eq!(refused(b"a: 1\n\0"), ("control characters are not allowed".into(), 5));
    assert_eq!(
        refused(&vec![b'\t'; 1 << 20]),
        ("found character that cannot start any token".into(), 0)
    );
    let mut tabs = b"a:\n".to_vec();
    tabs.resize(1 << 20, b'\t');
    assert_eq!(refused(&tabs), ("found character that cannot start any token".into(), 3));
}

#[test]
fn aliases_repeat_a_bounded_amount_of_text() {
    let long = "x".repeat(100_000);
    let aliases = "*a, ".repeat(1000);
    for text in [
        format!("a: &a {long}\nb: [{aliases}]\n"),
        format!("a: &a \"{long}\\n\"\nb: [{aliases}]\n"),
        format!("a: &a {{k: {long}}}\nb: [{aliases}]\n"),
    ] {
        let (problem, _) = refused(text.as_bytes());
        assert_eq!(problem, "aliases repeat more than the limit of 16777216 bytes of text");
    }
    let few = format!("a: &a {long}\nb: [{}]\n", "*a, ".repeat(100));
    yaml::decode(few.as_bytes(), &DecodeOptions::default()).unwrap();
}

#[test]
fn aliases_of_many_documents_together_repeat_a_bounded_amount_of_text() {
    let options = DecodeOptions::new().limits(Limits::new().alias_bytes(10_000));
    let document = |more: &str| format!("a: &a {}\nb: [*a, *a, *a, *a]\n{more}", "x".repeat(1000));
    let n_good = |text: &str| {
        let slice = Documents::from_slice(text.as_bytes(), &options);
        let read = Documents::from_read(text.as_bytes(), &options);
        let [slice, read] = [slice, read].map(|it| it.map(|it| it.is_ok()).collect::<Vec<_>>());
        assert_eq!(slice, read);
        slice.iter().filter(|is_good| **is_good).count()
    };
    // Each repeats four times what it is itself; what is read makes room for more.
    assert_eq!(n_good(&document("---\n").repeat(20)), 3 + 1, "and the empty one at the end");
    let text = "y".repeat(3500);
    assert_eq!(n_good(&document(&format!("c: {text}\n---\n")).repeat(20)), 20 + 1);
}

#[test]
fn the_text_of_deep_documents_is_in_proportion_to_their_size() {
    let wide = format!("[{}1]", "1, ".repeat(10_000));
    let lists = format!("{}{wide}{}", "[".repeat(5_000), "]".repeat(5_000));
    let objects = format!("{}{wide}{}", "{\"a\": ".repeat(5_000), "}".repeat(5_000));
    for text in [lists, objects] {
        let document = json::decode(text.as_bytes(), &DecodeOptions::default()).unwrap().document;
        let pretty = json::text(document.root(), json::Layout::Pretty);
        for text in [pretty, yaml::text(document.root())] {
            assert!(text.len() < 4_000_000, "{}", text.len());
            let again = yaml::decode(text.as_bytes(), &DecodeOptions::default()).unwrap();
            assert_eq!(again.document, document);
        }
    }
}

#[test]
fn many_directives_take_linear_time() {
    let directives: Vec<_> = (0..50_000).map(|n| format!("%TAG !t{n}! tag:x,{n}:\n")).collect();
    let directives = directives.concat();
    let text = format!("{directives}---\na: !t49999!b c\n");
    yaml::decode(text.as_bytes(), &DecodeOptions::default()).unwrap();
    let long = format!("%TAG !t! {}\n---\n[{}]\n", "x".repeat(100_000), "!t!a 1, ".repeat(100_000));
    yaml::decode(long.as_bytes(), &DecodeOptions::default()).unwrap();
}

#[test]
fn directives_right_after_a_document_belong_to_the_next_one_for_a_slice_and_for_a_reader() {
    let options = DecodeOptions::default();
    let cases = [
        ("e:\n%YAML 1.1\n---", "yy"),
        ("e: 1 # c\n\n# more\n%YAML 1.1\n%TAG !t! tag:x,1:\n---\nb: !t!c 2\n---\n- 3\n", "yyy"),
        ("e: 1\n%YAML 7.7\n---\nb: 1\n---\nc: 1\n", "yny"),
        ("a\n%YAML 1.1\n---\nb\n", "yy"),
        ("e: |\n  a\n%WHAT\n---\nb: 1\n", "ny"),
        ("e: [\n%YAML 1.1\n---\nb: 1\n", "ny"),
    ];
    for (text, expected) in cases {
        let bytes = text.as_bytes();
        let show = |it: Result<_, _>| if it.is_ok() { 'y' } else { 'n' };
        let whole: String = Documents::from_slice(bytes, &options).map(show).collect();
        let parts: String = Documents::from_read(bytes, &options).map(show).collect();
        assert_eq!((&*whole, &*parts), (expected, expected), "{text:?}");
    }
}

#[test]
fn a_marker_before_a_nul_is_none_for_a_slice_and_for_a_reader() {
    let options = DecodeOptions::default();
    for text in ["- a\n---\nb\n---\0c\n---\nd\n", "a\n...\0b\n---\nd\n", "---\0"] {
        let bytes = text.as_bytes();
        let whole: Vec<_> = Documents::from_slice(bytes, &options).map(|it| it.is_ok()).collect();
        let parts: Vec<_> = Documents::from_read(bytes, &options).map(|it| it.is_ok()).collect();
        assert_eq!(whole, parts, "{text:?}");
    }
}
