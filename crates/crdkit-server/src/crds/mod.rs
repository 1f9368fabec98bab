//! The life of CRDs: names are accepted, endpoints appear, the condition says so; and the way back.
//!
//! Everything follows from what is stored. [`follow`] looks at one CRD after each write of it: it decides about its names, puts
//! it into the catalogue, and only then says in its status that it is established. A CRD that goes away takes its objects
//! with it first.

mod cleanup;
mod conditions;
mod names;

pub(crate) use cleanup::before_deletion;

use crate::catalogue::definition::Definition;
use crate::catalogue::resource::Resource;
use crate::catalogue::snapshot::Served;
use crate::convert::Converter;
use crate::core::Core;
use crate::manage::Managing;
use crate::rules::{CustomRules, Rules};
use crate::stored;
use crate::table::CellValue;
use crate::verbs::system_update;
use conditions::Conditions;
use crdkit_engine::Crd;
use crdkit_schema::compile::PatternRoom;
use crdkit_store::{RangeRequest, Revision, StoreEntry};
use crdkit_value::{Document, Value};
use names::KindNames;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::{Mutex, watch};

pub(crate) const GROUP: &str = "apiextensions.k8s.io";
pub(crate) const PLURAL: &str = "customresourcedefinitions";
/// Who writes the status of CRDs.
const MANAGER: &str = "kube-apiserver";

/// What is known of all CRDs.
#[derive(Default)]
pub(crate) struct Definitions {
    known: Mutex<BTreeMap<String, Known>>,
    /// What the patterns of all of them may take.
    pattern_room: PatternRoom,
}

/// What is known of one CRD.
struct Known {
    group: String,
    plural: String,
    accepted: KindNames,
    all_accepted: bool,
    /// Which CRD of its name this is, and which state of its `spec`.
    uid: String,
    generation: i64,
    /// What it is served as; none if it is not.
    definition: Option<Arc<Definition>>,
    terminating: bool,
    fresh: Revision,
    /// Ends watches of its objects.
    end: Arc<watch::Sender<bool>>,
    cleaning: bool,
}

/// Looks at all CRDs that are stored.
pub(crate) async fn load(core: &Arc<Core>) {
    let prefix = core.layout.collection(GROUP, PLURAL, None);
    let Ok(page) = core.store.range(RangeRequest::under(&prefix)).await else { return };
    for entry in page.entries {
        if let Some(name) = entry.key.strip_prefix(&prefix) {
            follow(core, name).await;
        }
    }
}

/// Looks at all CRDs after everything that is stored was replaced: those that are gone, and those that are there.
pub(crate) async fn reload(core: &Arc<Core>) {
    let before: Vec<String> = {
        let mut known = core.definitions.known.lock().await;
        // Whatever was going on with one has no meaning any more.
        known.values_mut().for_each(|it| it.cleaning = false);
        known.keys().cloned().collect()
    };
    for name in before {
        follow(core, &name).await;
    }
    load(core).await;
}

/// Does what follows from a write of the CRD called `name`.
pub(crate) async fn follow(core: &Arc<Core>, name: &str) {
    let mut known = core.definitions.known.lock().await;
    let mut pending = BTreeSet::from([name.to_owned()]);
    while let Some(name) = pending.pop_first() {
        follow_one(core, &mut known, &name, &mut pending).await;
    }
}

