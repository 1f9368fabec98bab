//! Bytes that get far, made of the project's fixtures: all of their documents in every format, the CRDs together with
//! objects of their kind, and the rules in them. `tasks/fuzz/seeds` has more for what the fixtures hardly touch, a
//! directory for each target.
#![expect(clippy::disallowed_methods, reason = "a program reads the project's files")]

use anyhow::{Context as _, Result};
use crdkit_codec::{DecodeOptions, Format, Style};
use crdkit_native::protobuf;
use crdkit_value::{Document, Event, Value};
use std::path::{Path, PathBuf};

/// Seeds, by what they are made for.
#[derive(Debug, Default)]
pub struct Seeds {
    pub(crate) json: Vec<Vec<u8>>,
    pub(crate) yaml: Vec<Vec<u8>>,
    pub(crate) cbor: Vec<Vec<u8>>,
    pub(crate) cel: Vec<Vec<u8>>,
    pub(crate) requests: Vec<Vec<u8>>,
    pub(crate) crds: Vec<Vec<u8>>,
    pub(crate) pairs: Vec<Vec<u8>>,
    pub(crate) schemas: Vec<Vec<u8>>,
    pub(crate) patches: Vec<Vec<u8>>,
    pub(crate) applies: Vec<Vec<u8>>,
    pub(crate) natives: Vec<Vec<u8>>,
    pub(crate) protobuf: Vec<Vec<u8>>,
    pub(crate) policies: Vec<Vec<u8>>,
}

impl Seeds {
    /// The seeds that the project in `root` has.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn read(root: &Path) -> Result<Self> {
        let mut seeds = Self::default();
        let mut documents = Vec::new();
        for path in files(&root.join("fixtures"))? {
            let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
            let format = Format::detect(&path, &bytes);
            documents.extend(all(format, &bytes));
            match format {
                Format::Json | Format::Ndjson => seeds.json.push(bytes),
                Format::Yaml => seeds.yaml.push(bytes),
                Format::Cbor | Format::CborSeq | Format::Mixed => seeds.cbor.push(bytes),
            }
        }
        for document in &documents {
            seeds.json.push(stream(Format::Json, &[document]));
            seeds.cbor.push(stream(Format::CborSeq, &[document]));
            seeds.cel.extend(rules(document));
        }
        seeds.combine(&documents);
        let own = root.join("tasks/fuzz/seeds");
        let of = |target: &str| -> Result<Vec<Vec<u8>>> {
            let paths = files(&own.join(target))?;
            paths
                .iter()
                .map(|path| std::fs::read(path).with_context(|| path.display().to_string()))
                .collect()
        };
        seeds.schemas = of("schema")?;
        seeds.patches = of("patch")?;
        seeds.policies = of("policy")?;
        seeds.applies.extend(of("apply")?);
        seeds.natives = of("native")?;
        for body in &seeds.natives {
            let bodies = all(Format::Yaml, body).into_iter().map(|it| protobuf::encode(it.root()));
            seeds.protobuf.extend(bodies.flatten());
        }
        Ok(seeds)
    }

    /// CRDs alone, with objects of their kind, and with other CRDs.
    fn combine(&mut self, documents: &[Document]) {
        let kind = |document: &Document, pointer| {
            document.root().pointer(pointer).and_then(Value::as_str).map(str::to_owned)
        };
        let crds: Vec<_> =
            documents.iter().filter(|it| kind(it, "/spec/names/kind").is_some()).collect();
        for crd in &crds {
            let named = kind(crd, "/spec/names/kind");
            self.crds.push(stream(Format::Yaml, &[crd]));
            self.pairs.push(stream(Format::Yaml, &[crd, crd]));
            let same = crds.iter().filter(|it| kind(it, "/spec/names/kind") == named);
            self.pairs.extend(same.map(|other| stream(Format::Yaml, &[crd, other])));
            for object in documents.iter().filter(|it| kind(it, "/kind") == named) {
                self.requests.push(stream(Format::Yaml, &[crd, object]));
                self.applies.push(stream(Format::Yaml, &[crd, object]));
            }
        }
    }
}

/// The documents in `bytes` that can be read.
fn all(format: Format, bytes: &[u8]) -> Vec<Document> {
    let options = DecodeOptions::default();
    format.documents(bytes, &options).flatten().map(|it| it.document).collect()
}

/// The files below `directory`, in order.
fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let entries =
            std::fs::read_dir(&directory).with_context(|| directory.display().to_string());
        for entry in entries? {
            let path = entry?.path();
            if path.is_dir() { &mut pending } else { &mut files }.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn stream(format: Format, documents: &[&Document]) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        // What has no form in the format is left out.
        let _ = format.encode(document.root(), index, Style::Compact, &mut out);
    }
    out
}

/// The expressions in a CRD.
fn rules(document: &Document) -> Vec<Vec<u8>> {
    let mut rules = Vec::new();
    let mut is_rule = false;
    for event in document.root().events() {
        if let Event::String(text) = event
            && is_rule
        {
            rules.push(text.as_bytes().to_vec());
        }
        is_rule = matches!(event, Event::Key("rule" | "messageExpression" | "fieldPath"));
    }
    rules
}
