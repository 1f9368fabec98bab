//! CEL, CRDs and whole requests: nothing panics, and what was stored once is stored again unchanged.

use crate::documents;
use crdkit_cel::{Arena, Binding, Env, Limits, Purpose, Type, Val};
use crdkit_codec::{DecodeOptions, Format, Style};
use crdkit_engine::{Crd, Outcome, RequestOptions};
use crdkit_issue::Issue;
use crdkit_schema::{check, read};
use crdkit_value::Document;
use std::sync::LazyLock;

static ENV: LazyLock<Env> = LazyLock::new(|| {
    Env::kubernetes(u32::MAX, Purpose::Stored)
        .variable("self", Type::Dyn)
        .variable("oldSelf", Type::Dyn)
        .variable("text", Type::String)
        .variable("number", Type::Int)
        .build()
});

/// Text as an expression: parsed, checked, planned, run.
pub(crate) fn cel(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(checked) = ENV.compile(text) else { return };
    let _ = ENV.estimate_cost(&checked, None);
    let Ok(program) = ENV.plan(&checked) else { return };
    let run = || {
        let arena = Arena::new();
        let bind = |name: &str| match name {
            "number" => Some(Binding::Value(Val::Int(-3))),
            _ => Some(Binding::Value(Val::String("some text"))),
        };
        let outcome = program.evaluate(&arena, bind, Limits::default());
        (outcome.result.is_ok(), outcome.cost)
    };
    assert_eq!(run(), run(), "an evaluation has one outcome");
}

/// A CRD: read, checked, compiled, used.
pub(crate) fn crd(bytes: &[u8]) {
    for decoded in documents(bytes).into_iter().take(4) {
        let _ = read::request(decoded.document.root(), &decoded.issues);
        let (crd, _) = read::crd(decoded.document.root());
        // The status is the server's to write, and so is the version that an update names.
        let of_user = |issues: Vec<Issue>| -> Vec<Issue> {
            let is_own = |issue: &Issue| {
                let path = issue.path.to_string();
                path.starts_with("status") || path == "metadata.resourceVersion"
            };
            issues.into_iter().filter(|issue| !is_own(issue)).collect()
        };
        let (created, updated) = (check::create(&crd), check::update(&crd, &crd));
        if of_user(created).is_empty() {
            let refused = of_user(updated);
            assert!(refused.is_empty(), "an accepted CRD is its own update: {refused:?}");
        }
        let _ = Crd::compile(&decoded.document);
    }
}

/// A CRD, an object of it, and an object that replaces that one.
pub(crate) fn request(bytes: &[u8]) {
    let mut documents = documents(bytes).into_iter();
    let (Some(definition), Some(object)) = (documents.next(), documents.next()) else { return };
    let Ok(crd) = Crd::compile(&definition.document) else { return };
    let is_sound = check::create(&read::crd(definition.document.root()).0).is_empty();
    let new = documents.next().unwrap_or_else(|| object.clone());
    let options = RequestOptions::default();
    for version in crd.compiled().versions() {
        let Some(version) = crd.version(&version.name) else { continue };
        let created = version.create(object.clone(), &options);
        for format in [Format::Json, Format::Yaml, Format::Cbor] {
            let mut bytes = Vec::new();
            let root = object.document.root();
            if format.encode(root, 0, Style::Compact, &mut bytes).is_err() {
                continue;
            }
            let Ok(again) = format.decode(&bytes, &DecodeOptions::default()) else { continue };
            // Formats differ in whether a whole number is an integer, and servers judge that.
            if again.document.root().is_identical(root) && object.issues.is_empty() {
                // Messages may show the text as it was sent.
                let told = |outcome: &Outcome| outcome.status().map(|it| (it.code, it.reason));
                let verdict = version.create(again, &options);
                assert_eq!(told(&verdict), told(&created), "{format:?} makes no difference");
            }
        }
        assert_eq!(created.is_accepted(), created.status().is_none());
        if !created.is_accepted() {
            continue;
        }
        let stored = Document::copy_of(created.document().root());
        if is_sound {
            let again = version.create(stored.clone(), &options);
            assert!(again.is_accepted(), "what was stored is accepted: {:?}", again.status());
            assert_eq!(*again.document(), stored, "what was stored is stored again unchanged");
        }
        let same = version.update(&stored, stored.clone(), &options);
        assert!(!same.is_accepted() || *same.document() == stored, "an update with nothing new");
        let _ = version.update(&stored, new.clone(), &options).status();
        let _ = version.update_status(&stored, new.clone(), &options).status();
        let _ = version.scale(&stored, 3, &options).status();
    }
}
