//! CRDs: found in inputs, checked, and compiled as far as they are used.

use crate::input::Input;
use crate::objects;
use anyhow::{Context as _, Result};
use crdkit::Crd;
use crdkit::codec::{DecodeOptions, Decoded};
use crdkit::issue::Issue;
use crdkit::schema::decode::{self, types};
use crdkit::schema::{check, read};
use crdkit::value::{Document, Value};
use std::collections::{HashMap, HashSet};

/// Compiled CRDs by group and kind.
pub(crate) struct Crds(HashMap<(String, String), Crd>);

impl Crds {
    /// Compiles those of `documents` whose group and kind are in `used`. Of two for the same kind the
    /// later one counts.
    pub(crate) fn compile<'d>(
        documents: impl IntoIterator<Item = &'d Document>,
        used: &HashSet<(String, String)>,
    ) -> Result<Self> {
        let mut chosen: HashMap<(String, String), usize> = HashMap::new();
        let mut wanted = Vec::new();
        for document in documents {
            let key = names(document);
            if used.contains(&key) {
                let at = *chosen.entry(key).or_insert(wanted.len());
                match wanted.get_mut(at) {
                    Some(earlier) => *earlier = document,
                    None => wanted.push(document),
                }
            }
        }
        let compiled = Crd::compile_all(wanted).context("a CRD cannot be compiled")?;
        let key = |crd: &Crd| (crd.compiled().group().to_owned(), crd.compiled().kind().to_owned());
        Ok(Self(compiled.into_iter().map(|crd| (key(&crd), crd)).collect()))
    }

    pub(crate) fn get(&self, group: &str, kind: &str) -> Option<&Crd> {
        self.0.get(&(group.to_owned(), kind.to_owned()))
    }
}

/// The CRDs among the objects of `input`; what is not a CRD or cannot be decoded is left out.
pub(crate) fn of_input(input: &Input) -> Vec<Decoded> {
    let objects = objects::decode(input, &DecodeOptions::default()).into_iter().flatten();
    let is_crd = |decoded: &Decoded| {
        objects::identify(&decoded.document).is_ok_and(|identity| identity.is_crd())
    };
    objects.filter(is_crd).collect()
}

/// Everything the API server refuses about a CRD when it is created, or when it replaces `old`.
pub(crate) fn issues(decoded: &Decoded, old: Option<&Document>) -> Vec<Issue> {
    let root = decoded.document.root();
    let undecodable = decode::check(root, &types::CRD, &decoded.issues);
    if !undecodable.is_empty() {
        return undecodable;
    }
    let (crd, mut issues) = read::crd(root);
    issues.extend(match old {
        None => check::create(&crd),
        Some(old) => check::update(&crd, &read::crd(old.root()).0),
    });
    issues
}

/// The group and kind that a CRD defines.
fn names(document: &Document) -> (String, String) {
    let text =
        |pointer| document.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    (text("/spec/group").to_owned(), text("/spec/names/kind").to_owned())
}
