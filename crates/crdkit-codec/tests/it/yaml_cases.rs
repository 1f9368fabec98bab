//! YAML text, what it means, and what is wrong with it. The tables are Markdown files in `resources/yaml`: a `yaml`
//! block is followed by a `json` block, and a `duplicates` block if keys repeat, or by an `error` block.

use crdkit_codec::yaml::{self, Documents};
use crdkit_codec::{DecodeError, DecodeOptions, json};
use crdkit_issue::{Issue, LineIndex, Span};
use crdkit_value::{Document, Duplicates, Limits, NumberMode};
use std::fmt::Write as _;

/// One fenced block of a table.
struct Block<'t> {
    line: usize,
    info: &'t str,
    text: String,
}

fn blocks(table: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut inside = false;
    for (number, line) in table.lines().enumerate() {
        match (line.strip_prefix("```"), inside, blocks.last_mut()) {
            (Some(info), false, _) => {
                blocks.push(Block { line: number + 1, info, text: String::new() });
                inside = true;
            }
            (Some(_), true, _) => inside = false,
            (None, true, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            _ => {}
        }
    }
    blocks
}

/// The bytes of a `yaml` block. `unterminated` takes the last line break off; `escaped` does so with all of them and
/// decodes `\n`, `\\` and `\xNN`.
fn source(block: &Block<'_>) -> Option<Vec<u8>> {
    let text = &block.text;
    match block.info {
        "yaml" => Some(text.clone().into_bytes()),
        "yaml unterminated" => text.strip_suffix('\n').map(|text| text.as_bytes().to_vec()),
        "yaml escaped" => {
            let mut bytes = Vec::new();
            let mut rest = text.replace('\n', "");
            while let Some((before, after)) = rest.split_once('\\') {
                bytes.extend_from_slice(before.as_bytes());
                let (byte, length) = match after.as_bytes() {
                    [b'x', ..] => (u8::from_str_radix(after.get(1..3)?, 16).ok()?, 3),
                    [b'n', ..] => (b'\n', 1),
                    _ => (b'\\', 1),
                };
                bytes.push(byte);
                rest = after.get(length..)?.to_owned();
            }
            bytes.extend_from_slice(rest.as_bytes());
            Some(bytes)
        }
        _ => None,
    }
}

/// What reading gives, in the blocks of a table.
fn outcome(text: &[u8]) -> Vec<(&'static str, String)> {
    let options = DecodeOptions::new().positions(true);
    let index = LineIndex::new(text);
    let at = |span: Option<Span>| {
        let position = index.position(text, span.unwrap().start);
        format!("{}:{}", position.line, position.column)
    };
    match yaml::decode(text, &options) {
        Ok(decoded) => {
            let mut blocks = vec![("json", format!("{:?}", decoded.document))];
            let mut duplicates = String::new();
            for issue in &decoded.issues {
                let first = issue.related.first().map(|first| first.span);
                writeln!(duplicates, "{} {} first at {}", at(issue.span), issue.path, at(first))
                    .unwrap();
            }
            if !duplicates.is_empty() {
                blocks.push(("duplicates", duplicates));
            }
            blocks
        }
        Err(issue) => vec![("error", format!("{} {}\n", at(issue.span), issue.message()))],
    }
}

fn check_table(name: &str, table: &str) {
    let blocks = blocks(table);
    let mut wrong = String::new();
    let mut n_cases = 0;
    for (number, block) in blocks.iter().enumerate() {
        let Some(text) = source(block) else { continue };
        n_cases += 1;
        let expected: Vec<(&str, String)> = blocks
            .iter()
            .skip(number + 1)
            .take_while(|block| source(block).is_none())
            .map(|block| match block.info {
                "json" => {
                    let json = json::decode(block.text.as_bytes(), &DecodeOptions::default());
                    ("json", format!("{:?}", json.unwrap().document))
                }
                info => (info, block.text.clone()),
            })
            .collect();
        let found = outcome(&text);
        if found != expected {
            writeln!(wrong, "{name}:{}\n  expected {expected:?}\n  found    {found:?}", block.line)
                .unwrap();
        }
    }
    assert!(n_cases > 20, "{name} has only {n_cases} cases");
    assert!(wrong.is_empty(), "{wrong}");
}

macro_rules! tables {
    ($($test:ident: $file:literal;)+) => {$(
        #[test]
        fn $test() {
            check_table($file, include_str!(concat!("../../resources/yaml/", $file)));
        }
    )+};
}

tables! {
    scalars_are_resolved_as_kubernetes_resolves_them: "scalars.md";
    keys_become_strings: "keys.md";
    strings_are_folded_and_unescaped: "strings.md";
    collections_and_documents_have_the_structure_of_yaml: "structure.md";
    anchors_and_merges_apply_in_document_order: "anchors.md";
    encodings_and_line_breaks_are_those_of_yaml: "encoding.md";
}

fn decode(text: &str) -> Document {
    yaml::decode(text.as_bytes(), &DecodeOptions::default()).unwrap().document
}

fn refused(text: &str) -> Box<Issue> {
    yaml::decode(text.as_bytes(), &DecodeOptions::default()).unwrap_err()
}

#[test]
fn numbers_as_text_are_the_text_kubernetes_converts_them_to() {
    let options = DecodeOptions::new().numbers(NumberMode::Text);
    let text = b"[0x1F, 1_000, 18446744073709551615, 1.50, 1e3, 1e21, 1e-7, 0.000001, -0.0]";
    let document = yaml::decode(text, &options).unwrap().document;
    assert_eq!(
        format!("{document:?}"),
        "[31, 1000, 18446744073709551615, 1.5, 1000, 1e+21, 1e-7, 0.000001, -0]"
    );
}

#[test]
fn the_message_of_the_server_has_its_line_numbers() {
    let server = |text| {
        let issue = refused(text);
        let found = issue.args.iter().find(|(name, _)| *name == "server");
        found.map(|(_, text)| text.to_string()).unwrap_or_default()
    };
    assert_eq!(
        server("a\n b\n  c: x\n"),
        "yaml: line 3: mapping values are not allowed in this context"
    );
    assert_eq!(server("a: b: c"), "yaml: mapping values are not allowed in this context");
    assert_eq!(server("a: 1\nb\n"), "yaml: line 3: could not find expected ':'");
    assert_eq!(server("a:\n  - b\n - c\n"), "yaml: line 2: did not find expected key");
    assert_eq!(server("a: [1"), "yaml: line 1: did not find expected ',' or ']'");
    assert_eq!(server("a: *b"), "yaml: unknown anchor 'b' referenced");
}

#[test]
fn the_last_or_the_first_of_equal_keys_stays() {
    let text = b"- &m {a: 3}\n- {a: 1, b: 0, a: 2}\n- {a: 1, <<: *m}\n";
    let with = |duplicates| {
        let options = DecodeOptions::new().duplicates(duplicates);
        let decoded = yaml::decode(text, &options).unwrap();
        assert_eq!(decoded.issues, []);
        format!("{:?}", decoded.document)
    };
    assert_eq!(with(Duplicates::LastWins), r#"[{"a": 3}, {"b": 0, "a": 2}, {"a": 3}]"#);
    assert_eq!(with(Duplicates::FirstWins), r#"[{"a": 3}, {"a": 1, "b": 0}, {"a": 1}]"#);
}

#[test]
fn keys_of_two_types_are_no_duplicates_with_or_without_positions() {
    for positions in [true, false] {
        let options = DecodeOptions::new().positions(positions);
        let issues = |text: &[u8]| yaml::decode(text, &options).unwrap().issues.len();
        assert_eq!(issues(b"{1: a, '1': b}"), 0);
        assert_eq!(issues(b"{1: a, '1': b, c: 1, c: 2}"), 1);
        assert_eq!(issues(b"{yes: a, true: b}"), 1);
        assert_eq!(
            issues(b"%TAG !y! tag:yaml.org,2002:\n---\n{1: !y!int '2', '1': b, c: 1, c: 2}"),
            1
        );
    }
}

#[test]
fn all_documents_are_read_whatever_is_wrong_with_one() {
    let all = |text: &str| -> Vec<String> {
        let options = DecodeOptions::default();
        Documents::from_slice(text.as_bytes(), &options)
            .map(|outcome| match outcome {
                Ok(decoded) => format!("{:?}", decoded.document),
                Err(DecodeError::Refused(issue)) => {
                    format!("{} @ {}", issue.message(), issue.span.unwrap().start)
                }
                Err(DecodeError::Io(error)) => panic!("{error}"),
            })
            .collect()
    };
    assert_eq!(all(""), [""; 0]);
    assert_eq!(all("# nothing\n"), [""; 0]);
    assert_eq!(
        all("a: 1\n---\nb: 2\n...\n---\nc: 3\n"),
        [r#"{"a": 1}"#, r#"{"b": 2}"#, r#"{"c": 3}"#]
    );
    assert_eq!(all("---\n---\n"), ["null", "null"]);
    assert_eq!(
        all("a: b: c\n---\nx: 1\n---\n\"open\n---\nz: 2\n"),
        [
            "mapping values are not allowed in this context @ 4",
            r#"{"x": 1}"#,
            "found unexpected document indicator @ 21",
            r#"{"z": 2}"#,
        ]
    );
    assert_eq!(
        all("[1,\n---\na: *x\n---\n- !!int x\n--- ok\n"),
        [
            "did not find expected node content @ 4",
            "unknown anchor 'x' referenced @ 11",
            "cannot decode !!str `x` as a !!int @ 26",
            "\"ok\"",
        ]
    );
    assert_eq!(
        all("%YAML 1.2\n---\na: 1\n---\nb: 2\n"),
        ["found incompatible YAML document @ 0", r#"{"b": 2}"#]
    );
    assert_eq!(all("%FOO bar\n---\na\n---\nb\n"), ["found unknown directive name @ 4", "\"b\""]);
    assert_eq!(all("a\n---\u{85}\u{1}\n"), ["\"a\"", "control characters are not allowed @ 7"]);
    assert_eq!(all("|%x\n---\na\n"), ["did not find expected comment or line break @ 1", "\"a\""]);
    assert_eq!(
        all("'a' b\n---\nc\n"),
        ["\"a\"", "did not find expected <document start> @ 4", "\"c\""]
    );
    assert_eq!(
        all("a: \u{1}\n---\nb: 2\n---\nc: \u{2}\n"),
        [
            "control characters are not allowed @ 3",
            r#"{"b": 2}"#,
            "control characters are not allowed @ 21",
        ]
    );
}

/// Gives one byte at a time.
struct Drip<'t>(&'t [u8]);

impl std::io::Read for Drip<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let length = out.len().min(1);
        let first = out.get_mut(..length).unwrap_or_default();
        std::io::Read::read(&mut self.0, first)
    }
}

#[test]
fn a_reader_gives_the_documents_of_the_slice_with_their_places() {
    let options = DecodeOptions::new().positions(true);
    let text = "# first\n%TAG !y! tag:yaml.org,2002:\n---\na: !y!int '1'\n...\n# second\n%YAML 1.1\n---\nb: [\n---\n- c\n---x: 1\n--- d\n";
    let show = |outcome: Result<crdkit_codec::Decoded, DecodeError>| match outcome {
        Ok(decoded) => {
            let place = decoded.document.place(crdkit_value::NodeId::ROOT).unwrap();
            format!("{:?} @ {}..{}", decoded.document, place.value.start, place.value.end)
        }
        Err(DecodeError::Refused(issue)) => {
            format!("{} @ {}", issue.code, issue.span.unwrap().start)
        }
        Err(DecodeError::Io(error)) => panic!("{error}"),
    };
    let expected: Vec<String> =
        Documents::from_slice(text.as_bytes(), &options).map(show).collect();
    assert_eq!(
        expected,
        [r#"{"a": 1} @ 40..53"#, "yaml-syntax @ 86", "yaml-syntax @ 94", r#""d" @ 106..107"#,]
    );
    let dripping: Vec<String> =
        Documents::from_read(Drip(text.as_bytes()), &options).map(show).collect();
    assert_eq!(dripping, expected);
    let endless = std::io::Read::chain(&b"a: "[..], std::io::repeat(b'x'));
    let small = options.limits(Limits::new().bytes(1 << 20));
    let refused: Vec<String> = Documents::from_read(endless, &small).map(show).collect();
    assert_eq!(refused, ["input-too-large @ 1048576"]);
}

#[test]
fn documents_of_utf_16_are_read_too() {
    let text: Vec<u8> =
        "\u{feff}a: 1\n---\nb: é\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let options = DecodeOptions::default();
    let documents: Vec<String> = Documents::from_slice(&text, &options)
        .map(|outcome| format!("{:?}", outcome.unwrap().document))
        .collect();
    assert_eq!(documents, [r#"{"a": 1}"#, r#"{"b": "é"}"#]);
}

#[test]
fn positions_cover_keys_and_values() {
    let text =
        "# x\na: &anchor\n  - 1\n  - {b: \"x\\ny\"}\nc: !!str d e\n\nf: |\n  g\n\nh: *anchor\ni:\n";
    let options = DecodeOptions::new().positions(true);
    for (text, offset) in [(text.to_owned(), 0), (format!("\u{feff}{text}"), 3)] {
        let document = yaml::decode(text.as_bytes(), &options).unwrap().document;
        let place =
            |pointer| document.place(document.root().pointer(pointer).unwrap().id()).unwrap();
        let source = |span: Span| &text[span.start..span.end];
        assert_eq!(place("").value.start, 4 + offset);
        assert_eq!(source(place("").value), text[4 + offset..].trim_end());
        assert_eq!(source(place("/a").value), "- 1\n  - {b: \"x\\ny\"}");
        assert_eq!(source(place("/a").key.unwrap()), "a");
        assert_eq!(place("/a/0").key, None);
        assert_eq!(source(place("/a/0").value), "1");
        assert_eq!(source(place("/a/1").value), "{b: \"x\\ny\"}");
        assert_eq!(source(place("/a/1/b").value), "\"x\\ny\"");
        assert_eq!(source(place("/c").value), "d e");
        assert_eq!(source(place("/f").value), "|\n  g\n\n");
        // What an alias stands for is where its anchor is; the key is where the alias is.
        assert_eq!(place("/h").value, place("/a").value);
        assert_eq!(source(place("/h").key.unwrap()), "h");
        assert_eq!(source(place("/i").value), "");
    }
}

#[test]
fn limits_are_findings_with_a_place() {
    let run = |text: &str, change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        let options = DecodeOptions::new().limits(limits);
        let issue = yaml::decode(text.as_bytes(), &options).unwrap_err();
        format!("{} @ {}", issue.code, issue.span.unwrap().start)
    };
    assert_eq!(run("[[1]]", |limits| limits.depth = 1), "nesting-too-deep @ 1");
    assert_eq!(run("a:\n- 1\n", |limits| limits.depth = 1), "nesting-too-deep @ 3");
    assert_eq!(run("[1,2,3]", |limits| limits.nodes = 3), "too-many-values @ 5");
    assert_eq!(run("a: &a [1, 2]\nb: *a\n", |limits| limits.nodes = 5), "too-many-values @ 7");
    assert_eq!(run("[1,2,3]", |limits| limits.bytes = 6), "input-too-large @ 6");
}

#[test]
fn writing_uses_the_block_style() {
    let text = "\
a:
- 1
- - 2
  - x: 3
    z: []
  - - 4
- {}
b:
  c: |
    two
    lines
  d: |2-
     indented
    end
  e: |+
    kept

f: \"yes\"
\"1\": null
'a: b': '#c'
g: -x
h: it's
i: 1.5
j: \"2001-01-01\"
k: \"a\\tb \\U0001F600\"
\"\": \"\"
\"<<\": \"12:30\"
";
    let mut out = Vec::new();
    yaml::write(decode(text).root(), &mut out);
    assert_eq!(String::from_utf8(out).unwrap(), text);
}

#[test]
fn long_text_is_written_over_several_lines() {
    let words = "word ".repeat(30);
    let text = format!("a: '{words}'\nb:\n- {}\n- \"\\t{words}\"\n", words.trim_end());
    let document = decode(&text);
    let mut out = Vec::new();
    yaml::write(document.root(), &mut out);
    let written = String::from_utf8(out).unwrap();
    assert!(written.lines().all(|line| line.len() <= 85), "{written}");
    assert_eq!(decode(&written), document);
    let key = "k".repeat(2_000);
    let document = decode(&format!("? {key}\n: {{a: 1}}\n"));
    let mut out = Vec::new();
    yaml::write(document.root(), &mut out);
    assert_eq!(decode(std::str::from_utf8(&out).unwrap()), document);
}
