//! The recorded requests of the suite `openshift` as suites of `crdkit test`: a file for each recorded suite and
//! CRD, with everything that was recorded of an answer as what is expected.

use crate::case::{Case, Cases};
use anyhow::{Context as _, Result};
use crdkit_codec::json::{self, Layout};
use crdkit_value::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Writes the suites, and their CRDs below `crds`, into `out`.
pub(crate) fn write(corpus: &Path, out: &Path) -> Result<()> {
    let crds = Cases::read(&corpus.join("openshift-crds.jsonl.gz"))?;
    let cases = Cases::read(&corpus.join("openshift.jsonl.gz"))?;
    let unwritable = || format!("`{}` cannot be written", out.display());
    fs::create_dir_all(out.join("crds")).with_context(unwritable)?;
    for crd in crds.iter() {
        let file = out.join(format!("crds/{}.json", crd.text("key")));
        fs::write(file, text(crd.get("crd"))).with_context(unwritable)?;
    }
    let mut files: BTreeMap<(&str, &str), Vec<&Case>> = BTreeMap::new();
    for case in cases.iter() {
        let suite = case.id.split('#').next().unwrap_or_default();
        files.entry((suite, case.text("crd"))).or_default().push(case);
    }
    for (number, ((name, crd), cases)) in files.into_iter().enumerate() {
        let cases: Vec<String> = cases.into_iter().map(request).collect();
        let suite = format!(
            "{{\"name\":{name:?},\"crds\":\"crds/{crd}.json\",\"field-validation\":\"ignore\",\"cases\":[\n{}\n]}}\n",
            cases.join(",\n")
        );
        fs::write(out.join(format!("{number:03}.json")), suite).with_context(unwritable)?;
    }
    Ok(())
}

/// One case. An object that was created under another CRD is created so again; others are as recorded.
fn request(case: &Case) -> String {
    let object = text(case.get("object"));
    let old = || text(case.get("old"));
    let request = match (case.text("kind"), case.text("initialCrd")) {
        ("create", _) => format!("\"create\":{object}"),
        (kind, "") => format!("\"{kind}\":{{\"stored\":{},\"to\":{object}}}", old()),
        (kind, crd) => format!(
            "\"{kind}\":{{\"crds-before\":\"crds/{crd}.json\",\"from\":{},\"to\":{object}}}",
            old()
        ),
    };
    let expect = if let Some(out) = case.get("out") {
        format!("\"exactly\":{}", text(Some(out)))
    } else {
        let causes = case.get("causes").into_iter().flat_map(Value::items);
        let causes: Vec<String> = causes.map(pattern).collect();
        format!("\"code\":{},\"errors\":[{}]", text(case.get("code")), causes.join(","))
    };
    format!("{{\"name\":{:?},{request},{expect}}}", case.id)
}

fn pattern(cause: Value<'_>) -> String {
    let [path, reason, message] = ["field", "reason", "message"].map(|key| text(cause.get(key)));
    format!("{{\"path\":{path},\"reason\":{reason},\"message\":{message}}}")
}

fn text(value: Option<Value<'_>>) -> String {
    let mut out = Vec::new();
    if let Some(value) = value {
        json::write(value, Layout::Compact, &mut out);
    }
    String::from_utf8_lossy(&out).into_owned()
}
