//! Others' encoders and decoders: serde's types through JSON, and Python's `cbor2` where it is installed.

use super::{bytes, document, hex};
use crdkit_codec::{DecodeOptions, cbor};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::IpAddr;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A type with forms of its own: a duration as text, an address as text, an enum without tags.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Gadget {
    #[serde(serialize_with = "seconds")]
    timeout: Duration,
    address: Option<IpAddr>,
    port: Port,
    ratio: f64,
    #[serde(flatten)]
    rest: BTreeMap<String, Vec<Option<i64>>>,
    nothing: (),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Port {
    Number(u16),
    Name(String),
}

fn seconds<S: Serializer>(duration: &Duration, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(&format_args!("{}s", duration.as_secs()))
}

#[test]
fn a_type_says_the_same_through_json_and_cbor() {
    for (port, ratio) in [(Port::Number(80), 0.5), (Port::Name("http".into()), 1e-9)] {
        let gadget = Gadget {
            timeout: Duration::from_secs(90),
            address: "2001:db8::1".parse().ok(),
            port,
            ratio,
            rest: BTreeMap::from([("x".into(), vec![None, Some(-1)])]),
            nothing: (),
        };
        let json = serde_json::to_string(&gadget).unwrap();
        let item = cbor::to_vec(&gadget).unwrap();
        let through_cbor = cbor::decode(&item, &DecodeOptions::default()).unwrap().document;
        assert_eq!(through_cbor, document(&json));
    }
}

const VALUES: &[&str] = &[
    "null",
    "[true,false,0,-1,23,24,255,256,65535,65536,4294967295,4294967296,9223372036854775807]",
    "[-24,-25,-256,-257,-65537,-4294967297,-9223372036854775808]",
    "[0.5,1.5,-0.0,65504.0,65505.0,0.1,3.4028234663852886e38,1e300,5.960464477539063e-8,1e-310]",
    r#"{"kind":"List","items":[{"a":{},"b":[]}],"metadata":{},"apiVersion":"v1","aa":"b","b":"aa"}"#,
    r#"["","a","ü","水","𐅑","a string that is longer than twenty-three bytes"]"#,
];

#[test]
#[expect(clippy::disallowed_methods, reason = "the environment says which Python")]
fn python_reads_and_writes_the_same() {
    let python = std::env::var("PYTHON").unwrap_or("python3".into());
    let found = Command::new(&python).args(["-c", "import cbor2"]).stderr(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        eprintln!("skipped: `{python}` is not there or has no cbor2");
        return;
    }
    let items: Vec<Vec<u8>> = VALUES
        .iter()
        .map(|json| {
            let mut out = Vec::new();
            cbor::encode(document(json).root(), cbor::Order::Sorted, &mut out).unwrap();
            out
        })
        .collect();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cbor/interop.py");
    let mut child = Command::new(&python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: String = items.iter().map(|item| hex(item) + "\n").collect();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers.lines().count(), items.len());
    for ((json, item), answer) in VALUES.iter().zip(&items).zip(answers.lines()) {
        let (canonical, with_text) = answer.split_once(' ').unwrap();
        assert_eq!(canonical, hex(&item[3..]), "{json}");
        let back = cbor::decode(&bytes(with_text), &DecodeOptions::default()).unwrap();
        assert_eq!(back.document, document(json));
    }
}
