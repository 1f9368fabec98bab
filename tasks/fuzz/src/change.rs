//! Patches and server-side apply: an object is changed wholly or not at all, and the same again changes nothing.

use crate::documents;
use crdkit_codec::json::{self, Layout};
use crdkit_engine::{Crd, RequestOptions};
use crdkit_patch::managed::{CrdVersions, Writer, extract_applied, owners};
use crdkit_patch::{Definitions, PatchLimits, Schema, diff, merge, strategic};
use crdkit_schema::{check, read};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Event, Value};

/// An object and a patch of it, taken as each kind of patch in turn.
pub(crate) fn patch(bytes: &[u8]) {
    let mut documents = documents(bytes).into_iter().map(|it| it.document);
    let (Some(object), Some(patch)) = (documents.next(), documents.next()) else { return };
    let limits = PatchLimits::default();
    let text = json::text(patch.root(), Layout::Compact);
    if let Ok(patch) = crdkit_patch::json::JsonPatch::read(text.as_bytes(), &limits) {
        let mut patched = object.clone();
        match patch.apply(&mut patched) {
            Ok(()) => differs(&object, &patched),
            Err(error) => {
                let _ = error.status();
                assert_eq!(patched, object, "what a refused patch leaves");
            }
        }
    }
    if let Ok(patch) = merge::MergePatch::read(text.as_bytes(), &limits) {
        let mut patched = object.clone();
        patch.apply(&mut patched);
        differs(&object, &patched);
        // Nulls inside of lists are forgotten when there is a list already, as the server's library has it.
        patch.apply(&mut patched);
        let mut again = patched.clone();
        patch.apply(&mut again);
        assert_eq!(again, patched, "a merge patch once more");
    }
    let name = |key| object.root().get(key).and_then(Value::as_str).unwrap_or_default();
    let native = Definitions::native();
    let Some(schema) = Schema::of_kind(native, name("apiVersion"), name("kind")) else { return };
    if let Ok(patch) = strategic::StrategicPatch::read(text.as_bytes(), &limits) {
        let mut patched = object.clone();
        if let Err(error) = patch.apply(&mut patched, &schema) {
            let _ = error.status();
            assert_eq!(patched, object, "what a refused patch leaves");
        }
        let _ = diff::strategic(&schema, object.root(), patched.root());
        let _ = diff::fields(&schema, object.root(), patched.root());
    }
}

/// The patches between two objects lead from one to the other.
fn differs(old: &Document, new: &Document) {
    let patch = diff::json(old.root(), new.root());
    let limits = PatchLimits { operations: usize::MAX, ..PatchLimits::default() };
    let patch = crdkit_patch::json::JsonPatch::from_document(patch, &limits);
    let mut patched = old.clone();
    let applied = patch.map(|patch| patch.apply(&mut patched));
    assert!(matches!(applied, Ok(Ok(()))), "a computed patch applies: {applied:?}");
    assert_eq!(patched, *new, "a computed patch makes the new object");
    let is_null = |event: Event<'_>| matches!(event, Event::Null);
    let has_nulls = old.root().events().any(is_null) || new.root().events().any(is_null);
    if !has_nulls && new.root().as_object().is_some() {
        let mut merged = old.clone();
        merge::apply(&mut merged, diff::merge(old.root(), new.root()).root());
        assert_eq!(merged, *new, "a computed merge patch makes the new object");
    }
}

/// A CRD, an object of it with managers, and a configuration to apply.
pub(crate) fn apply(bytes: &[u8]) {
    let mut documents = documents(bytes).into_iter().map(|it| it.document);
    let (Some(definition), Some(live)) = (documents.next(), documents.next()) else { return };
    let config = documents.next().unwrap_or_else(|| live.clone());
    let Ok(crd) = Crd::compile(&definition) else { return };
    let is_sound = check::create(&read::crd(definition.root()).0).is_empty();
    let _ = owners(&live);
    let compiled = crd.compiled();
    let versions = CrdVersions(compiled);
    for version in compiled.versions() {
        let writer = |seconds| Writer {
            manager: "one",
            api_version: &version.api_version,
            subresource: "",
            time: Timestamp { seconds, nanoseconds: 0, offset: 0 },
            reset: &[],
            versions: &versions,
        };
        let kind = compiled.kind();
        let mut updated = config.clone();
        writer(1).update(Some(&live), &mut updated);
        for force in [false, true] {
            if let Err(error) = writer(1).apply(kind, Some(&live), &config, force) {
                let _ = error.status();
            }
        }
        let is_accepted = is_sound
            && crd.version(&version.name).is_some_and(|version| {
                version.create(config.clone(), &RequestOptions::new()).is_accepted()
            });
        let Ok(first) = writer(1).apply(kind, None, &config, false) else { continue };
        if !is_accepted {
            continue;
        }
        let again = writer(2).apply(kind, Some(&first.document), &config, false);
        let again = again.map(|it| it.document).map_err(|error| error.to_string());
        assert_eq!(again.as_ref(), Ok(&first.document), "the same again changes nothing");
        let schema = Schema::new(compiled.table(), version.schema, !compiled.prunes());
        if let Some(own) = extract_applied(&schema, &first.document, "one", "") {
            let again = writer(3).apply(kind, Some(&first.document), &own, false);
            let again = again.map(|it| it.document).map_err(|error| error.to_string());
            assert_eq!(again.as_ref(), Ok(&first.document), "what is extracted was applied");
        }
    }
}