async fn follow_one(
    core: &Arc<Core>,
    known: &mut BTreeMap<String, Known>,
    name: &str,
    pending: &mut BTreeSet<String>,
) {
    let key = core.layout.object(GROUP, PLURAL, None, name);
    let entry = match core.get(&key).await {
        Ok(Some(entry)) => entry,
        Ok(None) => {
            if let Some(gone) = known.remove(name) {
                unserve(core, &gone);
                waiting(known, &gone.group, pending);
            }
            return;
        }
        Err(status) => {
            tracing::error!(%status, name, "a CRD could not be read");
            return;
        }
    };
    let document = stored::object(&entry);
    let before = known.get(name).map(|it| it.accepted.clone());
    let wanted = status_of(core, known, name, &document);
    serve(core, known, name, &entry, &wanted);
    let is_terminating = is_terminating(wanted.root());
    if wanted.root().get("status") != document.root().get("status") {
        write_status(core, &key, known, name).await;
    }
    if let Some(definition) = known.get(name).and_then(|it| it.definition.as_ref())
        && let Ok(Some(entry)) = core.get(&key).await
    {
        definition.keep(entry.value.clone());
    }
    let Some(now) = known.get_mut(name) else { return };
    let released = before.is_some_and(|before| before != now.accepted);
    let group = now.group.clone();
    if is_terminating && !std::mem::replace(&mut now.cleaning, is_terminating) {
        cleanup::start(core, name);
    }
    if released {
        waiting(known, &group, pending);
    }
}

/// CRDs of a group that did not get all their names so far.
fn waiting(known: &BTreeMap<String, Known>, group: &str, pending: &mut BTreeSet<String>) {
    let waiting = known.iter().filter(|(_, it)| it.group == group && !it.all_accepted);
    pending.extend(waiting.map(|(name, _)| name.clone()));
}

/// The CRD with the status that it should have.
fn status_of(
    core: &Core,
    known: &BTreeMap<String, Known>,
    name: &str,
    document: &Document,
) -> Document {
    let root = document.root();
    let group = root.pointer("/spec/group").and_then(Value::as_str).unwrap_or_default();
    let others = known.iter().filter(|(other, it)| *other != name && it.group == group);
    let taken = others.map(|(_, it)| &it.accepted);
    let (accepted, conflict) = names::decide(root, taken);
    let now = core.environment.now_text();
    let mut wanted = document.clone();
    let mut conditions = Conditions::of(&mut wanted, &now);
    match &conflict {
        None => conditions.set("NamesAccepted", true, "NoConflicts", "no conflicts found"),
        Some((reason, message)) => conditions.set("NamesAccepted", false, reason, message),
    }
    if !conditions.is_true("Established") {
        match conflict {
            None => conditions.set(
                "Established",
                true,
                "InitialNamesAccepted",
                "the initial names have been accepted",
            ),
            Some(_) => {
                conditions.set("Established", false, "NotAccepted", "not all names are accepted");
            }
        }
    }
    conditions.approval();
    accepted.write(&mut wanted);
    wanted
}

async fn write_status(core: &Arc<Core>, key: &str, known: &BTreeMap<String, Known>, name: &str) {
    let Some(served) = core.find(GROUP, "v1", PLURAL) else { return };
    let managing = Managing {
        served: &served,
        manager: MANAGER,
        subresource: "status",
        now: core.environment.now(),
    };
    let make = |old: &Document| {
        let mut new = status_of(core, known, name, old);
        if new.root().get("status") == old.root().get("status") {
            return None;
        }
        managing.update(Some(old), &mut new);
        Some(new)
    };
    if let Err(status) = system_update(core, &served, key, make).await {
        tracing::error!(%status, name, "the status of a CRD could not be written");
    }
}

