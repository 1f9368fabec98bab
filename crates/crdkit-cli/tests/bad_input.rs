//! Input that is not what it should be: encodings, nesting, sizes, files that were cut off. There is a finding with its
//! place, the exit code says so, and what else is in the file is judged.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const LAMP: &str = "apiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata: {name: desk}\n";
const JSON: &str = r#"{"apiVersion":"lighting.example.com/v1","kind":"Lamp","metadata":{"name":"desk"},"spec":{"watts":1000}}"#;

fn path(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad-input");
    fs::create_dir_all(&directory).unwrap();
    directory.join(name)
}

/// Validates `bytes` as a file called `name`; gives the exit code and what was printed.
fn validate(name: &str, bytes: &[u8]) -> (i32, String) {
    let path = path(name);
    fs::write(&path, bytes).unwrap();
    let crds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/chart/crds");
    let output = Command::new(env!("CARGO_BIN_EXE_crdkit"))
        .current_dir(path.parent().unwrap())
        .args(["validate", "-o", "text", "--crds"])
        .args([&crds, Path::new(name)])
        .output()
        .unwrap();
    fs::remove_file(&path).unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

/// `expected` are the beginnings of the lines about the file, all of them, without its name.
#[track_caller]
fn check(name: &str, bytes: impl AsRef<[u8]>, code: i32, expected: &[&str]) {
    let (found, text) = validate(name, bytes.as_ref());
    assert_eq!(found, code, "{text}");
    let lines: Vec<_> = text.lines().filter_map(|line| line.strip_prefix(name)).collect();
    assert_eq!(lines.len(), expected.len(), "{text}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "`{expected}` is not how this begins:\n{line}");
    }
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(unit).collect()
}

#[test]
fn text_in_other_encodings_has_places_of_its_own() {
    let bright = format!("{LAMP}spec: {{watts: 1000}}\n");
    let expected = [":4:15: error[maximum]"];
    check("bom.yaml", format!("\u{FEFF}{bright}"), 1, &expected);
    check("little.yaml", utf16(&bright, u16::to_le_bytes), 1, &expected);
    check("big.yaml", utf16(&bright, u16::to_be_bytes), 1, &expected);
    let mut odd = utf16(&bright, u16::to_le_bytes);
    odd.pop();
    check("odd.yaml", odd, 1, &[":4:20: error[yaml-syntax]: invalid leading UTF-8 octet"]);
    check("bom.json", format!("\u{FEFF}{JSON}"), 1, &[":1:99: error[maximum]"]);
    let wide = [":1:1: error[json-syntax]: found UTF-16", ":1:3: error[not-read]"];
    check("utf16.json", utf16(JSON, u16::to_le_bytes), 1, &wide);
}

#[test]
fn bytes_that_are_no_text_are_found_where_they_are() {
    let bad = |byte: &[u8]| [LAMP.as_bytes(), b"spec: {a: '", byte, b"'}\n"].concat();
    check(
        "utf8.yaml",
        bad(b"\xff"),
        1,
        &[":4:12: error[yaml-syntax]: invalid leading UTF-8 octet"],
    );
    check("nul.yaml", bad(b"\0"), 1, &[":4:12: error[yaml-syntax]: control characters"]);
    // The server reads it, so that this alone is not an error; that something else is stored is told.
    let text = JSON.replace("1000", "10,\"color\":\"?\"").into_bytes();
    let bytes: Vec<u8> = text.into_iter().map(|it| if it == b'?' { 0xFF } else { it }).collect();
    check(
        "utf8.json",
        bytes,
        1,
        &[
            ":1:110: warning[invalid-utf8]: these bytes are not UTF-8 and are read as U+FFFD",
            ":1:101: error[unknown-field]",
        ],
    );
    let bytes = JSON.replace("desk", "\0").into_bytes();
    check("nul.json", bytes, 1, &[":1:75: error[json-syntax]: control characters"]);
    let after = [
        ":1:98: error[maximum]",
        ":1:104: error[json-syntax]: expected a JSON value, found byte 0x00",
    ];
    check("padded.json", format!("{JSON}\0\0"), 1, &after);
}

#[test]
fn a_file_that_was_cut_off_is_no_success() {
    let cut = &JSON[..60];
    check("cut.json", cut, 1, &[":1:61: error[truncated]"]);
    check(
        "cut.ndjson",
        format!("{JSON}\n{cut}"),
        1,
        &[":1:98: error[maximum]", ":2:61: error[truncated]"],
    );
    check("flow.yaml", cut, 1, &[":1:55: error[yaml-syntax]"]);
    check("quote.yaml", format!("{LAMP}spec: {{a: 'b"), 1, &[":4:11: error[yaml-syntax]"]);
    let cbor = b"\xd9\xd9\xf7\xa2\x4aapiVersion\x57lighting.example.com/v1\x44ki";
    check("cut.cbor", cbor, 1, &[": byte 42: error[cbor-truncated]"]);
    check("cut.cborseq", cbor, 1, &[": byte 42: error[cbor-truncated]"]);
    check("empty.cbor", "", 1, &[": byte 0: error[cbor-empty-input]"]);
    for name in ["empty.yaml", "empty.json", "empty.ndjson", "empty.cborseq"] {
        check(name, "", 3, &[]);
    }
}

#[test]
fn what_is_after_broken_cbor_is_told() {
    let object = b"\xd9\xd9\xf7\xa2\x4aapiVersion\x57lighting.example.com/v1\x44kind\x44Lamp";
    let bytes = [object, b"\x1c".as_slice(), object].concat();
    check(
        "broken.cborseq",
        bytes,
        1,
        &[
            ": byte 3: error[name-required]",
            ": byte 49: error[cbor-reserved-argument]",
            ": byte 50: error[not-read]",
        ],
    );
    let bytes = [b"{\"a\":}".as_slice(), object].concat();
    check("mixed", bytes, 1, &[": byte 5: error[json-syntax]", ": byte 6: error[not-read]"]);
}

#[test]
fn ten_thousand_levels_are_a_finding() {
    const DEPTH: usize = 10_050;
    let (open, close) = ("[".repeat(DEPTH), "]".repeat(DEPTH));
    let json = format!("{{\"kind\":\"Lamp\",\"spec\":{open}{close}}}\n{JSON}");
    check("deep.json", json, 1, &[":1:10022: error[nesting-too-deep]", ":2:98: error[maximum]"]);
    let flow = format!("{LAMP}spec: {open}{close}\n---\n{LAMP}");
    check("flow.yaml", flow, 1, &[":4:10007: error[nesting-too-deep]"]);
    let mut block = format!("{LAMP}spec:\n");
    for level in 1..DEPTH {
        writeln!(block, "{:level$}a:", "").unwrap();
    }
    check("block.yaml", block, 1, &[":10004:10002: error[nesting-too-deep]"]);
    let dashes = format!("{LAMP}spec:\n{}a\n", "- ".repeat(DEPTH));
    check("dashes.yaml", dashes, 1, &[":5:19999: error[nesting-too-deep]: spec[0][0]"]);
    let cbor = [b"\xa1\x44spec".as_slice(), &[0x81; DEPTH], b"\x00"].concat();
    check("deep.cbor", cbor, 1, &[": byte 10005: error[cbor-nesting-too-deep]: spec[0][0]"]);
}

#[test]
fn repeated_keys_at_every_level_are_told_also_in_a_list_that_is_read_in_parts() {
    let item = |name: &str, more: &str| {
        let padding = "x".repeat(1 << 20);
        format!(
            "{{\"apiVersion\":\"lighting.example.com/v1\",\"kind\":\"Lamp\",\"metadata\":{{\"name\":\"{name}\",\
             \"annotations\":{{\"a\":\"{padding}\"}}}},\"spec\":{{\"watts\":7{more}}}}}"
        )
    };
    let mut items: Vec<_> = (0..10).map(|n| item(&format!("lamp-{n}"), "")).collect();
    items.push(item("last", ",\"watts\":8"));
    items.push(r#"{"apiVersion":"v1","kind":"List","items":[]}"#.to_owned());
    let items = items.join(",\n");
    let list = |head: &str| {
        format!("{{\"apiVersion\":\"v1\",{head}\"kind\":\"List\",\"items\":[\n{items}]}}")
    };
    // An annotation of that size is refused, which goes with each of them and is of no interest here.
    let places = |text: &str| -> Vec<String> {
        let lines =
            text.lines().filter(|line| line.contains("error[") && !line.contains("annotations"));
        lines.map(|line| line.split(": ").take(2).collect::<Vec<_>>().join(": ")).collect()
    };
    let inside =
        ["list.json:12:1048699: error[duplicate-key]", "list.json:13:27: error[nested-list]"];
    let (code, text) = validate("list.json", list("").as_bytes());
    assert_eq!((code, places(&text)), (1, inside.map(str::to_owned).to_vec()), "{text}");
    let (code, text) = validate("list.json", list("\"kind\":\"List\",").as_bytes());
    assert_eq!((code, places(&text).len()), (1, 3), "{text}");
    assert_eq!(places(&text)[0], "list.json:1:34: error[duplicate-key]");
    assert_eq!(places(&text)[1..], inside);
}

#[test]
fn a_large_object_is_judged() {
    let text = JSON.replace("desk", &"d".repeat(20 << 20));
    check("large.json", &text, 1, &[":1:74: error[invalid-name]", ":1:20971614: error[maximum]"]);
    let text = format!("{LAMP}spec:\n  watts: 1000\n  note: {}\n", "words ".repeat(3 << 20));
    check("large.yaml", &text, 1, &[":5:10: error[maximum]", ":6:3: error[unknown-field]"]);
}

#[test]
fn nothing_acts_on_text_that_comes_from_input() {
    let odd = format!("{LAMP}spec: {{watts: 1, \"a\\n::error file=x::oh\\e[31m\": 1}}\n");
    let crds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/chart/crds");
    fs::write(path("odd.yaml"), odd).unwrap();
    for format in ["text", "pretty", "github", "tap", "markdown", "junit"] {
        let output = Command::new(env!("CARGO_BIN_EXE_crdkit"))
            .current_dir(path("odd.yaml").parent().unwrap())
            .args(["validate", "-o", format, "--crds"])
            .args([&crds, Path::new("odd.yaml")])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("oh"), "{format}: {text}");
        let is_command = |line: &&str| line.trim_start().starts_with("::");
        let commands: Vec<_> = text.lines().filter(is_command).collect();
        assert_eq!(commands.len(), usize::from(format == "github"), "{format}: {text}");
        assert!(!text.contains('\u{1b}'), "{format}: {text:?}");
        if format == "junit" {
            uppsala::parse(&text).unwrap();
        }
    }
}

#[test]
fn findings_of_one_kind_are_counted_after_many() {
    let lamp = r#"{"apiVersion":"lighting.example.com/v1","kind":"Lamp","metadata":{"name":"desk"},"spec":{"watts":1}}"#;
    let (code, text) = validate("quotes.json", format!("{lamp}{}", "\" ".repeat(5000)).as_bytes());
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("more findings of this kind: not-an-object"), "{text}");
    assert!(text.lines().count() < 2100, "{} lines", text.lines().count());
}

#[test]
fn what_does_not_end_is_refused() {
    if Path::new("/dev/zero").exists() {
        let output = Command::new(env!("CARGO_BIN_EXE_crdkit"))
            .args(["validate", "/dev/zero"])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("more than 64 MiB"), "{text}");
    }
}
