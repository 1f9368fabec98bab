//! Real CRDs and objects to measure with: a recorded corpus where there is one, otherwise the fixtures.

use anyhow::{Context as _, Result, anyhow};
use crdkit_codec::json::{self, Documents, Framing, Layout};
use crdkit_codec::{DecodeOptions, yaml};
use crdkit_value::{Document, Value};
use std::fs;
use std::io::Read as _;
use std::path::Path;

/// CRDs by name, and objects that they accept.
pub(crate) struct Corpus {
    pub(crate) crds: Vec<(String, Document)>,
    /// The name of the CRD, the version, and the object as compact JSON.
    pub(crate) objects: Vec<(String, String, Vec<u8>)>,
}

impl Corpus {
    /// Reads the corpus in `directory`, or the fixtures when it is not there.
    pub(crate) fn load(directory: &Path) -> Result<Self> {
        if directory.is_dir() { Self::recorded(directory) } else { Self::fixtures() }
    }

    fn recorded(directory: &Path) -> Result<Self> {
        let text = |value: Value<'_>, key| {
            value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let mut crds = Vec::new();
        for line in lines(&directory.join("crds.jsonl.gz"))? {
            let crd = line.root().get("crd").map(Document::copy_of).unwrap_or_default();
            crds.push((text(line.root(), "name"), crd));
        }
        let mut objects = Vec::new();
        for line in lines(&directory.join("cr-verdicts.jsonl.gz"))? {
            let accepted = line.root().pointer("/strict/code").and_then(Value::as_i64) == Some(201);
            let Some(object) = line.root().get("object").filter(|_| accepted) else { continue };
            objects.push((text(line.root(), "crd"), version(object), compact(object)));
        }
        Ok(Self { crds, objects })
    }

    fn fixtures() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let mut crds = Vec::new();
        for document in documents(&root.join("crds"))? {
            let name = document.root().pointer("/spec/names/kind").and_then(Value::as_str);
            crds.push((name.unwrap_or_default().to_owned(), document));
        }
        let mut objects = Vec::new();
        for document in documents(&root.join("manifests"))? {
            let object = document.root();
            let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
            objects.push((kind.to_owned(), version(object), compact(object)));
        }
        Ok(Self { crds, objects })
    }
}

/// The documents of a compressed file, one to a line.
pub(crate) fn lines(path: &Path) -> Result<Vec<Document>> {
    let file =
        fs::File::open(path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(file).read_to_end(&mut text)?;
    let options = DecodeOptions::default();
    let documents = Documents::from_slice(&text, Framing::Lines, &options);
    documents.map(|decoded| Ok(decoded.map_err(|error| anyhow!("{error}"))?.document)).collect()
}

/// The documents of all files in `directory`, in order.
fn documents(directory: &Path) -> Result<Vec<Document>> {
    let entries: Result<Vec<_>, _> = fs::read_dir(directory)?.collect();
    let mut paths: Vec<_> = entries?.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    let options = DecodeOptions::default();
    let mut documents = Vec::new();
    for path in paths {
        let text = fs::read(&path)?;
        let decoded = yaml::Documents::from_slice(&text, &options).flatten();
        documents.extend(decoded.map(|decoded| decoded.document));
    }
    Ok(documents)
}

fn version(object: Value<'_>) -> String {
    let api_version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    api_version.rsplit('/').next().unwrap_or_default().to_owned()
}

/// `value` as JSON without white space.
pub(crate) fn compact(value: Value<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    json::write(value, Layout::Compact, &mut out);
    out
}