/// Puts what a CRD defines into the catalogue, if it is established and anything about that has changed.
fn serve(
    core: &Core,
    known: &mut BTreeMap<String, Known>,
    name: &str,
    entry: &StoreEntry,
    wanted: &Document,
) {
    let root = wanted.root();
    let text = |path| root.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (group, plural) = (text("/spec/group"), text("/spec/names/plural"));
    let accepted = KindNames::accepted(root);
    let uid = stored::metadata_text(root, "uid").to_owned();
    let generation = root.pointer("/metadata/generation").and_then(Value::as_i64);
    let generation = generation.unwrap_or_default();
    let established = conditions::is_true(root, "Established");
    let all_accepted = conditions::is_true(root, "NamesAccepted");
    let terminating = is_terminating(root);
    let before = known.remove(name);
    let same_form = before.as_ref().is_some_and(|it| {
        it.uid == uid
            && it.accepted == accepted
            && it.definition.as_ref().is_some_and(|definition| {
                // The generation counts other things than changes of the `spec` as well.
                it.generation == generation
                    || definition.document().root().get("spec") == root.get("spec")
            })
    });
    let is_new = !same_form || before.as_ref().is_some_and(|it| it.terminating != terminating);
    let (end, fresh, cleaning, mut definition) = match before {
        Some(before) if same_form => (before.end, before.fresh, before.cleaning, before.definition),
        Some(before) => {
            before.end.send_replace(true);
            (Arc::new(watch::Sender::new(false)), entry.revision, before.cleaning, None)
        }
        None => (Arc::new(watch::Sender::new(false)), entry.revision, false, None),
    };
    if established && is_new {
        let pattern_room = &core.definitions.pattern_room;
        let made = definition.take().map_or_else(
            || Definition::stored(wanted, entry.value.clone(), pattern_room).map(Arc::new),
            Ok,
        );
        let served = match &made {
            Ok(definition) => {
                let served = resources(core, definition, wanted, fresh, terminating, &end);
                let served = served.map(|it| Arc::new(it.known_since(entry.created)));
                served.collect()
            }
            Err(_) => Vec::new(),
        };
        definition = made.ok();
        core.catalogue.rcu(|catalogue| catalogue.replace(&group, &plural, served.clone()));
    }
    let known_now = Known {
        group,
        plural,
        accepted,
        all_accepted,
        uid,
        generation,
        definition,
        terminating,
        fresh,
        end,
        cleaning,
    };
    known.insert(name.to_owned(), known_now);
}

/// What a CRD defines, as it is served.
fn resources(
    core: &Core,
    definition: &Arc<Definition>,
    document: &Document,
    fresh: Revision,
    terminating: bool,
    end: &watch::Sender<bool>,
) -> impl Iterator<Item = Served> {
    let compiled = definition.compiled();
    let crd = Crd::from(compiled.clone());
    let converter = Converter::of(
        compiled.conversion(),
        &core.admission.client,
        &core.environment,
        core.settings.conversion_timeout,
    );
    let converter = converter.map(Arc::new);
    Resource::custom(definition, document).into_iter().map(move |resource| {
        let rules = CustomRules::new(crd.clone(), &resource.kind.version, converter.clone());
        let rules = Rules::Custom(rules);
        let served = Served::new(resource, rules, fresh, terminating, end.subscribe());
        served.stored_in_cbor(core.settings.cbor_storage)
    })
}

fn unserve(core: &Core, gone: &Known) {
    core.catalogue.rcu(|catalogue| catalogue.replace(&gone.group, &gone.plural, Vec::new()));
    gone.end.send_replace(true);
}

fn is_terminating(crd: Value<'_>) -> bool {
    crd.pointer("/metadata/deletionTimestamp").is_some()
}

/// What a table shows of a CRD.
pub(crate) fn row(crd: Value<'_>) -> Vec<CellValue> {
    let text = |path| crd.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let list = |texts: Vec<&str>| CellValue::Text(texts.join(","));
    let versions = crd.pointer("/spec/versions").into_iter().flat_map(Value::items);
    let served = |it: &Value<'_>| it.get("served").and_then(Value::as_bool) == Some(true);
    let versions = versions.filter(served).filter_map(|it| it.get("name")?.as_str()).collect();
    let short = crd.pointer("/spec/names/shortNames").into_iter().flat_map(Value::items);
    let cell = |text: &str| CellValue::Text(text.to_owned());
    vec![
        cell(stored::metadata_text(crd, "name")),
        cell(text("/spec/scope")),
        list(versions),
        cell(stored::metadata_text(crd, "creationTimestamp")),
        cell(text("/spec/group")),
        cell(text("/spec/names/kind")),
        list(short.filter_map(Value::as_str).collect()),
        cell(if conditions::is_true(crd, "Established") { "True" } else { "False" }),
    ]
}
